// Whether an operation has a value: 0 if so, else 1 for an overflow, 2 for a division by zero, 3 where it is not
// defined.
//
// Guards ask before they compute: a condition without a value counts only where all other conditions of the guard hold,
// so that nothing is noted while instances are searched.

// From the template `arithmetic`: the greatest common divisor, which may be 2^63.
__device__ u64 divisor(i64 a, i64 b);

// From the template `arithmetic`: what is wrong with a power of integers.
__device__ u32 power_check(i64 a, i64 b);

// From the template `arithmetic`: the power of integers.
__device__ i64 power_unchecked(i64 a, i64 b);

// shares: nothing
__device__ __forceinline__ u32 int_add_check(i64 a, i64 b) {
    i64 r = i64(u64(a) + u64(b));
    return ((a ^ r) & (b ^ r)) < 0ll ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_sub_check(i64 a, i64 b) {
    i64 r = i64(u64(a) - u64(b));
    return ((a ^ b) & (a ^ r)) < 0ll ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_mul_check(i64 a, i64 b) {
    i64 low = i64(u64(a) * u64(b));
    return mul_high(a, b) != low >> 63u ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_neg_check(i64 a) {
    return u64(a) == 0x8000000000000000ull ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_abs_check(i64 a) {
    return u64(a) == 0x8000000000000000ull ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_quot_check(i64 a, i64 b) {
    if (b == 0ll) {
        return 2u;
    }
    return u64(a) == 0x8000000000000000ull && b == -1ll ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_floor_div_check(i64 a, i64 b) {
    if (b == 0ll) {
        return 2u;
    }
    return u64(a) == 0x8000000000000000ull && b == -1ll ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_rem_check(i64 a, i64 b) {
    return b == 0ll ? 2u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_mod_check(i64 a, i64 b) {
    return b == 0ll ? 2u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_gcd_check(i64 a, i64 b) {
    u64 least = 0x8000000000000000ull;
    bool from_least = u64(a) == least && (b == 0ll || u64(b) == least) || a == 0ll && u64(b) == least;
    return from_least ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 int_pow_check(i64 a, i64 b) {
    u32 wrong = power_check(a, b);
    return wrong;
}

// shares: nothing
__device__ __forceinline__ u32 int_msb_check(i64 a) {
    return a > 0ll ? 0u : 3u;
}

// shares: nothing
__device__ __forceinline__ u32 int_shl_check(i64 a, i64 b) {
    if (b < 0ll) {
        return 3u;
    }
    if (a == 0ll) {
        return 0u;
    }
    if (b < 64ll) {
        i64 r = i64(u64(a) << u32(b));
        return r >> u32(b) == a ? 0u : 1u;
    }
    return 1u;
}

// shares: nothing
__device__ __forceinline__ u32 int_shr_check(i64 a, i64 b) {
    return b < 0ll ? 3u : 0u;
}

// Whether a float is not finite.
// shares: nothing
__device__ __forceinline__ u32 not_finite(f64 r) {
    return (float_bits(r) & 0x7ff0000000000000ull) == 0x7ff0000000000000ull ? 1u : 0u;
}

// shares: nothing
__device__ __forceinline__ u32 float_add_check(f64 a, f64 b) {
    u32 wrong = not_finite(a + b);
    return wrong;
}

// shares: nothing
__device__ __forceinline__ u32 float_sub_check(f64 a, f64 b) {
    u32 wrong = not_finite(a - b);
    return wrong;
}

// shares: nothing
__device__ __forceinline__ u32 float_mul_check(f64 a, f64 b) {
    u32 wrong = not_finite(a * b);
    return wrong;
}

// shares: nothing
__device__ __forceinline__ u32 float_div_check(f64 a, f64 b) {
    if (b == 0.0) {
        return 2u;
    }
    u32 wrong = not_finite(a / b);
    return wrong;
}

// shares: nothing
__device__ __forceinline__ u32 float_truncate_check(f64 a) {
    return a >= -9223372036854775808.0 && a < 9223372036854775808.0 ? 0u : 1u;
}

// How an integer compares with a finite float, exactly: -1, 0 or 1.
// shares: nothing
__device__ __forceinline__ i64 compare_int_float(i64 n, f64 x) {
    if (x >= 9223372036854775808.0) {
        return -1ll;
    }
    if (x < -9223372036854775808.0) {
        return 1ll;
    }
    i64 whole = i64(x);
    if (n != whole) {
        return n < whole ? -1ll : 1ll;
    }
    f64 rest = x - f64(whole);
    return rest > 0.0 ? -1ll : rest < 0.0 ? 1ll : 0ll;
}

// The remainder with the dividend's sign.
// pre: int_rem_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_rem_unchecked(i64 a, i64 b) {
    return b == -1ll ? 0ll : a % b;
}

// The quotient rounded down.
// pre: int_floor_div_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_floor_div_unchecked(i64 a, i64 b) {
    i64 q = a / b;
    return a % b != 0ll && (a ^ b) < 0ll ? q - 1ll : q;
}

// The remainder with the divisor's sign.
// pre: int_mod_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_mod_unchecked(i64 a, i64 b) {
    i64 r = b == -1ll ? 0ll : a % b;
    return r != 0ll && (r ^ b) < 0ll ? r + b : r;
}

// The absolute value.
// pre: int_abs_check(a) is 0
// shares: nothing
__device__ __forceinline__ i64 int_abs_unchecked(i64 a) {
    return a < 0ll ? -a : a;
}

// The greatest common divisor.
// pre: int_gcd_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_gcd_unchecked(i64 a, i64 b) {
    u64 x = divisor(a, b);
    return i64(x);
}

// a to the power of b.
// pre: int_pow_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_pow_unchecked(i64 a, i64 b) {
    i64 power = power_unchecked(a, b);
    return power;
}

// The place of the highest bit.
// pre: int_msb_check(a) is 0
// shares: nothing
__device__ __forceinline__ i64 int_msb_unchecked(i64 a) {
    return 63ll - i64(leading_zeros(u64(a)));
}

// a * 2^b.
// pre: int_shl_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_shl_unchecked(i64 a, i64 b) {
    return a == 0ll ? 0ll : i64(u64(a) << u32(b));
}

// a / 2^b, rounded down.
// pre: int_shr_check(a, b) is 0
// shares: nothing
__device__ __forceinline__ i64 int_shr_unchecked(i64 a, i64 b) {
    return a >> u32(min(b, 63ll));
}

// The integer part.
// pre: float_truncate_check(a) is 0
// shares: nothing
__device__ __forceinline__ i64 float_truncate_unchecked(f64 a) {
    return i64(a);
}
