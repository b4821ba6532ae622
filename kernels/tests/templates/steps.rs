//! What the steps of the templates achieve, as functions of their input: tested on the simulator for small sizes, all of them, and for
//! some large ones; and wrong steps, which must be caught where they are wrong.

use gchr_kernels::ir::Module;
use gchr_kernels::sim::{Program, Shape};

use super::machine::Simulated;
use super::{CHECKS, Check, collect, compact, module, reduce, scan};

const SMALL: usize = 300;

fn lowered(module: &Module) -> Program {
    Program::with_steps(module).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Small sizes with blocks of one and of two warps, large ones at random.
fn steps_hold(check: usize) {
    let program = lowered(&module());
    let (check, items) = CHECKS[check];
    for count in 0..=SMALL {
        let shape = if items > 1 { Shape::new(2, 32) } else { Shape::new(2, 32 + 32 * (count as u32 % 2)) };
        check(&mut Simulated::running(program.clone(), count as u64), shape, count, count as u64 + 1);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ items as u64;
    for _ in 0..3 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let shape = Shape::new(1 + (random >> 60) as u32 % 4, 32 * (1 + (random >> 50) as u32 % 4));
        let count = SMALL + (random >> 33) as usize % 2000;
        check(&mut Simulated::running(program.clone(), random), shape, count, random);
    }
}

#[test]
fn steps_of_reduce_hold() {
    steps_hold(1);
}

#[test]
fn steps_of_scan_hold() {
    steps_hold(2);
}

#[test]
fn steps_of_compact_hold() {
    steps_hold(3);
}

#[test]
fn steps_of_collect_hold() {
    steps_hold(4);
}

/// A wrong line of a template, and the step that says so.
struct Wrong {
    check: Check,
    right: &'static str,
    wrong: &'static str,
    step: &'static str,
}

const WRONG: [Wrong; 12] = [
    Wrong {
        check: reduce,
        right: "sum = combine(sum, other);",
        wrong: "sum = combine(other, other);",
        step: "the lanes below the distance have combined those above",
    },
    Wrong {
        check: reduce,
        right: "sums[threadIdx.x >> 5u] = sum;",
        wrong: "sums[threadIdx.x >> 5u] = mine;",
        step: "each warp has left its combination",
    },
    Wrong {
        check: reduce,
        right: "sum = threadIdx.x < (blockDim.x >> 5u) ? sums[threadIdx.x] : sum_IDENTITY;",
        wrong: "sum = threadIdx.x < 1u ? sums[threadIdx.x] : sum_IDENTITY;",
        step: "thread 0 has the combination of the warps",
    },
    Wrong {
        check: reduce,
        right: "index < count; index += step) {",
        wrong: "index < count; index += step + 1ull) {",
        step: "a thread has combined the values of its turns",
    },
    Wrong {
        check: reduce,
        right: "partials[blockIdx.x] = sum;",
        wrong: "partials[blockIdx.x] = sums[1u];",
        step: "a block has left its combination",
    },
    Wrong {
        check: reduce,
        right: "all = combine(all, partials[block]);\n            simulated",
        wrong: "all = combine(all, partials[0u]);\n            simulated",
        step: "a thread has combined what its blocks have left",
    },
    Wrong {
        check: scan,
        right: "upto += lane_id() >= distance ? other : 0ull;",
        wrong: "upto += lane_id() > distance ? other : 0ull;",
        step: "a lane has the sum of twice as many lanes",
    },
    Wrong {
        check: scan,
        right: "if (lane_id() == 31u) {",
        wrong: "if (lane_id() == 30u) {",
        step: "each warp has left its sum",
    },
    Wrong {
        check: scan,
        right: "lower += nth < warp ? sums[nth] : 0ull;",
        wrong: "lower += nth <= warp ? sums[nth] : 0ull;",
        step: "a thread begins with the sum of all lower indices",
    },
    Wrong {
        check: scan,
        right: "bool counts = nearest == 0u || lane_id() < nearest;",
        wrong: "bool counts = lane_id() + 1u < nearest;",
        step: "the base is the sum of all tiles before",
    },
    Wrong {
        check: compact,
        right: "running += items[slot];",
        wrong: "running += items[0u];",
        step: "what is kept moves behind what is kept before it",
    },
    Wrong {
        check: collect,
        right: "u64(popcount(finds & ((1u << lane_id()) - 1u)))",
        wrong: "u64(popcount(finds & ((2u << lane_id()) - 1u)))",
        step: "finds lie in the order of their lanes",
    },
];

/// What the check of a module says is wrong: the message of its panic.
fn wrong(check: Check, program: &Program) -> Option<String> {
    let run = || {
        for (grid, count) in [(1, 40), (2, 700), (3, 1500)] {
            check(&mut Simulated::running(program.clone(), 3), Shape::new(grid, 64), count, 5);
        }
    };
    let message = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).err()?;
    Some(message.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn wrong_steps_are_caught_where_they_are_wrong() {
    let text = module().to_string();
    for Wrong { check, right, wrong: instead, step } in WRONG {
        assert!(text.contains(right), "{right}\n{text}");
        // All instances of the template have the same mistake.
        let broken = super::program(&text.replace(right, instead));
        let message = wrong(check, &lowered(&broken)).unwrap_or_else(|| panic!("not caught: {instead}"));
        assert!(message.contains(&format!("the step \"{step}\"")), "{instead}: {message}");
    }
}

/// Blocks that would change something are left out when a template is filled, and all of them on the way to CUDA.
#[test]
fn simulated_blocks_only_read() {
    let text = module().to_string();
    assert!(text.contains("simulated {"));
    let cuda = gchr_kernels::cuda_text(&module(), "program.chr").expect("lowers");
    assert!(!cuda.contains("simulated"));
}
