// Constraint Handling Rules in deterministic rounds: the rounds of a run are one cooperative launch. docs/semantics.md defines them.
//
// A table holds the constraints of one symbol, one a row, in the order of their ids: generated fields of `Params` are its columns, its
// ids (NO_ID once the constraint is removed), its claims and its indexes. `delta` lists the constraints that are new in a round, in the
// order of their ids, each as table and row. With terms, whose bodies may lack room, those of the next round have a list of their own.
//
// What a round does, with a grid barrier behind each step:
//   1. find     of each constraint n that is new: its list of candidates, appended to the staged list, each with its place in its own
//               list; candidates that are carried over are lists by themselves; of each constraint that is new or whose value has
//               changed: the values that it offers to others, by a minimum in place
//   2. offsets  the lengths of the lists, added up in the order of ids, give each list its place in the body order
//   3. place    staged entries go to their places, and leave their key with each row that they would remove
//   4. sort     entries that were not found in the order of ranks count those of their list that come before them
//   5. rank     candidates of one rule and one n that want the same row are told apart by their places
//   6. decide   who is not beaten fires; what bodies will add is added up
//   7. build    bodies write their constraints behind the rows in use; candidates that did not fire are carried over
//   8. remove   removed rows lose their ids; values that are replaced become those found in step 1
//   9. reduce   new rows of a table with a reduction meet those of their key
//  10. commit   new rows enter the indexes, the counts of the round become those of the store
// Nothing of the store changes before step 8: a round that lacks memory, or fails, leaves it as it was.

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
// Of the program: tables, those of them that bodies add to, most heads of a rule, words of an entry (5 and the heads), and whether rules
// reduce what is put into the store.
constexpr u32 TABLES = HOLE;
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

constexpr u32 NONE = 0xffffffffu;
constexpr u32 NO_ID = 0xffffffffu;

// An entry is a candidate: its item, its tag, table and row of its newest constraint, its place in the list of the item, and the rows of
// its heads in textual order. A tag is the rule and flags: the candidate removes its newest constraint, its guard has no value, it fires,
// its place is not that of its rank.
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

// What a thread asks of its warp: a part of a list, by number, and what it is. One partner: it removes the constraint, so that the first one
// ends the list; partners come in descending order; rows that lack the key are among them; the constraint is at the second head. Or
// several partners: all of a rule.
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
// Words of what is asked of the warps: item, part (and then from where on its thread goes on), and the words of the search.
constexpr u32 ASK = 4u;

// Words of `control`. The flags of a round exist twice and take turns, FLAGS words apart, by the parity of the round: while one set is in
// use the other one is cleared, and nobody reads that any more.
constexpr u32 STOP = 0u;
constexpr u32 STAGED = 8u;
constexpr u32 CONTENDED = 16u;
constexpr u32 MULTIPLE = 24u;
constexpr u32 WRONG = 32u;
constexpr u32 COLLECT = 40u;
constexpr u32 FIRING = 48u;
constexpr u32 LOST = 56u;
constexpr u32 TOUCHED = 4u;
// Three each, which passes over the lists take in turns.
constexpr u32 ASKED = 12u;
constexpr u32 TAKEN = 20u;
// How many lists went on behind what one thread looks at.
constexpr u32 LONG = 28u;
constexpr u32 FLAGS = 64u;

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
constexpr u32 CALM = 11u;

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

// A table with so many rows in use is worth collecting once half of them are dead. Where the warps of a round have looked through at least
// as many rows as the table has, each for a list of more than WALKED rows, an eighth is enough: they would look at dead rows again and again.
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

// Sets a flag of the round.
// shares: the flag: atomics only
__device__ __forceinline__ void raise(u32* control, u32 flag) {
    u32 seen = load_relaxed(&control[flag]);
    if (seen == 0u) {
        store_relaxed(&control[flag], 1u);
    }
}

// The bits of a word, read backwards.
// shares: nothing
__device__ __forceinline__ u32 reversed(u32 word) {
    u32 w = word;
    w = w >> 1u & 0x55555555u | (w & 0x55555555u) << 1u;
    w = w >> 2u & 0x33333333u | (w & 0x33333333u) << 2u;
    w = w >> 4u & 0x0f0f0f0fu | (w & 0x0f0f0f0fu) << 4u;
    w = w >> 8u & 0x00ff00ffu | (w & 0x00ff00ffu) << 8u;
    return w >> 16u | w << 16u;
}

// Writes all of an entry but the rows of its heads; says where these go, NONE when there is no room.
// pre: no other thread has the same entry
// shares: the entry belongs to this thread
__device__ __forceinline__ u32 write_entry(Params p, u32 turn, u32 entry, u32 item, u32 place, u32 tag, u32 table, u32 row, u32 id) {
    if ((tag & FAILS) != 0u) {
        raise(p.control, turn + WRONG);
    }
    if (entry >= p.staged_capacity) {
        return NONE;
    }
    u32 at = entry * ENTRY;
    own("an entry is handed out once", p.staged[at + ITEM]);
    p.staged[at + ITEM] = item;
    own("an entry is handed out once", p.staged[at + TAG]);
    p.staged[at + TAG] = tag;
    own("an entry is handed out once", p.staged[at + TABLE]);
    p.staged[at + TABLE] = table;
    own("an entry is handed out once", p.staged[at + ROW]);
    p.staged[at + ROW] = row;
    own("an entry is handed out once", p.staged[at + PLACE]);
    p.staged[at + PLACE] = place;
    u32 backwards = reversed(id);
    u64 key = p.state[EPOCH] << 44u | u64(tag & RULE) << 32u | u64(backwards);
    own("an entry is handed out once", p.staged_key[entry]);
    p.staged_key[entry] = key;
    return at + ROWS;
}

