//! The systems: how each is found, given a program, and timed.

use std::path::Path;

use gchr_base::rule::{GroundTerm, Program as Rules, Start};

use super::super::process::{Bounds, is_installed, run};
use super::super::programs::Benchmark;
use super::translate::Unsupported;
use super::{cpp, haskell, maude, ocaml};
use crate::report::spread::PATIENCE_MS;

/// A system that runs the same programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum System {
    Maude,
    Ocaml,
    Ghc,
    /// The rules, translated.
    Arena,
    /// The problem, as a programmer would solve it.
    Cpp,
    Swipl,
}

pub(super) const SYSTEMS: [System; 6] =
    [System::Maude, System::Ocaml, System::Ghc, System::Arena, System::Cpp, System::Swipl];

/// A program for a system.
pub(super) struct Work<'a> {
    pub bench: &'a Benchmark,
    pub folder: &'a Path,
    pub bounds: Bounds<'a>,
}

impl Work<'_> {
    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        std::fs::write(self.folder.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    }
    fn run(&self, command: &[&str]) -> Result<String, String> {
        run(command, self.folder, self.bounds)
    }
    /// The rules and the start at a size, as another language's text.
    fn translate(
        &self,
        size: u64,
        text: impl Fn(&Rules, &GroundTerm) -> Result<String, Unsupported>,
    ) -> Result<String, String> {
        let program = self.bench.input(size).parse().map_err(|e| e.to_string())?;
        let rules = program.rules();
        let Start::Term(Some(start)) = &rules.start else { return Err("not a term program".into()) };
        text(rules, start).map_err(|Unsupported(what)| format!("cannot be translated: {what}"))
    }
}

/// What a run printed and wrote.
struct Ran {
    ms: f64,
    result: String,
}

impl System {
    pub fn name(self) -> &'static str {
        match self {
            System::Maude => "maude",
            System::Ocaml => "ocamlopt",
            System::Ghc => "ghc",
            System::Arena => "g++, rules",
            System::Cpp => "g++, problem",
            System::Swipl => "swipl",
        }
    }

    /// The command that it needs.
    fn command(self) -> &'static str {
        match self {
            System::Arena | System::Cpp => "g++",
            other => other.name(),
        }
    }

    pub fn is_installed(self) -> bool {
        is_installed(self.command())
    }

    /// The result at a size, as text.
    pub fn result(self, work: &Work<'_>, size: u64) -> Result<String, String> {
        self.prepare(work, size, true)?;
        Ok(self.run(work, size, true)?.result)
    }

    /// The best time of several runs.
    pub fn best(self, work: &Work<'_>, size: u64, repeats: usize) -> Result<f64, String> {
        self.prepare(work, size, false)?;
        let mut best = f64::INFINITY;
        for _ in 0..repeats.max(1) {
            let ms = self.run(work, size, false)?.ms;
            best = best.min(ms);
            if ms > PATIENCE_MS {
                break;
            }
        }
        Ok(best)
    }

    /// Writes the program, and compiles it where that is how it runs.
    fn prepare(self, work: &Work<'_>, size: u64, show: bool) -> Result<(), String> {
        match self {
            System::Maude => {
                let ordered = work.bench.ordered;
                let text =
                    work.translate(size, |rules, start| maude::session(rules, start, ordered, show))?;
                work.write("session.maude", &text)
            }
            System::Ocaml => {
                let text = work.translate(size, |rules, start| ocaml::text(rules, start, show))?;
                work.write("program.ml", &text)?;
                work.run(&["ocamlopt", "-O3", "-unsafe", "-w", "-a", "-o", "program", "program.ml"]).map(drop)
            }
            System::Ghc => {
                let text = work.translate(size, |rules, start| haskell::text(rules, start, show))?;
                work.write("Main.hs", &text)?;
                work.run(&["ghc", "-O2", "-v0", "-fforce-recomp", "-o", "program", "Main.hs"]).map(drop)
            }
            System::Arena => {
                let text = work.translate(size, |rules, start| cpp::text(rules, start, show))?;
                work.write("program.cpp", &text)?;
                work.run(&["g++", "-O2", "-std=c++17", "-w", "-o", "program", "program.cpp"]).map(drop)
            }
            System::Cpp => {
                work.write("problems.cpp", include_str!("problems.cpp"))?;
                work.run(&["g++", "-O2", "-std=c++17", "-o", "program", "problems.cpp"]).map(drop)
            }
            System::Swipl => {
                work.write("run_chr.pl", include_str!("run_chr.pl"))?;
                work.write("program.pl", &prolog(work.bench.text))
            }
        }
    }

    fn run(self, work: &Work<'_>, size: u64, show: bool) -> Result<Ran, String> {
        let size = size.to_string();
        match self {
            System::Maude => {
                // Maude looks for relative names in the folder that its caller's environment names.
                let session = work.folder.join("session.maude").display().to_string();
                let said = work.run(&["maude", "-no-banner", "-no-wrap", "-batch", &session])?;
                maude_says(&said)
            }
            System::Ocaml | System::Ghc | System::Arena => {
                // Deep recursion needs a large stack, as far as the system lets one have it.
                let command = "ulimit -s unlimited 2>/dev/null || ulimit -s $(ulimit -H -s); exec ./program";
                timed(&work.run(&["sh", "-c", command])?)
            }
            System::Cpp => {
                let mut command = vec!["./program", work.bench.name, &size];
                command.extend(show.then_some("show"));
                timed(&work.run(&command)?)
            }
            System::Swipl => {
                let goals = work.bench.start.replace("{n}", &size);
                let command =
                    ["swipl", "--stack-limit=8g", "run_chr.pl", "--", "program.pl", &goals, "store"];
                let said = work.run(&command)?;
                let seconds =
                    said.lines().find_map(|l| l.strip_prefix("seconds ")?.trim().parse::<f64>().ok());
                let ms = seconds.ok_or_else(|| format!("swipl gave no time: {said}"))? * 1e3;
                let result = match show {
                    true => std::fs::read_to_string(work.folder.join("store")).map_err(|e| e.to_string())?,
                    false => String::new(),
                };
                Ok(Ran { ms, result })
            }
        }
    }
}

