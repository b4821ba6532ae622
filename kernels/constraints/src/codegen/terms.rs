//! Words of type `any`: values as words and back, compound terms taken apart and built.

use gchr_base::op::Op;
use gchr_base::rule;
use gchr_base::signature::{SortKind, SymbolId};
use gchr_base::value::tag;

use super::value::{TypedExpr, Values};
use super::{CodegenCtx, any, function, not, op, u64};
use crate::terms::{intern_name, order_of_kinds};
use gchr_kernel::build;
use gchr_kernel::ir::*;

/// Headers of cells of integers and of floats.
const BIG_HEADER: u64 = 1 << 32 | tag::BIG_CELL;
const FLOAT_HEADER: u64 = 1 << 32 | tag::FLOAT_CELL;

/// The tag of a word.
pub(crate) fn tag_of(word: &Expr) -> Expr {
    op(BinaryOp::And, word.clone(), u64(tag::MASK))
}

fn has_tag(word: &Expr, tag: u64) -> Expr {
    build::eq(tag_of(word), u64(tag))
}

fn payload(word: &Expr) -> Expr {
    op(BinaryOp::Shr, word.clone(), build::u32(tag::BITS))
}

fn with_tag(payload: Expr, tag: u64) -> Expr {
    let shifted = op(BinaryOp::Shl, payload, build::u32(tag::BITS));
    if tag == 0 { shifted } else { op(BinaryOp::Or, shifted, u64(tag)) }
}

/// Something of a kind, where it does not matter what.
fn nothing(kind: SortKind) -> Expr {
    match kind {
        SortKind::Int => build::i64(0),
        SortKind::Float => Expr::new(ExprKind::Literal(Literal::Float(0.0)), Type::F64),
        SortKind::Data => build::bool(false),
        SortKind::Any | SortKind::Atom | SortKind::Str => u64(0),
    }
}

/// `is_crowded`: whether a cell was built for which there is no room.
pub(crate) fn is_crowded(ctx: CodegenCtx<'_>) -> Function {
    let (mut b, p) = function(ctx, "is_crowded", false, Type::BOOL);
    if ctx.layout.terms.is_none() {
        b.ret(Some(build::bool(false)));
        return b.finish();
    }
    let used = build::element(ctx.field(&p, "cells_used"), build::u32(0));
    let used = b.atomic("used", AtomicOp::Load, used, Vec::new());
    let capacity = build::cast(Scalar::U64, ctx.field(&p, "cell_capacity"));
    b.ret(Some(op(BinaryOp::Gt, used, capacity)));
    b.finish()
}

