// A variable is assumed to be uniform, and is not.
// expect: accepted
// launch: k 1 64 u32*64=iota u32*64
// finds: not-uniform barrier-divergence

extern "C" __global__ void __launch_bounds__(256) k(u32* in, u32* out) {
    u32 x = in[threadIdx.x];
    assume_uniform_block("all values are equal", x);
    if (x < 32u) {
        barrier();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
