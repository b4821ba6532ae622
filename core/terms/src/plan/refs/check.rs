//! Checks that references balance: on every path each one is given away exactly once, and no value is used without an
//! owner.
//!
//! Independent of how the steps were inserted: a walk along all paths with the number of references that each local
//! holds.

use super::uses::{FunctionUses, Uses, owners};
use crate::plan::ir::*;
use crate::plan::layout::ClassId;
use crate::plan::live::LocalSet;
use gchr_base::ids::IdVec;

/// Violations of the balance of references in a body of a function (its own, or its base case).
pub(in crate::plan) fn check(plan: &TermPlan, function: &Function, body: &Block) -> Vec<String> {
    let scope = FunctionUses { layout: &plan.layout, functions: &plan.functions, function };
    let local = |_| Holder { references: 0, kind: Kind::Unbound };
    let mut check = ReferenceCheck {
        scope,
        owners: owners(function),
        holders: function.locals.iter().map(local).collect(),
        parts: function.locals.iter().map(|_| Vec::new()).collect(),
        regions: Vec::new(),
        violations: Vec::new(),
    };
    check.enter(&function.region, Vec::new());
    check.block(body, &function.region);
    check.violations
}

/// The state of a local at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unbound,
    /// No cell: a number, or a symbol without arguments.
    Immediate,
    /// Lives as long as it holds references.
    Holder,
    /// A borrowed parameter of the region at this depth.
    Borrowed(usize),
    /// Lives as long as the cell it was read from, or as it holds references itself.
    Field,
    /// Memory for a cell, to be used or freed exactly once.
    Token(Option<ClassId>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Holder {
    references: u32,
    kind: Kind,
}

/// A region that encloses the current point.
struct EnclosingRegion {
    params: Vec<LocalId>,
    /// Locals bound outside that must live until the region is left.
    lent: Vec<LocalId>,
    /// Locals that hold references at its head; parameters included.
    head: IdVec<LocalId, Holder>,
    /// Locals that hold references at its first exit.
    exit: Option<IdVec<LocalId, Holder>>,
}

impl EnclosingRegion {
    fn is_outside(&self, local: LocalId) -> bool {
        self.head[local].kind != Kind::Unbound && !self.params.contains(&local)
    }
}

struct ReferenceCheck<'a> {
    scope: FunctionUses<'a>,
    owners: IdVec<LocalId, Option<LocalId>>,
    holders: IdVec<LocalId, Holder>,
    /// By new cell: its fields, which it holds as long as it lives.
    parts: IdVec<LocalId, Vec<LocalId>>,
    regions: Vec<EnclosingRegion>,
    violations: Vec<String>,
}

impl<'a> ReferenceCheck<'a> {
    fn fail(&mut self, text: String) {
        self.violations.push(text);
    }

    fn enter(&mut self, region: &Region, lent: Vec<LocalId>) {
        for &param in &region.params {
            let kind = match (self.scope.has_cells(param), self.scope.function.locals[param].borrowed) {
                (false, _) => Kind::Immediate,
                (true, true) => Kind::Borrowed(self.regions.len()),
                (true, false) => Kind::Holder,
            };
            self.holders[param] = Holder { references: u32::from(kind == Kind::Holder), kind };
        }
        let (params, head) = (region.params.clone(), self.holders.clone());
        self.regions.push(EnclosingRegion { lent, params, head, exit: None });
    }

    /// Whether the value of a local has an owner: the local itself, the cell it was read from, or a cell that it was
    /// put into.
    fn alive(&self, local: LocalId) -> bool {
        let mut todo = vec![local];
        let mut seen = LocalSet::default();
        while let Some(local) = todo.pop() {
            let holder = self.holders[local];
            match holder.kind {
                Kind::Unbound | Kind::Token(_) => continue,
                Kind::Immediate | Kind::Borrowed(_) => return true,
                Kind::Holder | Kind::Field if holder.references > 0 => return true,
                Kind::Holder => {}
                Kind::Field => todo.extend(self.owners[local]),
            }
            seen.insert(local);
            let around = self.parts.iter_enumerated().filter(|(_, parts)| parts.contains(&local));
            todo.extend(around.map(|(cell, _)| cell).filter(|&cell| !seen.contains(cell)));
        }
        false
    }

