//! Equations to the rule IR. Symbols of the library, equality, order, function values and all that needs rules of its
//! own get them when they are first used, for the sorts that they are used with.

mod generate;
mod order;
mod pattern;
mod quantify;
mod terms;

use std::collections::VecDeque;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, Goal, GoalKind, Head, HeadAtom, Pattern, PatternKind, Program, Role, Rule,
    Start, Var, VarId,
};
use gchr_base::signature::{Notation, Signature, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

use crate::check::Checker;
use crate::core::{Callee, Equation, Kind, Term, Variable};
use crate::library::{Meaning, notation, shown_name};
use crate::scope::{Origin, Scope};
use crate::types::{Con, Type};

use self::pattern::Unmatched;

/// What gets rules when it is first used.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    /// A symbol.
    Symbol(Callee),
    /// A symbol that is a value.
    Value(Callee),
    /// Application of function values of this sort.
    Apply(Type),
    Equal(Type),
    Before(Type),
    /// The position of the constructor of a value.
    Rank(Type),
    /// All values of a sort.
    Elements(Type),
}

/// Makes rules.
#[derive(Clone)]
pub(crate) struct Lowering {
    scope: Arc<Scope>,
    signature: Signature,
    rules: Vec<Rule>,
    sorts: HashMap<Type, SortId>,
    known: HashMap<Key, SymbolId>,
    todo: VecDeque<(Key, SymbolId, Span)>,
    /// Symbols that some equation of the program is about.
    with_equations: HashSet<usize>,
    /// Mappings with one equation, without condition and with variables only on its left-hand side.
    definitions: HashMap<usize, Arc<Equation>>,
    /// Variables in force that `whr` gives values, which need not have one where it is not looked at.
    given: HashSet<usize>,
    /// Whether the rules are final: terms of a batch use what there is.
    frozen: bool,
    /// What a term needs and a final program does not have.
    missing: Option<Span>,
    diagnostics: Vec<Diagnostic>,
}

/// The variables of a rule that is being made.
struct Cx<'t> {
    table: &'t [Variable],
    vars: IdVec<VarId, Var>,
    ids: HashMap<usize, VarId>,
    /// What must hold beside the match.
    tests: Vec<Expr>,
    /// The place of everything in it, where its own text is none of the program.
    place: Option<Span>,
}

impl<'t> Cx<'t> {
    fn new(table: &'t [Variable], place: Option<Span>) -> Self {
        Self { table, vars: IdVec::new(), ids: HashMap::default(), tests: Vec::new(), place }
    }
    fn span(&self, span: Span) -> Span {
        self.place.unwrap_or(span)
    }
}

impl Lowering {
    /// Of the symbols of a program.
    pub fn new(scope: Arc<Scope>, equations: &[Equation]) -> Self {
        let head = |equation: &Equation| match &equation.left.kind {
            Kind::Call(callee, _) | Kind::Value(callee) => Some(callee.symbol),
            _ => None,
        };
        let mut lowering = Self {
            with_equations: equations.iter().filter_map(head).collect(),
            definitions: definitions(equations),
            signature: Signature { big_integers: true, ..Signature::with_builtin_bool() },
            rules: Vec::new(),
            sorts: HashMap::default(),
            known: HashMap::default(),
            todo: VecDeque::new(),
            given: HashSet::default(),
            frozen: false,
            missing: None,
            diagnostics: Vec::new(),
            scope,
        };
        let scope = Arc::clone(&lowering.scope);
        for (id, symbol) in scope.symbols.iter().enumerate() {
            if let Origin::Program(span) = symbol.origin {
                lowering.symbol(&Callee { symbol: id, params: Vec::new() }, span);
            }
        }
        lowering
    }

    /// Adds the rules of the program's equations and all that they need.
    pub fn equations(&mut self, equations: &[Equation]) {
        for equation in self.in_order(equations) {
            match with_arguments(equation) {
                Some(applied) => self.equation(&applied, None),
                None => self.equation(equation, None),
            }
        }
        self.finish();
    }

    /// The rules of everything that was used and has none yet.
    pub fn finish(&mut self) {
        while let Some((key, symbol, span)) = self.todo.pop_front() {
            self.generate(&key, symbol, span);
        }
    }