// A place in the staged list for a candidate of an item: where the rows of its heads go, NONE when there is no room.
// post: no other thread of this round gets the same place
// shares: the entry belongs to this thread; counts of items: atomics only
__device__ __forceinline__ u32 stage(Params p, u32 turn, u32 item, u32 tag, u32 table, u32 row, u32 id) {
    u32 mask = active_mask();
    u32 rank = popcount(mask & (1u << lane_id()) - 1u);
    u32 base = 0u;
    if (rank == 0u) {
        base = atomic_add(&p.control[turn + STAGED], popcount(mask));
    }
    base = shfl(mask, base, find_first_set(mask) - 1u);
    u32 place = 0u;
    if ((tag & UNORDERED) != 0u) {
        // Other lanes may find candidates of the same item.
        place = atomic_add(&p.count[item], 1u);
        if (place != 0u) {
            raise(p.control, turn + MULTIPLE);
        }
    } else {
        place = load_relaxed(&p.count[item]);
        store_relaxed(&p.count[item], place + 1u);
    }
    u32 to = write_entry(p, turn, base + rank, item, place, tag, table, row, id);
    return to;
}

// Notes that a row has got a better value in this round.
// pre: called once for each row in a round
// shares: the place in the list belongs to this thread
__device__ __forceinline__ void touch(Params p, u32 turn, u32 table, u32 row) {
    u32 mask = active_mask();
    u32 rank = popcount(mask & (1u << lane_id()) - 1u);
    u32 base = 0u;
    if (rank == 0u) {
        base = atomic_add(&p.control[turn + TOUCHED], popcount(mask));
    }
    base = shfl(mask, base, find_first_set(mask) - 1u);
    own("a place is handed out once", p.touched[base + rank]);
    p.touched[base + rank] = u64(table) << 32u | u64(row);
}

// Whether a term was built for which there is no room.
// shares: the count of words in use: atomics only
__device__ bool is_crowded(Params p);

// Enters a row into the indexes of its table.
// pre: called once for each row, between two grid barriers behind that of its columns' writing
// shares: the row's links; slots of the indexes: atomics only
__device__ void index_row(Params p, u32 table, u32 row);

// Lets a new row meet the row of its key, if its table has a reduction; the one that is not kept loses its id. Says how many do.
// pre: as for `index_row`
// shares: slots of the reduction's index and ids: atomics only
__device__ u32 reduce_row(Params p, u32 table, u32 row);

// Lets the row of its key that lives take in the value of a new row, if its table keeps greatest common divisors.
// pre: called once for each new row, behind a grid barrier after all of them were reduced
// shares: values of rows that live: atomics only
__device__ void merge_row(Params p, u32 table, u32 row);

// Offers the values that rules compute from a constraint, which is new or whose value has changed, to those whose value they replace.
// shares: reads the store; better values: atomics only
__device__ void improve(Params p, u32 turn, u32 table, u32 row, bool fresh);

// Makes the better value of a row its value, or forgets it.
// shares: the row belongs to this thread
__device__ void settle_row(Params p, u32 table, u32 row, bool keeps);

// The id of the constraint in a row; NO_ID when it holds none.
// shares: reads ids
__device__ u32 id_of(Params p, u32 table, u32 row);

// Whether all rows of an entry hold constraints.
// shares: reads ids and the entry
__device__ bool all_live(Params p, u32 rule, u32* entries, u32 at);

// Whether a row is a partner of a constraint in a part of its list.
// shares: reads the store
__device__ u32 matches(Params p, u32 part, u32 row, u32 id, u32 partner);

// Looks at every `stride`th instance of a rule that removes a constraint, from the one of number `lane` on: `best` says whether there is one
// (1, or 2 if its guard has no value) and its rows.
// shares: reads the store
__device__ void seek(Params p, u32 rule, u32 table, u32 row, u32 id, bool behind, u32* entries, u32 at, u32 lane, u32 stride, in_local u32* best);

// Stages every `stride`th instance of a rule that keeps a constraint, as far as they come before `best`.
// shares: reads the store; counts of items: atomics only
__device__ void stage_kept(Params p, u32 turn, u32 item, u32 rule, u32 table, u32 row, u32 id, bool behind, u32* entries, u32 at, u32 lane, u32 stride, in_local u32* best);

// Stages the list of a constraint from a part on, all of it or what is behind the place of an entry, until it is done or asks for the warp:
// then it says for what, and leaves the rows that are to be looked at in `search`. `from` is twice the number of the part, and one more where
// the rows of a key are to be followed to their end. NONE says that it is done.
// pre: the row holds a constraint
// shares: reads the store; counts of items: atomics only
__device__ u32 list(Params p, u32 turn, u32 item, u32 table, u32 row, u32 from, bool behind, u32* entries, u32 at, in_local u32* search, in_local u32* best);

// Leaves the key of a staged candidate with each row that it would remove.
// shares: claims: atomics only
__device__ void claim_rows(Params p, u32 turn, u32 entry, u64 key);

// Leaves the place of a staged candidate with each row that it would remove under the best key.
// shares: ranks: atomics only
__device__ void rank_rows(Params p, u32 entry, u64 key, u32 place);

// Whether a better candidate removes a row of a staged one.
// shares: reads claims and ranks
__device__ bool is_beaten(Params p, u32 entry, u64 key, u32 place);

// The body of a staged candidate: writes its constraints to the rows from `rows` on, one number a table that bodies add to, with ids from
// `id` on, and lists them in `delta`. Says whether an operation of the body has no value or a goal of it does not hold.
// shares: the rows, which lie behind those in use, and the elements of delta belong to this candidate
__device__ bool build(Params p, u32 entry, in_local u32* rows, u32 id, u64* delta);

// Takes the ids from the rows that a staged candidate removes.
// shares: these ids; no other candidate removes them
__device__ void remove_rows(Params p, u32 entry);

// Notes the error of an entry whose guard, or whose body, has no value.
// pre: one thread calls it
__device__ void explain(Params p, u32 entry, bool body);

