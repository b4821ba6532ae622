// The tasks scheduler: lazy task creation in one persistent launch, after Mohr, Kranz, Halstead, "Lazy task creation: a
// technique for increasing the granularity of parallel programs".
//
// A thread evaluates a call depth-first: states of functions are code, and a suspended call is a frame on the thread's
// own stack (resume point, then the live variables). An idle thread takes a ticket and waits until the place of that
// number in a queue is filled. A busy thread polls whether another one is idle; if so, its oldest frame that can be
// split becomes a join in device memory, and the sibling calls become tasks. The last child to finish continues with
// the frame.
//
// In programs whose parallel work comes in phases (PHASES), a warp is fed as a whole: it has one ticket at a time, and
// its lanes share with each other first. A task that one lane gives to another goes through a place of its own after
// those of the queue.
//
// A return address says where a value goes when the thread's stack is empty: to the slot of a join (bit 29: two words),
// to the frames that a full stack has spilled to a chunk (bit 30), or to a result of the run (bit 31). Bit 28: the join
// has no other child.
// A join: [0] children that are still running, then the words JOIN_*, from JOIN_HEAD on the frame. The value for the
// resume point has two words, so has the one that nobody needs. A chunk: [0] return address, from 1 on frames.
// A task: [0] state, [TASK_RETURN] return address, from TASK_HEAD on the arguments. A task that only releases a value:
// [0] DROPS and the place of its sort, [1] the value.
//
// Where cells are found by tracing (COMPACT), a launch ends when a class is full: every thread returns to its last
// safepoint, saves its registers and stack, and restores them in the next launch. A record of `saved`: a task, from
// TASK on the destination, then the words TASK + SAVED_*, from TASK + SAVED on the stack. A destination: the outermost
// cell, the word to fill, the sort of the cell. An unused join has 0 in its first word, an unused chunk NONE in its
// second. The template continues in tasks_cells.cu, tasks_frames.cu and tasks_run.cu.

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

// heap, pairs and quads are the same memory, and so are joins and records. A thread shares a frame when more than
// `split_threshold` others are idle and it has worked for `steps`, or when more than `eager_split_threshold` are idle.
// It reports every `report` rule applications, and allocates `run` cells at a time.
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
};

// Registers of a thread: state, rule applications not yet reported, stack, return address, value, memory in reserve,
// and steps since it last shared.
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
// A comparison asks after so many pairs of cells, plus 1, whether it looks at some of them again and again.
constexpr u32 COMPARED_MASK = HOLE;
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
// Eager splitting: the least frames of a stack whose oldest one is shared, while more than MANY_IDLE_FACTOR times
// `eager_split_threshold` threads are idle, and while fewer are; steps between two polls, and those of a thread that
// had nothing to share in more than MAX_UNSPLIT_POLLS polls.
constexpr u32 MIN_FRAMES_MANY_IDLE = HOLE;
constexpr i32 MANY_IDLE_FACTOR = 4;
constexpr u32 MIN_FRAMES_FEW_IDLE = HOLE;
constexpr u32 POLL_STEPS = HOLE;
constexpr u32 POLL_STEPS_UNSPLIT = 32u;
constexpr u32 MAX_UNSPLIT_POLLS = 8u;
// Rule applications of one step that count as a step.
constexpr i32 APPLICATIONS_PER_STEP = 64;
// Where a warp is fed as a whole: steps between two polls while some lanes are idle; turns after which an idle lane,
// whose warp works but has nothing for it, takes a ticket of its own.
constexpr u32 POLL_STEPS_IDLE_LANES = 1u;
constexpr u32 IDLE_LIMIT = 4u;
// Joins that a thread takes at a time (of fresh ones all but the first) or offers to others, in the ring `spare`.
constexpr u32 JOINS = 16u;
// Words of a join: its return address, the value for its resume point, a value that nobody needs; words before its
// frame.
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
constexpr u32 SORT_TAGS = HOLE;
constexpr u32 VARIANT_FIELDS = HOLE;
constexpr u32 VARIANT_HEAD = HOLE;
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

// Words of `control`, each in a memory sector of its own: threads wait for places from TAIL to HEAD; the next root;
// roots without a result plus values still to be released; whether the run is over and why; joins and chunks in use up
// to here; from CELLS on the cells of each class, CELLS_STRIDE words apart.
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
