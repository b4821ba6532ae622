//! From rules to a plan: decision trees become blocks, right-hand sides become steps with equal subterms built once.

mod expr;

use crate::plan::copy::{Copier, free_locals};
use crate::plan::declare::empty_function;
use crate::plan::ir::*;
use crate::plan::key::ExprKey;
use crate::plan::layout::Layout;
use crate::plan::matching::{self, Group, Leaf, Part, Tree};
use crate::plan::reach::Reach;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Program, RuleId, VarId,
};
use gchr_base::signature::{SortId, SortKind, SymbolId, SymbolKind};

/// A right-hand side that more than one leaf of a tree needs is outlined when it is larger than this.
const MAX_COPIED: usize = 6;
/// A defined unary symbol repeated more often than this is called through doubling functions.
const MAX_UNROLLED: u32 = 64;
/// So many tests of conditions are in one function: each is nested in the one before.
const MAX_CONDITIONS: usize = 64;
/// A constructor repeated more often than this is built by a loop.
const MAX_NESTED: u32 = 3;

/// The plan of a verified program: no pass has run yet.
pub(super) fn lower(program: &Program, reach: &Reach, layout: Layout, options: TermOptions) -> TermPlan {
    let (signature, rules) = (&program.signature, &reach.rules);
    let mut functions = IdVec::new();
    let function_of: IdVec<SymbolId, Option<FunctionId>> = signature
        .symbols
        .iter_enumerated()
        .map(|(id, symbol)| {
            // A symbol without rules whose result is a number has applications, but none of them is a value.
            let is_function =
                symbol.kind == SymbolKind::Defined || signature.kind(symbol.result) != SortKind::Data;
            (is_function && reach.symbols[id])
                .then(|| functions.push(empty_function(program, id, &rules[id])))
        })
        .collect();
    let mut lower = Lower {
        program,
        rules,
        layout: &layout,
        options,
        functions,
        function_of,
        doubles: HashMap::default(),
    };
    for symbol in signature.symbols.ids() {
        lower.symbol(symbol);
    }
    let Lower { functions, function_of, .. } = lower;
    TermPlan {
        options,
        functions,
        function_of,
        resume_points: false,
        references: None,
        rule_names: program.rules.ids().map(|r| program.rule_name(r)).collect(),
        symbol_names: signature.symbols.iter().map(|s| s.name.clone()).collect(),
        notations: signature
            .symbols
            .ids()
            .map(|s| signature.notations.get(&s).copied().unwrap_or_default())
            .collect(),
        layout,
    }
}

struct Lower<'a> {
    program: &'a Program,
    /// By the symbol at the head of their redexes.
    rules: &'a IdVec<SymbolId, Vec<RuleId>>,
    layout: &'a Layout,
    options: TermOptions,
    functions: IdVec<FunctionId, Function>,
    function_of: IdVec<SymbolId, Option<FunctionId>>,
    /// Functions that apply a symbol 2^k times.
    doubles: HashMap<(SymbolId, u32), FunctionId>,
}

/// What a function under construction needs to know.
struct FunctionLowering {
    symbol: SymbolId,
    function: Function,
    /// How many of its parameters are the arguments of the symbol; the others are what is known of them.
    own: usize,
    /// The functions of the further parts of the decision tree.
    parts: Vec<FunctionId>,
    /// How often each rule is reached by a leaf.
    uses: HashMap<RuleId, usize>,
    /// Outlined right-hand sides.
    outlined: HashMap<RuleId, (FunctionId, Vec<VarId>)>,
    /// The function that tries the rules of the next group.
    next: Option<FunctionId>,
}

impl FunctionLowering {
    fn own_params(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.function.region.params[..self.own].iter().copied()
    }
}

/// Values of subterms evaluated so far, and of variables.
#[derive(Clone, Default)]
struct Bindings {
    vars: HashMap<VarId, LocalId>,
    known: HashMap<ExprKey<LocalId>, LocalId>,
}

/// What is left of a rule whose left-hand side has matched.
#[derive(Clone, Copy)]
struct Left<'a> {
    rule: RuleId,
    conditions: &'a [Condition<'a>],
    /// How many tests are around, since the last one that begins a function.
    depth: usize,
}

impl Left<'_> {
    /// The same, below one more test.
    fn below(self) -> Self {
        Self { depth: self.depth % MAX_CONDITIONS + 1, ..self }
    }
}

