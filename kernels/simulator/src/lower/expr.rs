//! Lowering of expressions.

use super::*;

impl Lower<'_> {
    /// Code that computes an expression in the active lanes.
    pub(super) fn expr(&mut self, e: &Expr) -> Result<Val> {
        self.enter()?;
        let val = self.expr_inner(e);
        self.leave();
        val
    }

    /// The register with the value of a scalar expression.
    pub(super) fn scalar(&mut self, e: &Expr) -> Result<Reg> {
        match self.expr(e)? {
            Val::Scalar(reg) => Ok(reg),
            _ => self.error("a scalar is expected here"),
        }
    }

    /// The buffer that an expression names.
    pub(super) fn buffer(&mut self, e: &Expr) -> Result<Buf> {
        match self.expr(e)? {
            Val::Buffer(buf) => Ok(buf),
            _ => self.error("a buffer is expected here"),
        }
    }

    /// The register with an index, sign-extended to 64 bits.
    pub(super) fn index(&mut self, e: &Expr) -> Result<Reg> {
        let reg = self.scalar(e)?;
        match e.ty.scalar() {
            Some(Scalar::I32) => {
                let dst = self.temp();
                self.emit(Instr::Cast { from: Scalar::I32, to: Scalar::I64, dst, a: reg })?;
                Ok(dst)
            }
            Some(s) if s.is_integer() => Ok(reg),
            _ => self.error("an index that is no integer"),
        }
    }

    pub(super) fn scalar_type(&self, ty: Type) -> Result<Scalar> {
        match ty.scalar() {
            Some(s) => Ok(s),
            None => self.error("a scalar type is expected here"),
        }
    }

    fn expr_inner(&mut self, e: &Expr) -> Result<Val> {
        match &e.kind {
            ExprKind::Literal(literal) => {
                let ty = self.scalar_type(e.ty)?;
                Ok(Val::Scalar(self.constant(literal_bits(*literal, ty))))
            }
            ExprKind::Constant(id) => {
                let value = self.constant_value(*id)?;
                Ok(Val::Scalar(self.constant(value)))
            }
            ExprKind::Var(var) => self.read(*var, None),
            ExprKind::Field(base, field) => self.field(base, *field),
            ExprKind::Element { buffer, index } => self.load(buffer, index, None),
            ExprKind::Special(special) => Ok(Val::Scalar(match special {
                Special::ThreadInBlock => THREAD,
                Special::Block => BLOCK,
                Special::BlockSize => BLOCK_SIZE,
                Special::GridSize => GRID_SIZE,
                Special::Lane => LANE,
            })),
            ExprKind::Unary(op, a) => {
                let (op, ty, a) = (*op, self.scalar_type(a.ty)?, self.scalar(a)?);
                let dst = self.temp();
                self.emit(Instr::Unary { op, ty, dst, a })?;
                Ok(Val::Scalar(dst))
            }
            ExprKind::Binary(op, a, b) => Ok(Val::Scalar(self.binary(*op, a, b)?)),
            ExprKind::Select(cond, a, b) => self.select(e.ty, cond, a, b),
            ExprKind::Cast(a) => {
                let (from, to, a) = (self.scalar_type(a.ty)?, self.scalar_type(e.ty)?, self.scalar(a)?);
                let dst = self.temp();
                self.emit(Instr::Cast { from, to, dst, a })?;
                Ok(Val::Scalar(dst))
            }
            ExprKind::Intrinsic(op, args) => self.intrinsic(*op, args),
            ExprKind::Record(fields) => {
                Ok(Val::Record(fields.iter().map(|f| self.expr(f)).collect::<Result<_>>()?))
            }
        }
    }

    /// Bits of a named constant.
    pub(super) fn constant_value(&self, id: ConstantId) -> Result<u64> {
        match self.module.constants.get(id) {
            Some(Constant { value: ConstantValue::Given(literal), ty, .. }) => {
                Ok(literal_bits(*literal, *ty))
            }
            Some(c) => self.error(format!("constant `{}` is a hole", c.name)),
            None => self.error("an unknown constant"),
        }
    }

    /// A variable, or one field of it; unwritten lanes are reported when it was declared without a value.
    fn read(&mut self, var: VarId, field: Option<u32>) -> Result<Val> {
        let Some(Some(val)) = self.frame.vars.get(var.index()).cloned() else {
            return self.error("a variable used outside of its block");
        };
        let val = match (val, field) {
            (val, None) => val,
            (Val::Record(fields), Some(i)) if (i as usize) < fields.len() => fields[i as usize].clone(),
            _ => return self.error("no such field"),
        };
        if self.frame.tracked[var.index()] {
            let name = self.name(&self.frame.function.vars[var].name.clone());
            for reg in self.regs(&val)? {
                self.emit(Instr::CheckWritten { reg, name })?;
            }
        }
        Ok(val)
    }

    fn field(&mut self, base: &Expr, field: u32) -> Result<Val> {
        match &base.kind {
            ExprKind::Var(var) => self.read(*var, Some(field)),
            ExprKind::Element { buffer, index } => self.load(buffer, index, Some(field)),
            _ => match self.expr(base)? {
                Val::Record(fields) if (field as usize) < fields.len() => Ok(fields[field as usize].clone()),
                _ => self.error("no such field"),
            },
        }
    }

    fn load(&mut self, buffer: &Expr, index: &Expr, field: Option<u32>) -> Result<Val> {
        let buf = self.buffer(buffer)?;
        let index = self.index(index)?;
        let cells = buf.layout.cells();
        let (first, count) = match field {
            Some(f) if (f as usize) < cells => (f, 1),
            Some(_) => return self.error("no such field"),
            None => (0, cells),
        };
        let regs: Vec<Reg> = (0..count).map(|_| self.temp()).collect();
        let whole_record = field.is_none() && matches!(buffer.ty, Type::Records(..));
        let val = if whole_record {
            Val::Record(regs.iter().map(|&r| Val::Scalar(r)).collect())
        } else {
            Val::Scalar(regs[0])
        };
        let access = Access { mem: buf.mem, index, first, regs: regs.into() };
        self.emit(if self.simulated { Instr::Peek(access) } else { Instr::Load(access) })?;
        Ok(val)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Reg> {
        if matches!(op, BinaryOp::AndAlso | BinaryOp::OrElse) {
            return self.short_circuit(op == BinaryOp::AndAlso, a, b);
        }
        let ty = self.scalar_type(a.ty)?;
        let (right, a) = (self.scalar_type(b.ty)?, self.scalar(a)?);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            // As an index: a negative amount is too wide once it is sign-extended.
            let b = self.index(b)?;
            let dst = self.temp();
            self.emit(Instr::Shift { left: op == BinaryOp::Shl, ty, dst, a, b })?;
            return Ok(dst);
        }
        if right != ty {
            return self.error("operands of different types");
        }
        let b = self.scalar(b)?;
        let dst = self.temp();
        self.emit(Instr::Binary { op, ty, dst, a, b })?;
        Ok(dst)
    }

    /// `a && b` and `a || b`: strict when the right side cannot go wrong, else a one-way branch.
    fn short_circuit(&mut self, and: bool, a: &Expr, b: &Expr) -> Result<Reg> {
        let a = self.scalar(a)?;
        let dst = self.temp();
        if self.is_total(b) {
            let b = self.scalar(b)?;
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            self.emit(Instr::Binary { op, ty: Scalar::Bool, dst, a, b })?;
            return Ok(dst);
        }
        self.emit(Instr::Set { dst, src: a })?;
        let guard = self.emit(Instr::Guard { cond: a, expect: and, join: 0 })?;
        self.level += 1;
        let b = self.scalar(b)?;
        self.emit(Instr::Set { dst, src: b })?;
        let end = self.here();
        self.emit(Instr::Sync)?;
        self.level -= 1;
        if let Instr::Guard { join, .. } = &mut self.out.code[guard] {
            *join = end;
        }
        Ok(dst)
    }

    fn select(&mut self, ty: Type, cond: &Expr, a: &Expr, b: &Expr) -> Result<Val> {
        let cond = self.scalar(cond)?;
        let dst = self.alloc(ty)?;
        if self.is_total(a) && self.is_total(b) {
            let (a, b) = (self.expr(a)?, self.expr(b)?);
            let (dst_regs, a, b) = (self.regs(&dst)?, self.regs(&a)?, self.regs(&b)?);
            if dst_regs.len() != a.len() || a.len() != b.len() {
                return self.error("values of different shape");
            }
            for ((&dst, &a), &b) in dst_regs.iter().zip(&a).zip(&b) {
                self.emit(Instr::Select { dst, cond, a, b })?;
            }
            return Ok(dst);
        }
        let branch = self.open_branch(cond)?;
        let a = self.expr(a)?;
        self.set(&dst, &a)?;
        let jump = self.otherwise(branch)?;
        let b = self.expr(b)?;
        self.set(&dst, &b)?;
        self.close_branch(branch, jump)?;
        Ok(dst)
    }

    fn intrinsic(&mut self, op: Intrinsic, args: &[Expr]) -> Result<Val> {
        let (first, second) = match args {
            [a] => (a, a),
            [a, b] => (a, b),
            _ => return self.error("a built-in function with the wrong number of arguments"),
        };
        let ty = self.scalar_type(first.ty)?;
        let (a, b) = (self.scalar(first)?, if args.len() == 2 { self.scalar(second)? } else { LANE });
        let dst = self.temp();
        self.emit(Instr::Intrinsic { op, ty, dst, a, b })?;
        Ok(Val::Scalar(dst))
    }

    /// Whether an expression can be computed in lanes that do not need it: it reads no memory and nothing in it can be
    /// reported. Looks a few levels deep only: a big expression is worth a branch.
    fn is_total(&self, e: &Expr) -> bool {
        self.is_total_to(e, 4)
    }

    fn is_total_to(&self, e: &Expr, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let total = |e: &Expr| self.is_total_to(e, depth);
        match &e.kind {
            ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Special(_) => true,
            ExprKind::Var(v) => !self.frame.tracked.get(v.index()).copied().unwrap_or(true),
            ExprKind::Field(base, _) => !matches!(base.kind, ExprKind::Element { .. }) && total(base),
            ExprKind::Element { .. } => false,
            ExprKind::Unary(_, a) => total(a),
            ExprKind::Binary(op, a, b) => {
                let constant = match b.kind {
                    ExprKind::Literal(Literal::Int(bits)) => Some(bits),
                    _ => None,
                };
                let safe = match op {
                    // A divisor of 0 or -1 can go wrong.
                    BinaryOp::Div | BinaryOp::Rem => {
                        a.ty == Type::F64 || constant.is_some_and(|c| c > 0 && c < 1 << 31)
                    }
                    BinaryOp::Shl | BinaryOp::Shr => constant.is_some_and(|c| c < 32),
                    _ => true,
                };
                safe && total(a) && total(b)
            }
            ExprKind::Select(c, a, b) => total(c) && total(a) && total(b),
            ExprKind::Cast(a) => (a.ty != Type::F64 || e.ty == Type::F64) && total(a),
            ExprKind::Intrinsic(_, args) => args.iter().all(total),
            ExprKind::Record(fields) => fields.iter().all(total),
        }
    }
}
