// Rounds, steps 2 to 10, the kernels, and how tables move. Goes on from rounds_lists.cu.

// Whether one staged entry comes before another one of the same list: by rule, then by the rows of the heads, where the
// smaller row comes first if the head is kept and the greater one if it is removed.
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

// Whether all that the next round starts from is in tables of a fast path, for the first time since it was not: a host
// that has found no fast path is asked again only after twice as many rounds.
// pre: one thread calls it; `common` are the flags that all tables with new constraints have
__device__ __forceinline__ bool may_follow(Params p, u32 common, u32 kept, u32 touched) {
    u32 fits = kept != 0u ? 0u : touched != 0u ? common & IS_PRODUCT : common;
    u64 done = p.state[ROUNDS];
    if (fits == 0u) {
        p.state[LEFT_FAST_PATH] = 1ull;
        return false;
    }
    if (p.state[LEFT_FAST_PATH] == 0ull || done < p.state[NEXT_FAST_PATH_PROBE] || p.state[NEW] + u64(touched) == 0ull) {
        return false;
    }
    p.state[LEFT_FAST_PATH] = 0ull;
    p.state[NEXT_FAST_PATH_PROBE] = done + done + FAST_PATH_PROBE_GAP;
    return true;
}

// Whether the next round starts from many values of a matrix, among other things: then a host lets a product of
// matrices find what they offer. One that has found that it cannot is asked again only after twice as many rounds.
// pre: one thread calls it; `fresh` are the values that are new or have changed, of `values` in all
__device__ __forceinline__ bool may_offer(Params p, u64 fresh, u64 values, u32 few) {
    u64 done = p.state[ROUNDS];
    if (fresh == 0ull || fresh < u64(few) * OFFERED_FEW || fresh * OFFERED_SHARE < values || done < p.state[NEXT_OFFER_PROBE]) {
        return false;
    }
    p.state[NEXT_OFFER_PROBE] = done + done + FAST_PATH_PROBE_GAP;
    return true;
}

// Makes the counts of the round those of the store.
// pre: one thread calls it; nobody reads what it writes before the next grid barrier
// post: says why the launch should end, if it should: some table is worth collecting, or a fast path may begin;
//     `wanted` holds the rows in use before the round
__device__ __forceinline__ u32 commit(Params p, u32 turn, u32 fired, u32 kept, u32 added, u32 touched, u32 few) {
    u32 worth = 0u;
    u32 common = ALL;
    u64 fresh = 0ull;
    u64 values = 0ull;
    u32 lists = load_relaxed(&p.control[turn + LONG]);
    u64 walked = u64(lists) * u64(WALKED);
    for (u32 t = 0u; t < TARGETS; t += 1u) {
        u32 dead = load_relaxed(&p.dead[t]);
        u32 before = p.used[t];
        p.used[t] = p.wanted[t];
        p.wanted[t] = before;
        if (FAST_PATHS != 0u && p.used[t] != before) {
            common = common & p.fast_paths[t];
        }
        // What is written is said to fit everything.
        if (FAST_PATHS != 0u && REPLACES != 0u && (p.fast_paths[t] & (IS_PRODUCT | IS_MONOTONE)) == IS_PRODUCT) {
            fresh = fresh + u64(p.used[t] - before) + u64(touched);
            values = values + u64(p.used[t] - dead);
        }
        u32 most = walked >= u64(p.used[t]) ? p.used[t] >> 3u : p.used[t] - (p.used[t] >> 2u);
        if (p.used[t] >= WORTH_COLLECTING && dead > most) {
            worth = MUST_COLLECT;
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
    p.state[SMALL_ROUNDS] = is_small ? p.state[SMALL_ROUNDS] + 1ull : 0ull;
    if (FAST_PATHS != 0u) {
        bool follows = may_follow(p, common, kept, touched);
        worth = follows ? MAY_TAKE_FAST_PATH : worth;
        if (REPLACES != 0u && !follows) {
            bool offers = may_offer(p, fresh, values, few);
            worth = offers ? MAY_OFFER : worth;
        }
    }
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

// Rounds until there are no candidates, memory must grow or is worth collecting, a fast path may begin, an operation
// has no value, or the limits are reached. One block alone does a round of few items in less time than many take to
// meet: a launch of one block has a hysteresis of 0, and ends before a round of more items, or of long lists; a launch
// of many blocks ends behind so many rounds of few items, one after the other, as its hysteresis says.
// pre: all blocks are resident; the constraints of `delta` are in the store and in the indexes; if `offered`, what
//     values offer in the first round is with the rows that it makes better already, and `slice` is 1
// post: control[STOP] says why it ended; state says where the next launch begins, its carried entries being in
//     carried_next, and with terms its new constraints in delta_next, after an odd number of rounds
extern "C" __global__ void __launch_bounds__(256, 2) rounds(Params p, u32 slice, u64 max_firings, u32 few, u32 hysteresis, bool offered) {
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
        if (hysteresis == 0u ? all_items + u64(changed) > u64(few) : p.state[SMALL_ROUNDS] >= u64(hysteresis)) {
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
        u32 left = items + (offered ? 0u : changed);
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
                    from = begin_list(p, turn, i, items, carried_count, carried, delta, !offered);
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
            if (hysteresis == 0u) {
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
            store_relaxed(&p.control[other + WORTH], 0u);
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
                added = added + (v < STORED ? totals[v] : 0u);
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
                for (u32 u = 0u; u < TARGETS; u += 1u) {
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
            for (u32 i0 = 0u; i0 < STORED; i0 += 1u) {
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
                    ids = ids + (c < STORED ? adds : 0u);
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
                for (u32 o = 0u; o < TARGETS; o += 1u) {
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
            store_relaxed(&p.control[turn + WORTH], worth);
        }
        meet(p.arrivals);
        stop = load_relaxed(&p.control[turn + WORTH]);
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

// Takes what is dead, and what is of tables that are emptied, out of the list of what is new; the others keep their
// order.
// pre: all blocks are resident; the list has `count` entries; `emptied` has an element for each table, `keep` one for
//     each entry, `map` one more; `left` has room for the list
// post: map[count] is the number of entries in `left`
extern "C" __global__ void __launch_bounds__(256) thin_out(Params p, u32 count, u32* emptied, u32* keep, u32* map, u64* left) {
    __shared__ u32 parts[8];
    u32 first = blockIdx.x * BLOCK + threadIdx.x;
    u32 stride = gridDim.x * BLOCK;
    for (u32 i = first; i < count; i += stride) {
        u64 fresh = p.delta[i];
        u32 table = u32(fresh >> 32u);
        u32 id = id_of(p, table, u32(fresh));
        keep[i] = id != NO_ID && emptied[table] == 0u ? 1u : 0u;
    }
    grid_barrier(p.arrivals);
    scan_counts(keep, map, count, p.block_sums, p.arrivals, parts);
    grid_barrier(p.arrivals);
    for (u32 k = first; k < count; k += stride) {
        if (keep[k] != 0u) {
            u32 at = map[k];
            own("places are exclusive sums", left[at]);
            left[at] = p.delta[k];
        }
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

// Moves the rows of a table to other buffers, those that hold constraints or are still named, in order: how a table
// grows, and how it is collected.
// pre: all blocks are resident; `keep` has `rows` elements and `map` one more; `to` has other buffers for this table,
//     claims, ranks and places of indexes being empty, and the same for all else
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
