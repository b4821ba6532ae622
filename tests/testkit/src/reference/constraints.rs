//! A constraint program as its syntax tree says: symbols with the types of their columns, rules, queries.

use std::collections::HashMap;
use std::sync::Arc;

use gchr_chr::ast::{ClauseKind, Module, TermId, TermKind};

use super::Stop;
use super::value::Value;

/// A term with variables. Lists are cells `'[|]'`.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Var(Arc<str>),
    Int(i64),
    Float(f64),
    Atom(Arc<str>),
    Str(Arc<str>),
    Compound(Arc<str>, Vec<Tree>),
}

/// What a type is.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Int,
    /// Integers from 0; what else arrives at run time is left open.
    Natural,
    Float,
    Atom,
    Str,
    Number,
    Any,
    /// A type of the program with its arguments.
    User(String, Vec<Type>),
    /// A parameter of a definition.
    Param(String),
}

#[derive(Clone, Debug)]
struct Definition {
    params: Vec<String>,
    alias: Option<Type>,
    alternatives: Vec<Alternative>,
}

/// A functor with the types of its arguments, or a constant.
#[derive(Clone, Debug)]
struct Alternative {
    constant: Tree,
    args: Vec<Type>,
}

pub(super) struct Head {
    pub name: Arc<str>,
    pub args: Vec<Tree>,
    pub removed: bool,
    pub passive: bool,
}

/// A rule.
pub(super) struct Rule {
    /// Kept ones, then removed ones.
    pub heads: Vec<Head>,
    pub guard: Vec<Tree>,
    pub body: Vec<Tree>,
}

/// A program.
pub struct Program {
    columns: HashMap<(Arc<str>, usize), Vec<Type>>,
    types: HashMap<(String, usize), Definition>,
    pub(super) rules: Vec<Rule>,
    pub(super) queries: Vec<Vec<Tree>>,
}

impl Program {
    /// The program that a syntax tree means, if the frontend accepts it.
    pub fn new(module: &Module) -> Self {
        let mut program =
            Self { columns: HashMap::new(), types: HashMap::new(), rules: Vec::new(), queries: Vec::new() };
        for clause in &module.clauses {
            match &clause.kind {
                ClauseKind::Directive(term) => {
                    module.members(*term, ",").into_iter().for_each(|d| program.directive(module, d));
                }
                ClauseKind::Rule(rule) => {
                    let passive = |id: TermId| match module.functor(id) {
                        Some(("passive", &[head])) => Some(head),
                        _ => None,
                    };
                    let passive: Vec<TermId> = rule.pragmas.iter().filter_map(|&p| passive(p)).collect();
                    let kept = rule.kept.iter().map(|&h| (h, false));
                    let heads = kept.chain(rule.removed.iter().map(|&h| (h, true)));
                    let heads = heads.map(|(h, removed)| head(module, h, removed, &passive)).collect();
                    let all = |goals: &[TermId]| goals.iter().map(|&g| tree(module, g)).collect();
                    program.rules.push(Rule { heads, guard: all(&rule.guard), body: all(&rule.body) });
                }
                ClauseKind::Query(goals) => {
                    program.queries.push(goals.iter().map(|&g| tree(module, g)).collect());
                }
                ClauseKind::Prolog(_) => {}
            }
        }
        program
    }

    /// The same rules with the queries of another program.
    #[must_use]
    pub fn with_queries(mut self, module: &Module) -> Self {
        self.queries = Self::new(module).queries;
        self
    }

