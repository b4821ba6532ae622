//! What threads find for the lists of constraints, and what is kept of it for the next round.

use crate::exec::added::Added;
use crate::exec::code::Pc;
use crate::exec::round::Failure;
use crate::exec::round::bodies::Adds;
use crate::exec::round::numbers::TooMany;
use gchr_base::error::StopReason;
use gchr_base::memory::Shortage;
use gchr_base::rule::RuleId;

/// A constraint whose list may have members.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) added: Added,
    pub(crate) state: State,
    /// Candidates that did not fire and whose constraints live: a range of [`KeptCandidates::instances`].
    pub(crate) kept: (u32, u32),
}

/// How much of a list is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Nothing.
    Fresh,
    /// It ended at an instance of this rule and rank, which removes the constraint; what comes behind is not known.
    Cut(RuleId, Box<[u64]>),
    /// All.
    Done,
}

/// Candidates kept for the next round.
#[derive(Default, Debug)]
pub(crate) struct KeptCandidates {
    /// Occurrence of the newest constraint, and where its rows begin.
    pub(crate) instances: Vec<(u32, u32)>,
    /// Rows of partners, by level.
    pub(crate) rows: Vec<u32>,
}

/// A member of a list that must be checked against others before it fires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Position of its newest constraint among the pending ones.
    pub(crate) n: u32,
    /// Occurrence of that constraint.
    pub(crate) k: u32,
    /// Rows of partners in [`Found::rows`], by level.
    pub(crate) rows: u32,
}

/// What a list has, in body order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// Instances that fired when they were found: the end of what they add in [`Found::adds`], and their number.
    Fired { rule: RuleId, adds_end: u32, firings: u32 },
    /// The next one of [`Found::candidates`].
    Candidate,
}

/// What one thread found for a number of pending constraints, in their order.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) entries: Vec<Entry>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) rows: Vec<u32>,
    pub(crate) adds: Adds,
    /// New states of pending constraints; a fresh one that has none is done.
    pub(crate) states: Vec<(u32, State)>,
    pub(crate) failure: Option<Failure>,
    /// Rows looked at.
    pub(crate) tried: u64,
}

/// Why a thread gave up.
pub(crate) enum Abort {
    /// Terms must be built: one thread alone has to do it all again.
    Alone,
    /// The run must stop.
    Watch,
    /// More is found than can be numbered.
    TooMany,
    /// There is no memory for what it found.
    NoMemory(Shortage),
    /// An error of the executor.
    Stop(StopReason, Pc),
}

impl From<TooMany> for Abort {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

impl Found {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.candidates.clear();
        self.rows.clear();
        self.adds.clear();
        self.states.clear();
        (self.failure, self.tried) = (None, 0);
    }

    pub(crate) fn bytes(&self) -> u64 {
        let lists = self.entries.capacity() * size_of::<Entry>()
            + self.candidates.capacity() * 12
            + self.rows.capacity() * 4;
        lists as u64 + self.adds.bytes() + self.states.capacity() as u64 * 40
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        if self.failure.as_ref().is_none_or(|first| failure.place < first.place) {
            self.failure = Some(failure);
        }
    }
}
