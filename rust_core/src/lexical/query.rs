//! What a question asks for: its terms without the words that carry no subject.

use rustc_hash::FxHashSet;

use super::tokenize::{Token, Weight, analyze};

/// The terms of a query in order, each once: without stop words, unless it has nothing else.
pub fn query_terms(text: &str) -> Vec<String> {
    let tokens = analyze(text);
    let all_stop = tokens.iter().all(|token| token.weight != Weight::Content);
    let mut seen = FxHashSet::default();
    let wanted = |token: &Token| all_stop || token.weight == Weight::Content;
    tokens.into_iter().filter(wanted).map(|token| token.text).filter(|term| seen.insert(term.clone())).collect()
}
