//! What the indexes know, by the rows of a scope: a row has an id, the rows of an index ascend by it, index by index.

use super::bm25::{Bm25Index, Bm25Params};
use super::full::{add_scores, scores_of as scores_of_all};
use super::scope::{Scope, Scores};
use super::weights::Weights;
use crate::CoreError;
use crate::graph::check_length;

/// The most terms of which [`held`] tells which a document has.
pub const MOST_TERMS: usize = 64;

/// The BM25 score of every row, 0 where no term occurs; `rows` are the ids of each index, ascending. Ids without a row
/// are passed over.
///
/// # Errors
/// [`CoreError::Dimension`] for another number of columns than indexes.
pub fn row_scores(
    scope: &Scope<'_>,
    terms: &[&str],
    params: Bm25Params,
    rows: &[&[i64]],
) -> Result<Vec<f64>, CoreError> {
    check_length("rows", scope.parts().len(), rows.len())?;
    let (weighted, weights) = scope.weighted(terms, params);
    let mut scores = vec![0.0; rows.iter().map(|ids| ids.len()).sum()];
    let mut rest = scores.as_mut_slice();
    for (part, ids) in scope.parts().iter().zip(rows) {
        let (here, others) = rest.split_at_mut(ids.len());
        // Until a slot is used again, or a row has no document, rows and slots are the same.
        if part.index().ids_by_slot() == *ids {
            add_scores(part, &weighted, &weights, here);
        } else {
            place(&scores_of_all(part, &weighted, &weights), ids, here);
        }
        rest = others;
    }
    Ok(scores)
}

/// The BM25 score of the document of each id, by the formula of [`Scope::scores`]; 0 for an id without a document, or
/// with a hidden one. Costs the ids, not the documents of the terms.
pub fn scores_of(scope: &Scope<'_>, terms: &[&str], params: Bm25Params, ids: &[i64]) -> Vec<f64> {
    let (weighted, weights) = scope.weighted(terms, params);
    let mut scores = vec![0.0; ids.len()];
    for part in scope.parts() {
        let index = part.index();
        let found = Weights::terms(part, &weighted);
        for (id, score) in ids.iter().zip(&mut scores) {
            let Some(slot) = index.slot_of(*id).filter(|slot| part.shows(*slot)) else { continue };
            for term in found.iter().filter(|term| index.numbers_at(slot).contains(&term.number)) {
                let list = term.list.as_slice();
                if let Ok(at) = list.binary_search_by_key(&slot, |posting| posting.slot) {
                    *score += weights.exact(index, term, list[at]);
                }
            }
        }
    }
    scores
}

/// Writes scores into the rows of their ids; both ascend by id.
fn place(found: &Scores, ids: &[i64], scores: &mut [f64]) {
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return };
    if (last - first) as usize == ids.len() - 1 {
        for (id, score) in found.ids.iter().zip(&found.scores).filter(|(id, _)| (first..=last).contains(id)) {
            scores[(id - first) as usize] = *score; // no gap: the row follows from the id
        }
        return;
    }
    let mut row = 0;
    for (id, score) in found.ids.iter().zip(&found.scores) {
        row += first_not_below(&ids[row..], *id);
        match ids.get(row) {
            Some(here) if here == id => scores[row] = *score,
            Some(_) => {}
            None => return,
        }
    }
}

/// How many of the first ids are below one, looked for from the beginning in growing steps.
fn first_not_below(ids: &[i64], id: i64) -> usize {
    let mut step = 1;
    while step < ids.len() && ids[step] < id {
        step *= 2;
    }
    let (low, high) = (step / 2, ids.len().min(step + 1));
    low + ids[low..high].partition_point(|&one| one < id)
}

