//! The evaluator: one frame for each pending application, nothing freed.

use std::rc::Rc;

use super::code::{Ins, RuleCode, Slot};
use super::{Application, Applied, Cell, Node, START, TermDerivation, Top};
use crate::exec::{Computed, compute};
use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::ids::IdVec;
use gchr_base::memory::{self, Shortage};
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::{Const, GroundNode, GroundTerm, Pattern, PatternKind, Program, RuleId};
use gchr_base::signature::{SortKind, SymbolId};

/// Applications, or steps of matching and building, between two looks at the control.
const LOOK: u64 = 1 << 13;
/// Characters of a redex in an error.
const WIDTH: usize = 200;

type Stop = Box<RunError>;

pub(super) struct Machine<'a, 'm, 'c> {
    made: TermDerivation<'a>,
    rules: IdVec<SymbolId, Rc<[RuleCode<'a>]>>,
    control: &'m mut Control<'c>,
    fuel: u64,
    /// Steps until the control is asked.
    until_poll: u64,
}

/// A symbol that is applied to normal forms.
struct Frame {
    symbol: SymbolId,
    args: Vec<Node>,
    /// Which of the rules of the symbol is tried.
    rule: usize,
    slots: Vec<Node>,
    pc: usize,
    /// How many more times the symbol of the repetition at hand is applied.
    repeat: Option<u32>,
    /// In whose right-hand side the application is.
    caller: Application,
    /// The application that this is, once a rule is applied; the caller until then.
    own: Application,
    /// The slot of the frame below that takes the value.
    dst: Slot,
}

impl Frame {
    /// A step gave a value.
    fn put(&mut self, dst: Slot, value: Node) {
        self.slots[dst as usize] = value;
        self.pc += 1;
    }

    /// Goes on if the rule still applies, else with the rule after it.
    fn or_next_rule(&mut self, applies: bool) {
        if applies {
            self.pc += 1;
        } else {
            self.rule += 1;
            (self.pc, self.repeat) = (0, None);
            self.slots.clear();
        }
    }
}

/// No value yet.
const NONE: Node = u32::MAX;

impl<'a, 'm, 'c> Machine<'a, 'm, 'c> {
    pub(super) fn new(program: &'a Program, control: &'m mut Control<'c>) -> Self {
        let of_symbol =
            |ids: &Vec<RuleId>| ids.iter().map(|&id| RuleCode::new(id, &program.rules[id])).collect();
        let rules = program.rules_by_symbol().iter().map(of_symbol).collect();
        let (cells, fields, applied, redexes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let made = TermDerivation { program, cells, fields, applied, redexes, root: 0 };
        let fuel = control.fuel(0, LOOK);
        Self { made, rules, control, fuel, until_poll: LOOK }
    }

    pub(super) fn run(mut self, input: &GroundTerm) -> Result<TermDerivation<'a>, Stop> {
        let mut values: Vec<Node> = Vec::new();
        for node in &input.nodes {
            self.look()?;
            let value = match *node {
                GroundNode::Const(Const::Int(n)) => self.cell(Top::Int(n), &[], START)?,
                GroundNode::Const(Const::Float(x)) => self.cell(Top::Float(x.to_bits()), &[], START)?,
                GroundNode::Const(Const::Atom(_) | Const::Str(_)) => {
                    return Err(self.internal("a text in a term"));
                }
                GroundNode::App(symbol) => {
                    let arity = self.made.program.signature.arity(symbol);
                    let args = values.split_off(values.len().saturating_sub(arity));
                    self.apply(symbol, args)?
                }
                GroundNode::Repeat(symbol, count) => {
                    let mut value = values.pop().unwrap_or(NONE);
                    for _ in 0..count {
                        value = self.apply(symbol, vec![value])?;
                    }
                    value
                }
                GroundNode::Op(op, _) => {
                    let second = if op.arity() == 2 { values.pop() } else { None };
                    let first = values.pop().unwrap_or(NONE);
                    self.start_operator(op, first, second.unwrap_or(first))?
                }
            };
            values.push(value);
        }
        self.made.root = values.pop().unwrap_or(NONE);
        Ok(self.made)
    }

