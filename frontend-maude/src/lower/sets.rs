//! Sets of normal forms of a kind: AA trees, balanced binary search trees whose nodes have levels. A right child may be
//! of the level of its parent, a right child of that not, and a left child neither.

use super::*;

/// What sets of a kind are made of.
#[derive(Clone, Copy)]
pub(super) struct Sets {
    pub sort: SortId,
    pub empty: SymbolId,
    /// A level, what is before a value, the value, and what is behind it.
    node: SymbolId,
}

/// A node whose level and value are variables.
struct Node {
    pattern: Pattern,
    level: Expr,
    value: Expr,
}

impl Lower<'_> {
    pub(super) fn sets(&mut self, kind: usize) -> Sets {
        if let Some(&known) = self.space.sets.get(&kind) {
            return known;
        }
        let name = format!("@set({})", self.space.signature.kind_name(kind));
        let sort = self.out.signature.sorts.push(ir::Sort { name, kind: SortKind::Data, span: None });
        let parts = vec![self.out.int, sort, self.space.sorts[kind], sort];
        let empty = self.symbol("@empty", Vec::new(), sort, None);
        let sets = Sets { sort, empty, node: self.symbol("@node", parts, sort, None) };
        self.space.sets.insert(kind, sets);
        sets
    }

    pub(super) fn empty_set(&mut self, kind: usize, span: Span) -> Expr {
        let empty = self.sets(kind).empty;
        self.app(empty, Vec::new(), span)
    }

    /// A set with one more value.
    pub(super) fn inserted(&mut self, kind: usize, value: Expr, set: Expr, span: Span) -> Expr {
        let insert = self.function(Make::Insert(kind));
        self.app(insert, vec![value, set], span)
    }

    /// A node between two sets.
    fn node_of(&mut self, cx: &mut Cx, kind: usize, [before, behind]: [Pattern; 2], span: Span) -> Node {
        let node = self.sets(kind).node;
        let (level, level_pattern) = cx.fresh(self.out.int, span);
        let (value, value_pattern) = cx.fresh(self.space.sorts[kind], span);
        let pattern = self.built(node, vec![level_pattern, before, value_pattern, behind], span);
        let [level, value] = [level, value].map(|var| cx.value(var, span));
        Node { pattern, level, value }
    }

    /// Any set.
    fn any_set(&mut self, cx: &mut Cx, kind: usize, span: Span) -> (Pattern, Expr) {
        let (set, pattern) = cx.fresh(self.sets(kind).sort, span);
        (pattern, cx.value(set, span))
    }

    fn node(&mut self, kind: usize, parts: [Expr; 4], span: Span) -> Expr {
        let node = self.sets(kind).node;
        self.app(node, parts.to_vec(), span)
    }

    /// Whether a value is in a set.
    pub(super) fn includes(&mut self, symbol: SymbolId, kind: usize) {
        let (span, sort) = (self.place(), self.space.sorts[kind]);
        for side in 0..3 {
            let mut cx = Cx::default();
            let (value, pattern) = cx.fresh(sort, span);
            let value = cx.value(value, span);
            let (before_pattern, before) = self.any_set(&mut cx, kind, span);
            let (behind_pattern, behind) = self.any_set(&mut cx, kind, span);
            let node = self.node_of(&mut cx, kind, [before_pattern, behind_pattern], span);
            let body = match side {
                0 => {
                    cx.test(self.before(kind, value.clone(), node.value, span));
                    self.app(symbol, vec![value, before], span)
                }
                1 => {
                    cx.test(self.before(kind, node.value, value.clone(), span));
                    self.app(symbol, vec![value, behind], span)
                }
                _ => self.condition(true, span),
            };
            self.rule(symbol, cx, vec![pattern, node.pattern], body, span);
        }
        let mut cx = Cx::default();
        let (_, pattern) = cx.fresh(sort, span);
        let empty = self.sets(kind).empty;
        let empty = self.built(empty, Vec::new(), span);
        let body = self.condition(false, span);
        self.rule(symbol, cx, vec![pattern, empty], body, span);
    }

    /// Inserts a value that is not in a set.
    pub(super) fn insert(&mut self, symbol: SymbolId, kind: usize) {
        let (span, sort) = (self.place(), self.space.sorts[kind]);
        let [skew, split] = [Make::Skew(kind), Make::Split(kind)].map(|make| self.function(make));
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(sort, span);
        let empty = self.empty_set(kind, span);
        let level = self.integer(1, span);
        let body = self.node(kind, [level, empty.clone(), cx.value(value, span), empty], span);
        let empty = self.sets(kind).empty;
        let empty = self.built(empty, Vec::new(), span);
        self.rule(symbol, cx, vec![pattern, empty], body, span);
        for is_before in [true, false] {
            let mut cx = Cx::default();
            let (value, pattern) = cx.fresh(sort, span);
            let value = cx.value(value, span);
            let (before_pattern, mut before) = self.any_set(&mut cx, kind, span);
            let (behind_pattern, mut behind) = self.any_set(&mut cx, kind, span);
            let node = self.node_of(&mut cx, kind, [before_pattern, behind_pattern], span);
            if is_before {
                cx.test(self.before(kind, value.clone(), node.value.clone(), span));
                before = self.app(symbol, vec![value, before], span);
            } else {
                behind = self.app(symbol, vec![value, behind], span);
            }
            let body = self.node(kind, [node.level, before, node.value, behind], span);
            let body = self.app(skew, vec![body], span);
            let body = self.app(split, vec![body], span);
            self.rule(symbol, cx, vec![pattern, node.pattern], body, span);
        }
    }

    /// A node whose left child is of its own level becomes the right child of that.
    pub(super) fn skewed(&mut self, symbol: SymbolId, kind: usize) {
        let span = self.place();
        let mut cx = Cx::default();
        let [a, b, c] = [(); 3].map(|()| self.any_set(&mut cx, kind, span));
        let left = self.node_of(&mut cx, kind, [a.0, b.0], span);
        let top = self.node_of(&mut cx, kind, [left.pattern, c.0], span);
        cx.test(self.operation(Operator::Eq, vec![top.level.clone(), left.level.clone()], span));
        let right = self.node(kind, [top.level, b.1, top.value, c.1], span);
        let body = self.node(kind, [left.level, a.1, left.value, right], span);
        self.rule(symbol, cx, vec![top.pattern], body, span);
        self.stays(symbol, kind);
    }

    /// The middle one of three nodes of a level goes up.
    pub(super) fn raised(&mut self, symbol: SymbolId, kind: usize) {
        let span = self.place();
        let mut cx = Cx::default();
        let [a, b, c, d] = [(); 4].map(|()| self.any_set(&mut cx, kind, span));
        let last = self.node_of(&mut cx, kind, [c.0, d.0], span);
        let middle = self.node_of(&mut cx, kind, [b.0, last.pattern], span);
        let first = self.node_of(&mut cx, kind, [a.0, middle.pattern], span);
        cx.test(self.operation(Operator::Eq, vec![first.level.clone(), last.level.clone()], span));
        let left = self.node(kind, [first.level.clone(), a.1, first.value, b.1], span);
        let right = self.node(kind, [last.level, c.1, last.value, d.1], span);
        let one = self.integer(1, span);
        let up = self.operation(Operator::Add, vec![first.level, one], span);
        let body = self.node(kind, [up, left, middle.value, right], span);
        self.rule(symbol, cx, vec![first.pattern], body, span);
        self.stays(symbol, kind);
    }

    fn stays(&mut self, symbol: SymbolId, kind: usize) {
        let span = self.place();
        let mut cx = Cx::default();
        let (set, pattern) = cx.fresh(self.sets(kind).sort, span);
        let body = cx.value(set, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }
}
