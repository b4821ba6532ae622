//! Writes a large value by all threads: each writes a part to memory, and the parts leave in order.
//!
//! What is left of a part when its turn is over is split in two: the terms that were begun last, and the oldest one
//! that waits. So parts of trees of any shape become about as many as there are threads after some turns. Only the
//! parts in front are written, which bounds the text that is held back. A list of small elements is one part:
//! only its spine leads to what is behind.

use std::collections::VecDeque;
use std::io::{self, Write};

use rayon::prelude::*;

use super::{Cells, Writing};

/// Bytes that are written before other threads take part.
const ALONE: usize = 1 << 16;
/// Bytes of one turn, at first and at most.
const FIRST: usize = 1 << 13;
const MOST: usize = 1 << 19;
/// Parts beyond which none is split.
const PARTS: usize = 1 << 10;
/// Bytes that may wait for the text before them; then the part in front has the turn alone.
const WAITING: usize = 64 << 20;

enum Part<'a, C: ?Sized> {
    Written(Vec<u8>),
    Left(Writing<'a, C>),
}

/// Writes all that is left of a value.
pub(super) fn finish<C: Cells + Sync + ?Sized>(
    mut value: Writing<'_, C>,
    out: &mut impl Write,
) -> io::Result<()> {
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return value.finish(out);
    }
    let mut text = Vec::new();
    let goes_on = value.advance(&mut text, ALONE);
    out.write_all(&text)?;
    let mut parts = VecDeque::new();
    if goes_on {
        parts.push_back(Part::Left(value));
    }
    let mut turn = FIRST;
    while !parts.is_empty() {
        parts = one_turn(parts, turn, threads);
        turn = (turn * 2).min(MOST);
        while let Some(Part::Written(text)) = parts.front() {
            out.write_all(text)?;
            parts.pop_front();
        }
    }
    Ok(())
}

/// Lets the parts in front be written further, one by each thread.
fn one_turn<C: Cells + Sync + ?Sized>(
    parts: VecDeque<Part<'_, C>>,
    turn: usize,
    threads: usize,
) -> VecDeque<Part<'_, C>> {
    let (mut waiting, mut left) = (0, 0);
    for part in &parts {
        match part {
            Part::Written(text) => waiting += text.len(),
            Part::Left(_) => left += 1,
        }
    }
    let mut active = if waiting > WAITING { 1 } else { threads };
    let splits = left < PARTS;
    let takes_turn = |part| {
        let takes = matches!(part, Part::Left(_)) && active > 0;
        active -= usize::from(takes);
        (part, takes)
    };
    let marked: Vec<_> = parts.into_iter().map(takes_turn).collect();
    let advanced: Vec<_> = marked
        .into_par_iter()
        .with_max_len(1)
        .map(|(part, takes)| match part {
            Part::Left(writing) if takes => advance(writing, turn, splits),
            part => vec![part],
        })
        .collect();
    advanced.into_iter().flatten().collect()
}

fn advance<C: Cells + ?Sized>(mut writing: Writing<'_, C>, turn: usize, splits: bool) -> Vec<Part<'_, C>> {
    let mut text = Vec::with_capacity(turn);
    let goes_on = writing.advance(&mut text, turn);
    let mut parts = vec![Part::Written(text)];
    if goes_on {
        let rest = if splits { writing.split() } else { None };
        parts.push(Part::Left(writing));
        parts.extend(rest.map(Part::Left));
    }
    parts
}
