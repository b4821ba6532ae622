//! Modules, views and commands from tokens. Terms stay tokens: how they are read depends on the operators of a module.

mod declarations;
mod reader;
mod search;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::Files;
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::files;
use crate::syntax::*;
use crate::token::{Token, tokens};

pub(crate) use self::reader::Reader;

/// What is wrong with a statement.
type Fail = Box<Diagnostic>;

/// Words that begin a statement of a module.
const STATEMENTS: [&str; 25] = [
    "pr",
    "protecting",
    "ex",
    "extending",
    "inc",
    "including",
    "gb",
    "generated-by",
    "sort",
    "sorts",
    "subsort",
    "subsorts",
    "op",
    "ops",
    "var",
    "vars",
    "eq",
    "ceq",
    "cq",
    "mb",
    "cmb",
    "rl",
    "crl",
    "sd",
    "csd",
];
/// Words that end a module or a view.
const ENDS: [&str; 9] = ["endfm", "endm", "endfth", "endth", "endv", "endom", "endoth", "endsm", "endsth"];
/// Words that begin a module or a view.
const MODULES: [&str; 9] = ["fmod", "mod", "fth", "th", "view", "omod", "oth", "smod", "sth"];
/// Words that begin a command whose result is not one normal form.
const OTHER_COMMANDS: [&str; 38] = [
    "rew",
    "rewrite",
    "frew",
    "frewrite",
    "erew",
    "sred",
    "sreduce",
    "erewrite",
    "srew",
    "srewrite",
    "dsrew",
    "dsrewrite",
    "search",
    "match",
    "xmatch",
    "unify",
    "variant",
    "filtered",
    "irredundant",
    "narrow",
    "vu-narrow",
    "fvu-narrow",
    "get",
    "cont",
    "continue",
    "loop",
    "check",
    "smt-search",
    "test",
    "parse",
    "normalize",
    "debug",
    "irred",
    "step",
    "resume",
    "where",
    "{",
    "(",
];
/// Words that begin a command without an effect on results.
const SETTINGS: [&str; 6] = ["set", "show", "do", "print", "break", "trace"];
/// Words of such commands that end with their line.
const OF_SHELL: [&str; 5] = ["pwd", "cd", "ls", "pushd", "popd"];

