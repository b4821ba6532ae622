// All threads write one element.
// expect: refused block-permission at k, statement 1
// launch: k 1 64 u32*64
// finds: race

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    assume("one block", gridDim.x == 1u);
    out[0u] = threadIdx.x;
}
