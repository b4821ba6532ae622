struct Launch;
struct alignas(16) Cell {
    u32 a;
    u32 b;
    f64 c;
};
struct Params {
    u32* count;
    u64* keys;
    Cell* cells;
    u8* flags;
    i64 limit;
};

constexpr u32 BLOCK = 256u;
constexpr f64 HALF = 0.5;
constexpr u64 SEED = HOLE;

// What the program fills in.
// pre: i < n
__device__ u32 element(Launch p, u32 i);

// Sums a cell.
//
//   indented
__device__ __forceinline__ u32 sum(Cell c, in_shared u32* tile, in_local u32* stack) {
    return c.a + c.b + tile[0u] + stack[1u];
}

__device__ __noinline__ Cell make(u32 a, f64 c) {
    return Cell{a, a * 2u, c};
}

extern "C" __global__ void __launch_bounds__(256, 4) work(Params p, u32 n) {
    __shared__ u32 tile[BLOCK];
    u32 stack[48];
    Cell frames[16];
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    } else if (i == gridDim.x) {
        tile[threadIdx.x] = 0u;
    } else {
        stack[0u] = lane_id();
    }
    barrier();
    u32 x;
    x = i;
    x <<= 2u;
    u64* from = p.keys;
    u64 key = from[i];
    Cell c = make(x, HALF);
    x = sum(c, tile, stack);
    c.a = 3u;
    p.cells[i] = c;
    p.cells[i].b = u32(key >> 32u);
    frames[0u].c = -c.c;
    u32 old = atomic_add(&p.count[0u], 1u);
    old = load_acquire(&p.cells[i].a);
    store_release_block(&tile[0u], old);
    u64 before = atomic_compare_exchange_acq_rel(&p.keys[i], SEED, key);
    atomic_max(&p.count[1u], popcount(x));
    //@ 12
    // rule "gcd"
    // second line
    u32 votes = ballot(0xffffffffu, key != before);
    bool some = vote_any(votes, votes == 0u);
    u32 lane = find_first_set(votes) - 1u;
    key = shfl(votes, key, lane);
    i64 down = shfl_xor(votes, p.limit, 16u);
    u32 mask = active_mask();
    warp_barrier(mask);
    fence_block();
    fence_device();
    sleep_ns(100u);
    tally(3u);
    assume("in range", x < n && !some);
    assume_uniform("the same", x);
    assume_uniform_block("the same in a block", x);
    own("fresh index", p.cells[x]);
    simulated {
        u32 both = x + n;
        assume("a step", both >= x);
    }
    everywhere (u32 first = x, u64* to = from) {
        to[first + lane_id()] = 0ull;
        u32 inner = p.cells[first].b;
        everywhere (u32 second = inner) {
            p.count[second] = first;
        }
    }
    #pragma unroll
    for (u32 k = 16u; k > 0u; k >>= 1u) {
        if (k == old) {
            break;
        }
    }
    while (down > 0ll) {
        switch (x) {
            case 0u:
            case 1u: {
                down -= 1ll;
            } break;
            case 2u: {
                goto leave_1;
            }
            default: {
                continue;
            }
        }
    } leave_1:;
    //@ 14
    p.flags[i] = some ? 1_u8 : u8(max(x, min(i, mul_high(x, x))));
    f64 back = float_from_bits(float_bits(HALF) ^ u64(leading_zeros(x)));
    p.flags[i] = u8(square_root(back) != 0.0);
}
