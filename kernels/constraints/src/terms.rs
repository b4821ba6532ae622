//! What the terms of a program need on a device: whether there are words of type `any`, which cells rules build,
//! whether texts are ordered.

use std::cmp::Ordering;

use gchr_base::op::Op;
use gchr_base::rule::{Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Program};
use gchr_base::signature::SortKind;
use gchr_constraints::plan::{ChrPlan, Step};

use gchr_kernel::ir::{Field, Scalar, Space, Type};

/// What a program with terms needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    /// Numbers of fields of the cells that rules build, ascending.
    pub sizes: Vec<u32>,
    /// Whether texts or functors are compared by their order, or the empty list is told from atoms.
    pub ordered: bool,
}

/// The fields of the record of buffers that hold terms, in its order; `templates/terms.cu` and `templates/intern.cu`
/// say what is in them.
pub(super) const FIELDS: [(&str, Type); 7] = [
    ("cells", Type::Buffer(Space::Global, Scalar::U64)),
    ("cell_places", Type::Buffer(Space::Global, Scalar::U32)),
    ("cells_used", Type::Buffer(Space::Global, Scalar::U64)),
    ("cell_capacity", Type::U32),
    ("cell_mask", Type::U32),
    ("text_ranks", Type::Buffer(Space::Global, Scalar::U32)),
    ("functor_ranks", Type::Buffer(Space::Global, Scalar::U32)),
];

/// What the comment of kernels says that build cells.
pub(super) const HANDED: &str =
    "handed: p.cells: a cell is written before its place is, and read after its place was found";

impl Terms {
    /// `None` when all values of the program are of known types, and no order of texts is asked for.
    pub fn of(program: &Program, plan: &ChrPlan) -> Option<Self> {
        let mut found = Found { program, terms: false, ordered: false, sizes: vec![1] };
        let any = |kind: SortKind| kind == SortKind::Any;
        found.terms |= plan.tables.iter().any(|t| t.columns.iter().any(|c| any(c.kind)));
        found.terms |= plan.occurrences.iter().any(|o| o.slots.iter().any(|s| any(s.kind)));
        for occurrence in &plan.occurrences {
            let joins = occurrence.joins.iter().flat_map(|j| &j.steps);
            occurrence.entry.iter().chain(joins).chain(&occurrence.commit).for_each(|s| found.step(s));
        }
        plan.rules.iter().flat_map(|rule| &rule.body).for_each(|goal| found.goal(goal));
        let Found { terms, ordered, mut sizes, .. } = found;
        sizes.sort_unstable();
        sizes.dedup();
        (terms || ordered).then_some(Self { sizes, ordered })
    }

    /// The fields for the record of buffers.
    pub(super) fn fields() -> impl Iterator<Item = Field> {
        FIELDS.into_iter().map(|(name, ty)| Field { name: name.into(), ty })
    }
}

/// Name of the function that builds cells of so many fields.
pub(super) fn intern_name(size: u32) -> String {
    format!("{}_intern", intern_prefix(size))
}

/// Prefix of the instance of `intern.cu` for so many fields.
pub(super) fn intern_prefix(size: u32) -> String {
    format!("fields{size}")
}

struct Found<'a> {
    program: &'a Program,
    terms: bool,
    ordered: bool,
    sizes: Vec<u32>,
}

impl Found<'_> {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Field { .. } | Step::Functor { .. } => self.terms = true,
            Step::Test { test: value, .. } | Step::Prune { test: value, .. } | Step::Eval { value, .. } => {
                self.expr(value);
            }
            Step::Match { value, pattern, .. } => {
                self.expr(value);
                self.pattern(pattern);
            }
            _ => {}
        }
    }

    fn goal(&mut self, goal: &Goal) {
        match &goal.kind {
            GoalKind::Test(value) | GoalKind::Bind { value, .. } | GoalKind::Write { value, .. } => {
                self.expr(value);
            }
            GoalKind::Match { value, pattern } => {
                self.expr(value);
                self.pattern(pattern);
            }
            GoalKind::Add { args, .. } => args.iter().for_each(|arg| self.expr(arg)),
            GoalKind::Fail | GoalKind::Newline => {}
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        pattern.walk(&mut |p| self.terms |= matches!(p.kind, PatternKind::App { .. }));
    }

    fn expr(&mut self, expr: &Expr) {
        let truth = self.program.signature.booleans.sort;
        let kind = |e: &Expr| self.program.signature.kind(e.sort);
        expr.walk(&mut |e| match &e.kind {
            ExprKind::App { args, .. } if e.sort != truth => {
                self.terms = true;
                self.sizes.push(args.len() as u32);
            }
            ExprKind::Repeat { .. } => {
                self.terms = true;
                self.sizes.push(1);
            }
            ExprKind::Op { op, args } => {
                self.terms |= kind(e) == SortKind::Any;
                self.ordered |= match op {
                    Op::Before | Op::BeforeOrSame | Op::After | Op::AfterOrSame => {
                        !args.iter().all(|a| matches!(kind(a), SortKind::Int | SortKind::Float))
                            && order_of_kinds(kind(&args[0]), kind(&args[1])).is_none()
                    }
                    Op::IsAtom | Op::IsCallable => true,
                    _ => false,
                };
            }
            _ => self.terms |= kind(e) == SortKind::Any,
        });
    }
}

/// How values of two kinds compare in the standard order, if that does not depend on the values: numbers come before
/// strings, and these before atoms.
pub fn order_of_kinds(a: SortKind, b: SortKind) -> Option<Ordering> {
    let place = |kind| match kind {
        SortKind::Int | SortKind::Float => Some(0),
        SortKind::Str => Some(1),
        SortKind::Atom => Some(2),
        SortKind::Any | SortKind::Data => None,
    };
    Some(place(a)?.cmp(&place(b)?)).filter(|order| order.is_ne())
}