/// Reads a text and those that it loads.
pub(crate) fn parse(
    sources: &mut SourceMap,
    id: SourceId,
    files: &Files<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Text {
    let mut text = Text::default();
    let mut parser = Parser { tokens: Vec::new(), at: 0, diagnostics, text: &mut text, is_program: true };
    let mut loads = vec![id];
    parser.file(sources, id, files, &mut loads);
    text
}

/// The tokens of a term that stands alone.
pub(crate) fn term_tokens(sources: &SourceMap, id: SourceId) -> Result<Vec<Token>, Fail> {
    let (mut found, unclosed) = tokens(id, &sources.get(id).text);
    match unclosed {
        Some(place) => Err(never_closed(place)),
        None => {
            if found.len() > 1 && found.last().is_some_and(|last| last.is(".")) {
                found.pop();
            }
            match found.is_empty() {
                true => Err(Box::new(
                    Diagnostic::error("T3001", "there is no term")
                        .label(Span::new(id, 0, 0), "expected a term")
                        .help("write a term of the last module"),
                )),
                false => Ok(found),
            }
        }
    }
}

fn never_closed(place: Span) -> Fail {
    Box::new(
        Diagnostic::error("T3002", "a comment or a string is never closed")
            .label(place, "begins here")
            .help("close it"),
    )
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    text: &'a mut Text,
    /// Whether this is the program itself, and no text that it loads.
    is_program: bool,
}

impl Parser<'_> {
    fn file(&mut self, sources: &mut SourceMap, id: SourceId, files: &Files<'_>, loads: &mut Vec<SourceId>) {
        let (found, unclosed) = tokens(id, &sources.get(id).text);
        self.diagnostics.extend(unclosed.map(|place| *never_closed(place)));
        let outer = (std::mem::replace(&mut self.tokens, found), std::mem::take(&mut self.at));
        while self.at < self.tokens.len() {
            let first = self.tokens[self.at].clone();
            match &*first.text {
                "eof" | "quit" | "q" => break,
                "load" | "in" | "sload" => self.load(sources, files, loads, &first),
                word if OF_SHELL.contains(&word) => {
                    let line = self.tokens[self.at..].iter().take_while(|token| !token.ends_line).count();
                    self.at = (self.at + line + 1).min(self.tokens.len());
                }
                _ => {
                    if let Err(found) = self.item(&first) {
                        self.diagnostics.push(*found);
                    }
                }
            }
        }
        (self.tokens, self.at) = outer;
    }

    /// `load FILE`: the rest of the line, which may end with a period behind white space.
    fn load(&mut self, sources: &mut SourceMap, files: &Files<'_>, loads: &mut Vec<SourceId>, word: &Token) {
        self.at += 1;
        let mut name = String::new();
        let mut ended = word.ends_line;
        let mut span = word.span;
        while !ended && let Some(token) = self.tokens.get(self.at) {
            ended = token.ends_line;
            self.at += 1;
            if ended && token.is(".") && token.span.start > span.end {
                break;
            }
            name += &token.text;
            span = token.span;
        }
        match files::read(files, &name, span, sources, loads) {
            Ok(Some(id)) => {
                loads.push(id);
                let outer = std::mem::replace(&mut self.is_program, false);
                self.file(sources, id, files, loads);
                self.is_program = outer;
            }
            Ok(None) => {}
            Err(found) => self.diagnostics.push(*found),
        }
    }

    fn item(&mut self, first: &Token) -> Result<(), Fail> {
        let word = &*first.text;
        match word {
            "fmod" | "mod" | "fth" | "th" => self.module(word),
            "view" => self.view(),
            "red" | "reduce" | "rew" | "rewrite" | "frew" | "frewrite" => {
                let statement = self.statement()?;
                let reduces = word.starts_with("red");
                let (most, rest) = match reduces {
                    true => (None, &statement[1..]),
                    false => number_of_steps(&statement[1..])?,
                };
                if most.is_some() && word.starts_with('f') {
                    // Which places come first matters then.
                    self.not_run(first);
                    return Ok(());
                }
                let (module, term) = in_module(rest)?;
                if term.is_empty() {
                    return Err(expected(first.span.after(), "a term"));
                }
                let how = if reduces { How::Reduce } else { How::Rewrite { most } };
                self.text.items.push(Item::Reduce { module, term, how });
                self.text.lines.push(statement);
                Ok(())
            }
            "search" => {
                let statement = self.statement()?;
                self.text.items.push(search::search(&statement)?);
                self.text.lines.push(statement);
                Ok(())
            }
            "select" => {
                let statement = self.statement()?;
                let mut reader = Reader::new(&statement[1..statement.len() - 1], first.span);
                let module = reader.module_expr()?;
                self.text.items.push(Item::Select(module));
                self.text.lines.push(statement);
                Ok(())
            }
            _ if MODULES.contains(&word) => {
                let ends = |token: &Token| ENDS.contains(&&*token.text);
                self.at += self.tokens[self.at..].iter().position(ends).map_or(1, |length| length + 1);
                Err(unsupported(first.span, "modules with objects or strategies"))
            }
            _ if SETTINGS.contains(&word) => {
                let statement = self.statement()?;
                if let [set, include, name, state, _] = statement.as_slice()
                    && set.is("set")
                    && include.is("include")
                {
                    let name = Name { text: name.text.clone(), span: name.span };
                    self.text.items.push(Item::Include(name, state.is("on")));
                    self.text.lines.push(statement);
                }
                Ok(())
            }
            _ if OTHER_COMMANDS.contains(&word) => {
                self.statement()?;
                self.not_run(first);
                Ok(())
            }
            _ => {
                self.at += 1;
                let known = |token: &Token| {
                    let word = &*token.text;
                    MODULES.contains(&word) || ["red", "reduce"].contains(&word)
                };
                self.at += self.tokens[self.at..].iter().take_while(|token| !known(token)).count();
                Err(expected(first.span, "a module, a view or a command"))
            }
        }
    }

    fn not_run(&mut self, word: &Token) {
        self.diagnostics.push(
            Diagnostic::warning("T3402", format!("`{}` is not run", word.text))
                .label(word.span, "gives no terms to evaluate")
                .help("`red` and `rew` evaluate a term, `search` finds those that rules make of it"),
        );
    }

    /// The tokens from here to the period that ends a statement, which is one at the end of a line or before the next
    /// statement. In brackets, a word behind a period is a name: a line that ends with one is still an end, so that a
    /// bracket that is never closed does not take in all that follows.
    fn statement(&mut self) -> Result<Vec<Token>, Fail> {
        let start = self.at;
        let mut open = 0i32;
        loop {
            let Some(token) = self.tokens.get(self.at) else {
                let last = self.tokens[self.at - 1].span;
                return Err(expected(last.after(), "`.` behind the statement"));
            };
            open += match &*token.text {
                "(" | "[" | "{" => 1,
                ")" | "]" | "}" => -1,
                _ => 0,
            };
            let may_end = token.ends_line || open <= 0;
            if self.at > start && may_end && token.ends_statement(self.tokens.get(self.at + 1)) {
                self.at += 1;
                return Ok(self.tokens[start..self.at].to_vec());
            }
            // Elsewhere such a word may be one of a term: `N mod 2`.
            let begins_line = self.at > start && self.tokens[self.at - 1].ends_line;
            if begins_line && MODULES.contains(&&*token.text)
                || self.at > start && ENDS.contains(&&*token.text)
            {
                return Err(expected(token.span, "`.` behind the statement before"));
            }
            self.at += 1;
        }
    }

    fn module(&mut self, word: &str) -> Result<(), Fail> {
        let kind = match word {
            "fmod" => ModuleKind::Functional,
            "mod" => ModuleKind::System,
            _ => ModuleKind::Theory,
        };
        let header = self.header()?;
        let mut reader = Reader::new(&header[1..header.len() - 1], header[0].span);
        let name = reader.token("the name of a module")?;
        let params = if reader.eat("{") { reader.parameters()? } else { Vec::new() };
        reader.end("`is`")?;
        self.text.lines.push(header);
        let mut statements = Vec::new();
        loop {
            let Some(token) = self.tokens.get(self.at).cloned() else {
                return Err(expected(name.span, "the end of this module, `endfm` or `endm`"));
            };
            if ENDS.contains(&&*token.text) {
                self.at += 1;
                self.text.lines.push(vec![token]);
                break;
            }
            if !STATEMENTS.contains(&&*token.text) {
                self.skip_statement();
                self.diagnostics.push(*expected(token.span, "a statement, e.g. `sort`, `op`, `var`, `eq`"));
                continue;
            }
            match self.statement().and_then(|line| Ok((declarations::statement(&line)?, line))) {
                Ok((found, line)) => {
                    statements.extend(found);
                    self.text.lines.push(line);
                }
                Err(found) => self.diagnostics.push(*found),
            }
        }
        self.text.items.push(Item::Module(Module { kind, name, params, statements }));
        Ok(())
    }

    /// Goes on behind something that is no statement.
    fn skip_statement(&mut self) {
        let first = self.at;
        let ends = |token: &Token| STATEMENTS.contains(&&*token.text) || ENDS.contains(&&*token.text);
        while let Some(token) = self.tokens.get(self.at)
            && !(self.at > first && ends(token))
        {
            self.at += 1;
        }
    }

    /// The tokens up to `is`, with it.
    fn header(&mut self) -> Result<Vec<Token>, Fail> {
        let rest = &self.tokens[self.at..];
        let Some(length) = rest.iter().take(200).position(|token| token.is("is")) else {
            let place = rest[0].span;
            self.at += 1;
            return Err(expected(place.after(), "a name and `is`"));
        };
        let header = rest[..=length].to_vec();
        self.at += length + 1;
        Ok(header)
    }

    fn view(&mut self) -> Result<(), Fail> {
        let header = self.header()?;
        let inner = &header[1..header.len() - 1];
        let mut reader = Reader::new(inner, header[0].span);
        let name = reader.token("the name of a view")?;
        let params = if reader.eat("{") { reader.parameters()? } else { Vec::new() };
        reader.expect("from")?;
        let from = reader.module_expr()?;
        reader.expect("to")?;
        let to = reader.module_expr()?;
        reader.end("`is`")?;
        self.text.lines.push(header);
        let (sorts, variables, ops) = Default::default();
        let mut view = View { name, params, from, to, sorts, variables, ops };
        loop {
            let Some(token) = self.tokens.get(self.at).cloned() else {
                return Err(expected(view.name.span, "the end of this view, `endv`"));
            };
            if token.is("endv") {
                self.at += 1;
                self.text.lines.push(vec![token]);
                break;
            }
            match self.statement().and_then(|line| Ok((mapping(&line, &mut view)?, line))) {
                Ok(((), line)) => self.text.lines.push(line),
                Err(found) => {
                    self.skip_to_end();
                    return Err(found);
                }
            }
        }
        self.text.items.push(Item::View(view));
        Ok(())
    }

    fn skip_to_end(&mut self) {
        let ends = |token: &Token| ENDS.contains(&&*token.text);
        self.at += self.tokens[self.at..].iter().position(ends).map_or(0, |length| length + 1);
    }
}

