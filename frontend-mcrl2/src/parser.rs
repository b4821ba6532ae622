//! The parser of sections and sorts. After an error it goes on behind the next `;` or with the next section.

mod expr;

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::escape;
use gchr_base::source::{SourceId, Span};

use crate::ast::*;
use crate::lexer::{self, Kind, Token};

/// A finding that ends what is being parsed.
pub(crate) type Fail = Box<Diagnostic>;

/// Sections of a specification that are no data.
const PROCESSES: [&str; 5] = ["act", "proc", "init", "glob", "pbes"];
/// Sections of data.
const DATA: [&str; 5] = ["sort", "cons", "map", "var", "eqn"];
/// Most syntax errors that are reported.
const MAX_ERRORS: usize = 100;
/// The deepest sort expression.
const MAX_SORT_DEPTH: u32 = 200;

/// Reads tokens one after the other.
pub(crate) struct Parser<'a> {
    text: &'a str,
    source: SourceId,
    tokens: Vec<Token>,
    next: usize,
    library: bool,
}

/// Reads a specification.
pub(crate) fn specification(
    source: SourceId,
    text: &str,
    library: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Specification {
    let mut parser = Parser::new(source, text, library);
    let mut specification = Specification::default();
    let mut skipped = None;
    while let Some(kind) = parser.peek(0) {
        if diagnostics.len() > MAX_ERRORS {
            break;
        }
        match kind {
            Kind::Mark(word) if DATA.contains(&word) => parser.section(&mut specification, diagnostics),
            Kind::Mark(word) if PROCESSES.contains(&word) => {
                skipped = skipped.or(Some((parser.span(), word)));
                parser.skip();
                parser.skip_to_section();
            }
            _ => {
                diagnostics.push(*parser.expected("`sort`, `cons`, `map`, `var` or `eqn`"));
                parser.skip();
                parser.skip_to_section();
            }
        }
    }
    if let Some((span, _)) = skipped {
        diagnostics.push(
            Diagnostic::warning("T2401", "actions and processes are not read")
                .label(span, "skipped, as all further ones are")
                .note("gchr evaluates terms by the equations of the data part")
                .help("`gchr run FILE --input TERM` rewrites a term"),
        );
    }
    specification
}

/// Reads one expression that is the whole text.
pub(crate) fn expression(source: SourceId, text: &str) -> Result<Expr, Fail> {
    let mut parser = Parser::new(source, text, false);
    let expr = parser.expr()?;
    if parser.next == parser.tokens.len() { Ok(expr) } else { Err(parser.expected("the end of the term")) }
}

impl<'a> Parser<'a> {
    fn new(source: SourceId, text: &'a str, library: bool) -> Self {
        // Places are 32-bit numbers; what lies behind is reported by the caller.
        Self { text, source, tokens: lexer::tokens(source, text, library), next: 0, library }
    }

    fn peek(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.next + ahead).map(|token| token.kind)
    }

    fn is(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.peek(ahead), Some(Kind::Mark(found)) if found == mark)
    }

    fn is_name(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some(Kind::Name)
    }

    fn skip(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len());
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(0, mark);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Result<(), Fail> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    fn span(&self) -> Span {
        match (self.tokens.get(self.next), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => last.span.after(),
            (None, None) => Span::new(self.source, 0, 0),
        }
    }

    fn last_span(&self) -> Span {
        self.tokens.get(self.next.wrapping_sub(1)).map_or(self.span(), |token| token.span)
    }

    fn text_of(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// Something else was expected here.
    fn expected(&self, what: &str) -> Fail {
        let found = match self.tokens.get(self.next) {
            None => "the end of the text".to_string(),
            Some(token) => {
                let text: String = self.text_of(token.span).chars().take(40).collect();
                match token.kind {
                    Kind::Mark(word) if word.starts_with(char::is_alphabetic) => {
                        format!("the reserved word `{word}`")
                    }
                    _ => format!("`{}`", escape::line(&text)),
                }
            }
        };
        Box::new(
            Diagnostic::error("T2001", format!("expected {what}, found {found}"))
                .label(self.span(), "not understood here")
                .help("docs/language-mcrl2.md has the grammar of what is read"),
        )
    }

    fn ident(&mut self, what: &str) -> Result<Ident, Fail> {
        let operator = self.library && matches!(self.peek(0), Some(Kind::Mark(_)));
        if !self.is_name(0) && !operator {
            return Err(self.expected(what));
        }
        let span = self.span();
        self.skip();
        Ok(Ident { text: self.text_of(span).into(), span })
    }

    fn idents(&mut self, what: &str) -> Result<Vec<Ident>, Fail> {
        let mut found = vec![self.ident(what)?];
        while self.eat(",") {
            found.push(self.ident(what)?);
        }
        Ok(found)
    }

    /// Skips to the next section of any kind.
    fn skip_to_section(&mut self) {
        while let Some(kind) = self.peek(0) {
            if matches!(kind, Kind::Mark(word) if DATA.contains(&word) || PROCESSES.contains(&word)) {
                return;
            }
            self.skip();
        }
    }

    fn at_section(&self) -> bool {
        matches!(self.peek(0), Some(Kind::Mark(w)) if DATA.contains(&w) || PROCESSES.contains(&w))
    }

    /// The items of a section, each with its `;`.
    fn items<T>(
        &mut self,
        diagnostics: &mut Vec<Diagnostic>,
        mut item: impl FnMut(&mut Self) -> Result<T, Fail>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        while self.next < self.tokens.len() && !self.at_section() && diagnostics.len() <= MAX_ERRORS {
            let before = self.next;
            match item(self).and_then(|item| self.expect(";").map(|()| item)) {
                Ok(item) => found.push(item),
                Err(fail) => {
                    diagnostics.push(*fail);
                    self.next = self.next.max(before + usize::from(self.next == before));
                    while self.next < self.tokens.len() && !self.at_section() && !self.eat(";") {
                        self.skip();
                    }
                }
            }
        }
        found
    }

    fn section(&mut self, specification: &mut Specification, diagnostics: &mut Vec<Diagnostic>) {
        let Some(Kind::Mark(word)) = self.peek(0) else { return };
        self.skip();
        let sections = &mut specification.sections;
        match word {
            "sort" => {
                let lists = self.items(diagnostics, Self::sorts);
                sections.push(Section::Sorts(lists.into_iter().flatten().collect()));
            }
            "cons" => sections.push(Section::Constructors(self.items(diagnostics, Self::symbols))),
            "map" => sections.push(Section::Mappings(self.items(diagnostics, Self::symbols))),
            "var" => {
                let lists = self.items(diagnostics, Self::bindings);
                let variables: Vec<Binding> = lists.into_iter().flatten().collect();
                if !self.eat("eqn") {
                    diagnostics.push(*self.expected("`eqn` behind the variables"));
                    return;
                }
                let equations = self.items(diagnostics, Self::equation);
                sections.push(Section::Equations { variables, equations });
            }
            _ => {
                let equations = self.items(diagnostics, Self::equation);
                sections.push(Section::Equations { variables: Vec::new(), equations });
            }
        }
    }

    fn sorts(&mut self) -> Result<Vec<SortDeclaration>, Fail> {
        let names = self.idents("the name of a sort")?;
        let definition = if self.eat("=") { Some(self.sort(0)?) } else { None };
        if definition.is_some() && names.len() > 1 {
            return Err(self.expected("one sort before `=`"));
        }
        Ok(names.into_iter().map(|name| SortDeclaration { name, definition: definition.clone() }).collect())
    }

    fn symbols(&mut self) -> Result<SymbolDeclaration, Fail> {
        let names = self.idents("the name of a symbol")?;
        self.expect(":")?;
        Ok(SymbolDeclaration { names, sort: self.sort(0)? })
    }

    fn binding(&mut self) -> Result<Binding, Fail> {
        let names = self.idents("a variable")?;
        self.expect(":")?;
        Ok(Binding { names, sort: self.sort(0)? })
    }

    /// `x, y: A, z: B`
    fn bindings(&mut self) -> Result<Vec<Binding>, Fail> {
        let mut found = vec![self.binding()?];
        while self.eat(",") {
            found.push(self.binding()?);
        }
        Ok(found)
    }

    fn equation(&mut self) -> Result<Equation, Fail> {
        let start = self.span();
        let mut left = self.expr()?;
        let mut condition = None;
        if self.eat("->") {
            condition = Some(left);
            left = self.expr()?;
        }
        if self.is(0, "->") {
            return Err(self.expected("`=`: an equation has one condition"));
        }
        self.expect("=")?;
        let right = self.expr()?;
        Ok(Equation { condition, left, right, span: start.to(self.last_span()) })
    }

    /// A sort: the arguments of a function sort stand with `#` between them before `->`.
    fn sort(&mut self, depth: u32) -> Result<Sort, Fail> {
        let mut found = self.product(depth)?;
        match found.pop() {
            Some(only) if found.is_empty() => Ok(only),
            _ => Err(self.expected("`->` behind the sorts of arguments")),
        }
    }

    /// A sort, or several with `#` between them. Those of a product in parentheses are parts of the one around it.
    fn product(&mut self, depth: u32) -> Result<Vec<Sort>, Fail> {
        if depth > MAX_SORT_DEPTH {
            return Err(too_deep(self.span()));
        }
        let start = self.span();
        let mut args = self.factor(depth)?;
        while self.eat("#") {
            args.extend(self.factor(depth)?);
        }
        if self.eat("->") {
            let result = Box::new(self.sort(depth + 1)?);
            let span = start.to(self.last_span());
            return Ok(vec![Sort { kind: SortKind::Function(args, result), span }]);
        }
        Ok(args)
    }

    fn factor(&mut self, depth: u32) -> Result<Vec<Sort>, Fail> {
        let start = self.span();
        if self.eat("(") {
            let inner = self.product(depth + 1)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("struct") {
            let mut constructors = vec![self.constructor(depth)?];
            while self.eat("|") {
                constructors.push(self.constructor(depth)?);
            }
            return Ok(vec![Sort { kind: SortKind::Struct(constructors), span: start.to(self.last_span()) }]);
        }
        let name = self.ident("a sort")?;
        let container = ["List", "Set", "Bag", "FSet", "FBag"].into_iter().find(|c| **c == *name.text);
        if let Some(container) = container
            && self.eat("(")
        {
            let of = Box::new(self.sort(depth + 1)?);
            self.expect(")")?;
            let span = start.to(self.last_span());
            return Ok(vec![Sort { kind: SortKind::Container(container, of), span }]);
        }
        Ok(vec![Sort { kind: SortKind::Name(name.text), span: start }])
    }

    fn constructor(&mut self, depth: u32) -> Result<Constructor, Fail> {
        let name = self.ident("the name of a constructor")?;
        let mut fields = Vec::new();
        if self.eat("(") {
            loop {
                let projection = match self.is_name(0) && self.is(1, ":") {
                    true => {
                        let name = self.ident("a projection")?;
                        self.skip();
                        Some(name)
                    }
                    false => None,
                };
                fields.push((projection, self.sort(depth + 1)?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let recogniser = if self.eat("?") { Some(self.ident("the name of a test")?) } else { None };
        Ok(Constructor { name, fields, recogniser })
    }
}

fn too_deep(span: Span) -> Fail {
    Box::new(
        Diagnostic::error("T2003", format!("this is nested more than {MAX_DEPTH} deep"))
            .label(span, "too deep")
            .help("divide it: give parts of it names of their own with `map` and `eqn`"),
    )
}

fn name_of(text: &str) -> Arc<str> {
    text.into()
}