// Stages a carried candidate that still lives. Says whether the list of its constraint goes on behind it: it ended the list, and does not live
// any more, but the constraint does.
// shares: reads the store and carried; the entry belongs to this thread
__device__ __forceinline__ bool list_carried(Params p, u32 turn, u32 item, u32* carried) {
    u32 at = item * ENTRY;
    u32 table = carried[at + TABLE];
    u32 row = carried[at + ROW];
    u32 id = id_of(p, table, row);
    if (id == NO_ID) {
        return false;
    }
    u32 tag = carried[at + TAG];
    bool all = all_live(p, tag & RULE, carried, at + ROWS);
    if (all) {
        u32 to = stage(p, turn, item, tag & (RULE | CUTS), table, row, id);
        if (to != NONE) {
            for (u32 h = 0u; h < HEADS; h += 1u) {
                own("an entry is handed out once", p.staged[to + h]);
                p.staged[to + h] = carried[at + ROWS + h];
            }
        }
    }
    return !all && (tag & CUTS) != 0u;
}

// Table and row of the constraint of an item.
// shares: reads delta and carried
__device__ __forceinline__ u64 constraint_of(u32 item, u32 carried_count, u32* carried, u64* delta) {
    if (item < carried_count) {
        return u64(carried[item * ENTRY + TABLE]) << 32u | u64(carried[item * ENTRY + ROW]);
    }
    return delta[item - carried_count];
}

// Begins a piece of work of the first step: a carried candidate, the list of a new constraint, or what a changed value offers. Says from where
// on a list is to be found; NONE if none is.
// shares: as `stage` and `improve`
__device__ __forceinline__ u32 begin_list(Params p, u32 turn, u32 work, u32 items, u32 carried_count, u32* carried, u64* delta) {
    u32 from = NONE;
    if (work < items) {
        store_relaxed(&p.count[work], 0u);
        if (work < carried_count) {
            bool goes_on = list_carried(p, turn, work, carried);
            from = goes_on ? (carried[work * ENTRY + TAG] & RULE) * 8u : NONE;
        } else {
            u64 fresh = delta[work - carried_count];
            u32 id = id_of(p, u32(fresh >> 32u), u32(fresh));
            from = id != NO_ID ? 0u : NONE;
        }
    }
    if (REPLACES != 0u) {
        bool is_new = work >= carried_count && work < items;
        if (is_new && from != NONE || work >= items) {
            u64 source = is_new ? delta[work - carried_count] : p.changed[work - items];
            improve(p, turn, u32(source >> 32u), u32(source), is_new);
        }
    }
    return from;
}

// Writes a candidate that this lane has found with a partner, to a place that the warp has handed out.
// shares: the entry belongs to this thread
__device__ __forceinline__ void write_pair(Params p, u32 turn, u32 entry, u32 item, u32 place, u32 tag, u32 table, u32 row, u32 id, bool second, u32 partner) {
    u32 to = write_entry(p, turn, entry, item, place, tag, table, row, id);
    if (to != NONE) {
        for (u32 h = 0u; h < HEADS; h += 1u) {
            own("an entry is handed out once", p.staged[to + h]);
            p.staged[to + h] = h == (second ? 1u : 0u) ? row : (h < 2u ? partner : 0u);
        }
    }
}

// A part of a list with one partner, by all lanes: rows from `low` to `high`, in the order of ranks.
// pre: the warp is together, and does so for one item
// shares: as `list`
__device__ __forceinline__ u32 scan_rows(Params p, u32 turn, u32 item, u32 asked, u32 table, u32 row, u32 low, u32 high) {
    u32 part = asked & PART;
    bool ends = (asked & ENDS) != 0u;
    u32 id = id_of(p, table, row);
    u32 place = load_relaxed(&p.count[item]);
    u32 rows = high - low;
    u32 keys = 0u;
    u32 came = GOES_ON;
    for (u32 base = 0u; base < rows && came == GOES_ON; base += 32u * AT_ONCE) {
        u32 said[AT_ONCE];
        u32 votes[AT_ONCE];
        u32 found = 0u;
        #pragma unroll
        for (u32 i = 0u; i < AT_ONCE; i += 1u) {
            u32 k = base + i * 32u + lane_id();
            said[i] = 0u;
            if (k < rows) {
                u32 partner = (asked & DOWN) != 0u ? high - 1u - k : low + k;
                u32 is = matches(p, part, row, id, partner);
                said[i] = is;
            }
        }
        #pragma unroll
        for (u32 j = 0u; j < AT_ONCE; j += 1u) {
            u32 with_key = ballot(ALL, (said[j] & HAS_KEY) != 0u);
            keys = keys + popcount(with_key);
            u32 hits = ballot(ALL, (said[j] & MATCHES) != 0u);
            // Where the first one ends the list, the others are none.
            hits = ends ? (found == 0u ? hits & 0u - hits : 0u) : hits;
            votes[j] = hits;
            found = found + popcount(hits);
        }
        if (found != 0u) {
            u32 entry = 0u;
            if (lane_id() == 0u) {
                entry = atomic_add(&p.control[turn + STAGED], found);
            }
            entry = shfl(ALL, entry, 0u);
            u32 bit = 1u << lane_id();
            #pragma unroll
            for (u32 n = 0u; n < AT_ONCE; n += 1u) {
                if ((votes[n] & bit) != 0u) {
                    u32 at = base + n * 32u + lane_id();
                    u32 partner_found = (asked & DOWN) != 0u ? high - 1u - at : low + at;
                    u32 tag = part >> 2u | (ends ? CUTS : 0u) | ((said[n] & VALUELESS) != 0u ? FAILS : 0u);
                    u32 rank = popcount(votes[n] & bit - 1u);
                    write_pair(p, turn, entry + rank, item, place + rank, tag, table, row, id, (asked & SECOND) != 0u, partner_found);
                }
                entry = entry + popcount(votes[n]);
                place = place + popcount(votes[n]);
            }
            came = ends ? HAS_ENDED : GOES_ON;
        } else if ((asked & KEYED) != 0u && keys * SPARSE < min(base + 32u * AT_ONCE, rows)) {
            came = IS_SPARSE;
        }
    }
    if (lane_id() == 0u) {
        store_relaxed(&p.count[item], place);
    }
    return came;
}

