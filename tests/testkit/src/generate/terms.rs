//! Random well-sorted term programs over the whole language. Nearly all of them terminate: functions come in groups of
//! two; a call of an earlier group has any arguments, one of the same group a proper part of the first argument, or a
//! number that counts down.

mod axioms;
mod equations;
mod functions;
mod lists;
mod operators;
mod parameters;
mod texts;

use std::fmt::Write;

use crate::random::Random;

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TermCase {
    /// The program, with an input.
    pub text: String,
    /// Further inputs.
    pub terms: Vec<String>,
}

/// Sorts, as positions in [`Generator::sorts`].
const N: usize = 0;
const L: usize = 1;
const T: usize = 2;
const U: usize = 3;
const BOOL: usize = 4;
const INT: usize = 5;
const FLOAT: usize = 6;
const NS: usize = 7;
const INTS_LIST: usize = 8;
const SORTS: usize = 9;
/// Variables of each sort in a `var` section.
const VARS: usize = 12;

const INTS: [&str; 14] = [
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775806",
    "4294967296",
    "2147483648",
    "-2147483649",
    "4611686018427387904",
    "-4611686018427387905",
    "-1",
    "63",
    "64",
    "-7",
    "1000",
    "9007199254740993",
];
const FLOATS: [&str; 14] = [
    "0.0",
    "-0.0",
    "1.5",
    "-2.5",
    "0.1",
    "2e3",
    "1e300",
    "-1e300",
    "5e-324",
    "1.7976931348623157e308",
    "9007199254740992.0",
    "9.223372036854775807e18",
    "-9.3e18",
    "0.5",
];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const INT_INFIX: [&str; 10] = ["+", "-", "*", "div", "mod", "<<", ">>", "&", "^", "|"];
const FLOAT_INFIX: [&str; 4] = ["+", "-", "*", "/"];
/// Functions of two operands of one sort, of one operand with the result of the same sort, and those that give
/// integers.
const BOTH_BINARY: [&str; 2] = ["min", "max"];
const BOTH_UNARY: [&str; 2] = ["abs", "sign"];
const ROUNDING: [&str; 5] = ["truncate", "round", "integer", "floor", "ceiling"];

/// How calls of a function end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Recursion {
    /// The first argument becomes a proper part of itself.
    Part,
    /// The first argument is a number that counts down.
    Count,
    /// The function does not call its own group.
    None,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    args: Vec<usize>,
    result: usize,
    recursion: Recursion,
}

#[derive(Clone, Debug)]
struct Var {
    number: usize,
    sort: usize,
    /// A proper part of the first argument.
    part: bool,
}

/// What an expression may use.
struct Scope<'s> {
    vars: &'s [Var],
    /// Functions of groups before this one may be called.
    group: usize,
    /// The variable that the own group's first argument is made of.
    counter: Option<usize>,
    /// Whether variables are in force, so that a constant of the same name needs brackets.
    equation: bool,
}

