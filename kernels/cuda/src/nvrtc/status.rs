//! Results of calls of NVRTC.

use std::ffi::c_int;
use std::fmt;

/// `nvrtcResult`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Status(c_int);

impl Status {
    pub(super) const OUT_OF_MEMORY: Status = Status(1);
    pub(super) const INVALID_OPTION: Status = Status(5);
    pub(super) const COMPILATION: Status = Status(6);

    pub(super) fn check(self) -> Result<(), Status> {
        if self.0 == 0 { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            1 => "out of memory",
            2 => "program creation failed",
            3 => "invalid input",
            4 => "invalid program",
            5 => "invalid option",
            6 => "compilation failed",
            7 => "builtin operation failed",
            11 => "internal error",
            _ => return write!(f, "NVRTC error {}", self.0),
        };
        write!(f, "NVRTC error {} ({name})", self.0)
    }
}