/// `ms 1.5`, then the result: lines, or one behind the word `result`.
fn timed(said: &str) -> Result<Ran, String> {
    let mut lines = said.lines();
    let ms = lines.next().and_then(|l| l.strip_prefix("ms ")?.trim().parse().ok());
    let ms = ms.ok_or_else(|| format!("no time in what it prints: {said}"))?;
    let result = lines.map(|l| l.strip_prefix("result ").unwrap_or(l)).collect::<Vec<_>>().join("\n");
    Ok(Ran { ms, result })
}

/// `rewrites: 20 in 1ms cpu (2ms real)`, then `result SortNat: S(...)`. Maude counts whole milliseconds.
fn maude_says(said: &str) -> Result<Ran, String> {
    let told = || format!("Maude says: {}", said.lines().take(4).collect::<Vec<_>>().join(" / "));
    let real = said.lines().find(|l| l.starts_with("rewrites:")).and_then(|l| {
        let (before, _) = l.split_once("ms real")?;
        before.rsplit_once('(')?.1.trim().parse::<f64>().ok()
    });
    let at = said.find("\nresult ").ok_or_else(told)?;
    let result = said[at..].split_once(": ").ok_or_else(told)?.1;
    let result = result.split("\nBye").next().unwrap_or("").split("\nMaude").next().unwrap_or("");
    let result = result.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Ran { ms: real.ok_or_else(told)?.max(1.0), result })
}

/// A constraint program for SWI-Prolog: without its queries, and with its optimiser on. Its array stores for
/// `dense_int` serve look-ups by one argument only and make these programs some twenty times slower, so it gets its
/// hash stores.
fn prolog(text: &str) -> String {
    let mut out = String::new();
    let mut in_query = false;
    for line in text.lines() {
        in_query |= line.starts_with("?-");
        if !in_query {
            out += &line.replace("dense_int", "int");
            out.push('\n');
        }
        in_query &= !line.trim_end().ends_with('.');
    }
    out + ":- chr_option(optimize, full).\n:- chr_option(debug, off).\n"
}
