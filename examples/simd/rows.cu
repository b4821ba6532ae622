// Counts the ones in rows of different lengths, in the kernel language: a lane whose row has more than eight elements
// asks the whole warp to do it. The first memory cells are the parameters: where the starts of rows, the elements and
// the counts begin.
// Run it with:   gchr simd examples/simd/rows.cu --memory examples/simd/rows.memory
struct Rows {
    u32* starts;
    u32* values;
    u32* counts;
};

extern "C" __global__ void __launch_bounds__(256) count_ones(Rows p) {
    u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    u32 begin = p.starts[row];
    u32 end = p.starts[row + 1u];
    if (end - begin > 8u) {
        everywhere (u32 first = begin, u32 last = end, u32 to = row) {
            for (u32 i = first + lane_id(); i < last; i += 32u) {
                u32 value = p.values[i];
                if (value == 1u) {
                    atomic_add(&p.counts[to], 1u);
                }
            }
        }
    } else {
        for (u32 j = begin; j < end; j += 1u) {
            u32 single = p.values[j];
            if (single == 1u) {
                atomic_add(&p.counts[row], 1u);
            }
        }
    }
}
