//! Left-hand sides of free operators. What has an operator with axioms in it is found by a search behind.

use std::collections::VecDeque;

use num_bigint::BigInt;

use super::step::{Unmatched, Width};
use super::*;

/// A rule whose left-hand side is being made.
pub(super) struct Matching<'t> {
    pub cx: Cx,
    /// Values that a search is to match.
    pub pending: Vec<(Key, &'t Term)>,
    /// What is chosen at each choice point, in textual order.
    choices: VecDeque<u8>,
    /// Whether arguments of associative operators are matched in place where that is possible.
    in_place: bool,
}

/// What a part of a pattern may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// One that is said.
    None,
    /// `s X` and `- X`: a number, or a term that stands for one.
    Number,
    /// First arguments, and a variable for the others: there are some, or none.
    Sequence,
    /// An argument, and a variable for the others: it is the first one and there are others, or it is the only one, or
    /// a search finds it.
    Collection,
}

impl Choice {
    fn count(self) -> u8 {
        match self {
            Choice::None => 1,
            Choice::Number | Choice::Sequence => 2,
            Choice::Collection => 3,
        }
    }
}

impl Matching<'_> {
    /// Without patterns that could be read in several ways.
    pub fn new(cx: Cx) -> Self {
        Self { cx, pending: Vec::new(), choices: VecDeque::new(), in_place: false }
    }

    fn choose(&mut self) -> u8 {
        self.choices.pop_front().unwrap_or(0)
    }
}

impl Space {
    /// What a pattern may be at its outermost operator.
    fn choice(&self, term: &Term, in_place: bool) -> Choice {
        let (TermKind::App(key, _) | TermKind::Repeat(key, ..)) = &term.kind else { return Choice::None };
        let Some(op) = self.signature.op(key) else { return Choice::None };
        let declared = &self.signature.ops[op];
        if has_axioms(declared) {
            return match in_place && declared.properties.assoc {
                true => self.place_of_rest(op, term).map_or(Choice::None, |(choice, _)| choice),
                false => Choice::None,
            };
        }
        match declared.properties.special.as_deref() {
            Some("succ" | "neg") => Choice::Number,
            _ => Choice::None,
        }
    }

    /// How the arguments of an associative operator are matched in place, where they can be, with these.
    fn place_of_rest<'t>(&self, op: usize, term: &'t Term) -> Option<(Choice, Vec<&'t Term>)> {
        let elements = self.elements(op, term);
        let comm = self.signature.ops[op].properties.comm;
        let one = |term: &&Term| self.width(op, term) == Width::One && !self.may_be_identity(op, term);
        if comm {
            let [first, second] = elements.as_slice() else { return None };
            let (element, rest) = if one(first) { (*first, *second) } else { (*second, *first) };
            let takes = one(&element) && self.takes_all(op, rest, &elements);
            let takes = takes && self.may_be_identity(op, rest);
            return takes.then(|| (Choice::Collection, vec![element, rest]));
        }
        let (last, before) = elements.split_last()?;
        if !before.iter().all(one) {
            return None;
        }
        match self.width(op, last) {
            Width::One if one(last) => Some((Choice::None, elements)),
            Width::Many { none } if before.iter().all(|term| !occurs(last, term)) => {
                Some((if none { Choice::Sequence } else { Choice::None }, elements))
            }
            _ => None,
        }
    }

    fn choices(&self, term: &Term, in_place: bool, found: &mut Vec<Choice>) {
        let choice = self.choice(term, in_place);
        found.extend((choice != Choice::None).then_some(choice));
        if let TermKind::App(key, _) = &term.kind
            && let Some(op) = self.signature.op(key)
            && has_axioms(&self.signature.ops[op])
        {
            if in_place && let Some((_, elements)) = self.place_of_rest(op, term) {
                elements.iter().for_each(|element| self.choices(element, in_place, found));
            }
            return;
        }
        term.children().iter().for_each(|child| self.choices(child, in_place, found));
    }
}

