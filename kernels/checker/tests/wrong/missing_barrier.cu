// A thread reads what its neighbour has written, without a barrier between.
// expect: refused block-permission at k, statement 1
// launch: k 1 64 u32*64
// finds: race unwritten-element

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    __shared__ u32 tile[256];
    tile[threadIdx.x] = threadIdx.x;
    u32 x = threadIdx.x + 1u < blockDim.x ? tile[threadIdx.x + 1u] : 0u;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
