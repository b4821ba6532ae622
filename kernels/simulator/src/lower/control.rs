//! Lowering of control: branches, loops, calls, `everywhere`.
//!
//! Every region that lanes can leave at different moments opens an entry of the synchronisation stack and ends with
//! `Sync`; the number of open entries is known at every point of the code, so `break`, `continue` and `return` name the
//! entry at which lanes wait.

use super::queries::{ends_with_return, has_continue, has_early_return};
use super::*;

impl<'m> Lower<'m> {
    /// Opens a two-way branch; returns the position of the instruction.
    pub(super) fn open_branch(&mut self, cond: Reg) -> Result<usize> {
        self.level += 1;
        self.emit(Instr::Branch { cond, otherwise: 0, join: 0 })
    }

    /// Ends the first way and starts the second; returns the position of the jump to the end.
    pub(super) fn otherwise(&mut self, branch: usize) -> Result<usize> {
        let jump = self.emit(Instr::Jump { target: 0 })?;
        let here = self.here();
        if let Instr::Branch { otherwise, .. } = &mut self.out.code[branch] {
            *otherwise = here;
        }
        Ok(jump)
    }

    /// Ends the second way.
    pub(super) fn close_branch(&mut self, branch: usize, jump: usize) -> Result<()> {
        let end = self.close_region()?;
        if let Instr::Branch { join, .. } = &mut self.out.code[branch] {
            *join = end;
        }
        self.out.code[jump] = Instr::Jump { target: end };
        Ok(())
    }

    fn open_region(&mut self) -> Result<usize> {
        self.level += 1;
        self.emit(Instr::Push { join: 0 })
    }

    /// Ends the innermost region; returns the position of its synchronisation point.
    fn close_region(&mut self) -> Result<u32> {
        let end = self.here();
        self.emit(Instr::Sync)?;
        self.level -= 1;
        Ok(end)
    }

    fn close_pushed(&mut self, push: usize) -> Result<u32> {
        let end = self.close_region()?;
        self.out.code[push] = Instr::Push { join: end };
        Ok(end)
    }

