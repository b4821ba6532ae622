//! Term programs in the formats of other communities to the rule IR: the Rewriting Engines Competition's (`.rec`), ARI
//! (`.ari`), the XML format of TPDB (`.xml`), and the older one of TPDB and COPS. The formats are described in
//! `docs/formats.md`.
//!
//! Each format has a parser and a printer of one syntax tree, [`System`]; one lowering makes rules of it. The order of
//! calls: [`load`] reads, checks and lowers a text and the modules that it includes; [`InputReader`] reads further
//! input terms for it. No call fails: all findings are [`Diagnostic`]s.

mod ari;
mod files;
mod lower;
mod rec;
mod system;
mod term;
mod tokens;
mod tpdb;
mod unsupported;
mod xml;
mod xtc;

use std::fmt;

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::rule::Program;
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::stack::with_large_stack;

pub use gchr_base::reading::Files;
pub use lower::{InputReader, MadeReader};
pub use system::*;
pub use term::{Node, Term};

/// A format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Of the Rewriting Engines Competition.
    Rec,
    /// Lists in brackets, of termination and confluence problems.
    Ari,
    /// The older text format of these.
    Tpdb,
    /// The XML format of termination problems.
    Xtc,
}

/// A system with the format that it prints in.
#[derive(Clone, Debug)]
pub struct Printable {
    /// The syntax tree.
    pub system: System,
    /// Its format.
    pub format: Format,
}

impl fmt::Display for Printable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Rec => rec::Printed(&self.system).fmt(f),
            Format::Ari => ari::Printed(&self.system).fmt(f),
            Format::Tpdb => tpdb::Printed(&self.system).fmt(f),
            Format::Xtc => xtc::Printed(&self.system).fmt(f),
        }
    }
}

/// What [`load`] found.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What was understood; it prints as a text that is read as the same.
    pub ast: Printable,
    /// The program; `Some` iff no diagnostic is an error.
    pub program: Option<Program>,
    /// Reads further terms for a program that matches modulo axioms, or that has another strategy than innermost; for
    /// others an [`InputReader`] does.
    pub reader: Option<MadeReader>,
    /// Errors and warnings, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, checks and lowers the text `id` and the modules that it includes, which become further texts.
pub fn load(sources: &mut SourceMap, id: SourceId, format: Format, files: &Files<'_>) -> Loaded {
    // The verifier of rules recurses over their terms.
    with_large_stack(|| {
        let mut diagnostics = Vec::new();
        let system = match format {
            Format::Rec => rec::parse(sources, id, files, &mut diagnostics),
            Format::Ari => ari::parse(sources, id, &mut diagnostics),
            Format::Tpdb => tpdb::parse(sources, id, &mut diagnostics),
            Format::Xtc => xtc::parse(sources, id, &mut diagnostics),
        };
        let free = lower::lower(&system, &mut diagnostics);
        let (program, reader) = match free {
            Some(free) if !system.theory.is_empty() || !system.strategy.is_eager() => {
                let made = lower::made(&system, free, Span::new(id, 0, 0), &mut diagnostics);
                (made.as_ref().map(|reader| reader.program().clone()), made)
            }
            free => (free.map(|(program, _)| program), None),
        };
        diagnostic::sort(&mut diagnostics);
        Loaded { ast: Printable { system, format }, program, reader, diagnostics }
    })
}
