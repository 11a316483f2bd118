use proptest::prelude::*;

use super::*;
use crate::graph::tests::{Listed, block, both_ways, divide, shuffled_and_divided};
use crate::graph::{Graph, INHIBITORY};
use crate::ids::IdSet;

const PARAMS: PageRankParams = PageRankParams { restart: 0.15, tolerance: 1e-12, max_visits: 5_000_000 };

fn run(blocks: &[&Graph], seeds: &[(i64, f32)], allowed: Option<&[i64]>, params: &PageRankParams) -> PageRank {
    let allowed = allowed.map(|ids| IdSet::new("allowed", ids).unwrap());
    let (ids, weights): (Vec<i64>, Vec<f32>) = seeds.iter().copied().unzip();
    pagerank(&Union::new(blocks, allowed.as_ref()), &ids, &weights, params).unwrap()
}

fn score(found: &PageRank, id: i64) -> f64 {
    found.ids.iter().position(|&i| i == id).map_or(0.0, |i| found.scores[i])
}

#[test]
fn two_nodes_have_the_scores_of_the_closed_form() {
    let found = run(&[&block(&both_ways(&[(1, 2, 0.3, 0)]), None)], &[(1, 1.0)], None, &PARAMS);
    // v1 = (1 - c) v2 + c, v2 = (1 - c) v1.
    let first = 0.15 / (1.0 - 0.85 * 0.85);
    assert!((score(&found, 1) - first).abs() < 1e-10 && (score(&found, 2) - 0.85 * first).abs() < 1e-10);
    assert!(found.converged && !found.fell_back && found.iterations > 1);
}

#[test]
fn the_mass_of_a_dead_end_goes_back_to_the_seeds() {
    let found = run(&[&block(&[(1, 2, 1.0, 0)], None)], &[(1, 1.0)], None, &PARAMS);
    // v1 = (1 - c) v2 + c, v2 = (1 - c) v1: the same as if 2 led back to 1.
    assert!((score(&found, 1) - 0.15 / (1.0 - 0.85 * 0.85)).abs() < 1e-10);
}

#[test]
fn an_inhibitory_edge_is_not_walked() {
    let found = run(&[&block(&[(1, 2, 1.0, INHIBITORY)], None)], &[(1, 1.0)], None, &PARAMS);
    assert_eq!((found.ids, found.scores), (vec![1], vec![1.0]));
}

#[test]
fn a_seed_that_no_block_knows_keeps_its_mass_and_no_seed_gives_an_empty_answer() {
    assert_eq!(run(&[], &[(7, 3.0)], None, &PARAMS).scores, vec![1.0]);
    for found in [run(&[], &[], None, &PARAMS), run(&[], &[(7, 1.0)], Some(&[8]), &PARAMS)] {
        assert!(found.ids.is_empty() && found.converged);
    }
}

#[test]
fn past_its_budget_it_takes_two_hops_with_half_the_score_each_and_says_so() {
    let chain = block(&both_ways(&[(1, 2, 1.0, 0), (2, 3, 1.0, 0), (3, 4, 1.0, 0)]), None);
    let found = run(&[&chain], &[(1, 1.0)], None, &PageRankParams { max_visits: 3, ..PARAMS });
    assert_eq!((found.ids, found.scores), (vec![1, 2, 3], vec![1.0, 0.5, 0.25]));
    assert!(found.fell_back && !found.converged && found.iterations > 0);
}

#[test]
fn the_fallback_keeps_the_greatest_of_several_paths() {
    let diamond = [(1, 2, 1.0, 0), (1, 3, 0.5, 0), (2, 4, 0.5, 0), (3, 4, 0.5, 0), (1, 4, 0.1, INHIBITORY)];
    let found = run(&[&block(&diamond, None)], &[(1, 1.0)], None, &PageRankParams { max_visits: 0, ..PARAMS });
    assert_eq!(found.ids, vec![1, 2, 3, 4]);
    assert!((score(&found, 4) - 0.125).abs() < 1e-5, "by 2, not by 3: {}", score(&found, 4));
}

#[test]
fn bad_seeds_and_parameters_are_named() {
    let graph = Union::new(&[], None);
    let fails = |weights: &[f32], params: &PageRankParams, field: &str| {
        let ids = vec![1; weights.len()];
        let error = pagerank(&graph, &ids, weights, params).unwrap_err();
        assert!(error.to_string().starts_with(field), "{error}");
    };
    fails(&[f32::NAN], &PARAMS, "seed_weights");
    fails(&[-0.5], &PARAMS, "seed_weights: -0.5 at 0");
    fails(&[0.0, 0.0], &PARAMS, "seed_weights");
    fails(&[1.0], &PageRankParams { restart: 0.0, ..PARAMS }, "restart");
    fails(&[1.0], &PageRankParams { restart: 1.1, ..PARAMS }, "restart");
    fails(&[1.0], &PageRankParams { tolerance: 0.0, ..PARAMS }, "tolerance");
}

