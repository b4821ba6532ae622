//! Built-in predicates on lists: length, sorting.

use std::cmp::Ordering;

use super::Table;
use crate::cell::Cell;
use crate::machine::{Done, Machine};
use crate::names::atom;

pub(super) const TABLE: Table = &[
    ("$length", 2, length),
    ("msort", 2, |m| sort_by(m, 0, "@=<", 0, 1)),
    ("sort", 2, |m| sort_by(m, 0, "@<", 0, 1)),
    ("sort", 4, sort4),
    ("keysort", 2, |m| sort_by(m, 1, "@=<", 0, 1)),
    ("list_to_set", 2, list_to_set),
    ("sum_list", 2, sum),
    ("sumlist", 2, sum),
    ("reverse", 2, |m| {
        let mut items = m.proper_list(m.x[0])?;
        items.reverse();
        let list = m.heap.list(&items);
        Ok(m.unify_arg(1, list))
    }),
    ("memberchk", 2, memberchk),
];

/// `$length(List, N)`: of a proper list its length; of a partial one with a known `N` as many elements as are missing.
fn length(m: &mut Machine<'_, '_>) -> Done<bool> {
    let (items, rest) = m.heap.list_items(m.x[0]);
    if rest == Cell::atom(atom::nil) {
        return Ok(m.unify_arg(1, Cell::int(items.len())));
    }
    if !rest.is_var() {
        return Ok(false);
    }
    let n = m.int_arg(1)? as usize;
    if n < items.len() {
        return Ok(false);
    }
    let missing: Vec<Cell> = (items.len()..n).map(|_| m.heap.variable()).collect();
    let list = m.heap.list(&missing);
    Ok(m.heap.unify(rest, list))
}

fn sort4(m: &mut Machine<'_, '_>) -> Done<bool> {
    let key = m.int_arg(0)?;
    let order = m.atom_arg(1)?;
    let order = m.db.names.text(order).to_string();
    if !["@<", "@>", "@=<", "@>="].contains(&&*order) {
        let culprit = m.arg(1);
        return Err(m.domain_error("order", culprit));
    }
    sort_by(m, key.max(0) as usize, &order, 2, 3)
}

/// Sorts by an argument of the elements, or by the elements themselves (0).
fn sort_by(m: &mut Machine<'_, '_>, key: usize, order: &str, from: usize, to: usize) -> Done<bool> {
    let items = m.proper_list(m.x[from])?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let value = if key == 0 {
            item
        } else {
            if item.is_var() {
                return Err(m.instantiation_error());
            }
            if !item.is_compound() || m.heap.args(item).1 < key {
                return Err(match from {
                    0 => m.type_error("pair", item),
                    _ => m.type_error("compound", item),
                });
            }
            m.heap.arg(item, key - 1)
        };
        keyed.push((value, item));
    }
    let descending = order.starts_with("@>");
    let compare = |a: Cell, b: Cell| m.heap.compare(&m.db.names, a, b);
    keyed.sort_by(|a, b| if descending { compare(b.0, a.0) } else { compare(a.0, b.0) });
    if !order.contains('=') {
        keyed.dedup_by(|b, a| compare(a.0, b.0) == Ordering::Equal);
    }
    let sorted: Vec<Cell> = keyed.into_iter().map(|(_, item)| item).collect();
    let list = m.heap.list(&sorted);
    Ok(m.unify_arg(to, list))
}

fn list_to_set(m: &mut Machine<'_, '_>) -> Done<bool> {
    let items = m.proper_list(m.x[0])?;
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&i, &j| m.heap.compare(&m.db.names, items[i], items[j]).then(i.cmp(&j)));
    let mut keep = vec![true; items.len()];
    for pair in order.windows(2) {
        keep[pair[1]] = !m.heap.identical(items[pair[0]], items[pair[1]]);
    }
    let kept: Vec<Cell> = items.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(item, _)| *item).collect();
    let list = m.heap.list(&kept);
    Ok(m.unify_arg(1, list))
}

fn sum(m: &mut Machine<'_, '_>) -> Done<bool> {
    let items = m.proper_list(m.x[0])?;
    let mut total = crate::number::Number::Int(0);
    for item in items {
        let value = m.evaluate(item)?;
        total = m.evaluate_binary(atom::plus, total, value)?;
    }
    let cell = m.heap.push_number(&total);
    Ok(m.unify_arg(1, cell))
}

fn memberchk(m: &mut Machine<'_, '_>) -> Done<bool> {
    let mut rest = m.arg(1);
    let item = m.arg(0);
    while rest.tag() == crate::cell::Tag::Lst {
        let element = m.heap.arg(rest, 0);
        if m.heap.identical(item, element) || m.unifiable(item, element) && m.heap.unify(item, element) {
            return Ok(true);
        }
        rest = m.heap.arg(rest, 1);
    }
    if rest.is_var() {
        let tail = m.heap.variable();
        let list = m.heap.cons(item, tail);
        return Ok(m.heap.unify(rest, list));
    }
    Ok(false)
}
