//! Sparse coding: a vector as few atoms, and what they leave over.
//!
//! ```text
//! minimise F(a) = ½‖q − Eᵀa‖² + λ‖a‖₁
//! a ← soft(y − ∇f(y)/L, λ/L),   y ← a + ((t − 1)/t′)(a − a₋₁),   t′ = (1 + √(1 + 4t²))/2
//! ```
//!
//! FISTA (Beck & Teboulle 2009) with L the largest eigenvalue of E·Eᵀ, from power iteration, doubled where a step
//! shows it too small. The momentum starts anew whenever F would rise (O'Donoghue & Candès 2015), so F never does.
//! The Gram matrix costs O(m²·d) once, an iteration O(m·active).

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::CoreError;
use crate::matrix::{finite_rows, finite_vector, norm};
use crate::random::SplitMix64;

/// A step that moves no coefficient by more than this share of the largest one is the last.
const STANDSTILL: f64 = 1e-13;

/// How to code, checked.
#[derive(Debug, Clone, Copy)]
pub struct FistaParams {
    lambda: f64,
    iterations: usize,
}

impl FistaParams {
    /// The price of a coefficient, and the most iterations.
    ///
    /// # Errors
    /// `lambda` negative or not finite, `iterations` of 0.
    pub fn new(lambda: f64, iterations: usize) -> Result<Self, CoreError> {
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(CoreError::invalid("lambda_", lambda, "give a finite number of at least 0"));
        }
        if iterations == 0 {
            return Err(CoreError::invalid("iterations", iterations, "give at least 1"));
        }
        Ok(Self { lambda, iterations })
    }
}

/// A vector as a sparse sum of atoms.
#[derive(Debug, Clone)]
pub struct SparseCode {
    /// (m,), one for each atom, most of them 0.
    pub coefficients: Array1<f64>,
    /// (d,): q − Eᵀa.
    pub residual: Array1<f64>,
    /// F at the coefficients.
    pub objective: f64,
    /// Iterations made.
    pub iterations: usize,
}

/// Codes `query` (d,) in the rows of `atoms` (m, d).
///
/// # Errors
/// Another dimension than the atoms', or a value that is not finite.
pub fn fista(
    atoms: ArrayView2<'_, f32>,
    query: ArrayView1<'_, f32>,
    params: FistaParams,
) -> Result<SparseCode, CoreError> {
    let atoms = finite_rows("atoms", atoms)?;
    let query = finite_vector("query", query, atoms.ncols())?;
    let mut search = Search::new(atoms.dot(&atoms.t()), atoms.dot(&query), params.lambda);
    let iterations = search.run(params.iterations);
    let coefficients = search.at.coefficients;
    let residual = &query - &coefficients.dot(&atoms);
    let objective =
        0.5 * residual.dot(&residual) + params.lambda * coefficients.iter().map(|value| value.abs()).sum::<f64>();
    Ok(SparseCode { coefficients, residual, objective, iterations })
}

/// Coefficients with E·Eᵀ times them, so that a gradient at any mixture of two points costs no product.
#[derive(Clone)]
struct Point {
    coefficients: Array1<f64>,
    image: Array1<f64>,
}

struct Search {
    gram: Array2<f64>,
    wanted: Array1<f64>,
    lambda: f64,
    curvature: f64,
    at: Point,
}

impl Search {
    fn new(gram: Array2<f64>, wanted: Array1<f64>, lambda: f64) -> Self {
        let origin = Array1::zeros(wanted.len());
        let curvature = largest_eigenvalue(&gram);
        Self { gram, wanted, lambda, curvature, at: Point { coefficients: origin.clone(), image: origin } }
    }

