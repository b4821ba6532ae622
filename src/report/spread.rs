//! Times of repeated runs, and how quantities grow with a size.

use serde::{Deserialize, Serialize};

/// Timed runs end early when one takes longer than this.
pub(crate) const PATIENCE_MS: f64 = 2000.0;

/// Times of repeated runs, in milliseconds.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// The shortest.
    pub min: f64,
    /// The one in the middle.
    pub median: f64,
    /// The longest.
    pub max: f64,
    /// How many there are.
    pub runs: usize,
}

/// The spread of some times.
pub fn spread(times: &[f64]) -> Spread {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Spread::default() };
    let half = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
    Spread { min, median, max, runs: sorted.len() }
}

/// The slope of the line of least squares through the logarithms of the points; nothing unless two different sizes are
/// positive.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<_> =
        points.iter().filter(|p| p.0 > 0.0 && p.1 > 0.0).map(|p| (p.0.ln(), p.1.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (logs.len() > 1 && spread > 0.0).then(|| logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(spread(&[3.0, 1.0, 2.0]), Spread { min: 1.0, median: 2.0, max: 3.0, runs: 3 });
        assert_eq!(spread(&[4.0, 1.0]).median, 2.5);
        assert_eq!(spread(&[]), Spread::default());
    }
}
