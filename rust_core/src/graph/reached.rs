//! The nodes that a walk has reached, numbered in the order in which it came to them.
//!
//! A node is looked up by its slot in a table of its block that the block keeps for walks (4 bytes a slot): no hash on
//! the way along an edge. A walk leaves the tables as it found them, in time of what it reached.

use parking_lot::Mutex;

use super::{Edge, Graph, OutEdge, Union};

/// In a table: not reached yet.
const NEW: u32 = 0;
/// In a table: outside the scope.
const BARRED: u32 = u32::MAX;
/// Among the slots of a node: a block does not know it.
const NONE: u32 = u32::MAX;
/// Tables that a block keeps; walks at the same time make their own.
const KEPT: usize = 2;

/// Tables of a block with nothing in them.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<Vec<Vec<u32>>>);

impl Clone for Places {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Places {
    fn take(&self, slots: usize) -> Vec<u32> {
        let mut table = self.0.lock().pop().unwrap_or_default();
        if table.len() < slots {
            table = vec![NEW; slots];
        }
        table
    }

    fn give(&self, table: Vec<u32>) {
        let mut tables = self.0.lock();
        if tables.len() < KEPT {
            tables.push(table);
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.0.lock().iter().map(|table| table.capacity() * size_of::<u32>()).sum()
    }
}

/// What a walk over a union has reached.
pub(super) struct Reached<'a> {
    graph: Union<'a>,
    tables: Vec<Vec<u32>>,
    /// Of all nodes, or of the first where ids are looked up late.
    ids: Vec<i64>,
    /// The slots of each node, one a block.
    slots: Vec<u32>,
    /// How many nodes there are.
    count: usize,
    /// (block, slot) of what is outside the scope.
    barred: Vec<(u32, u32)>,
}

impl<'a> Reached<'a> {
    pub(super) fn new(graph: Union<'a>) -> Self {
        let tables = graph.blocks.iter().map(|block| block.places.take(block.ids.slot_bound())).collect();
        Self { graph, tables, ids: Vec::new(), slots: Vec::new(), count: 0, barred: Vec::new() }
    }

    /// The ids of the nodes, in the order in which they were reached.
    ///
    /// One block without a scope is walked without a look at ids: those of many nodes are read at once, which overlaps.
    pub(super) fn ids(&mut self) -> &[i64] {
        if let (true, [block]) = (self.ids.len() < self.count, self.graph.blocks) {
            self.ids.extend(self.slots[self.ids.len()..].iter().map(|&slot| block.ids.id(slot)));
        }
        &self.ids
    }

    /// Begins at `id`, which is in the scope and was not reached yet.
    pub(super) fn begin(&mut self, id: i64) {
        self.ids.push(id);
        self.count += 1;
        let place = self.count as u32;
        for (block, table) in self.graph.blocks.iter().zip(&mut self.tables) {
            let slot = block.ids.slot(id).unwrap_or(NONE);
            if slot != NONE {
                debug_assert_eq!(table[slot as usize], NEW, "reached twice");
                table[slot as usize] = place;
            }
            self.slots.push(slot);
        }
    }

    /// The place of the node with this slot of a block, a new one (the number of nodes before) when it was not reached;
    /// none outside the scope.
    #[inline]
    pub(super) fn place(&mut self, block: usize, slot: u32) -> Option<usize> {
        match self.tables[block][slot as usize] {
            NEW => self.enter(block, slot),
            BARRED => None,
            place => Some(place as usize - 1),
        }
    }

    fn enter(&mut self, block: usize, slot: u32) -> Option<usize> {
        if self.tables.len() > 1 || !self.graph.is_open() {
            let id = self.graph.blocks[block].ids.id(slot);
            if !self.graph.allows(id) {
                self.tables[block][slot as usize] = BARRED;
                self.barred.push((block as u32, slot));
                return None;
            }
            if self.tables.len() > 1 {
                self.begin(id);
                return Some(self.count - 1);
            }
            self.ids.push(id);
        }
        self.slots.push(slot);
        self.count += 1;
        self.tables[0][slot as usize] = self.count as u32;
        Some(self.count - 1)
    }

