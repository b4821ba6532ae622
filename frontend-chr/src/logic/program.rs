//! The syntax tree of a program to a program for the logic machine.

use std::iter;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::{FactColumn, FactNode, Facts};
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{
    Clause, Column, ConstraintDeclaration, ConstraintRule, Flags, Functor, Goal, LogicNode, LogicProgram,
    LogicTermId, Mode, OccursCheck, Operators, RuleHead, TypeBody, TypeDefinition, Unknown,
};
use gchr_base::signature::Signature;
use gchr_base::source::Span;

use super::blocks;
use super::committed::{self, Committed};
use super::determinism;
use super::goals::Goals;
use super::tables;
use super::terms::{Building, Scope};
use super::units;
use crate::ast::{ClauseKind, Module, Rule, TermId, TermKind, without_module};
use crate::declare::Declarations;
use crate::directives::{self, Directive, Property, predicates};
use crate::flags::Quotes;
use crate::{builtin, clause};

/// The module of what is in none.
const USER: &str = "user";

/// Builds one logic program of a program text and the texts of queries.
pub(crate) struct Builder {
    building: Building,
    program: LogicProgram,
    /// Goals of `initialization`, which wait until everything is read.
    at_end: Vec<Goal>,
    /// Goals of `initialization(_, main)`: the last query of the text, which ends the run.
    mains: Vec<Goal>,
    /// Predicates with clauses by `=>`.
    committed: Committed,
    tabled: Vec<tables::Tabled>,
    deterministic: Vec<determinism::Deterministic>,
    blocks: Vec<blocks::Block>,
    /// The unit of tests that a text is in.
    unit: Option<Arc<str>>,
    /// Modules that see the attributes of constraints: all of them where the program itself is no module.
    /// Modules that see what the program says of attributes.
    hidden: Vec<Arc<str>>,
    /// Whether nothing checks types of columns.
    pub unchecked: bool,
    /// Whether guards may bind variables of heads.
    pub guards_bind: bool,
    pub diagnostics: Vec<Diagnostic>,
}

impl Builder {
    /// Takes the clauses of a program text.
    pub fn new(module: &Module, quotes: Quotes) -> Self {
        let modules = module.modules.iter().map(|name| name.as_str().into()).collect();
        let flags =
            Flags { double_quotes: quotes.double, back_quotes: quotes.back, modules, ..Flags::default() };
        let program = LogicProgram { operators: module.shown().clone(), flags, ..LogicProgram::default() };
        let mut builder = Self {
            building: Building::default(),
            program,
            at_end: Vec::new(),
            mains: Vec::new(),
            committed: Committed::default(),
            tabled: Vec::new(),
            deterministic: Vec::new(),
            blocks: Vec::new(),
            unit: None,
            hidden: match module.modules.first() {
                Some(first) if first != USER => vec![first.as_str().into()],
                _ => {
                    iter::once(USER.into()).chain(module.modules.iter().map(|m| m.as_str().into())).collect()
                }
            },
            unchecked: false,
            guards_bind: false,
            diagnostics: Vec::new(),
        };
        builder.text(module);
        builder
    }

    /// Takes no clauses: for goals of a program that is loaded.
    pub fn of_goals(operators: &Operators, quotes: Quotes) -> Self {
        let module = Module { operators: operators.clone(), ..Module::default() };
        Self::new(&module, quotes)
    }

    /// Takes the queries of another text.
    pub fn queries(&mut self, module: &Module) {
        self.text(module);
    }

