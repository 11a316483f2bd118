use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Edges as a test writes them: source, target, strength, type.
pub(crate) type Listed = (i64, i64, f32, u8);

pub(crate) fn block(edges: &[Listed], max_degree: Option<usize>) -> Graph {
    let mut graph = Graph::new(max_degree).unwrap();
    add(&mut graph, edges).unwrap();
    graph
}

pub(crate) fn add(graph: &mut Graph, edges: &[Listed]) -> Result<(), CoreError> {
    let sources: Vec<i64> = edges.iter().map(|e| e.0).collect();
    let targets: Vec<i64> = edges.iter().map(|e| e.1).collect();
    let strengths: Vec<f32> = edges.iter().map(|e| e.2).collect();
    let types: Vec<u8> = edges.iter().map(|e| e.3).collect();
    graph.add_edges(&sources, &targets, &strengths, &types)
}

pub(crate) fn both_ways(edges: &[Listed]) -> Vec<Listed> {
    edges.iter().flat_map(|&(a, b, w, t)| [(a, b, w, t), (b, a, w, t)]).collect()
}

/// Random edges among few nodes, a third of them inhibitory, one a key.
pub(crate) fn some_edges() -> impl Strategy<Value = Vec<Listed>> {
    let kind = prop_oneof![Just(0u8), Just(3u8), Just(INHIBITORY)];
    prop::collection::vec((0i64..9, 0i64..9, 0f32..=1.0, kind), 0..40).prop_map(|edges| {
        let keyed: BTreeMap<(i64, i64, u8), f32> = edges.into_iter().map(|(a, b, w, t)| ((a, b, t), w)).collect();
        keyed.into_iter().map(|((a, b, t), w)| (a, b, w, t)).collect()
    })
}

/// A random graph, the same edges in another order, and those dealt out to three blocks.
pub(crate) fn shuffled_and_divided() -> impl Strategy<Value = (Vec<Listed>, Vec<Listed>, Vec<usize>)> {
    some_edges().prop_flat_map(|edges| {
        let dealt = prop::collection::vec(0usize..3, edges.len());
        (Just(edges.clone()), Just(edges).prop_shuffle(), dealt)
    })
}

pub(crate) fn divide(edges: &[Listed], dealt: &[usize]) -> Vec<Graph> {
    let part = |k| edges.iter().zip(dealt).filter(|(_, d)| **d == k).map(|(e, _)| *e).collect::<Vec<_>>();
    (0..3).map(|k| block(&part(k), None)).collect()
}

#[test]
fn an_edge_takes_eight_bytes() {
    assert_eq!(size_of::<Edge>(), 8);
}

#[test]
fn writing_an_edge_again_sets_it_and_another_type_is_another_edge() {
    let graph = block(&[(1, 2, 0.5, 0), (1, 2, 0.25, 3), (1, 2, 1.0, 0)], None);
    let found = graph.neighbors(1).unwrap();
    assert_eq!((found.targets, found.types), (vec![2, 2], vec![0, 3]));
    assert_eq!(found.strengths, vec![1.0, 16384.0 / 65535.0]);
    assert_eq!((graph.node_count(), graph.edge_count()), (2, 2));
}

#[test]
fn strengths_are_clamped_and_rounded_to_65535ths() {
    let graph = block(&[(1, 2, 7.0, 0), (1, 3, -7.0, 0), (1, 4, 0.1, 0)], None);
    assert_eq!(graph.neighbors(1).unwrap().strengths, vec![1.0, 0.0, 6554.0 / 65535.0]);
}

#[test]
fn bad_input_is_named_and_leaves_the_graph_as_it_was() {
    let mut graph = block(&[(1, 2, 0.5, 0)], None);
    for (edge, field) in [
        ((-1, 2, 0.5, 0), "sources"),
        ((1, -2, 0.5, 0), "targets"),
        ((1, 2, f32::NAN, 0), "strengths"),
        ((1, 2, f32::INFINITY, 0), "strengths"),
        ((1, 2, 0.5, 7), "types"),
    ] {
        let error = add(&mut graph, &[(8, 9, 1.0, 0), edge]).unwrap_err();
        assert!(error.to_string().starts_with(field), "{error}");
        assert_eq!((graph.node_count(), graph.edge_count()), (2, 1));
    }
    let uneven = graph.add_edges(&[1], &[2, 3], &[0.5], &[0]);
    assert_eq!(uneven, Err(CoreError::Dimension { field: "targets", expected: 1, got: 2 }));
    assert!(Graph::new(Some(0)).is_err());
    assert!(graph.neighbors(-1).is_err() && graph.remove_nodes(&[-1]).is_err());
}

#[test]
fn a_removed_edge_takes_the_nodes_that_only_it_touched() {
    let mut graph = block(&[(1, 2, 0.5, 0), (1, 2, 0.5, 255), (2, 3, 0.5, 0)], None);
    assert_eq!(graph.remove_edges(&[1, 1, 7], &[2, 2, 8]).unwrap(), 2, "both types, once");
    assert_eq!((graph.node_count(), graph.edge_count()), (2, 1));
    assert_eq!(graph.neighbors(1).unwrap(), Neighbors::default());
}

#[test]
fn the_cap_keeps_the_strongest_edges_and_a_removal_makes_room_again() {
    let mut graph = block(&[(1, 5, 0.5, 0), (1, 4, 0.5, 0), (1, 3, 0.9, 0), (1, 2, 0.1, 0)], Some(2));
    assert_eq!(graph.neighbors(1).unwrap().targets, vec![3, 4], "ties to the lower target");
    assert_eq!(graph.edge_count(), 2);
    graph.remove_edges(&[1], &[3]).unwrap();
    assert_eq!(graph.neighbors(1).unwrap().targets, vec![4, 5]);
}

#[test]
fn memory_grows_with_edges_and_counts_at_least_their_bytes() {
    let star: Vec<Listed> = (1..1000).map(|i| (0, i, 0.5, 0)).collect();
    assert!(block(&star, None).memory_bytes() >= 999 * 8);
    assert_eq!(Graph::default().memory_bytes(), 0);
}

fn listed(graph: &Graph) -> Vec<(i64, i64, u16, u8)> {
    let mut all = Vec::new();
    for source in 0..12 {
        let found = graph.neighbors(source).unwrap();
        for (i, &target) in found.targets.iter().enumerate() {
            all.push((source, target, (found.strengths[i] * FULL).round() as u16, found.types[i]));
        }
    }
    all
}

proptest! {
    #[test]
    fn a_graph_is_a_function_of_its_edges_whatever_was_added_and_removed(
        (edges, shuffled, dealt) in shuffled_and_divided(), gone in prop::collection::vec(0i64..9, 0..4)
    ) {
        let mut graph = Graph::default();
        for part in 0..3 {
            let edges: Vec<Listed> = shuffled.iter().zip(&dealt).filter(|x| *x.1 == part).map(|x| *x.0).collect();
            add(&mut graph, &edges).unwrap();
        }
        prop_assert_eq!(listed(&graph), listed(&block(&edges, None)));
        let stays = |e: &&Listed| !gone.contains(&e.0) && !gone.contains(&e.1);
        let left = block(&edges.iter().filter(stays).copied().collect::<Vec<_>>(), None);
        graph.remove_nodes(&gone).unwrap();
        prop_assert_eq!(listed(&graph), listed(&left));
        prop_assert_eq!((graph.node_count(), graph.edge_count()), (left.node_count(), left.edge_count()));
        prop_assert!(graph.in_degree.iter().map(|&d| d as usize).sum::<usize>() == graph.edge_count());
    }
}
