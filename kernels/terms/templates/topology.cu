// The topology-driven term rewriter of van Eerd, Groote, Hijma, Martens, Osama, Wijs,
// "Innermost many-sorted term rewriting on GPUs", sections 4 and 5: one thread a term slot, in iterations.
//
// Slot 0 is never used, slot 1 is the root. A slot is a head word (head, arity, first argument that may not be in
// normal form) and the slots of its arguments; a number has its 64 bits in place of arguments 0 and 1. The record is
// widened to the program's arity. Flags and counts are double-buffered: an iteration reads `nf_read` and `rc_read`,
// which do not change in it, and writes `nf` and `rc`.
// rc: references to the slot; 0 is garbage to be collected, FREED is a slot that holds nothing.

struct alignas(16) Term {
    u32 head;
    u32 a0;
    u32 a1;
    u32 a2;
};

struct Params {
    Term* term;
    Term* spare;
    u8* nf;
    u8* nf_read;
    i32* rc;
    i32* rc_read;
    u32* keys;
    u32* block_counts;
    u32* control;
    u32* arrivals;
    u32* error;
    u64* counts;
    u32 capacity;
};

constexpr u32 BLOCK = 256u;
// A slot's first word: head, arity, and the argument to look at first.
constexpr u32 HEAD_MASK = 0xffffu;
constexpr u32 ARITY_SHIFT = 16u;
constexpr u32 ARITY_MASK = 255u;
constexpr u32 WAITING_SHIFT = 24u;
constexpr u32 HEAD_AND_ARITY = 0xffffffu;
constexpr i32 FREED = -2;

// 0 innermost, 1 relaxed
constexpr u32 RELAXED = HOLE;
// 0 none, or one of these
constexpr u32 COLLECTOR = HOLE;
constexpr u32 COLLECT_QUEUE = 1u;
constexpr u32 COLLECT_COMPACT = 2u;

// Words of `control`, each in a memory sector of its own.
constexpr u32 NEXT = 0u;
constexpr u32 KEYS = 8u;
constexpr u32 ACTIVE = 16u;
constexpr u32 GARBAGE = 24u;
constexpr u32 FULL = 32u;
constexpr u32 DEAD = 40u;
constexpr u32 STOP = 48u;
constexpr u32 CONTROL_WORDS = 56u;

// Words of `counts`.
constexpr u32 APPLIED = 0u;
constexpr u32 MARKED = 4u;
constexpr u32 ITERATIONS = 8u;
constexpr u32 COLLECTIONS = 12u;
constexpr u32 COUNT_WORDS = 16u;

// Why the kernel ended.
constexpr u32 DONE = 1u;
constexpr u32 MUST_GROW = 2u;
constexpr u32 FAILED = 3u;
constexpr u32 PAUSED = 4u;

constexpr u32 WAITS = 0u;
constexpr u32 STEPPED = 1u;
constexpr u32 APPLIES = 2u;
constexpr u32 MARKS = 3u;

// From the template `grid_barrier`: all threads of the grid wait for each other.
// barrier: grid
__device__ void grid_barrier(u32* word);

// A free slot: from the stack of collected ones, else behind the last one; 0 when all are in use.
// post: no other thread gets the same slot before it is collected
//     Inlined: it asks which lanes are here, and that must be asked in the branch of the caller. As a function that
//     many branches call, lanes waited in its shuffles on a GPU for one that had left it.
__device__ __forceinline__ u32 fresh(Params p) {
    u32 mask = active_mask();
    u32 count = popcount(mask);
    u32 rank = popcount(mask & (1u << lane_id()) - 1u);
    u32 leader = find_first_set(mask) - 1u;
    u32 taken = 0u;
    u32 top = 0u;
    u32 base = 0u;
    if (rank == 0u) {
        if (COLLECTOR == COLLECT_QUEUE) {
            // The stack pointer is signed: threads that find too little leave it as if they had taken what there was.
            u32 seen = load_relaxed(&p.control[KEYS]);
            if (i32(seen) > 0) {
                seen = atomic_sub(&p.control[KEYS], count);
                top = u32(max(i32(seen), 0));
                taken = min(top, count);
                if (taken < count) {
                    atomic_add(&p.control[KEYS], count - taken);
                }
            }
        }
        if (taken < count) {
            base = atomic_add(&p.control[NEXT], count - taken);
        }
    }
    taken = shfl(mask, taken, leader);
    top = shfl(mask, top, leader);
    base = shfl(mask, base, leader);
    if (rank < taken) {
        return p.keys[top - 1u - rank];
    }
    u32 index = base + (rank - taken);
    if (index >= p.capacity) {
        store_relaxed(&p.control[FULL], 1u);
        return 0u;
    }
    return index;
}

