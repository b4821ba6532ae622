// Tracing and compaction: cells that nothing refers to are dropped, the others move to the front in their order. Runs
// between two launches of the tasks scheduler, whose threads have saved their registers and stacks to device memory.
//
// New places follow from the marks and from prefix sums over them, as in Kermany, Petrank, "The Compressor: concurrent,
// incremental, and parallel compaction". A mark is a code of CODE_BITS that says which variant the cell is, since cells
// do not; 0 is an unreachable cell. Cells are moved in windows, through a staging buffer, so that no word is written
// that is still to be read.
//
// map: what the functions here know.
//   class k, from TRACE_CLASS * k on: the words TRACE_*. Cells up to its mark live as long as the run, and refer to
//     such cells only
//   sort: [0] tag bits; from TRACE_TAGS on for each tag the place of the shape, 0 when the variant has no cell
//   shape: [0] class, [SHAPE_CODE] code, [SHAPE_FIELDS] fields that may be cells; then for each its word in the cell
//     and its sort; then the number of its first splitter plus 1, 0 when it has none; then for each direction the word
//     and the sort of the field along which chains continue
//   resume point, by `resumes`: [0] sort of the value that it gets, [ENTRY_DESTINATION] place of the destination in the
//     frame, 0 when it has none, [ENTRY_VARIABLES] variables that may be cells; then for each its word in the frame and
//     its sort
//   state, by `states`: [0] sort of the function's value, [ENTRY_DESTINATION] whether it may have a destination,
//     [ENTRY_VARIABLES] arguments that may be cells; then for each its word in a task and its sort
//   chains: [0] shapes of which cells contain cells of the same shape again, [CHAIN_SPLITTERS] splitters of all of
//     them; then these shapes
// The sort of what has no cells is 0.
// lists: two lists of cells that are marked and not yet scanned: shape and number.
// Frames, joins, chunks and tasks are as the template `tasks` says; a record of `saved` is a task, SAVED words, and the
// stack.

struct Trace {
    u32* heap;
    u32* map;
    u32* codes;
    u32* counts;
    u32* before;
    u32* lists;
    u32* staging;
    u32* saved;
    u32* queue;
    u32* turns;
    u32* joins;
    u32* chunks;
    u32* roots;
    u32* results;
    u32* work;
    u32* block_sums;
    u32* arrivals;
    u32 classes;
    u32 resumes;
    u32 states;
    u32 chains;
    u32 directions;
    u32 code_words;
    u32 list_places;
    u32 staging_words;
    u32 threads;
    u32 places;
    u32 n_roots;
    u32 next_root;
    u32 join_count;
    u32 chunk_count;
};

// Bits of a code: a power of two up to 16; and the lowest bit of each code of a word.
constexpr u32 CODE_BITS = HOLE;
constexpr u32 LOW_BITS = HOLE;
// The template `tasks` says what these are.
constexpr u32 TASK = HOLE;
constexpr u32 STRIDE = HOLE;
constexpr u32 STACK = HOLE;
constexpr u32 HALF = HOLE;
constexpr u32 JOIN = HOLE;
constexpr u32 CHUNK = HOLE;
constexpr u32 JOIN_HEAD = HOLE;
constexpr u32 SAVED = HOLE;
constexpr u32 SUSPENDED = HOLE;
constexpr u32 NONE = HOLE;
constexpr u32 FIRST_STATE = HOLE;
constexpr u32 JOIN_VALUE = HOLE;
constexpr u32 SAVED_VALUE = HOLE;
constexpr u32 SAVED_BASE = HOLE;
constexpr u32 SAVED_SP = HOLE;

