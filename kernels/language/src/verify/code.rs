//! Statements: scopes, control flow, effects.

use gchr_base::hash::HashSet;

use super::finding::{Finding, MAX_DEPTH, is_comment_line, place, slot};
use crate::ir::*;
use crate::names;

/// What is known of a variable at the current point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VarState {
    /// Not declared yet.
    Fresh,
    /// In scope, declared inside so many `everywhere` bodies.
    Live { level: u32, writable: bool, uniform: bool },
    /// Declared, but its block has ended.
    Gone,
}

/// The check of one function.
pub(super) struct FunctionCheck<'a> {
    pub module: &'a Module,
    id: FunctionId,
    pub function: &'a Function,
    pub states: Vec<VarState>,
    /// Declared variables in order, to end their scopes.
    scope: Vec<VarId>,
    /// Number of `everywhere` bodies around.
    pub level: u32,
    in_loop: bool,
    block_depth: usize,
    counter: usize,
    current: Option<(usize, &'a Stmt)>,
    findings: Vec<Finding>,
}

pub(super) fn check(module: &Module, id: FunctionId) -> Vec<Finding> {
    let function = &module.functions[id];
    let mut code = FunctionCheck {
        module,
        id,
        function,
        states: vec![VarState::Fresh; function.vars.len()],
        scope: Vec::new(),
        level: 0,
        in_loop: false,
        block_depth: 0,
        counter: 0,
        current: None,
        findings: Vec::new(),
    };
    for &param in &function.params {
        let ty = function.vars[param].ty;
        let uniform = function.is_kernel() || module.is_launch(ty);
        code.states[slot(param)] = VarState::Live { level: 0, writable: false, uniform };
    }
    code.block(&function.body);
    // Deep code is reported above, and must not be walked without a limit.
    let is_deep = code.findings.iter().any(|f| f.code == "K0110");
    if !is_deep && function.result != Type::Void && flow::completes(&function.body) {
        code.current = None;
        code.fail("K0105", "a path through the function ends without a `return`");
    }
    code.findings
}

impl<'a> FunctionCheck<'a> {
    pub fn fail(&mut self, code: &'static str, message: impl Into<String>) {
        let (statement, place) = match self.current {
            Some((n, stmt)) => (Some(n), place(self.module, self.function, stmt)),
            None => (None, format!("in function `{}`", self.function.name)),
        };
        let finding =
            Finding { code, message: message.into(), function: Some(self.id), statement, place: Some(place) };
        // One finding a statement and rule is enough.
        if !self.findings.iter().any(|f| f.code == code && f.statement == statement) {
            self.findings.push(finding);
        }
    }

    pub fn expect(&mut self, holds: bool, code: &'static str, message: &str) {
        if !holds {
            self.fail(code, message);
        }
    }

    pub fn is_plain(&self, record: RecordId) -> bool {
        self.module.records.get(record).is_some_and(|r| !r.is_launch())
    }

    fn block(&mut self, block: &'a [Stmt]) {
        if self.block_depth >= MAX_DEPTH {
            self.fail("K0110", "statements are nested too deeply");
            return;
        }
        self.block_depth += 1;
        let base = self.scope.len();
        let mut reachable = true;
        for stmt in block {
            self.current = Some((self.counter, stmt));
            self.counter += 1;
            self.expect(reachable, "K0105", "this statement cannot be reached");
            self.statement(stmt);
            // Restored for findings about what follows the inner blocks.
            reachable = self.findings.iter().any(|f| f.code == "K0110")
                || flow::completes(std::slice::from_ref(stmt));
        }
        for var in self.scope.drain(base..) {
            self.states[slot(var)] = VarState::Gone;
        }
        self.block_depth -= 1;
    }

    fn declare(&mut self, var: VarId, ty: Option<Type>, writable: bool, uniform: bool) {
        match self.states.get(slot(var)) {
            Some(VarState::Fresh) => {}
            _ => return self.fail("K0102", "a variable is declared here that was declared before"),
        }
        self.states[slot(var)] = VarState::Live { level: self.level, writable, uniform };
        self.scope.push(var);
        let var = &self.function.vars[var];
        if var.storage == Storage::Register {
            let fits = match var.ty {
                Type::Void => false,
                Type::Scalar(_) => true,
                Type::Record(r) => self.is_plain(r),
                Type::Buffer(space, _) => space != Space::Local,
                Type::Records(space, r) => space != Space::Local && self.is_plain(r),
            };
            self.expect(fits, "K0109", "a variable has a type that registers cannot hold");
        }
        if let Some(ty) = ty {
            self.expect(ty == var.ty, "K0101", "the value has another type than the variable");
            self.expect(
                var.storage == Storage::Register,
                "K0109",
                "only register variables have a first value",
            );
        }
    }

