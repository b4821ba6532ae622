// Reduction: the combination of one value per index.
//
// Every block combines its share and leaves it in `partials`; the block that arrives last combines those. The order in which values
// are combined depends on the shape of the launch alone, so that even sums of floats are the same in every run.

// Type of the values: i32, u32, i64, u64 or f64.
using T = HOLE;

// The program's buffers and numbers.
struct Params;

// combine(IDENTITY, x) = x
constexpr T IDENTITY = HOLE;

// Value of one index.
// pre: index < count
// shares: only reads
__device__ T value(Params p, u64 index);

// Combines two values; associative and commutative (floats: as far as rounding goes).
// shares: nothing
__device__ T combine(T a, T b);

// Simulates `warp_reduce` down to `distance` on a plain array: what `lane` holds then; of use for lanes below the distance.
// pre: all lanes of the warp call it together
__device__ __forceinline__ T halved(T mine, u32 distance, u32 lane) {
    T values[32];
    for (u32 from = 0u; from < 32u; from += 1u) {
        T other = shfl(0xffffffffu, mine, from);
        values[from] = other;
    }
    for (u32 half = 16u; half >= distance; half >>= 1u) {
        for (u32 at = 0u; at < half; at += 1u) {
            T both = combine(values[at], values[at + half]);
            values[at] = both;
        }
    }
    return values[lane];
}

// Simulates the second half of `block_reduce`: the combination of what the warps have left.
__device__ __forceinline__ T of_warps(in_shared T* sums) {
    T values[32];
    for (u32 warp = 0u; warp < 32u; warp += 1u) {
        values[warp] = warp < blockDim.x >> 5u ? sums[warp] : IDENTITY;
    }
    for (u32 half = 16u; half > 0u; half >>= 1u) {
        for (u32 at = 0u; at < half; at += 1u) {
            T both = combine(values[at], values[at + half]);
            values[at] = both;
        }
    }
    return values[0u];
}

// Simulates a thread's turns: the combination of the values of the indices from `first` to `last`, `step` apart.
__device__ __forceinline__ T of_turns(Params p, u64 first, u64 step, u64 last) {
    T all = IDENTITY;
    for (u64 index = first; index <= last; index += step) {
        T next = value(p, index);
        all = combine(all, next);
    }
    return all;
}

// Simulates a thread's turns over what the blocks have left.
__device__ __forceinline__ T of_partials(T* partials, u32 first, u32 step, u32 last) {
    T all = IDENTITY;
    for (u32 block = first; block <= last; block += step) {
        all = combine(all, partials[block]);
    }
    return all;
}

// Combines the values of the lanes of a warp.
// pre: all lanes of the warp call it together
// post: lane 0 has the combination of all values in lane order; the others have none
// shares: nothing
__device__ __forceinline__ T warp_reduce(T mine) {
    T sum = mine;
    #pragma unroll
    for (u32 distance = 16u; distance > 0u; distance >>= 1u) {
        T other = shfl_down(0xffffffffu, sum, distance);
        sum = combine(sum, other);
        simulated {
            T expected = halved(mine, distance, lane_id());
            assume("the lanes below the distance have combined those above", lane_id() >= distance || sum == expected);
        }
    }
    return sum;
}

// Combines the values of the threads of a block.
// pre: all threads of the block call it together; sums has 32 elements that no other thread is still using
// post: thread 0 has the combination of all values in thread order; the others have none; sums can be used again
// shares: sums: lane 0 of each warp writes its own element, the first warp reads all after a barrier
__device__ __forceinline__ T block_reduce(T mine, in_shared T* sums) {
    T sum = warp_reduce(mine);
    if (lane_id() == 0u) {
        sums[threadIdx.x >> 5u] = sum;
    }
    barrier();
    simulated {
        T of_warp = halved(mine, 1u, 0u);
        assume("each warp has left its combination", sums[threadIdx.x >> 5u] == of_warp);
    }
    if (threadIdx.x < 32u) {
        sum = threadIdx.x < blockDim.x >> 5u ? sums[threadIdx.x] : IDENTITY;
        sum = warp_reduce(sum);
    }
    simulated {
        T of_block = of_warps(sums);
        assume("thread 0 has the combination of the warps", threadIdx.x != 0u || sum == of_block);
    }
    barrier();
    return sum;
}

// Combines the values of all indices with all threads of the grid.
// pre: every thread of the grid calls it with the same arguments; partials has an element for each block; arrived[0] is 0; sums has 32
//     elements and order one, which no other thread is still using
// post: result[0] is the combination of all values, IDENTITY if there are none: for whoever comes after the launch or a grid barrier;
//     arrived[0] is 0; sums and order can be used again
// shares: partials: thread 0 of each block writes the block's element, the last block to arrive reads all; result and order: thread 0
__device__ __forceinline__ void reduce_all(Params p, u64 count, T* partials, u32* arrived, T* result, in_shared T* sums, in_shared u32* order) {
    T sum = IDENTITY;
    u64 step = u64(gridDim.x) * u64(blockDim.x);
    for (u64 index = u64(blockIdx.x) * u64(blockDim.x) + u64(threadIdx.x); index < count; index += step) {
        T next = value(p, index);
        sum = combine(sum, next);
        simulated {
            T so_far = of_turns(p, u64(blockIdx.x) * u64(blockDim.x) + u64(threadIdx.x), step, index);
            assume("a thread has combined the values of its turns", sum == so_far);
        }
    }
    sum = block_reduce(sum, sums);
    if (threadIdx.x == 0u) {
        partials[blockIdx.x] = sum;
        simulated {
            T of_block = of_warps(sums);
            assume("a block has left its combination", partials[blockIdx.x] == of_block);
        }
        u32 before = atomic_add_acq_rel(&arrived[0u], 1u);
        order[0u] = before;
    }
    barrier();
    // The barrier hands on what thread 0 acquired: the partials of all other blocks.
    if (order[0u] == gridDim.x - 1u) {
        T all = IDENTITY;
        for (u32 block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
            own("the last block to arrive reads what all have written", partials[block]);
            all = combine(all, partials[block]);
            simulated {
                T others = of_partials(partials, threadIdx.x, blockDim.x, block);
                assume("a thread has combined what its blocks have left", all == others);
            }
        }
        all = block_reduce(all, sums);
        if (threadIdx.x == 0u) {
            own("one block is the last to arrive", result[0u]);
            result[0u] = all;
            store_relaxed(&arrived[0u], 0u);
        }
    }
    barrier();
}

// `reduce_all` as a launch of its own.
extern "C" __global__ void __launch_bounds__(256) reduce(Params p, u64 count, T* partials, u32* arrived, T* result) {
    __shared__ T sums[32];
    __shared__ u32 order[1];
    reduce_all(p, count, partials, arrived, result, sums, order);
}
