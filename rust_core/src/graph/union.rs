//! Several blocks read as one graph, seen through a scope.

use super::{Edge, Graph, INHIBITORY};
use crate::ids::IdSet;

/// An edge as a walk sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutEdge {
    /// The id it leads to.
    pub target: i64,
    /// Its type.
    pub kind: u8,
    /// Its strength in 65535ths.
    pub strength: u16,
    /// Which of the blocks it was read from, and the target's slot there.
    pub(crate) at: (u32, u32),
}

impl OutEdge {
    /// Whether the edge takes energy away.
    pub fn inhibits(&self) -> bool {
        self.kind == INHIBITORY
    }
}

/// The union of the edges of several blocks, without the nodes outside `allowed` and those that are `hidden`.
///
/// Nothing here depends on how the edges are divided into blocks: an edge that several hold counts once, with its
/// greatest strength; the smallest degree cap of the blocks holds for the whole.
#[derive(Debug, Clone, Copy)]
pub struct Union<'a> {
    pub(super) blocks: &'a [&'a Graph],
    allowed: Option<&'a IdSet>,
    hidden: Option<&'a IdSet>,
    pub(super) cap: Option<usize>,
}

impl<'a> Union<'a> {
    /// The blocks as one graph. `allowed`: None = every node.
    pub fn new(blocks: &'a [&'a Graph], allowed: Option<&'a IdSet>) -> Self {
        Self { blocks, allowed, hidden: None, cap: blocks.iter().filter_map(|block| block.max_degree).min() }
    }

    /// The same graph without the nodes `hidden`.
    pub fn without(self, hidden: Option<&'a IdSet>) -> Self {
        Self { hidden, ..self }
    }

    /// Whether a walk may enter every node.
    pub(super) fn is_open(&self) -> bool {
        self.allowed.is_none() && self.hidden.is_none()
    }

    /// Whether a walk may enter `id`.
    pub fn allows(&self, id: i64) -> bool {
        self.allowed.is_none_or(|set| set.contains(id)) && self.hidden.is_none_or(|set| !set.contains(id))
    }

    /// Replaces the content of `edges` by the edges out of `id`. Edges to one target stand in order of their type.
    /// O(degree), and a sort where more than one block knows the id.
    pub fn edges_of(&self, id: i64, edges: &mut Vec<OutEdge>) {
        self.edges_from(self.blocks.iter().map(|block| block.ids.slot(id)), edges);
    }

    /// The same for the node that has these slots in the blocks.
    pub(super) fn edges_from(&self, slots: impl Iterator<Item = Option<u32>>, edges: &mut Vec<OutEdge>) {
        edges.clear();
        let mut holders = 0;
        for ((number, block), slot) in (0..).zip(self.blocks).zip(slots) {
            let Some(slot) = slot else { continue };
            holders += 1;
            let seen = |edge: &Edge| OutEdge {
                target: block.ids.id(edge.slot),
                kind: edge.kind,
                strength: edge.strength,
                at: (number, edge.slot),
            };
            edges.extend(block.out.row(slot).iter().map(seen).filter(|edge| self.allows(edge.target)));
        }
        if holders > 1 {
            edges.sort_unstable_by_key(|edge| (edge.target, edge.kind, std::cmp::Reverse(edge.strength)));
            edges.dedup_by_key(|edge| (edge.target, edge.kind));
        }
        self.keep_the_strongest(edges);
    }

    fn keep_the_strongest(&self, edges: &mut Vec<OutEdge>) {
        let Some(cap) = self.cap.filter(|&cap| cap < edges.len()) else { return };
        edges.select_nth_unstable_by_key(cap, |edge| (std::cmp::Reverse(edge.strength), edge.target, edge.kind));
        edges.truncate(cap);
        edges.sort_unstable_by_key(|edge| (edge.target, edge.kind));
    }
}
