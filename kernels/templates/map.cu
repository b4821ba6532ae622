// Map: one function applied to every index.
//
// Contract lines: `pre:` holds at the call, `post:` at the return, `shares:` says which thread touches what between barriers.

// The program's buffers and numbers.
struct Params;

// Computes element `index`.
// pre: index < count, called once for each index
// shares: touches only what belongs to `index`, or touches it with atomics
__device__ void element(Params p, u64 index);

// Computes all elements with all threads of the grid.
// pre: every thread of the grid calls it with the same count
// post: `element` was called once for every index below count
// shares: what `element` does; no order among indices
__device__ __forceinline__ void map_all(Params p, u64 count) {
    u64 step = u64(gridDim.x) * u64(blockDim.x);
    for (u64 index = u64(blockIdx.x) * u64(blockDim.x) + u64(threadIdx.x); index < count; index += step) {
        element(p, index);
    }
}

// `map_all` as a launch of its own.
extern "C" __global__ void __launch_bounds__(256) map(Params p, u64 count) {
    map_all(p, count);
}
