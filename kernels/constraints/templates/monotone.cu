// Rounds of rules that only add: nothing is removed, so that every instance fires when it is found, and nobody can tell
// in which order new constraints came. Their rows go straight behind those of their table; equal ones are told by a bit
// a key. A thread keeps some of them until its warp asks for rows for all of its lanes, as one counter that everybody
// hits is slow. What a round starts from are the rows that the round before has added; there is one grid barrier a
// round.
//
// Where rules look among added constraints by key, a round that has room links its rows in the indexes of their tables
// before the next one begins, behind a second barrier.
//
// A partner must be older than the constraint that is looked at, so that each instance is found once: a row before
// those that the round starts from, or one of these before it, by table and row.

// The program's buffers and numbers.
struct Params;

// Tables of the program.
constexpr u32 TABLES = HOLE;

// Words of `control`: why the launch ended, and its rounds.
constexpr u32 ENDED = 0u;
constexpr u32 ROUNDS_DONE = 1u;
constexpr u32 MONOTONE_CONTROL = 2u;

// Why it ended: there is nothing new, the rounds that it may do are done, a table has no room for what a round adds.
constexpr u32 NOTHING_NEW = 1u;
constexpr u32 AT_SLICE = 2u;
constexpr u32 NO_ROOM = 3u;

// What `spans` holds of each table: the rows that the next round starts from, and rows that a round had no room for.
constexpr u32 SPANS = 3u;
constexpr u32 SPAN_BEGIN = 0u;
constexpr u32 SPAN_END = 1u;
constexpr u32 SPAN_WANTED = 2u;

// What `counts` holds in each of its three turns: rows that each table gets, and whether an instance fires.
constexpr u32 COUNTS = HOLE;

// Whether rounds link what they add.
constexpr u32 LINKS = HOLE;

// From the template `grid_barrier`: all threads of the grid wait for each other.
__device__ void grid_barrier(u32* word);

// Constraints that a thread keeps of each table, and the words that they take.
constexpr u32 KEPT = 8u;
constexpr u32 KEPT_WORDS = HOLE;

// Sets the bit of a key; says whether it was set before.
// shares: bits: atomics only
__device__ __forceinline__ bool set_bit(u32* bits, u64 place) {
    u32 bit = 1u << u32(place & 31ull);
    u64 word = place >> 5u;
    u32 seen = load_relaxed(&bits[word]);
    if ((seen & bit) != 0u) {
        return true;
    }
    u32 before = atomic_or(&bits[word], bit);
    return (before & bit) != 0u;
}

// Clears the bit of a key.
// shares: bits: atomics only
__device__ __forceinline__ void clear_bit(u32* bits, u64 place) {
    atomic_and(&bits[place >> 5u], ~(1u << u32(place & 31ull)));
}

// Writes the constraints that a thread keeps of a table to the rows behind `from`, from the place on; where there is no
// room, their bits are cleared.
// shares: bits: atomics only; the rows belong to this thread
__device__ void put_kept(Params p, u32 table, u32 from, u32 place, in_local u64* kept, in_local u32* held);

// Fires all instances in which a row is the newest constraint. `begin` and `end` are the rows that the round starts
// from, by table; what is added is kept, or goes behind `end` to the places that `counts` gives, from `turn` on. Says
// how often rules have fired, dropped duplicates included.
// shares: reads the store; bits and counts: atomics only; rows that are added: the thread that took them
__device__ u32 derive(Params p, u32 table, u32 row, in_local u32* begin, in_local u32* end, u32* counts, u32 turn, in_local u64* kept, in_local u32* held);

// Writes what the lanes of a warp keep, of tables of which one lane keeps at least so many.
// pre: the warp is together
// shares: counts: atomics only; rows as `put_kept`
__device__ __forceinline__ void put_all_kept(Params p, in_local u32* end, u32* counts, u32 turn, in_local u64* kept, in_local u32* held, u32 least) {
    for (u32 t = 0u; t < TABLES; t += 1u) {
        u32 mine = held[t];
        bool asks = vote_any(0xffffffffu, mine >= least);
        if (asks) {
            u32 upto = mine;
            #pragma unroll
            for (u32 distance = 1u; distance < 32u; distance <<= 1u) {
                u32 other = shfl_up(0xffffffffu, upto, distance);
                upto = upto + (lane_id() >= distance ? other : 0u);
            }
            u32 all = shfl(0xffffffffu, upto, 31u);
            u32 base = 0u;
            if (lane_id() == 0u) {
                base = atomic_add(&counts[turn + t], all);
            }
            base = shfl(0xffffffffu, base, 0u);
            if (mine != 0u) {
                put_kept(p, t, end[t], base + upto - mine, kept, held);
            }
        }
    }
}

// Links a row in the indexes of its table, if they are kept up to date and it holds a constraint.
// pre: the row is not linked
// shares: slots: atomics only; the row's links belong to this thread
__device__ void link_added(Params p, u32 table, u32 row);

// Sets the bit of a row's key.
// shares: bits: atomics only
__device__ void remember(Params p, u32 table, u32 row);

// Clears the bit of a row's key.
// shares: bits: atomics only
__device__ void forget(Params p, u32 table, u32 row);

// Sets the bits of all rows that hold constraints.
// pre: bits are 0
extern "C" __global__ void __launch_bounds__(256) remember_rows(Params p, u32 table, u32* ids, u32 rows) {
    u32 step = gridDim.x * 256u;
    for (u32 row = blockIdx.x * 256u + threadIdx.x; row < rows; row += step) {
        if (ids[row] != 0xffffffffu) {
            remember(p, table, row);
        }
    }
}

