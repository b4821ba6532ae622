// Hashing of keys of 64-bit words.

// Adds a word to a hash: the finalizer of MurmurHash3 (Appleby) over the sum.
// shares: nothing
__device__ __forceinline__ u64 hash_word(u64 hash, u64 word) {
    u64 h = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 33u) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 33u) * 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 33u;
}
