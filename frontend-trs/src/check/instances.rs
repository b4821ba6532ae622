//! The rules of instances, and the program without what still has parameters.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Expr, ExprKind, GoalKind, GroundNode, GroundTerm, HeadAtom, Pattern, PatternKind, Program, Rule,
    RuleId, Start,
};
use gchr_base::signature::{Booleans, Signature, SortId, SymbolId};
use gchr_base::source::Span;
use gchr_base::strategy::Strategy;
use gchr_maude::Axioms;

use super::families::Families;
use super::reporter::Reporter;
use super::scope::Scope;

/// Other sorts and symbols in the place of those of a rule.
trait Renaming {
    fn sort(&mut self, sort: SortId) -> SortId;
    fn symbol(&mut self, symbol: SymbolId) -> SymbolId;
    /// An operator whose operands have this sort, which is a new one.
    fn op(&self, op: Op, _: SortId) -> Op {
        op
    }
}

fn rename(rule: &mut Rule, by: &mut impl Renaming) {
    rule.vars.iter_mut().for_each(|var| var.sort = by.sort(var.sort));
    for head in &mut rule.heads {
        if let HeadAtom::Term { symbol, args } = &mut head.atom {
            *symbol = by.symbol(*symbol);
            args.iter_mut().for_each(|arg| rename_pattern(arg, by));
        }
    }
    for goal in &mut rule.guard {
        match &mut goal.kind {
            GoalKind::Test(value) | GoalKind::Bind { value, .. } => rename_expr(value, by),
            GoalKind::Match { value, pattern } => {
                rename_expr(value, by);
                rename_pattern(pattern, by);
            }
            // Term programs have no others.
            _ => {}
        }
    }
    if let Body::Replace(value) = &mut rule.body {
        rename_expr(value, by);
    }
}

fn rename_pattern(pattern: &mut Pattern, by: &mut impl Renaming) {
    let mut todo = vec![pattern];
    while let Some(pattern) = todo.pop() {
        pattern.sort = by.sort(pattern.sort);
        if let PatternKind::App { symbol, args } = &mut pattern.kind {
            *symbol = by.symbol(*symbol);
            todo.extend(args);
        }
    }
}

fn rename_expr(expr: &mut Expr, by: &mut impl Renaming) {
    let mut todo = vec![expr];
    while let Some(expr) = todo.pop() {
        expr.sort = by.sort(expr.sort);
        match &mut expr.kind {
            ExprKind::Var(_) | ExprKind::Const(_) => {}
            ExprKind::App { symbol, args } => {
                *symbol = by.symbol(*symbol);
                todo.extend(args);
            }
            ExprKind::Repeat { symbol, arg, .. } => {
                *symbol = by.symbol(*symbol);
                todo.push(arg);
            }
            ExprKind::Op { op, args } => {
                if let Some(first) = args.first() {
                    let sort = by.sort(first.sort);
                    *op = by.op(*op, sort);
                }
                todo.extend(args);
            }
        }
    }
}

/// Finds the parameters of a rule, and changes nothing.
struct Parameters<'f> {
    families: &'f Families,
    found: Vec<SortId>,
}

impl Renaming for Parameters<'_> {
    fn sort(&mut self, sort: SortId) -> SortId {
        self.families.parameters_in(sort, &mut self.found);
        sort
    }
    fn symbol(&mut self, symbol: SymbolId) -> SymbolId {
        let args = self.families.args_of(symbol);
        args.iter().for_each(|&arg| self.families.parameters_in(arg, &mut self.found));
        symbol
    }
}

/// Whether all parameters in a rule are those of its function, whose instances say what they stand for; reports it when
/// not. The rule stays as it is.
pub(crate) fn has_only_own_parameters(rule: &mut Rule, scope: &Scope<'_>, reporter: &mut Reporter) -> bool {
    let Some(&HeadAtom::Term { symbol, .. }) = rule.heads.first().map(|head| &head.atom) else { return true };
    let mut parameters = Parameters { families: &scope.families, found: Vec::new() };
    rename(rule, &mut parameters);
    let own = scope.families.parameters_of(symbol);
    let Some(other) = parameters.found.into_iter().find(|found| !own.contains(found)) else { return true };
    let (name, text) = (scope.sort_name(other), &scope.signature.symbols[symbol].name);
    let place = rule.vars.iter().find(|var| {
        let mut found = Vec::new();
        scope.families.parameters_in(var.sort, &mut found);
        found.contains(&other)
    });
    let place = place.map_or(rule.span, |var| var.span);
    let mut found =
        Diagnostic::error("T0113", format!("nothing says what `{name}` stands for in this equation"))
            .label(place, format!("its sort is made of `{name}`"));
    if let Some(span) = scope.signature.symbols[symbol].span {
        found = found.label(span, format!("`{text}` neither takes nor gives a sort with `{name}`"));
    }
    reporter.report(found.help(format!("let `{text}` have an argument or result with `{name}`")));
    false
}

