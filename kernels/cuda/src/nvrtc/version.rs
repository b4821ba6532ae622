//! Versions of NVRTC.

use std::fmt;

/// The release of NVRTC that is used: newer drivers of the same release run its PTX, and all release notes hold.
pub const MAJOR_VERSION: u32 = 13;

/// Version of an NVRTC library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// Release.
    pub major: u32,
    /// Update of the release.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
