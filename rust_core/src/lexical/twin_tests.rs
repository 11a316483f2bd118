//! BM25 against its slow twin, which keeps token lists and counts anew for every question.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::bm25::{Bm25Index, Bm25Params};
use super::concepts::{ConceptParams, concept_neighbours, concepts};
use super::scope::{Scope, Scores};

const WORDS: [&str; 8] = ["lisbon", "tea", "cat", "rain", "喝酒", "的猫", "2026", "the"];

type Twin = BTreeMap<i64, Vec<&'static str>>;

#[derive(Debug, Clone)]
enum Change {
    Add(i64, Vec<&'static str>),
    Remove(i64),
}

fn change() -> impl Strategy<Value = Change> {
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..7);
    prop_oneof![3 => (0..12_i64, words).prop_map(|(id, words)| Change::Add(id, words)), 1 => (0..12_i64).prop_map(Change::Remove)]
}

/// Applies changes to `blocks` indexes, an id always to the same one.
fn build(changes: &[Change], blocks: usize) -> (Vec<Bm25Index>, Vec<Twin>) {
    let mut indexes: Vec<Bm25Index> = (0..blocks).map(|_| Bm25Index::new()).collect();
    let mut twins = vec![Twin::new(); blocks];
    for change in changes {
        match change {
            Change::Add(id, words) => {
                indexes[*id as usize % blocks].add("texts", &[*id], &[words.as_slice()]).unwrap();
                twins[*id as usize % blocks].insert(*id, words.clone());
            }
            Change::Remove(id) => {
                let was_there = twins[*id as usize % blocks].remove(id).is_some();
                assert_eq!(indexes[*id as usize % blocks].remove(&[*id]), usize::from(was_there));
            }
        }
    }
    (indexes, twins)
}

fn frequency(twins: &[Twin], term: &str) -> usize {
    twins.iter().flat_map(BTreeMap::values).filter(|words| words.contains(&term)).count()
}

fn plain_scores(twins: &[Twin], terms: &[&str], k1: f64, b: f64) -> Vec<Scores> {
    let documents: Vec<&Vec<&str>> = twins.iter().flat_map(BTreeMap::values).collect();
    let count = documents.len() as f64;
    let average = documents.iter().map(|words| words.len()).sum::<usize>() as f64 / count;
    let score = |words: &Vec<&str>| {
        terms.iter().fold(0.0, |sum, term| {
            let tf = words.iter().filter(|word| *word == term).count() as f64;
            let df = frequency(twins, term) as f64;
            let idf = (1.0 + (count - df + 0.5) / (df + 0.5)).ln();
            if tf == 0.0 {
                sum
            } else {
                sum + idf * (tf * (k1 + 1.0)) / (tf + k1 * (1.0 - b + b * (words.len() as f64 / average)))
            }
        })
    };
    let scored = |twin: &Twin| {
        let (ids, scores) = twin.iter().map(|(id, words)| (*id, score(words))).filter(|(_, s)| *s > 0.0).unzip();
        Scores { ids, scores }
    };
    twins.iter().map(scored).collect()
}

fn plain_neighbours(twins: &[Twin], term: &str, known: &[(String, usize)]) -> Vec<(String, usize)> {
    let together = |other: &str| {
        twins.iter().flat_map(BTreeMap::values).filter(|words| words.contains(&term) && words.contains(&other)).count()
    };
    let mut found: Vec<(String, usize)> =
        known.iter().filter(|(other, _)| other != term).map(|(other, _)| (other.clone(), together(other))).collect();
    found.retain(|(_, count)| *count > 0);
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found
}

fn plain_concepts(twins: &[Twin], least: usize, share: f64) -> Vec<(String, usize)> {
    let count: usize = twins.iter().map(BTreeMap::len).sum();
    let subject = |term: &str| !["的猫", "2026", "the"].contains(&term);
    let mut found: Vec<(String, usize)> =
        WORDS.iter().map(|term| ((*term).to_owned(), frequency(twins, term))).collect();
    found.retain(|(term, df)| *df >= least && *df as f64 <= share * count as f64 && subject(term));
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found
}

