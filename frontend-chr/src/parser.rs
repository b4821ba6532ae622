//! Texts to clauses: one after the other is read, and what a directive says about reading holds from there on.

mod condition;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::logic::{Evaluator, Operators};
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::Parsed;
use crate::ast::{Clause, ClauseKind, Module, Term, TermId, TermKind};
use crate::clause::{misspelt_directive, recognise};
use crate::directives::{self, Directive};
use crate::expansion::Expansion;
use crate::files::{self, Folders, Found, Texts};
use crate::flags::{self, Quotes};
use crate::lexer::{self, Tok, Token};
use crate::operators;
use crate::options;
use crate::reader::{Reader, Syntax};
use crate::scopes::{self, Scope};
use condition::Conditions;

/// Most arguments of a predicate that is imported under another name.
const MAX_RENAMED: usize = 1000;

/// Most syntax errors of a program that are shown.
const MAX_ERRORS: usize = 100;

/// Keeps the first errors of so many, and says that there are more.
pub(crate) fn cap(diagnostics: &mut Vec<Diagnostic>, code: &'static str, what: &str, most: usize) {
    let errors = diagnostics.iter().enumerate().filter(|(_, d)| d.is_error());
    let Some((at, place)) = errors.map(|(i, d)| (i, d.labels.first().map(|l| l.span))).nth(most) else {
        return;
    };
    diagnostics.truncate(at);
    let mut more = Diagnostic::error(code, format!("more than {most} {what}"));
    if let Some(place) = place {
        more = more.label(place, "the next one is here");
    }
    diagnostics.push(more.help("correct those above first; the others may follow from them"));
}

/// Parses a program text. Never fails: clauses with errors are left out. Directives that name other files stay what
/// they are, and so are terms that clauses of the text would change.
pub fn parse(sources: &SourceMap, id: SourceId) -> Parsed {
    parse_program(&mut files::One(sources), id, None)
}

/// Parses a program text and the texts of the files that it names; the evaluator runs clauses that change terms.
pub(crate) fn parse_program(
    texts: &mut impl Texts,
    id: SourceId,
    evaluator: Option<&mut dyn Evaluator>,
) -> Parsed {
    let mut parser = Parser::new(texts, id, Operators::default(), Quotes::default());
    parser.expansion = Expansion::new(evaluator);
    let mut parsed = parser.program();
    if parsed.ast.clauses.is_empty() && parsed.diagnostics.is_empty() {
        parsed.diagnostics.push(
            Diagnostic::error("C0109", "the program is empty")
                .label(Span::new(id, 0, 0), "no clause here")
                .help("declare constraints (:- chr_constraint c/1.), write rules and a query (?- c(1).)"),
        );
    }
    parsed
}

/// Parses a text of goals, with or without `?-` and a final full stop, by the standard operators.
pub fn parse_goals(sources: &SourceMap, id: SourceId) -> Parsed {
    parse_query(sources, id, &Operators::default(), Quotes::default())
}

/// Parses the text of a query: goals with or without `?-` and final full stop, read as at the end of the program.
pub(crate) fn parse_query(
    sources: &SourceMap,
    id: SourceId,
    operators: &Operators,
    quotes: Quotes,
) -> Parsed {
    let mut texts = files::One(sources);
    let mut parsed = Parser::new(&mut texts, id, operators.clone(), quotes).queries();
    if parsed.ast.clauses.is_empty() && parsed.diagnostics.is_empty() {
        let end = sources.get(id).text.len();
        parsed.diagnostics.push(
            Diagnostic::error("C0109", "the query is empty")
                .label(Span::new(id, end, end), "no goal here")
                .help("write goals separated by commas, such as c(1), c(2)"),
        );
    }
    parsed
}

/// A text that is being read.
struct Open {
    source: SourceId,
    /// Where to go on.
    at: usize,
    /// How many conditions were open where it begins.
    conditions: usize,
    /// What holds again behind it, if it is a file of its own and no part of another one.
    outside: Option<(Operators, Quotes)>,
    /// The scope of its clauses.
    scope: usize,
    /// Whether nothing more of it is read.
    ended: bool,
}

