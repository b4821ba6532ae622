// The best row of a table of which one constraint stays: a reduction on insertion without a key.

// Bits of `order`: the column holds floats; the greatest value is sought.
constexpr u32 FLOATS = 1u;
constexpr u32 GREATEST = 2u;

// A word for a value: the better, the less.
// shares: nothing
__device__ __forceinline__ u64 merit(u64 value, u32 order) {
    u64 sign = 0x8000000000000000ull;
    u64 word = value ^ sign;
    if ((order & FLOATS) != 0u) {
        // Both zeros are the same value.
        u64 bits = value == sign ? 0ull : value;
        word = (bits & sign) != 0ull ? ~bits : bits ^ sign;
    }
    return (order & GREATEST) != 0u ? ~word : word;
}

// Finds the best of the rows that a block looks at; of equally good ones the first.
// pre: no value is not a number; words and rows have an element a block; warps of a block that gets no row write the
//     greatest number
// post: words[block] and found[block] are the merit and the row of the best one
// shares: words, found: thread 0 of each block; shared arrays between barriers: one element a warp
extern "C" __global__ void __launch_bounds__(256) best_row(u64* column, u32 first, u32 rows, u32 order, u64* words, u32* found) {
    __shared__ u64 warp_words[8];
    __shared__ u32 warp_rows[8];
    u32 step = gridDim.x * 256u;
    u64 best = 0xffffffffffffffffull;
    u32 at = 0xffffffffu;
    for (u32 k = blockIdx.x * 256u + threadIdx.x; k < rows; k += step) {
        u64 word = merit(column[first + k], order);
        if (word < best || at == 0xffffffffu) {
            best = word;
            at = first + k;
        }
    }
    #pragma unroll
    for (u32 distance = 16u; distance != 0u; distance >>= 1u) {
        u64 other = shfl_xor(0xffffffffu, best, distance);
        u32 other_at = shfl_xor(0xffffffffu, at, distance);
        if (other < best || other == best && other_at < at) {
            best = other;
            at = other_at;
        }
    }
    if (lane_id() == 0u) {
        warp_words[threadIdx.x >> 5u] = best;
        warp_rows[threadIdx.x >> 5u] = at;
    }
    barrier();
    if (threadIdx.x == 0u) {
        for (u32 w = 0u; w < 8u; w += 1u) {
            u64 word_of = warp_words[w];
            u32 row_of = warp_rows[w];
            if (word_of < best || word_of == best && row_of < at) {
                best = word_of;
                at = row_of;
            }
        }
        words[blockIdx.x] = best;
        found[blockIdx.x] = at;
    }
}
