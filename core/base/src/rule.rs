//! The common rule IR: what both languages are lowered to and every plan is made from.
//!
//! A [`Program`] is a signature, rules in textual order and a start. A rule has kept and removed heads, a guard and a
//! body. A rewrite rule `l = r` is a rule with one removed head (the redex `l`) that its body replaces in place by one
//! term; a CHR rule has heads over a store of constraints and a body of goals. Patterns, expressions and spans are the
//! same for both. Frontends build programs, [`verify()`] checks them, [`Display`](std::fmt::Display) prints them.

mod ground;
mod integer;
mod outline;
mod print;
mod verify;

pub use outline::Outline;
pub use print::Shown;
pub use verify::verify;

use crate::define_id;
use crate::ids::IdVec;
use crate::op::Op;
use crate::signature::{ConstraintId, Signature, SortId, SymbolId, TextId};
use crate::source::Span;

define_id!(
    /// A rule.
    RuleId, "rule"
);
define_id!(
    /// A variable of one rule or query.
    VarId, "v"
);

/// A constant of a built-in sort. Floats are equal when their bits are: `0.0` and `-0.0` are two constants.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// Of sort `Int`, or an integer of sort `Any`.
    Int(i64),
    /// Of sort `Float`, or a float of sort `Any`; always finite.
    Float(f64),
    /// Of sort `Atom`, or an atom of sort `Any`.
    Atom(TextId),
    /// Of sort `Str`, or a string of sort `Any`.
    Str(TextId),
}

impl PartialEq for Const {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Const::Int(a), Const::Int(b)) => a == b,
            (Const::Float(a), Const::Float(b)) => a.to_bits() == b.to_bits(),
            (Const::Atom(a), Const::Atom(b)) | (Const::Str(a), Const::Str(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Const {}

impl std::hash::Hash for Const {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Const::Int(n) => n.hash(state),
            Const::Float(x) => x.to_bits().hash(state),
            Const::Atom(text) | Const::Str(text) => text.hash(state),
        }
    }
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Var {
    /// Name in the source; `_` for an anonymous one.
    pub name: String,
    /// Sort of the values it is bound to.
    pub sort: SortId,
    /// First occurrence.
    pub span: Span,
}

/// What a head argument, or a term that is taken apart, must look like. A variable that occurs again stands for an
/// equal value.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// Shape.
    pub kind: PatternKind,
    /// Sort of the values it is matched against.
    pub sort: SortId,
    /// Place in the source.
    pub span: Span,
}

/// Shape of a [`Pattern`].
#[derive(Clone, PartialEq, Debug)]
pub enum PatternKind {
    /// Any value.
    Wild,
    /// Any value at the first occurrence, an equal one at each later occurrence.
    Var(VarId),
    /// This value.
    Const(Const),
    /// A value built by this symbol.
    App {
        /// Constructor, functor, or a defined symbol whose application can be a normal form.
        symbol: SymbolId,
        /// One pattern an argument.
        args: Vec<Pattern>,
    },
}

/// A term to build or to evaluate.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Shape.
    pub kind: ExprKind,
    /// Sort of the value.
    pub sort: SortId,
    /// Place in the source.
    pub span: Span,
}

/// Shape of an [`Expr`].
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// Value of a bound variable.
    Var(VarId),
    /// A constant.
    Const(Const),
    /// A constructor or functor applied (builds a value), or a defined symbol applied (is rewritten).
    App {
        /// Head symbol.
        symbol: SymbolId,
        /// Arguments, evaluated from left to right.
        args: Vec<Expr>,
    },
    /// A unary symbol applied `count` times: `S^24(x)`. `count` is at least 1.
    Repeat {
        /// Head symbol; argument and result have the same sort.
        symbol: SymbolId,
        /// How often it is applied.
        count: u32,
        /// Innermost argument.
        arg: Box<Expr>,
    },
    /// A built-in operator. The second operand of `Both` and `Either` is evaluated only when it matters.
    Op {
        /// The operator.
        op: Op,
        /// Operands, evaluated from left to right.
        args: Vec<Expr>,
    },
}

/// Whether a head stays or goes when its rule fires.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Stays in the store.
    Kept,
    /// Is removed from the store, or is the redex that is replaced.
    Removed,
}

/// A head of a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// Kept or removed.
    pub role: Role,
    /// What it matches.
    pub atom: HeadAtom,
    /// Never tried with the active constraint (`pragma passive`).
    pub passive: bool,
    /// Place in the source.
    pub span: Span,
}

/// What a head matches.
#[derive(Clone, PartialEq, Debug)]
pub enum HeadAtom {
    /// A redex: an application of a defined symbol to normal forms.
    Term {
        /// Defined symbol.
        symbol: SymbolId,
        /// One pattern an argument.
        args: Vec<Pattern>,
    },
    /// A constraint of the store.
    Constraint {
        /// Constraint symbol.
        constraint: ConstraintId,
        /// One pattern a column.
        args: Vec<Pattern>,
    },
}

