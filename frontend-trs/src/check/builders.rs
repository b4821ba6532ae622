//! What a resolved term becomes: an expression, a pattern or a ground term. Each is built bottom-up from postfix order
//! on an explicit stack.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, GroundNode, GroundTerm, Pattern, PatternKind, VarId};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::source::Span;

use super::made::choice;
use super::made::functions;
use super::made::site::Site;

/// Deepest term of a rule. Later stages may recurse over the terms of rules (never over the input).
pub(crate) const MAX_DEPTH: u32 = 20_000;
/// Most nodes that the repetitions of one left-hand side may stand for.
const MAX_UNROLLED: u64 = 100_000;

/// A node of a well-sorted term.
#[derive(Clone, Copy)]
pub(crate) enum Resolved {
    Var(VarId),
    Const(Const),
    /// An integer that is no constant, by its place in [`Site::large`].
    Large(usize),
    App(SymbolId),
    /// A unary symbol so many times, perhaps zero.
    Repeat(SymbolId, u32),
    /// With the sort of its operands.
    Op(Op, SortId),
    /// `if`, of three operands.
    Choice,
    /// So many elements of a list.
    Elements(Elements),
    /// A variable that is a function, applied by this symbol.
    Applied(SymbolId, VarId),
    /// What begins a function without a name: no term.
    Parameters,
    /// A function without a name, whose parameters are so many variables from the first on, of its term.
    Lambda(VarId, u32),
}

/// The constructors of a list.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub empty: SymbolId,
    pub cons: SymbolId,
}

/// Takes the nodes of a well-sorted term in postfix order.
pub(crate) trait TermBuilder {
    /// Takes a node with its arity, sort and place.
    fn push(
        &mut self,
        node: Resolved,
        arity: usize,
        sort: SortId,
        span: Span,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Box<Diagnostic>>;
}

/// Builds an expression; the term is at most [`MAX_DEPTH`] deep.
#[derive(Default)]
pub(crate) struct ExprBuilder {
    stack: Vec<Expr>,
}

impl ExprBuilder {
    pub fn finish(mut self) -> Option<Expr> {
        self.stack.pop()
    }
}

impl TermBuilder for ExprBuilder {
    fn push(
        &mut self,
        node: Resolved,
        arity: usize,
        sort: SortId,
        span: Span,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut args = self.stack.split_off(self.stack.len() - arity);
        let kind = match node {
            Resolved::Var(var) => ExprKind::Var(var),
            Resolved::Const(c) => ExprKind::Const(c),
            Resolved::Large(at) => {
                self.stack.push(Expr::integer(&site.large[at], sort, span));
                return Ok(());
            }
            Resolved::App(symbol) => ExprKind::App { symbol, args },
            Resolved::Op(op, _) => ExprKind::Op { op, args },
            Resolved::Applied(symbol, var) => {
                args.insert(0, Expr { kind: ExprKind::Var(var), sort: site.vars[var].sort, span });
                ExprKind::App { symbol, args }
            }
            Resolved::Parameters => return Ok(()),
            Resolved::Lambda(first, count) => {
                let Some(body) = args.pop() else { return Ok(()) };
                let closed = functions::close(site, first, count, body, (sort, span));
                self.stack.push(closed.ok_or_else(|| Box::new(no_rules(span)))?);
                return Ok(());
            }
            Resolved::Elements(Elements { empty, cons }) => {
                let app = |symbol, args| Expr { kind: ExprKind::App { symbol, args }, sort, span };
                let list = |rest, element| app(cons, vec![element, rest]);
                self.stack.push(args.into_iter().rev().fold(app(empty, vec![]), list));
                return Ok(());
            }
            Resolved::Choice => {
                let Ok(args) = <[Expr; 3]>::try_from(args) else { return Ok(()) };
                let chosen = choice::choose(site, args, span).ok_or_else(|| Box::new(no_rules(span)))?;
                self.stack.push(chosen);
                return Ok(());
            }
            Resolved::Repeat(symbol, count) => {
                let Some(arg) = args.into_iter().next() else { return Ok(()) };
                if count == 0 {
                    self.stack.push(arg);
                    return Ok(());
                }
                ExprKind::Repeat { symbol, count, arg: Box::new(arg) }
            }
        };
        self.stack.push(Expr { kind, sort, span });
        Ok(())
    }
}

/// Builds a pattern, repetitions unrolled.
#[derive(Default)]
pub(crate) struct PatternBuilder {
    stack: Vec<(Pattern, u32)>,
    unrolled: u64,
}

impl PatternBuilder {
    pub fn finish(mut self) -> Option<Pattern> {
        self.stack.pop().map(|(pattern, _)| pattern)
    }

