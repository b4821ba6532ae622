//! Many-sorted innermost rewriting: terms as trees, rules tried one after the other, recursion.

mod axioms;
mod functions;
mod meaning;
mod texts;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gchr_trs::ast::{self, ListOp, Module, NodeKind, Section, SortBody, operator_text};

use super::arithmetic::{self, Number, WRONG_TYPE};
use super::{End, LARGE, Stop};

use self::axioms::Axioms;
use self::functions::Lambda;

/// A normal form.
#[derive(Clone, Debug)]
pub enum Term {
    /// An application.
    App(Arc<str>, Arc<[Term]>),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

/// A term of the program.
#[derive(Clone, Debug)]
enum Tree {
    Var(Arc<str>),
    /// Anything.
    Wild,
    App(Arc<str>, Vec<Tree>),
    Power(Arc<str>, u32, Box<Tree>),
    Int(i64),
    Float(f64),
    /// A built-in operator or function.
    Op(Arc<str>, Vec<Tree>),
    /// An operator or function on lists.
    OfList(Arc<str>, Vec<Tree>),
    /// A choice between two terms.
    If(Box<[Tree; 3]>),
    /// A function, by its key, with the values of variables.
    Function(Arc<str>, Vec<Tree>),
    /// A function that is a value, with arguments.
    Apply(Box<Tree>, Vec<Tree>),
}

struct Rule {
    left: Vec<Tree>,
    condition: Option<Tree>,
    /// Values of further variables of the right-hand side.
    values: Vec<(Arc<str>, Tree)>,
    right: Tree,
    /// Whether it is tried after all others.
    otherwise: bool,
}

/// A program.
pub struct Program {
    /// Result sort of each declared symbol.
    results: HashMap<Arc<str>, String>,
    /// Number of arguments of those with some.
    arities: HashMap<Arc<str>, usize>,
    /// Symbols with axioms.
    axioms: HashMap<Arc<str>, Axioms>,
    /// Functions that are values, by their keys.
    lambdas: RefCell<HashMap<Arc<str>, Arc<Lambda>>>,
    /// The function whose equation is being read.
    owner: Arc<str>,
    /// The sorts that it declares.
    sorts: HashSet<String>,
    /// The names that stand for any sort.
    parameters: HashSet<String>,
    rules: HashMap<Arc<str>, Vec<Rule>>,
    truth: [Arc<str>; 2],
    input: Option<Tree>,
}

/// The result of an input.
#[derive(Clone, Debug)]
pub struct Normalised {
    /// How it ended.
    pub end: End,
    /// The normal form as text; empty without one.
    pub text: String,
}

/// Rule applications and operations of a run, and the depth of nested evaluations, at most.
const STEPS: u32 = 20_000;
const DEPTH: u32 = 2_000;

/// A pattern and a term in a condition.
const MATCHES: &str = ":=";

/// The constructors of lists.
const EMPTY: &str = "[]";
const CONS: &str = "|>";

/// Parts of a term, at most.
const LARGEST: u32 = 3_000;

type Env = Vec<(Arc<str>, Term)>;

impl Program {
    /// The normal form of the program's input.
    pub fn run(&self) -> Option<Normalised> {
        self.input.as_ref().map(|input| self.normalise(input))
    }

    /// The normal form of a further input, whose syntax tree is that of a program with this input alone.
    pub fn run_input(&self, module: &Module) -> Option<Normalised> {
        let input = module.sections.iter().find_map(|section| match section {
            Section::Input(input) => Some(&input.term),
            _ => None,
        });
        input.map(|term| self.normalise(&self.tree(module, term, &HashSet::new())))
    }

    fn normalise(&self, input: &Tree) -> Normalised {
        let mut run = Run { program: self, steps: 0, depth: 0, rules: 0 };
        match run.eval(input, &Vec::new()) {
            Ok(term) => Normalised { end: End::Done, text: show(&term) },
            Err(stop) => Normalised { end: stop.into(), text: String::new() },
        }
    }
}

struct Run<'p> {
    program: &'p Program,
    steps: u32,
    depth: u32,
    /// Rules whose conditions or right-hand sides are being evaluated; none while an operator of the input itself is.
    rules: u32,
}

