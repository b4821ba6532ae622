//! `search`: terms that rules can make of a term, breadth first. The function for one such command goes through the
//! terms of a level with those that have been found of the next one; its value is the list of the terms that are like
//! the pattern, in the order in which they are found.

use gchr_base::rule::{GroundNode, GroundTerm};

use super::equations::Gives;
use super::step::Reach;
use super::*;
use crate::syntax::{Search, SearchSteps};
use crate::term::Condition;

/// What stands around the solutions.
const SOLUTIONS: Brackets = Brackets { open: "SOLUTIONS(", close: ")" };

/// The functions of one search.
struct Command {
    kind: usize,
    to_end: bool,
    /// Whether a term is like the pattern.
    is_solution: SymbolId,
    /// The solutions from the terms of a level, those found of the next one, all that have been reached, the number of
    /// levels and of solutions that are still wanted, where negative numbers are no bound.
    go_on: SymbolId,
    /// The same behind one more solution.
    more: SymbolId,
    /// The same with one more term before.
    found: SymbolId,
    /// A solution before others, and none.
    solution: SymbolId,
    end: SymbolId,
}

/// The arguments of such a function.
struct State {
    level: Expr,
    next: Expr,
    seen: Expr,
    depth: Expr,
    most: Expr,
}

impl State {
    fn args(self) -> Vec<Expr> {
        vec![self.level, self.next, self.seen, self.depth, self.most]
    }
}

impl Space {
    /// The kind whose values have a sort.
    pub fn kind_of_sort(&self, sort: SortId) -> usize {
        self.sorts.iter().position(|&of| of == sort).unwrap_or(0)
    }
}

