// The counting form of kernels: what a recorded run wants to know. Every access to device memory goes through
// `gchr_read`, `gchr_write` or `gchr_atomic`, and `tally` counts; the sums are spread over many slots, which the host
// adds up. Sectors are those of the addresses that the text names: what the compiler or a cache saves is not taken off.
constexpr u32 GCHR_SLOTS = 256u;
// Words of a slot: sectors read, sectors written, those of random accesses, atomic operations; then the tallies by
// number.
__device__ u64 gchr_counts[GCHR_SLOTS * (4u + GCHR_TALLIES)];

GCHR u64* gchr_slot() {
    u32 warp = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    return gchr_counts + (warp & (GCHR_SLOTS - 1u)) * (4u + GCHR_TALLIES);
}

GCHR bool gchr_leads(u32 mask) { return (mask & ((1u << lane_id()) - 1u)) == 0u; }

// Distinct sectors of lanes whose accesses may span several: each lane counts those that no lower lane has.
GCHR u32 gchr_union(u32 mask, u64 first, u64 last) {
    u64 covered = 0ull;
    for (u32 rest = mask; rest != 0u; rest &= rest - 1u) {
        i32 lane = __ffs(i32(rest)) - 1;
        u64 from = __shfl_sync(mask, first, lane);
        u64 to = __shfl_sync(mask, last, lane);
        if (u32(lane) < lane_id() && from <= last && to >= first) {
            u64 begin = (from > first ? from : first) - first;
            u64 end = (to < last ? to : last) - first;
            covered |= ~0ull >> (63u - (end - begin)) << begin;
        }
    }
    u32 own = u32(last - first) + 1u - popcount(covered);
    u32 sum = 0u;
    for (u32 bit = 0u; bit < 7u; bit++) {
        sum += popcount(__ballot_sync(mask, (own >> bit & 1u) != 0u)) << bit;
    }
    return sum;
}

// One access of the warp: `bytes` of each lane that is here. An access is random when its lanes ask for less than half
// of what the sectors hold. What takes the mask of the lanes here is never inlined: a compiler may move that mask, but
// not a call, out of branches.
// The lanes leave as they came: the one that counts does not go its own way.
__device__ __noinline__ void gchr_access(u64 address, u32 bytes, u32 kind) {
    u32 mask = __activemask();
    u64 first = address >> 5;
    u64 last = (address + bytes - 1ull) >> 5;
    u32 sectors;
    if (__all_sync(mask, first == last)) {
        u32 same = __match_any_sync(mask, first);
        sectors = popcount(__ballot_sync(mask, gchr_leads(same)));
    } else {
        sectors = gchr_union(mask, first, last);
    }
    if (gchr_leads(mask)) {
        u64* slot = gchr_slot();
        atomicAdd(slot + kind, u64(sectors));
        if (sectors * 32u > 2u * bytes * popcount(mask)) {
            atomicAdd(slot + 2, u64(sectors));
        }
    }
    __syncwarp(mask);
}

__device__ __noinline__ void gchr_count(u32 word) {
    u32 mask = __activemask();
    u32 same = __match_any_sync(mask, word);
    if (gchr_leads(same)) {
        atomicAdd(gchr_slot() + word, u64(popcount(same)));
    }
    __syncwarp(mask);
}

template <class T> GCHR const T& gchr_read(const T& x) {
    gchr_access(u64(&x), u32(sizeof(T)), 0u);
    return x;
}
template <class T> GCHR T& gchr_write(T& x) {
    gchr_access(u64(&x), u32(sizeof(T)), 1u);
    return x;
}
template <class T> GCHR T* gchr_atomic(T* x) {
    gchr_count(3u);
    return x;
}
GCHR void tally(u32 number) { gchr_count(4u + number); }
