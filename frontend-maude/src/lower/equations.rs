//! Equations and memberships to rules.

use super::pattern::{Matching, needs_search, readings};
use super::step::{Env, REACHED, Search, Step, Stepped, Then, Unmatched, Width};
use super::steps::{occurrences, same_variable};
use super::*;
use crate::syntax::EquationKind;
use crate::term::Condition;

/// What a rule gives.
#[derive(Clone, Copy)]
pub(super) enum Gives<'t> {
    Term(&'t Term),
    /// The same, with the arguments of an operator that an equation did not match: before it, and behind it; and the
    /// variables whose values are evaluated before.
    Extended(&'t Term, usize, &'t [(Key, bool)], &'t [Key]),
    Value(&'t Expr),
    /// The same, with what is left of the two arguments that an equation was tried on, and a variable for that.
    Apart(&'t Term, usize, &'t [Key; 2], Option<&'t Key>),
    /// A step by a rule: the same, with the arguments that the rule did not match.
    Step(&'t Term, Option<(usize, &'t [(Key, bool)])>, Stepped),
}

impl Lower<'_> {
    pub(super) fn equations(&mut self) {
        let rules = self.space.rules.clone();
        for op in 0..self.space.signature.ops.len() {
            self.special(op);
            self.special_float(op);
            self.special_string(op);
        }
        let mut equations: Vec<&Rule> = Vec::new();
        for rule in rules.iter().filter(|rule| rule.kind == EquationKind::Equation) {
            if self.has_values(rule) {
                equations.push(rule);
            }
        }
        // Those that hold where no other one does come last.
        equations.sort_by_key(|rule| rule.otherwise);
        let collapsed: Vec<Rule> = equations.iter().filter_map(|rule| self.collapsed(rule)).collect();
        self.space.with_equations.extend(with_equations(&self.space.signature, &collapsed));
        let mut all = equations.clone();
        let first_last = all.iter().position(|rule| rule.otherwise).unwrap_or(all.len());
        all.splice(first_last..first_last, &collapsed);
        self.find_apart(&all);
        for rule in &all {
            self.equation(rule);
        }
        // Where some equations are tried on all arguments, all are.
        for rule in all {
            self.also_together(rule);
        }
        for op in 0..self.space.signature.ops.len() {
            if has_axioms(&self.space.signature.ops[op]) {
                self.applied(op);
            }
        }
    }

    /// Whether all variables of a rule have values where they are used; if not, it is reported and left out.
    pub(super) fn has_values(&mut self, rule: &Rule) -> bool {
        let mut bound = Variables::default();
        rule.left.variables(&mut bound);
        let mut missing: Option<(Arc<str>, Span)> = None;
        let mut used = |term: &Term, bound: &Variables<'_>| {
            let mut found = Variables::default();
            term.variables(&mut found);
            let first = found.iter().find(|(name, of, _)| !bound.has(name, of));
            missing = missing.take().or_else(|| first.map(|(name, _, span)| ((*name).clone(), *span)));
        };
        for condition in &rule.conditions {
            match condition {
                Condition::Equal(a, b) => [a, b].into_iter().for_each(|term| used(term, &bound)),
                Condition::HasSort(term, _) | Condition::Holds(term) => used(term, &bound),
                Condition::Match(pattern, value) => {
                    used(value, &bound);
                    pattern.variables(&mut bound);
                }
            }
        }
        if let Some(right) = &rule.right {
            used(right, &bound);
        }
        if let Some((name, span)) = &missing {
            let found = Diagnostic::warning(
                "T3302",
                format!("variable `{name}` has no value: the equation is left out"),
            )
            .label(*span, "used here")
            .help(format!("let `{name}` occur on the left-hand side, or in a pattern of `:=` before"));
            self.report(found);
        }
        missing.is_none()
    }

    fn equation(&mut self, rule: &Rule) {
        let Some(right) = &rule.right else { return };
        let (key, args) = match &rule.left.kind {
            TermKind::App(key, args) => (key, args.as_slice()),
            TermKind::Repeat(key, ..)
                if self.space.signature.ops[self.op(key)].properties.special.is_none() =>
            {
                let reason = "it has no operator outermost that equations can be for";
                return self.left_out(Unmatched { span: rule.left.span, reason });
            }
            TermKind::Repeat(..)
            | TermKind::Var(..)
            | TermKind::Number(_)
            | TermKind::Text(..)
            | TermKind::Value(..) => {
                return self.not_for(rule.left.span);
            }
            TermKind::Special(..) | TermKind::HasSort(..) | TermKind::Operation(..) => {
                let reason = "what this stands for is built in";
                return self.left_out(Unmatched { span: rule.left.span, reason });
            }
        };
        let op = self.op(key);
        let declared = &self.space.signature.ops[op];
        if matches!(declared.properties.special.as_deref(), Some("zero" | "succ")) {
            return self.not_for(rule.left.span);
        }
        let made = match has_axioms(declared) {
            true => self.at_axioms(op, rule, right),
            false => {
                let args: Vec<&Term> = args.iter().collect();
                self.free(self.space.calls[op], &args, &rule.conditions, Gives::Term(right), rule.span)
            }
        };
        if let Err(found) = made {
            self.left_out(found);
        }
    }

    /// An equation for what is no application of an operator here.
    fn not_for(&mut self, span: Span) {
        let what = "equations for numbers, texts and variables";
        self.out.diagnostics.push(*crate::parser::unsupported(span, what));
    }

    pub(super) fn left_out(&mut self, found: Unmatched) {
        let found = Diagnostic::warning(
            "T3301",
            "this left-hand side matches nothing: the equation is left out",
        )
        .label(found.span, found.reason)
        .help("a left-hand side is an operator applied to variables and to what normal forms are made of");
        self.report(found);
    }

    /// A rule is used by several functions, and what is wrong with it is said once.
    fn report(&mut self, found: Diagnostic) {
        if !self.out.diagnostics.contains(&found) {
            self.out.diagnostics.push(found);
        }
    }

    /// The rules that say that values of a membership have its sort.
    pub(super) fn membership(&mut self, symbol: SymbolId, rule: &Rule, body: Expr) {
        if !self.has_values(rule) {
            return;
        }
        let made = self.free(symbol, &[&rule.left], &rule.conditions, Gives::Value(&body), rule.span);
        if let Err(found) = made {
            self.left_out(found);
        }
    }

    /// Rules for a symbol whose arguments are like some patterns.
    pub(super) fn free(
        &mut self,
        symbol: SymbolId,
        args: &[&Term],
        conditions: &[Condition],
        gives: Gives<'_>,
        span: Span,
    ) -> Result<(), Unmatched> {
        for mut matching in readings(self.space, args.iter().copied()) {
            let mut patterns = Vec::new();
            for arg in args {
                patterns.push(self.pattern(&mut matching, arg)?);
            }
            let steps = matching.pending.drain(..).map(|(key, term)| Step::Is(key, term)).collect();
            self.complete(symbol, matching, patterns, steps, conditions, gives, span)?;
        }
        Ok(())
    }

    /// The conditions of a rule and what it gives. Where a search is needed, the conditions are part of it.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn complete<'t>(
        &mut self,
        symbol: SymbolId,
        mut matching: Matching<'t>,
        mut patterns: Vec<Pattern>,
        mut steps: Vec<Step<'t>>,
        conditions: &'t [Condition],
        gives: Gives<'t>,
        span: Span,
    ) -> Result<(), Unmatched> {
        let new = match gives {
            Gives::Step(right, extended, Stepped::New(reach)) => Some((right, extended, reach)),
            _ => None,
        };
        if let Some((.., reach)) = new {
            patterns.extend(self.bind_reached(&mut matching.cx, reach, span));
        }
        let searches = |condition: &Condition| match condition {
            Condition::Match(pattern, _) => needs_search(self.space, pattern),
            _ => false,
        };
        if steps.is_empty() && !conditions.iter().any(searches) {
            for condition in conditions {
                self.guard(&mut matching, condition)?;
            }
            if let Some((right, extended, reach)) = new {
                self.is_new(&mut matching.cx, right, extended, reach, span);
            }
        } else {
            steps.extend(conditions.iter().map(Step::Holds));
            steps.extend(new.map(|(right, extended, reach)| Step::New { right, extended, reach }));
            self.searched(&mut matching.cx, steps, gives, span)?;
        }
        let mut cx = matching.cx;
        if let Gives::Extended(_, op, _, joined) = gives {
            self.evaluate_joined(&mut cx, op, joined, span);
        }
        if let Gives::Apart(_, op, rests, Some(key)) = gives {
            self.join_rests(&mut cx, op, rests, key, span);
        }
        let body = match gives {
            Gives::Term(right) => self.expr(&cx, right),
            Gives::Value(value) => value.clone(),
            Gives::Extended(right, op, rests, _) => self.with_rests(&cx, right, op, rests, span),
            Gives::Apart(right, _, _, Some(_)) => self.expr(&cx, right),
            Gives::Apart(right, op, rests, None) => {
                let body = self.expr(&cx, right);
                self.beside_rests(&cx, body, op, rests, span)
            }
            Gives::Step(right, extended, Stepped::First(within)) => {
                let body = self.after_step(&cx, right, extended, span);
                self.app(within, vec![body], span)
            }
            Gives::Step(.., Stepped::New(reach)) => self.reached(&cx, reach, span),
        };
        self.rule(symbol, cx, patterns, body, span);
        Ok(())
    }

    /// Variables for several arguments of an operator that an equation uses on their own: arguments of two normal forms
    /// may have come together in their values, and equations for the operator may hold for these. Where the result is
    /// again an application of the operator, all its arguments are evaluated together.
    fn joined_variables(&self, op: usize, left: &Term, right: &Term) -> Vec<Key> {
        let alone = match &right.kind {
            TermKind::App(key, _) if self.op(key) == op => self.space.elements(op, right),
            _ => Vec::new(),
        };
        let within_root = |term: &Term| alone.iter().filter(|other| same_variable(other, term)).count();
        let several = self.space.elements(op, left).into_iter().filter_map(|term| match &term.kind {
            TermKind::Var(name, of) if self.space.width(op, term) != Width::One => {
                (occurrences(term, right) > within_root(term)).then(|| Key::Named(name.clone(), of.clone()))
            }
            _ => None,
        });
        several.collect()
    }

    /// Has the equations for an operator tried on the values of variables.
    fn evaluate_joined(&mut self, cx: &mut Cx, op: usize, joined: &[Key], span: Span) {
        for key in joined {
            let Some(&var) = cx.known.get(key) else { continue };
            let top = self.function(Make::Top(op));
            let value = self.app(top, vec![cx.value(var, span)], span);
            let pattern = cx.bind(key, cx.vars[var].sort, span);
            cx.matches(value, pattern);
        }
    }

    /// What an equation gives, with the arguments that it did not match.
    fn with_rests(&mut self, cx: &Cx, right: &Term, op: usize, rests: &[(Key, bool)], span: Span) -> Expr {
        let mut body = self.expr(cx, right);
        self.bring_together(op, &mut body);
        for (key, before) in rests {
            let make = if *before { Make::ExtendedBefore(op) } else { Make::Extended(op) };
            let symbol = self.function(make);
            let rest = cx.value(cx.known[key], span);
            body = self.app(symbol, vec![rest, body], span);
        }
        body
    }

    /// What a rule makes of a term.
    pub(super) fn after_step(
        &mut self,
        cx: &Cx,
        right: &Term,
        extended: Option<(usize, &[(Key, bool)])>,
        span: Span,
    ) -> Expr {
        match extended {
            Some((op, rests)) => self.with_rests(cx, right, op, rests, span),
            None => self.expr(cx, right),
        }
    }

    /// A search for the variables that are still without values.
    fn searched(
        &mut self,
        cx: &mut Cx,
        steps: Vec<Step<'_>>,
        gives: Gives<'_>,
        span: Span,
    ) -> Result<(), Unmatched> {
        let mut env: Env = cx.known.iter().map(|(key, &var)| (key.clone(), cx.vars[var].sort)).collect();
        env.sort_by_key(|(key, _)| cx.known[key]);
        let mut wanted: Env = Vec::new();
        let made = match gives {
            Gives::Apart(.., key) => key,
            _ => None,
        };
        if let Gives::Term(right)
        | Gives::Extended(right, ..)
        | Gives::Apart(right, ..)
        | Gives::Step(right, _, Stepped::First(_)) = gives
        {
            let mut variables = Variables::default();
            right.variables(&mut variables);
            for &(name, of, _) in variables.iter() {
                let key = Key::Named(name.clone(), of.clone());
                if !cx.known.contains_key(&key) && made != Some(&key) {
                    let of = self.space.signature.type_of(of).map(|of| self.space.signature.kind(of));
                    wanted.push((key, self.space.sorts[of.unwrap_or(0)]));
                }
            }
        }
        if let Gives::Step(.., Stepped::New(reach)) = gives {
            wanted.push((REACHED, self.space.sorts[reach.root]));
        }
        if let Gives::Extended(_, op, rests, _) | Gives::Step(_, Some((op, rests)), Stepped::First(_)) = gives
        {
            let lists = self.lists(self.space.signature.ops[op].range);
            let sort = |before: bool| if before { lists.sort } else { lists.left };
            wanted.extend(rests.iter().map(|(key, before)| (key.clone(), sort(*before))));
        }
        if let Gives::Apart(_, op, rests, _) = gives {
            let left = self.lists(self.space.signature.ops[op].range).left;
            wanted.extend(rests.iter().map(|key| (key.clone(), left)));
        }
        let search = self.new_search(wanted, span);
        let symbol = self.solve(Then { steps: &steps, env: &env, search: &search })?;
        let args = cx.values(&env, &[], span);
        let value = self.app(symbol, args, span);
        let found = search.wanted.iter().map(|(key, sort)| cx.bind(key, *sort, span)).collect();
        cx.matches(value, self.built(search.some, found, span));
        Ok(())
    }

    fn new_search(&mut self, wanted: Env, span: Span) -> Search {
        let name = format!("@match({})", self.out.rules.len());
        let sort = self.out.signature.sorts.push(ir::Sort { name, kind: SortKind::Data, span: None });
        let sorts = wanted.iter().map(|(_, sort)| *sort).collect();
        let some = self.symbol("@some", sorts, sort, None);
        let none = self.symbol("@none", Vec::new(), sort, None);
        Search { wanted, sort, some, none, span }
    }

    /// A condition as a goal.
    pub(super) fn guard<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        condition: &'t Condition,
    ) -> Result<(), Unmatched> {
        match condition {
            Condition::Equal(a, b) => {
                let span = a.span.to(b.span);
                let both = vec![self.expr(&matching.cx, a), self.expr(&matching.cx, b)];
                matching.cx.test(self.operation(Operator::Same, both, span));
            }
            Condition::HasSort(term, of) => {
                let value = self.expr(&matching.cx, term);
                let of = self.space.signature.type_of(of);
                if let Some(test) = of.and_then(|of| self.sort_test(of, value, term.span)) {
                    matching.cx.test(test);
                }
            }
            Condition::Holds(term) => match self.test(&matching.cx, term) {
                Some(test) => matching.cx.test(test),
                None => {
                    let value = self.expr(&matching.cx, term);
                    if value.sort == self.out.signature.booleans.sort {
                        matching.cx.test(value);
                    } else {
                        let truth = self.built(self.truth_symbol(true), Vec::new(), term.span);
                        matching.cx.matches(value, truth);
                    }
                }
            },
            Condition::Match(pattern, value) => {
                let value = self.expr(&matching.cx, value);
                self.value_is(matching, value, pattern)?;
            }
        }
        Ok(())
    }

    /// An equation for applications of an operator with axioms.
    fn at_axioms(&mut self, op: usize, rule: &Rule, right: &Term) -> Result<(), Unmatched> {
        // Such equations come before others, which may be asked for where there are no others before them.
        let comes_first = !self.out.host.in_order || !self.space.defined.contains(&op);
        if comes_first
            && (self.is_idempotence(op, rule, right)
                || self.becomes_of_pairs(op, rule)
                || self.decided_by_one(op, rule, right)?)
        {
            return Ok(());
        }
        if self.tried_apart(op, rule, right)? {
            return Ok(());
        }
        self.space.defined.insert(op);
        let symbol = self.function(Make::Top(op));
        self.flattened(symbol, op, rule, right, None)
    }

    /// A rule for values with an operator with axioms outermost, of whose arguments some may be left; in such an
    /// application; or a step to it.
    pub(super) fn flattened(
        &mut self,
        symbol: SymbolId,
        op: usize,
        rule: &Rule,
        right: &Term,
        stepped: Option<Stepped>,
    ) -> Result<(), Unmatched> {
        let span = rule.span;
        let kind = self.space.signature.ops[op].range;
        let mut cx = Cx::default();
        let subject = self.new_place();
        let pattern = cx.bind(&subject, self.space.sorts[kind], span);
        let value = cx.value(cx.known[&subject], span);
        self.has_several_arguments(&mut cx, op, value, span);
        let rests = self.extensions(op, rule);
        let steps = vec![Step::Axioms { op, subject, term: &rule.left, rests: rests.clone() }];
        let matching = Matching::new(cx);
        let joined = self.joined_variables(op, &rule.left, right);
        let gives = match stepped {
            Some(stepped) => Gives::Step(right, Some((op, &rests)), stepped),
            None => Gives::Extended(right, op, &rests, &joined),
        };
        self.complete(symbol, matching, vec![pattern], steps, &rule.conditions, gives, span)
    }

    /// `X, X = X`: equal arguments, which meet where they are put in order, become one there.
    fn is_idempotence(&mut self, op: usize, rule: &Rule, right: &Term) -> bool {
        let properties = &self.space.signature.ops[op].properties;
        let elements = self.space.elements(op, &rule.left);
        let fits = properties.assoc
            && properties.comm
            && rule.conditions.is_empty()
            && !rule.otherwise
            && elements.len() == 2
            && elements.iter().all(|term| same_variable(term, right));
        let TermKind::Var(_, of) = &right.kind else { return false };
        let of = self.space.signature.type_of(of);
        let (true, Some(of)) = (fits && !self.space.idempotent.contains_key(&op), of) else { return false };
        self.space.idempotent.insert(op, of);
        true
    }

    /// `true and X = X`: one argument decides, and the other one is any. Such equations are rules for the arguments,
    /// before these are put in order.
    fn decided_by_one(&mut self, op: usize, rule: &Rule, right: &Term) -> Result<bool, Unmatched> {
        let TermKind::App(_, args) = &rule.left.kind else { return Ok(false) };
        let properties = self.space.signature.ops[op].properties.clone();
        let [first, second] = args.as_slice() else { return Ok(false) };
        let is_any = |term: &Term| match &term.kind {
            TermKind::Var(_, of) => self.space.signature.type_of(of).is_some_and(|of| self.is_total(of)),
            _ => false,
        };
        let is_constant = |term: &Term| match &term.kind {
            TermKind::Number(_) | TermKind::Text(..) | TermKind::Value(..) => true,
            TermKind::App(key, args) => {
                args.is_empty() && !has_axioms(&self.space.signature.ops[self.op(key)])
            }
            _ => false,
        };
        let fits = is_constant(first) && is_any(second) || is_any(first) && is_constant(second);
        if !fits || !rule.conditions.is_empty() || !properties.comm || rule.otherwise {
            return Ok(false);
        }
        // Of further arguments, one may be it.
        let complete = !properties.assoc || is_constant(right) || is_any(right);
        self.space.decided.insert(op);
        let mut symbols = vec![self.space.calls[op]];
        if self.space.apart.contains(&op) {
            symbols.push(self.function(Make::Together(op)));
        }
        for symbol in symbols {
            for args in [[first, second], [second, first]] {
                self.free(symbol, &args, &[], Gives::Term(right), rule.span)?;
            }
        }
        Ok(complete)
    }

    pub(super) fn top(&mut self, symbol: SymbolId, op: usize) {
        let span = self.space.signature.ops[op].span;
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(self.space.sorts[self.space.signature.ops[op].range], span);
        let body = cx.value(value, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }
}