// Links the rows of a table in its indexes, if they are kept up to date.
// pre: slots are empty
extern "C" __global__ void __launch_bounds__(256) link_rows(Params p, u32 table, u32 rows) {
    u32 step = gridDim.x * 256u;
    for (u32 row = blockIdx.x * 256u + threadIdx.x; row < rows; row += step) {
        link_added(p, table, row);
    }
}

// Rounds until nothing new comes, a table has no room, or `slice` of them are done.
// pre: all blocks are resident; counts are 0; rows are below capacity
// post: spans say where the next launch begins; control says why this one ended; firings[0] has grown by what its
//     rounds have fired; a round without room has left nothing
extern "C" __global__ void __launch_bounds__(256, 6) monotone(Params p, u32* capacity, u32* spans, u32* counts, u64* firings, u32* control, u32* arrivals, u32 slice) {
    __shared__ u64 sum[1];
    u32 begin[TABLES];
    u32 end[TABLES];
    u32 added[TABLES];
    u32 held[TABLES];
    u64 kept[KEPT_WORDS];
    u32 first = blockIdx.x * 256u + threadIdx.x;
    u32 stride = gridDim.x * 256u;
    for (u32 t = 0u; t < TABLES; t += 1u) {
        begin[t] = spans[t * SPANS + SPAN_BEGIN];
        end[t] = spans[t * SPANS + SPAN_END];
        held[t] = 0u;
    }
    u64 fired = 0ull;
    u32 stop = 0u;
    u32 round = 0u;
    while (stop == 0u) {
        u32 pending = 0u;
        for (u32 n = 0u; n < TABLES; n += 1u) {
            pending = pending | end[n] - begin[n];
        }
        assume_uniform("every thread adds up the same counts", pending);
        if (pending == 0u) {
            stop = NOTHING_NEW;
            break;
        }
        if (round >= slice) {
            stop = AT_SLICE;
            break;
        }
        u32 turn = round % 3u * COUNTS;
        if (first == 0u) {
            u32 other = (round + 1u) % 3u * COUNTS;
            for (u32 z = 0u; z < COUNTS; z += 1u) {
                store_relaxed(&counts[other + z], 0u);
            }
        }
        u32 mine = 0u;
        for (u32 d = 0u; d < TABLES; d += 1u) {
            u32 from = begin[d];
            assume_uniform("every thread has added up the same counts", from);
            u32 until = end[d];
            assume_uniform("every thread has added up the same counts", until);
            // The lanes of a warp stay together.
            u32 start = from + blockIdx.x * 256u + (threadIdx.x - lane_id());
            for (u32 base = start; base < until; base += stride) {
                u32 row = base + lane_id();
                if (row < until) {
                    u32 found = derive(p, d, row, begin, end, counts, turn, kept, held);
                    mine = mine + found;
                }
                put_all_kept(p, end, counts, turn, kept, held, KEPT / 2u);
            }
        }
        put_all_kept(p, end, counts, turn, kept, held, 1u);
        if (mine != 0u) {
            u32 raised = load_relaxed(&counts[turn + TABLES]);
            if (raised == 0u) {
                store_relaxed(&counts[turn + TABLES], 1u);
            }
        }
        grid_barrier(arrivals);
        u32 any = load_relaxed(&counts[turn + TABLES]);
        assume_uniform("raised before the grid barrier, and again two rounds later", any);
        bool full = false;
        for (u32 a = 0u; a < TABLES; a += 1u) {
            u32 count = load_relaxed(&counts[turn + a]);
            assume_uniform("counted before the grid barrier, and again two rounds later", count);
            added[a] = count;
            full = full || count > capacity[a] - end[a];
        }
        assume_uniform("every thread compares the same counts", full);
        if (full) {
            // The round is given up: what it has added is forgotten.
            for (u32 f = 0u; f < TABLES; f += 1u) {
                u32 last = end[f] + min(added[f], capacity[f] - end[f]);
                for (u32 lost = end[f] + first; lost < last; lost += stride) {
                    forget(p, f, lost);
                }
            }
            stop = NO_ROOM;
            break;
        }
        if (any == 0u) {
            stop = NOTHING_NEW;
        } else {
            round = round + 1u;
        }
        if (LINKS != 0u) {
            for (u32 l = 0u; l < TABLES; l += 1u) {
                u32 behind = end[l] + added[l];
                for (u32 late = end[l] + first; late < behind; late += stride) {
                    link_added(p, l, late);
                }
            }
            grid_barrier(arrivals);
        }
        fired = fired + u64(mine);
        for (u32 m = 0u; m < TABLES; m += 1u) {
            begin[m] = end[m];
            end[m] = end[m] + added[m];
        }
    }
    // All have read what is written below.
    grid_barrier(arrivals);
    if (threadIdx.x == 0u) {
        sum[0u] = 0ull;
    }
    barrier();
    if (fired != 0ull) {
        atomic_add_block(&sum[0u], fired);
    }
    barrier();
    if (threadIdx.x == 0u) {
        atomic_add(&firings[0u], sum[0u]);
    }
    if (first == 0u) {
        for (u32 s = 0u; s < TABLES; s += 1u) {
            spans[s * SPANS + SPAN_BEGIN] = begin[s];
            spans[s * SPANS + SPAN_END] = end[s];
            spans[s * SPANS + SPAN_WANTED] = stop == NO_ROOM ? added[s] : 0u;
        }
        store_relaxed(&control[ENDED], stop);
        store_relaxed(&control[ROUNDS_DONE], round);
    }
}
