//! The symbols of `.chr` texts: constraints and predicates by name and number of arguments, variables of a clause.

use std::ops::Range;

use gchr_base::source::SourceMap;
use gchr_chr::ast::{Clause, ClauseKind, Module, TermId, TermKind};
use gchr_chr::calls::{self, Call};
use gchr_chr::directives::{self, Directive};

use crate::index::{Builder, Entry, Index, Kind, Role};

const WORDS: &[&str] = &[
    "chr_constraint",
    "chr_type",
    "chr_option",
    "use_module",
    "library",
    "pragma",
    "passive",
    "true",
    "fail",
    "false",
    "is",
    "mod",
    "write",
    "writeln",
    "nl",
    "format",
    "member",
    "append",
    "length",
    "findall",
    "forall",
    "between",
    "nonvar",
    "var",
    "ground",
    "number",
    "integer",
    "atom",
    "int",
    "float",
    "natural",
    "dense_int",
    "any",
    "string",
];

/// Built-in predicates whose argument is a constraint.
const OF_CONSTRAINTS: &[&str] = &["find_chr_constraint", "remove_constraint"];

/// The files that a constraint program names, each by the names that are tried.
pub(crate) fn imports(text: &str) -> Vec<Vec<String>> {
    let mut sources = SourceMap::new();
    let id = sources.add("text", text);
    gchr_chr::files_named(&gchr_chr::parse(&sources, id).ast)
}

impl Index {
    /// The symbols of a constraint program: of its own text, not of files that it names.
    pub fn of_constraints(text: &str) -> Self {
        let mut sources = SourceMap::new();
        let id = sources.add("text", text);
        let module = gchr_chr::parse(&sources, id).ast;
        let mut reader = Reader { text, module: &module, builder: Builder::new(WORDS), rules: 0 };
        // A constraint is declared before its own clauses are looked at, wherever these stand.
        let is_directive = |clause: &&Clause| matches!(clause.kind, ClauseKind::Directive(_));
        module.clauses.iter().filter(is_directive).for_each(|clause| reader.declare(clause));
        module
            .clauses
            .iter()
            .filter(|clause| !is_directive(clause))
            .for_each(|clause| reader.declare(clause));
        for clause in &module.clauses {
            if reader.is_written(clause) {
                reader.clause(clause);
            }
        }
        reader.builder.finish()
    }
}

struct Reader<'a> {
    text: &'a str,
    module: &'a Module,
    builder: Builder,
    /// Rules so far.
    rules: usize,
}

