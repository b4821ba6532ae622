//! Kernels of a program before any device has them: kernel language, CUDA C++, PTX, machine code.

use std::fmt::Display;

use gchr_checker::check;
use gchr_cuda::{Arch, Compiler, Image, NvrtcOptions};
use gchr_kernel::Unit;
use gchr_kernel::ir::Module;

use super::backend::compile_ahead;
use super::kernels::{HasKernels, NAME};
use super::lower::{lower_rounds, lower_terms};
use super::verify::Verdict;
use crate::diagnostics::Diagnostics;
use crate::options::CompileOptions;
use crate::program::{Language, Program};
use crate::stack::with_large_stack;

/// The kernels of a program.
pub struct KernelSource<'p> {
    program: &'p Program,
    module: Module,
    units: Vec<Unit>,
}

impl Program {
    /// Generates the kernels that run this program on a device: a term program by a schedule, a constraint program in
    /// rounds.
    pub fn kernels(&self, options: &CompileOptions) -> Result<KernelSource<'_>, Diagnostics> {
        let message = "the program has no kernels: the logic machine runs it";
        let help = "leave out what is shown here; `gchr check --explain` shows all of it";
        if let Some(found) = self.of_logic_machine(message.into(), help.into()) {
            return Err(self.diagnostics(vec![found]));
        }
        let module = match self.language() {
            Language::Terms => lower_terms(&self.rules, &self.sources, options, options.kernels, None)
                .map(|made| (made.units(), made.into_module())),
            Language::Constraints => {
                lower_rounds(&self.rules, &self.sources, options.firing.plan_options(), options.kernels)
                    .map(|made| (made.units(), made.1.module))
            }
        };
        match module {
            Ok((units, module)) => Ok(KernelSource { program: self, module, units }),
            Err(list) => Err(self.diagnostics(list)),
        }
    }
}

impl HasKernels for KernelSource<'_> {
    fn module(&self) -> &Module {
        &self.module
    }
    fn units(&self) -> Vec<Unit> {
        self.units.clone()
    }
}

impl KernelSource<'_> {
    /// Checks the kernels, as is done before every launch.
    pub fn verify(&self) -> Vec<Verdict> {
        with_large_stack(|| check(self.ir()))
    }

    /// The kernels in the kernel language.
    pub fn module(&self) -> &dyn Display {
        &self.module
    }

    /// Names of the kernels.
    pub fn names(&self) -> Vec<&str> {
        let kernels = self.module.functions.iter().filter(|function| function.is_kernel());
        kernels.map(|kernel| kernel.name.as_str()).collect()
    }

    /// One kernel and what it needs, as when it is compiled apart from the others.
    #[must_use]
    pub fn only(self, kernel: &str) -> Self {
        let unit = Unit { kernels: vec![kernel.to_string()], rare: false, apart: Vec::new() };
        Self { module: unit.of(&self.module), units: vec![unit], ..self }
    }

    /// Compiles the kernels for a GPU and checks them, those that few runs need too, so that a run finds all of it in
    /// the cache.
    pub fn warm(&self, gpu: u32) -> Result<(), Diagnostics> {
        compile_ahead(gpu, self.program.name(), self).map_err(|list| self.program.diagnostics(list))
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
        let built = compiler.build(&text, NAME, arch, &NvrtcOptions::kernels().from_env());
        built.map(|built| built.compiled.image).map_err(|error| self.program.diagnostics(vec![error.into()]))
    }
}
