//! Which arguments are of the declared type of their column by the text alone; others are checked when they are added.

use gchr_base::hash::HashMap;
use gchr_base::rule::{
    Const, Expr, ExprKind, Goal, GoalKind, HeadAtom, Pattern, PatternKind, Program, Rule, VarId,
};
use gchr_base::signature::{ColumnTypes, ConstraintId, Signature, SortKind, TypeId, TypeKind};
use gchr_base::source::Span;

/// The type that an argument must be checked for when it is added; nothing when it is surely of it. `rule` binds its
/// variables.
pub(crate) fn unproved(
    sig: &Signature,
    rule: Option<&Rule>,
    constraint: ConstraintId,
    column: usize,
    arg: &Expr,
) -> Option<TypeId> {
    let ty = sig.column_types.of(constraint, column)?;
    let proof =
        Proof { sig, types: &sig.column_types, vars: rule.map(|r| bound(sig, r)).unwrap_or_default() };
    (!proof.proves(arg, ty)).then_some(ty)
}

/// Arguments of rules that are checked when the program runs: where they are, and the type and its column.
pub fn checked_arguments(program: &Program) -> Vec<(Span, String, String)> {
    let sig = &program.signature;
    let mut found = Vec::new();
    for rule in &program.rules {
        let gchr_base::rule::Body::Goals(goals) = &rule.body else { continue };
        for goal in goals {
            let GoalKind::Add { constraint, args } = &goal.kind else { continue };
            for (column, arg) in args.iter().enumerate() {
                if let Some(ty) = unproved(sig, Some(rule), *constraint, column, arg) {
                    let place = format!("argument {} of {}", column + 1, sig.constraint_name(*constraint));
                    found.push((arg.span, place, sig.column_types.types[ty].name.clone()));
                }
            }
        }
    }
    found
}

/// The types of variables: those of the columns, and parts of them, that heads and guards bind them to.
fn bound(sig: &Signature, rule: &Rule) -> HashMap<VarId, TypeId> {
    let mut vars = HashMap::default();
    for head in &rule.heads {
        let HeadAtom::Constraint { constraint, args } = &head.atom else { continue };
        for (column, pattern) in args.iter().enumerate() {
            if let Some(ty) = sig.column_types.of(*constraint, column) {
                bind(sig, pattern, ty, &mut vars);
            }
        }
    }
    let copies = |goal: &Goal| match &goal.kind {
        GoalKind::Bind { var, value: Expr { kind: ExprKind::Var(of), .. } } => Some((*var, *of)),
        _ => None,
    };
    for (var, of) in rule.guard.iter().filter_map(copies) {
        if let Some(&ty) = vars.get(&of) {
            vars.insert(var, ty);
        }
    }
    vars
}

fn bind(sig: &Signature, pattern: &Pattern, ty: TypeId, vars: &mut HashMap<VarId, TypeId>) {
    match &pattern.kind {
        PatternKind::Var(var) => {
            vars.entry(*var).or_insert(ty);
        }
        PatternKind::App { symbol, args } => {
            let name = &sig.symbols[*symbol].name;
            if let Some(variant) = sig.column_types.variant(ty, name, args.len()) {
                args.iter().zip(&variant.args).for_each(|(arg, &ty)| bind(sig, arg, ty, vars));
            }
        }
        PatternKind::Wild | PatternKind::Const(_) => {}
    }
}

struct Proof<'a> {
    sig: &'a Signature,
    types: &'a ColumnTypes,
    vars: HashMap<VarId, TypeId>,
}

impl Proof<'_> {
    fn proves(&self, expr: &Expr, ty: TypeId) -> bool {
        let own = match &expr.kind {
            ExprKind::Var(var) => self.vars.get(var).copied(),
            _ => None,
        };
        if own == Some(ty) {
            return true;
        }
        let kind = self.sig.kind(expr.sort);
        match &self.types.types[ty].kind {
            TypeKind::Any => true,
            TypeKind::Int => kind == SortKind::Int,
            TypeKind::Float => kind == SortKind::Float,
            TypeKind::Atom => kind == SortKind::Atom,
            TypeKind::Str => kind == SortKind::Str,
            TypeKind::Number => matches!(kind, SortKind::Int | SortKind::Float),
            TypeKind::Natural => matches!(expr.kind, ExprKind::Const(Const::Int(0..))),
            TypeKind::Variants(_) => match &expr.kind {
                // Constants are checked by the frontend.
                ExprKind::Const(_) => true,
                ExprKind::App { symbol, args } => {
                    let name = &self.sig.symbols[*symbol].name;
                    let variant = self.types.variant(ty, name, args.len());
                    variant.is_some_and(|v| args.iter().zip(&v.args).all(|(arg, &ty)| self.proves(arg, ty)))
                }
                _ => false,
            },
        }
    }
}
