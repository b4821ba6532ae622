//! Sessions against runs of the same goals and facts, and what a run that stops leaves behind.

use std::sync::atomic::AtomicBool;

mod on_device;

use gchr_base::control::{Control, Limits};
use gchr_base::limit::Limit;
use gchr_base::rule::Semantics;
use gchr_base::watch::Watch;

use super::Session;
use crate::input::Input;
use crate::options::{CompileOptions, Firing};
use crate::output::{Format, Selection};
use crate::why::WhyOptions;

/// Programs, each with goals that are added one after the other.
const PROGRAMS: &[(&str, &[&str])] = &[
    // A set that grows, by propagation.
    (
        ":- chr_constraint edge(+int, +int), path(+int, +int).
         edge(X, Y) \\ edge(X, Y) <=> true.
         path(X, Y) \\ path(X, Y) <=> true.
         edge(X, Y) ==> path(X, Y).
         edge(X, Y), path(Y, Z) ==> path(X, Z).",
        &["edge(1,2), edge(4,5)", "edge(2,3)", "edge(3,4), edge(2,3)", "edge(5,1)"],
    ),
    // The best of all.
    (
        ":- chr_constraint min(+int).
         min(X) \\ min(Y) <=> X =< Y | true.",
        &["min(5), min(7)", "min(9)", "min(3), min(4)", "min(3)", "min(1)"],
    ),
    // Greatest common divisors.
    (
        ":- chr_constraint gcd(+int).
         gcd(0) <=> true.
         gcd(N) \\ gcd(M) <=> 0 < N, N =< M | L is M mod N, gcd(L).",
        &["gcd(90), gcd(60)", "gcd(42)", "gcd(0)", "gcd(35), gcd(70)"],
    ),
    // The best of each key, replaced in place.
    (
        ":- chr_constraint edge(+int, +int, +int), path(+int, +int, +int).
         path(X, Y, D) \\ path(X, Y, E) <=> D =< E | true.
         edge(X, Y, D) ==> path(X, Y, D).
         path(X, Y, D), path(Y, Z, E) ==> F is D + E, path(X, Z, F).",
        &["edge(1,2,5), edge(2,3,7)", "edge(1,3,20)", "edge(3,4,1), edge(1,3,2)", "edge(2,4,1)"],
    ),
    (
        ":- chr_constraint d(+dense_int, +dense_int, +int).
         d(I, J, A) \\ d(I, J, B) <=> A =< B | true.
         d(I, K, A), d(K, J, B) \\ d(I, J, C) <=> A + B < C | D is A + B, d(I, J, D).",
        &[
            "d(0,1,4), d(1,2,5), d(0,2,50)",
            "d(2,3,1), d(0,3,100), d(1,3,70)",
            "d(0,1,1)",
            "d(3,0,2), d(2,0,9)",
        ],
    ),
    // A history of what fired.
    (
        ":- chr_constraint a(+int), b(+int), c(+int, +int).
         a(X), a(Y) # passive, b(Z) ==> X < Y, Z > 0 | c(X, Y).
         c(X, Y) \\ c(X, Y) <=> true.",
        &["a(1), b(1)", "a(2)", "a(0), a(3)", "b(0), b(2)"],
    ),
    // Columns whose values become more general.
    (
        ":- chr_constraint p/1, q/1, r/2.
         q(X) \\ q(X) <=> true.
         p(X) ==> q(f(X, 'an atom')), q(X).
         p(X), p(Y) ==> X @< Y | r(X, Y).",
        &["p(1), p(2)", "p(a)", "p(\"s\"), p(1.5)", "p([1, a]), p(100000000000000000)", "p(2), p(1)"],
    ),
    // Removal of what is older.
    (
        ":- chr_constraint account(+int, +int), pay(+int, +int), log/1.
         account(N, B), pay(N, A) <=> C is B + A, account(N, C), log(paid(N, A)).",
        &["account(1, 10), pay(2, 1)", "pay(1, 5), account(2, 0)", "pay(1, 1), pay(2, 2)"],
    ),
];

fn options(semantics: Semantics, firing: Firing) -> CompileOptions {
    CompileOptions { semantics: Some(semantics), firing, ..CompileOptions::default() }
}

