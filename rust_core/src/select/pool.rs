//! Columns over a pool of candidates: joined with new rows, grouped, counted by bits.

use crate::CoreError;
use crate::graph::check_length;
use crate::topk::by_score_then_id;

/// Rows, ascending, and columns aligned with them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joined {
    /// The rows of both, each once.
    pub rows: Vec<i64>,
    /// The old columns, 0 in new rows, and last the new column, 0 in rows that it does not have.
    pub columns: Vec<Vec<f64>>,
}

/// A pool with one more column, and with those of its rows that were not there. All rows ascend, none comes twice.
///
/// # Errors
/// [`CoreError::Dimension`] for columns that are not as long as their rows.
pub fn joined(rows: &[i64], columns: &[&[f64]], new_rows: &[i64], values: &[f64]) -> Result<Joined, CoreError> {
    check_length("values", new_rows.len(), values.len())?;
    columns.iter().try_for_each(|column| check_length("columns", rows.len(), column.len()))?;
    let mut found = Joined { rows: Vec::with_capacity(rows.len() + new_rows.len()), columns: Vec::new() };
    let (mut old, mut new) = (Vec::with_capacity(rows.len()), Vec::with_capacity(new_rows.len()));
    let (mut here, mut there) = (0, 0);
    while here < rows.len() || there < new_rows.len() {
        let row = match (rows.get(here), new_rows.get(there)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&a), None) | (None, Some(&a)) => a,
            (None, None) => break,
        };
        if rows.get(here) == Some(&row) {
            old.push(found.rows.len());
            here += 1;
        }
        if new_rows.get(there) == Some(&row) {
            new.push(found.rows.len());
            there += 1;
        }
        found.rows.push(row);
    }
    let moved = |places: &[usize], values: &[f64]| {
        let mut column = vec![0.0; found.rows.len()];
        places.iter().zip(values).for_each(|(&place, &value)| column[place] = value);
        column
    };
    found.columns.extend(columns.iter().map(|column| moved(&old, column)));
    found.columns.push(moved(&new, values));
    Ok(found)
}

/// For each row the mean of the `best` largest values of its group, where a group has fewer of 0 and these; 0 for a row
/// whose group is below 0. Sums run from the largest value down.
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length, [`CoreError::InvalidInput`] for `best` of 0.
pub fn best_means(groups: &[i32], values: &[f64], best: usize) -> Result<Vec<f64>, CoreError> {
    check_length("values", groups.len(), values.len())?;
    if best == 0 {
        return Err(CoreError::invalid("best", 0, "give 1 or more"));
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let key = |place: usize| (values[place], place as i64);
    order.sort_unstable_by(|&a, &b| groups[a].cmp(&groups[b]).then_with(|| by_score_then_id(key(a), key(b))));
    let mut means = vec![0.0; groups.len()];
    for group in order.chunk_by(|&a, &b| groups[a] == groups[b]).filter(|group| groups[group[0]] >= 0) {
        let sum = group.iter().take(best).fold(0.0, |sum, &place| sum + values[place]);
        group.iter().for_each(|&place| means[place] = sum / best as f64);
    }
    Ok(means)
}

/// For each set of bits the share of all `weights` that those of its bits have; 0 where they sum to nothing.
///
/// # Errors
/// [`CoreError::InvalidInput`] for more than 64 weights.
pub fn bit_shares(bits: &[u64], weights: &[f64]) -> Result<Vec<f64>, CoreError> {
    if weights.len() > 64 {
        return Err(CoreError::invalid("weights", format!("{} weights", weights.len()), "give at most 64"));
    }
    let whole: f64 = weights.iter().fold(0.0, |sum, weight| sum + weight);
    let share = |&set: &u64| {
        let mut covered = 0.0;
        for (bit, weight) in weights.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1) {
            debug_assert!(bit < 64);
            covered += weight;
        }
        covered / whole
    };
    Ok(if whole > 0.0 { bits.iter().map(share).collect() } else { vec![0.0; bits.len()] })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn column() -> impl Strategy<Value = BTreeMap<i64, f64>> {
        proptest::collection::btree_map(0i64..40, -2.0f64..2.0, 0..30)
    }

    proptest! {
        #[test]
        fn a_joined_pool_has_every_row_with_its_values(pool in column(), new in column()) {
            let (rows, old): (Vec<i64>, Vec<f64>) = pool.iter().unzip();
            let (new_rows, values): (Vec<i64>, Vec<f64>) = new.iter().unzip();
            let found = joined(&rows, &[&old, &old], &new_rows, &values).unwrap();
            let wanted: Vec<i64> = pool.keys().chain(new.keys()).copied().collect::<std::collections::BTreeSet<_>>()
                .into_iter().collect();
            let at = |column: &BTreeMap<i64, f64>| -> Vec<f64> {
                wanted.iter().map(|row| column.get(row).copied().unwrap_or(0.0)).collect()
            };
            prop_assert_eq!(found.columns, vec![at(&pool), at(&pool), at(&new)]);
            prop_assert_eq!(found.rows, wanted);
        }

        #[test]
        fn means_are_those_of_each_group_by_itself(
            rows in proptest::collection::vec((-1i32..5, 0.0f64..1.0), 0..60), best in 1usize..5
        ) {
            let (groups, values): (Vec<i32>, Vec<f64>) = rows.iter().copied().unzip();
            let found = best_means(&groups, &values, best).unwrap();
            for (group, mean) in groups.iter().zip(found) {
                let mut own: Vec<f64> = rows.iter().filter(|row| row.0 == *group).map(|row| row.1).collect();
                own.sort_by(|a, b| b.total_cmp(a));
                let wanted = own.iter().take(best).sum::<f64>() / best as f64;
                prop_assert_eq!(mean, if *group < 0 { 0.0 } else { wanted });
            }
        }

        #[test]
        fn shares_are_sums_of_the_weights_of_bits(
            bits in proptest::collection::vec(any::<u64>(), 0..20), weights in proptest::collection::vec(0.1f64..3.0, 0..64)
        ) {
            let whole: f64 = weights.iter().sum();
            for (set, share) in bits.iter().zip(bit_shares(&bits, &weights).unwrap()) {
                let covered: f64 = (0..weights.len()).filter(|bit| set >> bit & 1 == 1).map(|bit| weights[bit]).sum();
                let wanted = if weights.is_empty() { 0.0 } else { covered / whole };
                prop_assert!((share - wanted).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(joined(&[1], &[&[]], &[], &[]).is_err());
        assert!(joined(&[1], &[], &[2], &[]).is_err());
        assert!(best_means(&[1], &[], 3).is_err());
        assert!(best_means(&[1], &[1.0], 0).is_err());
        assert!(bit_shares(&[1], &[1.0; 65]).is_err());
    }
}
