//! The store of a run in rounds, with what both of its executors do alike: ids, reduction on insertion, queries.

use super::batch::Buffers;
use super::dealing::Dealing;
use super::numbers::Numbers;
use super::storing::RoundsStoring;
use crate::exec::added::{Added, AddedRuns, Run};
use crate::exec::code::{Code, Pc};
use crate::exec::common::{self, Stop};
use crate::exec::start::{self, StartSink};
use crate::exec::step::{EvalCtx, Trap};
use crate::exec::table::{DEAD, Table};
use crate::ir::ChrPlan;
use crate::ir::classes::Reduction;
use gchr_base::control::Control;
use gchr_base::derivation::Cause;
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::rule::{Program, RuleId};
use gchr_base::signature::ConstraintId;
use gchr_base::value::{Heap, Terms};

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
    pub(super) fn new(code: &Code, regs: &[u64], pc: Pc) -> Self {
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
    /// Learns what is stored already.
    fn learn(&mut self, _table: &Table) {}
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
    /// By table: the reduction that drops constraints by what of their keys is there, unless that is traced or there is
    /// but one key.
    pub(super) filters: Vec<Option<&'a Reduction>>,
    pub(super) buffers: Buffers,
    /// By table.
    pub(super) insertion_rules: Vec<Option<Box<dyn InsertionRule + 'a>>>,
    pub(crate) next_id: u64,
    pub(crate) firings: u64,
    pub(crate) rounds: u64,
    pub(crate) candidates: u64,
    pub(crate) peak: u64,
    /// Bytes of all tables, as far as insertions change them.
    pub(super) table_bytes: u64,
    /// Rows that were removed since the last call of [`release`](Self::release).
    pub(super) detached: Vec<Added>,
    /// By table: the indexes that constraints of it look for partners in.
    looks_in: Vec<Vec<(usize, usize)>>,
    pub(crate) last_rule: Option<RuleId>,
    pub(crate) numbers: Numbers,
    pub(super) until_poll: u32,
    pub(super) fuel: u64,
    /// Bytes that the executor has beside the store.
    pub(crate) other_bytes: u64,
    /// Firings of each rule, in a run that is recorded, or shared with other workers.
    pub(crate) fired_by_rule: Option<Vec<u64>>,
    /// Where this worker keeps what facts and goals add; `None`: in the table of the constraint.
    pub(crate) dealing: Option<Dealing<'a>>,
    /// Why the next constraint is added.
    pub(crate) cause: Cause,
    /// The instance whose body adds what is stored next, in a run whose derivations are recorded.
    pub(in crate::exec) next_instance: u64,
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
        let is_looked_up = |r: &&Reduction| !r.key.is_empty() && !control.sees_firings();
        let filters = plan.tables.ids().map(|t| plan.classes.reduction_of(t).filter(is_looked_up)).collect();
        let RoundsStoring { tables, looks_in } = RoundsStoring::new(plan, code, control.sees_firings());
        Self {
            program,
            plan,
            code,
            control,
            tables,
            heap,
            filters,
            buffers: Buffers::default(),
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
            until_poll: 0,
            fuel: 0,
            other_bytes: 0,
            fired_by_rule: records.then(|| vec![0; program.rules.len()]),
            dealing: None,
            cause: Cause::Goal { query: 0, number: 0 },
            next_instance: 0,
        }
    }

    /// Shares the run with other workers.
    pub(crate) fn deal(&mut self, dealing: Dealing<'a>) {
        self.dealing = Some(dealing);
        self.fired_by_rule = Some(vec![0; self.program.rules.len()]);
    }

    /// Goes on with the tables of another run, whose next id this was.
    pub(crate) fn take_over(&mut self, tables: Vec<Table>, next_id: u64) {
        (self.tables, self.next_id) = (tables, next_id);
        self.table_bytes = common::bytes(&self.tables);
        for (table, rule) in self.tables.iter().zip(&mut self.insertion_rules) {
            if let Some(rule) = rule {
                rule.learn(table);
            }
        }
    }

    /// Puts a constraint into the store; the id is `next_id`, which goes up. `None` when a class removed it at once.
    pub(crate) fn add(&mut self, table: usize, args: &[u64]) -> Result<Option<Added>, Stop> {
        let id = self.next_id;
        self.next_id += 1;
        if self.control.derives() {
            self.record_made(table, args, id);
        }
        if let Some(mut rule) = self.insertion_rules[table].take() {
            let lives = rule.meet(self, table, args, id);
            self.insertion_rules[table] = Some(rule);
            if !lives {
                return Ok(None);
            }
        }
        self.check_growth(table, 1)?;
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

    /// Removes all constraints of a table in which nobody looks for rows.
    pub(crate) fn clear(&mut self, table: usize) {
        self.detached.retain(|detached| detached.table as usize != table);
        self.tables[table].clear();
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

    /// Makes the store what it was: since then nothing but [`add`](Self::add) has changed it, which has put `added`
    /// into it.
    pub(crate) fn return_to(&mut self, mark: Mark, added: &AddedRuns) -> Result<(), Stop> {
        (self.next_id, self.firings, self.fired_by_rule) = (mark.next_id, mark.firings, mark.fired_by_rule);
        let removed = self.detached.split_off(mark.detached);
        for table in 0..self.tables.len() {
            let of = |a: &&Added| a.table as usize == table;
            let mut runs = added.runs().filter(|run| run.first.table as usize == table).peekable();
            if runs.peek().is_none() {
                continue;
            }
            let rows = runs.flat_map(Run::iter).map(|a| a.row);
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

    /// Adds all facts; what was put into the store is appended.
    pub(crate) fn facts(&mut self, facts: &[Facts], added: &mut AddedRuns) -> Result<(), Stop> {
        // Rules mostly copy the numbers of facts: arrays over them are large enough from the start.
        let largest = facts.iter().filter_map(Facts::largest).max().and_then(|n| u64::try_from(n).ok());
        if let Some(largest) = largest {
            self.tables
                .iter_mut()
                .flat_map(|table| &mut table.indexes)
                .for_each(|index| index.expect(largest));
        }
        let plan = self.plan;
        for (number, facts) in facts.iter().enumerate() {
            self.cause = Cause::Fact { batch: number as u32, row: 0 };
            let order = self.order_of(facts)?;
            start::add_facts(plan, facts, order.as_deref(), &mut Adding { state: self, added })?;
        }
        Ok(())
    }

    /// The order in which the rows of facts are added, if not in their own: by the column whose value rules carry on,
    /// where no order can be told. What follows from neighbours is in the same parts of sets then, and so on for what
    /// follows from that.
    fn order_of(&self, facts: &Facts) -> Result<Option<Vec<u32>>, Stop> {
        let table = &self.plan.tables[facts.constraint];
        let is_free = table.any_order && self.dealing.is_none() && !self.control.sees_firings();
        let column = self.plan.carried_column(facts.constraint).filter(|_| is_free);
        let Some(column) = column else { return Ok(None) };
        start::by_column(table, facts, column)
            .map_err(|shortage| self.stop(shortage.of("the order of facts")))
    }

    /// Executes the goals of a query; what was put into the store is appended.
    pub(crate) fn query(&mut self, number: usize, added: &mut AddedRuns) -> Result<(), Stop> {
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
}

/// Puts what a run starts with into the store.
struct Adding<'w, 'a, 'c> {
    state: &'w mut RoundsState<'a, 'c>,
    added: &'w mut AddedRuns,
}

impl StartSink for Adding<'_, '_, '_> {
    fn context(&mut self) -> EvalCtx<'_, &mut Heap> {
        let RoundsState { program, code, tables, heap, .. } = &mut *self.state;
        EvalCtx { code, signature: &program.signature, tables, heap }
    }
    fn add(&mut self, table: usize, args: &[u64]) -> Result<(), Stop> {
        let Some(Dealing { deals, worker }) = self.state.dealing else {
            self.added.extend(self.state.add(table, args)?);
            self.state.cause = self.state.cause.next();
            return Ok(());
        };
        let deal = &deals[ConstraintId::from_index(table)];
        deal.tables(worker, |column| args[column]).try_for_each(|table| {
            self.added.extend(self.state.add(table, args)?);
            Ok(())
        })
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

/// Whether a row holds a constraint.
pub(crate) fn is_live(table: &Table, row: u32) -> bool {
    table.ids.get(row) != DEAD
}
