use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::graph::tests::{Listed, block, both_ways, divide, shuffled_and_divided};
use crate::graph::{Graph, INHIBITORY};
use crate::ids::IdSet;

const PARAMS: SpreadParams =
    SpreadParams { steps: 2, decay: 0.6, threshold: 0.05, teleport_alpha: 0.15, max_active: 10_000, max_outflow: None };

fn run(blocks: &[&Graph], seeds: &[(i64, f32)], allowed: Option<&[i64]>, params: &SpreadParams) -> Spread {
    let allowed = allowed.map(|ids| IdSet::new("allowed", ids).unwrap());
    let (ids, energies): (Vec<i64>, Vec<f32>) = seeds.iter().copied().unzip();
    spread(&Union::new(blocks, allowed.as_ref()), &ids, &energies, params).unwrap()
}

fn energies(spread: &Spread) -> BTreeMap<i64, f32> {
    spread.ids.iter().copied().zip(spread.energies.iter().copied()).collect()
}

fn assert_energies(spread: &Spread, expected: &[(i64, f32)]) {
    let found = energies(spread);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (id, energy) in expected {
        assert!((found[id] - energy).abs() < 1e-5, "{id}: {} is not {energy}", found[id]);
    }
}

fn chain() -> Graph {
    block(&both_ways(&[(1, 2, 0.9, 0), (2, 3, 0.85, 0), (3, 4, 0.7, 0)]), None)
}

fn rival() -> Graph {
    block(&both_ways(&[(1, 2, 0.9, 0), (1, 3, 0.5, INHIBITORY)]), None)
}

#[test]
fn the_chain_without_teleport_has_its_golden_energies() {
    let found = run(&[&chain()], &[(1, 1.0)], None, &SpreadParams { teleport_alpha: 0.0, ..PARAMS });
    assert_energies(&found, &[(1, 1.291605), (2, 1.080009), (3, 0.275404)]);
    assert_eq!((found.ids, found.clamped), (vec![1, 2, 3], 0));
}

#[test]
fn the_chain_with_teleport_has_its_golden_energies() {
    let found = run(&[&chain()], &[(1, 1.0)], None, &PARAMS);
    assert_energies(&found, &[(1, 1.179082), (2, 0.918008), (3, 0.198979)]);
}

#[test]
fn an_inhibitory_edge_has_its_golden_energies_and_the_inhibited_node_gives_none() {
    let one = run(&[&rival()], &[(1, 1.0)], None, &SpreadParams { steps: 1, ..PARAMS });
    assert_energies(&one, &[(1, 1.0), (2, 0.459004), (3, -0.600009)]);
    let two = run(&[&rival()], &[(1, 1.0)], None, &PARAMS);
    assert_energies(&two, &[(1, 1.179082), (2, 0.918008), (3, -1.200018)]);
    assert_eq!(two.ids, vec![3, 1, 2], "by |energy|");
}

#[test]
fn energy_never_enters_or_passes_a_node_outside_the_scope() {
    let found = run(&[&chain()], &[(1, 1.0), (4, 1.0)], Some(&[1, 2, 4]), &SpreadParams { steps: 9, ..PARAMS });
    assert_eq!(found.ids.len(), 3);
    assert_eq!(energies(&found)[&4], 1.0, "cut off: it keeps its own");
    assert!(run(&[&chain()], &[(1, 1.0)], Some(&[2]), &PARAMS).ids.is_empty(), "nor is a seed outside it one");
}

#[test]
fn many_sources_meet_the_bound_and_the_node_is_counted() {
    let star: Vec<Listed> = (1..9).map(|i| (i, 100, 1.0, 0)).collect();
    let seeds: Vec<(i64, f32)> = (1..9).map(|i| (i, 2.0)).collect();
    let found = run(&[&block(&star, None)], &seeds, None, &PARAMS);
    assert_eq!((energies(&found)[&100], found.clamped), (2.0, 1));
}