impl Run<'_> {
    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS { Err(Stop::Unknown("too many steps")) } else { Ok(()) }
    }

    fn eval(&mut self, tree: &Tree, env: &Env) -> Result<Term, Stop> {
        self.step()?;
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Stop::Unknown("too deep"));
        }
        let value = match tree {
            Tree::Var(name) => lookup(env, name).ok_or(Stop::Unknown("a variable without a value"))?.clone(),
            Tree::Int(n) => Term::Int(*n),
            Tree::Float(x) => Term::Float(*x),
            Tree::App(name, args) => {
                let args = args.iter().map(|a| self.eval(a, env)).collect::<Result<Vec<_>, _>>()?;
                self.apply(name, args)?
            }
            Tree::Power(name, count, arg) => {
                let mut value = self.eval(arg, env)?;
                for _ in 0..*count {
                    value = self.apply(name, vec![value])?;
                }
                value
            }
            Tree::Op(op, args) => self.operate(op, args, env)?,
            Tree::If(args) => self.choose(args, env)?,
            Tree::OfList(op, args) => {
                let args = args.iter().map(|a| self.eval(a, env)).collect::<Result<Vec<_>, _>>()?;
                self.of_list(op, args)?
            }
            Tree::Function(key, captured) => {
                let captured = captured.iter().map(|value| self.eval(value, env));
                Term::App(key.clone(), captured.collect::<Result<Vec<_>, _>>()?.into())
            }
            Tree::Apply(function, args) => {
                let function = self.eval(function, env)?;
                let args = args.iter().map(|a| self.eval(a, env)).collect::<Result<Vec<_>, _>>()?;
                self.apply_value(&function, args)?
            }
            Tree::Wild => return Err(Stop::Unknown("a term that stands for any")),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// The normal form of a symbol applied to normal forms.
    fn apply(&mut self, name: &Arc<str>, args: Vec<Term>) -> Result<Term, Stop> {
        self.step()?;
        let program = self.program;
        let rules = program.rules.get(name).map_or(&[][..], Vec::as_slice);
        let in_order =
            [false, true].into_iter().flat_map(|last| rules.iter().filter(move |r| r.otherwise == last));
        let args = program.flattened(name, args);
        let found = in_order.flat_map(|rule| {
            program.instances(name, rule, &args).into_iter().map(move |found| (rule, found))
        });
        for (rule, (mut env, rest)) in found {
            self.rules += 1;
            let holds =
                rule.condition.as_ref().map_or(Ok(true), |condition| self.holds(condition, &mut env))?;
            if holds {
                let values =
                    rule.values.iter().map(|(name, value)| Ok((name.clone(), self.eval(value, &env)?)));
                let values = values.collect::<Result<Vec<_>, Stop>>()?;
                env.extend(values);
            }
            let value = holds.then(|| self.eval(&rule.right, &env)).transpose()?;
            self.rules -= 1;
            if let Some(value) = value {
                return rest.within(self, name, value);
            }
        }
        if let Some(term) = program.made_of(name, &args) {
            return Ok(term);
        }
        let result = program.results.get(name).map_or("Bool", String::as_str);
        if ["Int", "Float"].contains(&result) && !program.sorts.contains(result) {
            return Err(Stop::Error("R0105"));
        }
        if program.parameters.contains(result) {
            return Err(Stop::Unknown("a term without a rule whose sort may be one of numbers"));
        }
        let term = Term::App(name.clone(), args.into());
        if is_within(&term, &mut LARGEST.clone()) { Ok(term) } else { Err(Stop::Unknown(LARGE)) }
    }

    /// An operation on lists. What it is not defined for stays, unless it should be a number.
    fn of_list(&mut self, op: &Arc<str>, args: Vec<Term>) -> Result<Term, Stop> {
        let is_list = |term: &Term| matches!(term, Term::App(f, _) if [EMPTY, CONS].contains(&&**f));
        let at = usize::from(&**op == "in");
        let (mut elements, rest) = elements(&args[at]);
        self.steps += elements.len() as u32;
        self.step()?;
        let closed = is_list(&rest);
        let (of_numbers, none) = (elements.iter().any(|x| number(x).is_some()), elements.is_empty());
        let cons = |x: Term, rest: Term| Term::App(CONS.into(), [x, rest].into());
        let list = |xs: Vec<Term>, rest: Term| xs.into_iter().rev().fold(rest, |rest, x| cons(x, rest));
        let value = match &**op {
            "head" if !elements.is_empty() => Ok(elements.remove(0)),
            "tail" if !elements.is_empty() => Ok(list(elements.split_off(1), rest)),
            "rhead" if closed && !elements.is_empty() => Ok(elements.pop().expect("an element")),
            "rtail" if closed && !elements.is_empty() => {
                elements.pop();
                Ok(list(elements, rest))
            }
            // The last element that is known may be the last one, or not.
            "rhead" => {
                let known = elements.pop().map_or(rest.clone(), |last| cons(last, rest));
                Err(Term::App(op.clone(), [known].into()))
            }
            "rtail" if !closed && !elements.is_empty() => {
                let last = elements.pop().expect("an element");
                Ok(list(elements, Term::App(op.clone(), [cons(last, rest)].into())))
            }
            "#" if closed => Ok(Term::Int(elements.len() as i64)),
            "#" => return Err(Stop::Error("R0105")),
            "++" if closed => Ok(list(elements, args[1].clone())),
            "++" => Ok(list(elements, Term::App(op.clone(), [rest, args[1].clone()].into()))),
            "<|" if closed => Ok(list(elements, cons(args[1].clone(), rest))),
            "<|" => Ok(list(elements, Term::App(op.clone(), [rest, args[1].clone()].into()))),
            "." => match args[1] {
                Term::Int(n) if n >= 0 && (n as usize) < elements.len() => {
                    Ok(elements.swap_remove(n as usize))
                }
                Term::Int(n) if n >= 0 => {
                    let left = n - elements.len() as i64;
                    Err(Term::App(op.clone(), [rest, Term::Int(left)].into()))
                }
                _ => Err(Term::App(op.clone(), args.clone().into())),
            },
            "in" => {
                if elements.iter().any(|x| equal(x, &args[0])) {
                    Ok(self.truth(true))
                } else if closed {
                    Ok(self.truth(false))
                } else {
                    Err(Term::App(op.clone(), [args[0].clone(), rest].into()))
                }
            }
            _ => Err(Term::App(op.clone(), args.clone().into())),
        };
        match value {
            Ok(term) if is_within(&term, &mut LARGEST.clone()) => Ok(term),
            Ok(_) => Err(Stop::Unknown(LARGE)),
            // An element that is missing; the sort of elements is known from others alone.
            Err(_) if ["head", "rhead", "."].contains(&&**op) && of_numbers => Err(Stop::Error("R0105")),
            Err(_) if ["head", "rhead", "."].contains(&&**op) && none => {
                Err(Stop::Unknown("an element of an empty list"))
            }
            Err(term) => Ok(term),
        }
    }

    /// A choice evaluates what it chooses; both, where its test is neither true nor false and as a part of the input.
    fn choose(&mut self, [test, yes, no]: &[Tree; 3], env: &Env) -> Result<Term, Stop> {
        let test = self.eval(test, env)?;
        let chosen = self.truth_of(&test);
        let side = |side: &Tree, is_chosen: bool, run: &mut Self| {
            let needed = chosen.is_none_or(|_| is_chosen || run.rules == 0);
            needed.then(|| run.eval(side, env)).transpose()
        };
        let yes = side(yes, chosen == Some(true), self)?;
        let no = side(no, chosen == Some(false), self)?;
        self.step()?;
        match (chosen, yes, no) {
            (Some(true), Some(value), _) | (Some(false), _, Some(value)) => Ok(value),
            (_, Some(Term::App(f, xs)), Some(no)) => {
                let term = Term::App("if".into(), [test, Term::App(f, xs), no].into());
                if is_within(&term, &mut LARGEST.clone()) { Ok(term) } else { Err(Stop::Unknown(LARGE)) }
            }
            // A number that no rule gives.
            _ => Err(Stop::Error("R0105")),
        }
    }

    /// Whether a condition has the normal form `true`. Conditions that are joined by `&&` are conditions of their own.
    fn holds(&mut self, condition: &Tree, env: &mut Env) -> Result<bool, Stop> {
        if let Tree::Op(op, args) = condition
            && &**op == "&&"
        {
            return Ok(self.holds(&args[0], env)? && self.holds(&args[1], env)?);
        }
        if let Tree::Op(op, args) = condition
            && &**op == MATCHES
        {
            let value = self.eval(&args[1], env)?;
            let Some(found) = self.program.matches(&args[0], &value, env.clone()).into_iter().next() else {
                return Ok(false);
            };
            *env = found;
            return Ok(true);
        }
        let value = self.eval(condition, env)?;
        Ok(self.truth_of(&value) == Some(true))
    }

    fn truth_of(&self, value: &Term) -> Option<bool> {
        match value {
            Term::App(name, args) if args.is_empty() => {
                self.program.truth.iter().position(|t| t == name).map(|i| i == 0)
            }
            _ => None,
        }
    }

    fn truth(&self, holds: bool) -> Term {
        Term::App(self.program.truth[usize::from(!holds)].clone(), [].into())
    }

    fn operate(&mut self, op: &str, args: &[Tree], env: &Env) -> Result<Term, Stop> {
        let Some(first) = args.first() else { return Err(Stop::Unknown("an unknown symbol")) };
        let a = self.eval(first, env)?;
        if ["&&", "||", "!"].contains(&op) {
            // An input evaluates both operands, as those of any other symbol.
            let early = (self.rules == 0 && op != "!").then(|| self.eval(&args[1], env)).transpose()?;
            let a = self.truth_of(&a).ok_or(WRONG_TYPE)?;
            return match op {
                "!" => Ok(self.truth(!a)),
                _ if a == (op == "||") => Ok(self.truth(a)),
                _ => {
                    let b = early.map_or_else(|| self.eval(&args[1], env), Ok)?;
                    self.truth_of(&b).map(|b| self.truth(b)).ok_or(WRONG_TYPE)
                }
            };
        }
        if let Some(value) = texts::converted(op, &a) {
            self.step()?;
            return value;
        }
        let b = args.get(1).map(|b| self.eval(b, env)).transpose()?;
        match (number(&a), b) {
            (Some(a), None) => of_number(arithmetic::unary(op, a)),
            (Some(x), Some(b)) => {
                let y = number(&b).ok_or(WRONG_TYPE)?;
                let order = arithmetic::compare(x, y);
                let holds = match op {
                    "==" => order.is_eq(),
                    "!=" => order.is_ne(),
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    ">=" => order.is_ge(),
                    _ => return of_number(arithmetic::binary(of_constraints(op), x, y)),
                };
                Ok(self.truth(holds))
            }
            (None, Some(b)) => Ok(self.truth(same(&a, &b) == (op == "=="))),
            (None, None) => Err(WRONG_TYPE),
        }
    }
}

