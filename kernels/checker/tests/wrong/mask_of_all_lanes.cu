// Lanes of a branch vote for the whole warp.
// expect: refused mask at k, statement 2
// launch: k 1 32 u32*32
// finds: mask

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    u32 votes = 0u;
    if (lane_id() >= 16u) {
        votes = ballot(0xffffffffu, true);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = votes;
}
