//! The pass `sink`: values that are made of constants alone are made right before the first step that uses them. So
//! they are in no resume point of the calls before: in `add(1, add(2, add(3, empty)))` calls keep no other numbers.

use crate::plan::ir::*;
use gchr_base::hash::HashMap;

pub(super) fn sink(plan: &mut TermPlan) {
    for function in plan.functions.iter_mut() {
        let mut todo = vec![&mut function.region.body];
        while let Some(block) = todo.pop() {
            // Without a call, there is nothing to stand behind.
            if block.steps.iter().any(|step| matches!(step, Step::Call { .. } | Step::Region { .. })) {
                let steps = std::mem::take(&mut block.steps);
                block.steps = sunk(steps);
            }
            for step in &mut block.steps {
                if let Step::Region { region, .. } = step {
                    todo.push(&mut region.body);
                }
            }
            todo.extend(block.end.blocks_mut());
        }
    }
}

fn sunk(steps: Vec<Step>) -> Vec<Step> {
    let mut waiting = Waiting::default();
    let mut placed = Vec::with_capacity(steps.len());
    for step in steps {
        if let (true, Some(dst)) = (waiting.are_constants(&step), step.dst()) {
            waiting.at.insert(dst, waiting.steps.len());
            waiting.steps.push(Some(step));
            continue;
        }
        match &step {
            // What is used inside is not looked for.
            Step::Region { .. } => placed.extend(waiting.all()),
            _ => step.uses().for_each(|local| waiting.place(local, &mut placed)),
        }
        placed.push(step);
    }
    placed.extend(waiting.all());
    placed
}

/// Steps that are not placed yet, in order.
#[derive(Default)]
struct Waiting {
    steps: Vec<Option<Step>>,
    at: HashMap<LocalId, usize>,
}

impl Waiting {
    /// Whether a step makes a value of constants that wait themselves.
    fn are_constants(&self, step: &Step) -> bool {
        match step {
            Step::Const { .. } => true,
            Step::Build { reuse: None, args, .. } => args.iter().all(|arg| self.at.contains_key(arg)),
            Step::Repeat { arg, .. } => self.at.contains_key(arg),
            _ => false,
        }
    }

    /// Places what a local is made of, and it.
    fn place(&mut self, local: LocalId, placed: &mut Vec<Step>) {
        let mut todo = vec![local];
        while let Some(&local) = todo.last() {
            let Some(&at) = self.at.get(&local) else {
                todo.pop();
                continue;
            };
            let parts: Vec<LocalId> = self.steps[at].iter().flat_map(Step::uses).collect();
            let before = todo.len();
            todo.extend(parts.into_iter().rev().filter(|part| self.at.contains_key(part)));
            if todo.len() == before {
                todo.pop();
                self.at.remove(&local);
                placed.extend(self.steps[at].take());
            }
        }
    }

    fn all(&mut self) -> impl Iterator<Item = Step> + use<> {
        self.at.clear();
        std::mem::take(&mut self.steps).into_iter().flatten()
    }
}
