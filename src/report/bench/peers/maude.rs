//! Term programs as functional modules of Maude.
//!
//! Rules of a program are tried in textual order, equations of Maude are not. Where a rule without condition overlaps
//! an earlier one of its symbol and is the last of them, it gets the attribute `owise`: enough for one level of
//! fall-back, which is what the benchmarks need; results are compared.

use std::fmt::Write;

use gchr_base::op::Op;
use gchr_base::rule::{GroundTerm, Pattern, PatternKind, Program, RuleId};
use gchr_base::signature::{Signature, SortId, SymbolId, SymbolKind};

use super::translate::{Dialect, Text, Translator, common_infix};

pub(super) struct Maude;

impl Dialect for Maude {
    const TYPES: [&str; 3] = ["Sort", "Bool", "Int"];

    fn symbol(&self, signature: &Signature, symbol: SymbolId) -> String {
        signature.symbols[symbol].name.clone()
    }
    fn apply(&self, name: &str, _: SymbolKind, args: &[String]) -> String {
        if args.is_empty() { name.into() } else { format!("{name}({})", args.join(", ")) }
    }
    fn function(&self, op: Op) -> Option<&'static str> {
        Some(match op {
            Op::Min => "min",
            Op::Max => "max",
            Op::Abs => "abs",
            Op::Gcd => "gcd",
            Op::Neg => "-",
            _ => return None,
        })
    }

    fn infix(&self, op: Op) -> Option<&'static str> {
        Some(match op {
            Op::Mod | Op::Rem => "rem",
            Op::Div | Op::Quot => "quo",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::And => "&",
            Op::Or => "|",
            Op::Xor => "xor",
            Op::Ne | Op::Differ => "=/=",
            Op::Both => "and",
            Op::Either => "or",
            _ => return common_infix(op),
        })
    }
    fn int(&self, value: i64) -> String {
        value.to_string()
    }
    fn variable(&self, signature: &Signature, name: &str, sort: SortId) -> String {
        format!("{name}:{}", Maude.type_name(signature, sort))
    }
}

/// A session that reduces `start`. Without `show` the result is swallowed, so that printing takes no time.
pub(super) fn session(program: &Program, start: &GroundTerm, ordered: bool, show: bool) -> Text {
    let translator = Translator { program, dialect: Maude };
    let signature = &program.signature;
    let mut text = String::from(
        "set show advisories off .\nset show timing on .\nfmod PROGRAM is\n  protecting INT .\n",
    );
    for sort in translator.data_sorts() {
        let _ = writeln!(text, "  sort {} .", Maude.type_name(signature, sort));
    }
    for kind in [SymbolKind::Constructor, SymbolKind::Defined] {
        for symbol in translator.symbols(kind) {
            let known = &signature.symbols[symbol];
            let args: Vec<_> = known.args.iter().map(|&s| Maude.type_name(signature, s)).collect();
            let result = Maude.type_name(signature, known.result);
            let _ = writeln!(text, "  op {} : {} -> {result} .", known.name, args.join(" "));
        }
    }
    for id in program.rules.ids() {
        let equation = translator.equation(id)?;
        let left = translator.applied(equation.symbol, &equation.args);
        let _ = match equation.conditions.is_empty() {
            false => {
                writeln!(text, "  ceq {left} = {} if {} .", equation.right, equation.conditions.join(" and "))
            }
            true => {
                let owise = if ordered && falls_back(program, id, equation.symbol) { " [owise]" } else { "" };
                writeln!(text, "  eq {left} = {}{owise} .", equation.right)
            }
        };
    }
    let mut goal = translator.ground(start)?;
    if !show {
        let sort = Maude.type_name(signature, start.sort);
        text += "  sort Swallowed .\n  op done : -> Swallowed .\n";
        let _ = writeln!(text, "  op swallow : {sort} -> Swallowed .\n  eq swallow(Result:{sort}) = done .");
        goal = format!("swallow({goal})");
    }
    let _ = writeln!(text, "endfm\nred {goal} .\nquit");
    Ok(text)
}

/// The last rule of a symbol overlaps an earlier one.
fn falls_back(program: &Program, id: RuleId, symbol: SymbolId) -> bool {
    let own = &program.rules[id].heads[0];
    program.rules_of(symbol).last() == Some(id)
        && program.rules_of(symbol).filter(|&other| other != id).any(|other| {
            let other = &program.rules[other].heads[0];
            own.atom.args().iter().zip(other.atom.args()).all(|(a, b)| overlap(a, b))
        })
}

/// Whether two patterns may match one value, as far as their heads tell.
fn overlap(a: &Pattern, b: &Pattern) -> bool {
    match (&a.kind, &b.kind) {
        (PatternKind::App { symbol: f, .. }, PatternKind::App { symbol: g, .. }) => f == g,
        (PatternKind::Const(x), PatternKind::Const(y)) => x == y,
        _ => true,
    }
}