impl Lower<'_> {
    fn symbol(&mut self, symbol: SymbolId) {
        let Some(id) = self.function_of[symbol] else { return };
        let rules = &self.rules[symbol];
        let groups = matching::compile(self.program, self.layout, symbol, rules);
        if groups.is_empty() {
            let mut lowering = self.lowering(symbol, empty_function(self.program, symbol, rules), None);
            lowering.function.region.body = self.fail(&mut lowering);
            self.functions[id] = lowering.function;
        }
        let mut next = None;
        for (i, group) in groups.into_iter().enumerate().rev() {
            let suffix = if i > 0 { format!("'{i}") } else { String::new() };
            let function = self.group(symbol, &suffix, group, next);
            if i == 0 {
                self.functions[id] = function;
            } else {
                next = Some(self.functions.push(function));
            }
        }
    }

    fn lowering(&self, symbol: SymbolId, function: Function, next: Option<FunctionId>) -> FunctionLowering {
        FunctionLowering {
            symbol,
            own: function.region.params.len(),
            function,
            parts: Vec::new(),
            uses: HashMap::default(),
            outlined: HashMap::default(),
            next,
        }
    }

    /// The function that tries a group of rules; those of its further parts are added.
    fn group(&mut self, symbol: SymbolId, suffix: &str, group: Group, next: Option<FunctionId>) -> Function {
        let mut parts = group.parts.into_iter();
        let Some(entry) = parts.next() else { return empty_function(self.program, symbol, &[]) };
        let further: Vec<Part> = parts.collect();
        let mut lowering = self.lowering(symbol, entry.function, next);
        lowering.function.name.push_str(suffix);
        count_uses(&entry.tree, &mut lowering.uses);
        for (i, part) in further.iter().enumerate() {
            count_uses(&part.tree, &mut lowering.uses);
            let mut function = part.function.clone();
            function.name = format!("{}.part{}", lowering.function.name, i + 1);
            lowering.parts.push(self.functions.push(function));
        }
        lowering.function.region.body = self.tree(&mut lowering, &entry.tree);
        let entry = lowering.function;
        for (i, part) in further.into_iter().enumerate() {
            let id = lowering.parts[i];
            lowering.function = self.functions[id].clone();
            lowering.function.region.body = self.tree(&mut lowering, &part.tree);
            self.functions[id] = lowering.function;
        }
        entry
    }

    fn tree(&mut self, cx: &mut FunctionLowering, tree: &Tree) -> Block {
        let mut steps = Vec::new();
        let end = match tree {
            Tree::Fail => return self.fail(cx),
            Tree::Leaf(leaf) => return self.leaf(cx, leaf),
            Tree::Part { part, args } => {
                let args = cx.own_params().chain(args.iter().copied()).collect();
                End::TailCall { function: cx.parts[part - 1], args }
            }
            Tree::Switch { on, arms, default } => End::Match {
                on: *on,
                arms: arms
                    .iter()
                    .map(|(symbol, fields, tree)| Arm {
                        symbol: *symbol,
                        fields: fields.iter().map(|&f| Some(f)).collect(),
                        body: self.tree(cx, tree),
                    })
                    .collect(),
                default: default.as_ref().map(|tree| Box::new(self.tree(cx, tree))),
            },
            Tree::Equal { on, constant, then, otherwise } => End::If {
                test: Test::Constant(*on, *constant),
                then: Box::new(self.tree(cx, then)),
                otherwise: Box::new(self.tree(cx, otherwise)),
            },
            Tree::Below { on, constant, then, otherwise } => {
                let dst = cx.function.local("n", cx.function.sort(*on));
                steps.push(Step::Const { dst, value: Const::Int(*constant) });
                End::If {
                    test: Test::Compare(Op::Lt, *on, dst),
                    then: Box::new(self.tree(cx, then)),
                    otherwise: Box::new(self.tree(cx, otherwise)),
                }
            }
        };
        Block { applied: Vec::new(), steps, end }
    }

    /// No rule matches: the next group, or the application is a normal form.
    fn fail(&mut self, cx: &mut FunctionLowering) -> Block {
        let args: Vec<LocalId> = cx.own_params().collect();
        if let Some(function) = cx.next {
            return Block { applied: Vec::new(), steps: Vec::new(), end: End::TailCall { function, args } };
        }
        if self.layout.sorts[cx.function.result].is_wide() {
            let end = End::NoRule { symbol: cx.symbol, args };
            return Block { applied: Vec::new(), steps: Vec::new(), end };
        }
        let dst = cx.function.local("stuck", cx.function.result);
        let steps = vec![Step::Build { dst, symbol: cx.symbol, args, reuse: None }];
        Block { applied: Vec::new(), steps, end: End::Return(dst) }
    }

    fn leaf(&mut self, cx: &mut FunctionLowering, leaf: &Leaf) -> Block {
        let rule = &self.program.rules[leaf.rule];
        let mut scope = Bindings { vars: leaf.binds.iter().copied().collect(), known: HashMap::default() };
        let mut conditions: Vec<Condition<'_>> =
            leaf.checks.iter().map(|&(a, b)| Condition::Same(a, b)).collect();
        conditions.extend(rule.guard.iter().flat_map(conditions_of));
        let left = conditions.iter().map(Condition::ways_to_fail).sum();
        let otherwise = leaf.otherwise.as_ref().map(|tree| {
            let block = self.tree(cx, tree);
            if left > 1 { self.shareable(cx, block) } else { block }
        });
        let mut otherwise = Otherwise { block: otherwise, left };
        let left = Left { rule: leaf.rule, conditions: &conditions, depth: 1 };
        self.conditions(cx, left, &mut scope, &mut otherwise, Vec::new())
    }

    /// Tests conditions and applies a rule, behind what was evaluated before.
    fn conditions(
        &mut self,
        cx: &mut FunctionLowering,
        mut left: Left<'_>,
        scope: &mut Bindings,
        otherwise: &mut Otherwise,
        mut steps: Vec<Step>,
    ) -> Block {
        let (test, negated) = loop {
            // What a condition evaluates is no part of the right-hand side: nothing is shared with it.
            let rule = left.rule;
            let Some((first, rest)) = left.conditions.split_first() else {
                return self.apply(cx, rule, scope, steps);
            };
            left.conditions = rest;
            scope.known.clear();
            match *first {
                Condition::Same(a, b) => break (Test::Same(a, b), false),
                Condition::Fails => return behind(steps, otherwise.take(&mut cx.function)),
                Condition::Bind(var, value) => {
                    let local = self.expr(cx, rule, &mut steps, scope, value);
                    scope.vars.insert(var, local);
                }
                Condition::Match(value, pattern) => {
                    let local = self.expr(cx, rule, &mut steps, scope, value);
                    let todo = vec![(local, pattern)];
                    return self.take_apart(cx, left, todo, scope, otherwise, steps);
                }
                Condition::Test(expr) => break self.test(cx, rule, &mut steps, scope, expr),
            }
        };
        let failed = Box::new(otherwise.take(&mut cx.function));
        let holds = self.conditions(cx, left.below(), scope, otherwise, Vec::new());
        let holds = Box::new(self.nested(cx, left, holds));
        let (then, otherwise) = if negated { (failed, holds) } else { (holds, failed) };
        Block { applied: Vec::new(), steps, end: End::If { test, then, otherwise } }
    }

    /// Matches values with patterns, the last one first; what follows are the further conditions of a rule. It goes
    /// behind what was evaluated before.
    fn take_apart(
        &mut self,
        cx: &mut FunctionLowering,
        left: Left<'_>,
        mut todo: Vec<(LocalId, &Pattern)>,
        scope: &mut Bindings,
        otherwise: &mut Otherwise,
        steps: Vec<Step>,
    ) -> Block {
        let Some((on, pattern)) = todo.pop() else {
            return self.conditions(cx, left, scope, otherwise, steps);
        };
        let test = match &pattern.kind {
            PatternKind::Wild => return self.take_apart(cx, left, todo, scope, otherwise, steps),
            PatternKind::Var(var) => match scope.vars.get(var) {
                Some(&known) => Test::Same(known, on),
                None => {
                    scope.vars.insert(*var, on);
                    return self.take_apart(cx, left, todo, scope, otherwise, steps);
                }
            },
            PatternKind::Const(value) => Test::Constant(on, *value),
            PatternKind::App { symbol, args } => {
                let Some(variant) = self.layout.variant(*symbol) else {
                    return behind(steps, otherwise.take(&mut cx.function));
                };
                let fields: Vec<LocalId> =
                    variant.fields.iter().map(|field| cx.function.local("part", field.sort)).collect();
                let others = self.layout.sorts[pattern.sort].variants.len() > 1;
                let default = others.then(|| Box::new(otherwise.take(&mut cx.function)));
                todo.extend(fields.iter().copied().zip(args).rev());
                let body = self.take_apart(cx, left.below(), todo, scope, otherwise, Vec::new());
                let body = self.nested(cx, left, body);
                let fields = fields.into_iter().map(Some).collect();
                let arms = vec![Arm { symbol: *symbol, fields, body }];
                return Block { applied: Vec::new(), steps, end: End::Match { on, arms, default } };
            }
        };
        let otherwise_block = Box::new(otherwise.take(&mut cx.function));
        let then = self.take_apart(cx, left.below(), todo, scope, otherwise, Vec::new());
        let then = Box::new(self.nested(cx, left, then));
        let end = End::If { test, then, otherwise: otherwise_block };
        Block { applied: Vec::new(), steps, end }
    }

    fn test(
        &mut self,
        cx: &mut FunctionLowering,
        rule: RuleId,
        steps: &mut Vec<Step>,
        scope: &mut Bindings,
        expr: &Expr,
    ) -> (Test, bool) {
        if let ExprKind::Op { op, args } = &expr.kind
            && let [a, b] = args.as_slice()
            && matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Same | Op::Differ)
        {
            let a = self.expr(cx, rule, steps, scope, a);
            let b = self.expr(cx, rule, steps, scope, b);
            return match op {
                Op::Same => (Test::Same(a, b), false),
                Op::Differ => (Test::Same(a, b), true),
                op => (Test::Compare(*op, a, b), false),
            };
        }
        (Test::Holds(self.expr(cx, rule, steps, scope, expr)), false)
    }

    /// The rule fires: its right-hand side, or a call of the function that holds it.
    fn apply(
        &mut self,
        cx: &mut FunctionLowering,
        rule: RuleId,
        scope: &mut Bindings,
        mut steps: Vec<Step>,
    ) -> Block {
        scope.known.clear();
        let Body::Replace(body) = &self.program.rules[rule].body else {
            return behind(steps, self.fail(cx));
        };
        if self.options.trace {
            let args = cx.own_params().collect();
            steps.push(Step::Trace { rule, symbol: cx.symbol, args });
        }
        if cx.uses.get(&rule).is_some_and(|&n| n > 1) && expr_size(body) > MAX_COPIED {
            let (function, vars) = self.outline(cx, rule, body, scope);
            let args = vars.iter().map(|v| scope.vars[v]).collect();
            return Block { applied: vec![rule], steps, end: End::TailCall { function, args } };
        }
        let value = self.expr(cx, rule, &mut steps, scope, body);
        Block { applied: vec![rule], steps, end: End::Return(value) }
    }

    fn outline(
        &mut self,
        cx: &mut FunctionLowering,
        rule: RuleId,
        body: &Expr,
        scope: &Bindings,
    ) -> (FunctionId, Vec<VarId>) {
        if let Some(known) = cx.outlined.get(&rule) {
            return known.clone();
        }
        let mut vars = Vec::new();
        body.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                vars.push(v);
            }
        });
        vars.sort_unstable();
        vars.dedup();
        let mut function = Function {
            name: format!("{}.{}", self.program.signature.symbols[cx.symbol].name, cx.outlined.len() + 1),
            result: cx.function.result,
            locals: IdVec::new(),
            region: Region { params: Vec::new(), body: Block::returning(LocalId::from_index(0)) },
            base: None,
        };
        let mut inner = Bindings::default();
        for &var in &vars {
            let from = cx.function.locals[scope.vars[&var]].clone();
            let param = function.local(from.name, from.sort);
            function.region.params.push(param);
            inner.vars.insert(var, param);
        }
        let mut lowering = self.lowering(cx.symbol, function, None);
        let mut steps = Vec::new();
        let value = self.expr(&mut lowering, rule, &mut steps, &mut inner, body);
        lowering.function.region.body = Block { applied: Vec::new(), steps, end: End::Return(value) };
        let id = self.functions.push(lowering.function);
        cx.outlined.insert(rule, (id, vars.clone()));
        (id, vars)
    }

    /// What is nested in the block of a condition: where that is deep, a function of its own.
    fn nested(&mut self, cx: &mut FunctionLowering, left: Left<'_>, block: Block) -> Block {
        if left.depth == MAX_CONDITIONS { self.shareable(cx, block) } else { block }
    }

    /// A block that may be copied: a large one is outlined.
    fn shareable(&mut self, cx: &mut FunctionLowering, block: Block) -> Block {
        if block.size() <= MAX_COPIED {
            return block;
        }
        let args = free_locals(&block);
        let mut function = Function {
            name: format!("{}.else{}", cx.function.name, self.functions.len()),
            result: cx.function.result,
            locals: IdVec::new(),
            region: Region { params: Vec::new(), body: Block::returning(LocalId::from_index(0)) },
            base: None,
        };
        let mut copier = Copier {
            from: Some(&cx.function.locals),
            result: cx.function.result,
            into: &mut function,
            map: HashMap::default(),
        };
        let params = args.iter().map(|&a| copier.bind(a)).collect();
        let body = copier.block(&block, false);
        function.region = Region { params, body };
        let function = self.functions.push(function);
        Block { applied: Vec::new(), steps: Vec::new(), end: End::TailCall { function, args } }
    }
}

