//! Start terms: constructors become cells on the host, applications of functions become roots of the device's work.

use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::{Const, GroundNode, GroundTerm};
use gchr_base::signature::{SortId, SortKind, SymbolId};
use gchr_base::source::Span;
use gchr_terms::exec::{COMPARED, Operation, Operators};
use gchr_terms::plan::FunctionId;

use super::Job;
use super::heap::Image;

/// The value of a subterm.
#[derive(Clone, Copy, Debug)]
enum Value {
    /// Its bits.
    Known(u64),
    /// That of a node.
    Of(usize),
}

/// A subterm that needs the device, or the value of one that does.
struct Node {
    what: What,
    args: Vec<Value>,
    value: Option<u64>,
    span: Span,
}

#[derive(Clone, Copy)]
enum What {
    Call(FunctionId),
    Build(SymbolId),
    Operate(Op, SortId),
}

/// Why a start term has no value: an operator that has none, or the end of the run.
pub(super) struct Refused {
    pub reason: StopReason,
    /// Where, if that is a place of the program.
    pub span: Option<Span>,
}

/// Looks at limits and signals.
pub(super) type Poll<'a> = &'a mut dyn FnMut() -> Result<(), StopReason>;

/// Symbols that are applied between two looks at limits and signals.
const WATCHED: u64 = 1 << 20;

/// A call whose arguments are values.
pub(super) struct Root {
    pub function: FunctionId,
    pub args: Vec<u64>,
}

/// The start terms of a run, as far as they are evaluated.
pub(super) struct Start<'a> {
    job: Job<'a>,
    /// All cells.
    pub image: Image,
    nodes: Vec<Node>,
    /// Nodes by the number of launches that must come before they have a value.
    levels: Vec<Vec<usize>>,
    level_of: Vec<usize>,
    wave: usize,
    /// The calls of the launch under way, in ascending order.
    running: Vec<usize>,
    tops: Vec<Value>,
    refused: Option<Refused>,
    /// Words of the cell that is being built.
    words: Vec<u32>,
    /// Symbols applied so far.
    applied: u64,
}

impl<'a> Start<'a> {
    /// Puts the terms into cells as far as they are constructors.
    pub fn new(job: &Job<'a>, poll: Poll<'_>) -> Result<Self, StopReason> {
        let mut start = Self {
            job: *job,
            image: Image::new(job.plan),
            nodes: Vec::new(),
            levels: Vec::new(),
            level_of: Vec::new(),
            wave: 0,
            running: Vec::new(),
            tops: Vec::new(),
            refused: None,
            words: Vec::new(),
            applied: 0,
        };
        let mut stack = Vec::new();
        for input in job.inputs {
            stack.clear();
            for node in &input.nodes {
                start.read(*node, input, &mut stack, poll)?;
            }
            start.tops.push(stack.pop().unwrap_or(Value::Known(0)));
        }
        Ok(start)
    }

