//! The syntax tree of a CHR program: clauses over an arena of terms.
//!
//! Terms live in one table and refer to each other by id, so that no operation on a program recurses over the depth
//! of the
//! source text. A child is always made before its parent.

use std::sync::Arc;

use gchr_base::define_id;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::logic::Operators;
use gchr_base::logic::Rational;
use gchr_base::source::{SourceId, Span};
use num_bigint::BigInt;

define_id!(
    /// A term of a [`Module`].
    TermId, "t"
);

/// A term with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// Shape.
    pub kind: TermKind,
    /// Place in the source.
    pub span: Span,
}

/// Shape of a [`Term`].
#[derive(Clone, PartialEq, Debug)]
pub enum TermKind {
    /// A variable; `_` for an anonymous one.
    Var(String),
    /// An integer.
    Int(i64),
    /// An integer of more than 64 bits.
    Big(Arc<BigInt>),
    /// A rational number.
    Rational(Arc<Rational>),
    /// A float.
    Float(f64),
    /// An atom, `[]` and `{}` included.
    Atom(String),
    /// A string.
    Str(String),
    /// A functor with at least one argument; operators are functors too.
    Compound {
        /// Name of the functor.
        name: String,
        /// Arguments.
        args: Vec<TermId>,
    },
    /// A list `[items | tail]` with at least one item; the tail is `[]` where there is none.
    List {
        /// Items.
        items: Vec<TermId>,
        /// What follows the bar.
        tail: Option<TermId>,
    },
}

impl TermKind {
    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Big(_) | Self::Rational(_) | Self::Float(_))
    }
}

/// `<=>` or `==>`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrow {
    /// `<=>`: simplification, or simpagation with kept heads.
    Simplify,
    /// `==>`: propagation.
    Propagate,
}

/// A rule. Heads and goals are terms: their meaning is given later.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// What stands before `@`.
    pub name: Option<TermId>,
    /// Heads that stay.
    pub kept: Vec<TermId>,
    /// Heads that are removed.
    pub removed: Vec<TermId>,
    /// Kind of rule.
    pub arrow: Arrow,
    /// Place of the arrow.
    pub arrow_span: Span,
    /// Goals before the bar.
    pub guard: Vec<TermId>,
    /// Goals after it.
    pub body: Vec<TermId>,
    /// What follows `pragma`.
    pub pragmas: Vec<TermId>,
}

/// What a clause is.
#[derive(Clone, PartialEq, Debug)]
pub enum ClauseKind {
    /// `:- term.`
    Directive(TermId),
    /// `?- goals.`
    Query(Vec<TermId>),
    /// A CHR rule.
    Rule(Rule),
    /// A fact or a clause `head :- body.` of Prolog.
    Prolog(TermId),
}

/// A clause with its place, the final full stop included.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// What it is.
    pub kind: ClauseKind,
    /// Place in the source.
    pub span: Span,
}

/// A program text: clauses in order. Its [`Display`](std::fmt::Display) form parses back to the same module but for
/// the spans.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Module {
    /// All terms.
    pub terms: IdVec<TermId, Term>,
    /// Clauses in textual order.
    pub clauses: Vec<Clause>,
    /// The operators at the end of the text.
    pub operators: Operators,
    /// The operators by which terms are written, where the text is a module: those that it exports.
    pub exported: Option<Operators>,
    /// The modules of the text and of the files that it names; `user` where the text itself is none.
    pub modules: Vec<String>,
    /// Predicates and constraints that have other names than in the text of their module.
    pub renamed: Vec<Renamed>,
    /// The modules of constraints that another text than the main one declares, by the constraint's name in the
    /// program.
    pub homes: HashMap<(String, usize), String>,
}

/// A predicate or a constraint of a module that another one defines, too.
#[derive(Clone, PartialEq, Debug)]
pub struct Renamed {
    /// Its module.
    pub module: String,
    /// Its name there.
    pub name: String,
    /// Its number of arguments.
    pub arity: usize,
    /// Its name in the program.
    pub new: String,
}

impl Module {
    /// Terms without clauses and operators.
    pub(crate) fn of_terms(terms: IdVec<TermId, Term>) -> Self {
        Self {
            terms,
            clauses: Vec::new(),
            operators: Operators::none(),
            exported: None,
            modules: Vec::new(),
            renamed: Vec::new(),
            homes: HashMap::default(),
        }
    }

    /// The operators by which terms are written.
    pub fn shown(&self) -> &Operators {
        self.exported.as_ref().unwrap_or(&self.operators)
    }

