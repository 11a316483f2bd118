//! The iteration over a whole block: each node sums what arrives along the edges into it.
//!
//! The sums are those of [`super::push::Push`], in the same order, whatever the number of threads.

use rayon::prelude::*;

use super::super::{Graph, radix};
use super::PageRankParams;
use super::incoming::ByTarget;
use super::lanes::{ANY, LANES};
use super::push::inverse_of;
use crate::vectors::simd::kernels;

/// From this many edges on the pieces are dealt out to threads.
const MANY: usize = 1 << 17;

/// Mass by node, in the order of the edges by target.
pub(super) struct Pull<'a> {
    edges: &'a ByTarget,
    graph: &'a Graph,
    mass: Vec<f64>,
    next: Vec<f64>,
    /// 1 over the strengths out of each node.
    inverse: Vec<f64>,
    /// Mass over the strengths out of a node.
    given: Vec<f64>,
    given_next: Vec<f64>,
    /// (node, share) of the seeds, ascending.
    seeds: Vec<(u32, f64)>,
    /// How many nodes hold mass, and the edges out of them.
    holders: usize,
    visits: usize,
    /// How `vectors::simd` names it.
    level: &'static str,
}

/// The nodes that one thread computes.
struct Piece<'a> {
    groups: std::ops::Range<usize>,
    next: &'a mut [f64],
    given_next: &'a mut [f64],
}

impl<'a> Pull<'a> {
    /// Goes on where a walk is.
    pub(super) fn new(edges: &'a ByTarget, graph: &'a Graph, seeds: &[(i64, f64)], masses: &[(f64, i64)]) -> Self {
        let mut numbers = vec![0u32; graph.out.len()];
        edges.slots.iter().zip(0..).for_each(|(&slot, number)| numbers[slot as usize] = number);
        let number_of = |id: i64| graph.ids.slot(id).map(|slot| numbers[slot as usize]);
        let lanes = edges.lane_count();
        let mut inverse: Vec<f64> = edges.outflows().map(inverse_of).collect();
        inverse.resize(lanes, 0.0);
        let mut mass = vec![0.0; lanes];
        for &(held, id) in masses {
            if let Some(number) = number_of(id) {
                mass[number as usize] = held;
            }
        }
        let mut seeds: Vec<(u32, f64)> =
            seeds.iter().filter_map(|&(id, share)| number_of(id).map(|number| (number, share))).collect();
        seeds.sort_unstable_by_key(|&(number, _)| number);
        let given = mass.iter().zip(&inverse).map(|(mass, inverse)| mass * inverse).collect();
        let (next, given_next) = (vec![0.0; lanes], vec![0.0; lanes]);
        let mut pull = Self {
            edges,
            graph,
            mass,
            next,
            inverse,
            given,
            given_next,
            seeds,
            holders: 0,
            visits: 0,
            level: kernels().level,
        };
        pull.count(pull.mass.iter().filter(|&&mass| mass != 0.0).count());
        pull
    }

    /// (mass, id) of every node.
    pub(super) fn masses(&self) -> Vec<(f64, i64)> {
        self.mass.iter().zip(&self.edges.slots).map(|(&mass, &slot)| (mass, self.graph.ids.id(slot))).collect()
    }

    fn count(&mut self, holders: usize) {
        if self.holders != holders {
            self.holders = holders;
            self.visits = self.edges.edges_out_of(&self.mass);
        }
    }

