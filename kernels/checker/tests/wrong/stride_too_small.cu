// Threads stride by less than their number.
// expect: refused block-permission at k, statement 2
// launch: k 1 64 u32*256
// finds: race

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    assume("one block", gridDim.x == 1u);
    for (u32 i = threadIdx.x; i < 256u; i += 32u) {
        out[i] = threadIdx.x;
    }
}
