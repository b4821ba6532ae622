//! Random ground constraint programs as text: rules of one to three heads over small integers, or over terms, which
//! keep and remove, test and add.

use std::fmt::Write;

use crate::random::Random;

/// Symbols and their columns.
const SYMBOLS: [(&str, usize); 3] = [("a", 1), ("b", 2), ("c", 0)];
const VARS: [&str; 4] = ["X", "Y", "Z", "W"];

/// Writes the parts of a program.
struct Generator {
    random: Random,
    /// Whether bodies write.
    writes: bool,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }
    /// Types of columns that hold small integers: all alike, or each another one.
    fn columns(&mut self) -> [&'static str; 3] {
        let types = ["+int", "+dense_int", "?any"];
        if self.chance(70) {
            [self.random.pick(&types); 3]
        } else {
            [(); 3].map(|()| self.random.pick(&types))
        }
    }
    /// Output before a goal, if there is to be any.
    fn output(&mut self, bound: &[&'static str]) -> Vec<String> {
        if !self.writes || self.chance(40) {
            return Vec::new();
        }
        let value = self.value(bound);
        vec![match self.below(6) {
            0 => "nl".into(),
            1 => "write(' and ')".into(),
            2 => format!("print({value})"),
            3 => format!("format(\"<~w>~n\", [{value}])"),
            _ => format!("write({value})"),
        }]
    }
    fn number(&mut self) -> String {
        self.below(3).to_string()
    }
    /// A variable that has a value, or a number.
    fn value(&mut self, bound: &[&str]) -> String {
        if bound.is_empty() || self.chance(25) {
            self.number()
        } else {
            bound[self.below(bound.len())].into()
        }
    }
    /// A term of small numbers and atoms, and of what has a value.
    fn term(&mut self, bound: &[&str], depth: usize) -> String {
        if depth > 0 && self.chance(40) {
            let first = self.term(bound, depth - 1);
            return match self.below(3) {
                0 => format!("f({first})"),
                1 => format!("g({first}, {})", self.term(bound, depth - 1)),
                _ => format!("[{first}]"),
            };
        }
        if !bound.is_empty() && self.chance(70) {
            return bound[self.below(bound.len())].into();
        }
        ["0", "1", "2", "a", "[]", "1.0", "4611686018427387904", "\"a\""][self.below(8)].into()
    }
    /// What a head asks of an argument; the variables that it binds are added to those bound.
    fn pattern(&mut self, bound: &mut Vec<&'static str>, depth: usize) -> String {
        if depth > 0 && self.chance(35) {
            let first = self.pattern(bound, depth - 1);
            return match self.below(3) {
                0 => format!("f({first})"),
                1 => format!("g({first}, {})", self.pattern(bound, depth - 1)),
                _ => format!("[{first}]"),
            };
        }
        if self.chance(20) {
            return ["_", "0", "a", "[]"][self.below(4)].into();
        }
        let var = VARS[self.below(VARS.len())];
        if !bound.contains(&var) {
            bound.push(var);
        }
        var.into()
    }
    fn constraint(&mut self, mut arg: impl FnMut(&mut Self) -> String) -> String {
        let (name, columns) = SYMBOLS[self.below(SYMBOLS.len())];
        let args: Vec<String> = (0..columns).map(|_| arg(self)).collect();
        if args.is_empty() { name.into() } else { format!("{name}({})", args.join(", ")) }
    }
}

/// The program of a seed over small integers, whose columns are declared in any way that holds them.
pub fn program(seed: u64, writes: bool) -> String {
    let mut random = Generator { random: Random::new(seed), writes };
    let [a, b0, b1] = random.columns();
    let mut text = format!(":- chr_constraint a({a}), b({b0}, {b1}), c.\n");
    for number in 0..1 + random.below(4) {
        let _ = writeln!(text, "r{number} @ {}.", rule(&mut random));
    }
    for goals in [1 + random.below(6), random.below(3)] {
        let goals: Vec<String> = (0..goals).map(|_| random.constraint(Generator::number)).collect();
        if !goals.is_empty() {
            let _ = writeln!(text, "?- {}.", goals.join(", "));
        }
    }
    text
}

