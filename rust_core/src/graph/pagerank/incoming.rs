//! The edges of a block by target, in the order in which PageRank reads them.
//!
//! Nodes are numbered by in-degree, the greatest first, then by id, and stand in groups of eight: the sources of a group
//! are interleaved, so that eight sums run beside each other, each of them by ascending id of the source, then type
//! (the layout SELL-C-σ of Kreutzer et al. 2014). A group whose rows differ much in length keeps them one after another.

use std::sync::Arc;

use parking_lot::Mutex;

use super::super::{Graph, Union, radix};
use super::lanes::{Cells, LANES};
use super::packed::Packed;

/// The edges that one thread takes at a time.
const PIECE: usize = 1 << 15;
/// A group may have this part of all edges in empty cells: it is the first groups that have many, each fewer than the one
/// before.
const EMPTY: usize = 128;

/// The edges by target that a block keeps until it changes.
#[derive(Debug, Clone, Default)]
pub(in crate::graph) struct Incoming(Arc<Mutex<Option<Arc<ByTarget>>>>);

impl Incoming {
    pub(in crate::graph) fn clear(&mut self) {
        // A clone of the block keeps its own.
        *self = Self::default();
    }

    pub(in crate::graph) fn memory_bytes(&self) -> usize {
        self.0.lock().as_ref().map_or(0, |kept| kept.memory_bytes())
    }

    /// The edges of `graph` by target. O(edges) the first time.
    pub(super) fn of(&self, graph: &Graph) -> Arc<ByTarget> {
        Arc::clone(self.0.lock().get_or_insert_with(|| Arc::new(ByTarget::of(graph))))
    }
}

/// The ordinary edges of a block with a strength above 0, by target.
#[derive(Debug)]
pub(super) struct ByTarget {
    /// The slot of each node.
    pub(super) slots: Vec<u32>,
    /// The sum of the strengths out of each node.
    outflow: Packed<u32>,
    /// How many edges lead out of each node.
    out_degree: Packed<u8>,
    /// How many lead into the nodes of the first groups: up to the last one that is not interleaved.
    in_degree: Vec<u32>,
    /// Where the cells of each group begin, in eights, and their end.
    starts: Vec<u32>,
    cells: Cells,
    /// How many cells of a group may be empty in any case.
    most_empty: usize,
    /// The nodes without an edge out, by ascending id.
    pub(super) dangling: Vec<u32>,
    /// Groups for one thread at a time: from each bound to the next.
    pub(super) pieces: Vec<usize>,
}

/// The slots of a block and what PageRank follows out of each.
struct Outgoing<'a> {
    graph: &'a Graph,
    edges: Vec<super::super::OutEdge>,
}

impl Outgoing<'_> {
    /// Calls `see` with the slot and the strength of each edge, in order of type for one target.
    fn each(&mut self, slot: u32, mut see: impl FnMut(u32, u16)) {
        let follows = |kind: u8, strength: u16| kind != super::super::INHIBITORY && strength > 0;
        if self.graph.max_degree.is_none() {
            let row = self.graph.out.row(slot).iter();
            row.filter(|edge| follows(edge.kind, edge.strength)).for_each(|edge| see(edge.slot, edge.strength));
            return;
        }
        let blocks = [self.graph];
        Union::new(&blocks, None).edges_from(std::iter::once(Some(slot)), &mut self.edges);
        let edges = self.edges.iter().filter(|edge| follows(edge.kind, edge.strength));
        edges.for_each(|edge| see(edge.at.1, edge.strength));
    }
}

impl ByTarget {
    fn of(graph: &Graph) -> Self {
        let bound = graph.out.len();
        let mut outgoing = Outgoing { graph, edges: Vec::new() };
        let mut order: Vec<(u64, u32)> = graph.ids.used().map(|slot| (graph.ids.id(slot) as u64, slot)).collect();
        radix::sort_by_key(&mut order);
        let by_id: Vec<u32> = order.iter().map(|&(_, slot)| slot).collect();
        let (mut arriving, mut leaving, mut outflow) = (vec![0u32; bound], vec![0u32; bound], vec![0u64; bound]);
        for &slot in &by_id {
            let (mut count, mut sum) = (0, 0);
            outgoing.each(slot, |target, strength| {
                arriving[target as usize] += 1;
                count += 1;
                sum += u64::from(strength);
            });
            (leaving[slot as usize], outflow[slot as usize]) = (count, sum);
        }
        // Stable: nodes of one in-degree stay in order of their ids.
        order.iter_mut().for_each(|(key, slot)| *key = u64::from(!arriving[*slot as usize]));
        radix::sort_by_key(&mut order);
        let slots: Vec<u32> = order.into_iter().map(|(_, slot)| slot).collect();
        let mut number_of = vec![0u32; bound];
        slots.iter().zip(0..).for_each(|(&slot, number)| number_of[slot as usize] = number);
        let mut in_degree: Vec<u32> = slots.iter().map(|&slot| arriving[slot as usize]).collect();
        in_degree.resize(slots.len().next_multiple_of(LANES), 0);
        let mut starts = vec![0_u32];
        let mut end = 0;
        let mut uneven = 0;
        let most_empty = arriving.iter().map(|&degree| degree as usize).sum::<usize>() / EMPTY;
        for (group, degrees) in in_degree.chunks_exact(LANES).enumerate() {
            end += eights(degrees, most_empty) as u32;
            starts.push(end);
            if !is_interleaved(degrees, most_empty) {
                uneven = group + 1;
            }
        }
        in_degree.truncate(uneven * LANES);
        in_degree.shrink_to_fit();
        let dangling = by_id.iter().filter(|&&slot| leaving[slot as usize] == 0).map(|&slot| number_of[slot as usize]);
        let mut found = Self {
            dangling: dangling.collect(),
            out_degree: Packed::of(u8::MAX, slots.iter().map(|&slot| u64::from(leaving[slot as usize]))),
            outflow: Packed::of(u32::MAX, slots.iter().map(|&slot| outflow[slot as usize])),
            cells: Cells::new(end as usize, slots.len()),
            pieces: pieces_of(&starts),
            slots,
            in_degree,
            starts,
            most_empty,
        };
        found.fill(&mut outgoing, &by_id, &number_of);
        found
    }

