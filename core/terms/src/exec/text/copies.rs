//! Equal arguments of a symbol that are counted: `a + a + a + b`, of which a cell has `3` and `a`, and another one that
//! and the rest.

use super::*;

/// Copies of an argument that are left, and what stands behind them.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Copies<'a> {
    of: &'a Variant,
    sort: SortId,
    element: u64,
    /// At least one, and two if nothing stands behind them.
    left: u64,
    /// The variant of the cell that they and the rest are in, and the rest.
    behind: Option<(&'a Variant, u64)>,
}

impl<'a> Copies<'a> {
    /// Copies that are a value alone, or the first argument of a value.
    pub fn of_value(
        layout: &'a Layout,
        heap: &(impl Cells + ?Sized),
        sort: SortId,
        value: u32,
    ) -> Option<Self> {
        let (variant, cell) = cell(layout, heap, sort, value)?;
        let field = |variant: &Variant, cell: &[u32], at: usize| {
            let field = variant.fields[at];
            field_bits(cell, field.offset, field.wide)
        };
        let (counted, behind) = match (variant.notation, variant.fields.as_slice()) {
            (Notation::Copies(_), [_, _]) => ((variant, cell), None),
            (Notation::Mixfix(_) | Notation::Flat, [first, rest])
                if first.sort == sort && rest.sort == sort && layout.sorts[sort].has_copies =>
            {
                let (inner, inner_cell) = self::cell(layout, heap, sort, field(variant, cell, 0) as u32)?;
                let is_counted = matches!(inner.notation, Notation::Copies(_)) && inner.name == variant.name;
                is_counted.then_some(((inner, inner_cell), Some((variant, field(variant, cell, 1)))))?
            }
            _ => return None,
        };
        let (of, cell) = counted;
        let count = field(of, cell, 0);
        let left = if heap.integer(count).is_some() { u64::MAX } else { count };
        Some(Self { of, sort, element: field(of, cell, 1), left, behind })
    }

    /// The argument.
    pub fn element(self) -> (SortId, u64) {
        (self.sort, self.element)
    }

    /// What stands behind so many of them: others of them, or a value.
    pub fn after(self, count: u64) -> Result<Self, (SortId, u64)> {
        let left = self.left.saturating_sub(count);
        match (left, self.behind) {
            (0, Some((_, rest))) => Err((self.sort, rest)),
            (0 | 1, None) => Err((self.sort, self.element)),
            _ => Ok(Self { left, ..self }),
        }
    }

    fn first(self) -> Todo<'a> {
        Todo::Value(self.sort, self.element)
    }

    fn rest(self) -> Todo<'a> {
        self.after(1).map_or_else(|(sort, value)| Todo::Value(sort, value), Todo::Copies)
    }

    /// Whether they are arguments of the symbol of a variant.
    pub(super) fn are_of(self, of: &Variant) -> bool {
        self.of.name == of.name
    }

    pub(super) fn binds(self) -> Option<u8> {
        match self.of.notation {
            Notation::Copies(binding) => binding.map(Mixfix::precedence),
            _ => None,
        }
    }

    /// Begins them as a term.
    pub(super) fn begin(
        self,
        layout: &Layout,
        heap: &(impl Cells + ?Sized),
        todo: &mut Vec<Todo<'a>>,
        out: &mut Vec<u8>,
    ) {
        let Notation::Copies(Some(binding)) = self.of.notation else {
            out.extend_from_slice(self.of.name.as_bytes());
            out.push(b'(');
            return self.further(layout, heap, todo);
        };
        let mut args = [self.first(), self.rest()].into_iter().enumerate();
        let mut parts = Vec::new();
        for (has_space, piece) in Mixfix::spaced(&self.of.name) {
            parts.extend(has_space.then_some(Todo::Text(" ")));
            match piece {
                MixfixPiece::Word(word) => parts.push(Todo::Text(word)),
                MixfixPiece::Hole => {
                    let Some((at, arg)) = args.next() else { continue };
                    let limit = binding.limit_in(at, 2, || is_again(&arg, self.sort, self.of, layout));
                    parts.extend(bracketed(layout, heap, arg, limit));
                }
            }
        }
        todo.extend(parts.into_iter().rev());
    }

    /// The same as arguments between brackets that are open.
    pub(super) fn further(self, layout: &Layout, heap: &(impl Cells + ?Sized), todo: &mut Vec<Todo<'a>>) {
        match (self.after(1), self.behind) {
            (Ok(others), _) => todo.push(Todo::FurtherCopies(others)),
            (Err((sort, rest)), Some((of, _))) => todo.push(Todo::Arguments(of, sort, rest as u32)),
            (Err((sort, last)), None) => {
                todo.push(Todo::Text(")"));
                let last = Todo::Value(sort, last);
                todo.extend(bracketed(layout, heap, last, Mixfix::ARGUMENT).into_iter().rev());
            }
        }
        todo.push(Todo::Text(", "));
        todo.extend(bracketed(layout, heap, self.first(), Mixfix::ARGUMENT).into_iter().rev());
    }
}
