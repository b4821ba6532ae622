// Least and greatest value of a column.

// pre: range[at] is the greatest number, range[at + 1] the least; a row whose id is all ones holds nothing
// post: they are the least and the greatest value of the rows that hold constraints, as long as there are any
// shares: range: atomics only
extern "C" __global__ void __launch_bounds__(256) column_range(u64* column, u32* ids, u32 rows, i64* range, u32 at) {
    u32 step = gridDim.x * 256u;
    i64 least = 0x7fffffffffffffffll;
    i64 greatest = I64_MIN;
    for (u32 row = blockIdx.x * 256u + threadIdx.x; row < rows; row += step) {
        if (ids[row] != 0xffffffffu) {
            i64 value = i64(column[row]);
            least = min(least, value);
            greatest = max(greatest, value);
        }
    }
    #pragma unroll
    for (u32 distance = 16u; distance != 0u; distance >>= 1u) {
        i64 other_least = shfl_xor(0xffffffffu, least, distance);
        i64 other_greatest = shfl_xor(0xffffffffu, greatest, distance);
        least = min(least, other_least);
        greatest = max(greatest, other_greatest);
    }
    if (lane_id() == 0u && least <= greatest) {
        atomic_min(&range[at], least);
        atomic_max(&range[at + 1u], greatest);
    }
}
