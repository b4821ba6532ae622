//! Random well-sorted systems, terminating by construction, on random terms: machine and naive rewriter agree, whatever the
//! options, whenever the collector runs.
//!
//! Functions come in groups of two. A call of a function of an earlier group may have any arguments; one of the same group has
//! a proper part of the first argument as its first argument.

use proptest::prelude::*;

use super::reference::{GiveUp, Rewriter};
use super::*;
use crate::plan::term::TermPlan;
use crate::rule::Program;
use crate::signature::SortId;
use crate::testing::counted;

const SORTS: [&str; 4] = ["N", "L", "Bool", "Int"];

struct Signature {
    /// Argument sorts and result of each function, as positions in `SORTS`.
    functions: Vec<(Vec<usize>, usize)>,
}

/// A small random number generator: a case is its seed.
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
}

struct Var {
    name: String,
    sort: usize,
    /// A proper part of the first argument.
    part: bool,
}

struct Generator {
    random: Random,
    signature: Signature,
    /// How many of a hundred subterms are calls.
    calls: usize,
}

impl Generator {
    fn program(seed: u64) -> String {
        let mut g =
            Self { random: Random(seed | 1), signature: Signature { functions: Vec::new() }, calls: 0 };
        g.calls = 10 + g.random.below(30);
        for _ in 0..2 + g.random.below(6) {
            let args = (0..1 + g.random.below(5))
                .map(|i| if i == 0 { g.random.below(2) } else { g.random.below(4) });
            let args: Vec<usize> = args.collect();
            let result = g.random.below(4);
            g.signature.functions.push((args, result));
        }
        let mut rules = String::new();
        for f in 0..g.signature.functions.len() {
            for _ in 0..1 + g.random.below(4) {
                rules.push_str(&g.rule(f, false));
            }
            // Mostly something matches: stuck numbers and truth values end a run.
            if g.random.chance(85) {
                rules.push_str(&g.rule(f, true));
            }
        }
        let mut sorts = ["Z | S(N)".to_string(), "E | C(N, L) | D(L, L) | I(Int, L)".to_string()];
        let mut others = String::new();
        for (f, (args, result)) in g.signature.functions.iter().enumerate() {
            let args: Vec<&str> = args.iter().map(|&a| SORTS[a]).collect();
            let declared = format!(" | F{f}({})", args.join(", "));
            match sorts.get_mut(*result) {
                Some(sort) => sort.push_str(&declared),
                None => others.push_str(&format!(" {} = {};", SORTS[*result], &declared[2..])),
            }
        }
        let mut text = format!("sort N = {}; L = {};{others}\nvar ", sorts[0], sorts[1]);
        for (i, sort) in SORTS.iter().enumerate() {
            let names: Vec<String> = (0..12).map(|v| format!("v{i}{v}")).collect();
            text.push_str(&format!("{} : {sort}; ", names.join(", ")));
        }
        let f = g.signature.functions.len() - 1 - g.random.below(2);
        let input = g.call(f, &[], f / 2 + 1, 6);
        text.push_str(&format!("\neqn\n{rules}input {input};"));
        // `Bool` is built in: its functions are declared with it.
        text
    }

