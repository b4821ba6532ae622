//! How time grows with size: the same work at two sizes, and texts of term programs that are large in one respect.

mod terms;

use std::time::Instant;

pub use terms::{TERM_ERRORS, TERM_PROGRAMS};

/// The text of a program of a size.
pub type Text = fn(usize) -> String;

/// Times shorter than this say little.
const LEAST_SECONDS: f64 = 0.005;
/// Four times as much work takes four times as long, and sixteen times when it grows by the square.
const MOST: f64 = 9.0;

/// How many times as long as work of size `small` takes that of size `large`: the least of two measurements, since
/// another process may be in the way of either. `prepare` makes what is not measured.
pub fn ratio<T, R>([small, large]: [usize; 2], prepare: impl Fn(usize) -> T, work: impl Fn(&T) -> R) -> f64 {
    let inputs = [small, large].map(prepare);
    let seconds = |input: &T| {
        let start = Instant::now();
        let result = work(input);
        let seconds = start.elapsed().as_secs_f64();
        drop(result);
        seconds.max(LEAST_SECONDS)
    };
    let least = |input: &T| (0..2).map(|_| seconds(input)).fold(f64::INFINITY, f64::min);
    least(&inputs[1]) / least(&inputs[0])
}

/// Of kinds of texts, each with a name and a size that takes some milliseconds, those for which the work grows faster
/// than the text, with the ratio of times. `SCALE` in the environment multiplies the sizes.
pub fn faster_than_the_text<R>(texts: &[(&str, usize, Text)], work: impl Fn(&str) -> R) -> Vec<String> {
    let scale: usize = std::env::var("SCALE").map_or(1, |scale| scale.parse().expect("a number"));
    let mut found = Vec::new();
    for &(name, n, text) in texts {
        let sizes = [4 * scale * n, 16 * scale * n];
        let measure = || ratio(sizes, text, |text| work(text));
        // Once more where another process may have been in the way.
        let ratio = Some(measure()).filter(|&ratio| ratio <= MOST).unwrap_or_else(measure);
        println!("{name}: {sizes:?}, {ratio:.1} times");
        if ratio > MOST {
            found.push(format!("{name}: {sizes:?}, {ratio:.1} times as long"));
        }
    }
    found
}
