//! Edges as they are given, grouped by their source in linear time.

use super::{Edge, FULL};
use crate::CoreError;
use crate::ids::IdMap;

/// Ids of the range, for each that is given, that a table by id is made for.
const NARROW: usize = 4;

/// Edges given together: the row of `sources[i]` are those from `starts[i]` to `starts[i + 1]`, sorted by (slot, type),
/// one a key.
pub(super) struct Grouped {
    pub(super) sources: Vec<u32>,
    pub(super) starts: Vec<usize>,
    pub(super) edges: Vec<Edge>,
}

/// The columns with ids as slots, new ones where an id has none: (sources, targets).
pub(super) fn slots_of(ids: &mut IdMap, sources: &[i64], targets: &[i64]) -> Result<(Vec<u32>, Vec<u32>), CoreError> {
    let mut from = Vec::with_capacity(sources.len());
    let mut to = Vec::with_capacity(targets.len());
    let given = sources.iter().chain(targets);
    let (low, high) = given.fold((i64::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)));
    let range = if low > high { 0 } else { (high - low) as usize };
    if range / NARROW > sources.len() {
        for (&source, &target) in sources.iter().zip(targets) {
            from.push(ids.intern(source)?);
            to.push(ids.intern(target)?);
        }
        return Ok((from, to));
    }
    // Each id is looked up once; 0 = not yet.
    let mut known = vec![0u32; range + 1];
    let mut slot_of = |id: i64| -> Result<u32, CoreError> {
        let entry = &mut known[(id - low) as usize];
        if *entry == 0 {
            *entry = ids.intern(id)? + 1;
        }
        Ok(*entry - 1)
    };
    for (&source, &target) in sources.iter().zip(targets) {
        from.push(slot_of(source)?);
        to.push(slot_of(target)?);
    }
    Ok((from, to))
}

/// Groups by source; of equal keys the last one is kept. O(n log of the greatest degree + slots), and O(n log n) for few.
pub(super) fn group(from: &[u32], to: &[u32], strengths: &[f32], types: &[u8], slots: usize) -> Grouped {
    let edge = |i: usize| {
        let strength = (strengths[i].clamp(0.0, 1.0) * FULL).round() as u16;
        Edge::new(to[i], strength, types[i])
    };
    let (sources, starts, mut edges) =
        if from.len() < slots / 8 { by_sorting(from, edge) } else { by_counting(from, slots, edge) };
    // Each row for itself: stable, so that the last of equal keys is the last that was given.
    let mut kept = 0;
    let mut closed = Vec::with_capacity(starts.len());
    for bounds in starts.windows(2) {
        closed.push(kept);
        edges[bounds[0]..bounds[1]].sort_by_key(|edge| edge.key());
        for i in bounds[0]..bounds[1] {
            if i + 1 < bounds[1] && edges[i].key() == edges[i + 1].key() {
                continue;
            }
            edges[kept] = edges[i];
            kept += 1;
        }
    }
    closed.push(kept);
    edges.truncate(kept);
    Grouped { sources, starts: closed, edges }
}

fn by_sorting(from: &[u32], edge: impl Fn(usize) -> Edge) -> (Vec<u32>, Vec<usize>, Vec<Edge>) {
    let mut order: Vec<usize> = (0..from.len()).collect();
    order.sort_by_key(|&i| from[i]);
    let (mut sources, mut starts) = (Vec::new(), Vec::new());
    for (at, &i) in order.iter().enumerate() {
        if sources.last() != Some(&from[i]) {
            sources.push(from[i]);
            starts.push(at);
        }
    }
    starts.push(from.len());
    (sources, starts, order.into_iter().map(edge).collect())
}

fn by_counting(from: &[u32], slots: usize, edge: impl Fn(usize) -> Edge) -> (Vec<u32>, Vec<usize>, Vec<Edge>) {
    let mut counts = vec![0u32; slots];
    from.iter().for_each(|&source| counts[source as usize] += 1);
    let (mut sources, mut starts) = (Vec::new(), Vec::new());
    let mut next = vec![0usize; slots];
    let mut start = 0;
    for (source, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        sources.push(source as u32);
        starts.push(start);
        next[source] = start;
        start += count as usize;
    }
    starts.push(start);
    let mut edges = vec![Edge::default(); from.len()];
    for (i, &source) in from.iter().enumerate() {
        edges[next[source as usize]] = edge(i);
        next[source as usize] += 1;
    }
    (sources, starts, edges)
}
