//! Bodies as goals: which are called, which are instructions, and which are control.

use crate::cell::{Atom, Cell, Tag};
use crate::code::{Compare, Kind};
use crate::database::{Database, Definition};
use crate::heap::Heap;
use crate::names::atom;

/// A goal of a body.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    Call(Cell),
    /// A variable, or something that is no goal: `call/1` decides when it is run.
    Meta(Cell),
    /// A built-in predicate.
    Native(u32, Cell),
    Cut,
    Fail,
    Unify(Cell, Cell),
    Is(Cell, Cell),
    Compare(Compare, Cell, Cell),
    Test(Kind, Cell),
    /// `==`, or `\==`.
    Identical(Cell, Cell, bool),
    /// Condition, then, else; whether the condition keeps its choice points (`*->`).
    If {
        condition: Vec<Goal>,
        then: Vec<Goal>,
        other: Vec<Goal>,
        soft: bool,
    },
    Or(Vec<Goal>, Vec<Goal>),
    Not(Vec<Goal>),
}

/// Nesting of control beyond which a goal is left to `call/1`.
const DEEP: usize = 200;

/// The comparison that an atom stands for.
pub(crate) fn comparison(name: Atom) -> Option<Compare> {
    Some(match name {
        atom::lt => Compare::Lt,
        atom::gt => Compare::Gt,
        atom::le => Compare::Le,
        atom::ge => Compare::Ge,
        atom::num_eq => Compare::Eq,
        atom::num_ne => Compare::Ne,
        _ => return None,
    })
}

/// The test that an atom stands for.
pub(crate) fn test(name: Atom) -> Option<Kind> {
    Some(match name {
        atom::var => Kind::Var,
        atom::nonvar => Kind::Nonvar,
        atom::atom_ => Kind::Atom,
        atom::number => Kind::Number,
        atom::atomic => Kind::Atomic,
        atom::compound => Kind::Compound,
        atom::callable => Kind::Callable,
        atom::integer => Kind::Integer,
        atom::float => Kind::Float,
        atom::string => Kind::Str,
        _ => return None,
    })
}

/// Whether the program has clauses of its own for what is compiled in line (`string/1`).
fn is_own(db: &mut Database, name: Atom, arity: usize) -> bool {
    let pred = db.pred(name, arity);
    let pred = db.resolved(pred);
    db.is_own(pred)
}

/// The goals of a body in order.
pub(super) fn read(heap: &Heap, db: &mut Database, body: Cell, depth: usize) -> Vec<Goal> {
    let (mut goals, mut pending) = (Vec::new(), vec![body]);
    while let Some(goal) = pending.pop() {
        if !heap.meter.spend(1) {
            break;
        }
        let goal = heap.deref(goal);
        match heap.binary(goal, atom::comma) {
            Some((a, b)) => pending.extend([b, a]),
            None => one(heap, db, goal, depth, &mut goals),
        }
    }
    goals
}

fn one(heap: &Heap, db: &mut Database, goal: Cell, depth: usize, goals: &mut Vec<Goal>) {
    let Some((name, arity)) = heap.functor(goal).filter(|_| goal.tag() != Tag::Lst) else {
        return goals.push(Goal::Meta(goal));
    };
    let arg = |i| heap.arg(goal, i);
    if depth > DEEP {
        return goals.push(Goal::Meta(goal));
    }
    let mut part = |cell: Cell| read(heap, db, cell, depth + 1);
    match (name, arity) {
        (atom::true_, 0) => {}
        (atom::cut | atom::guard, 0) => goals.push(Goal::Cut),
        (atom::fail | atom::false_, 0) => goals.push(Goal::Fail),
        (atom::semicolon | atom::bar, 2) => {
            let (left, right) = (arg(0), arg(1));
            let found = [(atom::arrow, false), (atom::soft, true)]
                .into_iter()
                .find_map(|(name, soft)| heap.binary(left, name).map(|parts| (parts, soft)));
            goals.push(match found {
                Some(((condition, then), soft)) => {
                    Goal::If { condition: part(condition), then: part(then), other: part(right), soft }
                }
                None => Goal::Or(part(left), part(right)),
            });
        }
        (atom::arrow, 2) => goals.push(Goal::If {
            condition: part(arg(0)),
            then: part(arg(1)),
            other: vec![Goal::Fail],
            soft: false,
        }),
        (atom::soft, 2) => {
            goals.extend(part(arg(0)));
            goals.extend(part(arg(1)));
        }
        (atom::not, 1) => goals.push(Goal::Not(part(arg(0)))),
        (atom::equal, 2) => goals.push(Goal::Unify(arg(0), arg(1))),
        // Goals of variables may keep the terms from being equal.
        (atom::not_unifiable, 2) if db.wakes && !db.in_library => {
            let quick = db.named("$may_differ", 2);
            if let Definition::Native(number) = db.preds[quick as usize].definition {
                goals.push(Goal::Native(number, goal));
            }
            goals.push(Goal::If {
                condition: vec![Goal::Test(Kind::Wakes, Cell::atom(atom::nil))],
                then: vec![Goal::Not(vec![Goal::Unify(arg(0), arg(1))])],
                other: Vec::new(),
                soft: false,
            });
        }
        (atom::identical, 2) => goals.push(Goal::Identical(arg(0), arg(1), false)),
        (atom::not_identical, 2) => goals.push(Goal::Identical(arg(0), arg(1), true)),
        (atom::is, 2) => goals.push(Goal::Is(arg(0), arg(1))),
        (name, 2) if comparison(name).is_some() => {
            let compare = comparison(name).unwrap_or(Compare::Eq);
            goals.push(Goal::Compare(compare, arg(0), arg(1)));
        }
        (name, 1) if test(name).is_some() && !is_own(db, name, 1) => {
            goals.push(Goal::Test(test(name).unwrap_or(Kind::Var), arg(0)));
        }
        (atom::call, 1) => goals.push(Goal::Meta(arg(0))),
        (atom::once | atom::ignore, 1) | (atom::forall, 2) if !is_own(db, name, arity) => {
            let parts: Vec<Vec<Goal>> = (0..arity).map(|i| read(heap, db, arg(i), depth + 1)).collect();
            goals.push(match parts.iter().all(|goals| Goal::are_callable(goals)) {
                true => Goal::opaque(name, parts),
                false => Goal::Call(goal),
            });
        }
        (atom::colon, 2) => one_qualified(heap, db, goal, depth, goals),
        _ => {
            let pred = db.pred(name, arity);
            let pred = db.resolved(pred);
            goals.push(match db.preds[pred as usize].definition {
                Definition::Native(number) => Goal::Native(number, goal),
                _ => Goal::Call(goal),
            });
        }
    }
}

