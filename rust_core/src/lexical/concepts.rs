//! Concepts: terms that stand for a subject, for scopes that declare few entities.
//!
//! A concept occurs in at least `min_documents` and at most `max_share`·N documents of the scope, has two characters
//! or more, one of them a letter, and is no stop word. A Chinese bigram that is no word of the dictionary may be part of
//! a name, or of nothing: it is one only where it holds no particle. Nothing is stored: concepts are read from the
//! postings.

use rustc_hash::FxHashMap;

use super::scope::{Scope, most_frequent};
use super::stopwords::{is_function_character, is_stop_term};
use super::tokenize::is_dictionary_word;
use crate::CoreError;

/// How common a concept may be, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConceptParams {
    min_documents: usize,
    max_share: f64,
}

impl ConceptParams {
    /// Checked bounds.
    ///
    /// # Errors
    /// `min_documents` of 0, or `max_share` outside 0..1.
    pub fn new(min_documents: usize, max_share: f64) -> Result<Self, CoreError> {
        if min_documents == 0 {
            return Err(CoreError::invalid("min_documents", min_documents, "give at least 1"));
        }
        if !(0.0..=1.0).contains(&max_share) {
            return Err(CoreError::invalid("max_share", max_share, "give a share from 0 to 1"));
        }
        Ok(Self { min_documents, max_share })
    }

    /// Whether a term in `frequency` of `count` documents is neither too rare nor too common.
    fn admits(self, frequency: usize, count: usize) -> bool {
        frequency >= self.min_documents && frequency as f64 <= self.max_share * count as f64
    }
}

/// The concepts of the scope's documents up to the id `newest`, with their document frequencies there, most frequent
/// first, then by name; `limit` keeps the first. Shares are of those documents.
pub fn concepts(scope: &Scope<'_>, params: ConceptParams, newest: i64, limit: usize) -> Vec<(String, usize)> {
    let mut frequencies: FxHashMap<&str, usize> = FxHashMap::default();
    let mut count = 0_usize;
    for part in scope.parts() {
        for slot in part.slots_up_to(newest) {
            count += 1;
            for term in part.index().terms_at(slot) {
                *frequencies.entry(term).or_default() += 1;
            }
        }
    }
    frequencies.retain(|term, frequency| params.admits(*frequency, count) && names_a_subject(term));
    let found = most_frequent(frequencies.into_iter().collect(), limit);
    found.into_iter().map(|(term, frequency)| (term.to_owned(), frequency)).collect()
}

/// For each term that is a concept of the scope, the concepts that share documents with it, and how many: most first,
/// then by name; nothing for other terms. Costs the documents of the terms, not the size of the scope.
pub fn concept_neighbours(
    scope: &Scope<'_>,
    terms: &[&str],
    params: ConceptParams,
    limit: usize,
) -> Vec<Vec<(String, usize)>> {
    terms.iter().map(|term| neighbours(scope, term, params, limit)).collect()
}

fn neighbours(scope: &Scope<'_>, term: &str, params: ConceptParams, limit: usize) -> Vec<(String, usize)> {
    let count = scope.document_count();
    let is_concept =
        |other: &str| names_a_subject(other) && params.admits(scope.document_frequencies(&[other])[0], count);
    if !is_concept(term) {
        return Vec::new();
    }
    let (once, often): (Vec<_>, Vec<_>) = shared_documents(scope, term).into_iter().partition(|(_, count)| *count == 1);
    let mut found: Vec<(String, usize)> = Vec::new();
    // Most terms share a single document: they are looked at only where the others do not fill the list.
    for part in [often, once] {
        if found.len() < limit {
            let ordered = most_frequent(part, usize::MAX).into_iter().filter(|(other, _)| is_concept(other));
            found.extend(ordered.take(limit - found.len()).map(|(other, count)| (other.to_owned(), count)));
        }
    }
    found
}

/// The other terms of the documents that hold a term, with how many of these documents hold each.
fn shared_documents<'i>(scope: &Scope<'i>, term: &str) -> Vec<(&'i str, usize)> {
    let mut parts = scope.parts().iter().map(|part| part.terms_beside(term)).filter(|part| !part.is_empty());
    let Some(first) = parts.next() else { return Vec::new() };
    let rest: Vec<_> = parts.flatten().collect();
    let mut counts = first;
    if !rest.is_empty() {
        let mut merged: FxHashMap<&str, usize> = counts.into_iter().collect();
        for (other, shared) in rest {
            *merged.entry(other).or_default() += shared;
        }
        counts = merged.into_iter().collect();
    }
    counts.retain(|(other, _)| *other != term);
    counts
}

fn names_a_subject(term: &str) -> bool {
    term.chars().nth(1).is_some()
        && term.chars().any(char::is_alphabetic)
        && !is_stop_term(term)
        && (!term.chars().any(is_function_character) || is_dictionary_word(term)) // the dictionary is dear to open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_names_are_subjects_and_chance_bigrams_numbers_and_stop_words_are_not() {
        for term in ["lisbon", "地铁", "小说", "伟明", "gb/s", "5月"] {
            assert!(names_a_subject(term), "{term}");
        }
        for term in ["的猫", "是上", "什么", "becaus", "2026", "10:30", "x", "茶"] {
            assert!(!names_a_subject(term), "{term}");
        }
    }
}
