// The tasks scheduler: lazy task creation in one persistent launch, after Mohr, Kranz, Halstead, "Lazy task creation: a technique
// for increasing the granularity of parallel programs".
//
// A thread evaluates a call depth-first: states of functions are code, and a suspended call is a frame on the thread's own stack (resume
// point, then the live variables). An idle thread takes a ticket and waits until the place of that number in a queue is filled. A busy
// thread polls whether another one is idle; if so, its oldest frame that can be split becomes a join in device memory, and the sibling
// calls become tasks. The last child to finish continues with the frame.
//
// In programs whose parallel work comes in phases (PHASES), a warp is fed as a whole: it has one ticket at a time, and its lanes share with
// each other first. A task that one lane gives to another goes through a place of its own after those of the queue.
//
// A return address says where a value goes when the thread's stack is empty: to the slot of a join (bit 29: two words), to the frames that
// a full stack has spilled to a chunk (bit 30), or to a result of the run (bit 31). Bit 28: the join has no other child.
// A join: [0] children that are still running, then the words JOIN_*, from JOIN_HEAD on the frame. The value for the resume point has two
// words, so has the one that nobody needs. A chunk: [0] return address, from 1 on frames.
// A task: [0] state, [TASK_RETURN] return address, from TASK_HEAD on the arguments. A task that only releases a value: [0] DROPS and the
// place of its sort, [1] the value.
//
// Where cells are found by tracing (COMPACT), a launch ends when a class is full: every thread returns to its last safepoint, saves its
// registers and stack, and restores them in the next launch. A record of `saved`: a task, from TASK on the destination, then the words
// TASK + SAVED_*, from TASK + SAVED on the stack. A destination: the outermost cell, the word to fill, the sort of the cell. An unused join
// has 0 in its first word, an unused chunk NONE in its second.

struct alignas(8) Pair {
    u32 a;
    u32 b;
};

struct alignas(16) Quad {
    u32 a;
    u32 b;
    u32 c;
    u32 d;
};

// heap, pairs and quads are the same memory, and so are joins and records. A thread shares a frame when more than `split_threshold` others
// are idle and it has worked for `steps`, or when more than `eager_split_threshold` are idle. It reports every `report` rule applications,
// and allocates `run` cells at a time. With `safepoints`, every turn of a loop is a safepoint, so that a stopped thread repeats none.
struct Params {
    u32* heap;
    Pair* pairs;
    Quad* records;
    Quad* quads;
    u32* shared;
    u32* shapes;
    u32* pool;
    u32* roots;
    u32* results;
    u32* queue;
    u32* turns;
    u32* joins;
    u32* chunks;
    u32* saved;
    u32* spare;
    u32* control;
    u64* counts;
    u32* error;
    u32 n_roots;
    u32 places;
    u32 place_bits;
    u32 joins_end;
    u32 chunks_end;
    u32 spare_mask;
    i32 split_threshold;
    i32 eager_split_threshold;
    u32 steps;
    u64 max_applied;
    u32 report;
    u32 run;
    u32 resumed;
    u32 safepoints;
};

// Registers of a thread: state, rule applications not yet reported, stack, return address, value, memory in reserve, and steps since it last
// shared.
struct Machine {
    u32 state;
    u32 count;
    u32 base;
    u32 sp;
    u32 scan;
    u32 ret;
    u32 value;
    u32 high;
    u32 ticket;
    u32 join;
    u32 old_joins;
    u32 old_count;
    u32 old_chunks;
    u32 promotions;
    u32 since;
};

// Words of a frame, the first of which is the resume point; words of the stack; words that a full stack spills.
constexpr u32 STRIDE = HOLE;
constexpr u32 STACK = HOLE;
constexpr u32 HALF = HOLE;
// Words of a task, of a join (a power of two) and of a chunk.
constexpr u32 TASK = HOLE;
constexpr u32 JOIN = HOLE;
constexpr u32 CHUNK = HOLE;
// Resume points below this one can be split; those below the second one into two calls.
constexpr u32 SPLITS = HOLE;
constexpr u32 SINGLE = HOLE;
// Words of a thread's lists of free cells.
constexpr u32 LISTS = HOLE;
// 1: cells are found by tracing, between two launches.
constexpr u32 COMPACT = HOLE;
// Words of a record beside its task and its stack.
constexpr u32 SAVED = 14u;
constexpr u32 SAVED_VALUE = 3u;
constexpr u32 SAVED_HIGH = 4u;
constexpr u32 SAVED_BASE = 5u;
constexpr u32 SAVED_SP = 6u;
constexpr u32 SAVED_SCAN = 7u;
constexpr u32 SAVED_TICKET = 8u;
constexpr u32 SAVED_JOIN = 9u;
constexpr u32 SAVED_OLD_JOINS = 10u;
constexpr u32 SAVED_OLD_CHUNKS = 11u;
constexpr u32 SAVED_SINCE = 12u;
constexpr u32 SAVED_OLD_COUNT = 13u;
// Whether cells are freed by reference counts.
constexpr u32 COUNTED = HOLE;
// Whether the lanes of a warp share with each other before they share with others.
constexpr u32 PHASES = HOLE;

