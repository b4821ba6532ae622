// Some lanes wait for all lanes of the warp.
// expect: refused mask at k, statement 1
// launch: k 1 32 u32*32
// finds: mask

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    if (threadIdx.x < 7u) {
        warp_barrier(0xffffffffu);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}
