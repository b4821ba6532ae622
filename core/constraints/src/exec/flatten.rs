//! Makes [`Code`] of a plan: gives slots registers, and turns steps, expressions and goals into instructions.

mod expression;

use super::code::*;
use crate::ir::{ChrPlan, Join, Key, Linear, Occurrence, Once, Operand, Step, typing, vars};
use gchr_base::hash::HashMap;
use gchr_base::rule::{
    Const, Expr, Goal, GoalKind, Pattern, PatternKind, Program, Query, RuleId, Semantics, Start, VarId,
};
use gchr_base::signature::{Signature, SortKind};
use gchr_base::source::Span;
use gchr_base::value::Heap;
use gchr_base::value::heap::HeapFull;

/// Flattens a plan. Constants of sort `Any` are made on the heap.
pub(super) fn flatten(program: &Program, plan: &ChrPlan, heap: &mut Heap) -> Result<Code, HeapFull> {
    let mut code = Code::default();
    for table in &plan.tables {
        let mut activation = Activation { occurrences: Vec::new(), registers: table.columns.len() };
        for &id in &table.occurrences {
            let occurrence = &plan.occurrences[id];
            let kinds: Vec<SortKind> = table.columns.iter().map(|c| c.kind).collect();
            let mut coder =
                Coder::new(program, plan, Some(occurrence.rule), occurrence.slots.len(), &mut code, heap);
            coder.slots.iter_mut().zip(&occurrence.slots).for_each(|(s, slot)| s.kind = slot.kind);
            coder.active_kinds = kinds;
            coder.next = coder.active_kinds.len() as u32;
            let flat = coder.occurrence(occurrence)?;
            activation.registers = activation.registers.max(coder.most as usize);
            activation.occurrences.push(flat);
        }
        code.activations.push(activation);
    }
    add_queries(program, plan, &mut code, heap)?;
    Ok(code)
}

/// Flattens the queries of a program only.
pub(super) fn flatten_queries(program: &Program, plan: &ChrPlan, heap: &mut Heap) -> Result<Code, HeapFull> {
    let mut code = Code::default();
    add_queries(program, plan, &mut code, heap)?;
    Ok(code)
}

fn add_queries(program: &Program, plan: &ChrPlan, code: &mut Code, heap: &mut Heap) -> Result<(), HeapFull> {
    if let Start::Goals(queries) = &program.start {
        for query in queries {
            let flat = query_code(program, plan, query, code, heap)?;
            code.queries.push(flat);
        }
    }
    Ok(())
}

fn query_code(
    program: &Program,
    plan: &ChrPlan,
    query: &Query,
    code: &mut Code,
    heap: &mut Heap,
) -> Result<QueryCode, HeapFull> {
    let mut coder = Coder::new(program, plan, None, query.vars.len(), code, heap);
    for (slot, var) in coder.slots.iter_mut().zip(&query.vars) {
        slot.kind = program.signature.kind(var.sort);
    }
    let body = coder.pc();
    coder.goals(&query.goals, false)?;
    Ok(QueryCode { body, registers: coder.most as usize })
}

/// A value in a register.
#[derive(Clone, Copy)]
struct TypedRegister {
    reg: Reg,
    kind: SortKind,
}

struct SlotState {
    kind: SortKind,
    reg: Option<Reg>,
}

struct Coder<'a> {
    program: &'a Program,
    plan: &'a ChrPlan,
    rule: Option<RuleId>,
    code: &'a mut Code,
    heap: &'a mut Heap,
    slots: Vec<SlotState>,
    active_kinds: Vec<SortKind>,
    active_head: usize,
    /// Registers that hold the rows of partners, by head.
    rows: HashMap<usize, (Reg, usize)>,
    next: Reg,
    most: Reg,
}

type Coded<T> = Result<T, HeapFull>;

impl<'a> Coder<'a> {
    fn new(
        program: &'a Program,
        plan: &'a ChrPlan,
        rule: Option<RuleId>,
        slots: usize,
        code: &'a mut Code,
        heap: &'a mut Heap,
    ) -> Self {
        let slots = (0..slots).map(|_| SlotState { kind: SortKind::Any, reg: None }).collect();
        Self {
            program,
            plan,
            rule,
            code,
            heap,
            slots,
            active_kinds: Vec::new(),
            active_head: usize::MAX,
            rows: HashMap::default(),
            next: 0,
            most: 0,
        }
    }

