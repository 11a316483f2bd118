//! A block as bytes, for a snapshot, and back.
//!
//! Little-endian: a header (mark `MGRA`, version, checksum); three counts as u64 (slots, edges, the degree cap or 0); for
//! each slot its id as i64 (−1 where it is free); the length of its row as u32; the edges row by row, 8 bytes each: the
//! target's slot as u32, the strength as u16, the type, 0. Degrees and tables are made anew.

use super::pagerank::Incoming;
use super::reached::Places;
use super::rows::{MOST_EDGES, Rows};
use super::{Edge, Graph, INHIBITORY, LAST_ORDINARY};
use crate::CoreError;
use crate::ids::IdMap;
use crate::sealed::{Form, Reader, seal};

/// The version that this crate writes, and the only one it reads.
pub const VERSION: u32 = 1;
static FORM: Form = Form { what: "graph", mark: *b"MGRA", version: VERSION };
const COUNTS: usize = 3;
const EDGE_BYTES: usize = 8;

/// Where strength and type stand in the word that an edge is, above the slot.
const STRENGTH_AT: u32 = 32;
const KIND_AT: u32 = 48;

fn to_word(edge: Edge) -> u64 {
    u64::from(edge.slot) | u64::from(edge.strength) << STRENGTH_AT | u64::from(edge.kind) << KIND_AT
}

fn from_word(word: u64) -> Edge {
    Edge { slot: word as u32, strength: (word >> STRENGTH_AT) as u16, kind: (word >> KIND_AT) as u8 }
}

impl Graph {
    /// The block as bytes, which [`Graph::restore`] reads. O(slots + edges).
    pub fn dump(&self) -> Vec<u8> {
        let (slots, edges) = (self.out.len(), self.out.edge_count());
        let mut bytes = FORM.begin(8 * COUNTS + 12 * slots + EDGE_BYTES * edges);
        for count in [slots, edges, self.max_degree.unwrap_or(0)] {
            bytes.extend_from_slice(&(count as u64).to_le_bytes());
        }
        let rows = || (0..slots as u32).map(|slot| self.out.row(slot));
        self.ids.with_gaps().iter().for_each(|id| bytes.extend_from_slice(&id.to_le_bytes()));
        rows().for_each(|row| bytes.extend_from_slice(&(row.len() as u32).to_le_bytes()));
        rows().flatten().for_each(|&edge| bytes.extend_from_slice(&to_word(edge).to_le_bytes()));
        seal(bytes)
    }

    /// The block that was dumped: it answers like it, bit for bit, also after changes. O(slots + edges).
    ///
    /// # Errors
    /// [`CoreError::Corrupt`] for bytes that are cut off, changed, of another version, or that are no graph.
    pub fn restore(bytes: &[u8]) -> Result<Self, CoreError> {
        Self::from_body(FORM.open(bytes)?)
    }

    fn from_body(mut reader: Reader<'_>) -> Result<Self, CoreError> {
        let [slots, count, cap] = reader.counts::<COUNTS>()?;
        let ids = reader.longs(slots)?;
        let lengths = reader.words(slots)?;
        let words = reader.take(count, EDGE_BYTES)?.as_chunks::<EDGE_BYTES>().0;
        let in_rows: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        if !reader.is_empty() || in_rows != count as u64 || count > MOST_EDGES {
            return Err(FORM.corrupt("its counts do not agree"));
        }
        let ids = IdMap::with_slots(ids).ok_or_else(|| FORM.corrupt("an id is there twice, or is none"))?;
        let edges: Vec<Edge> = words.iter().map(|word| from_word(u64::from_le_bytes(*word))).collect();
        // No way out in the middle: a loop of vectors.
        let sound = |&word: &[u8; EDGE_BYTES]| {
            let kind = u64::from_le_bytes(word) >> KIND_AT;
            (kind <= u64::from(LAST_ORDINARY)) | (kind == u64::from(INHIBITORY))
        };
        if !words.iter().fold(true, |all, word| all & sound(word)) {
            return Err(FORM.corrupt("an edge has a type that there is not"));
        }
        if edges.iter().map(|edge| edge.slot).max().is_some_and(|most| most as usize >= slots) {
            return Err(FORM.corrupt("an edge leads to no slot"));
        }
        let mut in_degree = vec![0_u32; slots];
        edges.iter().for_each(|edge| in_degree[edge.slot as usize] += 1);
        let out = Rows::of(edges, lengths.into_iter());
        let ascends = |row: &[Edge]| row.windows(2).fold(true, |all, pair| all & (pair[0].key() < pair[1].key()));
        for slot in 0..slots as u32 {
            let row = out.row(slot);
            if !ascends(row) {
                return Err(FORM.corrupt("a row is not in order"));
            }
            if ids.is_used(slot) == (row.is_empty() && in_degree[slot as usize] == 0) {
                return Err(FORM.corrupt("an edge without a node, or a node without one"));
            }
        }
        let max_degree = Some(cap).filter(|&cap| cap > 0);
        Ok(Self { ids, out, in_degree, max_degree, places: Places::default(), incoming: Incoming::default() })
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
        let restored = Graph::restore(&graph.dump()).unwrap();
        assert_eq!((restored.node_count(), restored.edge_count(), restored.max_degree()), (0, 0, Some(3)));
    }

    #[test]
    fn what_is_no_graph_is_named() {
        let graph = block(&[(1, 2, 0.5, 0), (1, 3, 0.5, 0)], None);
        let bytes = graph.dump();
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
            (40, 2, "an id is there twice"),
            (47, 0x80, "an id is there twice, or is none"),
            (24, 3, "ends too early"),
            (24, 1, "counts do not agree"),
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
            let mut restored = Graph::restore(&graph.dump()).unwrap();
            prop_assert_eq!(answers(&restored), answers(&graph));
            prop_assert_eq!(restored.dump(), graph.dump());
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
            let bytes = block(&edges, None).dump();
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
            let mut bytes = changed(&edges, None, &gone, &[(1, 8, 0.5, 0)]).dump();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(bytes.len() - cut);
            if let Ok(mut graph) = Graph::restore(&seal(bytes)) {
                answers(&graph);
                change(&mut graph, &[0, 1, 3], &edges);
                answers(&graph);
                prop_assert_eq!(answers(&Graph::restore(&graph.dump()).unwrap()), answers(&graph));
            }
        }
    }
}
