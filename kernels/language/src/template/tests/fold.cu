// A template with a hole of every kind.
using T = HOLE;

struct Params;

constexpr u64 FIRST = HOLE;

// The value of an index.
__device__ T value(Params p, u64 index);

// From the template `twice`: twice a number.
__device__ u64 twice(u64 x);

// The sum of twice the values of the first indices.
__device__ __forceinline__ T fold(Params p, u64 count) {
    T sum = FIRST;
    for (u64 i = 0ull; i < count; i += 1ull) {
        T once = value(p, i);
        T both = twice(once);
        sum += both;
    }
    return sum;
}

// Leaves the sum.
extern "C" __global__ void __launch_bounds__(32) fold_all(Params p, u64 count, T* result) {
    if (threadIdx.x == 0u) {
        T sum = fold(p, count);
        result[0u] = sum;
    }
}
