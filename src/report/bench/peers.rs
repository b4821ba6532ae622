//! Other systems on the same programs: Maude, OCaml, GHC and C++ with an arena on term programs translated from their
//! rules, C++ on six of the problems, SWI-Prolog's library(chr) on constraint programs as they are. Results are
//! compared; what is not installed is left out, and said.
//!
//! Times are those of the run alone, as each system measures them. Maude, OCaml, GHC and C++ evaluate equal subterms of
//! a right-hand side each for itself, gchr once: that is a part of the ratio of tree_exploration and
//! transformation_tree.

mod cpp;
mod haskell;
mod maude;
mod ocaml;
mod system;
mod translate;

use tempfile::TempDir;

use super::process::Bounds;
use super::programs::{Benchmark, CONSTRAINTS, TERMS};
use super::report::{Entry, Report};
use super::settings::{Settings, time};
use crate::options::CompileOptions;
use crate::program::Language;
use crate::report::compare::{Answered, Mapping};

use gchr_base::control::Control;
use system::{SYSTEMS, System};

/// Runs all peers that are installed.
pub fn peers(settings: &Settings<'_>) -> Result<Report, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no folder for programs of peers: {e}"))?;
    let mut report = Report::new("peers", settings);
    let mut installed = Vec::new();
    for system in SYSTEMS {
        match system.is_installed() {
            true => installed.push(system),
            false => report.notes.push(format!("{} is not installed: left out", system.name())),
        }
    }
    for bench in TERMS.iter().chain(CONSTRAINTS).filter(|b| settings.wants(b.name)) {
        for &system in installed.iter().filter(|s| s.takes(bench)) {
            for &size in settings.sizes(bench) {
                if !settings.goes_on(&format!("{} with {}, size {size}", bench.file_name(), system.name())) {
                    return Ok(report);
                }
                report.entries.push(entry(bench, system, size, &folder, settings));
            }
        }
    }
    Ok(report)
}

fn entry(bench: &Benchmark, system: System, size: u64, folder: &TempDir, settings: &Settings<'_>) -> Entry {
    let mut entry = Entry::new(bench.file_name(), system.name(), Some(size));
    let bounds = Bounds { timeout: settings.timeout, interrupt: settings.interrupt };
    let ours = match time(&bench.input(size), &CompileOptions::default(), settings) {
        Ok(ours) => ours,
        Err(why) => return entry.failed(why),
    };
    entry.set_ours(&ours);
    let work = system::Work { bench, folder: folder.path(), bounds };
    match agreement(&work, system).and_then(|agrees| {
        entry.agrees = Some(agrees);
        system.best(&work, size, settings.repeats)
    }) {
        Ok(ms) => entry.set_theirs(ms),
        Err(why) => return entry.failed(why),
    }
    entry
}

/// Whether both systems give the same at a small size.
fn agreement(work: &system::Work<'_>, system: System) -> Result<bool, String> {
    let bench = work.bench;
    let program = bench.input(bench.small).parse().map_err(|e| e.to_string())?;
    let executable = program.compile(&CompileOptions::default()).map_err(|e| e.to_string())?;
    let outcome = executable.run(&mut Control::default()).map_err(|e| e.to_string())?;
    let theirs = system.result(work, bench.small)?;
    if system != System::Cpp {
        return Ok(normal(&outcome.to_string()) == normal(&theirs));
    }
    let (name, text) = mapping(bench.name).ok_or("no mapping of the answer")?;
    let mapping = Mapping::parse(name, text).map_err(|e| e.to_string())?;
    let side = mapping.side(std::path::Path::new(&bench.file_name())).cloned();
    let rules = side.and_then(|s| s.answer).ok_or("no mapping of the answer")?;
    let ours = Answered::of(&outcome, Some(&rules), &mut Control::default())?;
    let mut theirs: Vec<String> = theirs.lines().map(str::to_string).collect();
    theirs.sort();
    let mut own = ours.rows;
    own.sort();
    Ok(own == theirs)
}

/// The mapping of a problem that C++ solves too.
fn mapping(name: &str) -> Option<(&'static str, &'static str)> {
    macro_rules! mappings {
        ($($name:literal)*) => {
            match name {
                $($name => Some((concat!($name, ".compare.toml"),
                    include_str!(concat!("../../../examples/", $name, ".compare.toml")))),)*
                "fib_int" => mapping("fib"),
                _ => None,
            }
        };
    }
    mappings!("floyd" "mergesort" "gcd" "min" "primes" "fib")
}

/// A result without what systems print differently: lines sorted, blanks gone, `S^3(x)` written out.
fn normal(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(written_out).collect();
    lines.sort();
    lines.join("\n")
}

fn written_out(line: &str) -> String {
    let chars: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).collect();
    let (mut out, mut at) = (String::new(), 0);
    // Closing brackets that stand for several, by the depth at which they close.
    let (mut depth, mut powers) = (0usize, Vec::new());
    while at < chars.len() {
        match chars[at] {
            '^' => {
                let digits: String = chars[at + 1..].iter().take_while(|c| c.is_ascii_digit()).collect();
                let count: usize = digits.parse().unwrap_or(1);
                let name: String =
                    out.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let name: String = name.chars().rev().collect();
                // The name and the bracket behind the number are there once already.
                (1..count).for_each(|_| out += &format!("({name}"));
                powers.push((depth, count));
                at += digits.len();
            }
            '(' => {
                depth += 1;
                out.push('(');
            }
            ')' => {
                depth = depth.saturating_sub(1);
                out.push(')');
                if let Some(&(_, count)) = powers.last().filter(|p| p.0 == depth) {
                    powers.pop();
                    (1..count).for_each(|_| out.push(')'));
                }
            }
            other => out.push(other),
        }
        at += 1;
    }
    out
}

impl System {
    fn takes(self, bench: &Benchmark) -> bool {
        match self {
            System::Swipl => bench.language == Language::Constraints,
            System::Cpp => {
                bench.language == Language::Terms && mapping(bench.name).is_some() && bench.name != "fib"
            }
            System::Maude | System::Ocaml | System::Ghc | System::Arena => bench.language == Language::Terms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn powers_are_written_out() {
        assert_eq!(normal("S^3(Zero)"), normal("S(S(S(Zero)))"));
        assert_eq!(normal("N(S^2(L), S^1(N(A, S^2(B))))"), "N(S(S(L)),S(N(A,S(S(B)))))");
        assert_eq!(normal("b(1)\na(2)"), "a(2)\nb(1)");
    }
}
