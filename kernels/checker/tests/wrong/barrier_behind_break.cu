// A barrier in a loop that some threads leave early.
// expect: refused barrier at k, statement 4
// launch: k 1 64 u32*64
// finds: barrier-divergence

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    u32 i = threadIdx.x;
    while (true) {
        if (i >= 64u) {
            break;
        }
        barrier();
        i += 32u;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
