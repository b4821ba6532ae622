// Powers of floats, operation by operation those of the CPU (`libm::pow`, which is FreeBSD's e_pow.c), so that all bits
// are the same.
//
// Copyright (C) 2004 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy, modify, and distribute
// this software is freely granted, provided that this notice is preserved.
//
// The logarithm to base 2 of x is computed as a sum of two floats, of which the first has its low 32 bits clear, so
// that its product with the high half of y is exact; the power of 2 of what comes out is an integer power of 2 times
// that of a rest of at most a half.

// A number as a sum of two floats.
struct PowerSum {
    f64 high;
    f64 low;
};

// Halves of a float: sign, exponent and 20 bits; and the rest.
constexpr u64 HIGH = 0xffffffff00000000ull;
constexpr u64 LOW = 0xffffffffull;
constexpr u64 INFINITE = 0x7ff0000000000000ull;
constexpr u64 NOT_A_NUMBER = 0x7ff8000000000000ull;

// From the template `arithmetic`: notes an arithmetic error, unless there is one.
__device__ void fail(u32* error, u32 site, u32 kind, u64 a, u64 b);

// From the template `checked`: whether a float is not finite.
__device__ u32 not_finite(f64 r);

// 2 for an even integer other than 0, 1 for an odd one, else 0.
// shares: nothing
__device__ __forceinline__ u32 parity(f64 y) {
    i32 iy = i32(u32(float_bits(y) >> 32u)) & 0x7fffffff;
    if (iy >= 0x43400000) {
        return 2u;
    }
    if (iy < 0x3ff00000) {
        return 0u;
    }
    u32 fraction = 1075u - (u32(iy) >> 20u);
    u64 digits = float_bits(y) & 0xfffffffffffffull | 0x10000000000000ull;
    u64 whole = digits >> fraction;
    return whole << fraction == digits ? 2u - u32(whole & 1ull) : 0u;
}

// The logarithm to base 2 of a number that differs from 1 by at most 2^-20: x - x^2/2 + x^3/3 - x^4/4.
// shares: nothing
__device__ __forceinline__ PowerSum log2_near_one(f64 x) {
    f64 t = x - 1.0;
    f64 w = t * t * (0.5 - t * (0.3333333333333333 - t * 0.25));
    f64 u = 1.4426950216293335 * t;
    f64 v = t * 1.9259629911266175e-8 - w * 1.4426950408889634;
    f64 high = float_from_bits(float_bits(u + v) & HIGH);
    return PowerSum{high, v - (high - u)};
}

