// Cells that are given back as soon as nobody refers to them: counts of references, lists of free cells, dead cells taken apart.
// Counts after Reinking, Xie, de Moura, Leijen, "Perceus: Garbage Free Reference Counting with Reuse".
//
// heap: words of cells; a free cell names the next one of its list in its first word. shared: a word a cell, of classes that need one:
// 0, the cell has one reference and always had; else twice the number of further references, and 1; from STUCK on it is never
// given back. Only cells behind the mark of their class are counted: those before it live as long as the run.
// shapes: what the functions here must know of classes, sorts and fields.
//   class k, from 8k on: [0] word of cell 0, [1] words a cell, [2] mark, [3] its first word in `shared`, [4] its first place in the ring,
//     [5] places in the ring less 1, [6] cells a batch
//   sort: [0] tag bits, and 256 when its cells are counted; then by tag the variant's place, 0 when it has no cell
//   variant: [0] class, [1] fields that may be cells; then of each its word in the cell and its sort
// pool: full batches of free cells, a ring for each class k: from 16k on [0] batches taken, [8] batches given; then the places.
// lists: the thread's own: [0] cells taken less cells given back; of class k from 4k + 1 on [0] first free cell, [1] free cells,
//   [2] a full batch, [3] the next fresh cell.

constexpr u32 STUCK = 0x80000000u;
// The number of a field, beside the place of a sort.
constexpr u32 FIELD_BITS = 15u;

// Adds references to a cell.
// pre: the cell is behind the mark, and somebody holds it
__device__ __forceinline__ void keep(u32* shared, u32 at, u32 times) {
    u32 seen = load_relaxed(&shared[at]);
    if (seen < STUCK) {
        if (seen == 0u) {
            atomic_or(&shared[at], 1u);
        }
        atomic_add(&shared[at], 2u * times);
    }
}

// Gives up a reference that may not be the only one.
__device__ __noinline__ bool was_last(u32* shared, u32 at, u32 before) {
    u32 seen = before;
    if (seen >= STUCK) {
        return false;
    }
    if (seen != 1u) {
        seen = atomic_sub_release(&shared[at], 2u);
    }
    if (seen != 1u) {
        return false;
    }
    // All others have given up theirs: what they did with the cell is done.
    u32 left = load_acquire(&shared[at]);
    store_relaxed(&shared[at], 0u);
    return true;
}

// Gives up a reference; says whether it was the last one.
// pre: the cell is behind the mark
// post: the cell is this thread's alone when it was the last one
__device__ __forceinline__ bool give_up(u32* shared, u32 at) {
    u32 seen = load_relaxed(&shared[at]);
    if (seen == 0u) {
        return true;
    }
    bool last = was_last(shared, at, seen);
    return last;
}

// Whether a cell has no other reference than the thread's. It is this thread's alone then.
// pre: the cell is behind the mark
__device__ __forceinline__ bool is_alone(u32* shared, u32 at) {
    u32 seen = load_relaxed(&shared[at]);
    if (seen == 1u) {
        seen = load_acquire(&shared[at]);
        store_relaxed(&shared[at], 0u);
        seen = 0u;
    }
    return seen == 0u;
}

// Leaves a full batch of free cells to all threads.
__device__ __noinline__ void hand_in(u32* shapes, u32* pool, u32 kind, u32 batch) {
    u32 number = atomic_add(&pool[16u * kind + 8u], 1u);
    u32 at = shapes[8u * kind + 4u] + (number & shapes[8u * kind + 5u]);
    u32 before = load_acquire(&pool[at]);
    // Whoever takes the batch of the last turn is about to: there are more places than batches.
    while (before != 0u) {
        before = load_acquire(&pool[at]);
    }
    store_release(&pool[at], batch);
}

// Takes a batch of free cells that some thread has left: its first cell; none is 0.
__device__ __noinline__ u32 draw(u32* shapes, u32* pool, u32 kind) {
    u32 number = load_relaxed(&pool[16u * kind]);
    bool taken = false;
    while (!taken) {
        u32 given = load_relaxed(&pool[16u * kind + 8u]);
        if (number == given) {
            return 0u;
        }
        u32 seen = atomic_compare_exchange(&pool[16u * kind], number, number + 1u);
        taken = seen == number;
        number = taken ? number : seen;
    }
    u32 at = shapes[8u * kind + 4u] + (number & shapes[8u * kind + 5u]);
    u32 batch = load_acquire(&pool[at]);
    while (batch == 0u) {
        batch = load_acquire(&pool[at]);
    }
    store_release(&pool[at], 0u);
    return batch;
}