// States; those from FIRST_STATE on are code.
constexpr u32 RETURNS = 0u;
constexpr u32 IDLE = 1u;
constexpr u32 ENDED = 2u;
constexpr u32 FIRST_STATE = 3u;
// Flag of the state of a thread that is to be saved.
constexpr u32 SUSPENDED = 0x80000000u;
// From here on a value is to be released; the bits below are the place of its sort.
constexpr u32 DROPS = 0x80000000u;

// Kinds of return addresses.
constexpr u32 SOLE = 0x10000000u;
constexpr u32 WIDE = 0x20000000u;
constexpr u32 SPILLED = 0x40000000u;
constexpr u32 ROOT = 0x80000000u;
constexpr u32 ADDRESS = 0x0fffffffu;

constexpr u32 NONE = 0xffffffffu;
// In place of a ticket: there is none, and all roots are taken.
constexpr u32 NO_ROOTS = 0xfffffffeu;
// All lanes of a warp.
constexpr u32 ALL = 0xffffffffu;
// Eager splitting: the least frames of a stack whose oldest one is shared, while more than MANY_IDLE_FACTOR times `eager_split_threshold`
// threads are idle, and while fewer are; steps between two polls, and those of a thread that had nothing to share in more than
// MAX_UNSPLIT_POLLS polls.
constexpr u32 MIN_FRAMES_MANY_IDLE = HOLE;
constexpr i32 MANY_IDLE_FACTOR = 4;
constexpr u32 MIN_FRAMES_FEW_IDLE = HOLE;
constexpr u32 POLL_STEPS = HOLE;
constexpr u32 POLL_STEPS_UNSPLIT = 32u;
constexpr u32 MAX_UNSPLIT_POLLS = 8u;
// Rule applications of one step that count as a step.
constexpr i32 APPLICATIONS_PER_STEP = 64;
// Where a warp is fed as a whole: steps between two polls while some lanes are idle; turns after which an idle lane, whose warp works but has
// nothing for it, takes a ticket of its own.
constexpr u32 POLL_STEPS_IDLE_LANES = 1u;
constexpr u32 IDLE_LIMIT = 4u;
// Joins that a thread takes at a time (of fresh ones all but the first) or offers to others, in the ring `spare`.
constexpr u32 JOINS = 16u;
// Words of a join: its return address, the value for its resume point, a value that nobody needs; words before its frame.
constexpr u32 JOIN_RETURN = 1u;
constexpr u32 JOIN_VALUE = 2u;
constexpr u32 JOIN_UNUSED = 4u;
constexpr u32 JOIN_HEAD = 6u;
// Words of a task: its return address; words before its arguments.
constexpr u32 TASK_RETURN = 1u;
constexpr u32 TASK_HEAD = 2u;
// The template `cells` says what these are.
constexpr u32 CLASS_WORDS = HOLE;
constexpr u32 CLASS_BASE = HOLE;
constexpr u32 CLASS_STRIDE = HOLE;
constexpr u32 CLASS_MARK = HOLE;
constexpr u32 CLASS_SHARED = HOLE;
constexpr u32 CLASS_BATCH = HOLE;
constexpr u32 COUNTED_SORT = HOLE;
constexpr u32 VARIANT_FIELDS = HOLE;
constexpr u32 RING_WORDS = HOLE;
constexpr u32 LIST_HEAD = HOLE;
constexpr u32 LIST_WORDS = HOLE;
constexpr u32 LIST_COUNT = HOLE;
constexpr u32 LIST_BATCH = HOLE;
constexpr u32 LIST_FRESH = HOLE;

// What a block knows: idle threads, or that the run is over, and when it read that; cycles for which this is recent.
constexpr u32 WAITING = 0u;
constexpr u32 LOOKED = 1u;
constexpr u32 SEEN = 2u;
constexpr u32 FINISHED = 0x80000000u;
constexpr u32 LOOK_CYCLES = 8000u;

// Words of `control`, each in a memory sector of its own: threads wait for places from TAIL to HEAD; the next root; roots without a result
// plus values still to be released; whether the run is over and why; joins and chunks in use up to here; from CELLS on the cells of each
// class, CELLS_STRIDE words apart.
constexpr u32 HEAD = 0u;
constexpr u32 TAIL = 8u;
constexpr u32 NEXT_ROOT = 16u;
constexpr u32 LEFT = 24u;
constexpr u32 STOP = 32u;
constexpr u32 NEXT_JOIN = 40u;
constexpr u32 NEXT_CHUNK = 48u;
constexpr u32 FULL = 56u;
constexpr u32 CELLS = 64u;
constexpr u32 CELLS_STRIDE = 8u;

// Words of `counts`.
constexpr u32 APPLIED = 0u;
constexpr u32 PROMOTIONS = 4u;
constexpr u32 TASKS = 8u;
constexpr u32 SPILLS = 12u;
constexpr u32 IN_USE = 16u;
constexpr u32 COUNT_WORDS = 20u;