// The logarithm to base 2 of a positive number.
// shares: nothing
__device__ __forceinline__ PowerSum log2_of(f64 x) {
    f64 ax = x;
    i32 n = -1023;
    if (i32(u32(float_bits(x) >> 32u)) < 0x00100000) {
        ax = x * 9007199254740992.0;
        n = -1076;
    }
    i32 ix = i32(u32(float_bits(ax) >> 32u));
    n = n + (ix >> 20u);
    i32 digits = ix & 0x000fffff;
    // The mantissa is divided by 1 or by 1.5, whichever is nearer.
    bool is_upper = digits > 0x3988e && digits < 0xbb67a;
    f64 base = is_upper ? 1.5 : 1.0;
    f64 log_high = is_upper ? 0.5849624872207642 : 0.0;
    f64 log_low = is_upper ? 1.350039202129749e-8 : 0.0;
    ix = digits | 0x3ff00000;
    if (digits >= 0xbb67a) {
        n = n + 1;
        ix = ix - 0x00100000;
    }
    ax = float_from_bits(u64(u32(ix)) << 32u | float_bits(ax) & LOW);
    // (ax - base) / (ax + base), as s_h + s_l.
    f64 u = ax - base;
    f64 v = 1.0 / (ax + base);
    f64 ss = u * v;
    f64 s_h = float_from_bits(float_bits(ss) & HIGH);
    i32 sum = (ix >> 1u | 0x20000000) + 0x00080000 + (is_upper ? 0x00040000 : 0);
    f64 t_h = float_from_bits(u64(u32(sum)) << 32u);
    f64 t_l = ax - (t_h - base);
    f64 s_l = v * (u - s_h * t_h - s_h * t_l);
    f64 s2 = ss * ss;
    f64 near = 0.272728123808534 + s2 * (0.23066074577556175 + s2 * 0.20697501780033842);
    f64 series = 0.5999999999999946 + s2 * (0.4285714285785502 + s2 * (0.33333332981837743 + s2 * near));
    f64 r = s2 * s2 * series;
    r = r + s_l * (s_h + ss);
    f64 square = s_h * s_h;
    f64 cubic_h = float_from_bits(float_bits(3.0 + square + r) & HIGH);
    f64 cubic_l = r - (cubic_h - 3.0 - square);
    f64 product = s_h * cubic_h;
    f64 rest = s_l * cubic_h + cubic_l * ss;
    f64 p_h = float_from_bits(float_bits(product + rest) & HIGH);
    f64 p_l = rest - (p_h - product);
    f64 z_h = 0.9617967009544373 * p_h;
    f64 z_l = -7.028461650952758e-9 * p_h + p_l * 0.9617966939259756 + log_low;
    f64 whole = f64(n);
    f64 high = float_from_bits(float_bits(z_h + z_l + log_high + whole) & HIGH);
    return PowerSum{high, z_l - (high - whole - log_high - z_h)};
}

// 2 to the power of a sum of at most 1024, its two parts, high and low, adding up to z.
// shares: nothing
__device__ __forceinline__ f64 exp2_of(f64 high, f64 low, f64 z) {
    f64 p_h = high;
    i32 j = i32(u32(float_bits(z) >> 32u));
    i32 i = j & 0x7fffffff;
    i32 n = 0;
    if (i > 0x3fe00000) {
        // Above a half: the integer nearest to z is taken out.
        u32 k = (u32(i) >> 20u) - 0x3feu;
        n = j + (0x00100000 >> k);
        u32 digits = ((u32(n) & 0x7fffffffu) >> 20u) - 0x3ffu;
        f64 whole = float_from_bits(u64(u32(n & ~(0x000fffff >> digits))) << 32u);
        n = (n & 0x000fffff | 0x00100000) >> 20u - digits;
        if (j < 0) {
            n = -n;
        }
        p_h = p_h - whole;
    }
    f64 t = float_from_bits(float_bits(low + p_h) & HIGH);
    f64 u = t * 0.6931471824645996;
    f64 v = (low - (t - p_h)) * 0.6931471805599453 + t * -1.904654299957768e-9;
    f64 x = u + v;
    f64 w = v - (x - u);
    f64 x2 = x * x;
    f64 near = 6.613756321437934e-5 + x2 * (-1.6533902205465252e-6 + x2 * 4.1381367970572385e-8);
    f64 series = x - x2 * (0.16666666666666602 + x2 * (-0.0027777777777015593 + x2 * near));
    f64 r = x * series / (series - 2.0) - (w + x * w);
    f64 mantissa = 1.0 - (r - x);
    i32 exponent = i32(u32(float_bits(mantissa) >> 32u)) + i32(u32(n) << 20u);
    if (exponent >= 0x00100000) {
        return float_from_bits(u64(u32(exponent)) << 32u | float_bits(mantissa) & LOW);
    }
    // A result below the least normal number is rounded once: the first product is exact.
    f64 scaled = mantissa * float_from_bits(u64(1023 - 969) << 52u);
    return scaled * float_from_bits(u64(1023 + 969 + n) << 52u);
}

