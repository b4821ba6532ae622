//! Evaluates the term that a run starts with: postfix, on a stack of values that the collector knows.

use std::marker::PhantomData;

use crate::exec::bytecode::constant_bits;
use crate::exec::compare::Comparison;
use crate::exec::run::{COMPARED, Run};
use crate::exec::{compare, text};
use crate::plan::{FunctionId, Layout, TermPlan};
use gchr_base::error::{RunError, StopReason};
use gchr_base::ids::Id;
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::{Const, GroundNode, GroundTerm, Program};
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId};

/// What evaluates the applications of defined symbols in a start term.
pub trait Engine<'a, 'c: 'a> {
    /// The run.
    fn run(&mut self) -> &mut Run<'a, 'c>;
    /// The fuel that is left.
    fn fuel(&self) -> i64;
    /// Applies a function to values; the arguments are dead afterwards.
    fn apply(&mut self, function: FunctionId, args: &[u64]) -> Result<u64, RunError>;
    /// Whether integers have any size where the program says so; else 64 bits.
    fn big_integers(&self) -> bool {
        false
    }
    /// A cell, while no call is pending: all other live values are in [`Run::values`].
    fn cell(&mut self, class: usize, tag: u32, words: &[u32]) -> Result<u64, RunError>;
}

/// The normal form of a ground term as the bits of a value.
pub fn evaluate<'a, 'c: 'a>(engine: &mut impl Engine<'a, 'c>, input: &GroundTerm) -> Result<u64, RunError> {
    let (program, plan) = (engine.run().program, engine.run().plan);
    let mut start = Start {
        engine,
        program,
        plan,
        input,
        words: Vec::new(),
        args: Vec::new(),
        built: 0,
        lives: PhantomData,
    };
    for (at, node) in input.nodes.iter().enumerate() {
        if let Err(error) = start.node(*node) {
            let ends = ends(program, input);
            let done = ends.iter().filter(|&&end| end < at).count();
            let run = start.engine.run();
            run.values.truncate(done);
            run.terms = ends.len();
            return Err(error);
        }
    }
    Ok(start.pop().1)
}

/// How many terms are evaluated together by one.
pub fn terms_together(program: &Program, input: &GroundTerm) -> usize {
    ends(program, input).len().max(1)
}

/// Where each of several terms ends that are evaluated [together](GroundTerm::together): their symbol stands in no
/// text.
fn ends(program: &Program, input: &GroundTerm) -> Vec<usize> {
    let Some((GroundNode::App(symbol), nodes)) = input.nodes.split_last() else { return Vec::new() };
    let signature = &program.signature;
    let of = &signature.symbols[*symbol];
    if of.span.is_some() || signature.sorts[of.result].span.is_some() || of.args.len() < 2 {
        return Vec::new();
    }
    // The last node behind which there are so many values.
    let (mut ends, mut values) = (vec![0; of.args.len()], 0);
    for (at, node) in nodes.iter().enumerate() {
        values = match node {
            GroundNode::Const(_) => values + 1,
            GroundNode::App(symbol) => values + 1 - signature.arity(*symbol).min(values),
            GroundNode::Repeat(..) => values,
            GroundNode::Op(op, _) => values + 1 - op.arity().min(values),
        };
        if let Some(end) = ends.get_mut(values.wrapping_sub(1)) {
            *end = at;
        }
    }
    ends
}

/// The value of an operator on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Computed {
    /// Of a test.
    Truth(bool),
    /// The bits of a number.
    Number(u64),
}

