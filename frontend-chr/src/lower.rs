//! Clauses to rules: variables and modes are resolved here, sorts by [`crate::sorts`] afterwards.
//!
//! Stores hold ground terms, so what each variable is bound to is known from the text alone: a rule is walked from
//! its heads
//! through guard and body, and every goal is lowered by which of its variables are bound at that point.

mod arith;
mod goal;
mod head;
mod output;
mod scope;
mod unify;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;
use gchr_base::rule::{Body, Const, Query, Rule};
use gchr_base::signature::{
    Column, Constraint, Density, Functors, Signature, Sort, SortId, SortKind, SymbolId,
};
use gchr_base::source::Span;

use crate::ast::{self, Arrow, ClauseKind, Module, TermId};
use crate::declare::Declarations;
use crate::types::{Columns, Type};
pub(crate) use scope::Scope;

/// The sorts of a constraint program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sorts {
    pub int: SortId,
    pub float: SortId,
    pub atom: SortId,
    pub str: SortId,
    pub any: SortId,
    pub bool: SortId,
}

impl Sorts {
    /// The sort of values of a kind.
    pub fn of(&self, kind: SortKind) -> SortId {
        match kind {
            SortKind::Int => self.int,
            SortKind::Float => self.float,
            SortKind::Atom => self.atom,
            SortKind::Str => self.str,
            SortKind::Any | SortKind::Data => self.any,
        }
    }
}

/// Lowers the clauses of one program and of its queries.
pub(crate) struct Lowering<'a> {
    pub declarations: &'a Declarations,
    pub signature: Signature,
    pub sorts: Sorts,
    pub diagnostics: Vec<Diagnostic>,
    /// What a plan over ground stores cannot do: what would be errors there, and is none for a logic program.
    pub beyond: Vec<Diagnostic>,
    errors: usize,
    /// Names that are not declared, and reported.
    unknown: HashSet<(String, usize)>,
    functors: Functors,
    /// Whether the goals are those of a query, and no rule's.
    in_query: bool,
}

impl<'a> Lowering<'a> {
    /// Starts with the declared constraints; columns without a declared type have sort `any` for now.
    pub fn new(declarations: &'a Declarations) -> Self {
        let mut signature = Signature::with_builtin_bool();
        let mut sort = |name: &str, kind| signature.sorts.push(Sort { name: name.into(), kind, span: None });
        let sorts = Sorts {
            int: sort("int", SortKind::Int),
            float: sort("float", SortKind::Float),
            atom: sort("atom", SortKind::Atom),
            str: sort("string", SortKind::Str),
            any: sort("any", SortKind::Any),
            bool: signature.booleans.sort,
        };
        let mut types = Columns::new(&declarations.types);
        for declared in &declarations.constraints {
            let columns =
                declared.columns.iter().map(|ty| column(declarations, sorts, ty.as_ref())).collect();
            let constraint = signature.constraints.push(Constraint {
                name: declared.name.clone(),
                columns,
                span: Some(declared.span),
                is_made: false,
            });
            for (column, ty) in declared.columns.iter().enumerate() {
                if let Some(ty) = ty.as_ref().filter(|_| !declarations.unchecked) {
                    types.declare(constraint, column, ty, &mut signature.column_types);
                }
            }
        }
        Self::of_program(declarations, signature, sorts)
    }

