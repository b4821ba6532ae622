// Twice a number.
__device__ __forceinline__ u64 twice(u64 x) {
    return 2ull * x;
}
