//! Random systems.

use gchr_testkit::systems::Generator;

use super::*;

/// Normal forms, counts and errors of random programs, and what is left of them at each step limit.
#[test]
fn random_systems_agree() {
    let mut stopped = 0;
    let seeds = std::env::var("GCHR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60u64);
    for seed in 1..seeds {
        let text = Generator::program(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let program = program(&text);
        let Start::Term(Some(_)) = &program.start else { continue };
        let limits = Limits { max_steps: Some(20_000), ..Limits::default() };
        let expected = interpreted(&program, limits);
        stopped += usize::from(expected.value.is_err());
        let terms = terms(&program);
        for stress in [false, true] {
            let found = native(&program, &terms, limits, stress);
            assert_eq!(found, expected, "seed {seed} stress {stress}\n{text}");
        }
        workers::agree(&program, &expected, limits, &text);
    }
    assert!(stopped > 5, "{stopped} of the programs end in an error");
}
