//! Inlining of functions that are small and not truly recursive: a loop may be inlined, as a loop.

use crate::hash::HashMap;
use crate::ids::{Id, IdVec};
use crate::plan::term::copy::Copier;
use crate::plan::term::cost::Callees;
use crate::plan::term::ir::*;

/// The largest body that is inlined.
const MAX_INLINED: usize = 40;
/// No function grows beyond this by inlining.
const MAX_GROWN: usize = 500;

/// The pass `inline`: callees first, so that chains of functions collapse. Runs after `tail-calls`.
pub(super) fn inline(plan: &mut TermPlan) {
    let components = Callees::of(plan).components();
    let mut inlinable: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    let order =
        components.iter().flat_map(|(members, recursive)| members.iter().map(move |&f| (f, *recursive)));
    for (id, recursive) in order {
        let mut function = plan.functions[id].clone();
        let mut size = function.region.body.size();
        let mut body = std::mem::replace(&mut function.region.body, Block::returning(LocalId::from_index(0)));
        Inline { plan, inlinable: &inlinable, function: &mut function, size: &mut size }.block(&mut body);
        function.region.body = body;
        inlinable[id] = !recursive && size <= MAX_INLINED;
        plan.functions[id] = function;
    }
}

struct Inline<'a> {
    plan: &'a TermPlan,
    inlinable: &'a IdVec<FunctionId, bool>,
    function: &'a mut Function,
    size: &'a mut usize,
}

impl<'a> Inline<'a> {
    fn candidate(&mut self, id: FunctionId) -> Option<&'a Function> {
        let callee = &self.plan.functions[id];
        let size = callee.region.body.size();
        if !self.inlinable[id] || *self.size + size > MAX_GROWN {
            return None;
        }
        *self.size += size;
        Some(callee)
    }

    fn copier(&mut self, callee: &'a Function) -> Copier<'_> {
        Copier { from: &callee.locals, result: callee.result, into: self.function, map: HashMap::default() }
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

    /// In tail position a loop is as good as inlined.
    fn tail_candidate(&mut self, id: FunctionId) -> Option<&'a Function> {
        if self.plan.functions[id].region.is_loop() { None } else { self.candidate(id) }
    }
}
