// Stable stream compaction: what is kept moves to the front, in order; built on the scan.

// The program's buffers and numbers.
struct Params;

// Whether the element of an index is kept.
// pre: index < count; called once for each index
// shares: touches only what belongs to `index`, or touches it with atomics
__device__ bool keep(Params p, u64 index);

// Moves a kept element to its place.
// pre: to <= from < count, keep(from) held; called once for each kept element, `to` rising with `from`
// shares: reads what belongs to `from`, writes what belongs to `to` in another buffer
__device__ void move(Params p, u64 from, u64 to);

// The scan's value: 1 for what is kept.
__device__ __forceinline__ u32 kept(Params p, u64 index) {
    bool is_kept = keep(p, index);
    return u32(is_kept);
}

// Simulates the compaction: how many elements below `end` are kept.
__device__ __forceinline__ u64 kept_below(Params p, u64 end) {
    u64 count = 0ull;
    for (u64 index = 0ull; index < end; index += 1ull) {
        bool is_kept = keep(p, index);
        count += u64(is_kept);
    }
    return count;
}

// What the scan does with its sums.
__device__ __forceinline__ void settle(Params p, u64 index, u32 mine, u32 before) {
    if (mine != 0u) {
        simulated {
            u64 place = kept_below(p, index);
            assume("what is kept moves behind what is kept before it", u64(before) == place);
        }
        move(p, index, u64(before));
    }
}

// The scan over `kept` and `settle`.
__device__ void scan_all(Params p, u64 count, u64* tiles, u32* tickets, u32 round, u64* total, in_shared u64* sums, in_shared u32* taken, in_shared u64* base);

// Compacts with all threads of the grid.
// pre: as for `scan_all`; count < 2^32
// post: `move` was called for all kept elements; total[0] is their number; otherwise as for `scan_all`
// shares: as for `scan_all`, with what `keep` and `move` do
__device__ __forceinline__ void compact_all(Params p, u64 count, u64* tiles, u32* tickets, u32 round, u64* total, in_shared u64* sums, in_shared u32* taken, in_shared u64* base) {
    scan_all(p, count, tiles, tickets, round, total, sums, taken, base);
}

// `compact_all` as a launch of its own.
extern "C" __global__ void __launch_bounds__(256) compact(Params p, u64 count, u64* tiles, u32* tickets, u32 round, u64* total) {
    __shared__ u64 sums[32];
    __shared__ u32 taken[1];
    __shared__ u64 base[1];
    compact_all(p, count, tiles, tickets, round, total, sums, taken, base);
}
