//! Blocks, barriers and atomics: correct kernels are clean under every seed.

use super::support::*;
use crate::Shape;

/// Tree sums in shared memory, one result a block.
const REDUCE: &str = "KERNEL k(u32* in, u32* out, u32 n) {
        __shared__ u32 tile[64];
        u32 i = blockIdx.x * blockDim.x + threadIdx.x;
        tile[threadIdx.x] = i < n ? in[i] : 0u;
        barrier();
        for (u32 s = 32u; s > 0u; s >>= 1u) {
            if (threadIdx.x < s) { tile[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + s]; }
            barrier();
        }
        if (threadIdx.x == 0u) { out[blockIdx.x] = tile[0u]; }
    }";

#[test]
fn a_block_reduces_in_shared_memory() {
    for seed in SEEDS {
        let mut bench = bench(REDUCE, seed);
        let values: Vec<u32> = (0..1000).map(|i| i * 7 + 1).collect();
        let input = bench.buffer(&values);
        let out = bench.device.alloc(4 * 20).unwrap();
        let report = bench.run(Shape::new(20, 64), &[input.into(), out.into(), 1000u32.into()]);
        let sums: Vec<u32> = bench.get(out, 20);
        assert_eq!(sums.iter().sum::<u32>(), values.iter().sum());
        assert_eq!(report.counters.barriers, 20 * 7);
    }
}

#[test]
fn a_flag_hands_data_from_block_to_block() {
    for fenced in [false, true] {
        let (store, load) = match fenced {
            false => ("store_release(&flag[0u], 1u);", "ready = load_acquire(&flag[0u]);"),
            true => (
                "fence_device(); store_relaxed(&flag[0u], 1u);",
                "ready = load_relaxed(&flag[0u]); fence_device();",
            ),
        };
        let text = format!(
            "KERNEL k(u32* data, u32* flag, u32* out) {{
                if (blockIdx.x == 0u) {{
                    data[threadIdx.x] = threadIdx.x + 5u;
                    barrier();
                    if (threadIdx.x == 0u) {{ {store} }}
                }} else {{
                    if (threadIdx.x == 0u) {{
                        u32 ready = 0u;
                        while (ready == 0u) {{ {load} }}
                    }}
                    barrier();
                    out[threadIdx.x] = data[threadIdx.x];
                }}
            }}"
        );
        for seed in SEEDS {
            let mut bench = bench(&text, seed);
            let (data, out) = (bench.device.alloc(256).unwrap(), bench.device.alloc(256).unwrap());
            let flag = bench.zeros(1);
            bench.run(Shape::cooperative(2, 64), &[data.into(), flag.into(), out.into()]);
            assert_eq!(bench.get::<u32>(out, 64), (5..69).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_grid_barrier_orders_all_blocks() {
    let text = "DEVICE void grid_barrier(u32* state, u32 round) {
            barrier();
            if (threadIdx.x == 0u) {
                atomic_add_release(&state[0u], 1u);
                u32 seen = 0u;
                while (seen < gridDim.x * round) { seen = load_acquire(&state[0u]); sleep_ns(20u); }
            }
            barrier();
        }
        KERNEL k(u32* a, u32* b, u32* state) {
            u32 n = gridDim.x * blockDim.x;
            u32 i = blockIdx.x * blockDim.x + threadIdx.x;
            for (u32 round = 0u; round < 4u; round += 1u) {
                b[i] = a[(i + 37u) % n] + 1u;
                grid_barrier(state, 2u * round + 1u);
                a[i] = b[(i + 53u) % n];
                grid_barrier(state, 2u * round + 2u);
            }
        }";
    for seed in SEEDS {
        let mut bench = bench(text, seed);
        let (a, b) = (bench.zeros(5 * 64), bench.device.alloc(4 * 5 * 64).unwrap());
        let state = bench.zeros(1);
        bench.run(Shape::cooperative(5, 64), &[a.into(), b.into(), state.into()]);
        assert_eq!(bench.get::<u32>(a, 5 * 64), [4; 5 * 64]);
    }
}

#[test]
fn a_ticket_queue_hands_out_each_slot_once() {
    // Half of the blocks put numbers into a ring of slots with sequence flags, the others take them.
    let text = "KERNEL k(u32* slots, u32* full, u32* control, u32* out, u32 each) {
            if (threadIdx.x % 32u != 0u) { return; }
            if (blockIdx.x % 2u == 0u) {
                for (u32 j = 0u; j < each; j += 1u) {
                    u32 t = atomic_add(&control[0u], 1u);
                    u32 state = 1u;
                    while (state != 2u * (t / 4u)) { state = load_acquire(&full[t % 4u]); }
                    slots[t % 4u] = blockIdx.x * 1000u + j;
                    store_release(&full[t % 4u], 2u * (t / 4u) + 1u);
                }
            } else {
                for (u32 m = 0u; m < each; m += 1u) {
                    u32 u = atomic_add(&control[1u], 1u);
                    u32 seen = 0u;
                    while (seen != 2u * (u / 4u) + 1u) { seen = load_acquire(&full[u % 4u]); }
                    out[u] = slots[u % 4u];
                    store_release(&full[u % 4u], 2u * (u / 4u) + 2u);
                }
            }
        }";
    for seed in SEEDS {
        let mut bench = bench(text, seed);
        let slots = bench.device.alloc(16).unwrap();
        let (full, control) = (bench.zeros(4), bench.zeros(2));
        let out = bench.device.alloc(4 * 60).unwrap();
        let args = [slots.into(), full.into(), control.into(), out.into(), 10u32.into()];
        bench.run(Shape::cooperative(12, 32), &args);
        let mut got = bench.get::<u32>(out, 60);
        got.sort_unstable();
        let expected: Vec<u32> = (0..6).flat_map(|b| (0..10).map(move |j| b * 2000 + j)).collect();
        assert_eq!(got, expected);
    }
}