struct Parser<'t, 'e, T> {
    texts: &'t mut T,
    module: Module,
    diagnostics: Vec<Diagnostic>,
    quotes: Quotes,
    folders: Folders,
    /// Innermost last.
    open: Vec<Open>,
    conditions: Conditions,
    tokens: Vec<Token>,
    scopes: Vec<Scope>,
    /// The scope of each clause.
    scope_of: Vec<usize>,
    /// What texts that are modules export.
    exported: HashMap<SourceId, TermId>,
    expansion: Expansion<'e>,
}

impl<'t, T: Texts> Parser<'t, '_, T> {
    fn new(texts: &'t mut T, source: SourceId, operators: Operators, quotes: Quotes) -> Self {
        let module = Module { operators, ..Module::default() };
        let open = vec![Open { source, at: 0, conditions: 0, outside: None, scope: 0, ended: false }];
        let conditions = Conditions::default();
        let (folders, tokens) = (Folders::default(), Vec::new());
        let (scopes, scope_of) = (vec![Scope::default()], Vec::new());
        let (diagnostics, expansion) = (Vec::new(), Expansion::new(None));
        Self {
            texts,
            module,
            diagnostics,
            quotes,
            folders,
            open,
            conditions,
            tokens,
            scopes,
            scope_of,
            exported: HashMap::default(),
            expansion,
        }
    }

    fn program(mut self) -> Parsed {
        while self.diagnostics.len() <= MAX_ERRORS && !self.open.is_empty() {
            match self.next(true) {
                None => self.end_of_text(),
                Some(Err(())) => {}
                Some(Ok((term, span))) => self.clause(term, span),
            }
        }
        options::rewrite(&mut self.module);
        self.finish()
    }

    fn queries(mut self) -> Parsed {
        while self.diagnostics.len() <= MAX_ERRORS
            && let Some(read) = self.next(false)
        {
            let Ok((term, span)) = read else { continue };
            let goals = match self.module.functor(term) {
                Some(("?-", &[goals])) => Ok(goals),
                Some(("?-", [])) => Err(recognise(&self.module, term, &self.tokens)),
                _ => Ok(term),
            };
            match goals {
                Ok(goals) => {
                    let kind = ClauseKind::Query(self.module.members(goals, ","));
                    self.take(kind, span);
                }
                Err(refused) => self.diagnostics.extend(refused.err()),
            }
        }
        self.finish()
    }

    fn finish(self) -> Parsed {
        let Self { mut module, mut diagnostics, quotes, scopes, mut scope_of, mut expansion, .. } = self;
        diagnostics.extend(expansion.finish(&mut module, quotes, &mut scope_of).map(|found| *found));
        scopes::separate(&mut module, &scopes, &scope_of);
        let main = scopes.first().filter(|main| main.name.is_some());
        module.exported = main.and_then(|main| main.exports).map(|exports| {
            let mut operators = Operators::default();
            operators::declare_exports(&module, exports, &mut operators);
            for clause in &module.clauses {
                if let ClauseKind::Directive(directive) = clause.kind {
                    operators::declare_for_all(&module, directive, &mut operators);
                }
            }
            operators
        });
        module.modules =
            scopes.into_iter().map(|scope| scope.name.unwrap_or_else(|| "user".into())).collect();
        gchr_base::diagnostic::sort(&mut diagnostics);
        cap(&mut diagnostics, "C0111", "syntax errors", MAX_ERRORS);
        Parsed { ast: module, diagnostics, quotes }
    }

    /// Reads the next term of the innermost text with the place of its clause; `None` at its end, an error for what
    /// is no term.
    /// Whether the last one needs a full stop is for the caller to say.
    fn next(&mut self, full_stop: bool) -> Option<Result<(TermId, Span), ()>> {
        let text = self.open.last_mut().filter(|text| !text.ended)?;
        let (source, start) = (text.source, text.at);
        let content = self.texts.text(source);
        let reported = self.diagnostics.len();
        text.at = lexer::clause(source, content, start, &mut self.tokens, &mut self.diagnostics);
        let first = self.tokens.first()?;
        let place = self.tokens.last().map_or(first.span, |t| t.span);
        let span = first.span.to(place.after());
        let mut read = Err(());
        // What could not be read is reported already; the rest of its clause would only be misread.
        if !self.tokens.iter().any(|t| t.tok == Tok::Error) {
            if !full_stop && place_is_open(&self.tokens) {
                let end = Span::new(source, content.len(), content.len());
                self.tokens.push(Token { tok: Tok::End, span: end });
            }
            let syntax = Syntax { operators: &self.module.operators, quotes: self.quotes };
            let end = Span::new(source, content.len(), content.len());
            let end = if place_is_open(&self.tokens) { end } else { place.after() };
            match Reader::new(&self.tokens, end, syntax, &mut self.module.terms).clause() {
                Ok(term) if self.tokens.last().is_some_and(|t| t.tok == Tok::End) => read = Ok((term, span)),
                Ok(_) => self.diagnostics.push(endless(place)),
                Err(error) => self.diagnostics.push(misspelt_directive(&self.tokens).unwrap_or(*error)),
            }
            if read.is_err()
                && let Some(quote) = self.tokens.iter().find(|t| is_long_quote(t, content))
            {
                text.at = line_end(content, quote.span.start as usize);
                self.diagnostics.truncate(reported);
                self.diagnostics.push(long_quote(quote.span, text.at));
            }
        }
        if read.is_err()
            && let Some((mark, name)) = foreign_comment(&self.tokens)
        {
            // What follows on the next line is a clause again.
            text.at = line_end(content, mark.start as usize);
            self.diagnostics.truncate(reported);
            self.diagnostics.push(no_comment(mark, name));
        }
        if !self.conditions.hold() {
            self.diagnostics.truncate(reported);
        }
        Some(if self.diagnostics.len() == reported { read } else { Err(()) })
    }

    /// Takes a clause of a program.
    fn clause(&mut self, term: TermId, span: Span) {
        if let Some((name, &[directive])) = self.module.functor(term)
            && name == ":-"
        {
            let Self { module, conditions, expansion, quotes, .. } = self;
            let mut decide = |module: &mut Module, goal| expansion.decide(module, *quotes, goal);
            if let Some(finding) = conditions.directive(module, directive, &mut decide) {
                return self.diagnostics.extend(finding.err());
            }
        }
        if self.conditions.hold() {
            self.expanded(term, span);
        }
    }

    /// Takes a clause, or what the clauses before it make of it.
    fn expanded(&mut self, term: TermId, span: Span) {
        let at = self.open.len();
        if !self.expansion.is_active() {
            self.plain(term, span, at);
            return;
        }
        let home = self.open.last().and_then(|text| self.scopes[text.scope].name.clone());
        match self.expansion.expand(&mut self.module, self.quotes, term, home.as_deref()) {
            Ok(None) => drop(self.plain(term, span, at)),
            Ok(Some(terms)) => {
                // The places of the tokens are not those of these terms.
                self.tokens.clear();
                let _ = terms.into_iter().all(|term| self.plain(term, span, at));
            }
            Err(diagnostic) => self.diagnostics.push(*diagnostic),
        }
    }

    /// Takes a term of the text number `at`, counted from the outermost one; whether that text goes on behind it.
    fn plain(&mut self, term: TermId, span: Span, at: usize) -> bool {
        if matches!(self.module.kind(term), TermKind::Atom(name) if name == "end_of_file") {
            if let Some(text) = self.open.get_mut(at - 1) {
                text.ended = true;
            }
            return false;
        }
        match recognise(&self.module, term, &self.tokens) {
            Ok(ClauseKind::Directive(directive)) => self.directive(directive, span),
            Ok(kind) => {
                if let ClauseKind::Prolog(term) = kind {
                    self.folders.clause(&self.module, term);
                }
                self.take(kind, span);
            }
            Err(diagnostic) => self.diagnostics.push(diagnostic),
        }
        true
    }

    /// The innermost text has no more terms: `end_of_file` may be expanded as every other one.
    fn end_of_text(&mut self) {
        if let Some(text) = self.open.last_mut()
            && !text.ended
            && self.expansion.is_active()
        {
            text.ended = true;
            let span = Span::new(text.source, text.at, text.at);
            let end = self.module.terms.push(Term { kind: TermKind::Atom("end_of_file".into()), span });
            return self.expanded(end, span);
        }
        self.close_text();
    }

    fn directive(&mut self, directive: TermId, span: Span) {
        let (first, mut elsewhere) = (self.open.len(), false);
        self.renamed_imports(directive, span);
        self.folders.directive(&self.module, directive);
        let files = files::named(&self.module, directive, &self.folders);
        for named in &files {
            match self.texts.open(&self.module, named) {
                Err(diagnostic) => self.diagnostics.push(*diagnostic),
                Ok(Found::Read(source)) if !named.part => self.import_operators(source, span),
                Ok(Found::Read(_)) => {}
                Ok(Found::Elsewhere) => elsewhere = true,
                Ok(Found::Text(source)) => self.open_text(source, named.part),
            }
        }
        // The first one is read first.
        self.open[first..].reverse();
        if !files.is_empty() && !elsewhere && files.len() == self.module.members(directive, ",").len() {
            return;
        }
        flags::set_quotes(&self.module, directive, &mut self.quotes);
        let mut changed = std::mem::take(&mut self.module.operators);
        operators::declare(&self.module, directive, &mut changed);
        self.module.operators = changed;
        if let (Some((Directive::Module, &[name, exports])), Some(text)) =
            (directives::of(&self.module, directive), self.open.last_mut())
        {
            self.exported.insert(text.source, exports);
            let name = self.module.functor(name).map(|(name, _)| name.to_string());
            if text.outside.is_some() {
                text.scope = self.scopes.len();
                self.scopes.push(Scope { name, exports: Some(exports) });
            } else if let Some(scope) = self.scopes.get_mut(text.scope).filter(|scope| scope.name.is_none()) {
                *scope = Scope { name, exports: Some(exports) };
            }
        }
        self.take(ClauseKind::Directive(directive), span);
    }

    /// Adds a clause `new(X, ...) :- old(X, ...)` for each import `old/n as new` of a directive.
    fn renamed_imports(&mut self, directive: TermId, span: Span) {
        let mut renamed = Vec::new();
        for part in directives::parts(&self.module, directive) {
            let (Directive::Load, &[_, imports]) = part else { continue };
            let list = match self.module.functor(imports) {
                Some(("except", &[list])) => list,
                _ => imports,
            };
            let TermKind::List { items, .. } = self.module.kind(list) else { continue };
            renamed.extend(items.iter().filter_map(|&item| {
                let (old, new) = self.module.binary(item, "as")?;
                let (old, arity) = self.module.binary(old, "/")?;
                let TermKind::Int(arity) = self.module.kind(arity) else { return None };
                let (old, new) = (self.module.functor(old)?.0, self.module.functor(new)?.0);
                Some((old.to_string(), new.to_string(), usize::try_from(*arity).ok()?.min(MAX_RENAMED)))
            }));
        }
        for (old, new, arity) in renamed {
            let terms = &mut self.module.terms;
            let args: Vec<TermId> = (1..=arity)
                .map(|i| terms.push(Term { kind: TermKind::Var(format!("_Argument{i}")), span }))
                .collect();
            let mut of = |name: String| {
                let kind = match arity {
                    0 => TermKind::Atom(name),
                    _ => TermKind::Compound { name, args: args.clone() },
                };
                terms.push(Term { kind, span })
            };
            let args = vec![of(new), of(old)];
            let clause = terms.push(Term { kind: TermKind::Compound { name: ":-".into(), args }, span });
            self.take(ClauseKind::Prolog(clause), span);
        }
    }

    /// Takes a clause of the innermost text.
    fn take(&mut self, kind: ClauseKind, span: Span) {
        let scope = self.open.last().map_or(0, |text| text.scope);
        let kind = self.expansion.clause(&mut self.module, kind, self.scopes[scope].name.as_deref());
        self.module.clauses.push(Clause { kind, span });
        self.scope_of.push(scope);
    }

    /// Reads a file that a directive names next.
    fn open_text(&mut self, source: SourceId, part: bool) {
        let outside = (!part).then(|| (self.module.operators.clone(), self.quotes));
        let conditions = self.conditions.depth();
        let scope = self.open.last().map_or(0, |text| text.scope);
        self.open.push(Open { source, at: 0, conditions, outside, scope, ended: false });
    }

    /// The innermost text is at its end: what holds outside of it holds again.
    fn close_text(&mut self) {
        let Some(text) = self.open.pop() else { return };
        self.texts.close();
        self.diagnostics.extend(self.conditions.close(text.conditions));
        let Some((operators, quotes)) = text.outside else { return };
        let span = Span::new(text.source, text.at, text.at);
        self.restore_quotes(quotes, span);
        if let Some(&exports) = self.exported.get(&text.source) {
            self.take_operators(operators, exports, span);
        }
    }

    /// The operators that a module exports which was read for another text.
    fn import_operators(&mut self, source: SourceId, span: Span) {
        if let Some(&exports) = self.exported.get(&source) {
            self.take_operators(self.module.operators.clone(), exports, span);
        }
    }

    /// Goes on with other operators and those that a module exports; says so by directives.
    fn take_operators(&mut self, mut operators: Operators, exports: TermId, span: Span) {
        operators::declare_exports(&self.module, exports, &mut operators);
        for (priority, fixity, name) in operators::difference(&self.module.operators, &operators) {
            let args = [
                TermKind::Int(priority.into()),
                TermKind::Atom(fixity.name().into()),
                TermKind::Atom(name.to_string()),
            ];
            self.declare("op", args.into(), span);
        }
        self.module.operators = operators;
    }

    fn restore_quotes(&mut self, quotes: Quotes, span: Span) {
        let flags = [
            ("double_quotes", self.quotes.double, quotes.double),
            ("back_quotes", self.quotes.back, quotes.back),
        ];
        for (flag, inside, outside) in flags {
            if inside != outside {
                let args = [flag, flags::meaning_name(outside)].map(|name: &str| TermKind::Atom(name.into()));
                self.declare("set_prolog_flag", args.into(), span);
            }
        }
        self.quotes = quotes;
    }

    /// Adds a directive that is written nowhere: what leaving a file changes, so that the program in one text means
    /// the same.
    fn declare(&mut self, name: &str, args: Vec<TermKind>, span: Span) {
        let terms = &mut self.module.terms;
        let args = args.into_iter().map(|kind| terms.push(Term { kind, span })).collect();
        let directive = terms.push(Term { kind: TermKind::Compound { name: name.into(), args }, span });
        self.take(ClauseKind::Directive(directive), span);
    }
}

