//! References: who owns a value, when it is dropped, and which cells are built in place of others.
//!
//! Three passes, all asked for by [`TermOptions::counts`]: `borrow` decides which parameters are only lent, `counts`
//! inserts the steps that account for references, `reuse` gives the memory of opened cells to new ones. [`check`]
//! proves that the account balances. After Reinking, Xie, de Moura, Leijen: "Perceus: Garbage Free Reference Counting
//! with Reuse" (PLDI 2021), and Ullrich, de Moura: "Counting Immutable Beans" (IFL 2019) for borrowing.

mod borrow;
mod check;
mod insert;
mod reuse;
mod uses;

pub(super) use borrow::borrow;
pub(super) use check::check;
pub(super) use insert::counts;
pub(super) use reuse::reuse;
