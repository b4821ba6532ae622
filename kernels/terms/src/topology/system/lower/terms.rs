//! Right-hand sides and conditions as graphs: scalars at once, everything else as terms that are rewritten.
//!
//! Equal subterms of one scope are one node, as in the plan of terms; the second operand of a lazy operator knows what
//! has been evaluated before it, and what it evaluates itself is not known to what follows.

use gchr_base::rule::Const;
use gchr_base::signature::SymbolKind;

use super::*;

/// What one right-hand side, one condition or one second operand evaluates.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub graph: Graph,
    /// Operators on terms, by operator, sort of the operands, and operands.
    operations: HashMap<(Op, SortId, Vec<Ref>), Ref>,
    /// Lazy operators with their second operands.
    junctions: HashMap<(Op, Ref), Vec<(&'a Expr, Ref)>>,
    /// Symbols repeated many times.
    repeats: HashMap<(SymbolId, u32, Ref), Ref>,
    /// Subterms that have been evaluated before this scope was entered, by place, and the variables that hold them.
    captured: HashMap<*const Expr, VarId>,
}

/// What is known of an expression in a scope.
#[derive(Clone, Copy)]
struct Known {
    /// Its value, if it has been evaluated.
    value: Option<Ref>,
    /// Whether rules may apply when it is evaluated.
    works: bool,
}

impl<'a> Lowering<'a> {
    /// A slot for the expression's value.
    pub(super) fn term(&mut self, expr: &'a Expr, scope: &mut Scope<'a>) -> Ref {
        if let Some(&var) = scope.captured.get(&std::ptr::from_ref(expr)) {
            return Ref::Var(var);
        }
        match &expr.kind {
            ExprKind::Var(var) => Ref::Var(*var),
            ExprKind::App { symbol, args } => {
                let args = args.iter().map(|a| self.term(a, scope)).collect();
                Ref::Node(scope.graph.add(Node::Apply(self.head_of(*symbol), args)))
            }
            ExprKind::Repeat { symbol, count, arg } => self.repeat(*symbol, *count, arg, scope),
            ExprKind::Const(_) | ExprKind::Op { .. } if self.is_scalar(expr) => {
                let value = self.scalar(expr, scope);
                Ref::Node(scope.graph.add(self.boxed(expr.sort, value)))
            }
            ExprKind::Const(_) => unreachable!("term programs have numbers only as constants"),
            ExprKind::Op { op, args } => self.operation(expr, *op, args, scope),
        }
    }

    /// The node that puts a scalar into a slot.
    fn boxed(&self, sort: SortId, value: NodeId) -> Node {
        match self.kind(sort) {
            SortKind::Int => Node::Number { value, float: false },
            SortKind::Float => Node::Number { value, float: true },
            _ => Node::Truth(value),
        }
    }

    fn repeat(&mut self, symbol: SymbolId, count: u32, arg: &'a Expr, scope: &mut Scope<'a>) -> Ref {
        let arg = self.term(arg, scope);
        let (heads, long) = self.repeated(self.head_of(symbol), count);
        if !long {
            return heads
                .into_iter()
                .fold(arg, |at, head| Ref::Node(scope.graph.add(Node::Apply(head, vec![at]))));
        }
        if let Some(&known) = scope.repeats.get(&(symbol, count, arg)) {
            return known;
        }
        let graph = &mut scope.graph;
        let value =
            heads.into_iter().fold(arg, |at, head| Ref::Node(graph.fresh(Node::Apply(head, vec![at]))));
        scope.repeats.insert((symbol, count, arg), value);
        value
    }

    /// An operator whose operands have to be rewritten first.
    fn operation(&mut self, expr: &'a Expr, op: Op, args: &'a [Expr], scope: &mut Scope<'a>) -> Ref {
        let site = Site { rule: self.rule, span: expr.span };
        if let (Op::Both | Op::Either, [a, b]) = (op, args) {
            return self.junction(op, a, b, site, scope);
        }
        let operand = args.first().map_or(expr.sort, |a| a.sort);
        let args: Vec<Ref> = args.iter().map(|a| self.term(a, scope)).collect();
        let key = (op, operand, args);
        if let Some(&known) = scope.operations.get(&key) {
            return known;
        }
        let args = key.2.clone();
        let structural = matches!(op, Op::Same | Op::Differ) && self.kind(operand) == SortKind::Data;
        let value = if structural {
            let same = Ref::Node(scope.graph.add(Node::Apply(self.system.same_head, args)));
            if op == Op::Same {
                same
            } else {
                let negate = self.operator(Op::Negate, expr.sort, site);
                Ref::Node(scope.graph.add(Node::Apply(negate, vec![same])))
            }
        } else {
            let operator = self.operator(op, operand, site);
            Ref::Node(scope.graph.add(Node::Apply(operator, args)))
        };
        scope.operations.insert(key, value);
        value
    }

