//! Several indexes scored as one collection: N, document frequencies and lengths are summed over them.
//!
//! Documents that a search may not see are hidden from all of it: they are not found and count in no sum, so the answers
//! are those of a collection that never had them.

use rustc_hash::FxHashMap;

use super::bm25::{Bm25Index, Bm25Params};
use super::full::scores_of;
use super::maxscore::{Best, best_of};
use super::normalize::normalize;
use super::query::query_terms;
use super::runs::{Script, runs};
use super::shown::Shown;
use super::weights::Weights;
use crate::CoreError;
use crate::ids::{IdSet, check_ids};
use crate::topk::top_k;

/// The indexes of a search, in the caller's order, without what is hidden from it.
#[derive(Debug)]
pub struct Scope<'i> {
    parts: Vec<Shown<'i>>,
}

/// The documents of one index that a query touches: ids ascending, each with its score above 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// Ids, ascending.
    pub ids: Vec<i64>,
    /// Scores, aligned with the ids.
    pub scores: Vec<f64>,
}

impl<'i> Scope<'i> {
    /// All documents of some indexes.
    pub fn whole(indexes: &[&'i Bm25Index]) -> Self {
        Self { parts: indexes.iter().map(|index| Shown::new(index, &[])).collect() }
    }

    /// The documents of some indexes but for those `hidden`, in time O(hidden).
    ///
    /// # Errors
    /// A negative id.
    pub fn without(indexes: &[&'i Bm25Index], hidden: &[i64]) -> Result<Self, CoreError> {
        check_ids("hidden", hidden)?;
        Ok(Self { parts: indexes.iter().map(|index| Shown::new(index, hidden)).collect() })
    }

    pub(super) fn parts(&self) -> &[Shown<'i>] {
        &self.parts
    }

    /// How many documents the scope has.
    pub fn document_count(&self) -> usize {
        self.parts.iter().map(Shown::len).sum()
    }

    /// In how many documents of the scope each term occurs.
    pub fn document_frequencies(&self, terms: &[&str]) -> Vec<usize> {
        let frequency = |term: &&str| self.parts.iter().map(|part| part.frequency(term)).sum();
        terms.iter().map(frequency).collect()
    }

    /// The BM25 score of every document that holds a term, index by index. The formula stands in
    /// [`bm25`](super::bm25).
    pub fn scores(&self, terms: &[&str], params: Bm25Params) -> Vec<Scores> {
        let (weighted, weights) = self.weighted(terms, params);
        self.parts.iter().map(|part| scores_of(part, &weighted, &weights)).collect()
    }

    /// The `k` best documents among the allowed ones by the scores of [`Scope::scores`], highest first, then by id;
    /// what cannot be among them is not scored.
    pub fn best(&self, terms: &[&str], params: Bm25Params, k: usize, allowed: Option<&IdSet>) -> Vec<(f64, i64)> {
        let (weighted, weights) = self.weighted(terms, params);
        if weights.are_ordinary() {
            let mut best = Best::new(k, allowed);
            self.parts.iter().for_each(|part| best_of(part, &weighted, &weights, &mut best));
            return best.into_sorted();
        }
        let mut found: Vec<(f64, i64)> = Vec::new();
        for part in self.parts.iter().map(|part| scores_of(part, &weighted, &weights)) {
            let pairs = part.scores.into_iter().zip(part.ids);
            found.extend(pairs.filter(|(_, id)| allowed.is_none_or(|ids| ids.contains(*id))));
        }
        top_k(&mut found, k);
        found
    }

    /// Each term with its idf, and what else the formula needs.
    pub(super) fn weighted<'t>(&self, terms: &[&'t str], params: Bm25Params) -> (Vec<(&'t str, f64)>, Weights) {
        let count = self.document_count() as f64;
        let total: u64 = self.parts.iter().map(Shown::total_length).sum();
        let frequencies = self.document_frequencies(terms);
        let idfs = frequencies.into_iter().map(|frequency| inverse_document_frequency(count, frequency as f64));
        // A scope without a token has no posting, so the average is never divided by when it is 0.
        (terms.iter().copied().zip(idfs).collect(), Weights::new(params, total as f64 / count))
    }

    /// The terms that a query looks up: its own, but of a single Chinese, Japanese or Korean character every term of
    /// the scope that contains it, since documents keep characters in words and bigrams.
    pub fn looked_up(&self, query: &str) -> Vec<String> {
        let terms = query_terms(query);
        match terms.as_slice() {
            [term] if is_single_character(term) => self.terms_containing(term, usize::MAX),
            _ => terms,
        }
    }

    /// The terms that contain a fragment, those in most documents first, then by name; `limit` keeps the first.
    pub fn terms_containing(&self, fragment: &str, limit: usize) -> Vec<String> {
        let fragment = normalize(fragment);
        if fragment.is_empty() {
            return Vec::new();
        }
        let mut found: FxHashMap<&str, usize> = FxHashMap::default();
        for (term, frequency) in self.parts.iter().flat_map(Shown::vocabulary) {
            if frequency > 0 && term.contains(&fragment) {
                *found.entry(term).or_default() += frequency;
            }
        }
        most_frequent(found.into_iter().collect(), limit).into_iter().map(|(term, _)| term.to_owned()).collect()
    }

    /// The `k` best documents for a query among the allowed ones, by score descending, then id ascending.
    pub fn search(&self, query: &str, params: Bm25Params, k: usize, allowed: Option<&IdSet>) -> Vec<(f64, i64)> {
        let terms = self.looked_up(query);
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        self.best(&terms, params, k, allowed)
    }
}

fn is_single_character(term: &str) -> bool {
    term.chars().count() == 1 && runs(term).iter().all(|run| run.script != Script::Word)
}

/// Lucene's idf, above 0 for every frequency.
fn inverse_document_frequency(count: f64, frequency: f64) -> f64 {
    (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// The first `limit` by count descending, then term.
pub(super) fn most_frequent(mut found: Vec<(&str, usize)>, limit: usize) -> Vec<(&str, usize)> {
    found.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    found.truncate(limit);
    found
}