/// The name of an operator in constraint programs.
fn of_constraints(op: &str) -> &str {
    match op {
        "&" => "/\\",
        "|" => "\\/",
        "^" => "xor",
        other => other,
    }
}

/// Whether a term, written out, has at most so many parts.
fn is_within(term: &Term, room: &mut u32) -> bool {
    if *room == 0 {
        return false;
    }
    *room -= 1;
    match term {
        Term::App(_, args) => args.iter().all(|arg| is_within(arg, room)),
        Term::Int(_) | Term::Float(_) => true,
    }
}

fn number(term: &Term) -> Option<Number> {
    match term {
        Term::App(..) => None,
        Term::Int(n) => Some(Number::Int(*n)),
        Term::Float(x) => Some(Number::Float(*x)),
    }
}

fn of_number(computed: Option<arithmetic::Computed>) -> Result<Term, Stop> {
    match computed.unwrap_or(Err(WRONG_TYPE))? {
        Number::Int(n) => Ok(Term::Int(n)),
        Number::Float(x) => Ok(Term::Float(x)),
    }
}

fn lookup<'e>(env: &'e Env, name: &str) -> Option<&'e Term> {
    env.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
}

fn same_leaf(pattern: &Tree, term: &Term) -> bool {
    match (pattern, term) {
        (Tree::Int(n), Term::Int(m)) => n == m,
        (Tree::Float(x), Term::Float(y)) => same(&Term::Float(*x), &Term::Float(*y)),
        _ => false,
    }
}

