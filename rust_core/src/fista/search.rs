//! FISTA on the atoms of a working set, with an exact last step.
//!
//! ```text
//! a ← soft(y − ∇f(y)/L, λ/L),   y ← a + ((t − 1)/t′)(a − a₋₁),   t′ = (1 + √(1 + 4t²))/2
//! ```
//!
//! Beck & Teboulle (2009) with L the largest eigenvalue of the Gram matrix, from power iteration, doubled where a step
//! shows it too small. The momentum starts anew whenever F would rise (O'Donoghue & Candès 2015), so F never does.
//! Once two steps leave the signs as they are, the optimum of these signs is G⁻¹(Eq − λ·sign), by Cholesky: it is taken
//! where it has these signs and F does not rise, and is the answer where no other atom of the set pulls with more than λ.

use ndarray::{Array1, Array2, s};

use crate::matrix::norm;
use crate::random::SplitMix64;

/// A step that moves no coefficient by more than this share of the largest one is the last.
const STANDSTILL: f64 = 1e-13;
/// An atom whose part outside the ones before is a smaller share than this of its square length depends on them.
const DEPENDENT: f64 = 1e-11;
/// Pulls are the same up to this share of the greatest.
const ROUNDING: f64 = 1e-12;

/// Coefficients with E·Eᵀ times them, so that a gradient at any mixture of two points costs no product.
#[derive(Clone)]
struct Point {
    coefficients: Array1<f64>,
    image: Array1<f64>,
}

/// The problem on the working set, and the best point so far.
pub struct Search {
    gram: Array2<f64>,
    wanted: Array1<f64>,
    lambda: f64,
    curvature: f64,
    at: Point,
}

impl Search {
    /// Without an atom.
    pub fn new(lambda: f64) -> Self {
        let nothing: Array1<f64> = Array1::zeros(0);
        let at = Point { coefficients: nothing.clone(), image: nothing.clone() };
        Self { gram: Array2::zeros((0, 0)), wanted: nothing, lambda, curvature: 0.0, at }
    }

    /// Takes in atoms with coefficients of 0: their products with those before, with each other and with the query.
    pub fn grow(&mut self, across: &Array2<f64>, within: &Array2<f64>, wanted: &Array1<f64>) {
        let (before, fresh) = across.dim();
        let mut gram = Array2::zeros((before + fresh, before + fresh));
        gram.slice_mut(s![..before, ..before]).assign(&self.gram);
        gram.slice_mut(s![..before, before..]).assign(across);
        gram.slice_mut(s![before.., ..before]).assign(&across.t());
        gram.slice_mut(s![before.., before..]).assign(within);
        self.gram = gram;
        self.wanted = Array1::from_iter(self.wanted.iter().chain(wanted).copied());
        let zeros = std::iter::repeat_n(0.0, fresh);
        let coefficients = Array1::from_iter(self.at.coefficients.iter().copied().chain(zeros));
        self.at = self.point(coefficients);
        self.curvature = largest_eigenvalue(&self.gram);
    }

    /// The coefficients, in the order of taking in.
    pub fn coefficients(&self) -> &Array1<f64> {
        &self.at.coefficients
    }

    /// ‖a‖₁.
    pub fn price(&self) -> f64 {
        self.at.coefficients.iter().map(|value| value.abs()).sum()
    }

