//! Kernels as CUDA C++ for NVRTC: the prelude, then the lowered module.

#[cfg(test)]
mod tests;

use gchr_core::diagnostic::{self, Diagnostic};

use crate::ir::Module;
use crate::lower::CUDA_PASSES;
use crate::text::print;
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

/// CUDA C++ of a module without open holes. `program` is the file that `#line` directives name; what has no origin there is in
/// `kernels.cu`, which is this text itself.
pub fn cuda_text(module: &Module, program: &str) -> Result<String, Vec<Diagnostic>> {
    let lowered = lower(module)?;
    let mut text = PRELUDE.to_string();
    text.push('\n');
    text.push_str(&print::print(&lowered, Some(program), text.matches('\n').count()));
    Ok(text)
}

fn check(module: &Module, after: &str) -> Result<(), Vec<Diagnostic>> {
    let found = verify_closed(module);
    if !diagnostic::has_errors(&found) {
        return Ok(());
    }
    Err(found.into_iter().map(|d| d.note(format!("found after: {after}"))).collect())
}
