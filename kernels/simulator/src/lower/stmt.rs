//! Lowering of statements without control, and of effects.

use super::*;
use gchr_kernel::print::print_statement;

impl Lower<'_> {
    /// Code of a block; its variables end with it.
    pub(super) fn block(&mut self, block: &Block) -> Result<()> {
        self.enter()?;
        let start = self.next_reg;
        let bound = self.frame.bound.len();
        for stmt in block {
            self.stmt(stmt)?;
        }
        self.unbind(bound);
        self.next_reg = start;
        self.leave();
        Ok(())
    }

    /// Forgets the variables declared since there were `count` of them.
    pub(super) fn unbind(&mut self, count: usize) {
        for var in self.frame.bound.split_off(count) {
            self.frame.vars[var.index()] = None;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        self.open_site(stmt);
        match &stmt.kind {
            StmtKind::Declare { var, value } => self.declare(*var, value.as_ref()),
            StmtKind::Effect { result, effect } => self.effect(*result, effect),
            other => {
                let start = self.next_reg;
                self.other(other)?;
                self.next_reg = start;
                Ok(())
            }
        }
    }

    fn open_site(&mut self, stmt: &Stmt) {
        let frame = &mut self.frame;
        frame.statements += 1;
        frame.line = stmt.origin.line.or(frame.line);
        if let Some(comment) = &stmt.origin.comment {
            frame.comment = Some(comment.as_str().into());
        }
        let kernel_line = self.kernel_line();
        let frame = &self.frame;
        self.site = self.out.sites.len() as u32;
        self.out.sites.push(Site {
            function: frame.name.clone(),
            kernel_line,
            text: print_statement(self.module, frame.function, &stmt.kind),
            line: frame.line,
            comment: frame.comment.clone(),
            call: frame.call,
        });
    }

    fn other(&mut self, stmt: &StmtKind) -> Result<()> {
        match stmt {
            StmtKind::Declare { .. } | StmtKind::Effect { .. } => Ok(()),
            StmtKind::Assign { place, value } => self.assign(place, value),
            StmtKind::If { condition, then, otherwise } => self.if_(condition, then, otherwise),
            StmtKind::Switch { value, cases, default } => self.switch(value, cases, default),
            StmtKind::While { condition, body } => self.while_(condition, body),
            StmtKind::For { var, start, condition, next, body, .. } => {
                self.for_(*var, start, condition, next, body)
            }
            StmtKind::Break => match self.frame.loops.last() {
                Some(l) => self.park(l.break_level),
                None => self.error("break outside of a loop"),
            },
            StmtKind::Continue => match self.frame.loops.last().and_then(|l| l.continue_level) {
                Some(level) => self.park(level),
                None => self.error("continue outside of a loop"),
            },
            StmtKind::Return(value) => self.return_(value.as_ref()),
            StmtKind::Barrier => self.emit(Instr::Barrier).map(drop),
            StmtKind::WarpBarrier { mask } => {
                let mask = self.scalar(mask)?;
                self.emit(Instr::WarpBarrier { mask }).map(drop)
            }
            StmtKind::Fence(scope) => self.emit(Instr::Fence(*scope)).map(drop),
            StmtKind::Tally(number) => self.emit(Instr::Tally { number: *number }).map(drop),
            StmtKind::Sleep(_) => self.emit(Instr::Sleep).map(drop),
            StmtKind::Everywhere { captures, body } => self.everywhere(captures, body),
            StmtKind::Simulated(body) if self.steps => {
                let outer = std::mem::replace(&mut self.simulated, true);
                self.block(body)?;
                self.simulated = outer;
                Ok(())
            }
            StmtKind::Simulated(body) => {
                // Statements are numbered with those that are left out.
                flow::each_statement(body, &mut |_| self.frame.statements += 1);
                Ok(())
            }
            StmtKind::Assume { name, condition } => {
                let cond = self.scalar(condition)?;
                let name = self.name(name);
                let simulated = self.simulated;
                self.emit(if simulated { Instr::Step { cond, name } } else { Instr::Assume { cond, name } })
                    .map(drop)
            }
            StmtKind::Uniform { name, scope, value } => {
                let value = self.scalar(value)?;
                let name = self.name(name);
                self.emit(Instr::Uniform { scope: *scope, value, name }).map(drop)
            }
            StmtKind::Own { name, place } => {
                let name = self.name(name);
                let (buf, index, first, count) = self.element(place)?;
                self.emit(Instr::Own { mem: buf.mem, index, first, count, name }).map(drop)
            }
        }
    }

    fn park(&mut self, level: u32) -> Result<()> {
        self.emit(Instr::Park { level }).map(drop)
    }

    fn declare(&mut self, var: VarId, value: Option<&Expr>) -> Result<()> {
        let Some(v) = self.frame.function.vars.get(var) else {
            return self.error("an unknown variable");
        };
        let (ty, storage) = (v.ty, v.storage);
        match storage {
            Storage::Param => self.error("a parameter is declared again"),
            Storage::Array(length) | Storage::Striped(length) => self.declare_array(var, ty, length),
            Storage::Register => {
                let val = self.alloc(ty)?;
                let start = self.next_reg;
                match value {
                    Some(value) => {
                        let value = self.expr(value)?;
                        self.set(&val, &value)?;
                    }
                    None => {
                        for reg in self.regs(&val)? {
                            self.emit(Instr::Undefine { reg })?;
                        }
                    }
                }
                self.next_reg = start;
                self.bind(var, val)
            }
        }
    }

    pub(super) fn bind(&mut self, var: VarId, val: Val) -> Result<()> {
        match self.frame.vars.get_mut(var.index()) {
            Some(slot) => {
                *slot = Some(val);
                self.frame.bound.push(var);
                Ok(())
            }
            None => self.error("an unknown variable"),
        }
    }

    pub(super) fn var_type(&self, var: VarId) -> Result<Type> {
        match self.frame.function.vars.get(var) {
            Some(v) => Ok(v.ty),
            None => self.error("an unknown variable"),
        }
    }

    fn declare_array(&mut self, var: VarId, ty: Type, length: Length) -> Result<()> {
        let name = self.frame.function.vars[var].name.clone();
        let length = match length {
            Length::Literal(n) => n,
            Length::Constant(id) => match u32::try_from(self.constant_value(id)?) {
                Ok(n) => n,
                Err(_) => return self.error(format!("the length of `{name}` does not fit 32 bits")),
            },
        };
        let layout = self.layout(ty)?;
        let array = ArrayCode { name, layout: layout.clone(), length };
        let mem = match ty.space() {
            Some(Space::Shared) if self.frame.function.is_kernel() => {
                self.out.shared.push(array);
                MemRef::Shared(self.out.shared.len() as u32 - 1)
            }
            Some(Space::Local) => {
                self.out.local.push(array);
                let array = self.out.local.len() as u32 - 1;
                self.emit(Instr::FreshLocal { array })?;
                MemRef::Local(array)
            }
            _ => return self.error("an array that is neither local nor shared in a kernel"),
        };
        self.bind(var, Val::Buffer(Buf { mem, layout }))
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> Result<()> {
        let value = self.expr(value)?;
        let PlaceBase::Var(var) = place.base else {
            let (buf, index, first, count) = self.element(place)?;
            let regs = self.regs(&value)?;
            if regs.len() != count as usize {
                return self.error("values of different shape");
            }
            return self
                .emit(Instr::Store(Access { mem: buf.mem, index, first, regs: regs.into() }))
                .map(drop);
        };
        let Some(Some(target)) = self.frame.vars.get(var.index()).cloned() else {
            return self.error("a variable used outside of its block");
        };
        let target = match (target, place.field) {
            (Val::Record(fields), Some(i)) if (i as usize) < fields.len() => fields[i as usize].clone(),
            (target, None) => target,
            _ => return self.error("no such field"),
        };
        self.set(&target, &value)
    }

    /// Buffer, index, first field and number of fields of an element.
    fn element(&mut self, place: &Place) -> Result<(Buf, Reg, u32, u32)> {
        let PlaceBase::Element { buffer, index } = &place.base else {
            return self.error("an element of a buffer is expected here");
        };
        let buf = self.buffer(buffer)?;
        let index = self.index(index)?;
        let cells = buf.layout.cells() as u32;
        match place.field {
            Some(f) if f < cells => Ok((buf, index, f, 1)),
            Some(_) => self.error("no such field"),
            None => Ok((buf, index, 0, cells)),
        }
    }

    fn effect(&mut self, target: Option<Target>, effect: &Effect) -> Result<()> {
        let declared = match target {
            Some(Target::Declare(var)) => Some((var, self.alloc(self.var_type(var)?)?)),
            _ => None,
        };
        let start = self.next_reg;
        let value = self.effect_value(effect, target.is_some())?;
        match (declared, target) {
            (Some((var, val)), _) => {
                self.set(&val, &value)?;
                self.bind(var, val)?;
            }
            (None, Some(Target::Assign(var))) => {
                let Some(Some(val)) = self.frame.vars.get(var.index()).cloned() else {
                    return self.error("a variable used outside of its block");
                };
                self.set(&val, &value)?;
            }
            _ => {}
        }
        self.next_reg = start;
        Ok(())
    }

    fn effect_value(&mut self, effect: &Effect, used: bool) -> Result<Val> {
        match effect {
            Effect::Atomic { op, order, scope, place, operands } => {
                self.atomic(*op, *order, *scope, place, operands, used)
            }
            Effect::Vote { op, mask, predicate } => {
                let (op, mask, predicate) = (*op, self.scalar(mask)?, self.scalar(predicate)?);
                let dst = self.temp();
                self.emit(Instr::Vote { op, mask, predicate, dst })?;
                Ok(Val::Scalar(dst))
            }
            Effect::Shuffle { op, mask, value, lane } => {
                let (op, mask, val, lane) = (*op, self.scalar(mask)?, self.expr(value)?, self.scalar(lane)?);
                let result = self.alloc(value.ty)?;
                let ([value], [dst]) = (&self.regs(&val)?[..], &self.regs(&result)?[..]) else {
                    return self.error("a shuffle of more than one value");
                };
                self.emit(Instr::Shuffle { op, mask, value: *value, lane, dst: *dst })?;
                Ok(result)
            }
            Effect::ActiveMask => {
                let dst = self.temp();
                self.emit(Instr::ActiveMask { dst })?;
                Ok(Val::Scalar(dst))
            }
            Effect::Cycles => {
                let dst = self.temp();
                self.emit(Instr::Cycles { dst })?;
                Ok(Val::Scalar(dst))
            }
            Effect::Call { function, args } => self.call(*function, args),
        }
    }

    fn atomic(
        &mut self,
        op: AtomicOp,
        order: Order,
        scope: Scope,
        place: &Place,
        args: &[Expr],
        used: bool,
    ) -> Result<Val> {
        let (buf, index, field, count) = self.element(place)?;
        let ty = buf.layout.fields[field as usize].1;
        let expected = match op {
            AtomicOp::Load => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        if count != 1 || !ty.is_word() || args.len() != expected || matches!(buf.mem, MemRef::Local(_)) {
            return self.error("an atomic operation that does not exist");
        }
        let mut operands = [LANE; 2];
        for (slot, arg) in operands.iter_mut().zip(args) {
            *slot = self.scalar(arg)?;
        }
        let result = if used && op != AtomicOp::Store { Some(self.temp()) } else { None };
        let atomic = Atomic { op, order, scope, ty, mem: buf.mem, index, field, operands, result };
        self.emit(Instr::Atomic(Box::new(atomic)))?;
        Ok(result.map_or(Val::Void, Val::Scalar))
    }
}