    /// Runs until nothing moves; returns the number of iterations.
    pub fn run(&mut self, most: usize) -> usize {
        if self.curvature <= 0.0 {
            return most.min(1);
        }
        let (mut before, mut momentum) = (self.at.clone(), 1.0_f64);
        let mut tried: Vec<f64> = Vec::new();
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
            let signs = signs(&self.at);
            if signs == self::signs(&before) && signs != tried {
                if let Some(best) = self.best_of(&signs)
                    && self.objective(&best) <= self.objective(&self.at)
                {
                    self.at = best;
                    if self.is_optimal() {
                        return iteration;
                    }
                    (before, momentum) = (self.at.clone(), 1.0);
                }
                tried = signs;
            }
        }
        most
    }

    /// The optimum among the coefficients of these signs, if it has them.
    fn best_of(&self, signs: &[f64]) -> Option<Point> {
        let used: Vec<usize> = (0..signs.len()).filter(|atom| signs[*atom] != 0.0).collect();
        let wanted: Vec<f64> = used.iter().map(|atom| self.wanted[*atom] - self.lambda * signs[*atom]).collect();
        let values = solved(&self.gram, &used, wanted)?;
        let keeps = used.iter().zip(&values).all(|(atom, value)| value * signs[*atom] > 0.0);
        let mut coefficients = Array1::zeros(signs.len());
        used.iter().zip(values).for_each(|(atom, value)| coefficients[*atom] = value);
        keeps.then(|| self.point(coefficients))
    }

    /// Whether no atom pulls with more than λ, and each that is used with just λ.
    fn is_optimal(&self) -> bool {
        let rounding = ROUNDING * self.wanted.iter().fold(self.lambda, |most, value| most.max(value.abs()));
        let pulls = self.wanted.iter().zip(&self.at.image).zip(&self.at.coefficients);
        pulls.into_iter().all(|((wanted, image), value)| {
            let pull = wanted - image;
            let over =
                if *value == 0.0 { pull.abs() - self.lambda } else { (pull - self.lambda * value.signum()).abs() };
            over <= rounding
        })
    }

    /// One proximal gradient step from `y`, with the curvature doubled until it bounds the step.
    fn step_from(&mut self, y: &Point) -> Point {
        loop {
            let threshold = self.lambda / self.curvature;
            let slope = &y.image - &self.wanted;
            let target = &y.coefficients - &(slope / self.curvature);
            let found = self.point(target.mapv_into(|value| soft(value, threshold)));
            let way = &found.coefficients - &y.coefficients;
            let bend = way.dot(&(&found.image - &y.image));
            if bend <= self.curvature * way.dot(&way) * (1.0 + 1e-9) {
                return found;
            }
            self.curvature *= 2.0;
        }
    }

    fn point(&self, coefficients: Array1<f64>) -> Point {
        let mut image = Array1::zeros(coefficients.len());
        for (row, value) in self.gram.outer_iter().zip(&coefficients).filter(|(_, value)| **value != 0.0) {
            image.scaled_add(*value, &row);
        }
        Point { coefficients, image }
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

fn signs(point: &Point) -> Vec<f64> {
    point.coefficients.iter().map(|value| if *value == 0.0 { 0.0 } else { value.signum() }).collect()
}

/// The solution of the rows and columns `used` of `gram`, by Cholesky; None where one depends on the others.
fn solved(gram: &Array2<f64>, used: &[usize], wanted: Vec<f64>) -> Option<Vec<f64>> {
    let (size, mut solution) = (used.len(), wanted);
    let mut lower = vec![0.0; size * size];
    for row in 0..size {
        let (above, own) = lower.split_at_mut(row * size);
        for column in 0..row {
            let other = &above[column * size..column * size + column];
            let dot: f64 = own[..column].iter().zip(other).map(|(x, y)| x * y).sum();
            own[column] = (gram[[used[row], used[column]]] - dot) / above[column * size + column];
        }
        let square = gram[[used[row], used[row]]];
        let rest = square - own[..row].iter().map(|x| x * x).sum::<f64>();
        if rest <= DEPENDENT * square {
            return None;
        }
        own[row] = rest.sqrt();
        let dot: f64 = own[..row].iter().zip(&solution).map(|(x, y)| x * y).sum();
        solution[row] = (solution[row] - dot) / own[row];
    }
    for row in (0..size).rev() {
        solution[row] /= lower[row * size + row];
        for column in 0..row {
            solution[column] -= lower[row * size + column] * solution[row];
        }
    }
    Some(solution)
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