    /// What was found on the way.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// The program so far.
    pub fn program(&mut self) -> Program {
        let mut signature = self.signature.clone();
        for rule in &self.rules {
            if let Some(HeadAtom::Term { symbol, .. }) = rule.heads.first().map(|head| &head.atom) {
                signature.symbols[*symbol].kind = SymbolKind::Defined;
            }
        }
        let rules = self.rules.iter().cloned().collect();
        Program { signature, rules, start: Start::Term(None), semantics: None }
    }

    /// From here on, terms use what there is.
    pub fn freeze(mut self) -> Self {
        self.rules = Vec::new();
        self.frozen = true;
        self
    }

    /// A term without variables; `Err` with the place of what a final program has no rules for.
    pub fn ground(&mut self, term: &Term, vars: &[Variable]) -> Result<Expr, Span> {
        self.missing = None;
        let mut cx = Cx::new(vars, None);
        let mut expr = self.expr(&mut cx, term);
        if !self.frozen && leaves_out(&expr) {
            // Operators of a term to evaluate are applied to values; in a rule they leave out what does not matter.
            let symbol = self.fresh("term", &[], &term.ty, term.span);
            let value = self.app(symbol, Vec::new(), &term.ty, term.span);
            let body = std::mem::replace(&mut expr, value);
            self.rule(symbol, cx, Vec::new(), Vec::new(), body, term.span);
        }
        self.finish();
        self.missing.map_or(Ok(expr), Err)
    }

    /// What names mean.
    pub fn scope(&self) -> Arc<Scope> {
        Arc::clone(&self.scope)
    }

    fn sort(&mut self, ty: &Type) -> SortId {
        let ty = ty.erased();
        if let Some(&known) = self.sorts.get(&ty) {
            return known;
        }
        let id = match ty.con() {
            Some(Con::Bool) => self.signature.booleans.sort,
            con => {
                let kind = if con == Some(Con::Int) { SortKind::Int } else { SortKind::Data };
                let span = match con {
                    Some(Con::Data(sort)) => Some(self.scope.sorts.span(sort)),
                    _ => None,
                };
                let name = ty.shown(&self.scope.sorts).to_string();
                self.signature.sorts.push(Sort { name, kind, span })
            }
        };
        self.sorts.insert(ty, id);
        id
    }

    /// A new symbol that nothing refers to yet.
    fn fresh(&mut self, name: &str, args: &[Type], result: &Type, span: Span) -> SymbolId {
        if self.frozen {
            self.missing = self.missing.or(Some(span));
            return self.signature.booleans.true_symbol;
        }
        let args = args.iter().map(|ty| self.sort(ty)).collect();
        let (result, kind) = (self.sort(result), SymbolKind::Constructor);
        let symbol =
            self.signature.symbols.push(Symbol { name: name.to_string(), args, result, kind, span: None });
        if name == "==" {
            self.signature.notations.insert(symbol, Notation::Infix);
        }
        symbol
    }

    fn keyed(&mut self, key: Key, name: &str, args: &[Type], result: &Type, span: Span) -> SymbolId {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let symbol = self.fresh(name, args, result, span);
        if !self.frozen {
            self.known.insert(key.clone(), symbol);
            self.todo.push_back((key, symbol, span));
        }
        symbol
    }

    /// The symbol for one of the scope.
    fn symbol(&mut self, callee: &Callee, span: Span) -> SymbolId {
        let params: Vec<Type> = callee.params.iter().map(Type::erased).collect();
        let callee = Callee { symbol: callee.symbol, params };
        let scope = Arc::clone(&self.scope);
        let declared = &scope.symbols[callee.symbol];
        let args: Vec<Type> = declared.params.iter().map(|ty| ty.with(&callee.params)).collect();
        let result = declared.result.with(&callee.params);
        let own = match declared.origin {
            Origin::Program(span) => Some(span),
            Origin::Library(_) => None,
        };
        let symbol = self.keyed(Key::Symbol(callee), shown_name(&declared.name), &args, &result, span);
        if !self.frozen {
            self.signature.symbols[symbol].span = own;
            let notation = if own.is_some() { Some(Notation::Plain) } else { notation(&declared.name) };
            if let Some(notation) = notation {
                self.signature.notations.insert(symbol, notation);
            }
        }
        symbol
    }

