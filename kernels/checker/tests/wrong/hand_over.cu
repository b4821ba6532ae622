// What threads claim behind the barrier is more than there is: two of them claim each element.
// expect: refused hand-over at k, statement 4
// launch: k 1 64 u32*64
// finds: not-owner

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    __shared__ u32 tile[256];
    tile[threadIdx.x] = threadIdx.x;
    barrier();
    u32 half = threadIdx.x >> 1u;
    own("half of the threads each", tile[half]);
    tile[half] = 1u;
    barrier();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}