/// Each way with and without derivations.
fn ways() -> Vec<CompileOptions> {
    let plain = [
        options(Semantics::Refined, Firing::Indexed),
        options(Semantics::Rounds, Firing::Indexed),
        options(Semantics::Rounds, Firing::General),
        options(Semantics::Rounds, Firing::Exhaustive),
    ];
    let derived = plain.map(|options| CompileOptions { derivations: true, ..options });
    plain.into_iter().chain(derived).collect()
}

fn open(text: &str, options: &CompileOptions) -> Session {
    Input::constraints(text).open(options).expect("a program")
}

fn store(session: &mut Session) -> String {
    let mut text = Vec::new();
    session.write_store(&Selection::all(), Format::Text, &mut text).expect("a text");
    let text = String::from_utf8(text).expect("UTF-8");
    if session.is_ground() {
        check_derivations(session, &text);
    }
    text
}

fn why(session: &mut Session, of: &str) -> Result<String, String> {
    let options = WhyOptions { depth: 30, limit: 1000 };
    let explanation =
        session.why(of, &options, &mut Control::default()).map_err(|found| found.diagnostics.to_string())?;
    let mut text = Vec::new();
    explanation.write_text(&mut text).expect("a text");
    Ok(String::from_utf8(text).expect("UTF-8"))
}

/// Each constraint in the store has a derivation, and those of a symbol that have one are those in the store.
fn check_derivations(session: &mut Session, store: &str) {
    for line in store.lines() {
        match why(session, line) {
            Ok(text) => {
                assert!(text.starts_with(line) && !text.contains("is not in the store"), "{line}: {text}")
            }
            Err(found) => assert!(found.contains("U0143"), "{found}"),
        }
    }
    for (name, arity) in session.constraints() {
        let stored = session.count(&name, arity).expect("declared");
        match why(session, &format!("{name}/{arity}")) {
            Ok(text) if stored == 0 => assert!(text.contains("is not in the store"), "{text}"),
            Ok(text) => {
                let trees = text.split("\n\n").filter(|part| !part.starts_with("note: "));
                assert_eq!(trees.count(), stored, "{text}");
            }
            Err(found) => {
                assert!(found.contains("U0143") || (stored == 0 && found.contains("U0141")), "{found}");
            }
        }
    }
}

/// What a run of all goals, each a query of its own, gives.
fn run_at_once(text: &str, goals: &[&str], options: &CompileOptions) -> String {
    let input = goals.iter().fold(Input::constraints(text), |input, goal| input.query(*goal));
    let program = input.parse().expect("a program");
    let executable = program.compile(options).expect("a plan");
    executable.run(&mut Control::default()).expect("a store").to_string()
}

fn add_and_run(session: &mut Session, goals: &[&str]) {
    goals.iter().for_each(|goal| session.add_goals(goal).expect("a goal"));
    session.run(&mut Control::default()).map_err(|stopped| stopped.diagnostics).expect("a store");
}

/// Any split of the same goals into runs gives the store of one run.
#[test]
fn splits_give_the_same_store() {
    for (text, goals) in PROGRAMS {
        for options in ways() {
            let expected = run_at_once(text, goals, &options);
            for split in 0..1_u32 << (goals.len() - 1) {
                let mut session = open(text, &options);
                let mut from = 0;
                for at in 1..=goals.len() {
                    if at == goals.len() || split >> (at - 1) & 1 == 1 {
                        add_and_run(&mut session, &goals[from..at]);
                        from = at;
                    }
                }
                assert_eq!(store(&mut session), expected, "{text}\n{options:?}, split {split:b}");
            }
        }
    }
}

/// A run that stops in the middle, for whatever reason, leaves the store as it was, and later runs are as if it had
/// not been.
#[test]
fn a_saved_store_goes_on_as_if_it_had_stayed() {
    for (text, goals) in PROGRAMS {
        for options in ways().iter().filter(|options| !options.derivations) {
            for at in 0..=goals.len() {
                let mut first = open(text, options);
                add_and_run(&mut first, &goals[..at]);
                let bytes = first.save().expect("bytes");
                let mut second = open(text, options);
                add_and_run(&mut second, &goals[..at / 2]);
                second.restore("a file", &bytes).expect("a store");
                assert_eq!(store(&mut second), store(&mut first), "{at} {options:?}\n{text}");
                assert!(!second.undo().expect("nothing"), "what was restored is taken back");
                // Saved and restored again, without a run between.
                let again = second.save().expect("bytes");
                second.restore("a file", &again).expect("a store");
                for session in [&mut first, &mut second] {
                    add_and_run(session, &goals[at..]);
                }
                assert_eq!(store(&mut second), store(&mut first), "{at} {options:?}\n{text}");
                assert_eq!(
                    second.save().expect("bytes"),
                    first.save().expect("bytes"),
                    "{at} {options:?}\n{text}"
                );
            }
        }
    }
}

