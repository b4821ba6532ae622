//! Strategies other than innermost: the symbols of the text build terms that are not evaluated, and a term is rewritten
//! one step after the other, each at the first place that the strategy comes to.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, GroundNode, GroundTerm, Head, HeadAtom, Pattern, PatternKind,
    Program, Role, Rule, Start, Var, VarId,
};
use gchr_base::signature::{Notation, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

use crate::system::{Order, System};

/// A program that rewrites by steps, and what evaluates a term of a sort.
#[derive(Clone, Debug)]
pub(crate) struct Stepwise {
    pub program: Program,
    evaluates: Arc<HashMap<SortId, SymbolId>>,
}

impl Stepwise {
    /// A term over the symbols of the text as one that is evaluated.
    pub fn term(&self, mut term: GroundTerm) -> GroundTerm {
        if let Some(&symbol) = self.evaluates.get(&term.sort) {
            term.nodes.push(GroundNode::App(symbol));
        }
        term
    }
}

/// What is made for a sort.
#[derive(Clone, Copy)]
struct Steps {
    /// The term behind a step, or none.
    sort: SortId,
    some: SymbolId,
    none: SymbolId,
    /// One step.
    step: SymbolId,
    /// All steps.
    evaluate: SymbolId,
}

/// The program that a system asks for. `terms` are those to evaluate, in place of the start of the program; what is
/// wrong with the arguments that a strategy names is reported.
pub(crate) fn stepwise(
    system: &System,
    free: &Program,
    terms: Vec<GroundTerm>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Stepwise> {
    let below = below(system, free, diagnostics)?;
    let mut made = free.clone();
    let own: Vec<SymbolId> = own_symbols(free).collect();
    for &symbol in &own {
        made.signature.symbols[symbol].kind = SymbolKind::Constructor;
        // A nest of a symbol is one of terms, whichever is evaluated.
        made.signature.notations.entry(symbol).or_insert(Notation::Application);
    }
    let mut steps: HashMap<SortId, Steps> = HashMap::default();
    for &symbol in &own {
        let sort = free.signature.symbols[symbol].result;
        steps.entry(sort).or_insert_with(|| declare(&mut made, sort));
    }
    let mut maker = Maker { rules: IdVec::new(), signature: &made.signature, steps: &steps };
    let parts: [&dyn Fn(&mut Maker<'_>); 2] =
        [&|maker| free.rules.iter().for_each(|rule| maker.at_root(rule)), &|maker| {
            own.iter().for_each(|&symbol| maker.below(symbol, below.get(&symbol).map(Vec::as_slice)))
        }];
    match system.strategy.order {
        Order::Outermost => parts.into_iter().for_each(|part| part(&mut maker)),
        Order::Innermost => parts.into_iter().rev().for_each(|part| part(&mut maker)),
    }
    let mut sorts: Vec<&SortId> = steps.keys().collect();
    sorts.sort();
    sorts.into_iter().for_each(|sort| maker.evaluation(*sort));
    let rules = maker.rules;
    made.rules = rules;
    let evaluates = Arc::new(steps.iter().map(|(&sort, steps)| (sort, steps.evaluate)).collect());
    let mut stepwise = Stepwise { program: made, evaluates };
    let terms = terms.into_iter().map(|term| stepwise.term(term)).collect();
    let start = GroundTerm::together(terms, &mut stepwise.program.signature);
    stepwise.program.start = Start::Term(start);
    Some(stepwise)
}

/// The symbols of the text.
fn own_symbols(free: &Program) -> impl Iterator<Item = SymbolId> {
    let is_own = |id: &SymbolId| free.signature.symbols[*id].span.is_some();
    free.signature.symbols.ids().filter(is_own)
}

/// By symbol, the arguments below which is rewritten, where these are not all.
fn below(
    system: &System,
    free: &Program,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<HashMap<SymbolId, Vec<usize>>> {
    let known: HashMap<&str, SymbolId> =
        own_symbols(free).map(|id| (free.signature.symbols[id].name.as_str(), id)).collect();
    let mut found = HashMap::default();
    let before = diagnostics.len();
    for (ident, arguments) in &system.strategy.below {
        // A symbol that does not occur has no terms.
        let Some(&symbol) = known.get(system.text(ident.name)) else { continue };
        let arity = free.signature.symbols[symbol].args.len();
        if arguments.iter().any(|&argument| argument == 0 || argument as usize > arity) {
            let name = system.text(ident.name);
            diagnostics.push(
                Diagnostic::error("T1103", format!("`{name}` has no such argument"))
                    .label(ident.span, format!("has {arity} arguments, counted from 1"))
                    .help("name arguments that it has"),
            );
            continue;
        }
        if found.contains_key(&symbol) {
            diagnostics.push(twice(system.text(ident.name), ident.span));
            continue;
        }
        found.insert(symbol, arguments.iter().map(|&argument| argument as usize - 1).collect());
    }
    (diagnostics.len() == before).then_some(found)
}

/// A symbol whose arguments are named a second time.
fn twice(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T1104", format!("the arguments of `{name}` that are rewritten are named twice"))
        .label(span, "named again for this")
        .help("keep one of the two lists")
}

fn declare(made: &mut Program, sort: SortId) -> Steps {
    let name = made.signature.sorts[sort].name.clone();
    let step = Sort { name: format!("@step({name})"), kind: SortKind::Data, span: None };
    let result = made.signature.sorts.push(step);
    let mut symbol = |name: &str, args: Vec<SortId>, result, kind| {
        made.signature.symbols.push(Symbol { name: name.into(), args, result, kind, span: None })
    };
    Steps {
        sort: result,
        some: symbol("@some", vec![sort], result, SymbolKind::Constructor),
        none: symbol("@none", Vec::new(), result, SymbolKind::Constructor),
        step: symbol("@step", vec![sort], result, SymbolKind::Defined),
        evaluate: symbol("@evaluate", vec![sort], sort, SymbolKind::Defined),
    }
}

struct Maker<'a> {
    rules: IdVec<gchr_base::rule::RuleId, Rule>,
    signature: &'a gchr_base::signature::Signature,
    steps: &'a HashMap<SortId, Steps>,
}

/// Variables of a rule that is being made.
#[derive(Default)]
struct Vars(IdVec<VarId, Var>);

impl Vars {
    fn fresh(&mut self, sort: SortId, span: Span) -> (Pattern, Expr) {
        let var = self.0.push(Var { name: "x".into(), sort, span });
        (Pattern { kind: PatternKind::Var(var), sort, span }, Expr { kind: ExprKind::Var(var), sort, span })
    }
}

impl Maker<'_> {
    fn rule(
        &mut self,
        symbol: SymbolId,
        vars: IdVec<VarId, Var>,
        args: Vec<Pattern>,
        guard: Vec<Goal>,
        body: Expr,
    ) {
        let span = body.span;
        let head = Head { role: Role::Removed, atom: HeadAtom::Term { symbol, args }, passive: false, span };
        let body = Body::Replace(body);
        self.rules.push(Rule { name: None, vars, heads: vec![head], guard, body, span });
    }

    fn app(&self, symbol: SymbolId, args: Vec<Expr>, span: Span) -> Expr {
        Expr { sort: self.signature.symbols[symbol].result, kind: ExprKind::App { symbol, args }, span }
    }

    fn built(&self, symbol: SymbolId, args: Vec<Pattern>, span: Span) -> Pattern {
        Pattern { sort: self.signature.symbols[symbol].result, kind: PatternKind::App { symbol, args }, span }
    }

    /// A term of the text, evaluated.
    fn evaluated(&self, term: Expr) -> Expr {
        match self.steps.get(&term.sort) {
            Some(steps) => {
                let span = term.span;
                self.app(steps.evaluate, vec![term], span)
            }
            None => term,
        }
    }

    /// A step by a rule of the text at the root of a term.
    fn at_root(&mut self, rule: &Rule) {
        let (Some(head), Body::Replace(right)) = (rule.heads.first(), &rule.body) else { return };
        let HeadAtom::Term { symbol, args } = &head.atom else { return };
        let Some(&steps) = self.steps.get(&right.sort) else { return };
        let guard = rule.guard.iter().map(|goal| self.condition(goal)).collect();
        let left = self.built(*symbol, args.clone(), head.span);
        let body = self.app(steps.some, vec![right.clone()], rule.span);
        self.rule(steps.step, rule.vars.clone(), vec![left], guard, body);
    }

    /// A condition: its terms are evaluated.
    fn condition(&self, goal: &Goal) -> Goal {
        let kind = match &goal.kind {
            GoalKind::Match { value, pattern } => {
                GoalKind::Match { value: self.evaluated(value.clone()), pattern: pattern.clone() }
            }
            GoalKind::Test(Expr {
                kind: ExprKind::Op { op: op @ (Op::Same | Op::Differ), args },
                sort,
                span,
            }) => {
                let args = args.iter().map(|arg| self.evaluated(arg.clone())).collect();
                GoalKind::Test(Expr { kind: ExprKind::Op { op: *op, args }, sort: *sort, span: *span })
            }
            other => other.clone(),
        };
        Goal { kind, span: goal.span }
    }

    /// Steps below an application of a symbol, in these of its arguments or in all.
    fn below(&mut self, symbol: SymbolId, arguments: Option<&[usize]>) {
        let declared = &self.signature.symbols[symbol];
        let Some(span) = declared.span else { return };
        let (sorts, Some(&own)) = (declared.args.clone(), self.steps.get(&declared.result)) else { return };
        for at in 0..sorts.len() {
            let Some(&inner) = self.steps.get(&sorts[at]) else { continue };
            if arguments.is_some_and(|arguments| !arguments.contains(&at)) {
                continue;
            }
            let mut vars = Vars::default();
            let (patterns, mut values): (Vec<Pattern>, Vec<Expr>) =
                sorts.iter().map(|&sort| vars.fresh(sort, span)).unzip();
            let (next, behind) = vars.fresh(sorts[at], span);
            let value = self.app(inner.step, vec![values[at].clone()], span);
            let pattern = self.built(inner.some, vec![next], span);
            values[at] = behind;
            let left = self.built(symbol, patterns, span);
            let body = self.app(own.some, vec![self.app(symbol, values, span)], span);
            let goal = Goal { kind: GoalKind::Match { value, pattern }, span };
            self.rule(own.step, vars.0, vec![left], vec![goal], body);
        }
    }

    /// A term without a step, and all steps of one.
    fn evaluation(&mut self, sort: SortId) {
        let Some(&steps) = self.steps.get(&sort) else { return };
        let own = self.signature.symbols.iter().find(|symbol| symbol.result == sort && symbol.span.is_some());
        let Some(span) = own.and_then(|symbol| symbol.span) else { return };
        let mut vars = Vars::default();
        let (pattern, _) = vars.fresh(sort, span);
        let body = self.app(steps.none, Vec::new(), span);
        self.rule(steps.step, vars.0, vec![pattern], Vec::new(), body);
        let mut vars = Vars::default();
        let (pattern, value) = vars.fresh(sort, span);
        let (next, behind) = vars.fresh(sort, span);
        let step = self.app(steps.step, vec![value], span);
        let found = self.built(steps.some, vec![next], span);
        let goal = Goal { kind: GoalKind::Match { value: step, pattern: found }, span };
        let body = self.app(steps.evaluate, vec![behind], span);
        self.rule(steps.evaluate, vars.0, vec![pattern], vec![goal], body);
        let mut vars = Vars::default();
        let (pattern, value) = vars.fresh(sort, span);
        self.rule(steps.evaluate, vars.0, vec![pattern], Vec::new(), value);
        debug_assert_eq!(self.signature.symbols[steps.none].result, steps.sort);
    }
}
