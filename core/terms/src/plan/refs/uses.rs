//! Which locals steps and ends use, and whether a use gives the reference away.

use crate::plan::ir::*;
use crate::plan::layout::Layout;
use gchr_base::ids::IdVec;

/// Uses of locals that may have cells, by a step or an end: one entry per occurrence.
#[derive(Default)]
pub(super) struct Uses {
    /// Uses that give the reference away.
    pub(super) given: Vec<LocalId>,
    /// Uses for which the value must only live until the end of the step.
    pub(super) lent: Vec<LocalId>,
}

/// Uses in one function.
#[derive(Clone, Copy)]
pub(super) struct FunctionUses<'a> {
    pub(super) layout: &'a Layout,
    pub(super) functions: &'a IdVec<FunctionId, Function>,
    pub(super) function: &'a Function,
}

impl<'a> FunctionUses<'a> {
    pub(super) fn has_cells(&self, local: LocalId) -> bool {
        self.layout.sorts[self.function.sort(local)].has_cells()
    }

    /// Whether a step binds a value that is no cell, whatever its sort: it needs no account.
    pub(super) fn is_immediate(&self, step: &Step) -> bool {
        match step {
            Step::Build { symbol, .. } => self.layout.variant(*symbol).is_none_or(|v| v.class.is_none()),
            Step::Const { .. } | Step::Operate { .. } => true,
            _ => false,
        }
    }

    pub(super) fn parameters(&self, function: FunctionId) -> impl Iterator<Item = bool> + 'a {
        let callee = &self.functions[function];
        callee.region.params.iter().map(|&p| callee.locals[p].borrowed)
    }

    pub(super) fn pass(&self, uses: &mut Uses, args: &[LocalId], borrowed: impl Iterator<Item = bool>) {
        for (&arg, borrowed) in args.iter().zip(borrowed).filter(|(arg, _)| self.has_cells(**arg)) {
            if borrowed { uses.lent.push(arg) } else { uses.given.push(arg) }
        }
    }

    pub(super) fn pass_to_region(&self, uses: &mut Uses, args: &[LocalId], region: &Region) {
        self.pass(uses, args, region.params.iter().map(|&p| self.function.locals[p].borrowed));
    }

    pub(super) fn of_step(&self, step: &Step) -> Uses {
        let mut uses = Uses::default();
        match step {
            Step::Build { args, .. } => self.pass(&mut uses, args, std::iter::repeat(false)),
            Step::Repeat { arg, .. } => self.pass(&mut uses, &[*arg], std::iter::once(false)),
            Step::Call { function, args, .. } => self.pass(&mut uses, args, self.parameters(*function)),
            Step::Region { inits, region, .. } => self.pass_to_region(&mut uses, inits, region),
            Step::Const { .. } | Step::Operate { .. } | Step::Trace { .. } => {
                uses.lent.extend(step.uses().filter(|&l| self.has_cells(l)));
            }
            Step::Ref(_) => {}
        }
        uses
    }

    /// What an end of a block of `region` uses; nothing of the blocks below.
    pub(super) fn of_end(&self, end: &End, region: &Region) -> Uses {
        let mut uses = Uses::default();
        match end {
            End::Return(value) => self.pass(&mut uses, &[*value], std::iter::once(false)),
            End::TailCall { function, args } => self.pass(&mut uses, args, self.parameters(*function)),
            End::Continue(args) => self.pass_to_region(&mut uses, args, region),
            End::Context { hole, nest, target, args } => {
                let mut inside = vec![*hole];
                for step in nest {
                    uses.given.extend(self.of_step(step).given.iter().filter(|l| !inside.contains(l)));
                    inside.extend(step.dst());
                }
                match target {
                    Target::Again => self.pass_to_region(&mut uses, args, region),
                    Target::Function(f) => self.pass(&mut uses, args, self.parameters(*f)),
                }
            }
            End::NoRule { .. } | End::Match { .. } | End::If { .. } => {
                uses.lent.extend(end.uses().into_iter().filter(|&l| self.has_cells(l)));
            }
        }
        uses
    }
}

/// By field of a matched cell: the local that was matched.
pub(super) fn owners(function: &Function) -> IdVec<LocalId, Option<LocalId>> {
    let mut owners: IdVec<LocalId, Option<LocalId>> = function.locals.iter().map(|_| None).collect();
    let mut note = |block: &Block| {
        if let End::Match { on, arms, .. } = &block.end {
            for field in arms.iter().flat_map(|arm| arm.fields.iter().flatten()) {
                owners[*field] = Some(*on);
            }
        }
    };
    function.region.body.walk(&mut note);
    function.base.iter().for_each(|base| base.walk(&mut note));
    owners
}
