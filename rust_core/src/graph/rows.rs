//! The edges of all nodes of a block in one vector, row beside row.
//!
//! A row is sorted by (slot, type). One that is built with the block has no room beside its edges; one that outgrows its
//! room moves to the end, with up to a quarter more. When a quarter of the vector is room that was left behind, the rows
//! are written anew without gaps: O(1) an edge that was ever added.

use super::Edge;
use crate::CoreError;
use crate::ids::push_tightly;

/// Room left behind that is never worth moving the rows for.
const LITTLE: usize = 1_024;

/// In a span: the row has no room beside its edges.
const TIGHT: u32 = 1 << 31;
/// The most edges, with their room.
pub(super) const MOST_EDGES: usize = TIGHT as usize - 1;

/// Where a row stands: how long it is, and whether it is tight. What room another one has follows from its length.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    marked: u32,
}

impl Span {
    fn tight(start: u32, len: u32) -> Self {
        Self { start, marked: len | TIGHT }
    }

    fn len(self) -> u32 {
        self.marked & !TIGHT
    }

    fn room(self) -> usize {
        if self.marked & TIGHT == 0 { roomy(self.len() as usize) } else { self.len() as usize }
    }
}

/// The room of a row of `len` edges that may grow: the next of 0 to 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, …
fn roomy(len: usize) -> usize {
    let step = len.saturating_sub(1).checked_ilog2().map_or(1, |log| 1 << log.saturating_sub(2));
    len.next_multiple_of(step)
}

/// # Errors
/// [`CoreError::Engine`] for more than [`MOST_EDGES`].
pub(super) fn check_count(edges: usize) -> Result<(), CoreError> {
    if edges <= MOST_EDGES { Ok(()) } else { Err(CoreError::Engine("one block holds less than 2^31 edges".to_owned())) }
}

/// A row of edges for each slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    edges: Vec<Edge>,
    spans: Vec<Span>,
    /// How many of `edges` no span has room for.
    lost: usize,
    used: usize,
}

