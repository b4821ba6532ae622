//! Sorts of subterms, which what is around them may decide.

use gchr_base::signature::SortId;

use super::lists::Lists;

/// A sort, known or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    /// This one.
    Sort(SortId),
    /// What stands for it in [`Types`].
    Open(usize),
    /// A list of elements of the sort that stands for it in [`Types`].
    List(usize),
}

/// What is known of the sorts of one term.
#[derive(Default)]
pub(crate) struct Types {
    bound: Vec<Option<Ty>>,
    open: usize,
}

impl Types {
    /// A sort of which nothing is known.
    pub fn open(&mut self) -> Ty {
        self.bound.push(None);
        self.open += 1;
        Ty::Open(self.bound.len() - 1)
    }

    /// The sort of lists of elements of a sort.
    pub fn list(&mut self, element: Ty) -> Ty {
        match self.find(element) {
            Ty::Open(at) => Ty::List(at),
            known => {
                self.bound.push(Some(known));
                Ty::List(self.bound.len() - 1)
            }
        }
    }

    /// Whether all sorts are known.
    pub fn are_known(&self) -> bool {
        self.open == 0
    }

    fn find(&self, mut ty: Ty) -> Ty {
        while let Ty::Open(at) = ty
            && let Some(bound) = self.bound[at]
        {
            ty = bound;
        }
        ty
    }

    /// The sort and how many lists are around it: 1 for a list of elements of the sort; `None` when it is not known.
    pub fn known(&self, ty: Ty) -> Option<(SortId, usize)> {
        let (sort, lists) = self.innermost(ty);
        Some((sort?, lists))
    }

    /// The sort in all lists, if it is known, and the number of lists around it.
    pub fn innermost(&self, ty: Ty) -> (Option<SortId>, usize) {
        let (mut ty, mut lists) = (self.find(ty), 0);
        loop {
            match ty {
                Ty::Sort(sort) => return (Some(sort), lists),
                Ty::Open(_) => return (None, lists),
                Ty::List(element) => (ty, lists) = (self.find(Ty::Open(element)), lists + 1),
            }
        }
    }

    fn bind(&mut self, at: usize, ty: Ty) {
        self.bound[at] = Some(ty);
        self.open -= 1;
    }

    /// Makes two sorts the same; whether they may be.
    pub fn unify(&mut self, a: Ty, b: Ty, lists: &Lists) -> bool {
        let (mut a, mut b) = (a, b);
        loop {
            match (self.find(a), self.find(b)) {
                (x, y) if x == y => return true,
                (Ty::Open(at), other) | (other, Ty::Open(at)) => {
                    if self.contains(other, at) {
                        return false;
                    }
                    self.bind(at, other);
                    return true;
                }
                (Ty::List(x), Ty::List(y)) => (a, b) = (Ty::Open(x), Ty::Open(y)),
                (Ty::List(x), Ty::Sort(sort)) | (Ty::Sort(sort), Ty::List(x)) => match lists.element(sort) {
                    Some(element) => (a, b) = (Ty::Open(x), Ty::Sort(element)),
                    None => return false,
                },
                (Ty::Sort(_), Ty::Sort(_)) => return false,
            }
        }
    }

    /// Whether lists of an unknown sort are around themselves.
    fn contains(&self, mut ty: Ty, at: usize) -> bool {
        while let Ty::List(element) = self.find(ty) {
            if element == at {
                return true;
            }
            ty = Ty::Open(element);
            if self.find(ty) == Ty::Open(at) {
                return true;
            }
        }
        false
    }
}
