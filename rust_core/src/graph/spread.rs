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

mod outflow;

use self::outflow::{Outflow, outflow_factor};
use super::reached::Reached;
use super::{Edge, INHIBITORY, Union, check_length, radix, strength_of};
use crate::CoreError;
use crate::ids::check_ids;
use crate::topk::by_score_then_id;

/// No node holds more energy than this, of either sign.
pub const MAX_ENERGY: f64 = 2.0;
const MOST_STEPS: usize = 100;
/// Rows that are read at once before they are followed, so that their way from memory overlaps.
const AHEAD: usize = 32;

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
    let mut field = Field::with_seeds(*graph, &seeds);
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

/// The nodes that energy has reached, in columns by place.
struct Field<'a> {
    reached: Reached<'a>,
    energy: Vec<f64>,
    arriving: Vec<f64>,
    clamped: Vec<bool>,
    /// E₀ of the first nodes.
    seeds: Vec<f64>,
}

/// Contributions to nodes of one block that were not given yet: (slot, how much).
#[derive(Default)]
struct Waiting {
    block: usize,
    given: Vec<(u32, f64)>,
}

/// What one node gives along an edge: its energy, and what that is multiplied by beside the strength.
#[derive(Clone, Copy)]
struct Emission {
    energy: f64,
    ordinary: f64,
    inhibitory: f64,
    /// What is less is dropped.
    least: f64,
}

impl Emission {
    #[inline]
    fn along(&self, kind: u8, strength: u16) -> f64 {
        let passed = if kind == INHIBITORY { self.inhibitory } else { self.ordinary };
        self.energy * strength_of(strength) * passed
    }

    /// Whether a contribution is not dropped.
    #[inline]
    fn passes(&self, contribution: f64) -> bool {
        contribution.abs() >= self.least && contribution != 0.0
    }

    /// Appends the contributions along a row that are not dropped. Which ones cannot be foretold, so there is no branch
    /// on it.
    fn append_passing(&self, row: &[Edge], found: &mut Vec<(u32, f64)>) {
        let mut end = found.len();
        found.resize(end + row.len(), (0, 0.0));
        for edge in row {
            let contribution = self.along(edge.kind, edge.strength);
            found[end] = (edge.slot, contribution);
            end += usize::from(self.passes(contribution));
        }
        found.truncate(end);
    }
}

impl<'a> Field<'a> {
    fn with_seeds(graph: Union<'a>, seeds: &[(i64, f64)]) -> Self {
        let mut reached = Reached::new(graph);
        seeds.iter().for_each(|&(id, _)| reached.begin(id));
        let energy: Vec<f64> = seeds.iter().map(|&(_, energy)| energy.clamp(-MAX_ENERGY, MAX_ENERGY)).collect();
        let (arriving, clamped) = (vec![0.0; energy.len()], vec![false; energy.len()]);
        Self { reached, seeds: energy.clone(), energy, arriving, clamped }
    }

    fn step(&mut self, graph: &Union<'_>, params: &SpreadParams) {
        let mut waiting = Waiting::default();
        let mut edges = Vec::new();
        for near in self.emitters(params).chunks(AHEAD) {
            std::hint::black_box(near.iter().map(|&place| self.reached.touch(place as usize)).sum::<usize>());
            for place in near.iter().map(|&place| place as usize) {
                let mut emission = Emission {
                    energy: self.energy[place],
                    ordinary: params.decay * (1.0 - params.teleport_alpha),
                    inhibitory: -2.0 * params.decay,
                    least: params.threshold / 2.0,
                };
                if let Some((block, held, row)) = self.reached.plain(place) {
                    if params.max_outflow.is_some() && graph.is_open() {
                        let outflow = Outflow::of(row);
                        emission.ordinary *= outflow.factor(params.max_outflow);
                        // Of a hub mostly nothing is left to give: a product rises with its strength, rounded or not.
                        if !outflow.inhibits && !emission.passes(emission.along(0, outflow.strongest)) {
                            continue;
                        }
                    } else if params.max_outflow.is_some() {
                        let inside = row.iter().filter(|edge| graph.allows(held.ids.id(edge.slot)));
                        let strengths = inside.filter(|edge| !edge.inhibits()).map(|edge| edge.strength);
                        emission.ordinary *= outflow_factor(strengths, params.max_outflow);
                    }
                    if block != waiting.block {
                        self.take(&mut waiting);
                        waiting.block = block;
                    }
                    emission.append_passing(row, &mut waiting.given);
                } else {
                    self.take(&mut waiting);
                    self.reached.edges_of(place, &mut edges);
                    let strengths = edges.iter().filter(|edge| !edge.inhibits()).map(|edge| edge.strength);
                    emission.ordinary *= outflow_factor(strengths, params.max_outflow);
                    for edge in &edges {
                        let contribution = emission.along(edge.kind, edge.strength);
                        if emission.passes(contribution) {
                            let (block, slot) = edge.at;
                            self.reached.add_one(block as usize, slot, contribution, &mut self.arriving);
                        }
                    }
                }
            }
            self.take(&mut waiting);
        }
        self.settle(params.teleport_alpha);
    }

