//! Random well-sorted systems, terminating by construction, on random terms: machine and naive rewriter agree, whatever
//! the options, whenever the collector runs.

use proptest::prelude::*;

use super::reference::{GiveUp, Rewriter};
use super::*;
use crate::plan::TermPlan;
use crate::testing::counted;
use gchr_base::op::ArithmeticError;
use gchr_base::rule::Program;
use gchr_base::signature::SortId;
use gchr_testkit::systems::Generator;

const ALL: TermOptions = TermOptions {
    inline: true,
    contexts: true,
    simplify: true,
    trace: false,
    split: false,
    bases: false,
    counts: false,
    only_start: false,
};

pub(super) fn option_sets() -> Vec<TermOptions> {
    vec![
        ALL,
        TermOptions { inline: false, ..ALL },
        TermOptions { contexts: false, ..ALL },
        TermOptions { simplify: false, ..ALL },
        TermOptions { only_start: true, ..ALL },
        TermOptions { inline: false, contexts: false, simplify: false, ..ALL },
        TermOptions::tasks(false),
        TermOptions::tasks(true),
        TermOptions::tasks(true).short(),
        TermOptions::traced(),
    ]
}

/// Cells that a normal form reaches, counted without the collector.
fn reachable(nf: &NormalForm) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let mut todo: Vec<(SortId, u64)> = vec![(nf.sort, nf.value)];
    while let Some((sort, value)) = todo.pop() {
        if nf.layout.sorts[sort].is_wide() {
            continue;
        }
        let Some((variant, cell)) = super::text::cell(&nf.layout, nf.held.cells(), sort, value as u32) else {
            continue;
        };
        if seen.insert((variant.class, value >> nf.layout.sorts[sort].tag_bits)) {
            for f in &variant.fields {
                todo.push((f.sort, super::text::field_bits(cell, f.offset, f.wide)));
            }
        }
    }
    seen.len() as u64
}

/// An operator without a result.
fn wrong(error: ArithmeticError) -> String {
    match error {
        ArithmeticError::TooLarge => "TooLarge".into(),
        ArithmeticError::Type => "Type".into(),
        other => format!("Number({other:?})"),
    }
}

/// Normal form and rewrites, or why there is none.
fn found(program: &Program, plan: &TermPlan, stress: bool) -> Result<(String, u64), String> {
    let Start::Term(Some(input)) = &program.start else { return Err("no input".into()) };
    let mut control = Control::default();
    match run_with(program, plan, input, &mut control, stress) {
        Ok(out) => {
            let live = reachable(&out.normal_form);
            if out.stats.live_cells != Some(live) {
                return Err(format!("{:?} live cells, {live} reachable", out.stats.live_cells));
            }
            Ok((expand_powers(&out.normal_form.to_text()), out.stats.rewrites.unwrap_or(0)))
        }
        Err(stopped) => Err(match stopped.error.reason {
            StopReason::NoRule { .. } => "NoRule".into(),
            StopReason::Arithmetic { error, .. } => wrong(error),
            other => format!("{other:?}"),
        }),
    }
}

/// Normal form and rewrites by reference counts, which must balance.
fn counted(
    program: &Program,
    input: &gchr_base::rule::GroundTerm,
) -> Result<Result<(String, u64), String>, TestCaseError> {
    let plan =
        compile(program, &TermOptions::tasks(true)).map_err(|e| TestCaseError::fail(format!("{e:?}")))?;
    match counted::run(program, &plan, input, u64::MAX) {
        Ok(out) => Ok(Ok((expand_powers(&out.text), out.rewrites))),
        Err(counted::CountedStop::NoRule) => Ok(Err("NoRule".into())),
        Err(counted::CountedStop::Arithmetic(error)) => Ok(Err(wrong(error))),
        Err(other) => Err(TestCaseError::fail(format!("{other:?}\n{plan}"))),
    }
}

/// Whether the case has an answer; an error when somebody has another one.
fn agree(seed: u64) -> Result<bool, TestCaseError> {
    agree_on(&Generator::program(seed), &format!("seed {seed}"))
}

