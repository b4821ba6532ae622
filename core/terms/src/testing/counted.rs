//! Evaluates term plans with explicit reference counts: what [`RefStep`]s say is done to the letter and watched.
//!
//! A use of a freed cell, a count that is wrong at the end, a cell that stays without being part of the result, a
//! second reference to a value whose sort needs no count: each is an error. Base cases are tried at call sites.
//! Recursive: for small runs.

use crate::plan::*;
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::{Const, GroundNode, GroundTerm, Program};
use gchr_base::signature::{SortId, SortKind, SymbolId};

/// A value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CountedValue {
    /// Bits of a number.
    Number(u64),
    /// A symbol without arguments.
    Symbol(SymbolId),
    /// A cell, by number.
    Cell(usize),
}

/// Why there is no result.
#[derive(Clone, PartialEq, Debug)]
pub enum CountedStop {
    /// An application of sort number that no rule matches.
    NoRule,
    /// An operation without a result.
    Arithmetic(ArithmeticError),
    /// The account of references is wrong.
    Account(String),
    /// More rule applications, or deeper recursion, than the caller wants to wait for.
    Limit,
}

/// A run that reached a normal form.
#[derive(Debug)]
pub struct Counted {
    /// The normal form in input syntax, as other executors write it.
    pub text: String,
    /// Rule applications.
    pub rewrites: u64,
    /// Cells that exist at the end: all are part of the normal form.
    pub live_cells: u64,
    /// Cells that existed at most.
    pub peak_cells: u64,
    /// Cells built in all, and how many of them in the memory of another one.
    pub built: u64,
    /// See `built`.
    pub reused: u64,
    /// Calls that were base cases, and all others.
    pub base_cases: u64,
    /// See `base_cases`.
    pub calls: u64,
}

/// Normalises a ground term by a plan with references ([`TermOptions::tasks`]), at most so many rule applications.
pub fn run(
    program: &Program,
    plan: &TermPlan,
    input: &GroundTerm,
    limit: u64,
) -> Result<Counted, CountedStop> {
    let Some(references) = &plan.references else {
        return Err(CountedStop::Account("the plan knows nothing about references".into()));
    };
    let counted = references.counted.clone();
    let mut machine = CountedMachine {
        program,
        plan,
        counted,
        cells: Vec::new(),
        free: Vec::new(),
        live: 0,
        depth: 0,
        limit,
        found: Counted {
            text: String::new(),
            rewrites: 0,
            live_cells: 0,
            peak_cells: 0,
            built: 0,
            reused: 0,
            base_cases: 0,
            calls: 0,
        },
    };
    let (sort, value) = machine.ground(input)?;
    machine.balance(sort, value)?;
    machine.found.live_cells = machine.live;
    machine.found.text = machine.show(value, sort)?;
    Ok(machine.found)
}

struct Cell {
    symbol: SymbolId,
    fields: Vec<CountedValue>,
    references: u32,
}

struct CountedMachine<'a> {
    program: &'a Program,
    plan: &'a TermPlan,
    counted: IdVec<SortId, bool>,
    /// `None`: freed, or held by a token.
    cells: Vec<Option<Cell>>,
    free: Vec<usize>,
    live: u64,
    depth: u32,
    limit: u64,
    found: Counted,
}

/// The deepest recursion.
const MAX_DEPTH: u32 = 20_000;

/// Locals of one activation; tokens beside them.
struct CountedFrame {
    values: Vec<Option<CountedValue>>,
    tokens: Vec<Option<usize>>,
}

/// How a block ended.
enum CountedRun {
    CountedValue(CountedValue),
    Continue(Vec<CountedValue>),
    /// A tail call.
    Call(FunctionId, Vec<CountedValue>),
}

type Run<T> = Result<T, CountedStop>;

fn account<T>(text: impl Into<String>) -> Run<T> {
    Err(CountedStop::Account(text.into()))
}

impl<'a> CountedMachine<'a> {
    fn cell(&self, at: usize) -> Run<&Cell> {
        match self.cells.get(at) {
            Some(Some(cell)) => Ok(cell),
            _ => account(format!("cell {at} is used after it was freed")),
        }
    }

    fn sort_of(&self, symbol: SymbolId) -> Option<SortId> {
        self.plan.layout.sort_and_tag(symbol).map(|(sort, _)| sort)
    }

    fn dup(&mut self, value: CountedValue, times: u32) -> Run<()> {
        let CountedValue::Cell(at) = value else { return Ok(()) };
        let symbol = self.cell(at)?.symbol;
        if self.sort_of(symbol).is_some_and(|sort| !self.counted[sort]) {
            return account(format!("a second reference to {symbol}, whose sort is not counted"));
        }
        self.cells[at].iter_mut().for_each(|c| c.references += times);
        Ok(())
    }

