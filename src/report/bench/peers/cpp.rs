//! Term programs in C++, as a compiler would write them that keeps no account of memory: one function a defined symbol,
//! rules as tests in textual order, cells of 32-bit words in an arena that is never collected. Integers wrap.

use std::collections::HashMap;
use std::fmt::Write;

use gchr_base::ids::Id;
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, GoalKind, GroundNode, GroundTerm, Head, HeadAtom, Pattern, PatternKind,
    Program, Rule, RuleId, VarId,
};
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId, SymbolKind};

use super::translate::{Text, Unsupported, has_own_booleans};

/// What all programs share, before and behind their constructors.
const HEAD: &str = include_str!("arena.hpp");

/// A program that evaluates `start`, prints its milliseconds and, with `show`, the result.
pub(super) fn text(program: &Program, start: &GroundTerm, show: bool) -> Text {
    let cpp = Cpp { program, signature: &program.signature };
    let mut text = cpp.tables();
    text += HEAD;
    let symbols = || cpp.signature.symbols.iter_enumerated().map(|(id, symbol)| (id, symbol.kind));
    for (id, _) in symbols().filter(|(_, kind)| *kind != SymbolKind::Defined) {
        text += &cpp.constructor(id);
    }
    for (id, _) in symbols().filter(|(_, kind)| *kind == SymbolKind::Defined) {
        let _ = writeln!(text, "static {};", cpp.prototype(id));
    }
    for (id, _) in symbols().filter(|(_, kind)| *kind == SymbolKind::Defined) {
        text += &cpp.function(id)?;
    }
    let _ = writeln!(text, "static {} start() {{ return {}; }}", cpp.type_of(start.sort), cpp.ground(start)?);
    let shown = if show { format!("show_{}(result);", cpp.letter(start.sort)) } else { String::new() };
    let _ = writeln!(
        text,
        "int main() {{\n  reserve();\n  double before = now();\n  auto result = start();\n  double after = now();\n  \
         printf(\"ms %.6f\\nresult \", after - before);\n  {shown}\n  used += result != 0;\n  puts(\"\");\n}}"
    );
    Ok(text)
}

struct Cpp<'a> {
    program: &'a Program,
    signature: &'a Signature,
}

/// A rule: what its variables are bound to.
struct Scope<'a> {
    rule: &'a Rule,
    values: HashMap<VarId, String>,
}