impl Token {
    /// Whether it is a period that ends a statement, with what follows.
    fn ends_statement(&self, next: Option<&Token>) -> bool {
        let begins = |token: &Token| {
            let word = &*token.text;
            [&STATEMENTS[..], &ENDS, &MODULES, &OTHER_COMMANDS[..OTHER_COMMANDS.len() - 2], &SETTINGS]
                .iter()
                .any(|words| words.contains(&word))
                || ["red", "reduce", "select", "load", "in", "sload", "eof", "quit", "q"].contains(&word)
                || OF_SHELL.contains(&word)
        };
        self.is(".") && (self.ends_line || next.is_none_or(begins))
    }
}

/// A statement of a view.
fn mapping(line: &[Token], view: &mut View) -> Result<(), Fail> {
    let token = &line[0];
    let inner = &line[1..line.len() - 1];
    let mut reader = Reader::new(inner, token.span);
    match &*token.text {
        "sort" | "class" => {
            let from = reader.sort()?;
            reader.expect("to")?;
            view.sorts.push((from, reader.sort()?));
        }
        "op" | "msg" => {
            let to_term = |pair: &[Token]| pair[0].is("to") && pair[1].is("term");
            if let Some(at) = inner.windows(2).position(to_term) {
                let (from, to) = (inner[..at].to_vec(), inner[at + 2..].to_vec());
                view.ops.push(OpMapping::Term { from, to, span: inner[at].span });
                return Ok(());
            }
            let from = reader.operator_name(&["to", ":"])?;
            let of = if reader.eat(":") { Some(reader.sorts_of_operator()?) } else { None };
            reader.expect("to")?;
            view.ops.push(OpMapping::Name { from, of, to: reader.operator_name(&[])? });
        }
        "var" | "vars" => {
            let (names, of) = declarations::variables(&mut reader)?;
            view.variables.extend(names.into_iter().map(|name| (name, of.clone())));
        }
        _ => return Err(expected(token.span, "`sort`, `op`, `var` or `endv`")),
    }
    reader.end("the end of the statement")
}

