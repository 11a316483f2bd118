//! The terms of some documents that tell most of them: what a query is widened by.
//!
//! Of the terms of the documents, Σ weight of the documents that have it · ln(1 + n/(1 + df)), for n documents in all of
//! which df have the term (Rocchio 1971; Lavrenko & Croft 2001). What one document alone has, or too many, tells nothing.

use rustc_hash::FxHashMap;

use super::scope::Scope;
use crate::CoreError;
use crate::graph::check_length;

/// What tells, and of how many documents.
#[derive(Debug, Clone, Copy)]
pub struct Telling {
    /// n, which may count more than the documents of the scope.
    pub documents: usize,
    /// The share of n that may have a term which still tells them apart, 0..=1.
    pub max_share: f64,
    /// How many terms.
    pub limit: usize,
}

/// The heaviest terms of the documents of `ids` that are not `known`, heaviest first, then by name.
///
/// # Errors
/// [`CoreError::Dimension`] for another number of weights than ids.
pub fn telling_terms(
    scope: &Scope<'_>,
    ids: &[i64],
    weights: &[f64],
    known: &[&str],
    telling: Telling,
) -> Result<Vec<String>, CoreError> {
    check_length("weights", ids.len(), weights.len())?;
    let mut sums: FxHashMap<&str, f64> = FxHashMap::default();
    for (id, weight) in ids.iter().zip(weights) {
        for part in scope.parts() {
            let Some(slot) = part.index().slot_of(*id) else { continue };
            for term in part.index().terms_at(slot).filter(|term| !known.contains(term)) {
                *sums.entry(term).or_default() += weight;
            }
        }
    }
    let documents = telling.documents as f64;
    let weigh = |(term, sum): (&'_ str, f64)| {
        let frequency: usize = scope.parts().iter().map(|part| part.frequency(term)).sum();
        let tells = frequency > 1 && frequency as f64 <= telling.max_share * documents;
        if tells { sum * (documents / (1.0 + frequency as f64)).ln_1p() } else { 0.0 }
    };
    let mut found: Vec<(f64, &str)> =
        sums.into_iter().map(|(term, sum)| (weigh((term, sum)), term)).filter(|(weight, _)| *weight > 0.0).collect();
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    found.truncate(telling.limit);
    Ok(found.into_iter().map(|(_, term)| term.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Bm25Index;
    use super::*;

    fn index_of(documents: &[(i64, &[&str])]) -> Bm25Index {
        let mut index = Bm25Index::new();
        let ids: Vec<i64> = documents.iter().map(|(id, _)| *id).collect();
        let texts: Vec<&[&str]> = documents.iter().map(|(_, terms)| *terms).collect();
        index.add("texts", &ids, &texts).unwrap();
        index
    }

    #[test]
    fn rare_terms_of_heavy_documents_come_first_and_those_of_one_or_of_most_not_at_all() {
        let one = index_of(&[(1, &["all", "kiln", "clay", "own"]), (2, &["all", "kiln", "glaze"])]);
        let other = index_of(&[(3, &["all", "clay"]), (4, &["all", "glaze", "kiln"]), (5, &["all"]), (6, &["sea"])]);
        let scope = Scope::whole(&[&one, &other]);
        let telling = Telling { documents: 6, max_share: 0.5, limit: 9 };
        let found = telling_terms(&scope, &[1, 2], &[1.0, 0.5], &["known"], telling).unwrap();
        // kiln: 1.5·ln(1 + 6/4), clay: 1·ln(1 + 6/3), glaze: .5·ln(1 + 6/3)
        assert_eq!(found, ["kiln", "clay", "glaze"]);
        let few = telling_terms(&scope, &[1, 2], &[1.0, 0.5], &["kiln"], Telling { limit: 1, ..telling }).unwrap();
        assert_eq!(few, ["clay"]);
        assert!(telling_terms(&scope, &[1], &[], &[], telling).is_err());
        assert_eq!(telling_terms(&scope, &[99], &[1.0], &[], telling).unwrap(), Vec::<String>::new());
        let hidden = Scope::without(&[&one, &other], &[2, 4]).unwrap();
        assert_eq!(telling_terms(&hidden, &[1], &[1.0], &[], telling).unwrap(), ["clay", "all"]);
    }

    #[test]
    fn equal_weights_go_by_name() {
        let index = index_of(&[(1, &["b", "a"]), (2, &["a", "b"]), (3, &["c"]), (4, &["c"])]);
        let telling = Telling { documents: 4, max_share: 1.0, limit: 2 };
        assert_eq!(telling_terms(&Scope::whole(&[&index]), &[1], &[1.0], &[], telling).unwrap(), ["a", "b"]);
    }
}
