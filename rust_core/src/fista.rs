//! Sparse coding: a vector as few atoms, and what they leave over.
//!
//! ```text
//! minimise F(a) = ½‖q − Eᵀa‖² + λ‖a‖₁
//! ```
//!
//! Most coefficients are 0, so the problem is solved on a working set of atoms, which grows by those that pull on the
//! residual with more than λ (Massias, Gramfort & Salmon 2018: celer). There it is FISTA with an exact last step
//! (`search`). The whole is done when the duality gap is closed: with r the residual and any s ≤ λ/max|E·r|,
//!
//! ```text
//! F(a) − min F ≤ F(a) − (s·q·r − ½s²‖r‖²)
//! ```
//!
//! A look at all atoms costs O(m·d) and reads them as they lie; there are one more of them than working sets, and mostly
//! two. F never rises from one iteration to the next.

mod search;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use crate::CoreError;
use crate::matrix::{check_finite_rows, finite_vector};
use crate::vectors::simd::mixed_dots;
use search::Search;

/// A gap of less than this share of ½‖q‖² is closed.
const CLOSED: f64 = 1e-14;
/// An atom that pulls with more than λ by less than this share of the greatest pull is left out: rounding.
const NO_MORE: f64 = 1e-12;
/// Atoms in the first working set, and the least by which it grows.
const FIRST: usize = 32;
/// Numbers that one thread looks at when there are more threads: a tenth of a millisecond of reading or so.
const A_THREAD: usize = 1 << 20;

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
    let query = finite_vector("query", query, atoms.ncols())?;
    let atoms = atoms.as_standard_layout();
    let mut problem = WorkingSet::new(atoms.view(), &query, params.lambda);
    // A product is finite just where its row is, so the first look at the atoms is the check too.
    if problem.pulls.iter().any(|pull| !pull.is_finite()) {
        check_finite_rows("atoms", atoms.view())?;
    }
    let mut made = 0;
    while made < params.iterations && !problem.is_closed() && problem.grow() {
        made += problem.solve(params.iterations - made);
    }
    let coefficients = problem.coefficients();
    Ok(SparseCode { coefficients, objective: problem.objective(), residual: problem.residual, iterations: made })
}

/// A part of the atoms, the best coefficients of these, and how all atoms pull on what is left over.
struct WorkingSet<'a> {
    atoms: ArrayView2<'a, f32>,
    query: &'a Array1<f64>,
    lambda: f64,
    members: Vec<usize>,
    is_member: Vec<bool>,
    /// The members' rows.
    rows: Array2<f64>,
    search: Search,
    residual: Array1<f64>,
    /// E·r.
    pulls: Vec<f64>,
    least_pull: f64,
}

impl<'a> WorkingSet<'a> {
    fn new(atoms: ArrayView2<'a, f32>, query: &'a Array1<f64>, lambda: f64) -> Self {
        let mut set = Self {
            atoms,
            query,
            lambda,
            members: Vec::new(),
            is_member: vec![false; atoms.nrows()],
            rows: Array2::zeros((0, query.len())),
            search: Search::new(lambda),
            residual: query.clone(),
            pulls: vec![0.0; atoms.nrows()],
            least_pull: 0.0,
        };
        set.look();
        set.least_pull = lambda + NO_MORE * set.greatest_pull();
        set
    }

    fn look(&mut self) {
        let rows = self.atoms.to_slice().unwrap_or_default(); // in standard layout: `fista` has seen to it
        let residual = self.residual.as_slice().unwrap_or_default();
        let atoms_of_a_thread = (A_THREAD / residual.len().max(1)).max(1);
        if residual.is_empty() || self.pulls.len() <= 2 * atoms_of_a_thread {
            return mixed_dots(rows, residual, &mut self.pulls);
        }
        let parts = rows.par_chunks(atoms_of_a_thread * residual.len());
        parts
            .zip(self.pulls.par_chunks_mut(atoms_of_a_thread))
            .for_each(|(rows, pulls)| mixed_dots(rows, residual, pulls));
    }

