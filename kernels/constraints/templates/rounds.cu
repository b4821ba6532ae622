// Constraint Handling Rules in deterministic rounds: the rounds of a run are one cooperative launch. docs/semantics.md
// defines them.
//
// A table holds the constraints of one symbol, one per row, in the order of their ids: generated fields of `Params` are
// its columns, its ids (NO_ID once the constraint is removed), its claims and its indexes. `delta` lists the
// constraints that are new in a round, in the order of their ids, each as table and row. With terms, whose bodies may
// lack room, those of the next round have a list of their own.
//
// What a round does, with a grid barrier behind each step:
//   1. find     of each constraint n that is new: its list of candidates, appended to the staged list, each with its
//               place in its own list; candidates that are carried over are lists by themselves; of each constraint
//               that is new or whose value has
//               changed: the values that it offers to others, by a minimum in place
//   2. offsets  the lengths of the lists, added up in the order of ids, give each list its place in the body order
//   3. place    staged entries go to their places, and leave their key with each row that they would remove
//   4. sort     entries that were not found in the order of ranks count those of their list that come before them
//   5. rank     candidates of one rule and one n that want the same row are told apart by their places
//   6. decide   who is not beaten fires; what bodies will add is added up
//   7. build    bodies put their constraints, and what they write, behind the rows in use; candidates that did not
//               fire are carried over
//   8. remove   removed rows lose their ids; values that are replaced become those found in step 1
//   9. reduce   new rows of a table with a reduction meet those of their key
//  10. commit   new rows enter the indexes, the counts of the round become those of the store
// Nothing of the store changes before step 8: a round that lacks memory, or fails, leaves it as it was.
//
// The template goes on in rounds_lists.cu (step 1) and rounds_steps.cu (the other steps, the kernels).

struct Params {
    u32* control;
    u32* arrivals;
    u32* error;
    u64* state;
    u32* used;
    u32* dead;
    u32* capacity;
    u32* wanted;
    u32* block_sums;
    u32* adds;
    u32* added_tables;
    u32* removed_heads;
    u32* fast_paths;
    u64* delta;
    u64* delta_next;
    u64* changed;
    u64* touched;
    u32* carried;
    u32* carried_next;
    u32* asks;
    u32* count;
    u32* offset;
    u32* staged;
    u64* staged_key;
    u32* order;
    u32 item_capacity;
    u32 staged_capacity;
};

constexpr u32 BLOCK = 256u;
// Of the program: tables, and the log of what rules write, which follows them; those of them that bodies add to, and
// how many of these are tables; most heads of a rule, words of an entry (5 and the heads), and whether rules reduce
// what is put into the store.
constexpr u32 TARGETS = HOLE;
constexpr u32 STORED = HOLE;
constexpr u32 SUMS = HOLE;
constexpr u32 SUMS_AND_TWO = HOLE;
constexpr u32 HEADS = HOLE;
constexpr u32 HEADS_AND_ONE = HOLE;
constexpr u32 ENTRY = HOLE;
constexpr u32 REDUCES = HOLE;
// Whether what is put into the store changes the value of what it meets.
constexpr u32 MERGES = HOLE;
// Whether rules replace values in place.
constexpr u32 REPLACES = HOLE;
// Rows that each lane looks at before the lanes say what they have found.
constexpr u32 AT_ONCE = HOLE;
// Whether there are terms.
constexpr u32 TERMS = HOLE;
// Whether rounds that start from some tables only have a fast path.
constexpr u32 FAST_PATHS = HOLE;

constexpr u32 NONE = 0xffffffffu;
constexpr u32 NO_ID = 0xffffffffu;

// An entry is a candidate: its item, its tag, table and row of its newest constraint, its place in the list of the
// item, and the rows of its heads in textual order. A tag is the rule and flags: the candidate removes its newest
// constraint, its guard has no value, it fires, its place is not that of its rank.
constexpr u32 ITEM = 0u;
constexpr u32 TAG = 1u;
constexpr u32 TABLE = 2u;
constexpr u32 ROW = 3u;
constexpr u32 PLACE = 4u;
constexpr u32 ROWS = 5u;
constexpr u32 RULE = 0xffffu;
constexpr u32 CUTS = 0x10000u;
constexpr u32 FAILS = 0x20000u;
constexpr u32 FIRES = 0x40000u;
constexpr u32 UNORDERED = 0x80000u;

// What a thread asks of its warp: a part of a list, by number, and what it is. One partner: it removes the constraint,
// so that the first one ends the list; partners come in descending order; rows that lack the key are among them; the
// constraint is at the second head. Or several partners: all of a rule.
constexpr u32 PART = 0xffffu;
constexpr u32 ENDS = 0x10000u;
constexpr u32 DOWN = 0x20000u;
constexpr u32 KEYED = 0x40000u;
constexpr u32 SECOND = 0x80000u;
constexpr u32 MANY = 0x100000u;

// What is said of a partner: it matches, the guard has no value, it has the key.
constexpr u32 MATCHES = 1u;
constexpr u32 VALUELESS = 2u;
constexpr u32 HAS_KEY = 4u;

// What came of a part of a list: it goes on, has ended, or one thread had better follow the rows of the key.
constexpr u32 GOES_ON = 0u;
constexpr u32 HAS_ENDED = 1u;
constexpr u32 IS_SPARSE = 2u;

