//! The tables of operators in the documentation are those of the table of operators.

use std::fmt::Write;
use std::path::Path;

use super::{ArithmeticError, Op, Operands, ResultSort, TermSyntax};

#[test]
fn pages_list_all_operators() {
    check_table("language-trs.md", "operators", &of_terms());
    check_table("language-chr.md", "functions", &of_constraints());
    check_table("language-chr.md", "tests", &tests_of_constraints());
}

/// Checks that a page of the documentation has a table between `<!-- NAME -->` and `<!-- end of NAME -->`. With the
/// variable `UPDATE_DOCS` set, puts it there.
fn check_table(page: &str, name: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let (before, rest) = text.split_once(&begin).expect("the table begins");
    let (found, after) = rest.split_once(&end).expect("the table ends");
    if found == table {
        return;
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page is written");
        return;
    }
    panic!("docs/{page} differs from the table of operators: run this test with UPDATE_DOCS=1\n{table}");
}

/// The operators and functions of term programs.
fn of_terms() -> String {
    let mut table =
        "| binds | operator | operands → result | errors | |\n|---|---|---|---|---|\n".to_string();
    let mut ops: Vec<(u8, Op)> = Op::ALL.iter().filter_map(|&op| Some((level(op)?, op))).collect();
    ops.sort_by_key(|&(level, _)| std::cmp::Reverse(level));
    for (level, op) in ops {
        let row = op.row();
        let (binds, written) = match row.terms {
            TermSyntax::Function(names) => (String::new(), forms(names, op.arity())),
            TermSyntax::Prefix(text) => ("tightest".into(), format!("`{text}X`")),
            TermSyntax::Infix(text, _) => (level.to_string(), code(&format!("X {text} Y"))),
            TermSyntax::None => continue,
        };
        let (operands, result) = match (row.operands, row.result) {
            (Operands::Truth, _) => ("`Bool`", "`Bool`"),
            _ if matches!(op, Op::Eq | Op::Ne) => ("any one sort", "`Bool`"),
            (Operands::Integers, _) => ("`Int`", "`Int`"),
            (_, ResultSort::Quotient) => ("`Float`", "`Float`"),
            (_, ResultSort::Truth) => ("`Int` or `Float`", "`Bool`"),
            (_, ResultSort::Int) => ("`Int` or `Float`", "`Int`"),
            (_, ResultSort::Float) => ("`Int` or `Float`", "`Float`"),
            _ => ("`Int` or `Float`", "the same"),
        };
        let ints = if operands == "`Float`" { row.float_errors } else { row.int_errors };
        let errors = errors(ints, row.float_errors, !op.is_integer_only());
        let _ =
            writeln!(table, "| {binds} | {written} | {operands} → {result} | {errors} | {} |", summary(op));
    }
    table
}

/// The functions of constraint programs.
fn of_constraints() -> String {
    let mut table = "| function | operands → result | errors | |\n|---|---|---|---|\n".to_string();
    for &op in Op::ALL.iter().filter(|op| !op.is_test() && !op.row().constraints.is_empty()) {
        let row = op.row();
        let operands = if op.is_integer_only() { "integers" } else { "numbers" };
        let result = match row.result {
            ResultSort::Int => "integer",
            ResultSort::Float => "float",
            ResultSort::Quotient => "an integer if exact, else a float",
            ResultSort::Power => "of integers an integer, unless the exponent is negative; else a float",
            ResultSort::Chosen => "one of them",
            _ if op.is_integer_only() => "integer",
            _ => "a float if an operand is one",
        };
        let written: Vec<String> = row.constraints.iter().map(|name| function(name, op.arity())).collect();
        let written = written.join(", ");
        let errors = errors(row.int_errors, row.float_errors, !op.is_integer_only());
        let _ = writeln!(table, "| {written} | {operands} → {result} | {errors} | {} |", summary(op));
    }
    table
}

/// How constraint programs write a function.
fn function(name: &str, arity: usize) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match arity {
        2 if !is_word || matches!(name, "rem" | "div" | "mod" | "xor") => code(&format!("X {name} Y")),
        1 if !is_word => code(&format!("{name} X")),
        _ => forms(&[name], arity),
    }
}

/// The tests of constraint programs.
fn tests_of_constraints() -> String {
    let mut table = "| goal | operands | holds if |\n|---|---|---|\n".to_string();
    for &op in Op::ALL.iter().filter(|op| op.is_test() && !op.row().constraints.is_empty()) {
        let operands = if op.is_structural() { "any" } else { "numbers" };
        let name = op.row().constraints[0];
        let written = if op.arity() == 2 { code(&format!("X {name} Y")) } else { forms(&[name], 1) };
        let _ = writeln!(table, "| {written} | {operands} | {} |", summary(op));
    }
    table
}

fn level(op: Op) -> Option<u8> {
    match op.row().terms {
        TermSyntax::None => None,
        TermSyntax::Prefix(_) => Some(10),
        TermSyntax::Infix(_, level) => Some(level),
        TermSyntax::Function(_) => Some(0),
    }
}

/// Text as code in a cell of a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn forms(names: &[&str], arity: usize) -> String {
    let operands = ["X", "X, Y"][arity - 1];
    let forms: Vec<String> = names.iter().map(|name| format!("`{name}({operands})`")).collect();
    forms.join(", ")
}

fn summary(op: Op) -> &'static str {
    op.row().summary.trim().trim_end_matches('.')
}

/// Errors on integers, and those on floats where they are others.
fn errors(ints: &[ArithmeticError], floats: &[ArithmeticError], takes_floats: bool) -> String {
    let shown = |errors: &[ArithmeticError]| {
        let words = errors.iter().map(|error| match error {
            ArithmeticError::Overflow | ArithmeticError::TooLarge => "overflow",
            ArithmeticError::DivisionByZero => "division by zero",
            ArithmeticError::Type => "wrong type",
            ArithmeticError::Undefined => "undefined",
            ArithmeticError::Unevaluated => "not evaluated",
        });
        words.collect::<Vec<_>>().join(", ")
    };
    match (ints, floats) {
        _ if ints == floats => shown(ints),
        (_, []) if takes_floats => format!("of integers: {}", shown(ints)),
        (_, []) => shown(ints),
        ([], _) => format!("of floats: {}", shown(floats)),
        _ => format!("of integers: {}; of floats: {}", shown(ints), shown(floats)),
    }
}
