//! Term programs in OCaml: one type a sort, one recursive function a defined symbol, rules as cases in textual order.

use std::fmt::Write;

use gchr_base::op::Op;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId, SymbolKind};

use super::translate::{Dialect, Text, Translator, common_infix, printed};

pub(super) struct Ocaml;

impl Dialect for Ocaml {
    const TYPES: [&str; 3] = ["t_", "bool", "int"];

    fn symbol(&self, signature: &Signature, symbol: SymbolId) -> String {
        let known = &signature.symbols[symbol];
        match known.kind {
            SymbolKind::Defined => format!("f_{}", known.name),
            _ if signature.sorts[known.result].span.is_none() => known.name.clone(),
            _ => format!("C_{}", known.name),
        }
    }
    fn apply(&self, name: &str, kind: SymbolKind, args: &[String]) -> String {
        match (kind, args) {
            (SymbolKind::Defined, []) => format!("({name} ())"),
            (SymbolKind::Defined, _) => format!("({name} {})", args.join(" ")),
            (_, []) => name.into(),
            _ => format!("({name} ({}))", args.join(", ")),
        }
    }
    fn function(&self, op: Op) -> Option<&'static str> {
        Some(match op {
            Op::Min => "min",
            Op::Max => "max",
            Op::Abs => "abs",
            Op::Neg => "-",
            Op::Negate => "not",
            // Numbers are integers here, as all constants are.
            op if op.rounds() => "Fun.id",
            _ => return None,
        })
    }

    fn infix(&self, op: Op) -> Option<&'static str> {
        Some(match op {
            Op::Mod | Op::Rem => "mod",
            Op::Div | Op::Quot => "/",
            Op::Shl => "lsl",
            Op::Shr => "asr",
            Op::And => "land",
            Op::Or => "lor",
            Op::Xor => "lxor",
            Op::Eq | Op::Same => "=",
            Op::Ne | Op::Differ => "<>",
            _ => return common_infix(op),
        })
    }
}

/// A program that evaluates `start`, prints its milliseconds and, with `show`, the result.
pub(super) fn text(program: &Program, start: &GroundTerm, show: bool) -> Text {
    let translator = Translator { program, dialect: Ocaml };
    let signature = &program.signature;
    let mut text = String::new();
    for (i, sort) in translator.data_sorts().into_iter().enumerate() {
        let word = if i == 0 { "type" } else { "and" };
        let constructors = translator.symbols(SymbolKind::Constructor).into_iter();
        let own = constructors.filter(|&s| signature.symbols[s].result == sort).map(|symbol| {
            let args: Vec<_> =
                signature.symbols[symbol].args.iter().map(|&s| Ocaml.type_name(signature, s)).collect();
            let name = Ocaml.symbol(signature, symbol);
            if args.is_empty() { name } else { format!("{name} of {}", args.join(" * ")) }
        });
        let own: Vec<_> = own.collect();
        let _ = writeln!(text, "{word} {} = {}", Ocaml.type_name(signature, sort), own.join(" | "));
    }
    for (i, symbol) in translator.symbols(SymbolKind::Defined).into_iter().enumerate() {
        let word = if i == 0 { "let rec" } else { "and" };
        let args = &signature.symbols[symbol].args;
        let params: Vec<_> = args
            .iter()
            .enumerate()
            .map(|(k, &s)| format!("(p{k} : {})", Ocaml.type_name(signature, s)))
            .collect();
        let params = if params.is_empty() { "()".to_string() } else { params.join(" ") };
        let result = Ocaml.type_name(signature, signature.symbols[symbol].result);
        let names: Vec<_> = (0..args.len()).map(|k| format!("p{k}")).collect();
        let on = if names.is_empty() { "()".to_string() } else { names.join(", ") };
        let _ = writeln!(
            text,
            "{word} {} {params} : {result} = match {on} with",
            Ocaml.symbol(signature, symbol)
        );
        for rule in program.rules_of(symbol) {
            let equation = translator.equation(rule)?;
            let left = if names.is_empty() { "()".to_string() } else { equation.args.join(", ") };
            let when = match equation.conditions.is_empty() {
                true => String::new(),
                false => format!(" when {}", equation.conditions.join(" && ")),
            };
            let _ = writeln!(text, "  | {left}{when} -> {}", equation.right);
        }
        text += "  | _ -> failwith \"no rule\"\n";
    }
    printers(&translator, &mut text);
    let start_text = translator.ground(start)?;
    let _ = writeln!(
        text,
        "let () =\n  let before = Sys.time () in\n  let result = {start_text} in\n  let after = Sys.time () in\n  \
         Printf.printf \"ms %.3f\\n\" ((after -. before) *. 1000.);\n  ignore (Sys.opaque_identity result)"
    );
    if show {
        let _ = writeln!(text, "  ; print_endline (\"result \" ^ {} result)", printer(signature, start.sort));
    }
    Ok(text)
}

fn printer(signature: &Signature, sort: SortId) -> String {
    match signature.sorts[sort].kind {
        SortKind::Data if signature.sorts[sort].span.is_some() => {
            format!("show_{}", signature.sorts[sort].name)
        }
        SortKind::Data => "string_of_bool".into(),
        _ => "string_of_int".into(),
    }
}

fn printers(translator: &Translator<'_, Ocaml>, text: &mut String) {
    let signature = translator.signature();
    for (i, sort) in translator.data_sorts().into_iter().enumerate() {
        let word = if i == 0 { "let rec" } else { "and" };
        let _ = writeln!(text, "{word} {} = function", printer(signature, sort));
        for symbol in translator.symbols(SymbolKind::Constructor) {
            let known = &signature.symbols[symbol];
            if known.result != sort {
                continue;
            }
            let vars: Vec<_> = (0..known.args.len()).map(|k| format!("x{k}")).collect();
            let left = Ocaml.apply(&Ocaml.symbol(signature, symbol), known.kind, &vars);
            let parts = known.args.iter().zip(&vars).map(|(&s, v)| format!("{} {v}", printer(signature, s)));
            let shown = printed(&known.name, &parts.collect::<Vec<_>>(), "^");
            let _ = writeln!(text, "  | {left} -> {shown}");
        }
    }
}
