//! Statements: structured control becomes branches with one `sync` each.

use gchr_base::ids::Id;

use super::*;
use crate::program::BinaryOp;
use gchr_kernel::ir::{AtomicOp, Effect, Literal, Place, PlaceBase, Stmt, Target};

impl<'m> Compiler<'m> {
    pub(super) fn block(&mut self, block: &'m [Stmt]) -> Result<()> {
        block.iter().try_for_each(|stmt| self.stmt(&stmt.kind))
    }

    fn stmt(&mut self, stmt: &'m StmtKind) -> Result<()> {
        self.live = 0;
        match stmt {
            StmtKind::Declare { value: None, .. }
            | StmtKind::Assume { .. }
            | StmtKind::Own { .. }
            | StmtKind::Simulated(_)
            | StmtKind::Tally(_) => Ok(()),
            StmtKind::Declare { var, value: Some(value) } => {
                let from = self.expr(value)?;
                let to = self.slot(*var)?;
                self.emit(Instr::Copy { to, from });
                Ok(())
            }
            StmtKind::Assign { place, value } => self.assign(place, value),
            StmtKind::Effect { result, effect } => self.effect(*result, effect, stmt),
            StmtKind::If { condition, then, otherwise } => self.if_(condition, then, otherwise),
            StmtKind::While { condition, body } => self.repeat(condition, body, None),
            StmtKind::For { var, start, condition, next, body, .. } => {
                let from = self.expr(start)?;
                let to = self.slot(*var)?;
                self.emit(Instr::Copy { to, from });
                self.repeat(condition, body, Some((to, next)))
            }
            StmtKind::Everywhere { captures, body } => self.everywhere(captures, body),
            _ => Err(self.unsupported_statement(stmt)),
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> Result<()> {
        let value = self.expr(value)?;
        match &place.base {
            PlaceBase::Var(var) => {
                let to = self.slot(*var)?;
                self.emit(Instr::Copy { to, from: value });
            }
            PlaceBase::Element { buffer, index } => {
                let address = self.address(buffer, index)?;
                self.emit(Instr::Store { address, value });
            }
        }
        Ok(())
    }

    fn effect(&mut self, result: Option<Target>, effect: &'m Effect, stmt: &StmtKind) -> Result<()> {
        match effect {
            Effect::Atomic { op: AtomicOp::Add, place, operands, .. } => {
                let by_one = matches!(operands[..], [Expr { kind: ExprKind::Literal(Literal::Int(1)), .. }]);
                let PlaceBase::Element { buffer, index } = &place.base else {
                    return Err(self.unsupported_statement(stmt));
                };
                if !by_one {
                    return Err(self.unsupported_statement(stmt));
                }
                let address = self.address(buffer, index)?;
                let new = self.temporary();
                self.emit(Instr::Increment { to: new, address });
                if let Some(Target::Declare(var) | Target::Assign(var)) = result {
                    let to = self.slot(var)?;
                    let (a, b) = (Operand::Variable(new), Operand::Const(1));
                    self.emit(Instr::Binary { op: BinaryOp::Sub, to, a, b });
                }
                Ok(())
            }
            Effect::Call { function, args } => self.call(result, *function, args),
            _ => Err(self.unsupported_statement(stmt)),
        }
    }

    /// The callee in place of the call. It may return at its end only: no lane leaves a region early.
    fn call(&mut self, result: Option<Target>, id: FunctionId, args: &[Expr]) -> Result<()> {
        let mut frame = Frame::new(self.module, id);
        for (&param, arg) in frame.function.params.iter().zip(args) {
            let slot = match (as_variable(arg), frame.function.vars[param].ty) {
                (Some(var), Type::Record(_) | Type::Buffer(..)) => self.frame.slots[var.index()].clone(),
                _ => {
                    let from = self.expr(arg)?;
                    let to = self.variable(&frame.function.vars[param].name);
                    self.emit(Instr::Copy { to, from });
                    Slot::Variable(to)
                }
            };
            frame.slots[param.index()] = slot;
        }
        let caller = std::mem::replace(&mut self.frame, frame);
        let (last, body) = match self.frame.function.body.split_last() {
            Some((Stmt { kind: StmtKind::Return(value), .. }, body)) => (value.as_ref(), body),
            _ => (None, &self.frame.function.body[..]),
        };
        self.block(body)?;
        self.live = 0;
        let value = last.map(|value| self.expr(value)).transpose()?;
        self.frame = caller;
        if let (Some(Target::Declare(var) | Target::Assign(var)), Some(from)) = (result, value) {
            let to = self.slot(var)?;
            self.emit(Instr::Copy { to, from });
        }
        Ok(())
    }

    fn if_(&mut self, condition: &Expr, then: &'m [Stmt], otherwise: &'m [Stmt]) -> Result<()> {
        let value = self.expr(condition)?;
        let end = self.mark("end");
        if otherwise.is_empty() {
            self.emit(Instr::Branch { on_zero: true, value, target: end.0 });
            self.block(then)?;
        } else {
            let other = self.mark("else");
            self.emit(Instr::Branch { on_zero: true, value, target: other.0 });
            self.block(then)?;
            self.emit(Instr::Jump { target: end.0 });
            self.place(other);
            self.block(otherwise)?;
        }
        self.place(end);
        self.emit(Instr::Sync);
        Ok(())
    }

    /// A loop; one that counts has a variable and its next value.
    fn repeat(&mut self, condition: &Expr, body: &'m [Stmt], count: Option<(Variable, &Expr)>) -> Result<()> {
        let (head, end) = (self.mark("loop"), self.mark("done"));
        self.place(head);
        self.live = 0;
        let value = self.expr(condition)?;
        self.emit(Instr::Branch { on_zero: true, value, target: end.0 });
        self.block(body)?;
        if let Some((to, next)) = count {
            self.live = 0;
            let from = self.expr(next)?;
            self.emit(Instr::Copy { to, from });
        }
        self.emit(Instr::Jump { target: head.0 });
        self.place(end);
        self.emit(Instr::Sync);
        Ok(())
    }

    /// All lanes wake up, and serve those that asked one after the other.
    fn everywhere(&mut self, captures: &[(VarId, Expr)], body: &'m [Stmt]) -> Result<()> {
        let mut asked = Vec::with_capacity(captures.len());
        for (var, value) in captures {
            let from = self.expr(value)?;
            let to = self.variable(&format!("{}_asked", self.frame.function.vars[*var].name));
            self.emit(Instr::Copy { to, from });
            asked.push((*var, to));
        }
        let (server, more) = (self.variable("asker"), self.variable("more"));
        let asker = Operand::Variable(server);
        let [head, serve, next, end] = ["askers", "serve", "next", "served"].map(|name| self.mark(name));
        self.emit(Instr::Everywhere);
        self.emit(Instr::Copy { to: server, from: Operand::Const(0) });
        self.place(head);
        self.emit(Instr::Binary { op: BinaryOp::Lt, to: more, a: asker, b: Operand::WarpSize });
        self.emit(Instr::Branch { on_zero: true, value: Operand::Variable(more), target: end.0 });
        self.emit(Instr::BranchMask { lane: asker, target: serve.0 });
        self.emit(Instr::Jump { target: next.0 });
        self.place(serve);
        for (var, from) in asked {
            let to = self.slot(var)?;
            self.emit(Instr::Shuffle { to, from, lane: asker });
        }
        self.block(body)?;
        self.place(next);
        self.emit(Instr::Binary { op: BinaryOp::Add, to: server, a: asker, b: Operand::Const(1) });
        self.emit(Instr::Jump { target: head.0 });
        self.place(end);
        self.emit(Instr::Sync);
        self.emit(Instr::EndEverywhere);
        Ok(())
    }
}
