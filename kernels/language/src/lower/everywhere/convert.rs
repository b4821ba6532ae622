//! The conversion of one function.

use super::queries::{ALL_LANES, contains, escapes, inherit, undeclare};
use crate::ir::*;
use crate::lower::vars::*;

/// Which lanes execute a block.
#[derive(Clone, Copy)]
pub(super) enum On {
    /// All lanes of the warp.
    All,
    /// Those for which the variable holds; a jump out of the block clears it.
    Var(VarId),
}

/// What a jump turns off.
enum Enclosing {
    Block(On),
    /// A loop that continues while the variable holds for any lane.
    Loop(VarId),
}

pub(super) struct Converter<'a> {
    module: &'a Module,
    pub function: Function,
    wakes: &'a [bool],
    fresh: Fresh,
    /// Declarations that move to the top of the function.
    pub hoisted: Block,
    around: Vec<Enclosing>,
    /// Where a `return` leaves its value.
    result: Option<VarId>,
}

impl<'a> Converter<'a> {
    pub fn new(module: &'a Module, function: Function, wakes: &'a [bool]) -> Self {
        let fresh = Fresh::new(module, &function);
        Self { module, function, wakes, fresh, hoisted: Vec::new(), around: Vec::new(), result: None }
    }

    pub fn kernel(&mut self, mut body: Block) -> Block {
        if matches!(body.last(), Some(Stmt { kind: StmtKind::Return(None), .. })) {
            body.pop();
        }
        if !escapes(&body, false) {
            return self.block(body, On::All);
        }
        let on = self.declare("on", Type::BOOL, Some(bool_literal(true)));
        self.block(body, On::Var(on))
    }

    pub fn device(&mut self, body: Block) -> Block {
        let name = self.fresh.name("on");
        let param = self.function.vars.push(Var { name, ty: Type::BOOL, storage: Storage::Param });
        self.function.params.insert(0, param);
        let on = self.declare("on", Type::BOOL, Some(var(param, Type::BOOL)));
        let ty = self.function.result;
        if ty != Type::Void {
            self.result = Some(self.declare("result", ty, zero(self.module, ty)));
        }
        let mut out = self.block(body, On::Var(on));
        if let Some(result) = self.result {
            out.push(StmtKind::Return(Some(var(result, ty))).into());
        }
        out
    }

    fn register(&mut self, prefix: &str, ty: Type) -> VarId {
        let name = self.fresh.name(prefix);
        self.function.vars.push(Var { name, ty, storage: Storage::Register })
    }

    /// A new variable at the top of the function.
    fn declare(&mut self, prefix: &str, ty: Type, value: Option<Expr>) -> VarId {
        let id = self.register(prefix, ty);
        self.hoisted.push(StmtKind::Declare { var: id, value }.into());
        id
    }

    /// The statements for the lanes of `on`; all lanes of the warp execute what is returned, together.
    fn block(&mut self, block: Block, on: On) -> Block {
        self.around.push(Enclosing::Block(on));
        let mut out = Vec::new();
        let mut plain = Vec::new();
        for stmt in block {
            let converts = contains(std::slice::from_ref(&stmt), self.wakes)
                || escapes(std::slice::from_ref(&stmt), false)
                || matches!(stmt.kind, StmtKind::Barrier);
            if converts {
                self.plain(&mut plain, on, &mut out);
                let origin = stmt.origin.clone();
                let start = out.len();
                self.statement(stmt, on, &mut out);
                inherit(&mut out[start..], &origin);
            } else {
                plain.push(stmt);
            }
        }
        self.plain(&mut plain, on, &mut out);
        self.around.pop();
        out
    }

    /// Statements that need not be taken apart: below one test of `on`.
    fn plain(&mut self, plain: &mut Block, on: On, out: &mut Block) {
        let mut block = std::mem::take(plain);
        let On::Var(on) = on else { return out.append(&mut block) };
        // What is declared here is used below other tests too.
        block.retain(|stmt| match &stmt.kind {
            StmtKind::Declare { value: None, .. } => {
                self.hoisted.push(stmt.clone());
                false
            }
            _ => true,
        });
        let mut declared = Vec::new();
        undeclare(&mut block, &mut declared);
        self.hoisted
            .extend(declared.into_iter().map(|var| Stmt::from(StmtKind::Declare { var, value: None })));
        if !block.is_empty() {
            out.push(when(var(on, Type::BOOL), block));
        }
    }

