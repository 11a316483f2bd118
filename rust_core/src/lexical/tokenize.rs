//! Text analysis: which terms a text is found by.
//!
//! A text is normalised ([`normalize`]), cut into runs of one script ([`runs`]), and each run gives its terms:
//!
//! - words are stemmed (Snowball English: Porter 2001), contractions and possessives lose what follows the apostrophe;
//! - codes (`gb/s`, `v1.2.3`, `john_doe`, `10:30`, `c++`) give the whole, unstemmed, and then their parts;
//! - Chinese gives the words of the segmenter (jieba, no hidden Markov model: the dictionary alone decides) and every
//!   bigram; a two-character word of the dictionary is found twice, which sets it above a chance bigram; a single
//!   character is a term where the segmenter leaves it alone and it does not merely serve grammar;
//! - a number and the Chinese character that follows it (`5月`, `3点`) are one term beside the number;
//! - Korean gives the word and its bigrams, Japanese kana their bigrams, other scripts their words.
//!
//! Time and space are linear in the text.

use std::borrow::Cow;
use std::sync::LazyLock;

use jieba_rs::Jieba;
use rayon::prelude::*;
use rust_stemmers::{Algorithm, Stemmer};

use super::normalize::normalize;
use super::runs::{Run, Script, is_joiner, runs};
use super::stopwords::{is_function_character, is_stop_word};

/// The version of the analysis. Token streams of another version are made anew.
pub const ANALYZER_VERSION: u32 = 1;

/// The longest term, in characters; what is longer is kept by its beginning.
const LONGEST_TERM: usize = 64;

/// Texts of one thread at least: a third of a millisecond or so, beside which it costs little to wake another.
const A_THREAD: usize = 32;

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);
static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// One term of a text and what it is worth in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The term as the index has it: never empty, without white space.
    pub text: String,
    /// Whether it carries a subject.
    pub weight: Weight,
}

/// What a term is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It carries a subject: part of documents and queries.
    Content,
    /// A stop word: part of documents, and of queries that have nothing else.
    Stop,
    /// A single character that serves grammar: part of queries that have nothing else, never of a document.
    Particle,
}

/// The terms of a text, one after another in one string.
#[derive(Debug, Default)]
pub struct Terms {
    text: String,
    /// Where each term ends, and what it is worth.
    ends: Vec<(usize, Weight)>,
}

impl Terms {
    /// Each term with its weight, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Weight)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, weight))| (&self.text[start..*end], *weight))
    }

    /// The terms of a document, in order, repeats included.
    pub fn of_document(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|(_, weight)| *weight != Weight::Particle).map(|(term, _)| term)
    }
}

/// What takes the terms of a text, one by one.
trait Sink {
    /// Takes a term; what is longer than [`LONGEST_TERM`] is kept by its beginning.
    fn push(&mut self, term: &str, weight: Weight);
}

impl Sink for Terms {
    #[inline]
    fn push(&mut self, term: &str, weight: Weight) {
        self.text.push_str(shortened(term));
        self.ends.push((self.text.len(), weight));
    }
}

/// The terms of a document joined with one space.
struct Stream(String);

impl Sink for Stream {
    #[inline]
    fn push(&mut self, term: &str, weight: Weight) {
        if weight != Weight::Particle {
            self.0.push_str(shortened(term));
            self.0.push(' ');
        }
    }
}

/// The terms of a document, in order, repeats included.
pub fn tokenize(text: &str) -> Vec<String> {
    terms(text).of_document().map(str::to_owned).collect()
}

/// Every term of a text with its weight, in order, repeats included.
pub fn analyze(text: &str) -> Vec<Token> {
    terms(text).iter().map(|(term, weight)| Token { text: term.to_owned(), weight }).collect()
}

/// Every term of a text, without a string of its own for each.
pub fn terms(text: &str) -> Terms {
    let mut found = Terms { text: String::with_capacity(3 * text.len()), ends: Vec::with_capacity(text.len() / 2) };
    give_terms(text, &mut found);
    found
}

/// The terms of a document, in order, repeats included, joined with one space.
pub fn token_stream(text: &str) -> String {
    let mut stream = Stream(String::with_capacity(4 * text.len()));
    give_terms(text, &mut stream);
    stream.0.pop();
    stream.0
}

/// The [`token_stream`] of each text, in order, on several threads where that pays.
pub fn token_streams(texts: &[&str]) -> Vec<String> {
    if texts.len() < 2 * A_THREAD {
        return texts.iter().map(|text| token_stream(text)).collect();
    }
    texts.par_iter().with_min_len(A_THREAD).map(|text| token_stream(text)).collect()
}

fn give_terms(text: &str, tokens: &mut impl Sink) {
    let normalized = normalize(text);
    let mut number = None;
    for run in runs(&normalized) {
        let counted = number.filter(|_| run.touches_previous);
        number = None;
        match run.script {
            Script::Word => {
                push_words(run.text, tokens);
                number = run.text.bytes().all(|byte| byte.is_ascii_digit()).then_some(run.text);
            }
            Script::Han => push_han(&run, counted, tokens),
            Script::Kana => push_bigrams(run.text, Weight::Particle, tokens),
            Script::Hangul => push_hangul(run.text, tokens),
        }
    }
}

