//! Sorts of subterms, which what is around them may decide.

use gchr_base::hash::HashSet;
use gchr_base::signature::SortId;

use super::families::{Families, FamilyId};

/// A sort, known or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    /// This one.
    Sort(SortId),
    /// What stands for it in [`Types`].
    Open(usize),
    /// A sort that is made of others, which stand in [`Types`].
    Applied(usize),
}

/// A sort that is made of others, some of which were not known.
struct Applied {
    family: FamilyId,
    args: Vec<Ty>,
    /// What it is the same as.
    same: Option<Ty>,
}

/// What is known of the sorts of one term.
#[derive(Default)]
pub(crate) struct Types {
    bound: Vec<Option<Ty>>,
    applied: Vec<Applied>,
    open: usize,
}

impl Types {
    /// A sort of which nothing is known.
    pub fn open(&mut self) -> Ty {
        Ty::Open(self.opens(1))
    }

    /// So many of them: the first one.
    pub fn opens(&mut self, count: usize) -> usize {
        let first = self.bound.len();
        self.bound.resize(first + count, None);
        self.open += count;
        first
    }

    /// A sort with open sorts, from `first` on, in the place of parameters.
    pub fn shape(&mut self, sort: SortId, parameters: &[SortId], first: usize, families: &Families) -> Ty {
        if !families.is_open(sort) {
            return Ty::Sort(sort);
        }
        if let Some(at) = parameters.iter().position(|&parameter| parameter == sort) {
            return Ty::Open(first + at);
        }
        let Some((family, args)) = families.origin_of_sort(sort) else { return Ty::Sort(sort) };
        let args = args.iter().map(|&arg| self.shape(arg, parameters, first, families)).collect();
        self.apply(family, args)
    }

    /// A sort that is made of others.
    pub fn apply(&mut self, family: FamilyId, args: Vec<Ty>) -> Ty {
        self.applied.push(Applied { family, args, same: None });
        Ty::Applied(self.applied.len() - 1)
    }

    /// How many arguments the functions of a sort have, where it is one of functions.
    pub fn arity(&self, ty: Ty, families: &Families) -> Option<usize> {
        let (family, args) = match self.find(ty) {
            Ty::Sort(sort) => families.origin_of_sort(sort).map(|(family, args)| (family, args.len()))?,
            Ty::Applied(at) => (self.applied[at].family, self.applied[at].args.len()),
            Ty::Open(_) => return None,
        };
        families.is_function(family).then(|| args - 1)
    }

    /// Whether a sort is made of others that are not all known.
    pub fn is_applied(&self, ty: Ty) -> bool {
        matches!(self.find(ty), Ty::Applied(_))
    }

    /// Makes an open sort, which nothing is made of yet, the same as another one, unless it is known already.
    pub fn give(&mut self, open: usize, ty: Ty) {
        let ty = self.find(ty);
        if self.bound[open].is_none() && ty != Ty::Open(open) {
            self.bound[open] = Some(ty);
            self.open -= 1;
        }
    }

    /// Whether all sorts are known.
    pub fn are_known(&self) -> bool {
        self.open == 0
    }

    fn find(&self, mut ty: Ty) -> Ty {
        loop {
            let next = match ty {
                Ty::Sort(_) => None,
                Ty::Open(at) => self.bound[at],
                Ty::Applied(at) => self.applied[at].same,
            };
            match next {
                Some(next) => ty = next,
                None => return ty,
            }
        }
    }

    /// Whether a sort is known.
    pub fn is_known(&self, ty: Ty) -> bool {
        self.all(ty, |ty| !matches!(ty, Ty::Open(_)))
    }

    /// Whether something holds for all sorts that one is made of.
    fn all(&self, ty: Ty, holds: impl Fn(Ty) -> bool) -> bool {
        let (mut todo, mut seen) = (vec![ty], HashSet::default());
        while let Some(ty) = todo.pop() {
            let ty = self.find(ty);
            if !holds(ty) {
                return false;
            }
            if let Ty::Applied(at) = ty
                && seen.insert(at)
            {
                todo.extend(&self.applied[at].args);
            }
        }
        true
    }

