//! Questions about control flow and nesting that printers, checkers and passes share.

use super::expr::*;
use super::stmt::*;

/// Whether control can reach the end of the block.
pub fn completes(block: &[Stmt]) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::If { then, otherwise, .. } => completes(then) || completes(otherwise),
        StmtKind::Switch { cases, default, .. } => {
            cases.iter().any(|(_, body)| completes(body)) || completes(default)
        }
        StmtKind::While { condition, body } | StmtKind::For { condition, body, .. } => {
            condition.kind != ExprKind::Literal(Literal::Bool(true)) || breaks(body)
        }
        _ => true,
    })
}

/// Whether the body of a loop has a `break` that leaves that loop.
pub fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        StmtKind::Switch { cases, default, .. } => cases.iter().any(|(_, b)| breaks(b)) || breaks(default),
        _ => false,
    })
}

impl Stmt {
    /// The blocks directly inside this statement, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().map(|(_, body)| body).chain([default]).collect()
            }
            StmtKind::While { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Everywhere { body, .. }
            | StmtKind::Simulated(body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// The blocks directly inside this statement, in order, mutable.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, body)| body).chain([default]).collect()
            }
            StmtKind::While { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Everywhere { body, .. }
            | StmtKind::Simulated(body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// The expressions directly in this statement (indices of places included), in order of evaluation.
    pub fn exprs(&self) -> Vec<&Expr> {
        fn place<'a>(place: &'a Place, out: &mut Vec<&'a Expr>) {
            if let PlaceBase::Element { buffer, index } = &place.base {
                out.extend([&**buffer, &**index]);
            }
        }
        let mut out = Vec::new();
        match &self.kind {
            StmtKind::Declare { value, .. } => out.extend(value),
            StmtKind::Assign { place: p, value } => {
                place(p, &mut out);
                out.push(value);
            }
            StmtKind::Effect { effect, .. } => match effect {
                Effect::Atomic { place: p, operands, .. } => {
                    place(p, &mut out);
                    out.extend(operands);
                }
                Effect::Vote { mask, predicate, .. } => out.extend([mask, predicate]),
                Effect::Shuffle { mask, value, lane, .. } => out.extend([mask, value, lane]),
                Effect::ActiveMask | Effect::Cycles => {}
                Effect::Call { args, .. } => out.extend(args),
            },
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => out.push(condition),
            StmtKind::Switch { value, .. } => out.push(value),
            StmtKind::For { start, condition, next, .. } => out.extend([start, condition, next]),
            StmtKind::Return(value) => out.extend(value),
            StmtKind::WarpBarrier { mask } => out.push(mask),
            StmtKind::Everywhere { captures, .. } => out.extend(captures.iter().map(|(_, e)| e)),
            StmtKind::Assume { condition: value, .. } | StmtKind::Uniform { value, .. } => out.push(value),
            StmtKind::Own { place: p, .. } => place(p, &mut out),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Barrier
            | StmtKind::Fence(_)
            | StmtKind::Sleep(_)
            | StmtKind::Simulated(_)
            | StmtKind::Tally(_) => {}
        }
        out
    }
}

/// Calls `visit` for every statement of the block, outer ones before inner ones, in textual order.
pub fn each_statement<'a>(block: &'a [Stmt], visit: &mut impl FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            each_statement(inner, visit);
        }
    }
}
