// Cells that are freed as soon as nothing refers to them: reference counts, free lists, batches of free cells that
// threads exchange. Counts after Reinking, Xie, de Moura, Leijen, "Perceus: Garbage Free Reference Counting with
// Reuse".
//
// heap: words of cells; the first word of a free cell names the next one of its list. shared: one word for each cell of
// a class that needs it: 0 for a cell that has one reference and always had; otherwise twice the number of further
// references, plus 1; from STUCK on the cell is never freed. Only cells after the mark of their class are counted:
// those before it live as long as the run.
// shapes: what the functions here know of classes, sorts and fields.
//   class k, from CLASS_WORDS * k on: the words CLASS_*
//   sort: [0] tag bits, plus COUNTED_SORT when its cells are counted; from SORT_TAGS on for each tag the place of its
//     variant, 0 when it has no cell
//   variant: [0] class, [VARIANT_FIELDS] fields that may be cells; from VARIANT_HEAD on for each its word in the
//     cell and its sort
// pool: full batches of free cells, a ring for each class k: RING_WORDS counters from RING_WORDS * k on; after those of
// all classes, the
//   places.
// lists: of the thread: [0] cells allocated minus cells freed; of class k from LIST_WORDS * k + LIST_HEAD on: first
// free cell and LIST_*.

// Words of a class: the word of cell 0, words of a cell, its mark, its first word in `shared`, its first place in the
// ring, places in the ring minus 1, cells of a batch.
constexpr u32 CLASS_WORDS = 8u;
constexpr u32 CLASS_BASE = 0u;
constexpr u32 CLASS_STRIDE = 1u;
constexpr u32 CLASS_MARK = 2u;
constexpr u32 CLASS_SHARED = 3u;
constexpr u32 CLASS_RING = 4u;
constexpr u32 CLASS_RING_MASK = 5u;
constexpr u32 CLASS_BATCH = 6u;
constexpr u32 COUNTED_SORT = 256u;
// Words of a sort before the places of its variants. Words of a variant: number of its fields; words before them.
constexpr u32 SORT_TAGS = 1u;
constexpr u32 VARIANT_FIELDS = 1u;
constexpr u32 VARIANT_HEAD = 2u;

// Counters of a ring: batches taken (the first), batches that can be taken, batches given.
constexpr u32 RING_WORDS = 16u;
constexpr u32 RING_READY = 1u;
constexpr u32 RING_GIVEN = 8u;

// Words of a thread's lists before those of the classes, and of a class: after the first free cell the number of free
// cells, a full batch, the next fresh cell.
constexpr u32 LIST_HEAD = 1u;
constexpr u32 LIST_WORDS = 4u;
constexpr u32 LIST_COUNT = 1u;
constexpr u32 LIST_BATCH = 2u;
constexpr u32 LIST_FRESH = 3u;

constexpr u32 STUCK = 0x80000000u;

// Adds references to a cell.
// pre: the cell is after the mark, and the thread holds a reference to it
__device__ __forceinline__ void inc_ref(u32* shared, u32 at, u32 times) {
    u32 seen = load_relaxed(&shared[at]);
    if (seen < STUCK) {
        if (seen == 0u) {
            atomic_or(&shared[at], 1u);
        }
        atomic_add(&shared[at], 2u * times);
    }
}

// Drops a reference that may not be the only one.
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
    // All others have dropped theirs: their accesses to the cell are done.
    u32 left = load_acquire(&shared[at]);
    store_relaxed(&shared[at], 0u);
    return true;
}

// Drops a reference; says whether it was the last one.
// pre: the cell is after the mark
// post: the cell belongs to this thread when it was the last one
__device__ __forceinline__ bool dec_ref(u32* shared, u32 at) {
    u32 seen = load_relaxed(&shared[at]);
    if (seen == 0u) {
        return true;
    }
    bool last = was_last(shared, at, seen);
    return last;
}

// Whether a cell has no other reference than the thread's. It belongs to this thread then.
// pre: the cell is after the mark
__device__ __forceinline__ bool is_alone(u32* shared, u32 at) {
    u32 seen = load_relaxed(&shared[at]);
    if (seen == 1u) {
        seen = load_acquire(&shared[at]);
        store_relaxed(&shared[at], 0u);
        seen = 0u;
    }
    return seen == 0u;
}

// Offers a batch, by a number that is not 0, to all threads in a ring: `counters` as in the pool, places from `first`
// on.
// pre: there are more places than batches
__device__ __noinline__ void give_batch(u32* ring, u32 counters, u32 first, u32 mask, u32 batch) {
    u32 number = atomic_add(&ring[counters + RING_GIVEN], 1u);
    u32 at = first + (number & mask);
    u32 before = load_acquire(&ring[at]);
    // A thread is about to take the batch of the last turn.
    while (before != 0u) {
        before = load_acquire(&ring[at]);
    }
    store_release(&ring[at], batch);
    atomic_add(&ring[counters + RING_READY], 1u);
}

// Takes a batch that some thread has offered, or 0.
__device__ __noinline__ u32 take_batch(u32* ring, u32 counters, u32 first, u32 mask) {
    // No loop of compare and exchange: thousands of threads that want a batch would make each other start over.
    u32 there = load_relaxed(&ring[counters + RING_READY]);
    if (i32(there) <= 0) {
        return 0u;
    }
    there = atomic_sub(&ring[counters + RING_READY], 1u);
    if (i32(there) <= 0) {
        atomic_add(&ring[counters + RING_READY], 1u);
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

// Pops a batch of free cells that some thread has offered: its first cell, or 0.
__device__ __forceinline__ u32 pop_batch(u32* shapes, u32* pool, u32 kind) {
    u32 batch = take_batch(pool, RING_WORDS * kind, shapes[CLASS_WORDS * kind + CLASS_RING], shapes[CLASS_WORDS * kind + CLASS_RING_MASK]);
    return batch;
}

// Makes room in a thread's free list that is as long as a batch.
__device__ __noinline__ void turn_over(u32* shapes, u32* pool, in_local u32* lists, u32 kind) {
    u32 list = LIST_WORDS * kind + LIST_HEAD;
    u32 full = lists[list + LIST_BATCH];
    if (full != 0u) {
        give_batch(pool, RING_WORDS * kind, shapes[CLASS_WORDS * kind + CLASS_RING], shapes[CLASS_WORDS * kind + CLASS_RING_MASK], full);
    }
    lists[list + LIST_BATCH] = lists[list];
    lists[list] = 0u;
    lists[list + LIST_COUNT] = 0u;
}

// Frees a cell.
// pre: it belongs to this thread, its word in `shared` is 0; `word` is its first word in the heap
__device__ __forceinline__ void free_cell(u32* heap, u32* shapes, u32* pool, in_local u32* lists, u32 kind, u32 cell, u32 word) {
    u32 list = LIST_WORDS * kind + LIST_HEAD;
    if (lists[list + LIST_COUNT] == shapes[CLASS_WORDS * kind + CLASS_BATCH]) {
        turn_over(shapes, pool, lists, kind);
    }
    heap[word] = lists[list];
    lists[list] = cell;
    lists[list + LIST_COUNT] = lists[list + LIST_COUNT] + 1u;
    lists[0u] = lists[0u] - 1u;
}
