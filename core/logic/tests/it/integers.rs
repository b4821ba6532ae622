//! Random constraints over integers: labelling finds what trying all values finds.

use std::time::Duration;

use gchr_base::control::Limits;
use gchr_logic::Answers;

use crate::support::{Random, run};

const QUERIES: u64 = 600;
/// Queries of one run.
const AT_ONCE: u64 = 20;
/// What has not ended by then does not end.
const LONG: Duration = Duration::from_secs(30);
const NAMES: [&str; 4] = ["A", "B", "C", "D"];
/// The values that are tried.
const VALUES: std::ops::RangeInclusive<i64> = -3..=4;

#[derive(Clone)]
enum Expr {
    Var(usize),
    Int(i64),
    Minus(Box<Expr>),
    Abs(Box<Expr>),
    Two(&'static str, Box<[Expr; 2]>),
}

impl Expr {
    fn random(random: &mut Random, variables: usize, depth: u64) -> Self {
        let part = |random: &mut Random| Box::new(Self::random(random, variables, depth - 1));
        match random.below(if depth == 0 { 3 } else { 10 }) {
            0 | 1 => Expr::Var(random.below(variables as u64) as usize),
            2 => Expr::Int(random.below(7) as i64 - 3),
            3 => Expr::Minus(part(random)),
            4 => Expr::Abs(part(random)),
            _ => {
                let op = random.of(&["+", "+", "+", "-", "-", "*", "min", "max", "//", "mod", "rem"]);
                Expr::Two(op, Box::new([*part(random), *part(random)]))
            }
        }
    }

    /// Nothing where it divides by zero.
    fn value(&self, values: &[i64]) -> Option<i64> {
        Some(match self {
            Expr::Var(v) => values[*v],
            Expr::Int(n) => *n,
            Expr::Minus(e) => -e.value(values)?,
            Expr::Abs(e) => e.value(values)?.abs(),
            Expr::Two(op, parts) => {
                let [a, b] = [parts[0].value(values)?, parts[1].value(values)?];
                match *op {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "min" => a.min(b),
                    "max" => a.max(b),
                    "//" => a.checked_div(b)?,
                    "mod" => (b != 0).then(|| {
                        a - b * a.div_euclid(b) + if b < 0 && a.rem_euclid(b) != 0 { b } else { 0 }
                    })?,
                    _ => a.checked_rem(b)?,
                }
            }
        })
    }
}

impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expr::Var(v) => f.write_str(NAMES[*v]),
            Expr::Int(n) if *n < 0 => write!(f, "({n})"),
            Expr::Int(n) => write!(f, "{n}"),
            Expr::Minus(e) => write!(f, "-({e})"),
            Expr::Abs(e) => write!(f, "abs({e})"),
            Expr::Two(op @ ("min" | "max"), parts) => write!(f, "{op}({}, {})", parts[0], parts[1]),
            // A chain of additions is written as people do.
            Expr::Two("+", parts) if matches!(parts[1], Expr::Var(_) | Expr::Int(0..)) => {
                write!(f, "{}+{}", parts[0], parts[1])
            }
            Expr::Two(op, parts) => write!(f, "({}) {op} ({})", parts[0], parts[1]),
        }
    }
}

