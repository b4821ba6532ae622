// What the names of the kernel language mean in CUDA C++. NVRTC compiles this before the kernels of a program; no
// header is included. Fixed: nothing here depends on the program.
#pragma nv_diag_suppress 177, 549, 550
typedef unsigned char u8;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef double f64;
#define I32_MIN (-2147483647 - 1)
#define I64_MIN (-9223372036854775807ll - 1ll)
__device__ constexpr u8 operator""_u8(u64 x) { return u8(x); }

// Where a pointer points is known to the checker and the simulator; the compiler finds it by itself. (Plain `shared`
// would not do: `__shared__` is a macro with that word inside.)
#define in_shared
#define in_local
// Statements for the checker and the simulator.
#define assume(...)
#define assume_uniform(...)
#define assume_uniform_block(...)
#define own(...)
// What counts is defined by the counting form.
#ifndef GCHR_TALLIES
#define tally(...)
#endif

#define GCHR __device__ __forceinline__

GCHR u32 lane_id() { return threadIdx.x & 31u; }
GCHR u32 popcount(u32 x) { return u32(__popc(x)); }
GCHR u32 popcount(u64 x) { return u32(__popcll(x)); }
GCHR u32 find_first_set(u32 x) { return u32(__ffs(i32(x))); }
GCHR u32 find_first_set(u64 x) { return u32(__ffsll(i64(x))); }
GCHR u32 leading_zeros(u32 x) { return u32(__clz(i32(x))); }
GCHR u32 leading_zeros(u64 x) { return u32(__clzll(i64(x))); }
GCHR i32 mul_high(i32 a, i32 b) { return __mulhi(a, b); }
GCHR u32 mul_high(u32 a, u32 b) { return __umulhi(a, b); }
GCHR i64 mul_high(i64 a, i64 b) { return __mul64hi(a, b); }
GCHR u64 mul_high(u64 a, u64 b) { return __umul64hi(a, b); }
GCHR f64 square_root(f64 x) { return __dsqrt_rn(x); }
GCHR u64 float_bits(f64 x) { return u64(__double_as_longlong(x)); }
GCHR f64 float_from_bits(u64 x) { return __longlong_as_double(i64(x)); }
// Of floats, -0.0 is less than 0.0, as the instruction has it; the compiler's own `min` of constants takes them for
// equal.
#define GCHR_EXTREMES(T)                                                                          \
    GCHR T gchr_min(T a, T b) { return min(a, b); }                                               \
    GCHR T gchr_max(T a, T b) { return max(a, b); }
GCHR_EXTREMES(i32)
GCHR_EXTREMES(u32)
GCHR_EXTREMES(i64)
GCHR_EXTREMES(u64)
GCHR f64 gchr_min(f64 a, f64 b) {
    f64 least;
    asm("min.f64 %0, %1, %2;" : "=d"(least) : "d"(a), "d"(b));
    return least;
}
GCHR f64 gchr_max(f64 a, f64 b) {
    f64 greatest;
    asm("max.f64 %0, %1, %2;" : "=d"(greatest) : "d"(a), "d"(b));
    return greatest;
}
#define min(a, b) gchr_min(a, b)
#define max(a, b) gchr_max(a, b)

// Warps. A lane outside the warp that `shfl_up` and `shfl_down` would read gives the lane its own value.
GCHR u32 ballot(u32 mask, bool x) { return __ballot_sync(mask, x); }
GCHR bool vote_any(u32 mask, bool x) { return __any_sync(mask, x) != 0; }
GCHR bool vote_all(u32 mask, bool x) { return __all_sync(mask, x) != 0; }
GCHR u32 active_mask() { return __activemask(); }
GCHR u32 cycles() {
    u32 now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    return now;
}
GCHR void warp_barrier(u32 mask) { __syncwarp(mask); }
#define GCHR_SHUFFLES(T)                                                                          \
    GCHR T shfl(u32 mask, T x, u32 lane) { return __shfl_sync(mask, x, i32(lane)); }              \
    GCHR T shfl_up(u32 mask, T x, u32 by) { return __shfl_up_sync(mask, x, by); }                 \
    GCHR T shfl_down(u32 mask, T x, u32 by) { return __shfl_down_sync(mask, x, by); }             \
    GCHR T shfl_xor(u32 mask, T x, u32 with) { return __shfl_xor_sync(mask, x, i32(with)); }