/// The value of an operator on numbers of sort `Int` or `Float`, given as their bits; for a unary one `b` is ignored.
pub fn compute(kind: SortKind, op: Op, a: u64, b: u64) -> Result<Computed, ArithmeticError> {
    let number = match (kind, op) {
        (SortKind::Float, _) if op.is_test() => return Ok(Computed::Truth(compare::floats(op, a, b))),
        (_, _) if op.is_test() => return Ok(Computed::Truth(compare::ints(op, a, b))),
        (SortKind::Float, _) if op.rounds() => op.float_to_int(f64::from_bits(a)).map(i64::cast_unsigned),
        (SortKind::Float, _) => op.float(f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits),
        (_, Op::ToFloat) => Ok((a.cast_signed() as f64).to_bits()),
        _ => op.int(a.cast_signed(), b.cast_signed()).map(i64::cast_unsigned),
    };
    number.map(Computed::Number)
}

/// What an operator of a start term comes to.
pub enum Operation {
    /// Its value.
    Done(Result<u64, ArithmeticError>),
    /// Structural equality, which takes time: the value is the [truth](Operators::truth) of what the comparison finds,
    /// or of its opposite.
    Compare {
        /// What is to be found out.
        comparison: Comparison,
        /// Whether the operator holds for values that differ.
        differ: bool,
    },
}

/// Operators of start terms.
#[derive(Clone, Copy)]
pub struct Operators<'a> {
    /// The program's signature.
    pub signature: &'a Signature,
    /// How values are represented.
    pub layout: &'a Layout,
}

impl Operators<'_> {
    /// The bits of a truth value.
    pub fn truth(&self, holds: bool) -> u64 {
        let booleans = self.signature.booleans;
        let symbol = if holds { booleans.true_symbol } else { booleans.false_symbol };
        u64::from(self.layout.tag(symbol).unwrap_or(0))
    }

    /// Evaluates an operator on values of a sort, given as their bits; for a unary one `b` is ignored.
    pub fn evaluate(&self, op: Op, sort: SortId, a: u64, b: u64) -> Operation {
        let kind = self.signature.kind(sort);
        if kind != SortKind::Data {
            return Operation::Done(compute(kind, op, a, b).map(|value| match value {
                Computed::Truth(holds) => self.truth(holds),
                Computed::Number(bits) => bits,
            }));
        }
        let (yes, no) = (self.truth(true), self.truth(false));
        let known = |v: u64| v == yes || v == no;
        Operation::Done(match op {
            Op::Same | Op::Differ => {
                let comparison = Comparison::new(sort, a as u32, b as u32);
                return Operation::Compare { comparison, differ: op == Op::Differ };
            }
            Op::Both if known(a) && (a == no || known(b)) => Ok(if a == yes { b } else { a }),
            Op::Either if known(a) && (a == yes || known(b)) => Ok(if a == yes { a } else { b }),
            Op::Negate if known(a) => Ok(self.truth(a == no)),
            _ => Err(ArithmeticError::Type),
        })
    }
}

struct Start<'e, 'a, 'c, E> {
    engine: &'e mut E,
    program: &'a Program,
    plan: &'a TermPlan,
    input: &'e GroundTerm,
    words: Vec<u32>,
    args: Vec<u64>,
    /// Symbols applied so far.
    built: u64,
    lives: PhantomData<&'c ()>,
}

/// Poll interval in applied symbols.
const WATCHED: u64 = 1 << 20;

impl<'a, 'c: 'a, E: Engine<'a, 'c>> Start<'_, 'a, 'c, E> {
    fn pop(&mut self) -> (SortId, u64) {
        // Verified terms never pop from an empty stack.
        self.engine.run().values.pop().unwrap_or((self.input.sort, 0))
    }

    fn push(&mut self, sort: SortId, value: u64) {
        self.engine.run().values.push((sort, value));
    }

    fn watch(&mut self) -> Result<(), RunError> {
        let fuel = self.engine.fuel();
        self.engine.run().watch(fuel)
    }

