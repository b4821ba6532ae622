//! What the text of a program means: directives, operators as names, and sorts that no query decides.

use crate::support::{ALL, answer, check};

#[test]
fn whether_a_program_is_accepted_depends_on_no_query() {
    let bodies = ["d(1)", "d(1.5)", "d(\"s\")", "d(f(1))", "d(b)", "d([1])"];
    let values = ["a", "1", "2.5", "\"t\"", "g(x)", "[]"];
    for body in bodies {
        for value in values {
            for heads in ["k", "k, d(_)", "k, j"] {
                let text = format!(":- chr_constraint d/1, k/0, j/0.\nr @ {heads} ==> {body}.");
                // The rule never fires with this query: the store is what was added.
                let stored = format!("d({value})");
                check(&text, &stored, &stored);
                check(&text, "true", "");
            }
        }
    }
    // What a declared column does not take is refused whatever is asked.
    let text = ":- chr_constraint d(+atom), k/0.\nr @ k ==> d(1).";
    for query in ["d(a)", "k", "true"] {
        assert_eq!(answer(text, query, ALL[0]).text(), "[C0404]", "{query}");
    }
}

#[test]
fn rules_keep_their_names_when_others_are_left_out() {
    let text = ":- chr_constraint d/1, g/1.\nd(f(_)) <=> true.\nd(X) <=> Y is X // 0, g(Y).";
    use crate::support::{How, execute, loaded};
    let program = loaded(text, "d(1)").expect("a program");
    let stopped = execute(&program, How::Refined, Default::default()).expect_err("division by zero");
    let diagnostic = stopped.error.to_diagnostic(&program);
    assert!(diagnostic.notes.contains(&"in rule 2".to_string()), "{diagnostic:?}");
}

#[test]
fn quotes_mean_what_the_flags_say() {
    let rules = "s([]) <=> e.\ns([_|T]) <=> s(T).\n";
    for (flags, query, wanted) in [
        ("", "s(\"ab\")", "s(\"ab\")"),
        ("", "s(`ab`)", "e"),
        (":- set_prolog_flag(double_quotes, codes).", "s(\"ab\")", "e"),
        (":- set_prolog_flag(double_quotes, codes).", "t(\"ab\")", "t([97,98])"),
        (":- set_prolog_flag(double_quotes, codes).", "t(\"\")", "t([])"),
        (":- set_prolog_flag(double_quotes, chars).", "t(\"ab\")", "t([a,b])"),
        (":- set_prolog_flag(double_quotes, atom).", "t(\"a b\")", "t('a b')"),
        (":- set_prolog_flag(double_quotes, string).", "t(\"a b\")", "t(\"a b\")"),
        (":- set_prolog_flag(back_quotes, string).", "t(`a b`)", "t(\"a b\")"),
        (
            ":- set_prolog_flag(double_quotes, codes), set_prolog_flag(back_quotes, chars).",
            "t(`a`)",
            "t([a])",
        ),
        (
            ":- set_prolog_flag(double_quotes, codes).\n:- set_prolog_flag(double_quotes, string).",
            "t(\"a\")",
            "t(\"a\")",
        ),
    ] {
        let text = format!("{flags}\n:- chr_constraint s/1, t/1, e/0.\n{rules}");
        check(&text, query, wanted);
    }
    // The text of rules, too, from the directive on.
    let text = ":- chr_constraint t/1, u/1.\nt(1) <=> u(\"a\").\n\
        :- set_prolog_flag(double_quotes, codes).\nt(2) <=> u(\"a\").";
    check(text, "t(1), t(2)", "u(\"a\") u([97])");
}

