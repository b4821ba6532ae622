// Within `everywhere` a branch on the lane parts the lanes that were woken.
// expect: refused mask at k, statement 3
// launch: k 1 32 u32*32
// finds: mask

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    if (threadIdx.x < 2u) {
        everywhere (u32 asks = threadIdx.x) {
            if (lane_id() > asks) {
                u32 votes = ballot(0xffffffffu, true);
                atomic_add(&out[asks], votes);
            }
        }
    }
}