// Gives an unused slot of `fresh` to the collector.
__device__ __forceinline__ void give_back(Params p, u32 i) {
    if (i != 0u) {
        own("fresh slot", p.term[i]);
        own("fresh slot", p.rc[i]);
        own("fresh slot", p.nf[i]);
        // Slot 0 holds nothing: no head, no arguments.
        p.term[i] = p.term[0u];
        p.rc[i] = 0;
        p.nf[i] = 1_u8;
    }
}

// Counts more references to slot i.
__device__ __forceinline__ void retain(Params p, u32 i, u32 by) {
    atomic_add(&p.rc[i], i32(by));
}

// Takes a reference to slot i back.
__device__ __forceinline__ void release(Params p, u32 i) {
    atomic_sub(&p.rc[i], 1);
}

// pre: slot i comes from `fresh` in this iteration
__device__ __forceinline__ void write_new(Params p, u32 i, Term t, bool normal, u32 references) {
    own("fresh slot", p.term[i]);
    own("fresh slot", p.rc[i]);
    own("fresh slot", p.nf[i]);
    p.term[i] = t;
    p.nf[i] = normal ? 1_u8 : 0_u8;
    p.rc[i] = i32(references);
}

// pre: the thread rewrites slot i
__device__ __forceinline__ void write_root(Params p, u32 i, Term t, bool normal) {
    p.term[i] = t;
    p.nf[i] = normal ? 1_u8 : 0_u8;
}

// Index of the first argument, from the remembered one on, that was not in normal form when the iteration began; the
// arity if none.
__device__ u32 first_waiting(Params p, Term t);

// Counts a reference to each argument of a slot's value.
__device__ void retain_arguments(Params p, Term t);

// Takes a reference from each argument of a slot's value.
__device__ void release_arguments(Params p, Term t);

// A slot's value whose arguments have moved to where `p.keys` says.
__device__ Term renamed(Params p, Term t);

// Slot i becomes a copy of slot `from`, which is in normal form.
__device__ __forceinline__ void copy_root(Params p, u32 i, u32 from) {
    Term t = p.term[from];
    t.head = t.head & HEAD_AND_ARITY;
    p.term[i] = t;
    p.nf[i] = 1_u8;
    retain_arguments(p, t);
}

// Marks slot i as a normal form when its arguments are.
__device__ __forceinline__ u32 mark(Params p, u32 i, Term t) {
    if (RELAXED == 1u) {
        u32 at = first_waiting(p, t);
        if (at < (t.head >> ARITY_SHIFT & ARITY_MASK)) {
            return WAITS;
        }
    }
    p.nf[i] = 1_u8;
    return MARKS;
}

// Rewrites slot i once, or marks it as a normal form; says which.
__device__ u32 rewrite(Params p, u32 i, Term t);

// One slot in one iteration: the derive kernel of the paper.
__device__ __forceinline__ u32 derive(Params p, u32 i) {
    // Other threads look at slots in normal form only.
    own("slot that is not in normal form", p.term[i]);
    Term t = p.term[i];
    if (RELAXED == 0u) {
        u32 at = first_waiting(p, t);
        if (at < (t.head >> ARITY_SHIFT & ARITY_MASK)) {
            if (at != t.head >> WAITING_SHIFT) {
                p.term[i].head = t.head & HEAD_AND_ARITY | at << WAITING_SHIFT;
            }
            return WAITS;
        }
    }
    u32 status = rewrite(p, i, t);
    return status;
}

