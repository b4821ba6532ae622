// The template `tasks`, last part: the loop of a thread, and the kernel.

// Does steps until the task is done, at most `length`. In each the warp reconverges twice, before lanes enter states
// and before they pop a frame: diverged lanes would stay diverged, and run the same code one after the other.
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
            // What is shared after many steps is not small. The same holds for a thread that spent many turns of a loop
            // in one step.
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
// handed: p.heap, p.pairs, p.quads: a cell is written before its index is given away with a task, a join, a result or a
//     batch, and read for the last time before the last reference to it is given up
// handed: p.shared, p.pool, p.spare: touched by atomics only
// handed: p.queue: a place is read by the thread that has its ticket, and written again when it has been read; one
//     behind the places of the queue by a lane of the same warp, between two barriers of the warp
// handed: p.joins, p.records, p.chunks: the last child to arrive goes on with a join, and the thread that emptied one
//     uses it again
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
    // Lanes leave the loop together, and reconverge at its head in every turn: otherwise they would arrive one by one,
    // and stay diverged.
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
        // Right before frames are shared: a lane that shares may wait for a place to be read by a lane of its own warp,
        // which continues only when all do. The queue has many more places than are taken meanwhile.
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
                // While there are few tasks every thread shares at once what is not small; later only threads that have
                // worked for a while share: what is left of a young task is small.
                bool growing = waiting > p.eager_split_threshold;
                bool most_wait = waiting > p.eager_split_threshold * MANY_IDLE_FACTOR;
                bool deep = m.sp - m.base >= (most_wait ? MIN_FRAMES_MANY_IDLE : MIN_FRAMES_FEW_IDLE) * STRIDE;
                length = !growing ? p.steps / 2u + 1u : unsplit_polls > MAX_UNSPLIT_POLLS ? POLL_STEPS_UNSPLIT : POLL_STEPS;
                if (growing && deep || m.since >= p.steps) {
                    // What the block has read may be old. Threads that relied on it alone could fill the queue while no
                    // thread polls for a task, and then all would wait for a free place.
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
