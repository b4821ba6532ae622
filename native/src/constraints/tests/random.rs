//! Random programs over the whole language.

use gchr_testkit::generate::constraints::program as random;

use super::*;

/// Stores, firings, output and errors of random programs.
#[test]
fn random_programs_agree() {
    let (mut ran, mut stopped) = (0, 0);
    for seed in 0..150u64 {
        let case = random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let Some(program) = load(&case.text, None) else { continue };
        let limits = Limits { max_steps: Some(300), memory: Some(64 << 20), ..Limits::default() };
        let came = agree(&program, limits, &format!("seed {seed}\n{}", case.text));
        ran += 1;
        stopped += usize::from(came.error.is_some());
    }
    assert!(ran > 50 && stopped > 8, "{ran} programs ran, {stopped} were stopped");
}

/// What is left of random programs at each step limit.
#[test]
fn random_programs_agree_at_each_step() {
    for seed in 0..16u64 {
        let case = random(seed.wrapping_mul(0xd134_2543_de82_ef95));
        let Some(program) = load(&case.text, None) else { continue };
        for max in 0..8 {
            let limits = Limits { max_steps: Some(max), memory: Some(64 << 20), ..Limits::default() };
            agree(&program, limits, &format!("seed {seed} --max-steps {max}\n{}", case.text));
        }
    }
}
