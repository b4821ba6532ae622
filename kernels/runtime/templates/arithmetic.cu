// Arithmetic that reports errors: what the operators of rules compute, with the results and errors of the interpreters.
//
// `error` is a buffer of 8 words: whether an error is noted, its site, what is wrong (0 overflow, 1 division by zero, 2
// undefined), and the two operands, low half first. The first error is kept; who reports one goes on with a value of no
// meaning.

// Notes an error of a kind at a site, unless there is one; says whether it did.
// pre: error[0] was 0 before the launch
// shares: error[0]: atomics only; the other words: written by who sets error[0]
__device__ __forceinline__ bool report_trap(u32* error, u32 site, u32 kind) {
    u32 before = atomic_compare_exchange(&error[0u], 0u, 1u);
    if (before == 0u) {
        own("first error", error[1u]);
        own("first error", error[2u]);
        error[1u] = site;
        error[2u] = kind;
    }
    return before == 0u;
}

// Notes an arithmetic error, unless there is one.
__device__ __noinline__ void fail(u32* error, u32 site, u32 kind, u64 a, u64 b) {
    bool first = report_trap(error, site, kind);
    if (first) {
        own("first error", error[3u]);
        own("first error", error[4u]);
        own("first error", error[5u]);
        own("first error", error[6u]);
        error[3u] = u32(a);
        error[4u] = u32(a >> 32u);
        error[5u] = u32(b);
        error[6u] = u32(b >> 32u);
    }
}

// a + b.
__device__ __forceinline__ i64 int_add(u32* error, u32 site, i64 a, i64 b) {
    i64 r = i64(u64(a) + u64(b));
    if (((a ^ r) & (b ^ r)) < 0ll) {
        fail(error, site, 0u, u64(a), u64(b));
    }
    return r;
}

// a - b.
__device__ __forceinline__ i64 int_sub(u32* error, u32 site, i64 a, i64 b) {
    i64 r = i64(u64(a) - u64(b));
    if (((a ^ b) & (a ^ r)) < 0ll) {
        fail(error, site, 0u, u64(a), u64(b));
    }
    return r;
}

// a * b.
__device__ __forceinline__ i64 int_mul(u32* error, u32 site, i64 a, i64 b) {
    i64 low = i64(u64(a) * u64(b));
    if (mul_high(a, b) != low >> 63u) {
        fail(error, site, 0u, u64(a), u64(b));
    }
    return low;
}

// -a.
__device__ __forceinline__ i64 int_neg(u32* error, u32 site, i64 a) {
    if (u64(a) == 0x8000000000000000ull) {
        fail(error, site, 0u, u64(a), 0ull);
    }
    return i64(0ull - u64(a));
}

// Whether a / b can be computed; reports an error if it is not defined. The remainder of the least number by -1 is 0,
// its quotient `overflows`.
__device__ __forceinline__ bool int_divides(u32* error, u32 site, i64 a, i64 b, bool overflows) {
    if (b == 0ll) {
        fail(error, site, 1u, u64(a), u64(b));
        return false;
    }
    if (u64(a) == 0x8000000000000000ull && b == -1ll) {
        if (overflows) {
            fail(error, site, 0u, u64(a), u64(b));
        }
        return false;
    }
    return true;
}

// a / b, rounded down.
__device__ __forceinline__ i64 int_floor_div(u32* error, u32 site, i64 a, i64 b) {
    bool defined = int_divides(error, site, a, b, true);
    i64 q = 0ll;
    if (defined) {
        q = a / b;
        if (a % b != 0ll && (a ^ b) < 0ll) {
            q = q - 1ll;
        }
    }
    return q;
}

// The remainder with the divisor's sign.
__device__ __forceinline__ i64 int_mod(u32* error, u32 site, i64 a, i64 b) {
    bool defined = int_divides(error, site, a, b, false);
    i64 r = 0ll;
    if (defined) {
        r = a % b;
        if (r != 0ll && (r ^ b) < 0ll) {
            r = r + b;
        }
    }
    return r;
}

// a * 2^b.
__device__ __forceinline__ i64 int_shl(u32* error, u32 site, i64 a, i64 b) {
    if (b < 0ll) {
        fail(error, site, 2u, u64(a), u64(b));
        return 0ll;
    }
    if (a == 0ll) {
        return 0ll;
    }
    if (b < 64ll) {
        i64 r = i64(u64(a) << u32(b));
        if (r >> u32(b) == a) {
            return r;
        }
    }
    fail(error, site, 0u, u64(a), u64(b));
    return 0ll;
}

// a / 2^b, rounded down.
__device__ __forceinline__ i64 int_shr(u32* error, u32 site, i64 a, i64 b) {
    if (b < 0ll) {
        fail(error, site, 2u, u64(a), u64(b));
        return 0ll;
    }
    return a >> u32(min(b, 63ll));
}

// A float result, checked to be finite.
__device__ __forceinline__ f64 float_checked(u32* error, u32 site, f64 r, f64 a, f64 b) {
    if ((float_bits(r) & 0x7ff0000000000000ull) == 0x7ff0000000000000ull) {
        fail(error, site, 0u, float_bits(a), float_bits(b));
    }
    return r;
}

// a + b.
__device__ __forceinline__ f64 float_add(u32* error, u32 site, f64 a, f64 b) {
    f64 r = float_checked(error, site, a + b, a, b);
    return r;
}

// a - b.
__device__ __forceinline__ f64 float_sub(u32* error, u32 site, f64 a, f64 b) {
    f64 r = float_checked(error, site, a - b, a, b);
    return r;
}

