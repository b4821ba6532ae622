//! Predicates and constraints that several modules define: each module keeps its own, by other names.
//!
//! All files of a program are one text in the end. What only one of them defines keeps its name everywhere. Where
//! several do, the main text keeps the name if it is among them, else the first module that exports it; in the clauses
//! of the others the name becomes `module:name`, where it is defined, called, or handed to a predicate that calls it.

use gchr_base::hash::{HashMap, HashSet};

use crate::ast::{ClauseKind, Module, Renamed, Term, TermId, TermKind};
use crate::calls::{self, Call};
use crate::directives::{self, Directive};
use crate::{builtin, clause};

/// A text with definitions of its own: the main one, or a module.
#[derive(Default, Debug)]
pub(crate) struct Scope {
    /// Its name, if it is a module.
    pub name: Option<String>,
    /// The list of what it exports.
    pub exports: Option<TermId>,
}

/// Name and number of arguments.
type Key = (String, usize);

/// What is renamed in the clauses of a scope.
type Names = HashMap<Key, String>;

/// Predicates whose clauses belong to everybody, wherever they stand; expansions of one module have other names.
const SHARED: [(&str, usize); 9] = [
    ("term_expansion", 2),
    ("term_expansion", 4),
    ("goal_expansion", 2),
    ("goal_expansion", 4),
    ("library_directory", 1),
    ("file_search_path", 2),
    ("portray", 1),
    ("message", 3),
    ("test", 2),
];

/// Renames what several scopes define; `scope_of` has the scope of each clause.
pub(crate) fn separate(module: &mut Module, scopes: &[Scope], scope_of: &[usize]) {
    own_constraints(module, scopes, scope_of);
    if scopes.len() < 2 {
        return;
    }
    let names = names_of_scopes(module, scopes, scope_of);
    module.homes = homes(module, scopes, scope_of, &names);
    let types = types_of_scopes(module, scopes, scope_of);
    if names.iter().chain(&types).all(Names::is_empty) {
        return;
    }
    let by_name: HashMap<&str, usize> =
        scopes.iter().enumerate().filter_map(|(i, s)| Some((s.name.as_deref()?, i))).collect();
    rename(module, scope_of.iter().copied(), &names, &types, &by_name);
    for (scope, names) in scopes.iter().zip(names) {
        let of_module = |((name, arity), new): (Key, String)| {
            Some(Renamed { module: scope.name.clone()?, name, arity, new })
        };
        module.renamed.extend(names.into_iter().filter_map(of_module));
    }
    module.renamed.sort_by(|a, b| (&a.module, &a.name, a.arity).cmp(&(&b.module, &b.name, b.arity)));
}

/// What is renamed in each scope.
fn names_of_scopes(module: &Module, scopes: &[Scope], scope_of: &[usize]) -> Vec<Names> {
    let mut defined: HashMap<Key, Vec<usize>> = HashMap::default();
    for (clause, &scope) in module.clauses.iter().zip(scope_of) {
        for key in definitions(module, &clause.kind) {
            let places = defined.entry(key).or_default();
            if !places.contains(&scope) {
                places.push(scope);
            }
        }
    }
    let exported: Vec<HashSet<Key>> = scopes.iter().map(|scope| exports(module, scope)).collect();
    let mut names: Vec<Names> = scopes.iter().map(|_| Names::default()).collect();
    for (key, places) in defined {
        // What only one module defines, and keeps for itself, hides no predicate of a library from the others.
        let hides =
            places[0] != 0 && !exported[places[0]].contains(&key) && builtin::is_predicate(&key.0, key.1);
        // Hooks are of their module.
        let hook = matches!((&*key.0, key.1), ("attr_unify_hook", 2) | ("attribute_goals", 3));
        if places.len() == 1 && !hides && !(hook && places[0] != 0) {
            continue;
        }
        if SHARED.iter().any(|(name, arity)| *name == key.0 && *arity == key.1) {
            continue;
        }
        let exporters: Vec<usize> = places.iter().copied().filter(|&s| exported[s].contains(&key)).collect();
        let owner = match places.contains(&0) {
            true => 0,
            false if places.len() == 1 => usize::MAX,
            false => exporters.first().copied().unwrap_or(places[0]),
        };
        let renamed = |scope: usize| {
            let name = scopes[scope].name.as_deref().unwrap_or("user");
            format!("{name}:{}", key.0)
        };
        for &scope in places.iter().filter(|&&scope| hook || scope != owner) {
            names[scope].insert(key.clone(), renamed(scope));
        }
        // Who imports it has the exported one.
        if let Some(&exporter) = exporters.first().filter(|&&exporter| exporter != owner) {
            let others = (1..scopes.len()).filter(|scope| !places.contains(scope));
            others.for_each(|scope| drop(names[scope].insert(key.clone(), renamed(exporter))));
        }
    }
    names
}

