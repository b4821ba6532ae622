//! A queue between threads that keeps an order: chunks of lines are taken from an input in their order, worked on at
//! the same time, and handed out in their order again.
//!
//! Each side has one lock. Who gives a chunk back waits when a slow one holds up too many others: memory is bounded by
//! the window, not by the input.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use gchr_base::error::StopReason;

use super::line::Chunk;
use super::shard::Shard;

/// The state behind a lock; a thread that panicked leaves it in order, as locks are held for short, complete changes.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How much is taken at a time: no further line after so many lines or bytes.
#[derive(Clone, Copy)]
pub(super) struct ChunkSize {
    pub lines: usize,
    pub bytes: usize,
}

/// The input, from which chunks are taken.
pub(super) struct LineSource<R> {
    state: Mutex<SourceState<R>>,
    ended: AtomicBool,
}

struct SourceState<R> {
    input: R,
    longest: u64,
    shard: Shard,
    lines: u64,
    chunks: u64,
    error: Option<io::Error>,
    done: bool,
}

impl<R> LineSource<R> {
    /// The lines of a share, all of at most `longest` bytes.
    pub fn new(input: R, longest: u64, shard: Shard) -> Self {
        let state = SourceState { input, longest, shard, lines: 0, chunks: 0, error: None, done: false };
        Self { state: Mutex::new(state), ended: AtomicBool::new(false) }
    }

    /// Whether nothing is left to be taken.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Why reading ended early, and after how many lines.
    pub fn into_error(self) -> Option<(u64, io::Error)> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.error.map(|error| (state.lines, error))
    }
}

