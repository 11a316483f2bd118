use ndarray::array;
use proptest::prelude::*;

use super::*;

fn code(atoms: &Array2<f32>, query: &Array1<f32>, lambda: f64, iterations: usize) -> SparseCode {
    fista(atoms.view(), query.view(), FistaParams::new(lambda, iterations).unwrap()).unwrap()
}

/// −λ ≤ eᵢ·r ≤ λ, and eᵢ·r = λ·sign(aᵢ) where aᵢ ≠ 0.
fn distance_from_optimum(atoms: &Array2<f32>, code: &SparseCode, lambda: f64) -> f64 {
    let pulls = atoms.mapv(f64::from).dot(&code.residual);
    let off = pulls
        .iter()
        .zip(&code.coefficients)
        .map(|(pull, a)| if *a == 0.0 { (pull.abs() - lambda).max(0.0) } else { (pull - lambda * a.signum()).abs() });
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

    #[test]
    fn a_dictionary_finds_the_same_optimum(
        seed in 0u64..1_000, m in 1..90_usize, d in 1..40_usize, share in 0.05..1.2_f64, scale in -3..4_i32
    ) {
        let mut random = crate::random::SplitMix64::new(seed);
        let number = |random: &mut crate::random::SplitMix64| (random.next_unit() as f32 - 0.5) * 10f32.powi(scale);
        let mut atoms = Array2::from_shape_simple_fn((m, d), || number(&mut random));
        atoms.row_mut(m / 2).fill(0.0);
        let query = Array1::from_shape_simple_fn(d, || number(&mut random));
        let greatest = atoms.dot(&query).iter().fold(0.0_f32, |most, pull| most.max(pull.abs()));
        let params = FistaParams::new(share * f64::from(greatest), 20_000).unwrap();
        let plain = fista(atoms.view(), query.view(), params).unwrap();
        let screened = Dictionary::new(atoms.view()).unwrap().code(atoms.view(), query.view(), params).unwrap();
        prop_assume!(plain.iterations.max(screened.iterations) < 20_000);
        let size = query.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>();
        let gap = (plain.objective - screened.objective).abs();
        prop_assert!(gap <= 1e-12 * size, "{gap} of {size}, {} and {}", plain.iterations, screened.iterations);
        let rest = query.mapv(f64::from) - screened.coefficients.dot(&atoms.mapv(f64::from));
        prop_assert!((rest - screened.residual).iter().all(|off| off.abs() <= 1e-9 * (1.0 + size)));
    }
}

#[test]
fn a_dictionary_is_of_its_atoms_and_of_finite_ones() {
    let atoms = array![[1.0_f32, 0.0], [0.0, 1.0]];
    let dictionary = Dictionary::new(atoms.view()).unwrap();
    let params = FistaParams::new(0.1, 80).unwrap();
    assert!(dictionary.memory_bytes() > 0);
    assert!(dictionary.code(array![[1.0, 0.0]].view(), array![1.0, 0.0].view(), params).is_err());
    assert!(dictionary.code(array![[1.0], [0.0]].view(), array![1.0].view(), params).is_err());
    assert!(dictionary.code(atoms.view(), array![1.0, f32::NAN].view(), params).is_err());
    assert!(Dictionary::new(array![[f32::INFINITY, 0.0]].view()).is_err());
    let none = Dictionary::new(Array2::zeros((0, 2)).view()).unwrap();
    assert_eq!(none.code(Array2::zeros((0, 2)).view(), array![1.0, 0.0].view(), params).unwrap().coefficients.len(), 0);
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
