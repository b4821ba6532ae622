// A barrier behind a return of some threads.
// expect: refused barrier at k, statement 4
// launch: k 1 64 u32*64 u32=40
// finds: barrier-divergence

extern "C" __global__ void __launch_bounds__(256) k(u32* out, u32 count) {
    u32 i = threadIdx.x;
    if (i >= count) {
        return;
    }
    out[blockIdx.x * blockDim.x + i] = i;
    barrier();
}
