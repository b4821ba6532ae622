//! The machine: registers, environments and choice points.

mod cleanup;
mod control;
mod errors;
mod run;
mod wake;

use std::rc::Rc;

use gchr_base::control::{Control, Progress};
use gchr_base::hash::HashMap;
use gchr_base::logic::Reader;
use gchr_base::memory::{self, Shortage};
use gchr_base::source::Span;
use gchr_base::stop::StopReason;

use crate::alarms::Alarms;
use crate::cell::{Atom, Cell};
use crate::code::Label;
use crate::database::{ClauseId, Database, keys_of};
use crate::heap::Heap;
use crate::meter::Meter;
use crate::number::Number;
use crate::record::Record;
use crate::store::Constraints;
use crate::streams::{Files, Input, Output};
use crate::undo::{Global, Undo};

pub(crate) use run::{Outcome, holds};

/// Why a goal ended without a solution and without failing.
#[derive(Debug)]
pub(crate) enum Throw {
    /// `throw/1`.
    Ball(Box<Record>),
    /// A limit, a signal, or a broken invariant.
    Stop(Box<StopReason>),
    /// `halt/1`.
    Halt(i32),
    /// A time limit of the program's own ended a built-in predicate.
    Rung,
}

pub(crate) type Done<T> = Result<T, Throw>;

/// A built-in predicate whose arguments are in the first registers.
pub(crate) type Native = fn(&mut Machine<'_, '_>) -> Done<bool>;

/// What a choice point goes on with.
#[derive(Clone, Debug)]
pub(crate) enum Alternative {
    /// Code of the clause whose environment is current.
    Code(Label),
    /// The next clause of a list.
    Clauses { list: Rc<Vec<ClauseId>>, at: usize, time: u64 },
    /// A goal that is interpreted, with its cut barrier, both saved.
    Goal,
    /// Nothing: it marks a `catch/3` whose environment is at a place.
    Catch(usize),
    /// Nothing: it marks a goal that is cleaned up after, whose environment is at a place. What is to be done is saved.
    Cleanup(usize),
}

/// A choice point.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub alternative: Alternative,
    pub env: usize,
    pub cp: Label,
    barrier: usize,
    pub heap: usize,
    pub trail: usize,
    saved: usize,
    stack: usize,
    findalls: usize,
}

/// Words of an environment before its slots: the environment before, where to continue, and the number of slots.
pub(crate) const FRAME: usize = 3;

/// The state of a run.
pub(crate) struct Machine<'c, 'a> {
    pub db: Database,
    /// The code of predicates that are written in Rust, by number.
    natives: &'static [Native],
    pub heap: Heap<'a>,
    /// Argument and temporary registers.
    pub x: Vec<Cell>,
    pub stack: Vec<Cell>,
    pub choices: Vec<Choice>,
    pub saved: Vec<Cell>,
    /// Terms that are used when a goal ended: the variables of the query.
    pub roots: Vec<Option<Cell>>,
    /// The current environment.
    env: usize,
    /// Where to continue when the current clause ends.
    cp: Label,
    /// How many choice points the cut of the current clause leaves.
    barrier: usize,
    /// The next argument of the compound term that is taken apart.
    next: usize,
    /// Whether it is built instead.
    building: bool,
    numbers: Vec<Number>,
    /// The function that refused its operands, until its error is thrown.
    pub function: Option<(Atom, usize)>,
    /// Calls of predicates and firings of rules.
    pub steps: u64,
    fuel: u64,
    /// Steps between two looks at limits and signals.
    chunk: u64,
    /// Cells of the heap from which on it is collected.
    pub collect_at: usize,
    /// The least that `collect_at` may be.
    pub fewest: usize,
    pub alarms: Alarms,
    pub control: &'c mut Control<'a>,
    pub reader: &'c dyn Reader,
    pub findalls: Vec<Vec<Record>>,
    pub globals: HashMap<Atom, Global>,
    pub constraints: Constraints,
    pub output: Output,
    pub input: Input,
    pub files: Files,
    pub random: u64,
    /// The time that `statistics/2` gave last of each key.
    pub times: HashMap<Atom, usize>,
    /// Places of the goals that were running when the last error was raised, innermost first.
    pub backtrace: Vec<Span>,
    /// Whether a choice point below all others of the run keeps what was there before it.
    pub returns: bool,
    /// Choice points below that one: the beginnings of earlier runs.
    pub earlier: usize,
    /// What is to be done for goals that a cut ended, the innermost first: the term that the reason is unified with,
    /// and a goal.
    cut_off: Vec<(Cell, Cell)>,
    /// The environment in which a term was thrown that is thrown again.
    pub thrown_in: Option<usize>,
    /// Whether the terms of the latest `$may_differ` can be made equal, if goals of variables allow it.
    pub wakes: bool,
    /// How long terms, trail, environments, choice points and what these save were at the last look.
    lengths: [usize; 5],
}