    /// Runs until nothing moves; returns the number of iterations.
    fn run(&mut self, most: usize) -> usize {
        if self.curvature <= 0.0 {
            return 0;
        }
        let (mut before, mut momentum) = (self.at.clone(), 1.0_f64);
        for iteration in 1..=most {
            let next_momentum = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
            let found = self.step_from(&mixture(&self.at, &before, (momentum - 1.0) / next_momentum));
            if self.objective(&found) > self.objective(&self.at) {
                if momentum == 1.0 {
                    return iteration; // a plain step cannot rise but by rounding
                }
                (before, momentum) = (self.at.clone(), 1.0);
                continue;
            }
            before = std::mem::replace(&mut self.at, found);
            momentum = next_momentum;
            if self.moved(&before) <= STANDSTILL {
                return iteration;
            }
        }
        most
    }

    /// One proximal gradient step from `y`, with the curvature doubled until it bounds the step.
    fn step_from(&mut self, y: &Point) -> Point {
        loop {
            let threshold = self.lambda / self.curvature;
            let slope = &y.image - &self.wanted;
            let target = &y.coefficients - &(slope / self.curvature);
            let coefficients = target.mapv_into(|value| soft(value, threshold));
            let image = self.image(&coefficients);
            let way = &coefficients - &y.coefficients;
            let bend = way.dot(&(&image - &y.image));
            if bend <= self.curvature * way.dot(&way) * (1.0 + 1e-9) {
                return Point { coefficients, image };
            }
            self.curvature *= 2.0;
        }
    }

    fn image(&self, coefficients: &Array1<f64>) -> Array1<f64> {
        let mut image = Array1::zeros(coefficients.len());
        for (row, value) in self.gram.outer_iter().zip(coefficients).filter(|(_, value)| **value != 0.0) {
            image.scaled_add(*value, &row);
        }
        image
    }

    /// F without ½‖q‖², which no step changes.
    fn objective(&self, point: &Point) -> f64 {
        let price: f64 = point.coefficients.iter().map(|value| value.abs()).sum();
        0.5 * point.coefficients.dot(&point.image) - self.wanted.dot(&point.coefficients) + self.lambda * price
    }

    fn moved(&self, before: &Point) -> f64 {
        let way = &self.at.coefficients - &before.coefficients;
        let size = norm(self.at.coefficients.iter());
        if size > 0.0 { norm(way.iter()) / size } else { norm(way.iter()) }
    }
}

fn mixture(at: &Point, before: &Point, share: f64) -> Point {
    let mix = |a: &Array1<f64>, b: &Array1<f64>| a + &((a - b) * share);
    Point { coefficients: mix(&at.coefficients, &before.coefficients), image: mix(&at.image, &before.image) }
}

fn soft(value: f64, threshold: f64) -> f64 {
    value.signum() * (value.abs() - threshold).max(0.0)
}

