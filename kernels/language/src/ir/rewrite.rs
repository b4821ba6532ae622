//! Rewriting in place: visiting every variable and every expression of a function, renumbering.

use gchr_base::ids::{Id, IdVec};

use super::*;

impl Expr {
    /// The direct operands, mutable, in order.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Field(base, _) => vec![base],
            ExprKind::Element { buffer, index } => vec![buffer, index],
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Select(c, a, b) => vec![c, a, b],
            ExprKind::Intrinsic(_, args) | ExprKind::Record(args) => args.iter_mut().collect(),
            ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Var(_) | ExprKind::Special(_) => {
                Vec::new()
            }
        }
    }

    /// The direct operands, in order.
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Field(base, _) => vec![base],
            ExprKind::Element { buffer, index } => vec![buffer, index],
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Select(c, a, b) => vec![c, a, b],
            ExprKind::Intrinsic(_, args) | ExprKind::Record(args) => args.iter().collect(),
            ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Var(_) | ExprKind::Special(_) => {
                Vec::new()
            }
        }
    }

    /// Calls `visit` on every subexpression and then on this one.
    pub fn rewrite(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        for operand in self.operands_mut() {
            operand.rewrite(visit);
        }
        visit(self);
    }
}

impl Stmt {
    /// Calls `visit` on the expressions directly in this statement, indices of places included.
    pub fn exprs_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        fn place(place: &mut Place, visit: &mut impl FnMut(&mut Expr)) {
            if let PlaceBase::Element { buffer, index } = &mut place.base {
                visit(buffer);
                visit(index);
            }
        }
        match &mut self.kind {
            StmtKind::Declare { value, .. } => value.iter_mut().for_each(visit),
            StmtKind::Assign { place: p, value } => {
                place(p, visit);
                visit(value);
            }
            StmtKind::Effect { effect, .. } => match effect {
                Effect::Atomic { place: p, operands, .. } => {
                    place(p, visit);
                    operands.iter_mut().for_each(visit);
                }
                Effect::Vote { mask, predicate, .. } => [mask, predicate].into_iter().for_each(visit),
                Effect::Shuffle { mask, value, lane, .. } => [mask, value, lane].into_iter().for_each(visit),
                Effect::ActiveMask | Effect::Cycles => {}
                Effect::Call { args, .. } => args.iter_mut().for_each(visit),
            },
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => visit(condition),
            StmtKind::Switch { value, .. } => visit(value),
            StmtKind::For { start, condition, next, .. } => {
                [start, condition, next].into_iter().for_each(visit)
            }
            StmtKind::Return(value) => value.iter_mut().for_each(visit),
            StmtKind::WarpBarrier { mask } => visit(mask),
            StmtKind::Everywhere { captures, .. } => captures.iter_mut().for_each(|(_, e)| visit(e)),
            StmtKind::Assume { condition: value, .. } | StmtKind::Uniform { value, .. } => visit(value),
            StmtKind::Own { place: p, .. } => place(p, visit),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Barrier
            | StmtKind::Fence(_)
            | StmtKind::Sleep(_)
            | StmtKind::Simulated(_)
            | StmtKind::Tally(_) => {}
        }
    }

    /// Calls `visit` on every variable that the statement itself declares or writes (not those that its expressions
    /// read).
    pub fn targets_mut(&mut self, visit: &mut impl FnMut(&mut VarId)) {
        match &mut self.kind {
            StmtKind::Declare { var, .. } | StmtKind::For { var, .. } => visit(var),
            StmtKind::Assign { place, .. } | StmtKind::Own { place, .. } => {
                if let PlaceBase::Var(var) = &mut place.base {
                    visit(var);
                }
            }
            StmtKind::Effect { result, effect } => {
                match result {
                    Some(Target::Declare(var) | Target::Assign(var)) => visit(var),
                    None => {}
                }
                if let Effect::Atomic { place: Place { base: PlaceBase::Var(var), .. }, .. } = effect {
                    visit(var);
                }
            }
            StmtKind::Everywhere { captures, .. } => captures.iter_mut().for_each(|(v, _)| visit(v)),
            _ => {}
        }
    }
}

/// Calls `visit` on every statement of the block, outer ones before inner ones, in textual order.
pub fn each_statement_mut(block: &mut [Stmt], visit: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks_mut() {
            each_statement_mut(inner, visit);
        }
    }
}

impl Function {
    /// Numbers the variables in the order in which the text declares them and drops those that nothing names: the
    /// numbering that parsing the text gives.
    pub fn renumber(&mut self) {
        let mut order: Vec<Option<VarId>> = vec![None; self.vars.len()];
        let mut vars = IdVec::new();
        let old = &self.vars;
        let mut name = |var: &mut VarId| {
            if let Some(slot) = order.get_mut(var.index()) {
                *var = *slot.get_or_insert_with(|| vars.push(old[*var].clone()));
            }
        };
        self.params.iter_mut().for_each(&mut name);
        each_statement_mut(&mut self.body, &mut |stmt| {
            stmt.targets_mut(&mut name);
            stmt.exprs_mut(&mut |e| {
                e.rewrite(&mut |e| {
                    if let ExprKind::Var(var) = &mut e.kind {
                        name(var);
                    }
                });
            });
        });
        self.vars = vars;
    }
}
