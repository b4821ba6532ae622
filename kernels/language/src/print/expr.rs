//! Expressions, places and effects as text.

use super::FunctionPrinter;
use super::literal::literal;
use crate::ir::*;
use crate::names;

/// How tightly an expression binds, as in C++.
const POSTFIX: u8 = 16;
const UNARY: u8 = 15;
const SELECT: u8 = 3;

/// What counts accesses in the counting form.
const READ: &str = "gchr_read";
const WRITE: &str = "gchr_write";
const ATOMIC: &str = "gchr_atomic";

fn binary_level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 13,
        BinaryOp::Add | BinaryOp::Sub => 12,
        BinaryOp::Shl | BinaryOp::Shr => 11,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 10,
        BinaryOp::Eq | BinaryOp::Ne => 9,
        BinaryOp::And => 8,
        BinaryOp::Xor => 7,
        BinaryOp::Or => 6,
        BinaryOp::AndAlso => 5,
        BinaryOp::OrElse => 4,
    }
}

/// Operations whose place among the others few readers know by heart: they get parentheses when mixed.
fn is_obscure(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(op, B::Shl | B::Shr | B::And | B::Or | B::Xor)
}

impl FunctionPrinter<'_, '_> {
    pub(super) fn var(&self, var: VarId) -> &str {
        self.function.vars.get(var).map_or("?", |v| &v.name)
    }

    pub(super) fn expr(&self, expr: &Expr) -> String {
        self.level(expr, 0)
    }

