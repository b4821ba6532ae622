//! Input terms: `--input` on the command line, read against a finished program.

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::hash::HashMap;
use gchr_base::names::Names;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::SymbolId;
use gchr_base::source::{SourceId, SourceMap};

use super::scope::Scope;
use crate::ari;
use crate::term::{self, Notation};
use crate::tokens::{Fail, Lexis, Reader};

/// What a term in the notation of results is made of.
const FUNCTIONAL: Lexis = Lexis { comments: &[], marks: &["(", ")", ","], reserved: &[] };

/// Reads input terms of one program: `f(a, b)`, as results are written, or `(f a b)`.
pub struct InputReader<'p> {
    program: &'p Program,
    symbols: HashMap<&'p str, SymbolId>,
}

impl<'p> InputReader<'p> {
    /// A reader of terms over the symbols of `program`.
    pub fn new(program: &'p Program) -> Self {
        let signature = &program.signature;
        // Truth values and the symbol of several results have sorts that no text declares.
        let is_own = |id: &SymbolId| signature.sorts[signature.symbols[*id].result].span.is_some();
        let own = signature.symbols.ids().filter(is_own);
        let symbols = own.map(|id| (signature.symbols[id].name.as_str(), id)).collect();
        Self { program, symbols }
    }

    /// Reads the term in the text `id`. `s^24(a)` stands for `s` 24 times.
    pub fn read(&self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        let mut names = Names::default();
        let term = term(sources, id, &mut names).map_err(|found| vec![*found])?;
        let repeated: Vec<String> =
            names.iter().filter_map(|name| Some(name.rsplit_once('^')?.0.to_string())).collect();
        repeated.iter().for_each(|name| {
            names.intern(name);
        });
        let scope = Scope::of_input(&names, &self.program.signature, |name| self.symbols.get(name).copied());
        let mut diagnostics = Vec::new();
        let ground = super::ground(&term, &scope, &mut diagnostics);
        diagnostic::sort(&mut diagnostics);
        ground.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)
    }
}

fn term(sources: &SourceMap, id: SourceId, names: &mut Names) -> Result<term::Term, Fail> {
    let text = &sources.get(id).text;
    let (lexis, notation) = match text.trim_start().starts_with('(') {
        true => (&ari::LEXIS, Notation::Prefix),
        false => (&FUNCTIONAL, Notation::Functional),
    };
    let mut reader = Reader::new(id, text, lexis)?;
    let term = term::read(&mut reader, names, notation)?;
    if reader.at_end() { Ok(term) } else { Err(reader.expected("the end of the term")) }
}
