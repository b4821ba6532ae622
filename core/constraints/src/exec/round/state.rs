//! The store of a run in rounds, with what both of its executors do alike: ids, reduction on insertion, queries, limits, errors.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::atomic::AtomicU64;

use super::numbers::{Numbers, TooMany};
use super::storing::Storing;
use super::watch::Watch;
use crate::exec::code::{Code, Ins, OccurrenceCode, Pc};
use crate::exec::common;
use crate::exec::machine::Stop;
use crate::exec::report::ErrorFormatter;
use crate::exec::start::{self, StartSink};
use crate::exec::step::{Cells, EvalCtx, Flow, Trap, TrapKind};
use crate::exec::store::trace_constraint;
use crate::exec::table::{DEAD, Table};
use crate::ir::ChrPlan;
use crate::ir::classes::{Best, BestOrder, Reduction};
use gchr_base::control::{Control, Progress};
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::memory::{self, Shortage};
use gchr_base::profile::{Round, RuleCount};
use gchr_base::rule::{Program, Role, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_base::value::{Heap, Terms};

/// Rounds, and firings, between two looks at the control.
const ROUNDS: u32 = 64;
const FIRINGS: u64 = 1 << 14;

/// A constraint that was put into the store, and which may have been removed since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Added {
    pub(crate) table: u32,
    pub(crate) row: u32,
    pub(crate) id: u64,
}

/// A moment of a run.
pub(crate) struct Mark {
    next_id: u64,
    firings: u64,
    fired_by_rule: Option<Vec<u64>>,
    detached: usize,
    /// Rows of each table that were in use.
    used: Vec<usize>,
}

/// Output of a goal: the value that it writes, if it does, and the goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    word: u64,
    pc: Pc,
}

impl Written {
    fn new(code: &Code, regs: &[u64], pc: Pc) -> Self {
        let word = start::written_word(code, regs, pc);
        Self { word, pc }
    }
}

/// What a class does with constraints of one table that are about to be stored.
pub(crate) trait InsertionRule {
    /// Lets a constraint meet those that are stored. Says whether it lives.
    fn meet(&mut self, state: &mut RoundsState<'_, '_>, table: usize, args: &[u64], id: u64) -> bool;
    /// Notes where a constraint that lives was stored.
    fn stored(&mut self, _args: &[u64], _row: u32) {}
    /// Bytes that it has beside the store.
    fn bytes(&self) -> u64 {
        0
    }
}

/// Store, heap and counters of a run.
pub(crate) struct RoundsState<'a, 'c> {
    pub(crate) program: &'a Program,
    pub(crate) plan: &'a ChrPlan,
    pub(crate) code: &'a Code,
    pub(crate) control: &'a mut Control<'c>,
    pub(crate) tables: Vec<Table>,
    pub(crate) heap: Heap,
    /// By table: the reduction that drops a constraint whose key is there, unless that is traced.
    sets: Vec<Option<&'a Reduction>>,
    /// Which constraints of a slice are there.
    known: Vec<bool>,
    /// By table.
    insertion_rules: Vec<Option<Box<dyn InsertionRule + 'a>>>,
    pub(crate) next_id: u64,
    pub(crate) firings: u64,
    pub(crate) rounds: u64,
    pub(crate) candidates: u64,
    pub(crate) peak: u64,
    /// Bytes of all tables, as far as insertions change them.
    table_bytes: u64,
    /// Rows that were removed since the last call of [`release`](Self::release).
    detached: Vec<Added>,
    /// By table: the indexes that constraints of it look for partners in.
    looks_in: Vec<Vec<(usize, usize)>>,
    last_rule: Option<RuleId>,
    pub(crate) numbers: Numbers,
    patience: u32,
    fuel: u64,
    /// Bytes that the executor has beside the store.
    pub(crate) other_bytes: u64,
    /// Firings of each rule, in a run that is recorded.
    pub(crate) fired_by_rule: Option<Vec<u64>>,
}

