//! How much work a call may be: by the graph of calls, without looking at values.

use crate::plan::ir::*;
use gchr_base::graph;
use gchr_base::ids::{Id, IdVec};

/// How the work of a call may grow with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cost {
    /// Not at all: no loop and no recursion can be reached.
    Bounded,
    /// Along one chain: loops, or recursion that calls itself at most once on each path.
    Chain,
    /// As a tree: some path calls back into the recursion more than once.
    Tree,
}

/// The cost of each function.
pub fn costs(plan: &TermPlan) -> IdVec<FunctionId, Cost> {
    let callees = Callees::of(plan);
    let mut costs: IdVec<FunctionId, Cost> = plan.functions.iter().map(|_| Cost::Bounded).collect();
    let mut component = vec![usize::MAX; plan.functions.len()];
    for (number, (members, recursive)) in callees.components().into_iter().enumerate() {
        for &member in &members {
            component[member.index()] = number;
        }
        let mut cost = if recursive { Cost::Chain } else { Cost::Bounded };
        for &member in &members {
            let body = &plan.functions[member].region.body;
            if calls_on_a_path(body, true, &|f| component[f.index()] == number) > 1 {
                cost = Cost::Tree;
            }
            if has_loop(&plan.functions[member].region) {
                cost = cost.max(Cost::Chain);
            }
            for &callee in &callees.0[member] {
                cost = cost.max(costs[callee]);
            }
        }
        members.iter().for_each(|&member| costs[member] = cost);
    }
    costs
}

fn has_loop(region: &Region) -> bool {
    let mut found = region.is_loop();
    region.body.walk(&mut |block| {
        found |= block.steps.iter().any(|s| matches!(s, Step::Region { region, .. } if region.is_loop()));
    });
    found
}

/// The most calls of some functions on one path through a block. `own`: a loop back to the head is a call, too.
fn calls_on_a_path(block: &Block, own: bool, of: &dyn Fn(FunctionId) -> bool) -> usize {
    let steps = block.steps.iter().map(|step| match step {
        Step::Call { function, .. } => usize::from(of(*function)),
        // A call in a loop is many.
        Step::Region { region, .. } => {
            calls_on_a_path(&region.body, false, of) * (1 + usize::from(region.is_loop()))
        }
        _ => 0,
    });
    let end = match &block.end {
        End::TailCall { function, .. } | End::Context { target: Target::Function(function), .. } => {
            usize::from(of(*function))
        }
        End::Context { target: Target::Again, .. } | End::Continue(_) => usize::from(own),
        end => end.blocks().into_iter().map(|b| calls_on_a_path(b, own, of)).max().unwrap_or(0),
    };
    steps.sum::<usize>() + end
}

/// By function: whether its code may run repeatedly during an evaluation: it is in a cycle of calls, has a loop, or is
/// called by such a function.
pub fn runs_often(plan: &TermPlan) -> IdVec<FunctionId, bool> {
    let callees = Callees::of(plan);
    let mut often: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    // Callers first.
    for (members, recursive) in callees.components().into_iter().rev() {
        for member in members {
            often[member] |= recursive || has_loop(&plan.functions[member].region);
            if often[member] {
                callees.0[member].iter().for_each(|&callee| often[callee] = true);
            }
        }
    }
    often
}

/// The graph of calls, tail calls included; a loop of a function to itself is no call.
pub struct Callees(pub(super) IdVec<FunctionId, Vec<FunctionId>>);

impl Callees {
    /// Of all functions of a plan.
    pub fn of(plan: &TermPlan) -> Self {
        let callees = |function: &Function| {
            let mut found = Vec::new();
            function.region.body.walk(&mut |block| {
                found.extend(block.steps.iter().filter_map(|s| match s {
                    Step::Call { function, .. } => Some(*function),
                    _ => None,
                }));
                match block.end {
                    End::TailCall { function, .. } => found.push(function),
                    End::Context { target: Target::Function(function), .. } => found.push(function),
                    _ => {}
                }
            });
            found.sort_unstable();
            found.dedup();
            found
        };
        Self(plan.functions.iter().map(callees).collect())
    }

    /// The callers of each function.
    pub(super) fn callers(&self) -> IdVec<FunctionId, Vec<FunctionId>> {
        let mut callers: IdVec<FunctionId, Vec<FunctionId>> = self.0.iter().map(|_| Vec::new()).collect();
        for (caller, callees) in self.0.iter_enumerated() {
            callees.iter().for_each(|&callee| callers[callee].push(caller));
        }
        callers
    }

    /// The callees of a function.
    pub fn of_function(&self, function: FunctionId) -> &[FunctionId] {
        &self.0[function]
    }

    /// Functions that call each other, callees first, and whether they are in a cycle.
    pub fn components(&self) -> Vec<(Vec<FunctionId>, bool)> {
        let callee = |caller, k| {
            self.0[FunctionId::from_index(caller)].get(k).map(|callee: &FunctionId| callee.index())
        };
        let members = |nodes: Vec<usize>| nodes.into_iter().map(FunctionId::from_index).collect();
        let found = graph::components(self.0.len(), callee);
        found.into_iter().map(|component| (members(component.nodes), component.is_cyclic)).collect()
    }
}