/// Whether a variable is in a term.
fn occurs(variable: &Term, term: &Term) -> bool {
    let (mut own, mut found) = (Variables::default(), Variables::default());
    variable.variables(&mut own);
    term.variables(&mut found);
    own.iter().any(|(name, of, _)| found.has(name, of))
}

/// The ways to read some patterns, in the order in which they are tried. Where there are many, arguments of associative
/// operators are left to a search, and successors are all of numbers or all of other terms.
pub(super) fn readings<'t>(
    space: &Space,
    terms: impl IntoIterator<Item = &'t Term> + Clone,
) -> Vec<Matching<'t>> {
    const MOST: usize = 36;
    for in_place in [true, false] {
        let mut choices = Vec::new();
        terms.clone().into_iter().for_each(|term| space.choices(term, in_place, &mut choices));
        let count = choices.iter().fold(1usize, |all, choice| all.saturating_mul(choice.count().into()));
        let reading = |choices| Matching { choices, in_place, ..Matching::new(Cx::default()) };
        if count <= MOST {
            let digits = |mut number: usize| {
                let mut digits = VecDeque::new();
                for choice in choices.iter().rev() {
                    let of = usize::from(choice.count());
                    digits.push_front((number % of) as u8);
                    number /= of;
                }
                digits
            };
            return (0..count).map(|number| reading(digits(number))).collect();
        }
        if !in_place {
            return [0, 1].map(|all| reading(choices.iter().map(|_| all).collect())).into();
        }
    }
    Vec::new()
}

/// Whether a pattern needs a search, or several readings.
pub(super) fn needs_search(space: &Space, term: &Term) -> bool {
    let own = match &term.kind {
        TermKind::App(key, args) => space.signature.op(key).is_some_and(|op| {
            let op = &space.signature.ops[op];
            has_axioms(op) && !args.is_empty()
                || matches!(op.properties.special.as_deref(), Some("succ" | "neg"))
        }),
        TermKind::Repeat(..) => true,
        _ => false,
    };
    own || term.children().iter().any(|child| needs_search(space, child))
}