/// Whether the segmenter's dictionary has the word.
pub(super) fn is_dictionary_word(word: &str) -> bool {
    JIEBA.has_word(word)
}

/// The stem of a lower-case English word; anything else as it is.
pub fn stem(word: &str) -> Cow<'_, str> {
    let english = (3..=LONGEST_TERM).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if english { STEMMER.stem(word) } else { shortened(word).into() }
}

fn shortened(term: &str) -> &str {
    if term.len() <= LONGEST_TERM {
        return term;
    }
    term.char_indices().nth(LONGEST_TERM).map_or(term, |(end, _)| &term[..end])
}

/// The terms of a run of words: a comma ends a code unless it groups the digits of a number.
fn push_words(run: &str, tokens: &mut impl Sink) {
    let ungrouped = without_digit_grouping(run);
    for code in ungrouped.split(',') {
        push_code(code, tokens);
    }
}

/// `1,234,567.8` as `1234567.8`; a comma that does not group thousands stays.
fn without_digit_grouping(run: &str) -> Cow<'_, str> {
    if !run.contains(',') {
        return run.into();
    }
    let bytes = run.as_bytes();
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let groups =
        |index: usize| index > 0 && digit(index - 1) && (1..=3).all(|ahead| digit(index + ahead)) && !digit(index + 4);
    run.char_indices().filter(|(index, c)| *c != ',' || !groups(*index)).map(|(_, c)| c).collect()
}

/// A word, or a code of several: the whole first, then its parts.
fn push_code(code: &str, tokens: &mut impl Sink) {
    let is_sign = |character: char| is_joiner(character) && character != '\'';
    if !code.contains(is_sign) {
        push_word(code, tokens);
        return;
    }
    let whole: String = code
        .split_inclusive(is_sign)
        .flat_map(|piece| {
            let word = piece.trim_end_matches(is_sign);
            [uncontracted(word), Cow::from(&piece[word.len()..])]
        })
        .collect();
    tokens.push(&whole, Weight::Content);
    code.split(is_sign).filter(|word| !word.is_empty()).for_each(|word| push_word(word, tokens));
}

/// One word, stemmed; of a name such as `o'brien` also what follows the apostrophe.
fn push_word(word: &str, tokens: &mut impl Sink) {
    let bare = uncontracted(word);
    if bare.is_empty() {
        return;
    }
    let weight = if is_stop_word(&bare) { Weight::Stop } else { Weight::Content };
    tokens.push(&stem(&bare), weight);
    if let Some((_, last)) =
        word.rsplit_once('\'').filter(|(first, last)| last.len() > 2 && first.len() + last.len() == bare.len())
    {
        tokens.push(&stem(last), Weight::Content);
    }
}

/// A word without its contraction: `what's` is `what`, `don't` is `dont`, `o'brien` is `obrien`.
fn uncontracted(word: &str) -> Cow<'_, str> {
    match word.rsplit_once('\'') {
        Some((first, "s" | "re" | "ve" | "ll" | "d" | "m")) => first.replace('\'', "").into(),
        Some(_) => word.replace('\'', "").into(),
        None => word.into(),
    }
}

fn push_han(run: &Run<'_>, number: Option<&str>, tokens: &mut impl Sink) {
    if let (Some(number), Some(unit)) = (number, run.text.chars().next()) {
        tokens.push(&format!("{number}{unit}"), Weight::Content);
    }
    let mut stops = Vec::with_capacity(run.text.len() / 3 + 1);
    for word in JIEBA.cut(run.text, false) {
        let length = word.end - word.start;
        let stop = is_stop_word(word.word);
        let particle = length == 1 && word.word.chars().all(is_function_character);
        let weight = match (particle, stop) {
            (true, _) => Weight::Particle,
            (false, true) => Weight::Stop,
            (false, false) => Weight::Content,
        };
        tokens.push(word.word, weight);
        stops.extend(std::iter::repeat_n(weight != Weight::Content, length));
    }
    for (start, pair) in pairs(run.text).enumerate() {
        tokens.push(pair, if stops[start] && stops[start + 1] { Weight::Stop } else { Weight::Content });
    }
}

fn push_hangul(word: &str, tokens: &mut impl Sink) {
    tokens.push(word, Weight::Content);
    if word.chars().nth(2).is_some() {
        push_bigrams(word, Weight::Content, tokens);
    }
}

/// Every two neighbouring characters; of a run of one, that one, with the weight of a lone character.
fn push_bigrams(run: &str, lone: Weight, tokens: &mut impl Sink) {
    if run.chars().nth(1).is_none() {
        tokens.push(run, lone);
    }
    pairs(run).for_each(|pair| tokens.push(pair, Weight::Content));
}

/// Every two neighbouring characters.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run.char_indices().skip(1).map(|(at, character)| at + character.len_utf8());
    starts.zip(ends).map(|(start, end)| &run[start..end])
}

#[cfg(test)]
mod tests;