    /// A symbol of the library with a name that it has once.
    fn library(&self, name: &str, params: &[Type]) -> Callee {
        Callee { symbol: self.scope.in_library(name), params: params.to_vec() }
    }

    /// One rule. The arguments of its head and what its body says have been made with the same variables.
    fn rule(
        &mut self,
        symbol: SymbolId,
        cx: Cx<'_>,
        args: Vec<Pattern>,
        guard: Vec<Expr>,
        body: Expr,
        span: Span,
    ) {
        if self.frozen {
            return;
        }
        let test = |test: Expr| Goal { span: test.span, kind: GoalKind::Test(test) };
        let head = Head { role: Role::Removed, atom: HeadAtom::Term { symbol, args }, passive: false, span };
        self.rules.push(Rule {
            name: None,
            vars: cx.vars,
            heads: vec![head],
            guard: guard.into_iter().map(test).collect(),
            body: Body::Replace(body),
            span,
        });
    }

    /// The rule of an equation. `place`: of the term that needs it, for equations of the library.
    fn equation(&mut self, equation: &Equation, place: Option<Span>) {
        let span = place.unwrap_or(equation.span);
        let mut cx = Cx::new(&equation.vars, place);
        let head = match self.head(&mut cx, &equation.left) {
            Ok(head) => head,
            Err(Unmatched { span, reason, severe }) => {
                let found = if severe {
                    Diagnostic::warning(
                        "T2301",
                        "this left-hand side cannot be matched: its equation is left out",
                    )
                    .help("a left-hand side is a mapping applied to variables, constructors and numbers")
                } else {
                    Diagnostic::warning("T2403", "this equation is never applied, and left out")
                        .note("arguments are evaluated before equations are tried: none of them looks like this")
                        .help("match with constructors, `[]`, `|>`, numbers and variables")
                };
                self.diagnostics.push(found.label(span, reason));
                return;
            }
        };
        let (symbol, args) = head;
        let sides: Vec<&Term> = equation.condition.iter().chain([&equation.right]).collect();
        for var in Term::free(&sides) {
            if !cx.ids.contains_key(&var) {
                let name = &equation.vars[var].name;
                let place = sides.iter().find_map(|side| side.place_of(var)).unwrap_or(span);
                self.diagnostics.push(
                    Diagnostic::warning(
                        "T2302",
                        format!("variable `{name}` is not on the left-hand side: its equation is left out"),
                    )
                    .label(place, "it has no value here")
                    .note("only matching gives a variable its value: such an equation has no one result")
                    .help(format!("let `{name}` occur on the left-hand side, or write a term here")),
                );
                return;
            }
        }
        let mut guard = std::mem::take(&mut cx.tests);
        for &(var, least) in &equation.least {
            if let Some(&id) = cx.ids.get(&var) {
                guard.push(self.at_least(&cx, id, least, span));
            }
        }
        if let Some(condition) = &equation.condition {
            guard.push(self.expr(&mut cx, condition));
        }
        let body = self.expr(&mut cx, &equation.right);
        self.rule(symbol, cx, args, guard, body, span);
    }

    /// Whether a variable is at least so large.
    fn at_least(&mut self, cx: &Cx<'_>, var: VarId, least: i64, span: Span) -> Expr {
        let sort = cx.vars[var].sort;
        let value = Expr { kind: ExprKind::Var(var), sort, span };
        let least = Expr { kind: ExprKind::Const(Const::Int(least)), sort, span };
        self.operation(Op::Ge, vec![value, least], span)
    }

    fn operation(&mut self, op: Op, args: Vec<Expr>, span: Span) -> Expr {
        let sort = match args.first() {
            Some(first) => self.signature.sort_of_result(op, first.sort),
            None => self.signature.booleans.sort,
        };
        Expr { kind: ExprKind::Op { op, args }, sort, span }
    }

    fn truth(&self, value: bool, span: Span) -> Expr {
        let booleans = self.signature.booleans;
        let symbol = if value { booleans.true_symbol } else { booleans.false_symbol };
        Expr { kind: ExprKind::App { symbol, args: Vec::new() }, sort: booleans.sort, span }
    }

    fn app(&mut self, symbol: SymbolId, args: Vec<Expr>, result: &Type, span: Span) -> Expr {
        Expr { kind: ExprKind::App { symbol, args }, sort: self.sort(result), span }
    }