// Words of a class in `map`: word of cell 0, words of a cell, cells, its first word in `codes`, place of its shapes by
// code, its mark.
constexpr u32 TRACE_CLASS = 8u;
constexpr u32 TRACE_BASE = 0u;
constexpr u32 TRACE_STRIDE = 1u;
constexpr u32 TRACE_CELLS = 2u;
constexpr u32 TRACE_CODES = 3u;
constexpr u32 TRACE_SHAPES = 4u;
constexpr u32 TRACE_MARK = 5u;
// Words of a sort before the places of its shapes. Words of a resume point and of a state: its destination, number of
// its variables; words before them.
constexpr u32 TRACE_TAGS = 1u;
constexpr u32 ENTRY_DESTINATION = 1u;
constexpr u32 ENTRY_VARIABLES = 2u;
constexpr u32 ENTRY_HEAD = 3u;
// Words of a shape: its code, number of its fields; words before them. Words of the list of chains: splitters of all
// shapes; words before the shapes.
constexpr u32 SHAPE_CODE = 1u;
constexpr u32 SHAPE_FIELDS = 2u;
constexpr u32 SHAPE_HEAD = 3u;
constexpr u32 CHAIN_SPLITTERS = 1u;
constexpr u32 CHAIN_HEAD = 2u;

// Cells that a thread scans before it offers what it finds to all: few while there is not enough work for every thread,
// otherwise many, since the lists have room for only a part of the cells; words of its own list, as long as a balanced
// tree is high; links that it follows ahead.
constexpr u32 BUDGET = 128u;
constexpr u32 LARGE_BUDGET = 8192u;
constexpr u32 NEAR = 128u;
constexpr u32 AHEAD = 8u;
constexpr u32 AHEAD_WORDS = 18u;

// While there are fewer than FEW_CELLS cells to scan, for more than HYSTERESIS steps in a row, most threads are idle
// and some follow long chains; then these are cut into pieces. One cell of RULER_SPACING is a splitter, at which a
// chain can be cut; MAX_WALK: cells that a thread follows at most to the next splitter.
constexpr u32 FEW_CELLS = 1024u;
constexpr u32 HYSTERESIS = 8u;
constexpr u32 RULER_SPACING = HOLE;
constexpr u32 MAX_WALK = 4096u;

// Words of `work`: sizes of three lists that take turns, whether a list was full.
constexpr u32 SIZES = 0u;
constexpr u32 OVERFLOW = 24u;
constexpr u32 WORK_WORDS = 32u;

// From the template `grid_barrier`: all threads of the grid wait for each other.
// barrier: grid
__device__ void grid_barrier(u32* word);

// From the template `offsets`: writes to offsets[i] the sum of counts[0] to counts[i - 1], and to offsets[count] the
// sum of all.
__device__ void scan_counts(u32* counts, u32* offsets, u32 count, u32* block_sums, u32* arrivals, in_shared u32* sums);

// The place of the shape of a value's cell; 0 when it has none.
__device__ __forceinline__ u32 shape_of(u32* map, u32 value, u32 sort) {
    u32 bits = map[sort];
    u32 shape = 0u;
    if (value >> bits != 0u) {
        shape = map[sort + TRACE_TAGS + (value & (1u << bits) - 1u)];
    }
    return shape;
}

// Marks a cell; says whether this thread was the first.
__device__ __forceinline__ bool first_mark(Trace t, u32 shape, u32 cell) {
    u32 per = 32u / CODE_BITS;
    u32 kind = t.map[shape];
    if (cell <= t.map[TRACE_CLASS * kind + TRACE_MARK]) {
        return false;
    }
    u32 shift = cell % per * CODE_BITS;
    u32 at = t.map[TRACE_CLASS * kind + TRACE_CODES] + cell / per;
    u32 seen = load_relaxed(&t.codes[at]);
    if ((seen >> shift & (1u << CODE_BITS) - 1u) != 0u) {
        return false;
    }
    seen = atomic_or(&t.codes[at], t.map[shape + SHAPE_CODE] << shift);
    return (seen >> shift & (1u << CODE_BITS) - 1u) == 0u;
}