proptest! {
    #[test]
    fn postings_answer_like_token_lists(
        changes in prop::collection::vec(change(), 0..40),
        blocks in 1..4_usize,
        terms in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..6),
        k1 in 0.0..2.0_f64,
        b in 0.0..=1.0_f64,
    ) {
        let (indexes, twins) = build(&changes, blocks);
        let scope: Vec<&Bm25Index> = indexes.iter().collect();
        let scope = Scope::whole(&scope);
        prop_assert_eq!(scope.scores(&terms, Bm25Params::new(k1, b).unwrap()), plain_scores(&twins, &terms, k1, b));
        let frequencies: Vec<usize> = terms.iter().map(|term| frequency(&twins, term)).collect();
        prop_assert_eq!(scope.document_frequencies(&terms), frequencies);
        for (index, twin) in indexes.iter().zip(&twins) {
            prop_assert_eq!(index.len(), twin.len());
            prop_assert_eq!(index.total_length(), twin.values().map(|words| words.len() as u64).sum::<u64>());
            for id in 0..12 {
                let words: BTreeSet<String> = twin.get(&id).into_iter().flatten().map(|word| (*word).to_owned()).collect();
                prop_assert_eq!(index.terms_of(id), words.into_iter().collect::<Vec<_>>());
                prop_assert_eq!(index.contains(id), twin.contains_key(&id));
            }
            for term in WORDS {
                let ids: Vec<i64> = twin.iter().filter(|(_, words)| words.contains(&term)).map(|(id, _)| *id).collect();
                prop_assert_eq!(index.documents(term), ids);
            }
        }
    }

    #[test]
    fn the_split_into_blocks_and_the_order_of_insertion_change_no_bit(
        changes in prop::collection::vec(change(), 1..40),
        terms in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..6),
    ) {
        let params = Bm25Params::new(0.9, 0.4).unwrap();
        let (split, twins) = build(&changes, 3);
        let mut whole = Bm25Index::new();
        for (id, words) in twins.iter().flatten().rev() {
            whole.add("texts", &[*id], &[words.as_slice()]).unwrap();
        }
        let bits = |scores: Vec<Scores>| {
            scores.into_iter().flat_map(|part| part.ids.into_iter().zip(part.scores.into_iter().map(f64::to_bits))).collect::<BTreeMap<_, _>>()
        };
        let scope: Vec<&Bm25Index> = split.iter().collect();
        prop_assert_eq!(bits(Scope::whole(&scope).scores(&terms, params)), bits(Scope::whole(&[&whole]).scores(&terms, params)));
    }

    #[test]
    fn a_scope_answers_as_if_what_is_hidden_from_it_had_never_been_there(
        changes in prop::collection::vec(change(), 0..40), blocks in 1..4_usize,
        hidden in prop::collection::vec(0..14_i64, 0..8),
        terms in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..6),
        newest in -1..13_i64,
    ) {
        let (indexes, twins) = build(&changes, blocks);
        let mut left: Vec<Bm25Index> = twins.iter().map(|_| Bm25Index::new()).collect();
        for (index, twin) in left.iter_mut().zip(&twins) {
            for (id, words) in twin.iter().filter(|(id, _)| !hidden.contains(id)) {
                index.add("texts", &[*id], &[words.as_slice()]).unwrap();
            }
        }
        let (all, without): (Vec<&Bm25Index>, Vec<&Bm25Index>) = (indexes.iter().collect(), left.iter().collect());
        let (seen, fresh) = (Scope::without(&all, &hidden).unwrap(), Scope::whole(&without));
        let params = Bm25Params::new(0.9, 0.4).unwrap();
        prop_assert_eq!(seen.scores(&terms, params), fresh.scores(&terms, params));
        prop_assert_eq!(seen.document_count(), fresh.document_count());
        prop_assert_eq!(seen.document_frequencies(&terms), fresh.document_frequencies(&terms));
        prop_assert_eq!(seen.terms_containing("a", 9), fresh.terms_containing("a", 9));
        let common = ConceptParams::new(1, 0.9).unwrap();
        prop_assert_eq!(concepts(&seen, common, newest, 100), concepts(&fresh, common, newest, 100));
        prop_assert_eq!(
            concept_neighbours(&seen, &WORDS, common, 100), concept_neighbours(&fresh, &WORDS, common, 100)
        );
    }

    #[test]
    fn concepts_are_counted_over_the_scope_up_to_the_newest_document(
        changes in prop::collection::vec(change(), 0..40), blocks in 1..4_usize, least in 1..4_usize,
        share in 0.0..=1.0_f64, newest in -1..13_i64,
    ) {
        let (indexes, twins) = build(&changes, blocks);
        let scope: Vec<&Bm25Index> = indexes.iter().collect();
        let found = concepts(&Scope::whole(&scope), ConceptParams::new(least, share).unwrap(), newest, 100);
        let settled: Vec<Twin> = twins.iter().map(|twin| twin.range(..=newest).map(|(id, words)| (*id, words.clone())).collect()).collect();
        prop_assert_eq!(found, plain_concepts(&settled, least, share));
    }

    #[test]
    fn only_concepts_have_neighbours_and_these_are_concepts(
        changes in prop::collection::vec(change(), 0..40), blocks in 1..4_usize, least in 1..4_usize, share in 0.0..=1.0_f64,
    ) {
        let (indexes, twins) = build(&changes, blocks);
        let scope: Vec<&Bm25Index> = indexes.iter().collect();
        let known = plain_concepts(&twins, least, share);
        let found = concept_neighbours(&Scope::whole(&scope), &WORDS, ConceptParams::new(least, share).unwrap(), 100);
        for (term, near) in WORDS.iter().zip(found) {
            let is_concept = known.iter().any(|(name, _)| name == term);
            prop_assert_eq!(near, if is_concept { plain_neighbours(&twins, term, &known) } else { Vec::new() });
        }
    }
}