// Whether the rows of one instance of a rule come before those of another one: heads in textual order, where the smaller row comes first if
// the head is kept and the greater one if it is removed. The rows stand behind one word each.
// shares: nothing
__device__ __forceinline__ bool rank_before(u32 removed, in_local u32* rows, in_local u32* others) {
    bool before = false;
    bool decided = false;
    #pragma unroll
    for (u32 h = 0u; h < HEADS; h += 1u) {
        u32 x = rows[h + 1u];
        u32 y = others[h + 1u];
        if (!decided && x != y) {
            decided = true;
            before = x < y != ((removed >> h & 1u) != 0u);
        }
    }
    return before;
}

// All of a rule with several partners, by all lanes.
// pre: the warp is together, and does so for one item
// shares: as `list`
__device__ __forceinline__ u32 search_rule(Params p, u32 turn, u32 item, u32 asked, u32 table, u32 row, bool behind, u32* entries, in_local u32* best) {
    u32 rule = (asked & PART) >> 2u;
    u32 id = id_of(p, table, row);
    #pragma unroll
    for (u32 z = 0u; z < HEADS_AND_ONE; z += 1u) {
        best[z] = 0u;
    }
    seek(p, rule, table, row, id, behind, entries, item * ENTRY, lane_id(), 32u, best);
    u32 removed = p.removed_heads[rule];
    #pragma unroll
    for (u32 distance = 16u; distance != 0u; distance >>= 1u) {
        u32 other[HEADS_AND_ONE];
        #pragma unroll
        for (u32 h = 0u; h < HEADS_AND_ONE; h += 1u) {
            u32 word = shfl_xor(ALL, best[h], distance);
            other[h] = word;
        }
        bool earlier = rank_before(removed, other, best);
        if (other[0u] != 0u && (best[0u] == 0u || earlier)) {
            #pragma unroll
            for (u32 k = 0u; k < HEADS_AND_ONE; k += 1u) {
                best[k] = other[k];
            }
        }
    }
    stage_kept(p, turn, item, rule, table, row, id, behind, entries, item * ENTRY, lane_id(), 32u, best);
    warp_barrier(ALL);
    if (best[0u] != 0u) {
        if (lane_id() == 0u) {
            u32 to = stage(p, turn, item, rule | CUTS | (best[0u] == 2u ? FAILS : 0u), table, row, id);
            if (to != NONE) {
                for (u32 r = 0u; r < HEADS; r += 1u) {
                    own("an entry is handed out once", p.staged[to + r]);
                    p.staged[to + r] = best[r + 1u];
                }
            }
        }
        return HAS_ENDED;
    }
    return GOES_ON;
}

// One thread's search for the list of an item from a part on; what it does not finish it leaves to the warps.
// shares: as `list`; asks that it adds belong to this thread
__device__ __forceinline__ void find_alone(Params p, u32 turn, u32 pass, u32 item, u32 from, u32 carried_count, u32* carried, u64* delta, in_local u32* search, in_local u32* best) {
    u64 newest = constraint_of(item, carried_count, carried, delta);
    u32 asked = list(p, turn, item, u32(newest >> 32u), u32(newest), from, item < carried_count, carried, item * ENTRY, search, best);
    if (asked != NONE) {
        u32 mask = active_mask();
        u32 rank = popcount(mask & (1u << lane_id()) - 1u);
        u32 base = 0u;
        if (rank == 0u) {
            base = atomic_add(&p.control[turn + ASKED + pass % 3u], popcount(mask));
        }
        base = shfl(mask, base, find_first_set(mask) - 1u);
        u32 at = ((pass & 1u) * p.item_capacity + base + rank) * ASK;
        own("an ask is handed out once", p.asks[at]);
        p.asks[at] = item;
        own("an ask is handed out once", p.asks[at + 1u]);
        p.asks[at + 1u] = asked;
        own("an ask is handed out once", p.asks[at + 2u]);
        p.asks[at + 2u] = search[LOW];
        own("an ask is handed out once", p.asks[at + 3u]);
        p.asks[at + 3u] = search[HIGH];
    }
}

// Does what a thread has asked for, by all lanes: an `everywhere` block whose warp is one that has nothing to do. Leaves in the ask from where on
// the list goes on, NONE if it does not.
// pre: the warp is together, and no other one has this ask
// shares: as `list`
__device__ __forceinline__ void find_together(Params p, u32 turn, u32 ask, u32 carried_count, u32* carried, u64* delta, in_local u32* best) {
    u32 word = 0u;
    if (lane_id() < ASK) {
        own("a warp takes an ask", p.asks[ask * ASK + lane_id()]);
        word = p.asks[ask * ASK + lane_id()];
    }
    u32 item = shfl(ALL, word, 0u);
    u32 asked = shfl(ALL, word, 1u);
    u32 low = shfl(ALL, word, 2u);
    u32 high = shfl(ALL, word, 3u);
    u64 newest = constraint_of(item, carried_count, carried, delta);
    u32 table = u32(newest >> 32u);
    u32 row = u32(newest);
    u32 came = GOES_ON;
    if ((asked & MANY) != 0u) {
        came = search_rule(p, turn, item, asked, table, row, item < carried_count, carried, best);
    } else {
        came = scan_rows(p, turn, item, asked, table, row, low, high);
    }
    if (lane_id() == 1u) {
        own("a warp takes an ask", p.asks[ask * ASK + lane_id()]);
        p.asks[ask * ASK + lane_id()] = came == HAS_ENDED ? NONE : (asked & PART) * 2u + (came == IS_SPARSE ? 1u : 2u);
    }
}

// Whether one staged entry comes before another one of the same list: by rule, then by the rows of the heads, where the smaller row comes
// first if the head is kept and the greater one if it is removed.
// shares: reads staged entries
__device__ __forceinline__ bool comes_before(u32* staged, u32* removed_heads, u32 a, u32 b) {
    u32 rule = staged[a * ENTRY + TAG] & RULE;
    u32 other = staged[b * ENTRY + TAG] & RULE;
    if (rule != other) {
        return rule < other;
    }
    u32 removed = removed_heads[rule];
    for (u32 h = 0u; h < HEADS; h += 1u) {
        u32 x = staged[a * ENTRY + ROWS + h];
        u32 y = staged[b * ENTRY + ROWS + h];
        if (x != y) {
            return x < y != ((removed >> h & 1u) != 0u);
        }
    }
    return false;
}

