//! Random systems: the generator of the interpreter's own tests.

use gchr_testkit::systems;

use super::*;

fn random(seeds: impl Iterator<Item = u64>, gc: Gc) {
    let (mut answered, mut promotions, mut total) = (0, 0, 0);
    for (n, seed) in seeds.enumerate() {
        total += 1;
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let text = systems::Generator::program(seed);
        let case = Case::with("random.trs", &text, gc);
        let plan = plan::compile(&case.program, &TermOptions::default()).expect("compiles");
        let limits = Limits { max_steps: Some(5_000), ..Limits::default() };
        let reference = gchr_terms::exec::run(&case.program, &plan, &case.input, &mut Control::new(limits));
        let (way, tuning, options) = ways()[n % 6];
        let options = Options { spare: Some(64), ..options };
        let kernels = case.kernels(tuning);
        let label = format!("seed {seed}, {way}\n{text}");
        match reference {
            Ok(outcome) => {
                let stats = outcome.stats;
                let expected = (
                    outcome.normal_form.to_text(),
                    stats.rewrites.unwrap_or(0),
                    stats.live_cells.unwrap_or(0),
                );
                promotions += case.check(&label, &expected, &kernels, options, seed).report.promotions;
                answered += 1;
            }
            Err(stopped) if matches!(stopped.error.reason, StopReason::Steps { .. }) => {}
            Err(stopped) => {
                let found = case.on(&mut simulator(&kernels, seed), &kernels, options);
                match found {
                    Err(Failure::Stopped(found)) => assert_eq!(
                        std::mem::discriminant(&found.error.reason),
                        std::mem::discriminant(&stopped.error.reason),
                        "{label}\n{:?}\n{:?}",
                        found.error,
                        stopped.error
                    ),
                    Err(Failure::Device(error)) => {
                        panic!("{label}: {}", render_all(&error.into_diagnostics(), &case.sources, false))
                    }
                    Ok(outcome) => panic!("{label}: {:?} but {:?}", outcome, stopped.error),
                }
            }
        }
    }
    assert!(answered > 0 || total < 5, "{answered} of {total} have an answer, {promotions} promotions");
}

#[test]
fn random_systems_on_the_simulator() {
    random(1..60, Gc::None);
}

#[test]
fn random_systems_with_counts_on_the_simulator() {
    random(1..60, Gc::Queue);
}

#[test]
fn random_systems_with_compaction_on_the_simulator() {
    random(1..60, Gc::Compact);
}

/// `SEED=... COUNT=... cargo test -p gchr-kernels-terms --test it tasks::random::many_seeds -- --ignored`.
#[test]
#[ignore = "a longer search"]
fn many_seeds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let (seed, count): (u64, u64) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(1));
    for gc in [Gc::None, Gc::Queue, Gc::Compact] {
        random(seed..seed + count, gc);
    }
}
