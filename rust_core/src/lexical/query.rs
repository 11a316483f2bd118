//! What a question asks for: its terms without the words that carry no subject.

use rustc_hash::FxHashSet;

use super::runs::{Script, script_of};
use super::tokenize::{Token, Weight, analyze};

/// The terms of a query in order, each once: without stop words, unless it has nothing else.
///
/// A query of two Chinese characters that are no word of the dictionary asks for the two together, for neither alone.
pub fn query_terms(text: &str) -> Vec<String> {
    let mut tokens = analyze(text);
    if is_unknown_pair(&tokens) {
        tokens.drain(..2);
    }
    let all_stop = tokens.iter().all(|token| token.weight != Weight::Content);
    let mut seen = FxHashSet::default();
    let wanted = |token: &Token| all_stop || token.weight == Weight::Content;
    tokens.into_iter().filter(wanted).map(|token| token.text).filter(|term| seen.insert(term.clone())).collect()
}

/// Whether these are two single Chinese characters that carry a subject, and after them their pair, and nothing else.
fn is_unknown_pair(tokens: &[Token]) -> bool {
    let [first, second, pair] = tokens else { return false };
    let is_chinese = |character| script_of(character) == Some(Script::Han);
    let single = |token: &Token| {
        let mut characters = token.text.chars();
        token.weight == Weight::Content && characters.next().is_some_and(is_chinese) && characters.next().is_none()
    };
    single(first) && single(second) && pair.text.strip_prefix(&first.text) == Some(&second.text)
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
    fn two_characters_that_are_no_word_are_asked_for_together() {
        assert_eq!(query_terms("歌高？"), ["歌高"]);
        assert_eq!(query_terms("喝酒"), ["喝酒"]);
        assert_eq!(query_terms("的猫"), ["猫", "的猫"]);
        assert_eq!(query_terms("歌 高"), ["歌", "高"]);
        assert_eq!(query_terms("x y xy"), ["x", "y", "xy"]);
        assert_eq!(query_terms("猫吃什么"), ["猫", "吃", "猫吃", "吃什"]);
    }

    #[test]
    fn a_single_character_is_a_query() {
        assert_eq!(query_terms("茶？"), ["茶"]);
        assert_eq!(query_terms("  ?!"), Vec::<String>::new());
    }
}
