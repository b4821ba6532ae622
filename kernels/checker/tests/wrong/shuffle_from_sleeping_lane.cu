// A shuffle reads from a lane that took the other branch.
// expect: refused shuffle-source at k, statement 3
// launch: k 1 32 u32*32
// finds: shuffle-source

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    u32 x = threadIdx.x;
    if (lane_id() >= 16u) {
        u32 mask = active_mask();
        x = shfl(mask, x, 0u);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
