// Terms: tagged words, their cells, the standard order, and the collection of cells that nothing reaches.
//
// A word is a tag of three bits below an integer of 61 bits, the number of a text, or the place of a cell: of an
// integer that needs more bits, of a float, or of a compound term. A cell is a header, the number of fields above the
// number of the functor, and its fields. The CPU has the same words and cells (`gchr_base::value::Heap`). Each distinct
// cell is there once (`intern.cu`).

// Tags.
constexpr u64 KIND = 7ull;
constexpr u64 KIND_INT = 0ull;
constexpr u64 KIND_BIG = 1ull;
constexpr u64 KIND_FLOAT = 2ull;
constexpr u64 KIND_ATOM = 3ull;
constexpr u64 KIND_STRING = 4ull;
constexpr u64 KIND_COMPOUND = 5ull;

constexpr u32 NO_CELL = 0xffffffffu;

// Compound terms that a thread remembers while it marks.
constexpr u32 MARKING = 32u;

// From the template `hash`: adds a word to a hash.
__device__ u64 hash_word(u64 hash, u64 word);

// From the template `numbers`: how two numbers compare in the standard order.
__device__ i64 order_numbers(bool a_float, u64 a, bool b_float, u64 b);

// From the template `grid_barrier`: all threads of the grid wait for each other.
__device__ void grid_barrier(u32* word);

// From the template `offsets`: the exclusive scan of counts by all threads.
__device__ void scan_counts(u32* counts, u32* offsets, u32 count, u32* block_sums, u32* arrivals, in_shared u32* sums);

// The integer or the bits of the float of a word; 0 for other words.
// shares: reads cells
__device__ __forceinline__ u64 number_of(u64* cells, u64 word) {
    if ((word & KIND) == KIND_INT) {
        return u64(i64(word) >> 3u);
    }
    return (word & KIND) <= KIND_FLOAT ? cells[(word >> 3u) + 1ull] : 0ull;
}

// Whether a word is this integer.
// shares: reads cells
__device__ __forceinline__ bool is_int(u64* cells, u64 word, u64 bits) {
    if ((word & KIND) == KIND_INT) {
        return i64(word) >> 3u == i64(bits);
    }
    return (word & KIND) == KIND_BIG && cells[(word >> 3u) + 1ull] == bits;
}

// Whether a word is the float of these bits.
// shares: reads cells
__device__ __forceinline__ bool is_float(u64* cells, u64 word, u64 bits) {
    return (word & KIND) == KIND_FLOAT && cells[(word >> 3u) + 1ull] == bits;
}

// Place of a kind of words in the standard order: numbers, strings, atoms, compound terms.
// shares: nothing
__device__ __forceinline__ u32 kind_order(u64 word) {
    u64 kind = word & KIND;
    return kind <= KIND_FLOAT ? 0u : kind == KIND_STRING ? 1u : kind == KIND_ATOM ? 2u : 3u;
}

// How two words compare in the standard order of terms: -1, 0 or 1. `texts` has two ranks a text, as an atom and as a
// string; `functors` the rank of a functor's name.
// shares: reads cells
__device__ __noinline__ i64 order_words(u64* cells, u32* texts, u32* functors, u64 a, u64 b) {
    u64 x = a;
    u64 y = b;
    while (x != y && (x & KIND) == KIND_COMPOUND && (y & KIND) == KIND_COMPOUND) {
        u64 left = x >> 3u;
        u64 right = y >> 3u;
        u64 shape = cells[left];
        u64 other = cells[right];
        if (shape >> 32u != other >> 32u) {
            return shape >> 32u < other >> 32u ? -1ll : 1ll;
        }
        if (shape != other) {
            return functors[u32(shape)] < functors[u32(other)] ? -1ll : 1ll;
        }
        // Equal terms are equal words, and these two are not: the first field that differs decides, whatever its depth.
        u64 field = 1ull;
        while (cells[left + field] == cells[right + field]) {
            field = field + 1ull;
        }
        x = cells[left + field];
        y = cells[right + field];
    }
    if (x == y) {
        return 0ll;
    }
    u32 first = kind_order(x);
    u32 second = kind_order(y);
    if (first != second) {
        return first < second ? -1ll : 1ll;
    }
    if (first == 0u) {
        u64 number = number_of(cells, x);
        u64 than = number_of(cells, y);
        i64 order = order_numbers((x & KIND) == KIND_FLOAT, number, (y & KIND) == KIND_FLOAT, than);
        return order;
    }
    u64 string = first == 1u ? 1ull : 0ull;
    return texts[2ull * (x >> 3u) + string] < texts[2ull * (y >> 3u) + string] ? -1ll : 1ll;
}

// Puts cells into an empty table of places; an element of `starts` may be NO_CELL.
// pre: the cells are distinct; the table has more places than there are cells
extern "C" __global__ void __launch_bounds__(256) enter_cells(u64* cells, u32* starts, u32 count, u32* places, u32 mask) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        u32 cell = starts[i];
        if (cell != NO_CELL) {
            u64 hash = hash_word(0ull, cells[cell]);
            u32 size = u32(cells[cell] >> 32u);
            for (u32 f = 0u; f < size; f += 1u) {
                hash = hash_word(hash, cells[cell + 1u + f]);
            }
            u32 at = u32(hash) & mask;
            while (true) {
                u32 before = atomic_compare_exchange(&places[at], NO_CELL, cell);
                if (before == NO_CELL) {
                    break;
                }
                at = at + 1u & mask;
            }
        }
    }
}