/// A step of a guard or a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Goal {
    /// What it does.
    pub kind: GoalKind,
    /// Place in the source.
    pub span: Span,
}

/// What a [`Goal`] does.
#[derive(Clone, PartialEq, Debug)]
pub enum GoalKind {
    /// Must hold (sort `Bool`): else the guard does not, or the derivation of the body fails.
    Test(Expr),
    /// Binds a fresh variable.
    Bind {
        /// Not bound before.
        var: VarId,
        /// Its value.
        value: Expr,
    },
    /// Takes a value apart, binding the fresh variables of the pattern; must match, as for `Test`.
    Match {
        /// The value.
        value: Expr,
        /// What it must look like.
        pattern: Pattern,
    },
    /// Adds a constraint (bodies and queries only).
    Add {
        /// Constraint symbol.
        constraint: ConstraintId,
        /// One argument a column.
        args: Vec<Expr>,
    },
    /// The derivation fails, or the guard does not hold.
    Fail,
    /// Writes a value to the program's output, strings and atoms without quotes (bodies and queries only).
    Write {
        /// The value.
        value: Expr,
        /// Quote atoms and strings where reading back needs it (`print`, `writeq`).
        quoted: bool,
    },
    /// Writes a line end to the program's output (bodies and queries only).
    Newline,
}

/// What a rule does when it fires.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// Replaces the one removed head, a redex, by a term.
    Replace(Expr),
    /// Executes goals from left to right.
    Goals(Vec<Goal>),
}

/// A rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Name in the source, if it has one; unique names are not required.
    pub name: Option<String>,
    /// Variables of heads, guard and body.
    pub vars: IdVec<VarId, Var>,
    /// Heads in textual order (kept before removed where the language says so).
    pub heads: Vec<Head>,
    /// Conditions in textual order; may bind variables.
    pub guard: Vec<Goal>,
    /// What it does.
    pub body: Body,
    /// Place in the source.
    pub span: Span,
}

impl Rule {
    /// Whether no head is removed.
    pub fn is_propagation(&self) -> bool {
        self.heads.iter().all(|h| h.role == Role::Kept)
    }
}

/// A ground term of any size and depth, in postfix order: operands before operators, so that it is evaluated (leftmost
/// innermost), printed and dropped without recursion.
#[derive(Clone, PartialEq, Debug)]
pub struct GroundTerm {
    /// Nodes in postfix order; every prefix of them leaves only complete terms on a stack, the whole leaves one.
    pub nodes: Vec<GroundNode>,
    /// Sort of the whole.
    pub sort: SortId,
    /// Place in the source.
    pub span: Span,
}

/// A node of a [`GroundTerm`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GroundNode {
    /// Pushes a constant.
    Const(Const),
    /// Pops one value an argument, applies the symbol.
    App(SymbolId),
    /// Pops one value, applies the unary symbol so many times (at least once).
    Repeat(SymbolId, u32),
    /// Pops the operands, whose sort is given, applies the operator.
    Op(Op, SortId),
}

/// Goals to run on an empty store; variables are bound in the goals before they are used.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// Variables of the goals.
    pub vars: IdVec<VarId, Var>,
    /// Goals from left to right.
    pub goals: Vec<Goal>,
    /// Place in the source.
    pub span: Span,
}

/// Where the program starts.
#[derive(Clone, PartialEq, Debug)]
pub enum Start {
    /// A term to normalise; `None` when neither the program nor the caller gives one.
    Term(Option<GroundTerm>),
    /// Queries in order, on one store. Facts, when given, are added before them.
    Goals(Vec<Query>),
}

/// How constraints are run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Semantics {
    /// The refined operational semantics: sequential, rules tried in textual order for the active constraint.
    Refined,
    /// Parallel, deterministic rounds.
    Rounds,
}

impl Semantics {
    /// Name on the command line, in programs and in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Semantics::Refined => "refined",
            Semantics::Rounds => "rounds",
        }
    }
}

/// A program: what a frontend makes of a source text.
#[derive(Clone, Debug)]
pub struct Program {
    /// Everything the program names.
    pub signature: Signature,
    /// Rules in textual order.
    pub rules: IdVec<RuleId, Rule>,
    /// Where it starts.
    pub start: Start,
    /// What the program's own options ask for.
    pub semantics: Option<Semantics>,
}

