//! The terms of each document, one after another in one stretch of memory.

/// What is in no document any more is kept up to this many terms, or to half of all.
const FEW_DEAD: usize = 4_096;

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    length: u32,
}

/// The numbers of the terms of documents, by slot.
#[derive(Debug, Default)]
pub(super) struct Forward {
    terms: Vec<u32>,
    spans: Vec<Span>,
    dead: usize,
}

impl Forward {
    /// The terms of documents one after another, and how many each slot has of them; None where they are not as many,
    /// or too many.
    pub(super) fn of(terms: Vec<u32>, distinct: &[u32]) -> Option<Self> {
        let mut spans = Vec::with_capacity(distinct.len());
        let mut start = 0_u32;
        for length in distinct {
            spans.push(Span { start, length: *length });
            start = start.checked_add(*length)?;
        }
        (start as usize == terms.len()).then_some(Self { terms, spans, dead: 0 })
    }

    /// The distinct terms of a document, by number; none in a slot that is free.
    pub(super) fn terms(&self, slot: u32) -> &[u32] {
        self.spans.get(slot as usize).map_or(&[], |span| &self.terms[span.start as usize..][..span.length as usize])
    }

    /// Puts other terms into a slot.
    pub(super) fn set(&mut self, slot: u32, terms: &[u32]) {
        if self.spans.len() <= slot as usize {
            self.spans.resize(slot as usize + 1, Span::default());
        }
        self.dead += std::mem::take(&mut self.spans[slot as usize]).length as usize;
        if self.dead > FEW_DEAD.max(self.terms.len() / 2) {
            self.leave_out_the_dead();
        }
        self.spans[slot as usize] = Span { start: self.terms.len() as u32, length: terms.len() as u32 };
        self.terms.extend_from_slice(terms);
    }

    /// Whether `terms` more can be kept.
    pub(super) fn has_room(&self, terms: usize) -> bool {
        self.terms.len() + terms < u32::MAX as usize
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.terms.capacity() * size_of::<u32>() + self.spans.capacity() * size_of::<Span>()
    }

    fn leave_out_the_dead(&mut self) {
        let mut kept = Vec::with_capacity(self.terms.len() - self.dead);
        for span in &mut self.spans {
            let start = kept.len() as u32;
            kept.extend_from_slice(&self.terms[span.start as usize..][..span.length as usize]);
            span.start = start;
        }
        self.terms = kept;
        self.dead = 0;
    }
}