GCHR_SHUFFLES(i32)
GCHR_SHUFFLES(u32)
GCHR_SHUFFLES(i64)
GCHR_SHUFFLES(u64)
GCHR_SHUFFLES(f64)
template <class T> GCHR T* shfl(u32 mask, T* x, u32 lane) { return (T*)__shfl_sync(mask, u64(x), i32(lane)); }

// Blocks and memory order. Fences and ordered accesses are those of the PTX memory model.
GCHR void barrier() { __syncthreads(); }
GCHR void fence_block() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
GCHR void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
GCHR void sleep_ns(u32 time) { __nanosleep(time); }

#define GCHR_LOAD(name, sem, T, type, reg)                                                        \
    GCHR T name(const T* p) {                                                                     \
        T x;                                                                                      \
        asm volatile("ld." sem "." type " %0, [%1];" : "=" reg(x) : "l"(p) : "memory");           \
        return x;                                                                                 \
    }
#define GCHR_STORE(name, sem, T, type, reg)                                                       \
    GCHR void name(T* p, T x) {                                                                   \
        asm volatile("st." sem "." type " [%0], %1;" ::"l"(p), reg(x) : "memory");                \
    }
#define GCHR_ACCESS(T, type, reg)                                                                 \
    GCHR_LOAD(load_relaxed, "relaxed.gpu", T, type, reg)                                          \
    GCHR_LOAD(load_acquire, "acquire.gpu", T, type, reg)                                          \
    GCHR_LOAD(load_relaxed_block, "relaxed.cta", T, type, reg)                                    \
    GCHR_LOAD(load_acquire_block, "acquire.cta", T, type, reg)                                    \
    GCHR_STORE(store_relaxed, "relaxed.gpu", T, type, reg)                                        \
    GCHR_STORE(store_release, "release.gpu", T, type, reg)                                        \
    GCHR_STORE(store_relaxed_block, "relaxed.cta", T, type, reg)                                  \
    GCHR_STORE(store_release_block, "release.cta", T, type, reg)
GCHR_ACCESS(i32, "s32", "r")
GCHR_ACCESS(u32, "u32", "r")
GCHR_ACCESS(i64, "s64", "l")
GCHR_ACCESS(u64, "u64", "l")

// Read-modify-writes without order are CUDA's own, which the compiler may aggregate; `S` is the type that CUDA has them
// for.
#define GCHR_RELAXED(name, cuda, T, S)                                                            \
    GCHR T name(T* p, T x) { return T(cuda((S*)p, S(x))); }                                       \
    GCHR T name##_block(T* p, T x) { return T(cuda##_block((S*)p, S(x))); }
#define GCHR_RELAXED_CAS(T, S)                                                                    \
    GCHR T atomic_compare_exchange(T* p, T old, T x) { return T(atomicCAS((S*)p, S(old), S(x))); } \
    GCHR T atomic_compare_exchange_block(T* p, T old, T x) {                                      \
        return T(atomicCAS_block((S*)p, S(old), S(x)));                                           \
    }
