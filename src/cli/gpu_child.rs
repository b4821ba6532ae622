//! `--device auto` of `gchr run`: the same command line on a GPU, in a process of its own, which the processor's run takes with it. The first
//! result is the result.
//!
//! A process of its own, since a driver that comes up holds the memory map of its process for tens of milliseconds at a time, while threads
//! that need memory wait; and since no process ends before its driver has given everything back, which takes a tenth of a second. The
//! process beside writes what it would write anyway, into pipes; the last byte of standard error is how it ends. It ends when the one that it
//! works for does: then its standard input does.

use std::io::{self, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use gchr::{Control, Work};

use super::{Exit, end_at_once};

/// What the GPU's side wrote.
pub struct Written {
    /// To standard output: the result.
    pub out: Vec<u8>,
    /// To standard error: statistics, if they are wanted.
    pub err: String,
}

/// Starts the command line of this process on a GPU beside it; `start` is when this one began.
pub fn start(start: Instant) -> Result<Work<Written>, String> {
    let cannot = |error: io::Error| format!("no process for the gpu: {error}");
    let mut arguments = std::env::args_os().skip(1);
    let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
    command
        .args(arguments.next())
        .arg("--beside")
        .arg(start.elapsed().as_millis().to_string())
        .args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(cannot)?;
    let (Some(stdin), Some(out), Some(err)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("no pipes for the gpu".into());
    };
    Ok(Box::new(move |_: &mut Control<'_>| read(stdin, out, err)))
}

/// Reads what the process beside writes until it is done. It goes on as long as its standard input is open.
fn read(stdin: ChildStdin, mut out: ChildStdout, mut err: ChildStderr) -> Result<Written, String> {
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        err.read_to_end(&mut bytes).map(|_| bytes)
    });
    let mut result = Vec::new();
    let read = out.read_to_end(&mut result);
    let errors = errors.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    drop(stdin);
    let mut err = read.and(errors).map_err(|error| format!("the gpu has no result ({error})"))?;
    let exit = err.pop();
    let err = String::from_utf8_lossy(&err).into_owned();
    if exit == Some(Exit::Done as u8) {
        return Ok(Written { out: result, err });
    }
    let said =
        err.lines().find_map(|line| line.split_once("Error: ")).map_or("no reason is known", |said| said.1);
    Err(format!("the gpu has no result ({said})"))
}

/// Has this process, which runs beside another one, end with that.
pub fn end_with_the_other() {
    let watch = || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        end_at_once(Exit::Failed);
    };
    if let Err(error) = std::thread::Builder::new().name("gchr other".into()).spawn(watch) {
        tracing::warn!("this process does not end with the other one: {error}");
    }
}

/// Ends this process, which runs beside another one. All is written before the driver gives back what it has.
pub fn end(exit: Exit) -> ! {
    let _ = io::stdout().flush();
    let _ = io::stderr().write_all(&[exit as u8]);
    for output in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: nothing of this process writes any more.
        unsafe { libc::close(output) };
    }
    end_at_once(exit);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_from(script: &str) -> Result<Written, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("there is a shell");
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(out), Some(err)) = pipes else { panic!("there are pipes") };
        let read = read(stdin, out, err);
        child.wait().expect("it ends");
        read
    }

    #[test]
    fn the_last_byte_says_how_the_other_process_ended() {
        let done = read_from(r"printf 'S(Zero)\n'; printf 'steps 1\n\000' >&2").expect("a result");
        assert_eq!((done.out.as_slice(), done.err.as_str()), (b"S(Zero)\n".as_slice(), "steps 1\n"));
        let failed =
            read_from(r"printf '[G0101] Error: there is no GPU\n  Help: get one\n\001' >&2").map(|w| w.out);
        assert_eq!(failed, Err("the gpu has no result (there is no GPU)".into()));
        let died = read_from("printf 'half a res'; kill -9 $$").map(|w| w.out);
        assert_eq!(died, Err("the gpu has no result (no reason is known)".into()));
        // It ends when nobody waits for it.
        assert!(read_from(r"exec >&- 2>&-; cat").is_err());
    }
}