    fn rule(&mut self, f: usize, any: bool) -> String {
        let (args, result) = self.signature.functions[f].clone();
        let mut vars = Vec::new();
        let patterns: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, &sort)| match any {
                true => {
                    let name = format!("v{sort}{}", vars.iter().filter(|v: &&Var| v.sort == sort).count());
                    vars.push(Var { name: name.clone(), sort, part: false });
                    name
                }
                false => self.pattern(sort, i == 0, false, 2, &mut vars),
            })
            .collect();
        let condition = match self.random.below(if any { 1 } else { 100 }) + if any { 99 } else { 0 } {
            0..20 => format!("{} -> ", self.expr(2, &vars, f / 2, 2)),
            20..28 => format!("({} && {}) -> ", self.expr(2, &vars, f / 2, 1), self.expr(2, &vars, f / 2, 1)),
            _ => String::new(),
        };
        let body = self.expr(result, &vars, f / 2, 3);
        let left =
            if patterns.is_empty() { format!("F{f}") } else { format!("F{f}({})", patterns.join(", ")) };
        format!("{condition}{left} = {body};\n")
    }

    fn pattern(&mut self, sort: usize, first: bool, part: bool, depth: usize, vars: &mut Vec<Var>) -> String {
        // Now and then a variable again.
        if self.random.chance(7)
            && let Some(var) = vars.iter().find(|v| v.sort == sort)
        {
            return var.name.clone();
        }
        if depth == 0 || self.random.chance(if first { 25 } else { 55 }) || vars.len() > 8 {
            if self.random.chance(10) {
                return "_".into();
            }
            let name = format!("v{sort}{}", vars.iter().filter(|v| v.sort == sort).count());
            vars.push(Var { name: name.clone(), sort, part });
            return name;
        }
        // Now and then an application that is stuck.
        if self.random.chance(6) {
            let functions = &self.signature.functions;
            if let Some(f) = (0..functions.len()).find(|&f| functions[f].1 == sort && sort < 3) {
                let args = functions[f].0.clone();
                let args: Vec<String> =
                    args.iter().map(|&s| self.pattern(s, first, first, 0, vars)).collect();
                return format!("F{f}({})", args.join(", "));
            }
        }
        let mut inner = |g: &mut Self, s| g.pattern(s, first, first, depth - 1, vars);
        match (sort, self.random.below(4)) {
            (0, 0) => "Z".into(),
            (0, _) => format!("S({})", inner(self, 0)),
            (1, 0) => "E".into(),
            (1, 1) => format!("C({}, {})", inner(self, 0), inner(self, 1)),
            (1, 2) => format!("D({}, {})", inner(self, 1), inner(self, 1)),
            (1, _) => format!("I({}, {})", inner(self, 3), inner(self, 1)),
            (2, n) => ["true", "false"][n % 2].into(),
            (_, n) => n.to_string(),
        }
    }

    fn expr(&mut self, sort: usize, vars: &[Var], group: usize, depth: usize) -> String {
        let fitting: Vec<&Var> = vars.iter().filter(|v| v.sort == sort).collect();
        if !fitting.is_empty() && (depth == 0 || self.random.chance(25)) {
            return fitting[self.random.below(fitting.len())].name.clone();
        }
        if depth > 0 && self.random.chance(self.calls) {
            let callable: Vec<usize> = (0..self.signature.functions.len())
                .filter(|&f| {
                    let (args, result) = &self.signature.functions[f];
                    *result == sort
                        && (f / 2 < group
                            || f / 2 == group && vars.iter().any(|v| v.part && v.sort == args[0]))
                })
                .collect();
            if !callable.is_empty() {
                let f = callable[self.random.below(callable.len())];
                return self.call(f, vars, group, depth);
            }
        }
        let d = depth.saturating_sub(1);
        match (sort, self.random.below(if depth == 0 { 1 } else { 5 })) {
            (0, 0) => "Z".into(),
            (0, 1) => format!("S^{}({})", 1 + self.random.below(5), self.expr(0, vars, group, d)),
            (0, _) => format!("S({})", self.expr(0, vars, group, d)),
            (1, 0) => "E".into(),
            (1, 1 | 2) => format!("C({}, {})", self.expr(0, vars, group, d), self.expr(1, vars, group, d)),
            (1, 3) => format!("D({}, {})", self.expr(1, vars, group, d), self.expr(1, vars, group, d)),
            (1, _) => format!("I({}, {})", self.expr(3, vars, group, d), self.expr(1, vars, group, d)),
            (2, 0) => ["true", "false"][self.random.below(2)].into(),
            (2, 1) => format!("({} < {})", self.expr(3, vars, group, d), self.expr(3, vars, group, d)),
            (2, 2) => {
                let sort = self.random.below(2);
                format!("({} === {})", self.expr(sort, vars, group, d), self.expr(sort, vars, group, d))
            }
            (2, 3) => format!("({} && {})", self.expr(2, vars, group, d), self.expr(2, vars, group, d)),
            (2, _) => format!("!({} || {})", self.expr(2, vars, group, d), self.expr(2, vars, group, d)),
            (_, 0 | 1) => self.random.below(4).to_string(),
            (_, 2 | 3) => format!("({} + {})", self.expr(3, vars, group, d), self.expr(3, vars, group, d)),
            (_, _) => format!("({} - {})", self.expr(3, vars, group, d), self.expr(3, vars, group, d)),
        }
    }

    fn call(&mut self, f: usize, vars: &[Var], group: usize, depth: usize) -> String {
        let args = self.signature.functions[f].0.clone();
        let args: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, &sort)| {
                if i == 0 && f / 2 == group {
                    let parts: Vec<&Var> = vars.iter().filter(|v| v.part && v.sort == sort).collect();
                    return parts[self.random.below(parts.len())].name.clone();
                }
                self.expr(sort, vars, group, depth - 1)
            })
            .collect();
        format!("F{f}({})", args.join(", "))
    }
}

const ALL: TermOptions =
    TermOptions { inline: true, contexts: true, simplify: true, trace: false, split: false, counts: false };

fn option_sets() -> Vec<TermOptions> {
    vec![
        ALL,
        TermOptions { inline: false, ..ALL },
        TermOptions { contexts: false, ..ALL },
        TermOptions { simplify: false, ..ALL },
        TermOptions { inline: false, contexts: false, simplify: false, ..ALL },
        TermOptions::tasks(false),
        TermOptions::tasks(true),
        TermOptions::traced(),
    ]
}

/// Cells that a normal form reaches, counted without the collector.
fn reachable(nf: &NormalForm) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let mut todo: Vec<(SortId, u64)> = vec![(nf.sort, nf.value)];
    while let Some((sort, value)) = todo.pop() {
        if nf.layout.sorts[sort].is_wide() {
            continue;
        }
        let Some((variant, cell)) = super::text::cell(&nf.layout, &nf.heap, sort, value as u32) else {
            continue;
        };
        if seen.insert((variant.class, value >> nf.layout.sorts[sort].tag_bits)) {
            for f in &variant.fields {
                todo.push((f.sort, super::text::field_bits(cell, f.offset, f.wide)));
            }
        }
    }
    seen.len() as u64
}