/// A condition of a leaf, conjunctions taken apart.
enum Condition<'a> {
    Same(LocalId, LocalId),
    Test(&'a Expr),
    Bind(VarId, &'a Expr),
    Match(&'a Expr, &'a Pattern),
    Fails,
}

impl Condition<'_> {
    /// At how many places it may fail; for a pattern at most so many.
    fn ways_to_fail(&self) -> usize {
        match self {
            Condition::Same(..) | Condition::Test(_) | Condition::Fails => 1,
            Condition::Bind(..) => 0,
            Condition::Match(_, pattern) => {
                let mut ways = 0;
                pattern.walk(&mut |_| ways += 1);
                ways
            }
        }
    }
}

fn conditions_of(goal: &Goal) -> Vec<Condition<'_>> {
    match &goal.kind {
        GoalKind::Test(expr) => {
            let mut found = Vec::new();
            let mut todo = vec![expr];
            while let Some(expr) = todo.pop() {
                match &expr.kind {
                    ExprKind::Op { op: Op::Both, args } => todo.extend(args.iter().rev()),
                    _ => found.push(Condition::Test(expr)),
                }
            }
            found
        }
        GoalKind::Bind { var, value } => vec![Condition::Bind(*var, value)],
        GoalKind::Match { value, pattern } => vec![Condition::Match(value, pattern)],
        _ => vec![Condition::Fails],
    }
}

