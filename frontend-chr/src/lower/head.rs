//! Heads of rules: constraints, their patterns, and which of them are passive.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{Head, HeadAtom, Pattern, PatternKind, Role};
use gchr_base::source::Span;

use super::{Lowering, Scope};
use crate::ast::{self, TermId, TermKind};
use crate::builtin;

/// Deepest pattern: later stages recurse over patterns.
const MAX_PATTERN_DEPTH: usize = 200;

/// Most heads of a rule: the plan has a join for each, through all others.
const MAX_HEADS: usize = 100;

/// Names of the heads that a rule's pragmas make passive.
#[derive(Default)]
pub(super) struct Passive<'a> {
    names: Vec<(&'a str, Span)>,
}

impl<'a> Lowering<'_> {
    /// Reads `pragma passive(Id), ...`.
    pub(super) fn pragmas(&mut self, scope: &Scope<'a>, pragmas: &[TermId]) -> Passive<'a> {
        let mut passive = Passive::default();
        for &id in pragmas {
            let (module, span) = (scope.module, scope.module.span(id));
            match module.functor(id) {
                Some(("passive", &[head])) => match module.kind(head) {
                    TermKind::Var(name) => passive.names.push((name, span)),
                    _ => self.report(
                        Diagnostic::error("C0313", "this does not name a head")
                            .label(module.span(head), "not a variable")
                            .help("write Head # Id in the heads and pragma passive(Id)"),
                    ),
                },
                Some(("no_history", [])) => self.beyond.push(
                    Diagnostic::error("C0313", "a rule without a history needs the logic machine")
                        .label(span, "over ground stores a rule fires once for a combination of constraints"),
                ),
                Some((name @ ("already_in_heads" | "already_in_head" | "history"), _)) => self.report(
                    Diagnostic::warning("C0313", format!("the pragma {name} is not supported"))
                        .label(span, "ignored")
                        .help("remove it: what the body adds is added"),
                ),
                _ => self.report(
                    Diagnostic::warning("C0313", "unknown pragma")
                        .label(span, "ignored")
                        .help("known are passive(Id), mpassive([Id, ...]) and no_history"),
                ),
            }
        }
        passive
    }

    /// Lowers the heads of a rule: kept ones, then removed ones.
    pub(super) fn heads(
        &mut self,
        scope: &mut Scope<'a>,
        rule: &ast::Rule,
        passive: &Passive<'a>,
    ) -> Vec<Head> {
        let mut named: Vec<&str> = Vec::new();
        let roles = [(Role::Kept, &rule.kept), (Role::Removed, &rule.removed)];
        let mut heads = Vec::new();
        if let Some(&id) = rule.kept.iter().chain(&rule.removed).nth(MAX_HEADS) {
            let span = scope.module.span(id);
            self.report(
                Diagnostic::error("C0314", format!("a rule has at most {MAX_HEADS} heads"))
                    .label(span, "one too many")
                    .help("put what belongs together into the arguments of one constraint, or collect it step by step"),
            );
            return heads;
        }
        for (role, terms) in roles {
            for &id in terms {
                heads.extend(self.head(scope, id, role, passive, &mut named));
            }
        }
        for (name, span) in passive.names.iter().filter(|(name, _)| !named.contains(name)) {
            self.report(
                Diagnostic::error("C0313", format!("no head is named {name}"))
                    .label(*span, "names nothing")
                    .help(format!("write Head # {name} in the heads")),
            );
        }
        heads
    }

    fn head(
        &mut self,
        scope: &mut Scope<'a>,
        id: TermId,
        role: Role,
        passive: &Passive<'a>,
        named: &mut Vec<&'a str>,
    ) -> Option<Head> {
        let module = scope.module;
        let (term, mark) = match module.binary(id, "#") {
            Some((term, mark)) => (term, Some(mark)),
            None => (id, None),
        };
        let passive = match mark.map(|m| (m, module.kind(m))) {
            None => false,
            Some((_, TermKind::Atom(name))) if name == "passive" => true,
            Some((_, TermKind::Var(name))) => {
                named.push(name);
                passive.names.iter().any(|(n, _)| n == name)
            }
            // SWI-Prolog warns of other atoms, and goes on.
            Some((mark, TermKind::Atom(_))) => {
                self.report(
                    Diagnostic::warning("C0313", "this does not name a head")
                        .label(module.span(mark), "neither a variable nor passive")
                        .help("write Head # Id, or Head # passive"),
                );
                false
            }
            Some((mark, _)) => {
                self.report(
                    Diagnostic::error("C0313", "this does not name a head")
                        .label(module.span(mark), "neither a variable nor passive")
                        .help("write Head # Id, or Head # passive"),
                );
                false
            }
        };
        let Some((name, args)) = module.functor(term) else {
            self.report(
                Diagnostic::error("C0305", "this is not a constraint")
                    .label(module.span(term), "neither an atom nor a compound term")
                    .help("heads are constraints, such as edge(X, Y)"),
            );
            return None;
        };
        let Some(constraint) = self.declarations.constraint(name, args.len()) else {
            self.unknown_head(name, args.len(), module.span(term));
            // The variables count as bound, so that one error does not lead to many.
            args.iter().for_each(|&a| drop(self.pattern(scope, a, 0)));
            return None;
        };
        self.check_head_types(module, args, constraint);
        let args = args.iter().map(|&a| self.pattern(scope, a, 0)).collect();
        let atom = HeadAtom::Constraint { constraint, args };
        Some(Head { role, atom, passive, span: module.span(id) })
    }

    fn unknown_head(&mut self, name: &str, arity: usize, span: Span) {
        let diagnostic = if builtin::is_goal(name, arity) {
            Diagnostic::error("C0304", format!("{name}/{arity} is a built-in, not a constraint"))
                .label(span, "cannot be a head")
                .help("put conditions into the guard: Heads <=> Guard | Body")
        } else if (name, arity) == (":", 2) {
            Diagnostic::error("C0305", "this is not a constraint")
                .label(span, "a module, or the name of a rule?")
                .help("the name of a rule stands before `@`: name @ Heads <=> Body")
        } else if self.is_new(name, arity) {
            self.undeclared("C0301", name, arity, span)
        } else {
            return;
        };
        self.report(diagnostic);
    }

    /// Whether an undeclared name is met for the first time: it is reported once. Wrong numbers of arguments are
    /// always.
    pub(super) fn is_new(&mut self, name: &str, arity: usize) -> bool {
        let is_first = self.unknown.insert((name.to_string(), arity));
        is_first || !self.declarations.named(name).is_empty()
    }

    /// The diagnostic for a name that is not declared: other arities and near names are the way out.
    pub(super) fn undeclared(&self, code: &'static str, name: &str, arity: usize, span: Span) -> Diagnostic {
        if let Some(&other) = self.declarations.named(name).first() {
            let label = self.declarations.label(other);
            let plural = if arity == 1 { "" } else { "s" };
            return Diagnostic::error("C0303", format!("{name} has {arity} argument{plural} here"))
                .label(span, format!("declared is {label}"))
                .label(self.declarations.constraints[other].span, "declared here")
                .help(format!("give it the declared number of arguments, or declare {name}/{arity} too"));
        }
        let help = match self.declarations.nearest(name) {
            Some(near) => format!("did you mean {near}? Else declare it: :- chr_constraint {name}/{arity}."),
            None => format!("declare it: :- chr_constraint {name}/{arity}."),
        };
        Diagnostic::error(code, format!("the constraint {name}/{arity} is not declared"))
            .label(span, "unknown")
            .help(help)
    }

    /// A pattern; its variables are bound from here on.
    pub(super) fn pattern(&mut self, scope: &mut Scope<'a>, id: TermId, depth: usize) -> Pattern {
        let module = scope.module;
        let span = module.span(id);
        let kind = match module.kind(id) {
            _ if depth > MAX_PATTERN_DEPTH => {
                self.too_deep(span);
                PatternKind::Wild
            }
            TermKind::Var(name) if name == "_" || scope.is_single(name) => PatternKind::Wild,
            TermKind::Var(name) => PatternKind::Var(scope.bind(name, span)),
            TermKind::Compound { name, args } => {
                let symbol = self.functor(name, args.len(), span);
                PatternKind::App {
                    symbol,
                    args: args.iter().map(|&a| self.pattern(scope, a, depth + 1)).collect(),
                }
            }
            TermKind::List { items, tail } => return self.list_pattern(scope, span, items, *tail, depth),
            _ => self.constant(module, id).map_or(PatternKind::Wild, PatternKind::Const),
        };
        Pattern { kind, sort: self.sorts.any, span }
    }

    fn list_pattern(
        &mut self,
        scope: &mut Scope<'a>,
        span: Span,
        items: &[TermId],
        tail: Option<TermId>,
        depth: usize,
    ) -> Pattern {
        let any = self.sorts.any;
        let wrap = |kind| Pattern { kind, sort: any, span };
        if depth + items.len() > MAX_PATTERN_DEPTH {
            self.too_deep(span);
            return wrap(PatternKind::Wild);
        }
        let symbol = self.functor("[|]", 2, span);
        let mut heads: Vec<Pattern> = items.iter().map(|&i| self.pattern(scope, i, depth + 1)).collect();
        let mut list = match tail {
            Some(tail) => self.pattern(scope, tail, depth + items.len()),
            None => wrap(PatternKind::Const(self.atom("[]"))),
        };
        while let Some(head) = heads.pop() {
            list = wrap(PatternKind::App { symbol, args: vec![head, list] });
        }
        list
    }

    fn too_deep(&mut self, span: Span) {
        self.beyond(
            Diagnostic::error("C0407", "this pattern is nested too deep")
                .label(span, format!("more than {MAX_PATTERN_DEPTH} levels"))
                .help("take long terms apart step by step, one level a rule"),
        );
    }
}
