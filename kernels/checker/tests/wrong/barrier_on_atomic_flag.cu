// A flag that all threads read atomically while one of them writes it.
// expect: refused barrier at k, statement 6

extern "C" __global__ void __launch_bounds__(256) k(u32* flag) {
    u32 seen = load_relaxed(&flag[0u]);
    if (threadIdx.x == 33u) {
        store_relaxed(&flag[0u], 1u);
    }
    if (threadIdx.x < 32u) {
        sleep_ns(10u);
    }
    if (seen == 0u) {
        barrier();
    }
}