    /// The sort, where all that it is made of is known. `make` gives sorts that are made of others; where it gives
    /// none, there is none.
    pub fn sort(
        &mut self,
        ty: Ty,
        make: &mut impl FnMut(FamilyId, Vec<SortId>) -> Option<SortId>,
    ) -> Option<SortId> {
        let mut todo = vec![ty];
        while let Some(&top) = todo.last() {
            match self.find(top) {
                Ty::Sort(_) => _ = todo.pop(),
                Ty::Open(_) => return None,
                Ty::Applied(at) => {
                    let Applied { family, args, .. } = &self.applied[at];
                    let known = args.iter().map(|&arg| match self.find(arg) {
                        Ty::Sort(sort) => Ok(sort),
                        other => Err(other),
                    });
                    match known.collect::<Result<Vec<SortId>, Ty>>() {
                        Err(first) => todo.push(first),
                        Ok(sorts) => self.applied[at].same = Some(Ty::Sort(make(*family, sorts)?)),
                    }
                }
            }
        }
        match self.find(ty) {
            Ty::Sort(sort) => Some(sort),
            _ => None,
        }
    }

    /// Makes two sorts the same; whether they may be.
    pub fn unify(&mut self, a: Ty, b: Ty, families: &Families) -> bool {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            match (self.find(a), self.find(b)) {
                (x, y) if x == y => {}
                (Ty::Open(at), other) | (other, Ty::Open(at)) => {
                    if !self.all(other, |ty| ty != Ty::Open(at)) {
                        return false;
                    }
                    self.bound[at] = Some(other);
                    self.open -= 1;
                }
                (Ty::Applied(x), Ty::Applied(y)) => {
                    if self.applied[x].family != self.applied[y].family {
                        return false;
                    }
                    let pairs = self.applied[x].args.iter().zip(&self.applied[y].args);
                    todo.extend(pairs.map(|(&a, &b)| (a, b)));
                    self.applied[x].same = Some(Ty::Applied(y));
                }
                (Ty::Applied(at), Ty::Sort(sort)) | (Ty::Sort(sort), Ty::Applied(at)) => {
                    match families.origin_of_sort(sort) {
                        Some((family, args)) if family == self.applied[at].family => {
                            let pairs = self.applied[at].args.iter().zip(args);
                            todo.extend(pairs.map(|(&a, &b)| (a, Ty::Sort(b))));
                            self.applied[at].same = Some(Ty::Sort(sort));
                        }
                        _ => return false,
                    }
                }
                (Ty::Sort(_), Ty::Sort(_)) => return false,
            }
        }
        true
    }

    /// The sort for messages; `?` for what is not known of it.
    pub fn shown<'n>(&self, ty: Ty, families: &'n Families, name: impl Fn(SortId) -> &'n str) -> String {
        const LONGEST: usize = 200;
        enum Part {
            Text(&'static str),
            Sort(Ty),
        }
        let mut text = String::new();
        let mut todo = vec![Part::Sort(ty)];
        while let Some(part) = todo.pop() {
            if text.len() > LONGEST {
                text.push_str("...");
                break;
            }
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Sort(ty) => match self.find(ty) {
                    Ty::Sort(sort) => text.push_str(name(sort)),
                    Ty::Open(_) => text.push('?'),
                    Ty::Applied(at) => {
                        let Applied { family, args, .. } = &self.applied[at];
                        let is_function = families.is_function(*family);
                        let last = args.len() - 1;
                        text.push_str(if is_function { "" } else { families.name(*family) });
                        text.push('(');
                        todo.push(Part::Text(")"));
                        for (i, &arg) in args.iter().enumerate().rev() {
                            todo.push(Part::Sort(arg));
                            match i {
                                0 => {}
                                i if is_function && i == last => todo.push(Part::Text(" -> ")),
                                _ => todo.push(Part::Text(if is_function { " # " } else { ", " })),
                            }
                        }
                    }
                },
            }
        }
        text
    }
}
