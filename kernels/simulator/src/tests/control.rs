//! Control of a warp: divergence, loops, calls, `everywhere`, votes and shuffles.

use super::support::*;
use crate::Shape;

fn per_lane(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(f).collect()
}

#[test]
fn nested_branches_join() {
    let out = warp_result(
        "KERNEL k(u32* out) {
            u32 i = lane_id();
            u32 x = 0u;
            if (i < 16u) {
                if (i % 2u == 0u) { x = 1u; } else { x = 2u; }
                x += 10u;
            } else {
                if (i % 3u == 0u) { x = 3u; }
                x += 20u;
            }
            out[i] = x + 100u;
        }",
    );
    let expected = per_lane(|i| {
        100 + match i {
            0..16 => 11 + i % 2,
            _ if i % 3 == 0 => 23,
            _ => 20,
        }
    });
    assert_eq!(out, expected);
}

#[test]
fn loops_have_a_trip_count_a_lane() {
    let out = warp_result(
        "KERNEL k(u32* out) {
            u32 i = lane_id();
            u32 sum = 0u;
            for (u32 j = 0u; j < i; j += 1u) {
                u32 n = j;
                while (n > 0u) { sum += 1u; n -= 1u; }
            }
            out[i] = sum;
        }",
    );
    assert_eq!(out, per_lane(|i| (0..i).sum()));
}

#[test]
fn lanes_break_continue_and_return_apart() {
    let text = "DEVICE u32 f(u32 i) {
            u32 sum = 0u;
            for (u32 j = 0u; j < 20u; j += 1u) {
                if (j % 4u == i % 4u) { continue; }
                if (j == i) { break; }
                switch (j) {
                    case 3u: case 5u: { if (i == 7u) { return 1000u; } } break;
                    case 9u: { if (i > 25u) { break_not; } } break;
                    default: { } break;
                }
                sum += j;
                if (sum > 100u) { return sum; }
            }
            return sum + 5000u;
        }
        KERNEL k(u32* out) { u32 x = f(lane_id()); out[lane_id()] = x; }";
    let out = warp_result(&text.replace("break_not;", "sum += 1u;"));
    let expected = |i: u32| {
        let mut sum = 0;
        for j in 0..20 {
            if j % 4 == i % 4 {
                continue;
            }
            if j == i {
                break;
            }
            match j {
                3 | 5 if i == 7 => return 1000,
                9 if i > 25 => sum += 1,
                _ => {}
            }
            sum += j;
            if sum > 100 {
                return sum;
            }
        }
        sum + 5000
    };
    assert_eq!(out, per_lane(expected));
}

#[test]
fn lanes_that_end_early_leave_the_others_alone() {
    let out = warp_result(
        "KERNEL k(u32* out) {
            u32 i = lane_id();
            while (true) {
                if (i % 3u == 0u) { return; }
                if (i % 3u == 1u) { break; }
                out[i] = 1u;
                return;
            }
            out[i] = 2u;
        }",
    );
    assert_eq!(out, per_lane(|i| [u32::MAX, 2, 1][i as usize % 3]));
}

#[test]
fn short_circuits_and_selects_guard_their_operands() {
    let out = warp_result(
        "KERNEL k(u32* out) {
            u32 i = lane_id();
            bool a = i > 0u && out[i - 1u] == 4294967295u;
            bool b = i == 31u || out[i + 1u] == 4294967295u;
            u32 c = i == 0u ? 7u : out[i - 1u];
            warp_barrier(0xffffffffu);
            out[i] = (a ? 1u : 0u) + (b ? 2u : 0u) + c % 16u * 4u;
        }",
    );
    assert_eq!(out, per_lane(|i| if i == 0 { 30 } else { 63 }));
}

#[test]
fn everywhere_serves_each_lane_that_asks() {
    let text = "KERNEL k(u32* out) {
            u32 i = lane_id();
            if (i % 8u == 3u) {
                everywhere (u32 who = i) {
                    u32 sum = 0u;
                    if (lane_id() < 16u) { sum = who; } else { sum = 1u; }
                    atomic_add(&out[lane_id()], sum);
                }
            }
        }";
    let mut bench = bench(text, 0);
    let out = bench.zeros(32);
    bench.run(Shape::new(1, 32), &[out.into()]);
    assert_eq!(bench.get::<u32>(out, 32), per_lane(|i| if i < 16 { 3 + 11 + 19 + 27 } else { 4 }));
}