impl Program {
    /// Name of a rule for messages: its own, or `rule 3` by its one-based position.
    pub fn rule_name(&self, id: RuleId) -> String {
        self.rules[id].name.clone().unwrap_or_else(|| format!("rule {}", id.0 + 1))
    }
    /// Whether rules or queries write output.
    pub fn writes(&self) -> bool {
        let rules = self.rules.iter().any(|rule| match &rule.body {
            Body::Goals(goals) => goals.iter().any(Goal::writes),
            Body::Replace(_) => false,
        });
        let Start::Goals(queries) = &self.start else { return rules };
        rules || queries.iter().any(|query| query.goals.iter().any(Goal::writes))
    }
    /// Whether this is a term rewriting program.
    pub fn is_term_program(&self) -> bool {
        matches!(self.start, Start::Term(_))
    }
    /// By symbol, the rules whose redex has it at its head, in textual order.
    pub fn rules_by_symbol(&self) -> IdVec<SymbolId, Vec<RuleId>> {
        let mut rules: IdVec<SymbolId, Vec<RuleId>> =
            self.signature.symbols.iter().map(|_| Vec::new()).collect();
        for (id, rule) in self.rules.iter_enumerated() {
            if let Some(HeadAtom::Term { symbol, .. }) = rule.heads.first().map(|head| &head.atom) {
                rules[*symbol].push(id);
            }
        }
        rules
    }
    /// Rules whose redex has `symbol` at its head, in textual order: looks at all rules of the program.
    pub fn rules_of(&self, symbol: SymbolId) -> impl Iterator<Item = RuleId> + '_ {
        self.rules.iter_enumerated().filter_map(move |(id, rule)| match rule.heads.first()?.atom {
            HeadAtom::Term { symbol: s, .. } if s == symbol => Some(id),
            _ => None,
        })
    }
}

impl Expr {
    /// Calls `f` on this expression and all below it, parents first.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        let mut todo = vec![self];
        while let Some(expr) = todo.pop() {
            f(expr);
            match &expr.kind {
                ExprKind::Var(_) | ExprKind::Const(_) => {}
                ExprKind::App { args, .. } | ExprKind::Op { args, .. } => todo.extend(args.iter().rev()),
                ExprKind::Repeat { arg, .. } => todo.push(arg),
            }
        }
    }

    /// Moves the expressions right below this one, those without any below them left out.
    fn take_nested(&mut self, out: &mut Vec<Expr>) {
        let is_nested = |expr: &Expr| !matches!(expr.kind, ExprKind::Var(_) | ExprKind::Const(_));
        match &mut self.kind {
            ExprKind::App { args, .. } | ExprKind::Op { args, .. } if args.iter().any(is_nested) => {
                out.append(args);
            }
            ExprKind::Repeat { arg, .. } if is_nested(arg) => {
                let nothing = Expr { kind: ExprKind::Var(VarId(0)), sort: arg.sort, span: arg.span };
                out.push(std::mem::replace(arg, nothing));
            }
            _ => {}
        }
    }
}

/// Without recursion, however deep it is.
impl Drop for Expr {
    fn drop(&mut self) {
        let mut todo = Vec::new();
        self.take_nested(&mut todo);
        while let Some(mut expr) = todo.pop() {
            expr.take_nested(&mut todo);
        }
    }
}

/// Without recursion, however deep it is.
impl Drop for Pattern {
    fn drop(&mut self) {
        let mut todo = Vec::new();
        self.take_nested(&mut todo);
        while let Some(mut pattern) = todo.pop() {
            pattern.take_nested(&mut todo);
        }
    }
}

impl Goal {
    /// Calls `f` on all expressions of the goal, and all below them.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            GoalKind::Test(value)
            | GoalKind::Bind { value, .. }
            | GoalKind::Match { value, .. }
            | GoalKind::Write { value, .. } => value.walk(f),
            GoalKind::Add { args, .. } => args.iter().for_each(|arg| arg.walk(f)),
            GoalKind::Fail | GoalKind::Newline => {}
        }
    }
    /// Whether it writes output.
    pub fn writes(&self) -> bool {
        matches!(self.kind, GoalKind::Write { .. } | GoalKind::Newline)
    }
}

impl Rule {
    /// Calls `f` on all expressions of guard and body, and all below them.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.guard.iter().for_each(|goal| goal.walk(f));
        match &self.body {
            Body::Replace(value) => value.walk(f),
            Body::Goals(goals) => goals.iter().for_each(|goal| goal.walk(f)),
        }
    }
}

impl Pattern {
    /// Calls `f` on this pattern and all below it, parents first.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Pattern)) {
        let mut todo = vec![self];
        while let Some(pattern) = todo.pop() {
            f(pattern);
            if let PatternKind::App { args, .. } = &pattern.kind {
                todo.extend(args.iter().rev());
            }
        }
    }

    /// Moves the patterns right below this one, unless none has any below it.
    fn take_nested(&mut self, out: &mut Vec<Pattern>) {
        if let PatternKind::App { args, .. } = &mut self.kind
            && args.iter().any(|arg| matches!(arg.kind, PatternKind::App { .. }))
        {
            out.append(args);
        }
    }
}

impl HeadAtom {
    /// The argument patterns.
    pub fn args(&self) -> &[Pattern] {
        match self {
            HeadAtom::Term { args, .. } | HeadAtom::Constraint { args, .. } => args,
        }
    }
}