// Collects slots whose count was 0 when the iteration began: takes their references back and, for the queue collector,
// puts them on the stack of free slots. Garbage that arises so is collected in the next iteration.
__device__ __forceinline__ void collect(Params p, u32 n, u32 first, u32 stride) {
    u32 dead = 0u;
    for (u32 i = first; i < n; i += stride) {
        if (p.rc_read[i] == 0) {
            Term t = p.term[i];
            release_arguments(p, t);
            own("slot without references", p.rc[i]);
            p.rc[i] = FREED;
            p.nf[i] = 1_u8;
            dead = dead + 1u;
            if (COLLECTOR == COLLECT_QUEUE) {
                u32 mask = active_mask();
                u32 rank = popcount(mask & (1u << lane_id()) - 1u);
                u32 base = 0u;
                if (rank == 0u) {
                    base = atomic_add(&p.control[KEYS], popcount(mask));
                }
                base = shfl(mask, base, find_first_set(mask) - 1u);
                own("place on the stack", p.keys[base + rank]);
                p.keys[base + rank] = i;
            }
        }
    }
    if (dead > 0u) {
        atomic_add(&p.control[DEAD], dead);
    }
}

// Moves the slots that hold something to the front, in order; the root stays slot 1. `keys` says where each one went;
// `spare`, `rc_read` and `nf_read`, which the next iteration fills again, hold the moved values meanwhile.
// pre: all blocks call it, `used` is the same in all of them
// shares: tile[0..9] of the block
__device__ __forceinline__ void compact(Params p, u32 used, u32 first, u32 stride, in_shared u32* tile) {
    u32 share = (used - 1u + gridDim.x - 1u) / gridDim.x;
    u32 start = min(1u + blockIdx.x * share, used);
    u32 end = min(start + share, used);
    u32 held = 0u;
    for (u32 k = start + threadIdx.x; k < end; k += BLOCK) {
        held = held + (p.rc[k] != FREED ? 1u : 0u);
    }
    if (threadIdx.x == 0u) {
        tile[8u] = 0u;
    }
    barrier();
    atomic_add_block(&tile[8u], held);
    barrier();
    if (threadIdx.x == 0u) {
        p.block_counts[blockIdx.x] = tile[8u];
        tile[8u] = 0u;
    }
    grid_barrier(p.arrivals);
    u32 before = 0u;
    u32 total = 0u;
    for (u32 b = threadIdx.x; b < gridDim.x; b += BLOCK) {
        u32 count = p.block_counts[b];
        total = total + count;
        before = before + (b < blockIdx.x ? count : 0u);
    }
    if (threadIdx.x == 0u) {
        tile[9u] = 0u;
    }
    barrier();
    atomic_add_block(&tile[8u], before);
    atomic_add_block(&tile[9u], total);
    barrier();
    u32 base = 1u + tile[8u];
    u32 kept = 1u + tile[9u];
    for (u32 at = start; at < end; at += BLOCK) {
        u32 i = at + threadIdx.x;
        bool holds = i < end && p.rc[i] != FREED;
        u32 votes = ballot(0xffffffffu, holds);
        u32 warp = threadIdx.x >> 5u;
        if (lane_id() == 0u) {
            tile[warp] = popcount(votes);
        }
        barrier();
        u32 to = base + popcount(votes & (1u << lane_id()) - 1u);
        u32 sum = 0u;
        for (u32 w = 0u; w < 8u; w += 1u) {
            to = to + (w < warp ? tile[w] : 0u);
            sum = sum + tile[w];
        }
        if (holds) {
            p.keys[i] = to;
            own("place of its own", p.spare[to]);
            own("place of its own", p.rc_read[to]);
            own("place of its own", p.nf_read[to]);
            p.spare[to] = p.term[i];
            p.rc_read[to] = p.rc[i];
            p.nf_read[to] = p.nf[i];
        }
        base = base + sum;
        barrier();
    }
    grid_barrier(p.arrivals);
    for (u32 j = first; j < kept; j += stride) {
        Term t = p.spare[j];
        Term moved = renamed(p, t);
        p.term[j] = moved;
        p.rc[j] = p.rc_read[j];
        p.nf[j] = p.nf_read[j];
    }
    if (first == 1u) {
        store_relaxed(&p.control[NEXT], kept);
        store_relaxed(&p.control[DEAD], 0u);
    }
    grid_barrier(p.arrivals);
}