impl<'a, 'c> RoundsState<'a, 'c> {
    pub(crate) fn new(
        program: &'a Program,
        plan: &'a ChrPlan,
        code: &'a Code,
        heap: Heap,
        control: &'a mut Control<'c>,
        insertion_rules: Vec<Option<Box<dyn InsertionRule + 'a>>>,
    ) -> Self {
        let records = control.recorder().is_some();
        let set = |table| plan.classes.reduction_of(table).filter(|r| r.best.is_none());
        let sets = plan.tables.ids().map(|t| set(t).filter(|_| !control.traces())).collect();
        let Storing { tables, looks_in } = Storing::new(plan, code, control.traces());
        Self {
            program,
            plan,
            code,
            control,
            tables,
            heap,
            sets,
            known: Vec::new(),
            insertion_rules,
            next_id: 0,
            firings: 0,
            rounds: 0,
            candidates: 0,
            peak: 0,
            table_bytes: 0,
            detached: Vec::new(),
            looks_in,
            last_rule: None,
            numbers: Numbers::new(),
            patience: 0,
            fuel: 0,
            other_bytes: 0,
            fired_by_rule: records.then(|| vec![0; program.rules.len()]),
        }
    }

    /// Puts a constraint into the store; the id is `next_id`, which goes up. `None` when a class removed it at once.
    pub(crate) fn add(&mut self, table: usize, args: &[u64]) -> Result<Option<Added>, Stop> {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(mut rule) = self.insertion_rules[table].take() {
            let lives = rule.meet(self, table, args, id);
            self.insertion_rules[table] = Some(rule);
            if !lives {
                return Ok(None);
            }
        }
        self.check_growth(table)?;
        let before = self.tables[table].bytes();
        match self.tables[table].insert(id, args) {
            Ok((row, grown)) => {
                // Less than before where a hash table became a grid.
                self.table_bytes = self.table_bytes - before + self.tables[table].bytes();
                if let Some(rule) = &mut self.insertion_rules[table] {
                    rule.stored(args, row);
                }
                if grown {
                    self.check_memory(|w| w.table_text(table))?;
                }
                Ok(Some(Added { table: table as u32, row, id }))
            }
            Err(full) => Err(self.stop(full.reason(self.table_text(table)))),
        }
    }

    /// Puts constraints, one behind the other, into the store, as [`add`](Self::add) does one after the other; what lives is appended.
    pub(crate) fn add_slice(
        &mut self,
        table: usize,
        args: &[u64],
        added: &mut Vec<Added>,
    ) -> Result<(), Stop> {
        let step = self.tables[table].columns.len();
        if step == 0 {
            return Err(
                self.stop(StopReason::Internal { what: "constraints without arguments in a slice".into() })
            );
        }
        let room = memory::reserve(added, args.len() / step);
        room.map_err(|shortage| self.stop(shortage.of("the constraints that a round adds")))?;
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        if let Some(set) = self.sets[table] {
            let stored = &self.tables[table];
            stored.indexes[set.index].have_keys(&stored.columns, args, &mut known);
        }
        known.resize(args.len() / step, false);
        for (&known, args) in known.iter().zip(args.chunks_exact(step)) {
            if known {
                self.next_id += 1;
                self.firings += 1;
            } else {
                added.extend(self.add(table, args)?);
            }
        }
        if let (Some(counts), Some(set)) = (&mut self.fired_by_rule, self.sets[table]) {
            counts[set.rule.index()] += known.iter().filter(|known| **known).count() as u64;
        }
        self.known = known;
        Ok(())
    }

    /// Removes a constraint; its row stays free of others until [`release`](Self::release).
    pub(crate) fn remove(&mut self, table: u32, row: u32) {
        let id = self.tables[table as usize].ids.get(row);
        self.tables[table as usize].detach(row);
        self.detached.push(Added { table, row, id });
    }

    /// Lets rows of removed constraints be used again: nothing refers to them any more.
    pub(crate) fn release(&mut self) {
        for Added { table, row, .. } in self.detached.drain(..) {
            self.tables[table as usize].release(row);
        }
    }