/// The same for a program.
pub(super) fn agree_on(text: &str, name: &str) -> Result<bool, TestCaseError> {
    let program = program(text);
    let Start::Term(Some(input)) = &program.start else { return Ok(false) };
    let mut reference = Rewriter::new(&program, 20_000);
    let expected = match reference.ground(input) {
        Ok(value) => Ok((reference.show(&value), reference.rewrites)),
        Err(GiveUp::Limit) => return Ok(false),
        Err(why) => Err(format!("{why:?}")),
    };
    for options in option_sets() {
        let plan = compile(&program, &options).map_err(|e| TestCaseError::fail(format!("{text}\n{e:?}")))?;
        for stress in [false, true] {
            let mut found = found(&program, &plan, stress);
            // Calls that do not need each other come in another order: of several errors another one is the first.
            if options.split && expected.is_err() && found.is_err() {
                found.clone_from(&expected);
            }
            prop_assert_eq!(
                &found,
                &expected,
                "{} stress {} {:?}\n{}\n{}",
                name,
                stress,
                options,
                text,
                plan
            );
        }
    }
    let mut found = counted(&program, input)?;
    if expected.is_err() && found.is_err() {
        found.clone_from(&expected);
    }
    prop_assert_eq!(&found, &expected, "{} counted\n{}", name, text);
    Ok(expected.is_ok())
}

/// `S^4(x)` written out.
fn expand_powers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    // Closing brackets of powers: at which depth, and how many more.
    let (mut depth, mut extra) = (0usize, Vec::new());
    while let Some(c) = rest.chars().next() {
        if let Some(power) = rest.strip_prefix('^') {
            let (count, after) = power.split_once('(').unwrap_or(("0", ""));
            let count: usize = count.parse().unwrap_or(0);
            let name = out.split_off(out.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1));
            out.push_str(&format!("{name}(").repeat(count));
            depth += 1;
            extra.push((depth, count - 1));
            rest = after;
            continue;
        }
        out.push(c);
        if c == '(' {
            depth += 1;
        } else if c == ')' {
            if let Some(&(d, n)) = extra.last()
                && d == depth
            {
                out.push_str(&")".repeat(n));
                extra.pop();
            }
            depth -= 1;
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn machine_and_reference_agree(seed in any::<u64>()) {
        agree(seed)?;
    }
}

/// A body with a region that only looks at its parameters, copied into a base case.
#[test]
fn regions_of_base_cases_borrow_what_those_of_bodies_do() {
    let text = "sort N = struct Z | S(N); L = struct E | C(N, L) | I(Int, L);
        map F: L # Int # N # N -> Int; G: L # Int -> Int; Make: Int # N -> L;
        var n, m: N; l: L; i, j: Int;
        eqn true != true -> F(C(n, l), 3, m, n) = F(l, 4, S(S(m)), n);
        F(l, i, n, m) = 3;
        G(I(i, l), 0) = F(l, G(l, F(l, i, Z, Z)), S^4(S(Z)), S(Z));
        G(l, i) = 3;
        Make(0, n) = E;
        Make(i, n) = I(i mod 4, C(n, I(0, Make(i - 1, S(n)))));
        input G(I(3, Make(6, Z)), 0);";
    let found = agree_on(text, "regions of base cases");
    assert!(found.unwrap_or_else(|e| panic!("{e}")));
}

#[test]
fn most_cases_have_answers() {
    let mut kinds = [0usize; 5];
    let mut rewrites = 0;
    for seed in 1..500u64 {
        let program = program(&Generator::program(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let Start::Term(Some(input)) = &program.start else { continue };
        let mut reference = Rewriter::new(&program, 20_000);
        match reference.ground(input) {
            Ok(_) => {
                kinds[0] += 1;
                rewrites += reference.rewrites;
            }
            Err(GiveUp::Limit) => kinds[1] += 1,
            Err(GiveUp::Type) => kinds[2] += 1,
            Err(GiveUp::NoRule) => kinds[3] += 1,
            Err(GiveUp::Number(_)) => kinds[4] += 1,
        }
    }
    assert!(kinds[0] > 250 && kinds[2..].iter().all(|&n| n > 5), "{kinds:?}");
    assert!(rewrites > 8 * kinds[0] as u64, "{kinds:?}, {rewrites} rewrites");
}

/// `SEED=... COUNT=... cargo test --release -p gchr-terms many_seeds -- --ignored --nocapture`.
#[test]
#[ignore = "a longer search"]
fn many_seeds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let (seed, count): (u64, u64) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(1));
    for i in 0..count {
        let seed = seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        agree(seed).unwrap_or_else(|e| panic!("{e}"));
    }
}