    /// `a && b` or `a || b`: a continuation that holds what the evaluation of `b` needs.
    fn junction(&mut self, op: Op, a: &'a Expr, b: &'a Expr, site: Site, scope: &mut Scope<'a>) -> Ref {
        let first = self.term(a, scope);
        if let Some(known) = scope.junction(op, first, b) {
            return known;
        }
        let (held, patterns, captured) = self.capture(b, scope);
        let next = self.step_head(format!("lazy_{}", self.system.heads.len()), 1 + held.len());
        let goes_on = op == Op::Both;
        let mut later = Scope { captured, ..Scope::default() };
        let mut second = self.term(b, &mut later);
        if self.open_truth
            && matches!(b.kind, ExprKind::Var(_) | ExprKind::App { .. } | ExprKind::Repeat { .. })
        {
            let check = self.operator(op, b.sort, site);
            second = Ref::Node(later.graph.add(Node::Apply(check, vec![second])));
        }
        let mut all = vec![self.truth(goes_on)];
        all.extend(patterns);
        self.step(next, all, EquationResult::Term(second), later.graph);
        self.truth_step(next, vec![self.truth(!goes_on)], Some(!goes_on));
        self.type_error(next, op, site, 1);
        let mut args = vec![first];
        args.extend(held);
        let value = Ref::Node(scope.graph.add(Node::Apply(next, args)));
        scope.junctions.entry((op, first)).or_default().push((b, value));
        value
    }

