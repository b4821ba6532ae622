//! Term programs in Haskell, with strict data and arguments: one type a sort, one function a defined symbol, rules as
//! its equations.

use std::fmt::Write;

use gchr_base::op::Op;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId, SymbolKind};

use super::translate::{Dialect, Text, Translator, common_infix, printed};

pub(super) struct Haskell;

impl Dialect for Haskell {
    const TYPES: [&str; 3] = ["T_", "Bool", "Int"];

    fn symbol(&self, signature: &Signature, symbol: SymbolId) -> String {
        let known = &signature.symbols[symbol];
        match (known.kind, known.name.as_str()) {
            (SymbolKind::Defined, name) => format!("f_{name}"),
            (_, "true") if signature.sorts[known.result].span.is_none() => "True".into(),
            (_, "false") if signature.sorts[known.result].span.is_none() => "False".into(),
            (_, name) => format!("C_{name}"),
        }
    }
    fn apply(&self, name: &str, _: SymbolKind, args: &[String]) -> String {
        if args.is_empty() { name.into() } else { format!("({name} {})", args.join(" ")) }
    }
    fn function(&self, op: Op) -> Option<&'static str> {
        Some(match op {
            Op::Min => "min",
            Op::Max => "max",
            Op::Abs => "abs",
            Op::Sign => "signum",
            Op::Gcd => "gcd",
            Op::Neg => "negate",
            Op::Negate => "not",
            // Numbers are integers here, as all constants are.
            op if op.rounds() => "id",
            _ => return None,
        })
    }

    fn infix(&self, op: Op) -> Option<&'static str> {
        Some(match op {
            Op::Mod => "`mod`",
            Op::Rem => "`rem`",
            Op::Div | Op::FloorDiv => "`div`",
            Op::Quot => "`quot`",
            Op::Shl => "`shiftL`",
            Op::Shr => "`shiftR`",
            Op::And => ".&.",
            Op::Or => ".|.",
            Op::Xor => "`xor`",
            Op::Ne | Op::Differ => "/=",
            _ => return common_infix(op),
        })
    }
}

/// A program that evaluates `start`, prints its milliseconds and, with `show`, the result.
pub(super) fn text(program: &Program, start: &GroundTerm, show: bool) -> Text {
    let translator = Translator { program, dialect: Haskell };
    let signature = &program.signature;
    let mut text = String::from(
        "{-# LANGUAGE Strict #-}\nmodule Main (main) where\nimport Control.Exception (evaluate)\nimport Data.Bits\n\
         import System.CPUTime (getCPUTime)\nimport Text.Printf (printf)\n",
    );
    for sort in translator.data_sorts() {
        let constructors = translator.symbols(SymbolKind::Constructor).into_iter();
        let own = constructors.filter(|&s| signature.symbols[s].result == sort).map(|symbol| {
            let args = signature.symbols[symbol]
                .args
                .iter()
                .map(|&s| format!(" {}", Haskell.type_name(signature, s)));
            format!("{}{}", Haskell.symbol(signature, symbol), args.collect::<String>())
        });
        let own: Vec<_> = own.collect();
        let _ =
            writeln!(text, "data {} = {} deriving Eq", Haskell.type_name(signature, sort), own.join(" | "));
        printer(signature, sort, &translator.symbols(SymbolKind::Constructor), &mut text);
    }
    for symbol in translator.symbols(SymbolKind::Defined) {
        let known = &signature.symbols[symbol];
        let name = Haskell.symbol(signature, symbol);
        let types: Vec<_> =
            known.args.iter().chain([&known.result]).map(|&s| Haskell.type_name(signature, s)).collect();
        let _ = writeln!(text, "{name} :: {}", types.join(" -> "));
        for rule in program.rules_of(symbol) {
            let equation = translator.equation(rule)?;
            let guard = match equation.conditions.is_empty() {
                true => String::new(),
                false => format!(" | {}", equation.conditions.join(" && ")),
            };
            let _ = writeln!(text, "{name} {}{guard} = {}", equation.args.join(" "), equation.right);
        }
    }
    text += "showBool :: Bool -> String\nshowBool b = if b then \"true\" else \"false\"\n";
    let start_text = translator.ground(start)?;
    let _ = writeln!(
        text,
        "main :: IO ()\nmain = do\n  before <- getCPUTime\n  result <- evaluate {start_text}\n  after <- getCPUTime\n  \
         printf \"ms %.3f\\n\" (fromIntegral (after - before) / 1.0e9 :: Double)"
    );
    if show {
        let _ = writeln!(text, "  putStrLn (\"result \" ++ {} result)", shower(signature, start.sort));
    }
    Ok(text)
}

fn shower(signature: &Signature, sort: SortId) -> String {
    match signature.sorts[sort].kind {
        SortKind::Data if signature.sorts[sort].span.is_some() => {
            format!("show_{}", signature.sorts[sort].name)
        }
        SortKind::Data => "showBool".into(),
        _ => "show".into(),
    }
}

fn printer(signature: &Signature, sort: SortId, constructors: &[SymbolId], text: &mut String) {
    let name = shower(signature, sort);
    let _ = writeln!(text, "{name} :: {} -> String", Haskell.type_name(signature, sort));
    for &symbol in constructors {
        let known = &signature.symbols[symbol];
        if known.result != sort {
            continue;
        }
        let vars: Vec<_> = (0..known.args.len()).map(|k| format!("x{k}")).collect();
        let left = Haskell.apply(&Haskell.symbol(signature, symbol), known.kind, &vars);
        let parts = known.args.iter().zip(&vars).map(|(&s, v)| format!("{} {v}", shower(signature, s)));
        let shown = printed(&known.name, &parts.collect::<Vec<_>>(), "++");
        let _ = writeln!(text, "{name} {left} = {shown}");
    }
}
