//! Rules: of all kinds, and those of the classes that the semantics of rounds knows.

use super::{Bound, Generator, Type, applied};

impl Generator {
    /// A rule without its name.
    pub(super) fn rule(&mut self) -> String {
        let mut bound: Vec<Bound> = Vec::new();
        let (mut kept, mut removed) = (Vec::new(), Vec::new());
        let (mut marks, mut last) = (Vec::new(), 0);
        for number in 0..[1, 1, 2, 2, 2, 3, 3, 4][self.below(8)] {
            let at = self.below(self.symbols.len());
            last = last.max(at);
            let symbol = self.symbols[at].clone();
            let args: Vec<String> = symbol.columns.iter().map(|&ty| self.pattern(ty, &mut bound)).collect();
            let mut head = applied(symbol.name, &args);
            match self.below(40) {
                0 => head += " # passive",
                1 => {
                    head += &format!(" # Id{number}");
                    marks.push(format!("passive(Id{number})"));
                }
                2 => head += &format!(" # Id{number}"),
                _ => {}
            }
            if self.chance(45) { kept.push(head) } else { removed.push(head) }
        }
        if self.chance(3) {
            marks.push("already_in_heads".into());
        }
        let guard = if self.chance(45) { self.guard(&mut bound).join(", ") + " | " } else { String::new() };
        let body = self.body(&mut bound, &kept, &removed, last);
        let pragma = if marks.is_empty() { String::new() } else { format!(" pragma {}", marks.join(", ")) };
        let arrow = match (kept.is_empty(), removed.is_empty()) {
            (_, true) => format!("{} ==>", kept.join(", ")),
            (true, _) => format!("{} <=>", removed.join(", ")),
            _ => format!("{} \\ {} <=>", kept.join(", "), removed.join(", ")),
        };
        format!("{arrow} {guard}{body}{pragma}")
    }

    fn body(&mut self, bound: &mut Vec<Bound>, kept: &[String], removed: &[String], last: usize) -> String {
        let mut goals = Vec::new();
        // What only adds would add for ever.
        let first = if self.wild || !removed.is_empty() && self.chance(40) { 0 } else { last + 1 };
        let room = self.symbols.len().saturating_sub(first);
        let most = if removed.is_empty() || kept.is_empty() { 2 } else { 1 };
        for _ in 0..self.below(most + 1) {
            goals.extend(self.aside(bound));
            if room > 0 {
                goals.push(self.constraint(first, bound));
            }
        }
        goals.extend(self.aside(bound));
        if self.chance(2) {
            goals.push(self.pick(&["fail", "false", "X9 = 1, X9 = 1"]).into());
        }
        if goals.is_empty() { "true".into() } else { goals.join(", ") }
    }

    /// Rules that have a class, or nearly.
    pub(super) fn class_rules(&mut self) -> String {
        let at = self.below(self.symbols.len());
        let symbol = self.symbols[at].clone();
        let (name, columns) = (symbol.name, &symbol.columns);
        let numeric = columns.iter().position(|c| c.is_int() || *c == Type::Float);
        let keys = |other: &str, at: usize| -> Vec<String> {
            let key = |i: usize| if i == at { other.to_string() } else { format!("K{i}") };
            (0..columns.len()).map(key).collect()
        };
        match (self.below(5), numeric) {
            (0, _) => {
                let all = applied(name, &keys("", usize::MAX));
                format!("set @ {all} \\ {all} <=> true.\n")
            }
            (1, Some(value)) => {
                let (kept, removed) = (applied(name, &keys("A", value)), applied(name, &keys("B", value)));
                let test = self.pick(&["A =< B", "B >= A", "A >= B", "B =< A", "A < B"]);
                format!("best @ {kept} \\ {removed} <=> {test} | true.\n")
            }
            (2, Some(value)) if columns[value].is_int() => {
                let of = |text: &str| applied(name, &keys(text, value));
                let (test, rest) =
                    (self.pick(&["0 < N", "N > 0"]), self.pick(&["M mod N", "M rem N", "M - N"]));
                let (zero, n, m, l) = (of("0"), of("N"), of("M"), of("L"));
                format!("zero @ {zero} <=> true.\nstep @ {n} \\ {m} <=> {test}, N =< M | L is {rest}, {l}.\n")
            }
            (3, _) if !columns.is_empty() => {
                let first = applied(name, &keys("_", columns.len() - 1));
                format!("first @ {first} \\ {first} <=> true.\n")
            }
            (_, _) => self.replacement(),
        }
    }

    /// A rule that lowers or raises values.
    fn replacement(&mut self) -> String {
        let fits = |c: &[Type]| c.len() >= 2 && c.iter().all(|t| t.is_int());
        let Some(symbol) = self.symbols.iter().find(|s| fits(&s.columns)).cloned() else {
            return String::new();
        };
        let (name, last) = (symbol.name, symbol.columns.len() - 1);
        let of = |keys: [&str; 2], value: &str| {
            let mut args: Vec<String> = (0..last).map(|i| keys[i.min(1)].to_string()).collect();
            args.push(value.into());
            applied(name, &args)
        };
        let less = self.pick(&["V > E", "V < E", "E < V"]);
        let sum = self.pick(&["A + B", "min(A, B)", "A + 1", "B - 1", "max(V - 1, A)", "min(V + 1, B)"]);
        let (a, b) = (of(["I", "J"], "A"), of(["J", "K"], "B"));
        let (v, e) = (of(["I", "K"], "V"), of(["I", "K"], "E"));
        let guard = less.replace('E', sum);
        format!("relax @ {a}, {b} \\ {v} <=> {guard} | E is {sum}, {e}.\n")
    }
}
