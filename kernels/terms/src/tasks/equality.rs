//! Structural equality of terms as functions of the plan: one a sort, so that comparing is evaluated like everything
//! else, to any depth.
//!
//! [`Equality::add`] puts calls of these functions in the place of tests and operators on terms with cells; other
//! values are equal when their bits are. No rule applications are counted. The arguments are borrowed: nobody's
//! references change.

use std::collections::BTreeMap;

use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::signature::{Booleans, SortId};
use gchr_terms::plan::{
    Arm, Block, End, Function, FunctionId, Local, LocalId, Region, Step, TermPlan, Test, Variant,
};

/// The functions that compare terms, by sort.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Equality {
    functions: BTreeMap<SortId, FunctionId>,
    /// Whether one of them goes into two fields of a cell, so that it may come to a shared subterm again and again.
    branches: bool,
}

impl Equality {
    /// Adds the functions that the plan needs, and calls of them.
    pub fn add(plan: &mut TermPlan, booleans: Booleans) -> Self {
        let mut equality = Self::default();
        let mut functions = std::mem::take(&mut plan.functions);
        let first = functions.len();
        for function in functions.iter_mut() {
            let locals = &mut function.locals;
            let mut rewrite = Rewrite { plan, booleans, first, equality: &mut equality, locals };
            rewrite.block(&mut function.region.body);
        }
        // A sort's function needs those of its fields, which get the numbers behind it.
        let count = |e: &Self| e.functions.len();
        let mut made = 0;
        while made < count(&equality) {
            let sort =
                equality.functions.iter().find(|(_, f)| f.0 as usize == first + made).map(|(&sort, _)| sort);
            let Some(sort) = sort else { break };
            functions.push(compare(plan, booleans, &mut equality, first, sort));
            made += 1;
        }
        plan.functions = functions;
        equality
    }

    /// Whether a function compares terms.
    pub fn compares(&self, function: FunctionId) -> bool {
        self.functions.values().any(|&f| f == function)
    }

    /// Whether a comparison may come to the same two subterms by several ways.
    pub fn branches(&self) -> bool {
        self.branches
    }

    /// The function of a sort; new ones get numbers from `first` on.
    fn of(&mut self, sort: SortId, first: usize) -> FunctionId {
        let next = FunctionId((first + self.functions.len()) as u32);
        *self.functions.entry(sort).or_insert(next)
    }
}

/// Puts calls in the place of comparisons.
struct Rewrite<'a> {
    plan: &'a TermPlan,
    booleans: Booleans,
    /// Number of the plan's own functions.
    first: usize,
    equality: &'a mut Equality,
    locals: &'a mut IdVec<LocalId, Local>,
}

impl Rewrite<'_> {
    fn block(&mut self, block: &mut Block) {
        let steps = std::mem::take(&mut block.steps);
        for step in steps {
            self.step(step, &mut block.steps);
        }
        if let End::If { test, .. } = &mut block.end
            && let Test::Same(a, b) = *test
            && self.has_cells(a)
        {
            let equal = self.truth("equal");
            block.steps.push(self.call(equal, a, b));
            *test = Test::Holds(equal);
        }
        block.end.blocks_mut().into_iter().for_each(|b| self.block(b));
    }

    fn step(&mut self, mut step: Step, done: &mut Vec<Step>) {
        match &mut step {
            Step::Region { region, .. } => self.block(&mut region.body),
            Step::Operate { dst, op: op @ (Op::Same | Op::Differ), args, site }
                if self.has_cells(args[0]) =>
            {
                let (a, b) = (args[0], args[1]);
                if *op == Op::Same {
                    step = self.call(*dst, a, b);
                } else {
                    let equal = self.truth("equal");
                    done.push(self.call(equal, a, b));
                    step = Step::Operate { dst: *dst, op: Op::Negate, args: vec![equal], site: *site };
                }
            }
            _ => {}
        }
        done.push(step);
    }

    fn has_cells(&self, local: LocalId) -> bool {
        self.plan.layout.sorts[self.locals[local].sort].has_cells()
    }

    fn truth(&mut self, name: &str) -> LocalId {
        self.locals.push(Local { name: name.into(), sort: self.booleans.sort, borrowed: false })
    }

    fn call(&mut self, dst: LocalId, a: LocalId, b: LocalId) -> Step {
        let sort = self.locals[a].sort;
        Step::call(dst, self.equality.of(sort, self.first), vec![a, b])
    }
}

