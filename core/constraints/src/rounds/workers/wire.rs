//! What workers say to each other: one trait, and its implementation for workers in one process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Worker;

/// Exchanges words between all workers. Every worker makes the same calls in the same order.
pub trait Wire {
    /// The worker at this end.
    fn worker(&self) -> Worker;
    /// Sends each worker a block of equal length: the k-th part of `send` goes to worker k, the k-th part of `received`
    /// comes from it.
    fn all_to_all(&mut self, send: &[u64], received: &mut [u64]) -> Result<(), Lost>;
    /// Sends each worker its words, and gives those from each; `lengths` says how many these are. The order of what
    /// is given must not matter.
    fn all_to_all_v(&mut self, send: Vec<Vec<u64>>, lengths: &[usize]) -> Result<Vec<Vec<u64>>, Lost>;
}

/// Other workers do not answer any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Which, or why, in words.
    pub what: String,
}

/// The end of a wire between workers in one process.
pub struct Local<'s> {
    worker: Worker,
    post: &'s Post,
    /// Exchanges that were done.
    exchanges: usize,
}

/// Where workers in one process leave what others are to have.
pub struct Post {
    ranks: usize,
    /// Two for each receiver and sender, in turn: who fills one knows that what was in it before was taken, as all have
    /// met since.
    boxes: Vec<Mutex<Vec<u64>>>,
    meeting: Mutex<Meeting>,
    all_here: Condvar,
    /// Meetings that are over.
    over: AtomicU64,
}

#[derive(Default)]
struct Meeting {
    here: usize,
    /// Some worker has gone.
    is_off: bool,
}

/// How often a worker looks whether all are here before it sleeps: some ten microseconds.
const LOOKS: u32 = 1 << 11;

impl Post {
    /// A post of so many workers.
    pub fn new(ranks: usize) -> Self {
        let boxes = (0..2 * ranks * ranks).map(|_| Mutex::default()).collect();
        let (meeting, all_here, over) = (Mutex::default(), Condvar::new(), AtomicU64::new(0));
        Self { ranks, boxes, meeting, all_here, over }
    }

    /// The end of one worker.
    pub fn end(&self, rank: usize) -> Local<'_> {
        Local { worker: Worker { rank, ranks: self.ranks }, post: self, exchanges: 0 }
    }

    fn between(&self, exchange: usize, from: usize, to: usize) -> MutexGuard<'_, Vec<u64>> {
        let at = (exchange % 2 * self.ranks + to) * self.ranks + from;
        self.boxes[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all workers.
    fn meet(&self) -> Result<(), Lost> {
        let before = self.over.load(Ordering::Acquire);
        {
            let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
            meeting.here += 1;
            if meeting.here == self.ranks {
                meeting.here = 0;
                self.over.store(before + 1, Ordering::Release);
                self.all_here.notify_all();
                return Ok(());
            }
        }
        for _ in 0..LOOKS {
            if self.over.load(Ordering::Acquire) != before {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        while self.over.load(Ordering::Acquire) == before && !meeting.is_off {
            meeting = self.all_here.wait(meeting).unwrap_or_else(PoisonError::into_inner);
        }
        match self.over.load(Ordering::Acquire) == before {
            true => Err(Lost { what: "another worker has gone".into() }),
            false => Ok(()),
        }
    }
}

impl Wire for Local<'_> {
    fn worker(&self) -> Worker {
        self.worker
    }

    fn all_to_all(&mut self, send: &[u64], received: &mut [u64]) -> Result<(), Lost> {
        let block = send.len() / self.worker.ranks;
        let blocks = send.chunks(block).map(<[u64]>::to_vec).collect();
        let from = self.all_to_all_v(blocks, &vec![block; self.worker.ranks])?;
        received.chunks_mut(block).zip(from).for_each(|(to, from)| to.copy_from_slice(&from));
        Ok(())
    }

    fn all_to_all_v(&mut self, send: Vec<Vec<u64>>, lengths: &[usize]) -> Result<Vec<Vec<u64>>, Lost> {
        let Worker { rank, ranks } = self.worker;
        let (post, exchange) = (self.post, self.exchanges);
        self.exchanges += 1;
        send.into_iter().enumerate().for_each(|(to, words)| *post.between(exchange, rank, to) = words);
        post.meet()?;
        let take = |from: usize| std::mem::take(&mut *post.between(exchange, from, rank));
        let received: Vec<Vec<u64>> = (0..ranks).map(take).collect();
        debug_assert!(received.iter().map(Vec::len).eq(lengths.iter().copied()));
        Ok(received)
    }
}

impl Drop for Local<'_> {
    /// Those who still wait need not do so.
    fn drop(&mut self) {
        let mut meeting = self.post.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        meeting.is_off = true;
        self.post.all_here.notify_all();
    }
}
