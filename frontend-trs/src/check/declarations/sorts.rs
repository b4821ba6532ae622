//! Sorts: their declarations, further names, and lists.

use super::*;

/// What names of sorts mean.
pub(super) struct Sorts<'v> {
    pub names: &'v Names,
    /// By name.
    pub of: &'v [Option<SortId>],
    pub sorts: &'v mut IdVec<SortId, Sort>,
    pub symbols: &'v mut IdVec<SymbolId, Symbol>,
    pub lists: &'v mut Lists,
}

impl Sorts<'_> {
    /// The sort, which may be a new one of lists.
    pub fn find(&mut self, sort: &SortRef, reporter: &mut Reporter) -> Option<SortId> {
        let (text, found) = (self.names.get(sort.name.name), self.of[sort.name.name.0 as usize]);
        let is_list = found.is_none() && text == LIST && !reporter.is_silenced(sort.name.name);
        if !is_list && found.is_none() {
            unknown_sort(self.sorts, sort.name, self.names, reporter);
            return None;
        }
        let wanted = usize::from(is_list);
        if sort.args.len() != wanted {
            let form = if is_list { format!("{LIST}(Nat)") } else { text.to_string() };
            reporter.report(
                Diagnostic::error(
                    "T0109",
                    format!("`{text}` stands with another number of sorts in brackets"),
                )
                .label(sort.span, format!("{} here", sort.args.len()))
                .help(format!("write `{form}`")),
            );
            return None;
        }
        let Some(element) = sort.args.first() else { return found };
        let element = self.find(element, reporter)?;
        Some(self.lists.sort(element, self.sorts, self.symbols))
    }
}

fn unknown_sort(sorts: &IdVec<SortId, Sort>, ident: Ident, names: &Names, reporter: &mut Reporter) {
    if !reporter.first_report(ident.name) {
        return;
    }
    let text = names.get(ident.name);
    let near = reporter.suggests().then(|| nearest(text, sorts.iter().map(|sort| sort.name.as_str())));
    reporter.report(
        Diagnostic::error("T0101", format!("unknown sort `{text}`")).label(ident.span, "not declared").help(
            match near.flatten() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("declare it: `sort {text} = struct ...;` or `sort {text};`"),
            },
        ),
    );
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
        for (name, kind) in [("Bool", SortKind::Data), ("Int", SortKind::Int), ("Float", SortKind::Float)] {
            let known = self.names.find(name);
            if known.is_none_or(|known| declared.iter().all(|ident| ident.name != known)) {
                let id = self.sorts.push(Sort { name: name.into(), kind, span: None });
                if let Some(known) = known {
                    self.sort_of[known.0 as usize] = Some(id);
                }
            }
        }
        let (aliases, own): (Vec<_>, Vec<_>) =
            declarations().flatten().partition(|clause| matches!(clause.body, SortBody::Alias(_)));
        own.into_iter().flat_map(|clause| &clause.names).for_each(|&ident| self.sort(ident));
        self.aliases(&aliases);
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
                order.push((ident, target, clause.span));
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
            let (ident, target, _) = order[at];
            known[at] = true;
            self.sort_of[ident.name.0 as usize] = self.find(target);
            if self.sort_of[ident.name.0 as usize].is_none() {
                self.reporter.silence(ident.name);
            }
            for &user in users.get(&ident.name).into_iter().flatten() {
                waiting[user] -= 1;
                if waiting[user] == 0 {
                    ready.push(user);
                }
            }
        }
        for ((ident, _, span), _) in order.into_iter().zip(known).filter(|(_, known)| !known) {
            let text = self.names.get(ident.name);
            self.reporter.report(
                Diagnostic::error("T0108", format!("sort `{text}` stands for itself"))
                    .label(span, "leads back here")
                    .help("let one of these names stand for another sort, or be a `struct`"),
            );
            self.reporter.silence(ident.name);
        }
    }

    /// Whether a sort is not declared yet; reports it when it is. `alias`: where its name stands for another sort.
    pub(super) fn is_new_sort(&mut self, ident: Ident, alias: Option<Span>) -> bool {
        let first = self.sort_of[ident.name.0 as usize].map(|first| self.sorts[first].span);
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
        let Self { names, sort_of, sorts, symbols, lists, .. } = self;
        Sorts { names, of: sort_of, sorts, symbols, lists }.find(sort, self.reporter)
    }
}
