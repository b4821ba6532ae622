// Offsets: the exclusive scan of a buffer of counts by all threads of a cooperative launch.
//
// Every block sums a contiguous share; behind a grid barrier it adds up the sums of the blocks before it and scans its
// share. Blocks read their own share twice, which stays in cache while it is small: this is for the short lists of a
// round.

// From the template `grid_barrier`: all threads of the grid wait for each other.
__device__ void grid_barrier(u32* word);

// Sum over the threads of a block, in all threads.
// pre: all threads of the block call it together; sums[0] can be used
// shares: sums[0]: thread 0 clears it, all add to it atomically, all read it behind a barrier
__device__ __forceinline__ u32 block_sum(u32 mine, in_shared u32* sums) {
    barrier();
    if (threadIdx.x == 0u) {
        sums[0u] = 0u;
    }
    barrier();
    if (mine != 0u) {
        atomic_add_block(&sums[0u], mine);
    }
    barrier();
    return sums[0u];
}

// Exclusive sum over the threads of a block, on top of what came before.
// pre: all 256 threads of the block call it together; parts has 8 elements that no other thread is still using;
//     running[at] is the sum so far
// post: running[at] has grown by the sum of all; parts can be used again behind a barrier
// shares: parts: lane 31 of each warp writes its own element, all read behind a barrier
__device__ __forceinline__ u32 running_sum(u32 mine, in_shared u32* parts, in_local u32* running, u32 at) {
    u32 upto = mine;
    #pragma unroll
    for (u32 distance = 1u; distance < 32u; distance <<= 1u) {
        u32 other = shfl_up(0xffffffffu, upto, distance);
        upto = upto + (lane_id() >= distance ? other : 0u);
    }
    barrier();
    if (lane_id() == 31u) {
        parts[threadIdx.x >> 5u] = upto;
    }
    barrier();
    u32 before = running[at] + upto - mine;
    u32 all = 0u;
    for (u32 w = 0u; w < 8u; w += 1u) {
        before = before + (w < threadIdx.x >> 5u ? parts[w] : 0u);
        all = all + parts[w];
    }
    running[at] = running[at] + all;
    return before;
}

// As `scan_counts`, by block 0 alone and without a barrier of the grid, for at most 256 counts.
// pre: every thread of the grid calls it with the same arguments; sums has 8 elements that no other thread is still
//     using
// post: offsets may be read behind a grid barrier; sums can be used again
// shares: offsets: each element by one thread
__device__ __forceinline__ void scan_few(u32* counts, u32* offsets, u32 count, in_shared u32* sums) {
    u32 all[1];
    all[0u] = 0u;
    bool has_one = blockIdx.x == 0u && threadIdx.x < count;
    u32 single = 0u;
    if (has_one) {
        single = counts[threadIdx.x];
    }
    u32 sum_before = running_sum(single, sums, all, 0u);
    if (has_one) {
        offsets[threadIdx.x] = sum_before;
    }
    if (blockIdx.x == 0u && threadIdx.x == 0u) {
        offsets[count] = all[0u];
    }
    barrier();
}

// Writes to offsets[i] the sum of counts[0] to counts[i - 1], and to offsets[count] the sum of all.
// pre: every thread of the grid calls it with the same arguments; all blocks are resident and have 256 threads;
//     block_sums has an element for each block; sums has 8 elements that no other thread is still using; the sum of all
//     counts is below 2^32
// post: offsets may be read behind a grid barrier; sums can be used again
// shares: block_sums: thread 0 of each block writes its element, all read behind the grid barrier; offsets: each
//     element by one thread
__device__ __forceinline__ void scan_counts(u32* counts, u32* offsets, u32 count, u32* block_sums, u32* arrivals, in_shared u32* sums) {
    u32 piece = (count + gridDim.x - 1u) / gridDim.x;
    u32 start = min(blockIdx.x * piece, count);
    u32 end = min(start + piece, count);
    u32 mine = 0u;
    for (u32 i = start + threadIdx.x; i < end; i += 256u) {
        mine = mine + counts[i];
    }
    u32 own_sum = block_sum(mine, sums);
    if (threadIdx.x == 0u) {
        block_sums[blockIdx.x] = own_sum;
    }
    grid_barrier(arrivals);
    u32 lower = 0u;
    for (u32 b = threadIdx.x; b < blockIdx.x; b += 256u) {
        lower = lower + block_sums[b];
    }
    u32 running[1];
    u32 below = block_sum(lower, sums);
    running[0u] = below;
    if (blockIdx.x == gridDim.x - 1u && threadIdx.x == 0u) {
        offsets[count] = below + own_sum;
    }
    for (u32 at = start; at < end; at += 256u) {
        u32 k = at + threadIdx.x;
        u32 value = 0u;
        if (k < end) {
            value = counts[k];
        }
        u32 before = running_sum(value, sums, running, 0u);
        if (k < end) {
            offsets[k] = before;
        }
    }
    barrier();
}
