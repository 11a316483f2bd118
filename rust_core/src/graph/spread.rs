//! PEDSA: energy that spreads from seeds along weighted edges, decays on its way, and returns to the seeds.
//!
//! Constrained spreading activation (Collins & Loftus 1975; Crestani 1997). Each step, from the nodes with
//! |E| ≥ threshold, at most `max_active` of them by |E| (ties: lower id):
//!
//! ```text
//! ordinary edge    +E·w·decay·(1 − α)
//! inhibitory edge  −|E|·w·decay·2
//! E ← clamp(E + Σ, ±2)           contributions under threshold/2 are dropped
//! E ← (1 − α)·E + α·E₀           at the seeds
//! ```
//!
//! Energy is kept and given again in the next step; a node below zero gives none. Rows are not normalised: a node gives
//! its energy along each of its edges. Where `max_outflow` is set and the strengths of a node's ordinary edges sum to
//! more, they are scaled down to that sum.
//!
//! Time O(steps · edges of active nodes), space O(nodes reached), whatever the size of the blocks. Sums run in f64 by
//! ascending source id, then type, so the answer does not depend on how edges came or how blocks divide them.

use rustc_hash::FxHashMap;

use super::{OutEdge, Union, check_length, strength_of};
use crate::CoreError;
use crate::ids::check_ids;
use crate::topk::top_k;

/// No node holds more energy than this, of either sign.
pub const MAX_ENERGY: f64 = 2.0;
const MOST_STEPS: usize = 100;

/// How to spread; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct SpreadParams {
    /// 0..=100.
    pub steps: usize,
    /// What an edge passes on, 0..=1.
    pub decay: f64,
    /// The least energy that is passed on, ≥ 0.
    pub threshold: f64,
    /// α, the share that returns to the seeds, 0..=1.
    pub teleport_alpha: f64,
    /// The most nodes that give energy in one step, ≥ 1.
    pub max_active: usize,
    /// The most that the ordinary edges of a node may sum to, > 0.
    pub max_outflow: Option<f64>,
}

impl SpreadParams {
    fn check(&self) -> Result<(), CoreError> {
        if self.steps > MOST_STEPS {
            return Err(CoreError::invalid("steps", self.steps, format!("give 0 to {MOST_STEPS}")));
        }
        for (field, value) in [("decay", self.decay), ("teleport_alpha", self.teleport_alpha)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(CoreError::invalid(field, value, "give a number from 0 to 1"));
            }
        }
        if !(self.threshold >= 0.0 && self.threshold.is_finite()) {
            return Err(CoreError::invalid("threshold", self.threshold, "give a finite number of at least 0"));
        }
        if self.max_active == 0 {
            return Err(CoreError::invalid("max_active", 0, "give 1 or more"));
        }
        match self.max_outflow {
            Some(bound) if !(bound > 0.0 && bound.is_finite()) => {
                Err(CoreError::invalid("max_outflow", bound, "give a finite number above 0, or none"))
            }
            _ => Ok(()),
        }
    }
}

/// Where the energy is afterwards.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    /// The nodes whose energy is not 0, the greatest |energy| first, ties by id.
    pub ids: Vec<i64>,
    /// Their energies, −2..=2.
    pub energies: Vec<f32>,
    /// How many nodes met the bound of ±2 in some step.
    pub clamped: usize,
}

/// Spreads energy from the seeds. Seeds of one id are summed; they are held to ±2 like every energy; seeds outside
/// the scope are left out.
///
/// # Errors
/// [`CoreError::Dimension`] for columns of different length, [`CoreError::InvalidInput`] for a negative id, an energy
/// that is not finite, or a parameter out of its range.
///
/// ```
/// use memcore_core::graph::spread::{SpreadParams, spread};
/// use memcore_core::graph::{Graph, Union};
///
/// let mut graph = Graph::new(None)?;
/// graph.add_edges(&[1, 2], &[2, 1], &[0.9, 0.9], &[0, 0])?;
/// let params = SpreadParams {
///     steps: 1, decay: 0.6, threshold: 0.05, teleport_alpha: 0.0, max_active: 10_000, max_outflow: None,
/// };
/// let found = spread(&Union::new(&[&graph], None), &[1], &[1.0], &params)?;
/// assert_eq!(found.ids, [1, 2]);
/// assert!((found.energies[1] - 0.54).abs() < 1e-5);
/// # Ok::<(), memcore_core::CoreError>(())
/// ```
pub fn spread(
    graph: &Union<'_>,
    seed_ids: &[i64],
    seed_energies: &[f32],
    params: &SpreadParams,
) -> Result<Spread, CoreError> {
    params.check()?;
    let seeds = sum_seeds(graph, seed_ids, seed_energies, "seed_energies")?;
    let mut field = Field::with_seeds(&seeds);
    for _ in 0..params.steps {
        field.step(graph, params);
    }
    Ok(field.into_spread())
}

