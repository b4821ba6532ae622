// The template `trace`, third part: new places of cells, references to them, and the kernel.

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