    /// What an expression that is evaluated later needs: variables, and subterms with work that has been done already.
    /// Gives the values, the patterns that bind them again, and the variables of the subterms by place.
    fn capture(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'a>,
    ) -> (Vec<Ref>, Vec<Pattern>, HashMap<*const Expr, VarId>) {
        let mut known = HashMap::default();
        self.known(expr, scope, &mut known);
        let (mut held, mut patterns) = (Vec::new(), Vec::new());
        let mut captured = HashMap::default();
        let mut vars: HashMap<Ref, VarId> = HashMap::default();
        let mut hold = |value: Ref, var: VarId| {
            *vars.entry(value).or_insert_with(|| {
                held.push(value);
                patterns.push(Pattern::Bind(var));
                var
            })
        };
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            if let Some(&value) = known.get(&std::ptr::from_ref(expr)) {
                let var = hold(value, VarId(self.next_var));
                self.next_var += 1;
                captured.insert(std::ptr::from_ref(expr), var);
                continue;
            }
            match &expr.kind {
                ExprKind::Var(var) => {
                    hold(Ref::Var(*var), *var);
                }
                ExprKind::App { args, .. } | ExprKind::Op { args, .. } => todo.extend(args.iter().rev()),
                ExprKind::Repeat { arg, .. } => todo.push(arg),
                ExprKind::Const(_) => {}
            }
        }
        (held, patterns, captured)
    }

    /// Notes by place all subterms of an expression with work that a scope has done.
    fn known(&mut self, expr: &'a Expr, scope: &Scope<'a>, found: &mut HashMap<*const Expr, Ref>) -> Known {
        if let Some(&var) = scope.captured.get(&std::ptr::from_ref(expr)) {
            found.insert(std::ptr::from_ref(expr), Ref::Var(var));
            return Known { value: Some(Ref::Var(var)), works: true };
        }
        let known = match &expr.kind {
            ExprKind::Var(var) => Known { value: Some(Ref::Var(*var)), works: false },
            ExprKind::Const(_) | ExprKind::Op { .. } if self.is_scalar(expr) => {
                let node = self.known_scalar(expr, scope).map(|value| self.boxed(expr.sort, value));
                let value = node.and_then(|node| scope.graph.find(&node)).map(Ref::Node);
                Known { value, works: false }
            }
            ExprKind::Const(_) => Known { value: None, works: false },
            ExprKind::App { symbol, args } => {
                let defined = self.program.signature.symbols[*symbol].kind == SymbolKind::Defined;
                let head = self.head_of(*symbol);
                let (args, works) = self.all_known(args, scope, found);
                let args: Option<Vec<Ref>> = args.into_iter().collect();
                let node = args.and_then(|args| scope.graph.find(&Node::Apply(head, args)));
                Known { value: node.map(Ref::Node), works: works || defined }
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let defined = self.program.signature.symbols[*symbol].kind == SymbolKind::Defined;
                let Known { value, works } = self.known(arg, scope, found);
                let (heads, long) = self.repeated(self.head_of(*symbol), *count);
                let value = value.and_then(|arg| match long {
                    true => scope.repeats.get(&(*symbol, *count, arg)).copied(),
                    false => heads.into_iter().try_fold(arg, |at, head| {
                        scope.graph.find(&Node::Apply(head, vec![at])).map(Ref::Node)
                    }),
                });
                Known { value, works: works || defined }
            }
            ExprKind::Op { op, args } => {
                let operand = args.first().map_or(expr.sort, |a| a.sort);
                let (values, works) = self.all_known(args, scope, found);
                let value = match (op, args.as_slice()) {
                    (Op::Both | Op::Either, [_, b]) => {
                        values[0].and_then(|first| scope.junction(*op, first, b))
                    }
                    _ => values
                        .into_iter()
                        .collect::<Option<Vec<Ref>>>()
                        .and_then(|args| scope.operations.get(&(*op, operand, args)).copied()),
                };
                Known { value, works }
            }
        };
        if let Known { value: Some(value), works: true } = known {
            found.insert(std::ptr::from_ref(expr), value);
        }
        known
    }

    /// The values of expressions that are known, and whether one of them works.
    fn all_known(
        &mut self,
        exprs: &'a [Expr],
        scope: &Scope<'a>,
        found: &mut HashMap<*const Expr, Ref>,
    ) -> (Vec<Option<Ref>>, bool) {
        let known: Vec<Known> = exprs.iter().map(|expr| self.known(expr, scope, found)).collect();
        let works = known.iter().any(|known| known.works);
        (known.into_iter().map(|known| known.value).collect(), works)
    }

    /// Whether the expression is arithmetic on numbers that are at hand.
    pub(super) fn is_scalar(&self, expr: &Expr) -> bool {
        let number = |e: &Expr| matches!(self.kind(e.sort), SortKind::Int | SortKind::Float);
        match &expr.kind {
            ExprKind::Var(_) => number(expr),
            ExprKind::Const(c) => matches!(c, Const::Int(_) | Const::Float(_)),
            ExprKind::Op { op, args } => {
                (op.is_logical() || args.iter().all(number)) && args.iter().all(|a| self.is_scalar(a))
            }
            _ => false,
        }
    }

    /// The value of such an expression.
    pub(super) fn scalar(&self, expr: &Expr, scope: &mut Scope<'a>) -> NodeId {
        let graph = &mut scope.graph;
        self.each_scalar(expr, &mut |node| Some(graph.add(node))).expect("a new node is always found")
    }

    fn known_scalar(&self, expr: &Expr, scope: &Scope<'a>) -> Option<NodeId> {
        self.each_scalar(expr, &mut |node| scope.graph.find(&node))
    }

    /// Gives each node of such an expression, children first, to `place`; the last one's place is the value.
    fn each_scalar(&self, expr: &Expr, place: &mut dyn FnMut(Node) -> Option<NodeId>) -> Option<NodeId> {
        let float = |e: &Expr| self.kind(e.sort) == SortKind::Float;
        let node = match &expr.kind {
            ExprKind::Var(var) => Node::Payload { var: *var, float: float(expr) },
            ExprKind::Const(Const::Int(n)) => Node::Int(*n),
            ExprKind::Const(Const::Float(x)) => Node::Float(x.to_bits()),
            ExprKind::Op { op, args } => {
                let is_float = args.first().is_some_and(float);
                let args = args.iter().map(|a| self.each_scalar(a, place)).collect::<Option<Vec<_>>>()?;
                let site = Site { rule: self.rule, span: expr.span };
                Node::Compute { op: *op, float: is_float, args, site }
            }
            _ => unreachable!("no scalar"),
        };
        place(node)
    }
}

impl<'a> Scope<'a> {
    /// A lazy operator that has been evaluated on this first value and an expression equal to this second one.
    fn junction(&self, op: Op, first: Ref, second: &Expr) -> Option<Ref> {
        let known = self.junctions.get(&(op, first))?;
        known.iter().find(|(expr, _)| same_expr(expr, second)).map(|(_, value)| *value)
    }
}

/// Whether two expressions are equal but for their places.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    let same_all =
        |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_expr(a, b));
    match (&a.kind, &b.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
        (ExprKind::App { symbol: f, args: a }, ExprKind::App { symbol: g, args: b }) => {
            f == g && same_all(a, b)
        }
        (ExprKind::Op { op: f, args: a }, ExprKind::Op { op: g, args: b }) => f == g && same_all(a, b),
        (
            ExprKind::Repeat { symbol: f, count: m, arg: a },
            ExprKind::Repeat { symbol: g, count: n, arg: b },
        ) => f == g && m == n && same_expr(a, b),
        _ => false,
    }
}