// Iterates until nothing changes any more, memory must grow, an operation fails, or the limits are reached.
// pre: all blocks are resident; slots 1 to control[NEXT] - 1 are written
// post: control[STOP] says why it ended
extern "C" __global__ void __launch_bounds__(256, 4) iterate(Params p, u32 max_iterations, u64 max_applied) {
    __shared__ u32 sums[4];
    __shared__ u32 tile[10];
    u32 stride = gridDim.x * BLOCK;
    u32 first = blockIdx.x * BLOCK + threadIdx.x + 1u;
    u32 iteration = 0u;
    u32 stop = 0u;
    while (stop == 0u) {
        u32 n = load_relaxed(&p.control[NEXT]);
        n = min(n, p.capacity);
        // The count itself is cut down to the capacity meanwhile.
        assume_uniform("slots in use", n);
        for (u32 i = first; i < n; i += stride) {
            p.nf_read[i] = p.nf[i];
            p.rc_read[i] = p.rc[i];
        }
        if (first == 1u) {
            store_relaxed(&p.control[NEXT], n);
        }
        if (threadIdx.x < 4u) {
            sums[threadIdx.x] = 0u;
        }
        grid_barrier(p.arrivals);
        // Two sets of flags take turns: while one is in use the other one is cleared, and nobody reads that any more.
        u32 turn = iteration & 1u;
        if (first == 1u) {
            store_relaxed(&p.control[ACTIVE + (turn ^ 1u)], 0u);
            store_relaxed(&p.control[GARBAGE + (turn ^ 1u)], 0u);
        }
        u32 applied = 0u;
        u32 marked = 0u;
        u32 active = 0u;
        u32 garbage = 0u;
        for (u32 k = first; k < n; k += stride) {
            i32 references = p.rc_read[k];
            if (references > 0) {
                if (p.nf_read[k] == 0_u8) {
                    u32 status = derive(p, k);
                    if (status != WAITS) {
                        active = 1u;
                    }
                    if (status == APPLIES) {
                        applied = applied + 1u;
                    }
                    if (status == MARKS) {
                        marked = marked + 1u;
                    }
                }
            } else if (references == 0) {
                garbage = 1u;
            }
        }
        if (active != 0u) {
            atomic_add_block(&sums[0u], applied);
            atomic_add_block(&sums[1u], marked);
            store_relaxed_block(&sums[2u], 1u);
        }
        if (garbage != 0u) {
            store_relaxed_block(&sums[3u], 1u);
        }
        barrier();
        if (threadIdx.x == 0u) {
            if (sums[2u] != 0u) {
                store_relaxed(&p.control[ACTIVE + turn], 1u);
                atomic_add(&p.counts[APPLIED], u64(sums[0u]));
                atomic_add(&p.counts[MARKED], u64(sums[1u]));
            }
            if (sums[3u] != 0u) {
                store_relaxed(&p.control[GARBAGE + turn], 1u);
            }
        }
        grid_barrier(p.arrivals);
        iteration = iteration + 1u;
        u32 worked = load_relaxed(&p.control[ACTIVE + turn]);
        u32 dirty = 0u;
        if (COLLECTOR != 0u) {
            dirty = load_relaxed(&p.control[GARBAGE + turn]);
        }
        u32 full = load_relaxed(&p.control[FULL]);
        u32 wrong = load_relaxed(&p.error[0u]);
        u64 total = load_relaxed(&p.counts[APPLIED]);
        if (first == 1u && worked != 0u) {
            atomic_add(&p.counts[ITERATIONS], 1ull);
        }
        if (dirty != 0u) {
            collect(p, n, first, stride);
            if (first == 1u) {
                atomic_add(&p.counts[COLLECTIONS], 1ull);
            }
            grid_barrier(p.arrivals);
        }
        if (wrong != 0u) {
            stop = FAILED;
        } else if (worked == 0u && dirty == 0u && full == 0u) {
            stop = DONE;
        } else if (full != 0u) {
            stop = MUST_GROW;
        } else if (iteration >= max_iterations || total >= max_applied) {
            stop = PAUSED;
        }
        if (COLLECTOR == COLLECT_COMPACT) {
            u32 used = load_relaxed(&p.control[NEXT]);
            used = min(used, p.capacity);
            assume_uniform("slots in use", used);
            u32 dead = load_relaxed(&p.control[DEAD]);
            // After an error the slots stay where they are: the host shows the redex.
            if (wrong == 0u && (dead > used / 2u || dead != 0u && (stop == DONE || stop == MUST_GROW))) {
                compact(p, used, first, stride, tile);
            }
        }
    }
    if (first == 1u) {
        store_relaxed(&p.control[STOP], stop);
    }
}
