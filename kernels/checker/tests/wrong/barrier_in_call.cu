// A function with a barrier, called by some threads.
// expect: refused barrier at meet, statement 0
// launch: k 1 64 u32*64
// finds: barrier-divergence

__device__ __forceinline__ void meet() {
    barrier();
}

extern "C" __global__ void __launch_bounds__(256) k(u32* out) {
    if (threadIdx.x != 3u) {
        meet();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}