impl Reader<'_> {
    /// Whether the text has a clause: what a directive imports under another name becomes a clause, too.
    fn is_written(&self, clause: &Clause) -> bool {
        let own = clause.span.range();
        let holds = |other: &Clause| {
            let all = other.span.range();
            matches!(other.kind, ClauseKind::Directive(_)) && all.start <= own.start && own.end <= all.end
        };
        let is_named = |head: TermId| self.name_of(head).is_some();
        match &clause.kind {
            ClauseKind::Prolog(term) => {
                is_named(self.head(*term).0) || !self.module.clauses.iter().any(holds)
            }
            _ => true,
        }
    }

    /// The head of a clause, and how many arguments it has beside those that are written.
    fn head(&self, clause: TermId) -> (TermId, usize) {
        if let Some((head, _)) = self.module.binary(clause, "-->") {
            return (head, 2);
        }
        (self.module.binary(clause, ":-").map_or(clause, |(head, _)| head), 0)
    }

    /// Constraints, types and predicates, which are known in the whole text.
    fn declare(&mut self, clause: &Clause) {
        match &clause.kind {
            ClauseKind::Directive(term) => self.directive(*term, &clause.span.range()),
            ClauseKind::Prolog(term) => {
                let (head, more) = self.head(*term);
                let Some((name, args)) = self.module.functor(head) else { return };
                let (name, arity) = (name.to_string(), args.len() + more);
                // A constraint may have clauses of its own.
                let constraint = self.builder.find(Kind::Constraint, &name, Some(arity));
                let predicate = self.builder.find(Kind::Predicate, &name, Some(arity));
                let is_new = constraint.or(predicate).is_none();
                let symbol = constraint
                    .unwrap_or_else(|| self.builder.symbol(Kind::Predicate, &name, Some(arity), None));
                self.builder.detail(symbol, format!("{name}/{arity}"));
                let selection = self.name_of(head);
                if is_new && let Some(selection) = selection.clone() {
                    let (kind, range) = (Kind::Predicate, clause.span.range());
                    self.builder.entry(Entry { name, detail: format!("/{arity}"), kind, range, selection });
                }
                if let Some(range) = selection {
                    self.occurs(symbol, range, arity > more, Role::Definition);
                }
            }
            ClauseKind::Rule(_) | ClauseKind::Query(_) => {}
        }
    }

    fn directive(&mut self, term: TermId, whole: &Range<usize>) {
        match directives::of(self.module, term) {
            Some((Directive::Constraints, args)) => {
                for &list in args {
                    for item in self.module.members(list, ",") {
                        self.constraint(item, whole);
                    }
                }
            }
            Some((Directive::Type, &[definition])) => {
                let pair = ["--->", "=="].iter().find_map(|&arrow| self.module.binary(definition, arrow));
                let Some((head, _)) = pair else { return };
                let Some((name, _)) = self.module.functor(head) else { return };
                let name = name.to_string();
                let symbol = self.builder.symbol(Kind::Type, &name, None, None);
                self.builder.detail(symbol, self.line(whole));
                if let Some(selection) = self.name_of(head) {
                    self.builder.occurs(symbol, selection.clone(), Role::Declaration);
                    let (kind, range) = (Kind::Type, whole.clone());
                    self.builder.entry(Entry { name, detail: "type".into(), kind, range, selection });
                }
            }
            Some((Directive::Load, &[_, imports])) => {
                if let TermKind::List { items, .. } = self.module.kind(imports) {
                    items.iter().for_each(|&item| self.renamed(item));
                }
            }
            _ => {}
        }
    }

    /// `append/3 as joined` of an import: a predicate under another name.
    fn renamed(&mut self, import: TermId) {
        let Some((named, other)) = self.module.binary(import, "as") else { return };
        let (Some((_, arity)), Some((name, []))) = (self.slashed(named), self.module.functor(other)) else {
            return;
        };
        let symbol = self.builder.symbol(Kind::Predicate, name, Some(arity), None);
        self.builder.detail(symbol, self.line(&self.module.span(import).range()));
        if let Some(range) = self.name_of(other) {
            self.builder.occurs(symbol, range, Role::Declaration);
        }
    }

    /// `path/2` or `path(+int, ?any)`.
    fn constraint(&mut self, item: TermId, whole: &Range<usize>) {
        let by_number = self.slashed(item);
        let (named, arity) =
            by_number.unwrap_or_else(|| (item, self.module.functor(item).map_or(0, |(_, args)| args.len())));
        let Some((name, _)) = self.module.functor(named) else { return };
        let name = name.to_string();
        let symbol = self.builder.symbol(Kind::Constraint, &name, Some(arity), None);
        let detail = self.line(&self.module.span(item).range());
        self.builder.detail(symbol, format!("constraint {detail}"));
        if let Some(selection) = self.name_of(named) {
            self.builder.occurs(symbol, selection.clone(), Role::Declaration);
            let kind = Kind::Constraint;
            self.builder.entry(Entry {
                name,
                detail: format!("/{arity}"),
                kind,
                range: whole.clone(),
                selection,
            });
        }
    }

    /// What a directive names by its number of arguments: `:- dynamic seen/1.`, lists of exports and imports.
    fn named_by_arity(&mut self, directive: TermId) {
        let mut pending = vec![directive];
        while let Some(id) = pending.pop() {
            if let Some((named, arity)) = self.slashed(id)
                && let Some((name, _)) = self.module.functor(named)
            {
                let kinds = [Kind::Constraint, Kind::Predicate];
                let found = kinds.iter().find_map(|&kind| self.builder.find(kind, name, Some(arity)));
                if let (Some(symbol), Some(range)) = (found, self.name_of(named)) {
                    self.builder.occurs(symbol, range, Role::Use);
                }
                continue;
            }
            match self.module.kind(id) {
                TermKind::Compound { args, .. } => pending.extend(args),
                TermKind::List { items, tail } => pending.extend(items.iter().chain(tail)),
                _ => {}
            }
        }
    }

    /// `name/arity`, or `name//arity` of a grammar, which has two arguments more.
    fn slashed(&self, id: TermId) -> Option<(TermId, usize)> {
        let of = |slash: &str, more: usize| Some((self.module.binary(id, slash)?, more));
        let ((name, arity), more) = of("/", 0).or_else(|| of("//", 2))?;
        match self.module.kind(arity) {
            TermKind::Int(n) => Some((name, usize::try_from(*n).ok()? + more)),
            _ => None,
        }
    }

    /// Types in declarations of constraints and of other types.
    fn types_of(&mut self, directive: TermId) {
        let module = self.module;
        let args = |id: &TermId| module.functor(*id).map_or(&[][..], |(_, args)| args);
        let named: Vec<TermId> = match directives::of(module, directive) {
            Some((Directive::Constraints, lists)) => {
                let items = lists.iter().flat_map(|&list| module.members(list, ","));
                items.flat_map(|item| args(&item).to_vec()).collect()
            }
            Some((Directive::Type, &[definition])) => {
                match (module.binary(definition, "=="), module.binary(definition, "--->")) {
                    (Some((_, same)), _) => vec![same],
                    // Alternatives are values, whose arguments are of types.
                    (_, Some((_, values))) => {
                        let values = module.members(values, ";");
                        values
                            .iter()
                            .flat_map(|value| match module.kind(*value) {
                                TermKind::List { items, tail } => items.iter().chain(tail).copied().collect(),
                                _ => args(value).to_vec(),
                            })
                            .collect()
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        named.into_iter().for_each(|ty| self.types(ty));
    }

    fn types(&mut self, ty: TermId) {
        let mut pending = vec![ty];
        while let Some(id) = pending.pop() {
            let Some((name, args)) = self.module.functor(id) else { continue };
            if let Some(symbol) = self.builder.find(Kind::Type, name, None)
                && let Some(range) = self.name_of(id)
            {
                self.builder.occurs(symbol, range, Role::Use);
            }
            pending.extend(args);
        }
    }

    fn clause(&mut self, clause: &Clause) {
        let scope = clause.span.range();
        match &clause.kind {
            ClauseKind::Directive(term) => {
                self.goal(*term, Role::Use);
                self.types_of(*term);
                self.named_by_arity(*term);
            }
            ClauseKind::Query(goals) => {
                for &goal in goals {
                    self.goal(goal, Role::Use);
                    self.variables(goal, &scope);
                }
                let selection = scope.start..(scope.start + 2).min(scope.end);
                let (name, detail) = ("?-".to_string(), self.line(&scope));
                self.builder.entry(Entry { name, detail, kind: Kind::Rule, range: scope, selection });
            }
            ClauseKind::Prolog(term) => {
                if let Some((_, body)) = self.module.binary(*term, ":-") {
                    self.goal(body, Role::Use);
                } else if let Some((_, body)) = self.module.binary(*term, "-->") {
                    self.calls(calls::of_grammar(self.module, body), Role::Use);
                }
                self.variables(*term, &scope);
            }
            ClauseKind::Rule(rule) => {
                self.rules += 1;
                let heads = || rule.kept.iter().chain(&rule.removed);
                for &head in heads() {
                    let head = self.module.binary(head, "#").map_or(head, |(head, _)| head);
                    self.goal(head, Role::Definition);
                }
                rule.guard.iter().chain(&rule.body).for_each(|&goal| self.goal(goal, Role::Use));
                let all = heads().chain(&rule.guard).chain(&rule.body).chain(&rule.pragmas);
                all.for_each(|&term| self.variables(term, &scope));
                let named = rule.name.and_then(|name| Some((self.module.functor(name)?.0.to_string(), name)));
                let (name, selection) = match named {
                    Some((name, id)) => (name, self.module.span(id).range()),
                    None => (format!("rule {}", self.rules), rule.arrow_span.range()),
                };
                let detail = self.line(&scope);
                self.builder.entry(Entry { name, detail, kind: Kind::Rule, range: scope, selection });
            }
        }
    }

    /// Constraints and predicates that goals call.
    fn calls(&mut self, calls: Vec<Call>, role: Role) {
        for Call { term, arity, .. } in calls {
            let Some((name, args)) = self.module.functor(term) else { continue };
            if let [inner] = *args
                && OF_CONSTRAINTS.contains(&name)
            {
                self.goal(inner, role);
            }
            let kinds = [Kind::Constraint, Kind::Predicate];
            let found = kinds.iter().find_map(|&kind| self.builder.find(kind, name, Some(arity)));
            if let Some(symbol) = found
                && let Some(range) = self.name_of(term)
            {
                let has_args = !args.is_empty();
                self.occurs(symbol, range, has_args, role);
            }
        }
    }

    fn goal(&mut self, goal: TermId, role: Role) {
        self.calls(calls::of_goals(self.module, [(goal, 0)]), role);
    }

    fn occurs(&mut self, symbol: usize, range: Range<usize>, has_args: bool, role: Role) {
        if has_args && !self.text[range.end..].starts_with('(') {
            self.builder.is_operator(symbol);
        }
        self.builder.occurs(symbol, range, role);
    }

    /// The variables of a term, which are known in their clause.
    fn variables(&mut self, term: TermId, scope: &Range<usize>) {
        let mut pending = vec![term];
        while let Some(id) = pending.pop() {
            match self.module.kind(id) {
                TermKind::Var(name) if name != "_" => {
                    let symbol = self.builder.symbol(Kind::Variable, name, None, Some(scope.clone()));
                    self.builder.occurs(symbol, self.module.span(id).range(), Role::Use);
                }
                TermKind::Compound { args, .. } => pending.extend(args),
                TermKind::List { items, tail } => pending.extend(items.iter().chain(tail)),
                _ => {}
            }
        }
    }

    /// Where the name of a functor stands: before, between or behind its arguments.
    fn name_of(&self, id: TermId) -> Option<Range<usize>> {
        let (name, args) = self.module.functor(id)?;
        let whole = self.module.span(id).range();
        let place = |arg: TermId| self.module.span(arg).range();
        let is_infix = args.len() == 2 && !self.begins(whole.start, name);
        if is_infix {
            let between = place(args[0]).end..place(args[1]).start;
            let at = self.text.get(between.clone())?.rfind(name)?;
            return Some(between.start + at..between.start + at + name.len());
        }
        if self.text.get(whole.start..)?.starts_with('\'') {
            return Some(whole.start..self.quoted_end(whole.start)?);
        }
        match self.begins(whole.start, name) {
            true => Some(whole.start..whole.start + name.len()),
            false => None,
        }
    }

    /// Whether a name stands at a byte, and nothing longer.
    fn begins(&self, at: usize, name: &str) -> bool {
        let quoted = self.text.get(at..).is_some_and(|rest| rest.starts_with('\''));
        let rest = self.text.get(at..).and_then(|rest| rest.strip_prefix(name));
        let is_word = name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        quoted
            || rest
                .is_some_and(|rest| !(is_word && rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')))
    }

    /// Behind the quote that ends the name that begins with one.
    fn quoted_end(&self, start: usize) -> Option<usize> {
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                '\'' if self.text[start + 1 + at + 1..].starts_with('\'') => drop(chars.next()),
                '\'' => return Some(start + 1 + at + 1),
                _ => {}
            }
        }
        None
    }

    /// A part of the text in one line, cut where it is long.
    fn line(&self, range: &Range<usize>) -> String {
        let words: Vec<&str> = self.text.get(range.clone()).unwrap_or("").split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(100) {
            Some((at, _)) => format!("{}...", &line[..at]),
            None => line,
        }
    }
}
