//! A term program as a rewrite system: rules between terms with variables.
//!
//! What a rewrite system does not have is noted with each rule: conditions, and operators of built-in sorts. For
//! termination these rules are kept without them: the value of an operator, and of a variable that a condition binds,
//! may be anything.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::rule::{
    Body, Expr, ExprKind, GoalKind, HeadAtom, Pattern, PatternKind, Program, RuleId, VarId,
};
use gchr_base::signature::{SymbolId, SymbolKind};

use crate::terms::{ShownTerm, Substitution, TermId, Terms};

/// Longest `S^n(x)` of a right-hand side that is looked at.
const LONGEST_REPEAT: u32 = 5_000;

/// What of a rule is outside of rewrite systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside {
    /// It has conditions.
    Condition,
    /// It computes with an operator of a built-in sort.
    Operator,
    /// A right-hand side has `S^n(x)` with a very large number.
    Large,
}

impl Outside {
    /// In words, behind "it".
    pub fn text(self) -> &'static str {
        match self {
            Outside::Condition => "has a condition",
            Outside::Operator => "computes with built-in operators",
            Outside::Large => "has a term that is too large",
        }
    }
}

/// A rule between terms.
pub(crate) struct Rewrite {
    /// The rule of the program.
    pub id: RuleId,
    /// The symbol at the root of its left-hand side.
    pub symbol: SymbolId,
    pub left: TermId,
    pub right: TermId,
    /// The calls of its conditions and of its right-hand side.
    pub calls: Vec<TermId>,
    /// The first of what makes it more than a rule between terms.
    pub outside: Option<Outside>,
}

/// The rules of a program, with the terms that they are made of.
pub(crate) struct System<'p> {
    pub program: &'p Program,
    pub terms: Terms,
    pub rules: Vec<Rewrite>,
    /// Rules by the symbol at the root of the left-hand side.
    pub by_symbol: HashMap<SymbolId, Vec<usize>>,
}

impl<'p> System<'p> {
    /// The rules of a term program.
    pub fn new(program: &'p Program) -> Self {
        let mut terms = Terms::default();
        let mut rules = Vec::new();
        let mut by_symbol: HashMap<SymbolId, Vec<usize>> = HashMap::default();
        for (id, rule) in program.rules.iter_enumerated() {
            let Some(HeadAtom::Term { symbol, args }) = rule.heads.first().map(|head| &head.atom) else {
                continue;
            };
            let mut reader = Reader {
                program,
                id,
                terms: &mut terms,
                variables: HashMap::default(),
                calls: Vec::new(),
                called: HashSet::default(),
                outside: (!rule.guard.is_empty()).then_some(Outside::Condition),
            };
            let args: Box<[TermId]> = args.iter().map(|arg| reader.pattern(arg)).collect();
            let left = reader.terms.app(*symbol, args);
            for goal in &rule.guard {
                match &goal.kind {
                    GoalKind::Test(value)
                    | GoalKind::Bind { value, .. }
                    | GoalKind::Match { value, .. }
                    | GoalKind::Write { value, .. } => {
                        reader.expression(value);
                    }
                    GoalKind::Add { .. } | GoalKind::Fail | GoalKind::Newline => {}
                }
            }
            let Body::Replace(value) = &rule.body else { continue };
            let right = reader.expression(value);
            let Reader { calls, outside, .. } = reader;
            by_symbol.entry(*symbol).or_default().push(rules.len());
            rules.push(Rewrite { id, symbol: *symbol, left, right, calls, outside });
        }
        Self { program, terms, rules, by_symbol }
    }

    /// The rules that are more than rules between terms, and why.
    pub fn outside(&self) -> Vec<(RuleId, Outside)> {
        self.rules.iter().filter_map(|rule| Some((rule.id, rule.outside?))).collect()
    }

    /// The sides of a rule with variables of their own.
    pub fn renamed(&mut self, rule: usize, suffix: &str) -> (TermId, TermId) {
        let (left, right) = (self.rules[rule].left, self.rules[rule].right);
        let mut by: Substitution = HashMap::default();
        for variable in self.terms.variables_of(left) {
            let name = format!("{}{suffix}", self.terms.name(variable));
            let renamed = self.terms.variable(name);
            by.insert(variable, renamed);
        }
        (self.terms.substitute(left, &by), self.terms.substitute(right, &by))
    }

