//! Ground terms: from expressions, and several of them as one.

use super::{Expr, ExprKind, GroundNode, GroundTerm};
use crate::signature::{Signature, Sort, SortKind, Symbol, SymbolId, SymbolKind};
use crate::source::Span;

/// Name of the symbol that holds the results where a text has several terms to evaluate.
const RESULTS: &str = "EVAL";

impl GroundTerm {
    /// The symbols of its applications, as often as they occur.
    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.nodes.iter().filter_map(|node| match *node {
            GroundNode::App(symbol) | GroundNode::Repeat(symbol, _) => Some(symbol),
            GroundNode::Const(_) | GroundNode::Op(..) => None,
        })
    }

    /// An expression without variables.
    pub fn of(expr: &Expr, span: Span) -> Self {
        let sort = expr.sort;
        let (mut nodes, mut todo) = (Vec::new(), vec![(expr, false)]);
        while let Some((expr, below_done)) = todo.pop() {
            let args: &[Expr] = match &expr.kind {
                ExprKind::App { args, .. } | ExprKind::Op { args, .. } => args,
                ExprKind::Repeat { arg, .. } => std::slice::from_ref(&**arg),
                ExprKind::Var(_) | ExprKind::Const(_) => &[],
            };
            if !below_done {
                todo.push((expr, true));
                todo.extend(args.iter().rev().map(|arg| (arg, false)));
                continue;
            }
            nodes.push(match &expr.kind {
                ExprKind::Const(value) => GroundNode::Const(*value),
                ExprKind::App { symbol, .. } => GroundNode::App(*symbol),
                ExprKind::Repeat { symbol, count, .. } => GroundNode::Repeat(*symbol, *count),
                ExprKind::Op { op, args } => GroundNode::Op(*op, args.first().map_or(sort, |arg| arg.sort)),
                // There are none.
                ExprKind::Var(_) => continue,
            });
        }
        Self { nodes, sort, span }
    }

    /// Several terms as the arguments of one symbol, evaluated in order; one alone as it is.
    pub fn together(mut terms: Vec<GroundTerm>, signature: &mut Signature) -> Option<Self> {
        if terms.len() < 2 {
            return terms.pop();
        }
        let sort = signature.sorts.push(Sort { name: "(results)".into(), kind: SortKind::Data, span: None });
        let args = terms.iter().map(|term| term.sort).collect();
        let (name, kind) = (RESULTS.to_string(), SymbolKind::Constructor);
        let symbol = signature.symbols.push(Symbol { name, args, result: sort, kind, span: None });
        let span = terms[0].span.to(terms[terms.len() - 1].span);
        let mut nodes: Vec<GroundNode> = terms.into_iter().flat_map(|term| term.nodes).collect();
        nodes.push(GroundNode::App(symbol));
        Some(Self { nodes, sort, span })
    }
}