    /// Brings the indexes up to date in which constraints of a table look for partners.
    pub(crate) fn link(&mut self, table: usize) -> Result<(), Stop> {
        for at in 0..self.looks_in[table].len() {
            let (partner, index) = self.looks_in[table][at];
            let before = self.tables[partner].bytes();
            match self.tables[partner].link(index) {
                Ok(false) => {}
                Ok(true) => {
                    self.table_bytes = self.table_bytes + self.tables[partner].bytes() - before;
                    self.check_memory(|w| w.table_text(partner))?;
                }
                Err(full) => return Err(self.stop(full.reason(self.table_text(partner)))),
            }
        }
        Ok(())
    }

    /// The store as it is now, to be [returned to](Self::return_to).
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            next_id: self.next_id,
            firings: self.firings,
            fired_by_rule: self.fired_by_rule.clone(),
            detached: self.detached.len(),
            used: self.tables.iter().map(Table::used).collect(),
        }
    }

    /// Makes the store what it was: since then nothing but [`add`](Self::add) has changed it, which has put `added` into it.
    pub(crate) fn return_to(&mut self, mark: Mark, added: &[Added]) -> Result<(), Stop> {
        (self.next_id, self.firings, self.fired_by_rule) = (mark.next_id, mark.firings, mark.fired_by_rule);
        let removed = self.detached.split_off(mark.detached);
        for table in 0..self.tables.len() {
            let of = |a: &&Added| a.table as usize == table;
            if !added.iter().any(|a| of(&a)) {
                continue;
            }
            let rows = added.iter().filter(of).map(|a| a.row);
            let back = removed.iter().filter(of).filter(|a| a.id < mark.next_id).map(|a| (a.row, a.id));
            let taken_back = self.tables[table].take_back(mark.used[table], rows, back);
            taken_back.map_err(|full| self.stop(full.reason(self.table_text(table))))?;
            // Rows of constraints that came and went.
            let gone = removed.iter().filter(of).filter(|a| a.id >= mark.next_id);
            gone.for_each(|a| self.tables[table].release(a.row));
        }
        self.table_bytes = common::bytes(&self.tables);
        Ok(())
    }

    /// Whether the constraint still lives.
    pub(crate) fn lives(&self, added: &Added) -> bool {
        self.tables[added.table as usize].ids.get(added.row) == added.id
    }

    /// Adds all facts of a batch; what was put into the store is appended.
    pub(crate) fn facts(&mut self, facts: &Facts, added: &mut Vec<Added>) -> Result<(), Stop> {
        let plan = self.plan;
        start::add_facts(plan, facts, &mut Adding { state: self, added })
    }

    /// Executes the goals of a query; what was put into the store is appended.
    pub(crate) fn query(&mut self, number: usize, added: &mut Vec<Added>) -> Result<(), Stop> {
        let code = self.code;
        start::run_goals(code, number, &mut Adding { state: self, added })
    }

    /// Program output.
    pub(crate) fn write(&mut self, Written { word, pc }: Written) -> Result<(), Stop> {
        let terms = Terms { signature: &self.program.signature, heap: &self.heap };
        let result = start::write_output(self.control.out(), self.code, terms, pc, word);
        result.map_err(|error| self.stop_at(error.into(), pc))
    }

    /// Frees terms that nothing refers to. Columns and constants are all the roots between rounds.
    pub(crate) fn collect(&mut self) -> Result<(), Stop> {
        if !self.heap.wants_collection() {
            return Ok(());
        }
        let stored = common::stored_terms(&self.tables);
        self.heap.collect(stored.chain(self.code.constants.iter().copied()));
        self.check_memory(|_| "terms".into())
    }

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
        if self.patience == 0 || self.fuel == 0 {
            self.ask_control()?;
        }
        self.patience -= 1;
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
        (self.patience, self.fuel) = (ROUNDS, FIRINGS);
        Ok(())
    }

    /// What stops threads at work that do not poll.
    pub(crate) fn watch(&self) -> Watch<'c> {
        let limit = self.control.limits().memory;
        Watch {
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

    fn check_growth(&self, table: usize) -> Result<(), Stop> {
        match self.tables[table].asks_for() {
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

    fn table_text(&self, table: usize) -> String {
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

    /// The trace line of a firing: round, rule, kept constraints, `\`, removed constraints, each with its id.
    pub(crate) fn trace_instance(&mut self, rule: RuleId, rows: impl Fn(usize) -> u32) {
        let plan = &self.plan.rules[rule];
        let mut line = format!("round {} {}:", self.rounds, plan.name);
        for role in [Role::Kept, Role::Removed] {
            if role == Role::Removed && plan.heads.iter().any(|h| h.role == role) {
                line.push_str(" \\");
            }
            for (head, h) in plan.heads.iter().enumerate().filter(|(_, h)| h.role == role) {
                line.push(' ');
                self.write_row(&mut line, h.constraint.index(), rows(head));
            }
        }
        self.control.trace_line(&line);
    }

    /// The trace line of a value that is replaced.
    pub(crate) fn trace_replacement(&mut self, rule: RuleId, table: usize, row: u32, value: i64) {
        let mut line = format!("round {} {}: ", self.rounds, self.plan.rules[rule].name);
        self.write_row(&mut line, table, row);
        let written = write!(line, " takes {value}");
        debug_assert!(written.is_ok(), "a string takes any text");
        self.control.trace_line(&line);
    }

    pub(crate) fn write_row(&self, line: &mut String, table: usize, row: u32) {
        let stored = &self.tables[table];
        self.write_words(line, table, |c| stored.columns[c].get(row), stored.ids.get(row));
    }

    pub(crate) fn write_words(&self, line: &mut String, table: usize, word: impl Fn(usize) -> u64, id: u64) {
        let terms = Terms { signature: &self.program.signature, heap: &self.heap };
        let kinds = self.tables[table].kinds.iter().enumerate();
        let values = kinds.map(|(c, &kind)| terms.value(kind, word(c)));
        let name = &self.program.signature.constraints[ConstraintId::from_index(table)].name;
        trace_constraint(line, name, values, id);
    }
}

/// Puts what a run starts with into the store.
struct Adding<'w, 'a, 'c> {
    state: &'w mut RoundsState<'a, 'c>,
    added: &'w mut Vec<Added>,
}

impl StartSink for Adding<'_, '_, '_> {
    fn context(&mut self) -> EvalCtx<'_, &mut Heap> {
        let RoundsState { program, code, tables, heap, .. } = &mut *self.state;
        EvalCtx { code, signature: &program.signature, tables, heap }
    }
    fn add(&mut self, table: usize, args: &[u64]) -> Result<(), Stop> {
        self.added.extend(self.state.add(table, args)?);
        Ok(())
    }
    fn write(&mut self, pc: Pc, word: u64) -> Result<(), Stop> {
        self.state.write(Written { word, pc })
    }
    fn poll(&mut self) -> Result<(), Stop> {
        self.state.ask_control()
    }
    fn stop(&self, reason: StopReason) -> Stop {
        self.state.stop(reason)
    }
    fn stop_at(&self, reason: StopReason, pc: Pc) -> Stop {
        self.state.stop_at(reason, pc)
    }
    fn trapped(&self, regs: &[u64], trap: Trap) -> Stop {
        self.state.trapped(regs, trap)
    }
}

