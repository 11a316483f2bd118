//! The candidates of a recall: the best rows by each of its channels, found in one pass over the scope.

use std::ops::Range;

use super::PART;
use crate::CoreError;
use crate::graph::check_length;
use crate::topk::TopK;
use crate::vectors::simd::compiled::{Lanes, Target, Work};

/// What recall knows of each row; all columns are of one length.
#[derive(Debug, Clone, Copy)]
pub struct Channels<'a> {
    /// BM25 scores.
    pub lexical: &'a [f64],
    /// Cosines, NaN for no vector; none where there was nothing to compare.
    pub cosines: Option<&'a [f64]>,
    /// How relevant each row is by both.
    pub relevance: &'a [f64],
    /// Which rows mention what the query names; none for no row.
    pub anchored: Option<&'a [bool]>,
    /// Which rows may be seen; none for all.
    pub allowed: Option<&'a [bool]>,
}

/// The candidates, and how many rows each channel offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Rows, ascending.
    pub rows: Vec<i64>,
    /// Rows with a score above 0.
    pub matching: usize,
    /// Rows whose cosine reaches the floor.
    pub near: usize,
    /// Rows that are anchored.
    pub anchored: usize,
}

/// The `each` best rows of four kinds together: of those that match by their score, of those with a cosine of at least
/// `floor` by it, of those anchored by relevance, and of those that match or are near by relevance. Equal values go to
/// the lower rows; a relevance that is NaN is none. O(n).
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length.
pub fn candidates(channels: Channels<'_>, floor: f64, each: usize) -> Result<Candidates, CoreError> {
    let Channels { lexical, cosines, relevance, anchored, allowed } = channels;
    check_length("relevance", lexical.len(), relevance.len())?;
    cosines.map_or(Ok(()), |values| check_length("cosines", lexical.len(), values.len()))?;
    anchored.map_or(Ok(()), |rows| check_length("anchored", lexical.len(), rows.len()))?;
    allowed.map_or(Ok(()), |rows| check_length("allowed", lexical.len(), rows.len()))?;
    Ok(Target::chosen().run(Choosing { channels, floor, each }))
}

struct Choosing<'a> {
    channels: Channels<'a>,
    floor: f64,
    each: usize,
}

impl Work for Choosing<'_> {
    type Found = Candidates;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Candidates {
        chosen(self.channels, self.floor, self.each)
    }
}

#[inline(always)]
fn chosen(channels: Channels<'_>, floor: f64, each: usize) -> Candidates {
    let Channels { lexical, cosines, relevance, anchored, allowed } = channels;
    let mut found = Candidates::default();
    let mut best = [(); 4].map(|()| TopK::new(each));
    let cosine = |row: usize| cosines.map_or(f64::NAN, |values| values[row]);
    let seen = |row: usize| allowed.is_none_or(|rows| rows[row]);
    let (matches, near) = (|row: usize| lexical[row] > 0.0, |row: usize| cosine(row) >= floor);
    let named = |row: usize| anchored.is_some_and(|rows| rows[row]);
    for start in (0..lexical.len()).step_by(PART) {
        let part = start..lexical.len().min(start + PART);
        let count = |is_one: &dyn Fn(usize) -> bool| part.clone().filter(|&row| seen(row) && is_one(row)).count();
        if allowed.is_some() {
            found.matching += count(&matches);
            found.near += count(&near);
        } else {
            found.matching += not_below(&lexical[part.clone()], ABOVE_ZERO);
            found.near += cosines.map_or(0, |values| not_below(&values[part.clone()], floor));
        }
        // Most parts have nothing above the worst that is kept.
        if not_below(&lexical[part.clone()], best[0].floor()) > 0 {
            offer(&mut best[0], lexical, part.clone(), |row| matches(row) && seen(row));
        }
        if let Some(values) = cosines.filter(|values| not_below(&values[part.clone()], best[1].floor().max(floor)) > 0)
        {
            offer(&mut best[1], values, part.clone(), |row| near(row) && seen(row));
        }
        if anchored.is_some() {
            found.anchored += count(&named);
            offer(&mut best[2], relevance, part.clone(), |row| named(row) && seen(row));
        }
        if not_below(&relevance[part.clone()], best[3].floor()) > 0 {
            offer(&mut best[3], relevance, part, |row| (matches(row) || near(row)) && seen(row));
        }
    }
    found.rows = best.into_iter().flat_map(TopK::into_sorted).map(|(_, row)| row).collect();
    found.rows.sort_unstable();
    found.rows.dedup();
    found
}

/// The least number above 0.
const ABOVE_ZERO: f64 = f64::from_bits(1);

/// How many values are at least `least`; NaN is not.
#[inline(always)]
fn not_below(values: &[f64], least: f64) -> usize {
    values.iter().map(|&value| u64::from(value >= least)).sum::<u64>() as usize
}

fn offer(best: &mut TopK, values: &[f64], rows: Range<usize>, among: impl Fn(usize) -> bool) {
    for row in rows {
        if values[row] >= best.floor() && among(row) {
            best.offer(values[row], row as i64);
        }
    }
}

/// Rows that a second search brings, and between which values all of its rows lie.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fresh {
    /// Rows, ascending.
    pub rows: Vec<i64>,
    /// The least and the largest value that may be seen, NaN aside: ∞ and −∞ of nothing.
    pub range: (f64, f64),
}