#[test]
fn everywhere_nests_and_leaves_lanes_as_they_were() {
    let text = "KERNEL k(u32* out) {
            u32 i = lane_id();
            u32 mine = i * 10u;
            if (i < 2u) {
                everywhere (u32 outer = i) {
                    if (lane_id() >= 30u) {
                        everywhere (u32 inner = lane_id() * 100u + outer) {
                            for (u32 j = 0u; j < 1u + lane_id() % 2u; j += 1u) {
                                out[32u + lane_id()] = out[32u + lane_id()] + inner;
                            }
                        }
                    }
                }
                mine += 1u;
            } else {
                mine += 2u;
            }
            out[i] = mine;
        }";
    let mut bench = bench(text, 0);
    let out = bench.zeros(64);
    bench.run(Shape::new(1, 32), &[out.into()]);
    let out = bench.get::<u32>(out, 64);
    assert_eq!(out[..32], per_lane(|i| i * 10 + if i < 2 { 1 } else { 2 }));
    let once = 3000 + 3100 + 3001 + 3101;
    assert_eq!(out[32..], per_lane(|i| once * (1 + i % 2)));
}

#[test]
fn everywhere_wakes_lanes_that_have_ended() {
    let out = warp_result(
        "KERNEL k(u32* out) {
            if (lane_id() != 7u) { return; }
            everywhere (u32 x = lane_id()) { out[lane_id()] = x; }
        }",
    );
    assert_eq!(out, [7; 32]);
}

#[test]
fn everywhere_orders_what_its_lanes_do() {
    // Each lane that asks appends to one list; the next one finds its end.
    let text = "KERNEL k(u32* out) {
            if (lane_id() % 4u == 1u) {
                everywhere (u32 who = lane_id()) {
                    u32 end = out[0u];
                    warp_barrier(0xffffffffu);
                    if (lane_id() < 2u) { out[1u + end + lane_id()] = who; }
                    if (lane_id() == 9u) { out[0u] = end + 2u; }
                }
            }
        }";
    let mut bench = bench(text, 0);
    let out = bench.zeros(32);
    bench.run(Shape::new(1, 32), &[out.into()]);
    let expected = [16, 1, 1, 5, 5, 9, 9, 13, 13, 17, 17, 21, 21, 25, 25, 29, 29];
    assert_eq!(bench.get::<u32>(out, 17), expected);
}

#[test]
fn votes_and_shuffles_see_the_lanes_of_their_mask() {
    let out = warp_result(
        "KERNEL k(u32* out) {
            u32 i = lane_id();
            u32 even = ballot(0xffffffffu, i % 2u == 0u);
            u32 x = 0u;
            if (i % 2u == 0u) {
                bool any = vote_any(even, i == 4u);
                bool all = vote_all(even, i < 31u);
                u32 active = active_mask();
                x = (any && all && active == even) ? 1u : 0u;
                u32 next = shfl(even, i, (i + 2u) % 32u);
                x += next * 2u;
            }
            u32 up = shfl_up(0xffffffffu, i, 3u);
            u32 down = shfl_down(0xffffffffu, i, 5u);
            u32 other = shfl_xor(0xffffffffu, i, 8u);
            out[i] = x + 100u * up + 10000u * down + 1000000u * other;
        }",
    );
    let expected = |i: u32| {
        let x = if i.is_multiple_of(2) { 1 + (i + 2) % 32 * 2 } else { 0 };
        let up = if i < 3 { i } else { i - 3 };
        let down = if i > 26 { i } else { i + 5 };
        x + 100 * up + 10_000 * down + 1_000_000 * (i ^ 8)
    };
    assert_eq!(out, per_lane(expected));
}

#[test]
fn buffers_are_values() {
    let text = "KERNEL k(u32* a, u32* b, u32* out) {
            u32* from = lane_id() < 16u ? a : b;
            u32* to = out;
            __shared__ u32 tile[32];
            if (lane_id() == 5u) { to = a; }
            u32* got = shfl(0xffffffffu, from, 31u);
            tile[lane_id()] = got[lane_id()];
            to[lane_id()] = from[lane_id()] + tile[lane_id()];
        }";
    let mut bench = bench(text, 0);
    let (a, b) = (bench.buffer(&[1u32; 32]), bench.buffer(&[2u32; 32]));
    let out = bench.zeros(32);
    bench.run(Shape::new(1, 32), &[a.into(), b.into(), out.into()]);
    assert_eq!(bench.get::<u32>(out, 32), per_lane(|i| [3, 4, 0][if i == 5 { 2 } else { i as usize / 16 }]));
    assert_eq!(bench.get::<u32>(a, 6), [1, 1, 1, 1, 1, 3]);
}

