//! A naive rewriter: terms as trees, rules tried one after the other, recursion. Defines what the machine must compute.

use std::collections::HashMap;
use std::rc::Rc;

use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::*;
use gchr_base::signature::{SortKind, SymbolId};

/// A term larger than this, counted as a tree, is given up: parts that are shared here are not in its text.
const LARGEST: u64 = 1 << 18;

/// A term.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Term {
    /// With its size as a tree.
    App(SymbolId, Vec<Rc<Term>>, u64),
    Int(i64),
    /// By its bits.
    Float(u64),
}

impl Term {
    fn size(&self) -> u64 {
        match self {
            Term::App(_, _, size) => *size,
            Term::Int(_) | Term::Float(_) => 1,
        }
    }
}

/// Why there is no normal form.
#[derive(PartialEq, Debug)]
pub(crate) enum GiveUp {
    /// Too many steps, too deep, or too large a term: the case is not looked at.
    Limit,
    /// An operand is not a truth value.
    Type,
    /// A stuck application of sort `Int` or `Float`.
    NoRule,
    /// An operator on numbers has no result.
    Number(ArithmeticError),
}
use GiveUp::{Limit, NoRule, Number, Type};

type Value = Result<Rc<Term>, GiveUp>;

pub(crate) struct Rewriter<'a> {
    program: &'a Program,
    pub(crate) rewrites: u64,
    limit: u64,
    depth: u32,
}

/// Values of variables, and of the subterms of one right-hand side evaluated so far, by their text.
#[derive(Clone, Default)]
struct Scope {
    vars: HashMap<VarId, Rc<Term>>,
    known: HashMap<String, Rc<Term>>,
}

impl<'a> Rewriter<'a> {
    pub(crate) fn new(program: &'a Program, limit: u64) -> Self {
        Self { program, rewrites: 0, limit, depth: 0 }
    }

    pub(crate) fn ground(&mut self, input: &GroundTerm) -> Value {
        let mut stack = Vec::new();
        for node in &input.nodes {
            match *node {
                GroundNode::Const(Const::Int(n)) => stack.push(Rc::new(Term::Int(n))),
                GroundNode::Const(Const::Float(x)) => stack.push(Rc::new(Term::Float(x.to_bits()))),
                GroundNode::App(symbol) => {
                    let args = stack.split_off(stack.len() - self.program.signature.arity(symbol));
                    stack.push(self.apply(symbol, args)?);
                }
                GroundNode::Repeat(symbol, count) => {
                    for _ in 0..count {
                        let arg = stack.pop().ok_or(Limit)?;
                        stack.push(self.apply(symbol, vec![arg])?);
                    }
                }
                GroundNode::Op(op, _) => {
                    let b = if op.arity() == 2 { stack.pop() } else { None };
                    let a: Rc<Term> = stack.pop().ok_or(Limit)?;
                    let value = self.operate_on(op, &a, &mut |_| b.clone().ok_or(Limit))?;
                    stack.push(Rc::new(value));
                }
                GroundNode::Const(_) => return Err(Limit),
            }
        }
        stack.pop().ok_or(Limit)
    }

    /// The normal form of a symbol applied to normal forms.
    fn apply(&mut self, symbol: SymbolId, args: Vec<Rc<Term>>) -> Value {
        self.depth += 1;
        if self.rewrites > self.limit || self.depth > 300 {
            return Err(Limit);
        }
        let rules: Vec<RuleId> = self.program.rules_of(symbol).collect();
        for id in rules {
            let rule = &self.program.rules[id];
            let mut scope = Scope::default();
            let matches =
                rule.heads[0].atom.args().iter().zip(&args).all(|(p, a)| matches(p, a, &mut scope.vars));
            if !matches || !self.holds(rule, &mut scope)? {
                continue;
            }
            self.rewrites += 1;
            let Body::Replace(body) = &rule.body else { return Err(Limit) };
            scope.known.clear();
            let value = self.eval(body, &mut scope)?;
            self.depth -= 1;
            return Ok(value);
        }
        self.depth -= 1;
        let result = self.program.signature.symbols[symbol].result;
        if self.program.signature.kind(result) != SortKind::Data {
            return Err(NoRule);
        }
        let size = 1 + args.iter().map(|a| a.size()).sum::<u64>();
        if size > LARGEST {
            return Err(Limit);
        }
        Ok(Rc::new(Term::App(symbol, args, size)))
    }