/// The `count` rows with the largest of `values` above 0 that are not `taken`, as [`super::best_rows`] chooses them.
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length, [`CoreError::InvalidInput`] for a row that is none.
pub fn fresh_rows(values: &[f64], allowed: Option<&[bool]>, taken: &[i64], count: usize) -> Result<Fresh, CoreError> {
    allowed.map_or(Ok(()), |rows| check_length("allowed", values.len(), rows.len()))?;
    let mut free = allowed.map_or_else(|| vec![true; values.len()], <[bool]>::to_vec);
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    if let Some(seen) = allowed {
        let shown = values.iter().zip(seen).filter(|(_, seen)| **seen).map(|(value, _)| *value);
        shown.for_each(|value| (least, most) = (least.min(value), most.max(value)));
    } else {
        (least, most) = super::fusion::ends(values);
    }
    for &row in taken {
        let place = usize::try_from(row).ok().and_then(|row| free.get_mut(row));
        *place.ok_or_else(|| CoreError::invalid("taken", row, format!("give rows below {}", values.len())))? = false;
    }
    let mut best = TopK::new(count);
    for (part, (chunk, free)) in values.chunks(PART).zip(free.chunks(PART)).enumerate() {
        let floor = best.floor().max(0.0);
        if chunk.iter().fold(false, |any, &value| any | (value >= floor)) {
            for (at, (&value, _)) in chunk.iter().zip(free).enumerate().filter(|(_, (_, free))| **free) {
                if value > 0.0 && value >= best.floor() {
                    best.offer(value, (part * PART + at) as i64);
                }
            }
        }
    }
    let mut rows: Vec<i64> = best.into_sorted().into_iter().map(|(_, row)| row).collect();
    rows.sort_unstable();
    Ok(Fresh { rows, range: (least, most) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::best_rows;
    use super::*;

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![8 => (-8i32..8).prop_map(|x| f64::from(x) / 8.0), 1 => Just(f64::NAN), 1 => Just(-0.0)]
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_the_channels_find_one_by_one(
            rows in proptest::collection::vec((0i32..4, numbers(), any::<bool>(), any::<bool>()), 0..120),
            floor in -1.0f64..1.0, each in 0usize..20, narrowed in any::<bool>(), dense in any::<bool>()
        ) {
            let lexical: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let cosines: Vec<f64> = rows.iter().map(|row| row.1).collect();
            let relevance: Vec<f64> = lexical.iter().zip(&cosines).map(|(a, b)| a + b.max(0.0)).collect();
            let (anchored, seen): (Vec<bool>, Vec<bool>) = rows.iter().map(|row| (row.2, row.3)).unzip();
            let allowed = narrowed.then_some(&seen[..]);
            let channels = Channels {
                lexical: &lexical,
                cosines: dense.then_some(&cosines[..]),
                relevance: &relevance,
                anchored: Some(&anchored),
                allowed,
            };
            let mask = |wanted: &dyn Fn(usize) -> bool| -> Vec<bool> {
                (0..rows.len()).map(|row| wanted(row) && (!narrowed || seen[row])).collect()
            };
            let matching = mask(&|row| lexical[row] > 0.0);
            let near = mask(&|row| dense && cosines[row] >= floor);
            let named = mask(&|row| anchored[row]);
            let either: Vec<bool> = matching.iter().zip(&near).map(|(a, b)| a | b).collect();
            let mut wanted: Vec<i64> = [
                best_rows(&lexical, &matching, each).unwrap(),
                best_rows(&cosines, &near, each).unwrap(),
                best_rows(&relevance, &named, each).unwrap(),
                best_rows(&relevance, &either, each).unwrap(),
            ]
            .concat();
            wanted.sort_unstable();
            wanted.dedup();
            let count = |mask: &[bool]| mask.iter().filter(|one| **one).count();
            let counts = (count(&matching), count(&near), count(&named));
            let found = candidates(channels, floor, each).unwrap();
            prop_assert_eq!((found.matching, found.near, found.anchored), counts);
            prop_assert_eq!(found.rows, wanted);
        }

        #[test]
        fn fresh_rows_are_the_best_of_what_is_not_taken(
            rows in proptest::collection::vec((numbers(), any::<bool>(), any::<bool>()), 0..120),
            count in 0usize..20, narrowed in any::<bool>()
        ) {
            let values: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let seen: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let taken: Vec<i64> = (0..rows.len()).filter(|&row| rows[row].2).map(|row| row as i64).collect();
            let visible = |row: usize| !narrowed || seen[row];
            let among: Vec<bool> =
                (0..rows.len()).map(|row| values[row] > 0.0 && visible(row) && !rows[row].2).collect();
            let shown = (0..rows.len()).filter(|&row| visible(row) && !values[row].is_nan()).map(|row| values[row]);
            let range = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            let found = fresh_rows(&values, narrowed.then_some(&seen[..]), &taken, count).unwrap();
            prop_assert_eq!(found.rows, best_rows(&values, &among, count).unwrap());
            prop_assert_eq!(found.range, range);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let one = Channels { lexical: &[1.0], cosines: None, relevance: &[], anchored: None, allowed: None };
        assert!(candidates(one, 0.0, 1).is_err());
        assert!(candidates(Channels { relevance: &[1.0], cosines: Some(&[]), ..one }, 0.0, 1).is_err());
        assert!(candidates(Channels { relevance: &[1.0], anchored: Some(&[]), ..one }, 0.0, 1).is_err());
        assert!(candidates(Channels { relevance: &[1.0], allowed: Some(&[]), ..one }, 0.0, 1).is_err());
        assert!(fresh_rows(&[1.0], Some(&[]), &[], 1).is_err());
        assert!(fresh_rows(&[1.0], None, &[1], 1).is_err());
        assert!(fresh_rows(&[1.0], None, &[-1], 1).is_err());
    }
}