#[test]
fn no_directive_that_changes_the_meaning_is_ignored() {
    for directive in [
        "set_prolog_flag(double_quotes, nonsense)",
        "set_prolog_flag(double_quotes, X)",
        "set_prolog_flag(back_quotes, symbol_char)",
        "set_prolog_flag(iso, true)",
        "set_prolog_flag(prefer_rationals, true)",
        "set_prolog_flag(float_zero_div, infinity)",
        "set_prolog_flag(float_overflow, infinity)",
        "set_prolog_flag(float_undefined, nan)",
        "set_prolog_flag(character_escapes, false)",
        "set_prolog_flag(1, true)",
    ] {
        let text = format!(":- {directive}.\n:- chr_constraint d/1.");
        assert_eq!(answer(&text, "d(1)", ALL[0]).text(), "[C0206]", "{directive}");
    }
    for directive in [
        "set_prolog_flag(iso, false)",
        "set_prolog_flag(verbose, silent)",
        "style_check(-singleton)",
        "use_module(library(chr))",
        "module(m, [d/1, op(700, xfx, ===)])",
        "module(m, [op(200, xfy, +)])",
        "op(700, xfx, ===)",
    ] {
        let text = format!(":- {directive}.\n:- chr_constraint d/1.");
        check(&text, "d(1)", "d(1)");
    }
    for (directive, code) in [("include(other)", "[C0114]"), ("if(true)", "[C0113]")] {
        let text = format!(":- {directive}.\n:- chr_constraint d/1.");
        assert_eq!(answer(&text, "d(1)", ALL[0]).text(), code, "{directive}");
    }
}

/// Every atom that is an operator, but for those that are no atoms without quotes.
const OPERATORS: &[&str] = &[
    ":-",
    "-->",
    "@",
    "pragma",
    "<=>",
    "==>",
    "--->",
    "\\",
    ";",
    "->",
    "*->",
    ":=",
    "=",
    "\\=",
    "==",
    "\\==",
    "@<",
    "@=<",
    "@>",
    "@>=",
    "=:=",
    "=\\=",
    "<",
    "=<",
    ">",
    ">=",
    "is",
    "=..",
    "=@=",
    "\\=@=",
    "as",
    ">:<",
    ":<",
    "::",
    ":",
    "+",
    "-",
    "/\\",
    "\\/",
    "#",
    "*",
    "/",
    "//",
    "div",
    "mod",
    "rem",
    "<<",
    ">>",
    "xor",
    "rdiv",
    "divs",
    "tdiv",
    "**",
    "^",
    "?-",
    "chr_constraint",
    "constraints",
    "chr_type",
    "dynamic",
    "table",
    "\\+",
    "?",
    "$",
    "initialization",
];

/// Operators whose declaration without parentheses SWI-Prolog takes for a syntax error where it is the only one, and
/// where it stands among others.
const BARE_REFUSED: &[(&str, bool)] = &[
    ("-->", false),
    ("@", false),
    ("pragma", false),
    ("<=>", false),
    ("==>", false),
    (":-", true),
    ("?-", true),
    ("chr_constraint", true),
    ("constraints", true),
    ("chr_type", true),
    ("dynamic", true),
    ("table", true),
    ("\\+", true),
    ("?", true),
    ("initialization", true),
];

#[test]
fn an_operator_is_a_name_in_a_declaration() {
    for name in OPERATORS {
        let refused = BARE_REFUSED.iter().find(|(known, _)| known == name);
        let declarations = [
            (format!("chr_constraint {name} /3"), refused.is_some()),
            (format!("chr_constraint a/0, {name} / 3, b/0"), refused.is_some_and(|(_, among)| *among)),
            (format!("chr_constraint a/0, {name} /3"), refused.is_some_and(|(_, among)| *among)),
            (format!("chr_constraint ({name})/3"), false),
            (format!("chr_constraint {name}(?int, ?int, ?int)"), false),
        ];
        for (declaration, refused) in declarations {
            let text = format!(":- {declaration}.\n");
            let query = format!("'{}'(1,2,3)", name.replace('\\', "\\\\"));
            let found = answer(&text, &query, ALL[0]).text();
            let as_wanted = if refused { found.starts_with("[C0101") } else { found.ends_with("(1,2,3)") };
            assert!(as_wanted, "{text}: {found}");
        }
    }
    for name in ["xor", "mod", "rem", "div", "rdiv"] {
        check(
            &format!(":- chr_constraint {name}/1.\n{name}(1) <=> {name}(2)."),
            &format!("{name}(1)"),
            &format!("{name}(2)"),
        );
    }
}
