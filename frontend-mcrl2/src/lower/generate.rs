//! The rules of what no equation is written for: projections and tests of `struct`s, equality, order, values of finite
//! sorts, function values.

use super::*;
use crate::scope::Access;

impl Lowering {
    /// Gives something that is used for the first time its rules.
    pub(super) fn generate(&mut self, key: &Key, symbol: SymbolId, span: Span) {
        match key {
            Key::Symbol(callee) => {
                let scope = Arc::clone(&self.scope);
                let declared = &scope.symbols[callee.symbol];
                match (&declared.access, declared.origin) {
                    (Some(access), _) => self.access(symbol, access, span),
                    (None, Origin::Library(_)) if declared.meaning == Meaning::Equations => {
                        self.library_rules(callee, span);
                    }
                    (None, Origin::Library(_)) if &*declared.name == "@updated" => {
                        self.updated(symbol, &callee.params.clone(), span);
                    }
                    _ => {}
                }
            }
            Key::Value(callee) => self.value(symbol, callee, span),
            Key::Apply(_) => {}
            Key::Equal(ty) => self.equality(symbol, ty, span),
            Key::Before(ty) => self.order(symbol, ty, span),
            Key::Rank(ty) => self.ranks(symbol, ty, span),
            Key::Elements(ty) => self.all_values(symbol, ty, span),
        }
    }

    /// The symbols that build the values of a sort, with the sorts of their arguments.
    fn builders(&self, ty: &Type) -> Vec<(Callee, Vec<Type>)> {
        let library = |names: &[&str]| -> Vec<Callee> {
            names.iter().map(|name| self.library(name, ty.args())).collect()
        };
        let callees: Vec<Callee> = match ty.con() {
            Some(Con::Bool) => library(&["false", "true"])
                .into_iter()
                .map(|callee| Callee { params: Vec::new(), ..callee })
                .collect(),
            Some(Con::Real) => library(&["@ratio"]),
            Some(Con::List) => library(&["@nil", "|>"]),
            Some(Con::FSet) => library(&["@empty", "@insert"]),
            Some(Con::FBag) => library(&["@none", "@put"]),
            Some(Con::Set) => library(&["@fin", "@cofin", "@where"]),
            Some(Con::Bag) => library(&["@finbag", "@counted"]),
            Some(Con::Data(sort)) => {
                let values = self.scope.values_of(sort, &self.with_equations);
                values.into_iter().map(|symbol| Callee { symbol, params: Vec::new() }).collect()
            }
            _ => Vec::new(),
        };
        let with_args = |callee: Callee| {
            let params = self.scope.symbols[callee.symbol].params.iter();
            let args = params.map(|ty| ty.with(&callee.params).erased()).collect();
            (callee, args)
        };
        callees.into_iter().map(with_args).collect()
    }

    /// An application of a builder to new variables.
    fn built(
        &mut self,
        cx: &mut Cx<'_>,
        (callee, args): &(Callee, Vec<Type>),
        ty: &Type,
        span: Span,
    ) -> (Pattern, Vec<VarId>) {
        let mut vars = Vec::new();
        let mut patterns = Vec::new();
        for arg in args {
            let (var, pattern) = self.new_var(cx, "x", arg, span);
            vars.push(var);
            patterns.push(pattern);
        }
        let sort = self.sort(ty);
        let name = &*self.scope.symbols[callee.symbol].name;
        let symbol = match (ty.con(), name) {
            (Some(Con::Bool), "true") => self.signature.booleans.true_symbol,
            (Some(Con::Bool), _) => self.signature.booleans.false_symbol,
            _ => self.symbol(callee, span),
        };
        (Pattern { kind: PatternKind::App { symbol, args: patterns }, sort, span }, vars)
    }

    fn access(&mut self, symbol: SymbolId, access: &Access, span: Span) {
        let scope = Arc::clone(&self.scope);
        let of = |constructor: usize| scope.symbols[constructor].result.clone();
        let builder = |id: usize| {
            let args = scope.symbols[id].params.iter().map(Type::erased).collect();
            (Callee { symbol: id, params: Vec::new() }, args)
        };
        match access {
            Access::Projection(places) => {
                for &(constructor, at) in places {
                    let mut cx = Cx::new(&[], None);
                    let (pattern, vars) = self.built(&mut cx, &builder(constructor), &of(constructor), span);
                    let body = self.value_of(&cx, vars[at], span);
                    self.rule(symbol, cx, vec![pattern], Vec::new(), body, span);
                }
            }
            Access::Test(constructor) => {
                for other in self.builders(&of(*constructor)) {
                    let mut cx = Cx::new(&[], None);
                    let (pattern, _) = self.built(&mut cx, &other, &of(*constructor), span);
                    let body = self.truth(other.0.symbol == *constructor, span);
                    self.rule(symbol, cx, vec![pattern], Vec::new(), body, span);
                }
            }
        }
    }

