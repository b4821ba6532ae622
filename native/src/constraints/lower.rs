//! Activations as native code: registers, calls, limits, and the way from one occurrence to the next.

use std::collections::BTreeMap;

use gchr_base::ids::Id;
use gchr_base::signature::SortKind;
use gchr_constraints::exec::code::{Call, Reg};

use super::Activations;
use super::machine::{
    FAILED, LAST_RULE, NEXT_ID, NONE, REGISTERS, UNTIL_POLL, VIEWS, WANTS_COLLECTION, collect, end, grow,
    insert, poll, refuel,
};
use crate::emit::{Compare, Cond, Emit, Kept, Label, MemoryAccess, Root, Val, Var, Width, WordOp};
use crate::function::{Func, Kind};
use crate::vm::Helper;

/// The tag of words that may be terms.
const TERM: u32 = 0;

/// What a register holds.
#[derive(Clone, Copy)]
pub(super) struct RegisterValue {
    pub(super) value: Val,
    /// Whether that may be a term on the heap.
    pub(super) is_term: bool,
}

pub(super) type Registers = BTreeMap<Reg, RegisterValue>;

/// An activation being lowered.
pub(super) struct Lower<'e, 'f, 'p> {
    pub(super) e: &'e mut Emit<'f>,
    pub(super) p: &'p Activations<'p>,
    /// The symbol of the active constraint.
    pub(super) owner: usize,
    pub(super) registers: Registers,
    /// Its id.
    pub(super) id: Val,
    /// The row that it is stored in, where some occurrence stores it.
    pub(super) row: Option<Var>,
    /// Rows that may be tried before a look at the control. In memory while other constraints are active.
    pub(super) until_poll: Var,
    /// Where the activation begins: its parameters are the arguments.
    head: Label,
    /// Whether the active constraint is alive, so that a run that stops must store it.
    pub(super) lives: bool,
    /// Whether other constraints may have been active since this one is.
    pub(super) has_called: bool,
}

impl<'e, 'f, 'p> Lower<'e, 'f, 'p> {
    pub(super) fn new(e: &'e mut Emit<'f>, p: &'p Activations<'p>, owner: usize) -> Self {
        let head = e.label(&vec![Kind::Word; p.tables[owner].kinds.len()]);
        let zero = e.int(0);
        let stores = p.code.activations[owner].occurrences.iter().any(|o| o.stores_active());
        let none = e.int(NONE);
        let row = stores.then(|| e.variable(none));
        let until_poll = e.variable(zero);
        let (registers, id) = (Registers::new(), zero);
        Self { e, p, owner, registers, id, row, until_poll, head, lives: true, has_called: false }
    }

    /// Emits the activation.
    pub(super) fn activation(mut self) {
        let args = self.e.params();
        self.bind_args(&args);
        self.check_stack();
        self.e.jump(self.head, &args);
        let args = self.e.bind(self.head);
        self.bind_args(&args);
        self.enter();
        let own = self.registers.clone();
        let activation = &self.p.code.activations[self.owner];
        for (k, occurrence) in activation.occurrences.iter().enumerate() {
            let next = self.e.label(&[]);
            self.lives = true;
            self.registers.clone_from(&own);
            self.occurrence(k, occurrence, next);
            self.e.bind(next);
            self.has_called |= occurrence.stores_active();
        }
        self.registers = own;
        self.lives = true;
        self.store();
        self.leave();
    }

    fn bind_args(&mut self, args: &[Val]) {
        let kinds = &self.p.tables[self.owner].kinds;
        for (r, (&value, &kind)) in args.iter().zip(kinds).enumerate() {
            self.registers.insert(r as Reg, RegisterValue { value, is_term: kind == SortKind::Any });
        }
    }

    /// What the interpreter does before it tries the first occurrence.
    fn enter(&mut self) {
        if self.p.has_terms {
            let wants = self.e.load_machine(Width::Word, MemoryAccess::Plain, WANTS_COLLECTION);
            let wants = self.e.compare_to(Compare::NotEqual, wants, 0);
            self.rarely(wants, collect, &[]);
        }
        let until_poll = self.e.load_machine(Width::Word, MemoryAccess::Plain, UNTIL_POLL);
        self.e.set(self.until_poll, until_poll);
        self.try_row();
        self.id = self.e.load_machine(Width::Word, MemoryAccess::Plain, NEXT_ID);
        let next = self.e.word_by(WordOp::Add, self.id, 1);
        self.e.store_machine(Width::Word, next, NEXT_ID);
        if let Some(row) = self.row {
            let none = self.e.int(NONE);
            self.e.set(row, none);
        }
    }

    fn check_stack(&mut self) {
        let low = self.e.is_stack_low();
        self.rarely(low, grow, &[]);
    }

    // Registers.

    pub(super) fn get(&self, r: Reg) -> Val {
        self.registers
            .get(&r)
            .map(|held| held.value)
            .unwrap_or_else(|| unreachable!("r{r} is set before it is read"))
    }

    pub(super) fn set(&mut self, r: Reg, value: Val, is_term: bool) {
        self.registers.insert(r, RegisterValue { value, is_term });
    }