    /// A value of the type for lanes that are off: any that they can evaluate. Every buffer comes from a parameter or
    /// an array, so one of the same type is available.
    fn idle(&self, ty: Type) -> Option<Expr> {
        if ty.element().is_none() {
            return zero(self.module, ty);
        }
        self.function.vars.iter_enumerated().find_map(|(id, v)| match (v.storage, v.ty) {
            (Storage::Param | Storage::Array(_) | Storage::Striped(_), own) if own == ty => Some(var(id, ty)),
            (Storage::Param, Type::Record(record)) => {
                let field = self.module.records[record].fields.iter().position(|f| f.ty == ty)?;
                Some(Expr::new(ExprKind::Field(Box::new(var(id, v.ty)), field as u32), ty))
            }
            _ => None,
        })
    }

    /// Writes a new variable with `value` where `on` holds and `otherwise` elsewhere.
    fn guarded(
        &mut self,
        prefix: &str,
        on: On,
        value: Expr,
        otherwise: Option<Expr>,
        out: &mut Block,
    ) -> VarId {
        match on {
            On::All => {
                let id = self.register(prefix, value.ty);
                out.push(StmtKind::Declare { var: id, value: Some(value) }.into());
                id
            }
            On::Var(on) => {
                let id = self.declare(prefix, value.ty, None);
                out.extend(otherwise.map(|otherwise| assign(id, otherwise)));
                out.push(when(var(on, Type::BOOL), vec![assign(id, value)]));
                id
            }
        }
    }

    /// A new variable that holds where `on` and the condition do.
    fn narrowed(&mut self, on: On, condition: Expr, out: &mut Block) -> VarId {
        let id = self.declare("on", Type::BOOL, None);
        match on {
            On::All => out.push(assign(id, condition)),
            On::Var(on) => {
                // The condition may only be evaluated by lanes that are on.
                out.push(assign(id, binary(BinaryOp::AndAlso, var(on, Type::BOOL), condition)));
            }
        }
        id
    }

