//! Random programs of rules with variables, guards and choices: what they write, and the store of each answer, is the
//! same in the same order as with SWI-Prolog, where it is installed.

use std::fmt::Write as _;
use std::process::Command;

use gchr_base::control::Limits;
use gchr_logic::Answers;

use crate::support::{Random, has_swipl, run};

const PROGRAMS: u64 = 24;
const QUERIES: u64 = 4;

/// A symbol: its name, and for each column whether it is declared to be ground.
type Symbol = (String, Vec<bool>);

struct Texts {
    random: Random,
    /// Whether columns that are declared to be ground hold variables, and the others none.
    loose: bool,
    program: String,
    query: String,
}

impl Texts {
    /// Arguments of a constraint, made of some texts; ground columns have constants, or all others where they are
    /// loose.
    fn constraint(&mut self, (name, columns): &Symbol, texts: &[&str], constants: &[&str]) -> String {
        let args: Vec<&str> = columns
            .iter()
            .map(|&ground| self.random.of(if ground != self.loose { constants } else { texts }))
            .collect();
        format!("{name}({})", args.join(", "))
    }

    /// A program with its queries. Rules add only symbols behind those of their heads, so that all of it ends.
    fn program(&mut self, number: u64) {
        let often = if self.loose { 2 } else { 5 };
        let symbols: Vec<Symbol> = (0..2 + self.random.below(3))
            .map(|i| {
                let columns = (0..1 + self.random.below(2)).map(|_| self.random.below(often) == 0).collect();
                (format!("{}{number}", ["p", "q", "r", "s"][i as usize]), columns)
            })
            .collect();
        for (name, columns) in &symbols {
            let modes: Vec<&str> = columns.iter().map(|&ground| if ground { "+" } else { "?" }).collect();
            writeln!(self.program, ":- chr_constraint {name}({}).", modes.join(", ")).expect("text");
        }
        for rule in 0..2 + self.random.below(4) {
            self.rule(&symbols, &format!("{number}-{rule}"));
        }
        for _ in 0..QUERIES {
            let mut goals = Vec::new();
            for _ in 0..3 + self.random.below(5) {
                goals.push(match self.random.below(4) {
                    0 => format!(
                        "{} = {}",
                        self.random.of(&["A", "B", "C", "D"]),
                        self.random.of(&["A", "B", "C", "D", "a", "f(E)"])
                    ),
                    _ => {
                        let symbol = &symbols[self.random.below(symbols.len() as u64) as usize];
                        let texts = ["A", "B", "C", "D", "A", "B", "a", "1", "f(1)"];
                        self.constraint(symbol, &texts, &["a", "b", "1", "2"])
                    }
                });
            }
            let goals = goals.join(", ");
            write!(self.query, "\\+ ( {goals}, show([A, B, C, D]), fail ), write('----'), nl, ")
                .expect("text");
        }
    }

    fn rule(&mut self, symbols: &[Symbol], name: &str) {
        let last = self.random.below(symbols.len() as u64) as usize;
        let all = ["X", "Y", "Z"];
        let some = &all[..1 + self.random.below(3) as usize];
        let patterns = [some, &["a", "1", "f(X)", "_"][..], some, some].concat();
        let heads: Vec<String> = (0..1 + self.random.below(3))
            .map(|_| {
                let symbol = &symbols[self.random.below(last as u64 + 1) as usize];
                self.constraint(symbol, &patterns, &patterns)
            })
            .collect();
        let text = heads.join(", ");
        let used: Vec<&str> = all.into_iter().filter(|v| text.contains(*v)).collect();
        let used = if used.is_empty() { vec!["_"] } else { used };
        let split = self.random.below(heads.len() as u64) as usize;
        let heads = match self.random.below(3) {
            0 => format!("{text} ==>"),
            1 if split > 0 => format!("{} \\ {} <=>", heads[..split].join(", "), heads[split..].join(", ")),
            _ => format!("{text} <=>"),
        };
        let (x, y) = (self.random.of(&used), self.random.of(&used));
        let guard = match self.random.below(12) {
            0 => format!("var({x}) | "),
            1 => format!("nonvar({x}) | "),
            2 => format!("{x} == {y} | "),
            3 => format!("{x} \\== {y} | "),
            4 => format!("integer({x}), {x} > 1 | "),
            5 => format!("atom({x}) | "),
            6 if self.loose => format!("{x} = 1 | "),
            _ => String::new(),
        };
        let mut body = format!("write({name}), nl");
        for _ in 0..self.random.below(3) {
            let (x, y) = (self.random.of(&used), self.random.of(&used));
            body += &match self.random.below(6) {
                0 | 1 if last + 1 < symbols.len() => {
                    let more = &symbols[last + 1..];
                    let symbol = &more[self.random.below(more.len() as u64) as usize];
                    format!(", {}", self.constraint(symbol, &[&used[..], &["a", "_"]].concat(), &["a", "1"]))
                }
                2 => format!(", {x} = {y}"),
                3 => format!(", {x} = {}", self.random.of(&["a", "1"])),
                4 => format!(", ( {x} = a ; {y} = b )"),
                5 if self.random.below(3) == 0 => ", fail".into(),
                _ => String::new(),
            };
        }
        writeln!(self.program, "{heads} {guard}{body}.").expect("text");
    }
}

#[test]
fn random_programs_do_what_they_do_with_swi_prolog() {
    compare_random_programs(41, false);
}

#[test]
fn columns_that_are_declared_ground_and_are_not_do_what_they_do_with_swi_prolog() {
    (43..47).for_each(|seed| compare_random_programs(seed, true));
}

fn compare_random_programs(seed: u64, loose: bool) {
    if !has_swipl() {
        return;
    }
    let mut texts = Texts { random: Random(seed), loose, program: String::new(), query: String::new() };
    texts.program += ":- use_module(library(chr)).\n";
    for number in 0..PROGRAMS {
        texts.program(number);
    }
    texts.program += "show(Vs) :- copy_term_nat(Vs, W), findall(C, current_chr_constraint(user:C), L0), \
                      copy_term_nat(L0, L), numbervars(W-L, 0, _), print(W-L), nl.\n";
    texts.query += "true";
    let ours = run(&texts.program, &texts.query, Answers::First(1), Limits::default());
    let file = std::env::temp_dir().join(format!("gchr-random-{seed}-{}.pl", std::process::id()));
    std::fs::write(&file, &texts.program).expect("a file");
    let theirs =
        Command::new("swipl").arg("-q").arg("-g").arg(&texts.query).arg("-t").arg("halt").arg(&file).output();
    std::fs::remove_file(&file).expect("the file is there");
    let theirs = String::from_utf8(theirs.expect("swipl runs").stdout).expect("text");
    let count = ours.matches("----").count() as u64;
    assert_eq!(count, PROGRAMS * QUERIES, "{ours}");
    let queries: Vec<&str> = texts.query.split("write('----'), nl, ").collect();
    for (i, (ours, theirs)) in
        ours.split("----\n").zip(theirs.split("----\n")).enumerate().take(count as usize)
    {
        let program = i as u64 / QUERIES;
        let of_program =
            |line: &&str| ["p", "q", "r", "s"].iter().any(|s| line.contains(&format!("{s}{program}(")));
        let rules: Vec<&str> = texts.program.lines().filter(of_program).collect();
        assert_eq!(ours, theirs, "{}\n?- {}", rules.join("\n"), queries[i]);
    }
}