// Why the run is over.
constexpr u32 DONE = 1u;
constexpr u32 ASKED = 2u;
constexpr u32 FAILED = 3u;
constexpr u32 STEPS = 4u;
constexpr u32 MUST_GROW = 5u;
constexpr u32 COLLECT = 6u;

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

// A cell for a thread whose free list is empty: a fresh one in reserve, else one of a batch, else one of a fresh run; 0 if there is none.
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
// Freed cells between two polls for idle threads, minus 1; levels of nested dead cells from which on the outermost one is offered; levels up
// to which it is looked for.
constexpr u32 RELEASE_POLL_MASK = 15u;
constexpr u32 MIN_SPLIT_DEPTH = 3u;
constexpr u32 MAX_SPLIT_DEPTH = 64u;

// Offers a value to an idle thread, to be released; says whether it did. The run is not over before that is done.
// Only when the next place is free and no other thread takes it: lanes of the same warp may have polled for their tasks long before, and
// they do not continue before this one does, so it must not wait for a place to be read.
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

// If threads are idle, offers them the next field of the outermost dead cell, when that is at least MIN_SPLIT_DEPTH levels out: otherwise
// what is being released is no tree, or a small one.
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
        u32 shape = shapes[s + 1u + (v & (1u << bits) - 1u)];
        u32 kind = shapes[shape];
        u32 cell = v >> bits;
        u32 start = shapes[CLASS_WORDS * kind + CLASS_BASE] + cell * shapes[CLASS_WORDS * kind + CLASS_STRIDE];
        u32 first = start + shapes[shape + 2u];
        u32 at = shapes[CLASS_WORDS * kind + CLASS_SHARED] + cell;
        u32 progress = heap[first];
        u32 outer = load_relaxed(&shared[at]);
        if (outer == 0u) {
            if (i < MIN_SPLIT_DEPTH) {
                return;
            }
            u32 field = progress & (1u << FIELD_BITS) - 1u;
            u32 child = heap[start + shapes[shape + 2u + 2u * field]];
            bool left = offer_release(control, queue, turns, places, place_bits, child, shapes[shape + 3u + 2u * field]);
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

// Drops a reference to a value, and releases everything that only it refers to; large parts are offered to idle threads. A dead cell of
// several fields keeps the state of the traversal in its own words: in place of its first field the number of the next field and the sort
// of the enclosing dead cell, in `shared` that cell.
// pre: `sort` is the place of the value's sort in `shapes`
__device__ __noinline__ void release_graph(u32* heap, u32* shared, u32* shapes, u32* pool, in_local u32* lists, u32* control, u32* queue, u32* turns, u32 places, u32 place_bits, u32 value, u32 sort) {
    u32 v = value;
    u32 s = sort;
    u32 around = 0u;
    u32 around_sort = 0u;
    u32 cells = 0u;
    while (true) {
        u32 bits = shapes[s] & 255u;
        u32 variant = shapes[s + 1u + (v & (1u << bits) - 1u)];
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
                    first = heap[word + shapes[variant + 2u]];
                }
                if (fields > 1u) {
                    heap[word + shapes[variant + 2u]] = around_sort << FIELD_BITS | 1u;
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
        u32 start = shapes[CLASS_WORDS * of + CLASS_BASE] + outer * shapes[CLASS_WORDS * of + CLASS_STRIDE];
        u32 progress = heap[start + shapes[shape + 2u]];
        u32 field = progress & (1u << FIELD_BITS) - 1u;
        v = heap[start + shapes[shape + 2u + 2u * field]];
        s = shapes[shape + 3u + 2u * field];
        if (field + 1u == shapes[shape + VARIANT_FIELDS]) {
            around = load_relaxed(&shared[shapes[CLASS_WORDS * of + CLASS_SHARED] + outer]);
            around_sort = progress >> FIELD_BITS;
            store_relaxed(&shared[shapes[CLASS_WORDS * of + CLASS_SHARED] + outer], 0u);
            free_cell(heap, shapes, pool, lists, of, outer, start);
        } else {
            heap[start + shapes[shape + 2u]] = progress + 1u;
        }
    }
}

// A thread that has nothing to do.
__device__ Machine begin();

// Whether the thread can do a step, without looking for work or delivering a value.
__device__ __forceinline__ bool is_at_work(Machine m) {
    if (m.state == RETURNS) {
        return m.sp != m.base;
    }
    return m.state != IDLE && m.state != ENDED && (COMPACT == 0u || m.state < SUSPENDED);
}

// Works until the next call or return. A state that is code begins there; RETURNS is the end of a call.
__device__ Machine enter(Params p, in_local u32* stack, in_local u32* lists, Machine m);

// Pops a frame, and continues after its call until the next call or return.
// pre: there is a value and a frame
__device__ Machine pop(Params p, in_local u32* stack, in_local u32* lists, Machine m);

// Words of a frame with this resume point.
__device__ u32 frame_words(u32 resume);

// Reads a task into the machine.
__device__ Machine accept(u32* from, Machine m, u32 at);

// Writes the registers of the machine as a task, followed by the destination.
__device__ void save_task(u32* to, Machine m, u32 at);

// Reads what `save_task` has written.
__device__ Machine restore_task(u32* from, Machine m, u32 at);

// The same for a task with arguments; none when it goes to a lane of the same warp, by the place `to`.
__device__ __forceinline__ u32 take_number(Params p, u32 to) {
    if (PHASES != 0u && to != NONE) {
        return NONE;
    }
    u32 number = task_number(p.control, p.turns, p.places, p.place_bits);
    return number;
}

// Where the task of a number lies in the queue, or one for a lane of the same warp.
__device__ __forceinline__ u32 task_at(Params p, u32 number, u32 to) {
    if (PHASES != 0u && to != NONE) {
        return (p.places + to) * TASK;
    }
    return (number & p.places - 1u) * TASK;
}

// The task of a number is complete.
// pre: this thread took the number and wrote the task
__device__ __forceinline__ void publish(Params p, u32 number) {
    if (PHASES != 0u && number == NONE) {
        return;
    }
    store_release(&p.turns[number & p.places - 1u], (number >> p.place_bits << 1u) + 1u);
}

// Does a task that releases a value.
__device__ __forceinline__ Machine release_task(Params p, in_local u32* lists, Machine before) {
    Machine m = before;
    release_graph(p.heap, p.shared, p.shapes, p.pool, lists, p.control, p.queue, p.turns, p.places, p.place_bits, m.ret, m.state & ~DROPS);
    u32 left = atomic_sub(&p.control[LEFT], 1u);
    if (left == 1u) {
        stop(p.control, DONE);
    }
    m.state = IDLE;
    return m;
}

// Turns the frame at the bottom of the stack, which can be split, into a join, and the siblings of the current call into tasks. `to`: the
// place for the lane of the same warp that gets the only one of them, or NONE.
// pre: the join is this thread's
__device__ Machine promote(Params p, in_local u32* stack, Machine m, u32 join, u32 to);

// Looks for work: a root that is not taken, or the task at the place for which the thread has a ticket.
// `takes`: whether it may take a ticket.
__device__ __forceinline__ Machine seek(Params p, Machine idle, bool takes) {
    Machine m = idle;
    if (m.ticket >= NO_ROOTS) {
        if (m.ticket == NONE) {
            u32 next = load_relaxed(&p.control[NEXT_ROOT]);
            if (next < p.n_roots) {
                u32 mine = atomic_add(&p.control[NEXT_ROOT], 1u);
                if (mine < p.n_roots) {
                    m = accept(p.roots, m, mine * TASK);
                    return m;
                }
            }
        }
        m.ticket = NO_ROOTS;
        if (!takes) {
            return m;
        }
        u32 ticket = count_up(p.control, HEAD);
        m.ticket = ticket;
    }
    u32 place = m.ticket & p.places - 1u;
    u32 ready = (m.ticket >> p.place_bits << 1u) + 1u;
    // An acquire empties the cache of the multiprocessor: only when there is something to read.
    u32 turn = load_relaxed(&p.turns[place]);
    if ((turn ^ ready) << (p.place_bits - 1u) == 0u) {
        turn = load_acquire(&p.turns[place]);
        m = accept(p.queue, m, place * TASK);
        store_release(&p.turns[place], turn + 1u);
        m.ticket = NO_ROOTS;
    }
    return m;
}

// How many threads are idle, or FINISHED when the run is over. One warp of the block reads it for all of them: thousands of warps that read
// the same words in every turn would contend for them. That no thread is idle is read anew each time, because a thread then works for long.
// pre: all lanes of the warp call it together
__device__ __forceinline__ u32 look(Params p, in_shared u32* seen) {
    u32 waiting = 0u;
    if (lane_id() == 0u) {
        u32 now = cycles();
        u32 before = atomic_add_block(&seen[LOOKED], 0u);
        u32 known = atomic_add_block(&seen[WAITING], 0u);
        waiting = known;
        if (i32(waiting) <= p.split_threshold || now - before > LOOK_CYCLES) {
            u32 head = load_relaxed(&p.control[HEAD]);
            u32 tail = load_relaxed(&p.control[TAIL]);
            u32 over = load_relaxed(&p.control[STOP]);
            waiting = over != 0u ? FINISHED : head - tail;
            u32 older = atomic_exchange_block(&seen[WAITING], waiting);
            u32 earlier = atomic_exchange_block(&seen[LOOKED], now);
        }
    }
    waiting = shfl(ALL, waiting, 0u);
    return waiting;
}

// Copies a frame from the stack.
__device__ __forceinline__ void save_frame(u32* to, u32 at, in_local u32* stack, u32 from) {
    u32 resume = stack[from];
    u32 words = frame_words(resume);
    for (u32 i = 0u; i < words; i += 1u) {
        to[at + i] = stack[from + i];
    }
}

// Copies a frame to the stack.
__device__ __forceinline__ void load_frame(u32* from, u32 at, in_local u32* stack, u32 to) {
    u32 resume = from[at];
    u32 words = frame_words(resume);
    for (u32 i = 0u; i < words; i += 1u) {
        stack[to + i] = from[at + i];
    }
}

// Takes an unused join; `m.value` is not changed. There is none when the machine's `join` is 0 afterwards.
__device__ __forceinline__ Machine take_join(Params p, Machine before) {
    Machine m = before;
    if (m.old_joins == 0u && (m.join & JOINS * JOIN - 1u) == 0u) {
        m.join = 0u;
        u32 batch = take_batch(p.spare, 0u, RING_WORDS, p.spare_mask);
        if (batch != 0u) {
            m.old_joins = batch;
            m.old_count = JOINS;
            return m;
        }
        u32 next = load_relaxed(&p.control[NEXT_JOIN]);
        if (next + JOINS * JOIN <= p.joins_end) {
            u32 first = atomic_add(&p.control[NEXT_JOIN], JOINS * JOIN);
            m.join = first + JOINS * JOIN <= p.joins_end ? first + JOIN : 0u;
        }
    }
    return m;
}

// Keeps a join that is no longer used; a thread that has many offers them to others.
__device__ __forceinline__ Machine keep_join(Params p, Machine before, u32 join) {
    Machine m = before;
    if (m.old_count == JOINS) {
        give_batch(p.spare, 0u, RING_WORDS, p.spare_mask, m.old_joins);
        m.old_joins = 0u;
        m.old_count = 0u;
    }
    if (COMPACT != 0u) {
        p.joins[join] = 0u;
    }
    p.joins[join + JOIN_RETURN] = m.old_joins;
    m.old_joins = join;
    m.old_count = m.old_count + 1u;
    return m;
}

// The frame at the bottom of the stack becomes a join of one child: the call under way.
__device__ __forceinline__ Machine settle(Params p, in_local u32* stack, Machine before, u32 join) {
    Machine m = before;
    if (COMPACT != 0u) {
        p.joins[join] = 1u;
        p.joins[join + JOIN_VALUE] = 0u;
    }
    p.joins[join + JOIN_RETURN] = m.ret;
    save_frame(p.joins, join + JOIN_HEAD, stack, m.base);
    m.ret = join + 2u | WIDE | SOLE;
    return m;
}

// Where the oldest frame is that can be split; none is the top of the stack.
__device__ __forceinline__ u32 oldest(in_local u32* stack, Machine m) {
    u32 at = max(m.base, m.scan);
    while (at < m.sp && stack[at] + 1u > SPLITS) {
        at = at + STRIDE;
    }
    return at;
}

// Splits the frame at `m.scan`, if there is one, for anybody or for a lane of the same warp. Frames below it become joins on the way. Without
// joins everything stays as it is.
__device__ __forceinline__ Machine share(Params p, in_local u32* stack, Machine before, u32 to) {
    Machine m = before;
    u32 at = m.scan;
    while (at < m.sp && m.base <= at) {
        m = take_join(p, m);
        u32 join = m.old_joins;
        if (join != 0u) {
            m.old_joins = p.joins[join + JOIN_RETURN];
            m.old_count = m.old_count - 1u;
        } else {
            join = m.join;
            if (join == 0u) {
                return m;
            }
            m.join = join + JOIN;
        }
        if (m.base < at) {
            m = settle(p, stack, m, join);
        } else {
            m = promote(p, stack, m, join, to);
            m.promotions = m.promotions + 1u;
        }
        m.base = m.base + STRIDE;
    }
    if (m.base == m.sp) {
        m.base = 0u;
        m.sp = 0u;
    }
    m.scan = min(m.scan, m.sp);
    return m;
}

// Makes room on a full stack: spills its older half to a chunk.
__device__ __forceinline__ Machine spill(Params p, in_local u32* stack, Machine before) {
    Machine m = before;
    u32 kept = m.base;
    if (m.base == 0u) {
        u32 chunk = m.old_chunks;
        if (chunk != 0u) {
            m.old_chunks = p.chunks[chunk * CHUNK];
        } else {
            u32 taken = atomic_add(&p.control[NEXT_CHUNK], 1u);
            chunk = taken + 1u;
            if (chunk >= p.chunks_end) {
                u32 seen = atomic_compare_exchange(&p.control[FULL], 0u, NONE);
                stop(p.control, MUST_GROW);
                m.state = ENDED;
                return m;
            }
        }
        p.chunks[chunk * CHUNK] = m.ret;
        for (u32 i = 0u; i < HALF; i += STRIDE) {
            save_frame(p.chunks, chunk * CHUNK + 1u + i, stack, i);
        }
        m.ret = chunk | SPILLED;
        kept = HALF;
        atomic_add(&p.counts[SPILLS], 1ull);
    }
    for (u32 j = kept; j < m.sp; j += STRIDE) {
        u32 words = frame_words(stack[j]);
        for (u32 w = 0u; w < words; w += 1u) {
            stack[j - kept + w] = stack[j + w];
        }
    }
    m.base = 0u;
    m.sp = m.sp - kept;
    m.scan = 0u;
    return m;
}

// Reloads the frames of a chunk to the empty stack.
__device__ __forceinline__ Machine reload(Params p, in_local u32* stack, Machine before) {
    Machine m = before;
    u32 chunk = m.ret & ADDRESS;
    m.ret = p.chunks[chunk * CHUNK];
    for (u32 i = 0u; i < HALF; i += STRIDE) {
        load_frame(p.chunks, chunk * CHUNK + 1u + i, stack, i);
    }
    p.chunks[chunk * CHUNK] = m.old_chunks;
    if (COMPACT != 0u) {
        p.chunks[chunk * CHUNK + 1u] = NONE;
    }
    m.old_chunks = chunk;
    m.base = 0u;
    m.sp = HALF;
    m.scan = 0u;
    return m;
}

// Reads a join whose children have finished: its return address, the value for its resume point, and its frame to the bottom of the stack.
// It reads all words that a frame may have, four at a time: finding out how many this one has would take another read, and branches.
__device__ __forceinline__ Machine take_record(Params p, in_local u32* stack, Machine before, u32 join) {
    Machine m = before;
    Quad head = p.records[join / 4u];
    m.ret = head.b;
    m.value = head.c;
    m.high = head.d;
    #pragma unroll
    for (u32 k = 4u; k < JOIN; k += 4u) {
        Quad part = p.records[(join + k) / 4u];
        // Words before the frame are far behind it here.
        u32 at = k - JOIN_HEAD;
        if (at < STRIDE) {
            stack[at] = part.a;
        }
        if (at + 1u < STRIDE) {
            stack[at + 1u] = part.b;
        }
        if (at + 2u < STRIDE) {
            stack[at + 2u] = part.c;
        }
        if (at + 3u < STRIDE) {
            stack[at + 3u] = part.d;
        }
    }
    return m;
}

// Delivers the value of a thread whose stack is empty to its return address.
__device__ __forceinline__ Machine deliver(Params p, in_local u32* stack, Machine before) {
    Machine m = before;
    m.base = 0u;
    m.sp = 0u;
    m.scan = 0u;
    if ((m.ret & ROOT) != 0u) {
        u32 root = m.ret ^ ROOT;
        own("result of this task", p.results[2u * root]);
        p.results[2u * root] = m.value;
        own("result of this task", p.results[2u * root + 1u]);
        p.results[2u * root + 1u] = m.high;
        u32 left = atomic_sub(&p.control[LEFT], 1u);
        if (left == 1u) {
            stop(p.control, DONE);
        }
        m.state = IDLE;
        return m;
    }
    if ((m.ret & SPILLED) != 0u) {
        m = reload(p, stack, m);
        return m;
    }
    u32 slot = m.ret & ADDRESS;
    u32 join = slot & ~(JOIN - 1u);
    p.joins[slot] = m.value;
    if ((m.ret & WIDE) != 0u) {
        p.joins[slot + 1u] = m.high;
    }
    u32 pending = 1u;
    if ((m.ret & SOLE) == 0u) {
        // The last child needs no atomic: no other one is running.
        pending = load_acquire(&p.joins[join]);
        if (pending != 1u) {
            pending = atomic_sub_acq_rel(&p.joins[join], 1u);
        }
    }
    if (pending != 1u) {
        m.state = IDLE;
        return m;
    }
    m = take_record(p, stack, m, join);
    m.sp = STRIDE;
    m = keep_join(p, m, join);
    return m;
}

// Does steps until the task is done, at most `length`. In each the warp reconverges twice, before lanes enter states and before they pop a
// frame: diverged lanes would stay diverged, and run the same code one after the other.
// pre: all lanes of the warp call it together
__device__ __forceinline__ Machine work(Params p, in_local u32* stack, in_local u32* lists, Machine before, u32 length) {
    Machine m = before;
    u32 steps = 0u;
    bool any = true;
    while (any) {
        bool at_work = is_at_work(m);
        bool works = at_work && steps < length;
        any = vote_any(ALL, works);
        u32 counted = m.count;
        if (works) {
            m = enter(p, stack, lists, m);
        }
        warp_barrier(ALL);
        if (works) {
            if (m.state == RETURNS && m.sp != m.base) {
                m = pop(p, stack, lists, m);
            }
            // What is shared after many steps is not small. The same holds for a thread that spent many turns of a loop in one step.
            i32 applied = i32(m.count - counted);
            m.since = m.since + u32(max(applied / APPLICATIONS_PER_STEP, 1));
            m.scan = min(m.scan, max(m.sp, STRIDE) - STRIDE);
            if (m.sp >= STACK) {
                m = spill(p, stack, m);
            }
        }
        steps += 1u;
    }
    return m;
}

// Saves the registers and the stack of a thread.
__device__ __forceinline__ void save_thread(Params p, in_local u32* stack, Machine m, u32 record) {
    save_task(p.saved, m, record);
    u32 at = record + TASK;
    p.saved[at + SAVED_VALUE] = m.value;
    p.saved[at + SAVED_HIGH] = m.high;
    p.saved[at + SAVED_BASE] = m.base;
    p.saved[at + SAVED_SP] = m.sp;
    p.saved[at + SAVED_SCAN] = m.scan;
    p.saved[at + SAVED_TICKET] = m.ticket;
    p.saved[at + SAVED_JOIN] = m.join;
    p.saved[at + SAVED_OLD_JOINS] = m.old_joins;
    p.saved[at + SAVED_OLD_CHUNKS] = m.old_chunks;
    p.saved[at + SAVED_SINCE] = m.since;
    p.saved[at + SAVED_OLD_COUNT] = m.old_count;
    for (u32 j = m.base; j < m.sp; j += STRIDE) {
        save_frame(p.saved, at + SAVED + j, stack, j);
    }
}

// Restores what a thread of the launch before has saved.
__device__ __forceinline__ Machine restore_thread(Params p, in_local u32* stack, Machine before, u32 record) {
    Machine m = restore_task(p.saved, before, record);
    u32 at = record + TASK;
    m.state = m.state & ~SUSPENDED;
    m.value = p.saved[at + SAVED_VALUE];
    m.high = p.saved[at + SAVED_HIGH];
    m.base = p.saved[at + SAVED_BASE];
    m.sp = p.saved[at + SAVED_SP];
    m.scan = p.saved[at + SAVED_SCAN];
    m.ticket = p.saved[at + SAVED_TICKET];
    m.join = p.saved[at + SAVED_JOIN];
    m.old_joins = p.saved[at + SAVED_OLD_JOINS];
    m.old_chunks = p.saved[at + SAVED_OLD_CHUNKS];
    m.since = p.saved[at + SAVED_SINCE];
    m.old_count = p.saved[at + SAVED_OLD_COUNT];
    for (u32 j = m.base; j < m.sp; j += STRIDE) {
        load_frame(p.saved, at + SAVED + j, stack, j);
    }
    return m;
}

// Gives tasks of lanes that have a frame to split, which makes one task, to lanes that are idle and have no ticket.
// pre: all lanes of the warp call it together; `places`: of the first lane of the warp
__device__ __forceinline__ Machine give(Params p, in_local u32* stack, Machine before, u32 places) {
    Machine m = before;
    u32 below = (1u << lane_id()) - 1u;
    bool wants = m.state == IDLE && m.ticket >= NO_ROOTS;
    u32 wanting = ballot(ALL, wants);
    bool gives = false;
    if (wanting != 0u && m.sp != m.base && m.state != IDLE && m.state != ENDED && (COMPACT == 0u || m.state < SUSPENDED)) {
        u32 at = oldest(stack, m);
        m.scan = at;
        gives = at < m.sp && stack[at] + 1u <= SINGLE;
    }
    u32 giving = ballot(ALL, gives);
    u32 pairs = min(popcount(wanting), popcount(giving));
    u32 giver = popcount(giving & below);
    if (gives && giver < pairs) {
        u32 promotions = m.promotions;
        m = share(p, stack, m, places + giver);
        if (m.promotions == promotions) {
            // There was no join.
            p.queue[(p.places + places + giver) * TASK] = RETURNS;
        }
    }
    warp_barrier(ALL);
    u32 taker = popcount(wanting & below);
    if (wants && taker < pairs) {
        u32 task = (p.places + places + taker) * TASK;
        u32 state = p.queue[task];
        if (state != RETURNS) {
            m = accept(p.queue, m, task);
        }
    }
    warp_barrier(ALL);
    return m;
}

// Sum over the lanes of a warp.
// pre: all lanes of the warp call it together
__device__ __forceinline__ u64 warp_sum(u64 mine) {
    u64 sum = mine;
    for (u32 distance = 16u; distance != 0u; distance >>= 1u) {
        u64 other = shfl_xor(ALL, sum, distance);
        sum += other;
    }
    return sum;
}

// Evaluates all roots.
// pre: all blocks are resident; control[LEFT] is the number of roots; heap, roots and turns are written
// post: control[STOP] says why it ended
// handed: p.heap, p.pairs, p.quads: a cell is written before its index is given away with a task, a join, a result or a batch, and
//     read for the last time before the last reference to it is given up
// handed: p.shared, p.pool, p.spare: touched by atomics only
// handed: p.queue: a place is read by the thread that has its ticket, and written again when it has been read; one behind the places of the
//     queue by a lane of the same warp, between two barriers of the warp
// handed: p.joins, p.records, p.chunks: the last child to arrive goes on with a join, and the thread that emptied one uses it again
// handed: p.saved: a record is the thread's of its number, and the collector's between two launches
extern "C" __global__ void __launch_bounds__(128, 3) run(Params p) {
    __shared__ u32 seen[SEEN];
    __striped__ u32 stack[STACK];
    u32 lists[LISTS];
    for (u32 k = 0u; k < LISTS; k += 1u) {
        lists[k] = 0u;
    }
    if (threadIdx.x < SEEN) {
        seen[threadIdx.x] = 0u;
    }
    barrier();
    Machine m = begin();
    u32 length = POLL_STEPS;
    u32 record = (blockIdx.x * blockDim.x + threadIdx.x) * (TASK + SAVED + STACK);
    if (COMPACT != 0u && p.resumed != 0u) {
        m = restore_thread(p, stack, m, record);
    }
    u32 unsplit_polls = 0u;
    u32 waited = 0u;
    u32 places = (blockIdx.x * blockDim.x + threadIdx.x) / 32u * 32u;
    // Lanes leave the loop together, and reconverge at its head in every turn: otherwise they would arrive one by one, and stay diverged.
    bool more = true;
    while (more) {
        if (COUNTED != 0u && m.state >= DROPS) {
            m = release_task(p, lists, m);
        }
        m = work(p, stack, lists, m, length);
        // All lanes of the warp whose task is done deliver at the same time: this takes as long as many steps.
        if (m.state == RETURNS && m.sp == m.base) {
            m = deliver(p, stack, m);
        }
        if (i32(m.count) >= i32(p.report)) {
            bool over = report(p.control, p.counts, p.error, m.count, p.max_applied);
            m.count = 0u;
            if (over && COMPACT == 0u) {
                m.state = ENDED;
            }
        }
        // Right before frames are shared: a lane that shares may wait for a place to be read by a lane of its own warp, which continues only
        // when all do. The queue has many more places than are taken meanwhile.
        bool takes = true;
        if (PHASES != 0u) {
            u32 idle = ballot(ALL, m.state == IDLE);
            u32 tickets = ballot(ALL, m.state == IDLE && m.ticket < NO_ROOTS);
            bool first = tickets == 0u && (idle & (1u << lane_id()) - 1u) == 0u;
            waited = m.state != IDLE || idle == ALL ? 0u : waited + 1u;
            takes = first || waited > IDLE_LIMIT;
        }
        if (m.state == IDLE) {
            m = seek(p, m, takes);
            length = POLL_STEPS;
        } else if (SPLITS == 0u) {
            // Only lanes of its warp whose roots are done wait for this thread: no longer than it has worked by then.
            length = min(2u * length, p.steps);
        }
        bool sleep = vote_all(ALL, m.state == IDLE);
        if (sleep) {
            if (SPLITS != 0u) {
                sleep_ns(100u);
            } else {
                // Hardly any work comes any more, and polling for it delays the threads that have some.
                sleep_ns(2000u);
            }
        }
        u32 waits = look(p, seen);
        if (waits == FINISHED && m.state != ENDED) {
            if (COMPACT != 0u) {
                m.state = m.state | SUSPENDED;
            } else if (m.state == IDLE) {
                m.state = ENDED;
            }
        }
        if (SPLITS != 0u && m.state != IDLE && m.state != ENDED && (COMPACT == 0u || m.state < SUSPENDED)) {
            i32 waiting = i32(waits);
            length = p.steps;
            if (waiting > p.split_threshold) {
                u32 at = oldest(stack, m);
                m.scan = at;
                unsplit_polls = at < m.sp ? 0u : unsplit_polls + 1u;
                // While there are few tasks every thread shares at once what is not small; later only threads that have worked for a while
                // share: what is left of a young task is small.
                bool growing = waiting > p.eager_split_threshold;
                bool most_wait = waiting > p.eager_split_threshold * MANY_IDLE_FACTOR;
                bool deep = m.sp - m.base >= (most_wait ? MIN_FRAMES_MANY_IDLE : MIN_FRAMES_FEW_IDLE) * STRIDE;
                length = !growing ? p.steps / 2u + 1u : unsplit_polls > MAX_UNSPLIT_POLLS ? POLL_STEPS_UNSPLIT : POLL_STEPS;
                if (growing && deep || m.since >= p.steps) {
                    // What the block has read may be old. Threads that relied on it alone could fill the queue while no thread polls for a
                    // task, and then all would wait for a free place.
                    u32 head = load_relaxed(&p.control[HEAD]);
                    u32 tail = load_relaxed(&p.control[TAIL]);
                    if (i32(head - tail) > p.split_threshold) {
                        m = share(p, stack, m, NONE);
                        m.since = 0u;
                    }
                }
            }
        }
        if (PHASES != 0u) {
            bool some = vote_any(ALL, m.state == IDLE && m.ticket >= NO_ROOTS);
            if (some) {
                length = min(length, POLL_STEPS_IDLE_LANES);
                m = give(p, stack, m, places);
            }
        }
        more = vote_any(ALL, m.state != ENDED && (COMPACT == 0u || m.state < SUSPENDED));
    }
    if (COMPACT != 0u) {
        save_thread(p, stack, m, record);
    }
    u64 applied = warp_sum(u64(i64(i32(m.count))));
    u64 promotions = warp_sum(u64(m.promotions));
    u64 in_use = warp_sum(u64(i64(i32(lists[0u]))));
    if (lane_id() == 0u) {
        atomic_add(&p.counts[APPLIED], applied);
        atomic_add(&p.counts[PROMOTIONS], promotions);
        atomic_add(&p.counts[IN_USE], in_use);
    }
}