    /// The shape of a term.
    pub fn kind(&self, id: TermId) -> &TermKind {
        &self.terms[id].kind
    }
    /// The place of a term.
    pub fn span(&self, id: TermId) -> Span {
        self.terms[id].span
    }
    /// Functor and arguments of an atom or a compound term.
    pub fn functor(&self, id: TermId) -> Option<(&str, &[TermId])> {
        match self.kind(id) {
            TermKind::Atom(name) => Some((name, &[])),
            TermKind::Compound { name, args } => Some((name, args)),
            _ => None,
        }
    }
    /// The heads of all rules.
    pub fn heads(&self) -> impl Iterator<Item = TermId> {
        self.clauses
            .iter()
            .flat_map(|clause| match &clause.kind {
                ClauseKind::Rule(rule) => [rule.kept.as_slice(), rule.removed.as_slice()],
                _ => [&[], &[]] as [&[TermId]; 2],
            })
            .flatten()
            .copied()
    }
    /// The two arguments of the compound term `name(left, right)`.
    pub fn binary(&self, id: TermId, functor: &str) -> Option<(TermId, TermId)> {
        match self.functor(id) {
            Some((name, &[left, right])) if name == functor => Some((left, right)),
            _ => None,
        }
    }
    /// The members of a right-nested conjunction `(a, b, ...)`, flattened at any depth.
    pub fn members(&self, id: TermId, functor: &str) -> Vec<TermId> {
        let (mut found, mut pending) = (Vec::new(), vec![id]);
        while let Some(id) = pending.pop() {
            match self.binary(id, functor) {
                Some((left, right)) => pending.extend([right, left]),
                None => found.push(id),
            }
        }
        found
    }
    /// The same program in canonical form, for comparisons: only the terms of clauses, in their order, every span
    /// replaced by
    /// the empty one at the start of `source`.
    #[must_use]
    pub fn canonical(&self, source: SourceId) -> Self {
        let span = Span::new(source, 0, 0);
        let mut terms = IdVec::new();
        let clauses = self.clauses.iter().map(|clause| {
            let mut one = |id: TermId| self.copy(id, span, &mut terms);
            let kind = match &clause.kind {
                ClauseKind::Directive(term) => ClauseKind::Directive(one(*term)),
                ClauseKind::Prolog(term) => ClauseKind::Prolog(one(*term)),
                ClauseKind::Query(goals) => ClauseKind::Query(goals.iter().map(|&g| one(g)).collect()),
                ClauseKind::Rule(rule) => {
                    let mut all = |ids: &[TermId]| ids.iter().map(|&id| one(id)).collect::<Vec<_>>();
                    let name = rule.name.map(|n| all(&[n])[0]);
                    ClauseKind::Rule(Rule {
                        name,
                        kept: all(&rule.kept),
                        removed: all(&rule.removed),
                        arrow: rule.arrow,
                        arrow_span: span,
                        guard: all(&rule.guard),
                        body: all(&rule.body),
                        pragmas: all(&rule.pragmas),
                    })
                }
            };
            Clause { kind, span }
        });
        let clauses = clauses.collect();
        Self { terms, clauses, operators: self.operators.clone(), ..Self::default() }
    }

    /// Copies a term into another table, every span replaced.
    fn copy(&self, id: TermId, span: Span, terms: &mut IdVec<TermId, Term>) -> TermId {
        self.copy_with(id, terms, |_| span, |leaf, terms| terms.push(Term { kind: leaf.kind.clone(), span }))
    }

    /// Copies a term into another table, children first; a leaf becomes what `leaf` makes of it.
    pub(crate) fn copy_with(
        &self,
        id: TermId,
        terms: &mut IdVec<TermId, Term>,
        span: impl Fn(Span) -> Span,
        mut leaf: impl FnMut(&Term, &mut IdVec<TermId, Term>) -> TermId,
    ) -> TermId {
        enum Step {
            Visit(TermId),
            Build(TermId),
        }
        let (mut steps, mut done) = (vec![Step::Visit(id)], Vec::new());
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(id) => {
                    steps.push(Step::Build(id));
                    match self.kind(id) {
                        TermKind::Compound { args, .. } => {
                            steps.extend(args.iter().rev().map(|&a| Step::Visit(a)))
                        }
                        TermKind::List { items, tail } => {
                            steps.extend(tail.iter().chain(items.iter().rev()).map(|&a| Step::Visit(a)));
                        }
                        _ => {}
                    }
                }
                Step::Build(id) => {
                    let mut take = |n: usize| done.split_off(done.len() - n);
                    let kind = match self.kind(id) {
                        TermKind::Compound { name, args } => {
                            TermKind::Compound { name: name.clone(), args: take(args.len()) }
                        }
                        TermKind::List { items, tail } => {
                            let tail = tail.map(|_| take(1)[0]);
                            TermKind::List { items: take(items.len()), tail }
                        }
                        _ => {
                            done.push(leaf(&self.terms[id], terms));
                            continue;
                        }
                    };
                    done.push(terms.push(Term { kind, span: span(self.span(id)) }));
                }
            }
        }
        done[0]
    }
}

/// What stands behind `module:`.
pub(crate) fn without_module(module: &Module, mut id: TermId) -> TermId {
    while let Some((_, inner)) = module.binary(id, ":") {
        id = inner;
    }
    id
}