    fn greatest_pull(&self) -> f64 {
        self.pulls.iter().fold(0.0, |most, pull| pull.abs().max(most))
    }

    fn objective(&self) -> f64 {
        0.5 * self.residual.dot(&self.residual) + self.lambda * self.search.price()
    }

    fn is_closed(&self) -> bool {
        let (square, along) = (self.residual.dot(&self.residual), self.query.dot(&self.residual));
        let greatest = self.greatest_pull();
        let most = if greatest > self.lambda { self.lambda / greatest } else { 1.0 };
        let share = if square > 0.0 { (along / square).clamp(0.0, most) } else { 0.0 };
        self.objective() - share * (along - 0.5 * share * square) <= CLOSED * 0.5 * self.query.dot(self.query)
    }

    /// Takes in the atoms that pull most, at most as many as there are; says whether there was one.
    fn grow(&mut self) -> bool {
        let pulls_more = |atom: &usize| !self.is_member[*atom] && self.pulls[*atom].abs() > self.least_pull;
        let mut fresh: Vec<usize> = (0..self.pulls.len()).filter(pulls_more).collect();
        let most = self.members.len().max(FIRST);
        if fresh.len() > most {
            let pull = |atom: usize| self.pulls[atom].abs();
            fresh.select_nth_unstable_by(most - 1, |a, b| pull(*b).total_cmp(&pull(*a)).then(a.cmp(b)));
            fresh.truncate(most);
            fresh.sort_unstable();
        }
        if fresh.is_empty() {
            return false;
        }
        let rows = self.atoms.select(Axis(0), &fresh).mapv(f64::from);
        let wanted = rows.dot(self.query);
        let (across, within) = (self.rows.dot(&rows.t()), rows.dot(&rows.t()));
        self.search.grow(&across, &within, &wanted);
        self.rows = joined(&self.rows, &rows);
        fresh.iter().for_each(|atom| self.is_member[*atom] = true);
        self.members.extend(fresh);
        true
    }

    /// Solves on the working set and looks at all atoms again; returns the number of iterations.
    fn solve(&mut self, most: usize) -> usize {
        let made = self.search.run(most);
        self.residual.assign(self.query);
        for (row, value) in self.rows.outer_iter().zip(self.search.coefficients()).filter(|(_, value)| **value != 0.0) {
            self.residual.scaled_add(-value, &row);
        }
        self.look();
        made
    }

    fn coefficients(&self) -> Array1<f64> {
        let mut all = Array1::zeros(self.pulls.len());
        self.members.iter().zip(self.search.coefficients()).for_each(|(atom, value)| all[*atom] = *value);
        all
    }
}

fn joined(above: &Array2<f64>, below: &Array2<f64>) -> Array2<f64> {
    let mut all = Array2::zeros((above.nrows() + below.nrows(), below.ncols()));
    all.slice_mut(s![..above.nrows(), ..]).assign(above);
    all.slice_mut(s![above.nrows().., ..]).assign(below);
    all
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
    fn many_atoms_are_looked_at_in_parts_and_the_answer_is_the_optimum() {
        let mut random = crate::random::SplitMix64::new(3);
        let d = 1_024;
        let m = 2 * A_THREAD / d + 7;
        let atoms = Array2::from_shape_simple_fn((m, d), || (random.next_unit() as f32 - 0.5) / 9.0);
        let query = &atoms.row(1) * 0.7 - &atoms.row(m - 1) * 0.6 + &atoms.row(m / 2) * 0.5;
        let found = code(&atoms, &query, 0.1, 80);
        assert!(distance_from_optimum(&atoms, &found, 0.1) < 1e-9);
        assert!(found.coefficients[1] > 0.1 && found.coefficients[m - 1] < -0.1 && found.iterations < 80);
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
