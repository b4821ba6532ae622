//! Goals of guards, bodies and queries, and the matching of heads.

use std::sync::Arc;

use super::arithmetic::{self, Computed, Number, WRONG_TYPE};
use super::constraints::{Program, Tree};
use super::value::Value;
use super::{LARGE, Row, Stop};

/// Parts of a value, at most.
const LARGEST: u32 = 2_000;

/// Values of variables.
pub(super) type Env = Vec<(Arc<str>, Value)>;

/// What is written; `None` once a text is not known here.
pub(super) type Output = Option<String>;

/// Whether the guard of an instance holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guard {
    Holds,
    Fails,
    /// A condition is without a value, and none does not hold.
    Error(&'static str),
    /// One is without a value, and another one does not hold.
    Either,
}

pub(super) fn lookup<'e>(env: &'e Env, name: &str) -> Option<&'e Value> {
    env.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
}

/// Matches a pattern; variables without a value get one.
pub(super) fn matches(pattern: &Tree, value: &Value, env: &mut Env) -> bool {
    match (pattern, value) {
        (Tree::Var(name), _) if &**name == "_" => true,
        (Tree::Var(name), _) => match lookup(env, name) {
            Some(known) => known == value,
            None => {
                env.push((name.clone(), value.clone()));
                true
            }
        },
        (Tree::Compound(f, patterns), Value::Compound(g, args)) => {
            f == g
                && patterns.len() == args.len()
                && patterns.iter().zip(args.iter()).all(|(p, a)| matches(p, a, env))
        }
        (Tree::Compound(..), _) => false,
        (constant, value) => ground(constant, env).is_some_and(|c| c == *value),
    }
}

/// The value of a term, if all of its variables have one.
pub(super) fn ground(tree: &Tree, env: &Env) -> Option<Value> {
    Some(match tree {
        Tree::Var(name) => lookup(env, name)?.clone(),
        Tree::Int(n) => Value::Int(*n),
        Tree::Float(x) => Value::Float(*x),
        Tree::Atom(name) => Value::Atom(name.clone()),
        Tree::Str(text) => Value::Str(text.clone()),
        Tree::Compound(name, args) => {
            let args: Option<Vec<Value>> = args.iter().map(|a| ground(a, env)).collect();
            Value::Compound(name.clone(), args?.into())
        }
    })
}

fn value(tree: &Tree, env: &Env) -> Result<Value, Stop> {
    ground(tree, env).ok_or(Stop::Unknown("a variable without a value"))
}

impl Program {
    /// Executes the goals of a body. Constraints are handed over with their values checked.
    pub(super) fn body(
        &self,
        goals: &[Tree],
        env: &mut Env,
        out: &mut Output,
        add: &mut dyn FnMut(Row, &mut Output) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        for goal in goals {
            let (name, args) = parts(goal);
            if self.is_constraint(&name, args.len()) {
                let values = args.iter().map(|a| value(a, env)).collect::<Result<Vec<_>, _>>()?;
                self.check(&name, &values)?;
                // Parts that are shared here are written out wherever a store is looked at.
                if !values.iter().all(|value| value.is_within(&mut LARGEST.clone())) {
                    return Err(Stop::Unknown(LARGE));
                }
                add(Row(name.to_string(), values), out)?;
            } else if !builtin(&name, args, env, out)? {
                return Err(Stop::Error("R0301"));
            }
        }
        Ok(())
    }

    /// Evaluates a guard; variables that it binds get their values.
    pub(super) fn guard(&self, conditions: &[Tree], env: &mut Env) -> Result<Guard, Stop> {
        let (mut error, mut fails) = (None, false);
        for condition in conditions {
            let (name, args) = parts(condition);
            // What an error leaves without a value says nothing.
            if error.is_some() && needs_missing(&name, args, env) {
                continue;
            }
            match builtin(&name, args, env, &mut None) {
                Ok(true) => {}
                Ok(false) => {
                    fails = true;
                    if error.is_none() {
                        return Ok(Guard::Fails);
                    }
                }
                Err(Stop::Error("R0101")) if matches!(&*name, "=:=" | "==" | "is" | "=") => {
                    return Err(Stop::Unknown("a key outside 64 bits"));
                }
                Err(Stop::Error(code)) => error = error.or(Some(code)),
                Err(unknown) => return Err(unknown),
            }
        }
        Ok(match (error, fails) {
            (None, false) => Guard::Holds,
            (None, true) => Guard::Fails,
            (Some(code), false) => Guard::Error(code),
            (Some(_), true) => Guard::Either,
        })
    }
}

