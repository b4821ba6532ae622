// A step that does not hold: the checker takes no step for true, the simulator finds it.
// expect: accepted
// launch: wrong_step 2 32 u32*64=iota u32*2
// finds: step-failed

// The combination of the values of so many lanes from this one on, as a function of what the warp was given.
__device__ __forceinline__ u32 combined(u32* in, u32 first, u32 lanes) {
    u32 sum = 0u;
    for (u32 lane = first; lane < first + lanes; lane += 1u) {
        sum += in[lane];
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(32) wrong_step(u32* in, u32* out) {
    u32 me = blockIdx.x * 32u + threadIdx.x;
    u32 sum = in[me];
    for (u32 distance = 16u; distance > 0u; distance >>= 1u) {
        u32 other = shfl_down(0xffffffffu, sum, distance);
        sum = sum + other;
        simulated {
            bool idle = lane_id() != 0u;
            u32 lanes = distance;
            u32 expected = 0u;
            for (u32 lane = 0u; lane < 32u; lane += lanes) {
                u32 value = combined(in, me - lane_id() + lane, 1u);
                expected += value;
            }
            assume("lane 0 has combined the lanes at multiples of the distance", idle || sum == expected + 1u);
        }
    }
    if (threadIdx.x == 0u) {
        out[blockIdx.x] = sum;
    }
}
