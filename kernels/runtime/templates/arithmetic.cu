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
