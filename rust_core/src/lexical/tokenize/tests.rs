use proptest::prelude::*;

use super::*;

fn terms(text: &str) -> Vec<String> {
    tokenize(text)
}

fn holds(text: &str, wanted: &[&str]) {
    let found = terms(text);
    for term in wanted {
        assert!(found.iter().any(|t| t == term), "{term} is not in {found:?}");
    }
}

#[test]
fn codes_are_found_whole_and_in_parts() {
    holds("GB/s v1.2.3 john_doe", &["gb/s", "gb", "s", "v1.2.3", "v1", "2", "3", "john_doe", "john", "doe"]);
    holds("10:30 3.14 node.js a@b.com", &["10:30", "10", "30", "3.14", "node.js", "node", "js", "a@b.com", "b", "com"]);
    holds("C++ and C#, on 2026-05-03", &["c++", "c#", "2026-05-03", "2026", "05", "03"]);
    assert_eq!(terms("1,234,567.5 a,b"), ["1234567.5", "1234567", "5", "a", "b"]);
}

#[test]
fn apostrophes_leave_the_word() {
    assert_eq!(terms("what's Ana’s don't they'll O'Brien"), ["what", "ana", "dont", "they", "obrien", "brien"]);
    assert_eq!(terms("it's-fine 's '"), ["it-fine", "it", "fine", "s"]);
}

#[test]
fn english_words_are_stemmed_and_accents_folded() {
    assert_eq!(terms("Running, moved; Café cafe"), ["run", "move", "cafe", "cafe"]);
}

#[test]
fn chinese_gives_words_and_bigrams_without_lone_particles() {
    holds("用户的时区是上海", &["用户", "时区", "上海"]);
    holds("张伟明喜欢喝酒，花名是小飞侠", &["喝酒", "花名", "张伟", "伟明", "小飞侠"]);
    assert!(!terms("我的猫").iter().any(|term| term == "我" || term == "的"));
    holds("我养了一只猫", &["猫"]);
}

#[test]
fn a_number_and_the_character_after_it_are_one_term() {
    holds("5月3日下午3点", &["5", "5月", "3日", "3点", "下午"]);
    assert!(!terms("5 月").contains(&"5月".to_owned()));
}

#[test]
fn korean_and_japanese_give_bigrams() {
    assert_eq!(terms("한국어 김"), ["한국어", "한국", "국어", "김"]);
    holds("日本のテスト", &["日本", "テス", "スト"]);
}

#[test]
fn symbols_alone_give_nothing() {
    assert!(terms("😀👍🏽 ?! \u{0}\u{1b} … ** \"").is_empty());
}

#[test]
fn a_term_is_never_longer_than_its_limit() {
    assert!(terms(&"界a.1".repeat(50_000)).iter().all(|term| term.chars().count() <= LONGEST_TERM));
    assert_eq!(terms(&"x".repeat(1_000_000)), ["x".repeat(LONGEST_TERM)]);
    assert_eq!(terms(&"喝".repeat(2_000)).iter().filter(|term| *term == "喝喝").count(), 2_999);
}

proptest! {
    #[test]
    fn any_text_gives_terms_that_a_stream_can_carry(text in "(\\PC|[ \\x00-\\x2f'。的是喝酒0-9a-z\u{300}\u{fe0f}]){0,60}") {
        for term in terms(&text) {
            prop_assert!(!term.is_empty() && !term.contains(char::is_whitespace), "{:?}", term);
        }
        prop_assert_eq!(token_stream(&text), terms(&text).join(" "));
    }

    #[test]
    fn case_and_width_change_no_term(text in "[a-z0-9/. ]{0,40}") {
        let wide: String = text.chars().map(|c| if c == ' ' { c } else { char::from_u32(c as u32 + 0xfee0).unwrap() }).collect();
        prop_assert_eq!(terms(&text.to_uppercase()), terms(&text));
        prop_assert_eq!(terms(&wide), terms(&text));
    }
}
