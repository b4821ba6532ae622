// Grid barrier: all threads of a cooperative launch wait for each other.
//
// One word: its top bit is the sense, flipped by the last block to arrive; the bits below count arrivals. Block 0 adds
// what makes the sum of all arrivals the top bit, so that nothing needs to be reset.

constexpr u32 SENSE = 0x80000000u;

// pre: every thread of the grid calls it; all blocks run at once; word[0] was 0 before the first grid barrier, and is
//     used for grid barriers only
// post: what any thread did before its call has happened for every thread after it
// shares: word: atomics only
// barrier: grid
__device__ __forceinline__ void grid_barrier(u32* word) {
    barrier();
    if (threadIdx.x == 0u) {
        u32 arrival = blockIdx.x == 0u ? SENSE - (gridDim.x - 1u) : 1u;
        u32 before = atomic_add_acq_rel(&word[0u], arrival);
        while (true) {
            u32 now = load_acquire(&word[0u]);
            if (((before ^ now) & SENSE) != 0u) {
                break;
            }
        }
    }
    barrier();
}
