//! Errors of the driver, and their diagnostics.

use std::fmt;

use cudarc::driver::result;
use cudarc::driver::sys::CUresult;
use gchr_base::diagnostic::Diagnostic;

use super::version::DriverVersion;
use gchr_kernel::device::DeviceError;

/// Why a GPU cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DriverError {
    /// There is no driver.
    NotInstalled,
    /// The driver is older than the compiler needs.
    TooOld {
        /// The one that is installed.
        found: DriverVersion,
        /// The oldest one that will do.
        oldest: DriverVersion,
    },
    /// The driver does not start.
    Unusable {
        /// Why.
        reason: String,
    },
    /// There is a driver and no GPU.
    NoDevice,
    /// There are GPUs, but not this one.
    NoSuchDevice {
        /// The number asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },
    /// The driver refuses the compiled kernels.
    Image {
        /// Why.
        reason: String,
        /// What the driver's own compiler says.
        log: String,
    },
    /// A call failed.
    Call {
        /// The driver's function.
        call: &'static str,
        /// The driver's name for the error, and what it says about it.
        reason: String,
        /// The driver's number for the error.
        code: u32,
    },
}

/// Adds the name of the function to an error.
pub(super) fn call<T>(call: &'static str, result: Result<T, result::DriverError>) -> Result<T, DriverError> {
    result.map_err(|error| DriverError::Call { call, reason: reason(error), code: error.0 as u32 })
}

/// Name and text of an error.
pub(super) fn reason(error: result::DriverError) -> String {
    let text = |text: Result<&std::ffi::CStr, _>| text.ok().map(|t| t.to_string_lossy().into_owned());
    match (text(error.error_name()), text(error.error_string())) {
        (Some(name), Some(text)) => format!("{name}: {text}"),
        _ => format!("error {}", error.0 as u32),
    }
}

/// What happened in a kernel, for the errors after which nothing works any more in the context.
pub(super) fn fault(code: u32) -> Option<&'static str> {
    const FAULTS: &[(CUresult, &str)] = &[
        (CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, "illegal memory access"),
        (CUresult::CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned memory access"),
        (CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE, "memory access to the wrong address space"),
        (CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION, "illegal instruction"),
        (CUresult::CUDA_ERROR_INVALID_PC, "jump to an illegal address"),
        (CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR, "stack error: the call stack is damaged or full"),
        (CUresult::CUDA_ERROR_ASSERT, "assertion failed"),
        (CUresult::CUDA_ERROR_LAUNCH_FAILED, "it ended abnormally"),
        (
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
            "the hardware reports a memory error that it cannot correct",
        ),
        (
            CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
            "the hardware reports a link error that it cannot correct",
        ),
        (CUresult::CUDA_ERROR_CONTAINED, "the hardware reports a contained memory error"),
        (CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED, "another part of the process destroyed the context"),
        (CUresult::CUDA_ERROR_EXTERNAL_DEVICE, "another device failed"),
        (CUresult::CUDA_ERROR_UNKNOWN, "unknown error of the driver"),
    ];
    FAULTS.iter().find(|(fault, _)| *fault as u32 == code).map(|(_, what)| *what)
}

impl DriverError {
    /// The error of the driver's first call.
    pub(super) fn from_init(error: result::DriverError) -> Self {
        match error.0 {
            CUresult::CUDA_ERROR_NO_DEVICE => DriverError::NoDevice,
            _ => DriverError::Unusable { reason: reason(error) },
        }
    }

    /// Whether a call failed with this error of the driver.
    pub(super) fn is(&self, result: CUresult) -> bool {
        matches!(self, DriverError::Call { code, .. } if *code == result as u32)
    }

    /// The same error during a run, when these kernels are under way.
    pub(super) fn during(self, kernels: impl Fn() -> Vec<String>) -> DeviceError {
        match &self {
            DriverError::Call { code, .. } if self.is(CUresult::CUDA_ERROR_LAUNCH_TIMEOUT) => {
                tracing::debug!(code, "kernel time limit");
                DeviceError::TimeLimit { kernels: kernels() }
            }
            DriverError::Call { code, .. } => match fault(*code) {
                Some(what) => DeviceError::Fault { kernels: kernels(), what: what.to_string() },
                None => Diagnostic::from(self).into(),
            },
            _ => Diagnostic::from(self).into(),
        }
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::NotInstalled => write!(f, "there is no NVIDIA driver on this machine"),
            DriverError::TooOld { found, oldest } => {
                write!(f, "the NVIDIA driver is too old: it is made for CUDA {found}, and {oldest} is needed")
            }
            DriverError::Unusable { .. } => write!(f, "the NVIDIA driver does not start"),
            DriverError::NoDevice => write!(f, "there is no NVIDIA GPU on this machine"),
            DriverError::NoSuchDevice { ordinal, .. } => write!(f, "there is no GPU {ordinal}"),
            DriverError::Image { .. } => write!(f, "the NVIDIA driver refuses the compiled kernels"),
            DriverError::Call { call, .. } => write!(f, "the NVIDIA driver failed in {call}"),
        }
    }
}