    /// Number of rules.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    fn directive(&mut self, module: &Module, id: TermId) {
        match module.functor(id) {
            Some(("chr_constraint" | "constraints", args)) => {
                let declared = args.iter().flat_map(|&a| module.members(a, ","));
                declared.for_each(|d| self.constraint(module, d));
            }
            Some(("chr_type", &[definition])) => self.define(module, definition),
            _ => {}
        }
    }

    fn constraint(&mut self, module: &Module, id: TermId) {
        let known = match module.binary(id, "/").map(|(name, arity)| (module.kind(name), module.kind(arity)))
        {
            Some((TermKind::Atom(name), TermKind::Int(arity))) => {
                Some((name.as_str(), vec![Type::Any; usize::try_from(*arity).unwrap_or(0)]))
            }
            _ => module.functor(id).map(|(name, args)| {
                let column = |&a: &TermId| match module.functor(a) {
                    Some(("+" | "-" | "?", &[ty])) => read_type(module, ty),
                    Some(("+" | "-" | "?", [])) => Type::Any,
                    _ => read_type(module, a),
                };
                (name, args.iter().map(column).collect())
            }),
        };
        if let Some((name, columns)) = known {
            self.columns.insert((name.into(), columns.len()), columns);
        }
    }

    fn define(&mut self, module: &Module, id: TermId) {
        let (head, body, is_alias) = match (module.binary(id, "--->"), module.binary(id, "==")) {
            (Some((head, body)), _) => (head, body, false),
            (None, Some((head, body))) => (head, body, true),
            (None, None) => return,
        };
        let Some((name, args)) = module.functor(head) else { return };
        let param = |&a: &TermId| match module.kind(a) {
            TermKind::Var(name) => name.clone(),
            _ => String::new(),
        };
        let params: Vec<String> = args.iter().map(param).collect();
        let arity = params.len();
        let alias = is_alias.then(|| read_type(module, body));
        let alternative = |id: TermId| match tree(module, id) {
            Tree::Compound(functor, _) => {
                let args = match module.kind(id) {
                    TermKind::List { items, tail: Some(tail) } => vec![items[0], *tail],
                    _ => module.functor(id).map_or(Vec::new(), |(_, args)| args.to_vec()),
                };
                let args = args.iter().map(|&a| read_type(module, a)).collect();
                Alternative { constant: Tree::Atom(functor), args }
            }
            constant => Alternative { constant, args: Vec::new() },
        };
        let alternatives = if is_alias { Vec::new() } else { module.members(body, ";") };
        let alternatives = alternatives.into_iter().map(alternative).collect();
        self.types.insert((name.into(), arity), Definition { params, alias, alternatives });
    }

    /// Whether a name with so many arguments is a constraint.
    pub(super) fn is_constraint(&self, name: &str, arity: usize) -> bool {
        self.columns.contains_key(&(Arc::from(name), arity))
    }

    /// Checks the values of a new constraint.
    pub(super) fn check(&self, name: &Arc<str>, args: &[Value]) -> Result<(), Stop> {
        let columns = &self.columns[&(name.clone(), args.len())];
        columns.iter().zip(args).try_for_each(|(ty, value)| self.check_value(ty, value))
    }

    fn check_value(&self, ty: &Type, value: &Value) -> Result<(), Stop> {
        let fits = match (self.expand(ty), value) {
            (Type::Int, Value::Int(_)) | (Type::Float, Value::Float(_)) | (Type::Str, Value::Str(_)) => true,
            (Type::Natural, Value::Int(n)) if *n < 0 => {
                return Err(Stop::Unknown("a negative number in a column without them"));
            }
            (Type::Natural, Value::Int(_)) | (Type::Atom, Value::Atom(_)) | (Type::Any, _) => true,
            (Type::Number, Value::Int(_) | Value::Float(_)) => true,
            (ty @ (Type::User(..) | Type::Number), value) if !self.is_of(&ty, value, 50) => {
                return Err(Stop::Unknown("a value that is not of its type"));
            }
            (Type::User(..), _) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(Stop::Error("R0302")) }
    }

    /// What other names of types stand for.
    fn expand(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::User(name, args) = &ty {
            match self.types.get(&(name.clone(), args.len())) {
                Some(Definition { params, alias: Some(alias), .. }) => ty = alias.substitute(params, args),
                _ => break,
            }
        }
        ty
    }

    fn is_of(&self, ty: &Type, value: &Value, depth: u32) -> bool {
        match (self.expand(ty), value) {
            (Type::Int, Value::Int(_)) | (Type::Float, Value::Float(_)) | (Type::Atom, Value::Atom(_)) => {
                true
            }
            (Type::Natural, Value::Int(n)) => *n >= 0,
            (Type::Str, Value::Str(_)) | (Type::Any, _) => true,
            (Type::Number, Value::Int(_) | Value::Float(_)) => true,
            (Type::User(name, types), value) => {
                let Some(definition) = self.types.get(&(name, types.len())) else { return true };
                depth > 0
                    && definition
                        .alternatives
                        .iter()
                        .any(|a| self.is_alternative(a, definition, &types, value, depth))
            }
            _ => false,
        }
    }

    fn is_alternative(
        &self,
        a: &Alternative,
        of: &Definition,
        types: &[Type],
        value: &Value,
        depth: u32,
    ) -> bool {
        match (&a.constant, value) {
            (Tree::Atom(name), Value::Compound(functor, args)) => {
                let part = |(ty, value): (&Type, &Value)| {
                    self.is_of(&ty.substitute(&of.params, types), value, depth - 1)
                };
                name == functor && a.args.len() == args.len() && a.args.iter().zip(args.iter()).all(part)
            }
            (Tree::Atom(name), Value::Atom(atom)) => name == atom && a.args.is_empty(),
            (Tree::Int(n), Value::Int(m)) => n == m,
            (Tree::Str(s), Value::Str(t)) => s == t,
            _ => false,
        }
    }
}

