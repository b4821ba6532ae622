//! Comparisons of values: numbers, and structural equality of terms without recursion.

use std::cmp::Ordering;

use crate::exec::heap::Heap;
use crate::exec::text::Cells;
use crate::plan::Layout;
use gchr_base::op::Op;
use gchr_base::signature::SortId;

/// Comparisons and type tests of two `Int`s.
#[inline]
pub(super) fn ints(op: Op, a: u64, b: u64) -> bool {
    let (a, b) = (a.cast_signed(), b.cast_signed());
    match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        Op::IsInteger | Op::IsNumber | Op::IsAtomic => true,
        _ => op.holds(a.cmp(&b)),
    }
}

/// Comparisons and type tests of two `Float`s; structural ones tell 0.0 from -0.0.
#[inline]
pub(super) fn floats(op: Op, a: u64, b: u64) -> bool {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    match op {
        Op::Same | Op::Differ | Op::Before | Op::BeforeOrSame | Op::After | Op::AfterOrSame => {
            op.holds(x.total_cmp(&y))
        }
        Op::IsFloat | Op::IsNumber | Op::IsAtomic => true,
        _ => op.holds(x.partial_cmp(&y).unwrap_or(Ordering::Equal)),
    }
}

/// Pairs of values found equal, or being compared: a direct-mapped cache that forgets, so that shared subterms are not
/// compared again and again.
struct Seen(Vec<(u32, u32, u32)>);

const SEEN: usize = 1 << 12;
/// Comparisons before the cache comes into use.
const CACHE_AFTER: usize = 256;

impl Seen {
    fn add(&mut self, sort: u32, a: u32, b: u32) -> bool {
        if self.0.is_empty() {
            self.0 = vec![(0, 0, 0); SEEN];
        }
        let hash = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.0[(hash >> (64 - SEEN.trailing_zeros())) as usize];
        let known = *slot == (sort, a, b);
        *slot = (sort, a, b);
        known
    }
}

/// Whether two values of a sort are structurally equal.
pub(super) fn same(layout: &Layout, heap: &Heap, sort: SortId, a: u32, b: u32) -> bool {
    if a == b {
        return true;
    }
    let mut seen = Seen(Vec::new());
    let mut todo = vec![(sort, a, b)];
    let mut steps = 0usize;
    while let Some((sort, a, b)) = todo.pop() {
        if a == b {
            continue;
        }
        let shape = &layout.sorts[sort];
        let mask = (1u32 << shape.tag_bits) - 1;
        if a & mask != b & mask {
            return false;
        }
        steps += 1;
        // A pair met before is equal, or its difference is found elsewhere.
        if steps > CACHE_AFTER && seen.add(sort.0, a, b) {
            continue;
        }
        let Some(variant) = shape.variants.get((a & mask) as usize) else { return false };
        let Some(class) = variant.class else { return false };
        let cells = heap.cell(class, a >> shape.tag_bits).zip(heap.cell(class, b >> shape.tag_bits));
        let Some((a, b)) = cells else { return false };
        for field in variant.fields.iter().rev() {
            let at = field.offset as usize;
            if field.wide {
                if a[at..at + 2] != b[at..at + 2] {
                    return false;
                }
            } else {
                todo.push((field.sort, a[at], b[at]));
            }
        }
    }
    true
}