#[test]
fn a_bounded_outflow_scales_ordinary_edges_only() {
    let mut edges: Vec<Listed> = (1..5).map(|i| (0, i, 1.0, 0)).collect();
    edges.push((0, 9, 1.0, INHIBITORY));
    let graph = block(&edges, None);
    let params = SpreadParams { steps: 1, threshold: 0.0, teleport_alpha: 0.0, ..PARAMS };
    let free = energies(&run(&[&graph], &[(0, 1.0)], None, &params));
    let bounded = SpreadParams { max_outflow: Some(2.0), ..params };
    let held = energies(&run(&[&graph], &[(0, 1.0)], None, &bounded));
    assert_eq!((free[&1], held[&1]), (0.6, 0.3));
    assert_eq!((free[&9], held[&9]), (-1.2, -1.2));
    let narrow = energies(&run(&[&graph], &[(0, 1.0)], Some(&[0, 1, 2]), &bounded));
    assert_eq!(narrow[&1], 0.6, "what is outside the scope takes no share");
}

#[test]
fn only_the_strongest_nodes_give_and_ties_go_to_the_lower_id() {
    let graph = block(&[(1, 11, 1.0, 0), (2, 12, 1.0, 0), (3, 13, 1.0, 0)], None);
    let params = SpreadParams { steps: 1, max_active: 2, ..PARAMS };
    let found = energies(&run(&[&graph], &[(1, 0.5), (2, 0.5), (3, 0.9)], None, &params));
    assert!(found.contains_key(&13) && found.contains_key(&11) && !found.contains_key(&12));
}

#[test]
fn weak_nodes_stay_silent_and_weak_contributions_are_dropped() {
    let graph = block(&[(1, 2, 1.0, 0), (3, 4, 0.01, 0)], None);
    let found = energies(&run(&[&graph], &[(1, 0.0499), (3, 1.0)], None, &PARAMS));
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), vec![1, 3]);
}

#[test]
fn seeds_of_one_id_are_summed_and_held_to_the_bound() {
    let none = SpreadParams { steps: 0, ..PARAMS };
    let found = run(&[], &[(5, 0.1), (5, 0.2), (6, 7.0), (7, 0.0)], None, &none);
    assert_energies(&found, &[(5, 0.3), (6, 2.0)]);
    assert_eq!(run(&[], &[], None, &PARAMS), Spread::default());
}

#[test]
fn bad_seeds_and_parameters_are_named() {
    let graph = Union::new(&[], None);
    let fails = |ids: &[i64], values: &[f32], params: &SpreadParams, field: &str| {
        let error = spread(&graph, ids, values, params).unwrap_err();
        assert!(error.to_string().starts_with(field), "{error}");
    };
    fails(&[1], &[f32::NAN], &PARAMS, "seed_energies: NaN at 0");
    fails(&[1], &[f32::INFINITY], &PARAMS, "seed_energies");
    fails(&[-1], &[1.0], &PARAMS, "seed_ids");
    fails(&[1, 2], &[1.0], &PARAMS, "seed_energies: dimension");
    fails(&[], &[], &SpreadParams { steps: 101, ..PARAMS }, "steps");
    fails(&[], &[], &SpreadParams { decay: 1.1, ..PARAMS }, "decay");
    fails(&[], &[], &SpreadParams { teleport_alpha: f64::NAN, ..PARAMS }, "teleport_alpha");
    fails(&[], &[], &SpreadParams { threshold: -0.1, ..PARAMS }, "threshold");
    fails(&[], &[], &SpreadParams { max_active: 0, ..PARAMS }, "max_active");
    fails(&[], &[], &SpreadParams { max_outflow: Some(0.0), ..PARAMS }, "max_outflow");
}