// Offers a marked cell to all threads: it is scanned when it is this list's turn.
__device__ __forceinline__ void hand_on(Trace t, u32 list, u32 shape, u32 cell) {
    u32 at = atomic_add(&t.work[SIZES + 8u * (list % 3u)], 1u);
    if (at < t.list_places) {
        u32 place = 2u * ((list & 1u) * t.list_places + at);
        own("place of its own", t.lists[place]);
        t.lists[place] = shape;
        own("place of its own", t.lists[place + 1u]);
        t.lists[place + 1u] = cell;
    } else {
        store_relaxed(&t.work[OVERFLOW], 1u);
    }
}

// Scans a marked cell, and the cells that it marks, as far as the budget goes; the rest is offered to all. Lists are
// long, and their cells refer to the next one by their last field: a thread follows these links ahead, so that it waits
// for the marks of many cells at once.
__device__ __noinline__ void look_into(Trace t, u32 list, u32 first_shape, u32 first_cell, u32 budget) {
    u32 per = 32u / CODE_BITS;
    u32 ones = (1u << CODE_BITS) - 1u;
    u32 near[NEAR];
    u32 ahead[AHEAD_WORDS];
    near[0u] = first_shape;
    near[1u] = first_cell;
    u32 sp = 2u;
    u32 done = 0u;
    while (sp != 0u) {
        sp = sp - 2u;
        ahead[0u] = near[sp];
        ahead[1u] = near[sp + 1u];
        bool goes_on = true;
        while (goes_on) {
            u32 links = 0u;
            while (links < AHEAD) {
                u32 from = ahead[2u * links];
                u32 kind = t.map[from];
                u32 last = from + SHAPE_HEAD - 2u + 2u * t.map[from + SHAPE_FIELDS];
                u32 next = 0u;
                if (t.map[from + SHAPE_FIELDS] != 0u) {
                    u32 value = t.heap[t.map[TRACE_CLASS * kind + TRACE_BASE] + ahead[2u * links + 1u] * t.map[TRACE_CLASS * kind + TRACE_STRIDE] + t.map[last]];
                    next = shape_of(t.map, value, t.map[last + 1u]);
                    if (next != 0u) {
                        links = links + 1u;
                        ahead[2u * links] = next;
                        ahead[2u * links + 1u] = value >> t.map[t.map[last + 1u]];
                    }
                }
                if (next == 0u) {
                    break;
                }
            }
            u32 seen[AHEAD];
            #pragma unroll
            for (u32 k = 0u; k < AHEAD; k += 1u) {
                seen[k] = 0xffffffffu;
                u32 shape = ahead[2u * min(k + 1u, links)];
                u32 cell = ahead[2u * min(k + 1u, links) + 1u];
                u32 class_of = TRACE_CLASS * t.map[shape];
                if (k < links && cell > t.map[class_of + TRACE_MARK]) {
                    u32 word = load_relaxed(&t.codes[t.map[class_of + TRACE_CODES] + cell / per]);
                    seen[k] = word >> cell % per * CODE_BITS & ones;
                }
            }
            #pragma unroll
            for (u32 k2 = 0u; k2 < AHEAD; k2 += 1u) {
                if (seen[k2] == 0u) {
                    u32 shape2 = ahead[2u * k2 + 2u];
                    u32 cell2 = ahead[2u * k2 + 3u];
                    u32 shift = cell2 % per * CODE_BITS;
                    u32 before = atomic_or(&t.codes[t.map[TRACE_CLASS * t.map[shape2] + TRACE_CODES] + cell2 / per], t.map[shape2 + SHAPE_CODE] << shift);
                    seen[k2] = before >> shift & ones;
                }
            }
            // Bit k: this thread is to scan the cell k links ahead.
            u32 mine = 1u;
            #pragma unroll
            for (u32 k3 = 0u; k3 < AHEAD; k3 += 1u) {
                mine = mine | (seen[k3] == 0u ? 2u << k3 : 0u);
            }
            bool more = links == AHEAD && (mine >> AHEAD & 1u) != 0u;
            for (u32 at = 0u; at < (more ? links : links + 1u); at += 1u) {
                u32 outer = ahead[2u * at];
                u32 fields = t.map[outer + SHAPE_FIELDS];
                u32 first_word = t.map[TRACE_CLASS * t.map[outer] + TRACE_BASE] + ahead[2u * at + 1u] * t.map[TRACE_CLASS * t.map[outer] + TRACE_STRIDE];
                for (u32 f = 1u; f < fields && (mine >> at & 1u) != 0u; f += 1u) {
                    u32 sort = t.map[outer + SHAPE_HEAD - 1u + 2u * f];
                    u32 part = t.heap[first_word + t.map[outer + SHAPE_HEAD - 2u + 2u * f]];
                    u32 inner = shape_of(t.map, part, sort);
                    if (inner != 0u) {
                        u32 found = part >> t.map[sort];
                        bool is_new = first_mark(t, inner, found);
                        if (is_new && t.map[inner + SHAPE_FIELDS] != 0u) {
                            if (sp < NEAR && done < budget) {
                                near[sp] = inner;
                                near[sp + 1u] = found;
                                sp = sp + 2u;
                            } else {
                                hand_on(t, list, inner, found);
                            }
                        }
                    }
                }
            }
            done = done + links + 1u;
            goes_on = more && done < budget;
            ahead[0u] = ahead[2u * links];
            ahead[1u] = ahead[2u * links + 1u];
            if (more && !goes_on) {
                hand_on(t, list, ahead[0u], ahead[1u]);
            }
        }
    }
}

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

