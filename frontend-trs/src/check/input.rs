//! Input terms: `--input` on the command line, read against a finished program.

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::hash::HashMap;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::{HIDDEN_BOOL, SortId, SymbolId};
use gchr_base::source::{SourceId, SourceMap};

use super::Reporter;
use super::builders::GroundBuilder;
use super::choice::IF;
use super::declarations::Scope;
use super::lists::Lists;
use super::resolve::{Resolver, Vars};
use crate::ast::Term;
use crate::lexer::{Lexed, Token, lex};
use crate::parser::read_term;

/// Reads a ground term over the symbols of `program`: bare names, calls, `S^n(..)`, literals and operators, as in
/// `input`. For many terms of one program use [`InputReader`].
pub fn parse_term(
    program: &Program,
    sources: &SourceMap,
    id: SourceId,
) -> Result<GroundTerm, Vec<Diagnostic>> {
    InputReader::new(program).read(sources, id)
}

/// Reads input terms of one program.
pub struct InputReader<'p> {
    program: &'p Program,
    symbols: HashMap<&'p str, SymbolId>,
    /// The functions for `if`, by the sort of what is chosen.
    choices: HashMap<SortId, SymbolId>,
    lists: Lists,
}

impl<'p> InputReader<'p> {
    /// A reader of terms over the symbols of `program`.
    pub fn new(program: &'p Program) -> Self {
        let signature = &program.signature;
        let booleans = signature.booleans;
        let mut symbols: HashMap<&str, SymbolId> = HashMap::default();
        let sort = &signature.sorts[booleans.sort];
        if sort.span.is_none() && sort.name == "Bool" {
            symbols.extend([("True", booleans.true_symbol), ("False", booleans.false_symbol)]);
        }
        // The program's own symbols hide these other names of the built-in truth values.
        let is_choice = |id: &SymbolId| {
            let symbol = &signature.symbols[*id];
            symbol.span.is_none() && symbol.name == IF
        };
        let lists = Lists::of_program(signature);
        let of_lists = lists.symbols();
        let written = |id: &SymbolId| {
            signature.sorts[signature.symbols[*id].result].name != HIDDEN_BOOL
                && !is_choice(id)
                && !of_lists.contains(id)
        };
        let choices = signature.symbols.ids().filter(is_choice);
        let choices = choices.map(|id| (signature.symbols[id].result, id)).collect();
        symbols.extend(
            signature.symbols.ids().filter(written).map(|id| (signature.symbols[id].name.as_str(), id)),
        );
        Self { program, symbols, choices, lists }
    }

    /// Reads the term in the text `id`.
    pub fn read(&self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        let mut reporter = Reporter::default();
        let lexed = lex(id, &sources.get(id).text, &mut reporter.diagnostics);
        let term = read_whole(&lexed).map_err(|error| reporter.report(*error)).ok();
        let names = lexed.tables.names;
        let find = |name: &str| self.symbols.get(name).copied();
        let mut scope = Scope::of_program(
            &self.program.signature,
            &names,
            find,
            self.choices.clone(),
            self.lists.clone(),
        );
        let mut builder = GroundBuilder::default();
        let ground = term.and_then(|term| {
            let sort = Resolver::new(&mut scope, Vars::None, &mut reporter).resolve(
                &term.nodes,
                None,
                &mut builder,
            )?;
            Some(GroundTerm { nodes: builder.nodes, sort, span: term.span() })
        });
        let mut diagnostics = reporter.diagnostics;
        diagnostic::sort(&mut diagnostics);
        ground.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)
    }
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