#[test]
fn decoupled_look_back_scans() {
    // After Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back": one block a tile, tiles by
    // ticket.
    let text = "KERNEL k(u32* in, u32* out, u32* ticket, u64* state) {
            __shared__ u32 tile[1];
            __shared__ u32 before[1];
            __shared__ u32 sums[32];
            if (threadIdx.x == 0u) { u32 t = atomic_add(&ticket[0u], 1u); tile[0u] = t; }
            barrier();
            u32 i = tile[0u] * blockDim.x + threadIdx.x;
            u32 x = in[i];
            u32 sum = x;
            for (u32 d = 1u; d < 32u; d <<= 1u) {
                u32 y = shfl_up(0xffffffffu, sum, d);
                if (lane_id() >= d) { sum += y; }
            }
            if (lane_id() == 31u) { sums[threadIdx.x / 32u] = sum; }
            barrier();
            u32 offset = 0u;
            for (u32 w = 0u; w < threadIdx.x / 32u; w += 1u) { offset += sums[w]; }
            if (threadIdx.x == 0u) {
                u32 total = 0u;
                for (u32 v = 0u; v < blockDim.x / 32u; v += 1u) { total += sums[v]; }
                u32 carried = 0u;
                if (tile[0u] > 0u) {
                    store_release(&state[tile[0u]], u64(total) << 2u | 1ull);
                    u32 j = tile[0u] - 1u;
                    while (true) {
                        u64 s = load_acquire(&state[j]);
                        u64 kind = s & 3ull;
                        if (kind == 0ull) { continue; }
                        carried += u32(s >> 2u);
                        if (kind == 2ull) { break; }
                        j -= 1u;
                    }
                }
                store_release(&state[tile[0u]], u64(carried + total) << 2u | 2ull);
                before[0u] = carried;
            }
            barrier();
            out[i] = before[0u] + offset + sum - x;
        }";
    for seed in SEEDS {
        let mut bench = bench(text, seed);
        let n = 64 * 13;
        let values: Vec<u32> = (0..n).map(|i| i * i % 17).collect();
        let input = bench.buffer(&values);
        let out = bench.device.alloc(4 * u64::from(n)).unwrap();
        let ticket = bench.zeros(1);
        let state = bench.device.alloc_zeroed::<u64>(13).unwrap();
        bench.run(Shape::new(13, 64), &[input.into(), out.into(), ticket.into(), state.into()]);
        let mut sum = 0;
        let before = |v: &u32| {
            sum += v;
            sum - v
        };
        let expected: Vec<u32> = values.iter().map(before).collect();
        assert_eq!(bench.get::<u32>(out, n as usize), expected);
    }
}

#[test]
fn the_last_one_frees() {
    // Every thread reads a cell and counts down; the last one may write it.
    let text = "KERNEL k(u32* cell, u32* count, u32* out) {
            u32 x = cell[0u];
            u32 left = atomic_sub_acq_rel(&count[0u], 1u);
            if (left == 1u) { cell[0u] = x + 1u; }
            out[blockIdx.x * blockDim.x + threadIdx.x] = x;
        }";
    for seed in SEEDS {
        let mut bench = bench(text, seed);
        let (cell, count) = (bench.buffer(&[41u32]), bench.buffer(&[192u32]));
        let out = bench.device.alloc(4 * 192).unwrap();
        bench.run(Shape::new(3, 64), &[cell.into(), count.into(), out.into()]);
        assert_eq!(bench.get::<u32>(cell, 1), [42]);
        assert_eq!(bench.get::<u32>(out, 192), [41; 192]);
    }
}

#[test]
fn one_seed_gives_one_run_and_seeds_differ() {
    let text = "KERNEL k(u32* next, u32* out) {
            u32 t = atomic_add(&next[0u], 1u);
            out[t] = blockIdx.x * blockDim.x + threadIdx.x;
        }";
    let run = |seed| {
        let mut bench = bench(text, seed);
        let (next, out) = (bench.zeros(1), bench.zeros(256));
        let report = bench.run(Shape::new(4, 64), &[next.into(), out.into()]);
        (bench.get::<u32>(out, 256), report)
    };
    for seed in 0..4 {
        assert_eq!(run(seed), run(seed));
    }
    assert_eq!(run(0).0, (0..256).collect::<Vec<_>>());
    let mut orders: Vec<_> = (0..4).map(|seed| run(seed).0).collect();
    orders.dedup();
    assert_eq!(orders.len(), 4);
}
