//! Text form of the rule IR, as `gchr emit --stage rules` shows it: one line a sort, symbol and constraint, one block a
//! rule.
//!
//! Variables print as `Name.0` (name in the source, position in the rule), so that two variables of one name stay
//! apart.

use std::fmt::{self, Display, Formatter, Write};

use super::*;
use crate::signature::{Density, SortKind, SymbolKind};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sig = &self.signature;
        for (id, sort) in sig.sorts.iter_enumerated() {
            let kind = match sort.kind {
                SortKind::Data => {
                    let symbols: Vec<_> = sig.symbols_of(id).map(|s| symbol_declaration(sig, s)).collect();
                    format!("data {}", symbols.join(" | "))
                }
                SortKind::Int => "int64".into(),
                SortKind::Float => "float64".into(),
                SortKind::Atom => "atom".into(),
                SortKind::Str => "string".into(),
                SortKind::Any => {
                    let symbols: Vec<_> = sig
                        .symbols_of(id)
                        .map(|s| format!("{}/{}", sig.symbols[s].name, sig.arity(s)))
                        .collect();
                    format!("any {}", symbols.join(" | ")).trim_end().to_string()
                }
            };
            writeln!(f, "sort {} = {kind}", sort.name)?;
        }
        for constraint in &sig.constraints {
            let columns: Vec<_> = constraint
                .columns
                .iter()
                .map(|c| {
                    let dense = if c.density == Density::Dense { "dense " } else { "" };
                    let inferred = if c.declared { "" } else { " inferred" };
                    format!("{dense}{}{inferred}", sig.sorts[c.sort].name)
                })
                .collect();
            writeln!(f, "constraint {}({})", constraint.name, columns.join(", "))?;
        }
        if let Some(semantics) = self.semantics {
            writeln!(f, "semantics {}", semantics.name())?;
        }
        for (id, rule) in self.rules.iter_enumerated() {
            writeln!(f)?;
            Printer { sig, vars: &rule.vars, f }.rule(&self.rule_name(id), rule)?;
        }
        match &self.start {
            Start::Term(None) => Ok(()),
            Start::Term(Some(term)) => {
                write!(f, "\nstart ")?;
                print_ground(sig, term, f)?;
                writeln!(f)
            }
            Start::Goals(queries) => queries.iter().try_for_each(|query| {
                writeln!(f, "\nstart")?;
                Printer { sig, vars: &query.vars, f }.goals(&query.goals)
            }),
        }
    }
}

fn symbol_declaration(sig: &Signature, id: SymbolId) -> String {
    let symbol = &sig.symbols[id];
    let mark = if symbol.kind == SymbolKind::Defined { "fn " } else { "" };
    if symbol.args.is_empty() {
        return format!("{mark}{}", symbol.name);
    }
    let args: Vec<_> = symbol.args.iter().map(|&a| sig.sorts[a].name.as_str()).collect();
    format!("{mark}{}({})", symbol.name, args.join(", "))
}

/// Postfix, as it is: `Zero S^24 ; Nil ; Cons/2`. Long terms are cut.
fn print_ground(sig: &Signature, term: &GroundTerm, f: &mut Formatter<'_>) -> fmt::Result {
    const SHOWN: usize = 200;
    for node in term.nodes.iter().take(SHOWN) {
        match *node {
            GroundNode::Const(c) => print_const(sig, c, f)?,
            GroundNode::App(s) => write!(f, "{}/{}", sig.symbols[s].name, sig.arity(s))?,
            GroundNode::Repeat(s, n) => write!(f, "{}^{n}", sig.symbols[s].name)?,
            GroundNode::Op(op, _) => f.write_str(op.name())?,
        }
        f.write_char(' ')?;
    }
    if term.nodes.len() > SHOWN {
        write!(f, "... {} more nodes ", term.nodes.len() - SHOWN)?;
    }
    write!(f, ": {}", sig.sorts[term.sort].name)
}

fn print_const(sig: &Signature, c: Const, f: &mut Formatter<'_>) -> fmt::Result {
    match c {
        Const::Int(n) => write!(f, "{n}"),
        Const::Float(x) => write!(f, "{x:?}"),
        Const::Atom(t) => write!(f, "'{}'", sig.texts.get(t).escape_default()),
        Const::Str(t) => write!(f, "{:?}", sig.texts.get(t)),
    }
}

/// A piece of the rule IR in its text form, for printers of later stages.
pub struct Shown<'a, T> {
    /// The signature that names its symbols.
    pub sig: &'a Signature,
    /// The variables of its rule.
    pub vars: &'a IdVec<VarId, Var>,
    /// The piece.
    pub what: &'a T,
}

impl Display for Shown<'_, Expr> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer { sig: self.sig, vars: self.vars, f }.expr(self.what)
    }
}

impl Display for Shown<'_, Pattern> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer { sig: self.sig, vars: self.vars, f }.pattern(self.what)
    }
}