    /// The program, when all texts are taken.
    pub fn finish(mut self) -> (LogicProgram, Vec<Diagnostic>) {
        self.program.initialization.append(&mut self.at_end);
        self.program.queries.append(&mut self.mains);
        let waits = |column: &Column| column.mode != Mode::Ground;
        if self.program.constraints.iter().any(|constraint| constraint.columns.iter().any(waits)) {
            self.program.flags.hidden = std::mem::take(&mut self.hidden);
        }
        self.program.flags.guards_bind = self.guards_bind;
        self.program.flags.debug = !self.unchecked;
        if self.unchecked {
            let columns = self.program.constraints.iter_mut().flat_map(|c| &mut c.columns);
            columns.for_each(|column| column.ty = None);
        }
        self.warn_of_clauses();
        self.committed.finish(&mut self.building, &mut self.program.clauses);
        blocks::guard(&mut self.building, &mut self.program.clauses, &self.blocks);
        tables::rename(&mut self.building, &mut self.program.clauses, &self.tabled);
        let Self { building, program, deterministic, .. } = &mut self;
        determinism::rename(building, &mut program.clauses, deterministic, &program.dynamic);
        (LogicProgram { terms: self.building.terms, ..self.program }, self.diagnostics)
    }

    /// Says which constraints have clauses of Prolog, once each.
    fn warn_of_clauses(&mut self) {
        let terms = &self.building.terms;
        let declared: HashMap<(&str, usize), Span> =
            self.program.constraints.iter().map(|c| ((&*c.name, c.columns.len()), c.span)).collect();
        let mut said = HashSet::default();
        for clause in &self.program.clauses {
            let Some((name, args)) = terms.functor(clause.head) else { continue };
            let key = (name, args.len());
            let Some(&declared) = declared.get(&key).filter(|_| said.insert(key)) else { continue };
            let what = format!("the clauses of the constraint {name}/{} are tried before it is added", key.1);
            self.diagnostics.push(
                Diagnostic::warning("C0207", what)
                    .label(clause.span, "a clause of Prolog, no rule")
                    .label(declared, "declared here")
                    .help("a rule is written with `<=>` or `==>`; what is to be in the store is added by a query"),
            );
        }
    }

    /// Takes facts of files: goals that are run before the queries.
    pub fn facts(&mut self, declarations: &Declarations, signature: &Signature, all: &[Facts]) {
        let mut goals = Vec::new();
        for facts in all {
            let declared = &declarations.constraints[facts.constraint];
            for row in 0..facts.rows {
                let args: Vec<_> = facts
                    .columns
                    .iter()
                    .map(|column| self.field(signature, column, row, declared.span))
                    .collect();
                let goal = self.building.compound(&declared.name, &args, declared.span);
                goals.push(Goal { goal, variables: Vec::new(), span: declared.span });
            }
        }
        // Before the queries, on their store.
        self.program.queries.splice(0..0, goals);
    }

    fn field(&mut self, signature: &Signature, column: &FactColumn, row: usize, span: Span) -> LogicTermId {
        let node = match column {
            FactColumn::Int(values) => LogicNode::Int(values[row]),
            FactColumn::Float(values) => LogicNode::Float(values[row]),
            FactColumn::Atom(values) => return self.building.atom(signature.texts.get(values[row]), span),
            FactColumn::Str(values) => LogicNode::Str(self.building.name(signature.texts.get(values[row]))),
            FactColumn::Any(values) => {
                let nodes = values.value(row).unwrap_or_default();
                return self.value(signature, nodes, span);
            }
        };
        self.building.terms.push(node, span)
    }

    /// A value of its parts in postfix order.
    fn value(&mut self, signature: &Signature, nodes: &[FactNode], span: Span) -> LogicTermId {
        let mut made: Vec<LogicTermId> = Vec::new();
        for node in nodes {
            let node = match *node {
                FactNode::Int(n) => LogicNode::Int(n),
                FactNode::Float(x) => LogicNode::Float(x),
                FactNode::Str(text) => LogicNode::Str(self.building.name(signature.texts.get(text))),
                FactNode::Atom(text) => {
                    made.push(self.building.atom(signature.texts.get(text), span));
                    continue;
                }
                FactNode::Compound { symbol, arity } => {
                    let args = made.split_off(made.len().saturating_sub(arity));
                    made.push(self.building.compound(&signature.symbols[symbol].name, &args, span));
                    continue;
                }
            };
            made.push(self.building.terms.push(node, span));
        }
        made.pop().unwrap_or_else(|| self.building.atom("[]", span))
    }

