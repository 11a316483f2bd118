//! The iteration over what is within reach: mass is given along the edges out of each node.

use super::super::reached::Reached;
use super::super::{OutEdge, Union, radix};

struct Node {
    mass: f64,
    next: f64,
    share: f64,
    /// Where its edges stand in `Push::links`, once it was expanded.
    links: Option<(usize, usize)>,
    /// 1 over the sum of their strengths in 65535ths; 0 without any.
    inverse: f64,
}

/// What the walk has reached.
pub(super) struct Push<'a> {
    graph: Union<'a>,
    reached: Reached<'a>,
    nodes: Vec<Node>,
    links: Vec<(u32, u16)>,
    /// Places in ascending order of id: the order of every sum.
    order: Vec<u32>,
    /// Whether the one block knows every seed.
    at_home: bool,
}

/// 1 over a sum of strengths, or 0 for none: what both iterations multiply the mass of a node by.
pub(super) fn inverse_of(outflow: u64) -> f64 {
    if outflow == 0 { 0.0 } else { 1.0 / outflow as f64 }
}

impl<'a> Push<'a> {
    pub(super) fn with_seeds(graph: Union<'a>, seeds: &[(i64, f64)]) -> Self {
        let at_home = match graph.blocks {
            [block] => graph.is_open() && seeds.iter().all(|&(id, _)| block.ids.slot(id).is_some()),
            _ => false,
        };
        let reached = Reached::new(graph);
        let mut push = Self { graph, reached, nodes: Vec::new(), links: Vec::new(), order: Vec::new(), at_home };
        for &(id, share) in seeds {
            push.reached.begin(id);
            push.nodes.push(Node { mass: share, share, ..Node::empty() });
        }
        push.reorder();
        push
    }

    /// Whether the nodes that hold mass have a `part`-th of all edges, in one block without a scope. Never for 0.
    pub(super) fn is_wide(&self, part: usize) -> bool {
        let (true, [block]) = (self.at_home, self.graph.blocks) else { return false };
        let holders = (0..self.nodes.len()).filter(|&at| self.nodes[at].mass != 0.0);
        let edges: usize = holders.map(|at| self.reached.degree(at)).sum();
        edges > 0 && edges.saturating_mul(part) >= block.out.edge_count()
    }

    /// (mass, id) of every node that was reached.
    pub(super) fn masses(&mut self) -> Vec<(f64, i64)> {
        self.nodes.iter().zip(self.reached.ids()).map(|(node, &id)| (node.mass, id)).collect()
    }

    fn reorder(&mut self) {
        if self.order.len() < self.nodes.len() {
            let mut places: Vec<(u64, u32)> = self.reached.ids().iter().map(|&id| id as u64).zip(0..).collect();
            radix::sort_by_key(&mut places);
            self.order = places.into_iter().map(|(_, place)| place).collect();
        }
    }

    /// One multiplication; the L1 distance it moved, or None when the budget does not cover it.
    pub(super) fn iterate(&mut self, restart: f64, budget: &mut usize) -> Option<f64> {
        let mut buffer = Vec::new();
        let mut dangling = 0.0;
        for i in 0..self.order.len() {
            let at = self.order[i] as usize;
            if self.nodes[at].mass == 0.0 {
                continue;
            }
            let (start, end) = self.expand(at, &mut buffer);
            *budget = budget.checked_sub(end - start)?;
            let (mass, inverse) = (self.nodes[at].mass, self.nodes[at].inverse);
            if inverse == 0.0 {
                dangling += mass;
            }
            let given = mass * inverse;
            for &(target, strength) in &self.links[start..end] {
                self.nodes[target as usize].next += f64::from(strength) * given;
            }
        }
        self.reorder();
        Some(self.settle(restart, dangling))
    }

    fn expand(&mut self, at: usize, buffer: &mut Vec<OutEdge>) -> (usize, usize) {
        if let Some(range) = self.nodes[at].links {
            return range;
        }
        self.reached.edges_of(at, buffer);
        let start = self.links.len();
        let mut outflow = 0;
        for edge in buffer.iter().filter(|edge| !edge.inhibits() && edge.strength > 0) {
            let Some(target) = self.reached.place(edge.at.0 as usize, edge.at.1) else { continue };
            if target == self.nodes.len() {
                self.nodes.push(Node::empty());
            }
            self.links.push((target as u32, edge.strength));
            outflow += u64::from(edge.strength);
        }
        let range = (start, self.links.len());
        self.nodes[at].links = Some(range);
        self.nodes[at].inverse = inverse_of(outflow);
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

impl Node {
    fn empty() -> Self {
        Self { mass: 0.0, next: 0.0, share: 0.0, links: None, inverse: 0.0 }
    }
}
