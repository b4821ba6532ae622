// Rounds, step 1: the lists of candidates, by threads and warps. Goes on from rounds.cu.

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

// Lets a new row meet the row of its key, if its table has a reduction; the one that is not kept loses its id. Says how
// many do.
// pre: as for `index_row`
// shares: slots of the reduction's index and ids: atomics only
__device__ u32 reduce_row(Params p, u32 table, u32 row);

// Lets the row of its key that lives take in the value of a new row, if its table keeps greatest common divisors.
// pre: called once for each new row, behind a grid barrier after all of them were reduced
// shares: values of rows that live: atomics only
__device__ void merge_row(Params p, u32 table, u32 row);

// Offers the values that rules compute from a constraint, which is new or whose value has changed, to those whose value
// they replace.
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

// Looks at every `stride`th instance of a rule that removes a constraint, from the one of number `lane` on: `best` says
// whether there is one (1, or 2 if its guard has no value) and its rows.
// shares: reads the store
__device__ void seek(Params p, u32 rule, u32 table, u32 row, u32 id, bool behind, u32* entries, u32 at, u32 lane, u32 stride, in_local u32* best);

// Stages every `stride`th instance of a rule that keeps a constraint, as far as they come before `best`.
// shares: reads the store; counts of items: atomics only
__device__ void stage_kept(Params p, u32 turn, u32 item, u32 rule, u32 table, u32 row, u32 id, bool behind, u32* entries, u32 at, u32 lane, u32 stride, in_local u32* best);

// Stages the list of a constraint from a part on, all of it or what is behind the place of an entry, until it is done
// or asks for the warp: then it says for what, and leaves the rows that are to be looked at in `search`. `from` is
// twice the number of the part, and one more where the rows of a key are to be followed to their end. NONE says that it
// is done.
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

// The body of a staged candidate: writes its constraints to the rows from `rows` on, one number a table that bodies add
// to, with ids from `id` on, and lists them in `delta`. Says whether an operation of the body has no value or a goal of
// it does not hold.
// shares: the rows, which lie behind those in use, and the elements of delta belong to this candidate
__device__ bool build(Params p, u32 entry, in_local u32* rows, u32 id, u64* delta);

// Takes the ids from the rows that a staged candidate removes.
// shares: these ids; no other candidate removes them
__device__ void remove_rows(Params p, u32 entry);

// Notes the error of an entry whose guard, or whose body, has no value.
// pre: one thread calls it
__device__ void explain(Params p, u32 entry, bool body);

// Stages a carried candidate that still lives. Says whether the list of its constraint goes on behind it: it ended the
// list, and does not live any more, but the constraint does.
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

// Begins a piece of work of the first step: a carried candidate, the list of a new constraint, or what a changed value
// offers. Says from where on a list is to be found; NONE if none is. `offers`: whether values are offered; else a host
// has found what becomes better.
// shares: as `stage` and `improve`
__device__ __forceinline__ u32 begin_list(Params p, u32 turn, u32 work, u32 items, u32 carried_count, u32* carried, u64* delta, bool offers) {
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
        if (offers && (is_new && from != NONE || work >= items)) {
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

// Whether the rows of one instance of a rule come before those of another one: heads in textual order, where the
// smaller row comes first if the head is kept and the greater one if it is removed. The rows stand behind one word
// each.
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

// Does what a thread has asked for, by all lanes: an `everywhere` block whose warp is one that has nothing to do.
// Leaves in the ask from where on the list goes on, NONE if it does not.
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
