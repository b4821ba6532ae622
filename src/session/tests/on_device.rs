//! Sessions whose store is on a device, here the simulator: against runs of the same goals there and on the processor.

use gchr_base::error::StopReason;
use gchr_testkit::random::Random;
use gchr_testkit::rules;

use super::*;
use crate::options::Device;

fn on_sim(firing: Firing) -> CompileOptions {
    CompileOptions { device: Device::Sim, ..options(Semantics::Rounds, firing) }
}

/// Programs of the examples with goals.
const EXAMPLES: &[(&str, &[&str])] = &[
    (include_str!("../../../examples/components.chr"), &["random(12, 0, 9)", "random(12, 9, 18)"]),
    (include_str!("../../../examples/floyd.chr"), &["complete(4, 5)", "complete(5, 6)"]),
    (include_str!("../../../examples/primes.chr"), &["candidate(2, 12)", "candidate(13, 20)"]),
    (
        include_str!("../../../examples/roads.chr"),
        &["road(a, b, 3), road(b, c, 4)", "start(a)", "road(a, c, 9), road(c, d, 1)", "road(b, d, 1)"],
    ),
    (include_str!("../../../examples/expressions.chr"), &["tree(3, 1, total)", "tree(2, 1, other)"]),
    (include_str!("../../../examples/union_find.chr"), &["make(8)", "random(8, 5, 11)", "random(8, 4, 3)"]),
];

fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    PROGRAMS.iter().chain(EXAMPLES).copied()
}

/// Runs goals one after the other; `split` says behind which of them a run ends.
fn run_split(session: &mut Session, goals: &[&str], split: u32) {
    let mut from = 0;
    for at in 1..=goals.len() {
        if at == goals.len() || split >> (at - 1) & 1 == 1 {
            add_and_run(session, &goals[from..at]);
            from = at;
        }
    }
}

/// Any split of the same goals gives the store of one run.
#[test]
fn splits_give_the_same_store() {
    for (number, (text, goals)) in all().enumerate() {
        let expected = run_at_once(text, goals, &options(Semantics::Rounds, Firing::Indexed));
        let firing = if number % 3 == 2 { Firing::General } else { Firing::Indexed };
        let mut session = open(text, &on_sim(firing));
        let empty = session.save().expect("an empty store");
        for split in 0..1_u32 << (goals.len() - 1) {
            run_split(&mut session, goals, split);
            assert_eq!(store(&mut session), expected, "{text}\n{firing:?}, split {split:b}");
            session.restore("an empty store", &empty).expect("it is one");
            assert_eq!(store(&mut session), "");
        }
    }
}

/// A store goes from the processor to a device and back, in the middle of the goals.
#[test]
fn stores_go_to_a_device_and_back() {
    for (text, goals) in all() {
        let processor = options(Semantics::Rounds, Firing::Indexed);
        let expected = run_at_once(text, goals, &processor);
        let (mut first, mut session) = (open(text, &processor), open(text, &on_sim(Firing::Indexed)));
        let at = goals.len() / 2;
        add_and_run(&mut first, &goals[..at]);
        session.restore("a store", &first.save().expect("bytes")).expect("it is one");
        assert!(!session.undo().expect("nothing"), "what was restored is taken back");
        run_split(&mut session, &goals[at..], u32::MAX);
        assert_eq!(store(&mut session), expected, "{text}\nbrought there after {at}");
        first.restore("a store", &session.save().expect("bytes")).expect("it is one");
        assert_eq!(store(&mut first), expected, "{text}\nbrought back");
    }
}

/// A run that stops, for whatever reason, leaves the store as it was, and later runs are as if it had not been; the
/// last run can be taken back.
#[test]
fn a_run_that_stops_leaves_nothing() {
    for (number, (text, goals)) in all().enumerate().filter(|(number, _)| number % 2 == 0) {
        let mut session = open(text, &on_sim(Firing::Indexed));
        let mut expected = String::new();
        for (at, goal) in goals.iter().enumerate() {
            let stops = |session: &mut Session, control: &mut Control<'_>, always: bool| {
                match session.run(control) {
                    Ok(_) => assert!(!always && session.undo().expect("a store")),
                    Err(stopped) => {
                        let found = &stopped.diagnostics;
                        assert!(stopped.error.is_some() || found.list()[0].code == "D0401", "{found}");
                    }
                }
                assert_eq!(store(session), expected, "{text}\nafter {at}");
            };
            goals.iter().for_each(|goal| session.add_goals(goal).expect("a goal"));
            session.add_goals("fail").expect("a goal");
            // What follows has nothing here to fall back on: the store has not been read since the last run.
            stops(&mut session, &mut Control::default(), true);
            for limits in [
                Limits { max_steps: Some(2), ..Limits::default() },
                Limits { max_rounds: Some(1), ..Limits::default() },
                Limits { memory: Some(20 << 10), ..Limits::default() },
            ]
            .into_iter()
            .take(if number == 0 { 3 } else { 2 })
            {
                goals.iter().for_each(|goal| session.add_goals(goal).expect("a goal"));
                stops(&mut session, &mut Control::new(limits), false);
            }
            add_and_run(&mut session, &[goal]);
            expected = store(&mut session);
            assert!(session.undo().expect("a store"));
            assert!(!session.undo().expect("one run at most"));
            add_and_run(&mut session, &[goal]);
        }
        assert_eq!(expected, run_at_once(text, goals, &on_sim(Firing::Indexed)), "{text}");
    }
}

