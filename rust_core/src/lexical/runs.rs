//! A normalised text as runs of one script, the first cut of the analysis.

use unicode_normalization::char::is_combining_mark;

/// What a stretch of text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Chinese characters: words by dictionary, and bigrams.
    Han,
    /// Hiragana and katakana: bigrams.
    Kana,
    /// Korean: the word, and bigrams.
    Hangul,
    /// Everything else that is written in words, with the signs that join words into codes.
    Word,
}

/// One stretch of one script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run<'a> {
    /// Its script.
    pub script: Script,
    /// Its text; a `Word` run may hold joining signs between its words, never at its start.
    pub text: &'a str,
    /// Whether the run before it ended where this one starts.
    pub touches_previous: bool,
}

/// The signs that make one code of two words: `a/b`, `a-b`, `a.b`, `john_doe`, `a@b.com`, `10:30`.
pub fn is_joiner(character: char) -> bool {
    matches!(character, '/' | '-' | '.' | '_' | '@' | ':' | '+' | '&' | '\\' | '\'' | '#' | ',')
}

/// The script of a character that belongs to a term, or None for space, punctuation, symbols and emoji.
pub(super) fn script_of(character: char) -> Option<Script> {
    Some(match character {
        'a'..='z' | '0'..='9' => Script::Word,
        '\u{0}'..='\u{7f}' => return None,
        '\u{3005}'
        | '\u{3007}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' => Script::Han,
        '\u{3041}'..='\u{3096}'
        | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' => Script::Kana,
        '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' => Script::Hangul,
        '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{1f000}'..='\u{1faff}' => return None,
        other if other.is_alphanumeric() => Script::Word,
        _ => return None,
    })
}

/// The runs of a normalised text, in order. A sign joins only where it stands alone between two word characters, but
/// `++` and `#` stay at the end of a word (`c++`, `c#`).
pub fn runs(text: &str) -> Vec<Run<'_>> {
    let mut found: Vec<Run<'_>> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let Some(script) = script_of(first) else {
            at += first.len_utf8();
            continue;
        };
        let end = at + first.len_utf8() + rest_of_run(&text[at + first.len_utf8()..], script);
        let touches_previous = found.last().is_some_and(|run| offset_after(text, run.text) == at);
        found.push(Run { script, text: &text[at..end], touches_previous });
        at = end;
    }
    found
}

fn offset_after(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize + part.len()
}

/// How many bytes of `rest` still belong to a run of `script`.
fn rest_of_run(rest: &str, script: Script) -> usize {
    let mut characters = rest.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        if script_of(character) == Some(script) || (!character.is_ascii() && is_combining_mark(character)) {
            continue;
        }
        let next = characters.peek().and_then(|(_, next)| script_of(*next));
        if script == Script::Word && is_joiner(character) && next == Some(Script::Word) {
            continue;
        }
        return offset + if script == Script::Word { language_suffix(&rest[offset..]) } else { 0 };
    }
    rest.len()
}

/// The length of a `++` or `#` that ends a name such as `c++`.
fn language_suffix(rest: &str) -> usize {
    let length = if rest.starts_with("++") { 2 } else { usize::from(rest.starts_with('#')) };
    let follows = rest[length..].chars().next();
    if follows.is_some_and(|next| script_of(next).is_some() || next == '+' || next == '#') { 0 } else { length }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        runs(text).into_iter().map(|run| run.text).collect()
    }

    #[test]
    fn scripts_are_cut_apart_and_signs_join_only_between_words() {
        assert_eq!(cut("gb/s是3.14, c++ c# a--b (x)"), ["gb/s", "是", "3.14", "c++", "c#", "a", "b", "x"]);
        assert_eq!(cut("日本のテスト 한국어 #tag a@b.com."), ["日本", "のテスト", "한국어", "tag", "a@b.com"]);
    }

    #[test]
    fn emoji_punctuation_and_control_characters_are_no_run() {
        assert!(cut("😀🅰️ ?!…\u{0}\u{7}\u{301} \u{1f1e8}\u{1f1f3} ** \"").is_empty());
    }

    #[test]
    fn words_of_other_scripts_stay_whole_with_their_marks() {
        assert_eq!(cut("हिन्दी สวัสดี مرحبا привет"), ["हिन्दी", "สวัสดี", "مرحبا", "привет"]);
    }

    #[test]
    fn a_run_knows_whether_it_touches_the_one_before() {
        assert_eq!(
            runs("5月 3日").iter().map(|run| run.touches_previous).collect::<Vec<_>>(),
            [false, true, false, true]
        );
    }
}
