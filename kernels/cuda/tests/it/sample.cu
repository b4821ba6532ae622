// Kernels for tests of the device runtime. No headers, as in generated code.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

struct Columns {
    u32* left;
    u32* right;
    u32 length;
    u8 factor;
    u64* sum;
};

extern "C" __global__ void __launch_bounds__(256) vector_add(const u32* a, const u32* b, u32* c, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Record parameters: sum += left[i] * right[i] * factor.
extern "C" __global__ void __launch_bounds__(256) dot(Columns columns) {
    __shared__ u64 partial[256];
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 value = i < columns.length ? (u64)columns.left[i] * columns.right[i] * columns.factor : 0;
    partial[threadIdx.x] = value;
    __syncthreads();
    for (u32 step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(columns.sum, partial[0]);
}

// All blocks wait for each other. `arrived` starts at 0 and counts arrivals of all rounds.
__device__ void grid_barrier(u32* arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        u32 ticket = atomicAdd(arrived, 1);
        u32 target = (ticket / gridDim.x + 1) * gridDim.x;
        while (*(volatile u32*)arrived < target) __nanosleep(32);
        __threadfence();
    }
    __syncthreads();
}

// In every round a thread takes over the value of its neighbour in the next block: any missed barrier shows.
extern "C" __global__ void __launch_bounds__(256) rotate(u32* from, u32* to, u32* arrived, u32 rounds) {
    u32 n = gridDim.x * blockDim.x;
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 round = 0; round < rounds; round++) {
        volatile u32* source = round % 2 == 0 ? from : to;
        volatile u32* target = round % 2 == 0 ? to : from;
        target[i] = source[(i + blockDim.x) % n];
        grid_barrier(arrived);
    }
}

// Runs until the host says stop, at most for so many clocks; counts what it saw.
extern "C" __global__ void wait_for_stop(u32* stop, u32* seen, u64 clocks) {
    u64 start = clock64();
    while (*(volatile u32*)stop == 0) {
        if ((u64)clock64() - start > clocks) return;
    }
    *seen = *(volatile u32*)stop;
}

extern "C" __global__ void write_anywhere(u64 address) {
    *(volatile u32*)address = 1;
}
