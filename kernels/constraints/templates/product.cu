// Products of matrices over (min, +): the rounds of a monotone replacement `c(I,K,A), c(K,J,B) \ c(I,J,C) <=> C > A + B
// | c(I,J,A + B)` whose keys are dense. A round takes each value to the least sum of a row and a column, all of them as
// they were before the round.
//
// Values lie in a square array, once as they are and once as they become; a place without constraint is ABSENT. The
// array is cut into tiles of 64 by 64. A block makes one tile at a time, from pairs of tiles in shared memory; each
// thread has 4 by 4 of its values in registers. A pair of which neither tile has changed in the last round cannot lower
// anything, and is left out.

// Type of the values: all are between -MOST and MOST, and sums of two of them with ABSENT are greater than MOST.
using T = HOLE;
constexpr T ABSENT = HOLE;
constexpr T MOST = HOLE;

// The sign of an integer of 64 bits.
constexpr u64 SIGN = 0x8000000000000000ull;

constexpr u32 NO_ROW = 0xffffffffu;
constexpr u32 TILE = 64u;
constexpr u32 DEPTH = 32u;

// Words of `control`: why the launch ended, rounds, whether the values at the start do not fit; three counts of
// changes, and three flags of values that no longer fit, that take turns.
constexpr u32 STOPPED = 0u;
constexpr u32 DONE_ROUNDS = 1u;
constexpr u32 UNFIT = 2u;
constexpr u32 CHANGES = 4u;
constexpr u32 TOO_LOW = 8u;
constexpr u32 PRODUCT_CONTROL = 16u;

// Why it ended: nothing changes any more, the rounds that it may do are done, a value does not fit.
constexpr u32 AT_END = 1u;
constexpr u32 AT_PAUSE = 2u;
constexpr u32 AT_UNFIT = 3u;

// From the template `grid_barrier`: all threads of the grid wait for each other.
__device__ void grid_barrier(u32* word);

// Puts the values of the rows that hold a constraint to the places of their keys.
// pre: cells holds ABSENT and places NO_ROW everywhere; keys of rows with ids are below width
// post: control[UNFIT] is not 0 if some value does not fit, or two rows have one key
extern "C" __global__ void __launch_bounds__(256) spread(u64* row_keys, u64* column_keys, u64* values, u32* ids, u32 rows, u32 width, bool greatest, T* cells, u32* places, u32* control) {
    u32 step = gridDim.x * 256u;
    for (u32 row = blockIdx.x * 256u + threadIdx.x; row < rows; row += step) {
        if (ids[row] != NO_ROW) {
            i64 value = i64(values[row]);
            value = greatest ? -value : value;
            if (value >= i64(MOST) || value <= -i64(MOST)) {
                store_relaxed(&control[UNFIT], 1u);
            } else {
                u32 at = u32(row_keys[row]) * width + u32(column_keys[row]);
                u32 before = atomic_exchange(&places[at], row);
                if (before != NO_ROW) {
                    store_relaxed(&control[UNFIT], 1u);
                } else {
                    own("the first row that comes to a place", cells[at]);
                    cells[at] = T(value);
                }
            }
        }
    }
}

// Brings the values back to the rows.
// shares: each row belongs to one place
extern "C" __global__ void __launch_bounds__(256) gather(T* cells, u32* places, u64 count, bool greatest, u64* values) {
    u64 step = u64(gridDim.x) * 256ull;
    for (u64 at = u64(blockIdx.x) * 256ull + u64(threadIdx.x); at < count; at += step) {
        u32 row = places[at];
        if (row != NO_ROW) {
            i64 value = i64(cells[at]);
            own("each row has one place", values[row]);
            values[row] = u64(greatest ? -value : value);
        }
    }
}

