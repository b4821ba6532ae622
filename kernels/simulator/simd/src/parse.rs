//! Reads programs and memory files: tokens, lines, then names and operands. Every line is read, whatever is wrong with
//! others.

mod grammar;
mod resolve;

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::source::{SourceId, SourceMap};

use super::program::{Program, Value};

/// Reads a program. `docs/simd.md` has the grammar.
pub fn parse(sources: &SourceMap, source: SourceId) -> Result<Program, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let lines = grammar::lines(source, &sources.get(source).text, &mut diagnostics);
    let program = resolve::program(source, &lines, &mut diagnostics);
    if !diagnostic::has_errors(&diagnostics) {
        diagnostics.extend(program.verify());
    }
    diagnostic::sort(&mut diagnostics);
    if diagnostics.is_empty() { Ok(program) } else { Err(diagnostics) }
}

/// Reads a memory file: `ADDRESS: VALUE VALUE*COUNT _ ...`, one or more lines.
pub fn parse_memory(sources: &SourceMap, source: SourceId) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let items = grammar::memory(source, &sources.get(source).text, &mut diagnostics);
    let mut memory = Vec::new();
    resolve::memory(source, &items, &mut memory, &mut diagnostics);
    diagnostic::sort(&mut diagnostics);
    if diagnostics.is_empty() { Ok(memory) } else { Err(diagnostics) }
}
