// What is read of memory that is handed over may differ between threads, although all read the same element.
// expect: refused barrier
// launch: k 1 64 u32*2
// finds: nothing

// handed: flag: set by the first thread
extern "C" __global__ void __launch_bounds__(256) k(u32* flag) {
    u32 seen = flag[0u];
    if (seen == 0u) {
        barrier();
    }
}