/// Random programs, with their goals dealt out to runs at random; some runs fail first, or are taken back and done
/// again.
/// `GCHR_CASES` says how many.
#[test]
fn random_programs() {
    let cases = std::env::var("GCHR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(16);
    let mut random = Random::new(11);
    let mut compared = 0;
    for seed in 1..=cases {
        let text = if seed % 2 == 0 { rules::program(seed, false) } else { rules::terms(seed, false) };
        let (rules, queries) = split_queries(&text);
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        let limits = Limits { max_rounds: Some(12), max_steps: Some(300), ..Limits::default() };
        let input = queries.iter().fold(Input::constraints(&*rules), |input, goal| input.query(*goal));
        let Ok(program) = input.parse() else { continue };
        let executable = program.compile(&options(Semantics::Rounds, Firing::Indexed)).expect("a plan");
        let Ok(expected) = executable.run(&mut Control::new(limits)) else { continue };
        let firing = if random.below(3) == 0 { Firing::General } else { Firing::Indexed };
        let mut session = open(&rules, &on_sim(firing));
        let run = |session: &mut Session, goals: &[&str]| {
            goals.iter().for_each(|goal| session.add_goals(goal).expect("a goal"));
            // A run that does not end is a difference, too.
            session.run(&mut Control::new(Limits { max_rounds: Some(50), ..Limits::default() }))
        };
        let mut left = &queries[..];
        while !left.is_empty() {
            let (now, later) = left.split_at(1 + random.below(left.len()));
            if random.below(3) == 0 {
                let stopped = run(&mut session, &[now, &["fail"]].concat()).expect_err("it fails");
                let reason = stopped.error.as_ref().map(|error| &error.reason);
                assert_eq!(reason, Some(&StopReason::Failed), "seed {seed}: {text}\n{}", stopped.diagnostics);
            }
            let done = |ran: Result<_, Box<crate::Failure>>| {
                ran.map(drop)
                    .unwrap_or_else(|failure| panic!("seed {seed}: {text}\n{}", failure.diagnostics));
            };
            done(run(&mut session, now));
            if random.below(3) == 0 {
                assert!(session.undo().expect("a store"));
                done(run(&mut session, now));
            }
            left = later;
        }
        assert_eq!(store(&mut session), expected.to_string(), "{text}");
        compared += 1;
    }
    assert!(compared > cases as usize / 4, "{compared} of {cases}");
}

/// The clauses of a program, and its goals, each a query of its own.
fn split_queries(text: &str) -> (String, Vec<String>) {
    let (mut rules, mut goals) = (String::new(), Vec::new());
    for line in text.lines() {
        match line.trim().strip_prefix("?-") {
            Some(query) => {
                let mut depth = 0;
                let apart = query.trim().trim_end_matches('.').split(|c: char| {
                    depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
                    c == ',' && depth == 0
                });
                goals.extend(apart.map(String::from));
            }
            None => rules.extend([line, "\n"]),
        }
    }
    (rules, goals)
}

/// Facts, counts and tables come and go as on the processor; what is no run on a device is refused.
#[test]
fn facts_and_refusals() {
    let (text, _) = PROGRAMS[0];
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("edges.csv");
    std::fs::write(&file, "2,3\n3,4\n").expect("a file");
    let mut session =
        Input::constraints(text).facts("edge", &file).open(&on_sim(Firing::Indexed)).expect("it runs");
    add_and_run(&mut session, &["edge(1,2)"]);
    assert_eq!(session.count("path", 2), Some(6));
    session.add_facts("edge", &file, crate::Header::No).expect("facts");
    add_and_run(&mut session, &["edge(4,1)"]);
    assert_eq!((session.count("edge", 2), session.count("path", 2)), (Some(4), Some(16)));
    assert!(why(&mut session, "edge(1,2)").is_err_and(|found| found.contains("U0143")));

    let refused = |options: &CompileOptions| {
        let found = Input::constraints(text).open(options).expect_err("it is refused");
        found.list()[0].code
    };
    let sim = on_sim(Firing::Indexed);
    assert_eq!(refused(&CompileOptions { semantics: None, ..sim }), "U0110");
    assert_eq!(refused(&CompileOptions { derivations: true, ..sim }), "U0110");
    assert!(refused(&CompileOptions { trace: true, ..sim }).starts_with('U'));
    assert!(Input::constraints(LEQ).open_for_logic(&sim).is_err());
    assert!(Input::constraints(":- chr_constraint p(+int).\np(X) <=> q(X).\n").open(&sim).is_err());
}
