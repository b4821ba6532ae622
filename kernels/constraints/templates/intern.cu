// Cells of FIELDS fields, each distinct one once: equal terms are the same word, whichever thread builds them.
//
// Places of cells stand in a hash table that is never full: a cell takes two words or more, and the table has an
// element a word. A cell is written before its place is put there (release), and read after it was found there
// (acquire).

constexpr u32 FIELDS = HOLE;

// No cell.
constexpr u32 NO_CELL = 0xffffffffu;

// From the template `hash`: adds a word to a hash.
__device__ u64 hash_word(u64 hash, u64 word);

// Room for a cell; NO_CELL when there is none. `used` then exceeds the capacity.
// shares: used: atomics only; the words belong to this thread
__device__ __forceinline__ u32 reserve(u64* used, u32 capacity) {
    u32 mask = active_mask();
    u32 rank = popcount(mask & (1u << lane_id()) - 1u);
    u64 base = 0ull;
    if (rank == 0u) {
        base = atomic_add(&used[0u], u64(popcount(mask)) * u64(FIELDS + 1u));
    }
    base = shfl(mask, base, find_first_set(mask) - 1u);
    u64 at = base + u64(rank * (FIELDS + 1u));
    return at + u64(FIELDS + 1u) <= u64(capacity) ? u32(at) : NO_CELL;
}

// The place of the cell with this header and these fields, which is built if there is none; 0 when there is no room for
// it.
// post: used exceeds the capacity if there was no room
// shares: cells: handed over by their places; places, used: atomics only
__device__ __noinline__ u64 intern(u64* cells, u32* places, u64* used, u32 capacity, u32 mask, u64 header, in_local u64* fields) {
    u64 hash = hash_word(0ull, header);
    for (u32 i = 0u; i < FIELDS; i += 1u) {
        hash = hash_word(hash, fields[i]);
    }
    u32 at = u32(hash) & mask;
    u32 mine = NO_CELL;
    while (true) {
        u32 seen = load_acquire(&places[at]);
        if (seen == NO_CELL) {
            if (mine == NO_CELL) {
                mine = reserve(used, capacity);
                if (mine == NO_CELL) {
                    return 0ull;
                }
                cells[mine] = header;
                for (u32 f = 0u; f < FIELDS; f += 1u) {
                    cells[mine + 1u + f] = fields[f];
                }
            }
            u32 before = atomic_compare_exchange_acq_rel(&places[at], NO_CELL, mine);
            if (before == NO_CELL) {
                return u64(mine);
            }
            seen = before;
        }
        bool same = cells[seen] == header;
        for (u32 k = 0u; k < FIELDS; k += 1u) {
            // A shorter cell may be the last one.
            same = same && cells[seen + 1u + k] == fields[k];
        }
        if (same) {
            return u64(seen);
        }
        at = at + 1u & mask;
    }
}
