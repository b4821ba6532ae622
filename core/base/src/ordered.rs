//! Text written by all threads, that leaves in its order.
//!
//! What is to be written is a list of parts. A thread writes a block of the first part that nobody works on, and
//! divides what is left of the part in two. So the threads stay close to the front, where parts have become small, and
//! little text has to wait for what comes before it. The thread that called writes to the output what is complete in
//! front, and takes its turn with the parts when nothing is.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rayon::Scope;

use crate::memory;

/// Bytes that are written before other threads take part.
const ALONE: usize = 1 << 16;
/// Bytes of a block.
const BLOCK: usize = 1 << 17;
/// Parts beyond which none is divided.
const PARTS: usize = 1 << 10;
/// Bytes that may wait for the text before them: then only the part in front goes on.
const WAITING: u64 = 64 << 20;

/// Something that can be written a bit at a time, and be divided.
pub trait Piece: Send + Sized {
    /// Writes until `out` has so many bytes, or a few more; whether something is left.
    ///
    /// # Errors
    /// As writing to a vector has none, those of what is written.
    fn advance(&mut self, out: &mut Vec<u8>, bytes: usize) -> io::Result<bool>;

    /// Takes the latter part of what is left from it, if it can be divided.
    fn split(&mut self) -> Option<Self>;
}

/// Writes all of a piece, by the threads of the current pool if it is much.
///
/// # Errors
/// Those of the output, and of the piece.
pub fn write<P: Piece>(mut piece: P, out: &mut impl Write) -> io::Result<()> {
    let threads = rayon::current_num_threads();
    let (mut text, mut goes_on, mut written) = (Vec::new(), true, 0);
    while goes_on && (threads == 1 || written < ALONE) {
        text.clear();
        goes_on = piece.advance(&mut text, ALONE)?;
        out.write_all(&text)?;
        written += text.len();
    }
    if !goes_on {
        return Ok(());
    }
    let work = Work { state: Mutex::new(State::new(piece, threads - 1)), changed: Condvar::new() };
    rayon::in_place_scope(|scope| {
        let written = work.drain(scope, out);
        work.lock().is_over = true;
        written
    })
}

/// What the threads share.
struct Work<P> {
    state: Mutex<State<P>>,
    /// There is more to be done for the thread that called.
    changed: Condvar,
}

/// A part that a thread works on.
struct Turn<P> {
    at: usize,
    piece: P,
    text: Vec<u8>,
    /// Whether what is left of it is to be divided.
    divides: bool,
}

impl<P: Piece> Work<P> {
    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is complete in front, until all is.
    fn drain<'s>(&'s self, scope: &Scope<'s>, out: &mut impl Write) -> io::Result<()> {
        let mut ready = Vec::new();
        loop {
            let mut state = self.lock();
            state.spare.append(&mut ready);
            state.take_front(&mut ready);
            if !ready.is_empty() {
                self.call(state, scope);
                for text in &mut ready {
                    out.write_all(text)?;
                    text.clear();
                }
            } else if let Some(error) = state.error.take() {
                return Err(error);
            } else if state.is_over || state.front.is_none() {
                return Ok(());
            } else if let Some(turn) = state.turn() {
                drop(state);
                self.take_turn(turn, scope);
            } else {
                drop(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    /// What a thread of the pool does: one turn after the other, while there are any.
    fn help<'s>(&'s self, scope: &Scope<'s>) {
        loop {
            let mut state = self.lock();
            let Some(turn) = state.turn() else {
                state.helpers += 1;
                return;
            };
            drop(state);
            self.take_turn(turn, scope);
        }
    }

    fn take_turn<'s>(&'s self, turn: Turn<P>, scope: &Scope<'s>) {
        let Turn { at, mut piece, mut text, divides } = turn;
        let unwinding = Unwinding(self);
        let goes_on = piece.advance(&mut text, BLOCK);
        let rest = if divides && matches!(goes_on, Ok(true)) { piece.split() } else { None };
        mem::forget(unwinding);
        let mut state = self.lock();
        match goes_on {
            Ok(goes_on) => state.put_back(at, text, goes_on.then_some(piece), rest),
            Err(error) => state.fail(error),
        }
        if state.is_over || state.front == Some(at) {
            self.changed.notify_one();
        }
        self.call(state, scope);
    }

    /// Has as many threads of the pool take part as there are turns for.
    fn call<'s>(&'s self, mut state: MutexGuard<'_, State<P>>, scope: &Scope<'s>) {
        let called = state.turns().min(state.helpers);
        state.helpers -= called;
        drop(state);
        for _ in 0..called {
            scope.spawn(|scope| self.help(scope));
        }
    }
}

