//! Kernels as CUDA C++ for NVRTC: the prelude, then the lowered module; in the counting form also what counts.

use gchr_base::diagnostic::{self, Diagnostic};

use crate::ir::{Module, Stmt, StmtKind};
use crate::lower::CUDA_PASSES;
use crate::print;
use crate::unit::Unit;
use crate::verify::verify_closed;

/// What the names of the kernel language mean in CUDA C++.
pub const PRELUDE: &str = include_str!("prelude.cu");

/// The module after the passes that CUDA needs; each pass is verified.
pub fn lower(module: &Module) -> Result<Module, Vec<Diagnostic>> {
    let mut lowered = module.clone();
    check(&lowered, "the input")?;
    for pass in &CUDA_PASSES {
        (pass.run)(&mut lowered);
        check(&lowered, pass.name)?;
    }
    Ok(lowered)
}

/// What makes the counting form of kernels count.
const COUNTERS: &str = include_str!("emit/counters.cu");

/// Name of the array of counters in the counting form, and how it is laid out: slots, and words of a slot before the
/// tallies.
pub mod counters {
    /// The array's name.
    pub const NAME: &str = "gchr_counts";
    /// Slots: so many blocks count without meeting each other.
    pub const SLOTS: usize = 256;
    /// Where the tallies of a slot begin, in words.
    pub const FIRST_TALLY: usize = 4;
}

/// What the kernels do beside their work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Form {
    /// Nothing.
    #[default]
    Plain,
    /// They count their memory traffic and what `tally` statements stand at.
    Counting,
}

/// CUDA C++ of a module without open holes, in the plain form; see [`cuda_text_as`].
pub fn cuda_text(module: &Module, program: &str) -> Result<String, Vec<Diagnostic>> {
    cuda_text_as(module, program, Form::Plain)
}

/// CUDA C++ of a module without open holes. `program` is the file that `#line` directives name; what has no origin
/// there is in
/// `kernels.cu`, which is this text itself.
pub fn cuda_text_as(module: &Module, program: &str, form: Form) -> Result<String, Vec<Diagnostic>> {
    Ok(text(&lower(module)?, program, form, false))
}

/// CUDA C++ of a unit, a text for each of its [objects](Unit::objects).
pub fn cuda_objects(unit: &Unit, module: &Module, program: &str) -> Result<Vec<String>, Vec<Diagnostic>> {
    let lowered = lower(&unit.of(module))?;
    let objects = unit.objects(&lowered);
    let are_apart = objects.len() > 1;
    Ok(objects.iter().map(|object| text(object, program, Form::Plain, are_apart)).collect())
}

/// `refers`: see [`print::Style`].
fn text(lowered: &Module, program: &str, form: Form, refers: bool) -> String {
    let counts = form == Form::Counting;
    let mut text = String::new();
    if counts {
        text.push_str(&format!("#define GCHR_TALLIES {}u\n", tallies(lowered)));
    }
    text.push_str(PRELUDE);
    text.push('\n');
    if counts {
        text.push_str(COUNTERS);
        text.push('\n');
    }
    let style = print::Style { before: text.matches('\n').count(), counts, refers };
    text.push_str(&print::print(lowered, Some(program), style));
    text
}

/// How many numbers the `tally` statements of a module use.
fn tallies(module: &Module) -> u32 {
    fn of(block: &[Stmt]) -> u32 {
        let own = |stmt: &Stmt| match stmt.kind {
            StmtKind::Tally(number) => number + 1,
            _ => stmt.blocks().into_iter().map(|inner| of(inner)).max().unwrap_or(0),
        };
        block.iter().map(own).max().unwrap_or(0)
    }
    module.functions.iter().map(|f| of(&f.body)).max().unwrap_or(0)
}

fn check(module: &Module, after: &str) -> Result<(), Vec<Diagnostic>> {
    let diagnostics = verify_closed(module);
    if !diagnostic::has_errors(&diagnostics) {
        return Ok(());
    }
    Err(diagnostics.into_iter().map(|d| d.note(format!("found after: {after}"))).collect())
}