    fn statement(&mut self, stmt: Stmt, on: On, out: &mut Block) {
        match stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let taken = self.narrowed(on, condition, out);
                let rest =
                    (!otherwise.is_empty()).then(|| self.narrowed(on, not(var(taken, Type::BOOL)), out));
                out.extend(self.block(then, On::Var(taken)));
                if let Some(rest) = rest {
                    out.extend(self.block(otherwise, On::Var(rest)));
                }
            }
            StmtKind::Switch { value, cases, default } => self.switch(value, cases, default, on, out),
            StmtKind::While { condition, body } => self.repeat(condition, body, None, on, out),
            StmtKind::For { var: counter, start, condition, next, body, .. } => {
                self.hoisted.push(StmtKind::Declare { var: counter, value: None }.into());
                let start = assign(counter, start);
                out.push(self.guard(on, vec![start]));
                self.repeat(condition, body, Some(assign(counter, next)), on, out);
            }
            StmtKind::Break => self.jump(on, Jump::Break, None, out),
            StmtKind::Continue => self.jump(on, Jump::Continue, None, out),
            StmtKind::Return(value) => self.jump(on, Jump::Return, value, out),
            StmtKind::Barrier => self.barrier(on, out),
            StmtKind::Everywhere { captures, body } => self.everywhere(captures, body, on, out),
            StmtKind::Effect { result, effect: Effect::Call { function, args } } => {
                self.call(result, function, args, on, out);
            }
            // All others have neither blocks nor calls nor jumps.
            kind => out.push(self.guard(on, vec![Stmt { kind, origin: stmt.origin }])),
        }
    }

    fn guard(&self, on: On, block: Block) -> Stmt {
        match on {
            On::All => when(bool_literal(true), block),
            On::Var(on) => when(var(on, Type::BOOL), block),
        }
    }

    fn switch(
        &mut self,
        value: Expr,
        cases: Vec<(Vec<u64>, Block)>,
        default: Block,
        on: On,
        out: &mut Block,
    ) {
        let ty = value.ty;
        let zero = zero(self.module, ty);
        let selector = self.guarded("selector", on, value, zero, out);
        let mut rest: Option<Expr> = None;
        let mut taken = Vec::new();
        // Each lane's case is decided before any case runs.
        for (values, body) in cases {
            let tests = values.into_iter().map(|v| {
                let literal = Expr::new(ExprKind::Literal(Literal::Int(v)), ty);
                binary(BinaryOp::Eq, var(selector, ty), literal)
            });
            let Some(test) = tests.reduce(|a, b| binary(BinaryOp::OrElse, a, b)) else { continue };
            let id = self.narrowed(on, test, out);
            let miss = not(var(id, Type::BOOL));
            rest = Some(match rest {
                None => miss,
                Some(rest) => binary(BinaryOp::AndAlso, rest, miss),
            });
            taken.push((id, body));
        }
        if !default.is_empty() {
            let id = self.narrowed(on, rest.unwrap_or_else(|| bool_literal(true)), out);
            taken.push((id, default));
        }
        for (id, body) in taken {
            out.extend(self.block(body, On::Var(id)));
        }
    }

    /// A loop that all lanes stay in while any of them continues; `step` is the last statement of an iteration.
    fn repeat(&mut self, condition: Expr, body: Block, step: Option<Stmt>, on: On, out: &mut Block) {
        let again = self.declare("again", Type::BOOL, None);
        out.push(assign(
            again,
            match on {
                On::All => bool_literal(true),
                On::Var(on) => var(on, Type::BOOL),
            },
        ));
        let mut inner = Vec::new();
        let again_holds = || var(again, Type::BOOL);
        if condition.kind != ExprKind::Literal(Literal::Bool(true)) {
            inner.push(assign(again, binary(BinaryOp::AndAlso, again_holds(), condition)));
        }
        let any = self.vote(VoteOp::Any, again_holds(), &mut inner);
        inner.push(when(not(var(any, Type::BOOL)), vec![StmtKind::Break.into()]));
        let within = self.declare("on", Type::BOOL, None);
        inner.push(assign(within, again_holds()));
        self.around.push(Enclosing::Loop(again));
        inner.extend(self.block(body, On::Var(within)));
        self.around.pop();
        inner.extend(step.map(|step| when(again_holds(), vec![step])));
        out.push(StmtKind::While { condition: bool_literal(true), body: inner }.into());
    }

    fn vote(&mut self, op: VoteOp, predicate: Expr, out: &mut Block) -> VarId {
        let (prefix, ty) = match op {
            VoteOp::Ballot => ("asking", Type::U32),
            VoteOp::Any | VoteOp::All => ("any", Type::BOOL),
        };
        let id = self.register(prefix, ty);
        let effect = Effect::Vote { op, mask: u32_literal(ALL_LANES), predicate };
        out.push(StmtKind::Effect { result: Some(Target::Declare(id)), effect }.into());
        id
    }

    /// Turns off the lanes that jump, up to where they go on.
    fn jump(&mut self, on: On, jump: Jump, value: Option<Expr>, out: &mut Block) {
        let mut block = Vec::new();
        if let (Some(value), Some(result)) = (value, self.result) {
            block.push(assign(result, value));
        }
        let mut off = Vec::new();
        for around in self.around.iter().rev() {
            match around {
                Enclosing::Block(On::Var(v)) => off.push(*v),
                Enclosing::Block(On::All) => {}
                Enclosing::Loop(again) => {
                    if jump != Jump::Continue {
                        off.push(*again);
                    }
                    if jump != Jump::Return {
                        break;
                    }
                }
            }
        }
        // The block's own variable guards this statement: it is cleared last.
        off.reverse();
        block.extend(off.into_iter().map(|v| assign(v, bool_literal(false))));
        out.push(self.guard(on, block));
    }

    /// A barrier is reached by all threads of the block or by none, so a warp goes there as a whole.
    fn barrier(&mut self, on: On, out: &mut Block) {
        match on {
            On::All => out.push(StmtKind::Barrier.into()),
            On::Var(on) => {
                let any = self.vote(VoteOp::Any, var(on, Type::BOOL), out);
                out.push(when(var(any, Type::BOOL), vec![StmtKind::Barrier.into()]));
            }
        }
    }

    fn everywhere(&mut self, captures: Vec<(VarId, Expr)>, body: Block, on: On, out: &mut Block) {
        let mut offers = Vec::new();
        for (capture, value) in captures {
            let otherwise = self.idle(value.ty);
            let offer = self.guarded("offer", on, value, otherwise, out);
            offers.push((capture, offer));
        }
        let predicate = match on {
            On::All => bool_literal(true),
            On::Var(on) => var(on, Type::BOOL),
        };
        let asking = self.vote(VoteOp::Ballot, predicate, out);
        let mask = || var(asking, Type::U32);
        // A round is ordered after what lanes did before it, and what follows the block after the last round.
        let meet = || Stmt::from(StmtKind::WarpBarrier { mask: u32_literal(ALL_LANES) });
        let mut inner = vec![meet()];
        let asker = self.register("asker", Type::U32);
        let lowest = Expr::new(ExprKind::Intrinsic(Intrinsic::FindFirstSet, vec![mask()]), Type::U32);
        let lane = binary(BinaryOp::Sub, lowest, u32_literal(1));
        inner.push(StmtKind::Declare { var: asker, value: Some(lane) }.into());
        let below = binary(BinaryOp::Sub, mask(), u32_literal(1));
        inner.push(assign(asking, binary(BinaryOp::And, mask(), below)));
        for (capture, offer) in offers {
            let ty = self.function.vars[offer].ty;
            let value = self.broadcast(var(offer, ty), asker, &mut inner);
            inner.push(StmtKind::Declare { var: capture, value: Some(value) }.into());
        }
        let around = std::mem::take(&mut self.around);
        if contains(&body, self.wakes) {
            inner.extend(self.block(body, On::All));
        } else {
            inner.extend(body);
        }
        self.around = around;
        let condition = binary(BinaryOp::Ne, mask(), u32_literal(0));
        out.push(StmtKind::While { condition, body: inner }.into());
        out.push(meet());
    }

    /// The value that lane `asker` has for `value`, in all lanes.
    fn broadcast(&mut self, value: Expr, asker: VarId, out: &mut Block) -> Expr {
        let ty = value.ty;
        let narrow = matches!(ty, Type::Scalar(Scalar::Bool | Scalar::U8));
        if let Type::Record(record) = ty {
            let fields = &self.module.records[record].fields;
            let fields = fields.iter().enumerate().map(|(i, field)| {
                let field = Expr::new(ExprKind::Field(Box::new(value.clone()), i as u32), field.ty);
                self.broadcast(field, asker, out)
            });
            return Expr::new(ExprKind::Record(fields.collect()), ty);
        }
        let value = if narrow { Expr::new(ExprKind::Cast(Box::new(value)), Type::U32) } else { value };
        let id = self.register("shared_value", value.ty);
        let given = var(id, value.ty);
        let lane = var(asker, Type::U32);
        let effect = Effect::Shuffle { op: ShuffleOp::Index, mask: u32_literal(ALL_LANES), value, lane };
        out.push(StmtKind::Effect { result: Some(Target::Declare(id)), effect }.into());
        if narrow { Expr::new(ExprKind::Cast(Box::new(given)), ty) } else { given }
    }

    /// A call by all lanes; those that are off pass zeros and drop the result.
    fn call(
        &mut self,
        result: Option<Target>,
        function: FunctionId,
        args: Vec<Expr>,
        on: On,
        out: &mut Block,
    ) {
        let mut passed = vec![match on {
            On::All => bool_literal(true),
            On::Var(on) => var(on, Type::BOOL),
        }];
        for arg in args {
            if self.is_safe(&arg) {
                passed.push(arg);
                continue;
            }
            let (ty, otherwise) = (arg.ty, self.idle(arg.ty));
            let id = self.guarded("argument", on, arg, otherwise, out);
            passed.push(var(id, ty));
        }
        let effect = Effect::Call { function, args: passed };
        let ty = self.module.functions[function].result;
        let target = match (result, on) {
            (Some(Target::Declare(v)), On::Var(_)) => {
                self.hoisted.push(StmtKind::Declare { var: v, value: None }.into());
                Some(v)
            }
            (Some(Target::Assign(v)), On::Var(_)) => Some(v),
            _ => None,
        };
        let Some(target) = target else {
            return out.push(StmtKind::Effect { result, effect }.into());
        };
        let id = self.register("returned", ty);
        out.push(StmtKind::Effect { result: Some(Target::Declare(id)), effect }.into());
        out.push(self.guard(on, vec![assign(target, var(id, ty))]));
    }

    /// Whether a lane that is off may evaluate the argument: it reads no memory and no variable that may be unwritten.
    fn is_safe(&self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Special(_) => true,
            ExprKind::Var(v) => self.function.vars[*v].storage != Storage::Register,
            ExprKind::Field(base, _) => self.is_safe(base),
            _ => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Break,
    Continue,
    Return,
}
