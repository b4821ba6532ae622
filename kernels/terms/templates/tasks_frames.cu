// The template `tasks`, third part: tasks, frames and joins; how they are found, shared, spilled and delivered.

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

// Turns the frame at the bottom of the stack, which can be split, into a join, and the siblings of the current call
// into tasks. `to`: the place for the lane of the same warp that gets the only one of them, or NONE.
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

// How many threads are idle, or FINISHED when the run is over. One warp of the block reads it for all of them:
// thousands of warps that read the same words in every turn would contend for them. That no thread is idle is read anew
// each time, because a thread then works for long.
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

// Splits the frame at `m.scan`, if there is one, for anybody or for a lane of the same warp. Frames below it become
// joins on the way. Without joins everything stays as it is.
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

// Reads a join whose children have finished: its return address, the value for its resume point, and its frame to the
// bottom of the stack. It reads all words that a frame may have, four at a time: finding out how many this one has
// would take another read, and branches.
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
