//! A query on topics: non-negative least squares, and how deep, broad and new the query is.
//!
//! ```text
//! w = argmin_{w ≥ 0} ½‖|q| − wH‖²,   p = w/Σw
//! depth    = 1 − H(p)/ln k           coverage = #{p_i > 0.5/k}           novelty = ‖|q| − wH‖/‖|q|‖
//! ```
//!
//! Solved by the active-set method of Lawson & Hanson (1974) on the normal equations, exactly and in finitely many
//! steps: a topic joins while the error still falls in its direction, and leaves when its weight would be negative.
//! O(k²·d) for the Gram matrix and O(k³) a step.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::CoreError;
use crate::matrix::{finite_rows, finite_vector, norm};

/// The error has to fall by this share of the largest correlation for a topic to join.
const STATIONARY: f64 = 1e-12;
/// A topic whose part outside the joined ones is a smaller share than this of its square length adds nothing to them.
const DEPENDENT: f64 = 1e-11;

/// A query on topics.
#[derive(Debug, Clone)]
pub struct Projection {
    /// (k,), each at least 0.
    pub weights: Array1<f64>,
    /// 0 for all topics alike, 1 for one topic alone.
    pub depth: f64,
    /// How many topics have more than half an equal share.
    pub coverage: usize,
    /// The share of the query that the topics do not explain, 0 to 1.
    pub novelty: f64,
}

/// Projects the absolute values of `query` (d,) on the absolute values of the topics `h` (k, d).
///
/// Without a topic, or where no topic explains anything: depth 0, coverage 0, novelty 1. With one topic: depth 1.
///
/// # Errors
/// Another dimension than the topics', or a value that is not finite.
pub fn nnls_project(h: ArrayView2<'_, f32>, query: ArrayView1<'_, f32>) -> Result<Projection, CoreError> {
    let topics = finite_rows("h", h)?.mapv_into(f64::abs);
    let query = finite_vector("query", query, topics.ncols())?.mapv_into(f64::abs);
    let length = norm(query.iter());
    let weights =
        if length > 0.0 { least_squares(&topics, &(&query / length)) * length } else { Array1::zeros(topics.nrows()) };
    let total = weights.sum();
    if total <= 0.0 {
        return Ok(Projection { weights, depth: 0.0, coverage: 0, novelty: 1.0 });
    }
    let k = weights.len() as f64;
    let shares = &weights / total;
    let entropy: f64 = shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.ln()).sum();
    let depth = if weights.len() == 1 { 1.0 } else { (1.0 - entropy / k.ln()).clamp(0.0, 1.0) };
    let coverage = shares.iter().filter(|share| **share > 0.5 / k).count();
    let novelty = (norm((&query - &weights.dot(&topics)).iter()) / length).min(1.0);
    Ok(Projection { weights, depth, coverage, novelty })
}

/// The weights ≥ 0 of the rows of `topics` that come closest to `query`.
fn least_squares(topics: &Array2<f64>, query: &Array1<f64>) -> Array1<f64> {
    let lengths: Array1<f64> = topics.outer_iter().map(|topic| norm(topic.iter())).collect();
    let unit = Array2::from_shape_fn(topics.dim(), |(row, column)| {
        if lengths[row] > 0.0 { topics[[row, column]] / lengths[row] } else { 0.0 }
    });
    let (gram, wanted) = (unit.dot(&unit.t()), unit.dot(query));
    let mut weights = ActiveSet::new(&gram, &wanted).solve();
    weights
        .iter_mut()
        .zip(&lengths)
        .filter(|(_, length)| **length > 0.0)
        .for_each(|(weight, length)| *weight /= length);
    weights
}

struct ActiveSet<'a> {
    gram: &'a Array2<f64>,
    wanted: &'a Array1<f64>,
    weights: Array1<f64>,
    joined: Vec<usize>,
}

impl<'a> ActiveSet<'a> {
    fn new(gram: &'a Array2<f64>, wanted: &'a Array1<f64>) -> Self {
        Self { gram, wanted, weights: Array1::zeros(wanted.len()), joined: Vec::new() }
    }

    fn solve(mut self) -> Array1<f64> {
        let largest = self.wanted.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        // Each step lowers the error, so no set comes twice; rounding alone could make one, hence the bound.
        let mut refused = vec![false; self.weights.len()];
        for _ in 0..10 * self.weights.len() {
            let slopes = self.wanted - &self.gram.dot(&self.weights);
            let candidates = (0..slopes.len()).filter(|topic| !self.joined.contains(topic) && !refused[*topic]);
            let Some(topic) = candidates.reduce(|best, other| if slopes[other] > slopes[best] { other } else { best })
            else {
                break;
            };
            if slopes[topic] <= STATIONARY * largest {
                break;
            }
            if self.join(topic) {
                refused.fill(false);
            } else {
                refused[topic] = true;
            }
        }
        self.weights
    }

    /// Takes a topic in and moves to the best weights of the set; says whether the topic gained a weight.
    fn join(&mut self, topic: usize) -> bool {
        self.joined.push(topic);
        while let Some(best) = self.unbounded() {
            let stop = self.move_towards(&best);
            let Some(place) = stop else { return self.weights[topic] > 0.0 };
            let gone = self.joined.remove(place);
            self.weights[gone] = 0.0;
            if gone == topic {
                return false;
            }
        }
        self.joined.retain(|other| *other != topic);
        self.weights[topic] = 0.0;
        false
    }

