//! The programs that failed once, the generators and the reference themselves.

use std::path::{Path, PathBuf};

use gchr_testkit::coverage::{self, Coverage};
use gchr_testkit::reference::End;

use super::case::Case;
use super::constraints::Tools;
use super::findings::Devices;
use super::known::Known;
use super::shrink::shrink;
use super::worker::{check, with_stack};
use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../regressions")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "trs" || e == "chr"));
    files.sort();
    files
}

#[test]
fn what_failed_once_agrees() {
    let known = Known::read(&folder()).expect("the list is right");
    let everything = Devices { simulator: true, gpu: false };
    let scratch = tempfile::tempdir().expect("a folder");
    let tools = Tools::new(scratch.path().to_path_buf(), None).expect("threads");
    let mut failed = Vec::new();
    for file in files() {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let case = Case::read(&file).expect("a program");
        let found = with_stack(|| check(&case, &tools, everything, None));
        let fails = !found.differences.is_empty() || found.refused.is_some();
        match known.why(&name) {
            Some(why) if fails => println!("{name} fails as is known: {why}"),
            Some(_) => println!("{name} is said to fail, but agrees: take it off the list"),
            None if fails => failed.push(format!("{name}: {:?} {:#?}", found.refused, found.differences)),
            None => {}
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let missing: Vec<_> = known.files.iter().filter(|(name, _)| !folder().join(name).exists()).collect();
    assert!(missing.is_empty(), "{missing:?} are listed, but not there");
}

/// Some programs of each generator run as the reference says, and all constructs of both languages are among many of
/// them.
#[test]
fn generators_use_every_construct() {
    let mut covered = [Coverage::new(coverage::terms::all()), Coverage::new(coverage::constraints::all())];
    let (mut refused, mut programs) = (0, 0);
    for seed in 0..12_000 {
        let case = Case::of_seed(seed);
        let mut sources = gchr::base::source::SourceMap::new();
        let id = sources.add("program", case.text.as_str());
        programs += 1;
        let language = usize::from(case.ending() == "chr");
        let used = match language {
            0 => {
                let loaded = gchr_trs::load(&sources, id);
                loaded.program.map(|p| coverage::terms::used(&case.text, &loaded.ast, &p))
            }
            _ => {
                let request = gchr_chr::Request { program: id, queries: Vec::new(), facts: Vec::new() };
                let loaded = gchr_chr::load(&mut sources, &request);
                loaded.program.map(|p| coverage::constraints::used(&case.text, &loaded.ast, &p))
            }
        };
        match used {
            Some(used) => covered[language].count(used),
            None => refused += 1,
        }
    }
    let missing: Vec<&str> = covered.iter().flat_map(Coverage::missing).collect();
    assert!(missing.is_empty(), "not used by any of {programs} programs: {missing:#?}");
    assert!(refused * 4 < programs, "{refused} of {programs} programs are refused");
}

#[test]
fn executors_agree_on_some_programs() {
    let scratch = tempfile::tempdir().expect("a folder");
    let tools = Tools::new(scratch.path().to_path_buf(), None).expect("threads");
    let none = Devices { simulator: false, gpu: false };
    let (mut known, mut all) = (0, 0);
    for seed in 500_000..500_200 {
        let found = with_stack(|| check(&Case::of_seed(seed), &tools, none, Some(seed)));
        assert!(found.differences.is_empty(), "seed {seed}: {:#?}", found.differences);
        known += found.known;
        all += found.known + found.unknown;
    }
    assert!(known * 10 > all * 6, "the reference knows {known} of {all} ends");
}

/// A mistake in an executor would be found, and made small: the reference is told another program.
#[test]
fn a_failure_is_made_small() {
    let text = ":- chr_constraint a(+int), b(+int), c.\n\
        r0 @ a(X), b(Y) ==> X < Y | Z is X + Y, b(Z).\n\
        r1 @ b(X) \\ a(Y) <=> X > 9, Y =< X | c, write(Y).\n\
        ?- a(1), b(2), c, a(7).\n";
    let case = Case { language: gchr::Language::Constraints, text: text.into(), starts: Vec::new() };
    let fails = |case: &Case| case.text.contains("write(") && case.text.contains("?-");
    let small = shrink(&case, Duration::from_secs(60), &mut |c| fails(c));
    assert!(fails(&small) && small.text.len() < 60, "{}", small.text);
    let text = "sort N = struct Z | S(N);\nmap F: N # N -> N;\nvar X, Y: N;\n\
        eqn F(X, S(Y)) = S(F(X, Y));\n    X == Y -> F(X, Y) = X;\ninput F(S^9(Z), S(Z));";
    let case = Case { language: gchr::Language::Terms, text: text.into(), starts: vec!["Z".into()] };
    let fails = |case: &Case| {
        gchr::Input::terms(case.text.as_str()).parse().is_ok() && case.text.contains("F(X, Y) =")
    };
    let small = shrink(&case, Duration::from_secs(60), &mut |c| fails(c));
    assert!(small.text.contains("F(X, Y) = X;") && small.text.matches('=').count() == 2, "{}", small.text);
}

/// The examples of the documentation that show a result: the reference agrees with them.
#[test]
fn the_reference_knows_its_own_examples() {
    let text = "map Gcd: Int # Int -> Int; var X, Y: Int;\neqn Gcd(X, 0) = abs(X);\n Y != 0 -> Gcd(X, Y) = Gcd(Y, X mod Y);\n\
        input Gcd(12 * 7, 1 << 5) - round((float(3) + float(4)) / 2.0);";
    let mut sources = gchr::base::source::SourceMap::new();
    let id = sources.add("gcd.trs", text);
    let model = gchr_testkit::reference::terms::Program::new(&gchr_trs::parse(&sources, id).ast);
    let normalised = model.run().expect("an input");
    assert_eq!((normalised.end, normalised.text.as_str()), (End::Done, "0"));
}