// One bit for each code of a word that is not 0.
__device__ __forceinline__ u32 present(u32 word) {
    u32 bits = word;
    for (u32 distance = CODE_BITS >> 1u; distance > 0u; distance >>= 1u) {
        bits = bits | bits >> distance;
    }
    return bits & LOW_BITS;
}

// The number that a marked cell is to have.
// pre: the sums over the marks are there
__device__ __forceinline__ u32 new_cell(Trace t, u32 kind, u32 cell) {
    u32 per = 32u / CODE_BITS;
    u32 start = t.map[TRACE_CLASS * kind + TRACE_CODES];
    u32 at = start + cell / per;
    u32 mark = t.map[TRACE_CLASS * kind + TRACE_MARK];
    if (cell <= mark) {
        return cell;
    }
    u32 marked = present(t.codes[at]);
    return mark + 1u + t.before[at] - t.before[start] + popcount(marked & (1u << cell % per * CODE_BITS) - 1u);
}

// A value whose cell has its new number.
__device__ __forceinline__ u32 new_value(Trace t, u32 value, u32 sort) {
    u32 shape = shape_of(t.map, value, sort);
    u32 renewed = value;
    if (shape != 0u) {
        u32 bits = t.map[sort];
        u32 cell = new_cell(t, t.map[shape], value >> bits);
        renewed = cell << bits | value & (1u << bits) - 1u;
    }
    return renewed;
}

// The new place of a hole: a word of a marked cell.
__device__ __forceinline__ u32 new_hole(Trace t, u32 hole) {
    u32 kind = 0u;
    while (kind + 1u < t.classes && t.map[TRACE_CLASS * kind + TRACE_CLASS + TRACE_BASE] <= hole) {
        kind = kind + 1u;
    }
    u32 offset = hole - t.map[TRACE_CLASS * kind + TRACE_BASE];
    u32 stride = t.map[TRACE_CLASS * kind + TRACE_STRIDE];
    u32 cell = new_cell(t, kind, offset / stride);
    return t.map[TRACE_CLASS * kind + TRACE_BASE] + cell * stride + offset % stride;
}

// A value outside the heap: marks its cell, or gives it the cell's new number.
__device__ __forceinline__ void visit(Trace t, u32* words, u32 at, u32 sort, bool moving) {
    if (sort != 0u) {
        u32 value = words[at];
        if (moving) {
            u32 renewed = new_value(t, value, sort);
            own("value of this item", words[at]);
            words[at] = renewed;
        } else {
            u32 shape = shape_of(t.map, value, sort);
            if (shape != 0u) {
                bool is_new = first_mark(t, shape, value >> t.map[sort]);
                if (is_new) {
                    hand_on(t, 0u, shape, value >> t.map[sort]);
                }
            }
        }
    }
}

