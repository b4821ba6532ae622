//! Processes in a terminal of their own.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::BINARY;

/// Waiting for longer fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

/// gchr in a terminal.
pub struct Terminal {
    child: Child,
    keyboard: File,
    shown: Arc<Mutex<Vec<u8>>>,
    /// What was waited for is before this place.
    seen: usize,
}

impl Terminal {
    /// Starts gchr in a new terminal.
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        let (mut master, mut slave) = (0, 0);
        let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: both numbers are written to places of their own; names and settings are not asked for.
        let opened =
            unsafe { libc::openpty(&mut master, &mut slave, std::ptr::null_mut(), std::ptr::null(), &size) };
        assert_eq!(opened, 0, "there are terminals");
        // SAFETY: both were opened just now, and nobody else has them.
        let (master, slave) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        let stream = || Stdio::from(slave.try_clone().expect("another one"));
        let mut command = Command::new(BINARY);
        command.current_dir(folder).args(args).stdin(stream()).stdout(stream()).stderr(stream());
        command.env("TERM", "xterm").env("XDG_STATE_HOME", folder.join("state"));
        let lead = || {
            // The parent of the tests may ignore them.
            for signal in [libc::SIGINT, libc::SIGHUP] {
                // SAFETY: `signal` may be called between fork and exec.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            // SAFETY: the calls may be made between fork and exec; standard input is the terminal.
            let led = unsafe { libc::setsid() >= 0 && libc::ioctl(0, libc::TIOCSCTTY, 0) == 0 };
            if led { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        };
        // SAFETY: the closure allocates nothing and takes no locks.
        unsafe { command.pre_exec(lead) };
        let child = command.spawn().expect("gchr runs");
        drop(command);
        drop(slave);
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().expect("another one");
        let shown = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut piece = [0; 1 << 12];
            while let Ok(n @ 1..) = screen.read(&mut piece) {
                kept.lock().expect("a lock").extend_from_slice(&piece[..n]);
            }
        });
        Self { child, keyboard, shown, seen: 0 }
    }

    /// Types.
    pub fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("keys are taken");
    }

    /// Waits until a text is shown behind what was waited for before.
    pub fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let shown = self.shown.lock().expect("a lock").clone();
            let rest = &shown[self.seen..];
            if let Some(at) = rest.windows(text.len()).position(|part| part == text.as_bytes()) {
                self.seen += at + text.len();
                return;
            }
            assert!(start.elapsed() < PATIENCE, "no {text:?} in {}", String::from_utf8_lossy(rest));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Tells the process that its terminal is closed, and waits for its end.
    pub fn hang_up(mut self) {
        // SAFETY: the process is a child that was not waited for.
        unsafe { libc::kill(self.child.id().cast_signed(), libc::SIGHUP) };
        self.child.wait().expect("it is a child");
    }

    /// Types keys again and again until the process ends; the exit code, unless a signal ended it. Keys that come while
    /// something runs are not for the prompt.
    pub fn end_by(mut self, keys: &str) -> Option<i32> {
        let start = Instant::now();
        for waited in 0_u32.. {
            if waited % 50 == 0 {
                // It may have ended.
                let _ = self.keyboard.write_all(keys.as_bytes());
            }
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                return status.code();
            }
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("it goes on: {}", String::from_utf8_lossy(&self.shown.lock().expect("a lock")));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}
