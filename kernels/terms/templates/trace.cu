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
