// Exclusive scan: for every index the sum of the values of all lower indices, in one pass over the values.
//
// Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back": a block takes the next tile of indices, publishes
// the tile's sum at once, and looks back over the tiles before it, adding up sums until it meets one whose whole prefix is known.
// A tile is taken by a ticket, so that all tiles before it are done or being worked on: the wait ends whatever the launch's shape.
//
// What a tile publishes is one word: 2 bits of state, 16 bits of round, 46 bits of sum. The round tells scans on the same words
// apart, so that they need not be cleared between two scans of a launch.

// Type of values and sums: u32 or u64. The sum of all values is below 2^46, and in range of T.
using T = HOLE;

// The program's buffers and numbers.
struct Params;

// Indices that a thread works on at a time.
constexpr u32 ITEMS = 8u;
// States of a tile, with the round below them; 0 is none.
constexpr u64 HAS_SUM = 0x10000ull;
constexpr u64 HAS_PREFIX = 0x20000ull;
constexpr u64 SUM_BITS = 46ull;
constexpr u64 SUM_MASK = 0x3fffffffffffull;

// Value of one index.
// pre: index < count; called once for each index
// shares: touches only what belongs to `index`, or touches it with atomics
__device__ T value(Params p, u64 index);

// Takes the sum `before` of the values of all lower indices; `mine` is the index's own value.
// pre: index < count; called once for each index, after `value`
// shares: touches only what belongs to `index` or to the positions from before to before + mine, or touches it with atomics; writes
//     nothing that `value` reads
__device__ void accept(Params p, u64 index, T mine, T before);

// Simulates `warp_sum` down to `distance`: the sum over the lanes whose numbers leave the same rest.
// pre: all lanes of the warp call it together
__device__ __forceinline__ u64 of_lanes(u64 mine, u32 distance) {
    u64 sum = 0ull;
    for (u32 from = 0u; from < 32u; from += distance) {
        u64 other = shfl(0xffffffffu, mine, from + lane_id() % distance);
        sum += other;
    }
    return sum;
}

// Simulates the sums over lower lanes: those of the last `width` lanes up to this one.
// pre: all lanes of the warp call it together
__device__ __forceinline__ u64 of_last(u64 mine, u32 width) {
    u64 sum = 0ull;
    for (u32 from = 0u; from < 32u; from += 1u) {
        u64 other = shfl(0xffffffffu, mine, from);
        sum += from <= lane_id() && lane_id() < from + width ? other : 0ull;
    }
    return sum;
}

// Simulates the scan: the sum of the values of the indices below `end`.
__device__ __forceinline__ u64 of_indices(Params p, u64 count, u64 end) {
    u64 sum = 0ull;
    for (u64 index = 0ull; index < min(end, count); index += 1ull) {
        T next = value(p, index);
        sum += u64(next);
    }
    return sum;
}

// Sum over the lanes of a warp, in all lanes.
// pre: all lanes of the warp call it together
// shares: nothing
__device__ __forceinline__ u64 warp_sum(u64 mine) {
    u64 sum = mine;
    #pragma unroll
    for (u32 distance = 16u; distance > 0u; distance >>= 1u) {
        u64 other = shfl_xor(0xffffffffu, sum, distance);
        sum += other;
        simulated {
            u64 expected = of_lanes(mine, distance);
            assume("lanes the distance apart have the same sum", sum == expected);
        }
    }
    return sum;
}

// Sum of all tiles before `tile`, which has published its own.
// pre: all lanes of one warp call it together, with tile > 0; every tile before is done or being worked on
// post: the sum, in all lanes
// shares: tiles: atomics only
__device__ __forceinline__ u64 look_back(u64* tiles, u32 tile, u64 round) {
    u64 sum = 0ull;
    u32 end = tile;
    while (true) {
        // Lane 0 looks at the nearest of the 32 tiles below `end`.
        bool exists = lane_id() < end;
        u64 word = 0ull;
        while (true) {
            if (exists) {
                word = load_relaxed(&tiles[end - 1u - lane_id()]);
            }
            u64 tag = word >> SUM_BITS;
            bool ready = !exists || tag == (HAS_SUM | round) || tag == (HAS_PREFIX | round);
            bool all = vote_all(0xffffffffu, ready);
            if (all) {
                break;
            }
            sleep_ns(20u);
        }
        u32 known = ballot(0xffffffffu, word >> SUM_BITS == (HAS_PREFIX | round));
        u32 nearest = find_first_set(known);
        bool counts = nearest == 0u || lane_id() < nearest;
        u64 part = warp_sum(counts ? word & SUM_MASK : 0ull);
        sum += part;
        if (known != 0u) {
            break;
        }
        // The first tile knows its prefix: it is not in this window.
        end -= 32u;
    }
    return sum;
}