    /// A term as text, up to some length.
    pub fn text(&self, term: TermId) -> String {
        self.marked(term, "")
    }

    /// A term as text with a mark behind the symbol at its root.
    pub fn marked(&self, term: TermId, mark: &'static str) -> String {
        const LONGEST: usize = 400;
        let signature = &self.program.signature;
        gchr_base::limited::cut(ShownTerm { terms: &self.terms, signature, term, mark }, LONGEST)
    }

    /// Whether rules have the symbol at the root of their left-hand sides.
    pub fn is_defined(&self, symbol: SymbolId) -> bool {
        self.program.signature.symbols[symbol].kind == SymbolKind::Defined
    }
}

/// Makes terms of the patterns and expressions of a rule.
struct Reader<'p, 't> {
    program: &'p Program,
    id: RuleId,
    terms: &'t mut Terms,
    variables: HashMap<VarId, TermId>,
    calls: Vec<TermId>,
    called: HashSet<TermId>,
    outside: Option<Outside>,
}

impl Reader<'_, '_> {
    fn variable(&mut self, var: VarId) -> TermId {
        let Self { program, id, terms, variables, .. } = self;
        let name = || program.rules[*id].vars[var].name.clone();
        *variables.entry(var).or_insert_with(|| terms.variable(name()))
    }

    fn pattern(&mut self, pattern: &Pattern) -> TermId {
        let mut nodes = Vec::new();
        pattern.walk(&mut |pattern| nodes.push(pattern));
        // Parents first, from the left: from the end on, arguments come before what they are arguments of.
        let mut made = Vec::new();
        for pattern in nodes.into_iter().rev() {
            let term = match &pattern.kind {
                PatternKind::Wild => self.terms.variable("_".into()),
                PatternKind::Var(var) => self.variable(*var),
                PatternKind::Const(c) => self.terms.constant(*c),
                PatternKind::App { symbol, args } => {
                    let args = take(&mut made, args.len());
                    self.terms.app(*symbol, args)
                }
            };
            made.push(term);
        }
        made.pop().unwrap_or_else(|| unreachable!("a pattern is at least one node"))
    }

    fn expression(&mut self, expr: &Expr) -> TermId {
        let mut nodes = Vec::new();
        expr.walk(&mut |expr| nodes.push(expr));
        let mut made = Vec::new();
        for expr in nodes.into_iter().rev() {
            let term = match &expr.kind {
                ExprKind::Var(var) => self.variable(*var),
                ExprKind::Const(c) => self.terms.constant(*c),
                ExprKind::App { symbol, args } => {
                    let args = take(&mut made, args.len());
                    self.application(*symbol, args)
                }
                ExprKind::Repeat { symbol, count, .. } => {
                    let arg = take(&mut made, 1);
                    self.repeated(*symbol, *count, arg)
                }
                ExprKind::Op { args, .. } => {
                    take(&mut made, args.len());
                    self.outside.get_or_insert(Outside::Operator);
                    self.terms.variable("_".into())
                }
            };
            made.push(term);
        }
        made.pop().unwrap_or_else(|| unreachable!("an expression is at least one node"))
    }

    fn application(&mut self, symbol: SymbolId, args: Box<[TermId]>) -> TermId {
        let term = self.terms.app(symbol, args);
        let is_defined = self.program.signature.symbols[symbol].kind == SymbolKind::Defined;
        if is_defined && self.called.insert(term) {
            self.calls.push(term);
        }
        term
    }

    fn repeated(&mut self, symbol: SymbolId, count: u32, mut arg: Box<[TermId]>) -> TermId {
        if count > LONGEST_REPEAT {
            self.outside = Some(Outside::Large);
            return self.terms.variable("_".into());
        }
        for _ in 1..count {
            arg = Box::new([self.application(symbol, arg)]);
        }
        self.application(symbol, arg)
    }
}

/// The last so many, the last one first.
fn take(made: &mut Vec<TermId>, count: usize) -> Box<[TermId]> {
    made.drain(made.len() - count..).rev().collect()
}
