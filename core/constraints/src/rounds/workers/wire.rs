//! What workers say to each other: one trait, and its implementation for workers in one process.

use std::sync::{Condvar, Mutex, PoisonError};

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

/// The ends of a wire between workers in one process.
pub struct Local<'s> {
    worker: Worker,
    post: &'s Post,
}

/// Where workers in one process leave what others are to have.
pub struct Post {
    ranks: usize,
    /// By receiver and sender.
    boxes: Vec<Mutex<Vec<u64>>>,
    meeting: Mutex<Meeting>,
    all_here: Condvar,
}

#[derive(Default)]
struct Meeting {
    here: usize,
    number: u64,
    /// Some worker has gone.
    is_off: bool,
}

impl Post {
    /// A post of so many workers.
    pub fn new(ranks: usize) -> Self {
        let boxes = (0..ranks * ranks).map(|_| Mutex::default()).collect();
        Self { ranks, boxes, meeting: Mutex::default(), all_here: Condvar::new() }
    }

    /// The end of one worker.
    pub fn end(&self, rank: usize) -> Local<'_> {
        Local { worker: Worker { rank, ranks: self.ranks }, post: self }
    }

    fn put(&self, from: usize, to: usize, words: Vec<u64>) {
        *self.boxes[to * self.ranks + from].lock().unwrap_or_else(PoisonError::into_inner) = words;
    }

    fn take(&self, from: usize, to: usize) -> Vec<u64> {
        let mut words = self.boxes[to * self.ranks + from].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *words)
    }

    /// Waits for all workers.
    fn meet(&self) -> Result<(), Lost> {
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        meeting.here += 1;
        if meeting.here == self.ranks {
            (meeting.here, meeting.number) = (0, meeting.number + 1);
            self.all_here.notify_all();
        }
        let number = meeting.number + u64::from(meeting.here > 0);
        while meeting.number < number && !meeting.is_off {
            meeting = self.all_here.wait(meeting).unwrap_or_else(PoisonError::into_inner);
        }
        if meeting.number < number { Err(Lost { what: "another worker has gone".into() }) } else { Ok(()) }
    }
}

impl Wire for Local<'_> {
    fn worker(&self) -> Worker {
        self.worker
    }

    fn all_to_all(&mut self, send: &[u64], received: &mut [u64]) -> Result<(), Lost> {
        let Worker { rank, ranks } = self.worker;
        let block = send.len() / ranks;
        let blocks = send.chunks(block).map(<[u64]>::to_vec).collect();
        let from = self.all_to_all_v(blocks, &vec![block; ranks])?;
        debug_assert!(rank < ranks);
        received.chunks_mut(block).zip(from).for_each(|(to, from)| to.copy_from_slice(&from));
        Ok(())
    }

    fn all_to_all_v(&mut self, send: Vec<Vec<u64>>, lengths: &[usize]) -> Result<Vec<Vec<u64>>, Lost> {
        let Worker { rank, ranks } = self.worker;
        send.into_iter().enumerate().for_each(|(to, words)| self.post.put(rank, to, words));
        self.post.meet()?;
        let received: Vec<_> = (0..ranks).map(|from| self.post.take(from, rank)).collect();
        debug_assert!(received.iter().map(Vec::len).eq(lengths.iter().copied()));
        // Nobody puts anything into a box before it is empty.
        self.post.meet()?;
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
