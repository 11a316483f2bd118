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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_go_and_content_stays() {
        assert_eq!(query_terms("What's the time zone that Ana uses?"), ["time", "zone", "ana", "use"]);
        assert_eq!(query_terms("where did they GO where go"), ["go"]);
        let chinese = query_terms("你知道用户喜欢喝什么酒吗");
        assert!(["用户", "喜欢", "酒"].iter().all(|term| chinese.iter().any(|t| t == term)), "{chinese:?}");
        assert!(!chinese.iter().any(|term| ["你", "吗", "什么", "知道"].contains(&term.as_str())), "{chinese:?}");
    }

    #[test]
    fn a_query_of_stop_words_alone_keeps_them() {
        assert_eq!(query_terms("what did he do?"), ["what", "did", "he", "do"]);
        assert_eq!(query_terms("什么"), ["什么"]);
        assert_eq!(query_terms("的"), ["的"]);
    }

    #[test]
    fn a_single_character_is_a_query() {
        assert_eq!(query_terms("茶？"), ["茶"]);
        assert_eq!(query_terms("  ?!"), Vec::<String>::new());
    }
}
