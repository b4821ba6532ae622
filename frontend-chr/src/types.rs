//! Types of columns: the built-in ones of library(chr), and those of `:- chr_type`.

mod columns;

pub(crate) use columns::Columns;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::signature::SortKind;
use gchr_base::source::Span;

use crate::ast::{ClauseKind, Module, TermId, TermKind};
use crate::directives::{self, Directive};

/// A type as it is written in a declaration.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    Int,
    /// Integers from 0.
    Natural,
    /// Integers from 0, small enough for array indexes.
    DenseInt,
    Float,
    /// Integers and floats.
    Number,
    Any,
    Atom,
    Str,
    /// A type of the program with its arguments.
    User(String, Vec<Type>),
    /// A parameter of the type that is being defined.
    Param(String),
}

/// What a user type stands for.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// `:- chr_type t == u.`
    Alias(Type),
    /// `:- chr_type t ---> f(u) ; g.`: functors with the types of their arguments, or constants.
    Variants(Vec<Variant>),
}

/// One alternative of a type.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub name: String,
    pub args: Vec<Type>,
}

#[derive(Clone, Debug)]
struct UserType {
    params: Vec<String>,
    definition: Definition,
    span: Span,
    /// By name and number of arguments, the first alternative that has them.
    by_functor: HashMap<Key, usize>,
}

impl UserType {
    fn new(params: Vec<String>, definition: Definition, span: Span) -> Self {
        let mut by_functor = HashMap::default();
        if let Definition::Variants(variants) = &definition {
            for (at, variant) in variants.iter().enumerate() {
                by_functor.entry((variant.name.clone(), variant.args.len())).or_insert(at);
            }
        }
        Self { params, definition, span, by_functor }
    }

    /// Whether a term may be one of the alternatives; its arguments are then to be looked at.
    fn fits(
        &self,
        args: &[Type],
        (module, id): (&Module, TermId),
        ty: &Type,
        pending: &mut Vec<(TermId, Type)>,
    ) -> bool {
        let Definition::Variants(variants) = &self.definition else { return true };
        let variant =
            |name: &str, arity| self.by_functor.get(&(name.to_string(), arity)).map(|&at| &variants[at]);
        let meant = |ty: &Type| ty.substitute(&self.params, args);
        let (name, parts): (&str, &[TermId]) = match module.kind(id) {
            TermKind::Var(_) => return true,
            TermKind::List { items, tail } => {
                let Some(cons) = variant("[|]", 2) else { return false };
                // The usual list type has itself as its tail: then all items are checked at once.
                if meant(&cons.args[1]) == *ty {
                    let item = meant(&cons.args[0]);
                    pending.extend(tail.map(|t| (t, ty.clone())));
                    pending.extend(items.iter().rev().map(|&term| (term, item.clone())));
                }
                return true;
            }
            TermKind::Atom(name) => (name, &[]),
            TermKind::Compound { name, args } => (name, args),
            // A constant as an alternative is named by its text.
            TermKind::Int(_)
            | TermKind::Big(_)
            | TermKind::Rational(_)
            | TermKind::Float(_)
            | TermKind::Str(_) => return variant(&module.term_text(id), 0).is_some(),
        };
        let Some(variant) = variant(name, parts.len()) else { return false };
        pending.extend(parts.iter().copied().zip(variant.args.iter().map(meant)).rev());
        true
    }
}

/// The user types of a program, by name and number of parameters.
#[derive(Clone, Default, Debug)]
pub(crate) struct Types {
    table: HashMap<Key, UserType>,
    /// What aliases stand for, in their own parameters; nothing for those that stand for nothing.
    meanings: HashMap<Key, Option<Type>>,
}

/// Name and number of parameters.
type Key = (String, usize);

/// Deepest nesting of a written type, and largest type that substitution of parameters may build.
const MAX_DEPTH: usize = 32;
const MAX_SIZE: usize = 256;