/// Generates programs.
struct Generator {
    random: Random,
    sorts: [&'static str; SORTS],
    functions: Vec<Function>,
    /// Percentage of subterms that are calls.
    calls: usize,
    /// Percentage of numbers that are extreme.
    extremes: usize,
    /// Whether there are numbers; else the program has its own sort of the name `Int`.
    numbers: bool,
    /// Texts of the truth values.
    truth: [&'static str; 2],
    /// Whether the program declares `Bool`.
    own_bool: bool,
    /// Whether a variable hides the constant `E`.
    hides: bool,
    /// The built-in function of whose name the program has a function of its own.
    own: &'static str,
    /// Whether there are lists.
    lists: bool,
    /// Whether there are sorts and functions with parameters.
    parameters: bool,
    /// Whether some of these are functions.
    values: bool,
    /// Whether some symbols have axioms.
    axioms: bool,
    /// Whether constructors have projections and recognisers.
    fields: bool,
    /// Whether there are functions on texts.
    texts: bool,
    /// Whether a variable has the name of the pattern that matches anything.
    own_wild: bool,
    /// The sorts that the program uses `if` with.
    chosen: [bool; SORTS],
    /// The lists that it uses.
    chosen_list: [bool; 2],
    /// Whether the program is complete: terms for it use what it does.
    complete: bool,
    /// The `var` section in force.
    section: usize,
}

/// The program of a seed.
pub fn program(seed: u64) -> TermCase {
    let mut random = Random::new(seed);
    let numbers = random.chance(94);
    let own_bool = random.chance(15);
    let spelling = if random.chance(70) { ["true", "false"] } else { ["True", "False"] };
    let own = if random.chance(14) { ["min", "if"][random.below(2)] } else { "" };
    let own_wild = random.chance(4);
    // A sort of the name hides the built-in one.
    let lists = random.chance(45);
    let mut generator = Generator {
        sorts: [
            if numbers { "Nat" } else { "Int" },
            if lists { "Chain" } else { "List" },
            "T'",
            "U_1",
            "Bool",
            "Int",
            "Float",
            if numbers { "List(Nat)" } else { "List(Int)" },
            "Row",
        ],
        functions: Vec::new(),
        calls: 12 + random.below(30),
        extremes: [3, 3, 12, 40][random.below(4)],
        numbers,
        truth: spelling,
        own_bool,
        hides: random.chance(8),
        own,
        parameters: own != "if" && random.chance(35),
        values: random.chance(40),
        axioms: random.chance(25),
        fields: random.chance(35),
        texts: numbers && random.chance(30),
        lists,
        own_wild,
        chosen: [false; SORTS],
        chosen_list: [false; 2],
        complete: false,
        section: 0,
        random,
    };
    generator.values &= generator.parameters;
    // There is no other function of the name.
    generator.axioms &= generator.parameters && !generator.fields;
    generator.declare();
    generator.case()
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }
    fn any_sort(&mut self) -> usize {
        let sort = self.below(SORTS);
        match sort {
            NS | INTS_LIST if !self.lists => N,
            NS => NS,
            _ if self.numbers || sort < INT => sort,
            _ => N,
        }
    }

    fn declare(&mut self) {
        let count = 2 + self.below(6);
        for i in 0..count {
            let recursion = match self.below(10) {
                0..6 => Recursion::Part,
                6..8 if self.numbers => Recursion::Count,
                _ => Recursion::None,
            };
            let first = match recursion {
                Recursion::Part => self.below(3),
                Recursion::Count => INT,
                Recursion::None => self.any_sort(),
            };
            let arity = if recursion == Recursion::None { self.below(4) } else { 1 + self.below(4) };
            let args: Vec<usize> = (0..arity).map(|i| if i == 0 { first } else { self.any_sort() }).collect();
            let result = self.any_sort();
            let name = match self.own {
                "" => format!("{}{i}", ["F", "f_", "G'"][self.below(3)]),
                own if i == count - 1 => own.into(),
                _ => format!("g{i}"),
            };
            self.functions.push(Function { name, args, result, recursion });
        }
    }

    fn case(&mut self) -> TermCase {
        let mut equations = [String::new(), String::new()];
        for f in 0..self.functions.len() {
            self.section = usize::from(f >= self.functions.len() / 2);
            let section = self.section;
            let rules = self.rules(f);
            equations[section] += &rules;
        }
        let mut text = self.declarations();
        if self.parameters {
            text += parameters::EQUATIONS;
        }
        if self.values {
            text += functions::EQUATIONS;
        }
        if self.texts {
            text += texts::EQUATIONS;
        }
        if self.axioms {
            text += &axioms::EQUATIONS.replace("True", self.truth[0]).replace("False", self.truth[1]);
        }
        for (section, rules) in equations.iter().enumerate() {
            self.section = section;
            text += &self.variables();
            if !rules.is_empty() {
                let _ = write!(text, "eqn\n{rules}");
            }
        }
        let input = self.input();
        self.complete = true;
        let end = if self.chance(90) { ";" } else { "" };
        let _ = writeln!(text, "input {input}{end}");
        let terms = (0..self.below(4)).map(|_| self.input()).collect();
        TermCase { text, terms }
    }

    /// The sorts and symbols. Functions are declared where a constructor may be, or by themselves.
    fn declarations(&mut self) -> String {
        let [n, l, t, u, b, int, float, ..] = self.sorts;
        let (int, float) = if self.numbers { (int, float) } else { (n, n) };
        let empty = if self.chance(50) { "E" } else { "E()" };
        let mut structs = if self.fields {
            [
                format!("Z?is_Z | S(less: {n}) | P(less: {n})?is_P"),
                format!(
                    "{empty} | C(first: {n}, rest: {l})?is_C | D(left: {l}, {l}) | I({int}, rest: {l})?is_I"
                ),
                format!("Lf(leaf: {float}) | Nd({t}, bit: {b}, {t})?is_Nd | K(key: {int}) | Q({u})"),
            ]
        } else {
            [
                "Z | S(N) | P(N)".replace('N', n),
                format!("{empty} | C({n}, {l}) | D({l}, {l}) | I({int}, {l})"),
                format!("Lf({float}) | Nd({t}, {b}, {t}) | K({int}) | Q({u})"),
            ]
        };
        let t = if self.fields { "Tree" } else { t };
        let mut others = String::new();
        let mut map = String::new();
        for function in self.functions.clone() {
            let args: Vec<&str> = function.args.iter().map(|&a| self.sorts[a]).collect();
            let result = self.sorts[function.result];
            if function.result < U && self.chance(60) {
                let declared = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
                let _ = write!(structs[function.result], " | {}{declared}", function.name);
            } else if args.is_empty() {
                let _ = writeln!(map, "  {}: {result};", function.name);
            } else {
                let _ = writeln!(map, "  {}: {} -> {result};", function.name, args.join(" # "));
            }
        }
        if !map.is_empty() {
            let _ = write!(others, "map\n{map}");
        }
        let [s0, s1, s2] = structs;
        let mut text = format!("% {} functions\nsort {u}, Unused;\n", self.functions.len());
        let _ = writeln!(text, "sort {n} = struct {s0};\n  {l} = struct {s1};\nsort {t} = struct {s2};");
        if self.fields {
            let _ = writeln!(text, "sort {} = {t};", self.sorts[T]);
        }
        let _ = writeln!(text, "cons u0, u1: {u};\nmap W: {u} -> {u}; M: {int} # {float} # {b} -> {u};");
        if self.lists && self.numbers {
            text += "sort Row = List(Int);\n";
        }
        if self.own_bool {
            let [yes, no] = self.truth;
            let third = if self.chance(50) { " | maybe" } else { "" };
            let _ = writeln!(text, "sort {b} = struct {yes} | {no}{third};");
        }
        if self.parameters {
            text += &self.with_parameters();
        }
        if self.values {
            text += functions::DECLARATIONS;
        }
        if self.axioms {
            text += axioms::DECLARATIONS;
        }
        if self.texts {
            text += texts::DECLARATIONS;
        }
        text + &others
    }

    fn var_name(&self, sort: usize, number: usize) -> String {
        if self.hides && sort == N && number == 0 {
            return "E".into();
        }
        if self.own_wild && sort == N && number == 1 {
            return "_".into();
        }
        // The second section declares the names of the first one anew, for other sorts.
        let position = (sort * VARS + number + self.section * VARS) % (SORTS * VARS);
        format!("{}{position}", ["v", "x'", "Y_"][position % 3])
    }

    fn variables(&mut self) -> String {
        let mut text = "var".to_string();
        let has = |s: &usize| match *s {
            NS => self.lists,
            INTS_LIST => self.lists && self.numbers,
            s => self.numbers || s < INT,
        };
        for sort in (0..SORTS).filter(has) {
            let names: Vec<String> = (0..VARS).map(|v| self.var_name(sort, v)).collect();
            let _ = write!(text, " {}: {};", names.join(", "), self.sorts[sort]);
        }
        text + "\n"
    }

    fn rules(&mut self, f: usize) -> String {
        let mut text = String::new();
        if self.functions[f].recursion == Recursion::Count {
            text += &self.counting(f);
            return text;
        }
        let count = 1 + self.below(4);
        for _ in 0..count {
            text += &self.rule(f, false);
        }
        // Mostly something matches: a stuck number ends the run.
        if self.chance(if self.functions[f].result >= INT { 92 } else { 75 }) {
            text += &self.rule(f, true);
        }
        text
    }

    /// A function that counts its first argument down.
    fn counting(&mut self, f: usize) -> String {
        let Function { name, args, result, .. } = self.functions[f].clone();
        let mut vars: Vec<Var> = Vec::new();
        let patterns: Vec<String> = args.iter().map(|&sort| self.new_var(sort, false, &mut vars)).collect();
        let left = format!("{name}({})", patterns.join(", "));
        let counter = patterns[0].clone();
        let base = Scope { vars: &vars, group: f / 2, counter: None, equation: true };
        let end = self.expr(result, &base, 2);
        let again = Scope { vars: &vars, group: f / 2, counter: Some(f), equation: true };
        let more = self.expr(result, &again, 3);
        let stop = match self.below(3) {
            0 => format!("({counter} <= 0 || {counter} > 6)"),
            1 => format!("!({counter} > 0 && {counter} < 5)"),
            _ => format!("{counter} <= 0 || {counter} >= 4"),
        };
        format!("  {stop} -> {left} = {end};\n  {left} = {more};\n")
    }

    fn rule(&mut self, f: usize, any: bool) -> String {
        let Function { name, args, result, recursion } = self.functions[f].clone();
        let mut vars = Vec::new();
        let patterns: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, &sort)| match any {
                true => self.new_var(sort, false, &mut vars),
                false => self.pattern(sort, i == 0 && recursion == Recursion::Part, false, 2, &mut vars),
            })
            .collect();
        let condition = if !any && self.chance(32) { self.condition(f, &mut vars) } else { String::new() };
        let (values, named) = if self.chance(10) { self.values(f, &mut vars) } else { Default::default() };
        let scope = Scope { vars: &vars, group: f / 2, counter: None, equation: true };
        let mut body = self.expr(result, &scope, 3);
        if let Some((name, _)) = named.iter().find(|(_, sort)| *sort == result)
            && self.chance(50)
        {
            body = name.clone();
        }
        let last = if self.chance(8) { " [owise]" } else { "" };
        let left = match patterns.is_empty() {
            true if self.chance(50) => name,
            true => format!("{name}()"),
            false => format!("{name}({})", patterns.join(", ")),
        };
        let comment = if self.chance(5) { "  % a comment; = -> input\n" } else { "" };
        format!("{comment}  {condition}{left} = {body}{values}{last};\n")
    }

    fn new_var(&mut self, sort: usize, part: bool, vars: &mut Vec<Var>) -> String {
        let number = vars.iter().filter(|v| v.sort == sort).map(|v| v.number + 1).max().unwrap_or(0);
        let number = number.min(VARS - 1);
        if !vars.iter().any(|v| v.sort == sort && v.number == number) {
            vars.push(Var { number, sort, part });
        }
        self.var_name(sort, number)
    }

    fn pattern(&mut self, sort: usize, first: bool, part: bool, depth: usize, vars: &mut Vec<Var>) -> String {
        // Now and then a variable again.
        if self.chance(9)
            && let Some(var) = vars.iter().find(|v| v.sort == sort)
        {
            return self.var_name(sort, var.number);
        }
        if depth == 0 || self.chance(if first { 25 } else { 50 }) {
            if !self.own_wild && self.chance(12) {
                return "_".into();
            }
            return self.new_var(sort, part, vars);
        }
        if self.chance(8)
            && let Some(stuck) = self.stuck_pattern(sort, first, vars)
        {
            return stuck;
        }
        let mut inner = |g: &mut Self, s: usize| g.pattern(s, first, first, depth - 1, vars);
        let int = if self.numbers { INT } else { N };
        let float = if self.numbers { FLOAT } else { N };
        match (sort, self.below(5)) {
            (N, 0) => self.constant("Z"),
            (N, 1) => format!("P({})", inner(self, N)),
            (N, 2) => format!("S^{}({})", self.below(4), inner(self, N)),
            (N, _) => format!("S({})", inner(self, N)),
            (L, 0) => self.constant("E"),
            (L, 1) => format!("C({}, {})", inner(self, N), inner(self, L)),
            (L, 2) => format!("D({}, {})", inner(self, L), inner(self, L)),
            (L, _) => format!("I({}, {})", inner(self, int), inner(self, L)),
            (T, 0) => format!("Lf({})", inner(self, float)),
            (T, 1) => format!("K({})", inner(self, int)),
            (T, 2) => format!("Q({})", inner(self, U)),
            (T, _) => format!("Nd({}, {}, {})", inner(self, T), inner(self, BOOL), inner(self, T)),
            (U, 0) => "u0".into(),
            (U, 1) => "u1()".into(),
            (U, 2) => format!("W({})", inner(self, U)),
            (U, _) => format!("M({}, {}, {})", inner(self, int), inner(self, float), inner(self, BOOL)),
            (BOOL, _) => self.truth_value(),
            (INT, _) => self.int(),
            (FLOAT, _) => self.float(),
            (sort, shape) => {
                let element = if sort == NS { N } else { INT };
                match shape {
                    0 => "[]".into(),
                    1 => format!("[{}, {}]", inner(self, element), inner(self, element)),
                    2 => format!("[{}]", inner(self, element)),
                    // Part of a list pattern stands at the same place as the list.
                    _ => {
                        let first = inner(self, element);
                        let first = if first.starts_with('-') { format!("({first})") } else { first };
                        format!("({first} |> {})", inner(self, sort))
                    }
                }
            }
        }
    }

    /// An application that no rule matches, as a pattern.
    fn stuck_pattern(&mut self, sort: usize, first: bool, vars: &mut Vec<Var>) -> Option<String> {
        let fits = |f: &&Function| f.result == sort && sort < INT && !f.args.is_empty();
        let function = self.functions.iter().find(fits)?.clone();
        let args: Vec<String> =
            function.args.iter().map(|&s| self.pattern(s, first, first, 0, vars)).collect();
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    fn constant(&mut self, name: &str) -> String {
        if name == "E" && self.hides || self.chance(15) { format!("{name}()") } else { name.into() }
    }

    fn truth_value(&mut self) -> String {
        let [yes, no] = if self.own_bool || self.chance(80) { self.truth } else { ["true", "False"] };
        let name = if self.chance(50) { yes } else { no };
        if self.chance(10) { format!("{name}()") } else { name.into() }
    }

    fn int(&mut self) -> String {
        if self.chance(self.extremes) {
            INTS[self.below(INTS.len())].into()
        } else {
            self.below(5).to_string()
        }
    }

    fn float(&mut self) -> String {
        if self.chance(30 + self.extremes) {
            return FLOATS[self.below(FLOATS.len())].into();
        }
        format!("{}.{}", self.below(4), [0, 5, 25][self.below(3)])
    }

    fn input(&mut self) -> String {
        let last = self.functions.len() - 1;
        let f = last - self.below(2).min(last);
        let scope = Scope { vars: &[], group: f / 2 + 1, counter: None, equation: false };
        if self.chance(90) { self.call(f, &scope, 5) } else { self.expr(self.functions[f].result, &scope, 5) }
    }

    fn expr(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let fitting: Vec<usize> = scope.vars.iter().filter(|v| v.sort == sort).map(|v| v.number).collect();
        if !fitting.is_empty() && (depth == 0 || self.chance(28)) {
            let number = fitting[self.below(fitting.len())];
            return self.var_name(sort, number);
        }
        if depth > 0 && self.chance(self.calls) {
            let callable: Vec<usize> =
                (0..self.functions.len()).filter(|&f| self.is_callable(f, sort, scope)).collect();
            if !callable.is_empty() {
                let f = callable[self.below(callable.len())];
                return self.call(f, scope, depth);
            }
        }
        if depth > 0 && self.own != "if" && (self.chosen[sort] || !self.complete) && self.chance(7) {
            self.chosen[sort] = true;
            let test = self.expr(BOOL, scope, depth - 1);
            let branches = [0, 1].map(|_| self.expr(sort, scope, depth - 1));
            return format!("if({test}, {}, {})", branches[0], branches[1]);
        }
        if depth > 0 && self.fields && self.chance(8) {
            let all: &[(&str, usize, usize)] = &[
                ("less", N, N),
                ("first", L, N),
                ("rest", L, L),
                ("left", L, L),
                ("is_Z", N, BOOL),
                ("is_P", N, BOOL),
                ("is_C", L, BOOL),
                ("is_I", L, BOOL),
                ("is_Nd", T, BOOL),
                ("bit", T, BOOL),
                ("key", T, if self.numbers { INT } else { N }),
                ("leaf", T, if self.numbers { FLOAT } else { N }),
            ];
            let fitting: Vec<_> = all.iter().filter(|(_, _, result)| *result == sort).collect();
            if !fitting.is_empty() {
                let &(name, of, _) = fitting[self.below(fitting.len())];
                return format!("{name}({})", self.expr(of, scope, depth - 1));
            }
        }
        if depth > 0
            && self.lists
            && self.chance(8)
            && let Some(text) = self.of_list(sort, scope, depth - 1)
        {
            return text;
        }
        if depth > 0 && self.parameters && !self.complete && self.chance(9) {
            return self.of_instance(sort, scope, depth - 1);
        }
        if depth > 0 && self.values && !self.complete && self.chance(7) {
            return self.with_functions(sort, scope, depth - 1);
        }
        if depth > 0 && self.axioms && !self.complete && self.chance(8) {
            return self.modulo_axioms(sort, scope, depth - 1);
        }
        if depth > 0
            && self.texts
            && !self.complete
            && self.chance(12)
            && let Some(text) = self.of_texts(sort, scope, depth - 1)
        {
            return text;
        }
        match sort {
            BOOL => self.truth(scope, depth),
            INT => self.int_expr(scope, depth),
            FLOAT => self.float_expr(scope, depth),
            NS | INTS_LIST => self.list_expr(sort, scope, depth),
            _ => self.data(sort, scope, depth),
        }
    }

    fn is_callable(&self, f: usize, sort: usize, scope: &Scope<'_>) -> bool {
        let function = &self.functions[f];
        let own_group = f / 2 == scope.group;
        let smaller = || scope.vars.iter().any(|v| v.part && v.sort == function.args[0]);
        let recursive = match function.recursion {
            Recursion::Part => own_group && smaller(),
            Recursion::Count => scope.counter == Some(f),
            Recursion::None => false,
        };
        function.result == sort && (f / 2 < scope.group || recursive)
    }

    fn call(&mut self, f: usize, scope: &Scope<'_>, depth: usize) -> String {
        let Function { name, args, recursion, .. } = self.functions[f].clone();
        let own_group = f / 2 >= scope.group;
        let args: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, &sort)| {
                if i == 0 && own_group && recursion == Recursion::Part {
                    let parts = scope.vars.iter().filter(|v| v.part && v.sort == sort);
                    let parts: Vec<usize> = parts.map(|v| v.number).collect();
                    let number = parts[self.below(parts.len())];
                    return self.var_name(sort, number);
                }
                if i == 0 && own_group && recursion == Recursion::Count {
                    return format!("{} - 1", self.var_name(INT, 0));
                }
                self.expr(sort, scope, depth - 1)
            })
            .collect();
        match args.is_empty() {
            true if self.chance(50) => name,
            _ => format!("{name}({})", args.join(", ")),
        }
    }

    fn data(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let int = if self.numbers { INT } else { N };
        let float = if self.numbers { FLOAT } else { N };
        let shape = self.below(if depth == 0 { 1 } else { 6 });
        let of = |g: &mut Self, s: usize| g.expr(s, scope, d);
        match (sort, shape) {
            (N, 0) => self.constant("Z"),
            (N, 1) => format!("S^{}({})", self.below(9), of(self, N)),
            (N, 2) => format!("P({})", of(self, N)),
            (N, _) => format!("S({})", of(self, N)),
            (L, 0) => {
                if scope.equation {
                    self.constant("E")
                } else {
                    "E".into()
                }
            }
            (L, 1 | 2) => format!("C({}, {})", of(self, N), of(self, L)),
            (L, 3) => format!("D({}, {})", of(self, L), of(self, L)),
            (L, _) => format!("I({}, {})", of(self, int), of(self, L)),
            (T, 0) => format!("K({})", self.expr(int, scope, 0)),
            (T, 1) => format!("Lf({})", of(self, float)),
            (T, 2) => format!("Q({})", of(self, U)),
            (T, _) => format!("Nd({}, {}, {})", of(self, T), of(self, BOOL), of(self, T)),
            (_, 0) => ["u0", "u1()", "u1"][self.below(3)].into(),
            (_, 1) => format!("W({})", of(self, U)),
            (_, 2) => format!("W^{}({})", 1 + self.below(6), of(self, U)),
            (_, _) => format!("M({}, {}, {})", of(self, int), of(self, float), of(self, BOOL)),
        }
    }
}