impl Type {
    fn substitute(&self, params: &[String], args: &[Type]) -> Type {
        match self {
            Type::Param(name) => {
                params.iter().position(|p| p == name).and_then(|i| args.get(i)).cloned().unwrap_or(Type::Any)
            }
            Type::User(name, inner) => {
                Type::User(name.clone(), inner.iter().map(|t| t.substitute(params, args)).collect())
            }
            other => other.clone(),
        }
    }
}

fn read_type(module: &Module, id: TermId) -> Type {
    if let TermKind::Var(name) = module.kind(id) {
        return Type::Param(name.clone());
    }
    let Some((name, args)) = module.functor(id) else { return Type::Any };
    match (name, args) {
        ("int", []) => Type::Int,
        ("natural" | "dense_int", []) => Type::Natural,
        ("float", []) => Type::Float,
        ("atom", []) => Type::Atom,
        ("string", []) => Type::Str,
        ("number", []) => Type::Number,
        ("any" | "chr_identifier", []) => Type::Any,
        _ => Type::User(name.into(), args.iter().map(|&a| read_type(module, a)).collect()),
    }
}

fn head(module: &Module, id: TermId, removed: bool, passive: &[TermId]) -> Head {
    let (term, mark) = match module.binary(id, "#") {
        Some((term, mark)) => (term, Some(module.kind(mark))),
        None => (id, None),
    };
    let passive = match mark {
        Some(TermKind::Atom(name)) => name == "passive",
        Some(name) => passive.iter().any(|&p| module.kind(p) == name),
        None => false,
    };
    let (name, args) = match tree(module, term) {
        Tree::Compound(name, args) => (name, args),
        Tree::Atom(name) => (name, Vec::new()),
        _ => ("".into(), Vec::new()),
    };
    Head { name, args, removed, passive }
}

fn tree(module: &Module, id: TermId) -> Tree {
    match module.kind(id) {
        TermKind::Var(name) => Tree::Var(name.as_str().into()),
        TermKind::Int(n) => Tree::Int(*n),
        TermKind::Big(n) => unreachable!("{n} is refused before a program runs"),
        TermKind::Rational(n) => unreachable!("{n} is refused before a program runs"),
        TermKind::Float(x) => Tree::Float(*x),
        TermKind::Atom(name) => Tree::Atom(name.as_str().into()),
        TermKind::Str(text) => Tree::Str(text.as_str().into()),
        TermKind::Compound { name, args } => {
            Tree::Compound(name.as_str().into(), args.iter().map(|&a| tree(module, a)).collect())
        }
        TermKind::List { items, tail } => {
            let end = tail.map_or(Tree::Atom("[]".into()), |t| tree(module, t));
            items
                .iter()
                .rev()
                .fold(end, |rest, &item| Tree::Compound("[|]".into(), vec![tree(module, item), rest]))
        }
    }
}
