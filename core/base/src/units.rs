//! Sizes as messages show them.

/// Bytes in the largest binary unit of which they are a whole number; from 10 MiB on with one digit behind the point:
/// `256 MiB`, `12.3 GiB`, `1000 bytes`.
pub fn bytes(n: u64) -> String {
    const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    for (shift, unit) in UNITS {
        let size = 1u64 << shift;
        if n >= size && n.is_multiple_of(size) {
            return format!("{} {unit}", n >> shift);
        }
        if n >= size && n >= 10 << 20 {
            return format!("{:.1} {unit}", n as f64 / size as f64);
        }
    }
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn whole_units_and_one_digit_of_large_ones() {
        let cases = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1000, "1000 bytes"),
            (1024, "1 KiB"),
            (1_048_575, "1048575 bytes"),
            (256 << 20, "256 MiB"),
            (3 << 29, "1.5 GiB"),
            (16 << 30, "16 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ];
        for (n, shown) in cases {
            assert_eq!(bytes(n), shown);
        }
    }
}
