//! Wrong kernels: each kind of fault is found, at its place.

use super::support::*;
use crate::{Fault, LaunchError, Report, Shape, Touch};
use gchr_kernel::device::Arg;

/// What is found in a kernel without parameters but `u32* out`, of 64 zeros.
fn found(text: &str, shape: Shape, seed: u64) -> Vec<Report> {
    let mut bench = bench(text, seed);
    let out = bench.zeros(64);
    bench.faults(shape, &[out.into()])
}

/// The one finding: its code, and the text of its statement.
fn only(text: &str, shape: Shape) -> (&'static str, String) {
    let reports = found(text, shape, 0);
    assert_eq!(reports.len(), 1, "{reports:#?}");
    (reports[0].fault.code(), reports[0].site.text.clone())
}

fn place(code: &'static str, text: &str) -> (&'static str, String) {
    (code, text.to_string())
}

const WARP: Shape = Shape { grid: 1, block: 32, cooperative: false };
const BLOCK: Shape = Shape { grid: 1, block: 64, cooperative: false };

#[test]
fn two_writes_race() {
    let text = "KERNEL k(u32* out) {
            u32 x = threadIdx.x;
            out[3u] = x;
        }";
    let reports = found(text, WARP, 0);
    let [report] = reports.as_slice() else { panic!("{reports:#?}") };
    let Fault::Race { element, touch, other_touch, other, other_site } = &report.fault else {
        panic!("{report}");
    };
    assert_eq!((element.memory.as_str(), element.index), ("out", 3));
    assert_eq!((*touch, *other_touch), (Touch::Write, Touch::Write));
    assert_eq!((other.lane, report.thread.lane, report.count), (0, 1, 31));
    assert_eq!((report.site.kernel_line, other_site.kernel_line), (3, 3));
    insta::assert_snapshot!(report, @"kernel k: data race on out[3]: write here, write by block 0 warp 0 lane 0 at k, kernel line 3 (out[3u] = x;), and nothing orders them; at k, kernel line 3 (out[3u] = x;), block 0 warp 0 lane 1 (31 times)");
}

#[test]
fn a_missing_barrier_is_a_race_within_a_warp_and_between_warps() {
    let text = "KERNEL k(u32* out) {
            __shared__ u32 tile[64];
            tile[threadIdx.x] = threadIdx.x;
            u32 x = tile[(threadIdx.x + 1u) % blockDim.x];
            out[threadIdx.x] = x;
        }";
    for shape in [WARP, BLOCK] {
        // The first warp also reads what the second one has yet to write.
        let codes: Vec<_> = found(text, shape, 0).iter().map(|r| r.fault.code()).collect();
        assert_eq!(codes.contains(&"unwritten-element"), shape == BLOCK);
        assert!(codes.contains(&"race"));
    }
    for (barrier, shape) in [("warp_barrier(0xffffffffu);", WARP), ("barrier();", BLOCK)] {
        let text = text.replace("            u32 x", &format!("            {barrier}\n            u32 x"));
        let mut bench = bench(&text, 0);
        let out = bench.zeros(64);
        bench.run(shape, &[out.into()]);
    }
}

#[test]
fn a_read_races_with_a_later_write() {
    let text = "KERNEL k(u32* out) {
            u32 x = out[0u];
            if (threadIdx.x == 33u) { out[0u] = x + 1u; }
        }";
    for seed in SEEDS {
        let reports = found(text, BLOCK, seed);
        assert!(reports.iter().all(|r| r.fault.code() == "race"), "{reports:#?}");
    }
}

