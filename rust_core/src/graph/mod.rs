//! Directed, typed, weighted edges between memory ids, and two walks over them: [`spread`] and [`pagerank`].
//!
//! A [`Graph`] is one block: a row of edges a node, 8 bytes an edge, sorted by (slot, type). An edge is
//! identified by (source, target, type); writing sets its strength, kept as round(clamp(w, 0, 1)·65535). A node is there
//! while an edge touches it, so a graph is a function of its edges and not of how they came.
//! [`Union`] reads several blocks as one graph.
//!
//! Adding n edges costs O(n log n + Σ degree of the sources), removing one O(degree).

mod build;
pub mod pagerank;
mod radix;
mod reached;
mod rows;
pub mod spread;
mod stored;
mod union;

use bytemuck::{Pod, Zeroable};

use crate::CoreError;
use crate::ids::{IdMap, check_ids, push_tightly};
use pagerank::Incoming;
use reached::Places;
use rows::Rows;

pub use union::{OutEdge, Union};

/// The one type that takes energy away; every other gives.
pub const INHIBITORY: u8 = 255;
/// The ordinary types are 0 to this one.
pub const LAST_ORDINARY: u8 = 6;

const FULL: f32 = 65535.0;

/// One edge out of a node: where to, how strong (in 65535ths), of which type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Edge {
    pub(crate) slot: u32,
    pub(crate) strength: u16,
    pub(crate) kind: u8,
    /// 0.
    rest: u8,
}

// SAFETY: every part of it may be zero.
unsafe impl Zeroable for Edge {}
// SAFETY: `repr(C)`, 4 + 2 + 1 + 1 bytes with an alignment of 4: no padding, and every part may be any bits.
unsafe impl Pod for Edge {}

impl Edge {
    fn new(slot: u32, strength: u16, kind: u8) -> Self {
        Self { slot, strength, kind, rest: 0 }
    }

    fn key(self) -> (u32, u8) {
        (self.slot, self.kind)
    }

    fn inhibits(self) -> bool {
        self.kind == INHIBITORY
    }
}

/// A block of edges.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    ids: IdMap,
    out: Rows,
    in_degree: Vec<u32>,
    max_degree: Option<usize>,
    /// What walks work with.
    places: Places,
    /// The edges by target, for PageRank; nothing after a change.
    incoming: Incoming,
}

/// What [`Graph::neighbors`] returns: three columns of one length, sorted by (target, type).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighbors {
    /// Target ids.
    pub targets: Vec<i64>,
    /// Strengths as they were quantised, 0..=1.
    pub strengths: Vec<f32>,
    /// Edge types.
    pub types: Vec<u8>,
}

/// The strength that 65535ths stand for.
pub(crate) fn strength_of(quantized: u16) -> f64 {
    f64::from(quantized) / 65535.0
}

impl Graph {
    /// A graph without edges. With `max_degree`, walks and [`Graph::neighbors`] follow only the strongest edges out of a
    /// node (ties: lower target, lower type). All edges are kept, so that the cap depends on no order of arrival and an
    /// edge that is removed makes room again.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for a cap of 0.
    pub fn new(max_degree: Option<usize>) -> Result<Self, CoreError> {
        if max_degree == Some(0) {
            return Err(CoreError::invalid("max_degree", 0, "give 1 or more, or none"));
        }
        Ok(Self { max_degree, ..Self::default() })
    }

    /// Sets the edges (source, target, type) to their strengths; the last of equal keys wins. All or nothing.
    ///
    /// # Errors
    /// [`CoreError::Dimension`] for columns of different length, [`CoreError::InvalidInput`] for a negative id, a
    /// strength that is not finite or an unknown type.
    pub fn add_edges(
        &mut self,
        sources: &[i64],
        targets: &[i64],
        strengths: &[f32],
        types: &[u8],
    ) -> Result<(), CoreError> {
        check_columns(sources, targets, strengths, types)?;
        self.incoming.clear();
        let (from, to) = build::slots_of(&mut self.ids, sources, targets)?;
        while self.out.len() < self.ids.slot_bound() {
            self.out.push_empty();
            push_tightly(&mut self.in_degree, 0);
        }
        let news = build::group(&from, &to, strengths, types, self.out.len());
        drop((from, to));
        if self.out.edge_count() == 0 {
            return self.begin_with(news);
        }
        let mut merged = Vec::new();
        for (i, &source) in news.sources.iter().enumerate() {
            self.merge(source, &news.edges[news.starts[i]..news.starts[i + 1]], &mut merged)?;
        }
        Ok(())
    }

