//! Axes: what they count, from where to where, and which of their values are written beside them.

use crate::report::format::{short, trimmed};

/// What the numbers of an axis are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Anything that is counted.
    Count,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Parts of hundred.
    Percent,
}

impl Unit {
    /// A value for a reader: `1.5k`, `20 ms`, `3 MB`, `12 %`.
    pub fn show(self, value: f64) -> String {
        let spaced = |unit: &str| {
            let text = short(value);
            let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '∞').len();
            let (number, prefix) = text.split_at(digits);
            format!("{number} {prefix}{unit}")
        };
        match self {
            // Halves of a count are written out: no one counts in thousandths.
            Unit::Count if value.abs() < 1.0 => trimmed(format!("{value:.3}")),
            Unit::Count => short(value),
            Unit::Seconds if value == 0.0 => "0".into(),
            Unit::Seconds => spaced("s"),
            Unit::Bytes if value == 0.0 => "0".into(),
            Unit::Bytes => spaced("B"),
            Unit::Percent => format!("{} %", trimmed(format!("{value:.1}"))),
        }
    }
}

/// What is counted along a side of a chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Its name, written beside it.
    pub name: String,
    /// What its numbers are.
    pub unit: Unit,
}

impl Axis {
    /// An axis with a name.
    pub fn new(name: impl Into<String>, unit: Unit) -> Self {
        Self { name: name.into(), unit }
    }
}

/// Where values are between two ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    /// From zero to somewhat above the highest value.
    pub fn from_zero(values: impl Iterator<Item = f64>, above: f64) -> Self {
        let high = values.filter(|v| v.is_finite()).fold(0.0, f64::max) * above;
        Self { low: 0.0, high: if high > 0.0 { high } else { 1.0 }, log: false }
    }

    /// Around all positive values.
    pub fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let positive = values.filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) = positive.fold((f64::MAX, f64::MIN_POSITIVE), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        let around = if high < 1.5 * low { 2.0 } else { 1.15 };
        Self { low: low / around, high: high * around, log: true }
    }

    /// Where a value is, from 0 at the low end to 1 at the high one.
    pub fn place(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// Values to write beside the axis: about as many as asked for.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        if !self.log {
            return self.even(wanted);
        }
        // Powers of ten, every few of them if there are many; between them the more values, the fewer powers there are.
        let decades = (self.high / self.low).log10();
        let every = (decades / wanted.max(1) as f64).ceil().max(1.0) as i32;
        let between: [&[f64]; 3] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0]];
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        for factors in between {
            let powers = (first..=last).filter(|power| power % every == 0);
            let all = powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
            let inside: Vec<f64> = all.filter(|v| (self.low..=self.high).contains(v)).collect();
            if inside.len() >= 3 {
                return inside;
            }
        }
        self.even(wanted)
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn even(&self, wanted: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / wanted.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0].map(|f| f * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step * (1.0 + 1e-9)).floor() as i64;
        (first..=last).take(4 * wanted.max(1)).map(|i| i as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_units() {
        let cases = [
            (Unit::Count, 0.5, "0.5"),
            (Unit::Count, 1500.0, "1.5k"),
            (Unit::Seconds, 0.0, "0"),
            (Unit::Seconds, 0.002, "2 ms"),
            (Unit::Seconds, 2.0, "2 s"),
            (Unit::Bytes, 40_000.0, "40 kB"),
            (Unit::Bytes, 3.96e12, "3.96 TB"),
            (Unit::Percent, 12.5, "12.5 %"),
        ];
        for (unit, value, text) in cases {
            assert_eq!(unit.show(value), text);
        }
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let linear = Scale::from_zero([3.0, 10.0].into_iter(), 1.05);
        assert_eq!(linear.ticks(5), [0.0, 5.0, 10.0]);
        assert_eq!(Scale::from_zero([19.0].into_iter(), 1.0).ticks(5), [0.0, 5.0, 10.0, 15.0]);
        let wide = Scale::logarithmic([0.01, 1e6].into_iter());
        assert_eq!(wide.ticks(4), [1.0, 1e3, 1e6]);
        for (low, high) in [(1.0, 1.0), (1.9, 2.1), (40.0, 90.0), (3.0, 5000.0), (1e-9, 1e12)] {
            let scale = Scale::logarithmic([low, high].into_iter());
            let ticks = scale.ticks(6);
            assert!((2..=24).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(
                ticks.iter().all(|&t| (0.0..=1.0).contains(&scale.place(t))),
                "{low} to {high}: {ticks:?}"
            );
        }
    }
}
