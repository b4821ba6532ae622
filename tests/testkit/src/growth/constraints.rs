//! Texts of constraint programs that are large in one respect each: every construct, every kind of error.

use super::{Kind, join, lines};

/// Parts that are separated by commas.
fn commas(n: usize, part: impl Fn(usize) -> String) -> String {
    join(n, ", ", part)
}

const AB: &str = ":- chr_constraint a/1, b/1, c/2.";

/// Constraint programs without errors.
pub const CONSTRAINT_PROGRAMS: &[Kind] = &[
    ("rules over constants", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> b({i})."))),
    ("rules over the second column", 1000, |n| lines(AB, n, |i| format!("c(X, {i}) <=> b(X)."))),
    ("rules over one pattern", 1000, |n| lines(AB, n, |i| format!("a(X) ==> X > {i} | b(X)."))),
    ("rules with two heads", 500, |n| lines(AB, n, |i| format!("a({i}), b(X) <=> c(X, {i})."))),
    ("rules that keep a head", 500, |n| lines(AB, n, |i| format!("a({i}) \\ b({i}) <=> c({i}, {i})."))),
    ("symbols", 1000, |n| lines("", n, |i| format!(":- chr_constraint s{i}/1."))),
    ("symbols in one directive", 1000, |n| {
        format!(":- chr_constraint {}.", commas(n, |i| format!("s{i}/1")))
    }),
    ("a rule for each symbol", 500, |n| {
        let symbols = commas(n + 1, |i| format!("s{i}/1"));
        lines(&format!(":- chr_constraint {symbols}."), n, |i| format!("s{i}(X) <=> s{}(X).", i + 1))
            + "?- s0(1).\n"
    }),
    ("a chain of propagations backwards", 500, |n| {
        let symbols = commas(n + 1, |i| format!("s{i}/1"));
        let rule = |i: usize| format!("s{}(X) ==> s{}(X).", n - i, n - i - 1);
        lines(&format!(":- chr_constraint {symbols}."), n, rule) + &format!("?- s{n}(1).\n")
    }),
    ("a set for each symbol", 500, |n| {
        let symbols = commas(n, |i| format!("s{i}(+int)"));
        lines(&format!(":- chr_constraint {symbols}."), n, |i| format!("s{i}(X) \\ s{i}(X) <=> true."))
    }),
    ("rules that nothing competes with", 500, |n| {
        lines(AB, n, |i| format!("a({i}), b({i}) <=> c({i}, {i}).")) + "a(X) \\ c(X, Y) <=> b(Y).\n"
    }),
    ("alternatives of a type, each in a rule", 500, |n| {
        let alternatives: Vec<String> = (0..n).map(|i| format!("k{i}")).collect();
        let header = format!(":- chr_type t ---> {}.\n:- chr_constraint a(+t).", alternatives.join(" ; "));
        lines(&header, n, |i| format!("a(k{i}) <=> true."))
    }),
    ("aliases in a chain", 1000, |n| {
        let header = ":- chr_constraint a(+t0).\na(_) <=> true.";
        lines(header, n, |i| format!(":- chr_type t{i} == t{}.", i + 1))
            + &format!(":- chr_type t{n} == int.\n")
    }),
    ("types that use each other", 1000, |n| {
        let header = ":- chr_constraint a(+t0).\na(_) <=> true.";
        lines(header, n, |i| format!(":- chr_type t{i} ---> c{i} ; f{i}(t{}).", i + 1))
            + &format!(":- chr_type t{n} == int.\n")
    }),
    ("sums that follow each other", 1000, |n| {
        let goals = commas(n, |i| format!("X{} is X{i} + 1", i + 1));
        format!("{AB}\na(X0) <=> {goals}, b(X{n}).\n?- a(1).\n")
    }),
    ("sums that follow each other in a guard", 500, |n| {
        let goals = commas(n, |i| format!("X{} is X{i} + 1, X{} > 0", i + 1, i + 1));
        format!("{AB}\na(X0) <=> {goals} | b(X{n}).\n?- a(1).\n")
    }),
    ("a query of sums", 1000, |n| {
        let goals = commas(n, |i| format!("X{} is X{i} + 1", i + 1));
        format!("{AB}\n?- X0 = 1, {goals}, b(X{n}).\n")
    }),
    ("a body of constraints", 1000, |n| {
        format!("{AB}\na(X) ==> {}.\n?- a(1).\n", commas(n, |i| format!("b({i})")))
    }),
    ("a query of constraints", 1000, |n| format!("{AB}\n?- {}.\n", commas(n, |i| format!("a({i})")))),
    ("queries", 1000, |n| lines(AB, n, |i| format!("?- a({i})."))),
    ("a wide pattern", 4000, |n| {
        let args = commas(n, |i| format!("X{i}"));
        format!("{AB}\na(f({args})) <=> b(X0), b(X{}).\n", n - 1)
    }),
    ("a pattern of constants", 1000, |n| {
        format!("{AB}\na(f({})) <=> true.\n", commas(n, |i| format!("g({i})")))
    }),
    ("a sum of many parts", 1000, |n| {
        let sum: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        format!("{AB}\na(X) <=> Y is X + {}, b(Y).\n?- a(1).\n", sum.join(" + "))
    }),
    ("a long list", 4000, |n| format!("{AB}\n?- a([{}]).\n", commas(n, |i| i.to_string()))),
    ("a deep term", 4000, |n| format!("{AB}\n?- a({}0{}).\n", "f(".repeat(n), ")".repeat(n))),
    ("atoms", 1000, |n| format!("{AB}\n?- {}.\n", commas(n, |i| format!("a(atom{i})")))),
    ("tests in a guard", 500, |n| format!("{AB}\na(X) <=> {} | true.\n", commas(n, |i| format!("X > {i}")))),
    ("alternatives in a body", 200, |n| {
        let header = ":- chr_constraint a(+int), b(+int).";
        format!("{header}\na(X) <=> {}.\n?- a(1).\n", commas(n, |i| format!("( X > {i} -> b({i}) ; b(0) )")))
    }),
    ("alternatives inside of alternatives", 200, |n| {
        let header = ":- chr_constraint a(+int), b(+int).";
        let choices = join(n, "", |i| format!("( X > {i} -> b({i}) ; "));
        format!("{header}\na(X) <=> {choices}true{}.\n?- a(1).\n", ")".repeat(n))
    }),
    ("operators", 300, |n| lines(AB, n, |i| format!(":- op(700, xfx, op{i}).\n?- a(x op{i} y)."))),
    ("passive heads", 300, |n| {
        lines(AB, n, |i| format!("r{i} @ a({i}) # P, b(X) <=> b(X) pragma passive(P)."))
    }),
    ("columns of parametric types", 300, |n| {
        let header = ":- chr_type list(T) ---> [] ; [T|list(T)].";
        lines(header, n, |i| format!(":- chr_constraint c{i}(+list(list(int))).\nc{i}([_|_]) <=> true."))
    }),
    ("patterns of variables", 300, |n| {
        let header = ":- chr_constraint c(?any, ?any).";
        lines(header, n, |i| format!("c(f{i}(X), Y), c(Y, g{i}(X)) ==> c(X, Y)."))
    }),
    ("texts", 500, |n| format!("{AB}\n?- {}.\n", commas(n, |i| format!("a(\"s{i}\\n\")")))),
    ("a large integer", 500, |n| format!("{AB}\n?- a({}).\n", "9".repeat(n))),
    ("names that are alike", 300, |n| {
        let symbols = commas(n, |i| format!("name{i}/1"));
        lines(&format!(":- chr_constraint {symbols}."), n, |i| {
            format!("name{i}(X) <=> name{}(X).", (i + 1) % n)
        })
    }),
    ("rules of one name", 500, |n| lines(AB, n, |i| format!("r @ a({i}) <=> true."))),
    ("declarations again", 500, |n| lines(AB, n, |_| ":- chr_constraint a/1.".into())),
    ("variables that occur once", 300, |n| lines(AB, n, |i| format!("a({i}) <=> Y is {i}."))),
];

/// Constraint programs with very many errors of one kind.
pub const CONSTRAINT_ERRORS: &[Kind] = &[
    ("unknown goals", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> unknown{i}({i})."))),
    ("unknown heads", 1000, |n| lines(AB, n, |i| format!("unknown{i}({i}) <=> true."))),
    ("unbound variables", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> b(X{i})."))),
    ("wrong types", 1000, |n| lines(":- chr_constraint a(+int).", n, |i| format!("?- a(x{i})."))),
    ("syntax errors", 1000, |n| lines(AB, n, |i| format!("a({i}) <=> b({i}."))),
    ("characters that start no token", 1000, |n| "\u{1}".repeat(n)),
    ("quotes without an end", 1000, |n| lines(AB, n, |_| "a('x) <=> true.".into())),
    ("unknown directives", 1000, |n| lines(AB, n, |i| format!(":- directive{i}."))),
    ("unknown types", 1000, |n| lines("", n, |i| format!(":- chr_constraint a{i}(+type{i})."))),
];
