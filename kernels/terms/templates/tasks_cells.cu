// The template `tasks`, second part: reports, allocation, numbers of tasks, release of values.

// Ends the run; the first reason stays.
__device__ __forceinline__ void stop(u32* control, u32 reason) {
    u32 before = atomic_compare_exchange(&control[STOP], 0u, reason);
}

// Reports rule applications; says whether the run is over.
__device__ __noinline__ bool report(u32* control, u64* counts, u32* error, u32 count, u64 most) {
    // Negative when rule applications that have been reported are done again.
    u64 more = u64(i64(i32(count)));
    u64 before = atomic_add(&counts[APPLIED], more);
    if (before + more > most) {
        stop(control, STEPS);
    }
    u32 wrong = load_relaxed(&error[0u]);
    if (wrong != 0u) {
        stop(control, FAILED);
    }
    u32 over = load_relaxed(&control[STOP]);
    return over != 0u;
}

// Whether the run is only interrupted by a collection.
__device__ __forceinline__ bool waits_for_cells(u32* control) {
    u32 reason = load_relaxed(&control[STOP]);
    return reason == COLLECT;
}

// A comparison looks at some pairs again when there are so many times as many as cells.
constexpr u64 PAIRS_PER_CELL = 4ull;

// Whether a comparison that has looked at so many pairs of cells has looked at some of them many times.
__device__ __noinline__ bool compares_again(u32* control, u32 kinds, u32 pairs) {
    u64 cells = 0ull;
    for (u32 kind = 0u; kind < kinds; kind += 1u) {
        u32 taken = load_relaxed(&control[CELLS + CELLS_STRIDE * kind]);
        cells += u64(taken);
    }
    return u64(pairs) > PAIRS_PER_CELL * cells;
}

// Allocates a run of fresh cells of a class: the first one, or 0. The cell before it is not used.
// post: no other thread gets them
__device__ __noinline__ u32 fresh(u32* control, u32 kind, u32 limit, u32 cells) {
    u32 first = atomic_add(&control[CELLS + CELLS_STRIDE * kind], cells);
    if (first + cells > limit || first + cells < first) {
        u32 before = atomic_compare_exchange(&control[FULL], 0u, kind + 1u);
        stop(control, COMPACT != 0u ? COLLECT : MUST_GROW);
        return 0u;
    }
    return first + 1u;
}

// From the template `cells`: pops a batch of free cells that some thread has offered.
__device__ u32 pop_batch(u32* shapes, u32* pool, u32 kind);

// From the template `cells`: offers a batch to all threads, in a ring.
__device__ void give_batch(u32* ring, u32 counters, u32 first, u32 mask, u32 batch);

// From the template `cells`: takes a batch that some thread has offered, or 0.
__device__ u32 take_batch(u32* ring, u32 counters, u32 first, u32 mask);

// A cell for a thread whose free list is empty: a fresh one in reserve, else one of a batch, else one of a fresh run; 0
// if there is none.
__device__ __noinline__ u32 refill(u32* heap, u32* shapes, u32* pool, u32* control, in_local u32* lists, u32 kind, u32 limit, u32 cells) {
    u32 list = LIST_WORDS * kind + LIST_HEAD;
    u32 next = lists[list + LIST_FRESH];
    if ((next & cells - 1u) != 0u) {
        lists[list + LIST_FRESH] = next + 1u;
        return next;
    }
    u32 batch = lists[list + LIST_BATCH];
    lists[list + LIST_BATCH] = 0u;
    if (batch == 0u) {
        batch = pop_batch(shapes, pool, kind);
    }
    if (batch != 0u) {
        lists[list] = heap[shapes[CLASS_WORDS * kind + CLASS_BASE] + batch * shapes[CLASS_WORDS * kind + CLASS_STRIDE]];
        lists[list + LIST_COUNT] = shapes[CLASS_WORDS * kind + CLASS_BATCH] - 1u;
        return batch;
    }
    u32 first = fresh(control, kind, limit, cells);
    lists[list + LIST_FRESH] = first == 0u ? 0u : first + 1u;
    return first;
}

// Allocates a cell: a freed one, else a fresh one; 0 if there is none.
// pre: the cells of the class begin at word `base` and have `stride` words
// post: no other thread gets it
__device__ __forceinline__ u32 alloc_cell(Params p, in_local u32* lists, u32 kind, u32 base, u32 stride, u32 limit) {
    u32 list = LIST_WORDS * kind + LIST_HEAD;
    u32 cell = lists[list];
    if (cell != 0u) {
        lists[list] = p.heap[base + cell * stride];
        lists[list + LIST_COUNT] = lists[list + LIST_COUNT] - 1u;
    } else {
        cell = refill(p.heap, p.shapes, p.pool, p.control, lists, kind, limit, p.run);
    }
    lists[0u] = lists[0u] + 1u;
    return cell;
}

