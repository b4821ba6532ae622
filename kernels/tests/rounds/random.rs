//! Random ground programs as text: rules of one to three heads over small integers, which keep and remove, test and add.

use std::fmt::Write;

/// Symbols and their columns.
const SYMBOLS: [(&str, usize); 3] = [("a", 1), ("b", 2), ("c", 0)];
const VARS: [&str; 4] = ["X", "Y", "Z", "W"];

/// A small random number generator: a program is its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
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
    fn constraint(&mut self, mut arg: impl FnMut(&mut Self) -> String) -> String {
        let (name, columns) = SYMBOLS[self.below(SYMBOLS.len())];
        let args: Vec<String> = (0..columns).map(|_| arg(self)).collect();
        if args.is_empty() { name.into() } else { format!("{name}({})", args.join(", ")) }
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = ":- chr_constraint a(+int), b(+int, +int), c.\n".to_string();
    for number in 0..1 + random.below(4) {
        let _ = writeln!(text, "r{number} @ {}.", rule(&mut random));
    }
    for goals in [1 + random.below(6), random.below(3)] {
        let goals: Vec<String> = (0..goals).map(|_| random.constraint(Random::number)).collect();
        if !goals.is_empty() {
            let _ = writeln!(text, "?- {}.", goals.join(", "));
        }
    }
    text
}

fn rule(random: &mut Random) -> String {
    let mut bound: Vec<&str> = Vec::new();
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
    let heads = match (kept.is_empty(), removed.is_empty()) {
        (_, true) => format!("{} ==>", kept.join(", ")),
        (true, _) => format!("{} <=>", removed.join(", ")),
        _ => format!("{} \\ {} <=>", kept.join(", "), removed.join(", ")),
    };
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
        body.push(random.constraint(|random| random.value(&bound)));
    }
    if body.is_empty() {
        body.push("true".into());
    }
    format!("{heads} {guard}{}", body.join(", "))
}