/// Ends the work when a turn panics: nobody will put its part back.
struct Unwinding<'a, P: Piece>(&'a Work<P>);

impl<P: Piece> Drop for Unwinding<'_, P> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_one();
    }
}

struct State<P> {
    /// The parts, in any order. Those that are written are used again.
    parts: Vec<Part<P>>,
    free: Vec<usize>,
    /// The first part; the others follow from it.
    front: Option<usize>,
    /// Parts that nobody works on.
    idle: usize,
    /// Threads of the pool that could take part and do not.
    helpers: usize,
    /// Bytes of text in all parts, and at most.
    waiting: u64,
    most_waiting: u64,
    /// Empty texts, to be filled.
    spare: Vec<Vec<u8>>,
    is_over: bool,
    error: Option<io::Error>,
}

struct Part<P> {
    /// What is written of it.
    texts: VecDeque<Vec<u8>>,
    left: Left<P>,
    next: Option<usize>,
}

/// What is left of a part.
enum Left<P> {
    Nothing,
    /// A thread has it.
    Taken,
    Idle(P),
}

impl<P: Piece> State<P> {
    fn new(piece: P, helpers: usize) -> Self {
        let part = Part { texts: VecDeque::new(), left: Left::Idle(piece), next: None };
        Self {
            parts: vec![part],
            free: Vec::new(),
            front: Some(0),
            idle: 1,
            helpers,
            waiting: 0,
            most_waiting: WAITING.min(memory::left() / 4),
            spare: Vec::new(),
            is_over: false,
            error: None,
        }
    }

    /// Takes the texts in front of which nothing is left to be written.
    fn take_front(&mut self, ready: &mut Vec<Vec<u8>>) {
        while let Some(at) = self.front {
            let part = &mut self.parts[at];
            self.waiting -= part.texts.iter().map(|text| text.len() as u64).sum::<u64>();
            ready.extend(part.texts.drain(..));
            let Left::Nothing = part.left else { return };
            self.front = part.next;
            self.free.push(at);
        }
    }

    /// How many threads could start to work now.
    fn turns(&self) -> usize {
        let only_front = self.waiting > self.most_waiting;
        if self.is_over || only_front { usize::from(self.next().is_some()) } else { self.idle }
    }

    /// The part to work on.
    fn next(&self) -> Option<usize> {
        let is_idle = |&at: &usize| matches!(self.parts[at].left, Left::Idle(_));
        if self.is_over || self.idle == 0 {
            return None;
        }
        if self.waiting > self.most_waiting {
            return self.front.filter(is_idle);
        }
        std::iter::successors(self.front, |&at| self.parts[at].next).find(is_idle)
    }

    fn turn(&mut self) -> Option<Turn<P>> {
        let at = self.next()?;
        let Left::Idle(piece) = mem::replace(&mut self.parts[at].left, Left::Taken) else { return None };
        self.idle -= 1;
        let text = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK + BLOCK / 8));
        Some(Turn { at, piece, text, divides: self.parts.len() - self.free.len() < PARTS })
    }

    /// A turn is over: what was written, what is left, and what comes behind that.
    fn put_back(&mut self, at: usize, text: Vec<u8>, left: Option<P>, rest: Option<P>) {
        self.waiting += text.len() as u64;
        self.idle += usize::from(left.is_some()) + usize::from(rest.is_some());
        let part = &mut self.parts[at];
        part.texts.push_back(text);
        part.left = left.map_or(Left::Nothing, Left::Idle);
        if let Some(rest) = rest {
            let next = part.next;
            let rest = Part { texts: VecDeque::new(), left: Left::Idle(rest), next };
            let place = self.free.pop().unwrap_or(self.parts.len());
            if place < self.parts.len() {
                self.parts[place] = rest;
            } else {
                self.parts.push(rest);
            }
            self.parts[at].next = Some(place);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.is_over = true;
        self.error.get_or_insert(error);
    }
}

#[cfg(test)]
mod tests;