    /// Operands of a start term have been evaluated both.
    fn start_operator(&mut self, op: Op, first: Node, second: Node) -> Result<Node, Stop> {
        if matches!(op, Op::Both | Op::Either) {
            return match self.decides(op, first, None)? {
                Some(value) => Ok(value),
                None => self.truth_of(op, first, second, None),
            };
        }
        self.operate(op, first, second, START, None)
    }

    /// The normal form of a symbol of the start term applied to normal forms.
    fn apply(&mut self, symbol: SymbolId, args: Vec<Node>) -> Result<Node, Stop> {
        if self.rules[symbol].is_empty() {
            return self.stuck(symbol, &args, START, None);
        }
        let mut frames = vec![self.frame(symbol, args, START, 0)];
        loop {
            let Some(frame) = frames.last_mut() else { return Err(self.internal("no frame")) };
            match self.go_on(frame)? {
                Next::Call { dst, symbol, args, caller } => {
                    let frame = self.frame(symbol, args, caller, dst);
                    let room = memory::reserve(&mut frames, 1);
                    room.map_err(|shortage| self.short(shortage))?;
                    frames.push(frame);
                }
                Next::Value(value) => {
                    let dst = frames.pop().map_or(0, |frame| frame.dst);
                    match frames.last_mut() {
                        Some(caller) => caller.slots[dst as usize] = value,
                        None => return Ok(value),
                    }
                }
            }
        }
    }

    fn frame(&self, symbol: SymbolId, args: Vec<Node>, caller: Application, dst: Slot) -> Frame {
        // What conditions evaluate is of the right-hand side around the application: no rule is applied yet.
        let (slots, own) = (Vec::new(), caller);
        Frame { symbol, args, rule: 0, slots, pc: 0, repeat: None, caller, own, dst }
    }

    /// Goes on with a frame up to its next call, or to its value.
    fn go_on(&mut self, frame: &mut Frame) -> Result<Next, Stop> {
        let rules = Rc::clone(&self.rules[frame.symbol]);
        loop {
            if frame.pc == 0 && frame.slots.is_empty() && !self.enter_rule(frame)? {
                let Frame { symbol, args, caller, .. } = frame;
                return self.stuck(*symbol, args, *caller, None).map(Next::Value);
            }
            if let Some(next) = self.step(frame, &rules[frame.rule])? {
                return Ok(next);
            }
        }
    }

    fn step(&mut self, frame: &mut Frame, rule: &RuleCode<'a>) -> Result<Option<Next>, Stop> {
        let id = Some(rule.rule);
        let at = |s: Slot| s as usize;
        match &rule.code[frame.pc] {
            Ins::Number { dst, top } => frame.put(*dst, self.cell(*top, &[], frame.own)?),
            Ins::Copy { dst, src } => frame.put(*dst, frame.slots[at(*src)]),
            Ins::Apply { dst, symbol, args } => {
                let args: Vec<Node> = args.iter().map(|&arg| frame.slots[at(arg)]).collect();
                if !self.rules[*symbol].is_empty() {
                    frame.pc += 1;
                    return Ok(Some(Next::Call { dst: *dst, symbol: *symbol, args, caller: frame.own }));
                }
                frame.put(*dst, self.stuck(*symbol, &args, frame.own, id)?);
            }
            &Ins::Repeat { dst, symbol, count, src } => {
                return self.repeat(frame, (dst, symbol, count, src), rule.rule);
            }
            &Ins::Operate { dst, op, args: [a, b] } => {
                let (a, b) = (frame.slots[at(a)], frame.slots[at(b)]);
                frame.put(dst, self.operate(op, a, b, frame.own, id)?);
            }
            &Ins::Decide { dst, op, src, to } => match self.decides(op, frame.slots[at(src)], id)? {
                Some(value) => (frame.slots[at(dst)], frame.pc) = (value, to),
                None => frame.pc += 1,
            },
            &Ins::Truth { dst, op, first, src } => {
                let (first, second) = (frame.slots[at(first)], frame.slots[at(src)]);
                frame.put(dst, self.truth_of(op, first, second, id)?);
            }
            &Ins::Guard(src) => {
                let holds = self.truth(frame.slots[at(src)]) == Some(true);
                frame.or_next_rule(holds);
            }
            &Ins::Match { src, pattern } => {
                let value = frame.slots[at(src)];
                let matches = self.matches(&mut frame.slots, &[pattern], &[value])?;
                frame.or_next_rule(matches);
            }
            Ins::Fail => frame.or_next_rule(false),
            Ins::Fire => {
                frame.own = self.fire(rule.rule, frame)?;
                frame.pc += 1;
            }
            &Ins::Return(src) => return Ok(Some(Next::Value(frame.slots[at(src)]))),
        }
        Ok(None)
    }

