//! The machine of the refined operational semantics: one activation after the other, on an explicit stack.
//!
//! **Invariants.** A constraint gets its id when it is activated, and is active once. It is stored at the latest before
//! a body runs with it kept, so the rows of a list are ordered by id, newest first. While a body runs that keeps its
//! active constraint, the rows that the search stands on are pinned. Registers of frames on the stack, columns of sort
//! `Any` and constants are all the roots of the heap whenever it is collected.

mod engine;
mod limits;
mod record;
mod report;
mod trial;

use super::code::{Code, Ins, OccurrenceCode, Pc};
use super::common::{self, Stop};
use super::history::History;
use super::index::NONE;
use super::search::{Search, Searched};
use super::step::{EvalCtx, Flow};
use super::storing::Storing;
use super::table::Table;
use super::tally::Tally;
use crate::ir::ChrPlan;
use gchr_base::control::Control;
use gchr_base::derivation::Cause;
use gchr_base::error::StopReason;
use gchr_base::rule::{Program, RuleId};
use gchr_base::value::Heap;

pub use engine::{Engine, Goals};
use record::Causes;
pub use trial::{Trial, try_run};

/// Firings, and rows tried, between two looks at the control.
const FIRINGS: u64 = 1 << 14;
const ROWS: u32 = 1 << 18;

pub(crate) struct Machine<'a, 'c> {
    pub(crate) program: &'a Program,
    pub(crate) plan: &'a ChrPlan,
    pub(crate) code: &'a Code,
    pub(crate) control: &'a mut Control<'c>,
    pub(crate) tables: Vec<Table>,
    pub(crate) heap: Heap,
    pub(crate) stack: Vec<u64>,
    frames: Vec<Frame>,
    history: History,
    next_id: u64,
    pub(crate) firings: u64,
    /// Firings until the control is asked again.
    fuel: u64,
    /// Rows to try until the control is asked again.
    until_poll: u32,
    pub(crate) peak: u64,
    /// Bytes of all tables.
    table_bytes: u64,
    last_rule: Option<RuleId>,
    /// Counts of a recorded run.
    tally: Option<Box<Tally>>,
    /// Why constraints are added, in a run whose derivations are recorded.
    pub(in crate::exec) causes: Option<Box<Causes>>,
    /// Of a run that is only tried: how often it looks at the control until it is given up.
    trial: Option<u32>,
    /// Bytes of frames that are not on the stack, and roots of the heap in them.
    other_frames: u64,
    other_roots: Vec<u64>,
}

/// An activation, or a query.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// First register.
    pub(crate) base: usize,
    /// One past the last register.
    top: usize,
    /// Constraint symbol, or [`QUERY`].
    pub(crate) owner: u32,
    /// Which occurrence is tried.
    occurrence: u32,
    /// Where its body goes on.
    pc: Pc,
    /// Where it is stored, if it is.
    row: u32,
    /// Id of the active constraint.
    pub(crate) id: u64,
}

/// Owner of a frame that is a query.
const QUERY: u32 = u32::MAX;

/// What the machine does next with the frame at hand.
enum Next {
    /// Begins the activation whose arguments are in the first registers.
    Enter,
    /// Tries occurrences from this one on.
    Try(usize),
    /// Executes goals.
    Body(Pc),
    /// Goes on searching after a body that kept the active constraint.
    Resume,
    /// Gives up the frame.
    Leave,
}

/// What firing led to.
enum Fired {
    /// The frame does something else.
    Then(Next),
    /// The search goes on at this level with this row.
    Search(usize, u32),
}

impl<'a, 'c> Machine<'a, 'c> {
    pub(crate) fn new(
        program: &'a Program,
        plan: &'a ChrPlan,
        code: &'a Code,
        heap: Heap,
        control: &'a mut Control<'c>,
    ) -> Self {
        let fuel = control.fuel(0, FIRINGS);
        let whole = control.sees_firings();
        let causes = control.derives().then(|| Box::new(Causes::new()));
        let tally = control.records().then(|| Box::new(Tally::new(plan.rules.len())));
        let mut machine = Self {
            program,
            plan,
            code,
            control,
            tables: Storing::new(plan, code).tables(plan, whole),
            heap,
            stack: Vec::new(),
            frames: Vec::new(),
            history: History::default(),
            next_id: 0,
            firings: 0,
            fuel,
            until_poll: ROWS,
            peak: 0,
            table_bytes: 0,
            last_rule: None,
            tally,
            causes,
            trial: None,
            other_frames: 0,
            other_roots: Vec::new(),
        };
        machine.table_bytes = common::bytes(&machine.tables);
        machine.record();
        machine
    }