// The power of a positive number other than 1, neither being infinite.
// shares: nothing
__device__ __forceinline__ f64 power_of_positive(f64 x, f64 y) {
    i32 ix = i32(u32(float_bits(x) >> 32u));
    i32 iy = i32(u32(float_bits(y) >> 32u)) & 0x7fffffff;
    f64 infinite = float_from_bits(INFINITE);
    PowerSum log = PowerSum{0.0, 0.0};
    if (iy > 0x41e00000) {
        // An exponent above 2^31: only the powers of numbers near 1 are finite and not 0.
        if (iy > 0x43f00000 || ix < 0x3fefffff || ix > 0x3ff00000) {
            return ix < 0x3ff00000 == y < 0.0 ? infinite : 0.0;
        }
        PowerSum near = log2_near_one(x);
        log = near;
    } else {
        PowerSum far = log2_of(x);
        log = far;
    }
    f64 y1 = float_from_bits(float_bits(y) & HIGH);
    f64 low = (y - y1) * log.high + y * log.low;
    f64 high = y1 * log.high;
    f64 z = low + high;
    i32 j = i32(u32(float_bits(z) >> 32u));
    if (j >= 0x40900000) {
        if (float_bits(z) != 0x4090000000000000ull || low + 8.008566259537294e-17 > z - high) {
            return infinite;
        }
    } else if ((j & 0x7fffffff) >= 0x4090cc00) {
        if (float_bits(z) != 0xc090cc0000000000ull || low <= z - high) {
            return 0.0;
        }
    }
    f64 power = exp2_of(high, low, z);
    return power;
}

// x to the power of y, as IEEE 754 has it.
// shares: nothing
__device__ __noinline__ f64 pow_unchecked(f64 x, f64 y) {
    u64 bits = float_bits(x) & 0x7fffffffffffffffull;
    u64 exponent = float_bits(y) & 0x7fffffffffffffffull;
    if (exponent == 0ull || x == 1.0) {
        return 1.0;
    }
    if (bits > INFINITE || exponent > INFINITE) {
        return float_from_bits(NOT_A_NUMBER);
    }
    bool is_negative = float_bits(x) >> 63u != 0ull;
    u32 kind = parity(y);
    f64 sign = is_negative && kind == 1u ? -1.0 : 1.0;
    f64 ax = float_from_bits(bits);
    if (bits == 0ull || bits == INFINITE) {
        return sign * float_from_bits((bits == 0ull) == y < 0.0 ? INFINITE : 0ull);
    }
    if (exponent == INFINITE) {
        return bits == float_bits(1.0) ? 1.0 : float_from_bits(ax < 1.0 == y < 0.0 ? INFINITE : 0ull);
    }
    if (is_negative && kind == 0u) {
        return float_from_bits(NOT_A_NUMBER);
    }
    if (ax == 1.0) {
        return sign;
    }
    if (y == 1.0) {
        return x;
    }
    if (y == -1.0) {
        return 1.0 / x;
    }
    if (y == 2.0) {
        return x * x;
    }
    if (y == 0.5) {
        return square_root(x);
    }
    f64 power = power_of_positive(ax, y);
    return sign * power;
}

// What is wrong with a float to the power of a float, as the template `checked` says it.
// shares: nothing
__device__ __noinline__ u32 pow_check(f64 a, f64 b) {
    if (b != 0.0) {
        u32 kind = parity(b);
        if (a < 0.0 && kind == 0u) {
            return 3u;
        }
        if (a == 0.0 && b < 0.0) {
            return 2u;
        }
    }
    f64 power = pow_unchecked(a, b);
    u32 wrong = not_finite(power);
    return wrong;
}

// a to the power of b.
__device__ __forceinline__ f64 pow(u32* error, u32 site, f64 a, f64 b) {
    u32 wrong = pow_check(a, b);
    if (wrong != 0u) {
        fail(error, site, wrong - 1u, float_bits(a), float_bits(b));
        return 0.0;
    }
    f64 power = pow_unchecked(a, b);
    return power;
}
