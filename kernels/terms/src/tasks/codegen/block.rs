//! Blocks of the plan as structured code.

use gchr_base::rule::RuleId;
use gchr_terms::plan::{Arm, Block, End, FunctionId, LocalId, Region, Step, Target};

use super::super::direct::in_group;
use super::super::frames::HOLE;
use super::super::states::{NestId, Position, StateId};
use super::operate::constant;
use super::{Generator, Scope, halves, to_bits};
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_runtime::meter;

/// What a block that ends does with a value: leaves the innermost region without calls.
#[derive(Clone)]
pub(super) struct Inner {
    pub value: Expr,
    /// Variables of the parameters, when the region is a loop.
    pub params: Option<Vec<Expr>>,
    /// Of a base case: the variable that says whether there is a value.
    pub found: Option<Expr>,
    /// Whether the region is a whole function in the place of its call.
    pub function: bool,
}

impl<'p> Generator<'_, 'p> {
    /// Whether control gets from here back to the head of the region around, without a call in between.
    pub(super) fn continues(&self, code: Position<'p>) -> bool {
        for (at, step) in code.block.steps.iter().enumerate().skip(code.at) {
            let here = Position { at, ..code };
            match step {
                Step::Call { .. } if self.has_frame(here, step) => return false,
                Step::Region { region, .. } if self.states.nest_at(here, self.safepoints).is_some() => {
                    let nest = self.states.nest_at(here, self.safepoints);
                    return !region.is_loop() && self.leaves(Position { block: &region.body, at: 0, nest });
                }
                _ => {}
            }
        }
        match &code.block.end {
            End::Continue(_) => true,
            End::Context { target: Target::Again, .. } => true,
            other => other.blocks().into_iter().any(|b| self.continues(Position { block: b, at: 0, ..code })),
        }
    }

    /// Whether control gets from inside a nest with one way out to that way out, and from there to the head of the
    /// region around.
    fn leaves(&self, code: Position<'p>) -> bool {
        let Some(nest) = code.nest.map(|id| &self.states.nests[id]) else { return false };
        if nest.after.is_some() {
            return false;
        }
        fn returns(block: &Block) -> bool {
            let calls = block.steps.iter().any(|s| matches!(s, Step::Call { .. } | Step::Region { .. }));
            !calls && (matches!(block.end, End::Return(_)) || block.end.blocks().into_iter().any(returns))
        }
        returns(code.block) && self.continues(nest.rest)
    }

    /// Whether the thread comes back to a call by a frame.
    fn has_frame(&self, here: Position<'p>, step: &Step) -> bool {
        !self.states.direct.step(step) || self.safepoints && self.states.has_safepoint_call(here)
    }

    /// The rest of a block, up to the next call or jump.
    pub(super) fn code(&mut self, code: Position<'p>) {
        if code.at == 0 {
            self.count(&code.block.applied);
        }
        for at in code.at..code.block.steps.len() {
            let here = Position { at, ..code };
            match &code.block.steps[at] {
                step @ Step::Call { dst, function, args, .. } if !self.states.direct.step(step) => {
                    return self.call(here, *dst, *function, args);
                }
                step @ Step::Call { function, args, .. } if self.has_frame(here, step) => {
                    return self.call_by_frame(here, *function, args);
                }
                Step::Region { inits, region, .. }
                    if let Some(nest) = self.states.nest_at(here, self.safepoints) =>
                {
                    return self.enter_nest(nest, inits, region);
                }
                step => {
                    self.reserve(&code.block.steps[at..]);
                    self.step(step);
                }
            }
            if !self.b.completes() {
                return;
            }
        }
        self.end(code);
    }

    /// The innermost structured loop around the code ends: its state is left.
    fn leave(&mut self) {
        if self.structured.is_some() {
            self.b.push(StmtKind::Break);
        }
    }

    /// Counts rule applications; what follows comes from the last one.
    fn count(&mut self, applied: &[RuleId]) {
        let Some(&last) = applied.last() else { return };
        let names: Vec<String> = applied.iter().map(|&rule| self.program.rule_name(rule)).collect();
        let (line, _) = self.sources.line_column(self.program.rules[last].span);
        self.b.origin(u32::try_from(line).ok(), names.join(", "));
        let count = self.reg(self.machine().count);
        let more = build::u32(applied.len() as u32);
        self.b.assign(count.clone(), build::binary(BinaryOp::Add, count, more));
        applied.iter().for_each(|&rule| self.b.push(StmtKind::Tally(meter::applied(rule))));
    }

    /// A nested region with calls: its code follows here, or is a state of its own.
    fn enter_nest(&mut self, id: NestId, inits: &[LocalId], region: &'p Region) {
        let values: Vec<Expr> = inits.iter().map(|&i| self.local(i)).collect();
        for (&param, value) in region.params.iter().zip(values) {
            self.scope.env.insert(param, value);
        }
        match self.states.nests[id].head {
            Some(head) => self.go(head),
            None => self.code(Position { block: &region.body, at: 0, nest: Some(id) }),
        }
    }

    /// Jumps to a state whose parameters have values here.
    fn go(&mut self, state: StateId) {
        let params = &self.states.states[state].params;
        let values = params.iter().map(|&p| self.local(p)).collect();
        self.jump(state, values);
        self.leave();
    }

    /// Sets the argument registers and the state.
    fn jump(&mut self, state: StateId, values: Vec<Expr>) {
        let registers = self.registers_of(values.iter().map(|v| v.ty != Type::U32));
        for (register, value) in registers.into_iter().zip(values) {
            let value = if value.ty == Type::U32 { value } else { to_bits(value) };
            self.b.assign(register, value);
        }
        self.set(self.machine().state, build::u32(self.runtime.shape.state_number(state)));
        let compares = |function| self.equality.compares(function);
        if let Some(compared) = self.generated().compared
            && compares(self.states.states[state].function)
            && !compares(self.function)
        {
            self.set(compared, build::u32(0));
        }
    }

    /// A call and what comes behind it: here, when the call is a base case of the function, else at its resume point.
    fn call(&mut self, here: Position<'p>, dst: LocalId, function: FunctionId, args: &[LocalId]) {
        let Some(base) = self.base_of(function) else { return self.call_by_frame(here, function, args) };
        let (found, value) = self.base_case(dst, function, args, base);
        let before = self.scope.env.clone();
        let otherwise = self.block_of(|g| g.call_by_frame(here, function, args));
        self.scope.env = before;
        self.scope.env.insert(dst, value);
        let then = self.block_of(|g| g.code(Position { at: here.at + 1, ..here }));
        self.b.push(StmtKind::If { condition: found, then, otherwise });
    }

    /// The base case of a function. Threads in safepoint mode do without: in one they might need more cells at a time
    /// than there are.
    fn base_of(&self, function: FunctionId) -> Option<&'p Block> {
        self.states.plan.functions[function].base.as_deref().filter(|_| !self.safepoints)
    }

    /// A call that comes back to its resume point.
    fn call_by_frame(&mut self, here: Position<'p>, function: FunctionId, args: &[LocalId]) {
        self.push_frame(self.states.resume_at(here));
        self.start_call(function, args);
        self.leave();
    }

    /// What a function does when it is called with arguments as far as it needs no call for that: whether there is a
    /// value, and the value.
    fn base_case(
        &mut self,
        dst: LocalId,
        function: FunctionId,
        args: &[LocalId],
        base: &Block,
    ) -> (Expr, Expr) {
        let name = self.name(dst);
        let value = self.b.declare(&name, Type::Scalar(self.scalar(dst)));
        let found = self.b.var("found", build::bool(true));
        let params = &self.states.plan.functions[function].region.params;
        let inside = params.iter().zip(args).map(|(&param, &arg)| (param, self.local(arg))).collect();
        let caller = std::mem::replace(&mut self.function, function);
        let outside = std::mem::replace(&mut self.scope, Scope { env: inside, ..Scope::default() });
        self.inner_block(
            base,
            &Inner { value: value.clone(), params: None, found: Some(found.clone()), function: false },
        );
        self.function = caller;
        self.scope = outside;
        (found, value)
    }

    fn start_call(&mut self, function: FunctionId, args: &[LocalId]) {
        if self.states.holes[function] {
            self.set(self.destination_field(HOLE), build::u32(0));
        }
        let values = args.iter().map(|&a| self.local(a)).collect();
        self.jump(self.states.entries[function], values);
    }

    fn end(&mut self, code: Position<'p>) {
        let end = &code.block.end;
        if !self.states.direct.end(end) || self.safepoints && self.states.has_safepoint_end(end) {
            return self.end_by_jump(code);
        }
        let value = self.at_end(end);
        if self.b.completes() {
            self.give_back(value);
        }
    }

    fn end_by_jump(&mut self, code: Position<'p>) {
        match &code.block.end {
            End::Return(value) => self.leave_region(code, *value),
            End::TailCall { function, args } => {
                if self.states.holes[*function] && !self.states.holes[self.function] {
                    self.set(self.destination_field(HOLE), build::u32(0));
                }
                let values = args.iter().map(|&a| self.local(a)).collect();
                self.jump(self.states.entries[*function], values);
                self.leave();
            }
            End::Continue(args) => self.again(code, args),
            End::Context { hole, nest, target, args } => {
                let function = match target {
                    Target::Again => self.function,
                    Target::Function(function) => *function,
                };
                // A loop is left here when it comes to a base case anyway; the last part of a tree is one as often as
                // the others.
                let base = self.base_of(function);
                let base = base.filter(|_| in_group(code.block, code.block.steps.len()));
                let Some(base) = base else { return self.enter_context(code, *hole, nest, *target, args) };
                let (found, value) = self.base_case(*hole, function, args, base);
                let before = self.scope.env.clone();
                self.scope.env.insert(*hole, value);
                let then = self.block_of(|g| g.meet(nest));
                self.scope.env = before;
                let otherwise = self.block_of(|g| g.enter_context(code, *hole, nest, *target, args));
                self.b.push(StmtKind::If { condition: found, then, otherwise });
            }
            End::NoRule { symbol, args } => self.no_rule(*symbol, args),
            End::Match { on, arms, default } => {
                let ways = ways(arms, default.as_deref());
                self.branch(*on, &ways, &mut |g, block| g.code(Position { block, at: 0, ..code }));
            }
            End::If { test, then, otherwise } => {
                let condition = self.test(test);
                let then = self.block_of(|g| g.code(Position { block: then, at: 0, ..code }));
                let otherwise = self.block_of(|g| g.code(Position { block: otherwise, at: 0, ..code }));
                self.b.push(StmtKind::If { condition, then, otherwise });
            }
        }
    }

    /// Builds the cells of a context, and goes on with the call in it.
    fn enter_context(
        &mut self,
        code: Position<'p>,
        hole: LocalId,
        nest: &'p [Step],
        target: Target,
        args: &[LocalId],
    ) {
        let values = args.iter().map(|&a| self.local(a)).collect::<Vec<_>>();
        self.context(hole, nest);
        match target {
            Target::Again => self.again(code, args),
            Target::Function(function) => {
                self.jump(self.states.entries[function], values);
                self.leave();
            }
        }
    }

    /// Once more through the region around.
    fn again(&mut self, code: Position<'p>, args: &[LocalId]) {
        let values: Vec<Expr> = args.iter().map(|&a| self.local(a)).collect();
        let region = match code.nest {
            Some(nest) => self.states.nests[nest].region,
            None => &self.states.plan.functions[self.function].region,
        };
        if let Some((head, variables)) = self.structured.clone()
            && std::ptr::eq(head, region)
        {
            self.assign_all(&variables, values);
            self.b.push(StmtKind::Continue);
            return;
        }
        let head = match code.nest {
            Some(nest) => self.states.nests[nest].head,
            None => Some(self.states.entries[self.function]),
        };
        let Some(head) = head else { return };
        // Only for the jump: other ways through the region still see the old values.
        let before = self.scope.env.clone();
        for (&param, value) in region.params.iter().zip(values) {
            self.scope.env.insert(param, value);
        }
        self.go(head);
        self.scope.env = before;
    }

    /// New values for the variables of a loop, all at once.
    pub(super) fn assign_all(&mut self, variables: &[Expr], values: Vec<Expr>) {
        let mut moves: Vec<(Expr, Expr)> =
            variables.iter().cloned().zip(values).filter(|(to, from)| to != from).collect();
        let targets: Vec<Expr> = moves.iter().map(|(to, _)| to.clone()).collect();
        for (at, (_, from)) in moves.iter_mut().enumerate() {
            if targets[..at].contains(from) {
                *from = self.b.var("moved", from.clone());
            }
        }
        for (to, from) in moves {
            self.b.assign(to, from);
        }
    }

    /// The value of the region around: of the function, or of a nest.
    fn leave_region(&mut self, code: Position<'p>, value: LocalId) {
        let Some(id) = code.nest else {
            return self.return_value(value);
        };
        let nest = &self.states.nests[id];
        let value = self.local(value);
        self.scope.env.insert(nest.dst, value);
        match nest.after {
            Some(after) => self.go(after),
            None => self.code(nest.rest),
        }
    }

    fn return_value(&mut self, value: LocalId) {
        let value = self.local(value);
        self.give_back(value);
    }

    /// The function has this value.
    fn give_back(&mut self, value: Expr) {
        if value.ty != Type::U32 {
            let [low, high] = halves(value);
            self.set(self.machine().value, low);
            self.set(self.machine().high, high);
            self.set(self.machine().state, build::u32(self.format().returns));
            self.leave();
        } else {
            self.return_word(value);
        }
    }

    /// The function returns a term.
    pub(super) fn return_word(&mut self, value: Expr) {
        self.return_term(value);
        self.set(self.machine().state, build::u32(self.format().returns));
        self.leave();
    }

    /// A truth value.
    pub(super) fn truth_word(&self, value: bool) -> Expr {
        build::u32(self.truth(value))
    }

    /// The call of a context and its siblings are back: the cells around it.
    pub(super) fn meet(&mut self, nest: &[Step]) {
        self.reserve(nest);
        nest.iter().for_each(|step| self.step(step));
        if let Some(outer) = nest.last().and_then(Step::dst) {
            self.return_value(outer);
        }
    }

    /// A step without calls.
    pub(super) fn step(&mut self, step: &Step) {
        match step {
            Step::Const { dst, value } => {
                let value = constant(*value);
                self.bind(*dst, value);
            }
            Step::Build { dst, symbol, args, reuse } => {
                let value = self.build(*symbol, args, *reuse);
                self.bind(*dst, value);
            }
            Step::Repeat { dst, symbol, count, arg } => {
                let arg = self.local(*arg);
                let value = self.repeat(*symbol, *count, arg);
                self.bind(*dst, value);
            }
            Step::Operate { dst, op, args, site } => self.operate(*dst, *op, args, *site),
            Step::Region { dst, inits, region } => self.region(*dst, inits, region),
            Step::Ref(step) => self.reference(step),
            Step::Call { dst, function, args, .. } => {
                let value = self.expand(*function, args);
                self.scope.env.insert(*dst, value);
            }
            Step::Trace { .. } => {}
        }
    }

    /// A nested region without calls.
    fn region(&mut self, dst: LocalId, inits: &[LocalId], region: &Region) {
        let name = self.name(dst);
        let value = self.b.declare(&name, Type::Scalar(self.scalar(dst)));
        let inits: Vec<Expr> = inits.iter().map(|&i| self.local(i)).collect();
        if region.is_loop() {
            for (&param, init) in region.params.iter().zip(inits) {
                self.bind(param, init);
            }
            let params = region.params.iter().map(|&p| self.local(p)).collect();
            // Once, not in every turn.
            self.read_cells();
            self.b.begin();
            self.guard(false);
            self.inner_block(
                &region.body,
                &Inner { value: value.clone(), params: Some(params), found: None, function: false },
            );
            self.b.end_while(build::bool(true));
        } else {
            for (&param, init) in region.params.iter().zip(inits) {
                self.scope.env.insert(param, init);
            }
            self.inner_block(
                &region.body,
                &Inner { value: value.clone(), params: None, found: None, function: false },
            );
        }
        self.scope.env.insert(dst, value);
    }

    pub(super) fn inner_block(&mut self, block: &Block, around: &Inner) {
        self.count(&block.applied);
        for (at, step) in block.steps.iter().enumerate() {
            self.reserve(&block.steps[at..]);
            self.step(step);
            if !self.b.completes() {
                return;
            }
        }
        match &block.end {
            End::Return(value) => {
                let value = self.local(*value);
                self.leave_inner(value, around);
            }
            End::Continue(args) => {
                let values = args.iter().map(|&a| self.local(a)).collect();
                self.inner_again(values, around);
            }
            End::Context { hole, nest, target: Target::Again, args } if around.function => {
                let values = args.iter().map(|&a| self.local(a)).collect();
                self.context(*hole, nest);
                self.inner_again(values, around);
            }
            end @ (End::TailCall { .. } | End::Context { .. }) if around.function => {
                let value = self.at_end(end);
                if self.b.completes() {
                    self.leave_inner(value, around);
                }
            }
            End::NoRule { symbol, args } => self.no_rule(*symbol, args),
            End::Match { on, arms, default } => {
                let ways = ways(arms, default.as_deref());
                self.branch(*on, &ways, &mut |g, block| g.inner_block(block, around));
            }
            End::If { test, then, otherwise } => {
                let condition = self.test(test);
                let then = self.block_of(|g| g.inner_block(then, around));
                let otherwise = self.block_of(|g| g.inner_block(otherwise, around));
                self.b.push(StmtKind::If { condition, then, otherwise });
            }
            // The plan's verifier keeps these out of nested regions; where a base case has one, it is none.
            End::TailCall { .. } | End::Context { .. } => {
                if let Some(found) = &around.found {
                    self.b.assign(found.clone(), build::bool(false));
                }
            }
        }
    }

    /// Branches by the head symbol of a value.
    fn branch<'b>(
        &mut self,
        on: LocalId,
        ways: &[(Option<&'b Arm>, &'b Block)],
        code: &mut dyn FnMut(&mut Self, &'b Block),
    ) {
        let value = self.local(on);
        let sort = &self.layout().sorts[self.sort(on)];
        let tag = if sort.has_cells() && sort.tag_bits > 0 {
            let mask = (1u32 << sort.tag_bits) - 1;
            build::binary(BinaryOp::And, value.clone(), build::u32(mask))
        } else {
            value.clone()
        };
        let mut blocks = Vec::new();
        for (arm, block) in ways {
            let way = self.block_of(|g| {
                if let Some(arm) = arm {
                    let (variant, _) = g.variant(arm.symbol);
                    g.read_fields(variant, value.clone(), &arm.fields);
                }
                code(g, block);
            });
            blocks.push((arm.map(|arm| self.variant(arm.symbol).1), way));
        }
        let Some((_, last)) = blocks.pop() else { return };
        match blocks.len() {
            0 => last.into_iter().for_each(|stmt| self.b.append(stmt)),
            1 => {
                let (of, then) = blocks.swap_remove(0);
                let condition = build::eq(tag, build::u32(of.unwrap_or(0)));
                self.b.push(StmtKind::If { condition, then, otherwise: last });
            }
            _ => {
                let cases =
                    blocks.into_iter().map(|(of, body)| (vec![u64::from(of.unwrap_or(0))], body)).collect();
                self.b.push(StmtKind::Switch { value: tag, cases, default: last });
            }
        }
    }
}

/// The ways that a match has: an arm each, and one without for all other variants.
fn ways<'b>(arms: &'b [Arm], default: Option<&'b Block>) -> Vec<(Option<&'b Arm>, &'b Block)> {
    arms.iter().map(|arm| (Some(arm), &arm.body)).chain(default.map(|b| (None, b))).collect()
}
