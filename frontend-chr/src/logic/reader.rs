//! The reader that the logic machine calls while a program runs: the one of program texts.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::logic::{Flags, Operators, ReadTerm, Reader, SyntaxError};
use gchr_base::source::{SourceId, Span};

use super::terms::{Building, Scope};
use crate::ast::Module;
use crate::flags::Quotes;
use crate::lexer::{self, Tok};
use crate::reader::{self, Syntax};

/// Reads terms by the syntax of program texts.
#[derive(Clone, Copy, Default, Debug)]
pub struct TermReader;

impl Reader for TermReader {
    fn read(
        &self,
        text: &str,
        at: usize,
        operators: &Operators,
        flags: &Flags,
    ) -> Result<ReadTerm, SyntaxError> {
        let source = SourceId::from_index(0);
        let (mut tokens, mut diagnostics) = (Vec::new(), Vec::new());
        let end = lexer::clause(source, text, at, &mut tokens, &mut diagnostics);
        let failed = |diagnostic: &Diagnostic| {
            let at = diagnostic.labels.first().map_or(end, |label| label.span.start as usize);
            SyntaxError { message: swi_name(diagnostic), at, end }
        };
        if let Some(first) = diagnostics.first() {
            return Err(failed(first));
        }
        let mut building = Building::default();
        if tokens.is_empty() {
            return Ok(ReadTerm { terms: building.terms, term: None, variables: Vec::new(), end });
        }
        let quotes = Quotes { double: flags.double_quotes, back: flags.back_quotes };
        let mut terms = IdVec::new();
        let behind = Span::new(source, end, end);
        if tokens.last().is_some_and(|t| t.tok != Tok::End) {
            tokens.push(lexer::Token { tok: Tok::End, span: behind });
        }
        let read = reader::Reader::new(&tokens, behind, Syntax { operators, quotes }, &mut terms).clause();
        let term = read.map_err(|diagnostic| failed(&diagnostic))?;
        let module = Module::of_terms(terms);
        let mut scope = Scope::default();
        let term = Some(building.term(&module, term, &mut scope));
        Ok(ReadTerm { terms: building.terms, term, variables: scope.variables, end })
    }
}

/// What SWI-Prolog calls a syntax error.
fn swi_name(diagnostic: &Diagnostic) -> String {
    let message = diagnostic.message.as_str();
    let name = match diagnostic.code {
        "C0102" => "cannot_start_term",
        "C0103" | "C0104" | "C0108" => "end_of_file",
        "C0105" => "illegal_number",
        "C0106" => "undefined_char_escape",
        "C0107" => "illegal_character",
        _ if message.contains("wants parentheses") => "operator_clash",
        _ if message.starts_with("expected a term, found the end") => "end_of_clause",
        _ if message.starts_with("expected a term") => "cannot_start_term",
        _ => "operator_expected",
    };
    name.into()
}