    /// Goes towards `best` until the first weight is 0, and returns that one's place, or None at the goal.
    fn move_towards(&mut self, best: &[f64]) -> Option<usize> {
        let (mut step, mut stop) = (1.0, None);
        for (place, (topic, best)) in self.joined.iter().zip(best).enumerate().filter(|(_, (_, best))| **best <= 0.0) {
            let weight = self.weights[*topic];
            let reach = if weight > 0.0 { weight / (weight - best) } else { 0.0 };
            if reach < step {
                (step, stop) = (reach, Some(place));
            }
        }
        for (topic, best) in self.joined.iter().zip(best) {
            let weight = self.weights[*topic];
            self.weights[*topic] = (weight + step * (best - weight)).max(0.0);
        }
        stop
    }

    /// The weights of the joined topics without the bound at 0, by Cholesky; None if one depends on the others.
    fn unbounded(&self) -> Option<Vec<f64>> {
        let size = self.joined.len();
        let mut lower = Array2::<f64>::zeros((size, size));
        let mut solution = vec![0.0; size];
        for row in 0..size {
            for column in 0..=row {
                let dot: f64 = (0..column).map(|i| lower[[row, i]] * lower[[column, i]]).sum();
                let rest = self.gram[[self.joined[row], self.joined[column]]] - dot;
                if column < row {
                    lower[[row, column]] = rest / lower[[column, column]];
                } else if rest <= DEPENDENT {
                    return None;
                } else {
                    lower[[row, row]] = rest.sqrt();
                }
            }
            let dot: f64 = (0..row).map(|i| lower[[row, i]] * solution[i]).sum();
            solution[row] = (self.wanted[self.joined[row]] - dot) / lower[[row, row]];
        }
        for row in (0..size).rev() {
            let dot: f64 = (row + 1..size).map(|i| lower[[i, row]] * solution[i]).sum();
            solution[row] = (solution[row] - dot) / lower[[row, row]];
        }
        Some(solution)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use proptest::prelude::*;

    use super::*;

    /// The residual's correlation with each topic is 0 where the weight is positive and not above 0 elsewhere.
    fn is_optimal(h: &Array2<f32>, query: &Array1<f32>, weights: &Array1<f64>) -> bool {
        let (topics, query) = (h.mapv(|x| f64::from(x.abs())), query.mapv(|x| f64::from(x.abs())));
        let residual = &query - &weights.dot(&topics);
        topics.outer_iter().zip(weights).all(|(topic, weight)| {
            let size = norm(topic.iter()) * norm(query.iter());
            let slope = topic.dot(&residual);
            *weight >= 0.0 && slope <= 1e-8 * size && (*weight == 0.0 || slope.abs() <= 1e-8 * size)
        })
    }

    fn any_problem() -> impl Strategy<Value = (Array2<f32>, Array1<f32>)> {
        (1..8_usize, 1..9_usize).prop_flat_map(|(k, d)| {
            let value = || prop_oneof![1 => Just(0.0_f32), 1 => Just(1.0_f32), 4 => -3.0..3.0_f32];
            let h = prop::collection::vec(value(), k * d);
            (h, prop::collection::vec(value(), d))
                .prop_map(move |(h, query)| (Array2::from_shape_vec((k, d), h).unwrap(), Array1::from(query)))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn no_weight_can_be_bettered((h, query) in any_problem()) {
            let found = nnls_project(h.view(), query.view()).unwrap();
            prop_assert!(is_optimal(&h, &query, &found.weights), "{:?}", found);
            prop_assert!((0.0..=1.0).contains(&found.depth) && (0.0..=1.0).contains(&found.novelty));
            prop_assert!(found.coverage <= h.nrows());
        }
    }

    #[test]
    fn a_query_on_one_topic_is_deep_and_known() {
        let h = array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let found = nnls_project(h.view(), array![-2.0, 0.0, 0.0].view()).unwrap();
        assert_eq!((found.weights, found.depth, found.coverage, found.novelty), (array![2.0, 0.0], 1.0, 1, 0.0));
    }

    #[test]
    fn an_even_query_is_shallow_and_broad() {
        let h = array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let found = nnls_project(h.view(), array![3.0, 3.0, 0.0].view()).unwrap();
        assert!(found.depth.abs() < 1e-12 && found.novelty < 1e-12);
        assert_eq!(found.coverage, 2);
        let half_new = nnls_project(h.view(), array![3.0, 0.0, 4.0].view()).unwrap();
        assert!((half_new.novelty - 0.8).abs() < 1e-12);
    }

    #[test]
    fn a_query_that_no_topic_explains_is_all_new() {
        let h = array![[1.0, 0.0], [2.0, 0.0]];
        let nothing = |found: Projection| (found.depth, found.coverage, found.novelty) == (0.0, 0, 1.0);
        assert!(nothing(nnls_project(h.view(), array![0.0, 5.0].view()).unwrap()));
        assert!(nothing(nnls_project(h.view(), array![0.0, 0.0].view()).unwrap()));
        assert!(nothing(nnls_project(Array2::zeros((0, 2)).view(), array![1.0, 5.0].view()).unwrap()));
        assert!(nothing(nnls_project(Array2::zeros((3, 2)).view(), array![1.0, 5.0].view()).unwrap()));
    }

    #[test]
    fn one_topic_is_always_deep_and_twin_topics_share() {
        assert_eq!(nnls_project(array![[1.0, 1.0]].view(), array![1.0, 0.0].view()).unwrap().depth, 1.0);
        let twins = nnls_project(array![[1.0, 1.0], [1.0, 1.0]].view(), array![2.0, 2.0].view()).unwrap();
        assert!(twins.novelty < 1e-12 && (twins.weights.sum() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn another_dimension_is_refused() {
        let error = nnls_project(array![[1.0, 1.0]].view(), array![1.0].view()).unwrap_err();
        assert_eq!(error, CoreError::Dimension { field: "query", expected: 2, got: 1 });
    }
}
