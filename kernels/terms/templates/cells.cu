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
// pool: full batches of free cells, a ring for each class k: from 16k on [0] batches taken, [1] batches that can be taken,
//   [8] batches given; then the places.
// lists: the thread's own: [0] cells taken less cells given back; of class k from 4k + 1 on [0] first free cell, [1] free cells,
//   [2] a full batch, [3] the next fresh cell.

constexpr u32 STUCK = 0x80000000u;

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

// Leaves a batch of things to all threads, by a number that is not 0, in a ring: `counters` as in the pool, places from `first` on.
// pre: there are more places than batches
__device__ __noinline__ void give_batch(u32* ring, u32 counters, u32 first, u32 mask, u32 batch) {
    u32 number = atomic_add(&ring[counters + 8u], 1u);
    u32 at = first + (number & mask);
    u32 before = load_acquire(&ring[at]);
    // Whoever takes the batch of the last turn is about to.
    while (before != 0u) {
        before = load_acquire(&ring[at]);
    }
    store_release(&ring[at], batch);
    atomic_add(&ring[counters + 1u], 1u);
}

// Takes a batch that some thread has left; none is 0.
__device__ __noinline__ u32 take_batch(u32* ring, u32 counters, u32 first, u32 mask) {
    // No loop of compare and exchange: thousands of threads that all want one would make each other start over.
    u32 there = load_relaxed(&ring[counters + 1u]);
    if (i32(there) <= 0) {
        return 0u;
    }
    there = atomic_sub(&ring[counters + 1u], 1u);
    if (i32(there) <= 0) {
        atomic_add(&ring[counters + 1u], 1u);
        return 0u;
    }
    u32 number = atomic_add(&ring[counters], 1u);
    u32 at = first + (number & mask);
    u32 batch = load_acquire(&ring[at]);
    while (batch == 0u) {
        batch = load_acquire(&ring[at]);
    }
    store_release(&ring[at], 0u);
    return batch;
}

// Takes a batch of free cells that some thread has left: its first cell; none is 0.
__device__ __forceinline__ u32 draw(u32* shapes, u32* pool, u32 kind) {
    u32 batch = take_batch(pool, 16u * kind, shapes[8u * kind + 4u], shapes[8u * kind + 5u]);
    return batch;
}

// Makes room in a thread's list that has as many cells as a batch.
__device__ __noinline__ void turn_over(u32* shapes, u32* pool, in_local u32* lists, u32 kind) {
    u32 list = 4u * kind + 1u;
    u32 full = lists[list + 2u];
    if (full != 0u) {
        give_batch(pool, 16u * kind, shapes[8u * kind + 4u], shapes[8u * kind + 5u], full);
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