    /// Goes on with the tables of another run, whose next id this was.
    pub(crate) fn take_over(&mut self, tables: Vec<Table>, next_id: u64) {
        (self.tables, self.next_id) = (tables, next_id);
        self.table_bytes = common::bytes(&self.tables);
    }

    /// The id of the next constraint.
    pub(crate) fn next_id(&self) -> u64 {
        self.next_id
    }

    /// A fact or a query begins.
    pub(crate) fn begin(&mut self, cause: Cause) {
        if let Some(causes) = &mut self.causes {
            causes.begin(cause);
        }
    }

    /// Activates a constraint with these arguments on an empty stack.
    pub(crate) fn activate(&mut self, constraint: usize, args: &[u64]) -> Result<(), Stop> {
        self.reserve_stack(args.len())?;
        self.stack[..args.len()].copy_from_slice(args);
        self.drive(Frame::new(0, constraint as u32), Next::Enter)
    }

    /// Runs a query on an empty stack.
    pub(crate) fn query(&mut self, number: usize) -> Result<(), Stop> {
        self.begin(Cause::Goal { query: number as u32, number: 0 });
        let query = &self.code.queries[number];
        self.reserve_stack(query.registers)?;
        let frame = Frame { top: query.registers, ..Frame::new(0, QUERY) };
        self.drive(frame, Next::Body(query.body))
    }

    fn drive(&mut self, mut frame: Frame, mut next: Next) -> Result<(), Stop> {
        loop {
            // Bodies that give up their active constraint have removed it; others that call have stored it.
            let lives = !matches!(next, Next::Body(_) | Next::Leave);
            let result = match next {
                Next::Enter => self.enter(&mut frame),
                Next::Try(occurrence) => self.try_from(&mut frame, occurrence),
                Next::Body(pc) => self.body(&mut frame, pc),
                Next::Resume => self.resume(&mut frame),
                Next::Leave => match self.frames.pop() {
                    Some(suspended) => {
                        frame = suspended;
                        if let Some(causes) = &mut self.causes {
                            causes.resume();
                        }
                        Ok(Next::Body(frame.pc))
                    }
                    None => return Ok(()),
                },
            };
            next = match result {
                Ok(next) => next,
                Err(stop) => {
                    if lives {
                        self.store_at_stop(&frame);
                    }
                    return Err(stop);
                }
            };
        }
    }

    /// Puts the active constraint into the store that a stopped run leaves, unless it is there.
    fn store_at_stop(&mut self, frame: &Frame) {
        let table = &mut self.tables[frame.owner as usize];
        let end = frame.base + table.columns.len();
        if frame.row == NONE && end <= self.stack.len() {
            // A full table has no room for it, and says so itself.
            let _ = table.leave_behind(self.next_id, &self.stack[frame.base..end]);
        }
    }

    fn enter(&mut self, frame: &mut Frame) -> Result<Next, Stop> {
        frame.top = frame.base + self.code.activations[frame.owner as usize].registers;
        if frame.top > self.stack.len() {
            self.reserve_stack(frame.top)?;
        }
        if self.heap.wants_collection() {
            self.collect(frame.top)?;
        }
        if self.until_poll == 0 {
            self.look_up_from_search(frame)?;
        }
        self.until_poll -= 1;
        frame.id = self.next_id;
        self.next_id += 1;
        frame.row = NONE;
        if self.causes.is_some() {
            self.record_made(frame);
        }
        Ok(Next::Try(0))
    }

