// A barrier in a loop whose number of turns depends on the thread.
// expect: refused barrier at k, statement 2
// launch: k 1 64 u32*64
// finds: barrier-divergence

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    u32 i = threadIdx.x;
    for (u32 turn = 0u; turn < i; turn += 1u) {
        barrier();
    }
    out[blockIdx.x * blockDim.x + i] = i;
}
