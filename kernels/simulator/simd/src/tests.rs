//! Tests of the µ-SIMD machine.

mod programs;
mod rules;
mod text;

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;

use super::*;

/// The program of a text.
fn program(text: &str) -> Program {
    read(text).unwrap_or_else(|shown| panic!("{shown}"))
}

/// The program of a text, or what is wrong with it as it is shown.
fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("test.simd", text);
    parse(&sources, id).map_err(|diagnostics| render_all(&diagnostics, &sources, false))
}

/// Runs a text with at most 10000 steps; what it reports or why it stops as it is shown.
fn run(text: &str) -> String {
    let mut sources = SourceMap::new();
    let id = sources.add("test.simd", text);
    let program = parse(&sources, id)
        .unwrap_or_else(|diagnostics| panic!("{}", render_all(&diagnostics, &sources, false)));
    let mut machine = Machine::new(&program, Options::default()).expect("a correct program");
    let mut control = Control::new(Limits { max_steps: Some(10_000), ..Limits::default() });
    let stopped = machine.run(&mut control);
    let mut diagnostics: Vec<_> =
        machine.reports().iter().map(|report| report.diagnostic(&program)).collect();
    diagnostics.extend(stopped.err().map(|stop| stop.diagnostic(&program)));
    if diagnostics.is_empty() { machine.result() } else { render_all(&diagnostics, &sources, false) }
}