    /// Removes every edge, of whatever type, from `sources[i]` to `targets[i]`, and returns how many there were.
    ///
    /// # Errors
    /// [`CoreError::Dimension`] for columns of different length, [`CoreError::InvalidInput`] for a negative id.
    pub fn remove_edges(&mut self, sources: &[i64], targets: &[i64]) -> Result<usize, CoreError> {
        check_ids("sources", sources)?;
        check_ids("targets", targets)?;
        check_length("targets", sources.len(), targets.len())?;
        self.incoming.clear();
        let mut removed = 0;
        for (&source, &target) in sources.iter().zip(targets) {
            if let (Some(from), Some(to)) = (self.ids.slot(source), self.ids.slot(target)) {
                removed += self.cut(from, to);
                self.drop_if_bare(from);
                self.drop_if_bare(to);
            }
        }
        Ok(removed)
    }

    /// Removes nodes with every edge from and to them, and returns how many of `ids` were there.
    ///
    /// Where the edges of a node go both ways this costs its degree; edges that only arrive cost one pass over the block.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for a negative id.
    pub fn remove_nodes(&mut self, ids: &[i64]) -> Result<usize, CoreError> {
        check_ids("ids", ids)?;
        self.incoming.clear();
        let mut slots: Vec<u32> = ids.iter().filter_map(|&id| self.ids.slot(id)).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut touched = slots.clone();
        for &slot in &slots {
            let mut targets: Vec<u32> = self.out.row(slot).iter().map(|edge| edge.slot).collect();
            targets.dedup();
            for &target in &targets {
                self.cut(target, slot);
            }
            let in_degree = &mut self.in_degree;
            self.out.row(slot).iter().for_each(|edge| in_degree[edge.slot as usize] -= 1);
            self.out.retain(slot, |_| false);
            touched.extend(targets);
        }
        if slots.iter().any(|&slot| self.in_degree[slot as usize] > 0) {
            touched.extend(self.cut_arrivals(&slots));
        }
        touched.into_iter().for_each(|slot| self.drop_if_bare(slot));
        Ok(slots.len())
    }

    /// The edges out of `id`, strengths as stored; none for an id that has no edge.
    ///
    /// # Errors
    /// [`CoreError::InvalidInput`] for a negative id.
    pub fn neighbors(&self, id: i64) -> Result<Neighbors, CoreError> {
        check_ids("id", &[id])?;
        let mut edges = Vec::new();
        Union::new(&[self], None).edges_of(id, &mut edges);
        edges.sort_unstable_by_key(|edge| (edge.target, edge.kind));
        Ok(Neighbors {
            targets: edges.iter().map(|edge| edge.target).collect(),
            strengths: edges.iter().map(|edge| strength_of(edge.strength) as f32).collect(),
            types: edges.iter().map(|edge| edge.kind).collect(),
        })
    }

    /// How many ids an edge touches.
    pub fn node_count(&self) -> usize {
        self.ids.len()
    }

    /// How many edges walks may follow: with a cap, at most that many a node.
    pub fn edge_count(&self) -> usize {
        match self.max_degree {
            None => self.out.edge_count(),
            Some(cap) => (0..self.out.len() as u32).map(|slot| self.out.row(slot).len().min(cap)).sum(),
        }
    }

    /// The cap on the edges out of a node that walks follow.
    pub fn max_degree(&self) -> Option<usize> {
        self.max_degree
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.ids.memory_bytes()
            + self.out.memory_bytes()
            + self.in_degree.capacity() * size_of::<u32>()
            + self.places.memory_bytes()
            + self.incoming.memory_bytes()
    }

