//! Comparisons of values: numbers, and structural equality of terms without recursion.

use std::cmp::Ordering;

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

/// Whether two values of a sort are equal, where their words tell: no cell is looked at.
#[inline]
pub fn by_head(layout: &Layout, sort: SortId, a: u32, b: u32) -> Option<bool> {
    let shape = &layout.sorts[sort];
    let mask = (1u32 << shape.tag_bits) - 1;
    let has_cell = || shape.variants.get((a & mask) as usize).is_some_and(|variant| variant.class.is_some());
    if a == b {
        Some(true)
    } else if a & mask != b & mask || !has_cell() {
        Some(false)
    } else {
        None
    }
}

/// Pairs of cells that [`at_once`] compares at most.
const SMALL: usize = 64;
/// Pairs that it has waiting at most.
const WAITING: usize = 32;

/// Whether two values of a sort are equal; `None` where that takes more than a few cells. Most values that a program
/// compares are small: they need no memory.
pub fn at_once(layout: &Layout, cells: &(impl Cells + ?Sized), sort: SortId, a: u32, b: u32) -> Option<bool> {
    let mut todo = [(sort, a, b); WAITING];
    let (mut waiting, mut pairs) = (1, 0);
    while waiting > 0 {
        waiting -= 1;
        let (sort, a, b) = todo[waiting];
        match by_head(layout, sort, a, b) {
            Some(true) => continue,
            Some(false) => return Some(false),
            None => {}
        }
        let shape = &layout.sorts[sort];
        let variant = shape.variants.get((a & ((1u32 << shape.tag_bits) - 1)) as usize)?;
        if pairs == SMALL || waiting + variant.fields.len() > WAITING {
            return None;
        }
        pairs += 1;
        let class = variant.class?;
        let x = cells.cell(class, a >> shape.tag_bits)?;
        let y = cells.cell(class, b >> shape.tag_bits)?;
        for field in variant.fields.iter().rev() {
            let at = field.offset as usize;
            if field.wide {
                if x[at..at + 2] != y[at..at + 2] {
                    return Some(false);
                }
            } else {
                todo[waiting] = (field.sort, x[at], y[at]);
                waiting += 1;
            }
        }
    }
    Some(true)
}

/// A comparison of two terms under way, so that its caller can look at limits in between.
pub struct Comparison {
    todo: Vec<(SortId, u32, u32)>,
    seen: Seen,
    steps: usize,
}

impl Comparison {
    /// Of two values of a sort.
    pub fn new(sort: SortId, a: u32, b: u32) -> Self {
        Self { todo: vec![(sort, a, b)], seen: Seen(Vec::new()), steps: 0 }
    }

    /// Compares up to so many more pairs of cells; `None` when that was not enough to tell whether the values are
    /// equal.
    pub fn advance(&mut self, layout: &Layout, cells: &impl Cells, pairs: usize) -> Option<bool> {
        let end = self.steps.saturating_add(pairs);
        while let Some((sort, a, b)) = self.todo.pop() {
            if a == b {
                continue;
            }
            let shape = &layout.sorts[sort];
            let mask = (1u32 << shape.tag_bits) - 1;
            if a & mask != b & mask {
                return Some(false);
            }
            if self.steps >= end {
                self.todo.push((sort, a, b));
                return None;
            }
            self.steps += 1;
            // A pair met before is equal, or its difference is found elsewhere.
            if self.steps > CACHE_AFTER && self.seen.add(sort.0, a, b) {
                continue;
            }
            let Some(variant) = shape.variants.get((a & mask) as usize) else { return Some(false) };
            let Some(class) = variant.class else { return Some(false) };
            let pair = cells.cell(class, a >> shape.tag_bits).zip(cells.cell(class, b >> shape.tag_bits));
            let Some((a, b)) = pair else { return Some(false) };
            for field in variant.fields.iter().rev() {
                let at = field.offset as usize;
                if field.wide {
                    if a[at..at + 2] != b[at..at + 2] {
                        return Some(false);
                    }
                } else {
                    self.todo.push((field.sort, a[at], b[at]));
                }
            }
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{ClassId, TermOptions, compile};
    use gchr_base::source::SourceMap;

    /// Cells of one class.
    struct Words(Vec<[u32; 2]>);

    impl Cells for Words {
        fn cell(&self, _: ClassId, index: u32) -> Option<&[u32]> {
            self.0.get(index as usize).map(|words| &words[..])
        }
    }

    /// Two graphs of as many cells as levels are compared in a few thousand steps, although they are trees of 2^60
    /// leaves; and a caller that stops in between is asked.
    #[test]
    fn shared_subterms_are_compared_once() {
        let text =
            "sort T = struct Z() | P(T, T); map D: T -> T; var X: T; eqn D(X) = P(X, X); input D(Z());";
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::default()).expect("the plan compiles");
        let of = |name: &str| {
            let mut symbols = program.signature.symbols.iter_enumerated();
            symbols.find(|(_, s)| s.name == name).map(|(id, _)| id).expect("the symbol is declared")
        };
        let (zero, pair) = (of("Z"), of("P"));
        let layout = &plan.layout;
        let tag = |symbol| layout.tag(symbol).expect("a constructor");
        let sort = program.signature.symbols[zero].result;
        let bits = layout.sorts[sort].tag_bits;
        let mut cells = Words(vec![[0, 0]]);
        let mut graph = |levels: u32| {
            (0..levels).fold(tag(zero), |below, _| {
                cells.0.push([below, below]);
                (cells.0.len() as u32 - 1) << bits | tag(pair)
            })
        };
        let (a, b, lower) = (graph(60), graph(60), graph(59));
        let mut comparison = Comparison::new(sort, a, b);
        assert_eq!(comparison.advance(layout, &cells, 10), None);
        assert_eq!(comparison.advance(layout, &cells, 10_000), Some(true));
        assert_eq!(Comparison::new(sort, a, lower).advance(layout, &cells, 10_000), Some(false));
    }
}