// The outermost cell of a destination and the word to fill. The cell's sort is that of the value of the function that
// began it.
__device__ __forceinline__ void visit_destination(Trace t, u32* words, u32 at, bool moving) {
    u32 hole = words[at + 1u];
    if (hole != 0u) {
        visit(t, words, at, words[at + 2u], moving);
        if (moving) {
            u32 renewed = new_hole(t, hole);
            own("value of this item", words[at + 1u]);
            words[at + 1u] = renewed;
        }
    }
}

// The variables of a frame; `value` is the place of the value that its resume point gets, NONE when that is not there
// yet.
__device__ __noinline__ void visit_frame(Trace t, u32* words, u32 at, u32 value, bool moving) {
    u32 entry = t.map[t.resumes + words[at]];
    if (value != NONE) {
        visit(t, words, value, t.map[entry], moving);
    }
    u32 destination = t.map[entry + ENTRY_DESTINATION];
    if (destination != 0u) {
        visit_destination(t, words, at + destination, moving);
    }
    u32 variables = t.map[entry + ENTRY_VARIABLES];
    for (u32 k = 0u; k < variables; k += 1u) {
        visit(t, words, at + t.map[entry + ENTRY_HEAD + 2u * k], t.map[entry + ENTRY_HEAD + 1u + 2u * k], moving);
    }
}

// The arguments of a task.
__device__ __forceinline__ void visit_task(Trace t, u32* words, u32 at, u32 state, bool moving) {
    u32 entry = t.map[t.states + state - FIRST_STATE];
    u32 arguments = t.map[entry + ENTRY_VARIABLES];
    for (u32 k = 0u; k < arguments; k += 1u) {
        visit(t, words, at + t.map[entry + ENTRY_HEAD + 2u * k], t.map[entry + ENTRY_HEAD + 1u + 2u * k], moving);
    }
}

// The registers and the stack of a thread.
__device__ __forceinline__ void visit_machine(Trace t, u32 at, bool moving) {
    u32 state = t.saved[at] & ~SUSPENDED;
    u32 base = t.saved[at + TASK + SAVED_BASE];
    u32 sp = t.saved[at + TASK + SAVED_SP];
    u32 stack = at + TASK + SAVED;
    if (state >= FIRST_STATE) {
        visit_task(t, t.saved, at, state, moving);
        if (t.map[t.map[t.states + state - FIRST_STATE] + ENTRY_DESTINATION] != 0u) {
            visit_destination(t, t.saved, at + TASK, moving);
        }
    }
    for (u32 j = base; j < sp; j += STRIDE) {
        bool gets = state == 0u && j + STRIDE == sp;
        visit_frame(t, t.saved, stack + j, gets ? at + TASK + SAVED_VALUE : NONE, moving);
    }
}

// All values outside the heap that are still in use.
__device__ __forceinline__ void visit_all(Trace t, u32 first, u32 apart, bool moving) {
    for (u32 i = first; i < t.threads; i += apart) {
        visit_machine(t, i * (TASK + SAVED + STACK), moving);
    }
    for (u32 q = first; q < t.places; q += apart) {
        if ((t.turns[q] & 1u) != 0u) {
            visit_task(t, t.queue, q * TASK, t.queue[q * TASK], moving);
        }
    }
    for (u32 j = first; j < t.join_count; j += apart) {
        if (t.joins[j * JOIN] != 0u) {
            visit_frame(t, t.joins, j * JOIN + JOIN_HEAD, j * JOIN + JOIN_VALUE, moving);
        }
    }
    for (u32 c = first; c < t.chunk_count; c += apart) {
        u32 frames = (c + 1u) * CHUNK + 1u;
        if (t.chunks[frames] != NONE) {
            for (u32 f = 0u; f < HALF; f += STRIDE) {
                visit_frame(t, t.chunks, frames + f, NONE, moving);
            }
        }
    }
    for (u32 r = first; r < t.n_roots; r += apart) {
        u32 state = t.roots[r * TASK];
        if (r >= t.next_root) {
            visit_task(t, t.roots, r * TASK, state, moving);
        }
        visit(t, t.results, 2u * r, t.map[t.map[t.states + state - FIRST_STATE]], moving);
    }
}