/// Seeds in the scope, ascending by id, one an id, with the sum of its values.
pub(super) fn sum_seeds(
    graph: &Union<'_>,
    ids: &[i64],
    values: &[f32],
    field: &'static str,
) -> Result<Vec<(i64, f64)>, CoreError> {
    check_length(field, ids.len(), values.len())?;
    check_ids("seed_ids", ids)?;
    if let Some(i) = values.iter().position(|value| !value.is_finite()) {
        return Err(CoreError::invalid(field, format!("{} at {i}", values[i]), "give finite numbers"));
    }
    let mut seeds: Vec<(i64, f64)> = ids
        .iter()
        .zip(values)
        .filter(|(id, _)| graph.allows(**id))
        .map(|(&id, &value)| (id, f64::from(value)))
        .collect();
    // The value is part of the order: a sum must not depend on the order of the arguments.
    seeds.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    seeds.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    Ok(seeds)
}

struct Node {
    id: i64,
    energy: f64,
    arriving: f64,
    clamped: bool,
}

/// The nodes that energy has reached.
struct Field {
    nodes: Vec<Node>,
    places: FxHashMap<i64, usize>,
    /// E₀ of the first nodes.
    seeds: Vec<f64>,
}

impl Field {
    fn with_seeds(seeds: &[(i64, f64)]) -> Self {
        let mut field = Self { nodes: Vec::new(), places: FxHashMap::default(), seeds: Vec::new() };
        for &(id, energy) in seeds {
            let at = field.place(id);
            let bounded = energy.clamp(-MAX_ENERGY, MAX_ENERGY);
            field.nodes[at].energy = bounded;
            field.seeds.push(bounded);
        }
        field
    }

    fn place(&mut self, id: i64) -> usize {
        *self.places.entry(id).or_insert_with(|| {
            self.nodes.push(Node { id, energy: 0.0, arriving: 0.0, clamped: false });
            self.nodes.len() - 1
        })
    }

    fn step(&mut self, graph: &Union<'_>, params: &SpreadParams) {
        let mut edges = Vec::new();
        for (id, energy) in self.emitters(params) {
            graph.edges_of(id, &mut edges);
            let ordinary = params.decay * (1.0 - params.teleport_alpha) * outflow_factor(&edges, params.max_outflow);
            for edge in &edges {
                let passed = if edge.inhibits() { -2.0 * params.decay } else { ordinary };
                let contribution = energy * strength_of(edge.strength) * passed;
                if contribution.abs() >= params.threshold / 2.0 && contribution != 0.0 {
                    let at = self.place(edge.target);
                    self.nodes[at].arriving += contribution;
                }
            }
        }
        self.settle(params.teleport_alpha);
    }

    /// The active nodes that give energy, ascending by id.
    fn emitters(&self, params: &SpreadParams) -> Vec<(i64, f64)> {
        let active = |node: &&Node| node.energy != 0.0 && node.energy.abs() >= params.threshold;
        let mut chosen: Vec<(f64, i64)> =
            self.nodes.iter().filter(active).map(|node| (node.energy.abs(), node.id)).collect();
        if chosen.len() > params.max_active {
            top_k(&mut chosen, params.max_active);
        }
        let mut emitters: Vec<(i64, f64)> =
            chosen.into_iter().map(|(_, id)| (id, self.nodes[self.places[&id]].energy)).collect();
        emitters.retain(|&(_, energy)| energy > 0.0);
        emitters.sort_unstable_by_key(|&(id, _)| id);
        emitters
    }

    fn settle(&mut self, alpha: f64) {
        for node in &mut self.nodes {
            let sum = node.energy + std::mem::take(&mut node.arriving);
            node.energy = sum.clamp(-MAX_ENERGY, MAX_ENERGY);
            node.clamped |= sum.abs() > MAX_ENERGY;
        }
        for (node, seed) in self.nodes.iter_mut().zip(&self.seeds) {
            node.energy = (1.0 - alpha) * node.energy + alpha * seed;
        }
    }

    fn into_spread(self) -> Spread {
        let clamped = self.nodes.iter().filter(|node| node.clamped).count();
        // Ordered by the value that is returned, so that ties in it go to the lower id.
        let mut found: Vec<(i64, f32)> = self.nodes.iter().map(|node| (node.id, node.energy as f32)).collect();
        found.retain(|&(_, energy)| energy != 0.0);
        found.sort_unstable_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let (ids, energies) = found.into_iter().unzip();
        Spread { ids, energies, clamped }
    }
}

/// What every ordinary edge of a node is multiplied by so that their strengths sum to `bound` at most.
fn outflow_factor(edges: &[OutEdge], bound: Option<f64>) -> f64 {
    let Some(bound) = bound else { return 1.0 };
    // An integer sum: exact in every order.
    let sum: u64 = edges.iter().filter(|edge| !edge.inhibits()).map(|edge| u64::from(edge.strength)).sum();
    let sum = sum as f64 / 65535.0;
    if sum > bound { bound / sum } else { 1.0 }
}

#[cfg(test)]
mod tests;
