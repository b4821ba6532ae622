//! Chunks of a batch on a device that evaluates their lines side by side.
//!
//! A chunk in which a line fails, and one that needs more memory than there is, is cut into halves. Where few lines are
//! left, the interpreter evaluates them one by one and says which of them fail: a failing line costs its neighbours
//! time, not results.

use std::ops::Range;

use gchr_base::error::StopReason;
use gchr_base::rule::GroundTerm;
use gchr_base::stats::Stats;
use rayon::prelude::*;

use super::line::{BatchLine, Chunk, LineText, WorkedLine};
use super::queue::ChunkSize;
use super::worker::{Reader, Worker};
use crate::executor::{TermDevice, Unfinished};

/// What a device takes at a time.
pub(super) const WAVE: ChunkSize = ChunkSize { lines: 1 << 17, bytes: 32 << 20 };
/// A failed piece of at most so many lines is left to the interpreter.
const FEW: usize = 4096;
/// Lines that one thread reads at a time.
const READ: usize = 512;

/// The terms of a chunk: number of the line, and its place among all lines of the chunk.
struct Terms {
    places: Vec<(u64, usize)>,
    terms: Vec<GroundTerm>,
    /// By place: what became of the line.
    worked: Vec<Option<WorkedLine>>,
}

impl Terms {
    fn done(&mut self, piece: Range<usize>, texts: Vec<String>, mut stats: Stats) {
        for (&(number, place), text) in self.places[piece].iter().zip(texts) {
            let line = BatchLine { number, result: Ok(LineText::Text(text)), rewrites: None };
            // Those of all lines come with the first one.
            self.worked[place] = Some(WorkedLine { line, stats: std::mem::take(&mut stats), last: false });
        }
    }
}

impl<R: Send> Worker<'_, '_, R> {
    /// All lines of a chunk, up to the one that ends the batch.
    pub(super) fn wave(&mut self, device: &dyn TermDevice, chunk: &Chunk) -> Vec<WorkedLine> {
        let mut terms = self.terms(chunk);
        let mut pieces = Vec::from([Range { start: 0, end: terms.terms.len() }]);
        while let Some(piece) = pieces.pop() {
            if piece.is_empty() {
                continue;
            }
            let (number, place) = terms.places[piece.start];
            if let Some(reason) = self.job.stop_reason() {
                terms.worked[place] = Some(self.ended(number, reason, Stats::default()));
                break;
            }
            let inputs = &terms.terms[piece.clone()];
            let ran = device.normalise_all(&self.job.program.rules, inputs, &mut self.control());
            match ran {
                Ok(found) => terms.done(piece, found.texts, found.stats),
                Err(Unfinished::Stopped(stopped)) => match stopped.error.reason {
                    StopReason::Timeout { .. } | StopReason::Interrupted => {
                        let reason = stopped.error.reason;
                        terms.worked[place] = Some(self.ended(number, reason, stopped.stats));
                        break;
                    }
                    _ if piece.len() > FEW => {
                        let middle = piece.start + piece.len() / 2;
                        pieces.extend([middle..piece.end, piece.start..middle]);
                    }
                    _ => {
                        if self.one_by_one(&mut terms, piece) {
                            break;
                        }
                    }
                },
                Err(unfinished) => {
                    let found = unfinished.diagnostics(&self.job.program.rules);
                    terms.worked[place] = Some(self.reader.failed(number, found, Stats::default(), true));
                    break;
                }
            }
        }
        terms.worked.into_iter().map_while(|worked| worked).collect()
    }

    /// Reads the lines of a chunk, on all threads.
    fn terms(&self, chunk: &Chunk) -> Terms {
        let job = self.job;
        let read = |lines: &[(u64, Vec<u8>)]| {
            let mut reader = Reader::new(job);
            lines.iter().map(|(number, text)| reader.read(*number, text)).collect::<Vec<_>>()
        };
        let all: Vec<_> = chunk.par_chunks(READ).map(read).flatten_iter().collect();
        let mut terms = Terms { places: Vec::new(), terms: Vec::new(), worked: Vec::new() };
        for (place, (&(number, _), read)) in chunk.iter().zip(all).enumerate() {
            match read {
                Ok(term) => {
                    terms.places.push((number, place));
                    terms.terms.push(term);
                    terms.worked.push(None);
                }
                Err(failed) => terms.worked.push(Some(*failed)),
            }
        }
        terms
    }

    /// A piece by the interpreter. Says whether the batch ends in it.
    fn one_by_one(&mut self, terms: &mut Terms, piece: Range<usize>) -> bool {
        for (&(number, place), term) in terms.places[piece.clone()].iter().zip(&terms.terms[piece]) {
            let worked = self.run(number, term);
            let last = worked.last;
            terms.worked[place] = Some(worked);
            if last {
                return true;
            }
        }
        false
    }
}