#define GCHR_RELAXED_ALL(T, S)                                                                    \
    GCHR_RELAXED(atomic_add, atomicAdd, T, S)                                                     \
    GCHR_RELAXED(atomic_and, atomicAnd, T, S)                                                     \
    GCHR_RELAXED(atomic_or, atomicOr, T, S)                                                       \
    GCHR_RELAXED(atomic_xor, atomicXor, T, S)                                                     \
    GCHR_RELAXED(atomic_exchange, atomicExch, T, S)                                               \
    GCHR_RELAXED(atomic_min, atomicMin, T, T)                                                     \
    GCHR_RELAXED(atomic_max, atomicMax, T, T)                                                     \
    GCHR_RELAXED_CAS(T, S)                                                                        \
    GCHR T atomic_sub(T* p, T x) { return atomic_add(p, T(S(0) - S(x))); }                        \
    GCHR T atomic_sub_block(T* p, T x) { return atomic_add_block(p, T(S(0) - S(x))); }
GCHR_RELAXED_ALL(i32, u32)
GCHR_RELAXED_ALL(u32, u32)
GCHR_RELAXED_ALL(i64, u64)
GCHR_RELAXED_ALL(u64, u64)

#define GCHR_RMW(name, op, sem, T, type, reg)                                                     \
    GCHR T name(T* p, T x) {                                                                      \
        T old;                                                                                    \
        asm volatile("atom." sem "." op "." type " %0, [%1], %2;"                                 \
                     : "=" reg(old)                                                               \
                     : "l"(p), reg(x)                                                             \
                     : "memory");                                                                 \
        return old;                                                                               \
    }
#define GCHR_CAS(name, sem, T, type, reg)                                                         \
    GCHR T name(T* p, T expected, T x) {                                                          \
        T old;                                                                                    \
        asm volatile("atom." sem ".cas." type " %0, [%1], %2, %3;"                                \
                     : "=" reg(old)                                                               \
                     : "l"(p), reg(expected), reg(x)                                              \
                     : "memory");                                                                 \
        return old;                                                                               \
    }
// `sums`, `bits` and `order` are the PTX types for addition, for bitwise operations and exchanges, and for comparisons.
#define GCHR_ORDERED(suffix, sem, T, U, sums, bits, order, reg)                                   \
    GCHR_RMW(atomic_add##suffix, "add", sem, T, sums, reg)                                        \
    GCHR_RMW(atomic_min##suffix, "min", sem, T, order, reg)                                       \
    GCHR_RMW(atomic_max##suffix, "max", sem, T, order, reg)                                       \
    GCHR_RMW(atomic_and##suffix, "and", sem, T, bits, reg)                                        \
    GCHR_RMW(atomic_or##suffix, "or", sem, T, bits, reg)                                          \
    GCHR_RMW(atomic_xor##suffix, "xor", sem, T, bits, reg)                                        \
    GCHR_RMW(atomic_exchange##suffix, "exch", sem, T, bits, reg)                                  \
    GCHR_CAS(atomic_compare_exchange##suffix, sem, T, bits, reg)                                  \
    GCHR T atomic_sub##suffix(T* p, T x) { return atomic_add##suffix(p, T(U(0) - U(x))); }
#define GCHR_ORDERED_ALL(T, U, sums, bits, order, reg)                                            \
    GCHR_ORDERED(_acquire, "acquire.gpu", T, U, sums, bits, order, reg)                           \
    GCHR_ORDERED(_release, "release.gpu", T, U, sums, bits, order, reg)                           \
    GCHR_ORDERED(_acq_rel, "acq_rel.gpu", T, U, sums, bits, order, reg)                           \
    GCHR_ORDERED(_acquire_block, "acquire.cta", T, U, sums, bits, order, reg)                     \
    GCHR_ORDERED(_release_block, "release.cta", T, U, sums, bits, order, reg)                     \
    GCHR_ORDERED(_acq_rel_block, "acq_rel.cta", T, U, sums, bits, order, reg)
GCHR_ORDERED_ALL(i32, u32, "s32", "b32", "s32", "r")
GCHR_ORDERED_ALL(u32, u32, "u32", "b32", "u32", "r")
GCHR_ORDERED_ALL(i64, u64, "u64", "b64", "s64", "l")
GCHR_ORDERED_ALL(u64, u64, "u64", "b64", "u64", "l")
