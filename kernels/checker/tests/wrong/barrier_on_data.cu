// A barrier under a branch on data that differs between threads.
// expect: refused barrier at k, statement 2
// launch: k 1 64 u32*64=iota u32*64
// finds: barrier-divergence

extern "C" __global__ void __launch_bounds__(256) k(u32* in, u32* out) {
    u32 mine = in[threadIdx.x];
    if (mine != 0u) {
        barrier();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}