// Puts a staged entry to its place.
// shares: the place belongs to this entry
__device__ __forceinline__ void place_entry(Params p, u32 entry) {
    u32 place = p.offset[p.staged[entry * ENTRY + ITEM]] + p.staged[entry * ENTRY + PLACE];
    own("a list has a place for each of its entries", p.order[place]);
    p.order[place] = entry;
}

// Lets an entry that was not found in order count those of its list that come before it.
// shares: reads the order and the entries, of which only this thread changes the place of this one
__device__ __forceinline__ void rank_entry(Params p, u32 entry) {
    if ((p.staged[entry * ENTRY + TAG] & UNORDERED) != 0u) {
        u32 item = p.staged[entry * ENTRY + ITEM];
        u32 end = p.offset[item + 1u];
        u32 place = 0u;
        for (u32 k = p.offset[item]; k < end; k += 1u) {
            bool before = comes_before(p.staged, p.removed_heads, p.order[k], entry);
            place = place + (before ? 1u : 0u);
        }
        p.staged[entry * ENTRY + PLACE] = place;
    }
}

// Notes the place of an entry whose guard or body has no value; the first one is the one to tell.
// shares: the word: atomics only
__device__ __forceinline__ void note_place(Params p, u32 place) {
    atomic_min(&p.state[FAILED_ENTRY], u64(place));
}

// Whether an entry fires; if not, it is carried.
// post: its tag says so; `sums` holds what it adds to each table, and whether it is carried
// shares: the entry; sums: atomics only
__device__ __forceinline__ void decide(Params p, u32 place, in_shared u32* sums) {
    u32 entry = p.order[place];
    own("an entry has one place", p.staged[entry * ENTRY + TAG]);
    u64 key = p.staged_key[entry];
    bool lost = is_beaten(p, entry, key, place);
    if (lost) {
        atomic_add_block(&sums[SUMS], 1u);
        return;
    }
    u32 tag = p.staged[entry * ENTRY + TAG];
    p.staged[entry * ENTRY + TAG] = tag | FIRES;
    atomic_add_block(&sums[SUMS + 1u], 1u);
    for (u32 s = 0u; s < SUMS; s += 1u) {
        u32 added = p.adds[(tag & RULE) * SUMS + s];
        if (added != 0u) {
            atomic_add_block(&sums[s], added);
        }
    }
}

// Makes the counts of the round those of the store.
// pre: one thread calls it; nobody reads what it writes before the next grid barrier
// post: says whether some table is worth collecting
__device__ __forceinline__ u32 commit(Params p, u32 turn, u32 fired, u32 kept, u32 added, u32 touched, u32 few) {
    u32 worth = 0u;
    u32 lists = load_relaxed(&p.control[turn + LONG]);
    u64 walked = u64(lists) * u64(WALKED);
    for (u32 t = 0u; t < TABLES; t += 1u) {
        u32 dead = load_relaxed(&p.dead[t]);
        p.used[t] = p.wanted[t];
        u32 share = walked >= u64(p.used[t]) ? 3u : 1u;
        if (p.used[t] >= WORTH_COLLECTING && dead > p.used[t] >> share) {
            worth = 1u;
        }
    }
    u32 reduced = load_relaxed(&p.control[turn + LOST]);
    p.state[NEW] = u64(added);
    p.state[NEXT_ID] = p.state[NEXT_ID] + u64(added);
    p.state[CARRIED] = u64(kept);
    p.state[CHANGED] = u64(touched);
    p.state[EPOCH] = p.state[EPOCH] - 1ull;
    p.state[ROUNDS] = p.state[ROUNDS] + 1ull;
    p.state[FIRED] = p.state[FIRED] + u64(fired) + u64(reduced) + u64(touched);
    p.state[SLICE] = p.state[SLICE] + 1ull;
    bool is_small = lists == 0u && u64(added) + u64(kept) + u64(touched) <= u64(few);
    p.state[CALM] = is_small ? p.state[CALM] + 1ull : 0ull;
    return worth;
}

// Says why a launch ended, in the round at hand.
// pre: behind a grid barrier, all threads of the grid call it
// shares: the rows that the round has found better values for, one each
__device__ __forceinline__ void end_launch(Params p, u32 round, u32 stop) {
    u32 first = blockIdx.x * BLOCK + threadIdx.x;
    if (REPLACES != 0u) {
        // A round that was given up forgets the better values that it found.
        u32 turn = FLAGS + (round & 1u) * FLAGS;
        u32 found = load_relaxed(&p.control[turn + TOUCHED]);
        for (u32 q = first; q < found; q += gridDim.x * BLOCK) {
            u64 given_up = p.touched[q];
            settle_row(p, u32(given_up >> 32u), u32(given_up), false);
        }
    }
    if (first == 0u) {
        store_relaxed(&p.control[STOP], stop);
    }
}

