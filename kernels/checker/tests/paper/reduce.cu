// Section 3.4.2: each block sums its strided share, by halving in shared memory.
// expect: accepted
// launch: reduce 3 64 u32*1000=iota u32*3 u32=1000
// finds: nothing

extern "C" __global__ void __launch_bounds__(256) reduce(u32* in, u32* out, u32 len) {
    __shared__ u32 smem[256];
    u32 t1 = in[blockIdx.x * blockDim.x + threadIdx.x];
    u32 ix = blockIdx.x * blockDim.x + threadIdx.x + blockDim.x * gridDim.x;
    while (ix < len) {
        u32 t2 = in[ix];
        t1 = t1 + t2;
        ix = ix + blockDim.x * gridDim.x;
    }
    smem[threadIdx.x] = t1;
    barrier();
    u32 st = blockDim.x / 2u;
    while (0u < st) {
        if (threadIdx.x < st) {
            u32 a = smem[threadIdx.x];
            u32 b = smem[threadIdx.x + st];
            smem[threadIdx.x] = a + b;
        }
        st = st / 2u;
        barrier();
    }
    if (threadIdx.x == 0u) {
        u32 t = smem[0u];
        out[blockIdx.x] = t;
    }
}