// Scans all marked cells once more: a list was full, and it is not known which cells were left out.
__device__ __forceinline__ void look_again(Trace t, u32 list, u32 first, u32 apart) {
    u32 per = 32u / CODE_BITS;
    for (u32 kind = 0u; kind < t.classes; kind += 1u) {
        u32 start = t.map[TRACE_CLASS * kind + TRACE_CODES];
        u32 words = (t.map[TRACE_CLASS * kind + TRACE_CELLS] + per - 1u) / per;
        for (u32 i = first; i < words; i += apart) {
            u32 word = load_relaxed(&t.codes[start + i]);
            for (u32 k = 0u; k < per; k += 1u) {
                u32 code = word >> k * CODE_BITS & (1u << CODE_BITS) - 1u;
                if (code != 0u) {
                    look_into(t, list, t.map[t.map[TRACE_CLASS * kind + TRACE_SHAPES] + code - 1u], i * per + k, LARGE_BUDGET);
                }
            }
        }
    }
}

// Moves the marked cells of a window of a class to the staging buffer, with the new numbers of the cells that they
// refer to.
// post: cells from `low` to `high` - 1 are there in order, the first one at its beginning
__device__ __forceinline__ void lift(Trace t, u32 kind, u32 low, u32 high, u32 target, u32 first, u32 apart) {
    u32 per = 32u / CODE_BITS;
    u32 base = t.map[TRACE_CLASS * kind + TRACE_BASE];
    u32 stride = t.map[TRACE_CLASS * kind + TRACE_STRIDE];
    u32 start = t.map[TRACE_CLASS * kind + TRACE_CODES];
    u32 shapes = t.map[TRACE_CLASS * kind + TRACE_SHAPES];
    for (u32 cell = low + first; cell < high; cell += apart) {
        u32 code = t.codes[start + cell / per] >> cell % per * CODE_BITS & (1u << CODE_BITS) - 1u;
        if (code != 0u) {
            u32 renewed = new_cell(t, kind, cell);
            u32 to = (renewed - target) * stride;
            u32 from = base + cell * stride;
            for (u32 w = 0u; w < stride; w += 1u) {
                own("word of a cell that moves", t.staging[to + w]);
                t.staging[to + w] = t.heap[from + w];
            }
            u32 shape = t.map[shapes + code - 1u];
            u32 fields = t.map[shape + SHAPE_FIELDS];
            for (u32 f = 0u; f < fields; f += 1u) {
                u32 offset = t.map[shape + SHAPE_HEAD + 2u * f];
                u32 value = new_value(t, t.heap[from + offset], t.map[shape + SHAPE_HEAD + 1u + 2u * f]);
                own("word of a cell that moves", t.staging[to + offset]);
                t.staging[to + offset] = value;
            }
        }
    }
}

// The first number that a cell from `cell` on gets.
// pre: `cell` is the first one of a word of `codes`
__device__ __forceinline__ u32 next_number(Trace t, u32 kind, u32 cell) {
    u32 start = t.map[TRACE_CLASS * kind + TRACE_CODES];
    return t.map[TRACE_CLASS * kind + TRACE_MARK] + 1u + t.before[start + cell / (32u / CODE_BITS)] - t.before[start];
}

