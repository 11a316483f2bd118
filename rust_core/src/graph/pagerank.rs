//! Personalised PageRank: how often a walk that keeps returning to the seeds is at each node.
//!
//! `v = (1 − c)·A·v + c·u` (Jeh & Widom 2003) by power iteration, with `c` the restart probability, `u` the seeds' share
//! and `A` the strengths divided by their sum over each source's ordinary edges. The mass of nodes without such an edge
//! goes back to the seeds. Inhibitory edges are left out. The iteration ends when `‖v′ − v‖₁ < tolerance`; then
//! `‖v − v*‖₁ ≤ tolerance·(1 − c)/c`. The scores sum to 1.
//!
//! Only what is within reach of the seeds is touched: time O(iterations · edges reached), space O(edges reached). When
//! that would take more than `max_visits` edge visits, the answer is instead [`HOPS`] hops from the seeds: each node has
//! the greatest `u·Π(w/2)` over its paths, which does not sum to 1, and `fell_back` is set.
//! Sums run in f64 by ascending id, so neither the order of edges nor their division into blocks changes a bit.

use rustc_hash::FxHashMap;

use super::spread::sum_seeds;
use super::{OutEdge, Union, strength_of};
use crate::CoreError;

/// How far the fallback goes.
pub const HOPS: usize = 2;
/// What the fallback keeps of a score in each hop, beside the edge's strength.
const HOP_DECAY: f64 = 0.5;

/// How to walk; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct PageRankParams {
    /// c, the probability of returning to the seeds in each step, above 0, at most 1.
    pub restart: f64,
    /// The L1 distance of two iterates at which to stop, above 0.
    pub tolerance: f64,
    /// The most edges to visit, counted anew in each iteration.
    pub max_visits: usize,
}

impl PageRankParams {
    fn check(&self) -> Result<(), CoreError> {
        if !(self.restart > 0.0 && self.restart <= 1.0) {
            return Err(CoreError::invalid("restart", self.restart, "give a number above 0, at most 1"));
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(CoreError::invalid("tolerance", self.tolerance, "give a finite number above 0"));
        }
        Ok(())
    }
}

/// The stationary distribution, or what the fallback found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageRank {
    /// The nodes with a score above 0, the greatest first, ties by id.
    pub ids: Vec<i64>,
    /// Their scores.
    pub scores: Vec<f64>,
    /// How many times the vector was multiplied.
    pub iterations: usize,
    /// Whether the last step was below the tolerance.
    pub converged: bool,
    /// Whether the budget ran out and the scores come from bounded hops.
    pub fell_back: bool,
}

/// Ranks what is near the seeds. Seeds of one id are summed; seeds outside the scope are left out; without any the
/// answer is empty.
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length, [`CoreError::InvalidInput`] for a negative id, a weight
/// that is negative or not finite, weights that are all 0, or a parameter out of its range.
///
/// ```
/// use memcore_core::graph::pagerank::{PageRankParams, pagerank};
/// use memcore_core::graph::{Graph, Union};
///
/// let mut graph = Graph::new(None)?;
/// graph.add_edges(&[1, 1], &[2, 3], &[0.9, 0.3], &[0, 0])?;
/// let params = PageRankParams { restart: 0.15, tolerance: 1e-9, max_visits: 1000 };
/// let found = pagerank(&Union::new(&[&graph], None), &[1], &[1.0], &params)?;
/// assert_eq!(found.ids, [1, 2, 3]);
/// assert!((found.scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
/// # Ok::<(), memcore_core::CoreError>(())
/// ```
pub fn pagerank(
    graph: &Union<'_>,
    seed_ids: &[i64],
    seed_weights: &[f32],
    params: &PageRankParams,
) -> Result<PageRank, CoreError> {
    params.check()?;
    let seeds = shares(graph, seed_ids, seed_weights)?;
    if seeds.is_empty() {
        return Ok(PageRank { converged: true, ..PageRank::default() });
    }
    let mut walk = Walk::with_seeds(*graph, &seeds);
    let mut budget = params.max_visits;
    let mut iterations = 0;
    loop {
        let Some(distance) = walk.iterate(params.restart, &mut budget) else {
            return Ok(sorted(hops(graph, &seeds), iterations, false, true));
        };
        iterations += 1;
        if distance < params.tolerance {
            let scores = walk.nodes.iter().map(|node| (node.mass, node.id)).collect();
            return Ok(sorted(scores, iterations, true, false));
        }
    }
}

fn shares(graph: &Union<'_>, ids: &[i64], weights: &[f32]) -> Result<Vec<(i64, f64)>, CoreError> {
    if let Some(i) = weights.iter().position(|&weight| weight < 0.0) {
        let given = format!("{} at {i}", weights[i]);
        return Err(CoreError::invalid("seed_weights", given, "give numbers of at least 0"));
    }
    if !weights.is_empty() && weights.iter().all(|&weight| weight == 0.0) {
        return Err(CoreError::invalid("seed_weights", "nothing but 0", "give at least one number above 0"));
    }
    let mut seeds = sum_seeds(graph, ids, weights, "seed_weights")?;
    seeds.retain(|&(_, weight)| weight > 0.0);
    let total: f64 = seeds.iter().map(|&(_, weight)| weight).sum();
    seeds.iter_mut().for_each(|(_, weight)| *weight /= total);
    Ok(seeds)
}