    fn try_from(&mut self, frame: &mut Frame, first: usize) -> Result<Next, Stop> {
        let occurrences = &self.code.activations[frame.owner as usize].occurrences;
        for (k, occurrence) in occurrences.iter().enumerate().skip(first) {
            frame.occurrence = k as u32;
            if let Some(tally) = &mut self.tally {
                tally.enter(occurrence);
            }
            let mut search = self.search_of(frame, occurrence);
            if !search.entry().map_err(|t| self.trapped(frame, t))? {
                continue;
            }
            if occurrence.levels.is_empty() {
                let mut search = self.search_of(frame, occurrence);
                if search.commit().map_err(|t| self.trapped(frame, t))?
                    && let Fired::Then(next) = self.fire(frame, occurrence)?
                {
                    return Ok(next);
                }
                continue;
            }
            let mut search = self.search_of(frame, occurrence);
            let row = search.first(&occurrence.levels[0]).map_err(|t| self.trapped(frame, t))?;
            if let Some(next) = self.search(frame, occurrence, 0, row)? {
                return Ok(next);
            }
        }
        if frame.row == NONE {
            self.store(frame)?;
        }
        Ok(Next::Leave)
    }

    #[inline]
    fn search_of<'s>(
        &'s mut self,
        frame: &Frame,
        occurrence: &'a OccurrenceCode,
    ) -> Search<'s, 's, &'s mut Heap>
    where
        'a: 's,
    {
        Search {
            ctx: EvalCtx {
                code: self.code,
                signature: &self.program.signature,
                tables: &self.tables,
                heap: &mut self.heap,
            },
            regs: &mut self.stack[frame.base..frame.top],
            occurrence,
            active: frame.id,
            until_poll: &mut self.until_poll,
        }
    }

    /// Searches and fires until there is nothing left, or something else to do first.
    fn search(
        &mut self,
        frame: &mut Frame,
        occurrence: &'a OccurrenceCode,
        mut k: usize,
        mut row: u32,
    ) -> Result<Option<Next>, Stop> {
        loop {
            let until_poll = self.until_poll;
            let mut search = self.search_of(frame, occurrence);
            let found = search.find(k, row);
            if let Some(tally) = &mut self.tally {
                tally.tried(occurrence.rule, until_poll - self.until_poll);
            }
            match found.map_err(|t| self.trapped(frame, t))? {
                Searched::Nothing => return Ok(None),
                Searched::Pause(at, on) => {
                    self.look_up_from_search(frame)?;
                    (k, row) = (at, on);
                }
                Searched::Match => {
                    if occurrence.history && !self.is_new_instance(frame, occurrence) {
                        k = occurrence.levels.len() - 1;
                        row = self.next_row(frame, occurrence, k);
                        continue;
                    }
                    match self.fire(frame, occurrence)? {
                        Fired::Then(next) => return Ok(Some(next)),
                        Fired::Search(at, on) => (k, row) = (at, on),
                    }
                }
            }
        }
    }

    #[inline]
    fn row_of(&self, frame: &Frame, occurrence: &OccurrenceCode, k: usize) -> u32 {
        self.stack[frame.base + occurrence.levels[k].row as usize] as u32
    }

    fn next_row(&self, frame: &Frame, occurrence: &OccurrenceCode, k: usize) -> u32 {
        let level = &occurrence.levels[k];
        self.tables[level.table].indexes[level.index].next(self.row_of(frame, occurrence, k))
    }

    /// The rule fires with the active constraint and the rows of the levels.
    fn fire(&mut self, frame: &mut Frame, occurrence: &'a OccurrenceCode) -> Result<Fired, Stop> {
        if self.fuel == 0 {
            self.ask_control(frame.top, true)?;
        }
        self.fuel -= 1;
        self.firings += 1;
        self.last_rule = Some(occurrence.rule);
        if let Some(tally) = &mut self.tally {
            tally.fired(occurrence.rule);
        }
        if self.control.sees_firings() {
            self.trace(frame, occurrence);
            self.record_fired(frame, occurrence);
        }
        if occurrence.removes_active {
            for &k in &occurrence.removed {
                let row = self.row_of(frame, occurrence, k);
                let table = &mut self.tables[occurrence.levels[k].table];
                table.kill(row);
                table.unlink(row);
            }
            if frame.row != NONE {
                let table = &mut self.tables[frame.owner as usize];
                table.kill(frame.row);
                table.unlink(frame.row);
                frame.row = NONE;
            }
            return Ok(Fired::Then(occurrence.body.map_or(Next::Leave, Next::Body)));
        }
        if (occurrence.calls || occurrence.history) && frame.row == NONE {
            self.store(frame)?;
        }
        if occurrence.history {
            self.remember(frame, occurrence)?;
        }
        match occurrence.body {
            Some(pc) if occurrence.calls => {
                self.suspend(frame, occurrence);
                Ok(Fired::Then(Next::Body(pc)))
            }
            body => {
                let on = self.remove_and_step(frame, occurrence);
                if let Some(pc) = body {
                    self.effects(frame, pc)?;
                }
                Ok(on)
            }
        }
    }

    /// Pins the rows of all levels, so that the search can go on from them after the body, and removes.
    fn suspend(&mut self, frame: &Frame, occurrence: &OccurrenceCode) {
        for (k, level) in occurrence.levels.iter().enumerate() {
            let row = self.row_of(frame, occurrence, k);
            self.tables[level.table].pin(row);
        }
        for &k in &occurrence.removed {
            let row = self.row_of(frame, occurrence, k);
            self.tables[occurrence.levels[k].table].kill(row);
        }
    }

    /// Removes, and says where the search goes on: at the first level whose row is gone, else at the last.
    fn remove_and_step(&mut self, frame: &Frame, occurrence: &OccurrenceCode) -> Fired {
        let Some(last) = occurrence.levels.len().checked_sub(1) else {
            return Fired::Search(0, NONE);
        };
        let k = occurrence.removed.iter().copied().min().unwrap_or(last);
        for &other in &occurrence.removed {
            let row = self.row_of(frame, occurrence, other);
            let table = &mut self.tables[occurrence.levels[other].table];
            table.kill(row);
            if other != k {
                table.unlink(row);
            }
        }
        // The step comes when the other rows are out of the lists, and before this one is.
        let next = self.next_row(frame, occurrence, k);
        if !occurrence.removed.is_empty() {
            let row = self.row_of(frame, occurrence, k);
            self.tables[occurrence.levels[k].table].unlink(row);
        }
        Fired::Search(k, next)
    }

    fn resume(&mut self, frame: &mut Frame) -> Result<Next, Stop> {
        let owner = frame.owner as usize;
        let occurrence = &self.code.activations[owner].occurrences[frame.occurrence as usize];
        let alive = self.tables[owner].ids.get(frame.row) == frame.id;
        let on = self.unpin_and_step(frame, occurrence);
        if !alive {
            return Ok(Next::Leave);
        }
        let next = match on {
            Some((k, row)) => self.search(frame, occurrence, k, row)?,
            None => None,
        };
        Ok(next.unwrap_or(Next::Try(frame.occurrence as usize + 1)))
    }

    fn unpin_and_step(&mut self, frame: &Frame, occurrence: &OccurrenceCode) -> Option<(usize, u32)> {
        let last = occurrence.levels.len().checked_sub(1)?;
        let dead = |k: &usize| {
            let row = self.row_of(frame, occurrence, *k);
            self.tables[occurrence.levels[*k].table].ids.get(row) == super::table::DEAD
        };
        let k = (0..last).find(dead).unwrap_or(last);
        for (other, level) in occurrence.levels.iter().enumerate() {
            if other != k {
                let row = self.row_of(frame, occurrence, other);
                self.tables[level.table].unpin(row);
            }
        }
        let next = self.next_row(frame, occurrence, k);
        let row = self.row_of(frame, occurrence, k);
        self.tables[occurrence.levels[k].table].unpin(row);
        Some((k, next))
    }

    /// Goals of a body or a query, from `pc` on.
    fn body(&mut self, frame: &mut Frame, mut pc: Pc) -> Result<Next, Stop> {
        loop {
            match self.run(frame, pc)? {
                None if frame.owner == QUERY => return Ok(Next::Leave),
                None => {
                    let occurrences = &self.code.activations[frame.owner as usize].occurrences;
                    let gone = occurrences[frame.occurrence as usize].removes_active;
                    return Ok(if gone { Next::Leave } else { Next::Resume });
                }
                Some(at) => match self.code.ins[at as usize] {
                    Ins::Call { call } => {
                        frame.pc = at + 1;
                        let callee = self.call(frame, call)?;
                        self.frames.push(*frame);
                        if let Some(causes) = &mut self.causes {
                            causes.suspend();
                        }
                        *frame = callee;
                        return Ok(Next::Enter);
                    }
                    Ins::CallLast { call } => {
                        let callee = self.call(frame, call)?;
                        let args = self.code.calls[call as usize].args.len();
                        self.stack.copy_within(callee.base..callee.base + args, frame.base);
                        *frame = Frame::new(frame.base, callee.owner);
                        return Ok(Next::Enter);
                    }
                    _ => {
                        self.effect(frame, at)?;
                        pc = at + 1;
                    }
                },
            }
        }
    }

    /// A frame above this one with the arguments of a call.
    fn call(&mut self, frame: &Frame, call: u32) -> Result<Frame, Stop> {
        let call = &self.code.calls[call as usize];
        let base = frame.top;
        if base + call.args.len() > self.stack.len() {
            self.reserve_stack(base + call.args.len())?;
        }
        let (caller, callee) = self.stack[frame.base..].split_at_mut(base - frame.base);
        callee.iter_mut().zip(&call.args).for_each(|(to, &from)| *to = caller[from as usize]);
        Ok(Frame::new(base, call.constraint.0))
    }

    /// Goals of a body without calls.
    fn effects(&mut self, frame: &Frame, mut pc: Pc) -> Result<(), Stop> {
        while let Some(at) = self.run(frame, pc)? {
            self.effect(frame, at)?;
            pc = at + 1;
        }
        Ok(())
    }

    /// Runs goals up to the next call or output.
    #[inline]
    fn run(&mut self, frame: &Frame, pc: Pc) -> Result<Option<Pc>, Stop> {
        let regs = &mut self.stack[frame.base..frame.top];
        let mut ctx = EvalCtx {
            code: self.code,
            signature: &self.program.signature,
            tables: &self.tables,
            heap: &mut self.heap,
        };
        match ctx.run(regs, pc) {
            Ok(Flow::Done) => Ok(None),
            Ok(Flow::Effect(at)) => Ok(Some(at)),
            Ok(Flow::Failed(at)) => Err(self.stop_at(StopReason::Failed, at)),
            Err(trap) => Err(self.trapped(frame, trap)),
        }
    }

    /// Stores the active constraint. Says whether the memory of its table has changed.
    fn store(&mut self, frame: &mut Frame) -> Result<bool, Stop> {
        let table = &mut self.tables[frame.owner as usize];
        let arity = table.columns.len();
        let asks = table.asks_for(1);
        if asks > 0
            && let Err(shortage) = self.control.ask_memory(self.bytes(), asks)
        {
            return Err(self.stop(shortage.of(self.table_text(frame.owner as usize))));
        }
        let table = &mut self.tables[frame.owner as usize];
        let before = table.bytes();
        match table.insert(frame.id, &self.stack[frame.base..frame.base + arity]) {
            Ok((row, grown)) => {
                frame.row = row;
                if grown {
                    self.table_bytes = self.table_bytes - before + table.bytes();
                    self.check_memory(|m| m.table_text(frame.owner as usize))?;
                }
                Ok(grown)
            }
            Err(full) => Err(self.stop(full.reason(self.table_text(frame.owner as usize)))),
        }
    }

    fn table_text(&self, table: usize) -> String {
        format!("constraints {}", self.tables[table].name)
    }

    fn is_new_instance(&self, frame: &Frame, occurrence: &OccurrenceCode) -> bool {
        !self.history.contains(occurrence.rule, &self.instance(frame, occurrence))
    }

    fn remember(&mut self, frame: &Frame, occurrence: &OccurrenceCode) -> Result<(), Stop> {
        let instance = self.instance(frame, occurrence);
        let kept = self.history.insert(occurrence.rule, instance, self.plan, &self.tables);
        kept.map_err(|shortage| self.stop(shortage.of("the propagation history")))
    }

    /// Ids and rows of the heads of an instance.
    fn instance(&self, frame: &Frame, occurrence: &OccurrenceCode) -> Vec<(u64, u32)> {
        let member = |level: &Option<usize>| match level {
            None => (frame.id, frame.row),
            Some(k) => {
                let row = self.row_of(frame, occurrence, *k);
                (self.tables[occurrence.levels[*k].table].ids.get(row), row)
            }
        };
        occurrence.level_of_head.iter().map(member).collect()
    }

    /// Row of a head of an instance; `None` for the active constraint.
    pub(crate) fn row_of_head(&self, frame: &Frame, occurrence: &OccurrenceCode, head: usize) -> Option<u32> {
        occurrence.level_of_head[head].map(|k| self.row_of(frame, occurrence, k))
    }
}

impl Frame {
    fn new(base: usize, owner: u32) -> Self {
        Self { base, top: base, owner, occurrence: 0, pc: 0, row: NONE, id: 0 }
    }
}