/// The function that compares two terms of a sort.
fn compare(
    plan: &TermPlan,
    booleans: Booleans,
    equality: &mut Equality,
    first: usize,
    sort: SortId,
) -> Function {
    let mut function = Function {
        name: format!("equal {}", plan.layout.sorts[sort].name),
        result: booleans.sort,
        locals: IdVec::new(),
        region: Region { params: Vec::new(), body: answer_block() },
        base: None,
    };
    let parameter = |f: &mut Function, name: &str| {
        let id = f.local(name, sort);
        f.locals[id].borrowed = true;
        id
    };
    let (a, b) = (parameter(&mut function, "a"), parameter(&mut function, "b"));
    function.region.params = vec![a, b];
    let variants = &plan.layout.sorts[sort].variants;
    let arms = variants.iter().map(|variant| {
        let [x, y] = ["x", "y"].map(|name| fields(&mut function, variant, name));
        let pairs = x.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
        let equal = compare_fields(plan, booleans, equality, first, sort, &mut function, &pairs);
        let same = Arm { symbol: variant.symbol, fields: y.into_iter().map(Some).collect(), body: equal };
        let others = (variants.len() > 1).then(|| Box::new(answer(&mut function, booleans, false)));
        let end = End::Match { on: b, arms: vec![same], default: others };
        let body = Block { applied: Vec::new(), steps: Vec::new(), end };
        Arm { symbol: variant.symbol, fields: x.into_iter().map(Some).collect(), body }
    });
    let arms = arms.collect();
    function.region.body.end = End::Match { on: a, arms, default: None };
    function
}

fn answer_block() -> Block {
    Block { applied: Vec::new(), steps: Vec::new(), end: End::Continue(Vec::new()) }
}

fn fields(function: &mut Function, variant: &Variant, name: &str) -> Vec<LocalId> {
    variant.fields.iter().map(|field| function.local(name, field.sort)).collect()
}

/// A block that returns a truth value.
fn answer(function: &mut Function, booleans: Booleans, value: bool) -> Block {
    let symbol = if value { booleans.true_symbol } else { booleans.false_symbol };
    let dst = function.local("answer", booleans.sort);
    let step = Step::Build { dst, symbol, args: Vec::new(), reuse: None };
    Block { applied: Vec::new(), steps: vec![step], end: End::Return(dst) }
}

/// Compares fields in order; the last one, when it has cells, in the place of the whole.
fn compare_fields(
    plan: &TermPlan,
    booleans: Booleans,
    equality: &mut Equality,
    first: usize,
    sort: SortId,
    function: &mut Function,
    pairs: &[(LocalId, LocalId)],
) -> Block {
    let mut rest = answer(function, booleans, true);
    for (k, &(x, y)) in pairs.iter().enumerate().rev() {
        let of = function.sort(x);
        let mut steps = Vec::new();
        let test = if !plan.layout.sorts[of].has_cells() {
            Test::Same(x, y)
        } else if k + 1 == pairs.len() {
            let args = vec![x, y];
            let end = if of == sort {
                End::Continue(args)
            } else {
                End::TailCall { function: equality.of(of, first), args }
            };
            rest = Block { applied: Vec::new(), steps, end };
            continue;
        } else {
            let equal = function.local("equal", booleans.sort);
            equality.branches = true;
            steps.push(Step::call(equal, equality.of(of, first), vec![x, y]));
            Test::Holds(equal)
        };
        let otherwise = Box::new(answer(function, booleans, false));
        let end = End::If { test, then: Box::new(rest), otherwise };
        rest = Block { applied: Vec::new(), steps, end };
    }
    rest
}
