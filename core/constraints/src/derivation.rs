//! What the variables of a recorded rule instance stand for: computed from its constraints when somebody asks, so that
//! the record of a run need not have them.

use crate::exec::evaluate::{Evaluator, Num, numeric};
use gchr_base::derivation::Derivations;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Program, Rule, VarId};
use gchr_base::signature::SymbolId;
use gchr_base::value::{Heap, Word};

/// For each variable of a rule the word that it stands for, of sort `Any` on the heap of the record; `None` where it
/// has none, or not yet.
pub type Bindings = IdVec<VarId, Option<u64>>;

/// The variables of an instance: those of its heads and those that its guard binds. `None` where the constraints of the
/// instance are no longer recorded, or do not match the heads.
pub fn bindings(program: &Program, record: &mut Derivations, instance: u64) -> Option<Bindings> {
    let fired = record.instance(instance)?;
    let rule = &program.rules[fired.rule];
    let mut args = Vec::with_capacity(rule.heads.len());
    for &id in fired.heads {
        args.push(record.constraint(id)?.args.to_vec());
    }
    let mut values = Values::new(program, rule, record.heap_mut());
    for (head, args) in rule.heads.iter().zip(&args) {
        let all = head.atom.args().iter().zip(args).all(|(pattern, &word)| values.matches(pattern, word));
        if !all {
            return None;
        }
    }
    rule.guard.iter().for_each(|goal| values.execute(goal));
    Some(values.bound)
}

/// Values of a rule's variables and expressions.
pub(crate) struct Values<'a> {
    program: &'a Program,
    heap: &'a mut Heap,
    pub(crate) bound: Bindings,
}

impl<'a> Values<'a> {
    /// No variable has a value.
    pub(crate) fn new(program: &'a Program, rule: &Rule, heap: &'a mut Heap) -> Self {
        Self { program, heap, bound: rule.vars.iter().map(|_| None).collect() }
    }

    /// Whether a word matches a pattern; binds the variables that have no value.
    pub(crate) fn matches(&mut self, pattern: &Pattern, word: u64) -> bool {
        let mut todo = vec![(pattern, word)];
        while let Some((pattern, word)) = todo.pop() {
            let fits = match &pattern.kind {
                PatternKind::Wild => true,
                PatternKind::Var(var) => *self.bound[*var].get_or_insert(word) == word,
                PatternKind::Const(constant) => self.constant(*constant) == Some(word),
                PatternKind::App { symbol, args } => match self.heap.view(word) {
                    Word::Compound(found, fields) if found == *symbol && fields.len() == args.len() => {
                        todo.extend(args.iter().zip(fields.iter().copied()));
                        true
                    }
                    _ => false,
                },
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// Binds what a goal binds. Tests are taken to hold: the rule fired.
    pub(crate) fn execute(&mut self, goal: &Goal) {
        match &goal.kind {
            GoalKind::Bind { var, value } => self.bound[*var] = self.value(value),
            GoalKind::Match { value, pattern } => {
                if let Some(word) = self.value(value) {
                    self.matches(pattern, word);
                }
            }
            GoalKind::Test(_)
            | GoalKind::Add { .. }
            | GoalKind::Fail
            | GoalKind::Write { .. }
            | GoalKind::Newline => {}
        }
    }

    /// The value of an expression; `None` where it is a truth value, or has none. Rules nest to a bounded depth.
    pub(crate) fn value(&mut self, expr: &Expr) -> Option<u64> {
        match &expr.kind {
            ExprKind::Var(var) => self.bound[*var],
            ExprKind::Const(constant) => self.constant(*constant),
            ExprKind::App { symbol, args } => {
                let mut words = Vec::with_capacity(args.len());
                for arg in args {
                    words.push(self.value(arg)?);
                }
                self.compound(*symbol, &words)
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let mut word = self.value(arg)?;
                for _ in 0..*count {
                    word = self.compound(*symbol, &[word])?;
                }
                Some(word)
            }
            ExprKind::Op { op, .. } if op.is_test() => None,
            ExprKind::Op { op, args } => {
                let first = self.number(args.first()?)?;
                let second = match args.get(1) {
                    Some(arg) => self.number(arg)?,
                    None => Num::Int(0),
                };
                match numeric(*op, first, second).ok()? {
                    Num::Int(n) => self.heap.int(n).ok(),
                    Num::Float(x) => self.heap.float(x).ok(),
                }
            }
        }
    }

    fn compound(&mut self, symbol: SymbolId, words: &[u64]) -> Option<u64> {
        self.heap.compound(symbol, words).ok()
    }

    fn number(&mut self, expr: &Expr) -> Option<Num> {
        let word = self.value(expr)?;
        match self.heap.view(word) {
            Word::Int(n) => Some(Num::Int(n)),
            Word::Float(x) => Some(Num::Float(x)),
            _ => {
                let evaluator = Evaluator { signature: &self.program.signature, heap: self.heap };
                evaluator.evaluate(word).ok()
            }
        }
    }

    fn constant(&mut self, constant: Const) -> Option<u64> {
        match constant {
            Const::Int(n) => self.heap.int(n).ok(),
            Const::Float(x) => self.heap.float(x).ok(),
            Const::Atom(text) => Some(Heap::atom(text)),
            Const::Str(text) => Some(Heap::str(text)),
        }
    }
}
