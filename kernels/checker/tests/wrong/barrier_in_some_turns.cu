// A barrier that is passed in some turns only: a turn may read what the turn before has written behind it.
// expect: refused block-permission at k, statement 8
// launch: k 1 64 u32*64 u32=4 u32=1
// finds: race

extern "C" __global__ void __launch_bounds__(256) k(u32* out, u32 n, u32 mask) {
    __shared__ u32 tile[256];
    tile[threadIdx.x] = 0u;
    barrier();
    u32 sum = 0u;
    for (u32 i = 0u; i < n; i += 1u) {
        sum = sum + tile[blockDim.x - 1u - threadIdx.x];
        if ((i & mask) != 0u) {
            barrier();
            tile[threadIdx.x] = i;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
