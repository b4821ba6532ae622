//! A rewrite system to the rule IR: what names mean, sorts of all terms, rules and the term to evaluate.

mod build;
mod input;
mod modulo;
mod scope;
mod sorts;
mod strategy;

use gchr_base::diagnostic::{Diagnostic, has_errors, shorten};
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::names::Name;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, GroundNode, GroundTerm, Head, HeadAtom, Pattern, PatternKind,
    Program, Role, Rule, Start, Var, VarId,
};
use gchr_base::signature::{Signature, SortId, SymbolId, SymbolKind};
use gchr_base::source::Span;

pub use input::InputReader;
pub use modulo::MadeReader;
pub(crate) use modulo::made;

use self::scope::{Meaning, Scope};
use crate::system::{Condition, ConditionKind, RuleDeclaration, System};
use crate::term::Term;
use crate::unsupported;

/// Deepest term of a rule: later stages may recurse over the terms of rules, never over the term to evaluate.
const MAX_DEPTH: u32 = 20_000;
/// Most findings that are shown.
const MAX_FINDINGS: usize = 100;

/// Checks and lowers a system. A program comes out only without errors, also of those in `diagnostics`.
/// The terms to evaluate are those of the program as one, and each of them.
pub(crate) fn lower(
    system: &System,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Program, Vec<GroundTerm>)> {
    let scope = Scope::declare(system, diagnostics);
    let mut rules = IdVec::new();
    for rule in &system.rules {
        if diagnostics.len() > MAX_FINDINGS {
            break;
        }
        match (Lowering { scope: &scope, diagnostics, vars: IdVec::new(), ids: HashMap::default() })
            .rule(rule, system)
        {
            Some(rule) => {
                rules.push(rule);
            }
            None => debug_assert!(has_errors(diagnostics)),
        }
    }
    let mut terms = Vec::new();
    for term in &system.terms {
        terms.extend(ground(term, &scope, diagnostics));
    }
    let relative: Vec<Span> =
        system.rules.iter().filter(|rule| rule.relative).map(|rule| rule.span).collect();
    if let Some(&first) = relative.first() {
        diagnostics.push(unsupported::relative(first, relative.len()));
    }
    shorten(diagnostics, MAX_FINDINGS, too_many(), "further ones are not shown");
    if has_errors(diagnostics) {
        return None;
    }
    let mut signature = scope.signature.into_owned();
    let start = GroundTerm::together(terms.clone(), &mut signature);
    let program = Program { signature, rules, start: Start::Term(start), semantics: None };
    debug_assert_eq!(gchr_base::rule::verify(&program), []);
    Some((program, terms))
}

/// The finding that there are more than are shown.
fn too_many() -> Diagnostic {
    Diagnostic::error("T1004", format!("more than {MAX_FINDINGS} errors"))
        .help("is this the format that it is taken for? `--language` says which one it is")
}

/// A term without variables.
fn ground(term: &Term, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<GroundTerm> {
    let sort = scope.root_sort(term);
    let sorts = sorts::of(term, sort, scope, &|_| None, diagnostics)?;
    let mut nodes = Vec::with_capacity(term.nodes.len());
    for node in &term.nodes {
        nodes.push(match scope.meaning(node.name, node.arity) {
            Meaning::Symbol(symbol) => GroundNode::App(symbol),
            Meaning::Repeat(symbol, count) => GroundNode::Repeat(symbol, count),
            Meaning::Variable(_) => {
                diagnostics.push(
                    Diagnostic::error("T1304", "a term to evaluate has no variables")
                        .label(node.span, "this is a variable")
                        .help("put a term in its place"),
                );
                return None;
            }
            Meaning::Unknown => return None,
        });
    }
    Some(GroundTerm { nodes, sort: *sorts.last()?, span: term.span })
}

/// One rule under construction.
struct Lowering<'s, 'a, 'd> {
    scope: &'s Scope<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
    vars: IdVec<VarId, Var>,
    ids: HashMap<Name, VarId>,
}