enum Constraint {
    Compare(&'static str, Expr, Expr),
    Not(Box<Constraint>),
    Join(&'static str, Box<[Constraint; 2]>),
    In(usize, Vec<(i64, i64)>),
    Different(&'static str, Vec<usize>),
    Same(usize, usize),
    Is(usize, i64),
    Tuples(Vec<usize>, Vec<Vec<i64>>),
    Sum(Vec<usize>, &'static str, usize),
}

const COMPARISONS: [&str; 6] = ["#=", "#\\=", "#<", "#>", "#=<", "#>="];

fn compare(op: &str, a: i64, b: i64) -> bool {
    match op {
        "#=" => a == b,
        "#\\=" => a != b,
        "#<" => a < b,
        "#>" => a > b,
        "#=<" => a <= b,
        _ => a >= b,
    }
}

impl Constraint {
    fn comparison(random: &mut Random, n: usize) -> Self {
        let op = random.of(&COMPARISONS);
        // Variables and sums of two of them are what most programs compare.
        let sides = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (0, 2), (2, 1)];
        let (left, right) = random.of(&sides);
        Constraint::Compare(op, Expr::random(random, n, left), Expr::random(random, n, right))
    }

    fn reified(random: &mut Random, n: usize, depth: u64) -> Self {
        match random.below(if depth == 0 { 3 } else { 6 }) {
            0 => Constraint::In(random.below(n as u64) as usize, Self::domain(random)),
            1 | 2 => {
                let [a, b] = [Expr::random(random, n, 0), Expr::random(random, n, 1)];
                // A division by zero in a reified constraint is none of the cases here.
                let b = if b.divides() { Expr::Int(1) } else { b };
                Constraint::Compare(random.of(&COMPARISONS), a, b)
            }
            3 => Constraint::Not(Box::new(Self::reified(random, n, depth - 1))),
            _ => {
                let op = random.of(&["#<==>", "#==>", "#<==", "#\\/", "#/\\", "#\\"]);
                let parts = [Self::reified(random, n, depth - 1), Self::reified(random, n, depth - 1)];
                Constraint::Join(op, Box::new(parts))
            }
        }
    }

    fn domain(random: &mut Random) -> Vec<(i64, i64)> {
        let one = |random: &mut Random| {
            let low = random.below(8) as i64 - 3;
            (low, low + random.below(4) as i64)
        };
        (0..=random.below(3)).map(|_| one(random)).collect()
    }

    fn some(random: &mut Random, n: usize) -> Vec<usize> {
        (0..n).filter(|_| random.below(4) > 0).collect()
    }

    fn random(random: &mut Random, n: usize) -> Self {
        match random.below(14) {
            0 => Constraint::In(random.below(n as u64) as usize, Self::domain(random)),
            1 => Constraint::Different(random.of(&["all_different", "all_distinct"]), Self::some(random, n)),
            2 => Constraint::Same(random.below(n as u64) as usize, random.below(n as u64) as usize),
            3 if random.below(2) == 0 => {
                Constraint::Is(random.below(n as u64) as usize, random.below(8) as i64 - 3)
            }
            4 => {
                let of = Self::some(random, n);
                let row = |random: &mut Random| of.iter().map(|_| random.below(6) as i64 - 2).collect();
                let rows = (0..2 + random.below(6)).map(|_| row(random)).collect();
                Constraint::Tuples(of, rows)
            }
            5 => {
                let total = random.below(n as u64) as usize;
                Constraint::Sum(Self::some(random, n), random.of(&COMPARISONS), total)
            }
            6..=8 => Self::reified(random, n, 2),
            _ => Self::comparison(random, n),
        }
    }

    fn holds(&self, values: &[i64]) -> bool {
        match self {
            Constraint::Compare(op, a, b) => match (a.value(values), b.value(values)) {
                (Some(a), Some(b)) => compare(op, a, b),
                _ => false,
            },
            Constraint::Not(c) => !c.holds(values),
            Constraint::Join(op, parts) => {
                let [a, b] = [parts[0].holds(values), parts[1].holds(values)];
                match *op {
                    "#<==>" => a == b,
                    "#==>" => !a || b,
                    "#<==" => a || !b,
                    "#\\/" => a || b,
                    "#/\\" => a && b,
                    _ => a != b,
                }
            }
            Constraint::In(v, domain) => domain.iter().any(|&(low, high)| (low..=high).contains(&values[*v])),
            Constraint::Different(_, of) => {
                of.iter().enumerate().all(|(i, &v)| of[..i].iter().all(|&w| values[w] != values[v]))
            }
            Constraint::Same(v, w) => values[*v] == values[*w],
            Constraint::Is(v, n) => values[*v] == *n,
            Constraint::Tuples(of, rows) => {
                rows.iter().any(|row| of.iter().zip(row).all(|(&v, &n)| values[v] == n))
            }
            Constraint::Sum(of, op, total) => {
                compare(op, of.iter().map(|&v| values[v]).sum(), values[*total])
            }
        }
    }
}

impl Expr {
    fn divides(&self) -> bool {
        match self {
            Expr::Var(_) | Expr::Int(_) => false,
            Expr::Minus(e) | Expr::Abs(e) => e.divides(),
            Expr::Two(op, parts) => ["//", "mod", "rem"].contains(op) || parts.iter().any(Expr::divides),
        }
    }
}

fn list(of: &[usize]) -> String {
    format!("[{}]", of.iter().map(|&v| NAMES[v]).collect::<Vec<_>>().join(", "))
}

impl std::fmt::Display for Constraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Constraint::Compare(op, a, b) => write!(f, "{a} {op} {b}"),
            Constraint::Not(c) => write!(f, "#\\ ({c})"),
            Constraint::Join(op, parts) => write!(f, "({}) {op} ({})", parts[0], parts[1]),
            Constraint::In(v, domain) => {
                let parts: Vec<String> =
                    domain.iter().map(|(low, high)| format!("({low})..({high})")).collect();
                write!(f, "{} in {}", NAMES[*v], parts.join(" \\/ "))
            }
            Constraint::Different(name, of) => write!(f, "{name}({})", list(of)),
            Constraint::Same(v, w) => write!(f, "{} = {}", NAMES[*v], NAMES[*w]),
            Constraint::Is(v, n) => write!(f, "{} = {n}", NAMES[*v]),
            Constraint::Tuples(of, rows) => write!(f, "tuples_in([{}], {rows:?})", list(of)),
            Constraint::Sum(of, op, total) => write!(f, "sum({}, {op}, {})", list(of), NAMES[*total]),
        }
    }
}