#[test]
fn relaxed_flags_order_nothing() {
    let text = "KERNEL k(u32* out) {
            if (blockIdx.x == 0u) {
                if (threadIdx.x == 0u) {
                    out[0u] = 7u;
                    STORE
                }
            } else {
                if (threadIdx.x == 0u) {
                    u32 ready = 0u;
                    while (ready == 0u) { LOAD }
                    out[2u] = out[0u];
                }
            }
        }";
    let shape = Shape::cooperative(2, 32);
    let stores = ["store_relaxed(&out[1u], 1u);", "store_release(&out[1u], 1u);"];
    let loads = ["ready = load_relaxed(&out[1u]);", "ready = load_acquire(&out[1u]);"];
    for (i, store) in stores.iter().enumerate() {
        for (j, load) in loads.iter().enumerate() {
            let text = text.replace("STORE", store).replace("LOAD", load);
            let mut bench = bench(&text, 3);
            let out = bench.zeros(64);
            let result = bench.launch(shape, &[out.into()]);
            match result {
                Ok(_) => assert_eq!((i, j), (1, 1)),
                Err(LaunchError::Faults(reports)) => {
                    assert_ne!((i, j), (1, 1));
                    assert_eq!(reports.len(), 1);
                    assert_eq!(reports[0].site.text, "out[2u] = out[0u];");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn the_scope_of_an_atomic_counts() {
    let text = "KERNEL k(u32* out) {
            if (threadIdx.x != 0u) { return; }
            if (blockIdx.x == 0u) {
                out[0u] = 7u;
                store_release_block(&out[1u], 1u);
            } else {
                u32 ready = 0u;
                while (ready == 0u) { ready = load_acquire(&out[1u]); }
                out[2u] = out[0u];
            }
        }";
    let reports = found(text, Shape::cooperative(2, 32), 1);
    assert_eq!((reports.len(), reports[0].fault.code()), (1, "race"));
}

#[test]
fn plain_and_atomic_accesses_race() {
    let text = "KERNEL k(u32* out) {
            atomic_add(&out[0u], 1u);
            if (threadIdx.x == 40u) { out[1u] = out[0u]; }
        }";
    let reports = found(text, BLOCK, 0);
    assert_eq!(reports[0].fault.code(), "race-with-atomic");
    assert_eq!(reports[0].site.text, "out[1u] = out[0u];");
}

#[test]
fn reads_of_what_is_unwritten_are_found() {
    assert_eq!(
        only(
            "KERNEL k(u32* out) { __shared__ u32 tile[32]; if (lane_id() > 0u) { tile[lane_id()] = 1u; } out[lane_id()] = tile[lane_id()]; }",
            WARP
        ),
        place("unwritten-element", "out[lane_id()] = tile[lane_id()];")
    );
    assert_eq!(
        only(
            "KERNEL k(u32* out) { u32 stack[4]; stack[lane_id() % 4u] = 1u; out[lane_id()] = stack[2u]; }",
            WARP
        ),
        place("unwritten-element", "out[lane_id()] = stack[2u];")
    );
    assert_eq!(
        only("KERNEL k(u32* out) { u32 x; if (lane_id() > 3u) { x = 1u; } out[lane_id()] = x; }", WARP),
        place("unwritten-variable", "out[lane_id()] = x;")
    );
    assert_eq!(
        only(
            "struct P { u32 a; u32 b; }; KERNEL k(u32* out) { P p; p.a = 1u; out[lane_id()] = p.a; out[32u + lane_id()] = p.b; }",
            WARP
        ),
        place("unwritten-variable", "out[32u + lane_id()] = p.b;")
    );
    let mut bench = bench("KERNEL k(u32* in, u32* out) { out[lane_id()] = in[lane_id()]; }", 0);
    let (input, out) = (bench.device.alloc(128).unwrap(), bench.zeros(32));
    bench.device.fill(input, 0, 124, 1).unwrap();
    let reports = bench.faults(WARP, &[input.into(), out.into()]);
    assert_eq!((reports.len(), reports[0].count, reports[0].thread.lane), (1, 1, 31));
    bench.device.fill(input, 124, 4, 1).unwrap();
    bench.run(WARP, &[input.into(), out.into()]);
    bench.device.forget(input).unwrap();
    assert_eq!(bench.faults(WARP, &[input.into(), out.into()])[0].count, 32);
}

#[test]
fn a_variable_is_unwritten_again_in_the_next_iteration() {
    let text = "KERNEL k(u32* out) {
            for (u32 i = 0u; i < 2u; i += 1u) {
                u32 x;
                if (i == 0u) { x = 1u; }
                out[lane_id()] = x;
            }
        }";
    assert_eq!(only(text, WARP), place("unwritten-variable", "out[lane_id()] = x;"));
}

#[test]
fn indices_out_of_bounds_are_found() {
    let reports = found("KERNEL k(u32* out) { out[lane_id() + 33u] = 1u; }", WARP, 0);
    let Fault::OutOfBounds { element, length } = &reports[0].fault else { panic!("{}", reports[0]) };
    assert_eq!((element.index, *length, reports[0].thread.lane), (64, 64, 31));
    let reports = found("KERNEL k(u32* out) { i32 i = -1; out[lane_id()] = out[i]; }", WARP, 0);
    let Fault::OutOfBounds { element, .. } = &reports[0].fault else { panic!("{}", reports[0]) };
    assert_eq!((element.index, reports[0].count), (-1, 32));
    assert_eq!(
        only(
            "KERNEL k(u32* out) { __shared__ u32 tile[8]; tile[lane_id()] = 1u; out[0u] += 0u; }"
                .replace(" out[0u] += 0u;", "")
                .as_str(),
            WARP
        ),
        place("out-of-bounds", "tile[lane_id()] = 1u;")
    );
    assert_eq!(
        only("KERNEL k(u32* out) { u32 stack[8]; stack[lane_id()] = 1u; }", WARP),
        place("out-of-bounds", "stack[lane_id()] = 1u;")
    );
    assert_eq!(
        only("KERNEL k(u32* out) { atomic_add(&out[64u + lane_id()], 1u); }", WARP),
        place("out-of-bounds", "atomic_add(&out[64u + lane_id()], 1u);")
    );
}

#[test]
fn arithmetic_errors_are_found_in_active_lanes_only() {
    let text = |value: &str| {
        format!("KERNEL k(u32* out) {{ u32 x = lane_id(); if (x > 0u) {{ out[x] = {value}; }} }}")
    };
    let mut bench = bench(&text("10u / x + (1u << (31u - x % 32u))"), 0);
    let out = bench.zeros(64);
    bench.run(WARP, &[out.into()]);
    let code = |value: &str| only(&text(value), WARP).0;
    assert_eq!(code("10u / (x - 1u)"), "division-by-zero");
    assert_eq!(code("10u % (x - 5u)"), "division-by-zero");
    assert_eq!(code("u32(I32_MIN / (-1 - i32(x / 32u)))"), "division-overflow");
    assert_eq!(code("1u << (x + 1u)"), "shift-too-wide");
    assert_eq!(code("1u >> (i32(x) - 2)"), "shift-too-wide");
    assert_eq!(code("u32(-f64(x))"), "float-out-of-range");
}

#[test]
fn masks_must_be_the_active_lanes() {
    let text = |effect: &str| {
        format!("KERNEL k(u32* out) {{ u32 i = lane_id(); if (i < 16u) {{ {effect} }} out[i] = 1u; }}")
    };
    let code = |effect: &str| only(&text(effect), WARP).0;
    assert_eq!(code("u32 b = ballot(0xffffffffu, true);"), "mask");
    assert_eq!(code("bool b = vote_all(0xffu, true);"), "mask");
    assert_eq!(code("warp_barrier(0xffffffffu);"), "mask");
    assert_eq!(code("u32 x = shfl_xor(0xffffffffu, i, 1u);"), "mask");
    assert_eq!(code("u32 b = ballot(i < 8u ? 0xffu : 0xfff0u, true);"), "mask");
    assert_eq!(code("u32 x = shfl(0xffffu, i, i + 1u);"), "shuffle-source");
    let mut bench =
        bench(&text("u32 b = ballot(i < 8u ? 0xffu : 0xff00u, true); u32 x = shfl(0xffffu, b, i ^ 1u);"), 0);
    let out = bench.zeros(64);
    bench.run(WARP, &[out.into()]);
}

#[test]
fn barriers_that_not_all_reach_are_found() {
    let cause = |text: &str, shape| {
        let reports = found(text, shape, 0);
        let [report] = reports.as_slice() else { panic!("{reports:#?}") };
        let Fault::BarrierDivergence { cause } = &report.fault else { panic!("{report}") };
        assert_eq!(report.site.text, "barrier();");
        cause.clone()
    };
    assert_eq!(
        cause("KERNEL k(u32* out) { if (threadIdx.x < 16u) { barrier(); } }", WARP),
        "lanes 0xffff0000 of the warp are elsewhere"
    );
    assert_eq!(
        cause("KERNEL k(u32* out) { if (threadIdx.x == 3u) { return; } barrier(); }", WARP),
        "lanes 0x00000008 of the warp have ended"
    );
    assert_eq!(
        cause("KERNEL k(u32* out) { if (threadIdx.x < 32u) { barrier(); } }", BLOCK),
        "warp 1 of the block has ended"
    );
    assert_eq!(
        cause("KERNEL k(u32* out) { if (threadIdx.x < 32u) { barrier(); } else { barrier(); } }", BLOCK),
        "warp 1 waits at another one: k, kernel line 5 (barrier();)"
    );
    assert_eq!(
        cause("KERNEL k(u32* out) { for (u32 i = 0u; i < threadIdx.x; i += 1u) { barrier(); } }", WARP),
        "lanes 0x00000001 of the warp are elsewhere"
    );
}

#[test]
fn lanes_of_a_warp_that_wait_for_each_other_are_a_deadlock() {
    let text = "KERNEL k(u32* out) {
            bool mine = false;
            while (!mine) {
                u32 old = atomic_exchange_acquire(&out[0u], 1u);
                mine = old == 0u;
            }
            out[1u] = out[1u] + 1u;
            store_release(&out[0u], 0u);
        }";
    for seed in SEEDS {
        let reports = found(text, WARP, seed);
        let Some(Fault::Deadlock { waiting, pending_blocks: 0 }) = reports.last().map(|r| &r.fault) else {
            panic!("{reports:#?}");
        };
        assert_eq!(waiting.len(), 1);
    }
}