// Collects: afterwards the cells after the mark of each class are the reachable ones, in their order. Their number
// follows from `before`.
// pre: all blocks are resident; no launch of the scheduler is under way, and all its threads have saved what they were
//     about; work and arrivals are 0; staging holds a cell of each class for each code of a word
extern "C" __global__ void __launch_bounds__(256, 2) compact(Trace t) {
    __shared__ u32 sums[8];
    u32 first = blockIdx.x * 256u + threadIdx.x;
    u32 apart = gridDim.x * 256u;
    u32 per = 32u / CODE_BITS;
    for (u32 i = first; i < t.code_words; i += apart) {
        t.codes[i] = 0u;
    }
    grid_barrier(t.arrivals);
    visit_all(t, first, apart, false);
    grid_barrier(t.arrivals);
    u32 list = 0u;
    u32 slow = 0u;
    u32 hysteresis = HYSTERESIS;
    while (true) {
        u32 size = load_relaxed(&t.work[SIZES + 8u * (list % 3u)]);
        assume_uniform("cells to look into", size);
        // While cells are looked into, others may find the next list full.
        u32 full = 0u;
        if (size == 0u) {
            full = load_relaxed(&t.work[OVERFLOW]);
        }
        assume_uniform("whether a list was full", full);
        if (size == 0u && full == 0u) {
            break;
        }
        // Three sizes take turns: nobody reads or adds to this one now.
        if (first == 0u) {
            store_relaxed(&t.work[SIZES + 8u * ((list + 2u) % 3u)], 0u);
        }
        if (size == 0u) {
            grid_barrier(t.arrivals);
            if (first == 0u) {
                store_relaxed(&t.work[OVERFLOW], 0u);
            }
            grid_barrier(t.arrivals);
            look_again(t, list + 1u, first, apart);
        } else {
            slow = size < FEW_CELLS ? slow + 1u : 0u;
            if (slow > hysteresis) {
                // When this is of no use, the next time comes later.
                hysteresis = 2u * hysteresis;
                slow = 0u;
                for (u32 direction = 0u; direction < t.directions; direction += 1u) {
                    cut_chains(t, direction, list, min(size, t.list_places), first, apart);
                }
            }
            if (size >= FEW_CELLS) {
                hysteresis = HYSTERESIS;
            }
            for (u32 k = first; k < min(size, t.list_places); k += apart) {
                u32 place = 2u * ((list & 1u) * t.list_places + k);
                look_into(t, list + 1u, t.lists[place], t.lists[place + 1u], size < apart ? BUDGET : LARGE_BUDGET);
            }
        }
        list = list + 1u;
        grid_barrier(t.arrivals);
    }
    for (u32 c = first; c < t.code_words; c += apart) {
        u32 marked = present(t.codes[c]);
        t.counts[c] = popcount(marked);
    }
    grid_barrier(t.arrivals);
    scan_counts(t.counts, t.before, t.code_words, t.block_sums, t.arrivals, sums);
    grid_barrier(t.arrivals);
    visit_all(t, first, apart, true);
    for (u32 kind = 0u; kind < t.classes; kind += 1u) {
        u32 stride = t.map[TRACE_CLASS * kind + TRACE_STRIDE];
        u32 cells = t.map[TRACE_CLASS * kind + TRACE_CELLS];
        assume_uniform("words a cell", stride);
        assume_uniform("cells of a class", cells);
        u32 window = t.staging_words / stride / per * per;
        for (u32 low = 0u; low < cells; low += window) {
            u32 high = min(low + window, cells);
            u32 target = next_number(t, kind, low);
            u32 behind = next_number(t, kind, (high + per - 1u) / per * per);
            lift(t, kind, low, high, target, first, apart);
            grid_barrier(t.arrivals);
            u32 to = t.map[TRACE_CLASS * kind + TRACE_BASE] + target * stride;
            for (u32 w = first; w < (behind - target) * stride; w += apart) {
                own("word of a cell that moves", t.heap[to + w]);
                t.heap[to + w] = t.staging[w];
            }
            grid_barrier(t.arrivals);
        }
    }
}
