//! Random ground constraint programs over the whole language. Types of columns are respected as far as the text tells
//! them, so that most programs are accepted; whether a program ends is not looked at.

mod expression;
mod rule;
mod value;

use std::fmt::Write;

use crate::random::Random;

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstraintCase {
    /// The program, with its queries.
    pub text: String,
    /// Further queries.
    pub queries: Vec<String>,
}

/// The type of a column, or what is known of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Int,
    Dense,
    Natural,
    /// Another name for `int`.
    Weight,
    Float,
    Atom,
    Str,
    Number,
    Any,
    /// `color ---> red ; green ; blue`.
    Color,
    /// `tree ---> leaf ; node(tree, int, tree)`.
    Tree,
    /// `list(int)`, a type with a parameter.
    Ints,
    /// Not declared.
    Open,
}

const TYPES: [Type; 13] = [
    Type::Int,
    Type::Dense,
    Type::Natural,
    Type::Weight,
    Type::Float,
    Type::Atom,
    Type::Str,
    Type::Number,
    Type::Any,
    Type::Color,
    Type::Tree,
    Type::Ints,
    Type::Open,
];

impl Type {
    fn text(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Dense => "dense_int",
            Type::Natural => "natural",
            Type::Weight => "weight",
            Type::Float => "float",
            Type::Atom => "atom",
            Type::Str => "string",
            Type::Number => "number",
            Type::Any => "any",
            Type::Color => "color",
            Type::Tree => "tree",
            Type::Ints => "list(int)",
            Type::Open => "",
        }
    }
    fn is_int(self) -> bool {
        matches!(self, Type::Int | Type::Dense | Type::Natural | Type::Weight)
    }
    fn is_number(self) -> bool {
        self.is_int() || matches!(self, Type::Float | Type::Number)
    }
    /// Whether a value that is known to be of this type surely fits a column.
    fn fits(self, column: Type) -> bool {
        match column {
            Type::Any | Type::Open => true,
            Type::Number => self.is_number(),
            Type::Int | Type::Weight => self.is_int(),
            Type::Dense | Type::Natural => matches!(self, Type::Dense | Type::Natural),
            _ => self == column,
        }
    }
}

/// A constraint symbol.
#[derive(Clone, Debug)]
struct Symbol {
    name: &'static str,
    columns: Vec<Type>,
}

/// A variable that has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bound {
    name: &'static str,
    ty: Type,
}

/// Writes the parts of a program.
struct Generator {
    random: Random,
    symbols: Vec<Symbol>,
    /// Whether bodies write.
    writes: bool,
    /// Whether a body may add whatever it wants; else mostly what no rule before takes.
    wild: bool,
    /// Percentage of numbers that are extreme.
    extremes: usize,
}

/// Names of constraints in the order in which programs take them.
const NAMES: [&str; 6] = ["a", "b", "c", "d_1", "'e f'", "g"];