    /// Finds the first rule from that of the frame on whose left-hand side matches.
    fn enter_rule(&mut self, frame: &mut Frame) -> Result<bool, Stop> {
        while let Some(code) = self.rules[frame.symbol].get(frame.rule) {
            let (head, slots) = (code.head, code.slots);
            frame.slots.clear();
            // One more than there are, so that a rule without any is entered once.
            frame.slots.resize(slots + 1, NONE);
            let patterns: Vec<&Pattern> = head.iter().collect();
            if self.matches(&mut frame.slots, &patterns, &frame.args)? {
                return Ok(true);
            }
            frame.rule += 1;
        }
        Ok(false)
    }

    /// One application of a repetition, or all of them where no rule can apply. `None` when it is done.
    fn repeat(
        &mut self,
        frame: &mut Frame,
        (dst, symbol, count, src): (Slot, SymbolId, u32, Slot),
        rule: RuleId,
    ) -> Result<Option<Next>, Stop> {
        let left = match frame.repeat {
            Some(left) => left,
            None => {
                frame.slots[dst as usize] = frame.slots[src as usize];
                count
            }
        };
        if left == 0 {
            frame.repeat = None;
            frame.pc += 1;
            return Ok(None);
        }
        let value = frame.slots[dst as usize];
        frame.repeat = Some(left - 1);
        if !self.rules[symbol].is_empty() {
            return Ok(Some(Next::Call { dst, symbol, args: vec![value], caller: frame.own }));
        }
        frame.slots[dst as usize] = self.stuck(symbol, &[value], frame.own, Some(rule))?;
        Ok(None)
    }

    fn fire(&mut self, rule: RuleId, frame: &Frame) -> Result<Application, Stop> {
        if self.fuel == 0 {
            let now = self.progress();
            self.control.poll(now).map_err(|reason| self.stop(reason, Some(rule)))?;
            self.fuel = self.control.fuel(now.steps, LOOK);
        }
        self.fuel -= 1;
        let made = &mut self.made;
        let room = memory::reserve(&mut made.redexes, frame.args.len());
        let room = room.and_then(|()| memory::reserve(&mut made.applied, 1));
        room.map_err(|shortage| self.short(shortage))?;
        let made = &mut self.made;
        made.redexes.extend_from_slice(&frame.args);
        let (number, end) = (made.applied.len(), made.redexes.len());
        made.applied.push(Applied { rule, symbol: frame.symbol, end: end as u32, caller: frame.caller });
        self.check(number.max(end))?;
        Ok(number as u32)
    }

    /// A cell. Places have 32 bits.
    fn cell(&mut self, top: Top, args: &[Node], maker: Application) -> Result<Node, Stop> {
        self.look()?;
        let made = &mut self.made;
        let room = memory::reserve(&mut made.fields, args.len());
        let room = room.and_then(|()| memory::reserve(&mut made.cells, 1));
        room.map_err(|shortage| self.short(shortage))?;
        let made = &mut self.made;
        made.fields.extend_from_slice(args);
        let (number, end) = (made.cells.len(), made.fields.len());
        made.cells.push(Cell { top, end: end as u32, maker });
        self.check(number.max(end))?;
        Ok(number as u32)
    }

