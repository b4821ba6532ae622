//! Errors of NVRTC, and their diagnostics.

use std::ffi::CString;
use std::fmt;

use gchr_base::diagnostic::Diagnostic;

use super::search::{Place, Places, VARIABLE};
use super::status::Status;
use super::version::{MAJOR_VERSION, Version};
use crate::Arch;

/// The way out when NVRTC is missing.
fn install() -> String {
    format!(
        "install the CUDA toolkit {MAJOR_VERSION} or the Python package nvidia-cuda-nvrtc==13.0.88, or set {VARIABLE} to the folder \
         that holds libnvrtc.so.{MAJOR_VERSION}; --device cpu and --device sim need neither"
    )
}

/// Why the library at a place is of no use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum LoadError {
    /// There is none.
    Absent,
    /// It is there, but the system cannot load it.
    Refused(String),
    /// It lacks a function.
    Symbol(&'static str),
    /// It has another version.
    Version(Version),
    /// Its first call failed.
    Broken(Status),
}

/// Why there is no NVRTC to use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NvrtcError {
    /// It was not found.
    NotFound {
        /// Where it was looked for.
        places: Vec<String>,
    },
    /// All that were found have another version.
    WrongVersion {
        /// Where, and which.
        found: Vec<(String, Version)>,
    },
    /// It was found and cannot be used.
    Unusable {
        /// Where, and why.
        found: Vec<(String, String)>,
    },
}

impl NvrtcError {
    pub(super) fn from_failures(failures: Vec<(Place, LoadError)>, places: &Places) -> Self {
        let mut versions = Vec::new();
        let mut unusable = Vec::new();
        for (place, failure) in failures {
            let reason = match failure {
                LoadError::Absent => continue,
                LoadError::Version(version) => {
                    versions.push((place.to_string(), version));
                    continue;
                }
                LoadError::Refused(reason) => reason,
                LoadError::Symbol(name) => format!("it has no function {name}"),
                LoadError::Broken(code) => code.to_string(),
            };
            unusable.push((place.to_string(), reason));
        }
        if !unusable.is_empty() {
            unusable.extend(
                versions.into_iter().map(|(place, version)| (place, format!("it has version {version}"))),
            );
            NvrtcError::Unusable { found: unusable }
        } else if !versions.is_empty() {
            NvrtcError::WrongVersion { found: versions }
        } else {
            NvrtcError::NotFound { places: places.iter().map(Place::to_string).collect() }
        }
    }
}

impl fmt::Display for NvrtcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NvrtcError::NotFound { .. } => write!(f, "NVRTC, the compiler for GPU kernels, is not installed"),
            NvrtcError::WrongVersion { .. } => {
                write!(
                    f,
                    "NVRTC, the compiler for GPU kernels, has the wrong version: {MAJOR_VERSION} is needed"
                )
            }
            NvrtcError::Unusable { .. } => write!(f, "NVRTC, the compiler for GPU kernels, cannot be loaded"),
        }
    }
}

impl std::error::Error for NvrtcError {}

impl From<NvrtcError> for Diagnostic {
    fn from(error: NvrtcError) -> Self {
        let message = error.to_string();
        let (mut diagnostic, notes) = match error {
            NvrtcError::NotFound { places } => {
                (Diagnostic::error("D0201", message), vec![format!("looked in {}", places.join(", "))])
            }
            NvrtcError::WrongVersion { found } => (
                Diagnostic::error("D0202", message),
                found.iter().map(|(place, version)| format!("{version} in {place}")).collect(),
            ),
            NvrtcError::Unusable { found } => (
                Diagnostic::error("D0203", message),
                found.iter().map(|(place, reason)| format!("in {place}: {reason}")).collect(),
            ),
        };
        diagnostic.notes = notes;
        diagnostic.help(install())
    }
}

/// Why a source was not compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// The source has errors.
    Source {
        /// What the compiler says.
        log: String,
    },
    /// The compiler does not know an option.
    Option {
        /// The options.
        options: Vec<String>,
        /// What the compiler says.
        log: String,
    },
    /// The compiler does not know the architecture.
    Architecture {
        /// The architecture.
        arch: Arch,
        /// The numbers of those that it knows.
        known: Vec<u32>,
    },
    /// The input cannot be handed over.
    Input {
        /// What is wrong.
        what: String,
    },
    /// The compiler failed, whatever the source.
    Library {
        /// How.
        what: String,
        /// What it says.
        log: String,
    },
}

impl CompileError {
    pub(super) fn from_code(code: Status, log: String, options: &[CString]) -> Self {
        match code {
            Status::COMPILATION => CompileError::Source { log },
            Status::INVALID_OPTION => CompileError::Option {
                options: options.iter().map(|o| o.to_string_lossy().into_owned()).collect(),
                log,
            },
            Status::OUT_OF_MEMORY => CompileError::Library { what: "out of memory".to_string(), log },
            _ => CompileError::Library { what: code.to_string(), log },
        }
    }

    /// What the compiler says; empty when it did not get to say anything.
    pub fn log(&self) -> &str {
        match self {
            CompileError::Source { log }
            | CompileError::Option { log, .. }
            | CompileError::Library { log, .. } => log,
            CompileError::Architecture { .. } | CompileError::Input { .. } => "",
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Source { .. } => write!(f, "the generated kernels do not compile"),
            CompileError::Option { .. } => write!(f, "NVRTC does not accept the compiler options"),
            CompileError::Architecture { arch, .. } => write!(f, "NVRTC does not compile for {arch}"),
            CompileError::Input { what } => write!(f, "the kernels cannot be compiled: {what}"),
            CompileError::Library { what, .. } => write!(f, "NVRTC failed: {what}"),
        }
    }
}

impl std::error::Error for CompileError {}

impl From<CompileError> for Diagnostic {
    fn from(error: CompileError) -> Self {
        const BUG: &str = "this is a bug of gchr; `gchr emit FILE --stage cuda` shows the kernels, --device cpu gives the result";
        let message = error.to_string();
        let log = error.log().to_string();
        let diagnostic = match error {
            CompileError::Source { .. } => Diagnostic::error("D0211", message).help(BUG),
            CompileError::Option { options, .. } => {
                Diagnostic::error("D0212", message).note(format!("options: {}", options.join(" "))).help(BUG)
            }
            CompileError::Architecture { known, .. } => {
                let known: Vec<_> = known.iter().map(u32::to_string).collect();
                Diagnostic::error("D0213", message)
                    .note(format!("it knows {}", known.join(", ")))
                    .help("use another GPU (`gchr devices` lists them) or --device cpu")
            }
            CompileError::Input { .. } => Diagnostic::error("D0214", message).help(BUG),
            CompileError::Library { .. } => Diagnostic::error("D0215", message)
                .help("free some memory and try again, or use --device cpu"),
        };
        if log.is_empty() { diagnostic } else { diagnostic.note(log) }
    }
}
