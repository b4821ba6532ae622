//! Random well-sorted systems of term rules that terminate by construction, as program text.
//!
//! Functions come in groups of two. A call of a function of an earlier group may have any arguments; one of the same
//! group has a proper part of the first argument as its first argument.

use crate::random::Random;

const SORTS: [&str; 5] = ["N", "L", "Bool", "Int", "Float"];

/// Integers whose neighbours or opposites do not exist.
const EXTREMES: [&str; 4] =
    ["9223372036854775807", "-9223372036854775808", "-9223372036854775807", "4611686018427387904"];

/// Floats: zeros of both signs, which are equal by value only, and the largest ones.
const FLOATS: [&str; 8] = ["0.0", "-0.0", "1.5", "2.0", "0.0", "-0.0", "1.7976931348623157e308", "5e-324"];

struct Signature {
    /// Argument sorts and result of each function, as positions in `SORTS`.
    functions: Vec<(Vec<usize>, usize)>,
}

struct Var {
    name: String,
    sort: usize,
    /// A proper part of the first argument.
    part: bool,
}

/// Generates systems.
pub struct Generator {
    random: Random,
    signature: Signature,
    /// How many of a hundred subterms are calls.
    calls: usize,
}

impl Generator {
    /// The system of a seed, with an input, as `.trs`.
    pub fn program(seed: u64) -> String {
        let mut g =
            Self { random: Random::new(seed), signature: Signature { functions: Vec::new() }, calls: 0 };
        g.calls = 15 + g.random.below(30);
        for _ in 0..2 + g.random.below(6) {
            let args = (0..1 + g.random.below(5))
                .map(|i| if i == 0 { g.random.below(2) } else { g.random.below(SORTS.len()) });
            let args: Vec<usize> = args.collect();
            let result = g.random.below(SORTS.len());
            g.signature.functions.push((args, result));
        }
        let mut rules = String::new();
        for f in 0..g.signature.functions.len() {
            for _ in 0..1 + g.random.below(4) {
                rules.push_str(&g.rule(f, false));
            }
            // Mostly something matches: stuck numbers end a run, and so do stuck truth values that are operands.
            if g.random.chance(if g.signature.functions[f].1 == 2 { 60 } else { 85 }) {
                rules.push_str(&g.rule(f, true));
            }
        }
        let mut sorts =
            ["Z | S(N)".to_string(), "E | C(N, L) | D(L, L) | I(Int, L) | R(Float, L)".to_string()];
        let mut others = String::new();
        for (f, (args, result)) in g.signature.functions.iter().enumerate() {
            let args: Vec<&str> = args.iter().map(|&a| SORTS[a]).collect();
            let declared = format!(" | F{f}({})", args.join(", "));
            match sorts.get_mut(*result) {
                Some(sort) => sort.push_str(&declared),
                None => others.push_str(&format!("map F{f}: {} -> {};\n", args.join(" # "), SORTS[*result])),
            }
        }
        let [n, l] = &sorts;
        let mut text = format!("sort N = struct {n};\nsort L = struct {l};\n{others}var ");
        for (i, sort) in SORTS.iter().enumerate() {
            let names: Vec<String> = (0..20).map(|v| format!("v{i}{v}")).collect();
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
        let condition = if any { String::new() } else { self.condition(&vars, f / 2) };
        let body = self.expr(result, &vars, f / 2, 3);
        let left =
            if patterns.is_empty() { format!("F{f}") } else { format!("F{f}({})", patterns.join(", ")) };
        format!("{condition}{left} = {body};\n")
    }

    /// A condition of some shape with its arrow, or none.
    fn condition(&mut self, vars: &[Var], group: usize) -> String {
        let truths: Vec<&Var> = vars.iter().filter(|v| v.sort == 2).collect();
        match self.random.below(100) {
            0..20 => format!("{} -> ", self.expr(2, vars, group, 2)),
            20..28 => format!("({} && {}) -> ", self.expr(2, vars, group, 1), self.expr(2, vars, group, 1)),
            28..34 => format!("({} || {}) -> ", self.expr(2, vars, group, 1), self.expr(2, vars, group, 1)),
            34..40 => format!("{} -> ", self.comparison(vars, group, 1)),
            40..45 if !truths.is_empty() => format!("{} -> ", truths[0].name),
            _ => String::new(),
        }
    }

    /// A comparison of numbers, or an equality of two terms of any sort.
    fn comparison(&mut self, vars: &[Var], group: usize, depth: usize) -> String {
        let (op, sort) = match self.random.below(2) {
            0 => (["<", "<=", ">", ">="][self.random.below(4)], 3 + self.random.below(2)),
            _ => (["==", "!="][self.random.below(2)], self.random.below(SORTS.len())),
        };
        format!("({} {op} {})", self.expr(sort, vars, group, depth), self.expr(sort, vars, group, depth))
    }

    fn pattern(&mut self, sort: usize, first: bool, part: bool, depth: usize, vars: &mut Vec<Var>) -> String {
        // Now and then a variable again.
        if self.random.chance(7)
            && let Some(var) = vars.iter().find(|v| v.sort == sort)
        {
            return var.name.clone();
        }
        if depth == 0 || self.random.chance(if first { 25 } else { 55 }) || vars.len() > 8 {
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
            (1, _) if self.random.chance(20) => format!("R({}, {})", inner(self, 4), inner(self, 1)),
            (1, 0) => "E".into(),
            (1, 1) => format!("C({}, {})", inner(self, 0), inner(self, 1)),
            (1, 2) => format!("D({}, {})", inner(self, 1), inner(self, 1)),
            (1, _) => format!("I({}, {})", inner(self, 3), inner(self, 1)),
            (2, n) => ["true", "false"][n % 2].into(),
            (3, n) => self.int(n),
            (_, n) => FLOATS[n].into(),
        }
    }

    /// A small integer, or now and then an extreme one.
    fn int(&mut self, small: usize) -> String {
        if self.random.chance(2) { self.random.pick(&EXTREMES).into() } else { small.to_string() }
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
            (1, _) if self.random.chance(40) => {
                format!("R({}, {})", self.expr(4, vars, group, d), self.expr(1, vars, group, d))
            }
            (1, _) => format!("I({}, {})", self.expr(3, vars, group, d), self.expr(1, vars, group, d)),
            (2, 0) => ["true", "false"][self.random.below(2)].into(),
            (2, 1 | 2) => self.comparison(vars, group, d),
            (2, 3) => format!("({} && {})", self.expr(2, vars, group, d), self.expr(2, vars, group, d)),
            (2, _) => format!("!({} || {})", self.expr(2, vars, group, d), self.expr(2, vars, group, d)),
            (3, 0 | 1) => {
                let small = self.random.below(4);
                self.int(small)
            }
            (3, 2 | 3) => format!("({} + {})", self.expr(3, vars, group, d), self.expr(3, vars, group, d)),
            (3, _) => self.arithmetic(vars, group, d),
            (_, 0 | 1) => self.random.pick(&FLOATS).into(),
            (_, _) => self.float(vars, group, d),
        }
    }

