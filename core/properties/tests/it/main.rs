//! Properties of term programs: tests from outside the crate, in one binary.

mod completeness;
mod confluence;
mod limits;
mod oracle;
mod random;
mod termination;

use gchr_base::rule::Program;
use gchr_base::source::{SourceId, SourceMap};

/// The rules of a `.trs` text.
fn program(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let id: SourceId = sources.add("test.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    loaded.program.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics))
}

/// The rules over one sort `N` with `Z`, `S` and these functions.
fn naturals(functions: &str, rules: &str) -> Program {
    program(&format!("sort N = struct Z | S(N){functions};\nvar X, Y, U, V: N;\neqn {rules}\n"))
}
