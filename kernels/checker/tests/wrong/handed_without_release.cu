// One thread hands an element to another, but nothing orders the store before the flag.
// expect: accepted
// launch: k 1 64 u32*2 u32*2
// finds: race

// handed: element: written before the flag
extern "C" __global__ void __launch_bounds__(256) k(u32* element, u32* flag) {
    if (threadIdx.x == 0u) {
        element[0u] = 1u;
        store_relaxed(&flag[0u], 1u);
    }
    if (threadIdx.x == 32u) {
        u32 seen = load_relaxed(&flag[0u]);
        while (seen == 0u) {
            seen = load_relaxed(&flag[0u]);
        }
        element[1u] = element[0u];
    }
}
