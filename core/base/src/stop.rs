//! How far a run is, and why it stopped.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::op::{ArithmeticError, Op};
use crate::signature::SymbolId;

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Rule applications or firings so far.
    pub steps: u64,
    /// Bytes in use by the run's own tables.
    pub bytes: u64,
    /// Live constraints, or cells in use.
    pub live: u64,
}

/// Why a run stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum StopReason {
    /// An operation has no result for its operands.
    Arithmetic {
        /// The operator.
        op: Op,
        /// What is wrong.
        error: ArithmeticError,
        /// The operands as text.
        operands: Vec<String>,
    },
    /// No rule matches an application whose sort is built in, so that it cannot be a normal form itself.
    NoRule {
        /// The application as text, cut when it is long.
        redex: String,
        /// Its symbol, where it is an application of one.
        symbol: Option<SymbolId>,
    },
    /// A comparison of terms looks at the same subterms again and again, on a device that remembers none.
    Comparison {
        /// Their sort.
        sort: String,
    },
    /// The limit of steps is reached.
    Steps {
        /// The limit.
        limit: u64,
    },
    /// The limit of rounds is reached.
    Rounds {
        /// The limit.
        limit: u64,
    },
    /// The limit of memory, or most of what the machine has, is used up.
    Memory {
        /// The limit in bytes.
        limit: u64,
        /// What asked for more: "cells of sort Tree", "constraints edge/3".
        what: String,
    },
    /// The system gives no more memory, whatever the limit is.
    NoMemory {
        /// What asked for more.
        what: String,
    },
    /// A table has no more indices: a limit of the value format, not of memory.
    Indices {
        /// What ran out: "cells of sort Tree".
        what: String,
        /// How many there are.
        limit: u64,
    },
    /// The limit of time is reached.
    Timeout {
        /// The limit.
        limit: Duration,
    },
    /// The caller asked to stop.
    Interrupted,
    /// A goal of a body or a query does not hold: the derivation fails.
    Failed,
    /// A value has the wrong type for the column it is to be stored in.
    Column {
        /// The column as text: "argument 2 of edge/3 (int)".
        column: String,
        /// The value as text.
        value: String,
    },
    /// A term was thrown that nothing catches.
    Thrown {
        /// What it means, in words.
        message: String,
    },
    /// Workers that share the run do not answer any more.
    Lost {
        /// Which, or why.
        what: String,
    },
    /// The state of the run cannot be kept in a checkpoint, or be had from one.
    Checkpoint {
        /// Why.
        what: String,
    },
    /// An invariant of gchr is broken.
    Internal {
        /// Which one.
        what: String,
    },
    /// The limit of output is reached.
    OutputSize {
        /// The limit in bytes.
        limit: u64,
    },
    /// Program output could not be written.
    Output {
        /// The system's message.
        message: String,
    },
}

/// A reason to stop on its way through a writer, which knows only errors of its own.
#[derive(Debug)]
struct Stopping(StopReason);

impl fmt::Display for Stopping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            StopReason::Interrupted => "interrupted",
            StopReason::Timeout { .. } => "the time limit is reached",
            StopReason::OutputSize { .. } => "the output limit is reached",
            _ => "the run was stopped",
        })
    }
}

impl std::error::Error for Stopping {}

impl From<StopReason> for io::Error {
    fn from(reason: StopReason) -> Self {
        io::Error::other(Stopping(reason))
    }
}

impl From<io::Error> for StopReason {
    /// Why a writer stopped, where it stopped for a reason of ours; else that output cannot be written.
    fn from(error: io::Error) -> Self {
        match error.downcast::<Stopping>() {
            Ok(Stopping(reason)) => reason,
            Err(error) => StopReason::Output { message: error.to_string() },
        }
    }
}