    /// Registers that may hold terms: roots during calls.
    fn roots(&self) -> Vec<Root> {
        let mut roots: Vec<Root> =
            self.registers.values().filter(|held| held.is_term).map(|held| (TERM, held.value)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Writes registers to where helpers read them.
    pub(super) fn spill(&mut self, registers: impl IntoIterator<Item = Reg>) {
        let memory = self.e.load_machine(Width::Word, MemoryAccess::Constant, REGISTERS);
        for r in registers {
            let value = self.get(r);
            self.e.store(Width::Word, MemoryAccess::Plain, value, memory, 8 * r as i32);
        }
    }

    /// A register as a helper has set it.
    pub(super) fn spilled(&mut self, r: Reg) -> Val {
        let memory = self.e.load_machine(Width::Word, MemoryAccess::Constant, REGISTERS);
        self.e.load(Width::Word, MemoryAccess::Plain, memory, 8 * r as i32)
    }

    pub(super) fn views(&mut self) -> Val {
        self.e.load_machine(Width::Word, MemoryAccess::Constant, VIEWS)
    }

    /// Which slots of the frame hold what is known again at each call: control comes there on many ways.
    pub(super) fn forget_slots(&mut self) {
        self.e.restore(Kept::default());
    }

    // Limits and stops.

    /// Calls a helper in a rare case; the run stops if that gives something.
    pub(super) fn rarely(&mut self, rare: Cond, helper: Helper, args: &[Val]) {
        let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
        self.e.branch(rare, (cold, &[]), (on, &[]));
        self.e.bind(cold);
        self.forget_slots();
        let roots = self.roots();
        let status = self.e.rare_helper(helper, args, &roots);
        self.stops_unless_zero(status);
        if helper as usize == poll as *const () as usize {
            let until_poll = self.e.load_machine(Width::Word, MemoryAccess::Plain, UNTIL_POLL);
            self.e.set(self.until_poll, until_poll);
        }
        self.e.jump(on, &[]);
        self.e.bind(on);
    }

    pub(super) fn stops_unless_zero(&mut self, status: Val) {
        let stops = self.e.compare_to(Compare::NotEqual, status, 0);
        self.stops_if(stops);
    }

    /// Stops if a helper has found a reason.
    pub(super) fn stops_if(&mut self, stops: Cond) {
        let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
        self.e.branch(stops, (cold, &[]), (on, &[]));
        self.e.bind(cold);
        let [table, row] = self.active();
        self.e.leave(end, &[table, row]);
        self.e.bind(on);
    }

    /// What helpers that leave need of the active constraint: its symbol and row; its arguments go to memory.
    pub(super) fn active(&mut self) -> [Val; 2] {
        if !self.lives {
            return [self.e.int(NONE), self.e.int(NONE)];
        }
        self.spill(0..self.p.tables[self.owner].kinds.len() as Reg);
        [self.e.int(self.owner as i64), self.own_row()]
    }

    fn own_row(&mut self) -> Val {
        match self.row {
            Some(row) => self.e.get(row),
            None => self.e.int(NONE),
        }
    }

    /// One row less, or one activation.
    pub(super) fn try_row(&mut self) {
        let until_poll = self.e.get(self.until_poll);
        let until_poll = self.e.word_by(WordOp::Sub, until_poll, 1);
        self.e.set(self.until_poll, until_poll);
        let none = self.e.compare_to(Compare::Less, until_poll, 0);
        self.rarely(none, poll, &[]);
    }

    /// A rule fires: exactly as many do as are allowed.
    pub(super) fn count(&mut self, rule: impl Id) {
        let one = self.e.int(1);
        let fuel = self.e.count(one);
        let none = self.e.compare_to(Compare::Less, fuel, 0);
        self.rarely(none, refuel, &[]);
        let rule = self.e.int(rule.index() as i64);
        self.e.store_machine(Width::Word, rule, LAST_RULE);
    }

    // The active constraint.

    /// Stores the active constraint unless it is stored.
    pub(super) fn store(&mut self) {
        let Some(row) = self.row else {
            self.insert();
            return;
        };
        let (missing, on) = (self.e.label(&[]), self.e.label(&[]));
        let stored = self.e.get(row);
        let stored = self.e.compare_to(Compare::NotEqual, stored, NONE);
        self.e.branch(stored, (on, &[]), (missing, &[]));
        self.e.bind(missing);
        let new = self.insert();
        self.e.set(row, new);
        self.e.jump(on, &[]);
        self.e.bind(on);
    }

    fn insert(&mut self) -> Val {
        self.spill(0..self.p.tables[self.owner].kinds.len() as Reg);
        let (table, id) = (self.e.int(self.owner as i64), self.id);
        let row = self.e.helper(insert, &[table, id], &[]);
        let full = self.e.compare_to(Compare::Equal, row, FAILED);
        self.stops_if(full);
        row
    }

    /// The end of the activation.
    pub(super) fn leave(&mut self) {
        self.save_patience();
        let nothing = self.e.int(0);
        self.e.give(nothing);
    }

    pub(super) fn save_patience(&mut self) {
        let until_poll = self.e.get(self.until_poll);
        self.e.store_machine(Width::Word, until_poll, UNTIL_POLL);
    }

    /// Adds a constraint and waits for its activation.
    pub(super) fn call(&mut self, call: &Call) {
        let args: Vec<Val> = call.args.iter().map(|&r| self.get(r)).collect();
        self.forget_slots();
        let roots = self.roots();
        self.e.call(Func(call.constraint.index() as u32), &args, &roots);
    }

    /// Adds a constraint, whose activation takes over the frame.
    pub(super) fn call_last(&mut self, call: &Call) {
        let args: Vec<Val> = call.args.iter().map(|&r| self.get(r)).collect();
        if call.constraint.index() == self.owner {
            self.e.jump(self.head, &args);
        } else {
            self.e.tail_call(Func(call.constraint.index() as u32), &args);
        }
    }
}
