//! How time grows with size: the same work at two sizes, and texts of programs that are large in one respect.

mod constraints;
mod formats;
mod logic;
mod terms;

use std::fmt::Write;
use std::mem::MaybeUninit;
use std::time::Duration;

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
/// How often work is measured that seems to grow faster.
const ATTEMPTS: usize = 4;

/// How many times as long as work of size `small` takes that of size `large`: the least of two measurements, since
/// other threads share caches and memory with either. `prepare` makes what is not measured.
pub fn ratio<T, R>([small, large]: [usize; 2], prepare: impl Fn(usize) -> T, work: impl Fn(&T) -> R) -> f64 {
    let inputs = [small, large].map(prepare);
    let seconds = |input: &T| {
        let start = cpu_time();
        let result = work(input);
        let seconds = (cpu_time() - start).as_secs_f64();
        drop(result);
        seconds.max(LEAST_SECONDS)
    };
    let least = |input: &T| (0..2).map(|_| seconds(input)).fold(f64::INFINITY, f64::min);
    least(&inputs[1]) / least(&inputs[0])
}

/// The time that a processor has worked for this thread: what others do on the machine is not in it.
fn cpu_time() -> Duration {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the place is of the type that is written, and all zeros are a valid time.
    let (failed, time) = unsafe {
        let failed = libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr());
        (failed, time.assume_init())
    };
    assert_eq!(failed, 0, "clock_gettime: {}", std::io::Error::last_os_error());
    Duration::from_secs(time.tv_sec.cast_unsigned()) + Duration::from_nanos(time.tv_nsec.cast_unsigned())
}

/// Of kinds of texts those for which the work, which is done by the thread of the caller, grows faster than the text,
/// with the ratio of times. `SCALE` in the environment multiplies the sizes.
pub fn faster_than_the_text<R>(texts: &[Kind], work: impl Fn(&str) -> R) -> Vec<String> {
    let scale: usize = std::env::var("SCALE").map_or(1, |scale| scale.parse().expect("a number"));
    let measured = |&kind: &Kind| {
        let (name, n, text) = kind;
        let sizes = [4 * scale * n, 16 * scale * n];
        let ratio = ratio(sizes, text, |text| work(text));
        println!("{name}: {sizes:?}, {ratio:.1} times");
        (ratio > MOST).then(|| (kind, format!("{name}: {sizes:?}, {ratio:.1} times as long")))
    };
    let mut slow: Vec<(Kind, String)> = texts.iter().filter_map(measured).collect();
    // Once more behind all others: what was in the way may be over then.
    for _ in 1..ATTEMPTS {
        slow = slow.iter().filter_map(|(kind, _)| measured(kind)).collect();
    }
    slow.into_iter().map(|(_, said)| said).collect()
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