impl Cpp<'_> {
    /// Names and fields of the symbols by number, for texts and equality.
    fn tables(&self) -> String {
        let symbols = &self.signature.symbols;
        let fields = symbols.iter().map(|s| s.args.iter().map(|&sort| self.letter(sort)).collect::<String>());
        let quoted =
            |texts: Vec<String>| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        format!(
            "enum {{ SYMBOLS = {} }};\nstatic const char *const NAMES[] = {{{}}};\nstatic const char *const FIELDS[] = {{{}}};\n",
            symbols.len(),
            quoted(symbols.iter().map(|s| s.name.clone()).collect()),
            quoted(fields.collect())
        )
    }

    /// `t`: a term, `b`: a truth value that is built in, `i`, `d`: numbers.
    fn letter(&self, sort: SortId) -> char {
        let known = &self.signature.sorts[sort];
        match known.kind {
            SortKind::Int => 'i',
            SortKind::Float => 'd',
            _ if sort == self.signature.booleans.sort && !has_own_booleans(self.signature) => 'b',
            _ => 't',
        }
    }

    fn type_of(&self, sort: SortId) -> &'static str {
        match self.letter(sort) {
            'i' => "int64_t",
            'd' => "double",
            'b' => "bool",
            _ => "T",
        }
    }

    fn words(&self, sort: SortId) -> usize {
        if matches!(self.letter(sort), 'i' | 'd') { 2 } else { 1 }
    }

    fn params(&self, symbol: SymbolId) -> String {
        let args = self.signature.symbols[symbol].args.iter().enumerate();
        args.map(|(k, &sort)| format!("{} a{k}", self.type_of(sort))).collect::<Vec<_>>().join(", ")
    }

    /// A constant is its number, an application the place of its cell.
    fn constructor(&self, id: SymbolId) -> String {
        let known = &self.signature.symbols[id];
        if self.letter(known.result) == 'b' {
            return String::new();
        }
        let number = id.index();
        let mut text = format!("static inline T k_{number}({}) {{ ", self.params(id));
        if known.args.is_empty() {
            return text + &format!("return {number}; }}\n");
        }
        let words: usize = 1 + known.args.iter().map(|&sort| self.words(sort)).sum::<usize>();
        let _ = write!(text, "T p = used; used += {words}; H[p] = {number}; ");
        let mut at = 1;
        for (k, &sort) in known.args.iter().enumerate() {
            let _ = match self.words(sort) {
                1 => write!(text, "H[p + {at}] = a{k}; "),
                _ => write!(text, "memcpy(H + p + {at}, &a{k}, 8); "),
            };
            at += self.words(sort);
        }
        text + "return p; }\n"
    }

    fn prototype(&self, id: SymbolId) -> String {
        let result = self.type_of(self.signature.symbols[id].result);
        format!("{result} f_{}({})", id.index(), self.params(id))
    }

    fn function(&self, id: SymbolId) -> Text {
        let mut text = format!("static {} {{\n", self.prototype(id));
        for rule in self.program.rules_of(id) {
            text += &self.rule(rule)?;
        }
        let _ = writeln!(text, "  stuck({});\n}}", id.index());
        Ok(text)
    }

    fn rule(&self, id: RuleId) -> Text {
        let rule = &self.program.rules[id];
        let (Some(Head { atom: HeadAtom::Term { args, .. }, .. }), Body::Replace(right)) =
            (rule.heads.first(), &rule.body)
        else {
            return Err(Unsupported("a rule that replaces no term".into()));
        };
        let mut scope = Scope { rule, values: HashMap::new() };
        let mut tests = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            self.matches(arg, format!("a{k}"), &mut scope, &mut tests)?;
        }
        for goal in &rule.guard {
            match &goal.kind {
                GoalKind::Test(test) => tests.push(self.test(test, &scope)?),
                _ => return Err(Unsupported("a condition that binds variables".into())),
            }
        }
        let right = self.expr(right, &scope)?;
        let when = if tests.is_empty() { String::new() } else { format!("if ({}) ", tests.join(" && ")) };
        Ok(format!("  {when}return {right};\n"))
    }

    /// What must hold for a value to match a pattern.
    fn matches(
        &self,
        pattern: &Pattern,
        value: String,
        scope: &mut Scope<'_>,
        tests: &mut Vec<String>,
    ) -> Text<()> {
        match &pattern.kind {
            PatternKind::Wild => {}
            PatternKind::Var(id) => match scope.values.get(id) {
                Some(known) => tests.push(self.same(scope.rule.vars[*id].sort, known, &value)),
                None => {
                    scope.values.insert(*id, value);
                }
            },
            PatternKind::Const(known) => tests.push(format!("{value} == {}", constant(*known)?)),
            PatternKind::App { symbol, .. } if self.letter(pattern.sort) == 'b' => {
                tests.push(format!("{value} == {}", self.truth(*symbol)));
            }
            PatternKind::App { symbol, args } => {
                tests.push(format!("tag({value}) == {}", symbol.index()));
                let mut at = 1;
                for arg in args {
                    let field = match self.letter(arg.sort) {
                        'i' => format!("integer({value} + {at})"),
                        'd' => format!("real({value} + {at})"),
                        _ => format!("H[{value} + {at}]"),
                    };
                    self.matches(arg, field, scope, tests)?;
                    at += self.words(arg.sort);
                }
            }
        }
        Ok(())
    }

    fn truth(&self, symbol: SymbolId) -> bool {
        symbol == self.signature.booleans.true_symbol
    }

    fn same(&self, sort: SortId, a: &str, b: &str) -> String {
        if self.letter(sort) == 't' { format!("same({a}, {b})") } else { format!("({a} == {b})") }
    }

    /// A condition as a truth value of C++.
    fn test(&self, expr: &Expr, scope: &Scope<'_>) -> Text {
        match &expr.kind {
            ExprKind::Op { op, args } if op.is_test() => self.operate(*op, args, scope),
            _ if self.letter(expr.sort) == 'b' => self.expr(expr, scope),
            _ => {
                let truth = self.signature.booleans.true_symbol.index();
                Ok(format!("({} == {truth})", self.expr(expr, scope)?))
            }
        }
    }

    fn expr(&self, expr: &Expr, scope: &Scope<'_>) -> Text {
        let all = |args: &[Expr]| args.iter().map(|arg| self.expr(arg, scope)).collect::<Text<Vec<_>>>();
        Ok(match &expr.kind {
            ExprKind::Var(id) => {
                let bound = scope.values.get(id).cloned();
                bound.ok_or_else(|| Unsupported("a variable that no pattern binds".into()))?
            }
            ExprKind::Const(value) => constant(*value)?,
            ExprKind::App { symbol, args } => self.applied(*symbol, &all(args)?),
            ExprKind::Repeat { symbol, count, arg } => {
                self.repeated(*symbol, u64::from(*count), &self.expr(arg, scope)?)
            }
            ExprKind::Op { op, args } => {
                let value = self.operate(*op, args, scope)?;
                self.as_value(*op, value)
            }
        })
    }

    /// The result of an operator as a value of the program.
    fn as_value(&self, op: Op, value: String) -> String {
        if !op.is_test() || !has_own_booleans(self.signature) {
            return value;
        }
        let booleans = self.signature.booleans;
        format!("T({value} ? {} : {})", booleans.true_symbol.index(), booleans.false_symbol.index())
    }

    fn operate(&self, op: Op, args: &[Expr], scope: &Scope<'_>) -> Text {
        let operand =
            |arg: &Expr| if op.is_logical() { self.test(arg, scope) } else { self.expr(arg, scope) };
        let values = args.iter().map(operand).collect::<Text<Vec<_>>>()?;
        self.operated(op, args.first().map(|arg| arg.sort), &values)
    }

    fn operated(&self, op: Op, sort: Option<SortId>, args: &[String]) -> Text {
        let unsupported = || Unsupported(format!("the operator {op:?}"));
        let infix = match op {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Quot | Op::Div => "/",
            Op::Rem => "%",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::And => "&",
            Op::Or => "|",
            Op::Xor => "^",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Both => "&&",
            Op::Either => "||",
            Op::Eq | Op::Same | Op::Ne | Op::Differ => {
                let ([a, b], Some(sort)) = (args, sort) else { return Err(unsupported()) };
                let not = if matches!(op, Op::Ne | Op::Differ) { "!" } else { "" };
                return Ok(format!("{not}{}", self.same(sort, a, b)));
            }
            Op::Mod => return Ok(format!("floor_mod({})", args.join(", "))),
            Op::FloorDiv => return Ok(format!("floor_div({})", args.join(", "))),
            Op::Min => return Ok(format!("std::min({})", args.join(", "))),
            Op::Max => return Ok(format!("std::max({})", args.join(", "))),
            Op::Abs => return Ok(format!("std::abs({})", args.join(", "))),
            Op::Gcd => return Ok(format!("std::gcd({})", args.join(", "))),
            Op::Neg => return Ok(format!("(-{})", args.join(""))),
            Op::Negate => return Ok(format!("(!{})", args.join(""))),
            _ => return Err(unsupported()),
        };
        let [a, b] = args else { return Err(unsupported()) };
        Ok(format!("({a} {infix} {b})"))
    }

    fn applied(&self, symbol: SymbolId, args: &[String]) -> String {
        let known = &self.signature.symbols[symbol];
        if known.kind != SymbolKind::Defined && self.letter(known.result) == 'b' {
            return self.truth(symbol).to_string();
        }
        let letter = if known.kind == SymbolKind::Defined { 'f' } else { 'k' };
        format!("{letter}_{}({})", symbol.index(), args.join(", "))
    }

    /// A loop, since compilers nest brackets to a certain depth only.
    fn repeated(&self, symbol: SymbolId, count: u64, arg: &str) -> String {
        let once = self.applied(symbol, &["x".into()]);
        format!("[](T x) {{ for (int64_t n = {count}; n > 0; n--) x = {once}; return x; }}({arg})")
    }

    fn ground(&self, term: &GroundTerm) -> Text {
        let mut stack: Vec<String> = Vec::new();
        for node in &term.nodes {
            let text = match node {
                GroundNode::Const(value) => constant(*value)?,
                GroundNode::App(symbol) => {
                    let args = stack.split_off(stack.len() - self.signature.arity(*symbol));
                    self.applied(*symbol, &args)
                }
                GroundNode::Repeat(symbol, count) => {
                    let arg = stack.pop().unwrap_or_default();
                    self.repeated(*symbol, u64::from(*count), &arg)
                }
                GroundNode::Op(op, sort) => {
                    let args = stack.split_off(stack.len() - op.arity());
                    if op.is_logical() && has_own_booleans(self.signature) {
                        return Err(Unsupported("truth values that are joined in the start".into()));
                    }
                    self.as_value(*op, self.operated(*op, Some(*sort), &args)?)
                }
            };
            stack.push(text);
        }
        stack.pop().ok_or_else(|| Unsupported("no start".into()))
    }
}

fn constant(value: Const) -> Text {
    match value {
        Const::Int(i64::MIN) => Ok("INT64_MIN".into()),
        Const::Int(n) => Ok(format!("INT64_C({n})")),
        Const::Float(x) if x.is_finite() => Ok(format!("{x:?}")),
        _ => Err(Unsupported("values other than numbers".into())),
    }
}
