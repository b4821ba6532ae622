//! Monotone replacement: `kept.. \ c(K.., V) <=> V > E | c(K.., E)` with E monotone in the values of `c`.

use crate::class::{Best, BestOrder, Product, Reduction, Replacement, RulesOver, same_expr};
use crate::ir::vars;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, Head, HeadAtom, Pattern, PatternKind, Program, Role, Rule, RuleId,
    VarId,
};
use gchr_base::signature::{ConstraintId, Density, SortKind};

/// For every rule the replacement that it is, or why it is none.
pub(in crate::class) fn recognise(
    program: &Program,
    over: &RulesOver,
    reductions: &[Result<Reduction, String>],
) -> Vec<Result<Replacement, String>> {
    let mut found: Vec<_> =
        program.rules.iter_enumerated().map(|(id, rule)| candidate(program, id, rule)).collect();
    // Each depends on what the other rules do with its symbols; one that is refused may refuse others.
    loop {
        let refuse = |(id, r): (usize, &Result<Replacement, String>)| {
            r.as_ref().ok().and_then(|r| conflict(program, over, r, &found, reductions)).map(|why| (id, why))
        };
        let Some((id, why)) = found.iter().enumerate().find_map(refuse) else { break };
        found[id] = Err(why);
    }
    for id in 0..found.len() {
        let Ok(own) = &found[id] else { continue };
        let other = found.iter().flatten().find(|r| r.constraint == own.constraint && r.rule != own.rule);
        let Some(other) = other else { continue };
        let why = format!("{} replaces its values too", program.rule_name(other.rule));
        if let Ok(own) = &mut found[id] {
            own.product = own.product.clone().and(Err(why));
        }
    }
    found
}

/// What some rule does that a replacement does not allow.
fn conflict(
    program: &Program,
    over: &RulesOver,
    replacement: &Replacement,
    found: &[Result<Replacement, String>],
    reductions: &[Result<Reduction, String>],
) -> Option<String> {
    let c = replacement.constraint;
    let symbol = |c: ConstraintId| program.signature.constraint_name(c);
    for &id in over.rules(c) {
        let alike = matches!(&found[id.0 as usize], Ok(r) if r.constraint == c && r.best == replacement.best);
        if !alike {
            return Some(format!(
                "{} has a head over {} and is no such replacement",
                program.rule_name(id),
                symbol(c)
            ));
        }
    }
    let rule = &program.rules[replacement.rule];
    for head in rule.heads.iter().filter(|h| h.role == Role::Kept) {
        let HeadAtom::Constraint { constraint: d, .. } = head.atom else { continue };
        if d == c {
            continue;
        }
        let removes = |id: &RuleId| {
            let removed = |h: &Head| {
                h.role == Role::Removed
                    && matches!(h.atom, HeadAtom::Constraint { constraint, .. } if constraint == d)
            };
            let set = matches!(&reductions[id.0 as usize], Ok(r) if r.best.is_none() && r.key.len() == head.atom.args().len());
            !set && program.rules[*id].heads.iter().any(removed)
        };
        if let Some(id) = over.rules(d).iter().copied().find(removes) {
            return Some(format!("{} removes {}", program.rule_name(id), symbol(d)));
        }
    }
    None
}