/// `module:goal` with both known is the goal.
fn one_qualified(heap: &Heap, db: &mut Database, goal: Cell, depth: usize, goals: &mut Vec<Goal>) {
    let inner = heap.arg(goal, 1);
    match heap.arg(goal, 0).is_atom() && inner.is_callable() {
        true => one(heap, db, inner, depth + 1, goals),
        false => goals.push(Goal::Meta(goal)),
    }
}

impl Goal {
    /// `once/1`, `ignore/1` or `forall/2` of these goals: a cut in one of them is its own affair, as it is in the
    /// condition of a conditional and in a negation.
    fn opaque(name: Atom, parts: Vec<Vec<Goal>>) -> Goal {
        let mut parts = parts.into_iter();
        let mut next = || parts.next().unwrap_or_default();
        match name {
            atom::forall => {
                let mut goals = next();
                goals.push(Goal::Not(next()));
                Goal::Not(goals)
            }
            _ => {
                let other = if name == atom::once { vec![Goal::Fail] } else { Vec::new() };
                Goal::If { condition: next(), then: Vec::new(), other, soft: false }
            }
        }
    }
    /// Whether `call/1` takes them: it refuses a body with a number in it before the first goal runs.
    fn are_callable(goals: &[Goal]) -> bool {
        goals.iter().all(|goal| match goal {
            Goal::Meta(term) => term.is_var() || term.is_callable(),
            Goal::If { condition, then, other, .. } => {
                [condition, then, other].into_iter().all(|goals| Goal::are_callable(goals))
            }
            Goal::Or(left, right) => Goal::are_callable(left) && Goal::are_callable(right),
            Goal::Not(inner) => Goal::are_callable(inner),
            _ => true,
        })
    }
    /// Whether it is an instruction that may jump where it does not hold.
    pub fn is_test(&self) -> bool {
        matches!(self, Goal::Compare(..) | Goal::Test(..) | Goal::Identical(..) | Goal::Fail)
    }
    /// Whether a cut stands behind a call or inside of control.
    pub fn has_deep_cut(goals: &[Goal]) -> bool {
        let mut deep = false;
        goals.iter().any(|goal| match goal {
            Goal::Cut => deep,
            Goal::Call(_) | Goal::Meta(_) => {
                deep = true;
                false
            }
            Goal::If { then, other, .. } => {
                deep = true;
                Goal::cuts(then) || Goal::cuts(other)
            }
            Goal::Or(left, right) => {
                deep = true;
                Goal::cuts(left) || Goal::cuts(right)
            }
            Goal::Not(_) => {
                deep = true;
                false
            }
            _ => false,
        })
    }
    /// Whether a cut is among the goals that is theirs.
    pub fn cuts(goals: &[Goal]) -> bool {
        goals.iter().any(|goal| match goal {
            Goal::Cut => true,
            Goal::If { then, other, .. } => Goal::cuts(then) || Goal::cuts(other),
            Goal::Or(left, right) => Goal::cuts(left) || Goal::cuts(right),
            _ => false,
        })
    }
    /// Whether something runs before the first call that sees what the head bound.
    pub fn runs_inline_first(goals: &[Goal]) -> bool {
        goals.first().is_some_and(|goal| !matches!(goal, Goal::Call(_)))
    }
    /// The terms of the goal itself; those of goals inside are left out.
    pub fn terms(&self) -> Vec<Cell> {
        match self {
            Goal::Call(a) | Goal::Meta(a) | Goal::Test(_, a) | Goal::Native(_, a) => vec![*a],
            Goal::Unify(a, b) | Goal::Is(a, b) | Goal::Compare(_, a, b) | Goal::Identical(a, b, _) => {
                vec![*a, *b]
            }
            _ => Vec::new(),
        }
    }
}
