// Section 3.4.1: one added to every element, strided over the grid.
// expect: accepted
// launch: map 3 64 u32*1000=iota u32*1000 u32=1000
// finds: nothing

extern "C" __global__ void __launch_bounds__(256) map(u32* in, u32* out, u32 len) {
    u32 ix = blockIdx.x * blockDim.x + threadIdx.x;
    while (ix < len) {
        u32 tmp = in[ix];
        out[ix] = tmp + 1u;
        ix = ix + blockDim.x * gridDim.x;
    }
}
