// Operators on texts of bytes, which report errors. Texts of at most 7 bytes are words: a 1 and then the bytes, the
// last one lowest. Words from 2^57 on name longer texts, which are not at hand on a device.

// From the template `arithmetic`: notes an error.
__device__ void fail(u32* error, u32 site, u32 kind, u64 a, u64 b);

// The number of bytes of a text; 8 for one that is not at hand.
__device__ __forceinline__ u32 text_bytes(i64 a) {
    if (a >= 0x200000000000000ll) {
        return 8u;
    }
    return a <= 1ll ? 0u : (63u - leading_zeros(u64(a))) / 8u;
}

// The last bytes of a text, so many of them, as a text.
__device__ __forceinline__ i64 text_last(i64 a, u32 count) {
    u64 one = 1ull << (8u * count);
    return i64((u64(a) & (one - 1ull)) | one);
}

// The first bytes of a text, whose length is given, so many of them, as a text.
__device__ __forceinline__ i64 text_first(i64 a, u32 length, u32 count) {
    return i64(u64(max(a, 1ll)) >> (8u * (length - count)));
}

// Whether a text is not at hand, which is noted.
__device__ __forceinline__ bool text_is_long(u32* error, u32 site, u32 length, i64 a, i64 b) {
    if (length < 8u) {
        return false;
    }
    fail(error, site, 0u, u64(a), u64(b));
    return true;
}

// The number of bytes of a text.
__device__ __forceinline__ i64 int_text_length(u32* error, u32 site, i64 a) {
    u32 length = text_bytes(a);
    bool is_long = text_is_long(error, site, length, a, 0ll);
    return is_long ? 0ll : i64(length);
}

// Two texts as one.
__device__ __forceinline__ i64 int_text_join(u32* error, u32 site, i64 a, i64 b) {
    u32 first = text_bytes(a);
    u32 second = text_bytes(b);
    bool is_long = text_is_long(error, site, first + second, a, b);
    if (is_long) {
        return 1ll;
    }
    u64 one = 1ull << (8u * second);
    return i64((u64(max(a, 1ll)) << (8u * second)) | (u64(max(b, 1ll)) & (one - 1ull)));
}

// So many of the bytes of a text as there are, at most.
__device__ __forceinline__ u32 text_count(u32 length, i64 count) {
    return u32(min(max(count, 0ll), i64(length)));
}

// The first so many bytes.
__device__ __forceinline__ i64 int_text_prefix(u32* error, u32 site, i64 a, i64 b) {
    u32 length = text_bytes(a);
    bool is_long = text_is_long(error, site, length, a, b);
    if (is_long) {
        return 1ll;
    }
    u32 count = text_count(length, b);
    i64 first = text_first(a, length, count);
    return first;
}

// What is behind so many bytes.
__device__ __forceinline__ i64 int_text_behind(u32* error, u32 site, i64 a, i64 b) {
    u32 length = text_bytes(a);
    bool is_long = text_is_long(error, site, length, a, b);
    if (is_long) {
        return 1ll;
    }
    u32 count = text_count(length, b);
    i64 last = text_last(a, length - count);
    return last;
}

// Where the second text is in the first one for the first time, or for the last time; -1 where it is not.
__device__ __noinline__ i64 text_place(u32* error, u32 site, i64 a, i64 b, bool is_last) {
    u32 length = text_bytes(a);
    u32 wanted = text_bytes(b);
    bool is_long = text_is_long(error, site, max(length, wanted), a, b);
    if (is_long || wanted > length) {
        return -1ll;
    }
    i64 found = -1ll;
    i64 text = text_last(b, wanted);
    for (u32 i = 0u; i <= length - wanted; i += 1u) {
        u32 at = is_last ? length - wanted - i : i;
        i64 rest = text_last(a, length - at);
        i64 part = text_first(rest, length - at, wanted);
        if (found < 0ll && part == text) {
            found = i64(at);
        }
    }
    return found;
}

// Where the second text is in the first one for the first time.
__device__ __forceinline__ i64 int_text_find(u32* error, u32 site, i64 a, i64 b) {
    i64 place = text_place(error, site, a, b, false);
    return place;
}

// Where the second text is in the first one for the last time.
__device__ __forceinline__ i64 int_text_find_last(u32* error, u32 site, i64 a, i64 b) {
    i64 place = text_place(error, site, a, b, true);
    return place;
}

// The byte of a text at a place with its highest bit turned: the order of numbers with signs.
__device__ __forceinline__ u64 text_byte(i64 a, u32 length, u32 at) {
    return ((u64(a) >> (8u * (length - 1u - at))) & 255ull) ^ 128ull;
}

// The order of two texts.
__device__ __noinline__ i64 int_text_compare(u32* error, u32 site, i64 a, i64 b) {
    u32 first = text_bytes(a);
    u32 second = text_bytes(b);
    bool is_long = text_is_long(error, site, max(first, second), a, b);
    if (is_long) {
        return 0ll;
    }
    for (u32 i = 0u; i < min(first, second); i += 1u) {
        u64 x = text_byte(a, first, i);
        u64 y = text_byte(b, second, i);
        if (x != y) {
            return x < y ? -1ll : 1ll;
        }
    }
    return first < second ? -1ll : first > second ? 1ll : 0ll;
}

// A text whose letters between two ones have another case.
__device__ __noinline__ i64 text_shifted(u32* error, u32 site, i64 a, u64 lower, u64 upper) {
    u32 length = text_bytes(a);
    bool is_long = text_is_long(error, site, length, a, 0ll);
    if (is_long) {
        return 1ll;
    }
    u64 text = u64(max(a, 1ll));
    for (u32 i = 0u; i < length; i += 1u) {
        u64 byte = (text >> (8u * i)) & 255ull;
        u64 turned = byte >= lower && byte <= upper ? 32ull << (8u * i) : 0ull;
        text = text ^ turned;
    }
    return i64(text);
}

// A text with upper case letters.
__device__ __forceinline__ i64 int_text_upper(u32* error, u32 site, i64 a) {
    i64 text = text_shifted(error, site, a, 97ull, 122ull);
    return text;
}

// A text with lower case letters.
__device__ __forceinline__ i64 int_text_lower(u32* error, u32 site, i64 a) {
    i64 text = text_shifted(error, site, a, 65ull, 90ull);
    return text;
}