impl Display for Shown<'_, Goal> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer { sig: self.sig, vars: self.vars, f }.goal(self.what)
    }
}

impl Display for Shown<'_, Const> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_const(self.sig, *self.what, f)
    }
}

struct Printer<'a, 'b, 'c> {
    sig: &'a Signature,
    vars: &'a IdVec<VarId, Var>,
    f: &'b mut Formatter<'c>,
}

impl Printer<'_, '_, '_> {
    fn rule(&mut self, name: &str, rule: &Rule) -> fmt::Result {
        writeln!(self.f, "rule {name}")?;
        for head in &rule.heads {
            let role = match head.role {
                Role::Kept => "kept   ",
                Role::Removed => "removed",
            };
            write!(self.f, "  {role} ")?;
            match &head.atom {
                HeadAtom::Term { symbol, args } => {
                    self.f.write_str(&self.sig.symbols[*symbol].name)?;
                    self.list(args, Self::pattern)?;
                }
                HeadAtom::Constraint { constraint, args } => {
                    self.f.write_str(&self.sig.constraints[*constraint].name)?;
                    self.list(args, Self::pattern)?;
                }
            }
            writeln!(self.f, "{}", if head.passive { " passive" } else { "" })?;
        }
        if !rule.guard.is_empty() {
            writeln!(self.f, "  guard")?;
            self.goals(&rule.guard)?;
        }
        match &rule.body {
            Body::Replace(expr) => {
                write!(self.f, "  replace ")?;
                self.expr(expr)?;
                writeln!(self.f)
            }
            Body::Goals(goals) => {
                writeln!(self.f, "  body")?;
                self.goals(goals)
            }
        }
    }

    fn goals(&mut self, goals: &[Goal]) -> fmt::Result {
        goals.iter().try_for_each(|goal| {
            self.f.write_str("    ")?;
            self.goal(goal)?;
            writeln!(self.f)
        })
    }

    fn goal(&mut self, goal: &Goal) -> fmt::Result {
        match &goal.kind {
            GoalKind::Test(test) => {
                self.f.write_str("test ")?;
                self.expr(test)
            }
            GoalKind::Bind { var, value } => {
                self.var(*var)?;
                self.f.write_str(" := ")?;
                self.expr(value)
            }
            GoalKind::Match { value, pattern } => {
                self.f.write_str("match ")?;
                self.expr(value)?;
                self.f.write_str(" with ")?;
                self.pattern(pattern)
            }
            GoalKind::Add { constraint, args } => {
                write!(self.f, "add {}", self.sig.constraints[*constraint].name)?;
                self.list(args, Self::expr)
            }
            GoalKind::Fail => self.f.write_str("fail"),
            GoalKind::Write { value, quoted } => {
                self.f.write_str(if *quoted { "writeq " } else { "write " })?;
                self.expr(value)
            }
            GoalKind::Newline => self.f.write_str("nl"),
        }
    }

    fn list<T>(&mut self, items: &[T], each: impl Fn(&mut Self, &T) -> fmt::Result) -> fmt::Result {
        if items.is_empty() {
            return Ok(());
        }
        self.f.write_char('(')?;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.f.write_str(", ")?;
            }
            each(self, item)?;
        }
        self.f.write_char(')')
    }

    fn var(&mut self, var: VarId) -> fmt::Result {
        let name = self.vars.get(var).map_or("?", |v| v.name.as_str());
        write!(self.f, "{name}.{}", var.0)
    }

    fn pattern(&mut self, pattern: &Pattern) -> fmt::Result {
        match &pattern.kind {
            PatternKind::Wild => self.f.write_char('_'),
            PatternKind::Var(var) => self.var(*var),
            PatternKind::Const(c) => print_const(self.sig, *c, self.f),
            PatternKind::App { symbol, args } => {
                self.f.write_str(&self.sig.symbols[*symbol].name)?;
                self.list(args, Self::pattern)
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> fmt::Result {
        match &expr.kind {
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Const(c) => print_const(self.sig, *c, self.f),
            ExprKind::App { symbol, args } => {
                self.f.write_str(&self.sig.symbols[*symbol].name)?;
                self.list(args, Self::expr)
            }
            ExprKind::Repeat { symbol, count, arg } => {
                write!(self.f, "{}^{count}(", self.sig.symbols[*symbol].name)?;
                self.expr(arg)?;
                self.f.write_char(')')
            }
            ExprKind::Op { op, args } => match args.as_slice() {
                [a, b] => {
                    self.f.write_char('(')?;
                    self.expr(a)?;
                    write!(self.f, " {} ", op.name())?;
                    self.expr(b)?;
                    self.f.write_char(')')
                }
                _ => {
                    self.f.write_str(op.name())?;
                    self.list(args, Self::expr)
                }
            },
        }
    }
}