// Leaves what a round makes better with the rows, as the words of which less is better, and lists them for the round of
// all rules.
// pre: `after` are the values after one round from `before`; no row has a better value yet
// shares: each row belongs to one place; places of the list are handed out once
extern "C" __global__ void __launch_bounds__(256) offer(T* before, T* after, u32* places, u64 count, bool greatest, u32 table, u64* better, u64* touched, u32* control, u32 found) {
    u64 step = u64(gridDim.x) * 256ull;
    for (u64 at = u64(blockIdx.x) * 256ull + u64(threadIdx.x); at < count; at += step) {
        u32 row = places[at];
        T becomes = after[at];
        if (row != NO_ROW && becomes < before[at]) {
            u32 mask = active_mask();
            u32 rank = popcount(mask & (1u << lane_id()) - 1u);
            u32 base = 0u;
            if (rank == 0u) {
                base = atomic_add(&control[found], popcount(mask));
            }
            base = shfl(mask, base, find_first_set(mask) - 1u);
            own("a place is handed out once", touched[base + rank]);
            touched[base + rank] = u64(table) << 32u | u64(row);
            i64 value = i64(becomes);
            u64 word = u64(greatest ? -value : value) ^ SIGN;
            own("each row has one place", better[row]);
            better[row] = greatest ? ~word : word;
        }
    }
}

// A value of a factor: a constraint never is at two heads, so those of the diagonal are none.
// shares: reads cells
__device__ __forceinline__ T factor(T* cells, u32 width, u32 row, u32 column) {
    if (row >= width || column >= width || row == column) {
        return ABSENT;
    }
    return cells[u64(row) * u64(width) + u64(column)];
}

// One tile of a round; says how many of its values have changed, each thread of its own.
// pre: all threads of the block call it with the same arguments
// shares: left and right between its barriers; the tile of `next` belongs to the block
// barrier: block
__device__ __forceinline__ u32 make_tile(T* cells, T* next, u32* places, u32* changed, u32 width, u32 tiles, u32 tile, in_shared T* left, in_shared T* right, u32* control, u32 turn) {
    u32 top = tile / tiles;
    u32 side = tile % tiles;
    u32 across = threadIdx.x & 15u;
    u32 down = threadIdx.x >> 4u;
    T best[16];
    #pragma unroll
    for (u32 clear = 0u; clear < 16u; clear += 1u) {
        best[clear] = ABSENT;
    }
    for (u32 middle = 0u; middle < tiles; middle += 1u) {
        u32 fresh = changed[top * tiles + middle] | changed[middle * tiles + side];
        if (fresh != 0u) {
            for (u32 half = 0u; half < TILE; half += DEPTH) {
                u32 from = middle * TILE + half;
                if (from < width) {
                    barrier();
                    #pragma unroll
                    for (u32 load = 0u; load < 8u; load += 1u) {
                        u32 k = threadIdx.x & 31u;
                        u32 r = (threadIdx.x >> 5u) + 8u * load;
                        T a = factor(cells, width, top * TILE + r, from + k);
                        left[k * 65u + r] = a;
                    }
                    #pragma unroll
                    for (u32 fetch = 0u; fetch < 8u; fetch += 1u) {
                        u32 c = threadIdx.x & 63u;
                        u32 m = (threadIdx.x >> 6u) + 4u * fetch;
                        T b = factor(cells, width, from + m, side * TILE + c);
                        right[m * TILE + c] = b;
                    }
                    barrier();
                    for (u32 j = 0u; j < DEPTH; j += 1u) {
                        T row0 = left[j * 65u + down * 4u];
                        T row1 = left[j * 65u + down * 4u + 1u];
                        T row2 = left[j * 65u + down * 4u + 2u];
                        T row3 = left[j * 65u + down * 4u + 3u];
                        #pragma unroll
                        for (u32 q = 0u; q < 4u; q += 1u) {
                            T other = right[j * TILE + across + 16u * q];
                            best[q] = min(best[q], row0 + other);
                            best[4u + q] = min(best[4u + q], row1 + other);
                            best[8u + q] = min(best[8u + q], row2 + other);
                            best[12u + q] = min(best[12u + q], row3 + other);
                        }
                    }
                }
            }
        }
    }
    u32 lowered = 0u;
    #pragma unroll
    for (u32 i = 0u; i < 4u; i += 1u) {
        #pragma unroll
        for (u32 h = 0u; h < 4u; h += 1u) {
            u32 y = top * TILE + down * 4u + i;
            u32 x = side * TILE + across + 16u * h;
            if (y < width && x < width) {
                u64 at = u64(y) * u64(width) + u64(x);
                T old = cells[at];
                T sum = best[i * 4u + h];
                T becomes = old;
                if (sum < old && places[at] != NO_ROW) {
                    becomes = sum;
                    lowered = lowered + 1u;
                    if (sum <= -MOST) {
                        store_relaxed(&control[TOO_LOW + turn], 1u);
                    }
                }
                own("each place is in one tile, each tile is made by one block", next[at]);
                next[at] = becomes;
            }
        }
    }
    return lowered;
}