/// Whether a value is strictly better than another.
pub(crate) fn is_better(best: Best, kind: SortKind, a: u64, b: u64) -> bool {
    let order = match kind {
        SortKind::Float => f64::from_bits(a).partial_cmp(&f64::from_bits(b)).unwrap_or(Ordering::Equal),
        _ => (a as i64).cmp(&(b as i64)),
    };
    match best.order {
        BestOrder::Least => order.is_lt(),
        BestOrder::Greatest => order.is_gt(),
    }
}

/// Constraints that bodies add, in order: for each its table and its arguments; and what they write.
#[derive(Default)]
pub(crate) struct Adds {
    words: Vec<u64>,
    /// Output waits until the round is part of the run.
    pub(crate) written: Vec<Written>,
}

impl Adds {
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.written.clear();
    }
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.capacity() * 8 + self.written.capacity() * size_of::<Written>()) as u64
    }
    pub(crate) fn push(
        &mut self,
        table: usize,
        args: impl ExactSizeIterator<Item = u64>,
    ) -> Result<(), Shortage> {
        memory::reserve(&mut self.words, 1 + args.len())?;
        self.words.push(table as u64);
        self.words.extend(args);
        Ok(())
    }
    /// The constraint that begins at a place, and where the next one begins.
    pub(crate) fn get(&self, tables: &[Table], at: usize) -> (usize, &[u64], usize) {
        let table = self.words[at] as usize;
        let end = at + 1 + tables[table].columns.len();
        (table, &self.words[at + 1..end], end)
    }
    /// Puts the parts of the end that begin at these places, and of which the last ends it, in another order.
    pub(crate) fn reorder(&mut self, starts: &[u32], order: impl Iterator<Item = usize>) {
        let Some(&first) = starts.first() else { return };
        let tail = self.words.split_off(first as usize);
        let part = |i: usize| {
            let end = starts.get(i + 1).map_or(tail.len(), |&e| (e - first) as usize);
            &tail[(starts[i] - first) as usize..end]
        };
        order.for_each(|i| self.words.extend_from_slice(part(i)));
    }
}