#[test]
fn arithmetic_is_that_of_the_types() {
    let text = "KERNEL k(i32* a, i64* b, u64* c, f64* d, u8* e, u32* f) {
            a[0u] = I32_MIN / 3;
            a[1u] = -7 % 3;
            a[2u] = -9 >> 1u;
            a[3u] = i32(f64(-2.75));
            a[4u] = mul_high(-5, 3);
            a[5u] = min(-1, 1);
            b[0u] = i64(-3) * 4ll;
            b[1u] = i64(i32(4294967295u));
            c[0u] = u64(u32(-1)) + 1ull;
            c[1u] = mul_high(0xffffffffffffffffull, 16ull);
            c[2u] = float_bits(1.0);
            d[0u] = 1.0 / 0.0;
            d[1u] = f64(0xffffffffffffffffull);
            d[2u] = max(2.5, -1.0);
            e[0u] = u8(300u);
            e[1u] = u8(true);
            f[0u] = popcount(255u) + 100u * find_first_set(0u) + 1000u * find_first_set(8u);
            f[1u] = leading_zeros(1u) + 100u * leading_zeros(1ull);
            f[2u] = 1u - 2u;
            f[3u] = u32(-1) < 1u ? 1u : 0u;
            f[4u] = ~5u ^ (3u << 4u);
        }";
    let mut bench = bench(
        &text.replace(
            "{\n            a[0u]",
            "{\n            if (lane_id() > 0u) { return; }\n            a[0u]",
        ),
        0,
    );
    let a = bench.buffer(&[0i32; 8]);
    let b = bench.buffer(&[0i64; 8]);
    let c = bench.buffer(&[0u64; 8]);
    let d = bench.buffer(&[0f64; 8]);
    let e = bench.buffer(&[0u8; 8]);
    let f = bench.zeros(8);
    bench.run(Shape::new(1, 32), &[a.into(), b.into(), c.into(), d.into(), e.into(), f.into()]);
    assert_eq!(bench.get::<i32>(a, 6), [i32::MIN / 3, -1, -5, -2, -1, -1]);
    assert_eq!(bench.get::<i64>(b, 2), [-12, -1]);
    assert_eq!(bench.get::<u64>(c, 3), [1 << 32, 15, 1.0f64.to_bits()]);
    assert_eq!(bench.get::<f64>(d, 3), [f64::INFINITY, u64::MAX as f64, 2.5]);
    assert_eq!(bench.get::<u8>(e, 2), [44, 1]);
    assert_eq!(bench.get::<u32>(f, 5), [4008, 6331, u32::MAX, 0, !5 ^ 48]);
}

#[test]
fn records_are_copied_and_fields_addressed() {
    let text = "struct alignas(16) Cell { u32 a; u8 b; f64 c; };
        struct Heap { Cell* cells; u32 base; };
        DEVICE Cell turn(Cell c) { Cell d = c; d.a = c.a + 1u; return Cell{d.a, c.b, -c.c}; }
        KERNEL k(Heap heap, u32* out) {
            u32 i = threadIdx.x;
            Cell c = heap.cells[i];
            Cell d = turn(c);
            heap.cells[i] = d;
            heap.cells[i].b = 9_u8;
            Cell stack[4];
            stack[i % 4u] = d;
            stack[i % 4u].a = stack[i % 4u].a * 2u;
            out[i] = stack[i % 4u].a + heap.base;
        }";
    let mut bench = bench(text, 0);
    let mut bytes = vec![0u8; 16 * 64];
    for i in 0..64u32 {
        let at = i as usize * 16;
        bytes[at..at + 4].copy_from_slice(&i.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&f64::from(i).to_le_bytes());
    }
    let cells = bench.buffer(&bytes);
    let out = bench.zeros(64);
    let heap = [gchr_kernel::device::Value::Buffer(cells), gchr_kernel::device::Value::U32(1000)];
    let report = bench.run(Shape::new(1, 64), &[gchr_kernel::device::Arg::Record(&heap), out.into()]);
    assert_eq!(bench.get::<u32>(out, 64), (0..64).map(|i| (i + 1) * 2 + 1000).collect::<Vec<_>>());
    let bytes = bench.get::<u8>(cells, 16 * 64);
    assert_eq!(bytes[16 * 5..16 * 5 + 5], [6, 0, 0, 0, 9]);
    assert_eq!(bytes[16 * 5 + 8..16 * 6], (-5.0f64).to_le_bytes());
    // Two warps read 32 records of 16 bytes each: 16 sectors, all of them once.
    assert_eq!(report.counters.sectors_read, 32);
}