/// The program of a seed.
pub fn program(seed: u64) -> ConstraintCase {
    let random = Random::new(seed);
    let mut generator = Generator { random, symbols: Vec::new(), writes: false, wild: false, extremes: 3 };
    generator.writes = generator.chance(25);
    generator.wild = generator.chance(20);
    generator.extremes = [2, 2, 8, 35][generator.below(4)];
    generator.case()
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }
    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    fn case(&mut self) -> ConstraintCase {
        self.choose_symbols();
        let mut text = self.directives();
        if self.chance(40) {
            text += &self.class_rules();
        }
        for number in 0..1 + self.below(4) {
            if self.chance(5) {
                text += self.pick(&["% a comment: <=> ==>.\n", "/* a comment. */\n"]);
            }
            let name = match self.below(4) {
                0 => String::new(),
                1 => format!("'rule {number}' @ "),
                _ => format!("r{number} @ "),
            };
            let rule = self.rule();
            let _ = writeln!(text, "{name}{rule}.");
        }
        for _ in 0..[1, 1, 2][self.below(3)] {
            let query = self.query();
            let _ = writeln!(text, "?- {query}.");
        }
        let queries = if self.chance(15) { vec![self.query()] } else { Vec::new() };
        ConstraintCase { text, queries }
    }

    fn choose_symbols(&mut self) {
        // Programs of small numbers meet more often than those of all types.
        let palette: Vec<Type> = match self.below(5) {
            0 => vec![Type::Int],
            1 => vec![Type::Int, Type::Dense, Type::Natural],
            2 => vec![Type::Any, Type::Open],
            3 => vec![Type::Float, Type::Int, Type::Number, Type::Open],
            _ => TYPES.to_vec(),
        };
        for name in &NAMES[..3 + self.below(4)] {
            let arity = [1, 2, 0, 3, 1, 2][self.symbols.len()];
            let columns = (0..arity).map(|_| palette[self.below(palette.len())]).collect();
            self.symbols.push(Symbol { name, columns });
        }
    }

    fn directives(&mut self) -> String {
        let mut text = String::new();
        if self.chance(15) {
            text += ":- module(m, [a/1]).\n";
        }
        if self.chance(30) {
            text += ":- use_module(library(chr)).\n";
        }
        if self.chance(8) {
            text += self.pick(&[":- dynamic p/1.\n", ":- set_prolog_flag(verbose, silent).\n"]);
        }
        if self.chance(12) {
            text += self.pick(&[
                ":- chr_option(semantics, refined).\n",
                ":- chr_option(semantics, rounds).\n",
                ":- chr_option(optimize, full), chr_option(debug, off).\n",
            ]);
        }
        let used: Vec<Type> = self.symbols.iter().flat_map(|s| s.columns.clone()).collect();
        for (ty, definition) in [
            (Type::Weight, "weight == int"),
            (Type::Color, "color ---> red ; green ; blue"),
            (Type::Tree, "tree ---> leaf ; node(tree, int, tree)"),
            (Type::Ints, "list(T) ---> [] ; [T|list(T)]"),
        ] {
            if used.contains(&ty) {
                let _ = writeln!(text, ":- chr_type {definition}.");
            }
        }
        let word = if self.chance(85) { "chr_constraint" } else { "constraints" };
        let declared: Vec<String> = self.symbols.clone().iter().map(|s| self.declared(s)).collect();
        if self.chance(70) {
            let _ = writeln!(text, ":- {word} {}.", declared.join(", "));
        } else {
            text += &declared.iter().map(|d| format!(":- {word} {d}.\n")).collect::<String>();
        }
        text
    }

    fn declared(&mut self, symbol: &Symbol) -> String {
        let Symbol { name, columns } = symbol;
        if columns.iter().all(|&c| c == Type::Open) && self.chance(60) {
            return format!("{name}/{}", columns.len());
        }
        if columns.is_empty() {
            return (*name).into();
        }
        let columns = columns.iter().map(|&ty| {
            let mode = self.pick(&["+", "?", "-", ""]);
            match ty {
                Type::Open if mode.is_empty() => "?".to_string(),
                Type::Open => mode.into(),
                ty => format!("{mode}{}", ty.text()),
            }
        });
        format!("{name}({})", columns.collect::<Vec<_>>().join(", "))
    }

    fn query(&mut self) -> String {
        let mut bound = Vec::new();
        let mut goals = Vec::new();
        for _ in 0..1 + self.below(7) {
            goals.extend(self.aside(&mut bound));
            goals.push(self.constraint(0, &bound));
        }
        goals.join(", ")
    }

    /// A constraint to be added whose symbol is not before one.
    fn constraint(&mut self, first: usize, bound: &[Bound]) -> String {
        let first = first.min(self.symbols.len() - 1);
        let at = first + self.below(self.symbols.len() - first);
        let symbol = self.symbols[at].clone();
        let args: Vec<String> = symbol.columns.iter().map(|&ty| self.argument(ty, bound)).collect();
        applied(symbol.name, &args)
    }
}

fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.into() } else { format!("{name}({})", args.join(", ")) }
}
