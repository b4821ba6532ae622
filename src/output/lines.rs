//! Rows of a store as lines: of numbers on all threads, of other values one after the other, since their texts may be
//! larger than any memory.

use std::io::{self, Write};
use std::ops::Range;

use gchr_base::signature::SortKind;
use gchr_constraints::exec::Rows;
use rayon::prelude::*;

/// Rows that a thread writes at a time.
const ROWS: usize = 1 << 14;
/// Pieces for each thread between two writes.
const PIECES: usize = 4;

/// Writes all rows of a table in their order: `some` writes a range of them.
pub(super) fn write<'a>(
    rows: &'a Rows<'a>,
    out: &mut impl Write,
    some: impl Fn(Range<usize>, &mut dyn Write) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let of_numbers = rows.kinds().iter().all(|kind| matches!(kind, SortKind::Int | SortKind::Float));
    if !of_numbers || rows.len() <= ROWS {
        return some(0..rows.len(), out);
    }
    let wave = ROWS * PIECES * rayon::current_num_threads();
    for from in (0..rows.len()).step_by(wave) {
        let to = (from + wave).min(rows.len());
        let pieces: Vec<Range<usize>> = (from..to).step_by(ROWS).map(|at| at..(at + ROWS).min(to)).collect();
        let piece = |range: &Range<usize>| -> io::Result<Vec<u8>> {
            let mut text = Vec::with_capacity(ROWS * 8 * (1 + rows.kinds().len()));
            some(range.clone(), &mut text)?;
            Ok(text)
        };
        let texts: Vec<io::Result<Vec<u8>>> = pieces.par_iter().map(piece).collect();
        texts.into_iter().try_for_each(|text| out.write_all(&text?))?;
    }
    Ok(())
}