/// Loads the constraints of an instance into registers as a search leaves them: the arguments of the newest one, then for each
/// level its row and what is computed on it.
pub(crate) fn load_instance<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    occurrence: &OccurrenceCode,
    active: (usize, u32),
    rows: &[u32],
) -> Result<(), Trap> {
    load_active(ctx.tables, regs, active);
    let holds = |flow: Flow| debug_assert!(matches!(flow, Flow::Done), "an instance holds");
    if let Some(pc) = occurrence.entry {
        holds(ctx.run(regs, pc)?);
    }
    for (level, &row) in occurrence.levels.iter().zip(rows) {
        if let Some(pc) = level.key {
            holds(ctx.run(regs, pc)?);
        }
        regs[level.row as usize] = u64::from(row);
        for &(dst, column) in &level.loads {
            regs[dst as usize] = ctx.tables[level.table].columns[column as usize].get(row);
        }
        if let Some(pc) = level.check {
            holds(ctx.run(regs, pc)?);
        }
    }
    if let Some(pc) = occurrence.commit {
        holds(ctx.run(regs, pc)?);
    }
    Ok(())
}

/// The arguments of the newest constraint into the first registers.
pub(crate) fn load_active(tables: &[Table], regs: &mut [u64], (table, row): (usize, u32)) {
    for (reg, column) in regs.iter_mut().zip(&tables[table].columns) {
        *reg = column.get(row);
    }
}

/// How a body ended.
pub(crate) enum BodyEnd {
    Done,
    /// This goal does not hold, or this instruction has no result.
    Failed(Pc),
    Trapped(Trap),
}

/// Runs a body for what it adds and writes.
pub(crate) fn run_body<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    mut pc: Pc,
    adds: &mut Adds,
) -> BodyEnd {
    loop {
        match ctx.run(regs, pc) {
            Ok(Flow::Done) => return BodyEnd::Done,
            Ok(Flow::Failed(at)) => return BodyEnd::Failed(at),
            Err(trap) => return BodyEnd::Trapped(trap),
            Ok(Flow::Effect(at)) => {
                match ctx.code.ins[at as usize] {
                    Ins::Call { call } | Ins::CallLast { call } => {
                        let call = &ctx.code.calls[call as usize];
                        let args = call.args.iter().map(|&r| regs[r as usize]);
                        if let Err(shortage) = adds.push(call.constraint.index(), args) {
                            return BodyEnd::Trapped(Trap { pc: at, kind: TrapKind::AddsFull(shortage) });
                        }
                    }
                    _ => adds.written.push(Written::new(ctx.code, regs, at)),
                }
                pc = at + 1;
            }
        }
    }
}

/// Whether a guard that raised an error holds not at all: another of its conditions is false.
pub(crate) fn is_hidden<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    occurrence: &OccurrenceCode,
) -> bool {
    occurrence.commit_tests.iter().any(|&pc| matches!(ctx.run(regs, pc), Ok(Flow::Failed(_))))
}

/// Whether the error is one of the program, to be told when its turn comes, and not one of the executor.
pub(crate) fn is_of_program(trap: Trap) -> bool {
    matches!(trap.kind, TrapKind::Arithmetic(_) | TrapKind::Column)
}

/// Whether a row holds a constraint.
pub(crate) fn is_live(table: &Table, row: u32) -> bool {
    table.ids.get(row) != DEAD
}
