//! The rank form `perocore`: what the graph and the query find, times importance and age.
//!
//! ```text
//! max(0.7·G + 0.3·V, 0) · (1 + importance/10) · (0.8 + 0.2/(1 + ln(1 + days)))
//! ```
//!
//! Days count from the event; a moment in the future is 0 days old.

use crate::CoreError;

/// The score of one memory.
///
/// # Errors
/// An argument that is not finite, or an importance outside 0..10.
pub fn rank_score(graph: f64, relevance: f64, importance: f64, days: f64) -> Result<f64, CoreError> {
    for (field, value) in [("graph", graph), ("relevance", relevance), ("importance", importance), ("days", days)] {
        if !value.is_finite() {
            return Err(CoreError::invalid(field, value, "give a finite number"));
        }
    }
    if !(0.0..=10.0).contains(&importance) {
        return Err(CoreError::invalid("importance", importance, "give a number from 0 to 10"));
    }
    let found = (0.7 * graph + 0.3 * relevance).max(0.0);
    let age = 0.8 + 0.2 / (1.0 + days.max(0.0).ln_1p());
    Ok(found * (1.0 + importance / 10.0) * age)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_golden_values_come_out() {
        let golden = [
            ((1.0, 0.5, 5.0, 0.0), 1.275),
            ((1.0, 0.5, 5.0, 30.0), 1.07751),
            ((2.0, 1.0, 10.0, 0.0), 3.4),
            ((0.0, 0.0, 10.0, 0.0), 0.0),
        ];
        for ((graph, relevance, importance, days), wanted) in golden {
            let score = rank_score(graph, relevance, importance, days).unwrap();
            assert!((score - wanted).abs() < 1e-5, "{score} for {wanted}");
        }
    }

    #[test]
    fn the_future_is_no_days_old_and_inhibition_stops_at_zero() {
        assert_eq!(rank_score(1.0, 0.5, 5.0, -3.0), rank_score(1.0, 0.5, 5.0, 0.0));
        assert_eq!(rank_score(-2.0, 0.5, 5.0, 1.0), Ok(0.0));
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        for (graph, importance, days) in
            [(f64::NAN, 5.0, 0.0), (1.0, 10.5, 0.0), (1.0, -1.0, 0.0), (1.0, 5.0, f64::INFINITY)]
        {
            assert!(rank_score(graph, 0.5, importance, days).is_err());
        }
    }

    proptest! {
        #[test]
        fn a_score_falls_with_age_to_no_less_than_four_fifths(
            graph in 0.0..2.0_f64, relevance in 0.0..1.0_f64, importance in 0.0..10.0_f64, days in 0.0..10_000.0_f64,
        ) {
            let (new, old) = (rank_score(graph, relevance, importance, 0.0)?, rank_score(graph, relevance, importance, days)?);
            prop_assert!(old <= new && old >= 0.8 * new);
        }
    }
}