    fn holds(&mut self, rule: &Rule, scope: &mut Scope) -> Result<bool, GiveUp> {
        for goal in &rule.guard {
            let GoalKind::Test(test) = &goal.kind else { return Err(Limit) };
            if !self.condition(test, scope)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Conjuncts are conditions of their own.
    fn condition(&mut self, test: &Expr, scope: &mut Scope) -> Result<bool, GiveUp> {
        if let ExprKind::Op { op: Op::Both, args } = &test.kind {
            return Ok(self.condition(&args[0], scope)? && self.condition(&args[1], scope)?);
        }
        scope.known.clear();
        let value = self.eval(test, scope)?;
        Ok(*value == self.truth(true))
    }

    fn truth(&self, holds: bool) -> Term {
        let b = self.program.signature.booleans;
        Term::App(if holds { b.true_symbol } else { b.false_symbol }, Vec::new(), 1)
    }

    fn eval(&mut self, expr: &Expr, scope: &mut Scope) -> Value {
        if let ExprKind::Var(v) = expr.kind {
            return Ok(scope.vars[&v].clone());
        }
        let key = text(expr);
        if let Some(known) = scope.known.get(&key) {
            return Ok(known.clone());
        }
        let value = match &expr.kind {
            ExprKind::Var(_) => return Err(Limit),
            ExprKind::Const(Const::Int(n)) => Rc::new(Term::Int(*n)),
            ExprKind::Const(Const::Float(x)) => Rc::new(Term::Float(x.to_bits())),
            ExprKind::Const(_) => return Err(Limit),
            ExprKind::App { symbol, args } => {
                let args = args.iter().map(|a| self.eval(a, scope)).collect::<Result<_, _>>()?;
                self.apply(*symbol, args)?
            }
            ExprKind::Repeat { symbol, count, arg } => {
                // The same as the symbol nested: inner nests are subterms too.
                let inner = if *count == 1 {
                    self.eval(arg, scope)?
                } else {
                    let kind = ExprKind::Repeat { symbol: *symbol, count: count - 1, arg: arg.clone() };
                    self.eval(&Expr { kind, sort: expr.sort, span: expr.span }, scope)?
                };
                self.apply(*symbol, vec![inner])?
            }
            ExprKind::Op { op, args } => Rc::new(self.operate(*op, args, scope)?),
        };
        scope.known.insert(key, value.clone());
        Ok(value)
    }

    fn operate(&mut self, op: Op, args: &[Expr], scope: &mut Scope) -> Result<Term, GiveUp> {
        let a = self.eval(&args[0], scope)?;
        let lazy = matches!(op, Op::Both | Op::Either);
        self.operate_on(op, &a, &mut |rewriter| match lazy {
            // What a second operand evaluates is not known outside.
            true => rewriter.eval(&args[1], &mut scope.clone()),
            false => rewriter.eval(&args[1], scope),
        })
    }

    fn operate_on(
        &mut self,
        op: Op,
        a: &Rc<Term>,
        b: &mut dyn FnMut(&mut Self) -> Value,
    ) -> Result<Term, GiveUp> {
        let (yes, no) = (self.truth(true), self.truth(false));
        if matches!(op, Op::Both | Op::Either | Op::Negate) && **a != yes && **a != no {
            return Err(Type);
        }
        if op == Op::Negate {
            return Ok(if **a == yes { no } else { yes });
        }
        if matches!(op, Op::Both | Op::Either) {
            if (**a == no) == (op == Op::Both) {
                return Ok((**a).clone());
            }
            let b = b(self)?;
            return if *b == yes || *b == no { Ok((*b).clone()) } else { Err(Type) };
        }
        let b = if op.arity() == 1 { a.clone() } else { b(self)? };
        match (&**a, &*b) {
            (a, b) if matches!(op, Op::Same | Op::Differ) => Ok(self.truth((a == b) == (op == Op::Same))),
            (Term::Int(a), Term::Int(b)) if op.is_test() => Ok(self.truth(op.holds(a.cmp(b)))),
            (Term::Int(a), _) if op == Op::ToFloat => Ok(Term::Float((*a as f64).to_bits())),
            (Term::Int(a), Term::Int(b)) => op.int(*a, *b).map(Term::Int).map_err(Number),
            (Term::Float(a), Term::Float(b)) => {
                let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
                if op.is_test() {
                    let order = a.partial_cmp(&b).expect("floats are finite");
                    Ok(self.truth(op.holds(order)))
                } else if op.rounds() {
                    op.float_to_int(a).map(Term::Int).map_err(Number)
                } else {
                    op.float(a, b).map(|x| Term::Float(x.to_bits())).map_err(Number)
                }
            }
            _ => Err(Limit),
        }
    }

    /// The term as the machine prints it, without powers.
    pub(crate) fn show(&self, term: &Term) -> String {
        match term {
            Term::Int(n) => n.to_string(),
            Term::Float(bits) => crate::exec::text::float(f64::from_bits(*bits)),
            Term::App(symbol, args, _) => {
                let name = &self.program.signature.symbols[*symbol].name;
                if args.is_empty() {
                    return name.clone();
                }
                let args: Vec<String> = args.iter().map(|a| self.show(a)).collect();
                format!("{name}({})", args.join(", "))
            }
        }
    }
}

fn matches(pattern: &Pattern, term: &Rc<Term>, vars: &mut HashMap<VarId, Rc<Term>>) -> bool {
    match (&pattern.kind, &**term) {
        (PatternKind::Wild, _) => true,
        (PatternKind::Var(v), _) => match vars.get(v) {
            Some(known) => known == term,
            None => {
                vars.insert(*v, term.clone());
                true
            }
        },
        (PatternKind::Const(Const::Int(n)), Term::Int(m)) => n == m,
        (PatternKind::Const(Const::Float(x)), Term::Float(bits)) => x.to_bits() == *bits,
        (PatternKind::App { symbol, args }, Term::App(s, terms, _)) => {
            symbol == s && args.iter().zip(terms).all(|(p, t)| matches(p, t, vars))
        }
        _ => false,
    }
}

/// An expression as text; repetitions written out.
fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Var(v) => format!("{v}"),
        ExprKind::Const(c) => format!("{c:?}"),
        ExprKind::App { symbol, args } => {
            format!("{symbol}({})", args.iter().map(text).collect::<Vec<_>>().join(","))
        }
        ExprKind::Repeat { symbol, count, arg } => {
            let mut inner = text(arg);
            for _ in 0..*count {
                inner = format!("{symbol}({inner})");
            }
            inner
        }
        ExprKind::Op { op, args } => {
            format!("{op:?}({})", args.iter().map(text).collect::<Vec<_>>().join(","))
        }
    }
}