#[test]
fn blocks_that_wait_for_one_that_is_not_resident_are_a_deadlock() {
    let text = "KERNEL k(u32* out) {
            if (blockIdx.x == gridDim.x - 1u) { store_release(&out[0u], 1u); return; }
            u32 seen = 0u;
            while (seen == 0u) { seen = load_acquire(&out[0u]); }
        }";
    let reports = found(text, Shape::new(20, 32), 0);
    let Fault::Deadlock { waiting, pending_blocks } = &reports[0].fault else { panic!("{}", reports[0]) };
    assert_eq!((waiting.len(), *pending_blocks), (8, 12));
    assert!(waiting[0].starts_with("block 0 warp 0 spins at k, kernel line "), "{waiting:?}");
    let mut bench = bench(text, 0);
    let out = bench.zeros(64);
    bench.run(Shape::cooperative(20, 32), &[out.into()]);
}

#[test]
fn a_long_computation_is_no_deadlock_and_an_endless_one_hits_the_limit() {
    let text = "KERNEL k(u32* out) {
            u32 x = lane_id();
            for (u32 i = 0u; i < 100000u; i += 1u) { x = x * 5u + 1u; }
            out[lane_id()] = x;
        }";
    let mut good = bench(text, 0);
    let out = good.zeros(32);
    good.run(WARP, &[out.into()]);
    // Every turn of the inner block looks like the one before; the turns themselves are what goes on.
    let text = "KERNEL k(u32* out) {
            everywhere () { everywhere () { for (u32 i = 0u; i < 3u; i += 1u) { } } }
            out[lane_id()] = 1u;
        }";
    let mut turns = bench(text, 0);
    let out = turns.zeros(32);
    turns.run(WARP, &[out.into()]);
    let mut endless = bench("KERNEL k(u32* out) { u32 x = 0u; while (true) { x += 1u; } }", 0);
    let out = endless.zeros(32);
    let result = endless.launch(WARP, &[out.into()]);
    assert_eq!(result, Err(LaunchError::Steps { limit: 50_000_000, reports: Vec::new() }));
}

