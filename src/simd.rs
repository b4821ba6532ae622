//! Programs of the µ-SIMD machine ([`gchr_simd`]) from files, with diagnostics that point into them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::memory;
use gchr_base::reading::{Account, read_text};
use gchr_base::source::{SourceId, SourceMap};

use crate::diagnostics::Diagnostics;
use crate::text_file::KERNEL_FILE;

/// What to do about files that are not there.
const PROGRAM: &str = "give the path of a µ-SIMD program, e.g. examples/simd/bench08.simd";
const MEMORY: &str = "give the path of a memory file, e.g. examples/simd/rows.memory";

pub use gchr_simd::{Counters, MAX_THREADS, Machine, Options, Stop, Value};

/// A program and the texts it was read from.
#[derive(Clone, Debug)]
pub struct Program {
    sources: Arc<SourceMap>,
    program: gchr_simd::Program,
}

impl Program {
    /// Reads a program file.
    pub fn load(path: &Path) -> Result<Self, Diagnostics> {
        let (sources, program) = load(path, PROGRAM, gchr_simd::parse)?;
        Ok(Self { sources, program })
    }
    /// Compiles a kernel of a file in the kernel language, as far as µ-SIMD can express it; the only kernel when there
    /// is no name.
    pub fn compile(path: &Path, kernel: Option<&str>) -> Result<Self, Diagnostics> {
        let (sources, program) = load(path, KERNEL_FILE, |sources, id| {
            let module = gchr_kernel::text::parse(sources, id)?;
            let kernels = module.functions.iter().filter(|f| f.is_kernel()).map(|f| f.name.as_str());
            let kernels: Vec<_> = kernels.collect();
            let only = <[&str; 1]>::try_from(&kernels[..]).ok().map(|[name]| name);
            let name = match kernel.or(only) {
                Some(name) => name,
                None if kernels.is_empty() => {
                    let help = "a kernel is a function with `extern \"C\" __global__`";
                    return Err(vec![Diagnostic::error("S0302", "the file has no kernel").help(help)]);
                }
                None => {
                    let message = format!("the file has {} kernels", kernels.len());
                    let help = "name one of them with --kernel NAME";
                    return Err(vec![
                        Diagnostic::error("S0302", message).note(kernels.join(", ")).help(help),
                    ]);
                }
            };
            gchr_simd::compile(&module, name).map_err(|found| vec![found])
        })?;
        Ok(Self { sources, program })
    }
    /// A machine that runs the program.
    pub fn machine(&self, options: Options) -> Result<Machine<'_>, Diagnostics> {
        Machine::new(&self.program, options).map_err(|found| Diagnostics::new(self.sources.clone(), found))
    }
    /// Why a run stopped early.
    pub fn stopped(&self, stop: &Stop) -> Diagnostics {
        Diagnostics::new(self.sources.clone(), vec![stop.diagnostic(&self.program)])
    }
    /// The undefined results of a run.
    pub fn undefined(&self, machine: &Machine<'_>) -> Diagnostics {
        let list = machine.reports().iter().map(|report| report.diagnostic(&self.program)).collect();
        Diagnostics::new(self.sources.clone(), list)
    }
}

/// Reads a memory file.
pub fn load_memory(path: &Path) -> Result<Vec<Value>, Diagnostics> {
    load(path, MEMORY, gchr_simd::parse_memory).map(|(_, memory)| memory)
}

impl fmt::Display for Program {
    /// The program in the text form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

fn load<T>(
    path: &Path,
    wanted: &str,
    parse: impl FnOnce(&SourceMap, SourceId) -> Result<T, Vec<Diagnostic>>,
) -> Result<(Arc<SourceMap>, T), Diagnostics> {
    let mut sources = SourceMap::new();
    let read = read_text(path, &mut sources, wanted, &Account::new(Some(memory::left())))
        .map_err(|found| vec![*found]);
    let parsed = read.and_then(|text| {
        let id = sources.add(path.display().to_string(), text);
        parse(&sources, id)
    });
    let sources = Arc::new(sources);
    match parsed {
        Ok(parsed) => Ok((sources, parsed)),
        Err(found) => Err(Diagnostics::new(sources, found)),
    }
}