    fn text(&mut self, module: &Module) {
        let building = std::mem::take(&mut self.building);
        let mut goals = Goals::new(module, building);
        for clause in &module.clauses {
            match &clause.kind {
                ClauseKind::Directive(directive) => {
                    let mut run = module.members(*directive, ",");
                    run.retain(|&goal| !self.declaration(&mut goals, goal));
                    if !run.is_empty() {
                        let mut scope = Scope::default();
                        let span = module.span(*directive);
                        let goal = goals.all(&run, span, &mut scope);
                        self.program.initialization.push(Goal { goal, variables: scope.variables, span });
                    }
                }
                ClauseKind::Prolog(term) => {
                    self.hidden.extend(self.new_module(module, *term));
                    let clause = clause_of(&mut goals, *term, clause.span);
                    if let (Some(("=>", _)), Some(clause)) = (module.functor(*term), &clause) {
                        self.committed.note(&goals.building.terms, clause);
                    }
                    self.program.clauses.extend(clause.map(|clause| match &self.unit {
                        Some(unit) => units::fact(&mut goals.building, unit, clause),
                        None => clause,
                    }));
                }
                ClauseKind::Rule(rule) => self.program.rules.push(rule_of(&mut goals, rule, clause.span)),
                ClauseKind::Query(terms) => {
                    let mut scope = Scope::default();
                    let goal = goals.all(terms, clause.span, &mut scope);
                    let query = Goal { goal, variables: scope.variables, span: clause.span };
                    self.program.queries.push(query);
                }
            }
        }
        self.building = goals.building;
        self.diagnostics.append(&mut goals.diagnostics);
    }

    /// The module that a clause puts its predicate into (`colour:attr_unify_hook(_, _)`): it is there then, and sees
    /// what a program sees that is no module itself.
    fn new_module(&self, module: &Module, clause: TermId) -> Option<Arc<str>> {
        let head = module.binary(clause, ":-").map_or(clause, |(head, _)| head);
        let (name, []) = module.functor(module.binary(head, ":")?.0)? else { return None };
        (self.hidden.first().is_some_and(|first| **first == *USER)).then(|| name.into())
    }

    /// Takes a part of a directive, unless it is a goal that is run.
    fn declaration(&mut self, goals: &mut Goals<'_>, id: TermId) -> bool {
        let module = goals.module;
        let Some((directive, args)) = directives::of(module, id) else {
            // What is no goal was reported.
            return module.functor(without_module(module, id)).is_none();
        };
        match (directive, args) {
            (Directive::Constraints, args) => {
                for spec in directives::specifications(module, args) {
                    self.program.constraints.extend(constraint(goals, spec));
                }
            }
            (Directive::Type, &[definition]) => {
                self.program.types.extend(type_definition(goals, definition));
            }
            (Directive::Predicates(Property::Dynamic), args) => {
                args.iter().for_each(|&spec| predicates(module, spec, &mut self.program.dynamic));
            }
            (Directive::Predicates(Property::Tabled), &[specs]) => {
                tables::declared(goals, specs, &mut self.tabled);
            }
            (Directive::Predicates(Property::Blocked), &[specs]) => {
                blocks::declared(goals, specs, &mut self.blocks);
            }
            (Directive::Predicates(Property::Deterministic), &[specs]) => {
                determinism::declared(module, specs, &mut self.deterministic);
            }
            (Directive::BeginTests, &[unit, ..]) => {
                self.unit = module.functor(unit).map(|(name, _)| name.into());
            }
            (Directive::EndTests, _) => self.unit = None,
            (Directive::Flag, &[flag, value]) => self.flag(module, flag, value),
            (Directive::Initialization, &[goal, when]) if matches!(module.kind(when), TermKind::Atom(name) if name == "main") =>
            {
                let mut scope = Scope::default();
                let span = module.span(goal);
                let goal = goals.goal(goal, &mut scope, 0);
                let halt = goals.building.atom("halt", span);
                let goal = goals.building.compound(",", &[goal, halt], span);
                self.mains.push(Goal { goal, variables: Vec::new(), span });
            }
            (Directive::Initialization, &[goal, ..]) => {
                let mut scope = Scope::default();
                let span = module.span(goal);
                let goal = goals.goal(goal, &mut scope, 0);
                self.at_end.push(Goal { goal, variables: scope.variables, span });
            }
            _ => {}
        }
        true
    }

