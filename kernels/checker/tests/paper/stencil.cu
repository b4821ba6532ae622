// Section 2.1.1, figure 2.2: the sum of an element and its neighbours, with a tile and its edges in shared memory.
// expect: accepted
// launch: stencil 3 64 u32*192=iota u32*192
// finds: nothing

extern "C" __global__ void __launch_bounds__(256) stencil(u32* arr, u32* out) {
    __shared__ u32 smem[258];
    u32 gid = blockIdx.x * blockDim.x + threadIdx.x;
    u32 t = arr[gid];
    smem[threadIdx.x + 1u] = t;
    if (threadIdx.x == 0u) {
        if (blockIdx.x == 0u) {
            smem[0u] = 0u;
        } else {
            t = arr[gid - 1u];
            smem[0u] = t;
        }
    }
    if (threadIdx.x == blockDim.x - 1u) {
        if (blockIdx.x == gridDim.x - 1u) {
            smem[blockDim.x + 1u] = 0u;
        } else {
            t = arr[gid + 1u];
            smem[blockDim.x + 1u] = t;
        }
    }
    barrier();
    u32 t0 = smem[threadIdx.x];
    u32 t1 = smem[threadIdx.x + 1u];
    u32 t2 = smem[threadIdx.x + 2u];
    out[gid] = t0 + t1 + t2;
}
