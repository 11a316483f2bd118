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
//! two. What is coded in often is a [`Dictionary`]: its atoms stand in a byte a component as well, which is all that is
//! read of most of them. F never rises from one iteration to the next.

mod screen;
mod search;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use crate::CoreError;
use crate::graph::check_length;
use crate::matrix::{check_finite_rows, finite_vector};
use crate::vectors::simd::{MOST_COMPONENTS, mixed_dots};
use screen::Screen;
use search::Search;

/// A gap of less than this share of ½‖q‖² is closed.
const CLOSED: f64 = 1e-14;
/// An atom that pulls with more than λ by less than this share of the greatest pull is left out: rounding.
const NO_MORE: f64 = 1e-12;
/// Atoms in the first working set: mostly few are enough.
const FIRST: usize = 10;
/// The least by which it grows, and how many are first in few dimensions: there many may be wanted, and iterations count.
const MORE: usize = 32;
/// Dimensions that are not few.
const MANY: usize = 128;
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
    let problem = WorkingSet::new(atoms.view(), None, &query, params.lambda);
    // A product is finite just where its row is, so the first look at the atoms is the check too.
    if problem.pulls.iter().any(|pull| !pull.is_finite()) {
        check_finite_rows("atoms", atoms.view())?;
    }
    Ok(solved(problem, params))
}

/// What atoms are looked at by, made once for many queries.
///
/// ```
/// use memcore_core::fista::{Dictionary, FistaParams};
/// use ndarray::array;
///
/// let atoms = array![[1.0, 0.0], [0.0, 1.0]];
/// let dictionary = Dictionary::new(atoms.view())?;
/// let code = dictionary.code(atoms.view(), array![0.5, 0.05].view(), FistaParams::new(0.1, 80)?)?;
/// assert!((code.coefficients[0] - 0.4).abs() < 1e-7);
/// # Ok::<(), memcore_core::CoreError>(())
/// ```
#[derive(Debug)]
pub struct Dictionary {
    shape: (usize, usize),
    /// None of more components than an integer product holds.
    screen: Option<Screen>,
}

impl Dictionary {
    /// Of atoms (m, d).
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn new(atoms: ArrayView2<'_, f32>) -> Result<Self, CoreError> {
        check_finite_rows("atoms", atoms)?;
        let screen = (1..=MOST_COMPONENTS).contains(&atoms.ncols()).then(|| Screen::of(atoms));
        Ok(Self { shape: atoms.dim(), screen })
    }

    /// As [`fista`], up to rounding. `atoms` are those that it was made of.
    ///
    /// # Errors
    /// Other numbers of atoms or components, or a query that is not finite.
    pub fn code(
        &self,
        atoms: ArrayView2<'_, f32>,
        query: ArrayView1<'_, f32>,
        params: FistaParams,
    ) -> Result<SparseCode, CoreError> {
        check_length("atoms", self.shape.0, atoms.nrows())?;
        check_length("atoms", self.shape.1, atoms.ncols())?;
        let query = finite_vector("query", query, atoms.ncols())?;
        let atoms = atoms.as_standard_layout();
        Ok(solved(WorkingSet::new(atoms.view(), self.screen.as_ref(), &query, params.lambda), params))
    }

    /// Bytes on the heap, without the atoms.
    pub fn memory_bytes(&self) -> usize {
        self.screen.as_ref().map_or(0, Screen::memory_bytes)
    }
}

fn solved(mut problem: WorkingSet<'_>, params: FistaParams) -> SparseCode {
    let mut made = 0;
    while made < params.iterations && !problem.is_closed() && problem.grow() {
        made += problem.solve(params.iterations - made);
    }
    let coefficients = problem.coefficients();
    SparseCode { coefficients, objective: problem.objective(), residual: problem.residual, iterations: made }
}

/// A part of the atoms, the best coefficients of these, and how all atoms pull on what is left over.
struct WorkingSet<'a> {
    atoms: ArrayView2<'a, f32>,
    screen: Option<&'a Screen>,
    query: &'a Array1<f64>,
    lambda: f64,
    members: Vec<usize>,
    is_member: Vec<bool>,
    /// The members' rows.
    rows: Array2<f64>,
    search: Search,
    residual: Array1<f64>,
    /// E·r: exact but where an atom is sure to be below λ, or one is sure to be above it.
    pulls: Vec<f64>,
    /// Whether an atom outside pulls with more than λ for certain, while the pulls are not exact.
    is_open: bool,
    least_pull: f64,
}

impl<'a> WorkingSet<'a> {
    fn new(atoms: ArrayView2<'a, f32>, screen: Option<&'a Screen>, query: &'a Array1<f64>, lambda: f64) -> Self {
        let mut set = Self {
            atoms,
            screen,
            query,
            lambda,
            members: Vec::new(),
            is_member: vec![false; atoms.nrows()],
            rows: Array2::zeros((0, query.len())),
            search: Search::new(lambda),
            residual: query.clone(),
            pulls: vec![0.0; atoms.nrows()],
            is_open: false,
            least_pull: 0.0,
        };
        set.look();
        set.least_pull = lambda + NO_MORE * set.greatest_pull();
        set
    }

    fn look(&mut self) {
        let rows = self.atoms.to_slice().unwrap_or_default(); // in standard layout: `fista` has seen to it
        let residual = self.residual.as_slice().unwrap_or_default();
        if let Some(screen) = self.screen {
            let slack = screen.look(residual, &mut self.pulls);
            let (members, pulls) = (&self.is_member, &mut self.pulls);
            let sure = self.lambda + NO_MORE * pulls.iter().fold(0.0, |most: f64, pull| most.max(pull.abs()));
            let is_over = |atom: usize| !members[atom] && pulls[atom].abs() - screen.bound(atom, slack) > sure;
            self.is_open = (0..pulls.len()).any(is_over);
            let reached = |atom: usize, pull: f64| pull.abs() + screen.bound(atom, slack) >= self.lambda;
            for (atom, pull) in
                pulls.iter_mut().enumerate().filter(|(atom, pull)| !self.is_open && reached(*atom, **pull))
            {
                mixed_dots(&rows[atom * residual.len()..][..residual.len()], residual, std::slice::from_mut(pull));
            }
            return;
        }
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
        if self.is_open {
            return false;
        }
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
        let few_first = self.members.is_empty() && self.query.len() >= MANY;
        let most = if few_first { FIRST } else { self.members.len().max(MORE) };
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
mod tests;