#[test]
fn uniformity_is_tested() {
    // Blocks differ from each other, threads of a block do not; in later turns all agree.
    let text = |uniform: &str| {
        format!(
            "KERNEL k(u32* out) {{
                for (u32 i = 0u; i < 100u; i += 1u) {{
                    u32 x = i == 0u ? blockIdx.x : i;
                    {uniform}(\"the same\", x);
                }}
                out[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
            }}"
        )
    };
    let two = Shape::new(2, 32);
    let reports = found(&text("assume_uniform"), two, 0);
    let [report] = reports.as_slice() else { panic!("{reports:#?}") };
    assert_eq!((report.fault.code(), report.count), ("not-uniform", 32));
    let mut bench = bench(&text("assume_uniform_block"), 0);
    let out = bench.zeros(64);
    bench.run(two, &[out.into()]);
}

#[test]
fn assumptions_and_ownership_are_tested() {
    let (code, text) =
        only("KERNEL k(u32* out) { assume(\"small\", lane_id() < 31u); out[lane_id()] = 1u; }", WARP);
    assert_eq!((code, text.as_str()), ("assumption-failed", "assume(\"small\", lane_id() < 31u);"));
    let text = "KERNEL k(u32* out) {
            if (threadIdx.x < 32u) { own(\"mine\", out[threadIdx.x]); }
            BARRIER
            if (threadIdx.x >= 32u) { atomic_add(&out[threadIdx.x - 32u], 1u); }
        }";
    let reports = found(&text.replace("BARRIER", ""), BLOCK, 0);
    let Fault::NotOwner { name, owner, .. } = &reports[0].fault else { panic!("{}", reports[0]) };
    assert_eq!((name.as_str(), owner.warp, reports[0].thread.warp), ("mine", 0, 1));
    let mut bench = bench(&text.replace("BARRIER", "barrier();"), 0);
    let out = bench.zeros(64);
    bench.run(BLOCK, &[out.into()]);
    let text = "KERNEL k(u32* out) { own(\"all\", out[5u]); }";
    assert_eq!(only(text, WARP).0, "not-owner");
}

#[test]
fn reports_name_the_rule_and_the_calls() {
    let text = "DEVICE void f(u32* p, u32 i) {
    //@ 12
    // rule gcd
    p[i] = 1u;
}
KERNEL k(u32* out) {
    f(out, 64u);
}";
    let reports = found(text, WARP, 0);
    let shown: Vec<String> = reports.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n"), @"kernel k: out[64] is out of bounds: there are 64 elements; at f, kernel line 4 (p[i] = 1u;), rule line 12, rule gcd, block 0 warp 0 lane 0, called from k, kernel line 8 (f(out, 64u);) (32 times)");
}

