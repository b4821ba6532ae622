//! Rules of other languages modulo axioms of their symbols. The rules become equations of a module, whose lowering
//! matches modulo axioms.

use std::sync::Arc;

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::Op as Operator;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, GroundNode, GroundTerm, HeadAtom, Pattern, PatternKind, Program,
    Rule, RuleId, Start, VarId,
};
use gchr_base::signature::{self as ir, SortId, SortKind, Symbol, SymbolId};
use gchr_base::source::Span;
use gchr_base::stack::with_large_stack;

use crate::lower::{Lower, Output, Space};
use crate::modules::Flat;
use crate::signature::{Declaration, Identity, ModulePart, Properties, Signature};
use crate::syntax::{EquationKind, Name, TypeName};
use crate::term::{self, Condition, OpKey, Term, TermKind};

/// What holds for a symbol with two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Axioms {
    /// `f(f(x, y), z) = f(x, f(y, z))`.
    pub associative: bool,
    /// `f(x, y) = f(y, x)`.
    pub commutative: bool,
    /// The constant `e` with `f(e, x) = x = f(x, e)`.
    pub identity: Option<SymbolId>,
}

/// Rules that match modulo axioms.
#[derive(Clone, Debug)]
pub struct Modulo {
    /// The rules.
    pub program: Program,
    symbols: Arc<HashMap<SymbolId, SymbolId>>,
    sorts: Arc<HashMap<SortId, SortId>>,
}

impl Modulo {
    /// A term over the symbols of the rules that these were made of.
    pub fn term(&self, mut term: GroundTerm) -> GroundTerm {
        let sort = |of: SortId| self.sorts.get(&of).copied().unwrap_or(of);
        for node in &mut term.nodes {
            match node {
                GroundNode::App(symbol) | GroundNode::Repeat(symbol, _) => {
                    *symbol = self.symbols.get(symbol).copied().unwrap_or(*symbol);
                }
                GroundNode::Op(_, of) => *of = sort(*of),
                GroundNode::Const(_) => {}
            }
        }
        term.sort = sort(term.sort);
        term
    }
}

/// The rules of a program modulo axioms of some of its symbols; `otherwise`: those that are tried when no other one
/// applies. What is wrong is reported; then nothing comes out. The symbols of the start term are those of `program`.
pub fn modulo(
    program: &Program,
    axioms: &HashMap<SymbolId, Axioms>,
    otherwise: &HashSet<RuleId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Modulo> {
    with_large_stack(|| {
        let source = Source::new(program, axioms, otherwise);
        let part = source.part();
        let variables = Arc::default();
        let parts = vec![Arc::new(part)];
        let signature = Arc::new(Signature::new(&parts, diagnostics));
        if has_errors(diagnostics) {
            return None;
        }
        let mut out = source.output();
        let mut space = Space::new(&Flat::of_parts(parts, variables), signature.clone(), &mut out);
        Lower { space: &mut space, out: &mut out }.finish();
        diagnostics.append(&mut out.diagnostics);
        if has_errors(diagnostics) {
            return None;
        }
        let mut made = out.program();
        let ops = source.keys.iter().filter_map(|(&symbol, key)| Some((symbol, signature.op(key)?)));
        let ops: Vec<(SymbolId, usize)> = ops.collect();
        finish(&mut made.signature, &program.signature, &space, &ops);
        let sort = |(id, name): (SortId, &Arc<str>)| Some((id, space.sort_named(name)?));
        let mut modulo = Modulo {
            program: made,
            symbols: Arc::new(ops.iter().map(|&(symbol, op)| (symbol, space.call(op))).collect()),
            sorts: Arc::new(source.sorts.iter_enumerated().filter_map(sort).collect()),
        };
        if let Start::Term(Some(term)) = &program.start {
            modulo.program.start = Start::Term(Some(modulo.term(term.clone())));
        }
        Some(modulo)
    })
}

/// Gives the names and notations of the language back to a signature that was made of another one.
fn finish(made: &mut ir::Signature, of: &ir::Signature, space: &Space, ops: &[(SymbolId, usize)]) {
    made.big_integers = of.big_integers;
    made.notations.clear();
    for &(symbol, op) in ops {
        if let Some(&notation) = of.notations.get(&symbol) {
            made.notations.extend([space.call(op), space.value(op)].map(|made| (made, notation)));
        }
    }
    made.symbols.iter_mut().for_each(|symbol| symbol.name = written(&symbol.name));
    made.sorts.iter_mut().for_each(|sort| sort.name = written(&sort.name));
}

/// Sorts and symbols may share a name: within the module each has a number behind it, between two of these.
const MARK: char = '\0';

fn unique(name: &str, number: usize) -> Arc<str> {
    format!("{name}{MARK}{number}{MARK}").into()
}

/// A name without numbers.
fn written(name: &str) -> String {
    name.split(MARK).step_by(2).collect()
}

/// The program that is read.
struct Source<'p> {
    program: &'p Program,
    axioms: &'p HashMap<SymbolId, Axioms>,
    otherwise: &'p HashSet<RuleId>,
    /// Names of the sorts in the module.
    sorts: IdVec<SortId, Arc<str>>,
    /// Symbols as operators.
    keys: HashMap<SymbolId, Arc<OpKey>>,
}