// One round.
// post: control[CHANGES + turn] has grown by the number of values that have changed, to be read behind a grid
//     barrier
// shares: tiles of `next` and their flags: one block each; counts of changes: atomics only
// barrier: block
__device__ __forceinline__ void one_round(T* cells, T* next, u32* places, u32* changed, u32* changes, u32 width, u32 turn, in_shared T* left, in_shared T* right, in_shared u32* count, u32* control) {
    u32 tiles = (width + TILE - 1u) / TILE;
    for (u32 tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
        barrier();
        if (threadIdx.x == 0u) {
            count[0u] = 0u;
        }
        u32 lowered = make_tile(cells, next, places, changed, width, tiles, tile, left, right, control, turn);
        barrier();
        if (lowered != 0u) {
            atomic_add_block(&count[0u], lowered);
        }
        barrier();
        if (threadIdx.x == 0u) {
            u32 sum = count[0u];
            changes[tile] = sum;
            if (sum != 0u) {
                atomic_add(&control[CHANGES + turn], sum);
            }
        }
    }
}

// Rounds until nothing changes, a value does not fit any more, or `slice` of them are done.
// pre: all blocks are resident; flags and control are 0 but for those of tiles that are new or have changed in
//     `flags_a`
// post: values and flags are in cells_a and flags_a after an even number of rounds, else in cells_b and flags_b;
//     control[DONE_ROUNDS] is that number, state[0] has grown by the number of values that have changed
extern "C" __global__ void __launch_bounds__(256, 2) product(T* cells_a, T* cells_b, u32* places, u32* flags_a, u32* flags_b, u32 width, u32 slice, u32* control, u64* state, u32* arrivals) {
    __shared__ T left[2080];
    __shared__ T right[2048];
    __shared__ u32 count[1];
    u32 round = 0u;
    u32 stop = 0u;
    u64 sum = 0ull;
    while (stop == 0u) {
        if (round >= slice) {
            stop = AT_PAUSE;
            break;
        }
        u32 turn = round % 3u;
        if (blockIdx.x == 0u && threadIdx.x == 0u) {
            store_relaxed(&control[CHANGES + (round + 1u) % 3u], 0u);
            store_relaxed(&control[TOO_LOW + (round + 1u) % 3u], 0u);
        }
        if ((round & 1u) == 0u) {
            one_round(cells_a, cells_b, places, flags_a, flags_b, width, turn, left, right, count, control);
        } else {
            one_round(cells_b, cells_a, places, flags_b, flags_a, width, turn, left, right, count, control);
        }
        grid_barrier(arrivals);
        u32 found = load_relaxed(&control[CHANGES + turn]);
        assume_uniform("changes are counted before the grid barrier, and again two rounds later", found);
        u32 low = load_relaxed(&control[TOO_LOW + turn]);
        assume_uniform("values are looked at before the grid barrier, and again two rounds later", low);
        if (low != 0u) {
            stop = AT_UNFIT;
        } else if (found == 0u) {
            stop = AT_END;
        } else {
            sum = sum + u64(found);
            round = round + 1u;
        }
    }
    if (blockIdx.x == 0u && threadIdx.x == 0u) {
        state[0u] = state[0u] + sum;
        store_relaxed(&control[STOPPED], stop);
        store_relaxed(&control[DONE_ROUNDS], round);
    }
}