// Scans with all threads of the grid.
// pre: every thread of the grid calls it with the same arguments; count < 2^40; tiles has ceil(count / (8 * threads of a block))
//     elements and at least one, zero before their first scan; 0 < round < 2^16, another one than in earlier scans on these tiles;
//     tickets[0] is 0; sums has 32 elements, taken one, and base one, which no other thread is still using
// post: `accept` was called once for every index; total[0] is the sum of all values: for whoever comes after the launch or a grid
//     barrier; tickets[0] is 0; sums, taken and base can be used again
// shares: tiles and tickets: atomics only; taken, base: thread 0 writes; sums: lane 0 of each warp writes its own element; all threads
//     read after a barrier; total: thread 0 of the block with the last tile
__device__ __forceinline__ void scan_all(Params p, u64 count, u64* tiles, u32* tickets, u32 round, u64* total, in_shared u64* sums, in_shared u32* taken, in_shared u64* base) {
    u64 width = u64(blockDim.x) * u64(ITEMS);
    u32 tile_count = u32(max((count + width - 1ull) / width, 1ull));
    u32 warp = threadIdx.x >> 5u;
    while (true) {
        if (threadIdx.x == 0u) {
            u32 ticket = atomic_add(&tickets[0u], 1u);
            // Every block draws one ticket too many: the last of these leaves the counter as it was found.
            if (ticket == tile_count + gridDim.x - 1u) {
                store_relaxed(&tickets[0u], 0u);
            }
            taken[0u] = ticket;
        }
        barrier();
        u32 tile = taken[0u];
        if (tile >= tile_count) {
            break;
        }
        u64 first = u64(tile) * width + u64(threadIdx.x) * u64(ITEMS);
        T items[ITEMS];
        u64 mine = 0ull;
        #pragma unroll
        for (u32 item = 0u; item < ITEMS; item += 1u) {
            items[item] = T(0u);
            if (first + u64(item) < count) {
                T given = value(p, first + u64(item));
                items[item] = given;
            }
            mine += u64(items[item]);
        }
        // Inclusive sums over the lanes.
        u64 upto = mine;
        #pragma unroll
        for (u32 distance = 1u; distance < 32u; distance <<= 1u) {
            u64 other = shfl_up(0xffffffffu, upto, distance);
            upto += lane_id() >= distance ? other : 0ull;
            simulated {
                u64 last = of_last(mine, 2u * distance);
                assume("a lane has the sum of twice as many lanes", upto == last);
            }
        }
        if (lane_id() == 31u) {
            sums[warp] = upto;
        }
        barrier();
        simulated {
            u64 of_warp = of_lanes(mine, 1u);
            assume("each warp has left its sum", sums[warp] == of_warp);
        }
        u64 lower = 0ull;
        u64 sum = 0ull;
        for (u32 nth = 0u; nth < blockDim.x >> 5u; nth += 1u) {
            lower += nth < warp ? sums[nth] : 0ull;
            sum += sums[nth];
        }
        if (threadIdx.x < 32u) {
            u64 tag = HAS_SUM | u64(round);
            u64 before = 0ull;
            if (tile > 0u) {
                if (lane_id() == 0u) {
                    store_relaxed(&tiles[tile], tag << SUM_BITS | sum);
                }
                before = look_back(tiles, tile, u64(round));
            }
            if (lane_id() == 0u) {
                tag = HAS_PREFIX | u64(round);
                store_relaxed(&tiles[tile], tag << SUM_BITS | before + sum);
                base[0u] = before;
                if (tile == tile_count - 1u) {
                    own("one block takes the last tile", total[0u]);
                    total[0u] = before + sum;
                }
            }
        }
        barrier();
        T running = T(base[0u] + lower + upto - mine);
        simulated {
            u64 tiles_before = of_indices(p, count, u64(tile) * width);
            assume("the base is the sum of all tiles before", base[0u] == tiles_before);
            u64 below = of_indices(p, count, first);
            assume("a thread begins with the sum of all lower indices", running == T(below));
        }
        #pragma unroll
        for (u32 slot = 0u; slot < ITEMS; slot += 1u) {
            if (first + u64(slot) < count) {
                accept(p, first + u64(slot), items[slot], running);
            }
            running += items[slot];
        }
    }
    barrier();
}

// `scan_all` as a launch of its own.
extern "C" __global__ void __launch_bounds__(256) scan(Params p, u64 count, u64* tiles, u32* tickets, u32 round, u64* total) {
    __shared__ u64 sums[32];
    __shared__ u32 taken[1];
    __shared__ u64 base[1];
    scan_all(p, count, tiles, tickets, round, total, sums, taken, base);
}