    fn array(&mut self, var: VarId) {
        let Some(var) = self.function.vars.get(var) else { return };
        let (ty, length, striped) = match &var.storage {
            Storage::Array(length) => (&var.ty, length, false),
            Storage::Striped(length) => (&var.ty, length, true),
            Storage::Param | Storage::Register => return,
        };
        let element_fits = match *ty {
            Type::Buffer(..) => true,
            Type::Records(_, r) => self.is_plain(r),
            _ => false,
        };
        let space_fits = match ty.space() {
            Some(Space::Local) => !striped || self.function.is_kernel() && self.block_depth == 1,
            Some(Space::Shared) if striped => false,
            Some(Space::Shared) => self.function.is_kernel() && self.block_depth == 1,
            _ => false,
        };
        self.expect(
            element_fits && space_fits,
            "K0109",
            "an array is local, or shared or striped at the top of a kernel",
        );
        let length_fits = match *length {
            Length::Literal(n) => n > 0,
            Length::Constant(c) => self.module.constants.get(c).is_some_and(|c| match c.value {
                ConstantValue::Hole => c.ty.is_integer(),
                ConstantValue::Given(Literal::Int(n)) => (1..=u64::from(u32::MAX)).contains(&n),
                ConstantValue::Given(_) => false,
            }),
        };
        self.expect(length_fits, "K0109", "the length of an array is a positive number of 32 bits");
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        if stmt.origin.comment.as_ref().is_some_and(|c| c.split('\n').any(|l| !is_comment_line(l))) {
            self.fail("K0106", "its comment cannot be printed");
        }
        match &stmt.kind {
            StmtKind::Declare { var, value } => self.declaration(*var, value.as_ref()),
            StmtKind::Assign { place, value } => {
                self.place(place, true);
                self.expr(value);
                self.expect(place.ty == value.ty, "K0101", "the value has another type than the place");
            }
            StmtKind::Effect { result, effect } => self.effect(*result, effect),
            StmtKind::If { condition, then, otherwise } => {
                self.test(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::Switch { value, cases, default } => self.switch(value, cases, default),
            StmtKind::While { condition, body } => {
                self.test(condition);
                self.repeat(body);
            }
            StmtKind::For { var, start, condition, next, body, .. } => {
                self.counted(*var, start, [condition, next], body);
            }
            StmtKind::Break | StmtKind::Continue => {
                self.expect(self.in_loop, "K0105", "there is no loop here to leave or go on with");
            }
            StmtKind::Return(value) => self.result(value.as_ref()),
            StmtKind::Barrier => {
                self.expect(self.level == 0, "K0108", "an `everywhere` body has no block barrier");
            }
            StmtKind::WarpBarrier { mask } => self.typed(mask, Type::U32),
            StmtKind::Fence(_) | StmtKind::Sleep(_) | StmtKind::Tally(_) => {}
            StmtKind::Everywhere { captures, body } => self.everywhere(captures, body),
            StmtKind::Simulated(body) => self.simulated(body),
            StmtKind::Assume { name, condition } => {
                self.reason(name);
                self.test(condition);
            }
            StmtKind::Uniform { name, value, .. } => {
                self.reason(name);
                self.expr(value);
                let is_variable = matches!(value.kind, ExprKind::Var(_)) && value.ty.scalar().is_some();
                let found = "what is assumed to be uniform is a variable of scalar type";
                self.expect(is_variable, "K0102", found);
            }
            StmtKind::Own { name, place } => {
                self.reason(name);
                self.place(place, false);
                let is_element = matches!(place.base, PlaceBase::Element { .. });
                self.expect(is_element, "K0102", "only elements of buffers and arrays are owned");
            }
        }
    }

    fn declaration(&mut self, var: VarId, value: Option<&'a Expr>) {
        if let Some(value) = value {
            self.expr(value);
        }
        let declared = self.function.vars.get(var);
        let is_shared = declared.is_some_and(|v| v.ty.space() == Some(Space::Shared));
        let is_array = matches!(declared.map(|v| v.storage), Some(Storage::Array(_) | Storage::Striped(_)));
        self.declare(var, value.map(|v| v.ty), !is_array, is_array && is_shared);
        self.array(var);
    }

    /// A loop that counts, with its condition and its step.
    fn counted(&mut self, var: VarId, start: &'a Expr, [condition, next]: [&'a Expr; 2], body: &'a [Stmt]) {
        self.expr(start);
        let base = self.scope.len();
        let is_word = start.ty.scalar().is_some_and(Scalar::is_word);
        self.expect(is_word, "K0101", "a loop counts in integers of 32 or 64 bits");
        // Its own step is the only place that writes the counter.
        self.declare(var, Some(start.ty), false, false);
        self.test(condition);
        self.expr(next);
        self.expect(next.ty == start.ty, "K0101", "the step has another type than the counter");
        self.repeat(body);
        for var in self.scope.drain(base..) {
            self.states[slot(var)] = VarState::Gone;
        }
    }

    fn result(&mut self, value: Option<&'a Expr>) {
        self.expect(self.level == 0, "K0108", "an `everywhere` body does not return");
        if let Some(value) = value {
            self.expr(value);
        }
        let ty = value.map_or(Type::Void, |v| v.ty);
        let is_own = ty == self.function.result;
        self.expect(is_own, "K0101", "the result has another type than the function says");
    }

    fn reason(&mut self, name: &str) {
        let fits = !name.contains(|c: char| c == '"' || c == '\\' || c.is_control());
        self.expect(fits, "K0106", "the name of a reason has no quotes, backslashes or control characters");
    }

    fn repeat(&mut self, body: &'a [Stmt]) {
        let outer = std::mem::replace(&mut self.in_loop, true);
        self.block(body);
        self.in_loop = outer;
    }

    fn switch(&mut self, value: &'a Expr, cases: &'a [(Vec<u64>, Block)], default: &'a [Stmt]) {
        self.expr(value);
        let scalar = value.ty.scalar().filter(|s| s.is_integer());
        self.expect(scalar.is_some(), "K0101", "a switch is on an integer");
        let mut seen: HashSet<u64> = HashSet::default();
        let all = || cases.iter().flat_map(|(values, _)| values.iter().copied());
        let in_range = scalar.is_none_or(|s| all().all(|n| Literal::Int(n).fits(s)));
        self.expect(in_range, "K0101", "a case is not of the type of the switch");
        let distinct = all().all(|n| seen.insert(n)) && cases.iter().all(|(values, _)| !values.is_empty());
        self.expect(distinct, "K0105", "every case has a value, and no value has two cases");
        for (_, body) in cases {
            self.block(body);
        }
        self.block(default);
    }

    fn everywhere(&mut self, captures: &'a [(VarId, Expr)], body: &'a [Stmt]) {
        for (_, value) in captures {
            self.expr(value);
        }
        let base = self.scope.len();
        self.level += 1;
        for (var, value) in captures {
            let fits = match value.ty {
                Type::Scalar(_) => true,
                Type::Record(r) => self.is_plain(r),
                Type::Buffer(space, _) | Type::Records(space, _) => space != Space::Local,
                Type::Void => false,
            };
            self.expect(fits, "K0108", "a capture is a scalar, a plain record, or a global or shared buffer");
            self.declare(*var, Some(value.ty), false, true);
        }
        let outer = std::mem::replace(&mut self.in_loop, false);
        self.block(body);
        self.in_loop = outer;
        self.level -= 1;
        for var in self.scope.drain(base..) {
            self.states[slot(var)] = VarState::Gone;
        }
    }

    /// What only the simulator runs writes its own variables, and is not left but at its end.
    fn simulated(&mut self, body: &'a [Stmt]) {
        let current = self.current;
        let outer = std::mem::replace(&mut self.in_loop, false);
        self.block(body);
        self.in_loop = outer;
        self.current = current;
        let is_deep = self.findings.iter().any(|f| f.code == "K0110");
        let message = "a `simulated` block writes its own variables only, and does not return";
        self.expect(is_deep || stays_inside(body), "K0111", message);
    }

    fn effect(&mut self, result: Option<Target>, effect: &'a Effect) {
        let ty = match effect {
            Effect::Atomic { op, order, place, operands, .. } => self.atomic(*op, *order, place, operands),
            Effect::Vote { op, mask, predicate } => {
                self.typed(mask, Type::U32);
                self.test(predicate);
                if *op == VoteOp::Ballot { Type::U32 } else { Type::BOOL }
            }
            Effect::Shuffle { op, mask, value, lane } => {
                self.typed(mask, Type::U32);
                self.expr(value);
                self.typed(lane, Type::U32);
                let fits = match value.ty {
                    Type::Scalar(s) => s.bytes() >= 4,
                    Type::Buffer(space, _) | Type::Records(space, _) => {
                        *op == ShuffleOp::Index && space != Space::Local
                    }
                    Type::Void | Type::Record(_) => false,
                };
                self.expect(fits, "K0104", "a shuffle moves scalars of 32 or 64 bits, and by index buffers");
                value.ty
            }
            Effect::ActiveMask | Effect::Cycles => Type::U32,
            Effect::Call { function, args } => self.call(*function, args),
        };
        match result {
            None => {}
            Some(_) if ty == Type::Void => self.fail("K0101", "this has no result"),
            Some(Target::Declare(var)) => self.declare(var, Some(ty), true, false),
            Some(Target::Assign(var)) => {
                self.place(&Place { base: PlaceBase::Var(var), field: None, ty }, true);
            }
        }
    }

    fn atomic(&mut self, op: AtomicOp, order: Order, place: &'a Place, operands: &'a [Expr]) -> Type {
        self.place(place, false);
        let in_memory = match &place.base {
            PlaceBase::Element { buffer, .. } => buffer.ty.space() != Some(Space::Local),
            PlaceBase::Var(_) => false,
        };
        self.expect(in_memory, "K0104", "an atomic works on an element of a global or shared buffer");
        let is_word = place.ty.scalar().is_some_and(Scalar::is_word);
        self.expect(is_word, "K0104", "an atomic works on integers of 32 or 64 bits");
        let has_order = names::atomic_orders(op).contains(&order);
        self.expect(has_order, "K0104", "this atomic operation does not have this memory order");
        let count = match op {
            AtomicOp::Load => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        self.expect(operands.len() == count, "K0104", "an atomic has the wrong number of operands");
        for operand in operands {
            self.typed(operand, place.ty);
        }
        if op == AtomicOp::Store { Type::Void } else { place.ty }
    }

    fn call(&mut self, callee: FunctionId, args: &'a [Expr]) -> Type {
        for arg in args {
            self.expr(arg);
        }
        let module = self.module;
        let Some(function) = module.functions.get(callee).filter(|_| callee < self.id) else {
            self.fail("K0103", "a function is called that is not declared above");
            return Type::Void;
        };
        self.expect(!function.is_kernel(), "K0103", "a kernel cannot be called");
        let params = function.params.iter().filter_map(|&p| function.vars.get(p)).map(|v| v.ty);
        self.expect(params.eq(args.iter().map(|a| a.ty)), "K0103", "the arguments do not fit the parameters");
        function.result
    }

    fn test(&mut self, condition: &'a Expr) {
        self.typed(condition, Type::BOOL);
    }

    fn typed(&mut self, expr: &'a Expr, ty: Type) {
        self.expr(expr);
        self.expect(expr.ty == ty, "K0101", "an operand has another type than it should have");
    }
}

/// Whether statements write only variables that are declared among them, and do not return.
fn stays_inside(body: &[Stmt]) -> bool {
    let mut declared: HashSet<VarId> = HashSet::default();
    let mut inside = true;
    flow::each_statement(body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare { var, .. } | StmtKind::For { var, .. } => drop(declared.insert(*var)),
        StmtKind::Effect { result: Some(Target::Declare(var)), .. } => drop(declared.insert(*var)),
        StmtKind::Effect { result: Some(Target::Assign(var)), .. } => inside &= declared.contains(var),
        StmtKind::Assign { place, .. } => {
            inside &= match &place.base {
                PlaceBase::Var(var) => declared.contains(var),
                PlaceBase::Element { buffer, .. } => {
                    matches!(buffer.kind, ExprKind::Var(var) if declared.contains(&var))
                }
            }
        }
        StmtKind::Return(_) | StmtKind::Simulated(_) => inside = false,
        _ => {}
    });
    inside
}
