//! Leaves out functions that a term cannot come to: of libraries, a program uses a part.

use std::collections::BTreeSet;

use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{ExprKind, Program, RuleId, Start};
use gchr_base::signature::SymbolId;

use super::{Block, End, FunctionId, Step, Target, TermPlan};

/// What is compiled of a program.
pub(super) struct Reach {
    /// By symbol, its rules.
    pub rules: IdVec<SymbolId, Vec<RuleId>>,
    /// Whether the terms that are evaluated, and what they come to, may have a symbol.
    pub symbols: IdVec<SymbolId, bool>,
}

impl Reach {
    /// All of a program; with `only_start` what the evaluation of its own term may need. The symbols of a term that a
    /// rule makes are those of its right-hand side and of the arguments that its variables stand for.
    pub fn new(program: &Program, only_start: bool) -> Self {
        let rules = program.rules_by_symbol();
        let term = match &program.start {
            Start::Term(Some(term)) if only_start => term,
            _ => return Self { symbols: rules.iter().map(|_| true).collect(), rules },
        };
        let mut reach = Self { symbols: rules.iter().map(|_| false).collect(), rules };
        let mut todo: Vec<SymbolId> = term.symbols().collect();
        while let Some(symbol) = todo.pop() {
            if std::mem::replace(&mut reach.symbols[symbol], true) {
                continue;
            }
            for &rule in &reach.rules[symbol] {
                program.rules[rule].walk(&mut |expr| {
                    if let ExprKind::App { symbol, .. } | ExprKind::Repeat { symbol, .. } = &expr.kind {
                        todo.push(*symbol);
                    }
                });
            }
        }
        let left_out =
            reach.rules.iter_mut().zip(reach.symbols.iter()).filter(|(_, is_reached)| !**is_reached);
        left_out.for_each(|(rules, _)| rules.clear());
        reach
    }
}

impl TermPlan {
    /// Leaves out the functions that no evaluation of a term with these symbols calls, where they are at least a
    /// quarter of the code. Only such terms can be evaluated afterwards. With less to gain the plan stays, so that it
    /// is the same for further terms.
    pub fn keep_reachable(&mut self, symbols: impl IntoIterator<Item = SymbolId>) {
        let mut todo: Vec<FunctionId> = symbols.into_iter().filter_map(|s| self.function_of[s]).collect();
        let mut reached: BTreeSet<FunctionId> = BTreeSet::new();
        while let Some(id) = todo.pop() {
            if !reached.insert(id) {
                continue;
            }
            let function = &self.functions[id];
            for block in [Some(&function.region.body), function.base.as_deref()].into_iter().flatten() {
                block.walk(&mut |block| todo.extend(called(block)));
            }
        }
        let size = |id: &FunctionId| self.functions[*id].region.body.size();
        let all: usize = self.functions.ids().map(|id| size(&id)).sum();
        if reached.iter().map(size).sum::<usize>() * 4 > all * 3 {
            return;
        }
        let mut numbers: IdVec<FunctionId, Option<FunctionId>> = self.functions.ids().map(|_| None).collect();
        for (number, &id) in reached.iter().enumerate() {
            numbers[id] = Some(FunctionId::from_index(number));
        }
        let functions = std::mem::take(&mut self.functions);
        let kept = functions.into_iter_enumerated().filter(|(id, _)| reached.contains(id));
        self.functions = kept.map(|(_, function)| function).collect();
        for function in self.functions.iter_mut() {
            for block in [Some(&mut function.region.body), function.base.as_deref_mut()].into_iter().flatten()
            {
                renumber(block, &numbers);
            }
        }
        for of in self.function_of.iter_mut() {
            *of = of.and_then(|id| numbers[id]);
        }
    }
}

/// The functions that a block calls itself.
fn called(block: &Block) -> Vec<FunctionId> {
    let steps = block.steps.iter().filter_map(|step| match step {
        Step::Call { function, .. } => Some(*function),
        _ => None,
    });
    let end = match block.end {
        End::TailCall { function, .. } | End::Context { target: Target::Function(function), .. } => {
            Some(function)
        }
        _ => None,
    };
    steps.chain(end).collect()
}

/// Gives the functions that a block calls, and those below it, their new numbers.
fn renumber(block: &mut Block, numbers: &IdVec<FunctionId, Option<FunctionId>>) {
    let new = |id: &mut FunctionId| *id = numbers[*id].unwrap_or(*id);
    for step in &mut block.steps {
        match step {
            Step::Call { function, .. } => new(function),
            Step::Region { region, .. } => renumber(&mut region.body, numbers),
            _ => {}
        }
    }
    match &mut block.end {
        End::TailCall { function, .. } | End::Context { target: Target::Function(function), .. } => {
            new(function);
        }
        _ => {}
    }
    block.end.blocks_mut().into_iter().for_each(|block| renumber(block, numbers));
}
