//! How time grows with size: the same work at two sizes, and texts of programs that are large in one respect.

mod constraints;
mod formats;
mod logic;
mod terms;

use std::fmt::Write;
use std::time::Instant;

pub use constraints::{CONSTRAINT_ERRORS, CONSTRAINT_PROGRAMS};
pub use formats::{ARI_SYSTEMS, MAUDE_MODULES, MCRL2_SPECIFICATIONS, REC_SPECIFICATIONS, TPDB_SYSTEMS};
pub use logic::LOGIC_PROGRAMS;
pub use terms::{TERM_ERRORS, TERM_PROGRAMS};

/// All kinds of texts, by the ending of their files and the language that the command line has for them.
pub const ALL: &[(&str, &str, &[Kind])] = &[
    ("trs", "trs", TERM_PROGRAMS),
    ("trs", "trs", TERM_ERRORS),
    ("chr", "chr", CONSTRAINT_PROGRAMS),
    ("chr", "chr", CONSTRAINT_ERRORS),
    ("pl", "chr", LOGIC_PROGRAMS),
    ("maude", "maude", MAUDE_MODULES),
    ("mcrl2", "mcrl2", MCRL2_SPECIFICATIONS),
    ("ari", "ari", ARI_SYSTEMS),
    ("trs", "tpdb", TPDB_SYSTEMS),
    ("rec", "rec", REC_SPECIFICATIONS),
];

/// The text of a program of a size.
pub type Text = fn(usize) -> String;

/// A kind of texts: its name, a size that takes some milliseconds, and the text of a size.
pub type Kind = (&'static str, usize, Text);

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

/// Of kinds of texts those for which the work grows faster than the text, with the ratio of times. `SCALE` in the
/// environment multiplies the sizes.
pub fn faster_than_the_text<R>(texts: &[Kind], work: impl Fn(&str) -> R) -> Vec<String> {
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

/// Parts of a text with something between them.
fn join(n: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(between)
}

/// A header, and a line for each number below `n`.
fn lines(header: &str, n: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    (0..n).for_each(|i| writeln!(text, "{}", line(i)).expect("a string takes any text"));
    text
}