/// Words that the stack of environments grows by at least.
const FEWEST_WORDS: usize = 1 << 10;
/// Fewest cells for which a collection is worth while.
pub(crate) const FEWEST: usize = 1 << 18;
/// Steps between two looks at limits and signals.
const CHUNK: u64 = 1 << 14;
/// What asks for memory.
const WHAT: &str = "terms and environments of the run";

impl<'c, 'a> Machine<'c, 'a> {
    pub fn new(
        db: Database,
        natives: &'static [Native],
        constraints: Constraints,
        control: &'c mut Control<'a>,
        reader: &'c dyn Reader,
    ) -> Self {
        let mut heap = Heap::new();
        heap.meter = Meter::of(control);
        Self {
            db,
            natives,
            heap,
            x: vec![Cell(0); 1 << 16],
            stack: vec![Cell(0); 1 << 10],
            choices: Vec::new(),
            saved: Vec::new(),
            roots: Vec::new(),
            env: 0,
            cp: crate::code::at::ANSWER,
            barrier: 0,
            next: 0,
            building: false,
            numbers: Vec::new(),
            function: None,
            steps: 0,
            fuel: 0,
            chunk: CHUNK,
            collect_at: FEWEST,
            fewest: FEWEST,
            alarms: Alarms::default(),
            control,
            reader,
            findalls: Vec::new(),
            globals: HashMap::default(),
            constraints,
            output: Output::default(),
            input: Input::default(),
            files: Files::default(),
            random: 1,
            times: HashMap::default(),
            backtrace: Vec::new(),
            returns: false,
            earlier: 0,
            cut_off: Vec::new(),
            thrown_in: None,
            wakes: false,
            lengths: [0; 5],
        }
    }
    /// Choice points that are none of the goal's.
    pub fn floor(&self) -> usize {
        self.earlier + usize::from(self.returns)
    }
    /// A run begins: what it does can be taken back, where it [returns](Self::returns).
    pub fn begin(&mut self) {
        if self.returns {
            self.choose(Alternative::Code(crate::code::FAIL), 0);
        }
    }
    /// Takes back all that the run did; it [returns](Self::returns). Where no choice point is left, that is done.
    pub fn return_to_start(&mut self) {
        if self.choices.len() > self.earlier {
            self.choices.truncate(self.earlier + 1);
            self.restore();
            self.pop_choice();
        }
        self.settle();
    }
    /// Ends a run that [returns](Self::returns): the beginnings of the last `depth` runs are kept, so that these can
    /// be taken back.
    pub fn keep_beginnings(&mut self, depth: usize) {
        self.cut(self.floor());
        self.choices.drain(..self.choices.len().saturating_sub(depth));
        if let Some(oldest) = self.choices.first().map(|choice| choice.trail) {
            self.heap.forget_to(oldest);
            self.choices.iter_mut().for_each(|choice| choice.trail -= oldest);
        }
        self.settle();
    }

    /// An argument register, dereferenced.
    #[inline]
    pub fn arg(&self, index: usize) -> Cell {
        self.heap.deref(self.x[index])
    }

    /// Bytes in use by terms, environments, choice points and constraints.
    pub fn bytes(&self) -> u64 {
        let words = self.heap.cells.capacity() + self.heap.trail.capacity() + self.stack.capacity();
        let choices = self.choices.capacity() * size_of::<Choice>() + self.saved.capacity() * 8;
        (words * 8 + choices + self.constraints.bytes()) as u64
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        Progress { steps: self.steps, bytes: self.bytes(), live: self.constraints.live() }
    }

