//! The term reader against SWI-Prolog: each term in canonical form (functors before their arguments, variables as `V`) as
//! swipl 9.0.4 with library(chr) reads it; `error` where it does not read it.

use gchr_base::source::SourceMap;
use gchr_chr::ast::{ClauseKind, Module, TermId, TermKind};
use gchr_chr::parse;

const TERMS: &[(&str, &str)] = &[
    ("- 1", "-(1)"),
    ("-1", "-1"),
    ("-(1)", "-(1)"),
    ("-(-(1))", "-(-(1))"),
    ("1-(-1)", "-(1,-1)"),
    ("-a", "-(a)"),
    ("- - a", "-(-(a))"),
    ("-(2)^2", "^(-(2),2)"),
    ("-2^2", "^(-2,2)"),
    ("1 - 1", "-(1,1)"),
    ("a- 1", "-(a,1)"),
    ("a -1", "-(a,1)"),
    ("a-1", "-(a,1)"),
    ("[-]", "'[|]'(-,[])"),
    ("[-,1]", "'[|]'(-,'[|]'(1,[]))"),
    ("f(-)", "f(-)"),
    ("- (1)", "-(1)"),
    ("-(1,2)", "-(1,2)"),
    (r#"\ 5"#, r#"\(5)"#),
    ("[a|b]", "'[|]'(a,b)"),
    ("[a,b|[c]]", "'[|]'(a,'[|]'(b,'[|]'(c,[])))"),
    ("{x,y}", "{}(','(x,y))"),
    ("{}", "{}"),
    ("f(:-,a)", "f(:-,a)"),
    ("f((a:-b))", "f(:-(a,b))"),
    ("- (1,2)", "-(','(1,2))"),
    ("X=(a;b)", "=(V,;(a,b))"),
    ("(a,b)", "','(a,b)"),
    ("a:b:c", ":(a,:(b,c))"),
    ("a=b", "=(a,b)"),
    ("1 - 2 - 3", "-(-(1,2),3)"),
    ("2 ^ 3 ^ 4", "^(2,^(3,4))"),
    ("1 * 2 + 3 * 4", "+(*(1,2),*(3,4))"),
    ("a , b , c", "','(a,','(b,c))"),
    ("a ; b -> c ; d", ";(a,;(->(b,c),d))"),
    (r#"\+ a , b"#, r#"','(\+(a),b)"#),
    (r#"\+ (a , b)"#, r#"\+(','(a,b))"#),
    ("f(A, B, _)", "f(V,V,V)"),
    (r#""a\x41\b""#, r#""aAb""#),
    (r#"0'\x41\"#, "65"),
    ("0'a", "97"),
    (r#"0'\n"#, "10"),
    ("0'''", "39"),
    ("'a b'", "'a b'"),
    ("'don''t'", r#"'don\'t'"#),
    (r#""say ""x""""#, r#""say \"x\"""#),
    ("p:-q", ":-(p,q)"),
    ("(p:-q)", ":-(p,q)"),
    ("-(-)", "-(-)"),
    (r#"\ (-)"#, r#"\(-)"#),
    ("f(+)", "f(+)"),
    ("- = a", "=(-,a)"),
    ("[+|-]", "'[|]'(+,-)"),
    ("-(a)", "-(a)"),
    ("1*(2+3)", "*(1,+(2,3))"),
    ("a=..b", "=..(a,b)"),
    ("- 1^2", "-(^(1,2))"),
    ("-(1)^2", "^(-(1),2)"),
    ("-1^2", "^(-1,2)"),
    ("f(dynamic)", "f(dynamic)"),
    ("2-(-(1))", "-(2,-(1))"),
    ("0x1F", "31"),
    ("0b101", "5"),
    ("0o17", "15"),
    ("1_000", "1000"),
    ("36'Z", "35"),
    ("1.5e3", "1500.0"),
    ("1e5", "100000.0"),
    ("1.0e-3", "0.001"),
    ("a:-b", ":-(a,b)"),
    ("a<=>b", "<=>(a,b)"),
    ("a==>b|c", "==>(a,'|'(b,c))"),
    (r#"n@a\b<=>c"#, r#"@(n,<=>(\(a,b),c))"#),
    ("a#b", "#(a,b)"),
    ("X is 1 + 2 mod 3", "is(V,+(1,mod(2,3)))"),
    ("1 rem 2 // 3", "//(rem(1,2),3)"),
    (r#"a \= b"#, r#"\=(a,b)"#),
    ("1 =:= 2", "=:=(1,2)"),
    ("- (-1)", "-(-1)"),
    ("-(- 1)", "-(-(1))"),
    ("1 - -1", "-(1,-1)"),
    (r#"\ \ 1"#, r#"\(\(1))"#),
    ("[a=b,(c:-d)]", "'[|]'(=(a,b),'[|]'(:-(c,d),[]))"),
    ("[(a,b)]", "'[|]'(','(a,b),[])"),
    (r#"'\x41\'"#, "'A'"),
    ("`ab`", "'[|]'(97,'[|]'(98,[]))"),
    ("f(a;b)", "f(;(a,b))"),
    ("f((a->b))", "f(->(a,b))"),
    ("!", "!"),
    ("f(!)", "f(!)"),
    ("[]", "[]"),
    ("'[]'(a)", "'[]'(a)"),
    ("f(,)", "error"),
    ("f(a", "error"),
    ("a b", "error"),
    ("1 = 2 = 3", "error"),
    ("a :- b :- c", "error"),
    ("[a|b|c]", "error"),
    ("f()", "error"),
    ("X(a)", "error"),
    ("(a", "error"),
    ("a)", "error"),
    ("(a|b)", "'|'(a,b)"),
    ("f(;)", "f(;)"),
    ("f(a):-b", ":-(f(a),b)"),
    ("éa", "éa"),
    ("日本", "日本"),
    ("_日", "V"),
    ("''", "''"),
    ("f(|)", "error"),
    ("[|]", "error"),
    ("{a", "error"),
    ("'[|]'(1,2)", "'[|]'(1,2)"),
    ("p(X):-q(X),r", ":-(p(V),','(q(V),r))"),
];

/// Recursive, for the short terms of the table only.
fn canonical(module: &Module, id: TermId) -> String {
    match module.kind(id) {
        TermKind::Var(_) => "V".into(),
        TermKind::Int(n) => n.to_string(),
        TermKind::Float(x) => format!("{x:?}"),
        TermKind::Str(s) => format!("{s:?}"),
        TermKind::Atom(name) => quoted(name),
        TermKind::Compound { name, args } => {
            let args: Vec<_> = args.iter().map(|&a| canonical(module, a)).collect();
            format!("{}({})", quoted(name), args.join(","))
        }
        TermKind::List { items, tail } => {
            let tail = tail.map_or("[]".into(), |t| canonical(module, t));
            items.iter().rev().fold(tail, |list, &i| format!("'[|]'({},{list})", canonical(module, i)))
        }
    }
}

fn quoted(name: &str) -> String {
    let word = name.starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let symbols = !name.is_empty() && name.chars().all(|c| "+-*/\\^<>=~:.?@#&$".contains(c));
    if word || symbols || matches!(name, "[]" | "{}" | "!" | ";") {
        name.into()
    } else {
        format!("'{}'", name.replace('\'', "\\'"))
    }
}

#[test]
fn terms_are_read_as_in_swi_prolog() {
    for (text, expected) in TERMS {
        let mut sources = SourceMap::new();
        let id = sources.add("p.chr", format!(":- x(({text}))."));
        let parsed = parse(&sources, id);
        let found = match parsed.ast.clauses.as_slice() {
            [clause] if parsed.diagnostics.is_empty() => match &clause.kind {
                ClauseKind::Directive(term) => {
                    canonical(&parsed.ast, parsed.ast.functor(*term).unwrap().1[0])
                }
                other => panic!("{other:?}"),
            },
            _ => "error".into(),
        };
        // `'[]'` in front of arguments is an ordinary functor.
        assert_eq!(found.replace("[](", "'[]'("), *expected, "{text}");
    }
}