/// The modules of constraints that are not declared by the main text.
fn homes(
    module: &Module,
    scopes: &[Scope],
    scope_of: &[usize],
    names: &[Names],
) -> HashMap<(String, usize), String> {
    let mut homes = HashMap::default();
    for (clause, &scope) in module.clauses.iter().zip(scope_of).filter(|&(_, &scope)| scope > 0) {
        let (ClauseKind::Directive(_), Some(home)) = (&clause.kind, &scopes[scope].name) else { continue };
        for key in definitions(module, &clause.kind) {
            let name = names[scope].get(&key).unwrap_or(&key.0).clone();
            homes.insert((name, key.1), home.clone());
        }
    }
    homes
}

/// `current_chr_constraint(C)` in the clauses of a module asks for the module's own: `M:C`.
fn own_constraints(module: &mut Module, scopes: &[Scope], scope_of: &[usize]) {
    let mut asked = Vec::new();
    for (clause, &scope) in module.clauses.iter().zip(scope_of) {
        let Some(name) = &scopes[scope].name else { continue };
        for call in calls_of(module, &clause.kind) {
            if let Some(("current_chr_constraint", &[constraint])) = module.functor(call.term)
                && call.arity == 1
                && call.modules.is_empty()
                && module.binary(constraint, ":").is_none()
            {
                asked.push((call.term, constraint, name.clone()));
            }
        }
    }
    for (call, constraint, name) in asked {
        let span = module.span(constraint);
        let name = module.terms.push(Term { kind: TermKind::Atom(name), span });
        let args = vec![name, constraint];
        let own = module.terms.push(Term { kind: TermKind::Compound { name: ":".into(), args }, span });
        if let TermKind::Compound { args, .. } = &mut module.terms[call].kind {
            args[0] = own;
        }
    }
}

/// What a clause calls.
fn calls_of(module: &Module, kind: &ClauseKind) -> Vec<Call> {
    let goals = |terms: &[TermId]| terms.iter().map(|&id| (id, 0)).collect::<Vec<_>>();
    match kind {
        ClauseKind::Prolog(term) => match module.functor(*term) {
            Some((":-" | "=>", &[_, body])) => calls::of_goals(module, [(body, 0)]),
            Some(("-->", &[_, body])) => calls::of_grammar(module, body),
            _ => Vec::new(),
        },
        ClauseKind::Rule(rule) => {
            calls::of_goals(module, goals(&rule.guard).into_iter().chain(goals(&rule.body)))
        }
        ClauseKind::Query(_) | ClauseKind::Directive(_) => Vec::new(),
    }
}

/// Renames in queries of another text what is called there by its module: `module:goal`.
pub(crate) fn qualify(module: &mut Module, renamed: &[Renamed]) {
    let mut names = vec![Names::default()];
    let mut by_name: HashMap<&str, usize> = HashMap::default();
    for one in renamed {
        let scope = *by_name.entry(&one.module).or_insert(names.len());
        names.resize(names.len().max(scope + 1), Names::default());
        names[scope].insert((one.name.clone(), one.arity), one.new.clone());
    }
    let types = vec![Names::default(); names.len()];
    let scope_of = vec![0; module.clauses.len()];
    rename(module, scope_of.into_iter(), &names, &types, &by_name);
}