impl<'p> Source<'p> {
    fn new(
        program: &'p Program,
        axioms: &'p HashMap<SymbolId, Axioms>,
        otherwise: &'p HashSet<RuleId>,
    ) -> Self {
        let sorts = program.signature.sorts.iter_enumerated();
        let sorts = sorts.map(|(id, sort)| unique(&sort.name, id.index())).collect();
        let mut source = Self { program, axioms, otherwise, sorts, keys: HashMap::default() };
        for (id, symbol) in program.signature.symbols.iter_enumerated() {
            let domain = symbol.args.iter().map(|&sort| source.sort(sort)).collect();
            let (name, range) = (unique(&symbol.name, id.index()), source.sort(symbol.result));
            source.keys.insert(id, Arc::new(OpKey { name, domain, range }));
        }
        source
    }

    fn sort(&self, sort: SortId) -> TypeName {
        TypeName { sort: self.sorts[sort].clone(), is_kind: false }
    }

    /// What the rules go to, with the built-in sorts of the program.
    fn output(&self) -> Output {
        let of = &self.program.signature;
        let mut out = Output::new();
        let made = &mut out.signature;
        let booleans = [
            (of.booleans.true_symbol, made.booleans.true_symbol),
            (of.booleans.false_symbol, made.booleans.false_symbol),
        ];
        let sort = made.booleans.sort;
        made.sorts[sort] = of.sorts[of.booleans.sort].clone();
        out.host.sorts.insert(self.sorts[of.booleans.sort].clone(), sort);
        for (from, to) in booleans {
            made.symbols[to] = Symbol { args: Vec::new(), result: sort, ..of.symbols[from].clone() };
            out.host.symbols.insert(self.keys[&from].name.clone(), to);
        }
        for (id, sort) in of.sorts.iter_enumerated().filter(|(_, sort)| sort.kind != SortKind::Data) {
            let known = match sort.kind {
                SortKind::Int => out.int,
                _ => made.sorts.push(sort.clone()),
            };
            out.host.sorts.insert(self.sorts[id].clone(), known);
        }
        out.host.in_order = true;
        out.host.is_plain = true;
        out
    }

    /// The program as what a module declares.
    fn part(&self) -> ModulePart {
        let signature = &self.program.signature;
        let nowhere = Span::new(gchr_base::ids::Id::from_index(0), 0, 0);
        let declared = signature.symbols.iter_enumerated().map(|(id, symbol)| {
            let key = &self.keys[&id];
            let span = symbol.span.unwrap_or(nowhere);
            let of = self.axioms.get(&id).copied().unwrap_or_default();
            let identity = of.identity.map(|of| {
                let kind = TermKind::App(self.keys[&of].clone(), Vec::new());
                let term = Some(Arc::new(Term { kind, span }));
                Identity { left: true, right: true, tokens: Vec::new(), term }
            });
            let (assoc, comm) = (of.associative, of.commutative);
            Declaration {
                name: key.name.clone(),
                domain: key.domain.clone(),
                range: key.range.clone(),
                properties: Properties { assoc, comm, identity, ..Properties::default() },
                span,
            }
        });
        let sorts = signature.sorts.iter_enumerated();
        ModulePart {
            key: "the program".into(),
            is_library: false,
            is_theory: false,
            sorts: sorts
                .map(|(id, sort)| Name { text: self.sorts[id].clone(), span: sort.span.unwrap_or(nowhere) })
                .collect(),
            first_names: self.program.signature.sorts.ids().map(|id| self.sorts[id].clone()).collect(),
            subsorts: Vec::new(),
            ops: declared.collect(),
            rules: self
                .program
                .rules
                .iter_enumerated()
                .filter_map(|(id, rule)| self.rule(id, rule))
                .collect(),
            unread: Vec::new(),
        }
    }

