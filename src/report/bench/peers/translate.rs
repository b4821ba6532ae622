//! A term program as text of another language: what all of them share. A language is a [`Dialect`].

use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, GoalKind, GroundNode, GroundTerm, Head, HeadAtom, Pattern, PatternKind,
    Program, Rule, RuleId, VarId,
};
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId, SymbolKind};

/// How a language writes terms.
pub(super) trait Dialect {
    /// Types: what is put before the names of the program's sorts, truth values, numbers.
    const TYPES: [&str; 3];

    /// Name of a constructor or function.
    fn symbol(&self, signature: &Signature, symbol: SymbolId) -> String;
    /// A constructor or function applied.
    fn apply(&self, name: &str, kind: SymbolKind, args: &[String]) -> String;
    /// A function of numbers, applied by [`apply`](Self::apply) to them; nothing when the language has none.
    fn function(&self, op: Op) -> Option<&'static str>;
    /// An operator between its operands, where the language does not call it as [`common_infix`] does; nothing when it
    /// has none.
    fn infix(&self, op: Op) -> Option<&'static str>;

    /// A sort.
    fn type_name(&self, signature: &Signature, sort: SortId) -> String {
        let known = &signature.sorts[sort];
        let [before, truth, number] = Self::TYPES;
        match known.kind {
            SortKind::Data if known.span.is_some() => format!("{before}{}", known.name),
            SortKind::Data => truth.into(),
            _ => number.into(),
        }
    }
    /// An operator applied; nothing when the language has no such operator.
    fn operate(&self, op: Op, args: &[String]) -> Option<String> {
        if let Some(name) = self.function(op) {
            return Some(self.apply(name, SymbolKind::Defined, args));
        }
        let infix = self.infix(op)?;
        let [a, b] = args else { return None };
        Some(format!("({a} {infix} {b})"))
    }
    /// An integer.
    fn int(&self, value: i64) -> String {
        format!("({value})")
    }
    /// A variable.
    fn variable(&self, _: &Signature, name: &str, _: SortId) -> String {
        name.to_lowercase()
    }
}

/// What most languages call an operator.
pub(super) fn common_infix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Eq | Op::Same => "==",
        Op::Both => "&&",
        Op::Either => "||",
        _ => return None,
    })
}

/// An expression for the text of a term: its symbol, and expressions for the texts of its arguments, appended to each
/// other.
pub(super) fn printed(symbol: &str, args: &[String], append: &str) -> String {
    if args.is_empty() {
        return format!("\"{symbol}\"");
    }
    let args = args.join(&format!(" {append} \",\" {append} "));
    format!("\"{symbol}(\" {append} {args} {append} \")\"")
}

/// Why a program cannot be written in another language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unsupported(pub String);

pub(super) type Text<T = String> = Result<T, Unsupported>;

/// Writes one program in one language.
pub(super) struct Translator<'a, D> {
    pub program: &'a Program,
    pub dialect: D,
}

/// A rule in pieces.
pub(super) struct Equation {
    pub symbol: SymbolId,
    pub args: Vec<String>,
    pub conditions: Vec<String>,
    pub right: String,
}

/// Whether truth values are built in: then comparisons give those of the other language.
pub(super) fn has_own_booleans(signature: &Signature) -> bool {
    signature.sorts[signature.booleans.sort].span.is_some()
}

