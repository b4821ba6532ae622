//! New variables for passes, and short ways to write statements on them.

use gchr_base::hash::HashSet;

use crate::ir::*;

/// Makes variables with names that nothing else in the function has.
pub(super) struct Fresh {
    taken: HashSet<String>,
    next: u32,
}

impl Fresh {
    /// For the variables of one function of the module.
    pub fn new(module: &Module, function: &Function) -> Self {
        let globals = module.functions.iter().map(|f| f.name.clone());
        let globals = globals.chain(module.records.iter().map(|r| r.name.clone()));
        let globals = globals.chain(module.constants.iter().map(|c| c.name.clone()));
        Self { taken: globals.chain(function.vars.iter().map(|v| v.name.clone())).collect(), next: 0 }
    }

    /// A name that begins with `prefix`.
    pub fn name(&mut self, prefix: &str) -> String {
        loop {
            self.next += 1;
            let name = format!("{prefix}{}", self.next);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

pub(super) fn bool_literal(value: bool) -> Expr {
    Expr::new(ExprKind::Literal(Literal::Bool(value)), Type::BOOL)
}

pub(super) fn u32_literal(value: u32) -> Expr {
    Expr::new(ExprKind::Literal(Literal::Int(value.into())), Type::U32)
}

pub(super) fn var(id: VarId, ty: Type) -> Expr {
    Expr::new(ExprKind::Var(id), ty)
}

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let ty = if op.is_test() { Type::BOOL } else { a.ty };
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

pub(super) fn not(a: Expr) -> Expr {
    Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(a)), Type::BOOL)
}

pub(super) fn assign(id: VarId, value: Expr) -> Stmt {
    let place = Place { base: PlaceBase::Var(id), field: None, ty: value.ty };
    StmtKind::Assign { place, value }.into()
}

pub(super) fn when(condition: Expr, then: Block) -> Stmt {
    StmtKind::If { condition, then, otherwise: Vec::new() }.into()
}

/// A value of the type that any lane may hold while it sleeps; `None` for buffers, of which there is no such value.
pub(crate) fn zero(module: &Module, ty: Type) -> Option<Expr> {
    let kind = match ty {
        Type::Scalar(Scalar::Bool) => ExprKind::Literal(Literal::Bool(false)),
        Type::Scalar(Scalar::F64) => ExprKind::Literal(Literal::Float(0.0)),
        Type::Scalar(_) => ExprKind::Literal(Literal::Int(0)),
        Type::Record(r) => {
            let fields = module.records.get(r)?.fields.iter().map(|f| zero(module, f.ty));
            ExprKind::Record(fields.collect::<Option<_>>()?)
        }
        Type::Void | Type::Buffer(..) | Type::Records(..) => return None,
    };
    Some(Expr::new(kind, ty))
}