/// (I − (1 − c)(A + dangling))·v = c·u by Gaussian elimination over ids 0..9.
fn solved(edges: &[Listed], seeds: &[(i64, f32)], allowed: &[i64]) -> Vec<f64> {
    let mut share = [0.0f64; 9];
    for (id, weight) in seeds.iter().filter(|(id, _)| allowed.contains(id)) {
        share[*id as usize] += f64::from(*weight);
    }
    let total: f64 = share.iter().sum();
    if total == 0.0 {
        return vec![0.0; 9];
    }
    let share = share.map(|s| s / total);
    let mut rows: Vec<Vec<f64>> = (0..9).map(|i| (0..9).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for source in 0..9i64 {
        let out = |e: &&Listed| e.0 == source && e.3 != INHIBITORY && allowed.contains(&e.1);
        let weight = |e: &Listed| f64::from((e.2 * 65535.0).round());
        let sum: f64 = edges.iter().filter(out).map(weight).sum();
        for e in edges.iter().filter(out).filter(|_| sum > 0.0) {
            rows[e.1 as usize][source as usize] -= 0.85 * weight(e) / sum;
        }
        for target in (0..9).filter(|_| sum == 0.0) {
            rows[target][source as usize] -= 0.85 * share[target];
        }
    }
    for (row, s) in rows.iter_mut().zip(share) {
        row.push(0.15 * s);
    }
    eliminate(rows)
}

fn eliminate(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs())).unwrap();
        rows.swap(i, pivot);
        let pivot = rows[i].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let factor = row[i] / pivot[i];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}

fn some_seeds() -> impl Strategy<Value = Vec<(i64, f32)>> {
    prop::collection::vec((0i64..9, 0.1f32..2.0), 1..4)
}

proptest! {
    #[test]
    fn the_iteration_equals_the_solved_equation(
        (edges, _, dealt) in shuffled_and_divided(), seeds in some_seeds(),
        allowed in prop::sample::subsequence((0i64..9).collect::<Vec<_>>(), 0..=9)
    ) {
        let blocks = divide(&edges, &dealt);
        let found = run(&blocks.iter().collect::<Vec<_>>(), &seeds, Some(&allowed), &PARAMS);
        let exact = solved(&edges, &seeds, &allowed);
        for id in 0..9i64 {
            prop_assert!((score(&found, id) - exact[id as usize]).abs() < 1e-9);
        }
        prop_assert!(found.ids.is_empty() || (found.scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn pulling_from_any_step_on_equals_pushing_in_every_bit(
        (edges, _, _) in shuffled_and_divided(), seeds in some_seeds(), budget in prop_oneof![0usize..400, Just(1 << 20)],
        wide in prop_oneof![1usize..4, Just(usize::MAX)], cap in prop::option::of(1usize..4), many in 0i64..40
    ) {
        let mut edges = edges;
        edges.extend((0..many).map(|i| (i % 9, 9 + i * i % 31, 0.3 + i as f32 / 99.0, 0)));
        edges.extend((0..many).map(|i| (9 + i * i % 31, i % 3, 0.9 - i as f32 / 99.0, 0)));
        let graph = block(&edges, cap);
        let blocks = [&graph];
        let union = Union::new(&blocks, None);
        let (ids, weights): (Vec<i64>, Vec<f32>) = seeds.iter().copied().unzip();
        let seeds = shares(&union, &ids, &weights).unwrap();
        for tolerance in [1e-3, 1e-6, 1e-12] {
            let params = PageRankParams { max_visits: budget, tolerance, ..PARAMS };
            let pushed = walk(&union, &seeds, &params, 0);
            prop_assert_eq!(&walk(&union, &seeds, &params, wide), &pushed);
            prop_assert_eq!(&walk(&union, &seeds, &params, usize::MAX), &pushed, "from the first step, out of what is kept");
        }
    }

    #[test]
    fn order_and_division_of_the_edges_change_no_bit(
        (edges, shuffled, dealt) in shuffled_and_divided(), seeds in some_seeds(), budget in 0usize..200
    ) {
        let params = PageRankParams { max_visits: budget, tolerance: 1e-6, ..PARAMS };
        let whole = run(&[&block(&edges, None)], &seeds, None, &params);
        prop_assert_eq!(&run(&[&block(&shuffled, None)], &seeds, None, &params), &whole);
        let blocks = divide(&shuffled, &dealt);
        let turned: Vec<(i64, f32)> = seeds.iter().rev().copied().collect();
        prop_assert_eq!(&run(&blocks.iter().rev().collect::<Vec<_>>(), &turned, None, &params), &whole);
    }
}