    fn drop(&mut self, value: CountedValue) -> Run<()> {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            let CountedValue::Cell(at) = value else { continue };
            self.cell(at)?;
            let Some(cell) = &mut self.cells[at] else { continue };
            cell.references -= 1;
            if cell.references == 0 {
                todo.extend(self.take(at)?);
                self.free.push(at);
            }
        }
        Ok(())
    }

    /// The fields of a cell, which is gone.
    fn take(&mut self, at: usize) -> Run<Vec<CountedValue>> {
        self.cell(at)?;
        self.live -= 1;
        Ok(self.cells[at].take().map_or_else(Vec::new, |c| c.fields))
    }

    fn build(&mut self, symbol: SymbolId, fields: Vec<CountedValue>, token: Option<usize>) -> CountedValue {
        if fields.is_empty() {
            return CountedValue::Symbol(symbol);
        }
        self.found.built += 1;
        self.found.reused += u64::from(token.is_some());
        self.live += 1;
        self.found.peak_cells = self.found.peak_cells.max(self.live);
        let at = token.or_else(|| self.free.pop()).unwrap_or(self.cells.len());
        let cell = Some(Cell { symbol, fields, references: 1 });
        match self.cells.get_mut(at) {
            Some(slot) => *slot = cell,
            None => self.cells.push(cell),
        }
        CountedValue::Cell(at)
    }

    // The start term.

    fn ground(&mut self, input: &GroundTerm) -> Run<(SortId, CountedValue)> {
        let signature = &self.program.signature;
        let mut stack: Vec<(SortId, CountedValue)> = Vec::new();
        let pop = |stack: &mut Vec<(SortId, CountedValue)>| stack.pop().ok_or(CountedStop::Limit);
        for node in &input.nodes {
            match *node {
                GroundNode::Const(c) => {
                    let kind = if matches!(c, Const::Float(_)) { SortKind::Float } else { SortKind::Int };
                    stack.push((signature.sort_of_kind(kind).unwrap_or(input.sort), number(c)));
                }
                GroundNode::App(symbol) => {
                    let args = stack.split_off(stack.len() - signature.arity(symbol));
                    let args = args.into_iter().map(|a| a.1).collect();
                    stack.push((signature.symbols[symbol].result, self.apply(symbol, args)?));
                }
                GroundNode::Repeat(symbol, count) => {
                    let (sort, mut value) = pop(&mut stack)?;
                    for _ in 0..count {
                        value = self.apply(symbol, vec![value])?;
                    }
                    stack.push((sort, value));
                }
                GroundNode::Op(op, sort) => {
                    let b = if op.arity() == 2 { Some(pop(&mut stack)?.1) } else { None };
                    let args: Vec<CountedValue> = std::iter::once(pop(&mut stack)?.1).chain(b).collect();
                    let value = self.operate(op, sort, &args)?;
                    args.into_iter().try_for_each(|v| self.drop(v))?;
                    stack.push((signature.sort_of_result(op, sort), value));
                }
            }
        }
        pop(&mut stack)
    }

    fn apply(&mut self, symbol: SymbolId, args: Vec<CountedValue>) -> Run<CountedValue> {
        let Some(function) = self.plan.function_of[symbol] else { return Ok(self.build(symbol, args, None)) };
        let callee = &self.plan.functions[function];
        let lent: Vec<CountedValue> = callee
            .region
            .params
            .iter()
            .zip(&args)
            .filter(|(p, _)| callee.locals[**p].borrowed)
            .map(|(_, &a)| a)
            .collect();
        let value = self.call(function, args)?;
        lent.into_iter().try_for_each(|v| self.drop(v))?;
        Ok(value)
    }

    // Functions.

    fn call(&mut self, mut function: FunctionId, mut args: Vec<CountedValue>) -> Run<CountedValue> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(CountedStop::Limit);
        }
        let plan = self.plan;
        loop {
            let callee = &plan.functions[function];
            let n = callee.locals.len();
            let mut frame = CountedFrame { values: vec![None; n], tokens: vec![None; n] };
            if let Some(base) = &callee.base {
                bind(&mut frame, &callee.region.params, &args);
                if let CountedRun::CountedValue(value) = self.block(callee, base, &mut frame)? {
                    self.found.base_cases += 1;
                    self.depth -= 1;
                    return Ok(value);
                }
            }
            self.found.calls += 1;
            match self.region(callee, &callee.region, args, &mut frame)? {
                CountedRun::Call(next, next_args) => (function, args) = (next, next_args),
                CountedRun::CountedValue(value) => {
                    self.depth -= 1;
                    return Ok(value);
                }
                CountedRun::Continue(_) => return account("a loop ended in a loop"),
            }
        }
    }

    fn region(
        &mut self,
        f: &'a Function,
        region: &'a Region,
        mut args: Vec<CountedValue>,
        frame: &mut CountedFrame,
    ) -> Run<CountedRun> {
        loop {
            bind(frame, &region.params, &args);
            match self.block(f, &region.body, frame)? {
                CountedRun::Continue(next) => args = next,
                outcome => return Ok(outcome),
            }
        }
    }

    fn block(&mut self, f: &'a Function, block: &'a Block, frame: &mut CountedFrame) -> Run<CountedRun> {
        self.found.rewrites += block.applied.len() as u64;
        if self.found.rewrites > self.limit {
            return Err(CountedStop::Limit);
        }
        for step in &block.steps {
            self.step(f, step, frame)?;
        }
        match &block.end {
            End::Return(value) => Ok(CountedRun::CountedValue(get(frame, *value)?)),
            End::TailCall { function, args } => Ok(CountedRun::Call(*function, all(frame, args)?)),
            End::Continue(args) => Ok(CountedRun::Continue(all(frame, args)?)),
            End::Context { hole, nest, target, args } => {
                // As if it were written after the call: the nest needs nothing that the call changes.
                let args = all(frame, args)?;
                let target = match target {
                    Target::Again => {
                        self.plan.functions.iter_enumerated().find(|(_, g)| std::ptr::eq(*g, f)).map(|g| g.0)
                    }
                    Target::Function(function) => Some(*function),
                };
                let Some(target) = target else { return account("a context without a target") };
                let value = self.call(target, args)?;
                frame.values[hole.index()] = Some(value);
                nest.iter().try_for_each(|step| self.step(f, step, frame))?;
                match nest.last().and_then(Step::dst) {
                    Some(outermost) => Ok(CountedRun::CountedValue(get(frame, outermost)?)),
                    None => account("a context without cells"),
                }
            }
            End::NoRule { .. } => Err(CountedStop::NoRule),
            End::Match { on, arms, default } => {
                let on = get(frame, *on)?;
                let (symbol, fields) = match on {
                    CountedValue::Symbol(symbol) => (symbol, &[][..]),
                    CountedValue::Cell(at) => {
                        let cell = self.cell(at)?;
                        (cell.symbol, cell.fields.as_slice())
                    }
                    CountedValue::Number(_) => return account("a match on a number"),
                };
                match (arms.iter().find(|arm| arm.symbol == symbol), default) {
                    (Some(arm), _) => {
                        for (field, value) in arm.fields.iter().zip(fields) {
                            field.iter().for_each(|f| frame.values[f.index()] = Some(*value));
                        }
                        self.block(f, &arm.body, frame)
                    }
                    (None, Some(default)) => self.block(f, default, frame),
                    (None, None) => account(format!("no arm for {symbol}")),
                }
            }
            End::If { test, then, otherwise } => {
                let holds = self.test(f, test, frame)?;
                self.block(f, if holds { then } else { otherwise }, frame)
            }
        }
    }

    fn step(&mut self, f: &'a Function, step: &'a Step, frame: &mut CountedFrame) -> Run<()> {
        let value = match step {
            Step::Const { value, .. } => number(*value),
            Step::Build { symbol, args, reuse, .. } => {
                let token = reuse.and_then(|token| frame.tokens[token.index()].take());
                let args = all(frame, args)?;
                self.build(*symbol, args, token)
            }
            Step::Repeat { symbol, count, arg, .. } => {
                let arg = get(frame, *arg)?;
                (0..*count).fold(arg, |v, _| self.build(*symbol, vec![v], None))
            }
            Step::Operate { op, args, .. } => {
                let sort = f.sort(args[0]);
                let args = all(frame, args)?;
                self.operate(*op, sort, &args)?
            }
            Step::Call { function, args, .. } => {
                let args = all(frame, args)?;
                self.call(*function, args)?
            }
            Step::Region { inits, region, .. } => {
                let inits = all(frame, inits)?;
                match self.region(f, region, inits, frame)? {
                    CountedRun::CountedValue(value) => value,
                    _ => return account("a nested region leaves its function"),
                }
            }
            Step::Trace { .. } => return Ok(()),
            Step::Ref(step) => return self.reference(step, frame),
        };
        step.dst().into_iter().for_each(|dst| frame.values[dst.index()] = Some(value));
        Ok(())
    }

    fn reference(&mut self, step: &RefStep, frame: &mut CountedFrame) -> Run<()> {
        match step {
            RefStep::Dup { local, times } => self.dup(get(frame, *local)?, *times),
            RefStep::Drop { local } => self.drop(get(frame, *local)?),
            RefStep::Free { token } => {
                self.free.extend(frame.tokens[token.index()].take());
                Ok(())
            }
            RefStep::Open { cell, symbol, fields, token } => {
                let CountedValue::Cell(at) = get(frame, *cell)? else { return account("no cell is opened") };
                if self.cell(at)?.symbol != *symbol {
                    return account("a cell of another symbol is opened");
                }
                if self.cell(at)?.references > 1 {
                    self.cells[at].iter_mut().for_each(|c| c.references -= 1);
                    for &field in fields.iter().flatten() {
                        self.dup(get(frame, field)?, 1)?;
                    }
                    return Ok(());
                }
                let values = self.take(at)?;
                for (value, _) in values.into_iter().zip(fields).filter(|(_, moved)| moved.is_none()) {
                    self.drop(value)?;
                }
                match token {
                    Some(token) => frame.tokens[token.index()] = Some(at),
                    None => self.free.push(at),
                }
                Ok(())
            }
        }
    }

    // Tests and operations.

    fn test(&self, f: &Function, test: &Test, frame: &CountedFrame) -> Run<bool> {
        match *test {
            Test::Same(a, b) => self.same(get(frame, a)?, get(frame, b)?),
            Test::Constant(a, constant) => Ok(get(frame, a)? == number(constant)),
            Test::Holds(a) => {
                Ok(get(frame, a)? == CountedValue::Symbol(self.program.signature.booleans.true_symbol))
            }
            Test::Compare(op, a, b) => self.compare(op, f.sort(a), get(frame, a)?, get(frame, b)?),
        }
    }

    fn same(&self, a: CountedValue, b: CountedValue) -> Run<bool> {
        let mut todo = vec![(a, b)];
        while let Some(pair) = todo.pop() {
            match pair {
                (CountedValue::Cell(a), CountedValue::Cell(b)) => {
                    let (a, b) = (self.cell(a)?, self.cell(b)?);
                    if a.symbol != b.symbol {
                        return Ok(false);
                    }
                    todo.extend(a.fields.iter().copied().zip(b.fields.iter().copied()));
                }
                (a, b) if a != b => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }

    fn compare(&self, op: Op, sort: SortId, a: CountedValue, b: CountedValue) -> Run<bool> {
        let (CountedValue::Number(x), CountedValue::Number(y)) = (a, b) else {
            let same = self.same(a, b)?;
            return match op {
                Op::Same => Ok(same),
                Op::Differ => Ok(!same),
                _ => Err(CountedStop::Arithmetic(ArithmeticError::Type)),
            };
        };
        let ordering = match self.plan.layout.sorts[sort].kind {
            SortKind::Float => f64::from_bits(x).partial_cmp(&f64::from_bits(y)),
            _ => Some(x.cast_signed().cmp(&y.cast_signed())),
        };
        Ok(ordering.map_or(matches!(op, Op::Ne | Op::Differ), |o| op.holds(o)))
    }

    fn operate(&self, op: Op, sort: SortId, args: &[CountedValue]) -> Run<CountedValue> {
        let booleans = self.program.signature.booleans;
        let truth =
            |b: bool| CountedValue::Symbol(if b { booleans.true_symbol } else { booleans.false_symbol });
        let failed = |e| CountedStop::Arithmetic(e);
        let float = self.plan.layout.sorts[sort].kind == SortKind::Float;
        match (op, args) {
            (Op::Negate, &[a]) if a == truth(true) || a == truth(false) => Ok(truth(a == truth(false))),
            // Of a start term: both operands are normal forms already.
            (Op::Both, &[a, b]) if a == truth(false) || a == truth(true) && (b == a || b == truth(false)) => {
                Ok(if a == truth(true) { b } else { a })
            }
            (Op::Either, &[a, b])
                if a == truth(true) || a == truth(false) && (b == a || b == truth(true)) =>
            {
                Ok(if a == truth(true) { a } else { b })
            }
            (Op::Negate | Op::Both | Op::Either, _) => Err(failed(ArithmeticError::Type)),
            (op, &[a, b]) if op.is_test() => self.compare(op, sort, a, b).map(truth),
            (op, &[CountedValue::Number(a)]) if float && op.rounds() => {
                let whole = op.float_to_int(f64::from_bits(a)).map_err(failed)?;
                Ok(CountedValue::Number(whole.cast_unsigned()))
            }
            (Op::ToFloat, &[CountedValue::Number(a)]) if !float => {
                Ok(CountedValue::Number((a.cast_signed() as f64).to_bits()))
            }
            (op, &[CountedValue::Number(a), ref rest @ ..]) => {
                let b = rest.first().map_or(a, |b| if let CountedValue::Number(b) = b { *b } else { 0 });
                match float {
                    true => op.float(f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits),
                    false => op.int(a.cast_signed(), b.cast_signed()).map(i64::cast_unsigned),
                }
                .map(CountedValue::Number)
                .map_err(failed)
            }
            _ => Err(failed(ArithmeticError::Type)),
        }
    }

    // The end.

    /// Every cell is part of the result, and has as many references as there are to it.
    fn balance(&self, sort: SortId, result: CountedValue) -> Run<()> {
        let mut references = vec![0u32; self.cells.len()];
        let mut todo = vec![result];
        while let Some(value) = todo.pop() {
            let CountedValue::Cell(at) = value else { continue };
            references[at] += 1;
            if references[at] == 1 {
                todo.extend_from_slice(&self.cell(at)?.fields);
            }
        }
        for (at, cell) in self.cells.iter().enumerate() {
            let held = cell.as_ref().map_or(0, |c| c.references);
            if held != references[at] {
                let name = &self.plan.layout.sorts[sort].name;
                return account(format!(
                    "cell {at} holds {held} references of {} in the {name}",
                    references[at]
                ));
            }
        }
        let gone = self.cells.iter().filter(|c| c.is_none()).count();
        if gone != self.free.len() {
            return account(format!("{gone} cells are gone, {} are free", self.free.len()));
        }
        Ok(())
    }

    fn show(&self, value: CountedValue, sort: SortId) -> Run<String> {
        enum Todo {
            CountedValue(CountedValue, SortId),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut todo = vec![Todo::CountedValue(value, sort)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Text(t) => text.push_str(t),
                Todo::CountedValue(CountedValue::Number(n), sort) => {
                    match self.plan.layout.sorts[sort].kind {
                        SortKind::Float => text.push_str(&crate::exec::text::float(f64::from_bits(n))),
                        _ => text.push_str(&n.cast_signed().to_string()),
                    }
                }
                Todo::CountedValue(CountedValue::Symbol(symbol), _) => {
                    text.push_str(&self.plan.symbol_names[symbol])
                }
                Todo::CountedValue(CountedValue::Cell(mut at), sort) => {
                    let symbol = self.cell(at)?.symbol;
                    let same = |value: CountedValue| match (value, self.sort_of(symbol) == Some(sort)) {
                        (CountedValue::Cell(at), true) => {
                            self.cell(at).ok().filter(|c| c.symbol == symbol).map(|_| at)
                        }
                        _ => None,
                    };
                    // A nest of four or more of a unary symbol is written as a power.
                    let mut nest = vec![at];
                    while let &[inner] = self.cell(at)?.fields.as_slice()
                        && let Some(next) = same(inner)
                    {
                        nest.push(next);
                        at = next;
                    }
                    text.push_str(&self.plan.symbol_names[symbol]);
                    if nest.len() >= 4 {
                        text.push_str(&format!("^{}", nest.len()));
                    } else {
                        at = nest[0];
                    }
                    let cell = self.cell(at)?;
                    text.push('(');
                    todo.push(Todo::Text(")"));
                    let sorts = &self.program.signature.symbols[cell.symbol].args;
                    for (i, (&field, &sort)) in cell.fields.iter().zip(sorts).enumerate().rev() {
                        todo.push(Todo::CountedValue(field, sort));
                        if i > 0 {
                            todo.push(Todo::Text(", "));
                        }
                    }
                }
            }
        }
        Ok(text)
    }
}

fn number(c: Const) -> CountedValue {
    match c {
        Const::Int(n) => CountedValue::Number(n.cast_unsigned()),
        Const::Float(x) => CountedValue::Number(x.to_bits()),
        Const::Atom(_) | Const::Str(_) => CountedValue::Number(0),
    }
}

fn bind(frame: &mut CountedFrame, params: &[LocalId], args: &[CountedValue]) {
    for (param, &arg) in params.iter().zip(args) {
        frame.values[param.index()] = Some(arg);
    }
}

fn get(frame: &CountedFrame, local: LocalId) -> Run<CountedValue> {
    match frame.values.get(local.index()) {
        Some(Some(value)) => Ok(*value),
        _ => account(format!("{local} is used and not bound")),
    }
}

fn all(frame: &CountedFrame, locals: &[LocalId]) -> Run<Vec<CountedValue>> {
    locals.iter().map(|&l| get(frame, l)).collect()
}