    /// `f[a -> b]` applied.
    fn updated(&mut self, symbol: SymbolId, params: &[Type], span: Span) {
        let [from, to] = params else { return };
        let (from, to) = (from.clone(), to.clone());
        let function = Type::function(vec![from.clone()], to.clone());
        let apply = self.apply_symbol(&function, span);
        for same in [true, false] {
            let mut cx = Cx::new(&[], None);
            let (inner, inner_pattern) = self.new_var(&mut cx, "f", &function, span);
            let (at, at_pattern) = self.new_var(&mut cx, "a", &from, span);
            let (value, value_pattern) = self.new_var(&mut cx, "b", &to, span);
            let (arg, arg_pattern) = self.new_var(&mut cx, "x", &from, span);
            let sort = self.sort(&function);
            let args = vec![inner_pattern, at_pattern, value_pattern];
            let updated = Pattern { kind: PatternKind::App { symbol, args }, sort, span };
            let (guard, body) = if same {
                let (at, arg) = (self.value_of(&cx, at, span), self.value_of(&cx, arg, span));
                (vec![self.equal(&from, at, arg, span)], self.value_of(&cx, value, span))
            } else {
                let args = vec![self.value_of(&cx, inner, span), self.value_of(&cx, arg, span)];
                (Vec::new(), self.app(apply, args, &to, span))
            };
            self.rule(apply, cx, vec![updated, arg_pattern], guard, body, span);
        }
    }

    /// A symbol as a value, applied.
    fn value(&mut self, symbol: SymbolId, callee: &Callee, span: Span) {
        let scope = Arc::clone(&self.scope);
        let declared = &scope.symbols[callee.symbol];
        let ty = declared.value_type().with(&callee.params);
        let apply = self.apply_symbol(&ty, span);
        let params: Vec<Type> = declared.params.iter().map(|ty| ty.with(&callee.params)).collect();
        let variable = |ty: &Type| Variable { name: "x".into(), ty: ty.clone(), span };
        let table: Vec<Variable> = params.iter().map(variable).collect();
        let mut cx = Cx::new(&table, None);
        let sort = self.sort(&ty);
        let mut args = vec![Pattern { kind: PatternKind::App { symbol, args: Vec::new() }, sort, span }];
        args.extend((0..table.len()).map(|var| self.own_var(&mut cx, var, span)));
        let values = (0..table.len()).map(|var| super::variable(&table, var, span)).collect();
        let result = declared.result.with(&callee.params);
        let call = Term { kind: Kind::Call(callee.clone(), values), ty: result, span };
        let body = self.expr(&mut cx, &call);
        self.rule(apply, cx, args, Vec::new(), body, span);
    }

    /// Whether values of a sort are the same exactly if they look the same.
    pub(super) fn is_plain(&self, ty: &Type) -> bool {
        let (mut todo, mut seen) = (vec![ty.clone()], HashSet::default());
        while let Some(ty) = todo.pop() {
            match ty.con() {
                Some(Con::Function | Con::Set | Con::Bag) => return false,
                Some(Con::Data(sort)) if seen.insert(sort) => {
                    let symbols = &self.scope.constructors[sort as usize];
                    todo.extend(symbols.iter().flat_map(|&id| self.scope.symbols[id].params.iter().cloned()));
                }
                _ => todo.extend(ty.args().iter().cloned()),
            }
        }
        true
    }

    fn equality(&mut self, symbol: SymbolId, ty: &Type, span: Span) {
        if let Some((params, result)) = ty.as_function() {
            return self.equal_functions(symbol, ty, params, result, span);
        }
        let builders = self.builders(ty);
        for builder in &builders {
            let mut cx = Cx::new(&[], None);
            let (left, left_vars) = self.built(&mut cx, builder, ty, span);
            let (right, right_vars) = self.built(&mut cx, builder, ty, span);
            let mut body = self.truth(true, span);
            for ((a, b), arg) in left_vars.iter().zip(&right_vars).zip(&builder.1).rev() {
                let (a, b) = (self.value_of(&cx, *a, span), self.value_of(&cx, *b, span));
                let test = self.equal(arg, a, b, span);
                body = match body.kind {
                    ExprKind::App { .. } => test,
                    _ => self.operation(Op::Both, vec![test, body], span),
                };
            }
            self.rule(symbol, cx, vec![left, right], Vec::new(), body, span);
        }
        if builders.len() > 1 {
            let mut cx = Cx::new(&[], None);
            let args = [0, 1].map(|_| self.new_var(&mut cx, "x", ty, span).1).to_vec();
            let body = self.truth(false, span);
            self.rule(symbol, cx, args, Vec::new(), body, span);
        }
    }

