// Queue collection: the indices of dead slots go onto a stack, from which later allocations take them.
//
// A warp reserves room for all its finds with one atomic.

// The program's buffers and numbers.
struct Params;

// Whether a slot is dead; marks it as collected if so.
// pre: index < count; called once for each index
// shares: touches only what belongs to `index`, or touches it with atomics
__device__ bool claim(Params p, u64 index);

// Simulates the share of a lane in its warp's room: how many of the finds are in lower lanes.
__device__ __forceinline__ u32 finds_below(u32 finds) {
    u32 count = 0u;
    for (u32 lane = 0u; lane < lane_id(); lane += 1u) {
        count += finds >> lane & 1u;
    }
    return count;
}

// Collects with all threads of the grid.
// pre: every thread of the grid calls it with the same arguments; count <= 2^32; stack has room for top[0] and all dead slots
// post: the indices of all dead slots were added at the top of the stack, in any order, and top[0] went up by their number: for
//     whoever comes after the launch or a grid barrier
// shares: top: atomics only; stack: each element above the old top is written by the thread it was handed out to
__device__ __forceinline__ void collect_all(Params p, u64 count, u32* stack, u64* top) {
    u64 step = u64(gridDim.x) * u64(blockDim.x);
    u64 start = u64(blockIdx.x) * u64(blockDim.x) + u64(threadIdx.x - lane_id());
    // The lanes of a warp stay together.
    for (u64 base = start; base < count; base += step) {
        u64 index = base + u64(lane_id());
        bool dead = false;
        if (index < count) {
            dead = claim(p, index);
        }
        u32 finds = ballot(0xffffffffu, dead);
        if (finds != 0u) {
            u64 place = 0ull;
            if (lane_id() == 0u) {
                place = atomic_add(&top[0u], u64(popcount(finds)));
            }
            place = shfl(0xffffffffu, place, 0u);
            if (dead) {
                u64 mine = place + u64(popcount(finds & (1u << lane_id()) - 1u));
                simulated {
                    u32 below = finds_below(finds);
                    assume("finds lie in the order of their lanes", mine == place + u64(below));
                }
                own("handed out once by top", stack[mine]);
                stack[mine] = u32(index);
            }
        }
    }
}

// `collect_all` as a launch of its own.
extern "C" __global__ void __launch_bounds__(256) collect(Params p, u64 count, u32* stack, u64* top) {
    collect_all(p, count, stack, top);
}
