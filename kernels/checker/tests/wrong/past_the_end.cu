// The last thread reads past the end: what is in bounds rests on the launch, and is tested.
// expect: accepted
// launch: k 1 64 u32*64 u32*64
// finds: out-of-bounds

extern "C" __global__ void __launch_bounds__(256) k(u32* in, u32* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x + 1u];
}
