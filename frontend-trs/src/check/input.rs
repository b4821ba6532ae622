//! Input terms: `--input` on the command line, read against a finished program.

use std::sync::Arc;

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::hash::HashMap;
use gchr_base::rule::GroundTerm;
use gchr_base::signature::{HIDDEN_BOOL, Signature, SymbolId};
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::strategy::Strategic;
use gchr_maude::Modulo;

use super::builders::{GroundBuilder, MAX_DEPTH, no_rules, too_deep};
use super::builtin::characters::Characters;
use super::builtin::functions::Functions;
use super::builtin::lists::Lists;
use super::families::Families;
use super::instances::Numbers;
use super::reporter::Reporter;
use super::resolve::{Resolver, Vars};
use super::scope::Scope;
use crate::ast::{Names, NodeKind, Term};
use crate::lexer::{Lexed, Token, lex, lex_with};
use crate::parser::read_term;

/// Reads input terms of one program: bare names, calls, `S^n(..)`, lists, literals and operators, as in `input`, over
/// its symbols and the instances that it has.
#[derive(Clone)]
pub struct InputReader {
    finished: Arc<Finished>,
    /// What the terms are for, where its rules are made of those of the program.
    made: Option<Made>,
}

/// Rules that are made of those of a program.
#[derive(Clone)]
pub(crate) enum Made {
    /// Because they match modulo axioms.
    Modulo(Arc<Modulo>),
    /// Because it has a strategy.
    Strategic(Arc<Strategic>),
}

impl Made {
    /// A term of the program.
    fn term(&self, term: GroundTerm) -> GroundTerm {
        match self {
            Made::Modulo(made) => made.term(term),
            Made::Strategic(made) => made.term(term),
        }
    }
}

/// What a program was before what has parameters was left out.
struct Finished {
    signature: Signature,
    families: Families,
    lists: Lists,
    functions: Functions,
    characters: Characters,
    choice: Option<SymbolId>,
    /// What names mean.
    symbols: HashMap<String, SymbolId>,
    numbers: Numbers,
}

impl std::fmt::Debug for InputReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InputReader").finish_non_exhaustive()
    }
}

impl InputReader {
    /// A reader of terms over what a scope knows.
    pub(crate) fn new(scope: Scope<'_>, numbers: Numbers) -> Self {
        let named = scope.names.iter().zip(&scope.symbols);
        let mut symbols: HashMap<String, SymbolId> =
            named.filter_map(|(name, symbol)| Some((name.to_string(), (*symbol)?))).collect();
        let booleans = scope.signature.booleans;
        let sort = &scope.signature.sorts[booleans.sort];
        if sort.span.is_none() && sort.name != HIDDEN_BOOL {
            // The program's own symbols hide the other names of the built-in truth values.
            for (names, symbol) in
                [(["true", "True"], booleans.true_symbol), (["false", "False"], booleans.false_symbol)]
            {
                names.into_iter().for_each(|name| _ = symbols.entry(name.into()).or_insert(symbol));
            }
        }
        let finished = Finished {
            signature: scope.signature.into_owned(),
            families: scope.families.into_owned(),
            lists: scope.lists.into_owned(),
            functions: scope.functions.into_owned(),
            characters: scope.characters.into_owned(),
            choice: scope.made.choice,
            symbols,
            numbers,
        };
        Self { finished: Arc::new(finished), made: None }
    }

    /// The same of terms for rules that were made of those of the program.
    pub(crate) fn made(self, made: Made) -> Self {
        Self { made: Some(made), ..self }
    }

    /// What sorts and symbols are in the finished program.
    pub(crate) fn numbers(&self) -> &Numbers {
        &self.finished.numbers
    }

    /// Reads the term in the text `id`.
    pub fn read(&self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        let mut reporter = Reporter::default();
        let lexed = lex(id, &sources.get(id).text, &mut reporter.diagnostics);
        let term = read_whole(&lexed).map_err(|error| reporter.report(*error)).ok();
        let names = lexed.tables.names;
        let Finished { signature, families, lists, functions, characters, choice, symbols, numbers } =
            &*self.finished;
        let find = |name: &str| symbols.get(name).copied();
        let mut scope =
            Scope::of_program(signature, &names, find, families, (lists, functions, characters), *choice);
        let term = term.filter(|term| has_rules(term, &mut reporter));
        let ground = term.and_then(|term| ground(&term, &mut scope, &mut reporter));
        let mut diagnostics = reporter.diagnostics;
        diagnostic::sort(&mut diagnostics);
        let term = ground.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)?;
        let term = numbers.term(term);
        Ok(match &self.made {
            Some(made) => made.term(term),
            None => term,
        })
    }
}

/// Whether a finished program can have rules for what a term has of its own: a function without a name is refused
/// before the sorts of anything are found, which may follow from its parameters.
fn has_rules(term: &Term, reporter: &mut Reporter) -> bool {
    let function = term.nodes.iter().find(|node| node.kind == NodeKind::Lambda);
    if let Some(function) = function {
        reporter.report(no_rules(function.span));
    }
    function.is_none()
}

/// A term without variables; `None` when something is wrong, which then is reported.
pub(crate) fn ground(term: &Term, scope: &mut Scope<'_>, reporter: &mut Reporter) -> Option<GroundTerm> {
    if let Some(place) = deep_function(term) {
        reporter.report(too_deep(place));
        return None;
    }
    let mut builder = GroundBuilder::default();
    let sort = Resolver::new(scope, Vars::None, reporter).resolve(term.whole(), None, &mut builder)?;
    Some(GroundTerm { nodes: builder.nodes, sort, span: term.span() })
}

/// A function without a name whose term is too deep: it becomes one of a rule.
fn deep_function(term: &Term) -> Option<Span> {
    if term.lambdas.is_empty() || term.depth <= MAX_DEPTH {
        return None;
    }
    let mut depths: Vec<u32> = Vec::new();
    term.nodes.iter().find_map(|node| {
        let inner = depths.drain(depths.len() - node.kind.arity()..).max().unwrap_or(0);
        let depth = node.kind.depth().saturating_add(inner);
        depths.push(depth);
        (node.kind == NodeKind::Lambda && depth > MAX_DEPTH).then_some(node.span)
    })
}

/// The term in a text of its own, whose names are added to those of a program.
pub(crate) fn parse_input(
    names: Names,
    sources: &SourceMap,
    id: SourceId,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Names, Option<Term>) {
    let lexed = lex_with(names, id, &sources.get(id).text, diagnostics);
    let term = read_whole(&lexed).map_err(|error| diagnostics.push(*error)).ok();
    (lexed.tables.names, term)
}

/// One term and perhaps a semicolon, and nothing behind.
fn read_whole(lexed: &Lexed<'_>) -> Result<Term, Box<Diagnostic>> {
    let (term, mut end) = read_term(lexed, 0)?;
    if lexed.tokens.get(end) == Some(&Token::Semicolon) {
        end += 1;
    }
    if end < lexed.tokens.len() {
        return Err(Box::new(
            Diagnostic::error("T0003", format!("expected the end of the term, found {}", lexed.show(end)))
                .label(lexed.span(end), "the term is complete before this")
                .help("give one term; join terms with a constructor or an operator"),
        ));
    }
    Ok(term)
}
