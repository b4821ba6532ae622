// The reduce template with one barrier a step, but without `tid < s`: a thread writes what another one reads.
// expect: refused block-permission
// launch: reduce_template 1 64 u32*64=iota u32=50
// finds: race

extern "C" __global__ void __launch_bounds__(256) reduce_template(u32* data, u32 len) {
    __shared__ u32 sdata[256];
    assume("one block", gridDim.x == 1u);
    u32 x1 = data[threadIdx.x];
    sdata[threadIdx.x] = x1;
    u32 s = 128u;
    while (s > 0u) {
        barrier();
        if (threadIdx.x + s < len) {
            u32 x0 = sdata[threadIdx.x + s];
            x1 = x1 + x0;
            sdata[threadIdx.x] = x1;
        }
        s = s / 2u;
    }
    if (threadIdx.x == 0u) {
        data[0u] = sdata[0u];
    }
}