    /// Looks at limits and signals, and says how many steps may pass until the next look.
    #[cold]
    pub fn look(&mut self) -> Done<()> {
        self.checked(())?;
        let now = self.progress();
        self.heap.meter.looked(now.bytes);
        let stop = |reason| Throw::Stop(Box::new(reason));
        self.control.poll(now).map_err(stop)?;
        if let Some(shortage) = self.control.memory_shortage(now.bytes) {
            return Err(stop(shortage.of(WHAT)));
        }
        self.make_room().map_err(|shortage| stop(shortage.of(WHAT)))?;
        // Where a collection is due, the next call is to come here.
        self.fuel = if self.is_collection_due() { 0 } else { self.control.fuel(self.steps, self.chunk) };
        if !self.alarms.is_quiet() {
            let left = self.alarms.most_steps.saturating_sub(self.steps);
            self.fuel = if self.is_ringing() { 0 } else { self.fuel.min(left) };
        }
        Ok(())
    }

    /// Makes room for what terms, environments and choice points will take until the next look, twice as much as they
    /// took since the last one: what is full grows to twice its size, whatever the memory allows.
    fn make_room(&mut self) -> Result<(), Shortage> {
        fn of<T>(values: &mut Vec<T>, before: &mut usize) -> Result<(), Shortage> {
            let grown = values.len().saturating_sub(std::mem::replace(before, values.len()));
            memory::reserve(values, 2 * grown)
        }
        let [cells, trail, stack, choices, saved] = &mut self.lengths;
        of(&mut self.heap.cells, cells)?;
        of(&mut self.heap.trail, trail)?;
        of(&mut self.stack, stack)?;
        of(&mut self.choices, choices)?;
        of(&mut self.saved, saved)
    }

    /// Why a built-in predicate, or a walk over terms, that drew too much has to stop.
    #[cold]
    pub fn stopped(&self) -> Throw {
        if self.heap.meter.has_rung() {
            return Throw::Rung;
        }
        Throw::Stop(Box::new(self.heap.meter.reason()))
    }
    /// What a walk over terms found, unless it was stopped.
    #[inline]
    pub fn checked<T>(&self, found: T) -> Done<T> {
        if self.heap.meter.is_stopped() { Err(self.stopped()) } else { Ok(found) }
    }
    /// Draws units of work from the meter.
    #[inline]
    pub fn spend(&self, units: usize) -> Done<()> {
        if self.heap.meter.spend(units) { Ok(()) } else { Err(self.stopped()) }
    }
    /// To be called before so many bytes are allocated.
    #[inline]
    pub fn afford(&self, bytes: usize) -> Done<()> {
        if self.heap.meter.ask(bytes as u64) { Ok(()) } else { Err(self.stopped()) }
    }
    /// What a built-in predicate says, unless it was stopped. Where it left much on the heap, the next call collects.
    #[inline(always)]
    pub fn after_native(&mut self, holds: bool) -> Done<bool> {
        if self.is_collection_due() {
            self.fuel = 0;
        }
        self.checked(holds)
    }

    /// The next call looks at limits.
    pub fn rest_soon(&mut self) {
        self.fuel = 0;
    }

    /// Collects before each call.
    pub fn collect_always(&mut self) {
        (self.chunk, self.fewest, self.collect_at) = (1, 0, 0);
    }

    /// Counts a firing, or a call during which terms must stay where they are.
    #[inline(always)]
    pub fn step(&mut self) -> Done<()> {
        if self.fuel == 0 {
            self.look()?;
        }
        self.fuel = self.fuel.saturating_sub(1);
        self.steps += 1;
        self.checked(())
    }

    /// Counts the call of a predicate whose arguments are in the first registers.
    #[inline(always)]
    pub fn step_into(&mut self, arity: usize) -> Done<()> {
        if self.fuel == 0 || self.heap.meter.is_stopped() {
            self.rest(arity)?;
        }
        self.fuel = self.fuel.saturating_sub(1);
        self.steps += 1;
        Ok(())
    }

    /// The current environment, and where its code goes on when what is called ends.
    pub fn continuation(&self) -> (usize, Label) {
        (self.env, self.cp)
    }

    // Environments.

