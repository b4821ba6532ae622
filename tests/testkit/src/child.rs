//! What a process took of the machine.

use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// A process that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// How it ended.
    pub status: ExitStatus,
    /// Time of processors, of its own and of the system for it.
    pub cpu: Duration,
    /// The most memory that it had of the machine, in bytes.
    pub peak: u64,
}

/// Waits for the end of a process. Its pipes are to be read before, or by another thread.
pub fn wait(child: Child) -> Cost {
    let pid = child.id().cast_signed();
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: a child of this process that nobody else waits for, since it is owned here; both places are of the types
    // that are written, and all zeros are a valid usage.
    let usage = unsafe {
        while libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) != pid {
            let error = std::io::Error::last_os_error();
            assert_eq!(error.kind(), std::io::ErrorKind::Interrupted, "wait4: {error}");
        }
        usage.assume_init()
    };
    let time = |t: libc::timeval| {
        Duration::from_secs(t.tv_sec.cast_unsigned()) + Duration::from_micros(t.tv_usec.cast_unsigned())
    };
    Cost {
        status: ExitStatus::from_raw(status),
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        peak: usage.ru_maxrss.cast_unsigned() << 10,
    }
}
