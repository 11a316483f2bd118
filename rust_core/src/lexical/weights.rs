//! The BM25 weight of a posting, made once a question for the lengths and counts that nearly all postings have.

use super::bm25::{Bm25Index, Bm25Params};
use super::postings::{Bounds, List, MANY, Posting};
use super::shown::Shown;

/// Lengths below this have a weight made in advance.
const LENGTHS: usize = MANY as usize;
/// Counts of 1 up to this have one, too, where a list is long enough.
const MOST_COUNTS: usize = 8;
/// Counts of 1 up to this have a share made in advance.
const SHARED_COUNTS: usize = 3;
/// A list is worth the weights of one more count for so many postings.
const WORTH: usize = if cfg!(test) { 8 } else { 4 * LENGTHS };

/// What the formula knows of the collection: everything but the term.
#[derive(Debug)]
pub(super) struct Weights {
    params: Bm25Params,
    average: f64,
    /// k1·(1 − b + b·len/avg) by len.
    norms: Vec<f64>,
}

/// A term of a question in one index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term<'i> {
    pub(super) number: u32,
    pub(super) list: List<'i>,
    pub(super) idf: f64,
}

impl Weights {
    /// Weights in a collection whose documents have `average` tokens.
    pub(super) fn new(params: Bm25Params, average: f64) -> Self {
        let mut made = Self { params, average, norms: Vec::new() };
        made.norms = (0..LENGTHS as u32).map(|length| made.norm(length)).collect();
        made
    }

    /// The terms that an index has, in their order, with their idf.
    pub(super) fn terms<'i>(part: &Shown<'i>, weighted: &[(&str, f64)]) -> Vec<Term<'i>> {
        let found = weighted.iter().filter_map(|(term, idf)| {
            let (number, list) = part.index().list_of(term)?;
            Some(Term { number, list, idf: *idf })
        });
        found.collect()
    }

    fn norm(&self, length: u32) -> f64 {
        let Bm25Params { k1, b } = self.params;
        k1 * (1.0 - b + b * (f64::from(length) / self.average))
    }

    fn formula(&self, idf: f64, frequency: f64, norm: f64) -> f64 {
        idf * (frequency * (self.params.k1 + 1.0)) / (frequency + norm)
    }

    /// The weight of a term in a document.
    pub(super) fn exact(&self, index: &Bm25Index, term: &Term<'_>, posting: Posting) -> f64 {
        let frequency = f64::from(index.count_at(term.number, posting));
        let norm = match self.norms.get(usize::from(posting.length)) {
            Some(norm) => *norm,
            None => self.norm(index.length_at(posting.slot)),
        };
        self.formula(term.idf, frequency, norm)
    }

    /// The weights of a long list by count and length: the same numbers as of [`Weights::exact`].
    pub(super) fn table(&self, term: &Term<'_>) -> Option<Vec<f64>> {
        let list = term.list.as_slice();
        let counts = (list.len() / WORTH).min(usize::from(term.list.bounds().most)).min(MOST_COUNTS);
        let weights = |count| self.norms.iter().map(move |norm| self.formula(term.idf, count as f64, *norm));
        (counts > 0).then(|| (1..=counts).flat_map(weights).collect())
    }

    /// The weight of a posting by the table of its term, if it has it.
    pub(super) fn in_table(table: &[f64], posting: Posting) -> Option<f64> {
        let (count, length) = (usize::from(posting.count), usize::from(posting.length));
        if length >= LENGTHS { None } else { table.get((count - 1) * LENGTHS + length).copied() }
    }

    /// What no posting of a list weighs more than, up to rounding.
    pub(super) fn bound(&self, idf: f64, bounds: Bounds) -> f64 {
        let most = if bounds.most == MANY { f64::INFINITY } else { f64::from(bounds.most) };
        let counts = [1.0, 2.0, most];
        let of_count = |(count, length): (&f64, &u8)| match self.norms.get(usize::from(*length)) {
            _ if *count > most => 0.0,
            _ if count.is_infinite() => idf * (self.params.k1 + 1.0),
            Some(norm) => self.formula(idf, *count, *norm),
            // A list without such a count has no length of it; texts beyond a byte weigh less than this.
            None => self.formula(idf, *count, self.norm(u32::from(MANY))),
        };
        counts.iter().zip(&bounds.shortest).map(of_count).fold(0.0, f64::max)
    }

    /// What the formula makes of count and length without the idf, in f32.
    pub(super) fn shares(&self) -> Shares {
        let of_count = |count: usize| self.norms.iter().map(move |norm| self.formula(1.0, count as f64, *norm) as f32);
        Shares((1..=SHARED_COUNTS).flat_map(of_count).collect())
    }

    /// Whether the weights are ordinary numbers, for which bounds hold.
    pub(super) fn are_ordinary(&self) -> bool {
        self.params.k1 < 1e6 && self.average.is_finite() && self.average > 0.0
    }
}

/// The weights of postings over the idf of their terms, near enough to tell what is not among the best.
#[derive(Debug)]
pub(super) struct Shares(Vec<f32>);

impl Shares {
    /// The share of a posting, if it was made in advance.
    pub(super) fn of(&self, posting: Posting) -> Option<f32> {
        let (count, length) = (usize::from(posting.count), usize::from(posting.length));
        if length >= LENGTHS { None } else { self.0.get((count - 1) * LENGTHS + length).copied() }
    }
}
