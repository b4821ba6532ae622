//! Goals that are cleaned up after (`setup_call_cleanup/3` and its kin): a choice point below those of such a goal says
//! what is to be done once it ended, by its last solution, a failure, an error or a cut.

use super::control::Entered;
use super::{Alternative, Done, Machine};
use crate::cell::{Cell, Tag};
use crate::code::{FAIL, Label, at};
use crate::names::atom;
use crate::record::Record;

impl Machine<'_, '_> {
    /// `$call_cleanup(Goal, Catcher, Cleanup)`: calls the goal; when it ends, the reason is unified with the second
    /// argument, and the third one is called.
    pub(super) fn call_cleanup(&mut self) -> Done<Entered> {
        self.choose(Alternative::Cleanup(0), 3);
        self.frame(&[], at::POP_CLEANUP);
        let env = self.env;
        if let Some(choice) = self.choices.last_mut() {
            choice.alternative = Alternative::Cleanup(env);
        }
        let goal = self.arg(0);
        if goal.tag() == Tag::Str && !self.is_body(goal)? {
            return Err(self.type_error("callable", goal));
        }
        Ok(Entered::Goal(goal, self.choices.len()))
    }

    /// The goal holds: it is over unless it left choice points.
    pub(super) fn exited(&mut self) -> Done<Option<Label>> {
        let env = self.env;
        self.deallocate();
        let last =
            self.choices.last().filter(|c| matches!(c.alternative, Alternative::Cleanup(e) if e == env));
        let Some(saved) = last.map(|choice| choice.saved) else { return Ok(Some(self.cp)) };
        let args = [self.db.names.cell("exit"), self.saved[saved + 1], self.saved[saved + 2]];
        self.saved.truncate(saved);
        self.choices.pop();
        self.settle();
        self.enter_named("$clean_up", &args)
    }

    /// The goal has no further solution: cleans up, and goes on failing.
    pub(super) fn failed_within(&mut self) -> Done<Option<Label>> {
        self.restore_registers();
        let args = [Cell::atom(atom::fail), self.x[1], self.x[2]];
        self.pop_choice();
        self.frame(&[Cell::atom(atom::fail), Cell::int(0)], at::NEXT_GOAL);
        self.enter_named("$clean_up", &args)
    }

    /// A term is thrown, within the goal or by what follows it: cleans up, and throws it again.
    pub(super) fn thrown_within(
        &mut self,
        ball: &Record,
        within: bool,
        thrown_in: usize,
    ) -> Done<Option<Label>> {
        // The environments that lead to the place of the error say which `catch/3` are left to look at: they stay.
        let stack = self.choices.last().map_or(0, |choice| choice.stack).max(self.top_of(thrown_in));
        self.restore();
        self.restore_registers();
        let (catcher, cleanup) = (self.x[1], self.x[2]);
        self.pop_choice();
        self.choose(Alternative::Code(FAIL), 0);
        if let Some(choice) = self.choices.last_mut() {
            choice.stack = stack;
        }
        let ball = self.restored(ball);
        let name = self.db.names.intern(if within { "exception" } else { "external_exception" });
        let why = self.heap.compound(name, &[ball]);
        self.enter_named("$clean_up_thrown", &[why, catcher, cleanup, ball, Cell::int(thrown_in)])
    }

    /// Whether a cut ended goals for which something is still to be done.
    #[inline(always)]
    pub fn is_cut_off(&self) -> bool {
        !self.cut_off.is_empty()
    }

    /// Cleans up after the goals that a cut ended, then goes on at a place.
    #[cold]
    pub(super) fn clean_up_before(&mut self, resume: Label) -> Done<Option<Label>> {
        let live = self.registers_at(resume);
        self.suspend(resume, live);
        let goals = self.cut_off_goals();
        self.enter_named("$clean_up_all", &[goals])
    }

    fn cut_off_goals(&mut self) -> Cell {
        let goals = std::mem::take(&mut self.cut_off);
        let pairs: Vec<Cell> = goals
            .into_iter()
            .map(|(catcher, goal)| self.heap.compound(atom::minus, &[catcher, goal]))
            .collect();
        self.heap.list(&pairs)
    }

    /// Cuts what is left of a query that is over, and cleans up.
    pub fn end_goal(&mut self) -> Done<()> {
        self.cut(self.floor());
        if self.is_cut_off() {
            let (name, goals) = (self.db.names.intern("$clean_up_all"), self.cut_off_goals());
            let goal = self.heap.compound(name, &[goals]);
            self.solve(goal)?;
            self.cut(self.floor());
        }
        Ok(())
    }

    /// Enters a predicate of the machine's own.
    fn enter_named(&mut self, name: &str, args: &[Cell]) -> Done<Option<Label>> {
        self.x[..args.len()].copy_from_slice(args);
        let pred = self.db.named(name, args.len());
        self.step()?;
        self.enter(pred)
    }
}