/// `[5]` before a term to rewrite, and what comes behind it. Other brackets are of the term.
fn number_of_steps(tokens: &[Token]) -> Result<(Option<u32>, &[Token]), Fail> {
    let [open, number, close, rest @ ..] = tokens else { return Ok((None, tokens)) };
    // Only the period behind it: a term of one number in brackets.
    let is_bound = open.is("[")
        && number.text.bytes().all(|byte| byte.is_ascii_digit())
        && close.is("]")
        && rest.len() > 1;
    if !is_bound {
        return Ok((None, tokens));
    }
    let most = number.text.parse().map_err(|_| expected(number.span, "a number of steps"))?;
    Ok((Some(most), rest))
}

/// `in MODULE :` before a term, whose period goes.
fn in_module(tokens: &[Token]) -> Result<(Option<ModuleExpr>, Vec<Token>), Fail> {
    let tokens = &tokens[..tokens.len() - 1];
    if let Some(colon) = tokens.iter().position(|token| token.is(":"))
        && tokens[0].is("in")
    {
        let mut reader = Reader::new(&tokens[1..colon], tokens[0].span);
        let module = reader.module_expr()?;
        reader.end("`:`")?;
        return Ok((Some(module), tokens[colon + 1..].to_vec()));
    }
    Ok((None, tokens.to_vec()))
}

pub(crate) fn expected(place: Span, what: &str) -> Fail {
    Box::new(
        Diagnostic::error("T3001", format!("expected {what}"))
            .label(place, "found this")
            .help("a statement ends with a period at the end of a line, or before the next statement"),
    )
}

pub(crate) fn unsupported(place: Span, what: &str) -> Fail {
    Box::new(
        Diagnostic::error("T3401", format!("{what} are not supported"))
            .label(place, "this")
            .help("docs/language-maude.md lists what is"),
    )
}