    fn sig(&self) -> &'a Signature {
        &self.program.signature
    }

    fn pc(&self) -> Pc {
        self.code.ins.len() as Pc
    }

    fn fresh(&mut self) -> Reg {
        self.next += 1;
        self.most = self.most.max(self.next);
        self.next - 1
    }

    fn emit(&mut self, ins: Ins, span: Span) {
        self.emit_kinds(ins, span, [SortKind::Any; 2], SortKind::Any);
    }

    fn emit_kinds(&mut self, ins: Ins, span: Span, kinds: [SortKind; 2], result: SortKind) {
        self.code.ins.push(ins);
        self.code.sites.push(Site { rule: self.rule, span, kinds, result });
    }

    /// The place of a sequence, or nothing when it is empty.
    fn close(&mut self, start: Pc, span: Span) -> Option<Pc> {
        if self.pc() == start {
            return None;
        }
        self.emit(Ins::End, span);
        Some(start)
    }

    fn occurrence(&mut self, occ: &Occurrence) -> Coded<OccurrenceCode> {
        let rule = &self.plan.rules[occ.rule];
        let span = rule.span;
        self.active_head = occ.head;
        let start = self.pc();
        self.steps(&occ.entry, span)?;
        let entry = self.close(start, span);
        let entry_prunes = self.prunes(&occ.entry, span)?;
        let mut levels = Vec::new();
        for join in &occ.joins {
            levels.push(self.level(join, span)?);
        }
        let start = self.pc();
        self.steps(&occ.commit, span)?;
        let commit = self.close(start, span);
        let commit_tests = self.commit_tests(&occ.commit, span)?;
        let start = self.pc();
        let before = self.code.calls.len();
        let body = if rule.body.is_empty() { None } else { Some(start) };
        if body.is_some() {
            self.goals(&rule.body, occ.removes_active)?;
        }
        let level_of = |head: usize| occ.joins.iter().position(|j| j.head == head);
        Ok(OccurrenceCode {
            rule: occ.rule,
            removes_active: occ.removes_active,
            older_partners: occ.older_partners,
            entry,
            entry_prunes,
            levels: levels.into(),
            commit,
            commit_tests,
            removed: occ.removed.iter().filter_map(|&h| level_of(h)).collect(),
            level_of_head: (0..rule.heads.len()).map(level_of).collect(),
            history: rule.once == Once::History,
            body,
            calls: self.code.calls.len() > before,
        })
    }

    fn level(&mut self, join: &Join, span: Span) -> Coded<Level> {
        let table = join.constraint.0 as usize;
        let start = self.pc();
        let mut regs = Vec::new();
        for (column, key) in &join.keys {
            let kind = self.plan.tables[join.constraint].columns[*column].kind;
            regs.push(self.key(key, kind, span)?);
        }
        let key = self.close(start, span);
        let row = self.fresh();
        let distinct = join.distinct.iter().filter_map(|h| self.rows.get(h)).map(|r| r.0).collect();
        self.rows.insert(join.head, (row, table));
        let start = self.pc();
        self.steps(&join.steps, span)?;
        let loads = self.leading_loads(start, row);
        let check = self.close(start, span);
        let prunes = self.prunes(&join.steps, span)?;
        let access = match regs.as_slice() {
            [] => Access::All,
            [a] => Access::One(*a),
            [a, b] => Access::Two(*a, *b),
            _ => Access::Many(regs.into()),
        };
        Ok(Level { table, index: join.index, access, key, row, distinct, loads, check, prunes })
    }

    /// Takes out the loads from the row at hand with which the code since `start` begins: the search does them itself.
    fn leading_loads(&mut self, start: Pc, own: Reg) -> Box<[(Reg, u16)]> {
        let mut loads = Vec::new();
        for ins in &self.code.ins[start as usize..] {
            match *ins {
                Ins::Load { dst, row, column, .. } if row == own => loads.push((dst, column)),
                _ => break,
            }
        }
        let taken = start as usize..start as usize + loads.len();
        self.code.ins.drain(taken.clone());
        self.code.sites.drain(taken);
        // No sequence jumps over a load, so only targets behind it have moved.
        for ins in &mut self.code.ins[start as usize..] {
            if let Ins::JumpIf { to, .. } = ins {
                *to -= loads.len() as Pc;
            }
        }
        loads.into()
    }

    /// The register with the value that a column of kind `kind` must have.
    fn key(&mut self, key: &Key, kind: SortKind, span: Span) -> Coded<Reg> {
        match key {
            Key::Slot(slot) | Key::Equal { slot, .. } => {
                let held = self.slot(slot.0 as usize);
                Ok(self.matched(held, kind, span))
            }
            Key::Const(c) => self.constant(*c, kind, span).map(|held| held.reg),
            Key::Linear(linear) => Ok(self.linear(linear, span)),
        }
    }

    fn linear(&mut self, linear: &Linear, span: Span) -> Reg {
        let dst = self.fresh();
        let terms: Vec<(Reg, bool)> =
            linear.terms.iter().map(|&(s, minus)| (self.slot(s.0 as usize).reg, minus)).collect();
        match (terms.as_slice(), i32::try_from(linear.constant)) {
            ([(a, false)], Ok(n)) => self.emit(Ins::KeyAdd { dst, a: *a, n }, span),
            _ => {
                let sum = self.code.sums.len() as u32;
                self.code.sums.push(KeySum { terms: terms.into(), constant: linear.constant });
                self.emit(Ins::KeySum { dst, sum }, span);
            }
        }
        dst
    }

    /// Value of a slot that the verifier has seen bound.
    fn slot(&mut self, slot: usize) -> TypedRegister {
        let SlotState { kind, reg } = self.slots[slot];
        debug_assert!(reg.is_some(), "slot {slot} has a value");
        TypedRegister { reg: reg.unwrap_or(0), kind }
    }

    /// Gives a slot the value of a register; kinds agree or the sequence fails.
    fn bind(&mut self, slot: usize, held: TypedRegister, span: Span) {
        let reg = self.matched(held, self.slots[slot].kind, span);
        self.slots[slot].reg = Some(reg);
    }

    /// A value as another kind; fails (as matching does) when it is not of that kind.
    fn matched(&mut self, held: TypedRegister, kind: SortKind, span: Span) -> Reg {
        if held.kind == kind {
            return held.reg;
        }
        let dst = self.fresh();
        match (held.kind, kind) {
            (from, SortKind::Any) => self.emit(Ins::ToAny { dst, src: held.reg, kind: from }, span),
            (SortKind::Any, to) => self.emit(Ins::FromAny { dst, src: held.reg, kind: to }, span),
            _ => self.emit(Ins::Fail, span),
        }
        dst
    }

    /// A value as another kind; an error when it is not of that kind.
    fn stored(&mut self, held: TypedRegister, kind: SortKind, span: Span) -> Reg {
        match (held.kind, kind) {
            (from, to) if from == to => held.reg,
            (_, SortKind::Any) => self.matched(held, kind, span),
            (from, to) => {
                let dst = self.fresh();
                let ins = Ins::Narrow { dst, src: held.reg, kind: to };
                self.emit_kinds(ins, span, [from; 2], to);
                dst
            }
        }
    }

    fn prunes(&mut self, steps: &[Step], span: Span) -> Coded<Box<[Pc]>> {
        let mut prunes = Vec::new();
        for step in steps {
            if let Step::Prune { test, .. } = step {
                let start = self.pc();
                self.condition(test)?;
                prunes.extend(self.close(start, span));
            }
        }
        Ok(prunes.into())
    }

    /// The last steps, each as a sequence of its own.
    fn commit_tests(&mut self, steps: &[Step], span: Span) -> Coded<Box<[CommitTest]>> {
        let mut tests = Vec::new();
        if self.plan.semantics == Semantics::Refined {
            return Ok(tests.into());
        }
        // The body takes values from where the steps in a row have put them.
        let regs: Vec<Option<Reg>> = self.slots.iter().map(|slot| slot.reg).collect();
        for step in steps {
            let start = self.pc();
            self.steps(std::slice::from_ref(step), span)?;
            let Some(code) = self.close(start, span) else { continue };
            let needs = step.reads().into_iter().map(|slot| VarId(slot.0)).collect();
            let mut binds = Vec::new();
            match step {
                Step::Eval { slot, .. } => binds.push(VarId(slot.0)),
                Step::Match { pattern, .. } => vars::pattern_vars(pattern, &mut binds),
                _ => {}
            }
            tests.push(CommitTest { code, needs, binds: binds.into() });
        }
        for (slot, reg) in self.slots.iter_mut().zip(regs) {
            slot.reg = reg;
        }
        Ok(tests.into())
    }

    fn steps(&mut self, steps: &[Step], span: Span) -> Coded<()> {
        for step in steps {
            match step {
                Step::Load { slot, head, column } => {
                    let held = self.column(*head, *column, span);
                    self.bind(slot.0 as usize, held, span);
                }
                Step::Field { slot, of, index } => {
                    let src = self.slot(of.0 as usize).reg;
                    let dst = self.fresh();
                    self.emit(Ins::Field { dst, src, index: *index as u32 }, span);
                    self.bind(slot.0 as usize, TypedRegister { reg: dst, kind: SortKind::Any }, span);
                }
                Step::SameColumn { head, column, value } => self.same_column(*head, *column, *value, span)?,
                Step::Same { slot, value } => {
                    let held = self.slot(slot.0 as usize);
                    let src = self.operand(*value, held.kind, span)?;
                    self.emit(Ins::Same { a: held.reg, b: src }, span);
                }
                Step::Functor { slot, symbol } => {
                    let src = self.slot(slot.0 as usize).reg;
                    self.emit(Ins::Functor { src, symbol: *symbol }, span);
                }
                Step::Test { test, .. } => self.condition(test)?,
                Step::Prune { .. } => {}
                Step::Eval { slot, value, .. } => self.assign(slot.0 as usize, value)?,
                Step::Match { value, pattern, .. } => {
                    let held = self.value(value)?;
                    self.pattern(held, pattern)?;
                }
                Step::Fail { .. } => self.emit(Ins::Fail, span),
            }
        }
        Ok(())
    }

    /// A column of a head: a register already for the active constraint.
    fn column(&mut self, head: usize, column: usize, span: Span) -> TypedRegister {
        if head == self.active_head {
            return TypedRegister { reg: column as Reg, kind: self.active_kinds[column] };
        }
        let (row, table) = self.rows[&head];
        let kind = self.plan.tables[gchr_base::signature::ConstraintId(table as u32)].columns[column].kind;
        let dst = self.fresh();
        self.emit(Ins::Load { dst, row, table: table as u32, column: column as u16 }, span);
        TypedRegister { reg: dst, kind }
    }

    fn same_column(&mut self, head: usize, column: usize, value: Operand, span: Span) -> Coded<()> {
        if head == self.active_head {
            let held = self.column(head, column, span);
            let src = self.operand(value, held.kind, span)?;
            self.emit(Ins::Same { a: held.reg, b: src }, span);
            return Ok(());
        }
        let (row, table) = self.rows[&head];
        let kind = self.plan.tables[gchr_base::signature::ConstraintId(table as u32)].columns[column].kind;
        let src = self.operand(value, kind, span)?;
        self.emit(Ins::SameColumn { src, row, table: table as u32, column: column as u16 }, span);
        Ok(())
    }

    fn operand(&mut self, operand: Operand, kind: SortKind, span: Span) -> Coded<Reg> {
        match operand {
            Operand::Slot(slot) => {
                let held = self.slot(slot.0 as usize);
                Ok(self.matched(held, kind, span))
            }
            Operand::Const(c) => self.constant(c, kind, span).map(|held| held.reg),
        }
    }

    fn word(&mut self, c: Const, kind: SortKind) -> Coded<u64> {
        if kind != SortKind::Any {
            return Ok(match c {
                Const::Int(n) => n as u64,
                Const::Float(x) => x.to_bits(),
                Const::Atom(t) | Const::Str(t) => u64::from(t.0),
            });
        }
        let word = match c {
            Const::Int(n) => self.heap.int(n)?,
            Const::Float(x) => self.heap.float(x)?,
            Const::Atom(t) => Heap::atom(t),
            Const::Str(t) => Heap::str(t),
        };
        self.code.constants.push(word);
        Ok(word)
    }

    fn constant(&mut self, c: Const, kind: SortKind, span: Span) -> Coded<TypedRegister> {
        let own = const_kind(c);
        let dst = self.fresh();
        if kind != SortKind::Any && kind != own {
            self.emit(Ins::Fail, span);
            return Ok(TypedRegister { reg: dst, kind });
        }
        let word = self.word(c, kind)?;
        self.emit(Ins::Const { dst, word }, span);
        Ok(TypedRegister { reg: dst, kind })
    }

    /// A pattern against a value; binds the slots of its variables, or compares with them where they have a value.
    fn pattern(&mut self, held: TypedRegister, pattern: &Pattern) -> Coded<()> {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Wild => {}
            PatternKind::Var(v) => match self.slots[v.0 as usize].reg {
                None => self.bind(v.0 as usize, held, span),
                Some(_) => {
                    let other = self.slot(v.0 as usize);
                    let b = self.matched(other, held.kind, span);
                    self.emit(Ins::Same { a: held.reg, b }, span);
                }
            },
            PatternKind::Const(c) => {
                if held.kind != SortKind::Any && held.kind != const_kind(*c) {
                    self.emit(Ins::Fail, span);
                } else {
                    let word = self.word(*c, held.kind)?;
                    self.emit(Ins::SameConst { a: held.reg, word }, span);
                }
            }
            PatternKind::App { symbol, args } => {
                let src = self.matched(held, SortKind::Any, span);
                self.emit(Ins::Functor { src, symbol: *symbol }, span);
                for (index, arg) in args.iter().enumerate() {
                    if arg.kind != PatternKind::Wild {
                        let dst = self.fresh();
                        self.emit(Ins::Field { dst, src, index: index as u32 }, arg.span);
                        self.pattern(TypedRegister { reg: dst, kind: SortKind::Any }, arg)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives a slot the value of an expression; a value of the wrong kind is an error.
    fn assign(&mut self, slot: usize, value: &Expr) -> Coded<()> {
        let held = self.value(value)?;
        let reg = self.stored(held, self.slots[slot].kind, value.span);
        self.slots[slot].reg = Some(reg);
        Ok(())
    }

    /// Goals of a body or a query, with an end.
    fn goals(&mut self, goals: &[Goal], gives_up_frame: bool) -> Coded<()> {
        let mut end = None;
        for (i, goal) in goals.iter().enumerate() {
            end = Some(goal.span);
            let temporaries = self.next;
            match &goal.kind {
                GoalKind::Test(test) => self.condition(test)?,
                GoalKind::Bind { var, value } => self.assign(var.0 as usize, value)?,
                GoalKind::Match { value, pattern } => {
                    let held = self.value(value)?;
                    self.pattern(held, pattern)?;
                }
                GoalKind::Add { constraint, args } => {
                    let mut regs = Vec::with_capacity(args.len());
                    let rule = self.rule.map(|rule| &self.program.rules[rule]);
                    let columns = &self.plan.tables[*constraint].columns;
                    for (at, (arg, column)) in args.iter().zip(columns).enumerate() {
                        let held = self.value(arg)?;
                        let src = self.stored(held, column.kind, arg.span);
                        if let Some(ty) = typing::unproved(self.sig(), rule, *constraint, at, arg) {
                            let check = Ins::Check { src, ty, column: at as u16 };
                            self.emit_kinds(check, arg.span, [column.kind; 2], column.kind);
                        }
                        regs.push(src);
                    }
                    let call = self.code.calls.len() as u32;
                    self.code.calls.push(Call { constraint: *constraint, args: regs.into() });
                    let last = gives_up_frame && i + 1 == goals.len();
                    self.emit(if last { Ins::CallLast { call } } else { Ins::Call { call } }, goal.span);
                }
                GoalKind::Fail => self.emit(Ins::Fail, goal.span),
                GoalKind::Write { value, quoted } => {
                    let held = self.value(value)?;
                    let ins = Ins::Write { src: held.reg, quoted: *quoted };
                    self.emit_kinds(ins, value.span, [held.kind; 2], held.kind);
                }
                GoalKind::Newline => self.emit(Ins::Newline, goal.span),
            }
            if !matches!(goal.kind, GoalKind::Bind { .. } | GoalKind::Match { .. }) {
                self.next = temporaries;
            }
        }
        let span = end.or_else(|| self.rule.map(|r| self.plan.rules[r].span));
        if let Some(span) = span.or_else(|| self.query_span()) {
            self.emit(Ins::End, span);
        }
        Ok(())
    }

    fn query_span(&self) -> Option<Span> {
        match &self.program.start {
            Start::Goals(queries) => queries.first().map(|q| q.span),
            Start::Term(_) => None,
        }
    }
}

fn const_kind(c: Const) -> SortKind {
    match c {
        Const::Int(_) => SortKind::Int,
        Const::Float(_) => SortKind::Float,
        Const::Atom(_) => SortKind::Atom,
        Const::Str(_) => SortKind::Str,
    }
}