/// Whether a program defines a type of this name without parameters.
fn defines(module: &Module, name: &str) -> bool {
    let mut directives = module.clauses.iter().filter_map(|clause| match clause.kind {
        ClauseKind::Directive(term) => Some(term),
        _ => None,
    });
    directives.any(|directive| {
        directives::parts(module, directive).any(|part| {
            let (Directive::Type, &[definition]) = part else { return false };
            let sides = module.binary(definition, "--->").or_else(|| module.binary(definition, "=="));
            sides.is_some_and(|(head, _)| matches!(module.kind(head), TermKind::Atom(own) if own == name))
        })
    })
}

impl Type {
    fn builtin(name: &str) -> Option<Self> {
        Some(match name {
            "int" => Type::Int,
            "natural" => Type::Natural,
            "dense_int" => Type::DenseInt,
            "float" => Type::Float,
            "number" => Type::Number,
            "any" | "chr_identifier" => Type::Any,
            "atom" => Type::Atom,
            "string" => Type::Str,
            _ => return None,
        })
    }

    /// Whether programs written for SWI-Prolog define the type themselves.
    fn is_addition(&self) -> bool {
        matches!(self, Type::Atom | Type::Str)
    }

    /// Reads a type; parameters in scope are given by name.
    pub fn read(module: &Module, id: TermId, params: &[String]) -> Result<Self, Box<Diagnostic>> {
        Self::read_at(module, id, params, MAX_DEPTH)
    }

    fn read_at(
        module: &Module,
        id: TermId,
        params: &[String],
        depth: usize,
    ) -> Result<Self, Box<Diagnostic>> {
        let span = module.span(id);
        let bad = |text: &str| {
            Err(Box::new(
                Diagnostic::error("C0203", "this is not a type")
                    .label(span, text)
                    .help("types are int, dense_int, natural, float, number, any, atom, string, or declared by :- chr_type"),
            ))
        };
        if depth == 0 {
            return bad("nested too deep");
        }
        match module.kind(id) {
            TermKind::Var(name) if params.contains(name) => Ok(Type::Param(name.clone())),
            TermKind::Var(_) => bad("not a parameter of this type"),
            TermKind::Atom(name) => {
                let builtin = Self::builtin(name).filter(|ty| !ty.is_addition() || !defines(module, name));
                Ok(builtin.unwrap_or_else(|| Type::User(name.clone(), Vec::new())))
            }
            TermKind::Compound { name, args } => {
                let args: Result<Vec<_>, _> =
                    args.iter().map(|&a| Self::read_at(module, a, params, depth - 1)).collect();
                Ok(Type::User(name.clone(), args?))
            }
            _ => bad("neither a name nor a name with arguments"),
        }
    }

