//! Whether the parallel work of a program comes in phases: what one call that can be split brings is what the next one
//! works on.
//!
//! Between two phases nearly all threads have nothing to do, and in each of them work has to reach them anew, from a
//! few. Programs without phases split their work once, and then seldom.

use gchr_base::hash::HashSet;
use gchr_base::ids::IdVec;
use gchr_terms::plan::{Block, Callees, End, FunctionId, LocalId, Step, Target, TermPlan};

/// Whether a recursive function, or a loop, hands what comes from a call that can be split to another such call or to
/// its next turn.
pub(super) fn has_phases(plan: &TermPlan) -> bool {
    let callees = Callees::of(plan);
    let circles = callees.components();
    let mut splits: IdVec<FunctionId, bool> =
        plan.functions.iter().map(|function| function.region.body.has_siblings()).collect();
    let mut circle_of: IdVec<FunctionId, usize> = plan.functions.iter().map(|_| 0).collect();
    for (number, (members, _)) in circles.iter().enumerate() {
        let called = |&member: &FunctionId| callees.of_function(member).iter().any(|&f| splits[f]);
        let any = members.iter().any(|member| splits[*member] || called(member));
        for &member in members {
            (splits[member], circle_of[member]) = (any, number);
        }
    }
    circles.iter().enumerate().any(|(number, (members, recursive))| {
        let finder = Finder { splits: &splits, own: &|f| circle_of[f] == number };
        members.iter().any(|&member| {
            let region = &plan.functions[member].region;
            (*recursive || region.is_loop()) && finder.block(&region.body, &HashSet::default())
        })
    })
}

/// Follows what comes from calls that can be split through a function.
struct Finder<'a> {
    splits: &'a IdVec<FunctionId, bool>,
    /// Whether a function is in the circle of calls at hand.
    own: &'a dyn Fn(FunctionId) -> bool,
}

impl Finder<'_> {
    /// `brought`: locals that come from such calls.
    fn block(&self, block: &Block, brought: &HashSet<LocalId>) -> bool {
        let mut brought = brought.clone();
        for step in &block.steps {
            let uses = step.uses().any(|local| brought.contains(&local));
            match step {
                Step::Call { dst, function, .. } => {
                    if uses && self.splits[*function] {
                        return true;
                    }
                    if uses || self.splits[*function] {
                        brought.insert(*dst);
                    }
                }
                Step::Region { dst, inits, region } => {
                    let handed = region.params.iter().zip(inits).filter(|(_, init)| brought.contains(*init));
                    let handed: Vec<LocalId> = handed.map(|(&param, _)| param).collect();
                    brought.extend(handed);
                    if self.block(&region.body, &brought) {
                        return true;
                    }
                    if uses || region.body.has_siblings() {
                        brought.insert(*dst);
                    }
                }
                step if uses => brought.extend(step.dst()),
                _ => {}
            }
        }
        let hands_on = block.end.uses().iter().any(|local| brought.contains(local));
        match &block.end {
            End::TailCall { function, .. } | End::Context { target: Target::Function(function), .. } => {
                hands_on && (self.splits[*function] || (self.own)(*function))
            }
            End::Continue(_) | End::Context { target: Target::Again, .. } => hands_on,
            End::Match { on, arms, default } => {
                let fields = arms.iter().flat_map(|arm| arm.fields.iter().flatten().copied());
                if brought.contains(on) {
                    brought.extend(fields);
                }
                let below = arms.iter().map(|arm| &arm.body).chain(default.as_deref());
                below.into_iter().any(|b| self.block(b, &brought))
            }
            End::If { then, otherwise, .. } => self.block(then, &brought) || self.block(otherwise, &brought),
            End::Return(_) | End::NoRule { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use gchr_base::source::SourceMap;
    use gchr_terms::plan::{TermOptions, compile};

    use super::*;

    fn phases(text: &str) -> bool {
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        has_phases(&compile(&program, &TermOptions::tasks(false)).expect("the plan compiles"))
    }

    #[test]
    fn examples_with_phases() {
        assert!(phases(include_str!("../../../../examples/bitonic.trs")), "Flow works on what Warp brings");
        for text in [
            include_str!("../../../../examples/fib_int.trs"),
            include_str!("../../../../examples/bst.trs"),
            include_str!("../../../../examples/tree_exploration.trs"),
            include_str!("../../../../examples/transformation_tree.trs"),
            include_str!("../../../../examples/build_fold.trs"),
            include_str!("../../../../examples/mergesort_tree.trs"),
            include_str!("../../../../examples/queens.trs"),
            include_str!("../../../../examples/lexer.trs"),
        ] {
            assert!(!phases(text), "{text}");
        }
    }
}
