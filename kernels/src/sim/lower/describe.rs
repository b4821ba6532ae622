//! A few words for each statement, for reports.

use crate::ir::*;

/// What a statement does, in a few words.
pub(super) fn statement(stmt: &StmtKind, function: &Function, module: &Module) -> String {
    let name = |var: VarId| function.vars.get(var).map_or("?", |v| v.name.as_str());
    match stmt {
        StmtKind::Declare { var, .. } => format!("declaration of {}", name(*var)),
        StmtKind::Assign { place: p, .. } => format!("assignment to {}", place(p, function, module)),
        StmtKind::Effect { effect, .. } => self::effect(effect, function, module),
        StmtKind::If { .. } => "if".into(),
        StmtKind::Switch { .. } => "switch".into(),
        StmtKind::While { .. } => "while".into(),
        StmtKind::For { var, .. } => format!("for {}", name(*var)),
        StmtKind::Break => "break".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return(_) => "return".into(),
        StmtKind::Barrier => "block barrier".into(),
        StmtKind::WarpBarrier { .. } => "warp barrier".into(),
        StmtKind::Fence(_) => "fence".into(),
        StmtKind::Sleep(_) => "sleep".into(),
        StmtKind::Everywhere { .. } => "everywhere".into(),
        StmtKind::Assume { name, .. } => format!("assumption {name}"),
        StmtKind::Own { name, place: p } => format!("ownership {name} of {}", place(p, function, module)),
    }
}

fn effect(effect: &Effect, function: &Function, module: &Module) -> String {
    match effect {
        Effect::Atomic { op, place: p, .. } => {
            let op = match op {
                AtomicOp::Load => "load",
                AtomicOp::Store => "store",
                AtomicOp::Add => "add",
                AtomicOp::Sub => "sub",
                AtomicOp::Min => "min",
                AtomicOp::Max => "max",
                AtomicOp::And => "and",
                AtomicOp::Or => "or",
                AtomicOp::Xor => "xor",
                AtomicOp::Exchange => "exchange",
                AtomicOp::CompareExchange => "compare-exchange",
            };
            format!("atomic {op} of {}", place(p, function, module))
        }
        Effect::Vote { op, .. } => match op {
            VoteOp::Ballot => "ballot".into(),
            VoteOp::Any => "vote any".into(),
            VoteOp::All => "vote all".into(),
        },
        Effect::Shuffle { .. } => "shuffle".into(),
        Effect::ActiveMask => "active mask".into(),
        Effect::Call { function, .. } => {
            format!("call of {}", module.functions.get(*function).map_or("?", |f| f.name.as_str()))
        }
    }
}

fn place(place: &Place, function: &Function, module: &Module) -> String {
    let base = match &place.base {
        PlaceBase::Var(v) => variable(*v, function).to_string(),
        PlaceBase::Element { buffer, .. } => format!("{}[..]", self::buffer(buffer, function, module)),
    };
    let record = match (&place.base, place.field) {
        (PlaceBase::Element { buffer, .. }, Some(_)) => match buffer.ty {
            Type::Records(_, r) => Some(r),
            _ => None,
        },
        (PlaceBase::Var(v), Some(_)) => match function.vars.get(*v).map(|v| v.ty) {
            Some(Type::Record(r)) => Some(r),
            _ => None,
        },
        _ => None,
    };
    match (record, place.field) {
        (Some(record), Some(field)) => format!("{base}.{}", self::field(record, field, module)),
        _ => base,
    }
}

fn variable(var: VarId, function: &Function) -> &str {
    function.vars.get(var).map_or("?", |v| v.name.as_str())
}

fn field(record: RecordId, field: u32, module: &Module) -> &str {
    let record = module.records.get(record);
    record.and_then(|r| r.fields.get(field as usize)).map_or("?", |f| f.name.as_str())
}

fn buffer(e: &Expr, function: &Function, module: &Module) -> String {
    match &e.kind {
        ExprKind::Var(v) => variable(*v, function).to_string(),
        ExprKind::Field(base, i) => match (&base.kind, base.ty) {
            (ExprKind::Var(v), Type::Record(r)) => {
                format!("{}.{}", variable(*v, function), field(r, *i, module))
            }
            _ => "..".into(),
        },
        _ => "..".into(),
    }
}