impl<D: Dialect> Translator<'_, D> {
    pub fn signature(&self) -> &Signature {
        &self.program.signature
    }

    /// Sorts of terms that the program declares.
    pub fn data_sorts(&self) -> Vec<SortId> {
        let signature = self.signature();
        let sorts = signature.sorts.iter_enumerated();
        sorts.filter(|(_, s)| s.kind == SortKind::Data && s.span.is_some()).map(|(id, _)| id).collect()
    }

    /// Symbols of some kind, in order of declaration; those of built-in truth values are not among them.
    pub fn symbols(&self, kind: SymbolKind) -> Vec<SymbolId> {
        let signature = self.signature();
        let all = signature.symbols.iter_enumerated();
        let own = |sort: SortId| {
            signature.sorts[sort].kind != SortKind::Data || signature.sorts[sort].span.is_some()
        };
        all.filter(|(_, s)| s.kind == kind && (kind == SymbolKind::Defined || own(s.result)))
            .map(|(id, _)| id)
            .collect()
    }

    pub fn equation(&self, id: RuleId) -> Text<Equation> {
        let rule = &self.program.rules[id];
        let (Some(Head { atom: HeadAtom::Term { symbol, args }, .. }), Body::Replace(right)) =
            (rule.heads.first(), &rule.body)
        else {
            return Err(Unsupported("a rule that replaces no term".into()));
        };
        let mut conditions = Vec::new();
        let mut seen = Vec::new();
        let patterns = args.iter().map(|a| self.pattern(rule, a, &mut seen, &mut conditions));
        let args = patterns.collect::<Text<Vec<_>>>()?;
        for goal in &rule.guard {
            match &goal.kind {
                GoalKind::Test(test) => conditions.push(self.condition(rule, test)?),
                _ => return Err(Unsupported("a condition that binds variables".into())),
            }
        }
        Ok(Equation { symbol: *symbol, args, conditions, right: self.expr(rule, right)? })
    }

    fn variable(&self, rule: &Rule, id: VarId) -> String {
        self.dialect.variable(self.signature(), &format!("V{}", id.0), rule.vars[id].sort)
    }

    fn condition(&self, rule: &Rule, test: &Expr) -> Text {
        let text = self.expr(rule, test)?;
        let native = matches!(test.kind, ExprKind::Op { .. }) || !has_own_booleans(self.signature());
        if native { Ok(text) } else { Err(Unsupported("a condition on an own sort of truth values".into())) }
    }

    /// A variable that occurs again gets a name of its own and a condition.
    fn pattern(
        &self,
        rule: &Rule,
        pattern: &Pattern,
        seen: &mut Vec<VarId>,
        conditions: &mut Vec<String>,
    ) -> Text {
        Ok(match &pattern.kind {
            PatternKind::Wild => {
                self.dialect.variable(self.signature(), &format!("W{}", pattern.span.start), pattern.sort)
            }
            PatternKind::Var(id) => {
                let name = self.variable(rule, *id);
                if seen.contains(id) {
                    let again = format!("A{}", pattern.span.start);
                    let again = self.dialect.variable(self.signature(), &again, pattern.sort);
                    let equal = self.dialect.operate(Op::Same, &[name, again.clone()]);
                    conditions.push(equal.ok_or_else(|| Unsupported("equality of terms".into()))?);
                    return Ok(again);
                }
                seen.push(*id);
                name
            }
            PatternKind::Const(value) => self.constant(*value)?,
            PatternKind::App { symbol, args } => {
                let args =
                    args.iter().map(|a| self.pattern(rule, a, seen, conditions)).collect::<Text<Vec<_>>>()?;
                self.applied(*symbol, &args)
            }
        })
    }

    fn expr(&self, rule: &Rule, expr: &Expr) -> Text {
        let all = |args: &[Expr]| args.iter().map(|a| self.expr(rule, a)).collect::<Text<Vec<_>>>();
        Ok(match &expr.kind {
            ExprKind::Var(id) => self.variable(rule, *id),
            ExprKind::Const(value) => self.constant(*value)?,
            ExprKind::App { symbol, args } => self.applied(*symbol, &all(args)?),
            ExprKind::Repeat { symbol, count, arg } => {
                let mut text = self.expr(rule, arg)?;
                for _ in 0..*count {
                    text = self.applied(*symbol, &[text]);
                }
                text
            }
            ExprKind::Op { op, args } => {
                if has_own_booleans(self.signature()) && op.is_test() {
                    return Err(Unsupported("comparisons with an own sort of truth values".into()));
                }
                let text = self.dialect.operate(*op, &all(args)?);
                text.ok_or_else(|| Unsupported(format!("the operator {op:?}")))?
            }
        })
    }

    pub fn applied(&self, symbol: SymbolId, args: &[String]) -> String {
        let kind = self.signature().symbols[symbol].kind;
        self.dialect.apply(&self.dialect.symbol(self.signature(), symbol), kind, args)
    }

    fn constant(&self, value: Const) -> Text {
        match value {
            Const::Int(n) => Ok(self.dialect.int(n)),
            _ => Err(Unsupported("values other than integers".into())),
        }
    }

    /// A start term.
    pub fn ground(&self, term: &GroundTerm) -> Text {
        let mut stack: Vec<String> = Vec::new();
        for node in &term.nodes {
            let text = match node {
                GroundNode::Const(value) => self.constant(*value)?,
                GroundNode::App(symbol) => {
                    let args = stack.split_off(stack.len() - self.signature().arity(*symbol));
                    self.applied(*symbol, &args)
                }
                GroundNode::Repeat(symbol, count) => {
                    let mut text = stack.pop().unwrap_or_default();
                    for _ in 0..*count {
                        text = self.applied(*symbol, &[text]);
                    }
                    text
                }
                GroundNode::Op(op, _) => {
                    let args = stack.split_off(stack.len() - op.arity());
                    let text = self.dialect.operate(*op, &args);
                    text.ok_or_else(|| Unsupported(format!("the operator {op:?}")))?
                }
            };
            stack.push(text);
        }
        stack.pop().ok_or_else(|| Unsupported("no start".into()))
    }
}
