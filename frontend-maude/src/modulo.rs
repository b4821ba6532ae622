//! Rules of other languages modulo axioms of their symbols. The rules become equations of a module, whose lowering
//! matches modulo axioms.

use std::sync::Arc;

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::hash::HashMap;
use gchr_base::op::Op as Operator;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, GroundNode, GroundTerm, HeadAtom, Pattern, PatternKind, Program,
    Rule, Start, VarId,
};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::source::Span;
use gchr_base::stack::with_large_stack;

use crate::lower::{Lower, Output, Space};
use crate::modules::Flat;
use crate::signature::{Declaration, ModulePart, Properties, Signature};
use crate::syntax::{EquationKind, Name, TypeName};
use crate::term::{self, Condition, OpKey, Special, Term, TermKind};

/// What holds for a symbol with two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Axioms {
    /// `f(f(x, y), z) = f(x, f(y, z))`.
    pub associative: bool,
    /// `f(x, y) = f(y, x)`.
    pub commutative: bool,
}

/// Rules that match modulo axioms.
#[derive(Clone, Debug)]
pub struct Modulo {
    /// The rules.
    pub program: Program,
    symbols: Arc<HashMap<SymbolId, SymbolId>>,
}

impl Modulo {
    /// A term over the symbols of the rules that these were made of.
    pub fn term(&self, mut term: GroundTerm) -> GroundTerm {
        for node in &mut term.nodes {
            match node {
                GroundNode::App(symbol) | GroundNode::Repeat(symbol, _) => {
                    *symbol = self.symbols.get(symbol).copied().unwrap_or(*symbol);
                }
                GroundNode::Const(_) | GroundNode::Op(..) => {}
            }
        }
        if let Some(GroundNode::App(root) | GroundNode::Repeat(root, _)) = term.nodes.last() {
            term.sort = self.program.signature.symbols[*root].result;
        }
        term
    }
}

/// The rules of a program whose terms are made of its symbols alone, modulo axioms of some of them. What is wrong is
/// reported; then nothing comes out. The symbols of the start term are those of `program`.
pub fn modulo(
    program: &Program,
    axioms: &HashMap<SymbolId, Axioms>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Modulo> {
    with_large_stack(|| {
        let source = Source::new(program, axioms);
        let part = source.part();
        let variables = Arc::default();
        let parts = vec![Arc::new(part)];
        let signature = Arc::new(Signature::new(&parts, diagnostics));
        if has_errors(diagnostics) {
            return None;
        }
        let mut out = Output::new();
        let mut space = Space::new(&Flat::of_parts(parts, variables), signature.clone(), &mut out);
        Lower { space: &mut space, out: &mut out }.finish();
        diagnostics.append(&mut out.diagnostics);
        if has_errors(diagnostics) {
            return None;
        }
        let call = |(symbol, key): (&SymbolId, &Arc<OpKey>)| Some((*symbol, space.call(signature.op(key)?)));
        let symbols = Arc::new(source.keys.iter().filter_map(call).collect());
        let mut made = out.program();
        made.signature.big_integers = false;
        // The language has a notation of its own.
        made.signature.notations.clear();
        let mut modulo = Modulo { program: made, symbols };
        if let Start::Term(Some(term)) = &program.start {
            modulo.program.start = Start::Term(Some(modulo.term(term.clone())));
        }
        Some(modulo)
    })
}

/// The program that is read.
struct Source<'p> {
    program: &'p Program,
    axioms: &'p HashMap<SymbolId, Axioms>,
    /// Symbols as operators.
    keys: HashMap<SymbolId, Arc<OpKey>>,
}

impl<'p> Source<'p> {
    fn new(program: &'p Program, axioms: &'p HashMap<SymbolId, Axioms>) -> Self {
        let mut source = Self { program, axioms, keys: HashMap::default() };
        let booleans = program.signature.booleans.sort;
        for (id, symbol) in program.signature.symbols.iter_enumerated() {
            if symbol.result != booleans {
                let domain = symbol.args.iter().map(|&sort| source.sort(sort)).collect();
                let (name, range) = (symbol.name.as_str().into(), source.sort(symbol.result));
                source.keys.insert(id, Arc::new(OpKey { name, domain, range }));
            }
        }
        source
    }

