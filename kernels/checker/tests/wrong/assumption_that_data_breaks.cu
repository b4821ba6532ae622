// An assumption on data that does not hold.
// expect: accepted
// launch: k 1 64 u32*64=iota u32*64
// finds: assumption-failed

extern "C" __global__ void __launch_bounds__(256) k(u32* in, u32* out) {
    u32 x = in[threadIdx.x];
    assume("values are small", x < 60u);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
