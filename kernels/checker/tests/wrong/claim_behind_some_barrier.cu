// What a thread owns up to a barrier is touched behind one that is passed in some turns only.
// expect: refused block-permission at k, statement 3
// launch: k 1 64 u32*64=iota u32*64 u32=4 u32=1
// finds: nothing

extern "C" __global__ void __launch_bounds__(256) k(u32* slots, u32* out, u32 n, u32 mask) {
    u32 mine = slots[threadIdx.x];
    own("each slot is handed out once", out[mine]);
    for (u32 i = 0u; i < n; i += 1u) {
        out[mine] = i;
        if ((i & mask) != 0u) {
            barrier();
        }
    }
}
