struct Launch {
    u64* input;
    u32* small;
    u64* output;
};

__device__ __forceinline__ void element(Launch p, u64 index) {
    p.output[index] = p.input[index] * 3ull + 1ull;
}

__device__ __forceinline__ u64 value(Launch p, u64 index) {
    return p.input[index];
}

__device__ __forceinline__ u64 combine(u64 a, u64 b) {
    return a + b;
}

__device__ __forceinline__ void accept(Launch p, u64 index, u64 mine, u64 before) {
    assume("value is stable", mine == p.input[index]);
    p.output[index] = before;
}

__device__ __forceinline__ u32 value32(Launch p, u64 index) {
    return p.small[index];
}

__device__ __forceinline__ void accept32(Launch p, u64 index, u32 mine, u32 before) {
    p.output[index] = u64(before) << 32u | u64(mine);
}

__device__ __forceinline__ bool keep(Launch p, u64 index) {
    return p.input[index] % 3ull == 0ull;
}

__device__ __forceinline__ void move(Launch p, u64 from, u64 to) {
    p.output[to] = p.input[from];
}

__device__ __forceinline__ bool claim(Launch p, u64 index) {
    bool dead = p.input[index] % 2ull == 0ull;
    if (dead) {
        p.input[index] = 1ull;
    }
    return dead;
}
