//! GPU architectures: what a device has, and what code is compiled for.

use std::fmt;

/// Compute capability of a device, e.g. 9.0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Capability {
    /// Generation.
    pub major: u32,
    /// Variant of the generation.
    pub minor: u32,
}

impl Capability {
    /// The number in architecture names: 90 for 9.0, 121 for 12.1.
    pub fn number(self) -> u32 {
        self.major * 10 + self.minor
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What code is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arch {
    /// Machine code (cubin) for one architecture: `sm_90`.
    Real(u32),
    /// PTX for this architecture and all later ones, which the driver translates when it loads it: `compute_90`.
    Virtual(u32),
}

impl Arch {
    /// The architecture to compile for, given those that the compiler knows: machine code when it knows the device's
    /// own, else PTX for the newest one that is not newer than the device. `None` when the device is older than all of
    /// them.
    pub fn for_device(capability: Capability, supported: &[u32]) -> Option<Arch> {
        let device = capability.number();
        if supported.contains(&device) {
            return Some(Arch::Real(device));
        }
        supported.iter().copied().filter(|&a| a < device).max().map(Arch::Virtual)
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arch::Real(number) => write!(f, "sm_{number}"),
            Arch::Virtual(number) => write!(f, "compute_{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUPPORTED: [u32; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];

    fn arch(major: u32, minor: u32) -> Option<String> {
        Arch::for_device(Capability { major, minor }, &SUPPORTED).map(|a| a.to_string())
    }

    #[test]
    fn known_devices_get_machine_code() {
        assert_eq!(arch(7, 5).as_deref(), Some("sm_75"));
        assert_eq!(arch(9, 0).as_deref(), Some("sm_90"));
        assert_eq!(arch(12, 1).as_deref(), Some("sm_121"));
    }

    #[test]
    fn unknown_devices_get_the_newest_ptx_below() {
        assert_eq!(arch(9, 5).as_deref(), Some("compute_90"));
        assert_eq!(arch(13, 0).as_deref(), Some("compute_121"));
    }

    #[test]
    fn old_devices_get_nothing() {
        assert_eq!(arch(7, 0), None);
        assert_eq!(Arch::for_device(Capability { major: 9, minor: 0 }, &[]), None);
    }
}