#[test]
fn damaged_and_foreign_stores_are_refused() {
    let (text, goals) = PROGRAMS[6];
    let options = options(Semantics::Refined, Firing::Indexed);
    let mut session = open(text, &options);
    add_and_run(&mut session, goals);
    let (bytes, before) = (session.save().expect("bytes"), store(&mut session));
    let refused = |session: &mut Session, bytes: &[u8], code: &str| {
        let found = session.restore("a file", bytes).expect_err("no store");
        assert_eq!(found.list()[0].code, code, "{found}");
    };
    for end in 0..bytes.len() {
        refused(&mut session, &bytes[..end], "U0145");
    }
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1 << (at % 8);
        refused(&mut session, &other, "U0145");
    }
    assert_eq!(store(&mut session), before);
    refused(&mut open(&format!("{text} p(1) ==> true."), &options), &bytes, "U0144");
    refused(&mut open(text, &CompileOptions { derivations: true, ..options }), &bytes, "U0144");
    refused(&mut Input::constraints(text).open_for_logic(&options).expect("a program"), &bytes, "U0144");
    session.add_goals("p(1)").expect("goals");
    assert_eq!(session.save().expect_err("goals wait").list()[0].code, "U0144");
    let mut terms =
        Input::terms("sort N = struct Z; input Z;").open(&CompileOptions::default()).expect("a program");
    assert_eq!(terms.save().expect_err("no store").list()[0].code, "U0144");
}

/// Files that somebody has made so that their checksum holds.
#[test]
fn changed_stores_are_refused_or_restored() {
    use sha2::{Digest, Sha256};
    let (text, goals) = PROGRAMS[6];
    let options = options(Semantics::Refined, Firing::Indexed);
    let mut session = open(text, &options);
    add_and_run(&mut session, goals);
    let bytes = session.save().expect("bytes");
    let head = "gchr session 1\n".len() + 32;
    let mut random = gchr_testkit::random::Random::new(3);
    let mut restored = 0;
    for _ in 0..3_000 {
        let mut other = bytes.clone();
        for _ in 0..1 + random.below(3) {
            // Behind the hash of the program.
            let at = head + 32 + random.below(other.len() - head - 32);
            other[at] = random.word() as u8;
        }
        let hash = Sha256::digest(&other[head..]);
        other[head - 32..head].copy_from_slice(&hash);
        let mut session = open(text, &options);
        if session.restore("a file", &other).is_ok() {
            restored += 1;
            store(&mut session);
            session.save().expect("bytes");
        }
    }
    assert!(restored > 100, "{restored}");
}

#[test]
fn a_run_that_stops_leaves_nothing() {
    for (text, goals) in PROGRAMS {
        for options in ways() {
            for before in 0..goals.len() {
                let mut session = open(text, &options);
                goals[..before].iter().for_each(|goal| add_and_run(&mut session, &[goal]));
                let expected = store(&mut session);
                let stops = |session: &mut Session, control: &mut Control<'_>, always: bool| {
                    match session.run(control) {
                        // What classes of rules do when constraints are stored counts, and stops nothing.
                        Ok(_) => assert!(!always && session.undo().expect("a store")),
                        Err(stopped) => assert!(stopped.error.is_some(), "{}", stopped.diagnostics),
                    }
                    assert_eq!(store(session), expected, "{text}\n{options:?} after {before}");
                };
                // All goals that are to come, then one that fails.
                goals[before..].iter().for_each(|goal| session.add_goals(goal).expect("a goal"));
                session.add_goals("fail").expect("a goal");
                stops(&mut session, &mut Control::default(), true);
                for steps in 0..3 {
                    goals.iter().for_each(|goal| session.add_goals(goal).expect("a goal"));
                    let limits = Limits { max_steps: Some(steps), ..Limits::default() };
                    stops(&mut session, &mut Control::new(limits), false);
                }
                let interrupted = AtomicBool::new(true);
                session.add_goals(goals[0]).expect("a goal");
                // Short runs end before they look at the flag.
                if session.run(&mut Control::default().interrupt(&interrupted)).is_ok() {
                    assert!(session.undo().expect("a store"));
                }
                assert_eq!(store(&mut session), expected);
                goals[before..].iter().for_each(|goal| add_and_run(&mut session, &[goal]));
                assert_eq!(store(&mut session), run_at_once(text, goals, &options), "{text}\n{options:?}");
            }
        }
    }
}