/// The replacement that a rule is when nothing but the rule is looked at.
fn candidate(program: &Program, id: RuleId, rule: &Rule) -> Result<Replacement, String> {
    let mut removed = rule.heads.iter().enumerate().filter(|(_, h)| h.role == Role::Removed);
    let (Some((head, target)), None) = (removed.next(), removed.next()) else {
        return Err("it has not one removed head".into());
    };
    let HeadAtom::Constraint { constraint, args } = &target.atom else {
        return Err("its heads are no constraints".into());
    };
    if rule.heads.len() < 2 {
        return Err("it keeps nothing that a value could come from".into());
    }
    let vars = variables(args).ok_or("its removed head is not made of different variables")?;
    let (value, expr, order) = comparison(rule)?;
    let column = vars
        .iter()
        .position(|&v| v == value)
        .ok_or("its guard does not compare a column of the removed head")?;
    let int = |sort| program.signature.kind(sort) == SortKind::Int;
    if !int(args[column].sort) || !int(expr.sort) {
        return Err("its values are not integers".into());
    }
    if in_kept_heads(rule, value) > 0 {
        return Err("its value occurs in a kept head".into());
    }
    // Instances are found again from what they keep: one whose own value went down would not be looked at again.
    if uses(expr, value) {
        return Err("what it computes depends on the value that it replaces".into());
    }
    replaces(rule, *constraint, &vars, column, expr)?;
    inputs(rule, *constraint, column)?;
    if !monotone(program, expr) {
        return Err("what it computes is not a sum, minimum or maximum of integers".into());
    }
    let best = Best { column, order };
    let product = Err(String::new());
    let mut found =
        Replacement { rule: id, constraint: *constraint, head, best, candidate: expr.clone(), product };
    found.product = product_of(program, rule, &found);
    Ok(found)
}

/// Different variables, one a column.
fn variables(args: &[Pattern]) -> Option<Vec<VarId>> {
    let mut vars = Vec::new();
    for arg in args {
        match arg.kind {
            PatternKind::Var(v) if !vars.contains(&v) => vars.push(v),
            _ => return None,
        }
    }
    Some(vars)
}

/// Value and expression of a guard that is one strict comparison.
fn comparison(rule: &Rule) -> Result<(VarId, &Expr, BestOrder), String> {
    let other = || "its guard is not V > E or V < E, without anything else".to_string();
    let [Goal { kind: GoalKind::Test(Expr { kind: ExprKind::Op { op, args }, .. }), .. }] =
        rule.guard.as_slice()
    else {
        return Err(other());
    };
    let [a, b] = args.as_slice() else { return Err(other()) };
    let removed = |e: &Expr| match e.kind {
        ExprKind::Var(v) if in_kept_heads(rule, v) == 0 => Some(v),
        _ => None,
    };
    match (op, removed(a), removed(b)) {
        (Op::Gt, Some(v), None) => Ok((v, b, BestOrder::Least)),
        (Op::Lt, Some(v), None) => Ok((v, b, BestOrder::Greatest)),
        (Op::Lt, None, Some(v)) => Ok((v, a, BestOrder::Least)),
        (Op::Gt, None, Some(v)) => Ok((v, a, BestOrder::Greatest)),
        _ => Err(other()),
    }
}

fn in_kept_heads(rule: &Rule, var: VarId) -> usize {
    let mut vars = Vec::new();
    let kept = rule.heads.iter().filter(|h| h.role == Role::Kept);
    kept.flat_map(|h| h.atom.args()).for_each(|p| vars::pattern_vars(p, &mut vars));
    vars.into_iter().filter(|&v| v == var).count()
}

/// Whether the body adds the removed constraint again with the compared value and nothing else.
fn replaces(rule: &Rule, c: ConstraintId, vars: &[VarId], value: usize, expr: &Expr) -> Result<(), String> {
    let other = || Err("its body is not the removed constraint with the compared value".to_string());
    let Body::Goals(goals) = &rule.body else { return other() };
    let (bound, add) = match goals.as_slice() {
        [add] => (None, add),
        [Goal { kind: GoalKind::Bind { var, value }, .. }, add] if same_expr(value, expr) => {
            (Some(*var), add)
        }
        _ => return other(),
    };
    let GoalKind::Add { constraint, args } = &add.kind else { return other() };
    let fits = |(column, arg): (usize, &Expr)| match arg.kind {
        ExprKind::Var(v) if column == value && bound.is_some() => bound == Some(v),
        ExprKind::Var(v) if column != value => v == vars[column],
        _ => column == value && same_expr(arg, expr),
    };
    if *constraint == c && args.iter().enumerate().all(fits) { Ok(()) } else { other() }
}