// Adds one for each active lane by a single atomic; the result is what the lane would have got by itself.
__device__ __forceinline__ u32 count_up(u32* control, u32 word) {
    u32 mask = active_mask();
    u32 leader = find_first_set(mask) - 1u;
    u32 first = 0u;
    if (lane_id() == leader) {
        first = atomic_add(&control[word], popcount(mask));
    }
    first = shfl(mask, first, leader);
    return first + popcount(mask & (1u << lane_id()) - 1u);
}

// The number of a new task; its place is what is written to.
// pre: not many more places than the queue has are taken
// post: what the place had before has been read
__device__ __forceinline__ u32 task_number(u32* control, u32* turns, u32 places, u32 place_bits) {
    u32 number = count_up(control, TAIL);
    u32 place = number & places - 1u;
    u32 free = number >> place_bits << 1u;
    u32 seen = load_acquire(&turns[place]);
    while ((seen ^ free) << (place_bits - 1u) != 0u) {
        seen = load_acquire(&turns[place]);
    }
    return number;
}

// From the template `cells`: drops a reference; says whether it was the last one.
__device__ bool dec_ref(u32* shared, u32 at);

// From the template `cells`: frees a cell.
__device__ void free_cell(u32* heap, u32* shapes, u32* pool, in_local u32* lists, u32 kind, u32 cell, u32 word);

// Bits of a field number, which shares a word with the place of a sort.
constexpr u32 FIELD_BITS = 15u;
// Freed cells between two polls for idle threads, minus 1; levels of nested dead cells from which on the outermost one
// is offered; levels up to which it is looked for.
constexpr u32 RELEASE_POLL_MASK = 15u;
constexpr u32 MIN_SPLIT_DEPTH = 3u;
constexpr u32 MAX_SPLIT_DEPTH = 64u;

// Offers a value to an idle thread, to be released; says whether it did. The run is not over before that is done.
// Only when the next place is free and no other thread takes it: lanes of the same warp may have polled for their tasks
// long before, and they do not continue before this one does, so it must not wait for a place to be read.
__device__ __noinline__ bool offer_release(u32* control, u32* queue, u32* turns, u32 places, u32 place_bits, u32 value, u32 sort) {
    u32 number = load_relaxed(&control[TAIL]);
    u32 place = number & places - 1u;
    u32 seen = load_acquire(&turns[place]);
    if ((seen ^ number >> place_bits << 1u) << (place_bits - 1u) != 0u) {
        return false;
    }
    u32 taken = atomic_compare_exchange(&control[TAIL], number, number + 1u);
    if (taken != number) {
        return false;
    }
    atomic_add(&control[LEFT], 1u);
    queue[place * TASK] = DROPS | sort;
    queue[place * TASK + TASK_RETURN] = value;
    store_release(&turns[place], (number >> place_bits << 1u) + 1u);
    return true;
}

// If threads are idle, offers them the next field of the outermost dead cell, when that is at least MIN_SPLIT_DEPTH
// levels out: otherwise what is being released is no tree, or a small one.
__device__ __noinline__ void split_release(u32* heap, u32* shared, u32* shapes, u32* pool, in_local u32* lists, u32* control, u32* queue, u32* turns, u32 places, u32 place_bits, u32 around, u32 around_sort) {
    u32 head = load_relaxed(&control[HEAD]);
    u32 tail = load_relaxed(&control[TAIL]);
    if (i32(head - tail) <= 0) {
        return;
    }
    u32 v = around;
    u32 s = around_sort;
    u32 inner = 0u;
    u32 inner_at = 0u;
    for (u32 i = 0u; i < MAX_SPLIT_DEPTH; i += 1u) {
        u32 bits = shapes[s] & 255u;
        u32 shape = shapes[s + SORT_TAGS + (v & (1u << bits) - 1u)];
        u32 kind = shapes[shape];
        u32 cell = v >> bits;
        u32 start = shapes[CLASS_WORDS * kind + CLASS_BASE] + cell * shapes[CLASS_WORDS * kind + CLASS_STRIDE];
        u32 first = start + shapes[shape + VARIANT_HEAD];
        u32 at = shapes[CLASS_WORDS * kind + CLASS_SHARED] + cell;
        u32 progress = heap[first];
        u32 outer = load_relaxed(&shared[at]);
        if (outer == 0u) {
            if (i < MIN_SPLIT_DEPTH) {
                return;
            }
            u32 field = progress & (1u << FIELD_BITS) - 1u;
            u32 child = heap[start + shapes[shape + VARIANT_HEAD + 2u * field]];
            bool left = offer_release(control, queue, turns, places, place_bits, child, shapes[shape + VARIANT_HEAD + 1u + 2u * field]);
            if (!left) {
                return;
            }
            if (field + 1u < shapes[shape + VARIANT_FIELDS]) {
                heap[first] = progress + 1u;
                return;
            }
            free_cell(heap, shapes, pool, lists, kind, cell, start);
            heap[inner] = heap[inner] & (1u << FIELD_BITS) - 1u;
            store_relaxed(&shared[inner_at], 0u);
            return;
        }
        inner = first;
        inner_at = at;
        v = outer;
        s = progress >> FIELD_BITS;
    }
}