/// Each run can be taken back, the last one first, and done again.
#[test]
fn runs_are_taken_back() {
    for (text, goals) in PROGRAMS {
        for options in ways() {
            let mut session = open(text, &options);
            let mut stores = vec![store(&mut session)];
            for goal in *goals {
                add_and_run(&mut session, &[goal]);
                stores.push(store(&mut session));
            }
            for round in 0..2 {
                for at in (round..goals.len()).rev() {
                    assert!(session.undo().expect("a store"));
                    assert_eq!(store(&mut session), stores[at], "{text}\n{options:?}");
                }
                for at in round..goals.len() {
                    add_and_run(&mut session, &[goals[at]]);
                    assert_eq!(store(&mut session), stores[at + 1], "{text}\n{options:?}");
                }
            }
        }
    }
}

/// A trace shows partners, for which tables keep more than without one.
#[test]
fn a_run_is_traced_or_not() {
    let (text, goals) = PROGRAMS[0];
    for options in ways() {
        let mut session = open(text, &options);
        let mut lines = 0;
        for (at, goal) in goals.iter().enumerate() {
            session.add_goals(goal).expect("a goal");
            let control = Control::default();
            let mut control = if at % 2 == 0 { control.trace(|_| lines += 1) } else { control };
            session.run(&mut control).map_err(|stopped| stopped.diagnostics).expect("a store");
        }
        assert!(lines > 0);
        assert_eq!(store(&mut session), run_at_once(text, goals, &options));
    }
}

/// Mistakes are told when goals are added, and change nothing.
#[test]
fn wrong_goals_are_refused() {
    let (text, goals) = PROGRAMS[0];
    let mut session = open(text, &CompileOptions::default());
    add_and_run(&mut session, &goals[..1]);
    let expected = store(&mut session);
    for (goal, code) in [
        ("edgee(1,2)", "C0302"),
        ("edge(1,", "C0103"),
        ("edge(a, 1)", "C04"),
        ("", "C0109"),
        ("X = f(Y)", "C04"),
    ] {
        let found = session.add_goals(goal).expect_err("it is wrong");
        let codes: Vec<_> = found.list().iter().map(|d| d.code).collect();
        assert!(codes.iter().any(|c| c.starts_with(&code[..3])), "{goal}: {codes:?}");
        assert!(!session.is_pending());
    }
    session.add_goals("edge(7, 8)").expect("a goal");
    assert!(session.is_pending());
    session.drop_pending();
    session.run(&mut Control::default()).map_err(|stopped| stopped.diagnostics).expect("nothing to do");
    assert_eq!(store(&mut session), expected);
    assert!(session.add_facts("edge", "no/such/file.csv".as_ref(), crate::Header::Auto).is_err());
    assert!(session.evaluate("F(1)", &mut Control::default()).is_err());
}

/// Facts come before the goals that wait with them, as in a run.
#[test]
fn facts_of_files_are_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("edges.csv");
    std::fs::write(&file, "2,3\n3,4\n").expect("a file");
    let (text, _) = PROGRAMS[0];
    for options in ways() {
        let input = Input::constraints(text).facts("edge", &file).query("edge(1,2)").query("edge(4,1)");
        let expected = input.parse().expect("a program");
        let expected =
            expected.compile(&options).expect("a plan").run(&mut Control::default()).expect("a store");
        let mut session = Input::constraints(text).facts("edge", &file).open(&options).expect("a program");
        session.add_goals("edge(1,2)").expect("a goal");
        add_and_run(&mut session, &[]);
        add_and_run(&mut session, &["edge(4,1)"]);
        assert_eq!(store(&mut session), expected.to_string());
        assert_eq!(session.count("edge", 2), Some(4));
        assert_eq!(session.count("edge", 3), None);
    }
}

