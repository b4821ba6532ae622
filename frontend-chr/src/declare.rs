//! Directives: constraint symbols, types and options of a program.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::Semantics;
use gchr_base::signature::ConstraintId;
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use crate::ast::{ClauseKind, Module, TermId, TermKind};
use crate::directives::{self, Directive, Property};
use crate::types::{Definition, Type, Types, Variant};
use crate::{builtin, clause, flags, libraries, operators};

/// Most columns of a constraint.
const MAX_COLUMNS: usize = 255;

/// The options of SWI-Prolog's compiler, and `semantics`.
const OPTIONS: &str = "
     ai_observation_analysis check_guard_bindings check_impossible_rules check_unnecessary_active
     chr_toplevel_show_store constraint_index debug declare_stored_constraints dump dynattr experiment
     experimental functional_dependency_analysis generate_debug_info guard_simplification ht_removal
     inline_insertremove late_allocation line_numbers mixed_stores mode observation occurrence_subsumption
     optimize reduced_indexing semantics set_semantics_rule solver_events sss storage_analysis store
     store_counter store_in_guards stored stored_assertions term_indexing toplevel_show_store type_check
     type_declaration type_definition unique_analyse_optimise verbose verbosity
";

/// A declared constraint symbol.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub name: String,
    /// Type of each column; `None` where it is to be inferred.
    pub columns: Vec<Option<Type>>,
    pub span: Span,
}

/// What the directives of a program say.
#[derive(Clone, Default, Debug)]
pub(crate) struct Declarations {
    pub constraints: IdVec<ConstraintId, Declared>,
    by_name: HashMap<String, Vec<ConstraintId>>,
    pub types: Types,
    pub semantics: Option<Semantics>,
    /// Predicates that clauses define.
    pub clauses: HashSet<(String, usize)>,
    /// Whether no types are checked while the program runs, as SWI-Prolog has it without debugging.
    pub unchecked: bool,
    /// Whether guards may bind variables of heads.
    pub guards_bind: bool,
    /// Directives that are goals, as what a plan over ground stores cannot do.
    pub beyond: Vec<Diagnostic>,
}

impl Declarations {
    /// The constraint symbol of a name and a number of arguments.
    pub fn constraint(&self, name: &str, arity: usize) -> Option<ConstraintId> {
        self.named(name).iter().copied().find(|&c| self.constraints[c].columns.len() == arity)
    }
    /// All constraint symbols of a name.
    pub fn named(&self, name: &str) -> &[ConstraintId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
    /// The declared name nearest to an unknown one.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.constraints.iter().map(|c| c.name.as_str()))
    }
    /// `name/arity`.
    pub fn label(&self, id: ConstraintId) -> String {
        let c = &self.constraints[id];
        format!("{}/{}", c.name, c.columns.len())
    }
}

/// Reads the directives of a program.
pub(crate) fn declare(module: &Module, diagnostics: &mut Vec<Diagnostic>) -> Declarations {
    let mut reader = Directives { module, found: Declarations::default(), diagnostics };
    for clause in &module.clauses {
        match clause.kind {
            ClauseKind::Directive(term) => {
                module.members(term, ",").into_iter().for_each(|t| reader.directive(t));
            }
            ClauseKind::Prolog(term) => reader.found.clauses.extend(clause::defined(module, term)),
            ClauseKind::Rule(_) | ClauseKind::Query(_) => {}
        }
    }
    reader.found.types.resolve();
    reader.check_types();
    reader.found
}

/// The type that has another name in other languages.
fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "integer" | "long" => "int",
        "nat" | "unsigned" => "natural",
        "double" | "real" => "float",
        "text" | "str" => "string",
        "symbol" => "atom",
        "term" => "any",
        _ => return None,
    })
}

fn unknown(span: Span) -> Diagnostic {
    Diagnostic::error("C0206", "unknown directive")
        .label(span, "not a directive of CHR")
        .note("known are chr_constraint, chr_type, chr_option, use_module and module")
        .help("to run goals at the start, write a query: ?- goals.")
}

