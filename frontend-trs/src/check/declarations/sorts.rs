//! Sorts: their declarations, parameters, further names, lists and characters.

use super::*;
use crate::ast::{Equation, Term};
use crate::check::builtin::INTEGER;
use crate::check::builtin::characters::CHAR;
use crate::check::sorts::{Parametric, Sorts};

/// Whether a text uses a name as that of a sort.
fn uses_sort(module: &Module, name: Name) -> bool {
    let of = |sort: &SortRef| sort.names().iter().any(|ident| ident.name == name);
    let of_term = |term: &Term| term.lambdas.iter().flatten().any(|parameter| of(&parameter.sort));
    let of_equation = |equation: &Equation| {
        let terms = [Some(&equation.left), equation.condition.as_ref(), Some(&equation.right)];
        let mut terms = terms.into_iter().flatten().chain(equation.values.iter().map(|value| &value.value));
        terms.any(of_term)
    };
    module.all_sections().any(|section| match section {
        Section::Sorts(clauses) => clauses.iter().any(|clause| match &clause.body {
            SortBody::Own => false,
            SortBody::Struct(symbols) => {
                symbols.iter().flat_map(|symbol| &symbol.args).any(|arg| of(&arg.sort))
            }
            SortBody::Alias(sort) => of(sort),
        }),
        Section::Constructors(clauses) | Section::Maps(clauses) => {
            clauses.iter().any(|clause| clause.args.iter().chain([&clause.result]).any(of))
        }
        Section::Variables(clauses) => clauses.iter().filter_map(|clause| clause.sort.as_ref()).any(of),
        Section::Equations(equations) => equations.iter().any(of_equation),
        Section::Input(input) => of_term(&input.term),
        Section::Import(_) | Section::Strategy(_) => false,
    })
}