    fn read(
        &mut self,
        node: GroundNode,
        input: &GroundTerm,
        stack: &mut Vec<Value>,
        poll: Poll<'_>,
    ) -> Result<(), StopReason> {
        match node {
            GroundNode::Const(c) => stack.push(Value::Known(constant(c))),
            GroundNode::App(symbol) => self.apply(symbol, input.span, stack, poll)?,
            GroundNode::Repeat(symbol, count) => {
                for _ in 0..count {
                    self.apply(symbol, input.span, stack, poll)?;
                }
            }
            GroundNode::Op(op, sort) => {
                let args = stack.split_off(stack.len().saturating_sub(op.arity()));
                let value = self.add(What::Operate(op, sort), args, input.span, poll)?;
                stack.push(value);
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        symbol: SymbolId,
        span: Span,
        stack: &mut Vec<Value>,
        poll: Poll<'_>,
    ) -> Result<(), StopReason> {
        self.applied += 1;
        if self.applied.is_multiple_of(WATCHED) {
            poll()?;
        }
        let arity = self.job.program.signature.arity(symbol);
        let first = stack.len().saturating_sub(arity);
        let what = self.job.plan.function_of[symbol].map_or(What::Build(symbol), What::Call);
        let known = |arg: &Value| if let Value::Known(bits) = arg { Some(*bits) } else { None };
        // Most of a large start term: no node, and no memory of its own.
        if matches!(what, What::Build(_)) && stack[first..].iter().all(|arg| known(arg).is_some()) {
            let value = self.build(symbol, stack[first..].iter().filter_map(known))?;
            stack.truncate(first);
            stack.push(Value::Known(value));
            return Ok(());
        }
        let args = stack.split_off(first);
        let value = self.add(what, args, span, poll)?;
        stack.push(value);
        Ok(())
    }

    /// A subterm: its value when there is one already, else a node.
    fn add(&mut self, what: What, args: Vec<Value>, span: Span, poll: Poll<'_>) -> Result<Value, StopReason> {
        let waits = args.iter().map(|arg| if let Value::Of(n) = arg { self.level_of[*n] } else { 0 }).max();
        let level = waits.unwrap_or(0) + usize::from(matches!(what, What::Call(_)));
        let known: Option<Vec<u64>> = args.iter().map(|a| self.known(*a)).collect();
        if level == 0
            && let Some(args) = known
        {
            return Ok(Value::Known(self.evaluate(what, &args, span, poll)?));
        }
        let node = self.nodes.len();
        self.nodes.push(Node { what, args, value: None, span });
        self.level_of.push(level);
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Vec::new());
        }
        self.levels[level].push(node);
        Ok(Value::Of(node))
    }

    fn known(&self, value: Value) -> Option<u64> {
        match value {
            Value::Known(bits) => Some(bits),
            Value::Of(node) => self.nodes[node].value,
        }
    }

    /// The value of what needs no device.
    fn evaluate(&mut self, what: What, args: &[u64], span: Span, poll: Poll<'_>) -> Result<u64, StopReason> {
        match what {
            What::Build(symbol) => self.build(symbol, args.iter().copied()),
            What::Operate(op, sort) => {
                let (a, b) = (args.first().copied().unwrap_or(0), args.get(1).copied().unwrap_or(0));
                match self.operate(op, sort, (a, b), poll)? {
                    Ok(value) => Ok(value),
                    Err(error) => {
                        let kind = self.job.program.signature.kind(sort);
                        let show = |&bits: &u64| match kind {
                            SortKind::Float => format!("{:?}", f64::from_bits(bits)),
                            SortKind::Int => bits.cast_signed().to_string(),
                            _ => self.image.shown(&self.job.plan.layout, sort, bits),
                        };
                        let operands = args.iter().take(op.arity()).map(show).collect();
                        let reason = StopReason::Arithmetic { op, error, operands };
                        self.refused.get_or_insert(Refused { reason, span: Some(span) });
                        Ok(0)
                    }
                }
            }
            What::Call(_) => Ok(0),
        }
    }

    fn build(&mut self, symbol: SymbolId, args: impl Iterator<Item = u64>) -> Result<u64, StopReason> {
        let layout = &self.job.plan.layout;
        let broken = || StopReason::Internal { what: "a start term that is no normal form".into() };
        let (tag, variant) = layout.tag(symbol).zip(layout.variant(symbol)).ok_or_else(broken)?;
        let Some(class) = variant.class else { return Ok(u64::from(tag)) };
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        for (field, arg) in variant.fields.iter().zip(args) {
            words.push(arg as u32);
            if field.wide {
                words.push((arg >> 32) as u32);
            }
        }
        let bits = layout.classes[class].tag_bits;
        let cell = self.image.push(class, bits, &words);
        self.words = words;
        let cell = cell.ok_or_else(|| StopReason::Indices {
            what: super::heap::class_name(self.job.plan, class.index()),
            limit: 1 << (32 - bits),
        })?;
        Ok(u64::from(cell) << bits | u64::from(tag))
    }

