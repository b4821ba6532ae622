// Claims: which of many candidates may use the rows of a table that they want, the same ones whatever the order of
// threads.
//
// A key says how good a candidate is: the smaller the better. Every candidate leaves its key with each row that it
// would remove; a candidate is beaten when a row that it uses carries a better one. Keys of later rounds are smaller
// than those of earlier ones, so that nothing has to be cleared. Candidates of one key are told apart by ranks, words
// that are claimed one after the other.

// A row that nobody claims.
constexpr u64 UNCLAIMED = 0xffffffffffffffffull;

// Claims a row; says whether it was claimed under the same key before.
// shares: claims[row]: atomics only
__device__ __forceinline__ bool claim(u64* claims, u32 row, u64 key) {
    u64 seen = load_relaxed(&claims[row]);
    if (key < seen) {
        seen = atomic_min(&claims[row], key);
    }
    return seen == key;
}

// Makes a rank word ready for the candidates that share the best key of a row.
// pre: a barrier follows before the word is claimed
// shares: ranks[row]: atomics only
__device__ __forceinline__ void unrank(u64* ranks, u32 row) {
    store_relaxed(&ranks[row], UNCLAIMED);
}

// Whether a better candidate claims the row. Candidates of the same key are told apart by `beaten_by_rank`.
// pre: no row is being claimed
// shares: reads claims[row]
__device__ __forceinline__ bool beaten(u64* claims, u32 row, u64 key) {
    return claims[row] < key;
}
