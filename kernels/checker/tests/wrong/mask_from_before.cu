// A mask taken before a branch is used within it.
// expect: refused mask at k, statement 3
// launch: k 1 32 u32*32
// finds: mask

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    u32 mask = active_mask();
    u32 votes = 0u;
    if (lane_id() >= 16u) {
        votes = ballot(mask, true);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = votes;
}