fn place_is_open(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|t| t.tok != Tok::End)
}

fn endless(last: Span) -> Diagnostic {
    Diagnostic::error("C0108", "the clause has no end")
        .label(last.after(), "the text ends here")
        .help("end every clause with a full stop followed by a line end")
}

/// Whether a token is a text in quotes that goes over several lines.
fn is_long_quote(token: &Token, text: &str) -> bool {
    let quoted = matches!(token.tok, Tok::QuotedAtom(_) | Tok::Str(_) | Tok::Codes(_));
    quoted && text[token.span.range()].contains('\n')
}

/// What begins comments in other languages, where a clause that cannot be read begins with it.
fn foreign_comment(tokens: &[Token]) -> Option<(Span, &'static str)> {
    let first = tokens.first()?;
    match &first.tok {
        Tok::Atom(name) if name.starts_with('#') => Some((first.span, "#")),
        Tok::Atom(name) if name.starts_with("//") => Some((first.span, "//")),
        _ => None,
    }
}

fn no_comment(mark: Span, name: &str) -> Diagnostic {
    Diagnostic::error("C0101", format!("`{name}` begins no comment"))
        .label(mark, "a comment of another language?")
        .help("begin comments with %, or write them between /* and */")
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length)
}

/// A clause with a text of several lines cannot be read: most likely its quote is not meant to go on.
fn long_quote(quote: Span, line_end: usize) -> Diagnostic {
    let first = Span::new(quote.source, quote.start as usize, line_end);
    Diagnostic::error("C0103", "this quote is not closed on its line")
        .label(first, "what follows is no clause if it goes on")
        .help("close it, or write \\n for a line end inside it")
}