impl std::error::Error for DriverError {}

impl From<DriverError> for Diagnostic {
    fn from(error: DriverError) -> Self {
        const WITHOUT: &str = "--device cpu and --device sim need no GPU";
        let message = error.to_string();
        match error {
            DriverError::NotInstalled => Diagnostic::error("D0101", message)
                .note("the library libcuda, a part of the driver, is not in the loader's path")
                .help(format!("install NVIDIA's driver 580 or later; {WITHOUT}")),
            DriverError::TooOld { .. } => Diagnostic::error("D0102", message)
                .help(format!("install NVIDIA's driver 580 or later; {WITHOUT}")),
            DriverError::Unusable { reason } => Diagnostic::error("D0103", message).note(reason).help(
                format!("see whether `nvidia-smi` works, and install the driver again if not; {WITHOUT}"),
            ),
            DriverError::NoDevice => Diagnostic::error("D0104", message)
                .note("a container sees a GPU only when it is passed in; CUDA_VISIBLE_DEVICES can hide one")
                .help(WITHOUT),
            DriverError::NoSuchDevice { count, .. } => Diagnostic::error("D0105", message)
                .note(format!(
                    "GPUs are counted from 0, and there {} {count}",
                    if count == 1 { "is" } else { "are" }
                ))
                .help("`gchr devices` lists them"),
            DriverError::Image { reason, log } => {
                let diagnostic = Diagnostic::error("D0106", message).note(reason);
                let diagnostic = if log.is_empty() { diagnostic } else { diagnostic.note(log) };
                diagnostic.help("use NVRTC 13.0, or install a newer driver; --device cpu gives the result")
            }
            DriverError::Call { reason, .. } => Diagnostic::error("D0107", message)
                .note(reason)
                .help("end other programs on the GPU and try again, or use --device cpu"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_kernel::device::DeviceError;

    fn failed(code: CUresult) -> DriverError {
        DriverError::Call {
            call: "cuStreamSynchronize",
            reason: format!("{code:?}: text"),
            code: code as u32,
        }
    }

    #[test]
    fn errors_of_kernels_are_told_apart_from_errors_of_calls() {
        let kernels = || vec!["match_rules".to_string()];
        let during = |code| failed(code).during(kernels);
        assert_eq!(
            during(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS),
            DeviceError::Fault { kernels: kernels(), what: "illegal memory access".into() }
        );
        assert_eq!(
            during(CUresult::CUDA_ERROR_LAUNCH_TIMEOUT),
            DeviceError::TimeLimit { kernels: kernels() }
        );
        let other = during(CUresult::CUDA_ERROR_INVALID_VALUE);
        assert!(!other.is_fatal());
        assert_eq!(other.into_diagnostics()[0].code, "D0107");
    }

    #[test]
    fn every_error_has_its_code_and_a_way_out() {
        let errors = [
            DriverError::NotInstalled,
            DriverError::TooOld { found: DriverVersion(12080), oldest: DriverVersion(13000) },
            DriverError::Unusable { reason: "it has no function cuInit".into() },
            DriverError::NoDevice,
            DriverError::NoSuchDevice { ordinal: 3, count: 1 },
            DriverError::Image { reason: "CUDA_ERROR_INVALID_PTX: text".into(), log: "line 3".into() },
            failed(CUresult::CUDA_ERROR_INVALID_VALUE),
        ];
        let shown: String = errors
            .map(|error| {
                let d = Diagnostic::from(error);
                let notes: String = d.notes.iter().map(|note| format!("  {note}\n")).collect();
                format!("{}: {}\n{notes}  = {}\n", d.code, d.message, d.help.expect("help"))
            })
            .concat();
        insta::assert_snapshot!(shown, @"
        D0101: there is no NVIDIA driver on this machine
          the library libcuda, a part of the driver, is not in the loader's path
          = install NVIDIA's driver 580 or later; --device cpu and --device sim need no GPU
        D0102: the NVIDIA driver is too old: it is made for CUDA 12.8, and 13.0 is needed
          = install NVIDIA's driver 580 or later; --device cpu and --device sim need no GPU
        D0103: the NVIDIA driver does not start
          it has no function cuInit
          = see whether `nvidia-smi` works, and install the driver again if not; --device cpu and --device sim need no GPU
        D0104: there is no NVIDIA GPU on this machine
          a container sees a GPU only when it is passed in; CUDA_VISIBLE_DEVICES can hide one
          = --device cpu and --device sim need no GPU
        D0105: there is no GPU 3
          GPUs are counted from 0, and there is 1
          = `gchr devices` lists them
        D0106: the NVIDIA driver refuses the compiled kernels
          CUDA_ERROR_INVALID_PTX: text
          line 3
          = use NVRTC 13.0, or install a newer driver; --device cpu gives the result
        D0107: the NVIDIA driver failed in cuStreamSynchronize
          CUDA_ERROR_INVALID_VALUE: text
          = end other programs on the GPU and try again, or use --device cpu
        ");
    }
}