/// For each id which of the terms its document has, a bit for each; 0 for an id without a document.
///
/// # Errors
/// [`CoreError::InvalidInput`] for more than 64 terms.
pub fn held(indexes: &[&Bm25Index], terms: &[&str], ids: &[i64]) -> Result<Vec<u64>, CoreError> {
    if terms.len() > MOST_TERMS {
        return Err(CoreError::invalid(
            "terms",
            format!("{} terms", terms.len()),
            format!("give at most {MOST_TERMS}"),
        ));
    }
    let mut bits = vec![0; ids.len()];
    for index in indexes {
        let numbers = terms.iter().enumerate().filter_map(|(bit, term)| Some((index.list_of(term)?.0, 1_u64 << bit)));
        let numbers: Vec<(u32, u64)> = numbers.collect();
        // Most terms of a document are none of these: their last bits tell it.
        let some = numbers.iter().fold(0_u64, |some, (number, _)| some | 1 << (number % 64));
        for (id, bits) in ids.iter().zip(&mut bits) {
            let Some(slot) = index.slot_of(*id) else { continue };
            for number in index.numbers_at(slot).iter().filter(|number| some >> (**number % 64) & 1 == 1) {
                *bits |= numbers.iter().filter(|(one, _)| one == number).fold(0, |all, (_, bit)| all | bit);
            }
        }
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TERMS: [&str; 5] = ["a", "b", "c", "d", "e"];

    fn index_of(documents: &[(i64, Vec<usize>)]) -> Bm25Index {
        let ids: Vec<i64> = documents.iter().map(|(id, _)| *id).collect();
        let texts: Vec<Vec<&str>> =
            documents.iter().map(|(_, terms)| terms.iter().map(|&term| TERMS[term]).collect()).collect();
        let mut index = Bm25Index::new();
        index.add("texts", &ids, &texts).unwrap();
        index
    }

    proptest! {
        #[test]
        fn rows_have_the_scores_and_the_terms_of_their_ids(
            documents in proptest::collection::btree_map(0i64..60, proptest::collection::vec(0usize..5, 1..6), 0..40),
            without in 0i64..60, asked in proptest::collection::vec(0usize..5, 1..4)
        ) {
            let documents: Vec<(i64, Vec<usize>)> = documents.into_iter().collect();
            let (one, other) = documents.split_at(documents.len() / 2);
            let (one, other) = (index_of(one), index_of(other));
            let scope = Scope::whole(&[&one, &other]);
            let terms: Vec<&str> = asked.iter().map(|&term| TERMS[term]).collect();
            let params = Bm25Params::new(1.2, 0.75).unwrap();
            let ids = |documents: &[(i64, Vec<usize>)]| -> Vec<i64> {
                documents.iter().map(|(id, _)| *id).filter(|&id| id != without).collect()
            };
            let (first, second) = documents.split_at(documents.len() / 2);
            let (first, second) = (ids(first), ids(second));
            let scores = row_scores(&scope, &terms, params, &[&first, &second]).unwrap();
            let all: std::collections::HashMap<i64, f64> = scope
                .scores(&terms, params)
                .into_iter()
                .flat_map(|found| found.ids.into_iter().zip(found.scores))
                .collect();
            let rows: Vec<i64> = first.into_iter().chain(second).collect();
            let wanted: Vec<f64> = rows.iter().map(|id| all.get(id).copied().unwrap_or(0.0)).collect();
            prop_assert_eq!(scores, wanted);
            let mut shown: Vec<i64> = all.keys().copied().chain([without, 61]).collect();
            shown.reverse();
            let wanted: Vec<f64> = shown.iter().map(|id| all.get(id).copied().unwrap_or(0.0)).collect();
            prop_assert_eq!(scores_of(&scope, &terms, params, &shown), wanted);
            let hiding = Scope::without(&[&one, &other], &[without]).unwrap();
            prop_assert_eq!(scores_of(&hiding, &terms, params, &[without]), vec![0.0]);
            let bits = held(&[&one, &other], &TERMS, &rows).unwrap();
            let texts: std::collections::HashMap<i64, Vec<usize>> = documents.into_iter().collect();
            for (id, bits) in rows.iter().zip(bits) {
                let wanted = texts[id].iter().fold(0, |all, &term| all | 1_u64 << term);
                prop_assert_eq!(bits, wanted);
            }
        }
    }

    #[test]
    fn many_documents_have_the_scores_that_they_have_one_by_one() {
        let terms = |id: i64| (0..(id * 7) % 11 + 1).map(|at| ((id * 31 + at * at) % 5) as usize).collect();
        let documents: Vec<(i64, Vec<usize>)> = (0..700).map(|id| (id * 2, terms(id))).collect();
        let mut index = index_of(&documents);
        let params = Bm25Params::new(1.2, 0.75).unwrap();
        let asked = ["c", "a", "a", "z"];
        let ids: Vec<i64> = documents.iter().map(|(id, _)| *id).collect();
        for hidden in [&[][..], &[0, 66, 68, 1398]] {
            let scope = Scope::without(&[&index], hidden).unwrap();
            // The first are added up by row; with a row more they are placed by id.
            let by_row = row_scores(&scope, &asked, params, &[&ids]).unwrap();
            let longer: Vec<i64> = ids.iter().copied().chain([5_000]).collect();
            assert_eq!(row_scores(&scope, &asked, params, &[&longer]).unwrap()[..700], by_row);
            assert_eq!(scores_of(&scope, &asked, params, &ids), by_row);
            assert!(hidden.iter().all(|id| by_row[(id / 2) as usize] == 0.0));
            assert!(by_row.iter().filter(|score| **score > 0.0).count() > 500);
        }
        index.remove(&[200, 400]);
        index.add("texts", &[400, 200], &[vec!["c"], vec!["a", "c"]]).unwrap();
        let scope = Scope::whole(&[&index]);
        assert_eq!(row_scores(&scope, &asked, params, &[&ids]).unwrap(), scores_of(&scope, &asked, params, &ids));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let index = index_of(&[(1, vec![0])]);
        let params = Bm25Params::new(1.2, 0.75).unwrap();
        assert!(row_scores(&Scope::whole(&[&index]), &["a"], params, &[]).is_err());
        assert!(held(&[&index], &["a"; 65], &[1]).is_err());
        assert_eq!(held(&[&index], &["a"], &[1, 2]), Ok(vec![1, 0]));
    }
}