impl Lowering<'_, '_, '_> {
    /// `None` when something in it is wrong, which then is reported.
    fn rule(mut self, rule: &RuleDeclaration, system: &System) -> Option<Rule> {
        let root = rule.left.root();
        let Meaning::Symbol(symbol) = self.scope.meaning(root.name, root.arity) else {
            if matches!(self.scope.meaning(root.name, root.arity), Meaning::Variable(_)) {
                self.diagnostics.push(
                    Diagnostic::error("T1301", "the left-hand side of a rule is a variable")
                        .label(root.span, "nothing to rewrite")
                        .note("such a rule applies to every term, again and again")
                        .help("a rule rewrites applications of one symbol"),
                );
                return None;
            }
            // Says what is wrong with the symbol.
            sorts::of(&rule.left, None, self.scope, &|_| None, self.diagnostics);
            return None;
        };
        let mut left = self.pattern(&rule.left, Some(self.scope.signature.symbols[symbol].result))?;
        let PatternKind::App { args, .. } = &mut left.kind else { return None };
        let atom = HeadAtom::Term { symbol, args: std::mem::take(args) };
        let mut guard = Vec::new();
        for condition in &rule.conditions {
            guard.push(self.condition(condition, system.conditions)?);
        }
        let right = self.expr(&rule.right, Some(left.sort), "right-hand side")?;
        let head = Head { role: Role::Removed, atom, passive: false, span: rule.left.span };
        let (name, vars) = (None, self.vars);
        Some(Rule { name, vars, heads: vec![head], guard, body: Body::Replace(right), span: rule.span })
    }

    fn condition(&mut self, condition: &Condition, kind: ConditionKind) -> Option<Goal> {
        let (mut left, mut right) = (&condition.left, &condition.right);
        if kind != ConditionKind::Oriented && self.binds(left) && !self.binds(right) {
            (left, right) = (right, left);
        }
        let span = condition.left.span.to(condition.right.span);
        let sort = self.known_sort(left).or_else(|| self.known_sort(right));
        let value = self.expr(left, sort, "condition")?;
        if self.binds(right) && !condition.differ {
            let pattern = self.pattern(right, Some(value.sort))?;
            return Some(Goal { kind: GoalKind::Match { value, pattern }, span });
        }
        let other = self.expr(right, Some(value.sort), "condition")?;
        let op = if condition.differ { Op::Differ } else { Op::Same };
        let kind = ExprKind::Op { op, args: vec![value, other] };
        let test = Expr { kind, sort: self.scope.signature.booleans.sort, span };
        Some(Goal { kind: GoalKind::Test(test), span })
    }

    /// Whether a term has a variable without a value.
    fn binds(&self, term: &Term) -> bool {
        let unbound = |meaning: Meaning, name: &Name| {
            matches!(meaning, Meaning::Variable(_)) && !self.ids.contains_key(name)
        };
        term.nodes.iter().any(|node| unbound(self.scope.meaning(node.name, node.arity), &node.name))
    }

    /// The sort of a term, as far as it follows from its root.
    fn known_sort(&self, term: &Term) -> Option<SortId> {
        let bound = self.ids.get(&term.root().name).map(|&var| self.vars[var].sort);
        self.scope.root_sort(term).or(bound)
    }

    /// The sorts of the nodes of a term.
    fn sorts(&mut self, term: &Term, expected: Option<SortId>) -> Option<Vec<SortId>> {
        let bound = |name: Name| self.ids.get(&name).map(|&var| self.vars[var].sort);
        sorts::of(term, expected, self.scope, &bound, self.diagnostics)
    }

    fn pattern(&mut self, term: &Term, expected: Option<SortId>) -> Option<Pattern> {
        let sorts = self.sorts(term, expected)?;
        let scope = self.scope;
        build::fold(term, self.diagnostics, |node, at, args: Vec<Pattern>| {
            let (sort, span) = (sorts[at], node.span);
            let kind = match scope.meaning(node.name, node.arity) {
                Meaning::Symbol(symbol) => PatternKind::App { symbol, args },
                Meaning::Variable(_) => PatternKind::Var(*self.ids.entry(node.name).or_insert_with(|| {
                    self.vars.push(Var { name: scope.text(node.name).to_string(), sort, span })
                })),
                Meaning::Repeat(..) | Meaning::Unknown => return None,
            };
            Some(Pattern { kind, sort, span })
        })
    }

    fn expr(&mut self, term: &Term, expected: Option<SortId>, place: &str) -> Option<Expr> {
        let sorts = self.sorts(term, expected)?;
        let (scope, ids) = (self.scope, &self.ids);
        let mut unbound = None;
        let expr = build::fold(term, self.diagnostics, |node, at, args: Vec<Expr>| {
            let kind = match scope.meaning(node.name, node.arity) {
                Meaning::Symbol(symbol) => ExprKind::App { symbol, args },
                Meaning::Variable(_) => {
                    let var = ids.get(&node.name).copied();
                    if var.is_none() {
                        unbound = Some(*node);
                    }
                    ExprKind::Var(var?)
                }
                Meaning::Repeat(..) | Meaning::Unknown => return None,
            };
            Some(Expr { kind, sort: sorts[at], span: node.span })
        });
        if let Some(node) = unbound {
            let text = scope.text(node.name);
            self.diagnostics.push(
                Diagnostic::error("T1302", format!("variable `{text}` is not bound"))
                    .label(node.span, format!("used in the {place}, but not in the left-hand side"))
                    .note("only matching gives a variable its value: such a rule has no one result")
                    .help(format!("let `{text}` occur in the left-hand side, or write a term here")),
            );
        }
        expr
    }
}

/// The symbol of a kind that stands at the head of some left-hand side.
fn kind_of(defined: bool) -> SymbolKind {
    if defined { SymbolKind::Defined } else { SymbolKind::Constructor }
}

/// Whether a symbol can be applied to its own result.
fn is_repeatable(signature: &Signature, symbol: SymbolId) -> bool {
    signature.symbols[symbol].args == [signature.symbols[symbol].result]
}
