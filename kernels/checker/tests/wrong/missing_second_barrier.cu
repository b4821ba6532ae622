// A tile is written again while the turn before may still read it.
// expect: refused block-permission at k, statement 4
// launch: k 1 64 u32*64 u32=3
// finds: race

extern "C" __global__ void __launch_bounds__(256) k(u32* out, u32 turns) {
    __shared__ u32 tile[256];
    for (u32 turn = 0u; turn < turns; turn += 1u) {
        tile[threadIdx.x] = turn;
        barrier();
        out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1u - threadIdx.x];
    }
}
