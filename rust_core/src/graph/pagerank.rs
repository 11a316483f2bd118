//! Personalised PageRank: how often a walk that keeps returning to the seeds is at each node.
//!
//! `v = (1 − c)·A·v + c·u` (Jeh & Widom 2003) by power iteration, with `c` the restart probability, `u` the seeds' share
//! and `A` the strengths divided by their sum over each source's ordinary edges. The mass of nodes without such an edge
//! goes back to the seeds. Inhibitory edges are left out. The iteration ends when `‖v′ − v‖₁ < tolerance`; then
//! `‖v − v*‖₁ ≤ tolerance·(1 − c)/c`. The scores sum to 1.
//!
//! Only what is within reach of the seeds is touched: time O(iterations · edges reached), space O(edges reached). Where
//! that is much of one block without a scope, mass is no longer pushed along the edges out of what was reached but pulled
//! along the edges into each node, which the block keeps in that order until it changes: the same sums, bit for bit. When
//! a walk would take more than `max_visits` edge visits, the answer is instead [`HOPS`] hops from the seeds: each node has
//! the greatest `u·Π(w/2)` over its paths, which does not sum to 1, and `fell_back` is set.
//! Sums run in f64 by ascending id, so neither the order of edges nor their division into blocks changes a bit.

mod hops;
mod incoming;
mod lanes;
mod packed;
mod pull;
mod push;

use super::spread::sum_seeds;
use super::{Union, radix};
use crate::CoreError;
pub use hops::HOPS;
use hops::hops;
pub(super) use incoming::Incoming;
use pull::Pull;
use push::Push;

/// Mass is pulled once the nodes that hold some have this part of a block's edges.
const WIDE: usize = 16;

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
    Ok(walk(graph, &seeds, params, WIDE))
}

fn walk(graph: &Union<'_>, seeds: &[(i64, f64)], params: &PageRankParams, wide: usize) -> PageRank {
    let mut push = Push::with_seeds(*graph, seeds);
    let mut budget = params.max_visits;
    let mut iterations = 0;
    while !push.is_wide(wide) {
        let Some(distance) = push.iterate(params.restart, &mut budget) else {
            return sorted(hops(graph, seeds), iterations, false, true);
        };
        iterations += 1;
        if distance < params.tolerance {
            return sorted(push.masses(), iterations, true, false);
        }
    }
    let incoming = graph.blocks[0].incoming.of(graph.blocks[0]);
    let mut pull = Pull::new(&incoming, graph.blocks[0], seeds, &push.masses());
    loop {
        let Some(converged) = pull.iterate(params, &mut budget) else {
            return sorted(hops(graph, seeds), iterations, false, true);
        };
        iterations += 1;
        if converged {
            return sorted(pull.masses(), iterations, true, false);
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

fn sorted(mut scores: Vec<(f64, i64)>, iterations: usize, converged: bool, fell_back: bool) -> PageRank {
    scores.retain(|&(score, _)| score > 0.0);
    // The bits of numbers above 0 are in their order; the upper half decides most of it.
    let key = |score: f64| !score.to_bits();
    let upper = |score: f64| (key(score) >> u32::BITS) as u32;
    let mut order: Vec<u64> = scores.iter().zip(0..).map(|(&(score, _), at)| radix::packed(upper(score), at)).collect();
    radix::sort_packed(&mut order, |at| {
        let (score, id) = scores[at as usize];
        (key(score), id)
    });
    let (scores, ids) = order.into_iter().map(|packed| scores[packed as u32 as usize]).unzip();
    PageRank { ids, scores, iterations, converged, fell_back }
}

#[cfg(test)]
mod tests;