impl<R: BufRead> LineSource<R> {
    /// The next lines of the share that are neither empty nor a comment, and the number of their chunk.
    pub fn next_chunk(&self, size: ChunkSize) -> Option<(u64, Chunk)> {
        let mut source = lock(&self.state);
        let (mut chunk, mut bytes) = (Chunk::new(), 0);
        while !source.done && chunk.len() < size.lines && bytes < size.bytes {
            let mut text = Vec::new();
            let most = source.longest.saturating_add(1);
            match (&mut source.input).take(most).read_until(b'\n', &mut text) {
                Ok(0) => source.done = true,
                Ok(_) if text.len() as u64 > source.longest => {
                    let (limit, what) = (source.longest, format!("line {}", source.lines + 1));
                    (source.error, source.done) = (Some(StopReason::Memory { limit, what }.into()), true);
                }
                Ok(_) => {
                    source.lines += 1;
                    let blank = text.trim_ascii().first().is_none_or(|&b| b == b'%');
                    if !blank && source.shard.has(source.lines) {
                        bytes += text.len();
                        chunk.push((source.lines, text));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => (source.error, source.done) = (Some(error), true),
            }
        }
        if source.done {
            self.ended.store(true, Ordering::Release);
        }
        if chunk.is_empty() {
            return None;
        }
        source.chunks += 1;
        Some((source.chunks - 1, chunk))
    }
}

/// The taker of items in their order.
pub(super) trait Sink<T> {
    /// Takes the next item; says whether it is the last one.
    fn take(&mut self, item: T) -> bool;
}

/// Items by number, handed to a sink in the order of the numbers.
pub(super) struct Ordered<T, S> {
    /// Items that may wait for an earlier one.
    window: u64,
    state: Mutex<OrderedState<T, S>>,
    /// The next number has changed, or nothing is taken any more.
    turn: Condvar,
    stopped: AtomicBool,
}

struct OrderedState<T, S> {
    /// The number of the item to be handed out next.
    next: u64,
    waiting: BTreeMap<u64, T>,
    sink: S,
}

impl<T, S: Sink<T>> Ordered<T, S> {
    pub fn new(window: u64, sink: S) -> Self {
        let state = OrderedState { next: 0, waiting: BTreeMap::new(), sink };
        Self { window, state: Mutex::new(state), turn: Condvar::new(), stopped: AtomicBool::new(false) }
    }

    /// Whether nothing is taken any more.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Takes nothing any more. For a thread that will not give back what it has: the others must not wait for it.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        // A thread that is about to wait has seen the flag, or waits already.
        drop(lock(&self.state));
        self.turn.notify_all();
    }

    /// Puts an item in its place, and hands out all whose turn it is.
    pub fn put(&self, number: u64, item: T) {
        let mut state = lock(&self.state);
        while number >= state.next + self.window && !self.is_stopped() {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.insert(number, item);
        let OrderedState { next, waiting, sink } = &mut *state;
        while let Some(item) = waiting.remove(next) {
            *next += 1;
            if !self.is_stopped() && sink.take(item) {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
        self.turn.notify_all();
    }

    /// Hands out a part of an item: waits for the item's turn, and leaves it its turn.
    pub fn put_part(&self, number: u64, part: T) {
        let mut state = lock(&self.state);
        while number > state.next && !self.is_stopped() {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !self.is_stopped() && state.sink.take(part) {
            self.stopped.store(true, Ordering::Relaxed);
            self.turn.notify_all();
        }
    }

    /// The sink, when all threads are done.
    pub fn into_sink(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Taken {
        items: Vec<u64>,
        last: u64,
    }

    impl Sink<u64> for Taken {
        fn take(&mut self, item: u64) -> bool {
            self.items.push(item);
            item == self.last
        }
    }

    #[test]
    fn items_come_out_in_order_up_to_the_last_one() {
        let queue = Ordered::new(8, Taken { items: Vec::new(), last: 3 });
        for number in [2, 0, 1, 4, 3] {
            queue.put(number, number);
        }
        assert!(queue.is_stopped());
        assert_eq!(queue.into_sink().items, [0, 1, 2, 3]);
    }

    #[test]
    fn a_part_waits_for_the_turn_of_its_item_and_leaves_it() {
        let queue = Ordered::new(8, Taken { items: Vec::new(), last: 99 });
        std::thread::scope(|scope| {
            let part = scope.spawn(|| {
                queue.put_part(1, 10);
                queue.put(1, 11);
            });
            queue.put(2, 20);
            queue.put_part(0, 1);
            queue.put(0, 2);
            part.join().expect("it ends");
        });
        assert_eq!(queue.into_sink().items, [1, 2, 10, 11, 20]);
    }

    #[test]
    fn nobody_waits_for_a_thread_that_gave_up() {
        let queue = Ordered::new(1, Taken { items: Vec::new(), last: u64::MAX });
        std::thread::scope(|scope| {
            // The place is outside of the window: this waits.
            let waits = scope.spawn(|| queue.put(5, 5));
            queue.stop();
            waits.join().expect("it ends");
        });
        assert_eq!(queue.into_sink().items, [0u64; 0]);
    }

    #[test]
    fn chunks_hold_lines_with_a_term() {
        let source = LineSource::new(&b"A\n\n% no term\nB\nC"[..], 100, Shard::WHOLE);
        let size = ChunkSize { lines: 2, bytes: 100 };
        let (number, chunk) = source.next_chunk(size).expect("lines");
        assert_eq!((number, chunk), (0, vec![(1, b"A\n".to_vec()), (4, b"B\n".to_vec())]));
        assert!(!source.has_ended());
        assert_eq!(source.next_chunk(size), Some((1, vec![(5, b"C".to_vec())])));
        assert!(source.has_ended() && source.next_chunk(size).is_none() && source.into_error().is_none());
    }

    #[test]
    fn a_line_without_an_end_ends_the_input() {
        let input = io::BufReader::new(io::Read::chain(&b"A\n"[..], io::repeat(b'B')));
        let source = LineSource::new(input, 1 << 20, Shard::WHOLE);
        let size = ChunkSize { lines: 2, bytes: 100 };
        assert_eq!(source.next_chunk(size), Some((0, vec![(1, b"A\n".to_vec())])));
        let (lines, error) = source.into_error().expect("an error");
        let (limit, what) = (1 << 20, "line 2".to_string());
        assert_eq!((lines, StopReason::from(error)), (1, StopReason::Memory { limit, what }));
    }
}
