//! Kernels of a program before any device has them: kernel language, CUDA C++, PTX, machine code.

use std::fmt::Display;

use gchr_cuda::{Arch, Compiler, Image, Options};
use gchr_kernel::ir::Module;

use super::lower::{LoweredTerms, lower_rounds, lower_terms};
use crate::diagnostics::Diagnostics;
use crate::options::CompileOptions;
use crate::program::{Language, Program};
use crate::stack::with_large_stack;

/// What messages of the compiler call the text.
pub(crate) const NAME: &str = "kernels.cu";

/// The kernels of a program.
pub struct KernelSource<'p> {
    program: &'p Program,
    module: Module,
}

impl Program {
    /// Generates the kernels that run this program on a device: a term program by a schedule, a constraint program in rounds.
    pub fn kernels(&self, options: &CompileOptions) -> Result<KernelSource<'_>, Diagnostics> {
        let module = match self.language {
            Language::Terms => {
                lower_terms(&self.rules, &self.sources, options.schedule, None).map(LoweredTerms::into_module)
            }
            Language::Constraints => lower_rounds(&self.rules, &self.sources, options.firing.plan_options())
                .map(|(_, made)| made.module),
        };
        match module {
            Ok(module) => Ok(KernelSource { program: self, module }),
            Err(list) => Err(self.diagnostics(list)),
        }
    }
}

impl KernelSource<'_> {
    /// The kernels in the kernel language.
    pub fn module(&self) -> &dyn Display {
        &self.module
    }

    pub(crate) fn ir(&self) -> &Module {
        &self.module
    }

    /// The kernels as CUDA C++.
    pub fn cuda(&self) -> Result<String, Diagnostics> {
        with_large_stack(|| gchr_kernel::cuda_text(&self.module, self.program.name()))
            .map_err(|list| self.program.diagnostics(list))
    }

    /// The kernels compiled: machine code for a real architecture, PTX for a virtual one.
    pub fn compile(&self, arch: Arch) -> Result<Image, Diagnostics> {
        let text = self.cuda()?;
        let compiler = Compiler::from_env().map_err(|error| self.program.diagnostics(vec![error.into()]))?;
        let built = compiler.build(&text, NAME, arch, &Options::kernels());
        built.map(|built| built.compiled.image).map_err(|error| self.program.diagnostics(vec![error.into()]))
    }
}