fn rename(
    module: &mut Module,
    scope_of: impl Iterator<Item = usize>,
    names: &[Names],
    types: &[Names],
    by_name: &HashMap<&str, usize>,
) {
    let clauses = std::mem::take(&mut module.clauses);
    for (clause, scope) in clauses.iter().zip(scope_of) {
        Renaming { module, names, types, by_name }.clause(&clause.kind, scope);
    }
    module.clauses = clauses;
}

/// The types that several scopes define: each but the first one has another name for its own.
fn types_of_scopes(module: &Module, scopes: &[Scope], scope_of: &[usize]) -> Vec<Names> {
    let mut defined: HashMap<Key, Vec<usize>> = HashMap::default();
    for (clause, &scope) in module.clauses.iter().zip(scope_of) {
        let ClauseKind::Directive(directive) = clause.kind else { continue };
        for part in directives::parts(module, directive) {
            let (Directive::Type, &[definition]) = part else { continue };
            let head = module.binary(definition, "--->").or_else(|| module.binary(definition, "=="));
            let Some((name, args)) = head.and_then(|(head, _)| module.functor(head)) else { continue };
            let places = defined.entry((name.to_string(), args.len())).or_default();
            if !places.contains(&scope) {
                places.push(scope);
            }
        }
    }
    let mut names: Vec<Names> = scopes.iter().map(|_| Names::default()).collect();
    for (key, mut places) in defined {
        places.sort_unstable();
        for &scope in &places[1..] {
            let name = scopes[scope].name.as_deref().unwrap_or("user");
            names[scope].insert(key.clone(), format!("{name}:{}", key.0));
        }
    }
    names
}

/// What a clause defines or declares.
fn definitions(module: &Module, kind: &ClauseKind) -> Vec<Key> {
    match kind {
        // A head with a module says itself whose it is.
        ClauseKind::Prolog(term) if module.binary(head_of(module, *term), ":").is_some() => Vec::new(),
        ClauseKind::Prolog(term) => clause::defined(module, *term).into_iter().collect(),
        ClauseKind::Directive(directive) => {
            let mut found = Vec::new();
            for (directive, args) in directives::parts(module, *directive) {
                if directive == Directive::Constraints {
                    let specs = directives::specifications(module, args).into_iter();
                    found.extend(specs.filter_map(|spec| declared(module, spec).map(|(key, _)| key)));
                }
            }
            found
        }
        ClauseKind::Rule(_) | ClauseKind::Query(_) => Vec::new(),
    }
}

fn head_of(module: &Module, clause: TermId) -> TermId {
    match module.functor(clause) {
        Some((":-" | "-->" | "=>", &[head, _])) => head,
        _ => clause,
    }
}

/// The symbol that `name/arity` or `name(columns)` declares, and the term whose functor is its name.
fn declared(module: &Module, spec: TermId) -> Option<(Key, TermId)> {
    let slash = module.binary(spec, "/").or_else(|| module.binary(spec, "//"));
    match slash {
        Some((name, arity)) => {
            let TermKind::Int(arity) = module.kind(arity) else { return None };
            let more = if module.binary(spec, "//").is_some() { 2 } else { 0 };
            Some(((module.functor(name)?.0.to_string(), usize::try_from(*arity).ok()? + more), name))
        }
        None => {
            let (name, args) = module.functor(spec)?;
            Some(((name.to_string(), args.len()), spec))
        }
    }
}

fn exports(module: &Module, scope: &Scope) -> HashSet<Key> {
    let items = match scope.exports.map(|list| module.kind(list)) {
        Some(TermKind::List { items, .. }) => items.as_slice(),
        _ => &[],
    };
    let slashed =
        items.iter().filter(|&&item| module.functor(item).is_some_and(|(name, _)| name.starts_with('/')));
    slashed.filter_map(|&item| declared(module, item).map(|(key, _)| key)).collect()
}

struct Renaming<'a> {
    module: &'a mut Module,
    names: &'a [Names],
    types: &'a [Names],
    by_name: &'a HashMap<&'a str, usize>,
}

