//! A block as bytes, for a snapshot, and back.
//!
//! Mark `MGRA`; three counts (slots, edges, the degree cap or 0); for each slot its id as i64 (−1 where it is free); the
//! length of its row as u32; the edges row by row as they stand in memory. Degrees and tables are made anew.

use super::pagerank::Incoming;
use super::reached::Places;
use super::rows::{MOST_EDGES, Rows};
use super::{Edge, Graph, INHIBITORY, LAST_ORDINARY};
use crate::CoreError;
use crate::ids::IdMap;
use crate::sealed::{Form, Reader, Sink, Stored, put, put_counts, put_each};

/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 2;
static FORM: Form = Form { what: "graph", mark: *b"MGRA", version: VERSION };
const COUNTS: usize = 3;

impl Stored for Graph {
    const FORM: &'static Form = &FORM;

    fn body_bytes(&self) -> usize {
        8 * COUNTS + 12 * self.out.len() + size_of::<Edge>() * self.out.edge_count()
    }

    fn write_body(&self, sink: &mut dyn Sink) -> Result<(), CoreError> {
        let slots = self.out.len();
        put_counts(sink, &[slots, self.out.edge_count(), self.max_degree.unwrap_or(0)])?;
        put(sink, self.ids.with_gaps())?;
        let rows = || (0..slots as u32).map(|slot| self.out.row(slot));
        put_each(sink, rows().map(|row| row.len() as u32))?;
        rows().try_for_each(|row| put(sink, row))
    }

    fn read_body(reader: &mut Reader<'_>) -> Result<Self, CoreError> {
        let [slots, count, cap] = reader.counts::<COUNTS>()?;
        let ids = reader.values::<i64>(slots)?;
        let lengths = reader.values::<u32>(slots)?;
        let in_rows: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        if in_rows != count as u64 || count > MOST_EDGES {
            return Err(FORM.corrupt("its counts do not agree"));
        }
        let edges = reader.values::<Edge>(count)?;
        let ids = IdMap::with_slots(ids).ok_or_else(|| FORM.corrupt("an id is there twice, or is none"))?;
        let in_degree = degrees(&edges, &lengths)?;
        for (slot, (&length, &arrivals)) in (0_u32..).zip(lengths.iter().zip(&in_degree)) {
            if ids.is_used(slot) == (length == 0 && arrivals == 0) {
                return Err(FORM.corrupt("an edge without a node, or a node without one"));
            }
        }
        let out = Rows::of(edges, lengths.into_iter());
        let max_degree = Some(cap).filter(|&cap| cap > 0);
        Ok(Self { ids, out, in_degree, max_degree, places: Places::default(), incoming: Incoming::default() })
    }
}

/// How many edges lead to each slot, where all of them are edges, in rows of these lengths that are in order.
fn degrees(edges: &[Edge], lengths: &[u32]) -> Result<Vec<u32>, CoreError> {
    let mut in_degree = vec![0_u32; lengths.len()];
    let mut rest = edges;
    for &length in lengths {
        let row;
        (row, rest) = rest.split_at(length as usize);
        let (mut kinds, mut order, mut before) = (true, true, None);
        for edge in row {
            kinds &= ((edge.kind <= LAST_ORDINARY) | (edge.kind == INHIBITORY)) & (edge.rest == 0);
            order &= before < Some(edge.key());
            before = Some(edge.key());
            let arrivals = in_degree.get_mut(edge.slot as usize);
            *arrivals.ok_or_else(|| FORM.corrupt("an edge leads to no slot"))? += 1;
        }
        if !kinds {
            return Err(FORM.corrupt("an edge has a type that there is not"));
        }
        if !order {
            return Err(FORM.corrupt("a row is not in order"));
        }
    }
    Ok(in_degree)
}

impl Graph {
    /// The block as bytes, which [`Graph::restore`] reads. O(slots + edges).
    ///
    /// # Errors
    /// None: there is room for them.
    pub fn dump(&self) -> Result<Vec<u8>, CoreError> {
        self.dumped()
    }