    fn check(&self, places: usize) -> Result<(), Stop> {
        let limit = u64::from(START);
        match places as u64 >= limit {
            true => Err(self.stop(StopReason::Indices { what: "recorded terms".into(), limit }, None)),
            false => Ok(()),
        }
    }

    /// An application to which no rule applies: a normal form, unless its sort is that of numbers.
    fn stuck(
        &mut self,
        symbol: SymbolId,
        args: &[Node],
        maker: Application,
        rule: Option<RuleId>,
    ) -> Result<Node, Stop> {
        let signature = &self.made.program.signature;
        let result = signature.symbols[symbol].result;
        let node = self.cell(Top::Symbol(symbol), args, maker)?;
        if self.made.program.signature.kind(result) == SortKind::Data {
            return Ok(node);
        }
        let redex = self.made.text(node, WIDTH);
        Err(self.stop(StopReason::NoRule { redex, symbol: Some(symbol) }, rule))
    }

    /// Which truth value a term is.
    fn truth(&self, node: Node) -> Option<bool> {
        let booleans = self.made.program.signature.booleans;
        match self.made.top(node) {
            Top::Symbol(symbol) if symbol == booleans.true_symbol => Some(true),
            Top::Symbol(symbol) if symbol == booleans.false_symbol => Some(false),
            _ => None,
        }
    }

    fn known_truth(&self, op: Op, node: Node, all: &[Node], rule: Option<RuleId>) -> Result<bool, Stop> {
        self.truth(node).ok_or_else(|| self.arithmetic(op, ArithmeticError::Type, all, rule))
    }

    /// The value of a lazy operator, if its first operand decides it.
    fn decides(&self, op: Op, first: Node, rule: Option<RuleId>) -> Result<Option<Node>, Stop> {
        let holds = self.known_truth(op, first, &[first], rule)?;
        Ok((holds == (op == Op::Either)).then_some(first))
    }

    /// The value of a lazy operator whose first operand does not decide it.
    fn truth_of(&self, op: Op, first: Node, second: Node, rule: Option<RuleId>) -> Result<Node, Stop> {
        self.known_truth(op, second, &[first, second], rule).map(|_| second)
    }

    fn truth_cell(&mut self, holds: bool, maker: Application) -> Result<Node, Stop> {
        let booleans = self.made.program.signature.booleans;
        let symbol = if holds { booleans.true_symbol } else { booleans.false_symbol };
        self.cell(Top::Symbol(symbol), &[], maker)
    }

    fn operate(
        &mut self,
        op: Op,
        a: Node,
        b: Node,
        maker: Application,
        rule: Option<RuleId>,
    ) -> Result<Node, Stop> {
        if op == Op::Negate {
            let holds = self.known_truth(op, a, &[a], rule)?;
            return self.truth_cell(!holds, maker);
        }
        let (kind, x, y) = match (self.made.top(a), self.made.top(b)) {
            (Top::Int(x), Top::Int(y)) => (SortKind::Int, x.cast_unsigned(), y.cast_unsigned()),
            (Top::Float(x), Top::Float(y)) => (SortKind::Float, x, y),
            _ if matches!(op, Op::Same | Op::Differ) => {
                let same = self.equal(a, b)?;
                return self.truth_cell(same == (op == Op::Same), maker);
            }
            _ => return Err(self.arithmetic(op, ArithmeticError::Type, &[a, b], rule)),
        };
        let of_kind = |is_float: bool, bits: u64| match is_float {
            true => Top::Float(bits),
            false => Top::Int(bits.cast_signed()),
        };
        match compute(kind, op, x, y) {
            Ok(Computed::Truth(holds)) => self.truth_cell(holds, maker),
            Ok(Computed::Number(bits)) => {
                let is_float = op == Op::ToFloat || (kind == SortKind::Float && !op.rounds());
                self.cell(of_kind(is_float, bits), &[], maker)
            }
            Err(error) => Err(self.arithmetic(op, error, &[a, b], rule)),
        }
    }

