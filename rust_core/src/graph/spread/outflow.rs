//! What the edges of a node sum to, and what bounds that.

use super::super::Edge;

/// What the edges of a node are together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Outflow {
    /// Of the ordinary edges, in 65535ths. An integer sum: exact in every order.
    sum: u64,
    /// Of the ordinary edges.
    pub(super) strongest: u16,
    /// Whether an edge inhibits.
    pub(super) inhibits: bool,
}

impl Outflow {
    /// As many edges cannot sum to more than 32 bits hold.
    const PART: usize = 1 << 16;

    pub(super) fn of(row: &[Edge]) -> Self {
        let mut found = Self::default();
        for part in row.chunks(Self::PART) {
            let (mut sum, mut strongest, mut inhibits) = (0_u32, 0_u16, false);
            for edge in part {
                let strength = if edge.inhibits() { 0 } else { edge.strength };
                sum += u32::from(strength);
                strongest = strongest.max(strength);
                inhibits |= edge.inhibits();
            }
            found.sum += u64::from(sum);
            found.strongest = found.strongest.max(strongest);
            found.inhibits |= inhibits;
        }
        found
    }

    /// What every ordinary edge is multiplied by so that their strengths sum to `bound` at most.
    pub(super) fn factor(self, bound: Option<f64>) -> f64 {
        let Some(bound) = bound else { return 1.0 };
        let sum = self.sum as f64 / 65535.0;
        if sum > bound { bound / sum } else { 1.0 }
    }
}

/// As [`Outflow::factor`], of some strengths.
pub(super) fn outflow_factor(strengths: impl Iterator<Item = u16>, bound: Option<f64>) -> f64 {
    Outflow { sum: strengths.map(u64::from).sum(), ..Outflow::default() }.factor(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::INHIBITORY;

    fn edge(strength: u16, kind: u8) -> Edge {
        Edge { slot: 0, strength, kind, ..Edge::default() }
    }

    #[test]
    fn ordinary_edges_are_summed_and_inhibitory_ones_are_told() {
        let row = [edge(7, 0), edge(60_000, 3), edge(65_535, INHIBITORY)];
        assert_eq!(Outflow::of(&row), Outflow { sum: 60_007, strongest: 60_000, inhibits: true });
        assert_eq!(Outflow::of(&[]), Outflow::default());
        let many = vec![edge(u16::MAX, 0); Outflow::PART + 5];
        assert_eq!(Outflow::of(&many).sum, 65_535 * (Outflow::PART as u64 + 5));
    }

    #[test]
    fn the_factor_brings_the_sum_to_its_bound() {
        let row = [edge(65_535, 0), edge(65_535, 0), edge(65_535, 0), edge(65_535, 0)];
        assert_eq!(Outflow::of(&row).factor(Some(2.0)), 0.5);
        assert_eq!(Outflow::of(&row).factor(Some(4.0)), 1.0);
        assert_eq!(Outflow::of(&row).factor(None), 1.0);
        assert_eq!(outflow_factor(row.iter().map(|edge| edge.strength), Some(1.0)), 0.25);
    }
}