    /// A new variable of a rule, as a pattern.
    fn new_var(&mut self, cx: &mut Cx<'_>, name: &str, ty: &Type, span: Span) -> (VarId, Pattern) {
        let sort = self.sort(ty);
        let id = cx.vars.push(Var { name: name.to_string(), sort, span });
        (id, Pattern { kind: PatternKind::Var(id), sort, span })
    }

    /// A variable of the equation as a pattern.
    fn own_var(&mut self, cx: &mut Cx<'_>, var: usize, span: Span) -> Pattern {
        let table = cx.table;
        let sort = self.sort(&table[var].ty);
        let id = match cx.ids.get(&var) {
            Some(&id) => id,
            None => {
                let span = cx.span(table[var].span);
                let id = cx.vars.push(Var { name: table[var].name.to_string(), sort, span });
                cx.ids.insert(var, id);
                id
            }
        };
        Pattern { kind: PatternKind::Var(id), sort, span }
    }

    fn value_of(&self, cx: &Cx<'_>, var: VarId, span: Span) -> Expr {
        Expr { kind: ExprKind::Var(var), sort: cx.vars[var].sort, span }
    }

    /// The equations of the library for a symbol.
    fn library_rules(&mut self, callee: &Callee, span: Span) {
        let scope = Arc::clone(&self.scope);
        let mut sorts = scope.sorts.clone();
        let mut found = Vec::new();
        for (equation, variables) in scope.library_equations(callee.symbol) {
            let checker = Checker::new(&scope, &mut sorts, &callee.params, &mut found);
            if let Some(checked) = checker.library_equation(equation, variables, callee) {
                self.equation(&checked, Some(span));
            }
        }
        debug_assert!(found.is_empty(), "{}: {found:?}", scope.symbols[callee.symbol].name);
    }

    fn meaning(&self, callee: &Callee) -> Meaning {
        self.scope.symbols[callee.symbol].meaning
    }
}

fn definitions(equations: &[Equation]) -> HashMap<usize, Arc<Equation>> {
    let mut found: HashMap<usize, Option<Arc<Equation>>> = HashMap::default();
    for equation in equations {
        let Kind::Call(callee, args) = &equation.left.kind else { continue };
        let mut vars = HashSet::default();
        let plain = equation.condition.is_none()
            && equation.least.is_empty()
            && args.iter().all(|arg| matches!(arg.kind, Kind::Var(var) if vars.insert(var)));
        let only = plain && !found.contains_key(&callee.symbol);
        found.insert(callee.symbol, only.then(|| Arc::new(equation.clone())));
    }
    found.into_iter().filter_map(|(symbol, equation)| Some((symbol, equation?))).collect()
}

/// Whether evaluation of a term may leave out part of it.
fn leaves_out(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| found |= matches!(expr.kind, ExprKind::Op { op: Op::Both | Op::Either, .. }));
    found
}

/// An equation for a whole function as one for its values.
fn with_arguments(equation: &Equation) -> Option<Equation> {
    let Kind::Value(callee) = &equation.left.kind else { return None };
    let (params, result) = equation.left.ty.as_function()?;
    let mut applied = equation.clone();
    let (vars, right) = match &equation.right.kind {
        Kind::Lambda(vars, body) => (vars.clone(), (**body).clone()),
        _ => {
            let place = equation.left.span;
            let first = applied.vars.len();
            let new = |ty: &Type| Variable { name: "x".into(), ty: ty.clone(), span: place };
            applied.vars.extend(params.iter().map(new));
            let vars: Vec<usize> = (first..applied.vars.len()).collect();
            let args = vars.iter().map(|&var| variable(&applied.vars, var, place)).collect();
            let kind = Kind::Apply(Box::new(equation.right.clone()), args);
            (vars, Term { kind, ty: result.clone(), span: equation.right.span })
        }
    };
    let args = vars.iter().map(|&var| variable(&applied.vars, var, equation.left.span)).collect();
    applied.left =
        Term { kind: Kind::Call(callee.clone(), args), ty: result.clone(), span: equation.left.span };
    applied.right = right;
    Some(applied)
}

fn variable(vars: &[Variable], var: usize, span: Span) -> Term {
    Term { kind: Kind::Var(var), ty: vars[var].ty.clone(), span }
}
