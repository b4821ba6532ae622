// A grid barrier that one block does not reach.
// expect: refused grid-barrier at k, statement 1
// launch: k 2 32 cooperative u32*1 u32*64
// finds: deadlock

// Waits until all threads of the grid have come.
// barrier: grid
__device__ __forceinline__ void meet(u32* word) {
    barrier();
    if (threadIdx.x == 0u) {
        atomic_add_acq_rel(&word[0u], 1u);
        while (true) {
            u32 now = load_acquire(&word[0u]);
            if (now == gridDim.x) {
                break;
            }
        }
    }
    barrier();
}

extern "C" __global__ void __launch_bounds__(256) k(u32* word, u32* out) {
    if (blockIdx.x == 0u) {
        meet(word);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}
