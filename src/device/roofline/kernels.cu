// What measures the ceilings of a device's memory.

struct alignas(16) Line {
    u64 a;
    u64 b;
};

constexpr u32 BLOCK = 256u;

// A place for a number: neighbours lie far apart.
__device__ __forceinline__ u32 scattered(u32 number) {
    u32 x = number ^ number >> 16u;
    x = x * 0x7feb352du;
    x = x ^ x >> 15u;
    x = x * 0x846ca68bu;
    return x ^ x >> 16u;
}

// Copies in order, 16 bytes a thread at a time.
extern "C" __global__ void __launch_bounds__(256) copy_in_order(Line* from, Line* to, u32 lines) {
    u32 stride = gridDim.x * BLOCK;
    for (u32 i = blockIdx.x * BLOCK + threadIdx.x; i < lines; i += stride) {
        to[i] = from[i];
    }
}

// Reads words at random places.
extern "C" __global__ void __launch_bounds__(256) read_at_random(u32* words, u32 mask, u32 turns, u32* sums) {
    u32 thread = blockIdx.x * BLOCK + threadIdx.x;
    u32 sum = 0u;
    for (u32 i = 0u; i < turns; i += 1u) {
        u32 place = scattered(thread * 977u + i);
        sum = sum + words[place & mask];
    }
    sums[thread] = sum;
}

// Adds to words at random places.
extern "C" __global__ void __launch_bounds__(256) add_at_random(u32* words, u32 mask, u32 turns) {
    u32 thread = blockIdx.x * BLOCK + threadIdx.x;
    for (u32 i = 0u; i < turns; i += 1u) {
        u32 place = scattered(thread * 977u + i);
        u32 before = atomic_add(&words[place & mask], 1u);
    }
}