struct Directives<'a> {
    module: &'a Module,
    found: Declarations,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Directives<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn directive(&mut self, id: TermId) {
        let span = self.module.span(id);
        if let Some(part) = directives::of(self.module, id) {
            return self.known(id, part);
        }
        let Some((name, args)) = self.module.functor(id) else { return self.unknown(span) };
        match (name, args) {
            (name, args) if self.is_goal(name, args.len()) => self.found.beyond.push(unknown(span)),
            (name, args) if directives::near(name).is_none() => {
                self.found.beyond.push(unknown(span));
                self.report(
                    Diagnostic::error("C0302", format!("unknown goal {name}/{}", args.len()))
                        .label(span, "nothing defines it")
                        .help("define it or remove it: a program with clauses of Prolog runs without it"),
                );
            }
            _ => self.unknown(span),
        }
    }

    /// Takes a directive that is no goal.
    fn known(&mut self, id: TermId, (directive, args): (Directive, &[TermId])) {
        let span = self.module.span(id);
        match (directive, args) {
            (Directive::Constraints, args) => {
                directives::specifications(self.module, args).into_iter().for_each(|c| self.constraint(c));
            }
            (Directive::Type, &[definition]) => self.chr_type(definition),
            (Directive::Option, &[key, value]) => self.option(key, value),
            (Directive::Load | Directive::LoadAll, _) => self.libraries((directive, args)),
            (Directive::Module, &[_, exports]) => self.exports(exports),
            (Directive::Operators, &[priority, fixity, names]) => self.operator(priority, fixity, names),
            (Directive::Initialization, _) => self.found.beyond.push(
                Diagnostic::error("C0206", "goals of Prolog are not run")
                    .label(span, "not supported")
                    .help("give the goals to start with as a query: ?- goals."),
            ),
            (Directive::Flag, &[flag, value]) => {
                if let Some(diagnostic) = flags::check(self.module, flag, value) {
                    self.report(diagnostic);
                }
                if flags::hides_store(self.module, flag, value) {
                    self.found.beyond.push(
                        Diagnostic::error("C0206", "the final store is always shown")
                            .label(span, "not supported")
                            .help("remove the directive"),
                    );
                }
            }
            (Directive::Predicates(Property::Dynamic), args) => {
                let declared = directives::subjects(self.module, args).into_iter();
                self.found.clauses.extend(declared.map(|p| (p.name.to_string(), p.arity)));
            }
            (Directive::Predicates(Property::Deterministic), &[specs]) => self.indicators(specs),
            (Directive::Refused(message, help), _) => {
                self.report(Diagnostic::error("C0206", message).label(span, "not supported").help(help))
            }
            _ => {}
        }
        if let Some(name) = directives::ignored(self.module, id) {
            self.report(
                Diagnostic::warning("C0206", format!("the directive {name} is ignored"))
                    .label(span, "has no meaning here")
                    .help("remove it to silence this warning"),
            );
        }
    }

    /// A list or a conjunction of `name/arity`.
    fn indicators(&mut self, specs: TermId) {
        let items = match self.module.kind(specs) {
            TermKind::List { items, tail: None } => items.clone(),
            _ => self.module.members(specs, ","),
        };
        for item in items {
            let mut named = Vec::new();
            directives::predicates(self.module, item, &mut named);
            if named.is_empty() {
                self.report(
                    Diagnostic::error("C0206", "this names no predicate")
                        .label(self.module.span(item), "not name/arity")
                        .help("write :- det(name/2), or :- det([first/2, second/3])"),
                );
            }
        }
    }

    /// Whether a directive is a goal that can be run.
    fn is_goal(&self, name: &str, arity: usize) -> bool {
        builtin::is_goal(name, arity)
            || builtin::is_predicate(name, arity)
            || self.found.clauses.contains(&(name.to_string(), arity))
            || self.found.constraint(name, arity).is_some()
    }

    /// The predicates of a library that is not known are missing, if it has any that are used.
    fn libraries(&mut self, part: (Directive, &[TermId])) {
        for &file in directives::files(self.module, part) {
            let Some(name) = libraries::name(self.module, file).filter(|name| !libraries::is_known(name))
            else {
                continue;
            };
            let diagnostic = match libraries::solver(&name) {
                Some(what) => Diagnostic::error(
                    "C0319",
                    format!("the library {name} is not there: nothing solves {what}"),
                ),
                None => Diagnostic::warning("C0206", format!("the library {name} is not there")),
            };
            let diagnostic = diagnostic.label(self.module.span(file), "nothing is imported");
            self.report(diagnostic.help("remove it, or define what is used of it"));
        }
    }

    fn operator(&mut self, priority: TermId, fixity: TermId, names: TermId) {
        let Some((wrong, why)) = operators::check(self.module, priority, fixity, names) else { return };
        self.report(
            Diagnostic::error("C0206", "this does not declare an operator")
                .label(self.module.span(wrong), why)
                .help("write op(700, xfx, ===>): a priority, a type and a name"),
        );
    }

    /// A list of exports may declare operators.
    fn exports(&mut self, exports: TermId) {
        let TermKind::List { items, .. } = self.module.kind(exports) else { return };
        for &item in items {
            if let Some(("op", &[priority, fixity, names])) = self.module.functor(item) {
                self.operator(priority, fixity, names);
            }
        }
    }

    fn unknown(&mut self, span: Span) {
        self.report(unknown(span));
    }

    fn constraint(&mut self, id: TermId) {
        let span = self.module.span(id);
        let Some((name, columns)) = self.specification(id) else { return };
        if builtin::is_goal(&name, columns.len()) {
            return self.report(
                Diagnostic::error("C0208", format!("{name}/{} is a built-in", columns.len()))
                    .label(span, "cannot be a constraint")
                    .help("choose another name for the constraint"),
            );
        }
        match self.found.constraint(&name, columns.len()) {
            None => {
                let declared = Declared { name: name.clone(), columns, span };
                let id = self.found.constraints.push(declared);
                self.found.by_name.entry(name).or_default().push(id);
            }
            Some(known) => self.duplicate(known, &columns, span),
        }
    }

    fn duplicate(&mut self, known: ConstraintId, columns: &[Option<Type>], span: Span) {
        let first = &self.found.constraints[known];
        let message = format!("{} is declared twice", self.found.label(known));
        let diagnostic = if first.columns == columns {
            Diagnostic::warning("C0202", message)
        } else {
            Diagnostic::error("C0202", message).note("the two declarations give different types")
        };
        self.report(
            diagnostic.label(span, "again here").label(first.span, "first here").help("remove one of them"),
        );
    }

    /// `name/arity`, `name` or `name(columns)`.
    fn specification(&mut self, id: TermId) -> Option<(String, Vec<Option<Type>>)> {
        if let Some((name, arity)) = self.module.binary(id, "/") {
            if let (TermKind::Atom(name), &TermKind::Int(arity)) =
                (self.module.kind(name), self.module.kind(arity))
                && let Ok(arity @ 0..=MAX_COLUMNS) = usize::try_from(arity)
            {
                return Some((name.clone(), vec![None; arity]));
            }
            self.bad_specification(id);
            return None;
        }
        let Some((name, args)) = self.module.functor(id) else {
            self.bad_specification(id);
            return None;
        };
        if args.len() > MAX_COLUMNS {
            self.bad_specification(id);
            return None;
        }
        let columns: Vec<_> = args.iter().map(|&a| self.column(a)).collect();
        Some((name.to_string(), columns))
    }

    fn bad_specification(&mut self, id: TermId) {
        self.report(
            Diagnostic::error("C0201", "this does not declare a constraint")
                .label(self.module.span(id), "neither name/arity nor name(types)")
                .help("write edge/3, or edge(+int, +int, ?int); at most 255 columns"),
        );
    }

    /// A column: a mode, a mode with a type, or a type.
    fn column(&mut self, id: TermId) -> Option<Type> {
        let ty = match self.module.functor(id) {
            Some(("+" | "-" | "?", &[ty])) => ty,
            Some(("+" | "-" | "?", [])) => return None,
            _ => id,
        };
        Type::read(self.module, ty, &[]).map_err(|d| self.report(*d)).ok()
    }

    fn chr_type(&mut self, id: TermId) {
        let (head, body, alias) = match (self.module.binary(id, "--->"), self.module.binary(id, "==")) {
            (Some((head, body)), _) => (head, body, false),
            (None, Some((head, body))) => (head, body, true),
            (None, None) => return self.bad_type(id, "neither `--->` nor `==`"),
        };
        let Some((name, args)) = self.module.functor(head) else {
            return self.bad_type(head, "not a name");
        };
        let mut params = Vec::new();
        for &arg in args {
            match self.module.kind(arg) {
                TermKind::Var(name) => params.push(name.clone()),
                _ => return self.bad_type(arg, "not a variable"),
            }
        }
        let definition = if alias {
            Type::read(self.module, body, &params).map(Definition::Alias)
        } else {
            let variants = self.module.members(body, ";").into_iter();
            variants.map(|v| self.variant(v, &params)).collect::<Result<_, _>>().map(Definition::Variants)
        };
        let span = self.module.span(head);
        match definition {
            Err(diagnostic) => self.report(*diagnostic),
            Ok(definition) => {
                if let Err(first) = self.found.types.define(name, params, definition, span) {
                    self.report(
                        Diagnostic::error("C0204", format!("the type {name} is defined twice"))
                            .label(span, "again here")
                            .label(first, "first here")
                            .help("remove one of the definitions"),
                    );
                }
            }
        }
    }

    fn variant(&self, id: TermId, params: &[String]) -> Result<Variant, Box<Diagnostic>> {
        let types = |args: &[TermId]| -> Result<Vec<_>, _> {
            args.iter().map(|&a| Type::read(self.module, a, params)).collect()
        };
        match self.module.kind(id) {
            TermKind::Atom(name) => Ok(Variant { name: name.clone(), args: Vec::new() }),
            TermKind::Compound { name, args } => Ok(Variant { name: name.clone(), args: types(args)? }),
            TermKind::List { items, tail: Some(tail) } if items.len() == 1 => {
                Ok(Variant { name: "[|]".into(), args: types(&[items[0], *tail])? })
            }
            TermKind::Int(_)
            | TermKind::Big(_)
            | TermKind::Rational(_)
            | TermKind::Float(_)
            | TermKind::Str(_) => Ok(Variant { name: self.module.term_text(id), args: Vec::new() }),
            TermKind::Var(_) | TermKind::List { .. } => Err(Box::new(
                Diagnostic::error("C0204", "this is no alternative of a type")
                    .label(self.module.span(id), "neither a constant nor a functor with types")
                    .help("write a constant, node(color, int), or [T|list(T)]"),
            )),
        }
    }

    fn bad_type(&mut self, id: TermId, text: &str) {
        self.report(
            Diagnostic::error("C0204", "this does not define a type")
                .label(self.module.span(id), text)
                .help("write :- chr_type color ---> red ; green. or :- chr_type weight == int."),
        );
    }

    fn option(&mut self, key: TermId, value: TermId) {
        let name = self.module.functor(key).map_or("", |(name, _)| name);
        let span = self.module.span(key);
        if name != "semantics" {
            let value = self.module.functor(value).map_or("", |(value, _)| value);
            match (name, value) {
                ("debug", "off") | ("optimize", "full") => self.found.unchecked = true,
                ("debug", "on") => self.found.unchecked = false,
                ("check_guard_bindings", value) => {
                    self.found.guards_bind = value == "off";
                    if value == "error" {
                        self.report(
                            Diagnostic::warning("C0205", "guards that bind raise no error")
                                .label(span, "as with the value on, they do not hold")
                                .help("write on, or off"),
                        );
                    }
                }
                _ => {}
            }
            if !OPTIONS.split_ascii_whitespace().any(|known| known == name) {
                let help = nearest(name, OPTIONS.split_ascii_whitespace())
                    .map_or("remove it".to_string(), |n| format!("did you mean {n}?"));
                self.report(Diagnostic::warning("C0205", "unknown option").label(span, "ignored").help(help));
            }
            return;
        }
        match self.module.functor(value).map(|(name, _)| name) {
            Some("refined") => self.found.semantics = Some(Semantics::Refined),
            Some("rounds") => self.found.semantics = Some(Semantics::Rounds),
            _ => self.report(
                Diagnostic::error("C0205", "unknown semantics")
                    .label(self.module.span(value), "not a semantics")
                    .help("write refined (sequential, as in SWI-Prolog) or rounds (parallel, deterministic)"),
            ),
        }
    }

    /// Reports type names that nothing defines, once all directives are read.
    fn check_types(&mut self) {
        for (span, name) in self.found.types.circular() {
            self.diagnostics.push(
                Diagnostic::error("C0204", format!("the type {name} is defined by itself"))
                    .label(span, "never becomes a type with values")
                    .help("give it alternatives: :- chr_type t ---> ... ."),
            );
        }
        let mut used = self.found.types.mentioned();
        for c in &self.found.constraints {
            used.extend(c.columns.iter().flatten().map(|ty| (c.span, ty.clone(), true)));
        }
        for (span, ty, needed) in used {
            if let Some((name, arity)) = self.found.types.unknown_name(&ty) {
                let builtin = ["int", "dense_int", "natural", "float", "number", "any", "atom", "string"];
                let near =
                    other_name(name).or_else(|| nearest(name, self.found.types.names().chain(builtin)));
                let help = match near {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("define it: :- chr_type {name} ---> ... ."),
                };
                let shown = if arity == 0 { name.to_string() } else { format!("{name}/{arity}") };
                let message = format!("the type {shown} is not defined");
                // A part of an alternative of such a type never has a value.
                let diagnostic = match needed {
                    true => Diagnostic::error("C0203", message).label(span, "used here"),
                    false => Diagnostic::warning("C0203", message).label(span, "a part of it has no values"),
                };
                self.report(diagnostic.help(help));
            }
        }
    }
}