#[test]
fn a_term_that_the_query_names_twice_counts_twice() {
    let (indexes, _) = build(&[Change::Add(1, vec!["tea", "cat"]), Change::Add(2, vec!["cat"])], 1);
    let params = Bm25Params::new(1.2, 0.75).unwrap();
    let scope = Scope::whole(&[&indexes[0]]).scores(&["tea"], params);
    let twice = Scope::whole(&[&indexes[0]]).scores(&["tea", "tea"], params);
    assert_eq!(twice[0].scores[0], 2.0 * scope[0].scores[0]);
}

#[test]
fn fragments_find_the_terms_that_contain_them_most_frequent_first() {
    let (indexes, _) =
        build(&[Change::Add(1, vec!["喝酒", "的猫"]), Change::Add(2, vec!["的猫"]), Change::Add(4, vec!["cat"])], 2);
    let scope: Vec<&Bm25Index> = indexes.iter().collect();
    assert_eq!(Scope::whole(&scope).terms_containing("酒", 5), ["喝酒"]);
    assert_eq!(Scope::whole(&scope).terms_containing("猫", 0), Vec::<String>::new());
    assert_eq!(Scope::whole(&scope).terms_containing("CA", 5), ["cat"]);
    assert!(Scope::whole(&scope).terms_containing("", 5).is_empty());
}

#[test]
fn bad_ids_and_counts_change_nothing() {
    let mut index = Bm25Index::new();
    assert!(index.add("texts", &[3, -1], &[vec!["a"], vec!["b"]]).is_err());
    assert!(index.add("texts", &[3], &[vec!["a"], vec!["b"]]).is_err());
    assert!(index.is_empty() && index.documents("a").is_empty());
    index.add("texts", &[3, 3], &[vec!["a"], vec!["b"]]).unwrap();
    assert_eq!((index.len(), index.terms_of(3)), (1, vec!["b".to_owned()]));
    assert!(
        Bm25Params::new(f64::NAN, 0.5).is_err()
            && Bm25Params::new(1.0, 1.5).is_err()
            && Bm25Params::new(-1.0, 0.5).is_err()
    );
    assert!(ConceptParams::new(0, 0.5).is_err() && ConceptParams::new(1, f64::NAN).is_err());
}