impl Rows {
    /// Rows that stand one after another in `edges`, `lengths[slot]` of them each.
    pub(crate) fn of(edges: Vec<Edge>, lengths: impl Iterator<Item = u32>) -> Self {
        let mut start = 0;
        let spans = lengths.map(|len| {
            let span = Span::tight(start, len);
            start += len;
            span
        });
        Self { spans: spans.collect(), lost: 0, used: edges.len(), edges }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// How many edges there are.
    pub(crate) fn edge_count(&self) -> usize {
        self.used
    }

    pub(crate) fn push_empty(&mut self) {
        push_tightly(&mut self.spans, Span::default());
    }

    #[inline]
    pub(crate) fn row(&self, slot: u32) -> &[Edge] {
        let span = self.spans[slot as usize];
        &self.edges[span.start as usize..][..span.len() as usize]
    }

    /// Replaces a row by `edges`.
    ///
    /// # Errors
    /// [`CoreError::Engine`] when there are more than [`MOST_EDGES`]; the row is then as it was.
    pub(crate) fn replace(&mut self, slot: u32, edges: &[Edge]) -> Result<(), CoreError> {
        let span = self.spans[slot as usize];
        if edges.len() <= span.room() {
            self.edges[span.start as usize..][..edges.len()].copy_from_slice(edges);
            self.set_length(slot, edges.len());
        } else {
            let room = if span.len() == 0 { edges.len() } else { roomy(edges.len()) };
            let start = self.edges.len();
            check_count(start + room)?;
            if start + room > self.edges.capacity() {
                self.edges.reserve_exact(room.max(start / 8));
            }
            self.edges.extend_from_slice(edges);
            self.edges.resize(start + room, Edge::default());
            self.lost += span.room();
            self.used = self.used + edges.len() - span.len() as usize;
            let (start, len) = (start as u32, edges.len() as u32);
            self.spans[slot as usize] =
                if room == edges.len() { Span::tight(start, len) } else { Span { start, marked: len } };
        }
        self.close_many_gaps();
        Ok(())
    }

    /// Keeps of a row what `keeps` says.
    pub(crate) fn retain(&mut self, slot: u32, mut keeps: impl FnMut(&Edge) -> bool) {
        let span = self.spans[slot as usize];
        let row = &mut self.edges[span.start as usize..][..span.len() as usize];
        let mut kept = 0;
        for i in 0..row.len() {
            if keeps(&row[i]) {
                row[kept] = row[i];
                kept += 1;
            }
        }
        self.set_length(slot, kept);
    }

    /// Gives up the room of an empty row.
    pub(crate) fn release(&mut self, slot: u32) {
        let span = std::mem::take(&mut self.spans[slot as usize]);
        debug_assert_eq!(span.len(), 0, "a row with edges");
        self.lost += span.room();
        self.close_many_gaps();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.edges.capacity() * size_of::<Edge>() + self.spans.capacity() * size_of::<Span>()
    }

    /// Another length within the room; what of the room does not follow from it is left behind.
    fn set_length(&mut self, slot: u32, len: usize) {
        let span = &mut self.spans[slot as usize];
        let (room, before) = (span.room(), span.len() as usize);
        span.marked = span.marked & TIGHT | len as u32;
        self.lost = self.lost + room - span.room();
        self.used = self.used + len - before;
    }

    fn close_many_gaps(&mut self) {
        if self.lost <= self.edges.len() / 4 + LITTLE {
            return;
        }
        let mut edges = Vec::with_capacity(self.used + self.used / 16);
        for span in &mut self.spans {
            let start = edges.len() as u32;
            edges.extend_from_slice(&self.edges[span.start as usize..][..span.len() as usize]);
            *span = Span::tight(start, span.len());
        }
        self.edges = edges;
        self.lost = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edges(slots: &[u32]) -> Vec<Edge> {
        slots.iter().map(|&slot| Edge::new(slot, 7, 0)).collect()
    }

    #[test]
    fn a_row_may_grow_by_up_to_a_quarter_and_the_room_for_more_is_the_room_of_more() {
        for len in 0..5_000 {
            assert!((len..=len + len / 4).contains(&roomy(len)), "{len}");
            assert!((len..=roomy(len)).all(|more| roomy(more) == roomy(len)), "{len}");
        }
    }

    #[test]
    fn room_that_was_left_behind_is_given_back() {
        let mut rows = Rows::default();
        (0..50).for_each(|_| rows.push_empty());
        for length in 1..200 {
            for slot in 0..50 {
                rows.replace(slot, &edges(&vec![slot; length])).unwrap();
            }
        }
        assert_eq!(rows.edge_count(), 50 * 199);
        assert!(rows.memory_bytes() < 2 * 8 * 50 * 199, "{}", rows.memory_bytes());
        for slot in 0..50 {
            rows.retain(slot, |_| false);
            rows.release(slot);
        }
        assert!(rows.edge_count() == 0 && rows.memory_bytes() < 2 * 8 * LITTLE);
    }

    proptest! {
        #[test]
        fn rows_answer_like_plain_vectors(
            moves in prop::collection::vec((0u32..6, prop::collection::vec(0u32..9, 0..400), 0u32..9), 0..60)
        ) {
            let (mut rows, mut plain) = (Rows::default(), vec![Vec::new(); 6]);
            (0..6).for_each(|_| rows.push_empty());
            for (slot, new, gone) in moves {
                rows.replace(slot, &edges(&new)).unwrap();
                rows.retain(slot, |edge| edge.slot != gone);
                plain[slot as usize] = edges(&new);
                plain[slot as usize].retain(|edge| edge.slot != gone);
                if plain[slot as usize].is_empty() {
                    rows.release(slot);
                }
                prop_assert!((0..6).all(|i| rows.row(i) == plain[i as usize]));
                prop_assert_eq!(rows.edge_count(), plain.iter().map(Vec::len).sum::<usize>());
            }
        }
    }
}
