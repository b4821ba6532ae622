//! How time grows with size: the same work at two sizes, and texts of term programs that are large in one respect.

use std::time::Instant;

/// How many times as long as work of size `small` takes that of size `large`: the least of three measurements, since another process
/// may be in the way of either. `prepare` makes what is not measured.
pub fn ratio<T, R>([small, large]: [usize; 2], prepare: impl Fn(usize) -> T, work: impl Fn(&T) -> R) -> f64 {
    let inputs = [small, large].map(prepare);
    let seconds = |input: &T| {
        let start = Instant::now();
        let result = work(input);
        let seconds = start.elapsed().as_secs_f64();
        drop(result);
        seconds.max(1e-4)
    };
    let least = |input: &T| (0..3).map(|_| seconds(input)).fold(f64::INFINITY, f64::min);
    least(&inputs[1]) / least(&inputs[0])
}

/// The text of a program of a size.
pub type Text = fn(usize) -> String;

/// Term programs that are large in one respect each: a name, and the text for a size.
pub const TERM_PROGRAMS: &[(&str, Text)] = &[
    ("functions", functions),
    ("constructors, each with a rule", constructors),
    ("rules on numbers", numbers),
    ("stuck functions, each by the next one", |n| stuck(n, true)),
    ("stuck functions, each by the one before", |n| stuck(n, false)),
    ("conditional rules", conditions),
];

fn join(n: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(between)
}

fn functions(n: usize) -> String {
    let names = join(n, ", ", |i| format!("f{i}"));
    let rules = join(n, " ", |i| format!("f{i}(Z) = Z; f{i}(S(x)) = f{}(x);", (i + 1) % n));
    format!("sort N = struct Z | S(N); map {names}: N -> N; var x: N; eqn {rules} input f0(S(Z));")
}

fn constructors(n: usize) -> String {
    let names = join(n, " | ", |i| format!("C{i}"));
    let rules = join(n, " ", |i| format!("f(C{i}, x) = {i};"));
    format!("sort C = struct {names}; map f: C # C -> Int; var x: C; eqn {rules} input f(C1, C0);")
}

fn numbers(n: usize) -> String {
    let rules = join(n, " ", |i| format!("f({i}) = {};", i / 2));
    format!("map f: Int -> Int; eqn {rules} input f(1);")
}

fn stuck(n: usize, forward: bool) -> String {
    let names = join(n, " | ", |i| format!("f{i}(N)"));
    let rule = |i: usize| {
        let other = if forward { i + 1 } else { i.wrapping_sub(1) };
        let chain = if other < n { format!("f{i}(f{other}(x)) = x; f{i}(Z) = Z;") } else { String::new() };
        format!("{chain} f{i}(S(x)) = x;")
    };
    format!("sort N = struct Z | S(N) | {names}; var x: N; eqn {} input f0(Z);", join(n, " ", rule))
}

fn conditions(n: usize) -> String {
    let rules = join(n, " ", |i| format!("g(x, {i}) == x -> f(x, y) = g(y, {i});"));
    format!(
        "sort N = struct Z | S(N); map f: N # N -> N; g: N # Int -> N; var x, y: N; i: Int; eqn g(x, i) = x; {rules} input f(Z, Z);"
    )
}