    /// Adds each value to the sum of the node with its slot of a block, where that is in the scope; sums are by place.
    pub(super) fn add(&mut self, block: usize, given: &[(u32, f64)], sums: &mut Vec<f64>) {
        // Looks without a decision between them overlap, and what they find is near when it is needed.
        let table = &self.tables[block];
        std::hint::black_box(given.iter().fold(0, |all: u32, &(slot, _)| all.wrapping_add(table[slot as usize])));
        if self.tables.len() == 1 && self.graph.is_open() {
            self.add_anywhere(given, sums);
            return;
        }
        for &(slot, value) in given {
            self.add_one(block, slot, value, sums);
        }
    }

    /// The same for one.
    #[inline]
    pub(super) fn add_one(&mut self, block: usize, slot: u32, value: f64, sums: &mut Vec<f64>) {
        let Some(at) = self.place(block, slot) else { return };
        if at >= sums.len() {
            sums.resize(at + 1, 0.0);
        }
        sums[at] += value;
    }

    /// The same for one block without a scope. Which node is new cannot be foretold, so there is no branch on it.
    fn add_anywhere(&mut self, given: &[(u32, f64)], sums: &mut Vec<f64>) {
        let most = self.count + given.len();
        self.slots.resize(most, NONE);
        sums.resize(most, 0.0);
        let (table, slots, sums_there) = (&mut self.tables[0][..], &mut self.slots[..], &mut sums[..]);
        let mut count = self.count;
        for &(slot, value) in given {
            let entry = &mut table[slot as usize];
            let is_new = *entry == NEW;
            slots[count] = slot;
            count += usize::from(is_new);
            let place = if is_new { count as u32 } else { *entry };
            *entry = place;
            sums_there[place as usize - 1] += value;
        }
        self.count = count;
        self.slots.truncate(count);
        sums.truncate(count);
    }

    /// The edges of a node where they are to be had as they stand: one block knows it, and no cap holds. They may lead
    /// out of the scope.
    #[inline]
    pub(super) fn plain(&self, place: usize) -> Option<(usize, &'a Graph, &'a [Edge])> {
        let blocks = self.tables.len();
        let slots = &self.slots[place * blocks..][..blocks];
        let mut known = slots.iter().enumerate().filter(|(_, slot)| **slot != NONE);
        let (block, &slot) = known.next()?;
        if self.graph.cap.is_some() || known.next().is_some() {
            return None;
        }
        let graph: &'a Graph = self.graph.blocks[block];
        Some((block, graph, graph.out.row(slot)))
    }

    /// How many edges lead out of a node in all blocks, scope and cap aside. O(blocks).
    pub(super) fn degree(&self, place: usize) -> usize {
        let blocks = self.tables.len();
        let slots = self.slots[place * blocks..][..blocks].iter().zip(self.graph.blocks);
        slots.filter(|(slot, _)| **slot != NONE).map(|(&slot, block)| block.out.row(slot).len()).sum()
    }

    /// Reads the first edges of a node, for them to be near when they are followed.
    #[inline]
    pub(super) fn touch(&self, place: usize) -> usize {
        self.plain(place).map_or(0, |(_, _, row)| row.iter().step_by(8).take(2).map(|edge| edge.slot as usize).sum())
    }

    /// The edges of any node, as [`Union::edges_of`] gives them.
    pub(super) fn edges_of(&self, place: usize, edges: &mut Vec<OutEdge>) {
        let blocks = self.tables.len();
        let slots = self.slots[place * blocks..][..blocks].iter();
        self.graph.edges_from(slots.map(|&slot| Some(slot).filter(|&slot| slot != NONE)), edges);
    }
}

impl Drop for Reached<'_> {
    fn drop(&mut self) {
        let blocks = self.tables.len();
        for (i, &slot) in self.slots.iter().enumerate().filter(|(_, slot)| **slot != NONE) {
            self.tables[i % blocks][slot as usize] = NEW;
        }
        for &(block, slot) in &self.barred {
            self.tables[block as usize][slot as usize] = NEW;
        }
        for (block, table) in self.graph.blocks.iter().zip(self.tables.drain(..)) {
            block.places.give(table);
        }
    }
}