/// The elements of a list, and what is behind them.
fn elements(list: &Term) -> (Vec<Term>, Term) {
    let (mut found, mut rest) = (Vec::new(), list);
    while let Term::App(f, args) = rest
        && &**f == CONS
    {
        found.push(args[0].clone());
        rest = &args[1];
    }
    (found, rest.clone())
}

/// Whether two values are equal: numbers by value.
fn equal(a: &Term, b: &Term) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => arithmetic::compare(a, b).is_eq(),
        _ => same(a, b),
    }
}

/// Whether two normal forms are the same term; zeros of different signs are two terms.
fn same(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::App(f, xs), Term::App(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys.iter()).all(|(x, y)| same(x, y))
        }
        (Term::Int(a), Term::Int(b)) => a == b,
        (Term::Float(a), Term::Float(b)) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

/// A normal form in input syntax: four or more of one unary symbol as `S^n(...)`.
fn show(term: &Term) -> String {
    match term {
        Term::Int(n) => n.to_string(),
        Term::Float(x) => {
            let text = format!("{x:?}");
            match text.split_once('e') {
                Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
                _ => text,
            }
        }
        Term::App(name, args) if args.is_empty() => functions::shown(name).to_string(),
        character if let Some(text) = texts::quoted(character) => text,
        Term::App(name, args)
            if args.len() == 2 && !name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                || &**name == "in" =>
        {
            let (xs, rest) = elements(term);
            let closed = matches!(&rest, Term::App(f, args) if &**f == EMPTY && args.is_empty());
            let xs: Vec<String> = xs.iter().map(show).collect();
            if let Some(text) = texts::quoted_elements(&elements(term).0).filter(|_| closed) {
                return text;
            }
            if closed {
                return format!("[{}]", xs.join(", "));
            }
            format!("({} {name} {})", show(&args[0]), show(&args[1]))
        }
        Term::App(name, args) => {
            let (mut count, mut inner) = (1, &args[0]);
            while let (1, Term::App(again, parts)) = (args.len(), inner)
                && again == name
                && parts.len() == 1
            {
                (count, inner) = (count + 1, &parts[0]);
            }
            if count >= 4 {
                return format!("{}^{count}({})", functions::shown(name), show(inner));
            }
            let args: Vec<String> = args.iter().map(show).collect();
            format!("{}({})", functions::shown(name), args.join(", "))
        }
    }
}