/// The program of a seed whose columns take any value.
pub fn terms(seed: u64, writes: bool) -> String {
    let mut random = Generator { random: Random::new(seed), writes };
    let mut text = ":- chr_constraint a(?any), b(?any, ?any), c.\n".to_string();
    for number in 0..1 + random.below(4) {
        let _ = writeln!(text, "r{number} @ {}.", rule_over_terms(&mut random));
    }
    for goals in [2 + random.below(6), random.below(3)] {
        let goals: Vec<String> =
            (0..goals).map(|_| random.constraint(|random| random.term(&[], 2))).collect();
        if !goals.is_empty() {
            let _ = writeln!(text, "?- {}.", goals.join(", "));
        }
    }
    text
}

fn rule_over_terms(random: &mut Generator) -> String {
    let mut bound: Vec<&'static str> = Vec::new();
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for _ in 0..[1, 1, 2, 2][random.below(4)] {
        let head = random.constraint(|random| random.pattern(&mut bound, 2));
        if random.chance(40) { kept.push(head) } else { removed.push(head) }
    }
    let mut guard = String::new();
    if random.chance(50) && !bound.is_empty() {
        let (a, b) = (random.value(&bound), random.term(&bound, 1));
        guard = match random.below(8) {
            0 => format!("{a} == {b} | "),
            1 => format!("{a} \\== {b} | "),
            2 => format!("{a} @< {b} | "),
            3 => format!("integer({a}) | "),
            4 => format!("compound({a}) | "),
            5 => format!("number({a}), {a} > 0 | "),
            6 => format!("{a} @>= {b} | "),
            _ => format!("{a} =< 1 | "),
        };
    }
    let mut body = Vec::new();
    if random.chance(20) {
        let (a, b) = (random.value(&bound), random.value(&bound));
        body.push(format!("N is {a} {} {b}", ["+", "*", "-", "mod", "/", "max"][random.below(6)]));
        if body[0].contains("max") {
            body[0] = format!("N is max({a}, {b})");
        }
        bound.push("N");
    }
    for _ in 0..random.below(3) {
        body.extend(random.output(&bound));
        body.push(random.constraint(|random| random.term(&bound, 2)));
    }
    body.extend(random.output(&bound));
    if body.is_empty() {
        body.push("true".into());
    }
    format!("{} {guard}{}", heads(&kept, &removed), body.join(", "))
}

fn heads(kept: &[String], removed: &[String]) -> String {
    match (kept.is_empty(), removed.is_empty()) {
        (_, true) => format!("{} ==>", kept.join(", ")),
        (true, _) => format!("{} <=>", removed.join(", ")),
        _ => format!("{} \\ {} <=>", kept.join(", "), removed.join(", ")),
    }
}

fn rule(random: &mut Generator) -> String {
    let mut bound: Vec<&'static str> = Vec::new();
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for _ in 0..[1, 2, 2, 3][random.below(4)] {
        let head = random.constraint(|random| {
            if random.chance(20) {
                return if random.chance(50) { "_".into() } else { random.number() };
            }
            let var = VARS[random.below(VARS.len())];
            if !bound.contains(&var) {
                bound.push(var);
            }
            var.into()
        });
        if random.chance(50) { kept.push(head) } else { removed.push(head) }
    }
    let heads = heads(&kept, &removed);
    let mut guard = String::new();
    if random.chance(40) && !bound.is_empty() {
        let (a, b) = (random.value(&bound), random.value(&bound));
        let test = ["<", "=<", "=:=", "=\\=", ">="][random.below(5)];
        let plus = if random.chance(30) { " + 1" } else { "" };
        guard = format!("{a} {test} {b}{plus} | ");
    }
    let mut body = Vec::new();
    if random.chance(30) {
        let (a, b) = (random.value(&bound), random.value(&bound));
        body.push(format!("N is ({a} + {b}) mod 3"));
        bound.push("N");
    }
    for _ in 0..random.below(3) {
        body.extend(random.output(&bound));
        body.push(random.constraint(|random| random.value(&bound)));
    }
    body.extend(random.output(&bound));
    if body.is_empty() {
        body.push("true".into());
    }
    format!("{heads} {guard}{}", body.join(", "))
}
