//! Sorts of terms: which fit where, and what several have in common.

use std::sync::Arc;

/// What a sort is made with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Con {
    Bool,
    Pos,
    Nat,
    Int,
    Real,
    List,
    Set,
    FSet,
    Bag,
    FBag,
    /// The result comes last.
    Function,
    Data(u32),
}

/// A sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    Con(Con, Arc<[Type]>),
    /// A parameter of a function of the library.
    Param(u32),
    /// Of the elements of `[]`: any.
    Hole,
}

impl Type {
    pub fn basic(con: Con) -> Self {
        Type::Con(con, Arc::from([]))
    }
    pub fn of(con: Con, of: Type) -> Self {
        Type::Con(con, Arc::from([of]))
    }
    pub fn function(mut args: Vec<Type>, result: Type) -> Self {
        args.push(result);
        Type::Con(Con::Function, args.into())
    }
    pub fn con(&self) -> Option<Con> {
        match self {
            Type::Con(con, _) => Some(*con),
            _ => None,
        }
    }
    pub fn args(&self) -> &[Type] {
        match self {
            Type::Con(_, args) => args,
            _ => &[],
        }
    }
    /// The sorts of arguments and of the result, of a function sort.
    pub fn as_function(&self) -> Option<(&[Type], &Type)> {
        match self {
            Type::Con(Con::Function, args) => args.split_last().map(|(result, args)| (args, result)),
            _ => None,
        }
    }
    /// The place among the sorts of numbers, each of which is part of the next.
    pub fn rank(&self) -> Option<u32> {
        match self.con()? {
            Con::Pos => Some(0),
            Con::Nat => Some(1),
            Con::Int => Some(2),
            Con::Real => Some(3),
            _ => None,
        }
    }
    /// The sort that values are represented in: one for whole numbers.
    pub fn erased(&self) -> Type {
        match self {
            Type::Hole => Type::basic(Con::Int),
            Type::Con(Con::Pos | Con::Nat, _) => Type::basic(Con::Int),
            Type::Con(con, args) => Type::Con(*con, args.iter().map(Type::erased).collect()),
            Type::Param(_) => self.clone(),
        }
    }
    /// With sorts in place of parameters.
    pub fn with(&self, params: &[Type]) -> Type {
        match self {
            Type::Param(n) => params.get(*n as usize).cloned().unwrap_or(Type::Hole),
            Type::Con(con, args) => Type::Con(*con, args.iter().map(|arg| arg.with(params)).collect()),
            Type::Hole => Type::Hole,
        }
    }
    /// How many parts it has, counted up to a limit.
    pub fn size(&self, limit: usize) -> usize {
        self.args().iter().fold(1, |sum, arg| if sum < limit { sum + arg.size(limit - sum) } else { sum })
    }
    /// How many parameters it has.
    pub fn params(&self) -> u32 {
        match self {
            Type::Param(n) => n + 1,
            _ => self.args().iter().map(Type::params).max().unwrap_or(0),
        }
    }
}

/// How far a value is from a sort that it may stand for; `None` when it may not.
pub(crate) fn fits(from: &Type, to: &Type) -> Option<u32> {
    if from == to || matches!(from, Type::Hole) || matches!(to, Type::Hole) {
        return Some(0);
    }
    if let (Some(from), Some(to)) = (from.rank(), to.rank()) {
        return to.checked_sub(from);
    }
    let (Type::Con(a, of_a), Type::Con(b, of_b)) = (from, to) else { return None };
    let wider = match (a, b) {
        _ if a == b => 0,
        (Con::FSet, Con::Set) | (Con::FBag, Con::Bag) => 1,
        _ => return None,
    };
    if of_a.len() != of_b.len() {
        return None;
    }
    of_a.iter().zip(of_b.iter()).try_fold(wider, |sum, (a, b)| Some(sum + fits(a, b)?))
}

/// The least sort that values of both fit.
pub(crate) fn join(a: &Type, b: &Type) -> Option<Type> {
    if let (Some(x), Some(y)) = (a.rank(), b.rank()) {
        return Some(if x < y { b.clone() } else { a.clone() });
    }
    match (a, b) {
        (Type::Hole, other) | (other, Type::Hole) => Some(other.clone()),
        (Type::Con(x, of_x), Type::Con(y, of_y)) if of_x.len() == of_y.len() => {
            let con = match (x, y) {
                _ if x == y => *x,
                (Con::FSet, Con::Set) | (Con::Set, Con::FSet) => Con::Set,
                (Con::FBag, Con::Bag) | (Con::Bag, Con::FBag) => Con::Bag,
                _ => return None,
            };
            let args: Option<Vec<Type>> = of_x.iter().zip(of_y.iter()).map(|(x, y)| join(x, y)).collect();
            Some(Type::Con(con, args?.into()))
        }
        _ => None,
    }
}

/// Finds what parameters stand for where a value of one sort stands for another that has parameters.
pub(crate) fn bind(scheme: &Type, actual: &Type, params: &mut [Type]) -> bool {
    match (scheme, actual) {
        (_, Type::Hole) | (Type::Hole, _) => true,
        (Type::Param(n), _) => match params.get_mut(*n as usize) {
            Some(param) => match join(param, actual) {
                Some(joined) => {
                    *param = joined;
                    true
                }
                None => false,
            },
            None => false,
        },
        (Type::Con(a, of_a), Type::Con(b, of_b)) => {
            if scheme.rank().is_some() {
                return fits(actual, scheme).is_some();
            }
            let same = a == b || matches!((a, b), (Con::Set, Con::FSet) | (Con::Bag, Con::FBag));
            same && of_a.len() == of_b.len() && of_a.iter().zip(of_b.iter()).all(|(a, b)| bind(a, b, params))
        }
        _ => false,
    }
}