    /// The first edges of a graph that has none: what was grouped are the rows.
    fn begin_with(&mut self, news: build::Grouped) -> Result<(), CoreError> {
        rows::check_count(news.edges.len())?;
        news.edges.iter().for_each(|edge| self.in_degree[edge.slot as usize] += 1);
        let mut lengths = vec![0; self.out.len()];
        for (&source, bounds) in news.sources.iter().zip(news.starts.windows(2)) {
            lengths[source as usize] = (bounds[1] - bounds[0]) as u32;
        }
        self.out = Rows::of(news.edges, lengths.into_iter());
        Ok(())
    }

    /// Merges `news`, sorted and one a key, into the sorted edges of `source`.
    fn merge(&mut self, source: u32, news: &[Edge], merged: &mut Vec<Edge>) -> Result<(), CoreError> {
        merged.clear();
        let mut old = self.out.row(source).iter().copied().peekable();
        for &edge in news {
            while let Some(kept) = old.next_if(|kept| kept.key() < edge.key()) {
                merged.push(kept);
            }
            if old.next_if(|kept| kept.key() == edge.key()).is_none() {
                self.in_degree[edge.slot as usize] += 1;
            }
            merged.push(edge);
        }
        merged.extend(old);
        self.out.replace(source, merged)
    }

    /// Removes the edges between two slots, one way, and counts them.
    fn cut(&mut self, from: u32, to: u32) -> usize {
        let before = self.out.edge_count();
        if self.out.row(from).binary_search_by_key(&to, |edge| edge.slot).is_ok() {
            self.out.retain(from, |edge| edge.slot != to);
        }
        let gone = before - self.out.edge_count();
        self.in_degree[to as usize] -= gone as u32;
        gone
    }

    /// Removes what still points at one of the sorted `slots`; returns the sources that lost an edge.
    fn cut_arrivals(&mut self, slots: &[u32]) -> Vec<u32> {
        let mut sources = Vec::new();
        for source in 0..self.out.len() as u32 {
            let before = self.out.edge_count();
            let in_degree = &mut self.in_degree;
            self.out.retain(source, |edge| {
                let gone = slots.binary_search(&edge.slot).is_ok();
                in_degree[edge.slot as usize] -= u32::from(gone);
                !gone
            });
            if self.out.edge_count() < before {
                sources.push(source);
            }
        }
        sources
    }

    fn drop_if_bare(&mut self, slot: u32) {
        if self.out.row(slot).is_empty() && self.in_degree[slot as usize] == 0 && self.ids.is_used(slot) {
            self.out.release(slot);
            self.ids.release(self.ids.id(slot));
        }
    }
}

fn check_columns(sources: &[i64], targets: &[i64], strengths: &[f32], types: &[u8]) -> Result<(), CoreError> {
    check_length("targets", sources.len(), targets.len())?;
    check_length("strengths", sources.len(), strengths.len())?;
    check_length("types", sources.len(), types.len())?;
    check_ids("sources", sources)?;
    check_ids("targets", targets)?;
    if let Some(i) = strengths.iter().position(|w| !w.is_finite()) {
        return Err(CoreError::invalid("strengths", format!("{} at {i}", strengths[i]), "give numbers from 0 to 1"));
    }
    if let Some(i) = types.iter().position(|&kind| kind > LAST_ORDINARY && kind != INHIBITORY) {
        let hint = format!("give 0 to {LAST_ORDINARY}, or {INHIBITORY} for inhibitory");
        return Err(CoreError::invalid("types", format!("{} at {i}", types[i]), hint));
    }
    Ok(())
}

pub(crate) fn check_length(field: &'static str, expected: usize, got: usize) -> Result<(), CoreError> {
    if expected == got { Ok(()) } else { Err(CoreError::Dimension { field, expected, got }) }
}

#[cfg(test)]
mod tests;