    /// The same function, or one with the same values where there are finitely many; else it is not known.
    fn equal_functions(&mut self, symbol: SymbolId, ty: &Type, params: &[Type], result: &Type, span: Span) {
        let mut cx = Cx::new(&[], None);
        let (a, left) = self.new_var(&mut cx, "f", ty, span);
        let (b, right) = self.new_var(&mut cx, "g", ty, span);
        let values = vec![self.value_of(&cx, a, span), self.value_of(&cx, b, span)];
        let same = self.operation(Op::Same, values, span);
        let body = self.truth(true, span);
        self.rule(symbol, cx, vec![left, right], vec![same], body, span);
        let [param] = params else { return };
        if !self.is_finite(param) {
            return;
        }
        let (bool, list) = (Type::basic(Con::Bool), Type::of(Con::List, param.clone()));
        let everywhere = self.fresh("==", &[ty.clone(), ty.clone(), list.clone()], &bool, span);
        let mut cx = Cx::new(&[], None);
        let (a, left) = self.new_var(&mut cx, "f", ty, span);
        let (b, right) = self.new_var(&mut cx, "g", ty, span);
        let elements = self.elements(param, span);
        let args = vec![self.value_of(&cx, a, span), self.value_of(&cx, b, span), elements];
        let body = self.app(everywhere, args, &bool, span);
        self.rule(symbol, cx, vec![left, right], Vec::new(), body, span);
        let mut cx = Cx::new(&[], None);
        let args = vec![
            self.new_var(&mut cx, "f", ty, span).1,
            self.new_var(&mut cx, "g", ty, span).1,
            self.nil_pattern(param, span),
        ];
        let body = self.truth(true, span);
        self.rule(everywhere, cx, args, Vec::new(), body, span);
        let mut cx = Cx::new(&[], None);
        let (a, left) = self.new_var(&mut cx, "f", ty, span);
        let (b, right) = self.new_var(&mut cx, "g", ty, span);
        let (at, first) = self.new_var(&mut cx, "x", param, span);
        let (rest, rest_pattern) = self.new_var(&mut cx, "rest", &list, span);
        let cons = self.cons_pattern(param, first, rest_pattern, span);
        let apply = self.apply_symbol(ty, span);
        let [at_a, at_b] = [a, b].map(|f| {
            let args = vec![self.value_of(&cx, f, span), self.value_of(&cx, at, span)];
            self.app(apply, args, result, span)
        });
        let test = self.equal(result, at_a, at_b, span);
        let again = [a, b, rest].map(|var| self.value_of(&cx, var, span)).to_vec();
        let again = self.app(everywhere, again, &bool, span);
        let body = self.operation(Op::Both, vec![test, again], span);
        self.rule(everywhere, cx, vec![left, right, cons], Vec::new(), body, span);
    }

    /// By the positions of constructors, then by arguments from left to right.
    fn order(&mut self, symbol: SymbolId, ty: &Type, span: Span) {
        let builders = self.builders(ty);
        for builder in builders.iter().filter(|(_, args)| !args.is_empty()) {
            let mut cx = Cx::new(&[], None);
            let (left, left_vars) = self.built(&mut cx, builder, ty, span);
            let (right, right_vars) = self.built(&mut cx, builder, ty, span);
            let mut body: Option<Expr> = None;
            for ((a, b), arg) in left_vars.iter().zip(&right_vars).zip(&builder.1).rev() {
                let [a, b] = [*a, *b].map(|var| self.value_of(&cx, var, span));
                let before = self.before(arg, a.clone(), b.clone(), span);
                body = Some(match body {
                    None => before,
                    Some(rest) => {
                        let equal = self.equal(arg, a, b, span);
                        let then = self.operation(Op::Both, vec![equal, rest], span);
                        self.operation(Op::Either, vec![before, then], span)
                    }
                });
            }
            if let Some(body) = body {
                self.rule(symbol, cx, vec![left, right], Vec::new(), body, span);
            }
        }
        if builders.is_empty() || builders.len() == 1 && !builders[0].1.is_empty() {
            return;
        }
        let int = Type::basic(Con::Int);
        let rank = self.keyed(Key::Rank(ty.clone()), "rank", std::slice::from_ref(ty), &int, span);
        let mut cx = Cx::new(&[], None);
        let (a, left) = self.new_var(&mut cx, "x", ty, span);
        let (b, right) = self.new_var(&mut cx, "y", ty, span);
        let [a, b] = [a, b].map(|var| {
            let arg = self.value_of(&cx, var, span);
            self.app(rank, vec![arg], &int, span)
        });
        let body = self.operation(Op::Lt, vec![a, b], span);
        self.rule(symbol, cx, vec![left, right], Vec::new(), body, span);
    }