// Makes room in a thread's list that has as many cells as a batch.
__device__ __noinline__ void turn_over(u32* shapes, u32* pool, in_local u32* lists, u32 kind) {
    u32 list = 4u * kind + 1u;
    u32 full = lists[list + 2u];
    if (full != 0u) {
        hand_in(shapes, pool, kind, full);
    }
    lists[list + 2u] = lists[list];
    lists[list] = 0u;
    lists[list + 1u] = 0u;
}

// Gives a cell back.
// pre: it is this thread's alone, its word in `shared` is 0; `word` is its first word in the heap
__device__ __forceinline__ void put(u32* heap, u32* shapes, u32* pool, in_local u32* lists, u32 kind, u32 cell, u32 word) {
    u32 list = 4u * kind + 1u;
    if (lists[list + 1u] == shapes[8u * kind + 6u]) {
        turn_over(shapes, pool, lists, kind);
    }
    heap[word] = lists[list];
    lists[list] = cell;
    lists[list + 1u] = lists[list + 1u] + 1u;
    lists[0u] = lists[0u] - 1u;
}

// Gives up a reference to a value, with all that only it refers to. A cell of several fields that is taken apart keeps what comes
// after it in its own words: where its first field was, the next field's number and the sort of the cell around, in `shared` that cell.
// pre: `sort` is the place of the value's sort in `shapes`
__device__ __noinline__ void discard(u32* heap, u32* shared, u32* shapes, u32* pool, in_local u32* lists, u32 value, u32 sort) {
    u32 v = value;
    u32 s = sort;
    u32 around = 0u;
    u32 around_sort = 0u;
    while (true) {
        u32 bits = shapes[s] & 255u;
        u32 variant = shapes[s + 1u + (v & (1u << bits) - 1u)];
        u32 cell = v >> bits;
        if (variant != 0u && cell > shapes[8u * shapes[variant] + 2u]) {
            u32 kind = shapes[variant];
            bool dead = true;
            if (shapes[s] >= 256u) {
                dead = give_up(shared, shapes[8u * kind + 3u] + cell);
            }
            if (dead) {
                u32 word = shapes[8u * kind] + cell * shapes[8u * kind + 1u];
                u32 fields = shapes[variant + 1u];
                u32 first = 0u;
                if (fields != 0u) {
                    first = heap[word + shapes[variant + 2u]];
                }
                if (fields > 1u) {
                    heap[word + shapes[variant + 2u]] = around_sort << FIELD_BITS | 1u;
                    store_relaxed(&shared[shapes[8u * kind + 3u] + cell], around);
                    around = v;
                    around_sort = s;
                } else {
                    put(heap, shapes, pool, lists, kind, cell, word);
                }
                if (fields != 0u) {
                    v = first;
                    s = shapes[variant + 3u];
                    continue;
                }
            }
        }
        if (around == 0u) {
            return;
        }
        u32 tag_bits = shapes[around_sort] & 255u;
        u32 shape = shapes[around_sort + 1u + (around & (1u << tag_bits) - 1u)];
        u32 of = shapes[shape];
        u32 outer = around >> tag_bits;
        u32 start = shapes[8u * of] + outer * shapes[8u * of + 1u];
        u32 progress = heap[start + shapes[shape + 2u]];
        u32 field = progress & (1u << FIELD_BITS) - 1u;
        v = heap[start + shapes[shape + 2u + 2u * field]];
        s = shapes[shape + 3u + 2u * field];
        if (field + 1u == shapes[shape + 1u]) {
            around = load_relaxed(&shared[shapes[8u * of + 3u] + outer]);
            around_sort = progress >> FIELD_BITS;
            store_relaxed(&shared[shapes[8u * of + 3u] + outer], 0u);
            put(heap, shapes, pool, lists, of, outer, start);
        } else {
            heap[start + shapes[shape + 2u]] = progress + 1u;
        }
    }
}
