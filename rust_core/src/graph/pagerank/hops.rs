//! What is offered where PageRank would take too long.

use super::super::reached::Reached;
use super::super::{Union, strength_of};

/// How far the fallback goes.
pub const HOPS: usize = 2;
/// What the fallback keeps of a score in each hop, beside the edge's strength.
const HOP_DECAY: f64 = 0.5;

/// Bounded hops: each hop keeps half a score times the strength, a node keeps the greatest it was offered.
pub(super) fn hops(graph: &Union<'_>, seeds: &[(i64, f64)]) -> Vec<(f64, i64)> {
    let mut reached = Reached::new(*graph);
    seeds.iter().for_each(|&(id, _)| reached.begin(id));
    let mut best: Vec<f64> = seeds.iter().map(|&(_, score)| score).collect();
    let mut frontier: Vec<usize> = (0..seeds.len()).collect();
    let mut edges = Vec::new();
    for _ in 0..HOPS {
        // What a node had when the hop began is what it gives in it.
        let scores: Vec<f64> = frontier.iter().map(|&place| best[place]).collect();
        let mut raised = Vec::new();
        for (&place, score) in frontier.iter().zip(scores) {
            reached.edges_of(place, &mut edges);
            for edge in edges.iter().filter(|edge| !edge.inhibits()) {
                let offered = score * HOP_DECAY * strength_of(edge.strength);
                let Some(target) = reached.place(edge.at.0 as usize, edge.at.1) else { continue };
                if target == best.len() {
                    best.push(0.0);
                }
                if offered > best[target] {
                    best[target] = offered;
                    raised.push(target);
                }
            }
        }
        raised.sort_unstable();
        raised.dedup();
        frontier = raised;
    }
    best.into_iter().zip(reached.ids().iter().copied()).collect()
}
