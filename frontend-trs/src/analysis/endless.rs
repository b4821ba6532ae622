//! Rules whose right-hand side contains the redex itself: once such a rule applies, rewriting never ends.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{Body, Expr, ExprKind, HeadAtom, Pattern, PatternKind, Program};
use gchr_base::signature::SymbolId;

/// Warns of unconditional rules that rewrite a term to one that contains it where it is rewritten again.
pub(crate) fn rules(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for rule in &program.rules {
        let Some(HeadAtom::Term { symbol, args }) = rule.heads.first().map(|head| &head.atom) else {
            continue;
        };
        let Body::Replace(right) = &rule.body else { continue };
        if !rule.guard.is_empty() {
            continue;
        }
        if let Some(again) = evaluated(right).into_iter().find(|expr| is_redex(expr, *symbol, args)) {
            let name = &program.signature.symbols[*symbol].name;
            diagnostics.push(
                Diagnostic::warning(
                    "T0508",
                    format!("this rule of `{name}` applies to its own result for ever"),
                )
                .label(again.span, "the left-hand side again, unchanged")
                .label(rule.heads[0].span, "the left-hand side")
                .help("change an argument, or add a condition to the rule"),
            );
        }
    }
}

/// The subterms that are evaluated in any case.
fn evaluated(expr: &Expr) -> Vec<&Expr> {
    let mut all = vec![expr];
    let mut next = 0;
    while let Some(&expr) = all.get(next) {
        next += 1;
        match &expr.kind {
            ExprKind::Var(_) | ExprKind::Const(_) => {}
            ExprKind::Op { op: Op::Both | Op::Either, args } => all.extend(args.first()),
            ExprKind::App { args, .. } | ExprKind::Op { args, .. } => all.extend(args),
            ExprKind::Repeat { arg, .. } => all.push(arg),
        }
    }
    all
}

fn is_redex(expr: &Expr, symbol: SymbolId, patterns: &[Pattern]) -> bool {
    let ExprKind::App { symbol: found, args } = &expr.kind else { return false };
    let mut pairs: Vec<(&Expr, &Pattern)> = args.iter().zip(patterns).collect();
    let mut same = *found == symbol;
    while let (true, Some((expr, pattern))) = (same, pairs.pop()) {
        same = match (&expr.kind, &pattern.kind) {
            (ExprKind::Var(a), PatternKind::Var(b)) => a == b,
            (ExprKind::Const(a), PatternKind::Const(b)) => a == b,
            (ExprKind::App { symbol: f, args }, PatternKind::App { symbol: g, args: patterns }) => {
                pairs.extend(args.iter().zip(patterns));
                f == g
            }
            _ => false,
        };
    }
    same
}