/// The largest eigenvalue of a Gram matrix, a little above: power iteration from a fixed start, at most its trace.
fn largest_eigenvalue(gram: &Array2<f64>) -> f64 {
    let trace = gram.diag().sum();
    let mut random = SplitMix64::new(0);
    let mut vector = Array1::from_shape_simple_fn(gram.nrows(), || random.next_unit());
    let mut estimate = 0.0;
    for _ in 0..16 {
        let length = norm(vector.iter());
        if length == 0.0 {
            return trace;
        }
        vector = gram.dot(&(vector / length));
        estimate = norm(vector.iter());
    }
    (1.02 * estimate).min(trace)
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use proptest::prelude::*;

    use super::*;

    fn code(atoms: &Array2<f32>, query: &Array1<f32>, lambda: f64, iterations: usize) -> SparseCode {
        fista(atoms.view(), query.view(), FistaParams::new(lambda, iterations).unwrap()).unwrap()
    }

    /// −λ ≤ eᵢ·r ≤ λ, and eᵢ·r = λ·sign(aᵢ) where aᵢ ≠ 0.
    fn distance_from_optimum(atoms: &Array2<f32>, code: &SparseCode, lambda: f64) -> f64 {
        let pulls = atoms.mapv(f64::from).dot(&code.residual);
        let off = pulls.iter().zip(&code.coefficients).map(|(pull, a)| {
            if *a == 0.0 { (pull.abs() - lambda).max(0.0) } else { (pull - lambda * a.signum()).abs() }
        });
        off.fold(0.0, f64::max)
    }

    fn any_problem() -> impl Strategy<Value = (Array2<f32>, Array1<f32>)> {
        (1..8_usize, 1..9_usize).prop_flat_map(|(m, d)| {
            let value = || prop_oneof![1 => Just(0.0_f32), 4 => -1.0..1.0_f32];
            let atoms = prop::collection::vec(value(), m * d);
            (atoms, prop::collection::vec(value(), d))
                .prop_map(move |(atoms, query)| (Array2::from_shape_vec((m, d), atoms).unwrap(), Array1::from(query)))
        })
    }

    proptest! {
        #[test]
        fn the_objective_never_rises_and_is_what_the_code_says((atoms, query) in any_problem(), lambda in 0.0..0.5_f64) {
            let mut before = f64::INFINITY;
            for iterations in 1..20 {
                let found = code(&atoms, &query, lambda, iterations);
                let residual = query.mapv(f64::from) - found.coefficients.dot(&atoms.mapv(f64::from));
                let price: f64 = found.coefficients.iter().map(|a| a.abs()).sum();
                prop_assert!((found.objective - 0.5 * residual.dot(&residual) - lambda * price).abs() < 1e-12);
                prop_assert!(found.objective <= before + 1e-12);
                before = found.objective;
            }
        }

        #[test]
        fn the_subgradient_holds_zero_at_the_end((atoms, query) in any_problem(), lambda in 0.01..0.5_f64) {
            let found = code(&atoms, &query, lambda, 20_000);
            let off = distance_from_optimum(&atoms, &found, lambda);
            prop_assert!(off < 1e-6, "{off} after {}", found.iterations);
        }
    }

    #[test]
    fn on_right_angled_atoms_the_answer_is_the_soft_threshold() {
        let found = code(&array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &array![0.5, -0.05, 1.0], 0.1, 80);
        assert!((&found.coefficients - &array![0.4, 0.0]).iter().all(|x| x.abs() < 1e-7), "{found:?}");
        assert!((&found.residual - &array![0.1, -0.05, 1.0]).iter().all(|x| x.abs() < 1e-7));
    }

    #[test]
    fn a_high_price_or_no_atom_leaves_the_query_over() {
        let query = array![0.6_f32, 0.8];
        for (atoms, lambda) in [(array![[1.0, 0.0]], 2.0), (Array2::zeros((0, 2)), 0.1), (Array2::zeros((3, 2)), 0.1)] {
            let found = code(&atoms, &query, lambda, 10);
            assert!(found.coefficients.iter().all(|a| *a == 0.0) && found.coefficients.len() == atoms.nrows());
            assert_eq!(found.residual, query.mapv(f64::from));
            assert!((found.objective - 0.5).abs() < 1e-7);
        }
    }

    #[test]
    fn twin_atoms_are_no_trouble() {
        let found = code(&array![[1.0, 0.0], [1.0, 0.0]], &array![1.0, 0.0], 0.1, 200);
        assert!((found.coefficients.sum() - 0.9).abs() < 1e-9);
    }

    #[test]
    fn bad_parameters_and_dimensions_are_refused() {
        assert!(FistaParams::new(-0.1, 1).is_err() && FistaParams::new(f64::NAN, 1).is_err());
        assert!(FistaParams::new(0.1, 0).is_err());
        let params = FistaParams::new(0.1, 1).unwrap();
        assert!(fista(array![[1.0, 0.0]].view(), array![1.0].view(), params).is_err());
        assert!(fista(array![[f32::NAN, 0.0]].view(), array![1.0, 0.0].view(), params).is_err());
    }
}