const LEQ: &str = ":- chr_constraint leq(?any, ?any).
reflexivity  @ leq(X, X) <=> true.
antisymmetry @ leq(X, Y), leq(Y, X) <=> X = Y.
idempotence  @ leq(X, Y) \\ leq(X, Y) <=> true.
transitivity @ leq(X, Y), leq(Y, Z) ==> leq(X, Z).
loop(N) :- M is N + 1, loop(M).
";

/// The store of the logic machine stays, too, with its variables.
#[test]
fn stores_of_the_logic_machine_stay() {
    let open = || Input::constraints(LEQ).open_for_logic(&CompileOptions::default()).expect("a program");
    let mut session = open();
    assert!(session.is_logic());
    add_and_run(&mut session, &["leq(a, b)"]);
    add_and_run(&mut session, &["leq(b, X), leq(X, c)"]);
    let expected = store(&mut session);
    assert!(expected.contains("leq(a,c)") || expected.contains("leq(a, c)"), "{expected}");
    let count = session.count("leq", 2);
    for wrong in ["leq(c, d), fail", "leq(c, d), X is foo + 1", "leq(c, d), loop(0)", "leq(c, d), throw(no)"]
    {
        session.add_goals("leq(x, y)").expect("a goal");
        session.add_goals(wrong).expect("a goal");
        let limits = Limits { max_steps: Some(100_000), ..Limits::default() };
        let stopped = session.run(&mut Control::new(limits)).expect_err("it stops");
        assert!(stopped.error.is_some(), "{wrong}");
        assert_eq!(store(&mut session), expected, "{wrong}");
    }
    add_and_run(&mut session, &["leq(c, d)"]);
    assert!(session.count("leq", 2) > count);
    let mut other = open();
    add_and_run(&mut other, &["leq(a, b)", "leq(b, X), leq(X, c)", "leq(c, d)"]);
    assert_eq!(store(&mut session), store(&mut other));
}

/// The last run that changed the store of the logic machine can be taken back, and done again, whatever stopped since.
#[test]
fn runs_of_the_logic_machine_are_taken_back() {
    let open = || Input::constraints(LEQ).open_for_logic(&CompileOptions::default()).expect("a program");
    let goals = [
        "leq(a, b)",
        "leq(b, X), leq(X, c)",
        "leq(c, Y), (true ; leq(Y, Y))",
        "member(Z, [1, 2])",
        "leq(c, d)",
    ];
    let mut session = open();
    assert!(!session.undo().expect("a store"));
    for goal in goals {
        let before = store(&mut session);
        add_and_run(&mut session, &[goal]);
        let after = store(&mut session);
        for stopped in [false, true] {
            if stopped {
                session.add_goals("leq(p, q), fail").expect("a goal");
                session.run(&mut Control::default()).expect_err("it fails");
                assert_eq!(store(&mut session), after, "{goal}");
            }
            assert!(session.undo().expect("a store"), "{goal}");
            assert_eq!(store(&mut session), before, "{goal}");
            assert!(!session.undo().expect("a store"), "{goal}");
            add_and_run(&mut session, &[goal]);
            assert_eq!(store(&mut session), after, "{goal}");
        }
    }
    // Many runs leave no more than the last one to take back, and what is collected is not what it needs.
    let mut session = open();
    for n in 0..50 {
        add_and_run(&mut session, &[&format!("numlist(1, 20000, L), length(L, N), leq(s({n}), N)")]);
    }
    assert_eq!(session.count("leq", 2), Some(50));
    assert!(session.undo().expect("a store"));
    assert_eq!(session.count("leq", 2), Some(49));
    assert!(!store(&mut session).contains("s(49)"));
}