/// The same recurrence on dense arrays over ids 0..9, written from its definition.
fn dense(edges: &[Listed], seeds: &[(i64, f32)], allowed: &[i64], params: &SpreadParams) -> [f64; 9] {
    let inside = |id: &i64| allowed.contains(id);
    let mut start = [0.0f64; 9];
    for (id, energy) in seeds.iter().filter(|(id, _)| inside(id)) {
        start[*id as usize] += f64::from(*energy);
    }
    start = start.map(|e| e.clamp(-2.0, 2.0));
    let mut now = start;
    for _ in 0..params.steps {
        let mut active: Vec<usize> = (0..9).filter(|&i| now[i].abs() >= params.threshold && now[i] != 0.0).collect();
        active.sort_by(|&a, &b| now[b].abs().total_cmp(&now[a].abs()).then(a.cmp(&b)));
        active.truncate(params.max_active);
        let mut arriving = [0.0f64; 9];
        for &i in active.iter().filter(|&&i| now[i] > 0.0) {
            let out: Vec<&Listed> = edges.iter().filter(|e| e.0 == i as i64 && inside(&e.1)).collect();
            let weight = |e: &Listed| f64::from((e.2 * 65535.0).round()) / 65535.0;
            let sum: f64 = out.iter().filter(|e| e.3 != INHIBITORY).map(|e| weight(e)).sum();
            let scale = params.max_outflow.map_or(1.0, |bound| if sum > bound { bound / sum } else { 1.0 });
            for e in out {
                let c = match e.3 {
                    INHIBITORY => -now[i].abs() * weight(e) * params.decay * 2.0,
                    _ => now[i] * weight(e) * scale * params.decay * (1.0 - params.teleport_alpha),
                };
                arriving[e.1 as usize] += if c.abs() < params.threshold / 2.0 { 0.0 } else { c };
            }
        }
        for i in 0..9 {
            now[i] = (now[i] + arriving[i]).clamp(-2.0, 2.0);
            if seeds.iter().any(|(id, _)| *id == i as i64 && inside(id)) {
                now[i] = (1.0 - params.teleport_alpha) * now[i] + params.teleport_alpha * start[i];
            }
        }
    }
    now
}

fn some_seeds() -> impl Strategy<Value = Vec<(i64, f32)>> {
    prop::collection::vec((0i64..9, -1f32..2.0), 0..4)
}

proptest! {
    #[test]
    fn the_walk_equals_the_dense_recurrence(
        (edges, _, dealt) in shuffled_and_divided(), seeds in some_seeds(),
        allowed in prop::sample::subsequence((0i64..9).collect::<Vec<_>>(), 0..=9),
        steps in 0usize..5, bound in prop::option::of(0.1f64..3.0)
    ) {
        // A threshold that no sum of these inputs meets exactly.
        let params = SpreadParams { steps, threshold: 0.050_001_3, max_outflow: bound, ..PARAMS };
        let blocks = divide(&edges, &dealt);
        let found = run(&blocks.iter().collect::<Vec<_>>(), &seeds, Some(&allowed), &params);
        let exact = dense(&edges, &seeds, &allowed, &params);
        let found = energies(&found);
        for id in 0..9i64 {
            let energy = found.get(&id).copied().unwrap_or(0.0);
            prop_assert!((f64::from(energy) - exact[id as usize]).abs() < 1e-6, "{} {} {}", id, energy, exact[id as usize]);
        }
    }

    #[test]
    fn order_and_division_of_the_edges_change_no_bit(
        (edges, shuffled, dealt) in shuffled_and_divided(), seeds in some_seeds(), steps in 0usize..5
    ) {
        let params = SpreadParams { steps, threshold: 0.0, ..PARAMS };
        let whole = run(&[&block(&edges, None)], &seeds, None, &params);
        prop_assert_eq!(&run(&[&block(&shuffled, None)], &seeds, None, &params), &whole);
        let blocks = divide(&shuffled, &dealt);
        let back: Vec<&Graph> = blocks.iter().rev().collect();
        prop_assert_eq!(&run(&back, &seeds, None, &params), &whole);
        let twice: Vec<&Graph> = blocks.iter().chain(&blocks).collect();
        prop_assert_eq!(&run(&twice, &seeds, None, &params), &whole, "an edge in two blocks counts once");
        let turned: Vec<(i64, f32)> = seeds.iter().rev().copied().collect();
        prop_assert_eq!(&run(&back, &turned, None, &params), &whole);
        prop_assert!(whole.energies.iter().all(|e| e.abs() <= 2.0));
    }
}

#[test]
fn no_energy_enters_or_leaves_what_is_hidden() {
    let chain = chain();
    let hidden = IdSet::new("hidden", &[3]).unwrap();
    let blocks = [&chain];
    let seen = Union::new(&blocks, None).without(Some(&hidden));
    let long = SpreadParams { steps: 9, ..PARAMS };
    let found = spread(&seen, &[1, 3], &[1.0, 1.0], &long).unwrap();
    assert_eq!(found, run(&[&chain], &[(1, 1.0)], Some(&[1, 2]), &long));
}
