// A counter is read plainly while others count.
// expect: refused block-permission at k, statement 0
// launch: k 1 64 u32*1 u32*64
// finds: race-with-atomic

extern "C" __global__ void __launch_bounds__(256) k(u32* count, u32* out) {
    atomic_add(&count[0u], 1u);
    out[blockIdx.x * blockDim.x + threadIdx.x] = count[0u];
}