impl Lower<'_> {
    pub(super) fn pattern<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        term: &'t Term,
    ) -> Result<Pattern, Unmatched> {
        let span = term.span;
        match &term.kind {
            TermKind::Var(name, of) => Ok(self.variable(matching, name, of, span)),
            TermKind::Number(number) => Ok(self.number_pattern(matching, number, span)),
            TermKind::Value(value, of) => {
                let (kind, sort) = (PatternKind::Const(*value), self.sort_of(of));
                Ok(Pattern { kind, sort, span })
            }
            TermKind::Text(text, of) => {
                if let Some((symbol, value)) = self.float(text, of) {
                    let kind = PatternKind::Const(Const::Float(value));
                    let value = Pattern { kind, sort: self.out.float(), span };
                    return Ok(self.built(symbol, vec![value], span));
                }
                if let Some((symbol, word)) = self.string_word(text, span) {
                    let ExprKind::Const(word) = word.kind else {
                        unreachable!("rules are made before a program is final")
                    };
                    let word = Pattern { kind: PatternKind::Const(word), sort: self.out.int, span };
                    return Ok(self.built(symbol, vec![word], span));
                }
                let symbol = self.text(text, of, span);
                Ok(self.built(symbol, Vec::new(), span))
            }
            TermKind::App(key, args) => {
                let op = self.op(key);
                let declared = self.space.signature.ops[op].clone();
                if matching.in_place
                    && declared.properties.assoc
                    && let Some((choice, elements)) = self.space.place_of_rest(op, term)
                    && let Some(pattern) = self.in_place(matching, op, choice, &elements, span)?
                {
                    return Ok(pattern);
                }
                if has_axioms(&declared) {
                    let place = self.new_place();
                    let pattern = matching.cx.bind(&place, self.space.sorts[declared.range], span);
                    matching.pending.push((place, term));
                    return Ok(pattern);
                }
                match (declared.properties.special.as_deref(), args.as_slice()) {
                    (Some("zero"), _) => Ok(self.number_pattern(matching, &BigInt::ZERO, span)),
                    (Some("succ"), [arg]) => self.successor(matching, op, 1, arg, span),
                    (Some("neg"), [arg]) => self.negation(matching, op, arg, span),
                    _ => {
                        let args =
                            args.iter().map(|arg| self.pattern(matching, arg)).collect::<Result<_, _>>()?;
                        Ok(self.built(self.space.values[op], args, span))
                    }
                }
            }
            TermKind::Repeat(key, count, arg) => {
                let op = self.op(key);
                if self.space.signature.ops[op].properties.special.as_deref() == Some("succ") {
                    return self.successor(matching, op, *count, arg, span);
                }
                let arg = self.pattern(matching, arg)?;
                self.repeated(op, *count, arg, span)
            }
            TermKind::Special(..) | TermKind::HasSort(..) | TermKind::Operation(..) => {
                Err(Unmatched { span, reason: "this is evaluated before equations are tried" })
            }
        }
    }

    /// An operator so many times around a pattern.
    fn repeated(&self, op: usize, count: u32, mut arg: Pattern, span: Span) -> Result<Pattern, Unmatched> {
        const MOST: u32 = 1_000;
        if count > MOST {
            return Err(Unmatched { span, reason: "a left-hand side is at most 1,000 deep" });
        }
        for _ in 0..count {
            arg = self.built(self.space.values[op], vec![arg], span);
        }
        Ok(arg)
    }

    fn variable(
        &mut self,
        matching: &mut Matching<'_>,
        name: &Arc<str>,
        of: &TypeName,
        span: Span,
    ) -> Pattern {
        let key = Key::Named(name.clone(), of.clone());
        let Some(of) = self.space.signature.type_of(of) else { unreachable!("sorts of variables are known") };
        let sort = self.space.sorts[self.space.signature.kind(of)];
        if let Some(&known) = matching.cx.known.get(&key) {
            let (again, pattern) = matching.cx.fresh(sort, span);
            let both = vec![matching.cx.value(again, span), matching.cx.value(known, span)];
            matching.cx.test(self.operation(Operator::Same, both, span));
            return pattern;
        }
        let pattern = matching.cx.bind(&key, sort, span);
        let value = matching.cx.value(matching.cx.known[&key], span);
        if let Some(test) = self.sort_test(of, value, span) {
            matching.cx.test(test);
        }
        pattern
    }

    fn number_pattern(&mut self, matching: &mut Matching<'_>, number: &BigInt, span: Span) -> Pattern {
        let Some((_, symbol)) = self.space.number else {
            unreachable!("only modules with numbers have some")
        };
        let int = self.out.int;
        let inner = match Const::of_integer(number) {
            Some(small) => Pattern { kind: PatternKind::Const(small), sort: int, span },
            None => {
                let (var, pattern) = matching.cx.fresh(int, span);
                let both = vec![matching.cx.value(var, span), Expr::integer(number, int, span)];
                matching.cx.test(self.operation(Operator::Eq, both, span));
                pattern
            }
        };
        self.built(symbol, vec![inner], span)
    }

    /// Arguments of an associative operator as the comb that they are; none if a search is to find them.
    fn in_place<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        op: usize,
        choice: Choice,
        elements: &[&'t Term],
        span: Span,
    ) -> Result<Option<Pattern>, Unmatched> {
        let chosen = if choice == Choice::None { 0 } else { matching.choose() };
        if choice == Choice::Collection && chosen == 2 {
            return Ok(None);
        }
        let Some((&last, before)) = elements.split_last() else { return Ok(None) };
        let mut patterns = Vec::new();
        for term in before {
            patterns.push(self.pattern(matching, term)?);
        }
        if choice != Choice::None && chosen == 1 {
            // The variable for the others is the identity.
            let fails = Unmatched { span, reason: "this has no identity" };
            let Some(identity) = self.identity(op) else { return Err(fails) };
            self.value_is(matching, identity, last)?;
        } else {
            patterns.push(self.pattern(matching, last)?);
        }
        let Some(mut comb) = patterns.pop() else { return Ok(None) };
        while let Some(first) = patterns.pop() {
            comb = self.built(self.space.values[op], vec![first, comb], span);
        }
        Ok(Some(comb))
    }

    /// `s X`: a number that is at least 1, or the successor of a term that is no number.
    fn successor<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        op: usize,
        count: u32,
        arg: &'t Term,
        span: Span,
    ) -> Result<Pattern, Unmatched> {
        if matching.choose() == 1 {
            let arg = self.pattern(matching, arg)?;
            return self.repeated(op, count, arg, span);
        }
        let (value, pattern) = self.some_number(matching, span);
        let count = self.integer(count.into(), span);
        matching.cx.test(self.operation(Operator::Ge, vec![value.clone(), count.clone()], span));
        let left = self.operation(Operator::Sub, vec![value, count], span);
        self.number_is(matching, left, arg, "Nat")?;
        Ok(pattern)
    }

    fn negation<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        op: usize,
        arg: &'t Term,
        span: Span,
    ) -> Result<Pattern, Unmatched> {
        if matching.choose() == 1 {
            let arg = self.pattern(matching, arg)?;
            return self.repeated(op, 1, arg, span);
        }
        let (value, pattern) = self.some_number(matching, span);
        let zero = self.integer(0, span);
        matching.cx.test(self.operation(Operator::Lt, vec![value.clone(), zero], span));
        let positive = self.operation(Operator::Neg, vec![value], span);
        self.number_is(matching, positive, arg, "NzNat")?;
        Ok(pattern)
    }

    fn some_number(&mut self, matching: &mut Matching<'_>, span: Span) -> (Expr, Pattern) {
        let Some((_, symbol)) = self.space.number else {
            unreachable!("only modules with numbers have some")
        };
        let (var, pattern) = matching.cx.fresh(self.out.int, span);
        (matching.cx.value(var, span), self.built(symbol, vec![pattern], span))
    }

    /// What is left of a number, which has a sort, is like a pattern.
    fn number_is<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        value: Expr,
        term: &'t Term,
        sort: &str,
    ) -> Result<(), Unmatched> {
        let span = term.span;
        let value = self.of_number(value, span);
        if let TermKind::Var(name, of) = &term.kind {
            let key = Key::Named(name.clone(), of.clone());
            let of = self.space.signature.type_of(of);
            let covers = |of| {
                let sort = self.space.signature.library_sort(sort).map(Type::Sort);
                sort.is_some_and(|sort| self.space.signature.is_below(sort, of))
            };
            if of.is_some_and(covers) && !matching.cx.known.contains_key(&key) {
                matching.cx.bind(&key, value.sort, span);
                let var = matching.cx.known[&key];
                matching.cx.goals.push(Goal { kind: GoalKind::Bind { var, value }, span });
                return Ok(());
            }
        }
        self.value_is(matching, value, term)
    }

    /// A value is like a pattern: a goal, before the tests that the pattern asks for.
    pub(super) fn value_is<'t>(
        &mut self,
        matching: &mut Matching<'t>,
        value: Expr,
        term: &'t Term,
    ) -> Result<(), Unmatched> {
        let before = matching.cx.goals.len();
        let pattern = self.pattern(matching, term)?;
        let goal = Goal { span: term.span, kind: GoalKind::Match { value, pattern } };
        matching.cx.goals.insert(before, goal);
        Ok(())
    }
}
