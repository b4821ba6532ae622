//! What all parts of the checker refer to: places of a kernel, memory, broken rules.

use super::verdict::Rule;
use gchr_kernel::ir::{Function, Space, Stmt};

/// A place in the walk: the calls and loops that led there, by hash, and a statement.
pub(super) type Key = (u64, usize);

/// A buffer or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    pub name: String,
    pub space: Space,
}

/// A broken rule: the rule, the place, the other place that is involved, the explanation.
pub(super) type Violation<'m> = (Rule, Site<'m>, Option<Site<'m>>, String);

/// A buffer, an array or a field of the launch record, by number.
pub(super) type Root = u32;

/// A statement within the functions called so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'m> {
    pub function: &'m Function,
    pub stmt: &'m Stmt,
}