    /// Whether terms match patterns; binds variables.
    fn matches(&mut self, slots: &mut [Node], patterns: &[&Pattern], nodes: &[Node]) -> Result<bool, Stop> {
        let mut todo: Vec<(&Pattern, Node)> = patterns.iter().copied().zip(nodes.iter().copied()).collect();
        while let Some((pattern, node)) = todo.pop() {
            self.look()?;
            let fits = match (&pattern.kind, self.made.top(node)) {
                (PatternKind::Wild, _) => true,
                (PatternKind::Var(var), _) => match slots[var.0 as usize] {
                    NONE => {
                        slots[var.0 as usize] = node;
                        true
                    }
                    known => self.equal(known, node)?,
                },
                (PatternKind::Const(Const::Int(n)), Top::Int(m)) => *n == m,
                (PatternKind::Const(Const::Float(x)), Top::Float(bits)) => x.to_bits() == bits,
                (PatternKind::App { symbol, args }, Top::Symbol(found)) if found == *symbol => {
                    todo.extend(args.iter().zip(self.made.args(node).iter().copied()));
                    true
                }
                _ => false,
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equal(&mut self, a: Node, b: Node) -> Result<bool, Stop> {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            self.look()?;
            if a == b {
                continue;
            }
            if self.made.top(a) != self.made.top(b) {
                return Ok(false);
            }
            let pairs = self.made.args(a).iter().copied().zip(self.made.args(b).iter().copied());
            todo.extend(pairs);
        }
        Ok(true)
    }

    /// Looks at the control from time to time.
    fn look(&mut self) -> Result<(), Stop> {
        self.until_poll -= 1;
        if self.until_poll > 0 {
            return Ok(());
        }
        self.until_poll = LOOK;
        let now = self.progress();
        if let Some(shortage) = self.control.memory_shortage(now.bytes) {
            return Err(self.short(shortage));
        }
        match self.control.poll(now) {
            // Only a rule that applies beyond the limit is one too many.
            Ok(()) | Err(StopReason::Steps { .. }) => Ok(()),
            Err(reason) => Err(self.stop(reason, None)),
        }
    }

    fn progress(&self) -> Progress {
        let made = &self.made;
        let cells =
            made.cells.capacity() * size_of::<Cell>() + made.applied.capacity() * size_of::<Applied>();
        let bytes = cells + (made.fields.capacity() + made.redexes.capacity()) * size_of::<Node>();
        Progress { steps: made.applied.len() as u64, bytes: bytes as u64, live: made.cells.len() as u64 }
    }

    fn stop(&self, reason: StopReason, rule: Option<RuleId>) -> Stop {
        let span = rule.map(|rule| self.made.program.rules[rule].span);
        Box::new(RunError { reason, rule, span, progress: self.progress() })
    }

    fn short(&self, shortage: Shortage) -> Stop {
        self.stop(shortage.of("the record of rule applications"), None)
    }

    fn internal(&self, what: &str) -> Stop {
        self.stop(StopReason::Internal { what: what.into() }, None)
    }

    fn arithmetic(&self, op: Op, error: ArithmeticError, all: &[Node], rule: Option<RuleId>) -> Stop {
        let operands = all.iter().take(op.arity()).map(|&node| self.made.text(node, WIDTH)).collect();
        self.stop(StopReason::Arithmetic { op, error, operands }, rule)
    }
}

/// What becomes of a frame.
enum Next {
    /// It waits for a value.
    Call { dst: Slot, symbol: SymbolId, args: Vec<Node>, caller: Application },
    /// It is done.
    Value(Node),
}