impl Values<'_> {
    /// A buffer or number of the terms.
    pub(crate) fn of_terms(&self, name: &str) -> Expr {
        self.ctx.field(&self.p, name)
    }

    /// A call of a function of `terms.cu` that reads cells.
    pub(crate) fn reading(&mut self, function: FunctionId, args: Vec<Expr>) -> Expr {
        let all = [self.of_terms("cells")].into_iter().chain(args).collect();
        self.b.call("read", self.ctx.module, function, all)
    }

    /// The word of a value.
    pub(crate) fn tagged(&mut self, held: &TypedExpr) -> Expr {
        let bits = Self::word(held);
        match held.kind {
            SortKind::Any | SortKind::Data => bits,
            SortKind::Atom => with_tag(bits, tag::ATOM),
            SortKind::Str => with_tag(bits, tag::STR),
            SortKind::Float => self.cell(FLOAT_HEADER, &[bits], tag::FLOAT),
            SortKind::Int => {
                if let ExprKind::Literal(Literal::Int(n)) = held.expr.kind
                    && let Some(word) = gchr_base::value::Heap::small_int(n as i64)
                {
                    return u64(word);
                }
                self.int_word(bits)
            }
        }
    }

    /// The word of an integer: a cell if it needs one.
    pub(crate) fn int_word(&mut self, bits: Expr) -> Expr {
        let bits = self.b.var("bits", bits);
        let word = self.b.var("word", with_tag(bits.clone(), tag::INT));
        let back = op(BinaryOp::Shr, build::cast(Scalar::I64, word.clone()), build::u32(tag::BITS));
        self.b.begin();
        let big = self.cell(BIG_HEADER, std::slice::from_ref(&bits), tag::BIG);
        self.b.assign(word.clone(), big);
        self.b.end_if(op(BinaryOp::Ne, back, build::cast(Scalar::I64, bits)));
        word
    }

    /// The word of a float.
    pub(crate) fn float_word(&mut self, bits: Expr) -> Expr {
        self.cell(FLOAT_HEADER, &[bits], tag::FLOAT)
    }

    /// The word of the cell with a header and fields.
    fn cell(&mut self, header: u64, fields: &[Expr], tag: u64) -> Expr {
        let size = fields.len() as u32;
        let array = self.b.array("fields", Scalar::U64, size);
        for (at, field) in fields.iter().enumerate() {
            self.b.assign(build::element(array.clone(), build::u32(at as u32)), field.clone());
        }
        let names = ["cells", "cell_places", "cells_used", "cell_capacity", "cell_mask"];
        let terms = names.map(|name| self.of_terms(name));
        let args = terms.into_iter().chain([u64(header), array]).collect();
        let intern = self.ctx.generated(&intern_name(size));
        let cell = self.b.call("cell", self.ctx.module, intern, args);
        self.b.var("word", with_tag(cell, tag))
    }

    fn header(&self, symbol: SymbolId) -> u64 {
        (self.ctx.program.signature.arity(symbol) as u64) << 32 | u64::from(symbol.0)
    }

    /// A compound term of these arguments.
    pub(crate) fn compound(&mut self, symbol: SymbolId, args: &[rule::Expr]) -> TypedExpr {
        let mut fields = Vec::with_capacity(args.len());
        for arg in args {
            let held = self.expr(arg);
            fields.push(self.tagged(&held));
        }
        let word = self.cell(self.header(symbol), &fields, tag::COMPOUND);
        TypedExpr::new(SortKind::Any, word)
    }

    /// A functor applied several times.
    pub(crate) fn repeated(&mut self, symbol: SymbolId, count: u32, arg: &rule::Expr) -> TypedExpr {
        let held = self.expr(arg);
        let word = self.tagged(&held);
        let word = self.b.var("nested", word);
        let counter = self.b.counter("times", Type::U32);
        self.b.begin();
        let longer = self.cell(self.header(symbol), std::slice::from_ref(&word), tag::COMPOUND);
        self.b.assign(word.clone(), longer);
        let more = op(BinaryOp::Lt, counter.clone(), build::u32(count));
        let next = op(BinaryOp::Add, counter.clone(), build::u32(1));
        self.b.end_for(&counter, build::u32(0), more, next);
        TypedExpr::new(SortKind::Any, word)
    }

    /// Whether a word is a compound term with this functor.
    pub(crate) fn has_functor(&self, word: &Expr, symbol: SymbolId) -> Expr {
        let header = build::element(self.of_terms("cells"), payload(word));
        op(BinaryOp::AndAlso, has_tag(word, tag::COMPOUND), build::eq(header, u64(self.header(symbol))))
    }

    /// An argument of a compound term.
    pub(crate) fn field_of(&self, word: &Expr, index: usize) -> Expr {
        let place = op(BinaryOp::Add, payload(word), u64(1 + index as u64));
        build::element(self.of_terms("cells"), place)
    }

    /// A value as one of another kind, and the condition under which it is of that kind; `None` when it surely is.
    pub(crate) fn matched(&mut self, held: &TypedExpr, kind: SortKind) -> (TypedExpr, Option<Expr>) {
        let sure = |expr| TypedExpr { kind, expr, defined: held.defined.clone() };
        match (held.kind, kind) {
            (from, to) if from == to => (held.clone(), None),
            (_, SortKind::Any) => (sure(self.tagged(held)), None),
            (SortKind::Any, SortKind::Int) => {
                let n = self.reading(self.ctx.terms().number_of, vec![held.expr.clone()]);
                let fits = op(BinaryOp::Le, tag_of(&held.expr), u64(tag::BIG));
                (sure(build::cast(Scalar::I64, n)), Some(fits))
            }
            (SortKind::Any, SortKind::Float) => {
                let bits = self.reading(self.ctx.terms().number_of, vec![held.expr.clone()]);
                let x = build::intrinsic(Intrinsic::FloatFromBits, vec![bits], Scalar::F64);
                (sure(x), Some(has_tag(&held.expr, tag::FLOAT)))
            }
            (SortKind::Any, SortKind::Atom) => {
                (sure(payload(&held.expr)), Some(has_tag(&held.expr, tag::ATOM)))
            }
            (SortKind::Any, SortKind::Str) => {
                (sure(payload(&held.expr)), Some(has_tag(&held.expr, tag::STR)))
            }
            _ => (sure(nothing(kind)), Some(build::bool(false))),
        }
    }

    /// Whether two values are the same.
    pub(crate) fn same(&mut self, a: &TypedExpr, b: &TypedExpr) -> Expr {
        let (word, other) = match (a.kind, b.kind) {
            (x, y) if x == y => return build::eq(Self::word(a), Self::word(b)),
            (SortKind::Any, _) => (a, b),
            (_, SortKind::Any) => (b, a),
            _ => return build::bool(false),
        };
        let bits = Self::word(other);
        match other.kind {
            SortKind::Int => self.reading(self.ctx.terms().is_int, vec![word.expr.clone(), bits]),
            SortKind::Float => self.reading(self.ctx.terms().is_float, vec![word.expr.clone(), bits]),
            SortKind::Atom => build::eq(word.expr.clone(), with_tag(bits, tag::ATOM)),
            SortKind::Str => build::eq(word.expr.clone(), with_tag(bits, tag::STR)),
            SortKind::Any | SortKind::Data => build::bool(false),
        }
    }

    /// Comparisons of values as they are, and type tests.
    pub(crate) fn structural(&mut self, operator: Op, args: &[TypedExpr]) -> TypedExpr {
        let holds = match (operator, args) {
            (Op::Same, [a, b]) => self.same(a, b),
            (Op::Differ, [a, b]) => not(self.same(a, b)),
            (Op::Before | Op::BeforeOrSame | Op::After | Op::AfterOrSame, [a, b]) => {
                self.ordered(operator, a, b)
            }
            _ => self.has_type(operator, &args[0]),
        };
        TypedExpr::new(SortKind::Data, holds)
    }

    /// A comparison in the standard order.
    fn ordered(&mut self, operator: Op, a: &TypedExpr, b: &TypedExpr) -> Expr {
        let comparison = match operator {
            Op::Before => BinaryOp::Lt,
            Op::BeforeOrSame => BinaryOp::Le,
            Op::After => BinaryOp::Gt,
            _ => BinaryOp::Ge,
        };
        let number = |held: &TypedExpr| matches!(held.kind, SortKind::Int | SortKind::Float);
        if a.kind == SortKind::Int && b.kind == SortKind::Int {
            return op(comparison, a.expr.clone(), b.expr.clone());
        }
        if let Some(order) = order_of_kinds(a.kind, b.kind) {
            let before = matches!(operator, Op::Before | Op::BeforeOrSame);
            return build::bool(before == order.is_lt());
        }
        let order = if number(a) && number(b) {
            let float = |held: &TypedExpr| build::bool(held.kind == SortKind::Float);
            let args = vec![float(a), Self::word(a), float(b), Self::word(b)];
            self.b.call("order", self.ctx.module, self.ctx.numbers().order_numbers, args)
        } else {
            let (a, b) = (self.tagged(a), self.tagged(b));
            let ranks = ["text_ranks", "functor_ranks"].map(|name| self.of_terms(name));
            self.reading(self.ctx.terms().order_words, ranks.into_iter().chain([a, b]).collect())
        };
        op(comparison, order, build::i64(0))
    }

    /// A type test; the empty list, whose rank among atoms is 0, is neither an atom nor callable.
    fn has_type(&mut self, operator: Op, held: &TypedExpr) -> Expr {
        let word = &held.expr;
        let named = |text: Expr| {
            let rank = op(BinaryOp::Mul, text, u64(2));
            op(BinaryOp::Ne, build::element(self.of_terms("text_ranks"), rank), build::u32(0))
        };
        if held.kind != SortKind::Any {
            return match operator {
                Op::IsInteger => build::bool(held.kind == SortKind::Int),
                Op::IsFloat => build::bool(held.kind == SortKind::Float),
                Op::IsNumber => build::bool(matches!(held.kind, SortKind::Int | SortKind::Float)),
                Op::IsString => build::bool(held.kind == SortKind::Str),
                Op::IsAtom | Op::IsCallable if held.kind == SortKind::Atom => named(word.clone()),
                Op::IsAtomic => build::bool(true),
                _ => build::bool(false),
            };
        }
        let atom = || op(BinaryOp::AndAlso, has_tag(word, tag::ATOM), named(payload(word)));
        match operator {
            Op::IsInteger => op(BinaryOp::Le, tag_of(word), u64(tag::BIG)),
            Op::IsFloat => has_tag(word, tag::FLOAT),
            Op::IsNumber => op(BinaryOp::Le, tag_of(word), u64(tag::FLOAT)),
            Op::IsString => has_tag(word, tag::STR),
            Op::IsAtom => atom(),
            Op::IsAtomic => op(BinaryOp::Ne, tag_of(word), u64(tag::COMPOUND)),
            Op::IsCompound => has_tag(word, tag::COMPOUND),
            _ => any([has_tag(word, tag::COMPOUND), atom()]),
        }
    }
}