    fn unroll(
        &mut self,
        symbol: SymbolId,
        count: u32,
        sort: SortId,
        span: Span,
    ) -> Result<(), Box<Diagnostic>> {
        let Some((mut pattern, depth)) = self.stack.pop() else { return Ok(()) };
        self.unrolled += u64::from(count);
        if depth.saturating_add(count) > MAX_DEPTH || self.unrolled > MAX_UNROLLED {
            return Err(Box::new(
                Diagnostic::error("T0008", "this repetition is too long for a left-hand side")
                    .label(span, format!("{count} nested patterns"))
                    .note(format!(
                        "a pattern may be {MAX_DEPTH} deep, and the repetitions of one left-hand side stand for at most {MAX_UNROLLED} nodes"
                    ))
                    .help("count down by a rule instead of matching the whole nest at once"),
            ));
        }
        for _ in 0..count {
            pattern = Pattern { kind: PatternKind::App { symbol, args: vec![pattern] }, sort, span };
        }
        self.stack.push((pattern, depth + count));
        Ok(())
    }
}

impl TermBuilder for PatternBuilder {
    fn push(
        &mut self,
        node: Resolved,
        arity: usize,
        sort: SortId,
        span: Span,
        _: &mut Site<'_, '_>,
    ) -> Result<(), Box<Diagnostic>> {
        let kind = match node {
            Resolved::Var(var) => PatternKind::Var(var),
            Resolved::Const(c) => PatternKind::Const(c),
            Resolved::Repeat(symbol, count) => return self.unroll(symbol, count, sort, span),
            Resolved::App(symbol) => {
                let args = self.stack.split_off(self.stack.len() - arity);
                let depth = 1 + args.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
                if depth > MAX_DEPTH {
                    return Err(Box::new(too_deep(span)));
                }
                let args = args.into_iter().map(|(pattern, _)| pattern).collect();
                self.stack.push((Pattern { kind: PatternKind::App { symbol, args }, sort, span }, depth));
                return Ok(());
            }
            Resolved::Elements(Elements { empty, cons }) => {
                let args = self.stack.split_off(self.stack.len() - arity);
                let depth = 1 + arity as u32 + args.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
                if depth > MAX_DEPTH {
                    return Err(Box::new(too_deep(span)));
                }
                let app = |symbol, args| Pattern { kind: PatternKind::App { symbol, args }, sort, span };
                let list = |rest, (element, _)| app(cons, vec![element, rest]);
                self.stack.push((args.into_iter().rev().fold(app(empty, vec![]), list), depth));
                return Ok(());
            }
            Resolved::Large(_) => return Err(Box::new(large_in_pattern(span))),
            Resolved::Op(..)
            | Resolved::Choice
            | Resolved::Applied(..)
            | Resolved::Parameters
            | Resolved::Lambda(..) => return Err(Box::new(not_matched(span))),
        };
        self.stack.push((Pattern { kind, sort, span }, 1));
        Ok(())
    }
}

/// A term of a rule exceeds [`MAX_DEPTH`].
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("T0007", format!("this term is nested more than {MAX_DEPTH} deep"))
        .label(span, "too deep for a rule")
        .note("the input term has no such limit")
        .help("write repetitions as `S^n(...)`, or build the term by rules")
}

