//! Inlining of functions that are small and not truly recursive: a loop may be inlined, as a loop. Of functions that
//! call each other in a cycle some stay as functions, the others become parts of them, so that the cycle becomes a loop
//! or a call of the function itself.

use crate::plan::copy::Copier;
use crate::plan::cost::Callees;
use crate::plan::ir::*;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};

/// The largest body that is inlined.
const MAX_INLINED: usize = 40;
/// No function grows beyond this by inlining.
const MAX_GROWN: usize = 500;
/// All functions together may grow by this plus their own size: chains of many functions, each of which calls the next,
/// would otherwise grow with the square of their number, and compilers of kernels take even longer.
const MAX_GROWTH: usize = 1024;

/// Cycles of more functions stay as they are: each function of a cycle is looked at for each other one.
const MAX_CYCLE: usize = 64;

/// The pass `inline`: callees first, so that chains of functions collapse. Runs after `tail-calls`.
pub(super) fn inline(plan: &mut TermPlan) {
    let callees = Callees::of(plan);
    let components = callees.components();
    let callers = callees.callers();
    let mut only: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    let mut inlinable: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    let mut growth = MAX_GROWTH + plan.functions.iter().map(|f| f.region.body.size()).sum::<usize>();
    for (members, recursive) in components {
        for &id in &members {
            let size = inline_into(plan, &inlinable, id, &mut growth);
            inlinable[id] = !recursive && size <= MAX_INLINED;
        }
        if (2..=MAX_CYCLE).contains(&members.len()) {
            break_cycles(plan, &callers, &members, &mut only, &mut growth);
        }
    }
}

/// Inlines what can be into a function; its size afterwards. `growth`: how much all functions together may still grow.
fn inline_into(
    plan: &mut TermPlan,
    inlinable: &IdVec<FunctionId, bool>,
    id: FunctionId,
    growth: &mut usize,
) -> usize {
    let mut function = plan.functions[id].clone();
    let mut size = function.region.body.size();
    let mut body = std::mem::replace(&mut function.region.body, Block::returning(LocalId::from_index(0)));
    Inline { plan, inlinable, function: &mut function, size: &mut size, growth }.block(&mut body);
    function.region.body = body;
    plan.functions[id] = function;
    size
}

/// Inlines one function after the other of a strongly connected component into the rest, while there is a small one
/// that does not call itself and that the rest calls in tail position only: elsewhere its calls would no longer be
/// found as siblings or in contexts. Those
/// without other callers come first, since then only their callers get their code. `only` is a buffer: no function.
fn break_cycles(
    plan: &mut TermPlan,
    callers: &IdVec<FunctionId, Vec<FunctionId>>,
    scc: &[FunctionId],
    only: &mut IdVec<FunctionId, bool>,
    growth: &mut usize,
) {
    let outside = |f: &FunctionId| callers[*f].iter().any(|g| !scc.contains(g));
    let mut order: Vec<(bool, FunctionId)> = scc.iter().map(|f| (outside(f), *f)).collect();
    order.sort_unstable();
    let mut members = scc.to_vec();
    for (_, id) in order {
        let function = &plan.functions[id];
        let small = function.region.body.size() <= MAX_INLINED && !function.region.is_loop();
        let mut others = members.iter().copied().filter(|&f| f != id);
        let called = |f: FunctionId| calls(&plan.functions[f].region.body, id);
        if members.len() == 1 || !small || called(id) != [0, 0] || others.any(|f| called(f)[0] > 0) {
            continue;
        }
        members.retain(|&f| f != id);
        only[id] = true;
        for &member in &members {
            inline_into(plan, only, member, growth);
        }
        only[id] = false;
    }
}

/// How many calls of a function, and how many tail calls, a block has.
fn calls(block: &Block, of: FunctionId) -> [usize; 2] {
    let mut found = [0, 0];
    block.walk(&mut |b| {
        let step = |s: &&Step| matches!(s, Step::Call { function, .. } if *function == of);
        found[0] += b.steps.iter().filter(step).count();
        found[1] += usize::from(matches!(b.end, End::TailCall { function, .. } if function == of));
    });
    found
}

struct Inline<'a> {
    plan: &'a TermPlan,
    inlinable: &'a IdVec<FunctionId, bool>,
    function: &'a mut Function,
    size: &'a mut usize,
    growth: &'a mut usize,
}

impl<'a> Inline<'a> {
    fn candidate(&mut self, id: FunctionId) -> Option<&'a Function> {
        if !self.inlinable[id] {
            return None;
        }
        let callee = &self.plan.functions[id];
        let size = callee.region.body.size();
        if *self.size + size > MAX_GROWN || size > *self.growth {
            return None;
        }
        *self.size += size;
        *self.growth -= size;
        Some(callee)
    }

    fn copier(&mut self, callee: &'a Function) -> Copier<'_> {
        Copier {
            from: Some(&callee.locals),
            result: callee.result,
            into: self.function,
            map: HashMap::default(),
        }
    }

    fn block(&mut self, block: &mut Block) {
        for step in &mut block.steps {
            match step {
                Step::Region { region, .. } => self.block(&mut region.body),
                Step::Call { dst, function, args, .. } => {
                    if let Some(callee) = self.candidate(*function) {
                        let (dst, mut inits) = (*dst, std::mem::take(args));
                        let mut copier = self.copier(callee);
                        let mut params = Vec::new();
                        if callee.region.is_loop() {
                            params.extend(callee.region.params.iter().map(|&p| copier.bind(p)));
                        } else {
                            copier.map.extend(callee.region.params.iter().copied().zip(inits.drain(..)));
                        }
                        let body = copier.block(&callee.region.body, true);
                        *step = Step::Region { dst, inits, region: Box::new(Region { params, body }) };
                    }
                }
                _ => {}
            }
        }
        while let End::TailCall { function, args } = &block.end {
            let Some(callee) = self.tail_candidate(*function) else { break };
            let args = args.clone();
            let mut copier = self.copier(callee);
            copier.map.extend(callee.region.params.iter().copied().zip(args));
            let mut body = copier.block(&callee.region.body, false);
            block.applied.append(&mut body.applied);
            block.steps.append(&mut body.steps);
            block.end = body.end;
        }
        block.end.blocks_mut().into_iter().for_each(|b| self.block(b));
    }

    /// In tail position a loop is as good as inlined. Only what may be inlined is looked into, which is small.
    fn tail_candidate(&mut self, id: FunctionId) -> Option<&'a Function> {
        let may_be = self.inlinable[id] && !self.plan.functions[id].region.is_loop();
        if may_be { self.candidate(id) } else { None }
    }
}