// Drops a reference to a value, and releases everything that only it refers to; large parts are offered to idle
// threads. A dead cell of several fields keeps the state of the traversal in its own words: in place of its first field
// the number of the next field and the sort of the enclosing dead cell, in `shared` that cell.
// pre: `sort` is the place of the value's sort in `shapes`
__device__ __noinline__ void release_graph(u32* heap, u32* shared, u32* shapes, u32* pool, in_local u32* lists, u32* control, u32* queue, u32* turns, u32 places, u32 place_bits, u32 value, u32 sort) {
    u32 v = value;
    u32 s = sort;
    u32 around = 0u;
    u32 around_sort = 0u;
    u32 cells = 0u;
    while (true) {
        u32 bits = shapes[s] & 255u;
        u32 variant = shapes[s + SORT_TAGS + (v & (1u << bits) - 1u)];
        u32 cell = v >> bits;
        if (variant != 0u && cell > shapes[CLASS_WORDS * shapes[variant] + CLASS_MARK]) {
            u32 kind = shapes[variant];
            bool dead = true;
            if (shapes[s] >= COUNTED_SORT) {
                dead = dec_ref(shared, shapes[CLASS_WORDS * kind + CLASS_SHARED] + cell);
            }
            if (dead) {
                u32 word = shapes[CLASS_WORDS * kind + CLASS_BASE] + cell * shapes[CLASS_WORDS * kind + CLASS_STRIDE];
                u32 fields = shapes[variant + VARIANT_FIELDS];
                u32 first = 0u;
                if (fields != 0u) {
                    first = heap[word + shapes[variant + VARIANT_HEAD]];
                }
                if (fields > 1u) {
                    heap[word + shapes[variant + VARIANT_HEAD]] = around_sort << FIELD_BITS | 1u;
                    store_relaxed(&shared[shapes[CLASS_WORDS * kind + CLASS_SHARED] + cell], around);
                    around = v;
                    around_sort = s;
                } else {
                    free_cell(heap, shapes, pool, lists, kind, cell, word);
                }
                cells = cells + 1u;
                if ((cells & RELEASE_POLL_MASK) == 0u && around != 0u) {
                    split_release(heap, shared, shapes, pool, lists, control, queue, turns, places, place_bits, around, around_sort);
                }
                if (fields != 0u) {
                    v = first;
                    s = shapes[variant + VARIANT_HEAD + 1u];
                    continue;
                }
            }
        }
        if (around == 0u) {
            return;
        }
        u32 tag_bits = shapes[around_sort] & 255u;
        u32 shape = shapes[around_sort + SORT_TAGS + (around & (1u << tag_bits) - 1u)];
        u32 of = shapes[shape];
        u32 outer = around >> tag_bits;
        u32 start = shapes[CLASS_WORDS * of + CLASS_BASE] + outer * shapes[CLASS_WORDS * of + CLASS_STRIDE];
        u32 progress = heap[start + shapes[shape + VARIANT_HEAD]];
        u32 field = progress & (1u << FIELD_BITS) - 1u;
        v = heap[start + shapes[shape + VARIANT_HEAD + 2u * field]];
        s = shapes[shape + VARIANT_HEAD + 1u + 2u * field];
        if (field + 1u == shapes[shape + VARIANT_FIELDS]) {
            around = load_relaxed(&shared[shapes[CLASS_WORDS * of + CLASS_SHARED] + outer]);
            around_sort = progress >> FIELD_BITS;
            store_relaxed(&shared[shapes[CLASS_WORDS * of + CLASS_SHARED] + outer], 0u);
            free_cell(heap, shapes, pool, lists, of, outer, start);
        } else {
            heap[start + shapes[shape + VARIANT_HEAD]] = progress + 1u;
        }
    }
}