    fn flag(&mut self, module: &Module, flag: TermId, value: TermId) {
        let (Some((flag, [])), Some((value, []))) = (module.functor(flag), module.functor(value)) else {
            return;
        };
        let flags = &mut self.program.flags;
        match (flag, value) {
            ("unknown", "fail") => flags.unknown = Unknown::Fail,
            ("unknown", _) => flags.unknown = Unknown::Error,
            ("occurs_check", "true") => flags.occurs_check = OccursCheck::True,
            ("occurs_check", "error") => flags.occurs_check = OccursCheck::Error,
            ("occurs_check", _) => flags.occurs_check = OccursCheck::False,
            ("chr_toplevel_show_store", value) => flags.show_store = value == "true",
            _ => {}
        }
    }
}

fn constraint(goals: &mut Goals<'_>, spec: TermId) -> Option<ConstraintDeclaration> {
    let module = goals.module;
    let span = module.span(spec);
    let (name, columns) = match module.binary(spec, "/") {
        Some((name, arity)) => {
            let TermKind::Int(arity) = module.kind(arity) else { return None };
            (
                module.functor(name)?.0,
                vec![Column { mode: Mode::Any, ty: None }; usize::try_from(*arity).ok()?],
            )
        }
        None => {
            let (name, args) = module.functor(spec)?;
            let columns = args.iter().map(|&arg| column(goals, arg)).collect();
            (name, columns)
        }
    };
    let key = (name.to_string(), columns.len());
    let home = module.homes.get(&key).map(|home| home.as_str().into());
    Some(ConstraintDeclaration { name: goals.building.name(name), columns, module: home, span })
}

fn column(goals: &mut Goals<'_>, id: TermId) -> Column {
    let mode = |name: &str| match name {
        "+" => Some(Mode::Ground),
        "-" => Some(Mode::Free),
        "?" => Some(Mode::Any),
        _ => None,
    };
    let mut scope = Scope::default();
    match goals.module.functor(id) {
        Some((name, &[ty])) if let Some(mode) = mode(name) => {
            let any = matches!(goals.module.functor(ty), Some(("any", [])));
            Column { mode, ty: (!any).then(|| goals.term(ty, &mut scope)) }
        }
        Some((name, [])) if let Some(mode) = mode(name) => Column { mode, ty: None },
        _ => Column { mode: Mode::Any, ty: Some(goals.term(id, &mut scope)) },
    }
}

fn type_definition(goals: &mut Goals<'_>, id: TermId) -> Option<TypeDefinition> {
    let (module, span) = (goals.module, goals.module.span(id));
    let mut scope = Scope::default();
    let (head, body) = match (module.binary(id, "--->"), module.binary(id, "==")) {
        (Some((head, alternatives)), _) => {
            let head = goals.term(head, &mut scope);
            let alternatives = module.members(alternatives, ";");
            let alternatives = alternatives.into_iter().map(|one| goals.term(one, &mut scope)).collect();
            (head, TypeBody::Alternatives(alternatives))
        }
        (None, Some((head, other))) => {
            (goals.term(head, &mut scope), TypeBody::Alias(goals.term(other, &mut scope)))
        }
        (None, None) => return None,
    };
    Some(TypeDefinition { head, body, variables: scope.variables, span })
}

