//! One spelling for each text: NFKC (Unicode Annex 15), lower case, Latin and Greek letters without their accents.
//!
//! Linear in the text but for runs of combining marks, which NFKC sorts.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// The text in NFKC and lower case, accents folded, typographic signs as their ASCII twins, invisible signs left out.
pub fn normalize(text: &str) -> String {
    let mut folded = Folded { text: String::with_capacity(text.len()), after_folded_letter: false };
    let mut rest = text;
    while !rest.is_empty() {
        let (plain, others) = rest.split_at(folded.push_plain(rest));
        folded.after_folded_letter &= plain.is_empty();
        let end = others.char_indices().skip(1).find(|(_, character)| plain_twin(*character).is_some());
        let (others, after) = others.split_at(end.map_or(others.len(), |(at, _)| at));
        folded.push_all(others);
        rest = after;
    }
    folded.text
}

/// What a character that NFKC treats alone, whatever stands beside it, becomes: nearly all of a Chinese or English text.
///
/// A letter of ASCII is none of these where a mark may follow it: see [`Folded::push_plain`].
fn plain_twin(character: char) -> Option<char> {
    match character {
        '\u{0}'..='\u{7f}' => Some(character.to_ascii_lowercase()),
        '\u{4e00}'..='\u{9fff}' | '、' | '。' | '「' | '」' | '《' | '》' => Some(character),
        '！' | '（' | '）' | '，' | '：' | '；' | '？' => char::from_u32(u32::from(character) - 0xfee0),
        _ => None,
    }
}

struct Folded {
    text: String,
    after_folded_letter: bool,
}

impl Folded {
    /// Takes the beginning of a text that needs no tables, and returns its length in bytes. A sign or letter of ASCII
    /// that something else follows is left to [`Folded::push_all`], which may compose the two.
    fn push_plain(&mut self, text: &str) -> usize {
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            match plain_twin(character) {
                Some(_) if character.is_ascii() && next.is_some_and(|next| plain_twin(next).is_none()) => return at,
                Some(twin) => self.text.push(twin),
                None => return at,
            }
        }
        text.len()
    }

    fn push_all(&mut self, text: &str) {
        for character in text.nfkc().filter(|c| !is_invisible(*c)) {
            character.to_lowercase().for_each(|lower| self.push(lower));
        }
    }

    fn push(&mut self, character: char) {
        if character.is_ascii() {
            self.after_folded_letter = character.is_ascii_alphabetic();
            self.text.push(character);
        } else if is_combining_mark(character) {
            // A mark that NFKC could not compose: an accent of a folded letter goes, a vowel sign of an Indic one stays.
            if !(self.after_folded_letter && matches!(character, '\u{300}'..='\u{36f}')) {
                self.text.push(character);
            }
        } else if carries_accents(character) {
            self.after_folded_letter = true;
            match in_ascii(character) {
                Some(letters) => self.text.push_str(letters),
                None => decompose_canonical(character, |part| {
                    if !is_combining_mark(part) {
                        self.text.push(part);
                    }
                }),
            }
        } else {
            self.after_folded_letter = false;
            self.text.push(typewritten(character));
        }
    }
}

/// Latin and Greek, where an accent separates spellings of one word; in other scripts it separates letters.
fn carries_accents(character: char) -> bool {
    matches!(character, '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}')
}

/// Latin letters whose stroke or ligature has no decomposition.
fn in_ascii(character: char) -> Option<&'static str> {
    Some(match character {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'þ' => "th",
        _ => return None,
    })
}

/// The ASCII sign for a typographic apostrophe, hyphen or slash.
fn typewritten(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2012}' | '\u{2013}' | '\u{2212}' => '-',
        '\u{2044}' | '\u{2215}' => '/',
        other => other,
    }
}

/// Signs that change how a text is drawn, never which word it is: soft hyphen, joiners, direction, variation selectors.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{20d0}'..='\u{20ff}' | '\u{e0000}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_needs_no_tables_comes_out_as_by_the_tables(
            text in "([ -~]|[一-龥]|[、。「」《》！（），：；？]|[a-zA-Z<=>]|[\u{300}-\u{345}\u{338}\u{3099}\u{fe0f}]|[ａ-ｚＡ-Ｚ０-９＝]|[가-각がかァアäÉσΣİ]|\\PC){0,40}"
        ) {
            let mut slow = Folded { text: String::new(), after_folded_letter: false };
            slow.push_all(&text);
            prop_assert_eq!(normalize(&text), slow.text);
        }
    }

    #[test]
    fn an_accent_and_its_absence_are_one_spelling() {
        assert_eq!(normalize("Café"), "cafe");
        assert_eq!(normalize("Cafe\u{301}"), "cafe");
        assert_eq!(normalize("Łódź Straße Ærø İzmir"), "lodz strasse aero izmir");
        assert_eq!(normalize("Ἀθῆναι"), "αθηναι");
    }

    #[test]
    fn marks_that_are_letters_stay() {
        assert_eq!(normalize("йод हिन्दी が 한국"), "йод हिन्दी が 한국");
    }

    #[test]
    fn full_width_and_typographic_signs_become_plain() {
        assert_eq!(normalize("ＧＢ／ｓ，what’s １０：３０"), "gb/s,what's 10:30");
        assert_eq!(normalize("co\u{ad}operate e\u{2011}mail ½"), "cooperate e-mail 1/2");
    }

    #[test]
    fn a_megabyte_of_marks_is_no_trouble() {
        assert_eq!(normalize(&"\u{301}".repeat(500_000)).chars().count(), 500_000);
        assert_eq!(normalize(&format!("a{}", "\u{301}\u{323}".repeat(100_000))), "a");
    }
}