    /// Whether a local lives at least until the innermost region is left, whatever is released in it. `outside` are the
    /// locals bound outside of the region on which this rests.
    fn outlives(&self, local: LocalId, outside: &mut Vec<LocalId>) -> bool {
        let depth = self.regions.len() - 1;
        match self.holders[local].kind {
            Kind::Immediate => true,
            Kind::Borrowed(d) if d == depth => true,
            _ if self.regions[depth].is_outside(local) => {
                outside.push(local);
                depth > 0
            }
            Kind::Field => self.owners[local].is_some_and(|o| self.outlives(o, outside)),
            _ => false,
        }
    }

    fn apply(&mut self, uses: Uses) {
        for local in uses.given {
            match self.holders[local] {
                Holder { kind: Kind::Immediate, .. } => {}
                Holder { references: 0, .. } => self.fail(format!("{local} is given away and not held")),
                _ => self.holders[local].references -= 1,
            }
        }
        for local in uses.lent {
            if !self.alive(local) {
                self.fail(format!("{local} is used and not held by anybody"));
            }
        }
    }

    /// Whether control ever gets past the step.
    fn step(&mut self, step: &'a Step) -> bool {
        self.apply(self.scope.of_step(step));
        let mut reached = true;
        match step {
            Step::Ref(step) => {
                self.reference(step);
                return true;
            }
            Step::Build { symbol, reuse: Some(token), .. } => {
                let class = self.scope.layout.variant(*symbol).and_then(|v| v.class);
                if !matches!(self.holders[*token].kind, Kind::Token(c) if c == class) {
                    self.fail(format!("{token} is for a cell of another class"));
                }
                self.give_up(*token);
            }
            Step::Region { inits, region, .. } => reached = self.region(inits, region),
            _ => {}
        }
        if let Step::Build { dst, args, .. } = step {
            self.parts[*dst].clone_from(args);
        }
        if let Some(dst) = step.dst() {
            let cells = self.scope.has_cells(dst) && !self.scope.is_immediate(step);
            let kind = if cells { Kind::Holder } else { Kind::Immediate };
            self.holders[dst] = Holder { references: u32::from(cells), kind };
        }
        reached
    }

    fn give_up(&mut self, token: LocalId) {
        if !matches!(self.holders[token], Holder { references: 1, kind: Kind::Token(_) }) {
            self.fail(format!("{token} is given up and holds no memory"));
        }
        self.holders[token].references = 0;
    }

    fn reference(&mut self, step: &RefStep) {
        match step {
            RefStep::Dup { local, times } => {
                if !self.alive(*local) {
                    self.fail(format!("{local} is duplicated and not held by anybody"));
                }
                if self.holders[*local].kind != Kind::Immediate {
                    self.holders[*local].references += times;
                }
            }
            RefStep::Drop { local } => self.apply(Uses { given: vec![*local], lent: Vec::new() }),
            RefStep::Open { cell, symbol, fields, token } => {
                for (at, &field) in fields.iter().enumerate() {
                    let Some(field) = field else { continue };
                    let kind = self.holders[field].kind;
                    let was_read =
                        matches!(kind, Kind::Field | Kind::Immediate) && self.owners[field] == Some(*cell);
                    if !was_read && self.parts[*cell].get(at) != Some(&field) {
                        self.fail(format!("{field} is taken out of another cell than it is in"));
                    }
                    // A match before may have found that it is no cell.
                    self.holders[field].references += u32::from(kind != Kind::Immediate);
                }
                self.apply(Uses { given: vec![*cell], lent: Vec::new() });
                if let Some(token) = *token {
                    let class = self.scope.layout.variant(*symbol).and_then(|v| v.class);
                    self.holders[token] = Holder { references: 1, kind: Kind::Token(class) };
                }
            }
            RefStep::Free { token } => self.give_up(*token),
        }
    }

