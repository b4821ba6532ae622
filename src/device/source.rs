//! Kernels of a program before any device has them: kernel language, CUDA C++, PTX, machine code.

use std::fmt::Display;
use std::sync::Arc;

use gchr_core::diagnostic::Diagnostic;
use gchr_core::rule;
use gchr_core::source::SourceMap;
use gchr_kernels::cuda::{Arch, Compiler, Image, Options};
use gchr_kernels::topology;

use super::{Lowered, Schedule};
use crate::diagnostics::Diagnostics;
use crate::input::Language;
use crate::program::Program;
use crate::stack::with_large_stack;

/// What messages of the compiler call the text.
pub(super) const NAME: &str = "kernels.cu";

/// The kernels of a term program.
pub struct KernelSource<'p> {
    program: &'p Program,
    lowered: Lowered,
}

impl Program {
    /// Generates the kernels that run this program on a device. Constraint programs have none.
    pub fn kernels(&self, schedule: Schedule) -> Result<KernelSource<'_>, Diagnostics> {
        let lowered = self.check_device().and_then(|()| lower(&self.rules, &self.sources, schedule));
        match lowered {
            Ok(lowered) => Ok(KernelSource { program: self, lowered }),
            Err(list) => Err(Diagnostics::new(Arc::clone(&self.sources), list)),
        }
    }

    /// Devices run term programs.
    pub(crate) fn check_device(&self) -> Result<(), Vec<Diagnostic>> {
        match self.language {
            Language::Terms => Ok(()),
            Language::Constraints => Err(vec![
                Diagnostic::error("U0110", "constraint programs run on the CPU and have no kernels")
                    .help("leave out --device, or give --device cpu; devices run term programs (.trs)"),
            ]),
        }
    }

    /// The name of the program text, for places in generated code.
    pub(crate) fn name(&self) -> &str {
        self.sources.iter().next().map_or("program", |(_, source)| &source.name)
    }
}

pub(super) fn lower(
    rules: &rule::Program,
    sources: &SourceMap,
    schedule: Schedule,
) -> Result<Lowered, Vec<Diagnostic>> {
    with_large_stack(|| {
        let system = topology::system::System::new(rules);
        let Schedule { strategy, collector } = schedule;
        let kernels = topology::kernels::kernels(&system, rules, sources, strategy, collector)?;
        Ok(Lowered { system, kernels })
    })
}

impl KernelSource<'_> {
    /// The kernels in the kernel language.
    pub fn module(&self) -> &dyn Display {
        &self.lowered.kernels.module
    }

    /// The kernels as CUDA C++.
    pub fn cuda(&self) -> Result<String, Diagnostics> {
        with_large_stack(|| gchr_kernels::cuda_text(&self.lowered.kernels.module, self.program.name()))
            .map_err(|list| self.found(list))
    }

    /// The kernels compiled: machine code for a real architecture, PTX for a virtual one.
    pub fn compile(&self, arch: Arch) -> Result<Image, Diagnostics> {
        let text = self.cuda()?;
        let compiler = Compiler::from_env().map_err(|error| self.found(vec![error.into()]))?;
        let built = compiler.build(&text, NAME, arch, &Options::kernels());
        built.map(|built| built.compiled.image).map_err(|error| self.found(vec![error.into()]))
    }

    fn found(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(Arc::clone(&self.program.sources), list)
    }
}