/// Builds a ground term of any size.
#[derive(Default)]
pub(crate) struct GroundBuilder {
    pub nodes: Vec<GroundNode>,
    /// The terms of functions without names that are open, which have variables.
    inner: Option<(ExprBuilder, u32)>,
}

impl GroundBuilder {
    /// Takes a node of a function without a name. The value that stands for it has no variables.
    fn push_inner(
        &mut self,
        node: Resolved,
        arity: usize,
        (sort, span): (SortId, Span),
        site: &mut Site<'_, '_>,
    ) -> Result<(), Box<Diagnostic>> {
        let (builder, open) = self.inner.get_or_insert_default();
        match node {
            Resolved::Parameters => *open += 1,
            Resolved::Lambda(..) => *open -= 1,
            _ => {}
        }
        builder.push(node, arity, sort, span, site)?;
        if *open == 0
            && let Some((builder, _)) = self.inner.take()
            && let Some(ExprKind::App { symbol, .. }) = builder.finish().map(|expr| expr.kind.clone())
        {
            self.nodes.push(GroundNode::App(symbol));
        }
        Ok(())
    }
}

impl TermBuilder for GroundBuilder {
    fn push(
        &mut self,
        node: Resolved,
        arity: usize,
        sort: SortId,
        span: Span,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Box<Diagnostic>> {
        if self.inner.is_some() || matches!(node, Resolved::Parameters) {
            return self.push_inner(node, arity, (sort, span), site);
        }
        let node = match node {
            Resolved::Const(c) => GroundNode::Const(c),
            Resolved::Large(at) => {
                let sum = Expr::integer(&site.large[at], sort, span);
                self.nodes.extend(GroundTerm::of(&sum, span).nodes);
                return Ok(());
            }
            Resolved::App(symbol) => GroundNode::App(symbol),
            Resolved::Repeat(_, 0) => return Ok(()),
            Resolved::Repeat(symbol, count) => GroundNode::Repeat(symbol, count),
            Resolved::Op(op, sort) => GroundNode::Op(op, sort),
            Resolved::Elements(Elements { empty, cons }) => {
                self.nodes.push(GroundNode::App(empty));
                self.nodes.extend(std::iter::repeat_n(GroundNode::App(cons), arity));
                return Ok(());
            }
            Resolved::Choice => {
                let choice = site.scope.choice(sort, span).ok_or_else(|| Box::new(no_rules(span)))?;
                GroundNode::App(choice)
            }
            Resolved::Var(_) | Resolved::Applied(..) | Resolved::Parameters | Resolved::Lambda(..) => {
                return Err(Box::new(not_ground(span)));
            }
        };
        self.nodes.push(node);
        Ok(())
    }
}

/// An integer that is no constant in a left-hand side.
fn large_in_pattern(span: Span) -> Diagnostic {
    Diagnostic::error("T0002", "this number is too large for a left-hand side")
        .label(span, "not below 2^62")
        .help("match a variable here, and compare it in a condition: `X == N -> F(X) = ...`")
}

/// An operator in a left-hand side.
pub(crate) fn not_matched(span: Span) -> Diagnostic {
    Diagnostic::error("T0303", "an operator cannot be matched")
        .label(span, "this is computed, not built")
        .note("the arguments of a left-hand side are matched against normal forms: constructors, literals and variables")
        .help("match a variable here, and test it in a condition: `X == E -> F(X) = ...`")
}

/// An instance that a finished program does not have.
pub(crate) fn no_rules(span: Span) -> Diagnostic {
    Diagnostic::error("T0306", "the program has no rules for this")
        .label(span, "not used by the program for this sort")
        .note("what there is for many sorts has rules for those that the program uses it with")
        .help("write the term as `input` of the program, or use this in one of its equations")
}

/// A variable in an input.
pub(crate) fn not_ground(span: Span) -> Diagnostic {
    Diagnostic::error("T0305", "the input is not ground")
        .label(span, "this is a variable")
        .note("rewriting starts from a term without variables")
        .help("put a term in its place")
}