/// Whoever wants to stop is heard while facts are read, while a store becomes a file or is made of one, and while the
/// store of a logic program is read; all is as it was then.
#[test]
fn a_watch_stops_what_is_read_and_kept() {
    use std::sync::Arc;
    let folder = tempfile::tempdir().expect("a folder");
    let rows = |row: fn(usize) -> String| (0..20_000).map(row).collect::<String>();
    let files =
        [("rows.csv", rows(|i| format!("{i},{i}\n"))), ("rows.jsonl", rows(|i| format!("[{i},{i}]\n")))];
    let files = files.map(|(name, text)| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        file
    });
    let mut stopped = Watch::new();
    stopped.also_stop(Arc::new(AtomicBool::new(true)));
    for logic in [false, true] {
        let input = Input::constraints(":- chr_constraint edge(+int, +int).");
        let open = |input: Input| match logic {
            true => input.open_for_logic(&CompileOptions::default()),
            false => input.open(&CompileOptions::default()),
        };
        let mut session = open(input.clone()).expect("a program");
        add_and_run(&mut session, &["edge(1, 2)"]);
        let (before, saved) = (store(&mut session), session.save());
        session.set_watch(stopped.clone());
        for file in &files {
            let found =
                session.add_facts("edge", file, gchr_chr::Header::No).expect_err("somebody stopped it");
            assert!(found.render(false).contains("[R0205]"), "{found}");
            let opened = open(input.clone().facts("edge", file).watched(stopped.clone()));
            assert!(opened.expect_err("somebody stopped it").render(false).contains("[R0205]"));
        }
        if let Ok(saved) = saved {
            for found in
                [session.save().expect_err("stopped"), session.restore("it", &saved).expect_err("stopped")]
            {
                assert!(found.render(false).contains("[R0205]"), "{found}");
            }
        }
        assert!(!session.is_pending());
        session.set_watch(Watch::new());
        assert_eq!(store(&mut session), before);
        session.add_facts("edge", &files[0], gchr_chr::Header::No).expect("rows");
        session.run(&mut Control::default()).expect("a run");
        assert_eq!(session.count("edge", 2), Some(20_001));
        let before = store(&mut session);
        session.set_watch(stopped.clone());
        let read = session.write_store(&Selection::all(), Format::Text, &mut Vec::new());
        // Stores of the logic machine are terms, of which texts are made first; others are written as they are.
        assert_eq!(read.is_err_and(|error| error.to_string().contains("interrupted")), logic);
        assert_eq!(session.term_columns("edge", 2).is_err(), logic);
        assert_eq!(session.with_table("edge", 2, |table| table.rows).is_err(), logic);
        session.set_watch(Watch::new());
        assert_eq!(store(&mut session), before);
    }
}

/// Columns of any type are terms, in the order of the table that has texts for them.
#[cfg(feature = "tables")]
#[test]
fn columns_of_any_type_are_terms() {
    use gchr_base::logic::LogicNode;
    let program = ":- chr_constraint row(+int, ?any), none.";
    for logic in [false, true] {
        let input = Input::constraints(program);
        let options = CompileOptions::default();
        let mut session =
            if logic { input.open_for_logic(&options) } else { input.open(&options) }.expect("a program");
        let before = session.term_columns("row", 2).expect("a store").expect("it is declared");
        assert!(before.columns.iter().flatten().all(Vec::is_empty));
        assert!(session.term_columns("row", 3).expect("a store").is_none());
        let goals = "row(1, 7), row(2, \"7\"), row(3, a), row(4, f(a, [1.5])), row(5, []), row(6, 0.5), none";
        add_and_run(&mut session, &[goals]);
        let made = session.term_columns("row", 2).expect("a store").expect("it is declared");
        assert_eq!(made.columns[0].is_some(), logic);
        let terms = made.columns[1].as_ref().expect("terms");
        let mut shown: Vec<String> = terms
            .iter()
            .map(|&id| match made.terms.node(id) {
                LogicNode::Compound { name, args } => format!("{name}/{}", args.len()),
                node => format!("{node:?}"),
            })
            .collect();
        shown.sort();
        assert_eq!(shown, ["Atom(\"a\")", "Float(0.5)", "Int(7)", "Nil", "Str(\"7\")", "f/2"], "{logic}");
    }
}

/// Goals with variables make a program one for the logic machine as long as nothing has run.
#[test]
fn a_ground_store_stays_ground() {
    let text = ":- chr_constraint p(?any).\np(X) \\ p(X) <=> true.\n";
    let mut session = open(text, &CompileOptions::default());
    session.add_goals("p(X), X = 1").expect("a goal");
    session.run(&mut Control::default()).map_err(|stopped| stopped.diagnostics).expect("an answer");
    assert!(session.is_logic());
    assert_eq!(store(&mut session), "p(1)\n");
    let mut session = open(text, &CompileOptions::default());
    add_and_run(&mut session, &["p(1)"]);
    let found = session.add_goals("p(X), X = 1").expect_err("the store is ground");
    assert!(found.to_string().contains("begin anew"), "{found}");
    assert_eq!(store(&mut session), "p(1)\n");
}