    /// The block that was dumped: it answers like it, bit for bit, also after changes. O(slots + edges).
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are cut off, changed, of another version, or that are no graph.
    pub fn restore(bytes: &[u8]) -> Result<Self, CoreError> {
        Self::restored(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Union;
    use super::super::pagerank::{PageRank, PageRankParams, pagerank};
    use super::super::spread::{Spread, SpreadParams, spread};
    use super::super::tests::{Listed, add, block, some_edges};
    use super::*;
    use crate::sealed::seal;

    const SPREAD: SpreadParams =
        SpreadParams { steps: 3, decay: 0.6, threshold: 0.01, teleport_alpha: 0.15, max_active: 9, max_outflow: None };
    const RANK: PageRankParams = PageRankParams { restart: 0.15, tolerance: 1e-6, max_visits: 10_000 };

    fn answers(graph: &Graph) -> (Spread, PageRank, Vec<super::super::Neighbors>, usize, usize) {
        let blocks = [graph];
        let union = Union::new(&blocks, None);
        let (ids, values) = ([0, 3, 5], [1.0, 0.5, 0.8]);
        let spread = spread(&union, &ids, &values, &SPREAD).unwrap();
        let ranked = pagerank(&union, &ids, &values, &RANK).unwrap();
        let neighbors = (0..20).map(|id| graph.neighbors(id).unwrap()).collect();
        (spread, ranked, neighbors, graph.node_count(), graph.edge_count())
    }

    fn change(graph: &mut Graph, gone: &[i64], more: &[Listed]) {
        graph.remove_nodes(gone).unwrap();
        graph.remove_edges(&[0, 1, 2], &[4, 5, 6]).unwrap();
        add(graph, more).unwrap();
        graph.remove_nodes(&[2]).unwrap();
    }

    /// A block with rows that moved and slots that are free.
    fn changed(edges: &[Listed], cap: Option<usize>, gone: &[i64], more: &[Listed]) -> Graph {
        let mut graph = block(edges, cap);
        change(&mut graph, gone, more);
        graph
    }

    fn some_ids() -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec(0_i64..9, 0..4)
    }

    #[test]
    fn a_graph_without_edges_is_restored() {
        let graph = Graph::new(Some(3)).unwrap();
        let restored = Graph::restore(&graph.dump().unwrap()).unwrap();
        assert_eq!((restored.node_count(), restored.edge_count(), restored.max_degree()), (0, 0, Some(3)));
    }

    #[test]
    fn what_is_no_graph_is_named() {
        let graph = block(&[(1, 2, 0.5, 0), (1, 3, 0.5, 0)], None);
        let mut bytes = graph.dump().unwrap();
        bytes.truncate(bytes.len() - 8);
        let end = bytes.len();
        // The last edge leads to 3, which has slot 2; the one before it to 2, which has slot 1.
        for (at, byte, reason) in [
            (end - 8, 3, "leads to no slot"),
            (end - 8, 1, "not in order"),
            (end - 8, 0, "not in order"),
            (end - 16, 0, "a node without one"),
            (end - 2, 7, "a type"),
            (end - 1, 1, "a type"),
            (end - 28, 1, "counts do not agree"),
            (32, 2, "an id is there twice"),
            (39, 0x80, "an id is there twice, or is none"),
            (8, 200, "ends too early"),
            (16, 1, "counts do not agree"),
        ] {
            let mut changed = bytes.clone();
            assert_ne!(changed[at], byte, "{reason}");
            changed[at] = byte;
            let error = Graph::restore(&seal(changed)).unwrap_err().to_string();
            assert!(error.starts_with("graph is damaged") && error.contains(reason), "{at}: {error}");
        }
    }

    proptest! {
        #[test]
        fn a_restored_graph_answers_and_changes_like_the_dumped_one(
            edges in some_edges(), more in some_edges(), late in some_edges(), gone in some_ids(), later in some_ids(),
            cap in prop::option::of(1_usize..4)
        ) {
            let mut graph = changed(&edges, cap, &gone, &more);
            let mut restored = Graph::restore(&graph.dump().unwrap()).unwrap();
            prop_assert_eq!(answers(&restored), answers(&graph));
            prop_assert_eq!(restored.dump().unwrap(), graph.dump().unwrap());
            prop_assert_eq!(restored.max_degree(), cap);
            for graph in [&mut graph, &mut restored] {
                change(graph, &later, &late);
                add(graph, &[(17, 3, 0.9, 0), (3, 18, 0.7, 4), (17, 5, 0.2, INHIBITORY)]).unwrap();
            }
            prop_assert_eq!(answers(&restored), answers(&graph));
        }

        #[test]
        fn bytes_that_are_cut_or_changed_are_refused(
            edges in some_edges(), at in any::<prop::sample::Index>(), bit in 0..8_u32
        ) {
            let bytes = block(&edges, None).dump().unwrap();
            let at = at.index(bytes.len());
            prop_assert!(Graph::restore(&bytes[..at]).is_err());
            let mut changed = bytes;
            changed[at] ^= 1 << bit;
            prop_assert!(Graph::restore(&changed).is_err());
        }

        #[test]
        fn bytes_that_were_made_up_are_refused_or_are_a_graph(
            edges in some_edges(), gone in some_ids(), cut in 0_usize..9,
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..12), 1..4)
        ) {
            let mut bytes = changed(&edges, None, &gone, &[(1, 8, 0.5, 0)]).dump().unwrap();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(bytes.len() - 8 - cut);
            if let Ok(mut graph) = Graph::restore(&seal(bytes)) {
                answers(&graph);
                change(&mut graph, &[0, 1, 3], &edges);
                answers(&graph);
                prop_assert_eq!(answers(&Graph::restore(&graph.dump().unwrap()).unwrap()), answers(&graph));
            }
        }
    }
}