    fn sort(&self, sort: SortId) -> TypeName {
        TypeName { sort: self.program.signature.sorts[sort].name.as_str().into(), is_kind: false }
    }

    /// The program as what a module declares.
    fn part(&self) -> ModulePart {
        let signature = &self.program.signature;
        let nowhere = Span::new(gchr_base::ids::Id::from_index(0), 0, 0);
        let sorts = signature.sorts.iter_enumerated().filter(|(id, _)| *id != signature.booleans.sort);
        let declared = signature.symbols.iter_enumerated().filter_map(|(id, symbol)| {
            let key = self.keys.get(&id)?;
            let of = self.axioms.get(&id).copied().unwrap_or_default();
            Some(Declaration {
                name: key.name.clone(),
                domain: key.domain.clone(),
                range: key.range.clone(),
                properties: Properties {
                    assoc: of.associative,
                    comm: of.commutative,
                    ..Properties::default()
                },
                span: symbol.span.unwrap_or(nowhere),
            })
        });
        ModulePart {
            key: "the program".into(),
            is_library: false,
            is_theory: false,
            sorts: sorts
                .map(|(_, sort)| Name { text: sort.name.as_str().into(), span: sort.span.unwrap_or(nowhere) })
                .collect(),
            subsorts: Vec::new(),
            ops: declared.collect(),
            rules: self.program.rules.iter().filter_map(|rule| self.rule(rule)).map(Arc::new).collect(),
            unread: Vec::new(),
        }
    }

    fn rule(&self, rule: &Rule) -> Option<term::Rule> {
        let head = rule.heads.first()?;
        let (HeadAtom::Term { symbol, args }, Body::Replace(body)) = (&head.atom, &rule.body) else {
            return None;
        };
        let args = args.iter().map(|arg| self.pattern(arg, rule)).collect();
        Some(term::Rule {
            kind: EquationKind::Equation,
            left: Term { kind: TermKind::App(self.keys[symbol].clone(), args), span: head.span },
            right: Some(self.expr(body, rule)),
            sort: None,
            conditions: rule.guard.iter().filter_map(|goal| self.condition(goal, rule)).collect(),
            otherwise: false,
            span: rule.span,
        })
    }

    fn condition(&self, goal: &Goal, rule: &Rule) -> Option<Condition> {
        match &goal.kind {
            GoalKind::Match { value, pattern } => {
                Some(Condition::Match(self.pattern(pattern, rule), self.expr(value, rule)))
            }
            GoalKind::Test(Expr { kind: ExprKind::Op { op, args }, .. }) => {
                let mut args: Vec<Term> = args.iter().map(|arg| self.expr(arg, rule)).collect();
                match op {
                    Operator::Same => {
                        let right = args.pop()?;
                        Some(Condition::Equal(args.pop()?, right))
                    }
                    _ => {
                        let kind = TermKind::Special(Special::Differ, args);
                        Some(Condition::Holds(Term { kind, span: goal.span }))
                    }
                }
            }
            _ => None,
        }
    }

    fn variable(&self, var: VarId, rule: &Rule, span: Span) -> Term {
        let declared = &rule.vars[var];
        Term { kind: TermKind::Var(declared.name.as_str().into(), self.sort(declared.sort)), span }
    }

    fn pattern(&self, pattern: &Pattern, rule: &Rule) -> Term {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Var(var) => self.variable(*var, rule, span),
            PatternKind::App { symbol, args } => {
                let args = args.iter().map(|arg| self.pattern(arg, rule)).collect();
                Term { kind: TermKind::App(self.keys[symbol].clone(), args), span }
            }
            PatternKind::Wild | PatternKind::Const(_) => {
                unreachable!("terms are made of symbols and variables")
            }
        }
    }

    fn expr(&self, expr: &Expr, rule: &Rule) -> Term {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => self.variable(*var, rule, span),
            ExprKind::App { symbol, args } => {
                let args = args.iter().map(|arg| self.expr(arg, rule)).collect();
                Term { kind: TermKind::App(self.keys[symbol].clone(), args), span }
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let arg = Box::new(self.expr(arg, rule));
                Term { kind: TermKind::Repeat(self.keys[symbol].clone(), *count, arg), span }
            }
            ExprKind::Const(_) | ExprKind::Op { .. } => {
                unreachable!("terms are made of symbols and variables")
            }
        }
    }
}