/// Sorts in the place of parameters.
struct Instance<'i, 'a> {
    scope: &'i mut Scope<'a>,
    parameters: &'i [SortId],
    by: &'i [SortId],
    numbers: [Option<SortId>; 2],
    /// A sort was too large.
    failed: bool,
}

impl Renaming for Instance<'_, '_> {
    fn sort(&mut self, sort: SortId) -> SortId {
        let (families, sorts, _) = self.scope.store();
        families.substitute(sort, self.parameters, self.by, sorts).unwrap_or_else(|| {
            self.failed = true;
            sort
        })
    }
    fn symbol(&mut self, symbol: SymbolId) -> SymbolId {
        let (families, sorts, symbols) = self.scope.store();
        let found = families.symbol_within(symbol, self.parameters, self.by, sorts, symbols);
        found.unwrap_or_else(|| {
            self.failed = true;
            symbol
        })
    }
    fn op(&self, op: Op, sort: SortId) -> Op {
        match op {
            Op::Same if self.numbers.contains(&Some(sort)) => Op::Eq,
            Op::Differ if self.numbers.contains(&Some(sort)) => Op::Ne,
            op => op,
        }
    }
}

/// The symbol whose instances have instances of a rule: its function, or the function value that it applies.
fn carrier(rule: &Rule, families: &Families) -> Option<SymbolId> {
    let HeadAtom::Term { symbol, args } = &rule.heads.first()?.atom else { return None };
    let value = args.first().and_then(|arg| match arg.kind {
        PatternKind::App { symbol, .. } => Some(symbol),
        _ => None,
    });
    [Some(*symbol), value].into_iter().flatten().find(|&of| !families.parameters_of(of).is_empty())
}

/// Adds the rules of all instances, which may need further ones. `otherwise`: the rules that are tried last.
pub(crate) fn complete(
    rules: &mut IdVec<RuleId, Rule>,
    otherwise: &mut HashSet<RuleId>,
    scope: &mut Scope<'_>,
    reporter: &mut Reporter,
) {
    let mut of: HashMap<SymbolId, Vec<RuleId>> = HashMap::default();
    for (id, rule) in rules.iter_enumerated() {
        if let Some(symbol) = carrier(rule, &scope.families) {
            of.entry(symbol).or_default().push(id);
        }
    }
    if of.is_empty() && scope.families.is_empty() {
        return;
    }
    let numbers = [scope.int, scope.float];
    loop {
        if make_constructors(scope, reporter).is_none() {
            return;
        }
        let (families, ..) = scope.store();
        let Some((symbol, by)) = families.next_symbol() else { return };
        let parameters = families.parameters_of(symbol).to_vec();
        for &id in of.get(&symbol).into_iter().flatten() {
            let mut rule = rules[id].clone();
            let mut instance =
                Instance { scope: &mut *scope, parameters: &parameters, by: &by, numbers, failed: false };
            rename(&mut rule, &mut instance);
            if instance.failed {
                let name = scope.signature.symbols[symbol].name.clone();
                reporter.report(endless(&name, rule.span, &by, scope));
                return;
            }
            let made = rules.push(rule);
            if otherwise.contains(&id) {
                otherwise.insert(made);
            }
        }
    }
}

/// Makes the constructors of new sorts. Reports a sort that is made of ever larger ones.
pub(crate) fn make_constructors(scope: &mut Scope<'_>, reporter: &mut Reporter) -> Option<()> {
    let (families, sorts, symbols) = scope.store();
    let Err(constructor) = families.make_constructors(sorts, symbols) else { return Some(()) };
    let declared = &scope.signature.symbols[constructor];
    let sort = scope.families.origin_of_sort(declared.result).map_or("", |(of, _)| scope.families.name(of));
    let message = format!("there is no end to the sorts that `{sort}` is made of");
    let mut found = Diagnostic::error("T0111", message);
    if let Some(span) = declared.span {
        let label = format!("`{}` has an argument of a larger sort each time", declared.name);
        found = found.label(span, label);
    }
    reporter.report(found.help(format!("let `{sort}` be applied to its own parameters here")));
    None
}

/// A function whose rules need it for ever larger sorts.
fn endless(name: &str, place: Span, by: &[SortId], scope: &Scope<'_>) -> Diagnostic {
    const SHOWN: usize = 60;
    let sorts: Vec<&str> = by.iter().map(|&sort| scope.sort_name(sort)).collect();
    let shown: String = sorts.join(", ").chars().take(SHOWN).collect();
    Diagnostic::error("T0111", format!("there is no end to the sorts that `{name}` is needed for"))
        .label(place, "this needs an instance for a larger sort each time")
        .note(format!(
            "each use of a symbol with other sorts is an instance of its own, here of `{shown}...`"
        ))
        .help(format!("let `{name}` call itself with the sorts that it is called with"))
}

/// A sort that is too large.
/// New numbers of the sorts and symbols of a program; none of those that have parameters.
pub(crate) struct Numbers {
    pub sorts: Vec<Option<SortId>>,
    pub symbols: Vec<Option<SymbolId>>,
}