/// Where failed conditions go: handed out as copies, the original last.
struct Otherwise {
    block: Option<Block>,
    left: usize,
}

impl Otherwise {
    fn take(&mut self, function: &mut Function) -> Block {
        self.left = self.left.saturating_sub(1);
        if self.left == 0
            && let Some(block) = self.block.take()
        {
            return block;
        }
        let result = function.result;
        let mut copier = Copier { from: None, result, into: function, map: HashMap::default() };
        match &self.block {
            Some(block) => copier.block(block, false),
            // Not reached: conditions imply a block.
            None => Block::returning(LocalId::from_index(0)),
        }
    }
}

fn count_uses(tree: &Tree, uses: &mut HashMap<RuleId, usize>) {
    tree.walk(&mut |tree| {
        if let Tree::Leaf(leaf) = tree {
            *uses.entry(leaf.rule).or_default() += 1;
        }
    });
}

/// What the plan cannot express: sorts and goals that only constraint programs have.
pub(super) fn unsupported(program: &Program) -> Option<gchr_base::diagnostic::Diagnostic> {
    let internal = |text: &str| {
        gchr_base::diagnostic::Diagnostic::error("I0002", format!("internal error: {text}"))
            .help("this is a bug of gchr, not of the program; please report it with the program")
    };
    if !program.is_term_program() {
        return Some(internal("a constraint program has no term plan"));
    }
    let foreign =
        |s: &SortId| matches!(program.signature.kind(*s), SortKind::Atom | SortKind::Str | SortKind::Any);
    for symbol in &program.signature.symbols {
        if symbol.args.iter().chain([&symbol.result]).any(foreign) {
            return Some(internal("a symbol of a term program has a sort of constraint programs"));
        }
    }
    for rule in &program.rules {
        let is_condition = |goal: &Goal| {
            use GoalKind::{Bind, Fail, Match, Test};
            matches!(goal.kind, Test(_) | Bind { .. } | Match { .. } | Fail)
        };
        let goals_ok = rule.guard.iter().all(is_condition);
        if !goals_ok || rule.vars.iter().any(|v| foreign(&v.sort)) {
            return Some(
                internal("a rule of a term program has a goal or a sort of constraint programs")
                    .label(rule.span, "this rule"),
            );
        }
    }
    None
}

/// A block behind what was evaluated before.
fn behind(steps: Vec<Step>, mut block: Block) -> Block {
    block.steps.splice(0..0, steps);
    block
}

/// Operations and applications in an expression.
fn expr_size(expr: &Expr) -> usize {
    let mut size = 0;
    expr.walk(&mut |e| size += usize::from(!matches!(e.kind, ExprKind::Var(_))));
    size
}
