//! NVRTC, the run-time compiler of CUDA C++: a thin safe wrapper that never panics.
//!
//! [`Nvrtc::find`] looks where the library usually lies ([`search`]), loads it together with its builtins, and checks
//! its version. The library is bound here rather than through a crate, because it must be tried at several places: a
//! wrong version at one of them is no reason to stop, and a missing library is no reason to panic.

mod error;
mod library;
pub mod search;
mod status;
mod version;

pub use error::{CompileError, NvrtcError};
pub use version::{MAJOR_VERSION, Version};

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::sync::OnceLock;

use super::arch::Arch;
use super::image::Image;
use error::LoadError;
use library::{Api, NvrtcProgram};
use search::{Place, Places};

/// The variable that asks for line numbers in machine code: for sanitizers and profilers of others.
pub const LINES_VARIABLE: &str = "GCHR_KERNEL_LINES";

/// Compiler options; the architecture is not among them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NvrtcOptions(Vec<String>);

impl NvrtcOptions {
    /// No options.
    pub fn none() -> Self {
        NvrtcOptions(Vec::new())
    }

    /// The options for generated kernels: floats as the CPU computes them (no fused multiply-add), a warning for every
    /// register spill, and functions compiled side by side.
    pub fn kernels() -> Self {
        NvrtcOptions::exact().with("--split-compile=0")
    }

    /// Adds line numbers where [`LINES_VARIABLE`] asks for them.
    #[must_use]
    pub fn from_env(self) -> Self {
        match std::env::var_os(LINES_VARIABLE) {
            Some(value) if !value.is_empty() => self.with_lines(),
            _ => self,
        }
    }

    /// [`kernels`](Self::kernels), compiled in less time by a compiler that tries less. They run slower.
    pub fn kernels_soon() -> Self {
        NvrtcOptions::exact().with("--Ofast-compile=mid")
    }

    /// Asks for an object that is linked with others, whose functions have no more than so many registers.
    #[must_use]
    pub fn object(self, registers: u32) -> Self {
        self.with("--relocatable-device-code=true").with(&format!("--maxrregcount={registers}"))
    }

    fn exact() -> Self {
        NvrtcOptions::none().with("--std=c++17").with("--fmad=false").with("--ptxas-options=--warn-on-spills")
    }

    /// Adds line numbers for profilers and sanitizers. They take a fifth of the time to compile, and make machine code
    /// several times as large.
    #[must_use]
    pub fn with_lines(self) -> Self {
        self.with("-lineinfo")
    }

    /// Adds an option.
    #[must_use]
    pub fn with(mut self, option: &str) -> Self {
        self.0.push(option.to_string());
        self
    }

    /// Asks for registers, stack and shared memory of each kernel in the log, for
    /// [`parse_resources`](super::parse_resources).
    #[must_use]
    pub fn with_resource_usage(self) -> Self {
        self.with("--ptxas-options=-v")
    }

    /// The options as they are passed on.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

/// A compiled module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The code.
    pub image: Image,
    /// What the compiler said; empty when it had nothing to complain about.
    pub log: String,
    /// The compiler.
    pub version: Version,
}

/// A loaded NVRTC library. It stays loaded until the process ends.
#[derive(Clone, Debug)]
pub struct Nvrtc {
    api: Api,
    place: Place,
    version: Version,
    architectures: Vec<u32>,
}

impl Nvrtc {
    /// The library of this process, found through the environment. The search is done once.
    pub fn find() -> Result<&'static Nvrtc, NvrtcError> {
        static FOUND: OnceLock<Result<Nvrtc, NvrtcError>> = OnceLock::new();
        FOUND.get_or_init(|| Nvrtc::search(&Places::from_env())).as_ref().map_err(Clone::clone)
    }

    /// The library in one folder.
    pub fn open(folder: &Path) -> Result<Nvrtc, NvrtcError> {
        Nvrtc::search(&Places::only(folder))
    }

    /// The first usable library.
    pub fn search(places: &Places) -> Result<Nvrtc, NvrtcError> {
        let mut failures = Vec::new();
        for place in places.iter() {
            match Nvrtc::load(place) {
                Ok(nvrtc) => {
                    tracing::debug!(place = %nvrtc.place, version = %nvrtc.version, "NVRTC loaded");
                    return Ok(nvrtc);
                }
                Err(LoadError::Absent) => {}
                Err(failure) => failures.push((place.clone(), failure)),
            }
        }
        Err(NvrtcError::from_failures(failures, places))
    }

    fn load(place: &Place) -> Result<Nvrtc, LoadError> {
        let api = Api::load(place)?;
        let version = api.version().map_err(LoadError::Broken)?;
        if version.major != MAJOR_VERSION {
            return Err(LoadError::Version(version));
        }
        let architectures = api.architectures().map_err(LoadError::Broken)?;
        Ok(Nvrtc { api, place: place.clone(), version, architectures })
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Where it was found.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The architectures that it compiles for, e.g. 90 for `sm_90`.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Compiles `source`; `name` is its name in messages. A real architecture gives a cubin, a virtual one PTX.
    pub fn compile(
        &self,
        source: &str,
        name: &str,
        arch: Arch,
        options: &NvrtcOptions,
    ) -> Result<Compiled, CompileError> {
        let (Arch::Real(number) | Arch::Virtual(number)) = arch;
        if !self.architectures.contains(&number) {
            return Err(CompileError::Architecture { arch, known: self.architectures.clone() });
        }
        let text = |what: &str, s: &str| {
            CString::new(s)
                .map_err(|_| CompileError::Input { what: format!("{what} contains a NUL character") })
        };
        let source = text("the source", source)?;
        let name = text("the name", name)?;
        let mut arguments = vec![text("an option", &format!("--gpu-architecture={arch}"))?];
        for option in options.as_slice() {
            arguments.push(text("an option", option)?);
        }
        self.compile_c(&source, &name, arch, &arguments)
    }

    fn compile_c(
        &self,
        source: &CStr,
        name: &CStr,
        arch: Arch,
        arguments: &[CString],
    ) -> Result<Compiled, CompileError> {
        let span = tracing::debug_span!("nvrtc", %arch).entered();
        let program = NvrtcProgram::create(&self.api, source, name)?;
        let pointers: Vec<*const c_char> = arguments.iter().map(|a| a.as_ptr()).collect();
        let count = c_int::try_from(pointers.len())
            .map_err(|_| CompileError::Input { what: "there are too many options".to_string() })?;
        // SAFETY: the pointers are NUL-terminated strings that `arguments` keeps alive during the call, `count` of
        // them.
        let outcome = unsafe { program.compile(count, pointers.as_ptr()) };
        let log = program.log();
        if let Err(code) = outcome {
            return Err(CompileError::from_code(code, log, arguments));
        }
        let image = match arch {
            Arch::Real(_) => Image::cubin(arch, program.cubin()?),
            Arch::Virtual(_) => Image::ptx(arch, program.ptx()?),
        };
        drop(span);
        let image = image.map_err(|e| CompileError::Library { what: e.to_string(), log: log.clone() })?;
        Ok(Compiled { image, log, version: self.version })
    }
}

#[cfg(test)]
mod tests;