    /// The first free word of the stack.
    #[inline(always)]
    fn stack_top(&self) -> usize {
        let top = self.top_of(self.env);
        match self.choices.last() {
            Some(choice) => top.max(choice.stack),
            None => top,
        }
    }
    /// The first word behind an environment.
    #[inline(always)]
    fn top_of(&self, env: usize) -> usize {
        if env == 0 { 1 } else { env + FRAME + self.stack[env + 2].0 as usize }
    }
    /// A new environment with a number of slots.
    #[inline(always)]
    fn allocate(&mut self, slots: usize) {
        let base = self.stack_top();
        if base + FRAME + slots > self.stack.len() {
            // What is made is touched: not much more than is needed.
            self.stack.resize((base + FRAME + slots) / 4 * 5 + FEWEST_WORDS, Cell(0));
        }
        self.stack[base] = Cell(self.env as u64);
        self.stack[base + 1] = Cell(u64::from(self.cp));
        self.stack[base + 2] = Cell(slots as u64);
        self.env = base;
    }
    #[inline(always)]
    fn deallocate(&mut self) {
        self.cp = self.stack[self.env + 1].0 as Label;
        self.env = self.stack[self.env].0 as usize;
    }
    #[inline(always)]
    pub fn slot(&self, y: u16) -> Cell {
        self.stack[self.env + FRAME + y as usize]
    }
    #[inline(always)]
    pub fn set_slot(&mut self, y: u16, value: Cell) {
        self.stack[self.env + FRAME + y as usize] = value;
    }
    /// Changes a slot, so that backtracking takes it back where the environment is older than the latest choice point.
    pub fn change_slot(&mut self, y: u16, value: Cell) {
        let place = self.env + FRAME + y as usize;
        if self.choices.last().is_some_and(|choice| place < choice.stack) {
            self.heap.note(Undo::Slot(place, self.stack[place]));
        }
        self.stack[place] = value;
    }
    /// An environment for code of the machine itself.
    pub fn frame(&mut self, slots: &[Cell], then: Label) {
        self.allocate(slots.len());
        let base = self.env + FRAME;
        self.stack[base..base + slots.len()].copy_from_slice(slots);
        self.cp = then;
    }
    /// The current environment.
    pub fn env_now(&self) -> usize {
        self.env
    }
    /// Where to continue when the current clause ends.
    pub fn cp_now(&self) -> Label {
        self.cp
    }
    pub fn set_cp(&mut self, cp: Label) {
        self.cp = cp;
    }
    /// A slot of an environment that is not the current one.
    pub fn slot_of(&self, env: usize, y: u16) -> Cell {
        self.stack[env + FRAME + y as usize]
    }
    /// Lengths of trail and heap when a choice point was made.
    pub fn choice_state(&self, number: usize) -> Option<(usize, usize)> {
        self.choices.get(number).map(|choice| (choice.trail, choice.heap))
    }
    /// Leaves the current environment.
    pub fn leave(&mut self) {
        self.deallocate();
    }

    // Choice points.

