// Slots are claimed as handed out once, but the data hands one out twice.
// expect: accepted
// launch: k 1 64 u32*64 u32*64
// finds: not-owner

extern "C" __global__ void __launch_bounds__(256) k(u32* slots, u32* out) {
    u32 mine = slots[threadIdx.x];
    own("each slot is handed out once", out[mine]);
    out[mine] = threadIdx.x;
}