// Rounds until there are no candidates, memory must grow or is worth collecting, an operation has no value, or the limits are reached.
// One block alone does a round of few items in less time than many take to meet: a launch of one block has a patience of 0, and ends before
// a round of more items, or of long lists; a launch of many blocks ends behind so many rounds of few items, one after the other, as its
// patience says.
// pre: all blocks are resident; the constraints of `delta` are in the store and in the indexes
// post: control[STOP] says why it ended; state says where the next launch begins, its carried entries being in carried_next, and with
//     terms its new constraints in delta_next, after an odd number of rounds
extern "C" __global__ void __launch_bounds__(256, 2) rounds(Params p, u32 slice, u64 max_firings, u32 few, u32 patience) {
    __shared__ u32 parts[8];
    __shared__ u32 sums[SUMS_AND_TWO];
    __shared__ u32 totals[SUMS_AND_TWO];
    u32 running[SUMS_AND_TWO];
    u32 rows[SUMS_AND_TWO];
    u32 search[SEARCH];
    u32 best[HEADS_AND_ONE];
    for (u32 z0 = 0u; z0 < SEARCH; z0 += 1u) {
        search[z0] = 0u;
    }
    u32 stride = gridDim.x * BLOCK;
    u32 first = blockIdx.x * BLOCK + threadIdx.x;
    u32 stop = 0u;
    u32 round = 0u;
    while (stop == 0u) {
        // Lists change places from round to round.
        bool is_odd = (round & 1u) != 0u;
        u32* carried = is_odd ? p.carried_next : p.carried;
        u32* carried_next = is_odd ? p.carried : p.carried_next;
        u64* delta = TERMS != 0u && is_odd ? p.delta_next : p.delta;
        u64* delta_next = TERMS != 0u && !is_odd ? p.delta_next : p.delta;
        u32 turn = FLAGS + (round & 1u) * FLAGS;
        u32 carried_count = u32(p.state[CARRIED]);
        u64 all_items = p.state[CARRIED] + p.state[NEW];
        u32 items = u32(all_items);
        u32 changed = u32(p.state[CHANGED]);
        if (all_items == 0ull && changed == 0u) {
            stop = DONE;
            break;
        }
        if (round >= slice) {
            stop = PAUSED;
            break;
        }
        if (p.state[EPOCH] == 0ull) {
            stop = MUST_CLEAR;
            break;
        }
        if (patience == 0u ? all_items + u64(changed) > u64(few) : p.state[CALM] >= u64(patience)) {
            stop = OTHER_GRID;
            break;
        }
        if (all_items > u64(p.item_capacity)) {
            stop = MUST_GROW;
            if (first == 0u) {
                p.state[WANTED_ITEMS] = all_items;
            }
            break;
        }
        // Threads begin with all lists; warps do what they ask for; threads go on with these lists, and so on.
        u32 left = items + changed;
        u32 pass = 0u;
        while (true) {
            if (first == 0u) {
                store_relaxed(&p.control[turn + ASKED + (pass + 1u) % 3u], 0u);
                store_relaxed(&p.control[turn + TAKEN + (pass + 1u) % 3u], 0u);
            }
            for (u32 i = first; i < left; i += stride) {
                u32 item = i;
                u32 from = NONE;
                if (pass == 0u) {
                    from = begin_list(p, turn, i, items, carried_count, carried, delta);
                } else {
                    u32 ask = ((pass - 1u & 1u) * p.item_capacity + i) * ASK;
                    item = p.asks[ask];
                    from = p.asks[ask + 1u];
                }
                if (from != NONE) {
                    find_alone(p, turn, pass, item, from, carried_count, carried, delta, search, best);
                }
            }
            meet(p.arrivals);
            left = load_relaxed(&p.control[turn + ASKED + pass % 3u]);
            assume_uniform("counted before the grid barrier, and again three passes later", left);
            if (first == 0u && pass == 0u) {
                store_relaxed(&p.control[turn + LONG], left);
            }
            if (left == 0u) {
                break;
            }
            if (patience == 0u) {
                end_launch(p, round, OTHER_GRID);
                return;
            }
            while (true) {
                u32 taken = 0u;
                if (lane_id() == 0u) {
                    taken = atomic_add(&p.control[turn + TAKEN + pass % 3u], 1u);
                }
                taken = shfl(ALL, taken, 0u);
                if (taken >= left) {
                    break;
                }
                find_together(p, turn, (pass & 1u) * p.item_capacity + taken, carried_count, carried, delta, best);
            }
            meet(p.arrivals);
            pass = pass + 1u;
        }
        if (first == 0u) {
            u32 other = 3u * FLAGS - turn;
            store_relaxed(&p.control[other + STAGED], 0u);
            store_relaxed(&p.control[other + CONTENDED], 0u);
            store_relaxed(&p.control[other + MULTIPLE], 0u);
            store_relaxed(&p.control[other + WRONG], 0u);
            store_relaxed(&p.control[other + COLLECT], 0u);
            store_relaxed(&p.control[other + FIRING], 0u);
            store_relaxed(&p.control[other + LOST], 0u);
            store_relaxed(&p.control[other + TOUCHED], 0u);
            store_relaxed(&p.control[other + ASKED], 0u);
            store_relaxed(&p.control[other + TAKEN], 0u);
        }
        u32 staged = load_relaxed(&p.control[turn + STAGED]);
        u32 multiple = load_relaxed(&p.control[turn + MULTIPLE]);
        u32 wrong = load_relaxed(&p.control[turn + WRONG]);
        u32 valueless = load_relaxed(&p.error[0u]);
        u32 touched = load_relaxed(&p.control[turn + TOUCHED]);
        if (TERMS != 0u) {
            bool crowded = is_crowded(p);
            if (crowded) {
                stop = NO_CELLS;
                break;
            }
        }
        if (staged == 0u && touched == 0u) {
            stop = DONE;
            break;
        }
        if (valueless != 0u) {
            stop = VALUE_FAILED;
            break;
        }
        if (staged > p.staged_capacity) {
            stop = MUST_GROW;
            if (first == 0u) {
                p.state[WANTED_STAGED] = u64(staged);
            }
            break;
        }
        u32 kept = 0u;
        u32 fired = 0u;
        u32 added = 0u;
        if (staged != 0u) {
            if (items <= BLOCK) {
                scan_few(p.count, p.offset, items, parts);
            } else {
                scan_counts(p.count, p.offset, items, p.block_sums, p.arrivals, parts);
            }
            meet(p.arrivals);
            for (u32 e = first; e < staged; e += stride) {
                place_entry(p, e);
                claim_rows(p, turn, e, p.staged_key[e]);
            }
            meet(p.arrivals);
            u32 contended = load_relaxed(&p.control[turn + CONTENDED]);
            if (multiple != 0u) {
                for (u32 s = first; s < staged; s += stride) {
                    rank_entry(p, s);
                }
                meet(p.arrivals);
                for (u32 t0 = first; t0 < staged; t0 += stride) {
                    place_entry(p, t0);
                }
                meet(p.arrivals);
            }
            if (wrong != 0u) {
                for (u32 f = first; f < staged; f += stride) {
                    if ((p.staged[p.order[f] * ENTRY + TAG] & FAILS) != 0u) {
                        note_place(p, f);
                    }
                }
                stop = GUARD_FAILED;
                break;
            }
            if (contended != 0u) {
                for (u32 r = first; r < staged; r += stride) {
                    rank_rows(p, p.order[r], p.staged_key[p.order[r]], r);
                }
                meet(p.arrivals);
            }
            u32 share = (staged + gridDim.x - 1u) / gridDim.x;
            u32 begin = min(blockIdx.x * share, staged);
            u32 end = min(begin + share, staged);
            for (u32 z = threadIdx.x; z < SUMS + 2u; z += BLOCK) {
                sums[z] = 0u;
                totals[z] = 0u;
            }
            barrier();
            for (u32 d = begin + threadIdx.x; d < end; d += BLOCK) {
                decide(p, d, sums);
            }
            barrier();
            for (u32 w = threadIdx.x; w < SUMS + 2u; w += BLOCK) {
                p.block_sums[w * gridDim.x + blockIdx.x] = sums[w];
            }
            meet(p.arrivals);
            for (u32 y = threadIdx.x; y < SUMS + 2u; y += BLOCK) {
                sums[y] = 0u;
            }
            barrier();
            for (u32 x = 0u; x < SUMS + 2u; x += 1u) {
                // Others have no share.
                for (u32 b = threadIdx.x; b < min(gridDim.x, staged); b += BLOCK) {
                    u32 part = p.block_sums[x * gridDim.x + b];
                    if (part != 0u) {
                        atomic_add_block(&totals[x], part);
                        if (b < blockIdx.x) {
                            atomic_add_block(&sums[x], part);
                        }
                    }
                }
            }
            barrier();
            kept = totals[SUMS];
            fired = totals[SUMS + 1u];
            bool full = false;
            for (u32 v = 0u; v < SUMS; v += 1u) {
                u32 table = p.added_tables[v];
                u64 wanted = u64(p.used[table]) + u64(totals[v]);
                full = full || wanted > u64(p.capacity[table]);
                running[v] = p.used[table] + sums[v];
                added = added + totals[v];
            }
            assume_uniform("the sums of all blocks", kept);
            assume_uniform("the sums of all blocks", fired);
            assume_uniform("the sums of all blocks", added);
            assume_uniform("the sums of all blocks", full);
            running[SUMS] = sums[SUMS];
            if (p.state[FIRED] + u64(fired) + u64(touched) > max_firings) {
                stop = NO_STEPS;
                break;
            }
            if (p.state[NEXT_ID] + u64(added) >= u64(NO_ID)) {
                stop = NO_IDS;
                break;
            }
            if (first == 0u) {
                for (u32 u = 0u; u < TABLES; u += 1u) {
                    p.wanted[u] = p.used[u];
                }
                for (u32 t = 0u; t < SUMS; t += 1u) {
                    u32 to = p.added_tables[t];
                    p.wanted[to] = u32(min(u64(p.used[to]) + u64(totals[t]), 0xffffffffull));
                }
            }
            if (full) {
                stop = MUST_GROW;
                break;
            }
            u32 id_before = u32(p.state[NEXT_ID]);
            for (u32 i0 = 0u; i0 < SUMS; i0 += 1u) {
                id_before = id_before + sums[i0];
            }
            running[SUMS + 1u] = id_before;
            for (u32 chunk = begin; chunk < end; chunk += BLOCK) {
                u32 place = chunk + threadIdx.x;
                u32 entry = 0u;
                u32 tag = 0u;
                if (place < end) {
                    entry = p.order[place];
                    tag = p.staged[entry * ENTRY + TAG];
                }
                bool fires = place < end && (tag & FIRES) != 0u;
                u32 ids = 0u;
                for (u32 c = 0u; c < SUMS; c += 1u) {
                    u32 adds = fires ? p.adds[(tag & RULE) * SUMS + c] : 0u;
                    ids = ids + adds;
                    u32 at = running_sum(adds, parts, running, c);
                    rows[c] = at;
                }
                u32 id = running_sum(ids, parts, running, SUMS + 1u);
                u32 carry = running_sum(place < end && !fires ? 1u : 0u, parts, running, SUMS);
                if (fires) {
                    bool failed = build(p, entry, rows, id, delta_next);
                    if (failed) {
                        note_place(p, place);
                        raise(p.control, turn + FIRING);
                    }
                } else if (place < end) {
                    for (u32 k = 0u; k < ENTRY; k += 1u) {
                        own("places are exclusive sums", carried_next[carry * ENTRY + k]);
                        carried_next[carry * ENTRY + k] = p.staged[entry * ENTRY + k];
                    }
                }
            }
            meet(p.arrivals);
            if (TERMS != 0u) {
                bool full_of_terms = is_crowded(p);
                if (full_of_terms) {
                    stop = NO_CELLS;
                    break;
                }
            }
            u32 broken = load_relaxed(&p.control[turn + FIRING]);
            if (broken != 0u) {
                stop = BODY_FAILED;
                break;
            }
        } else {
            if (p.state[FIRED] + u64(touched) > max_firings) {
                stop = NO_STEPS;
                break;
            }
            if (first == 0u) {
                for (u32 o = 0u; o < TABLES; o += 1u) {
                    p.wanted[o] = p.used[o];
                }
            }
        }
        for (u32 g = first; g < staged; g += stride) {
            if ((p.staged[g * ENTRY + TAG] & FIRES) != 0u) {
                remove_rows(p, g);
            }
        }
        for (u32 h = first; h < touched; h += stride) {
            u64 target = p.touched[h];
            settle_row(p, u32(target >> 32u), u32(target), true);
            p.changed[h] = target;
        }
        meet(p.arrivals);
        if (REDUCES != 0u) {
            u32 lost = 0u;
            for (u32 m = first; m < added; m += stride) {
                u64 met = delta_next[m];
                u32 losers = reduce_row(p, u32(met >> 32u), u32(met));
                lost = lost + losers;
            }
            if (lost != 0u) {
                atomic_add(&p.control[turn + LOST], lost);
            }
            meet(p.arrivals);
        }
        if (MERGES != 0u) {
            for (u32 j = first; j < added; j += stride) {
                u64 put = delta_next[j];
                merge_row(p, u32(put >> 32u), u32(put));
            }
        }
        for (u32 n = first; n < added; n += stride) {
            u64 fresh = delta_next[n];
            index_row(p, u32(fresh >> 32u), u32(fresh));
        }
        if (first == 0u) {
            u32 worth = commit(p, turn, fired, kept, added, touched, few);
            store_relaxed(&p.control[turn + COLLECT], worth);
        }
        meet(p.arrivals);
        u32 collect = load_relaxed(&p.control[turn + COLLECT]);
        if (collect != 0u) {
            stop = MUST_COLLECT;
        }
        round = round + 1u;
    }
    end_launch(p, round, stop);
}