    fn region(&mut self, inits: &[LocalId], region: &'a Region) -> bool {
        let borrowed = |p: &LocalId| self.scope.function.locals[*p].borrowed;
        let lent = inits.iter().zip(&region.params).filter(|(_, p)| borrowed(p)).map(|(&i, _)| i).collect();
        self.enter(region, lent);
        self.block(&region.body, region);
        let Some(EnclosingRegion { exit: Some(exit), lent, .. }) = self.regions.pop() else { return false };
        self.holders = exit;
        for local in lent {
            if self.scope.has_cells(local) && !self.alive(local) {
                self.fail(format!("{local} is lent to a region and given away in it"));
            }
        }
        true
    }

    fn block(&mut self, block: &'a Block, region: &'a Region) {
        if !block.steps.iter().all(|s| self.step(s)) {
            return;
        }
        let uses = self.scope.of_end(&block.end, region);
        let lent_on = match &block.end {
            End::TailCall { .. } | End::Continue(_) | End::Context { .. } => uses.lent.clone(),
            _ => Vec::new(),
        };
        if let End::Context { nest, .. } = &block.end {
            for step in nest {
                if let Step::Build { reuse: Some(token), .. } = step {
                    self.give_up(*token);
                }
            }
        }
        self.apply(uses);
        for local in lent_on {
            let mut outside = Vec::new();
            if !self.outlives(local, &mut outside) {
                self.fail(format!("{local} is lent to what comes behind the end of its holder"));
            }
            self.regions.last_mut().into_iter().for_each(|r| r.lent.extend(&outside));
        }
        match &block.end {
            End::Return(_) => self.leave(true),
            End::Continue(_) => self.leave(false),
            // Of the function itself: there is nothing outside.
            End::TailCall { .. } | End::Context { .. } => self.leave(true),
            End::NoRule { .. } => {}
            End::Match { on, arms, default } => {
                for arm in arms {
                    let holders = self.holders.clone();
                    self.arm(*on, arm);
                    self.block(&arm.body, region);
                    self.holders = holders;
                }
                default.iter().for_each(|b| self.branch(b, region));
            }
            End::If { then, otherwise, .. } => {
                self.branch(then, region);
                self.branch(otherwise, region);
            }
        }
    }

    fn branch(&mut self, block: &'a Block, region: &'a Region) {
        let holders = self.holders.clone();
        self.block(block, region);
        self.holders = holders;
    }

    fn arm(&mut self, on: LocalId, arm: &Arm) {
        if self.scope.layout.variant(arm.symbol).is_none_or(|v| v.class.is_none()) {
            self.holders[on] = Holder { references: 0, kind: Kind::Immediate };
        }
        // An arm for a cell is never taken where the value is none, and what it binds is no reference.
        let never = self.holders[on].kind == Kind::Immediate;
        for &field in arm.fields.iter().flatten() {
            let held = self.scope.has_cells(field) && !never;
            let kind = if held { Kind::Field } else { Kind::Immediate };
            self.holders[field] = Holder { references: 0, kind };
        }
    }

    /// An end of a path through the innermost region: `exit`, or back to its head.
    fn leave(&mut self, exit: bool) {
        let Some(mut around) = self.regions.pop() else { return };
        let mut expected = if exit { around.exit.take() } else { Some(around.head.clone()) };
        for (local, holder) in self.holders.iter_enumerated() {
            if !around.is_outside(local) {
                if holder.references > 0 {
                    self.violations
                        .push(format!("{local} still holds {} references at an end", holder.references));
                }
                continue;
            }
            // On a path where the value is known to be no cell there is nothing to account for.
            let Some(other) = expected.as_mut().map(|e| &mut e[local]) else { continue };
            if other.kind == Kind::Immediate {
                *other = *holder;
            } else if holder.kind != Kind::Immediate && holder.references != other.references {
                self.violations.push(format!(
                    "{local} holds {} references on one path and {} on another",
                    holder.references, other.references
                ));
            }
        }
        if exit {
            around.exit = Some(expected.unwrap_or_else(|| self.holders.clone()));
        }
        self.regions.push(around);
    }
}
