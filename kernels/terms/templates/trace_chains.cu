// The template `trace`, second part: long chains of cells, cut into pieces that threads follow side by side.

// The splitter among the cells from RULER_SPACING * number on, at a pseudorandom place, so that the order of chains
// does not matter.
__device__ __forceinline__ u32 splitter(u32 number) {
    u32 mixed = number * 0x9e3779b9u;
    mixed = (mixed ^ mixed >> 15u) * 0x85ebca6bu;
    return RULER_SPACING * number + (mixed >> 13u) % RULER_SPACING;
}

// Where a shape has the number of its first splitter; its links follow.
__device__ __forceinline__ u32 first_splitter(u32* map, u32 shape) {
    return shape + SHAPE_HEAD + 2u * map[shape + SHAPE_FIELDS];
}

// The number of the first splitter on a chain after a cell, plus 1; 0 when the chain ends before that, or is marked
// from some cell on: then another thread scans it. The cell may be unused and hold anything; the result is arbitrary
// then.
// pre: cell is below the number of cells of the class
__device__ __noinline__ u32 next_splitter(Trace t, u32 direction, u32 first_shape, u32 cell) {
    u32 per = 32u / CODE_BITS;
    u32 shape = first_shape;
    u32 at = cell;
    for (u32 i = 0u; i < MAX_WALK; i += 1u) {
        u32 outer = TRACE_CLASS * t.map[shape];
        u32 splitters = first_splitter(t.map, shape);
        u32 link = splitters + 1u + 2u * direction;
        u32 sort = t.map[link + 1u];
        if (sort == 0u) {
            return 0u;
        }
        u32 value = t.heap[t.map[outer + TRACE_BASE] + at * t.map[outer + TRACE_STRIDE] + t.map[link]];
        shape = shape_of(t.map, value, sort);
        at = value >> t.map[sort];
        if (shape == 0u) {
            return 0u;
        }
        u32 kind = TRACE_CLASS * t.map[shape];
        u32 cells = t.map[kind + TRACE_CELLS];
        if (at >= cells || at <= t.map[kind + TRACE_MARK]) {
            return 0u;
        }
        u32 word = load_relaxed(&t.codes[t.map[kind + TRACE_CODES] + at / per]);
        if ((word >> at % per * CODE_BITS & (1u << CODE_BITS) - 1u) != 0u) {
            return 0u;
        }
        u32 number = at / RULER_SPACING;
        u32 behind = first_splitter(t.map, shape);
        u32 node = t.map[behind];
        u32 here = splitter(number);
        if (node != 0u && number < cells / RULER_SPACING && at == here) {
            return node + number;
        }
    }
    return 0u;
}

// The place in the list of shapes, from `from` on, of the one that has the splitter of this number.
// pre: the number is below that of all splitters, and not that of a splitter of a shape before `from`
__device__ __forceinline__ u32 splitter_shape(Trace t, u32 from, u32 number) {
    u32 at = from;
    bool found = false;
    while (!found) {
        u32 shape = t.map[t.chains + CHAIN_HEAD + at];
        u32 place = first_splitter(t.map, shape);
        u32 node = t.map[place];
        found = node != 0u && number + 1u < node + t.map[TRACE_CLASS * t.map[shape] + TRACE_CELLS] / RULER_SPACING;
        at = found ? at : at + 1u;
    }
    return at;
}

// Cuts the unmarked part of the chains that begin at the cells of a list and continue in one direction: marks the
// splitters on them, and offers these to all threads. Cells do not say what they are, so each shape has splitters of
// its own among the cells of its class. Which splitters are on the chains follows by pointer jumping, after Wyllie,
// "The complexity of parallel computations", among splitters only: each thread first follows chains from its own
// splitters to the next ones, as in Helman, JaJa, "Designing practical efficient algorithms for symmetric
// multiprocessors".
// pre: every thread of the grid calls it with the same arguments; counts and before are not in use, list has `size`
//     cells
// shares: counts: for each splitter the number of a splitter after it, twice; before: whether it is on one of the
//     chains
__device__ __forceinline__ void cut_chains(Trace t, u32 direction, u32 list, u32 size, u32 first, u32 apart) {
    u32 splitters = t.map[t.chains + CHAIN_SPLITTERS];
    assume_uniform("splitters", splitters);
    u32 at = 0u;
    for (u32 j = first; j < splitters; j += apart) {
        at = splitter_shape(t, at, j);
        u32 shape = t.map[t.chains + CHAIN_HEAD + at];
        u32 node = first_splitter(t.map, shape);
        u32 from = splitter(j + 1u - t.map[node]);
        u32 next = next_splitter(t, direction, shape, from);
        own("word of this splitter", t.counts[j]);
        t.counts[j] = next;
        store_relaxed(&t.before[j], 0u);
    }
    grid_barrier(t.arrivals);
    for (u32 k = first; k < size; k += apart) {
        u32 place = 2u * ((list & 1u) * t.list_places + k);
        u32 nearest = next_splitter(t, direction, t.lists[place], t.lists[place + 1u]);
        if (nearest != 0u) {
            store_relaxed(&t.before[nearest - 1u], 1u);
        }
    }
    grid_barrier(t.arrivals);
    // All splitters on the chains less than `reach` splitters after the first one are known, and for each splitter the
    // one `reach` after it.
    u32 now = 0u;
    for (u32 reach = 1u; reach < splitters; reach <<= 1u) {
        for (u32 i = first; i < splitters; i += apart) {
            u32 far = t.counts[now + i];
            u32 farther = 0u;
            if (far != 0u) {
                u32 reached = load_relaxed(&t.before[i]);
                if (reached != 0u) {
                    store_relaxed(&t.before[far - 1u], 1u);
                }
                farther = t.counts[now + far - 1u];
            }
            own("word of this splitter", t.counts[splitters - now + i]);
            t.counts[splitters - now + i] = farther;
        }
        grid_barrier(t.arrivals);
        now = splitters - now;
    }
    // No more than a part of the splitters has room in the list.
    u32 sparse = splitters / (t.list_places / 2u) + 1u;
    at = 0u;
    for (u32 p = first; p < splitters; p += apart) {
        u32 on_chain = load_relaxed(&t.before[p]);
        if (on_chain != 0u && p % sparse == 0u) {
            at = splitter_shape(t, at, p);
            u32 shape2 = t.map[t.chains + CHAIN_HEAD + at];
            u32 node2 = first_splitter(t.map, shape2);
            u32 cell = splitter(p + 1u - t.map[node2]);
            bool is_new = first_mark(t, shape2, cell);
            if (is_new) {
                hand_on(t, list + 1u, shape2, cell);
            }
        }
    }
    grid_barrier(t.arrivals);
}