    pub(super) fn if_(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> Result<()> {
        let cond = self.scalar(condition)?;
        if otherwise.is_empty() {
            let guard = self.emit(Instr::Guard { cond, expect: true, join: 0 })?;
            self.level += 1;
            self.block(then)?;
            let end = self.close_region()?;
            self.out.code[guard] = Instr::Guard { cond, expect: true, join: end };
            return Ok(());
        }
        let branch = self.open_branch(cond)?;
        self.block(then)?;
        let jump = self.otherwise(branch)?;
        self.block(otherwise)?;
        self.close_branch(branch, jump)
    }

    pub(super) fn switch(
        &mut self,
        value: &Expr,
        cases: &[(Vec<u64>, Block)],
        default: &Block,
    ) -> Result<()> {
        let ty = self.scalar_type(value.ty)?;
        let value = self.scalar(value)?;
        let push = self.open_region()?;
        let table = self.out.tables.len();
        self.out.tables.push(SwitchTable::default());
        self.emit(Instr::Switch { value, table: table as u32 })?;
        let mut jumps = Vec::with_capacity(cases.len());
        for (values, body) in cases {
            let here = self.here();
            self.out.tables[table].cases.extend(values.iter().map(|v| (v & width_mask(ty), here)));
            self.block(body)?;
            jumps.push(self.emit(Instr::Jump { target: 0 })?);
        }
        self.out.tables[table].default = self.here();
        self.block(default)?;
        let end = self.close_pushed(push)?;
        for jump in jumps {
            self.out.code[jump] = Instr::Jump { target: end };
        }
        Ok(())
    }

    pub(super) fn while_(&mut self, condition: &Expr, body: &Block) -> Result<()> {
        self.loop_(condition, body, None)
    }

    pub(super) fn for_(
        &mut self,
        var: VarId,
        start: &Expr,
        condition: &Expr,
        next: &Expr,
        body: &Block,
    ) -> Result<()> {
        let value = self.expr(start)?;
        let counter = self.alloc(self.var_type(var)?)?;
        self.set(&counter, &value)?;
        let bound = self.frame.bound.len();
        self.bind(var, counter.clone())?;
        self.loop_(condition, body, Some((&counter, next)))?;
        self.unbind(bound);
        Ok(())
    }

    fn loop_(&mut self, condition: &Expr, body: &Block, step: Option<(&Val, &Expr)>) -> Result<()> {
        let site = self.site;
        let push = self.open_region()?;
        let break_level = self.level - 1;
        let head = self.here();
        let start = self.next_reg;
        let cond = self.scalar(condition)?;
        self.next_reg = start;
        self.emit(Instr::Filter { cond })?;
        let iteration = if has_continue(body) { Some(self.open_region()?) } else { None };
        let continue_level = iteration.map(|_| self.level - 1);
        self.frame.loops.push(Loop { break_level, continue_level });
        self.block(body)?;
        self.frame.loops.pop();
        self.site = site;
        if let Some(push) = iteration {
            self.close_pushed(push)?;
        }
        if let Some((counter, next)) = step {
            let value = self.expr(next)?;
            self.set(counter, &value)?;
            self.next_reg = start;
        }
        self.emit(Instr::Loop { target: head })?;
        self.close_pushed(push)?;
        Ok(())
    }

    pub(super) fn return_(&mut self, value: Option<&Expr>) -> Result<()> {
        if self.everywhere != self.frame.everywhere {
            return self.error("return out of an everywhere block");
        }
        if self.frame.function.is_kernel() {
            return self.emit(Instr::Exit).map(drop);
        }
        if let Some(value) = value {
            let value = self.expr(value)?;
            let result = self.frame.result.clone();
            self.set(&result, &value)?;
        }
        match self.frame.return_level {
            Some(level) => self.emit(Instr::Park { level }).map(drop),
            None => Ok(()),
        }
    }

    /// Inlines a call.
    pub(super) fn call(&mut self, id: FunctionId, args: &[Expr]) -> Result<Val> {
        self.enter()?;
        let module: &'m Module = self.module;
        let Some(function) = module.functions.get(id).filter(|_| id < self.frame.id) else {
            return self.error("a call of a function that is not declared before");
        };
        if !matches!(function.kind, FunctionKind::Device | FunctionKind::Outlined) {
            return self.error(format!("`{}` is a hole or a kernel: it cannot be called", function.name));
        }
        if args.len() != function.params.len() {
            return self.error(format!("`{}` is called with {} arguments", function.name, args.len()));
        }
        let result = self.alloc(function.result)?;
        let mut frame = Activation::new(module, id);
        frame.result = result.clone();
        frame.everywhere = self.everywhere;
        frame.call = Some(self.site);
        for (&param, arg) in function.params.iter().zip(args) {
            let val = self.expr(arg)?;
            match frame.vars.get_mut(param.index()) {
                Some(slot) => *slot = Some(val),
                None => return self.error("a parameter that is no variable"),
            }
        }
        let falls_through = function.result != Type::Void && !ends_with_return(function);
        if falls_through {
            for reg in self.regs(&result)? {
                self.emit(Instr::Undefine { reg })?;
            }
        }
        let region = if has_early_return(function) { Some(self.open_region()?) } else { None };
        frame.return_level = region.map(|_| self.level - 1);
        let site = self.site;
        let caller = std::mem::replace(&mut self.frame, frame);
        self.block(&function.body)?;
        self.frame = caller;
        self.site = site;
        if let Some(push) = region {
            self.close_pushed(push)?;
        }
        if falls_through {
            let name = self.name(&format!("result of {}", function.name));
            for reg in self.regs(&result)? {
                self.emit(Instr::CheckWritten { reg, name })?;
            }
        }
        self.leave();
        Ok(result)
    }

    pub(super) fn everywhere(&mut self, captures: &[(VarId, Expr)], body: &Block) -> Result<()> {
        let site = self.site;
        let mut pairs = Vec::new();
        let mut bound = Vec::new();
        for (var, value) in captures {
            let value = self.expr(value)?;
            let val = self.alloc(self.var_type(*var)?)?;
            let (dst, src) = (self.regs(&val)?, self.regs(&value)?);
            if dst.len() != src.len() {
                return self.error("values of different shape");
            }
            pairs.extend(dst.into_iter().zip(src));
            bound.push((*var, val));
        }
        let outer = self.frame.bound.len();
        for (var, val) in bound {
            self.bind(var, val)?;
        }
        self.emit(Instr::EverywhereBegin)?;
        let next = self.emit(Instr::EverywhereNext { captures: pairs.into(), exit: 0 })?;
        let loops = std::mem::take(&mut self.frame.loops);
        let level = std::mem::take(&mut self.level);
        self.everywhere += 1;
        self.block(body)?;
        self.everywhere -= 1;
        self.level = level;
        self.frame.loops = loops;
        self.unbind(outer);
        self.site = site;
        self.emit(Instr::Jump { target: next as u32 })?;
        let end = self.here();
        self.emit(Instr::EverywhereEnd)?;
        if let Instr::EverywhereNext { exit, .. } = &mut self.out.code[next] {
            *exit = end;
        }
        Ok(())
    }
}