// A row of so many must have the key, or else following the rows of the key is cheaper.
constexpr u32 SPARSE = 16u;
constexpr u32 ALL = 0xffffffffu;

// Words of a search: the rows that are left to be looked at.
constexpr u32 LOW = 0u;
constexpr u32 HIGH = 1u;
constexpr u32 SEARCH = 2u;
// Words of what is asked of the warps: item, part (and then from where on its thread goes on), and the words of the
// search.
constexpr u32 ASK = 4u;

// Words of `control`. The flags of a round exist twice and take turns, FLAGS words apart, by the parity of the round:
// while one set is in use the other one is cleared, and nobody reads that any more.
constexpr u32 STOP = 0u;
constexpr u32 STAGED = 8u;
constexpr u32 CONTENDED = 16u;
constexpr u32 MULTIPLE = 24u;
constexpr u32 WRONG = 32u;
constexpr u32 WORTH = 40u;
constexpr u32 FIRING = 48u;
constexpr u32 LOST = 56u;
constexpr u32 TOUCHED = 4u;
// Three each, which passes over the lists take in turns.
constexpr u32 ASKED = 12u;
constexpr u32 TAKEN = 20u;
// How many lists went on behind what one thread looks at.
constexpr u32 LONG = 28u;
constexpr u32 FLAGS = 64u;
constexpr u32 CONTROL_WORDS = 192u;

// Words of `state`: what a round begins with, what a run has done, what a launch wants.
constexpr u32 NEW = 0u;
constexpr u32 CARRIED = 1u;
constexpr u32 NEXT_ID = 2u;
constexpr u32 EPOCH = 3u;
constexpr u32 ROUNDS = 4u;
constexpr u32 FIRED = 5u;
constexpr u32 WANTED_ITEMS = 6u;
constexpr u32 WANTED_STAGED = 7u;
constexpr u32 SLICE = 8u;
constexpr u32 FAILED_ENTRY = 9u;
constexpr u32 CHANGED = 10u;
// Rounds of few items, one after the other.
constexpr u32 SMALL_ROUNDS = 11u;
// Whether something was new outside of the tables of any fast path, since a host last looked for one; the round from
// which on it will look.
constexpr u32 LEFT_FAST_PATH = 12u;
constexpr u32 NEXT_FAST_PATH_PROBE = 13u;
// The round from which on a host will look again whether a product of matrices finds better values.
constexpr u32 NEXT_OFFER_PROBE = 14u;
constexpr u32 STATE_WORDS = 16u;

// Flags of a table in `fast_paths`: its values are a matrix that one rule multiplies, and the only ones that rules
// replace; it only grows.
constexpr u32 IS_PRODUCT = 1u;
constexpr u32 IS_MONOTONE = 2u;
// Rounds between two looks for a fast path: as many as there were before, and these.
constexpr u64 FAST_PATH_PROBE_GAP = 16ull;
// A product of matrices takes some launches, and looks at all values: it finds what new and changed ones offer in less
// time than a look at partner after partner where there are as many of them as several small rounds have items, and one
// of them to so many others.
constexpr u64 OFFERED_FEW = 16ull;
constexpr u64 OFFERED_SHARE = 512ull;

// Why the kernel ended.
constexpr u32 DONE = 1u;
constexpr u32 MUST_GROW = 2u;
constexpr u32 GUARD_FAILED = 3u;
constexpr u32 BODY_FAILED = 4u;
constexpr u32 PAUSED = 5u;
constexpr u32 MUST_COLLECT = 6u;
constexpr u32 MUST_CLEAR = 7u;
constexpr u32 NO_STEPS = 8u;
constexpr u32 NO_IDS = 9u;
constexpr u32 VALUE_FAILED = 10u;
constexpr u32 NO_CELLS = 11u;
constexpr u32 OTHER_GRID = 12u;
constexpr u32 MAY_TAKE_FAST_PATH = 13u;
constexpr u32 MAY_OFFER = 14u;

// A table with so many rows in use is worth collecting once three quarters of them are dead: it has the room already,
// and a collection takes as long as a round. Where the warps of a round have looked through at least as many rows as
// the table has, each for a list of more than WALKED rows, an eighth is enough: they would look at dead rows again and
// again.
constexpr u32 WORTH_COLLECTING = 4096u;
constexpr u32 WALKED = 32u;

// From the template `grid_barrier`: all threads of the grid wait for each other.
__device__ void grid_barrier(u32* word);

// The same for rounds: a block that is alone waits for its threads only.
// barrier: grid
__device__ __forceinline__ void meet(u32* word) {
    if (gridDim.x == 1u) {
        barrier();
    } else {
        grid_barrier(word);
    }
}

// From the template `offsets`: exclusive sums over the threads of a block.
__device__ u32 running_sum(u32 mine, in_shared u32* parts, in_local u32* running, u32 at);

// From the template `offsets`: the exclusive scan of counts by block 0 alone, at most 256 of them.
__device__ void scan_few(u32* counts, u32* offsets, u32 count, in_shared u32* sums);

// From the template `offsets`: the exclusive scan of counts by all threads.
__device__ void scan_counts(u32* counts, u32* offsets, u32 count, u32* block_sums, u32* arrivals, in_shared u32* sums);