    fn ranks(&mut self, symbol: SymbolId, ty: &Type, span: Span) {
        let sort = self.sort(&Type::basic(Con::Int));
        for (position, builder) in self.builders(ty).iter().enumerate() {
            let mut cx = Cx::new(&[], None);
            let (pattern, _) = self.built(&mut cx, builder, ty, span);
            let body = Expr { kind: ExprKind::Const(Const::Int(position as i64)), sort, span };
            self.rule(symbol, cx, vec![pattern], Vec::new(), body, span);
        }
    }

    /// All values of a finite sort: those of the last constructor are put before an empty list, and so on.
    fn all_values(&mut self, symbol: SymbolId, ty: &Type, span: Span) {
        let list = Type::of(Con::List, ty.clone());
        let composed = match ty.con() {
            Some(Con::FSet) => Some(("@subsets", ty.args().to_vec())),
            Some(Con::Set) => Some(("@sets", vec![Type::of(Con::FSet, ty.args()[0].clone())])),
            Some(Con::Function) => Some(("@functions", ty.args().to_vec())),
            _ => None,
        };
        if let Some((name, of)) = composed {
            let args = of.iter().map(|of| self.elements(of, span)).collect();
            let function = self.symbol(&self.library(name, ty.args()), span);
            let body = self.app(function, args, &list, span);
            return self.rule(symbol, Cx::new(&[], None), Vec::new(), Vec::new(), body, span);
        }
        let nil = self.symbol(&self.library("@nil", std::slice::from_ref(ty)), span);
        let mut body = self.app(nil, Vec::new(), &list, span);
        for builder in self.builders(ty).iter().rev() {
            body = self.with_values(builder, ty, &list, body, span);
        }
        self.rule(symbol, Cx::new(&[], None), Vec::new(), Vec::new(), body, span);
    }

    /// All values of one constructor before a list. One function for each argument goes through its values.
    fn with_values(
        &mut self,
        builder: &(Callee, Vec<Type>),
        ty: &Type,
        list: &Type,
        rest: Expr,
        span: Span,
    ) -> Expr {
        let args = &builder.1;
        let through: Vec<SymbolId> = (0..args.len())
            .map(|at| {
                let of = Type::of(Con::List, args[at].clone());
                let types: Vec<Type> = args[..at].iter().chain([&of, list]).cloned().collect();
                self.fresh("values", &types, list, span)
            })
            .collect();
        for (at, &function) in through.iter().enumerate() {
            for done in [true, false] {
                let mut cx = Cx::new(&[], None);
                let (mut vars, mut patterns): (Vec<VarId>, Vec<Pattern>) =
                    args[..at].iter().map(|ty| self.new_var(&mut cx, "x", ty, span)).unzip();
                let of = Type::of(Con::List, args[at].clone());
                let further = if done {
                    patterns.push(self.nil_pattern(&args[at], span));
                    None
                } else {
                    let (var, first) = self.new_var(&mut cx, "x", &args[at], span);
                    let (further, further_pattern) = self.new_var(&mut cx, "further", &of, span);
                    patterns.push(self.cons_pattern(&args[at], first, further_pattern, span));
                    Some((var, further))
                };
                let (rest, rest_pattern) = self.new_var(&mut cx, "rest", list, span);
                patterns.push(rest_pattern);
                let mut body = self.value_of(&cx, rest, span);
                if let Some((var, further)) = further {
                    let mut again: Vec<Expr> =
                        vars.iter().map(|&var| self.value_of(&cx, var, span)).collect();
                    again.extend([self.value_of(&cx, further, span), body]);
                    let again = self.app(function, again, list, span);
                    vars.push(var);
                    let values = vars.iter().map(|&var| self.value_of(&cx, var, span)).collect();
                    body = self.next_values(builder, &through, ty, list, values, again, span);
                }
                self.rule(function, cx, patterns, Vec::new(), body, span);
            }
        }
        self.next_values(builder, &through, ty, list, Vec::new(), rest, span)
    }

    /// With values for some arguments: goes through those of the next one, or builds.
    #[expect(clippy::too_many_arguments)]
    fn next_values(
        &mut self,
        (callee, args): &(Callee, Vec<Type>),
        through: &[SymbolId],
        ty: &Type,
        list: &Type,
        mut values: Vec<Expr>,
        rest: Expr,
        span: Span,
    ) -> Expr {
        if let Some(arg) = args.get(values.len()) {
            let function = through[values.len()];
            values.extend([self.elements(arg, span), rest]);
            return self.app(function, values, list, span);
        }
        let value = match ty.con() {
            Some(Con::Bool) => self.truth(&*self.scope.symbols[callee.symbol].name == "true", span),
            _ => {
                let symbol = self.symbol(callee, span);
                self.app(symbol, values, ty, span)
            }
        };
        let cons = self.symbol(&self.library("|>", std::slice::from_ref(ty)), span);
        self.app(cons, vec![value, rest], list, span)
    }
}
