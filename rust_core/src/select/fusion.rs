//! How near each row is by words and meaning, in passes over one number a row.

use std::borrow::Cow;

use super::PART;
use crate::CoreError;
use crate::graph::check_length;
use crate::vectors::simd::compiled::{Lanes, Target, Work};

/// How to fuse: `share` of the meaning, 0..=1, and the quantile of the cosines, 0..=1, that is the zero of the meaning.
#[derive(Debug, Clone, Copy)]
pub struct Fusion {
    /// The share of the meaning; the words have the rest.
    pub share: f64,
    /// Where the zero of the meaning lies among the visible cosines, by rank.
    pub low_quantile: f64,
    /// What the least row keeps, so that of two that match the weaker one still is found.
    pub least: f64,
}

/// (1 − share)·words + share·meaning for every row, and words alone where the cosine is NaN.
///
/// Words are the lexical score over the largest that is visible; meaning is min-max of the cosine between the quantile
/// and the largest that are visible, at least `least`; where most are alike the smallest is the zero, and where all
/// are, meaning is 1 above 0, else 0. `allowed`: which rows are visible, none for all.
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length.
pub fn fused(
    lexical: &[f64],
    cosines: &[f64],
    allowed: Option<&[bool]>,
    fusion: Fusion,
) -> Result<Vec<f64>, CoreError> {
    check_length("cosines", lexical.len(), cosines.len())?;
    if let Some(allowed) = allowed {
        check_length("allowed", lexical.len(), allowed.len())?;
    }
    Ok(Target::chosen().run(Fusing { lexical, cosines, allowed, fusion }))
}

struct Fusing<'a> {
    lexical: &'a [f64],
    cosines: &'a [f64],
    allowed: Option<&'a [bool]>,
    fusion: Fusion,
}

impl Work for Fusing<'_> {
    type Found = Vec<f64>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<f64> {
        every_row(self.lexical, self.cosines, self.allowed, self.fusion)
    }
}

#[inline(always)]
fn every_row(lexical: &[f64], cosines: &[f64], allowed: Option<&[bool]>, fusion: Fusion) -> Vec<f64> {
    let visible = |row: usize| allowed.is_none_or(|seen| seen[row]);
    let shown = |values: &[f64]| (0..values.len()).filter(|&row| visible(row)).map(|row| values[row]).collect();
    let words: Cow<'_, [f64]> = if allowed.is_none() { lexical.into() } else { Cow::Owned(shown(lexical)) };
    let most = ends(&words).1.max(0.0);
    let mut seen: Cow<'_, [f64]> = if allowed.is_none() { cosines.into() } else { Cow::Owned(shown(cosines)) };
    if has_nan(&seen) {
        seen.to_mut().retain(|cosine| !cosine.is_nan());
    }
    let whole = if most > 0.0 { most } else { f64::INFINITY };
    let word = |score: f64| if score < most { score / whole } else { most / whole };
    let mix = |score: f64, cosine: f64, meaning: f64| {
        let words = word(score);
        if cosine.is_nan() { words } else { (1.0 - fusion.share) * words + fusion.share * meaning }
    };
    let rows = lexical.iter().zip(cosines);
    match Range::of(&seen, fusion.low_quantile) {
        Range::Nothing => rows.map(|(&score, &cosine)| mix(score, cosine, 0.0)).collect(),
        Range::Alike => rows.map(|(&score, &cosine)| mix(score, cosine, f64::from(u8::from(cosine > 0.0)))).collect(),
        Range::Between(low, high) => {
            let width = high - low;
            let placed = |cosine: f64| {
                let cosine = if cosine < low { low } else { cosine };
                let share = (if cosine > high { high } else { cosine } - low) / width;
                if share < fusion.least { fusion.least } else { share }
            };
            rows.map(|(&score, &cosine)| mix(score, cosine, placed(cosine))).collect()
        }
    }
}

/// The visible cosines between which the meaning is placed.
enum Range {
    Nothing,
    Alike,
    Between(f64, f64),
}

impl Range {
    #[inline(always)]
    fn of(seen: &[f64], low_quantile: f64) -> Self {
        if seen.is_empty() {
            return Self::Nothing;
        }
        let place = (low_quantile * (seen.len() - 1) as f64) as usize;
        let (least, high) = ends(seen);
        let low = nth_smallest(seen, place.min(seen.len() - 1), least, high);
        let low = if high <= low { least } else { low };
        if high <= low { Self::Alike } else { Self::Between(low, high) }
    }
}

/// Values that are compared side by side.
const LANES: usize = 8;