// Marks the cell of a word; says whether it is one of a compound term that was not marked before. Cells below
// `immortal` are not.
// shares: marks: atomics only
__device__ __forceinline__ bool mark(u32* marks, u32 immortal, u64 word) {
    u64 kind = word & KIND;
    u32 cell = u32(word >> 3u);
    if (kind != KIND_BIG && kind != KIND_FLOAT && kind != KIND_COMPOUND || cell < immortal) {
        return false;
    }
    u32 bit = 1u << (cell & 31u);
    u32 seen = atomic_or(&marks[cell >> 5u], bit);
    return kind == KIND_COMPOUND && (seen & bit) == 0u;
}

// Marks what a marked compound term reaches: depth first, as far as a thread can remember; what is left is appended to
// `pending`.
// shares: marks, top: atomics only; pending: elements that were handed out
__device__ __forceinline__ void mark_below(u64* cells, u32* marks, u32 immortal, u32* pending, u32* top, u32 start) {
    u32 stack[MARKING];
    u32 depth = 0u;
    u32 cell = start;
    while (true) {
        u32 size = u32(cells[cell] >> 32u);
        for (u32 f = 1u; f <= size; f += 1u) {
            u64 word = cells[cell + f];
            bool fresh = mark(marks, immortal, word);
            if (fresh) {
                if (depth < MARKING) {
                    stack[depth] = u32(word >> 3u);
                    depth = depth + 1u;
                } else {
                    u32 place = atomic_add(&top[0u], 1u);
                    own("handed out once by top", pending[place]);
                    pending[place] = u32(word >> 3u);
                }
            }
        }
        if (depth == 0u) {
            return;
        }
        depth = depth - 1u;
        cell = stack[depth];
    }
}

// Marks what the values of a column reach.
// pre: pending has an element for each cell
extern "C" __global__ void __launch_bounds__(256) mark_column(u64* cells, u32* marks, u32 immortal, u64* column, u32* ids, u32 rows, u32* pending, u32* top) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += stride) {
        if (ids[i] != 0xffffffffu) {
            bool fresh = mark(marks, immortal, column[i]);
            if (fresh) {
                mark_below(cells, marks, immortal, pending, top, u32(column[i] >> 3u));
            }
        }
    }
}

// Marks what was left.
// pre: pending has an element for each cell
extern "C" __global__ void __launch_bounds__(256) mark_left(u64* cells, u32* marks, u32 immortal, u32* left, u32 count, u32* pending, u32* top) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        mark_below(cells, marks, immortal, pending, top, left[i]);
    }
}

// Words that each cell in the table of places takes behind those below `immortal`, and where it goes.
// pre: all blocks are resident; `sizes` has an element a place, `offsets` one more
// post: offsets[count] is the sum
extern "C" __global__ void __launch_bounds__(256) place_cells(u64* cells, u32* marks, u32 immortal, u32* places, u32 count, u32* sizes, u32* offsets, u32* block_sums, u32* arrivals) {
    __shared__ u32 sums[8];
    u32 stride = gridDim.x * 256u;
    for (u32 i = blockIdx.x * 256u + threadIdx.x; i < count; i += stride) {
        u32 cell = places[i];
        u32 size = 0u;
        if (cell != NO_CELL && cell >= immortal) {
            if ((marks[cell >> 5u] >> (cell & 31u) & 1u) != 0u) {
                size = u32(cells[cell] >> 32u) + 1u;
            }
        }
        sizes[i] = size;
    }
    grid_barrier(arrivals);
    scan_counts(sizes, offsets, count, block_sums, arrivals, sums);
}

// Copies the cells that are kept; `moved` says where each has gone, `starts` where there are cells now.
// pre: `moved` has an element a word of `cells`
extern "C" __global__ void __launch_bounds__(256) copy_cells(u64* cells, u32 immortal, u32* places, u32 count, u32* sizes, u32* offsets, u64* to, u32* moved, u32* starts) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        u32 cell = places[i];
        u32 start = NO_CELL;
        if (cell != NO_CELL) {
            if (cell < immortal) {
                start = cell;
            } else if (sizes[i] != 0u) {
                start = immortal + offsets[i];
                own("a cell has one place", moved[cell]);
                moved[cell] = start;
                for (u32 f = 0u; f < sizes[i]; f += 1u) {
                    own("cells get new places by a scan", to[start + f]);
                    to[start + f] = cells[cell + f];
                }
            }
        }
        starts[i] = start;
    }
}

// The word of the same value after cells have moved.
// shares: reads moved
__device__ __forceinline__ u64 renamed(u32* moved, u32 immortal, u64 word) {
    u64 kind = word & KIND;
    u32 cell = u32(word >> 3u);
    if (kind != KIND_BIG && kind != KIND_FLOAT && kind != KIND_COMPOUND || cell < immortal) {
        return word;
    }
    return u64(moved[cell]) << 3u | kind;
}

// Gives the fields of cells that have moved their new words.
extern "C" __global__ void __launch_bounds__(256) rename_cells(u64* cells, u32 immortal, u32* starts, u32 count, u32* moved) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        u32 cell = starts[i];
        if (cell != NO_CELL && cell >= immortal) {
            u64 header = cells[cell];
            u32 size = u32(header >> 32u);
            // The field of an integer or a float is its bits.
            if (u32(header) < 0xfffffffeu) {
                for (u32 f = 1u; f <= size; f += 1u) {
                    own("cells do not overlap", cells[cell + f]);
                    u64 word = renamed(moved, immortal, cells[cell + f]);
                    cells[cell + f] = word;
                }
            }
        }
    }
}

// Gives the values of a column their new words; those of rows that hold nothing become 0.
extern "C" __global__ void __launch_bounds__(256) rename_column(u64* column, u32* ids, u32 rows, u32 immortal, u32* moved) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += stride) {
        u64 word = 0ull;
        if (ids[i] != 0xffffffffu) {
            word = renamed(moved, immortal, column[i]);
        }
        column[i] = word;
    }
}