    /// A new choice point that keeps the first `saved` registers.
    #[inline]
    pub fn choose(&mut self, alternative: Alternative, saved: usize) {
        let stack = self.stack_top();
        let start = self.saved.len();
        self.saved.extend_from_slice(&self.x[..saved]);
        self.choices.push(Choice {
            alternative,
            env: self.env,
            cp: self.cp,
            barrier: self.barrier,
            heap: self.heap.top(),
            trail: self.heap.trail.len(),
            saved: start,
            stack,
            findalls: self.findalls.len(),
        });
        self.heap.barrier = self.heap.top();
        self.heap.has_choice = true;
    }
    /// A copy of a term that backtracking leaves where it is: all choice points count it, and what is older than it on
    /// the heap, as older than they are.
    pub fn kept_copy(&mut self, term: Cell) -> Cell {
        let copy = self.heap.duplicate(term);
        let top = self.heap.top();
        self.choices.iter_mut().for_each(|choice| choice.heap = top);
        self.settle();
        copy
    }
    /// Where variables and changes are noted from.
    #[inline]
    pub fn settle(&mut self) {
        match self.choices.last() {
            Some(choice) => self.heap.barrier = choice.heap,
            None => {
                self.heap.barrier = 0;
                self.heap.has_choice = false;
                // Nothing can be undone any more.
                self.heap.trail.clear();
                self.heap.undo.clear();
            }
        }
    }
    /// Forgets the choice points from a number on. What is to be done for goals that this ends is
    /// [noted](Self::is_cut_off).
    #[inline]
    pub fn cut(&mut self, level: usize) {
        if self.choices.len() > level {
            for choice in self.choices[level..].iter().rev() {
                if let Alternative::Cleanup(_) = choice.alternative {
                    self.cut_off.push((self.saved[choice.saved + 1], self.saved[choice.saved + 2]));
                }
            }
            self.saved.truncate(self.choices[level].saved);
            self.choices.truncate(level);
            self.settle();
        }
    }
    /// Restores the state of the latest choice point, but for its registers.
    fn restore(&mut self) {
        let Some(choice) = self.choices.last() else { return };
        let (trail, heap, findalls) = (choice.trail, choice.heap, choice.findalls);
        self.env = choice.env;
        self.cp = choice.cp;
        self.barrier = choice.barrier;
        while let Some(undo) = self.heap.undo_to(trail) {
            self.take_back(undo);
        }
        self.heap.cells.truncate(heap);
        self.heap.barrier = heap;
        self.heap.woken.clear();
        self.findalls.truncate(findalls);
    }
    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Cell(place, value) => self.heap.cells[place] = value,
            // The environments of an earlier run are gone.
            Undo::Slot(place, value) => self.stack.get_mut(place).into_iter().for_each(|slot| *slot = value),
            Undo::Store(change) => self.constraints.undo(change),
            Undo::Global(name, Some(value)) => drop(self.globals.insert(name, value)),
            Undo::Global(name, None) => drop(self.globals.remove(&name)),
            Undo::Guard(over) => self.take_back_guard(over),
        }
    }
    /// The registers that the latest choice point keeps.
    fn restore_registers(&mut self) {
        let Some(choice) = self.choices.last() else { return };
        let saved = &self.saved[choice.saved..];
        self.x[..saved.len()].copy_from_slice(saved);
    }
    fn pop_choice(&mut self) {
        if let Some(choice) = self.choices.pop() {
            self.saved.truncate(choice.saved);
            self.settle_after_restore();
        }
    }
    /// As [`settle`](Self::settle); the trail is empty already.
    fn settle_after_restore(&mut self) {
        match self.choices.last() {
            Some(choice) => self.heap.barrier = choice.heap,
            None => {
                self.heap.barrier = 0;
                self.heap.has_choice = false;
            }
        }
    }
    /// Goes back to the latest choice point: where to go on, or `None` where there is no alternative.
    pub fn backtrack(&mut self) -> Done<Option<Label>> {
        self.checked(())?;
        loop {
            if self.choices.len() <= self.earlier {
                return Ok(None);
            }
            self.restore();
            let last = self.choices.len() - 1;
            match &self.choices[last].alternative {
                Alternative::Code(label) => {
                    let label = *label;
                    self.pop_choice();
                    if label != crate::code::FAIL {
                        return Ok(Some(label));
                    }
                }
                Alternative::Clauses { list, at, time } => {
                    let here = *at;
                    let clause = list[here];
                    let after = (here + 1 < list.len()).then(|| {
                        let keys = keys_of(&self.heap, &self.saved[self.choices[last].saved..]);
                        self.db.next_clause(list, here + 1, &keys, *time)
                    });
                    let after = after.flatten();
                    self.restore_registers();
                    match after {
                        Some(after) => {
                            if let Alternative::Clauses { at, .. } = &mut self.choices[last].alternative {
                                *at = after;
                            }
                        }
                        None => self.pop_choice(),
                    }
                    self.barrier = last;
                    return Ok(Some(self.db.clauses[clause as usize].code));
                }
                Alternative::Goal => {
                    self.restore_registers();
                    let level = self.x[1].as_int() as usize;
                    self.pop_choice();
                    let goal = self.x[0];
                    match self.call_goal(goal, level)? {
                        Some(label) => return Ok(Some(label)),
                        None => continue,
                    }
                }
                Alternative::Catch(_) => self.pop_choice(),
                Alternative::Cleanup(_) => {
                    if let Some(label) = self.failed_within()? {
                        return Ok(Some(label));
                    }
                }
            }
        }
    }
}
