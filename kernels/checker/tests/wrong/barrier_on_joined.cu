// A variable that a branch on the thread has written decides about a barrier.
// expect: refused barrier at k, statement 4
// launch: k 1 64 u32*64
// finds: barrier-divergence

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    u32 x = 0u;
    if (threadIdx.x == 5u) {
        x = 1u;
    }
    if (x == 0u) {
        barrier();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
