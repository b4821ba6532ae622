// A buffer that is chosen in one turn of a loop, or on one way only, and written in the next.
// expect: refused block-permission at k, statement 3
// launch: k 1 64 u32*64 u32=2
// finds: race

extern "C" __global__ void __launch_bounds__(256) k(u32* a, u32 n) {
    u32* chosen;
    for (u32 turn = 0u; turn < n; turn += 1u) {
        if (turn > 0u) {
            chosen[0u] = threadIdx.x;
        }
        chosen = a;
    }
}