fn parts(goal: &Tree) -> (Arc<str>, &[Tree]) {
    match goal {
        Tree::Compound(name, args) => (name.clone(), args),
        Tree::Atom(name) => (name.clone(), &[]),
        _ => ("".into(), &[]),
    }
}

/// Whether a condition behind an error reads a variable that has no value because of it.
fn needs_missing(name: &str, args: &[Tree], env: &Env) -> bool {
    let missing = |tree: &Tree| ground(tree, env).is_none();
    match (name, args) {
        ("is", [left, right]) => missing(right) || missing(left) && !matches!(left, Tree::Var(_)),
        ("=", [left, right]) => missing(left) && missing(right),
        _ => args.iter().any(missing),
    }
}

/// Executes a built-in goal: whether it holds.
fn builtin(name: &str, args: &[Tree], env: &mut Env, out: &mut Output) -> Result<bool, Stop> {
    match (name, args) {
        ("true", []) => Ok(true),
        ("fail" | "false", []) => Ok(false),
        ("is", [left, right]) => {
            let result = of_number(arithmetic(right, env)?);
            Ok(matches(left, &result, env))
        }
        ("=", [left, right]) => unify(left, right, env),
        ("var", [arg]) => Ok(matches!(arg, Tree::Var(_)) && ground(arg, env).is_none()),
        ("nonvar" | "ground", [arg]) => Ok(ground(arg, env).is_some()),
        ("nl", []) => Ok(write(out, Some("\n".into()))),
        ("write" | "writeln", [arg]) => {
            let end = if name == "writeln" { "\n" } else { "" };
            Ok(write(out, value(arg, env)?.text(false).map(|text| text + end)))
        }
        ("print" | "writeq", [arg]) => Ok(write(out, value(arg, env)?.text(true))),
        ("format", [text]) => format(text, &Tree::Atom("[]".into()), env, out),
        ("format", [text, args]) => format(text, args, env, out),
        ("=:=" | "=\\=" | "<" | "=<" | ">" | ">=", [left, right]) => {
            let order = arithmetic::compare(arithmetic(left, env)?, arithmetic(right, env)?);
            Ok(match name {
                "=:=" => order.is_eq(),
                "=\\=" => order.is_ne(),
                "<" => order.is_lt(),
                "=<" => order.is_le(),
                ">" => order.is_gt(),
                _ => order.is_ge(),
            })
        }
        (_, [left, right]) => {
            let order = value(left, env)?.order(&value(right, env)?);
            Ok(match name {
                "==" => order.is_eq(),
                "\\==" | "\\=" => order.is_ne(),
                "@<" => order.is_lt(),
                "@=<" => order.is_le(),
                "@>" => order.is_gt(),
                "@>=" => order.is_ge(),
                _ => return Err(Stop::Unknown("an unknown goal")),
            })
        }
        (_, [arg]) => type_test(name, &value(arg, env)?),
        _ => Err(Stop::Unknown("an unknown goal")),
    }
}

fn type_test(name: &str, value: &Value) -> Result<bool, Stop> {
    let is_nil = matches!(value, Value::Atom(name) if &**name == "[]");
    Ok(match (name, value) {
        ("callable", _) if is_nil => return Err(Stop::Unknown("whether the empty list is callable")),
        ("atom", _) if is_nil => false,
        ("integer", Value::Int(_)) | ("float", Value::Float(_)) | ("string", Value::Str(_)) => true,
        ("number", Value::Int(_) | Value::Float(_)) => true,
        ("atom" | "callable", Value::Atom(_)) | ("compound" | "callable", Value::Compound(..)) => true,
        ("atomic", value) => !matches!(value, Value::Compound(..)),
        ("integer" | "float" | "string" | "number" | "atom" | "compound" | "callable", _) => false,
        _ => return Err(Stop::Unknown("an unknown goal")),
    })
}

fn of_number(number: Number) -> Value {
    match number {
        Number::Int(n) => Value::Int(n),
        Number::Float(x) => Value::Float(x),
    }
}