#[test]
fn findings_are_limited_and_launches_refused() {
    let stores: String = (0..50).map(|i| format!("out[{}u] = 1u;\n", 64 + i)).collect();
    assert_eq!(found(&format!("KERNEL k(u32* out) {{ {stores} }}"), WARP, 0).len(), 32);
    let mut bench = bench("KERNEL k(u32* out, u32 n) { out[lane_id()] = n; }", 0);
    let out = bench.zeros(32);
    let refused = |bench: &mut Bench, shape, args: &[Arg<'_>]| match bench.launch(shape, args) {
        Err(LaunchError::Arguments(text)) => text,
        other => panic!("{other:?}"),
    };
    let args = [out.into(), 1u32.into()];
    assert!(refused(&mut bench, Shape::new(1, 33), &args).contains("32, 64, .. 1024"));
    assert!(refused(&mut bench, Shape::new(0, 32), &args).contains("a grid of 0"));
    assert!(refused(&mut bench, WARP, &args[..1]).contains("2 parameters"));
    assert!(refused(&mut bench, WARP, &[out.into(), 1u64.into()]).contains("type u32"));
    assert!(refused(&mut bench, WARP, &[1u32.into(), 1u32.into()]).contains("another shape"));
    bench.device.free(out).unwrap();
    assert!(matches!(bench.launch(WARP, &args), Err(LaunchError::Memory(_))));
}