/// All values of `n` variables under constraints, in ascending order.
fn solutions(constraints: &[Constraint], n: usize) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = |values: Vec<i64>| VALUES.map(move |value| [&values[..], &[value]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all.retain(|values| constraints.iter().all(|constraint| constraint.holds(values)));
    all
}

/// A goal that labels variables under random constraints, and its solutions in ascending order.
fn labelled(random: &mut Random) -> (String, String, String) {
    let n = 2 + random.below(3) as usize;
    let constraints: Vec<Constraint> =
        (0..1 + random.below(4)).map(|_| Constraint::random(random, n)).collect();
    let variables = list(&(0..n).collect::<Vec<_>>());
    let mut goals: Vec<String> = constraints.iter().map(Constraint::to_string).collect();
    let at = random.below(goals.len() as u64 + 1) as usize;
    goals.insert(at, format!("{variables} ins ({})..{}", VALUES.start(), VALUES.end()));
    let option = random.of(&["", "", "ff", "ffc", "min", "max", "down", "enum", "bisect", "ff, bisect"]);
    let goals = format!("{}, labeling([{option}], {variables})", goals.join(", "));
    (variables, goals, format!("{:?}", solutions(&constraints, n)).replace(' ', ""))
}

#[test]
fn labelling_finds_what_trying_all_values_finds() {
    let (mut random, mut wrong) = (Random(7), String::new());
    for _ in 0..QUERIES / AT_ONCE {
        let cases: Vec<_> = (0..AT_ONCE).map(|_| labelled(&mut random)).collect();
        let query = |(i, (variables, goals, _)): (usize, &(String, String, String))| {
            format!("findall({variables}, ({goals}), L{i}), msort(L{i}, M{i}), print(M{i}), nl")
        };
        let query = cases.iter().enumerate().map(query).collect::<Vec<_>>().join(", ");
        let limits = Limits { timeout: Some(LONG), ..Limits::default() };
        let found = run(":- use_module(library(clpfd)).\n", &query, Answers::First(1), limits);
        let mut found = found.lines();
        for (_, goals, expected) in &cases {
            let found = found.next().unwrap_or_default();
            if found != expected {
                wrong += &format!("?- {goals}.\n{found}\ninstead of\n{expected}\n");
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
