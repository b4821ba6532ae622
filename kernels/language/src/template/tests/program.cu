struct Launch {
    u64* input;
    u64* output;
};

__device__ __forceinline__ u64 element(Launch p, u64 index) {
    return p.input[index] * 3ull + 1ull;
}

__device__ __forceinline__ bool keep(Launch p, u64 index) {
    return p.input[index] % 3ull == 0ull;
}