    fn fill(&mut self, outgoing: &mut Outgoing<'_>, by_id: &[u32], number_of: &[u32]) {
        // By slot: the cell of the next edge into it, twice, and 1 more where the one after is beside it.
        let mut next = vec![0_u64; number_of.len()];
        for (group, slots) in self.slots.chunks(LANES).enumerate() {
            let mut at = self.starts[group] as usize * LANES;
            let degrees = self.degrees(group);
            for (lane, &slot) in slots.iter().enumerate() {
                next[slot as usize] = (at as u64) << 1 | u64::from(degrees.is_some());
                at += degrees.map_or(1, |degrees| degrees[lane] as usize);
            }
        }
        for &slot in by_id {
            let source = number_of[slot as usize];
            outgoing.each(slot, |target, strength| {
                let next = &mut next[target as usize];
                self.cells.set((*next >> 1) as usize, source, strength);
                *next += if *next & 1 == 1 { 2 } else { 2 * LANES as u64 };
            });
        }
    }

    /// How many lanes the groups have: the nodes and what is beside the last of them.
    pub(super) fn lane_count(&self) -> usize {
        (self.starts.len() - 1) * LANES
    }

    /// The sum of the strengths out of each node.
    pub(super) fn outflows(&self) -> impl Iterator<Item = u64> + '_ {
        self.outflow.iter()
    }

    /// How many edges lead out of the nodes that hold some mass.
    pub(super) fn edges_out_of(&self, mass: &[f64]) -> usize {
        self.out_degree.sum_where(|number| mass[number] != 0.0) as usize
    }

    /// Of the cells, for [`Cells::gathered`].
    pub(super) fn planes(&self) -> usize {
        self.cells.planes()
    }

    /// The lengths of the rows of a group that is not interleaved.
    #[inline]
    fn degrees(&self, group: usize) -> Option<&[u32]> {
        self.in_degree
            .get(group * LANES..(group + 1) * LANES)
            .filter(|degrees| !is_interleaved(degrees, self.most_empty))
    }

    /// Σ strength · given[source] over the edges into each node of a group; `sums` does it for cells that are interleaved.
    #[inline(always)]
    pub(super) fn arriving(
        &self,
        group: usize,
        given: &[f64],
        sums: impl Fn(&Cells, std::ops::Range<usize>) -> [f64; LANES],
    ) -> [f64; LANES] {
        match self.degrees(group) {
            None => sums(&self.cells, self.starts[group] as usize..self.starts[group + 1] as usize),
            Some(degrees) => self.row_by_row(self.starts[group] as usize * LANES, degrees, given),
        }
    }

    #[inline(never)]
    fn row_by_row(&self, start: usize, degrees: &[u32], given: &[f64]) -> [f64; LANES] {
        let mut starts = [start; LANES];
        for lane in 1..LANES {
            starts[lane] = starts[lane - 1] + degrees[lane - 1] as usize;
        }
        let value = |at: usize| {
            let (source, strength) = self.cells.get(at);
            f64::from(strength) * given[source as usize]
        };
        // Rows beside each other as far as all of them go, since each sum waits for itself.
        let mut sums = [0.0; LANES];
        let common = degrees[LANES - 1] as usize;
        for i in 0..common {
            for lane in 0..LANES {
                sums[lane] += value(starts[lane] + i);
            }
        }
        for lane in 0..LANES {
            sums[lane] = (common..degrees[lane] as usize).fold(sums[lane], |sum, i| sum + value(starts[lane] + i));
        }
        sums
    }

    pub(super) fn cell_count(&self) -> usize {
        self.cells.eights() * LANES
    }

    fn memory_bytes(&self) -> usize {
        let words = [&self.slots, &self.in_degree, &self.starts, &self.dangling];
        words.iter().map(|words| words.capacity()).sum::<usize>() * size_of::<u32>()
            + self.outflow.memory_bytes()
            + self.out_degree.memory_bytes()
            + self.cells.memory_bytes()
            + self.pieces.capacity() * size_of::<usize>()
    }
}

/// Whether the rows of a group are interleaved: not where that would leave more than an eighth of the cells empty, and more
/// than `most_empty`.
fn is_interleaved(degrees: &[u32], most_empty: usize) -> bool {
    let sum: usize = degrees.iter().map(|&degree| degree as usize).sum();
    LANES * degrees[0] as usize - sum <= most_empty.max(sum / 8 + LANES)
}

/// Cells of a group, in eights.
fn eights(degrees: &[u32], most_empty: usize) -> usize {
    match is_interleaved(degrees, most_empty) {
        true => degrees[0] as usize,
        false => degrees.iter().map(|&degree| degree as usize).sum::<usize>().div_ceil(LANES),
    }
}

fn pieces_of(starts: &[u32]) -> Vec<usize> {
    let mut pieces = vec![0];
    let mut begun = 0;
    for (group, &start) in starts.iter().enumerate().skip(1) {
        // A group costs about as much as its lanes beside its cells.
        let cost = (start - starts[begun]) as usize + group - begun;
        if cost * LANES >= PIECE || group + 1 == starts.len() {
            pieces.push(group);
            begun = group;
        }
    }
    pieces
}
