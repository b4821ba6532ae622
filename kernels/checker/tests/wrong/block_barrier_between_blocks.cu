// A block barrier does not keep blocks apart.
// expect: refused grid-permission at k, statement 2
// launch: k 2 64 u32*128 u32*128
// finds: race unwritten-element

extern "C" __global__ void __launch_bounds__(256) k(u32* a, u32* b) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 other = (gridDim.x - 1u - blockIdx.x) * blockDim.x + threadIdx.x;
    a[i] = i;
    barrier();
    b[i] = a[other];
}