    fn size(&self) -> usize {
        match self {
            Type::User(_, args) => 1 + args.iter().map(Type::size).sum::<usize>(),
            _ => 1,
        }
    }

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

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Int => f.write_str("int"),
            Type::Natural => f.write_str("natural"),
            Type::DenseInt => f.write_str("dense_int"),
            Type::Float => f.write_str("float"),
            Type::Number => f.write_str("number"),
            Type::Any => f.write_str("any"),
            Type::Atom => f.write_str("atom"),
            Type::Str => f.write_str("string"),
            Type::Param(name) => f.write_str(name),
            Type::User(name, args) if args.is_empty() => f.write_str(name),
            Type::User(name, args) => {
                write!(f, "{name}(")?;
                for (i, arg) in args.iter().enumerate() {
                    write!(f, "{}{arg}", if i > 0 { "," } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A user type after substitution of its parameters.
pub(crate) enum Expanded {
    /// A built-in type.
    Builtin(Type),
    /// The alternatives of a user type.
    Variants(Vec<Variant>),
    /// Circular (reported elsewhere) or too big to check.
    Unknown,
}

/// What a type is once its aliases are followed.
enum Meaning<'t> {
    /// A built-in type.
    Builtin(Type),
    /// One with alternatives, for these parameters.
    User(&'t UserType, Vec<Type>),
    /// A name that nothing defines.
    Nothing,
    /// Circular (reported elsewhere) or too big to check.
    Unknown,
}

impl Types {
    /// Adds a definition; the place of an earlier one of the same name is the error.
    pub fn define(
        &mut self,
        name: &str,
        params: Vec<String>,
        definition: Definition,
        span: Span,
    ) -> Result<(), Span> {
        let key = (name.to_string(), params.len());
        if let Some(known) = self.table.get(&key) {
            return Err(known.span);
        }
        self.table.insert(key, UserType::new(params, definition, span));
        Ok(())
    }

    /// The first name within `ty` that no definition has.
    pub fn unknown_name<'t>(&self, ty: &'t Type) -> Option<(&'t str, usize)> {
        match ty {
            Type::User(name, args) => {
                let known = self.table.contains_key(&(name.clone(), args.len()));
                if known { args.iter().find_map(|a| self.unknown_name(a)) } else { Some((name, args.len())) }
            }
            _ => None,
        }
    }

    /// Names of all user types.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.table.keys().map(|(name, _)| name.as_str())
    }

    /// All definitions with the types they mention, for checks; whether it is another name that stands for them.
    pub fn mentioned(&self) -> Vec<(Span, Type, bool)> {
        let mut all = Vec::new();
        for user in self.table.values() {
            match &user.definition {
                Definition::Alias(ty) => all.push((user.span, ty.clone(), true)),
                Definition::Variants(variants) => {
                    let args = variants.iter().flat_map(|v| &v.args);
                    all.extend(args.map(|ty| (user.span, ty.clone(), false)));
                }
            }
        }
        all.sort_by_key(|(span, ..)| *span);
        all
    }

    /// Aliases that stand for themselves: their places and names.
    pub fn circular(&self) -> Vec<(Span, &str)> {
        let is_circular = |(name, arity): (&String, usize), user: &UserType| {
            let Definition::Alias(alias) = &user.definition else { return false };
            let ty = Type::User(name.clone(), vec![Type::Any; arity]);
            matches!(self.expand(&ty), Expanded::Unknown) && self.unknown_name(alias).is_none()
        };
        let all = self.table.iter().filter(|((name, arity), user)| is_circular((name, *arity), user));
        let mut found: Vec<_> = all.map(|((name, _), user)| (user.span, name.as_str())).collect();
        found.sort_unstable();
        found
    }

    /// Finds out what each alias stands for in the end; to be called when all definitions are known. Chains of
    /// aliases are
    /// followed once, to their end and back.
    pub fn resolve(&mut self) {
        let mut meanings: HashMap<Key, Option<Type>> = HashMap::default();
        for start in self.table.keys() {
            let (mut chain, mut at) = (Vec::new(), start);
            // What the last alias of the chain stands for, and the alias whose parameters that is in, if it is
            // another one.
            let (mut meaning, mut of) = loop {
                if let Some(known) = meanings.get(at) {
                    break (known.clone(), Some(at));
                }
                let Some(UserType { definition: Definition::Alias(alias), .. }) = self.table.get(at) else {
                    break (None, None);
                };
                // Who comes here again goes in circles.
                meanings.insert(at.clone(), None);
                chain.push(at);
                let Type::User(name, args) = alias else { break (Some(alias.clone()), None) };
                match self.table.get_key_value(&(name.clone(), args.len())) {
                    Some((next, UserType { definition: Definition::Alias(_), .. })) => at = next,
                    Some(_) => break (Some(alias.clone()), None),
                    None => break (None, None),
                }
            };
            for key in chain.into_iter().rev() {
                if let (Some(target), Some(ty), Definition::Alias(Type::User(_, args))) =
                    (of, &meaning, &self.table[key].definition)
                {
                    meaning = Some(ty.substitute(&self.table[target].params, args));
                }
                meaning = meaning.filter(|ty| ty.size() <= MAX_SIZE);
                of = Some(key);
                meanings.insert(key.clone(), meaning.clone());
            }
        }
        self.meanings = meanings;
    }

    /// Follows aliases and substitutes parameters. A name that nothing defines is a type without values.
    pub fn expand(&self, ty: &Type) -> Expanded {
        match self.meaning(ty) {
            Meaning::Builtin(ty) => Expanded::Builtin(ty),
            Meaning::Unknown => Expanded::Unknown,
            Meaning::Nothing => Expanded::Variants(Vec::new()),
            Meaning::User(user, args) => {
                let Definition::Variants(variants) = &user.definition else { return Expanded::Unknown };
                let variant = |v: &Variant| Variant {
                    name: v.name.clone(),
                    args: v.args.iter().map(|t| t.substitute(&user.params, &args)).collect(),
                };
                Expanded::Variants(variants.iter().map(variant).collect())
            }
        }
    }

    /// Follows aliases: the type without the alternatives written out.
    fn meaning(&self, ty: &Type) -> Meaning<'_> {
        let mut ty = ty.clone();
        // The meaning of an alias is no alias, but a parameter may be one.
        for _ in 0..MAX_SIZE {
            let Type::User(name, args) = &ty else { return Meaning::Builtin(ty) };
            let key = (name.clone(), args.len());
            if ty.size() > MAX_SIZE {
                return Meaning::Unknown;
            }
            let Some(user) = self.table.get(&key) else { return Meaning::Nothing };
            if let Definition::Variants(_) = user.definition {
                return Meaning::User(user, args.clone());
            }
            let Some(Some(meaning)) = self.meanings.get(&key) else { return Meaning::Unknown };
            ty = meaning.substitute(&user.params, args);
        }
        Meaning::Unknown
    }

    /// The kind of sort that values of a type have.
    pub fn sort_kind(&self, ty: &Type) -> SortKind {
        match self.expand(ty) {
            Expanded::Builtin(Type::Int | Type::Natural | Type::DenseInt) => SortKind::Int,
            Expanded::Builtin(Type::Float) => SortKind::Float,
            Expanded::Builtin(Type::Atom) => SortKind::Atom,
            Expanded::Builtin(Type::Str) => SortKind::Str,
            _ => SortKind::Any,
        }
    }

    /// The first subterm of a term that cannot be of its type, with that type. Variables fit every type.
    pub fn misfit(&self, module: &Module, id: TermId, ty: &Type) -> Option<(TermId, Type)> {
        if self.unknown_name(ty).is_some() {
            return None;
        }
        let mut pending = vec![(id, ty.clone())];
        while let Some((id, ty)) = pending.pop() {
            let fits = match self.meaning(&ty) {
                Meaning::Unknown => true,
                Meaning::Nothing => matches!(module.kind(id), TermKind::Var(_)),
                Meaning::Builtin(ty) => fits_builtin(module.kind(id), &ty),
                Meaning::User(user, args) => user.fits(&args, (module, id), &ty, &mut pending),
            };
            if !fits {
                return Some((id, ty));
            }
        }
        None
    }
}

fn fits_builtin(kind: &TermKind, ty: &Type) -> bool {
    match (kind, ty) {
        (TermKind::Var(_), _) | (_, Type::Any | Type::Param(_) | Type::User(..)) => true,
        (TermKind::Int(n), Type::Natural | Type::DenseInt) => *n >= 0,
        (TermKind::Int(_) | TermKind::Big(_), Type::Int | Type::Number) => true,
        (TermKind::Float(_), Type::Float | Type::Number) | (TermKind::Rational(_), Type::Number) => true,
        (TermKind::Atom(_), Type::Atom) => true,
        (TermKind::Str(_), Type::Str) => true,
        _ => false,
    }
}
