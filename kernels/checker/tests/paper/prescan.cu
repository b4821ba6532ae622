// Section 3.4.3: exclusive sums within a block, up the tree and down again. That `o` stays a power of two is the loop
// invariant of the proof there.
// expect: accepted
// launch: prescan 1 64 u32*128=iota
// finds: nothing

extern "C" __global__ void __launch_bounds__(256) prescan(u32* data) {
    __shared__ u32 smem[512];
    assume("one block", gridDim.x == 1u);
    smem[2u * threadIdx.x] = data[2u * threadIdx.x];
    smem[2u * threadIdx.x + 1u] = data[2u * threadIdx.x + 1u];
    u32 o = 1u;
    u32 d = blockDim.x;
    while (0u < d) {
        barrier();
        assume("o * d is the length", o > 0u);
        if (threadIdx.x < d) {
            u32 t1 = smem[o * (2u * threadIdx.x + 1u) - 1u];
            u32 t2 = smem[o * (2u * threadIdx.x + 2u) - 1u];
            smem[o * (2u * threadIdx.x + 2u) - 1u] = t1 + t2;
        }
        o = o * 2u;
        d = d / 2u;
    }
    barrier();
    if (threadIdx.x == 0u) {
        smem[2u * blockDim.x - 1u] = 0u;
    }
    d = 1u;
    while (d < blockDim.x * 2u) {
        o = o / 2u;
        barrier();
        assume("o * d is the length", o > 0u);
        if (threadIdx.x < d) {
            u32 s1 = smem[o * (2u * threadIdx.x + 1u) - 1u];
            u32 s2 = smem[o * (2u * threadIdx.x + 2u) - 1u];
            smem[o * (2u * threadIdx.x + 1u) - 1u] = s2;
            smem[o * (2u * threadIdx.x + 2u) - 1u] = s1 + s2;
        }
        d = d * 2u;
    }
    barrier();
    data[2u * threadIdx.x] = smem[2u * threadIdx.x];
    data[2u * threadIdx.x + 1u] = smem[2u * threadIdx.x + 1u];
}