/// The least and the largest value; NaN is passed over. ∞ and −∞ of nothing.
#[inline(always)]
pub(super) fn ends(values: &[f64]) -> (f64, f64) {
    let (mut least, mut most) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut take = |lane: usize, value: f64| {
        least[lane] = if value < least[lane] { value } else { least[lane] };
        most[lane] = if value > most[lane] { value } else { most[lane] };
    };
    for chunk in chunks {
        (0..LANES).for_each(|lane| take(lane, chunk[lane]));
    }
    rest.iter().for_each(|&value| take(0, value));
    (least.into_iter().fold(f64::INFINITY, f64::min), most.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

#[inline(always)]
fn has_nan(values: &[f64]) -> bool {
    values.chunks(64).any(|chunk| chunk.iter().fold(false, |any, value| any | value.is_nan()))
}

/// Bins of equal width between the least and the largest value.
const BINS: usize = 1024;
const SIDE_BY_SIDE: usize = 4;
/// From here on neighbouring numbers are 1 apart: 2^52.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// The value at a place of the ascending order, from 0, of values between `least` and `high`, without NaN.
///
/// The bins ascend with the values, so only those of one bin need be put in order: two passes, and few comparisons.
#[inline(always)]
fn nth_smallest(values: &[f64], place: usize, least: f64, high: f64) -> f64 {
    let scale = (BINS - 1) as f64 / (high - least);
    if !(scale.is_finite() && scale > 0.0) {
        let mut values = values.to_vec();
        return *values.select_nth_unstable_by(place, f64::total_cmp).1;
    }
    // The sum is in whole numbers, which its last bits are: a cast, which minds what no u64 can hold, costs four times it.
    let bin = |value: f64| ((value - least) * scale + WHOLE).to_bits() as usize % BINS;
    // Neighbouring values often share a bin: four counts of it, so that none waits for the one before.
    let mut counts = [[0_u32; BINS]; SIDE_BY_SIDE];
    let (fours, rest) = values.as_chunks::<SIDE_BY_SIDE>();
    for four in fours {
        for (counts, &value) in counts.iter_mut().zip(four) {
            counts[bin(value)] += 1;
        }
    }
    rest.iter().for_each(|&value| counts[0][bin(value)] += 1);
    let held = |bin: usize| counts.iter().map(|counts| counts[bin] as usize).sum::<usize>();
    let (mut before, mut wanted) = (0, 0);
    while before + held(wanted) <= place {
        before += held(wanted);
        wanted += 1;
    }
    let mut same: Vec<f64> = Vec::with_capacity(held(wanted));
    for part in values.chunks(PART) {
        // Most parts have nothing of one bin in a thousand.
        if part.iter().fold(false, |any, &value| any | (bin(value) == wanted)) {
            same.extend(part.iter().filter(|value| bin(**value) == wanted));
        }
    }
    *same.select_nth_unstable_by(place - before, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![8 => (-20i32..20).prop_map(|x| f64::from(x) / 8.0), 1 => Just(f64::NAN), 1 => Just(-0.0)]
    }

    proptest! {
        #[test]
        fn the_value_at_a_place_is_that_of_a_sort(
            values in proptest::collection::vec(prop_oneof![-1e3f64..1e3, Just(0.5), Just(-1e300), Just(1e300)], 1..90),
            place in 0usize..90
        ) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let place = place % values.len();
            prop_assert_eq!(nth_smallest(&values, place, sorted[0], sorted[values.len() - 1]), sorted[place]);
        }

        #[test]
        fn fusion_stays_between_the_channels(
            rows in proptest::collection::vec((0.0f64..9.0, numbers()), 1..50), share in 0.0f64..1.0
        ) {
            let (lexical, cosines): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let fusion = Fusion { share, low_quantile: 0.5, least: 1e-6 };
            for (row, value) in fused(&lexical, &cosines, None, fusion).unwrap().into_iter().enumerate() {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{value} in row {row}");
            }
        }

        #[test]
        fn every_level_of_instructions_fuses_to_the_bit(
            rows in proptest::collection::vec((0.0f64..9.0, numbers(), any::<bool>()), 0..90), narrowed in any::<bool>()
        ) {
            let lexical: Vec<f64> = rows.iter().map(|row| row.0).collect();
            let cosines: Vec<f64> = rows.iter().map(|row| row.1).collect();
            let seen: Vec<bool> = rows.iter().map(|row| row.2).collect();
            let allowed = narrowed.then_some(&seen[..]);
            let fusion = Fusion { share: 0.4, low_quantile: 0.5, least: 1e-6 };
            let bits = |values: Vec<f64>| -> Vec<u64> { values.into_iter().map(f64::to_bits).collect() };
            let slow = bits(every_row(&lexical, &cosines, allowed, fusion));
            for target in Target::all() {
                let (lexical, cosines) = (&lexical[..], &cosines[..]);
                prop_assert_eq!(bits(target.run(Fusing { lexical, cosines, allowed, fusion })), slow.clone());
            }
        }
    }

    #[test]
    fn columns_of_different_length_are_refused() {
        let fusion = Fusion { share: 0.5, low_quantile: 0.5, least: 0.0 };
        assert!(fused(&[1.0], &[1.0, 2.0], None, fusion).is_err());
        assert!(fused(&[1.0], &[1.0], Some(&[]), fusion).is_err());
    }
}
