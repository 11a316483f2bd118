//! The edges of a block by target, in the order in which PageRank reads them.
//!
//! Nodes are numbered by in-degree, the greatest first, then by id, and stand in groups of eight: the sources of a group
//! are interleaved, so that eight sums run beside each other, each of them by ascending id of the source, then type
//! (the layout SELL-C-σ of Kreutzer et al. 2014). A group whose rows differ much in length keeps them one after another.

use std::sync::Arc;

use parking_lot::Mutex;

use super::super::{Graph, Union, radix};
use super::lanes;
use super::push::inverse_of;

/// Rows of a group.
pub(super) const LANES: usize = 8;
/// The edges that one thread takes at a time.
const PIECE: usize = 1 << 15;

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
    /// 1 over the strengths out of each node, for all lanes of the last group too.
    pub(super) inverse: Vec<f64>,
    /// How many edges lead out of each node.
    pub(super) out_degree: Vec<u32>,
    /// How many lead in.
    in_degree: Vec<u32>,
    /// Where the cells of each group begin, and their end.
    starts: Vec<usize>,
    sources: Vec<u32>,
    strengths: Vec<u16>,
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
            outgoing.each(slot, |target, strength| {
                arriving[target as usize] += 1;
                leaving[slot as usize] += 1;
                outflow[slot as usize] += u64::from(strength);
            });
        }
        // Stable: nodes of one in-degree stay in order of their ids.
        order.iter_mut().for_each(|(key, slot)| *key = u64::from(!arriving[*slot as usize]));
        radix::sort_by_key(&mut order);
        let slots: Vec<u32> = order.into_iter().map(|(_, slot)| slot).collect();
        let mut number_of = vec![0u32; bound];
        slots.iter().zip(0..).for_each(|(&slot, number)| number_of[slot as usize] = number);
        let padded = slots.len().next_multiple_of(LANES);
        let mut inverse: Vec<f64> = slots.iter().map(|&slot| inverse_of(outflow[slot as usize])).collect();
        inverse.resize(padded, 0.0);
        let mut in_degree: Vec<u32> = slots.iter().map(|&slot| arriving[slot as usize]).collect();
        in_degree.resize(padded, 0);
        let groups = in_degree.chunks_exact(LANES);
        let starts: Vec<usize> = std::iter::once(0)
            .chain(groups.scan(0, |end, degrees| {
                *end += cells(degrees);
                Some(*end)
            }))
            .collect();
        let dangling = by_id.iter().filter(|&&slot| leaving[slot as usize] == 0).map(|&slot| number_of[slot as usize]);
        let mut found = Self {
            dangling: dangling.collect(),
            out_degree: slots.iter().map(|&slot| leaving[slot as usize]).collect(),
            sources: vec![0; starts[starts.len() - 1]],
            strengths: vec![0; starts[starts.len() - 1]],
            pieces: pieces_of(&starts),
            slots,
            inverse,
            in_degree,
            starts,
        };
        found.fill(&mut outgoing, &by_id, &number_of);
        found
    }

    fn fill(&mut self, outgoing: &mut Outgoing<'_>, by_id: &[u32], number_of: &[u32]) {
        // Where the next edge into each node goes, and how far from it the one after.
        let mut next = vec![(0usize, 1u32); self.in_degree.len()];
        for (group, lanes) in next.chunks_exact_mut(LANES).enumerate() {
            let degrees = self.degrees(group);
            let mut at = self.starts[group];
            for (lane, entry) in lanes.iter_mut().enumerate() {
                if is_interleaved(degrees) {
                    *entry = (self.starts[group] + lane, LANES as u32);
                } else {
                    *entry = (at, 1);
                    at += degrees[lane] as usize;
                }
            }
        }
        for &slot in by_id {
            let source = number_of[slot as usize];
            outgoing.each(slot, |target, strength| {
                let (at, step) = &mut next[number_of[target as usize] as usize];
                self.sources[*at] = source;
                self.strengths[*at] = strength;
                *at += *step as usize;
            });
        }
    }

    fn degrees(&self, group: usize) -> &[u32] {
        &self.in_degree[group * LANES..][..LANES]
    }

    /// Σ strength · given[source] over the edges into each node of a group.
    #[inline]
    pub(super) fn arriving(&self, group: usize, given: &[f64]) -> [f64; LANES] {
        let range = self.starts[group]..self.starts[group + 1];
        let (mut sources, mut strengths) = (&self.sources[range.clone()], &self.strengths[range]);
        let degrees = self.degrees(group);
        if is_interleaved(degrees) {
            return lanes::sums(sources, strengths, given);
        }
        let mut sums = [0.0; LANES];
        for (sum, &degree) in sums.iter_mut().zip(degrees) {
            let (from, weights);
            (from, sources) = sources.split_at(degree as usize);
            (weights, strengths) = strengths.split_at(degree as usize);
            *sum = from
                .iter()
                .zip(weights)
                .fold(0.0, |sum, (&source, &strength)| sum + f64::from(strength) * given[source as usize]);
        }
        sums
    }

    pub(super) fn cell_count(&self) -> usize {
        self.sources.len()
    }

    fn memory_bytes(&self) -> usize {
        (self.slots.capacity() + self.out_degree.capacity() + self.in_degree.capacity()) * size_of::<u32>()
            + (self.sources.capacity() + self.dangling.capacity()) * size_of::<u32>()
            + self.strengths.capacity() * size_of::<u16>()
            + self.inverse.capacity() * size_of::<f64>()
            + (self.starts.capacity() + self.pieces.capacity()) * size_of::<usize>()
    }
}

/// Whether the rows of a group are interleaved: not where that would leave more than an eighth of the cells empty.
fn is_interleaved(degrees: &[u32]) -> bool {
    let sum: usize = degrees.iter().map(|&degree| degree as usize).sum();
    LANES * degrees[0] as usize <= sum + sum / 8 + LANES
}

fn cells(degrees: &[u32]) -> usize {
    match is_interleaved(degrees) {
        true => LANES * degrees[0] as usize,
        false => degrees.iter().map(|&degree| degree as usize).sum(),
    }
}

fn pieces_of(starts: &[usize]) -> Vec<usize> {
    let mut pieces = vec![0];
    let mut begun = 0;
    for (group, &start) in starts.iter().enumerate().skip(1) {
        // A group costs about as much as its lanes beside its cells.
        if start - starts[begun] + (group - begun) * LANES >= PIECE || group + 1 == starts.len() {
            pieces.push(group);
            begun = group;
        }
    }
    pieces
}