    fn rule(&self, id: RuleId, rule: &Rule) -> Option<Arc<term::Rule>> {
        let head = rule.heads.first()?;
        let (HeadAtom::Term { symbol, args }, Body::Replace(body)) = (&head.atom, &rule.body) else {
            return None;
        };
        let mut of = OfRule { source: self, rule, wild: 0 };
        let args = args.iter().map(|arg| of.pattern(arg)).collect();
        Some(Arc::new(term::Rule {
            kind: EquationKind::Equation,
            left: Term { kind: TermKind::App(self.keys[symbol].clone(), args), span: head.span },
            right: Some(of.expr(body)),
            sort: None,
            conditions: rule.guard.iter().filter_map(|goal| of.condition(goal)).collect(),
            otherwise: self.otherwise.contains(&id),
            span: rule.span,
        }))
    }
}

/// A rule that is read.
struct OfRule<'s, 'p> {
    source: &'s Source<'p>,
    rule: &'s Rule,
    /// How many terms have no names.
    wild: usize,
}

impl OfRule<'_, '_> {
    fn condition(&mut self, goal: &Goal) -> Option<Condition> {
        match &goal.kind {
            GoalKind::Match { value, pattern } => {
                let value = self.expr(value);
                Some(Condition::Match(self.pattern(pattern), value))
            }
            GoalKind::Bind { var, value } => {
                Some(Condition::Match(self.variable(*var, goal.span), self.expr(value)))
            }
            GoalKind::Test(Expr { kind: ExprKind::Op { op: Operator::Same, args }, .. }) => {
                match args.as_slice() {
                    [a, b] => Some(Condition::Equal(self.expr(a), self.expr(b))),
                    _ => None,
                }
            }
            GoalKind::Test(test) => Some(Condition::Holds(self.expr(test))),
            _ => None,
        }
    }

    fn variable(&self, var: VarId, span: Span) -> Term {
        let declared = &self.rule.vars[var];
        let name = match self.rule.vars.iter().filter(|other| other.name == declared.name).count() {
            1 => declared.name.as_str().into(),
            _ => unique(&declared.name, var.index()),
        };
        Term { kind: TermKind::Var(name, self.source.sort(declared.sort)), span }
    }

    fn pattern(&mut self, pattern: &Pattern) -> Term {
        let span = pattern.span;
        let of = self.source.sort(pattern.sort);
        let kind = match &pattern.kind {
            PatternKind::Var(var) => return self.variable(*var, span),
            PatternKind::App { symbol, args } => {
                let args = args.iter().map(|arg| self.pattern(arg)).collect();
                TermKind::App(self.source.keys[symbol].clone(), args)
            }
            PatternKind::Wild => {
                self.wild += 1;
                TermKind::Var(unique("_", self.wild), of)
            }
            PatternKind::Const(value) => TermKind::Value(*value, of),
        };
        Term { kind, span }
    }

    fn expr(&self, expr: &Expr) -> Term {
        let of = self.source.sort(expr.sort);
        let kind = match &expr.kind {
            ExprKind::Var(var) => return self.variable(*var, expr.span),
            ExprKind::App { symbol, args } => {
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                TermKind::App(self.source.keys[symbol].clone(), args)
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let arg = Box::new(self.expr(arg));
                TermKind::Repeat(self.source.keys[symbol].clone(), *count, arg)
            }
            ExprKind::Const(value) => TermKind::Value(*value, of),
            ExprKind::Op { op, args } => {
                TermKind::Operation(*op, args.iter().map(|arg| self.expr(arg)).collect(), of)
            }
        };
        Term { kind, span: expr.span }
    }
}