    fn operate(
        &self,
        op: Op,
        sort: SortId,
        (a, b): (u64, u64),
        poll: Poll<'_>,
    ) -> Result<Result<u64, ArithmeticError>, StopReason> {
        let layout = &self.job.plan.layout;
        let operators = Operators { signature: &self.job.program.signature, layout };
        Ok(match operators.evaluate(op, sort, a, b) {
            Operation::Done(result) => result,
            Operation::Compare { mut comparison, differ } => {
                let same = loop {
                    match comparison.advance(layout, &self.image, COMPARED) {
                        Some(same) => break same,
                        None => poll()?,
                    }
                };
                Ok(operators.truth(same != differ))
            }
        })
    }

    /// Evaluates what has its arguments, and gives the calls of the next launch; none when everything has a value.
    pub fn next_wave(&mut self, poll: Poll<'_>) -> Result<Vec<Root>, Refused> {
        loop {
            if let Some(refused) = self.refused.take() {
                return Err(refused);
            }
            let Some(level) = self.levels.get(self.wave).cloned() else { return Ok(Vec::new()) };
            let calls = |n: &usize| matches!(self.nodes[*n].what, What::Call(_));
            let (calls, others): (Vec<usize>, Vec<usize>) = level.into_iter().partition(calls);
            if !calls.is_empty() && self.running != calls {
                let roots = calls.iter().map(|&n| self.root(n)).collect();
                self.running = calls;
                return Ok(roots);
            }
            for n in others {
                let (what, span) = (self.nodes[n].what, self.nodes[n].span);
                let args: Vec<u64> = self.arguments(n);
                let value = self.evaluate(what, &args, span, poll).map_err(|reason| {
                    let from_outside = matches!(reason, StopReason::Interrupted | StopReason::Timeout { .. });
                    Refused { reason, span: (!from_outside).then_some(span) }
                });
                self.nodes[n].value = Some(value?);
            }
            self.wave += 1;
        }
    }

    /// Whether something is built or compared before the next launch, or the last one is under way: what it leaves must
    /// be at hand.
    pub fn needs_cells(&self) -> bool {
        let other = |&n: &usize| !matches!(self.nodes[n].what, What::Call(_));
        self.is_last_wave() || self.levels[self.wave].iter().any(other)
    }

    /// Whether no other launch follows the one under way.
    pub fn is_last_wave(&self) -> bool {
        self.wave + 1 >= self.levels.len()
    }

    /// Whether the start terms are done when the launch under way has ended: nothing is built or compared behind it.
    pub fn ends_here(&self) -> bool {
        let is_done = |top: &Value| match top {
            Value::Known(_) => true,
            Value::Of(n) => self.nodes[*n].value.is_some() || self.running.binary_search(n).is_ok(),
        };
        self.is_last_wave() && self.tops.iter().all(is_done)
    }

    fn arguments(&self, node: usize) -> Vec<u64> {
        self.nodes[node].args.iter().map(|&a| self.known(a).unwrap_or(0)).collect()
    }

    fn root(&self, node: usize) -> Root {
        let What::Call(function) = self.nodes[node].what else { unreachable!("only calls are roots") };
        Root { function, args: self.arguments(node) }
    }

    /// The values of the roots of the last wave.
    pub fn results(&mut self, values: Vec<u64>) {
        for (&node, value) in self.running.iter().zip(values) {
            let What::Call(function) = self.nodes[node].what else { continue };
            let wide = self.job.plan.layout.sorts[self.job.plan.functions[function].result].is_wide();
            self.nodes[node].value = Some(if wide { value } else { u64::from(value as u32) });
        }
    }

    /// The values of the start terms with their sorts, once there is no wave any more.
    pub fn values(&self) -> impl Iterator<Item = (SortId, u64)> + '_ {
        self.job.inputs.iter().zip(&self.tops).map(|(input, &top)| (input.sort, self.known(top).unwrap_or(0)))
    }
}

fn constant(value: Const) -> u64 {
    match value {
        Const::Int(n) => n.cast_unsigned(),
        Const::Float(x) => x.to_bits(),
        Const::Atom(text) | Const::Str(text) => text.index() as u64,
    }
}