    /// One multiplication; whether it moved less than the tolerance, or None when the budget does not cover it.
    pub(super) fn iterate(&mut self, params: &PageRankParams, budget: &mut usize) -> Option<bool> {
        *budget = budget.checked_sub(self.visits)?;
        let dangling: f64 = self.edges.dangling.iter().map(|&number| self.mass[number as usize]).sum();
        let mut pieces = Vec::with_capacity(self.edges.pieces.len());
        let (mut next, mut given_next) = (&mut self.next[..], &mut self.given_next[..]);
        for bounds in self.edges.pieces.windows(2) {
            let (first, rest) = next.split_at_mut((bounds[1] - bounds[0]) * LANES);
            let (given_first, given_rest) = given_next.split_at_mut((bounds[1] - bounds[0]) * LANES);
            (next, given_next) = (rest, given_rest);
            pieces.push(Piece { groups: bounds[0]..bounds[1], next: first, given_next: given_first });
        }
        let read = Step {
            edges: self.edges,
            mass: &self.mass,
            inverse: &self.inverse,
            given: &self.given,
            seeds: &self.seeds,
            restart: params.restart,
            dangling,
            level: self.level,
        };
        let (distance, holders) = if self.edges.cell_count() >= MANY && rayon::current_num_threads() > 1 {
            pieces.into_par_iter().map(|piece| read.compute(piece)).reduce(|| (0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
        } else {
            pieces.into_iter().map(|piece| read.compute(piece)).fold((0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
        };
        std::mem::swap(&mut self.mass, &mut self.next);
        std::mem::swap(&mut self.given, &mut self.given_next);
        self.count(holders);
        Some(self.is_below(distance, params.tolerance))
    }

    /// Whether the L1 distance is below the tolerance. `distance` was summed in another order than that of the ids; where
    /// the order could decide, it is summed again.
    fn is_below(&self, distance: f64, tolerance: f64) -> bool {
        let error = 2.0 * self.mass.len() as f64 * f64::EPSILON * distance;
        if (distance - tolerance).abs() > error {
            return distance < tolerance;
        }
        let ids = self.edges.slots.iter().map(|&slot| self.graph.ids.id(slot) as u64);
        let mut order: Vec<(u64, u32)> = ids.zip(0..).collect();
        radix::sort_by_key(&mut order);
        let moved = |&(_, number): &(u64, u32)| (self.mass[number as usize] - self.next[number as usize]).abs();
        order.iter().map(moved).sum::<f64>() < tolerance
    }
}

/// What a multiplication reads.
struct Step<'a> {
    edges: &'a ByTarget,
    mass: &'a [f64],
    inverse: &'a [f64],
    given: &'a [f64],
    seeds: &'a [(u32, f64)],
    restart: f64,
    dangling: f64,
    level: &'static str,
}

impl Step<'_> {
    /// How far the nodes of a piece moved, and how many of them hold mass; at the level that is in use.
    fn compute(&self, piece: Piece<'_>) -> (f64, usize) {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            "avx512" if is_x86_feature_detected!("avx512vl") && (1..=1 << 31).contains(&self.given.len()) => {
                // SAFETY: the level is in use where the processor has AVX-512F, and VL was found.
                return unsafe { self.compute_by_avx512(piece) };
            }
            // SAFETY: the level is in use where the processor has AVX2.
            "avx2" => return unsafe { self.compute_by_avx2(piece) },
            _ => {}
        }
        self.compute_by(piece, |group| self.edges.arriving(group, self.given, |cells, all| cells.sums(all, self.given)))
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl")]
    fn compute_by_avx512(&self, piece: Piece<'_>) -> (f64, usize) {
        // Compiled for no plane and for one: up to 131,072 nodes.
        match self.edges.planes() {
            0 => self.compute_by(piece, |group| {
                self.edges.arriving(group, self.given, |cells, all| cells.gathered::<0>(all, self.given))
            }),
            1 => self.compute_by(piece, |group| {
                self.edges.arriving(group, self.given, |cells, all| cells.gathered::<1>(all, self.given))
            }),
            _ => self.compute_by(piece, |group| {
                self.edges.arriving(group, self.given, |cells, all| cells.gathered::<ANY>(all, self.given))
            }),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn compute_by_avx2(&self, piece: Piece<'_>) -> (f64, usize) {
        self.compute_by(piece, |group| self.edges.arriving(group, self.given, |cells, all| cells.sums(all, self.given)))
    }

    /// The same for every level: what is compiled for a level is this, inlined.
    #[inline(always)]
    fn compute_by(&self, piece: Piece<'_>, arriving: impl Fn(usize) -> [f64; LANES]) -> (f64, usize) {
        let first = piece.groups.start * LANES;
        let mut seeds = &self.seeds[self.seeds.partition_point(|seed| (seed.0 as usize) < first)..];
        let (mut moved, mut holders) = ([0.0; LANES], [0_u64; LANES]);
        let lanes = first..first + piece.next.len();
        let (mass, inverse) = (&self.mass[lanes.clone()], &self.inverse[lanes]);
        let read = mass.as_chunks::<LANES>().0.iter().zip(inverse.as_chunks::<LANES>().0);
        let written = piece.next.as_chunks_mut::<LANES>().0.iter_mut().zip(piece.given_next.as_chunks_mut::<LANES>().0);
        let kept = 1.0 - self.restart;
        for (group, ((mass, inverse), (next, given_next))) in piece.groups.zip(read.zip(written)) {
            let mut arrived = arriving(group);
            let mut back = [0.0; LANES];
            while let Some((&(number, share), rest)) = seeds.split_first()
                && (number as usize) < (group + 1) * LANES
            {
                let lane = number as usize % LANES;
                arrived[lane] += self.dangling * share;
                back[lane] = self.restart * share;
                seeds = rest;
            }
            let mut now = [0.0; LANES];
            (0..LANES).for_each(|lane| now[lane] = kept * arrived[lane] + back[lane]);
            *next = now;
            let mut given = [0.0; LANES];
            (0..LANES).for_each(|lane| given[lane] = now[lane] * inverse[lane]);
            *given_next = given;
            (0..LANES).for_each(|lane| moved[lane] += (now[lane] - mass[lane]).abs());
            (0..LANES).for_each(|lane| holders[lane] += u64::from(now[lane] != 0.0));
        }
        (moved.iter().sum(), holders.iter().sum::<u64>() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::{Listed, block};
    use crate::vectors::simd::levels;

    #[test]
    fn every_level_has_the_same_masses() {
        // A hub, so that a group is not interleaved; more than 2^16 nodes, so that there is a plane.
        for nodes in [300, 70_000_i64] {
            let mut edges: Vec<Listed> =
                (1..nodes).map(|i| (i, i * i % nodes, 0.1 + (i % 9) as f32 / 10.0, 0)).collect();
            edges.extend((1..nodes).map(|i| (i, i % 3 * i % 2, 0.3, 1)));
            edges.extend((1..nodes / 2).map(|i| (0, i, 0.3, 1)));
            let graph = block(&edges, None);
            let kept = graph.incoming.of(&graph);
            let params = PageRankParams { restart: 0.15, tolerance: 1e-30, max_visits: usize::MAX };
            let seeds = [(1, 0.25), (5, 0.75)];
            let mut all = Vec::new();
            for kernels in levels() {
                let mut pull = Pull::new(&kept, &graph, &seeds, &[(0.25, 1), (0.75, 5)]);
                pull.level = kernels.level;
                let mut budget = usize::MAX;
                (0..6).for_each(|_| assert_eq!(pull.iterate(&params, &mut budget), Some(false)));
                let bits: Vec<(u64, i64)> = pull.masses().iter().map(|(mass, id)| (mass.to_bits(), *id)).collect();
                all.push((kernels.level, bits));
            }
            for (level, bits) in &all {
                assert!(*bits == all[0].1, "{level} of {nodes}");
            }
        }
    }
}