fn clause_of<'a>(goals: &mut Goals<'a>, id: TermId, span: Span) -> Option<Clause> {
    let module = goals.module;
    goals.of = clause::defined(module, id).map(|(name, arity)| Functor { name: name.as_str().into(), arity });
    let clause = clause_within(goals, id, span);
    goals.of = None;
    clause
}

fn clause_within<'a>(goals: &mut Goals<'a>, id: TermId, span: Span) -> Option<Clause> {
    let module = goals.module;
    let mut scope = Scope::default();
    let (head, body) = match module.functor(id) {
        Some((":-", &[head, body])) => {
            let head = goals.term(without_module(module, head), &mut scope);
            (head, goals.goal(body, &mut scope, 0))
        }
        Some(("-->", &[head, body])) => goals.grammar_rule(head, body, &mut scope)?,
        Some(("=>", &[head, body])) => committed::clause(goals, head, body, &mut scope),
        _ => {
            let head = goals.term(without_module(module, id), &mut scope);
            (head, goals.building.atom("true", span))
        }
    };
    if goals.building.terms.functor(head).is_none() {
        goals.diagnostics.push(
            Diagnostic::error("C0316", "this is no head of a clause")
                .label(goals.building.terms.span(head), "neither an atom nor a compound term")
                .help("write name(Arguments) :- Goals"),
        );
        return None;
    }
    let (name, args) = goals.building.terms.functor(head)?;
    if builtin::is_protected(name, args.len()) {
        let what = format!("{name}/{} is a predicate of ISO Prolog", args.len());
        goals.diagnostics.push(
            Diagnostic::warning("C0317", what)
                .label(goals.building.terms.span(head), "this clause is left out")
                .help("give the predicate another name"),
        );
        return None;
    }
    Some(Clause { head, body, variables: scope.variables, span })
}

fn rule_of<'a>(goals: &mut Goals<'a>, rule: &'a Rule, span: Span) -> ConstraintRule {
    let module = goals.module;
    let mut scope = Scope::default();
    let mut passive = Vec::new();
    let mut no_history = false;
    for &pragma in &rule.pragmas {
        match module.functor(pragma) {
            Some(("passive", &[id])) => passive.push(module.kind(id)),
            Some(("no_history", _)) => no_history = true,
            _ => {}
        }
    }
    let heads = |terms: &[TermId], goals: &mut Goals<'a>, scope: &mut Scope<'a>| {
        terms.iter().map(|&id| head_of(goals, id, &passive, scope)).collect::<Vec<_>>()
    };
    let kept = heads(&rule.kept, goals, &mut scope);
    let removed = heads(&rule.removed, goals, &mut scope);
    let guard = goals.all(&rule.guard, rule.arrow_span, &mut scope);
    let body = goals.all(&rule.body, rule.arrow_span, &mut scope);
    let name: Option<Arc<str>> = rule.name.map(|name| module.rule_name(name).into());
    ConstraintRule { name, kept, removed, guard, body, no_history, variables: scope.variables, span }
}

fn head_of<'a>(goals: &mut Goals<'a>, id: TermId, passive: &[&TermKind], scope: &mut Scope<'a>) -> RuleHead {
    let module = goals.module;
    let (term, mark) = module.binary(id, "#").map_or((id, None), |(term, mark)| (term, Some(mark)));
    let constraint = goals.term(term, scope);
    let Some(mark) = mark else { return RuleHead { constraint, id: None, passive: false } };
    let kind = module.kind(mark);
    if let TermKind::Var(name) = kind {
        goals.term(mark, scope);
        return RuleHead { constraint, id: scope.known(name), passive: passive.contains(&kind) };
    }
    RuleHead { constraint, id: None, passive: matches!(kind, TermKind::Atom(name) if name == "passive") }
}