    /// Gives what waits, in its order.
    fn take(&mut self, waiting: &mut Waiting) {
        if !waiting.given.is_empty() {
            self.reached.add(waiting.block, &waiting.given, &mut self.arriving);
            waiting.given.clear();
        }
    }

    /// The active nodes that give energy, ascending by id.
    fn emitters(&mut self, params: &SpreadParams) -> Vec<u32> {
        let (ids, energy) = (self.reached.ids(), &self.energy);
        let active = |energy: f64| energy != 0.0 && energy.abs() >= params.threshold;
        let mut chosen: Vec<u32> = Vec::new();
        chosen.extend((0..).zip(energy).filter(|(_, energy)| active(**energy)).map(|(place, _)| place));
        if chosen.len() > params.max_active {
            let key = |place: u32| (energy[place as usize].abs(), ids[place as usize]);
            chosen.select_nth_unstable_by(params.max_active - 1, |&a, &b| by_score_then_id(key(a), key(b)));
            chosen.truncate(params.max_active);
        }
        chosen.retain(|&place| energy[place as usize] > 0.0);
        let mut emitters: Vec<(u64, u32)> =
            chosen.into_iter().map(|place| (ids[place as usize] as u64, place)).collect();
        radix::sort_by_key(&mut emitters);
        emitters.into_iter().map(|(_, place)| place).collect()
    }

    fn settle(&mut self, alpha: f64) {
        self.energy.resize(self.arriving.len(), 0.0);
        self.clamped.resize(self.arriving.len(), false);
        for ((energy, arriving), clamped) in self.energy.iter_mut().zip(&mut self.arriving).zip(&mut self.clamped) {
            let sum = *energy + std::mem::take(arriving);
            *energy = sum.clamp(-MAX_ENERGY, MAX_ENERGY);
            *clamped |= sum.abs() > MAX_ENERGY;
        }
        for (energy, seed) in self.energy.iter_mut().zip(&self.seeds) {
            *energy = (1.0 - alpha) * *energy + alpha * seed;
        }
    }

    fn into_spread(mut self) -> Spread {
        let (energies, ids) = (&self.energy, self.reached.ids());
        // Ordered by the value that is returned, so that ties in it go to the lower id. The bits of numbers above 0
        // are in their order.
        let energy = |place: u32| energies[place as usize] as f32;
        let seen = (0..energies.len() as u32).filter(|&place| energy(place) != 0.0);
        let mut found: Vec<u64> = Vec::with_capacity(energies.len());
        found.extend(seen.map(|place| radix::packed(!energy(place).abs().to_bits(), place)));
        radix::sort_packed(&mut found, |place| ids[place as usize]);
        let places = || found.iter().map(|&packed| packed as u32);
        Spread {
            ids: places().map(|place| ids[place as usize]).collect(),
            energies: places().map(energy).collect(),
            clamped: self.clamped.iter().filter(|clamped| **clamped).count(),
        }
    }
}

#[cfg(test)]
mod tests;