impl Lower<'_> {
    /// A term whose value are the solutions of a search from another one.
    pub fn searched_for(
        &mut self,
        mut from: GroundTerm,
        kind: usize,
        search: &Search,
        pattern: &Term,
        conditions: Vec<Condition>,
    ) -> Result<GroundTerm, Box<Diagnostic>> {
        let (span, sort) = (pattern.span, self.space.sorts[kind]);
        let is_solution = self.is_solution(pattern, conditions, sort)?;
        let sorts = &mut self.out.signature.sorts;
        let result = sorts.push(ir::Sort { name: "(solutions)".into(), kind: SortKind::Data, span: None });
        let (list, set, int) = (self.lists(kind).sort, self.sets(kind).sort, self.out.int);
        let state = vec![list, list, set, int, int];
        let with_term = [sort].into_iter().chain(state.clone()).collect();
        let command = Command {
            kind,
            to_end: search.steps == SearchSteps::ToEnd,
            is_solution,
            go_on: self.symbol("@search", state.clone(), result, None),
            more: self.symbol("@search", state, result, None),
            found: self.symbol("@search", with_term, result, None),
            solution: self.symbol("@solution", vec![sort, result], result, None),
            end: self.symbol("@solutions", Vec::new(), result, None),
        };
        let notations = &mut self.out.signature.notations;
        notations.insert(command.solution, Notation::Element(SOLUTIONS));
        notations.insert(command.end, Notation::Empty(SOLUTIONS));
        self.level_rules(&command, span);
        self.more_rules(&command, span);
        self.found_rules(&command, span);
        let start = self.symbol("search", vec![sort], result, None);
        self.start_rule(start, &command, search, span);
        from.nodes.push(GroundNode::App(start));
        from.sort = result;
        Ok(from)
    }

    fn start_rule(&mut self, symbol: SymbolId, command: &Command, search: &Search, span: Span) {
        let (kind, lists) = (command.kind, self.lists(command.kind));
        let mut cx = Cx::default();
        let (from, pattern) = cx.fresh(self.space.sorts[kind], span);
        let from = cx.value(from, span);
        let bound = |bound: Option<u32>| bound.map_or(-1, i64::from);
        let depth = if search.steps == SearchSteps::One { 1 } else { bound(search.depth) };
        let mut state = State {
            level: self.app(lists.cons, vec![from.clone(), self.nil(lists, span)], span),
            next: self.nil(lists, span),
            seen: self.empty_set(kind, span),
            depth: self.integer(depth, span),
            most: self.integer(bound(search.most), span),
        };
        // Where some step is wanted, the first term is a solution only if it is reached again.
        let counts = matches!(search.steps, SearchSteps::Any | SearchSteps::ToEnd);
        if counts {
            state.seen = self.inserted(kind, from.clone(), state.seen, span);
        }
        let body = match search.steps {
            SearchSteps::Any => {
                self.app(command.found, [from].into_iter().chain(state.args()).collect(), span)
            }
            _ => self.app(command.go_on, state.args(), span),
        };
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    /// Whether a value is like a pattern and has what is asked for.
    fn is_solution(
        &mut self,
        pattern: &Term,
        conditions: Vec<Condition>,
        sort: SortId,
    ) -> Result<SymbolId, Box<Diagnostic>> {
        let span = pattern.span;
        let truth = self.out.signature.booleans.sort;
        let symbol = self.symbol("@solution", vec![sort], truth, None);
        let rule = Rule {
            kind: EquationKind::Membership,
            left: pattern.clone(),
            right: None,
            sort: None,
            conditions,
            otherwise: false,
            span,
        };
        let rule = theory::without_identities(&self.space.signature, &Arc::new(rule));
        if self.has_values(&rule) {
            let value = self.condition(true, span);
            if let Err(found) = self.free(symbol, &[&rule.left], &rule.conditions, Gives::Value(&value), span)
            {
                self.left_out(found);
            }
        }
        let mut cx = Cx::default();
        let (_, any) = cx.fresh(sort, span);
        let value = self.condition(false, span);
        self.rule(symbol, cx, vec![any], value, span);
        Ok(symbol)
    }

    fn state(&mut self, cx: &mut Cx, command: &Command, span: Span) -> (State, Vec<Pattern>) {
        let (list, set, int) = (self.lists(command.kind).sort, self.sets(command.kind).sort, self.out.int);
        let (vars, patterns): (Vec<VarId>, Vec<Pattern>) =
            [list, list, set, int, int].into_iter().map(|sort| cx.fresh(sort, span)).unzip();
        let [level, next, seen, depth, most] = [0, 1, 2, 3, 4].map(|at| cx.value(vars[at], span));
        (State { level, next, seen, depth, most }, patterns)
    }

    fn level_rules(&mut self, command: &Command, span: Span) {
        let (kind, lists) = (command.kind, self.lists(command.kind));
        let reach = self.function(Make::Reach(Reach { kind, root: kind }));
        let (_, nothing) = self.contexts();
        let around = self.app(nothing, Vec::new(), span);
        // One step further from the first term.
        let mut cx = Cx::default();
        let (mut state, mut patterns) = self.state(&mut cx, command, span);
        let (first_pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
        let [first, rest] = [first, rest].map(|var| cx.value(var, span));
        patterns[0] = first_pattern;
        cx.test(self.operation(Operator::Ne, vec![state.depth.clone(), self.integer(0, span)], span));
        let step = self.app(reach, vec![first.clone(), around.clone(), state.seen.clone()], span);
        let (reached, reached_pattern) = cx.fresh(self.space.sorts[kind], span);
        cx.matches(step, self.built(lists.others, vec![reached_pattern], span));
        let reached = cx.value(reached, span);
        state.level = self.app(lists.cons, vec![first, rest], span);
        state.next = self.app(lists.cons, vec![reached.clone(), state.next], span);
        state.seen = self.inserted(kind, reached.clone(), state.seen, span);
        let body = match command.to_end {
            true => self.app(command.go_on, state.args(), span),
            false => self.app(command.found, [reached].into_iter().chain(state.args()).collect(), span),
        };
        self.rule(command.go_on, cx, patterns, body, span);
        // No rule applies to the first term at all.
        for is_solution in [true, false] {
            let mut cx = Cx::default();
            let (mut state, mut patterns) = self.state(&mut cx, command, span);
            let (first_pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
            let [first, rest] = [first, rest].map(|var| cx.value(var, span));
            patterns[0] = first_pattern;
            state.level = rest;
            let body = if is_solution {
                if !command.to_end {
                    continue;
                }
                cx.test(self.app(command.is_solution, vec![first.clone()], span));
                let all = self.empty_set(kind, span);
                let step = self.app(reach, vec![first.clone(), around.clone(), all], span);
                cx.matches(step, self.built(lists.no_others, Vec::new(), span));
                let further = self.app(command.more, state.args(), span);
                self.app(command.solution, vec![first, further], span)
            } else {
                self.app(command.go_on, state.args(), span)
            };
            self.rule(command.go_on, cx, patterns, body, span);
        }
        // The next level, if it has some terms.
        let mut cx = Cx::default();
        let (mut state, mut patterns) = self.state(&mut cx, command, span);
        let (next_pattern, first, rest) = self.cons_pattern(&mut cx, kind, span);
        let next = self.app(lists.cons, [first, rest].map(|var| cx.value(var, span)).to_vec(), span);
        (patterns[0], patterns[1]) = (self.nil_pattern(lists, span), next_pattern);
        let onto = self.function(Make::Onto(kind));
        state.level = self.app(onto, vec![next, self.nil(lists, span)], span);
        state.next = self.nil(lists, span);
        state.depth = self.operation(Operator::Sub, vec![state.depth, self.integer(1, span)], span);
        let body = self.app(command.go_on, state.args(), span);
        self.rule(command.go_on, cx, patterns, body, span);
        let mut cx = Cx::default();
        let (_, patterns) = self.state(&mut cx, command, span);
        let body = self.app(command.end, Vec::new(), span);
        self.rule(command.go_on, cx, patterns, body, span);
    }

    fn more_rules(&mut self, command: &Command, span: Span) {
        let mut cx = Cx::default();
        let (state, patterns) = self.state(&mut cx, command, span);
        cx.test(self.operation(Operator::Eq, vec![state.most, self.integer(1, span)], span));
        let body = self.app(command.end, Vec::new(), span);
        self.rule(command.more, cx, patterns, body, span);
        let mut cx = Cx::default();
        let (mut state, patterns) = self.state(&mut cx, command, span);
        state.most = self.operation(Operator::Sub, vec![state.most, self.integer(1, span)], span);
        let body = self.app(command.go_on, state.args(), span);
        self.rule(command.more, cx, patterns, body, span);
    }

    fn found_rules(&mut self, command: &Command, span: Span) {
        for is_solution in [true, false] {
            let mut cx = Cx::default();
            let (term, term_pattern) = cx.fresh(self.space.sorts[command.kind], span);
            let term = cx.value(term, span);
            let (state, mut patterns) = self.state(&mut cx, command, span);
            patterns.insert(0, term_pattern);
            let body = if is_solution {
                cx.test(self.app(command.is_solution, vec![term.clone()], span));
                let further = self.app(command.more, state.args(), span);
                self.app(command.solution, vec![term, further], span)
            } else {
                self.app(command.go_on, state.args(), span)
            };
            self.rule(command.found, cx, patterns, body, span);
        }
    }
}