/// The value of an arithmetic expression.
fn arithmetic(tree: &Tree, env: &Env) -> Computed {
    let constants = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E), ("epsilon", f64::EPSILON)];
    let constant =
        |name: &str| constants.iter().find(|(known, _)| *known == name).map(|&(_, x)| Number::Float(x));
    match tree {
        Tree::Int(n) => Ok(Number::Int(*n)),
        Tree::Float(x) => Ok(Number::Float(*x)),
        Tree::Atom(name) => constant(name).ok_or(WRONG_TYPE),
        Tree::Var(_) => match value(tree, env)? {
            Value::Int(n) => Ok(Number::Int(n)),
            Value::Float(x) => Ok(Number::Float(x)),
            Value::Compound(..) => Err(Stop::Unknown("arithmetic on a term that a variable holds")),
            Value::Atom(name) if constant(&name).is_some() => {
                Err(Stop::Unknown("a constant that a variable holds"))
            }
            Value::Atom(_) => Err(WRONG_TYPE),
            Value::Str(text) => character(&text),
        },
        Tree::Str(text) => character(text),
        // A list of one element is that element.
        Tree::Compound(name, args) if &**name == "[|]" => arithmetic(&args[0], env),
        Tree::Compound(name, args) => {
            let operands = args.iter().map(|a| arithmetic(a, env)).collect::<Result<Vec<_>, _>>()?;
            let computed = match operands[..] {
                [a] => arithmetic::unary(name, a),
                [a, b] => arithmetic::binary(name, a, b),
                _ => None,
            };
            computed.unwrap_or(Err(Stop::Unknown("an unknown function")))
        }
    }
}

/// The value of a string: the code of its character, which devices do not look at.
fn character(text: &str) -> Computed {
    let is_one = text.chars().count() == 1;
    Err(if is_one { Stop::Unknown("arithmetic on a term that a variable holds") } else { WRONG_TYPE })
}

/// Makes two terms equal, if they can be; at last one side of each part is ground.
fn unify(left: &Tree, right: &Tree, env: &mut Env) -> Result<bool, Stop> {
    let mut pending = vec![(left, right)];
    loop {
        let mut waiting = Vec::new();
        let before = (env.len(), pending.len());
        while let Some((left, right)) = pending.pop() {
            if let Some(known) = ground(right, env) {
                if !matches(left, &known, env) {
                    return Ok(false);
                }
            } else if let Some(known) = ground(left, env) {
                if !matches(right, &known, env) {
                    return Ok(false);
                }
            } else if let (Tree::Compound(f, a), Tree::Compound(g, b)) = (left, right) {
                if f != g || a.len() != b.len() {
                    return Ok(false);
                }
                waiting.extend(a.iter().zip(b));
            } else {
                waiting.push((left, right));
            }
        }
        if waiting.is_empty() {
            return Ok(true);
        }
        if (env.len(), waiting.len()) == before && waiting.iter().all(|(a, b)| is_var(a) || is_var(b)) {
            let same = |(a, b): &(&Tree, &Tree)| matches!((a, b), (Tree::Var(x), Tree::Var(y)) if x == y);
            return if waiting.iter().all(same) {
                Ok(true)
            } else {
                Err(Stop::Unknown("two unbound variables"))
            };
        }
        pending = waiting;
    }
}

fn is_var(tree: &Tree) -> bool {
    matches!(tree, Tree::Var(_))
}

/// Writes a text, if it is known.
fn write(out: &mut Output, text: Option<String>) -> bool {
    match (out.as_mut(), text) {
        (Some(out), Some(text)) => out.push_str(&text),
        _ => *out = None,
    }
    true
}

fn format(text: &Tree, args: &Tree, env: &Env, out: &mut Output) -> Result<bool, Stop> {
    let (Tree::Atom(text) | Tree::Str(text)) = text else { return Err(Stop::Unknown("a format")) };
    let mut args = args;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let directive = if c == '~' { chars.next() } else { None };
        let Some(directive) = directive else {
            write(out, Some(c.into()));
            continue;
        };
        if let '~' | 'n' = directive {
            write(out, Some(if directive == 'n' { "\n".into() } else { "~".into() }));
            continue;
        }
        let arg = match args {
            Tree::Compound(name, parts) if &**name == "[|]" => {
                args = &parts[1];
                value(&parts[0], env)?
            }
            only => value(only, env)?,
        };
        if directive == 'd' && !matches!(arg, Value::Int(_)) {
            return Ok(false);
        }
        write(out, arg.text(matches!(directive, 'p' | 'q')));
    }
    Ok(true)
}
