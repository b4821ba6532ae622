use std::io::{self, Write};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPoolBuilder;

use super::{Piece, WAITING, write};

/// Numbers as lines; where one of them is reached, something happens.
struct Numbers {
    left: Range<u64>,
    /// How often it can still be divided.
    splits: u32,
    fails_at: u64,
    panics_at: u64,
}

impl Numbers {
    fn new(left: Range<u64>, splits: u32) -> Self {
        Self { left, splits, fails_at: u64::MAX, panics_at: u64::MAX }
    }
}

impl Piece for Numbers {
    fn advance(&mut self, out: &mut Vec<u8>, bytes: usize) -> io::Result<bool> {
        while out.len() < bytes {
            let Some(number) = self.left.next() else { return Ok(false) };
            assert!(number != self.panics_at, "a piece that panics");
            if number == self.fails_at {
                return Err(io::ErrorKind::InvalidData.into());
            }
            writeln!(out, "{number}")?;
        }
        Ok(!self.left.is_empty())
    }

    fn split(&mut self) -> Option<Self> {
        let middle = self.left.start.midpoint(self.left.end);
        if self.splits == 0 || middle == self.left.start {
            return None;
        }
        self.splits -= 1;
        let rest = middle..self.left.end;
        self.left.end = middle;
        Some(Self { left: rest, ..*self })
    }
}

fn on<R: Send>(threads: usize, what: impl FnOnce() -> R + Send) -> R {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(what)
}

#[test]
fn the_bytes_are_those_of_one_thread() {
    for count in [0, 1, 20_000, 300_000, 1_000_000] {
        let expected: String = (0..count).map(|n| format!("{n}\n")).collect();
        for (threads, splits) in [(1, 9), (2, 0), (2, 99), (3, 2), (5, 99), (16, 99)] {
            let mut found = Vec::new();
            on(threads, || write(Numbers::new(0..count, splits), &mut found)).expect("no error");
            assert!(found == expected.as_bytes(), "{count} by {threads} threads, {splits} splits");
        }
        // The thread that calls need not be one of the pool's.
        let mut found = Vec::new();
        write(Numbers::new(0..count, 99), &mut found).expect("no error");
        assert!(found == expected.as_bytes(), "{count}");
    }
}

/// An output that takes so many bytes, and fails then.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_of_the_output_and_of_pieces_end_the_writing() {
    for threads in [1, 2, 5] {
        for room in [0, 100_000, 1_000_000, 3_000_000] {
            let written = on(threads, || write(Numbers::new(0..1_000_000, 99), &mut Full(room)));
            let found = written.map_err(|error| error.kind());
            assert_eq!(found, Err(io::ErrorKind::StorageFull), "{threads} {room}");
        }
        for fails_at in [0, 30_000, 999_999] {
            let numbers = Numbers { fails_at, ..Numbers::new(0..1_000_000, 99) };
            let written = on(threads, || write(numbers, &mut Vec::new()));
            let found = written.map_err(|error| error.kind());
            assert_eq!(found, Err(io::ErrorKind::InvalidData), "{threads} {fails_at}");
        }
    }
}

#[test]
fn a_panic_of_a_piece_reaches_the_caller() {
    for threads in [2, 5] {
        for panics_at in [40_000, 999_999] {
            let numbers = Numbers { panics_at, ..Numbers::new(0..1_000_000, 99) };
            let run = || on(threads, || write(numbers, &mut Vec::new()));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{threads} {panics_at}");
        }
    }
}

/// Pieces that are written much faster than the output takes them: what waits stays within the bound.
#[test]
fn text_that_waits_is_bounded() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    /// So many bytes.
    struct Zeros(u64);
    impl Piece for Zeros {
        fn advance(&mut self, out: &mut Vec<u8>, bytes: usize) -> io::Result<bool> {
            let now = self.0.min(bytes as u64);
            out.resize(out.len() + now as usize, 0);
            MADE.fetch_add(now, Ordering::Relaxed);
            self.0 -= now;
            Ok(self.0 > 0)
        }
        fn split(&mut self) -> Option<Self> {
            let rest = self.0 / 2;
            self.0 -= rest;
            (rest > 0).then_some(Zeros(rest))
        }
    }
    /// Looks at how much was made for each megabyte that it takes.
    #[derive(Default)]
    struct Slow {
        taken: u64,
        most_ahead: u64,
    }
    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let before = self.taken >> 20;
            self.taken += bytes.len() as u64;
            if self.taken >> 20 > before {
                std::thread::yield_now();
                self.most_ahead = self.most_ahead.max(MADE.load(Ordering::Relaxed) - self.taken);
            }
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let all = 600 << 20;
    let mut slow = Slow::default();
    on(4, || write(Zeros(all), &mut slow)).expect("no error");
    assert_eq!((slow.taken, MADE.load(Ordering::Relaxed)), (all, all));
    // What a thread takes to write it is not counted as waiting, nor what each works on.
    assert!(slow.most_ahead < 3 * WAITING, "{} MiB", slow.most_ahead >> 20);
}
