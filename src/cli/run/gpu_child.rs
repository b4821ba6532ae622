//! `--device auto` of `gchr run`: the same command line on a GPU, in a child process, while this process runs it on the
//! CPU. The first result is the result.
//!
//! It is a process of its own, since a driver that comes up holds the memory map of its process for tens of
//! milliseconds at a time, while threads that need memory wait; and since no process ends before its driver has given
//! everything back, which takes a tenth of a second. The child writes its result to standard output as it would for a
//! user, then a line break and a line of JSON, the [`ChildReport`]. It ends when its standard input does, hence
//! together with this process, or when the kernels are compiled that it is about then.

use std::io::{self, Read};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use gchr::{Control, Stats, Work};
use serde::{Deserialize, Serialize};

use crate::cli::exit::Exit;

/// What a GPU child is called with, before the milliseconds that its parent has run.
pub const FLAG: &str = "--gpu-child";

/// The last line of the GPU child: how it ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChildReport {
    /// How its process ends.
    pub exit: Exit,
    /// What the run cost.
    pub stats: Stats,
    /// Counts of the scheduler by name.
    pub figures: Vec<(String, u64)>,
    /// Why there is no result.
    pub error: Option<String>,
}

impl ChildReport {
    /// The report of a child without a result.
    pub fn failed(exit: Exit, error: String) -> Self {
        Self { exit, stats: Stats::default(), figures: Vec::new(), error: Some(error) }
    }
}

/// What a GPU child has found.
pub struct ChildResult {
    /// The result as it is written.
    pub out: Vec<u8>,
    /// What the run cost.
    pub stats: Stats,
    /// Counts of the scheduler by name.
    pub figures: Vec<(String, u64)>,
}

/// Starts the command line of this process on a GPU in a child process; `start` is when this one began.
pub fn start(start: Instant) -> Result<Work<ChildResult>, String> {
    let cannot = |error: io::Error| format!("no process for the gpu: {error}");
    let mut arguments = std::env::args_os().skip(1);
    let mut command = Command::new(std::env::current_exe().map_err(cannot)?);
    command.args(arguments.next()).arg(FLAG).arg(start.elapsed().as_millis().to_string()).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    // Its report says what goes wrong; a log is for the user.
    let is_logged = std::env::var_os("GCHR_LOG").is_some();
    command.stderr(if is_logged { Stdio::inherit() } else { Stdio::null() });
    let mut child = command.spawn().map_err(cannot)?;
    let (Some(stdin), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes for the gpu".into());
    };
    Ok(Box::new(move |_: &mut Control<'_>| read(stdin, out)))
}

/// A result that is larger is left to this process.
const MOST: u64 = 4 << 30;

/// Reads what the child writes until it is done. It goes on as long as its standard input is open.
fn read(stdin: ChildStdin, mut out: ChildStdout) -> Result<ChildResult, String> {
    let no_result = |why: String| format!("the gpu has no result ({why})");
    let mut written = Vec::new();
    let read = (&mut out).take(MOST).read_to_end(&mut written);
    read.map_err(|error| no_result(error.to_string()))?;
    drop(stdin);
    if written.len() as u64 == MOST {
        return Err(no_result("its result is too large to be handed over".into()));
    }
    match split_report(&mut written) {
        Some(ChildReport { exit: Exit::Done, stats, figures, .. }) => {
            Ok(ChildResult { out: written, stats, figures })
        }
        report => {
            let error = report.and_then(|report| report.error);
            Err(no_result(error.unwrap_or_else(|| "no reason is known".into())))
        }
    }
}

/// Takes the report from the end of what a child wrote, and leaves the result; `None` if the child ended before its
/// report.
fn split_report(written: &mut Vec<u8>) -> Option<ChildReport> {
    let line = written.strip_suffix(b"\n")?;
    let start = line.iter().rposition(|&byte| byte == b'\n')?;
    let report = serde_json::from_slice(&line[start + 1..]).ok()?;
    written.truncate(start);
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_from(script: &str) -> Result<ChildResult, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("there is a shell");
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(out)) = pipes else { panic!("there are pipes") };
        let read = read(stdin, out);
        child.wait().expect("it ends");
        read
    }

    #[test]
    fn the_last_line_is_the_report() {
        let stats = Stats { rewrites: Some(1), run_ms: Some(0.5), ..Stats::default() };
        let report = ChildReport { exit: Exit::Done, stats, figures: vec![("tasks".into(), 3)], error: None };
        let mut written = b"S(Zero)\n\n".to_vec();
        serde_json::to_writer(&mut written, &report).expect("it is JSON");
        written.push(b'\n');
        assert_eq!(split_report(&mut written), Some(report));
        assert_eq!(written, b"S(Zero)\n");
    }

    #[test]
    fn a_child_without_a_result_says_why() {
        let failed = ChildReport::failed(Exit::Failed, "there is no GPU".into());
        let line = serde_json::to_string(&failed).expect("it is JSON");
        let told = read_from(&format!("printf '\\n%s\\n' '{line}'")).map(|result| result.out);
        assert_eq!(told, Err("the gpu has no result (there is no GPU)".into()));
        let died = read_from("printf 'half a res'; kill -9 $$").map(|result| result.out);
        assert_eq!(died, Err("the gpu has no result (no reason is known)".into()));
        let half = read_from("printf 'S(Zero)\\n\\n{\"exit\": \"do'").map(|result| result.out);
        assert_eq!(half, Err("the gpu has no result (no reason is known)".into()));
        // It ends when nobody waits for it.
        assert!(read_from("exec >&-; cat").is_err());
    }
}
