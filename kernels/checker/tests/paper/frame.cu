// Section 2.4.2 (i): a barrier that hands nothing over; each thread keeps its element. Only the frame rule proves it.
// expect: accepted
// launch: frame 1 64 u32*64
// finds: nothing

extern "C" __global__ void __launch_bounds__(256) frame(u32* arr) {
    assume("one block", gridDim.x == 1u);
    arr[threadIdx.x] = threadIdx.x;
    barrier();
    arr[threadIdx.x] = threadIdx.x;
}