impl<'a> Collector<'a, '_> {
    /// The built-in sorts that the program does not declare itself, then its own.
    pub(super) fn sorts(&mut self, module: &'a Module) {
        let declarations = || {
            module.all_sections().filter_map(|section| match section {
                Section::Sorts(clauses) => Some(clauses),
                _ => None,
            })
        };
        let declared: Vec<Ident> = declarations().flatten().flat_map(|c| c.names.iter().copied()).collect();
        let is_declared = |text: &str| {
            self.names.find(text).is_some_and(|name| declared.iter().any(|ident| ident.name == name))
        };
        self.characters.is_hidden = is_declared(CHAR);
        let integer = self.names.find(INTEGER).filter(|&name| uses_sort(module, name));
        self.is_wide = integer.is_some() && !is_declared(INTEGER);
        let built_in: &[_] = match self.is_wide {
            true => &[("Bool", SortKind::Data), (INTEGER, SortKind::Int)],
            false => &[("Bool", SortKind::Data), ("Int", SortKind::Int), ("Float", SortKind::Float)],
        };
        for &(name, kind) in built_in {
            let known = self.names.find(name);
            if !is_declared(name) {
                let id = self.sorts.push(Sort { name: name.into(), kind, span: None });
                if let Some(known) = known {
                    self.sort_of[known.0 as usize] = Some(id);
                }
                // What counts in texts that are imported has the numbers of the program.
                if let Some(int) = self.names.find("Int")
                    && name == INTEGER
                    && !is_declared("Int")
                {
                    self.sort_of[int.0 as usize] = Some(id);
                }
            }
        }
        self.parameters(module, &declared);
        let (aliases, own): (Vec<_>, Vec<_>) =
            declarations().flatten().partition(|clause| matches!(clause.body, SortBody::Alias(_)));
        for clause in own {
            if clause.parameters.is_empty() {
                clause.names.iter().for_each(|&ident| self.sort(ident));
            } else if let Some(&ident) = clause.names.first() {
                self.parametric_sort(ident, &clause.parameters);
            }
        }
        self.aliases(&aliases);
    }

    /// What stands for sorts: parameters in declarations, and variables of sorts. One name is one parameter.
    fn parameters(&mut self, module: &'a Module, declared: &[Ident]) {
        for section in module.all_sections() {
            let found: Vec<&[Ident]> = match section {
                Section::Sorts(clauses) => {
                    clauses.iter().map(|clause| clause.parameters.as_slice()).collect()
                }
                Section::Variables(clauses) => {
                    let of_sorts = clauses.iter().filter(|clause| clause.sort.is_none());
                    of_sorts.map(|clause| clause.names.as_slice()).collect()
                }
                _ => continue,
            };
            for idents in found {
                for (at, &ident) in idents.iter().enumerate() {
                    self.parameter(ident, &idents[..at], declared);
                }
            }
        }
    }

    fn parameter(&mut self, ident: Ident, before: &[Ident], declared: &[Ident]) {
        let text = self.names.get(ident.name);
        let same = |other: &&Ident| other.name == ident.name && other.span.source == ident.span.source;
        let known = self.sort_of[ident.name.0 as usize];
        let refuse = |what: String, other: Option<Span>| {
            let mut found = Diagnostic::error("T0112", what).label(ident.span, "stands for any sort");
            if let Some(span) = other {
                found = found.label(span, "declared here");
            }
            found.help("give the parameter a name of its own")
        };
        if let Some(first) = before.iter().find(same) {
            self.reporter.report(refuse(format!("`{text}` is a parameter twice"), Some(first.span)));
        } else if let Some(other) = declared.iter().find(same) {
            let what = format!("`{text}` is a sort, and no name for any sort");
            self.reporter.report(refuse(what, Some(other.span)));
        } else if known.is_some() {
            let what = format!("`{text}` is a built-in sort, and no name for any sort");
            self.reporter.report(refuse(what, None));
        } else {
            let Self { families, sorts, symbols, .. } = self;
            let new = || families.parameter(text, sorts, symbols);
            self.parametric.parameters.entry(ident.name).or_insert_with(new);
            self.parametric.texts.insert((ident.name, ident.span.source));
        }
    }

    /// The parameters of a declaration; `None` where something is wrong with one, which is reported.
    fn own_parameters(&self, idents: &[Ident]) -> Option<Vec<SortId>> {
        let found =
            idents.iter().map(|&ident| self.parametric.parameter(ident)).collect::<Option<Vec<_>>>()?;
        let twice = (1..found.len()).any(|at| found[..at].contains(&found[at]));
        (!twice).then_some(found)
    }

    fn parametric_sort(&mut self, ident: Ident, parameters: &[Ident]) {
        if !self.is_new_sort(ident, None) {
            return;
        }
        let whole = self.own_parameters(parameters).and_then(|parameters| {
            let name = self.names.get(ident.name);
            let family = self.families.family(name, Some(ident.span), parameters.clone());
            Some((self.families.sort(family, parameters.clone(), &mut self.sorts)?, parameters))
        });
        match whole {
            Some((whole, parameters)) => {
                let sort = Parametric { parameters, whole, span: ident.span };
                self.parametric.sorts.insert(ident.name, sort);
            }
            None => self.reporter.silence(ident.name),
        }
    }

    /// Further names of sorts, which may stand for each other.
    pub(super) fn aliases(&mut self, clauses: &[&SortDeclaration]) {
        let mut of: HashMap<Name, (Ident, &SortRef)> = HashMap::default();
        let mut order = Vec::new();
        for clause in clauses {
            let (SortBody::Alias(target), Some(&ident)) = (&clause.body, clause.names.first()) else {
                continue;
            };
            if self.is_new_sort(ident, of.get(&ident.name).map(|(first, _)| first.span)) {
                of.insert(ident.name, (ident, target));
                order.push((ident, target, *clause));
            }
        }
        // An alias is known when all those that it stands for are.
        let mut users: HashMap<Name, Vec<usize>> = HashMap::default();
        let mut waiting: Vec<usize> = vec![0; order.len()];
        for (at, (_, target, _)) in order.iter().enumerate() {
            for name in target.names().into_iter().filter(|name| of.contains_key(&name.name)) {
                users.entry(name.name).or_default().push(at);
                waiting[at] += 1;
            }
        }
        let mut ready: Vec<usize> = (0..order.len()).rev().filter(|&at| waiting[at] == 0).collect();
        let mut known = vec![false; order.len()];
        while let Some(at) = ready.pop() {
            let (ident, target, clause) = order[at];
            known[at] = true;
            self.alias(ident, target, &clause.parameters);
            for &user in users.get(&ident.name).into_iter().flatten() {
                waiting[user] -= 1;
                if waiting[user] == 0 {
                    ready.push(user);
                }
            }
        }
        for ((ident, _, SortDeclaration { span, .. }), _) in
            order.into_iter().zip(known).filter(|(_, known)| !known)
        {
            let text = self.names.get(ident.name);
            self.reporter.report(
                Diagnostic::error("T0108", format!("sort `{text}` stands for itself"))
                    .label(*span, "leads back here")
                    .help("let one of these names stand for another sort, or be a `struct`"),
            );
            self.reporter.silence(ident.name);
        }
    }

    fn alias(&mut self, ident: Ident, target: &SortRef, parameters: &[Ident]) {
        let whole = self.find(target);
        let own = self.own_parameters(parameters);
        let (Some(whole), Some(own)) = (whole, own) else { return self.reporter.silence(ident.name) };
        let mut found = Vec::new();
        self.families.parameters_in(whole, &mut found);
        if let Some(other) = found.into_iter().find(|other| !own.contains(other)) {
            let (text, name) = (self.names.get(ident.name), &self.sorts[other].name);
            self.reporter.report(
                Diagnostic::error("T0113", format!("nothing says what `{name}` stands for in this sort"))
                    .label(target.span, format!("made of `{name}`"))
                    .help(format!("make it a parameter: `sort {text}({name}) = ...;`")),
            );
            return self.reporter.silence(ident.name);
        }
        if parameters.is_empty() {
            self.sort_of[ident.name.0 as usize] = Some(whole);
        } else {
            let of = Parametric { parameters: own, whole, span: ident.span };
            self.parametric.sorts.insert(ident.name, of);
        }
    }

    /// Whether a sort is not declared yet; reports it when it is. `alias`: where its name stands for another sort.
    pub(super) fn is_new_sort(&mut self, ident: Ident, alias: Option<Span>) -> bool {
        let parametric = self.parametric.sorts.get(&ident.name).map(|first| Some(first.span));
        let plain = || self.sort_of[ident.name.0 as usize];
        let first = parametric.or_else(|| plain().map(|first| self.sorts[first].span));
        let Some(span) = first.or(alias.map(Some)) else { return true };
        let text = self.names.get(ident.name);
        let mut diagnostic = Diagnostic::error("T0104", format!("sort `{text}` is declared twice"))
            .label(ident.span, "declared again here");
        if let Some(span) = span {
            diagnostic = diagnostic.label(span, "first declared here");
        }
        self.reporter.report(diagnostic.help("put all its symbols into one declaration, or rename one sort"));
        false
    }

    pub(super) fn sort(&mut self, ident: Ident) {
        if !self.is_new_sort(ident, None) {
            return;
        }
        let text = self.names.get(ident.name);
        let sort = Sort { name: text.into(), kind: SortKind::Data, span: Some(ident.span) };
        self.sort_of[ident.name.0 as usize] = Some(self.sorts.push(sort));
    }

    pub(super) fn find(&mut self, sort: &SortRef) -> Option<SortId> {
        let Self { names, sort_of: of, parametric, sorts, symbols, families, .. } = self;
        let (lists, functions, characters) = (&mut self.lists, &mut self.functions, &mut self.characters);
        Sorts { names, of, parametric, sorts, symbols, families, lists, functions, characters }
            .find(sort, self.reporter)
    }
}