/// Whether the values in kept heads over the symbol are variables of their own, so that only the computed value depends
/// on them.
fn inputs(rule: &Rule, c: ConstraintId, value: usize) -> Result<(), String> {
    for head in rule.heads.iter().filter(|h| h.role == Role::Kept) {
        let HeadAtom::Constraint { constraint, args } = &head.atom else { continue };
        if *constraint != c {
            continue;
        }
        match args[value].kind {
            PatternKind::Wild => {}
            PatternKind::Var(v) if occurs(rule, v) == 1 => {}
            _ => return Err("the value of a kept head is not a variable of its own".into()),
        }
    }
    Ok(())
}

fn uses(expr: &Expr, var: VarId) -> bool {
    let mut used = Vec::new();
    vars::expr_vars(expr, &mut used);
    used.contains(&var)
}

/// How often a variable occurs in the heads.
fn occurs(rule: &Rule, var: VarId) -> usize {
    let mut vars = Vec::new();
    rule.heads.iter().flat_map(|h| h.atom.args()).for_each(|p| vars::pattern_vars(p, &mut vars));
    vars.into_iter().filter(|&v| v == var).count()
}

fn monotone(program: &Program, expr: &Expr) -> bool {
    let int = program.signature.kind(expr.sort) == SortKind::Int;
    int && match &expr.kind {
        ExprKind::Var(_) | ExprKind::Const(_) => true,
        ExprKind::Op { op: Op::Add | Op::Min | Op::Max, args } => args.iter().all(|a| monotone(program, a)),
        ExprKind::Op { op: Op::Sub, args } => {
            monotone(program, &args[0]) && matches!(args[1].kind, ExprKind::Const(_))
        }
        _ => false,
    }
}

/// The product of matrices that the join of a replacement is, or why it is none.
fn product_of(program: &Program, rule: &Rule, found: &Replacement) -> Result<Product, String> {
    let c = found.constraint;
    let columns = &program.signature.constraints[c].columns;
    let name = program.signature.constraint_name(c);
    let value = found.best.column;
    let keys: Vec<usize> = (0..columns.len()).filter(|&k| k != value).collect();
    let [row, column] = *keys.as_slice() else { return Err(format!("{name} has not two keys")) };
    let of_c =
        |head: &Head| matches!(&head.atom, HeadAtom::Constraint { constraint, .. } if *constraint == c);
    if rule.heads.len() != 3 || !rule.heads.iter().all(of_c) {
        return Err(format!("its heads are not three, all over {name}"));
    }
    if let Some(k) = keys.iter().find(|&&k| columns[k].density != Density::Dense) {
        return Err(format!("column {} of {name} is not declared as dense_int", k + 1));
    }
    find_product(rule, found, [row, column])
        .ok_or_else(|| "it is not of the form c(I,K,A), c(K,J,B) \\ c(I,J,V) with A + B".into())
}

fn find_product(rule: &Rule, found: &Replacement, [row, column]: [usize; 2]) -> Option<Product> {
    let value = found.best.column;
    let args = |head: usize| match &rule.heads[head].atom {
        HeadAtom::Constraint { args, .. } => variables(args),
        _ => None,
    };
    let target = args(found.head)?;
    let kept: Vec<usize> = (0..3).filter(|&h| h != found.head).collect();
    let order = [(kept[0], kept[1]), (kept[1], kept[0])];
    let (left, right) = order.into_iter().find(|&(l, r)| {
        let (Some(l), Some(r)) = (args(l), args(r)) else { return false };
        let middle = l[column];
        l[row] == target[row] && r[column] == target[column] && r[row] == middle && !target.contains(&middle)
    })?;
    let ExprKind::Op { op: Op::Add, args: sum } = &found.candidate.kind else { return None };
    let values = [args(left)?[value], args(right)?[value]];
    let is = |e: &Expr, v: VarId| matches!(e.kind, ExprKind::Var(w) if w == v);
    let sums =
        is(&sum[0], values[0]) && is(&sum[1], values[1]) || is(&sum[0], values[1]) && is(&sum[1], values[0]);
    sums.then_some(Product { left, right, row, column })
}