/// Normal form and rewrites, or why there is none.
fn found(program: &Program, plan: &TermPlan, stress: bool) -> Result<(String, u64), String> {
    let Start::Term(Some(input)) = &program.start else { return Err("no input".into()) };
    let mut control = Control::default();
    match run_with(program, plan, input, &mut control, stress) {
        Ok(out) => {
            let live = reachable(&out.normal_form);
            if out.stats.live_cells != Some(live) {
                return Err(format!("{:?} live cells, {live} reachable", out.stats.live_cells));
            }
            Ok((expand_powers(&out.normal_form.to_text()), out.stats.rewrites.unwrap_or(0)))
        }
        Err(stopped) => Err(match stopped.error.reason {
            StopReason::NoRule { .. } => "NoRule".into(),
            StopReason::Arithmetic { error: crate::op::ArithmeticError::Type, .. } => "Type".into(),
            other => format!("{other:?}"),
        }),
    }
}

/// Normal form and rewrites by reference counts, which must balance.
fn counted(
    program: &Program,
    input: &crate::rule::GroundTerm,
) -> Result<Result<(String, u64), String>, TestCaseError> {
    let plan =
        compile(program, &TermOptions::tasks(true)).map_err(|e| TestCaseError::fail(format!("{e:?}")))?;
    match counted::run(program, &plan, input, u64::MAX) {
        Ok(out) => Ok(Ok((expand_powers(&out.text), out.rewrites))),
        Err(counted::Stop::NoRule) => Ok(Err("NoRule".into())),
        Err(counted::Stop::Arithmetic(crate::op::ArithmeticError::Type)) => Ok(Err("Type".into())),
        Err(other) => Err(TestCaseError::fail(format!("{other:?}\n{plan}"))),
    }
}

/// Whether the case has an answer; an error when somebody has another one.
fn agree(seed: u64) -> Result<bool, TestCaseError> {
    let text = Generator::program(seed);
    let program = program(&text);
    let Start::Term(Some(input)) = &program.start else { return Ok(false) };
    let mut reference = Rewriter::new(&program, 20_000);
    let expected = match reference.ground(input) {
        Ok(value) => Ok((reference.show(&value), reference.rewrites)),
        Err(GiveUp::Limit) => return Ok(false),
        Err(why) => Err(format!("{why:?}")),
    };
    for options in option_sets() {
        let plan = compile(&program, &options).map_err(|e| TestCaseError::fail(format!("{text}\n{e:?}")))?;
        for stress in [false, true] {
            let found = found(&program, &plan, stress);
            prop_assert_eq!(
                &found,
                &expected,
                "seed {} stress {} {:?}\n{}\n{}",
                seed,
                stress,
                options,
                text,
                plan
            );
        }
    }
    let found = counted(&program, input)?;
    prop_assert_eq!(&found, &expected, "seed {} counted\n{}", seed, text);
    Ok(expected.is_ok())
}

/// `S^4(x)` written out.
fn expand_powers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    // Closing brackets of powers: at which depth, and how many more.
    let (mut depth, mut extra) = (0usize, Vec::new());
    while let Some(c) = rest.chars().next() {
        if let Some(power) = rest.strip_prefix("S^") {
            let (count, after) = power.split_once('(').unwrap_or(("0", ""));
            let count: usize = count.parse().unwrap_or(0);
            out.push_str(&"S(".repeat(count));
            depth += 1;
            extra.push((depth, count - 1));
            rest = after;
            continue;
        }
        out.push(c);
        if c == '(' {
            depth += 1;
        } else if c == ')' {
            if let Some(&(d, n)) = extra.last()
                && d == depth
            {
                out.push_str(&")".repeat(n));
                extra.pop();
            }
            depth -= 1;
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn machine_and_reference_agree(seed in any::<u64>()) {
        agree(seed)?;
    }
}

#[test]
fn most_cases_have_answers() {
    let mut kinds = [0usize; 4];
    let mut rewrites = 0;
    for seed in 1..500u64 {
        let program = program(&Generator::program(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let Start::Term(Some(input)) = &program.start else { continue };
        let mut reference = Rewriter::new(&program, 20_000);
        match reference.ground(input) {
            Ok(_) => {
                kinds[0] += 1;
                rewrites += reference.rewrites;
            }
            Err(GiveUp::Limit) => kinds[1] += 1,
            Err(GiveUp::Type) => kinds[2] += 1,
            Err(GiveUp::NoRule) => kinds[3] += 1,
        }
    }
    assert!(kinds[0] > 250 && rewrites > 10 * kinds[0] as u64, "{kinds:?}, {rewrites} rewrites");
}

/// `SEED=... COUNT=... cargo test --release -p gchr-core many_seeds -- --ignored --nocapture`.
#[test]
#[ignore = "a longer search"]
fn many_seeds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let (seed, count): (u64, u64) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(1));
    for i in 0..count {
        let seed = seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        agree(seed).unwrap_or_else(|e| panic!("{e}"));
    }
}
