//! Atoms in a byte a component, which show of most of them that they pull with less than λ.
//!
//! With ê the atom that the bytes stand for and r̂ the residual in bytes,
//!
//! ```text
//! |e·r − ê·r̂| ≤ ‖e − ê‖·‖r‖ + ‖ê‖·‖r − r̂‖
//! ```
//!
//! so what pulls with more than λ for certain joins a working set without being read, and once nothing does, only the
//! atoms are read that may: those near λ. O(m·d) bytes a look, instead of four times as many.

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::A_THREAD;
use crate::sq8::Sq8;
use crate::vectors::simd::kernels;

/// Atoms whose products are made before they are looked at.
const BLOCK: usize = 512;
/// What sums of products in f64 may be off by, as a share of the lengths, with much to spare.
const ROUNDING: f64 = 1e-9;

/// An atom in bytes.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// ê = scale · bytes.
    scale: f64,
    /// ‖ê‖
    length: f64,
    /// ‖e − ê‖
    miss: f64,
}

/// What a look at a residual may miss: ‖r‖ and ‖r − r̂‖.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slack {
    length: f64,
    miss: f64,
}

/// The bytes of all atoms.
#[derive(Debug)]
pub(super) struct Screen {
    dimension: usize,
    bytes: Vec<i8>,
    shapes: Vec<Shape>,
}

impl Screen {
    /// Of atoms (m, d) that are finite.
    pub(super) fn of(atoms: ArrayView2<'_, f32>) -> Self {
        let dimension = atoms.ncols();
        let mut screen = Self { dimension, bytes: Vec::with_capacity(atoms.len()), shapes: Vec::new() };
        for atom in atoms.outer_iter() {
            let atom = atom.to_vec();
            let (bytes, shape) = quantized(&atom, atom.iter().map(|&x| f64::from(x)));
            screen.bytes.extend(bytes);
            screen.shapes.push(shape);
        }
        screen
    }

    /// Writes how each atom pulls on `residual`, each within its [`Screen::bound`].
    pub(super) fn look(&self, residual: &[f64], pulls: &mut [f64]) -> Slack {
        let narrow: Vec<f32> = residual.iter().map(|&x| x as f32).collect();
        let (asked, shape) = quantized(&narrow, residual.iter().copied());
        let read = |(at, pulls): (usize, &mut [f64])| {
            let first = at * BLOCK;
            let mut dots = [0; BLOCK];
            let dots = &mut dots[..pulls.len()];
            kernels().i8_dots(&self.bytes[first * self.dimension..][..pulls.len() * self.dimension], &asked, dots);
            for ((pull, &dot), own) in pulls.iter_mut().zip(&*dots).zip(&self.shapes[first..]) {
                *pull = own.scale * shape.scale * f64::from(dot);
            }
        };
        if self.bytes.len() <= 8 * A_THREAD {
            pulls.chunks_mut(BLOCK).enumerate().for_each(read);
        } else {
            pulls.par_chunks_mut(BLOCK).enumerate().for_each(read);
        }
        let length = residual.iter().map(|x| x * x).sum::<f64>().sqrt();
        Slack { length, miss: shape.miss }
    }

    /// By how much the pull of an atom may be off.
    pub(super) fn bound(&self, atom: usize, slack: Slack) -> f64 {
        let Shape { length, miss, .. } = self.shapes[atom];
        miss * slack.length + length * slack.miss + ROUNDING * (length + miss) * slack.length
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.shapes.capacity() * size_of::<Shape>()
    }
}

/// A vector in bytes; `exact` are its components. Without a direction all bytes are 0.
fn quantized(vector: &[f32], exact: impl Iterator<Item = f64>) -> (Vec<i8>, Shape) {
    let found = Sq8::quantize(vector).ok();
    let scale = found.as_ref().map_or(0.0, |found| f64::from(found.scale));
    let length = found.as_ref().map_or(0.0, |found| scale * found.norm());
    let bytes = found.map_or_else(|| vec![0; vector.len()], |found| found.values);
    let off = exact.zip(&bytes).map(|(x, &byte)| x - scale * f64::from(byte));
    let miss = off.map(|x| x * x).sum::<f64>().sqrt();
    (bytes, Shape { scale, length, miss })
}
