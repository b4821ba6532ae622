// Section 2.4.2 (ii): well-typed as to thread-ID independence, but the flag is written while others read it: whether
// threads agree on it depends on the schedule.
// expect: refused block-permission at flag, statement 1
// launch: flag 1 64 u32*1
// finds: race

extern "C" __global__ void __launch_bounds__(256) flag(u32* a) {
    assume("one block", gridDim.x == 1u);
    u32 x = a[0u];
    a[0u] = threadIdx.x;
    if (x == 0u) {
        barrier();
    }
}
