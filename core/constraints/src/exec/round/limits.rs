//! Limits, counts and errors of a run in rounds: when it must stop, and with what reason.

use crate::exec::added::Added;
use std::sync::atomic::AtomicU64;

use super::numbers::TooMany;
use super::state::RoundsState;
use super::watch::RoundWatch;
use crate::exec::code::Pc;
use crate::exec::common::{self, Stop};
use crate::exec::errors::ErrorFormatter;
use crate::exec::step::Trap;
use gchr_base::control::Progress;
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::profile::{Round, RuleCount};
use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;

/// Rounds, and firings, between two looks at the control.
const ROUNDS: u32 = 64;
const FIRINGS: u64 = 1 << 14;

impl<'c> RoundsState<'_, 'c> {
    /// Refuses the round at hand, which has candidates, when it is one too many.
    pub(crate) fn check_rounds(&self) -> Result<(), Stop> {
        match self.control.limits().max_rounds {
            Some(limit) if self.rounds > limit => Err(self.stop(StopReason::Rounds { limit })),
            _ => Ok(()),
        }
    }

    /// Refuses a round whose firings are too many.
    pub(crate) fn check_steps(&self, firings: u64) -> Result<(), Stop> {
        match self.control.limits().max_steps {
            Some(limit) if firings > 0 && self.firings + firings > limit => {
                Err(self.stop(StopReason::Steps { limit }))
            }
            _ => Ok(()),
        }
    }

    /// Counts a round's firings.
    pub(crate) fn count_firings(&mut self, firings: u64, last: Option<RuleId>) {
        self.firings += firings;
        self.fuel = self.fuel.saturating_sub(firings);
        self.last_rule = last.or(self.last_rule);
    }

    /// Whether [`count_rule`](Self::count_rule) is wanted.
    pub(crate) fn counts_rules(&self) -> bool {
        self.fired_by_rule.is_some()
    }

    /// Counts firings of a rule that [`count_firings`](Self::count_firings) counts too.
    pub(crate) fn count_rule(&mut self, rule: RuleId, firings: u64) {
        if let Some(counts) = &mut self.fired_by_rule {
            counts[rule.index()] += firings;
        }
    }

    /// Counts values of a table's constraints that are replaced.
    pub(crate) fn count_replaced(&mut self, table: usize, values: u64) {
        let replacement = self.plan.classes.replacement_of(ConstraintId::from_index(table));
        if let Some(replacement) = replacement {
            self.count_rule(replacement.rule, values);
        }
    }

    /// Hands the counts by rule to the recorder.
    pub(crate) fn report_rules(&mut self) {
        let counts = self.fired_by_rule.take();
        if let (Some(counts), Some(recorder)) = (counts, self.control.recorder()) {
            for (rule, applied) in counts.into_iter().enumerate() {
                recorder.rule(RuleId::from_index(rule), RuleCount { applied, ..RuleCount::default() });
            }
        }
    }

    /// Looks at the control from time to time, between rounds.
    pub(crate) fn look_up(&mut self) -> Result<(), Stop> {
        if self.until_poll == 0 || self.fuel == 0 {
            self.ask_control()?;
        }
        self.until_poll -= 1;
        Ok(())
    }

    /// Looks at the control within a round, between parts that do so much each.
    pub(crate) fn look_within(&mut self, work: u64) -> Result<(), Stop> {
        if work >= FIRINGS { self.ask_control() } else { Ok(()) }
    }

    /// Stops a round that changes the store already, when nobody wants to see the store any more.
    pub(crate) fn go_on(&self) -> Result<(), Stop> {
        if self.control.is_unwanted() { Err(self.stop(StopReason::Interrupted)) } else { Ok(()) }
    }

    #[inline(never)]
    pub(crate) fn ask_control(&mut self) -> Result<(), Stop> {
        self.table_bytes = common::bytes(&self.tables);
        self.check_memory(|_| "the rounds' candidates".into())?;
        if let Some(recorder) = self.control.recorder() {
            recorder.collected(self.heap.collections());
        }
        match self.control.poll(self.progress()) {
            // Only a firing beyond the limit is one too many.
            Ok(()) | Err(StopReason::Steps { .. }) => {}
            Err(reason) => return Err(self.stop(reason)),
        }
        (self.until_poll, self.fuel) = (ROUNDS, FIRINGS);
        Ok(())
    }

    /// What stops threads at work that do not poll.
    pub(crate) fn watch(&self) -> RoundWatch<'c> {
        let limit = self.control.limits().memory;
        RoundWatch {
            of_run: self.control.watch().clone(),
            memory: limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.bytes())),
            taken: AtomicU64::new(0),
            process: self.control.memory_watch(),
        }
    }

    /// Why the watch called.
    pub(crate) fn called(&mut self) -> Stop {
        match self.ask_control() {
            Err(stop) => stop,
            Ok(()) => {
                // What the threads had taken has been given back, or was only promised.
                let limit = self.control.limits().memory.unwrap_or_else(memory::bound);
                self.stop(StopReason::Memory { limit, what: "the candidates of a round".into() })
            }
        }
    }

    /// The number of a position in what a round finds.
    pub(crate) fn numbered(&self, position: usize) -> Result<u32, Stop> {
        self.numbers.of(position).map_err(|TooMany| self.too_many())
    }

    /// More is found than can be numbered.
    pub(crate) fn too_many(&self) -> Stop {
        self.stop(self.numbers.reason())
    }

    /// Tells the recorder that a round is over.
    pub(crate) fn report_round(&mut self) {
        if self.control.records() {
            let (rounds, progress) = (self.rounds, self.progress());
            if let Some(recorder) = self.control.recorder() {
                recorder.round(Round { rounds, progress });
            }
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        let rules: u64 = self.insertion_rules.iter().flatten().map(|rule| rule.bytes()).sum();
        let detached = (self.detached.capacity() * size_of::<Added>()) as u64;
        self.table_bytes + self.heap.bytes() + self.other_bytes + detached + rules
    }

    pub(super) fn check_growth(&self, table: usize, count: usize) -> Result<(), Stop> {
        match self.tables[table].asks_for(count) {
            0 => Ok(()),
            asks => {
                let answer = self.control.ask_memory(self.bytes(), asks);
                answer.map_err(|shortage| self.stop(shortage.of(self.table_text(table))))
            }
        }
    }

    pub(crate) fn check_memory(&mut self, what: impl Fn(&Self) -> String) -> Result<(), Stop> {
        let bytes = self.bytes();
        self.peak = self.peak.max(bytes);
        match self.control.memory_shortage(bytes) {
            Some(shortage) => Err(self.stop(shortage.of(what(self)))),
            None => Ok(()),
        }
    }

    pub(super) fn table_text(&self, table: usize) -> String {
        format!("constraints {}", self.tables[table].name)
    }

    /// How far the run is.
    pub(crate) fn progress(&self) -> Progress {
        Progress { steps: self.firings, bytes: self.bytes(), live: common::live(&self.tables) }
    }

    /// A stop at the rule that fired last.
    pub(crate) fn stop(&self, reason: StopReason) -> Stop {
        common::stop(self.plan, self.last_rule, reason, self.progress())
    }

    /// A stop at an instruction.
    pub(crate) fn stop_at(&self, reason: StopReason, pc: Pc) -> Stop {
        common::stop_at(self.code, pc, reason, self.progress())
    }

    /// A stop at an instruction without result.
    pub(crate) fn trapped(&self, regs: &[u64], trap: Trap) -> Stop {
        self.stop_at(self.error_formatter().reason(regs, trap), trap.pc)
    }

    pub(crate) fn error_formatter(&self) -> ErrorFormatter<'_> {
        let Self { program, plan, code, heap, .. } = self;
        ErrorFormatter { signature: &program.signature, plan, code, heap }
    }
}
