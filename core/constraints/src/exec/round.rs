//! What executors of rounds share: the store of a run, how instances are looked for, and which failure comes first.

mod adding;
pub(crate) mod batch;
pub(crate) mod bodies;
pub mod dealing;
mod limits;
pub(crate) mod numbers;
pub(crate) mod pipeline;
mod record;
pub(crate) mod state;
pub(crate) mod storing;
pub(crate) mod strategy;
mod trace;
pub(crate) mod watch;

use super::code::Pc;
use gchr_base::error::StopReason;
use gchr_base::rule::RuleId;

/// A failing instance, or one whose body fails, with its place in the order of errors.
pub(crate) struct Failure {
    /// Whether it is a body, id of the newest constraint, rule, rank.
    pub(crate) place: (bool, u64, RuleId, Box<[u64]>),
    pub(crate) reason: StopReason,
    pub(crate) pc: Pc,
}