impl Renaming for &Numbers {
    fn sort(&mut self, sort: SortId) -> SortId {
        self.sorts[sort.index()].unwrap_or(sort)
    }
    fn symbol(&mut self, symbol: SymbolId) -> SymbolId {
        self.symbols[symbol.index()].unwrap_or(symbol)
    }
}

impl Numbers {
    /// Of a signature with these families.
    pub fn of(signature: &Signature, families: &Families) -> Self {
        let (mut next, mut next_symbol) = (0, 0);
        let number = |keep: bool, next: &mut u32| {
            *next += u32::from(keep);
            keep.then(|| *next - 1)
        };
        let sorts = signature.sorts.ids();
        let sorts = sorts.map(|id| number(!families.is_open(id), &mut next).map(SortId)).collect();
        let symbols = signature.symbols.iter_enumerated().map(|(id, symbol)| {
            let keep = !families.is_open_symbol(id, &symbol.args, symbol.result);
            number(keep, &mut next_symbol).map(SymbolId)
        });
        Self { sorts, symbols: symbols.collect() }
    }

    /// A term of the program.
    pub fn term(&self, term: GroundTerm) -> GroundTerm {
        let mut by = self;
        let nodes = term.nodes.into_iter().map(|node| match node {
            GroundNode::App(symbol) => GroundNode::App(by.symbol(symbol)),
            GroundNode::Repeat(symbol, count) => GroundNode::Repeat(by.symbol(symbol), count),
            GroundNode::Op(op, sort) => GroundNode::Op(op, by.sort(sort)),
            node => node,
        });
        let nodes = nodes.collect();
        GroundTerm { nodes, sort: by.sort(term.sort), ..term }
    }

    /// Axioms of symbols that stay.
    pub fn axioms(&self, axioms: &HashMap<SymbolId, Axioms>) -> HashMap<SymbolId, Axioms> {
        let new = |symbol: SymbolId| self.symbols[symbol.index()];
        let axioms = axioms.iter().filter_map(|(&symbol, of)| {
            Some((new(symbol)?, Axioms { identity: of.identity.and_then(new), ..*of }))
        });
        axioms.collect()
    }

    /// The strategy of symbols that stay.
    pub fn strategy(&self, strategy: &Strategy) -> Strategy {
        let new = |symbol: SymbolId| self.symbols[symbol.index()];
        let arguments = strategy.arguments.iter();
        let parts = strategy.parts.iter();
        Strategy {
            order: strategy.order,
            arguments: arguments.filter_map(|(&id, of)| Some((new(id)?, of.clone()))).collect(),
            parts: parts.filter_map(|(&id, &first)| Some((new(id)?, first))).collect(),
            choices: strategy.choices.iter().filter_map(|&id| new(id)).collect(),
        }
    }

    /// New numbers of some rules of a program, of those that stay.
    pub fn rules(&self, program: &Program, some: &HashSet<RuleId>) -> HashSet<RuleId> {
        let kept = program.rules.iter_enumerated().filter(|(_, rule)| self.keeps(rule));
        let new = kept.enumerate().filter(|(_, (old, _))| some.contains(old));
        new.map(|(new, _)| RuleId::from_index(new)).collect()
    }

    /// Whether a rule stays: it is for a symbol that does.
    fn keeps(&self, rule: &Rule) -> bool {
        match rule.heads.first().map(|head| &head.atom) {
            Some(HeadAtom::Term { symbol, .. }) => self.symbols[symbol.index()].is_some(),
            _ => true,
        }
    }

    /// The rules and the signature of a program, without what has parameters, and without its start.
    pub fn program(&self, program: Program) -> Program {
        let mut by = self;
        let old = program.signature;
        let mut signature = Signature {
            sorts: IdVec::new(),
            symbols: IdVec::new(),
            constraints: IdVec::new(),
            column_types: old.column_types,
            texts: old.texts,
            booleans: Booleans {
                sort: by.sort(old.booleans.sort),
                true_symbol: by.symbol(old.booleans.true_symbol),
                false_symbol: by.symbol(old.booleans.false_symbol),
            },
            operators: old.operators,
            notations: HashMap::default(),
            big_integers: old.big_integers,
            byte_texts: old.byte_texts.clone(),
        };
        for (id, sort) in old.sorts.into_iter_enumerated() {
            if self.sorts[id.index()].is_some() {
                signature.sorts.push(sort);
            }
        }
        for (id, mut symbol) in old.symbols.into_iter_enumerated() {
            let Some(new) = self.symbols[id.index()] else { continue };
            symbol.args.iter_mut().for_each(|arg| *arg = by.sort(*arg));
            symbol.result = by.sort(symbol.result);
            signature.symbols.push(symbol);
            signature.notations.extend(old.notations.get(&id).map(|notation| (new, *notation)));
        }
        let rules = program.rules.into_iter_enumerated().map(|(_, rule)| rule);
        let mut rules: IdVec<RuleId, Rule> = rules.filter(|rule| self.keeps(rule)).collect();
        rules.iter_mut().for_each(|rule| rename(rule, &mut by));
        Program { signature, rules, start: Start::Term(None), semantics: program.semantics }
    }
}