// Puts the constraints of `delta` into the store: the start of a batch.
// pre: their columns and ids are written
// post: state[FIRED] has grown by the firings of reductions
extern "C" __global__ void __launch_bounds__(256) enter(Params p, u32 count) {
    u32 first = blockIdx.x * BLOCK + threadIdx.x;
    u32 stride = gridDim.x * BLOCK;
    if (REDUCES != 0u) {
        u32 lost = 0u;
        for (u32 i = first; i < count; i += stride) {
            u64 met = p.delta[i];
            u32 losers = reduce_row(p, u32(met >> 32u), u32(met));
            lost = lost + losers;
        }
        if (lost != 0u) {
            atomic_add(&p.state[FIRED], u64(lost));
        }
        grid_barrier(p.arrivals);
    }
    if (MERGES != 0u) {
        for (u32 w = first; w < count; w += stride) {
            u64 put = p.delta[w];
            merge_row(p, u32(put >> 32u), u32(put));
        }
    }
    for (u32 k = first; k < count; k += stride) {
        u64 fresh = p.delta[k];
        index_row(p, u32(fresh >> 32u), u32(fresh));
    }
}

// Notes the error at the place where the last launch failed.
extern "C" __global__ void __launch_bounds__(256) explain_failure(Params p, u32 body) {
    if (blockIdx.x == 0u && threadIdx.x == 0u) {
        explain(p, p.order[u32(p.state[FAILED_ENTRY])], body != 0u);
    }
}