    /// Text of `expr` for a context that takes expressions of at least this level without parentheses.
    fn level(&self, expr: &Expr, least: u8) -> String {
        let (level, text) = self.shape(expr);
        if level < least { format!("({text})") } else { text }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn shape(&self, expr: &Expr) -> (u8, String) {
        let module = self.out.module;
        let text = match &expr.kind {
            ExprKind::Literal(value) => {
                let text = literal(*value, expr.ty.scalar().unwrap_or(Scalar::U32));
                return (if text.starts_with('-') { UNARY } else { POSTFIX }, text);
            }
            ExprKind::Constant(c) => module.constants.get(*c).map_or("?", |c| &c.name).to_string(),
            ExprKind::Var(v) => self.var(*v).to_string(),
            ExprKind::Field(base, field) if self.is_counted(base) => {
                let (record, name) = (self.element(base), self.field_name(base.ty, *field));
                format!("{READ}({record}.{name})")
            }
            ExprKind::Field(base, field) => {
                format!("{}.{}", self.level(base, POSTFIX), self.field_name(base.ty, *field))
            }
            ExprKind::Element { .. } if self.is_counted(expr) => format!("{READ}({})", self.element(expr)),
            ExprKind::Element { .. } => self.element(expr),
            ExprKind::Special(special) => names::special_name(*special).to_string(),
            ExprKind::Unary(op, operand) => return (UNARY, self.unary(*op, operand)),
            ExprKind::Binary(op, left, right) => return (binary_level(*op), self.binary(*op, left, right)),
            ExprKind::Select(condition, a, b) => {
                let condition = self.level(condition, SELECT + 1);
                return (
                    SELECT,
                    format!("{condition} ? {} : {}", self.level(a, SELECT + 1), self.level(b, SELECT)),
                );
            }
            ExprKind::Cast(operand) => format!("{}({})", self.out.ty(expr.ty), self.expr(operand)),
            ExprKind::Intrinsic(f, args) => format!("{}({})", names::intrinsic_name(*f), self.list(args)),
            ExprKind::Record(fields) => format!("{}{{{}}}", self.out.ty(expr.ty), self.list(fields)),
        };
        (POSTFIX, text)
    }

    /// An element, not counted.
    fn element(&self, expr: &Expr) -> String {
        let ExprKind::Element { buffer, index } = &expr.kind else { return self.level(expr, POSTFIX) };
        format!("{}[{}]", self.level(buffer, POSTFIX), self.expr(index))
    }

    /// Whether an expression is an element in device memory that is to be counted.
    fn is_counted(&self, expr: &Expr) -> bool {
        let ExprKind::Element { buffer, .. } = &expr.kind else { return false };
        self.out.style.counts && buffer.ty.space() == Some(Space::Global)
    }

    fn is_counted_place(&self, place: &Place) -> bool {
        let PlaceBase::Element { buffer, .. } = &place.base else { return false };
        self.out.style.counts && buffer.ty.space() == Some(Space::Global)
    }

    /// A place that is assigned.
    pub(super) fn written(&self, place: &Place) -> String {
        let text = self.place(place);
        if self.is_counted_place(place) { format!("{WRITE}({text})") } else { text }
    }

    fn field_name(&self, ty: Type, field: u32) -> &str {
        let Type::Record(record) = ty else { return "?" };
        let fields = self.out.module.records.get(record).map_or(&[][..], |r| &r.fields);
        fields.get(field as usize).map_or("?", |f| &f.name)
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> String {
        let sign = match op {
            UnaryOp::Neg => '-',
            UnaryOp::BitNot => '~',
            UnaryOp::Not => '!',
        };
        // `-5` is a literal and `--x` another operator.
        let is_signed =
            op == UnaryOp::Neg && matches!(operand.kind, ExprKind::Literal(_) | ExprKind::Unary(..));
        format!("{sign}{}", self.level(operand, if is_signed { POSTFIX + 1 } else { UNARY }))
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> String {
        // Left-nested chains print without recursion on the left.
        let mut rest = Vec::new();
        let (mut op, mut left, mut right) = (op, left, right);
        loop {
            rest.push((op, self.operand(op, right, binary_level(op) + 1)));
            match &left.kind {
                ExprKind::Binary(inner, l, r)
                    if binary_level(*inner) == binary_level(op) && !self.mixes(op, *inner) =>
                {
                    (op, left, right) = (*inner, l, r);
                }
                _ => break,
            }
        }
        let mut text = self.operand(op, left, binary_level(op));
        for (op, right) in rest.into_iter().rev() {
            text.push(' ');
            text.push_str(names::binary_text(op));
            text.push(' ');
            text.push_str(&right);
        }
        text
    }

    fn operand(&self, op: BinaryOp, operand: &Expr, least: u8) -> String {
        match &operand.kind {
            ExprKind::Binary(inner, ..) if self.mixes(op, *inner) => format!("({})", self.expr(operand)),
            _ => self.level(operand, least),
        }
    }

    /// Whether an operand with operation `inner` wants parentheses inside `outer` for the reader's sake.
    fn mixes(&self, outer: BinaryOp, inner: BinaryOp) -> bool {
        use BinaryOp as B;
        if outer == inner {
            return matches!(outer, B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge);
        }
        let test = |op| matches!(op, B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge);
        let logic = |op| matches!(op, B::AndAlso | B::OrElse);
        (is_obscure(outer) || is_obscure(inner)) && !logic(outer)
            || logic(outer) && (logic(inner) || is_obscure(inner))
            || test(outer) && test(inner)
    }

    pub(super) fn place(&self, place: &Place) -> String {
        let (base, ty) = match &place.base {
            PlaceBase::Var(v) => {
                (self.var(*v).to_string(), self.function.vars.get(*v).map_or(Type::Void, |v| v.ty))
            }
            PlaceBase::Element { buffer, index } => (
                format!("{}[{}]", self.level(buffer, POSTFIX), self.expr(index)),
                buffer.ty.element().unwrap_or(Type::Void),
            ),
        };
        match place.field {
            None => base,
            Some(field) => format!("{base}.{}", self.field_name(ty, field)),
        }
    }

    pub(super) fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Atomic { op, order, scope, place, operands } => {
                let name = names::atomic_name(*op, *order, *scope);
                let at = format!("&{}", self.place(place));
                // Loads and stores with an order are how threads wait for each other: no work of the memory.
                let modifies = !matches!(op, AtomicOp::Load | AtomicOp::Store);
                let at =
                    if modifies && self.is_counted_place(place) { format!("{ATOMIC}({at})") } else { at };
                let mut text = format!("{name}({at}");
                for operand in operands {
                    text.push_str(", ");
                    text.push_str(&self.expr(operand));
                }
                text.push(')');
                text
            }
            Effect::Vote { op, mask, predicate } => {
                format!("{}({}, {})", names::vote_name(*op), self.expr(mask), self.expr(predicate))
            }
            Effect::Shuffle { op, mask, value, lane } => {
                let name = names::shuffle_name(*op);
                format!("{name}({}, {}, {})", self.expr(mask), self.expr(value), self.expr(lane))
            }
            Effect::ActiveMask => "active_mask()".to_string(),
            Effect::Cycles => "cycles()".to_string(),
            Effect::Call { function, args } => {
                let name = self.out.module.functions.get(*function).map_or("?", |f| &f.name);
                format!("{name}({})", self.list(args))
            }
        }
    }
}