    fn node(&mut self, node: GroundNode) -> Result<(), RunError> {
        match node {
            GroundNode::Const(c) => {
                let kind = if matches!(c, Const::Float(_)) { SortKind::Float } else { SortKind::Int };
                let sort = self.program.signature.sort_of_kind(kind).unwrap_or(self.input.sort);
                self.push(sort, constant_bits(c));
                Ok(())
            }
            GroundNode::App(symbol) => self.apply(symbol),
            GroundNode::Repeat(symbol, count) => (0..count).try_for_each(|_| self.apply(symbol)),
            GroundNode::Op(op, sort) => self.operate(op, sort),
        }
    }

    fn apply(&mut self, symbol: SymbolId) -> Result<(), RunError> {
        self.built += 1;
        if self.built.is_multiple_of(WATCHED) {
            self.watch()?;
        }
        let declared = &self.program.signature.symbols[symbol];
        let first = self.engine.run().values.len().saturating_sub(declared.args.len());
        let value = match self.plan.function_of[symbol] {
            Some(function) => {
                self.args.clear();
                self.args.extend(self.engine.run().values.drain(first..).map(|v| v.1));
                self.engine.apply(function, &self.args)?
            }
            None => {
                let value = self.build(symbol, first)?;
                self.engine.run().values.truncate(first);
                value
            }
        };
        self.push(declared.result, value);
        Ok(())
    }

    fn build(&mut self, symbol: SymbolId, first: usize) -> Result<u64, RunError> {
        let (Some(variant), Some(tag)) = (self.plan.layout.variant(symbol), self.plan.layout.tag(symbol))
        else {
            return Ok(0);
        };
        let Some(class) = variant.class else { return Ok(tag.into()) };
        self.words.clear();
        for (field, &(_, value)) in variant.fields.iter().zip(&self.engine.run().values[first..]) {
            if field.wide {
                let b = value.to_ne_bytes();
                self.words.push(u32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
                self.words.push(u32::from_ne_bytes([b[4], b[5], b[6], b[7]]));
            } else {
                self.words.push(value as u32);
            }
        }
        self.engine.cell(class.index(), tag, &self.words)
    }

    fn operate(&mut self, op: Op, sort: SortId) -> Result<(), RunError> {
        let b = if op.arity() == 2 { self.pop().1 } else { 0 };
        let a = self.pop().1;
        let signature = &self.program.signature;
        let operators = Operators { signature, layout: &self.plan.layout };
        if self.engine.big_integers() && signature.kind(sort) == SortKind::Int {
            let run = self.engine.run();
            let value = if op.is_test() {
                let holds = run.heap.integers().holds(op, a, b).ok_or_else(|| run.no_number(op, a, b));
                holds.map(|holds| operators.truth(holds))
            } else {
                run.big_integer(op, a, b)
            };
            let value = value.map_err(|reason| self.stopped(reason))?;
            self.push(signature.sort_of_result(op, sort), value);
            return Ok(());
        }
        let result = match operators.evaluate(op, sort, a, b) {
            Operation::Done(result) => result,
            Operation::Compare { mut comparison, differ } => {
                let same = loop {
                    match comparison.advance(&self.plan.layout, &self.engine.run().heap, COMPARED) {
                        Some(same) => break same,
                        None => self.watch()?,
                    }
                };
                Ok(operators.truth(same != differ))
            }
        };
        let value = result.map_err(|error| self.failed(op, error, sort, &[a, b]))?;
        self.push(signature.sort_of_result(op, sort), value);
        Ok(())
    }

    fn failed(&mut self, op: Op, error: ArithmeticError, sort: SortId, operands: &[u64]) -> RunError {
        let (layout, heap) = (&self.plan.layout, &self.engine.run().heap);
        let show = |&v: &u64| text::bounded(layout, heap, sort, v, 200);
        let operands = operands.iter().take(op.arity()).map(show).collect();
        self.stopped(StopReason::Arithmetic { op, error, operands })
    }

    fn stopped(&mut self, reason: StopReason) -> RunError {
        let fuel = self.engine.fuel();
        let mut error = self.engine.run().error(fuel, reason.into());
        error.span = Some(self.input.span);
        error
    }
}