impl Renaming<'_> {
    fn clause(&mut self, kind: &ClauseKind, scope: usize) {
        let goals = |terms: &[TermId]| terms.iter().map(|&id| (id, 0)).collect::<Vec<_>>();
        match kind {
            ClauseKind::Prolog(term) => match self.module.functor(*term) {
                Some((":-" | "=>", &[head, body])) => self.goals(vec![(head, 0), (body, 0)], scope),
                Some(("-->", &[head, body])) => {
                    self.goals(vec![(head, 2)], scope);
                    self.grammar(body, scope);
                }
                _ => self.goals(vec![(*term, 0)], scope),
            },
            ClauseKind::Directive(directive) => {
                for goal in self.module.members(*directive, ",") {
                    // What a module qualifies has the name that it says.
                    let part =
                        directives::of(self.module, goal).filter(|_| self.module.binary(goal, ":").is_none());
                    match part {
                        Some((Directive::Type, &[definition])) => self.type_names(definition, scope),
                        Some((Directive::Constraints | Directive::Predicates(_), args)) => {
                            let specs: Vec<_> = args.to_vec();
                            specs.into_iter().for_each(|spec| self.specs(spec, scope));
                        }
                        _ => self.goals(vec![(goal, 0)], scope),
                    }
                }
            }
            ClauseKind::Rule(rule) => {
                for &head in rule.kept.iter().chain(&rule.removed) {
                    let head = self.module.binary(head, "#").map_or(head, |(head, _)| head);
                    self.goals(vec![(head, 0)], scope);
                }
                self.goals(goals(&rule.guard), scope);
                self.goals(goals(&rule.body), scope);
            }
            ClauseKind::Query(terms) => self.goals(goals(terms), scope),
        }
    }

    /// Names of a declaration.
    fn specs(&mut self, spec: TermId, scope: usize) {
        for spec in self.module.members(spec, ",") {
            let Some((key, place)) = declared(self.module, spec) else { continue };
            if place == spec {
                let columns = self.module.functor(spec).map(|(_, args)| args.to_vec()).unwrap_or_default();
                columns.into_iter().for_each(|column| self.type_names(column, scope));
            }
            self.rename(place, &key, scope);
        }
    }

    /// Types in a definition or a column.
    fn type_names(&mut self, id: TermId, scope: usize) {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let key = match self.module.kind(id) {
                TermKind::List { items, tail } => {
                    pending.extend(items.iter().chain(tail));
                    continue;
                }
                _ => self.module.functor(id).map(|(name, args)| (name.to_string(), args.len())),
            };
            let Some(key) = key else { continue };
            pending.extend(self.module.functor(id).map(|(_, args)| args.to_vec()).unwrap_or_default());
            if let Some(new) = self.types[scope].get(&key)
                && let TermKind::Atom(name) | TermKind::Compound { name, .. } =
                    &mut self.module.terms[id].kind
            {
                name.clone_from(new);
            }
        }
    }

    fn rename(&mut self, place: TermId, key: &Key, scope: usize) {
        let Some(new) = self.names[scope].get(key) else { return };
        match &mut self.module.terms[place].kind {
            TermKind::Atom(name) | TermKind::Compound { name, .. } => name.clone_from(new),
            _ => {}
        }
    }

    /// Goals, or closures that are called with so many more arguments.
    fn goals(&mut self, goals: Vec<(TermId, usize)>, scope: usize) {
        self.calls(calls::of_goals(self.module, goals), scope);
    }

    /// The body of a rule of a grammar.
    fn grammar(&mut self, body: TermId, scope: usize) {
        self.calls(calls::of_grammar(self.module, body), scope);
    }

    fn calls(&mut self, calls: Vec<Call>, scope: usize) {
        for call in calls {
            let named = |id: TermId| self.by_name.get(self.module.functor(id)?.0).copied();
            let scope = call.modules.iter().fold(scope, |scope, &module| named(module).unwrap_or(scope));
            let Some((name, _)) = self.module.functor(call.term) else { continue };
            let key = (name.to_string(), call.arity);
            self.rename(call.term, &key, scope);
        }
    }
}
