//! What bounds a run: memory, collections of the heap, and looks at the control.

use super::{FIRINGS, Frame, Machine, ROWS, Stop, trial};
use crate::exec::code::Pc;
use crate::exec::common;
use gchr_base::control::Progress;
use gchr_base::error::StopReason;

impl Machine<'_, '_> {
    pub(super) fn reserve_stack(&mut self, top: usize) -> Result<(), Stop> {
        if top > self.stack.len() {
            let more = top.max(self.stack.len() * 2).max(1 << 10) - self.stack.len();
            let answer = self.control.ask_memory(self.bytes(), more as u64 * 8);
            answer.map_err(|shortage| self.stop(shortage.of("suspended activations")))?;
            self.stack.resize(self.stack.len() + more, 0);
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.table_bytes + self.heap.bytes() + self.history.bytes() + self.frame_bytes()
    }

    fn frame_bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>() + self.stack.capacity() * 8;
        frames as u64 + self.other_frames
    }

    pub(super) fn check_memory(&mut self, what: impl Fn(&Self) -> String) -> Result<(), Stop> {
        let bytes = self.bytes();
        self.peak = self.peak.max(bytes);
        match self.control.memory_shortage(bytes) {
            Some(shortage) => Err(self.stop(shortage.of(what(self)))),
            None => Ok(()),
        }
    }

    /// What takes the most memory now.
    fn largest(&self) -> String {
        let (others, what) = [
            (self.heap.bytes(), "terms"),
            (self.history.bytes(), "the propagation history"),
            (self.frame_bytes(), "suspended activations"),
        ]
        .into_iter()
        .max()
        .unwrap_or_default();
        match (0..self.tables.len()).max_by_key(|&t| self.tables[t].bytes()) {
            Some(table) if self.tables[table].bytes() >= others => self.table_text(table),
            _ => what.into(),
        }
    }

    pub(super) fn collect(&mut self, top: usize) -> Result<(), Stop> {
        let stored = common::stored_terms(&self.tables);
        let registers = self.stack[..top.min(self.stack.len())].iter().copied();
        let outside = self.code.constants.iter().chain(&self.other_roots).copied();
        self.heap.collect(stored.chain(registers).chain(outside));
        self.check_memory(Self::largest)
    }

    /// Looks at the control in the middle of a search. Only a firing beyond the limit of steps is one too many.
    pub(super) fn look_up_from_search(&mut self, frame: &Frame) -> Result<(), Stop> {
        self.ask_control(frame.top, false)
    }

    #[inline(never)]
    pub(super) fn ask_control(&mut self, top: usize, firing: bool) -> Result<(), Stop> {
        if let Some(looks) = &mut self.trial {
            *looks -= 1;
            if *looks == 0 {
                return Err(self.stop(trial::given_up()));
            }
        }
        self.check_memory(Self::largest)?;
        if self.heap.wants_collection() {
            self.collect(top)?;
        }
        self.report_totals();
        match self.control.poll(self.progress()) {
            Err(StopReason::Steps { .. }) if !firing => {}
            Err(reason) => return Err(self.stop(reason)),
            Ok(()) => {}
        }
        self.fuel = self.control.fuel(self.firings, FIRINGS);
        self.until_poll = ROWS;
        Ok(())
    }

    /// Tells the recorder what it cannot see in the progress.
    fn report_totals(&mut self) {
        if let (Some(tally), Some(recorder)) = (&mut self.tally, self.control.recorder()) {
            recorder.tried(tally.take_tried());
            recorder.collected(self.heap.collections());
        }
    }

    /// Notes how far the run is, if somebody wants to know.
    pub(super) fn record(&mut self) {
        if self.control.records() {
            self.report_totals();
            let now = self.progress();
            self.control.record(now);
        }
    }

    /// Reports the end of a recorded run.
    pub(crate) fn report(&mut self) {
        self.record();
        if let (Some(tally), Some(recorder)) = (self.tally.take(), self.control.recorder()) {
            tally.report(recorder);
        }
    }

    /// How far the run is.
    pub(crate) fn progress(&self) -> Progress {
        Progress { steps: self.firings, bytes: self.bytes(), live: common::live(&self.tables) }
    }

    /// A stop at the rule that fired last.
    pub(in crate::exec) fn stop(&self, reason: StopReason) -> Stop {
        common::stop(self.plan, self.last_rule, reason, self.progress())
    }

    /// A stop at an instruction.
    pub(in crate::exec) fn stop_at(&self, reason: StopReason, pc: Pc) -> Stop {
        common::stop_at(self.code, pc, reason, self.progress())
    }
}