/// Terms one after the other, with mistakes and limits between them.
#[test]
fn terms_are_evaluated_one_after_the_other() {
    let text = "map Fib: Int -> Int;
        var n: Int;
        eqn n < 2 -> Fib(n) = n;
            Fib(n) = Fib(n - 1) + Fib(n - 2);
        input Fib(10);";
    let mut session = Input::terms(text).open(&CompileOptions::default()).expect("a program");
    let mut evaluate = |term: &str, limits: Limits| {
        let reply = session.evaluate(term, &mut Control::new(limits))?;
        let mut text = Vec::new();
        reply.write(&mut text).expect("a text");
        Ok::<_, Box<crate::Failure>>(String::from_utf8(text).expect("UTF-8"))
    };
    let free = Limits::default();
    assert_eq!(evaluate("Fib(20)", free).expect("a number"), "6765\n");
    assert!(evaluate("Fib(", free).is_err_and(|failure| failure.error.is_none()));
    let few = Limits { max_steps: Some(10), ..free };
    let failure = evaluate("Fib(30)", few).expect_err("a limit");
    assert!(failure.error.is_some());
    let found = &failure.diagnostics.list()[0];
    assert!(found.help.as_ref().is_some_and(|help| help.contains("`Limits::max_steps`")), "{found:?}");
    let told = failure.diagnostics.in_words(|limit| match limit {
        Limit::Steps => "a larger number",
        _ => "another limit",
    });
    assert_eq!(told.list()[0].help.as_deref(), Some("a larger number"));
    assert_eq!(evaluate("Fib(25) + 1", free).expect("a number"), "75026\n");
    assert!(session.add_goals("a").is_err());
    assert!(session.store().expect("it is here").is_none());
}

/// What cannot be a session is told when it is opened.
#[test]
fn broken_programs_are_refused() {
    let rounds = options(Semantics::Rounds, Firing::Indexed);
    assert!(Input::constraints(LEQ).open_for_logic(&rounds).is_err());
    assert!(Input::file("no/such/file.chr").open(&rounds).is_err());
}

/// Tables in memory are added as facts, and stores are lent as tables: of ground stores and of the logic machine.
#[cfg(feature = "tables")]
#[test]
fn tables_come_in_and_go_out() {
    use gchr_tables::{Source, record_batches};
    let rows = |session: &mut Session, name: &str, arity: usize| {
        let table = session.with_table(name, arity, |table| record_batches(table).expect("batches"));
        let table = table.expect("it is here");
        table.map(|(schema, batches)| (batches.iter().map(|b| b.num_rows()).sum::<usize>(), schema, batches))
    };
    let program = ":- chr_constraint edge(+int, +float, ?any), path(+int, +atom), free(?).\n\
                   edge(X, _, Y) ==> path(X, Y).";
    let open = |text: &str| Input::constraints(text).open(&CompileOptions::default()).expect("a session");
    let mut first = open(program);
    first.add_goals("edge(1, 0.5, a), edge(2, 1.5, b)").expect("goals");
    first.run(&mut Control::default()).expect("a run");
    let (count, schema, batches) = rows(&mut first, "edge", 3).expect("it is declared");
    assert_eq!((count, schema.fields().len()), (2, 3));
    assert!(rows(&mut first, "edge", 2).is_none());
    assert_eq!(rows(&mut first, "free", 1).expect("it is declared").0, 0);

    for logic in [false, true] {
        let input = Input::constraints(program);
        let options = CompileOptions::default();
        let mut second =
            if logic { input.open_for_logic(&options) } else { input.open(&options) }.expect("a session");
        let source = || Source::memory(&schema, batches.clone());
        second.add_table("edge", "table", source()).expect("it fits");
        second.run(&mut Control::default()).expect("a run");
        assert_eq!(second.count("path", 2), Some(2), "{logic}");
        assert_eq!(rows(&mut second, "path", 2).expect("it is declared").0, 2);
        let refused = second.add_table("path", "the table", source()).expect_err("three columns, not two");
        assert!(refused.render(false).contains("[C0604]"), "{refused}");
        let unknown = second.add_table("edges", "the table", source()).expect_err("not declared");
        assert!(unknown.render(false).contains("did you mean edge?"), "{unknown}");
    }
}
