//! Runs a program and writes what it does as text.

use std::process::Command;
use std::sync::{Arc, Mutex};

use gchr_base::control::{Control, Limits};
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_logic::{Answers, MachineEvaluator, Options, Reason, Streams};

/// Whether SWI-Prolog is installed, or a note that the test is skipped. With `GCHR_REQUIRE_SWIPL` set, the test fails
/// instead.
pub fn has_swipl() -> bool {
    let found = Command::new("swipl").arg("--version").output().is_ok();
    if !found {
        assert!(std::env::var_os("GCHR_REQUIRE_SWIPL").is_none(), "there is no swipl (.ci/fetch-swipl)");
        println!("skipped: swipl is not installed");
    }
    found
}

/// A sequence of numbers that looks random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// What the program writes, kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic while it is held").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The output of a query and its answers, one fact a line; errors and failures too.
pub fn run(program: &str, query: &str, answers: Answers, limits: Limits) -> String {
    run_with(program, query, &Options { answers, ..Options::default() }, limits, "")
}

/// The same with other options and an input.
pub fn run_with(
    program: &str,
    query: &str,
    options: &Options,
    limits: Limits,
    input: &'static str,
) -> String {
    let mut sources = SourceMap::new();
    let program = sources.add("program", program);
    let queries = vec![sources.add("--query", query)];
    let request = gchr_chr::Request { program, queries, facts: Vec::new() };
    let mut evaluator = MachineEvaluator::new(&gchr_chr::TermReader, None);
    let loaded = gchr_chr::load_any(&mut sources, &request, &Account::default(), &mut evaluator);
    let Some(logic) = loaded.logic else {
        return format!(
            "no logic program: {:?}\n",
            loaded.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()
        );
    };
    let kept = Kept::default();
    let mut control = Control::new(limits).output(kept.clone());
    let mut text = String::new();
    let streams = Streams { errors: None, input: Some(Box::new(input.as_bytes())), files: true };
    let ready = match gchr_logic::load(&logic) {
        Ok(ready) => ready,
        Err(found) => return format!("refused: {found:?}\n"),
    };
    let run = gchr_logic::run(
        &logic,
        ready,
        &gchr_chr::TermReader,
        options,
        &mut control,
        streams,
        &mut |answer, _| {
            let mut lines = answer.text.bindings.clone();
            lines.extend(answer.text.goals.clone());
            if lines.is_empty() {
                lines.push("true".into());
            }
            text.push_str(&(lines.join("\n") + "\n"));
            Ok(())
        },
    );
    drop(control);
    match run {
        Ok(_) => {}
        Err(stopped) => match stopped.reason {
            Reason::Stop(reason) => text.push_str(&format!("{}\n", reason.to_diagnostic().message)),
            Reason::Thrown { message, .. } => text.push_str(&format!("error: {message}\n")),
        },
    }
    let output = kept.0.lock().expect("no panic while it is held").clone();
    String::from_utf8_lossy(&output).into_owned() + &text
}