// a * b.
__device__ __forceinline__ f64 float_mul(u32* error, u32 site, f64 a, f64 b) {
    f64 r = float_checked(error, site, a * b, a, b);
    return r;
}

// a / b.
__device__ __forceinline__ f64 float_div(u32* error, u32 site, f64 a, f64 b) {
    if (b == 0.0) {
        fail(error, site, 1u, float_bits(a), float_bits(b));
        return 0.0;
    }
    f64 r = float_checked(error, site, a / b, a, b);
    return r;
}

// -a: never an error.
__device__ __forceinline__ f64 float_neg(u32* error, u32 site, f64 a) {
    return -a;
}

// a / b, rounded towards zero.
__device__ __forceinline__ i64 int_quot(u32* error, u32 site, i64 a, i64 b) {
    bool defined = int_divides(error, site, a, b, true);
    i64 q = 0ll;
    if (defined) {
        q = a / b;
    }
    return q;
}

// The remainder with the dividend's sign.
__device__ __forceinline__ i64 int_rem(u32* error, u32 site, i64 a, i64 b) {
    bool defined = int_divides(error, site, a, b, false);
    i64 r = 0ll;
    if (defined) {
        r = a % b;
    }
    return r;
}

// The absolute value of a.
__device__ __forceinline__ i64 int_abs(u32* error, u32 site, i64 a) {
    if (u64(a) == 0x8000000000000000ull) {
        fail(error, site, 0u, u64(a), 0ull);
        return 0ll;
    }
    return a < 0ll ? -a : a;
}

// -1, 0 or 1: never an error.
__device__ __forceinline__ i64 int_sign(u32* error, u32 site, i64 a) {
    return a < 0ll ? -1ll : a > 0ll ? 1ll : 0ll;
}

// The greatest common divisor, which may be 2^63.
// shares: nothing
__device__ __forceinline__ u64 divisor(i64 a, i64 b) {
    u64 x = a < 0ll ? 0ull - u64(a) : u64(a);
    u64 y = b < 0ll ? 0ull - u64(b) : u64(b);
    while (y != 0ull) {
        u64 rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

// The greatest common divisor, never negative.
__device__ __noinline__ i64 int_gcd(u32* error, u32 site, i64 a, i64 b) {
    u64 x = divisor(a, b);
    if (x == 0x8000000000000000ull) {
        fail(error, site, 0u, u64(a), u64(b));
        return 0ll;
    }
    return i64(x);
}

// a to the power of b, from 0 on, where it fits: else 0, as no power is but those of 0, which are told apart before.
// shares: nothing
__device__ __noinline__ i64 bounded_power(i64 a, i64 b) {
    i64 power = 1ll;
    i64 square = a;
    u64 left = u64(b);
    while (left != 0ull) {
        if ((left & 1ull) != 0ull) {
            i64 product = i64(u64(power) * u64(square));
            if (mul_high(power, square) != product >> 63u) {
                return 0ll;
            }
            power = product;
        }
        left = left >> 1u;
        if (left != 0ull) {
            i64 next = i64(u64(square) * u64(square));
            if (mul_high(square, square) != next >> 63u) {
                return 0ll;
            }
            square = next;
        }
    }
    return power;
}

// What is wrong with a to the power of b: 0 for nothing, else one more than what is noted of an error.
// shares: nothing
__device__ __forceinline__ u32 power_check(i64 a, i64 b) {
    if (a == 1ll || a == -1ll) {
        return 0u;
    }
    if (b < 0ll) {
        return a == 0ll ? 2u : 5u;
    }
    if (a == 0ll) {
        return 0u;
    }
    i64 power = bounded_power(a, b);
    return power == 0ll ? 1u : 0u;
}

// a to the power of b.
// pre: power_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 power_unchecked(i64 a, i64 b) {
    if (a == 1ll || a == -1ll) {
        return (b & 1ll) == 0ll ? 1ll : a;
    }
    if (a == 0ll) {
        return b == 0ll ? 1ll : 0ll;
    }
    i64 power = bounded_power(a, b);
    return power;
}

// a to the power of b: an integer.
__device__ __forceinline__ i64 int_pow(u32* error, u32 site, i64 a, i64 b) {
    u32 wrong = power_check(a, b);
    if (wrong != 0u) {
        fail(error, site, wrong - 1u, u64(a), u64(b));
        return 0ll;
    }
    i64 power = power_unchecked(a, b);
    return power;
}

// The place of the highest bit of a positive number.
__device__ __forceinline__ i64 int_msb(u32* error, u32 site, i64 a) {
    if (a <= 0ll) {
        fail(error, site, 2u, u64(a), 0ull);
        return 0ll;
    }
    return 63ll - i64(leading_zeros(u64(a)));
}

// The absolute value of a: never an error.
__device__ __forceinline__ f64 float_abs(u32* error, u32 site, f64 a) {
    return float_from_bits(float_bits(a) & 0x7fffffffffffffffull);
}

// -1.0, 1.0, or a itself where it is zero: never an error.
__device__ __forceinline__ f64 float_sign(u32* error, u32 site, f64 a) {
    return a < 0.0 ? -1.0 : a > 0.0 ? 1.0 : a;
}

// a without its fraction, as an integer.
__device__ __forceinline__ i64 float_truncate(u32* error, u32 site, f64 a) {
    if (a >= -9223372036854775808.0 && a < 9223372036854775808.0) {
        return i64(a);
    }
    fail(error, site, 0u, float_bits(a), 0ull);
    return 0ll;
}

// Texts of at most 7 bytes are words: a 1 and then the bytes, the last one lowest. Words from 2^57 on name longer
// texts, which are not at hand on a device.

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
