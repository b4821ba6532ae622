//! Errors of devices, and their diagnostics.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;

use super::ids::BufferId;

/// Why a device call failed.
#[derive(Clone, PartialEq, Debug)]
pub enum DeviceError {
    /// Device memory is used up, or the limit given for the run.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes that this run holds already.
        used: u64,
        /// Bytes that are left for it.
        free: u64,
        /// Bytes of the device, or the limit given for the run.
        total: u64,
    },
    /// The system ended a kernel because it ran too long. The device cannot be used any more in this run.
    TimeLimit {
        /// Kernels that were under way.
        kernels: Vec<String>,
    },
    /// A kernel did something that it must not do. The device cannot be used any more in this run.
    Fault {
        /// Kernels that were under way.
        kernels: Vec<String>,
        /// What happened: "illegal memory access".
        what: String,
    },
    /// A launch was refused.
    Launch {
        /// The kernel.
        kernel: String,
        /// Why.
        reason: String,
    },
    /// The program has no kernel of this name.
    UnknownKernel {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// An id that the device did not hand out, or that was given back.
    Stale {
        /// The id as text.
        id: String,
    },
    /// Access outside a buffer.
    Range {
        /// The buffer.
        buffer: BufferId,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// Bytes of the buffer.
        size: u64,
    },
    /// A backend has its own findings: a data race, a rejected image, a failed driver call.
    Findings(Vec<Diagnostic>),
}

impl DeviceError {
    /// The error for the user, with the way out.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        match self {
            DeviceError::Findings(findings) => findings,
            other => vec![other.describe()],
        }
    }

    /// Whether the device can do no more work.
    pub fn is_fatal(&self) -> bool {
        matches!(self, DeviceError::TimeLimit { .. } | DeviceError::Fault { .. })
    }

    fn describe(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            DeviceError::OutOfMemory { requested, used, free, total } => Diagnostic::error("D0401", message)
                .note(format!(
                    "{} asked for, {} left; this run holds {} of {}",
                    size(*requested),
                    size(*free),
                    size(*used),
                    size(*total)
                ))
                .help("raise the limit of memory where one is set, end other programs on the device, use a larger device, or run with --device cpu"),
            DeviceError::TimeLimit { kernels } => under_way(Diagnostic::error("D0402", message), kernels)
                .note("the system ends long kernels on a GPU that also drives a display")
                .help("use a GPU without a display (--device gpu:N, see `gchr devices`), a smaller input, or --device cpu"),
            DeviceError::Fault { kernels, .. } => under_way(Diagnostic::error("D0403", message), kernels)
                .note("kernels are generated, so this is a bug of gchr or a hardware fault")
                .help("run with --device sim to find the place, or with --device cpu for the result"),
            DeviceError::Launch { .. } => Diagnostic::error("D0404", message)
                .help("this is a bug of gchr; --device cpu gives the result"),
            DeviceError::UnknownKernel { known, .. } => Diagnostic::error("D0405", message)
                .note(format!("there are: {}", known.join(", ")))
                .help("this is a bug of gchr; --device cpu gives the result"),
            DeviceError::Stale { .. } | DeviceError::Range { .. } => Diagnostic::error("D0406", message)
                .help("this is a bug of gchr; --device cpu gives the result"),
            DeviceError::Findings(_) => Diagnostic::error("D0409", message),
        }
    }
}

