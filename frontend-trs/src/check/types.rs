//! Sorts of subterms, which what is around them may decide.

use gchr_base::signature::SortId;

/// A sort, known or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    /// This one.
    Sort(SortId),
    /// What stands for it in [`Types`].
    Open(usize),
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

    /// The sort, if it is known.
    pub fn sort(&self, ty: Ty) -> Option<SortId> {
        match self.find(ty) {
            Ty::Sort(sort) => Some(sort),
            Ty::Open(_) => None,
        }
    }

    /// Makes two sorts the same; whether they may be.
    pub fn unify(&mut self, a: Ty, b: Ty) -> bool {
        match (self.find(a), self.find(b)) {
            (a, b) if a == b => true,
            (Ty::Open(at), other) | (other, Ty::Open(at)) => {
                self.bound[at] = Some(other);
                self.open -= 1;
                true
            }
            (Ty::Sort(_), Ty::Sort(_)) => false,
        }
    }
}