// Keeps the rows that a carried entry names, whether they hold constraints or not.
// shares: keep: atomics only
__device__ void pin_rows(Params p, u32 table, u32* entries, u32 entry, u32* keep);

// Gives the rows that a carried entry names their new numbers.
// shares: the entry belongs to this thread
__device__ void rename_rows(Params p, u32 table, u32* entries, u32 entry, u32* map);

// Copies the values and the id of a row.
// shares: the row it is copied to belongs to this thread
__device__ void copy_row(Params p, Params to, u32 table, u32 row, u32 to_row);

// Moves the rows of a table to other buffers, those that hold constraints or are still named, in order: how a table grows, and how it is
// collected.
// pre: all blocks are resident; `keep` has `rows` elements and `map` one more; `to` has other buffers for this table, claims, ranks and
//     places of indexes being empty, and the same for all else
// post: map[rows] is the number of rows in use
extern "C" __global__ void __launch_bounds__(256) move_rows(Params p, Params to, u32 table, u32 rows, u32* keep, u32* map) {
    __shared__ u32 parts[8];
    u32 first = blockIdx.x * BLOCK + threadIdx.x;
    u32 stride = gridDim.x * BLOCK;
    for (u32 i = first; i < rows; i += stride) {
        u32 id = id_of(p, table, i);
        keep[i] = id != NO_ID ? 1u : 0u;
    }
    grid_barrier(p.arrivals);
    u32 carried_count = u32(p.state[CARRIED]);
    u32 added = u32(p.state[NEW]);
    for (u32 e = first; e < carried_count; e += stride) {
        pin_rows(p, table, p.carried, e, keep);
    }
    for (u32 d = first; d < added; d += stride) {
        u64 fresh = p.delta[d];
        if (u32(fresh >> 32u) == table) {
            store_relaxed(&keep[u32(fresh)], 1u);
        }
    }
    grid_barrier(p.arrivals);
    scan_counts(keep, map, rows, p.block_sums, p.arrivals, parts);
    grid_barrier(p.arrivals);
    for (u32 m = first; m < rows; m += stride) {
        if (keep[m] != 0u) {
            copy_row(p, to, table, m, map[m]);
        }
    }
    for (u32 c = first; c < carried_count; c += stride) {
        rename_rows(p, table, p.carried, c, map);
    }
    for (u32 n = first; n < added; n += stride) {
        u64 entry = p.delta[n];
        if (u32(entry >> 32u) == table) {
            p.delta[n] = u64(table) << 32u | u64(map[u32(entry)]);
        }
    }
    u32 changes = u32(p.state[CHANGED]);
    for (u32 g = first; g < changes; g += stride) {
        u64 change = p.changed[g];
        if (u32(change >> 32u) == table) {
            p.changed[g] = u64(table) << 32u | u64(map[u32(change)]);
        }
    }
    grid_barrier(p.arrivals);
    if (REDUCES != 0u) {
        for (u32 r = first; r < rows; r += stride) {
            u32 held = id_of(p, table, r);
            if (held != NO_ID) {
                // Each key has one constraint already: nothing is dropped.
                reduce_row(to, table, map[r]);
            }
        }
        grid_barrier(p.arrivals);
    }
    for (u32 x = first; x < rows; x += stride) {
        u32 kept = id_of(p, table, x);
        if (kept != NO_ID) {
            index_row(to, table, map[x]);
        }
    }
}