fn under_way(diagnostic: Diagnostic, kernels: &[String]) -> Diagnostic {
    if kernels.is_empty() {
        return diagnostic;
    }
    diagnostic.note(format!("under way: {}", kernels.join(", ")))
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::OutOfMemory { .. } => write!(f, "out of device memory"),
            DeviceError::TimeLimit { .. } => write!(f, "a kernel hit the time limit of the system"),
            DeviceError::Fault { what, .. } => write!(f, "a kernel failed: {what}"),
            DeviceError::Launch { kernel, reason } => {
                write!(f, "kernel `{kernel}` cannot be launched: {reason}")
            }
            DeviceError::UnknownKernel { name, .. } => write!(f, "there is no kernel `{name}`"),
            DeviceError::Stale { id } => write!(f, "{id} is not in use"),
            DeviceError::Range { buffer, offset, bytes, size } => {
                write!(f, "bytes {offset}..{} of {buffer}, which has {size}", offset.saturating_add(*bytes))
            }
            DeviceError::Findings(findings) => match findings.first() {
                Some(first) => write!(f, "{}", first.message),
                None => write!(f, "the device failed"),
            },
        }
    }
}

impl std::error::Error for DeviceError {}

impl From<Diagnostic> for DeviceError {
    fn from(diagnostic: Diagnostic) -> Self {
        DeviceError::Findings(vec![diagnostic])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(error: DeviceError) -> String {
        let mut text = String::new();
        for d in error.into_diagnostics() {
            text += &format!("{}: {}\n", d.code, d.message);
            for note in d.notes {
                text += &format!("  note: {note}\n");
            }
            text += &format!("  help: {}\n", d.help.expect("every device error says the way out"));
        }
        text
    }

    #[test]
    fn out_of_memory_names_the_sizes() {
        let error =
            DeviceError::OutOfMemory { requested: 3 << 40, used: 5 << 20, free: 1000, total: 139 << 30 };
        insta::assert_snapshot!(shown(error), @"
        D0401: out of device memory
          note: 3.0 TiB asked for, 1000 bytes left; this run holds 5.0 MiB of 139.0 GiB
          help: raise the limit of memory where one is set, end other programs on the device, use a larger device, or run with --device cpu
        ");
    }

    #[test]
    fn faults_name_the_kernels() {
        let kernels = vec!["match_rules".to_string(), "scan".to_string()];
        let fault = DeviceError::Fault { kernels: kernels.clone(), what: "illegal memory access".into() };
        assert!(fault.is_fatal());
        insta::assert_snapshot!(shown(fault), @"
        D0403: a kernel failed: illegal memory access
          note: under way: match_rules, scan
          note: kernels are generated, so this is a bug of gchr or a hardware fault
          help: run with --device sim to find the place, or with --device cpu for the result
        ");
        let limit = DeviceError::TimeLimit { kernels };
        assert!(limit.is_fatal());
        insta::assert_snapshot!(shown(limit), @"
        D0402: a kernel hit the time limit of the system
          note: under way: match_rules, scan
          note: the system ends long kernels on a GPU that also drives a display
          help: use a GPU without a display (--device gpu:N, see `gchr devices`), a smaller input, or --device cpu
        ");
    }

    #[test]
    fn misuse_is_told_apart() {
        let unknown = DeviceError::UnknownKernel { name: "a".into(), known: vec!["b".into(), "c".into()] };
        assert!(!unknown.is_fatal());
        let range = DeviceError::Range { buffer: BufferId(3), offset: 8, bytes: 16, size: 20 };
        let all = [unknown, range, DeviceError::Stale { id: BufferId(7).to_string() }];
        insta::assert_snapshot!(all.map(shown).concat(), @"
        D0405: there is no kernel `a`
          note: there are: b, c
          help: this is a bug of gchr; --device cpu gives the result
        D0406: bytes 8..24 of buffer3, which has 20
          help: this is a bug of gchr; --device cpu gives the result
        D0406: buffer7 is not in use
          help: this is a bug of gchr; --device cpu gives the result
        ");
    }

    #[test]
    fn sizes_are_rounded_for_people() {
        let sizes = [0, 1023, 1024, 1536, 1 << 30, u64::MAX];
        assert_eq!(
            sizes.map(size),
            ["0 bytes", "1023 bytes", "1.0 KiB", "1.5 KiB", "1.0 GiB", "16384.0 PiB"]
        );
    }
}