    /// Goes on with the signature of a program that was lowered before.
    pub fn of_program(declarations: &'a Declarations, signature: Signature, sorts: Sorts) -> Self {
        let functors = Functors::of(&signature, sorts.any);
        Self {
            declarations,
            signature,
            sorts,
            diagnostics: Vec::new(),
            beyond: Vec::new(),
            errors: 0,
            unknown: HashSet::default(),
            functors,
            in_query: false,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
    }

    /// Reports what only a logic program can do.
    pub(crate) fn beyond(&mut self, diagnostic: Diagnostic) {
        self.beyond.push(diagnostic);
    }

    /// Errors so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The functor of compound terms with a name and a number of arguments.
    fn functor(&mut self, name: &str, arity: usize, span: Span) -> SymbolId {
        self.functors.functor(&mut self.signature, name, arity, Some(span))
    }

    /// Lowers a rule. What it reports is in [`diagnostics`](Self::diagnostics); without an error there, the rule is
    /// whole.
    pub fn rule(&mut self, module: &Module, rule: &ast::Rule, span: Span) -> Rule {
        let terms = [&rule.kept, &rule.removed, &rule.guard, &rule.body, &rule.pragmas];
        let mut scope = Scope::new(module, terms.into_iter().flatten().copied());
        let passive = self.pragmas(&scope, &rule.pragmas);
        let heads = self.heads(&mut scope, rule, &passive);
        rule.guard.iter().for_each(|&g| self.goal(&mut scope, g, goal::Place::Guard));
        let guard = std::mem::take(&mut scope.goals);
        rule.body.iter().for_each(|&g| self.goal(&mut scope, g, goal::Place::Body));
        self.singletons(&scope);
        let name = rule.name.map(|n| module.rule_name(n));
        debug_assert!(rule.arrow == Arrow::Simplify || rule.removed.is_empty());
        Rule { name, vars: scope.vars, heads, guard, body: Body::Goals(scope.goals), span }
    }

    /// Lowers a query. A variable may occur once in it: answers show its value.
    pub fn query(&mut self, module: &Module, goals: &[TermId], span: Span) -> Query {
        let mut scope = Scope::new(module, goals.iter().copied());
        self.in_query = true;
        goals.iter().for_each(|&g| self.goal(&mut scope, g, goal::Place::Body));
        self.in_query = false;
        Query { vars: scope.vars, goals: scope.goals, span }
    }

    /// Reports clauses of Prolog for constraints, which only the logic machine has; of other ones, nothing that is
    /// called here is left out.
    pub fn refuse_clauses(&mut self, module: &Module) {
        for clause in &module.clauses {
            let ClauseKind::Prolog(term) = clause.kind else { continue };
            let (head, arrow) = match module.functor(term) {
                Some((arrow @ (":-" | "=>"), &[head, _])) => (head, arrow),
                Some(("-->", _)) => continue,
                _ => (term, ""),
            };
            if matches!(module.functor(head), Some(("portray", [_]))) {
                let hook = Diagnostic::error("C0207", "portray/1 is called for all that is printed")
                    .label(clause.span, "a clause of Prolog");
                self.beyond(hook);
                continue;
            }
            if !self.is_constraint(module, head) {
                continue;
            }
            if arrow == "=>" {
                let refused = Diagnostic::error("C0101", "`=>` makes no rule")
                    .label(clause.span, "a clause of Prolog")
                    .help("a propagation rule is written `==>`, greater or equal `>=`");
                self.report(refused);
            } else {
                let help = if arrow == ":-" {
                    "write a rule: use `<=>` in place of `:-`"
                } else {
                    "add constraints by a query: ?- goals."
                };
                let beyond = Diagnostic::error("C0207", "a constraint has no clauses")
                    .label(clause.span, "not a rule")
                    .help(help);
                self.beyond(beyond);
            }
        }
    }

    /// Whether the first of some goals is a constraint.
    fn is_constraint(&self, module: &Module, goals: TermId) -> bool {
        let first = module.members(goals, ",")[0];
        module
            .functor(first)
            .is_some_and(|(name, args)| self.declarations.constraint(name, args.len()).is_some())
    }

    fn singletons(&mut self, scope: &Scope<'_>) {
        for (name, span) in scope.singletons() {
            self.report(
                Diagnostic::warning("C0501", format!("the variable {name} occurs only once"))
                    .label(span, "nowhere else in this clause")
                    .help(format!("write _ or _{name} when that is meant, else correct the name")),
            );
        }
    }

    pub(crate) fn atom(&mut self, name: &str) -> Const {
        Const::Atom(self.signature.texts.intern(name))
    }
    pub(crate) fn string(&mut self, text: &str) -> Const {
        Const::Str(self.signature.texts.intern(text))
    }
}

fn column(declarations: &Declarations, sorts: Sorts, ty: Option<&Type>) -> Column {
    let kind = ty.map_or(SortKind::Any, |ty| declarations.types.sort_kind(ty));
    let dense = ty.is_some_and(|ty| {
        matches!(declarations.types.expand(ty), crate::types::Expanded::Builtin(Type::DenseInt))
    });
    let density = if dense { Density::Dense } else { Density::Sparse };
    Column { sort: sorts.of(kind), density, declared: ty.is_some() }
}
