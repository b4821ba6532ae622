//! The operators of a program: what its directives declare.

use std::sync::Arc;

use gchr_base::logic::{Fixity, Operators};
pub(crate) use gchr_base::value::operators::{ARGUMENT, TERM};

use crate::ast::{Module, TermId, TermKind, without_module};
use crate::directives::{self, Directive};
use crate::libraries;

/// Takes what a directive declares into the table: `op(Priority, Type, Names)`, and the exports of a module. What is
/// wrong with
/// it, [`check`] says.
pub(crate) fn declare(module: &Module, directive: TermId, operators: &mut Operators) {
    libraries::declare_operators(module, directive, operators);
    for part in directives::parts(module, directive) {
        match part {
            (Directive::Operators, args) => set(module, args, operators, |_| true),
            (Directive::Module, &[_, exports]) => declare_exports(module, exports, operators),
            _ => {}
        }
    }
}

/// Takes the operators that a directive of a module declares for all texts: `op(700, xfx, user:(~>))`.
pub(crate) fn declare_for_all(module: &Module, directive: TermId, operators: &mut Operators) {
    let is_of_all = |name| {
        let owner = module.binary(name, ":").map(|(owner, _)| module.functor(owner));
        owner == Some(Some(("user", &[])))
    };
    for (directive, args) in directives::parts(module, directive) {
        if directive == Directive::Operators {
            set(module, args, operators, is_of_all);
        }
    }
}

/// Declares the names of `op(Priority, Type, Names)` that are meant.
fn set(module: &Module, args: &[TermId], operators: &mut Operators, is_meant: impl Fn(TermId) -> bool) {
    let &[priority, fixity, names] = args else { return };
    if check(module, priority, fixity, names).is_some() {
        return;
    }
    let (TermKind::Int(priority), Some((fixity, []))) = (module.kind(priority), module.functor(fixity))
    else {
        return;
    };
    let (Ok(priority), Some(fixity)) = (u16::try_from(*priority), Fixity::of(fixity)) else { return };
    for &name in names_of(module, &names).iter().filter(|&&name| is_meant(name)) {
        if let Some((name, [])) = module.functor(without_module(module, name)) {
            operators.set(priority, fixity, name);
        }
    }
}

/// The names of a declaration: one, or a list of them.
fn names_of<'a>(module: &'a Module, names: &'a TermId) -> &'a [TermId] {
    match module.kind(*names) {
        TermKind::List { items, tail: None } => items,
        _ => std::slice::from_ref(names),
    }
}

/// The part of `op(Priority, Type, Names)` that is wrong, and why.
pub(crate) fn check(
    module: &Module,
    priority: TermId,
    fixity: TermId,
    names: TermId,
) -> Option<(TermId, &'static str)> {
    let least = |name: &str| if name == "|" { 1001 } else { 0 };
    let priority = match module.kind(priority) {
        TermKind::Int(n @ 0..=1200) => *n,
        _ => return Some((priority, "not a priority from 0 to 1200")),
    };
    match module.functor(fixity) {
        Some((name, [])) if Fixity::of(name).is_some() => {}
        _ => return Some((fixity, "none of xfx, xfy, yfx, fy, fx, xf, yf")),
    }
    for &name in names_of(module, &names) {
        match module.functor(without_module(module, name)) {
            Some(("," | "[]" | "{}", [])) => return Some((name, "cannot be changed")),
            Some((text, [])) if priority == 0 || priority >= least(text) => {}
            Some((_, [])) => return Some((name, "has a priority of 1001 at least")),
            _ => return Some((name, "not an atom")),
        }
    }
    None
}

/// Takes the operators of a list of exports into a table.
pub(crate) fn declare_exports(module: &Module, exports: TermId, operators: &mut Operators) {
    let TermKind::List { items, .. } = module.kind(exports) else { return };
    for &item in items {
        if let Some(("op", args)) = module.functor(item) {
            set(module, args, operators, |_| true);
        }
    }
}

/// The declarations that make one table of another.
pub(crate) fn difference(from: &Operators, to: &Operators) -> Vec<(u16, Fixity, Arc<str>)> {
    let of = |table: &Operators, name: &str, fixity: Fixity| match fixity {
        f if f.is_prefix() => table.prefix(name),
        f if f.is_postfix() => table.postfix(name),
        _ => table.infix(name),
    };
    let gone = from.iter().filter(|(name, op)| of(to, name, op.fixity).is_none());
    let gone = gone.map(|(name, op)| (0, op.fixity, name.clone()));
    let new = to.iter().filter(|(name, op)| of(from, name, op.fixity) != Some(*op));
    gone.chain(new.map(|(name, op)| (op.priority, op.fixity, name.clone()))).collect()
}
