// The order of numbers, integers among floats.

constexpr u64 NEGATIVE_ZERO = 0x8000000000000000ull;

// From the template `checked`: how an integer compares with a finite float, exactly.
__device__ i64 compare_int_float(i64 n, f64 x);

// Bits of a float as an integer that compares as floats do, -0.0 before 0.0.
// shares: nothing
__device__ __forceinline__ i64 total(u64 bits) {
    return i64(bits ^ u64(i64(bits) >> 63u) >> 1u);
}

// How two numbers compare by value, given whether each is a float, and its bits: -1, 0 or 1.
// shares: nothing
__device__ __noinline__ i64 compare_values(bool a_float, u64 a, bool b_float, u64 b) {
    if (a_float && b_float) {
        f64 x = float_from_bits(a);
        f64 y = float_from_bits(b);
        return x < y ? -1ll : x > y ? 1ll : 0ll;
    }
    if (a_float) {
        i64 mirrored = compare_int_float(i64(b), float_from_bits(a));
        return -mirrored;
    }
    if (b_float) {
        i64 order = compare_int_float(i64(a), float_from_bits(b));
        return order;
    }
    return i64(a) < i64(b) ? -1ll : i64(a) > i64(b) ? 1ll : 0ll;
}

// How two numbers compare in the standard order: by value, then the float comes first.
// shares: nothing
__device__ __forceinline__ i64 order_numbers(bool a_float, u64 a, bool b_float, u64 b) {
    if (a_float && b_float) {
        i64 x = total(a);
        i64 y = total(b);
        return x < y ? -1ll : x > y ? 1ll : 0ll;
    }
    i64 order = compare_values(a_float, a, b_float, b);
    return order != 0ll ? order : a_float == b_float ? 0ll : a_float ? -1ll : 1ll;
}

// Which of two numbers is the least, or the greatest: whether it is the first. Of an integer and a float of the same
// value it is the float, but -0.0 is less than 0.
// shares: nothing
__device__ __forceinline__ bool takes_first(bool greatest, bool a_float, u64 a, bool b_float, u64 b) {
    i64 order = 0ll;
    if (a_float && b_float) {
        order = order_numbers(a_float, a, b_float, b);
    } else {
        order = compare_values(a_float, a, b_float, b);
        if (order == 0ll && (a_float ? a : b_float ? b : 0ull) == NEGATIVE_ZERO) {
            order = a_float ? -1ll : 1ll;
        }
    }
    return order == 0ll ? !b_float : order < 0ll != greatest;
}
