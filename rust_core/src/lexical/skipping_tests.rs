//! The best documents without scoring all of them against all scores, in collections of several windows.

use proptest::prelude::*;

use super::bm25::{Bm25Index, Bm25Params};
use super::scope::Scope;
use crate::ids::IdSet;
use crate::random::SplitMix64;
use crate::topk::top_k;

const WORDS: usize = 40;

/// Texts of words that grow rarer, some long and some that repeat one word beyond a byte, in two indexes.
pub(super) fn collection(seed: u64, documents: usize, removed: usize) -> [Bm25Index; 2] {
    let words: Vec<String> = (0..WORDS).map(|number| format!("w{number}")).collect();
    let mut random = SplitMix64::new(seed);
    let mut draw = |below: usize| (random.next_u64() % below as u64) as usize;
    let mut indexes = [Bm25Index::new(), Bm25Index::new()];
    for id in 0..documents {
        let length = match draw(40) {
            0 => 250 + draw(60),
            _ => draw(12),
        };
        let rare = 1 + draw(WORDS);
        let tokens: Vec<&str> = match draw(60) {
            0 => vec![words[rare - 1].as_str(); 250 + draw(10)],
            _ => (0..length).map(|_| words[draw(rare)].as_str()).collect(),
        };
        indexes[id % 2].add("texts", &[id as i64], &[tokens]).unwrap();
    }
    let gone: Vec<i64> = (0..removed).map(|_| draw(documents.max(1)) as i64).collect();
    for index in &mut indexes {
        index.remove(&gone);
    }
    // Freed slots are used again, out of the order of ids.
    for id in gone.iter().filter(|id| **id % 3 == 0) {
        indexes[*id as usize % 2].add("texts", &[1_000 + *id], &[[words[1].as_str(), words[7].as_str()]]).unwrap();
    }
    indexes
}

proptest! {
    #[test]
    fn the_best_are_those_of_all_scores_bit_for_bit(
        seed in any::<u64>(), documents in 0..300_usize, removed in 0..80_usize, k in 0..60_usize,
        terms in prop::collection::vec((0..WORDS + 2).prop_map(|number| format!("w{number}")), 0..9),
        k1 in prop_oneof![Just(0.0), 0.0..3.0_f64, Just(1e300)], b in 0.0..=1.0_f64,
        hidden in prop::collection::vec(0..300_i64, 0..30), some in prop::option::of(prop::collection::vec(0..300_i64, 0..200)),
    ) {
        let indexes = collection(seed, documents, removed);
        let scope = Scope::without(&[&indexes[0], &indexes[1]], &hidden).unwrap();
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        let params = Bm25Params::new(k1, b).unwrap();
        let allowed = some.map(|ids| IdSet::new("allowed", &ids).unwrap());
        let mut all: Vec<(f64, i64)> = Vec::new();
        for part in scope.scores(&terms, params) {
            all.extend(part.scores.into_iter().zip(part.ids).filter(|(_, id)| allowed.as_ref().is_none_or(|ids| ids.contains(*id))));
        }
        top_k(&mut all, k);
        let bits = |found: Vec<(f64, i64)>| found.into_iter().map(|(score, id)| (score.to_bits(), id)).collect::<Vec<_>>();
        prop_assert_eq!(bits(scope.best(&terms, params, k, allowed.as_ref())), bits(all));
    }

    #[test]
    fn all_scores_are_those_of_the_formula_at_any_length_and_count(
        seed in any::<u64>(), documents in 1..200_usize, terms in prop::collection::vec(0..WORDS, 1..5),
    ) {
        let indexes = collection(seed, documents, 10);
        let scope = Scope::whole(&[&indexes[0], &indexes[1]]);
        let terms: Vec<String> = terms.iter().map(|number| format!("w{number}")).collect();
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        let params = Bm25Params::new(1.2, 0.75).unwrap();
        let count = scope.document_count() as f64;
        let average = indexes.iter().map(Bm25Index::total_length).sum::<u64>() as f64 / count;
        let frequencies = scope.document_frequencies(&terms);
        for (index, found) in indexes.iter().zip(scope.scores(&terms, params)) {
            for (id, score) in found.ids.into_iter().zip(found.scores) {
                let slot = index.slot_of(id).unwrap();
                let mut sum = 0.0;
                for (term, frequency) in terms.iter().zip(&frequencies) {
                    let idf = (1.0 + (count - *frequency as f64 + 0.5) / (*frequency as f64 + 0.5)).ln();
                    let Some(posting) = index.postings_of(term).iter().find(|posting| posting.slot == slot) else { continue };
                    let times = f64::from(index.count_at(index.list_of(term).unwrap().0, *posting));
                    let length = f64::from(index.length_at(slot)) / average;
                    sum += idf * (times * 2.2) / (times + 1.2 * (1.0 - 0.75 + 0.75 * length));
                }
                prop_assert_eq!(score.to_bits(), sum.to_bits());
            }
        }
    }
}

#[test]
fn counts_and_lengths_beyond_a_byte_are_kept() {
    let mut index = Bm25Index::new();
    for (id, times) in [(1, 254), (2, 255), (3, 256), (4, 70_000)] {
        index.add("texts", &[id], &[vec!["tea"; times]]).unwrap();
    }
    let count =
        |index: &Bm25Index, at: usize| index.count_at(index.list_of("tea").unwrap().0, index.postings_of("tea")[at]);
    assert_eq!((0..4).map(|at| count(&index, at)).collect::<Vec<_>>(), [254, 255, 256, 70_000]);
    assert_eq!(index.total_length(), 70_765);
    assert_eq!(index.remove(&[4, 2]), 2);
    index.add("texts", &[5], &[vec!["tea"; 300]]).unwrap();
    assert_eq!((0..3).map(|at| count(&index, at)).collect::<Vec<_>>(), [254, 300, 256]);
}
