//! Built-in predicates on lists: length, sorting.

use std::cmp::Ordering;

use super::Table;
use crate::cell::Cell;
use crate::machine::{Done, Machine};
use crate::names::atom;
use crate::walk::Passed;

pub(super) const TABLE: Table = &[
    ("$length", 2, length),
    // `$skip(List, Rest, N)`: the items of a list, and what follows them; the list itself, where it has no end.
    ("$skip", 3, |m| {
        let (n, rest) = m.heap.skip_items(m.x[0], |_| ());
        Ok(m.unify_arg(1, rest) && m.unify_arg(2, Cell::int(n)))
    }),
    ("msort", 2, |m| sort_by(m, &[], "@=<", 0, 1)),
    ("sort", 2, |m| sort_by(m, &[], "@<", 0, 1)),
    ("sort", 4, sort4),
    ("keysort", 2, |m| sort_by(m, &[1], "@=<", 0, 1)),
    ("list_to_set", 2, list_to_set),
    ("sum_list", 2, sum),
    ("sumlist", 2, sum),
    ("$reverse", 2, |m| {
        let mut items = m.proper_list(m.x[0])?;
        items.reverse();
        let list = m.heap.list(&items);
        Ok(m.unify_arg(1, list))
    }),
    ("$memberchk", 3, memberchk),
];

/// `$length(List, N)`: of a proper list its length; of a partial one with a known `N` as many elements as are missing.
fn length(m: &mut Machine<'_, '_>) -> Done<bool> {
    let (items, rest) = m.heap.list_items(m.x[0]);
    m.checked(())?;
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
    // The variables, the list, and its items in between.
    m.afford(32_usize.saturating_mul(n - items.len()))?;
    let missing: Vec<Cell> = (items.len()..n).map(|_| m.heap.variable()).collect();
    let list = m.heap.list(&missing);
    Ok(m.heap.unify(rest, list))
}

fn sort4(m: &mut Machine<'_, '_>) -> Done<bool> {
    let key = m.sort_key(m.x[0])?;
    let order = m.atom_arg(1)?;
    let order = m.db.names.text(order).to_string();
    if !["@<", "@>", "@=<", "@>="].contains(&&*order) {
        let culprit = m.arg(1);
        return Err(m.domain_error("order", culprit));
    }
    sort_by(m, &key, &order, 2, 3)
}

impl Machine<'_, '_> {
    /// The path to what elements are sorted by: the number of an argument (0: the element itself), or a list of
    /// numbers, from the outermost term inwards.
    fn sort_key(&mut self, key: Cell) -> Done<Vec<usize>> {
        let (items, rest) = self.heap.list_items(key);
        let is_path = !items.is_empty() && rest == Cell::atom(crate::names::atom::nil);
        let steps = if is_path { items } else { vec![key] };
        let mut path = Vec::with_capacity(steps.len());
        for step in steps {
            let value = usize::try_from(self.int_value(step)?).ok().filter(|&step| step > 0 || !is_path);
            let Some(step) = value else { return Err(self.domain_error("not_less_than_one", step)) };
            path.push(step);
        }
        path.retain(|&step| step > 0);
        Ok(path)
    }
}

/// Sorts by what a path leads to in the elements, or by the elements themselves.
fn sort_by(m: &mut Machine<'_, '_>, path: &[usize], order: &str, from: usize, to: usize) -> Done<bool> {
    let items = m.proper_list(m.x[from])?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let mut value = item;
        for &key in path {
            if value.is_var() {
                return Err(m.instantiation_error());
            }
            if !value.is_compound() || m.heap.args(value).1 < key {
                return Err(match from {
                    0 => m.type_error("pair", value),
                    _ => m.type_error("compound", value),
                });
            }
            value = m.heap.arg(value, key - 1);
        }
        keyed.push((value, item));
    }
    let descending = order.starts_with("@>");
    m.afford(2 * size_of::<(Cell, Cell)>() * keyed.len())?;
    let compare = |a: Cell, b: Cell| m.heap.compare(&m.db.names, a, b);
    merge_sort(&mut keyed, |a, b| if descending { compare(b.0, a.0) } else { compare(a.0, b.0) });
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
    merge_sort(&mut order, |&i, &j| m.heap.compare(&m.db.names, items[i], items[j]));
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

/// `$memberchk(Item, List, How)`: as `memberchk/2` (`How` is `done`), unless goals of variables would have to run
/// before it is known which element it is (`wakes`).
fn memberchk(m: &mut Machine<'_, '_>) -> Done<bool> {
    let mut rest = m.arg(1);
    let item = m.arg(0);
    let mut passed = Passed::from(rest);
    while rest.tag() == crate::cell::Tag::Lst {
        m.spend(1)?;
        let element = m.heap.arg(rest, 0);
        if m.heap.identical(item, element) {
            return m.is_done(2);
        }
        match m.unifies(item, element) {
            None => {}
            Some(true) => {
                let how = m.atom_cell("wakes");
                return Ok(m.unify_arg(2, how));
            }
            Some(false) => return Ok(m.heap.unify(item, element) && m.is_done(2)?),
        }
        rest = m.heap.arg(rest, 1);
        if passed.again(rest) {
            return Err(m.type_error("list", rest));
        }
    }
    if rest.is_var() {
        let tail = m.heap.variable();
        let list = m.heap.cons(item, tail);
        if m.unifies(rest, list) == Some(true) {
            let how = m.atom_cell("wakes");
            return Ok(m.unify_arg(2, how));
        }
        return Ok(m.heap.unify(rest, list) && m.is_done(2)?);
    }
    Ok(false)
}

/// Sorts by merging, equal items in the order in which they are. The order of terms is none any more when the meter of
/// the heap stops in the middle, on which the sort of the standard library may panic.
fn merge_sort<T: Copy>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let mut merged = Vec::with_capacity(items.len());
    let mut width = 1;
    while width < items.len() {
        for pair in items.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            // What is in order already is copied as a whole.
            if let (Some(last), Some(first)) = (left.last(), right.first())
                && compare(last, first) != Ordering::Greater
            {
                merged.extend_from_slice(pair);
                continue;
            }
            while let (Some((a, rest_left)), Some((b, rest_right))) =
                (left.split_first(), right.split_first())
            {
                if compare(a, b) == Ordering::Greater {
                    merged.push(*b);
                    right = rest_right;
                } else {
                    merged.push(*a);
                    left = rest_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(items, &mut merged);
        merged.clear();
        width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::merge_sort;

    #[test]
    fn equal_items_stay_in_order_and_no_order_is_no_accident() {
        for n in 0..70_u32 {
            let mut items: Vec<(u32, u32)> = (0..n).map(|i| (i * 7919 % 13, i)).collect();
            let mut wanted = items.clone();
            wanted.sort();
            merge_sort(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, wanted);
            let calls = std::cell::Cell::new(0);
            merge_sort(&mut items, |_, _| {
                calls.set(calls.get() + 1);
                if calls.get() % 3 == 0 { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
            });
            items.sort();
            assert_eq!(items, wanted, "all items are there still");
        }
    }
}