    /// An operator on floats.
    fn float(&mut self, vars: &[Var], group: usize, depth: usize) -> String {
        if self.random.chance(15) {
            return format!("float({})", self.expr(3, vars, group, depth));
        }
        let a = self.expr(4, vars, group, depth);
        match self.random.pick(&["+", "-", "*", "min", "max", "abs", "sign"]) {
            name @ ("abs" | "sign") => format!("{name}({a})"),
            name @ ("min" | "max") => format!("{name}({a}, {})", self.expr(4, vars, group, depth)),
            op => format!("({a} {op} {})", self.expr(4, vars, group, depth)),
        }
    }

    /// An operator on integers whose operands are small: a difference, or a named function.
    fn arithmetic(&mut self, vars: &[Var], group: usize, depth: usize) -> String {
        if self.random.chance(10) {
            return format!("floor({})", self.expr(4, vars, group, depth));
        }
        let a = self.expr(3, vars, group, depth);
        let named = ["min", "max", "gcd", "abs", "sign", "msb", "truncate"];
        match named.get(self.random.below(2 * named.len())) {
            Some(&name @ ("min" | "max" | "gcd")) => {
                format!("{name}({a}, {})", self.expr(3, vars, group, depth))
            }
            // Positive, as far as nothing overflows.
            Some(&"msb") => format!("msb((abs({a}) + 1))"),
            Some(name) => format!("{name}({a})"),
            None => format!("({a} - {})", self.expr(3, vars, group, depth)),
        }
    }

    /// A new cell of what calls of the same group give, for the function that is called with it to take apart.
    fn cell_of_calls(&mut self, sort: usize, vars: &[Var], group: usize) -> String {
        let again = |g: &mut Self, sort: usize| {
            let fitting = |&f: &usize| {
                let (args, result) = &g.signature.functions[f];
                *result == sort && f / 2 == group && vars.iter().any(|v| v.part && v.sort == args[0])
            };
            match (0..g.signature.functions.len()).find(fitting) {
                Some(f) => g.call(f, vars, group, 1),
                None => g.expr(sort, vars, group, 0),
            }
        };
        match (sort, self.random.below(3)) {
            (0, _) => format!("S({})", again(self, 0)),
            (_, 0) => format!("D({}, {})", again(self, 1), self.expr(1, vars, group, 0)),
            (_, 1) => format!("D({}, {})", self.expr(1, vars, group, 0), again(self, 1)),
            _ => format!("C({}, {})", self.expr(0, vars, group, 0), again(self, 1)),
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
                if i == 0 && !vars.is_empty() && self.random.chance(25) {
                    return self.cell_of_calls(sort, vars, group);
                }
                self.expr(sort, vars, group, depth - 1)
            })
            .collect();
        format!("F{f}({})", args.join(", "))
    }
}