struct Node {
    id: i64,
    mass: f64,
    next: f64,
    share: f64,
    /// Where its edges stand in `Walk::links`, once it was expanded.
    links: Option<(usize, usize)>,
    /// The sum of their strengths in 65535ths.
    outflow: u64,
}

/// What of the graph is within reach, as far as it was walked, with edges resolved to places in `nodes`.
struct Walk<'a> {
    graph: Union<'a>,
    nodes: Vec<Node>,
    places: FxHashMap<i64, u32>,
    links: Vec<(u32, u16)>,
    /// Places in ascending order of id: the order of every sum.
    order: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn with_seeds(graph: Union<'a>, seeds: &[(i64, f64)]) -> Self {
        let mut walk =
            Self { graph, nodes: Vec::new(), places: FxHashMap::default(), links: Vec::new(), order: Vec::new() };
        for &(id, share) in seeds {
            let at = walk.place(id) as usize;
            walk.nodes[at].mass = share;
            walk.nodes[at].share = share;
        }
        walk.reorder();
        walk
    }

    fn place(&mut self, id: i64) -> u32 {
        *self.places.entry(id).or_insert_with(|| {
            self.nodes.push(Node { id, mass: 0.0, next: 0.0, share: 0.0, links: None, outflow: 0 });
            (self.nodes.len() - 1) as u32
        })
    }

    fn reorder(&mut self) {
        if self.order.len() < self.nodes.len() {
            self.order.extend(self.order.len() as u32..self.nodes.len() as u32);
            let nodes = &self.nodes;
            self.order.sort_unstable_by_key(|&at| nodes[at as usize].id);
        }
    }

    /// One multiplication; the L1 distance it moved, or None when the budget does not cover it.
    fn iterate(&mut self, restart: f64, budget: &mut usize) -> Option<f64> {
        let mut buffer = Vec::new();
        let mut dangling = 0.0;
        for i in 0..self.order.len() {
            let at = self.order[i] as usize;
            if self.nodes[at].mass == 0.0 {
                continue;
            }
            let (start, end) = self.expand(at, &mut buffer);
            *budget = budget.checked_sub(end - start)?;
            let (mass, outflow) = (self.nodes[at].mass, self.nodes[at].outflow as f64);
            if outflow == 0.0 {
                dangling += mass;
            }
            for &(target, strength) in &self.links[start..end] {
                self.nodes[target as usize].next += mass * (f64::from(strength) / outflow);
            }
        }
        self.reorder();
        Some(self.settle(restart, dangling))
    }

    fn expand(&mut self, at: usize, buffer: &mut Vec<OutEdge>) -> (usize, usize) {
        if let Some(range) = self.nodes[at].links {
            return range;
        }
        self.graph.edges_of(self.nodes[at].id, buffer);
        let start = self.links.len();
        for edge in buffer.iter().filter(|edge| !edge.inhibits() && edge.strength > 0) {
            let target = self.place(edge.target);
            self.links.push((target, edge.strength));
            self.nodes[at].outflow += u64::from(edge.strength);
        }
        let range = (start, self.links.len());
        self.nodes[at].links = Some(range);
        range
    }

    fn settle(&mut self, restart: f64, dangling: f64) -> f64 {
        let mut distance = 0.0;
        for &at in &self.order {
            let node = &mut self.nodes[at as usize];
            let arrived = std::mem::take(&mut node.next) + dangling * node.share;
            let mass = (1.0 - restart) * arrived + restart * node.share;
            distance += (mass - node.mass).abs();
            node.mass = mass;
        }
        distance
    }
}

/// Bounded hops: each hop keeps half a score times the strength, a node keeps the greatest it was offered.
fn hops(graph: &Union<'_>, seeds: &[(i64, f64)]) -> Vec<(f64, i64)> {
    let mut best: FxHashMap<i64, f64> = seeds.iter().copied().collect();
    let mut frontier: Vec<(i64, f64)> = seeds.to_vec();
    let mut edges = Vec::new();
    for _ in 0..HOPS {
        let mut raised: FxHashMap<i64, f64> = FxHashMap::default();
        for &(id, score) in &frontier {
            graph.edges_of(id, &mut edges);
            for edge in edges.iter().filter(|edge| !edge.inhibits()) {
                let offered = score * HOP_DECAY * strength_of(edge.strength);
                let held = best.entry(edge.target).or_insert(0.0);
                if offered > *held {
                    *held = offered;
                    raised.insert(edge.target, offered);
                }
            }
        }
        frontier = raised.into_iter().collect();
    }
    best.into_iter().map(|(id, score)| (score, id)).collect()
}

fn sorted(mut scores: Vec<(f64, i64)>, iterations: usize, converged: bool, fell_back: bool) -> PageRank {
    scores.retain(|&(score, _)| score > 0.0);
    scores.sort_unstable_by(|a, b| crate::topk::by_score_then_id(*a, *b));
    let (scores, ids) = scores.into_iter().unzip();
    PageRank { ids, scores, iterations, converged, fell_back }
}

#[cfg(test)]
mod tests;
