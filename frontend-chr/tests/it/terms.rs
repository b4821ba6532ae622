//! The term reader against SWI-Prolog: each term in canonical form (functors before their arguments, variables as
//! `V`) as
//! swipl 9.0.4 with library(chr) reads it; `error` where it does not read it.

use std::fmt::Write as _;
use std::process::Command;

use gchr_base::logic::{CONS, Fixity, Flags, LogicNode, LogicTermId, Operators, ReadTerm, Reader, Terms};
use gchr_base::source::SourceMap;
use gchr_base::value::{write_atom, write_float};
use gchr_chr::ast::{ClauseKind, Module, TermId, TermKind};
use gchr_chr::{TermReader, parse};

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
    ("f(a", "error"),
    ("a b", "error"),
    ("1 = 2 = 3", "error"),
    ("a :- b :- c", "error"),
    ("[a|b|c]", "error"),
    // There, a compound term without arguments.
    ("f()", "f"),
    ("[f( ), g(h())]", "'[|]'(f,'[|]'(g(h),[]))"),
    ("f(,)", "error"),
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
        TermKind::Big(n) => n.to_string(),
        TermKind::Rational(n) => n.to_string(),
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

/// Texts, `⏎` for a line end in them, and what swipl 9.0.4 with library(chr) and the operators of [`OPERATORS`]
/// writes for the
/// term that it reads, without operators: `error` where it reads none.
const RECORDED: &str = include_str!("terms.tsv");

const OPERATORS: &[(u16, Fixity, &str)] = &[
    (200, Fixity::Xf, "++ both"),
    (700, Fixity::Xfx, "→ ∈ ≤ is_a both"),
    (300, Fixity::Fy, "~"),
    (300, Fixity::Fx, "neg"),
    (200, Fixity::Xfx, "~~"),
    (150, Fixity::Yf, "fact"),
    (300, Fixity::Xfy, "is_a2"),
];

/// What `write_term` writes for a term without operators; recursive, for the short terms of the table only.
pub(crate) fn written(terms: &Terms, id: LogicTermId) -> String {
    let mut text = String::new();
    match terms.node(id) {
        LogicNode::Var(id) => text.push(char::from(b'A' + id.0 as u8)),
        LogicNode::Int(n) => text = n.to_string(),
        LogicNode::Big(n) => text = n.to_string(),
        LogicNode::Rational(n) => text = n.to_string(),
        LogicNode::Float(x) if x.is_nan() => text = "1.5NaN".into(),
        LogicNode::Float(x) if x.is_infinite() => text = if *x > 0.0 { "1.0Inf" } else { "-1.0Inf" }.into(),
        LogicNode::Float(x) => write_float(&mut text, *x).unwrap(),
        LogicNode::Str(value) => write!(text, "{value:?}").unwrap(),
        LogicNode::Atom(name) => text = atom(name),
        LogicNode::Nil => text = "[]".into(),
        LogicNode::Compound { name, args } if &**name == CONS && args.len() == 2 => {
            write!(text, "[{}", written(terms, args[0])).unwrap();
            let mut tail = args[1];
            while let Some((head, rest)) = terms.binary(tail, CONS) {
                write!(text, ",{}", written(terms, head)).unwrap();
                tail = rest;
            }
            if *terms.node(tail) != LogicNode::Nil {
                write!(text, "|{}", written(terms, tail)).unwrap();
            }
            text.push(']');
        }
        LogicNode::Compound { name, args } => {
            let args: Vec<_> = args.iter().map(|&a| written(terms, a)).collect();
            write!(text, "{}({})", atom(name), args.join(",")).unwrap();
        }
    }
    text
}

/// An atom as swipl writes it: gchr puts names of symbols that are not ASCII into quotes.
fn atom(name: &str) -> String {
    let symbol = |c: char| !c.is_ascii() && !c.is_alphabetic() || "+-".contains(c);
    let mut text = String::new();
    if name.chars().all(symbol) && !name.is_ascii() {
        return name.into();
    }
    write_atom(&mut text, name).unwrap();
    text
}

/// What the reader makes of a text that is one term, or starts with one.
fn read(text: &str) -> String {
    let mut operators = Operators::default();
    for (priority, fixity, names) in OPERATORS {
        names.split(' ').for_each(|name| operators.set(*priority, *fixity, name));
    }
    let text = format!("{}\n", text.replace('⏎', "\n"));
    match TermReader.read(&text, 0, &operators, &Flags::default()) {
        // Without a full stop it is no clause.
        Ok(ReadTerm { terms, term: Some(term), end, .. }) if text[..end].ends_with('.') => {
            written(&terms, term)
        }
        _ => "error".into(),
    }
}

/// What of a recorded text is only a matter of how `write_term` shows characters.
fn plain(text: &str) -> String {
    text.replace("\\u001B", "\\u{1b}")
        .replace("\\u0000", "\\0")
        .replace("\\a\\b\\f\\v", "\\u{7}\\u{8}\\u{c}\\u{b}")
}

#[test]
fn recorded_terms() {
    let mut wrong = Vec::new();
    for line in RECORDED.lines() {
        let (text, expected) = line.rsplit_once('\t').unwrap();
        let found = read(text);
        if found != plain(expected) {
            wrong.push(format!("{text}\n  gchr: {found}\n  swipl: {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), RECORDED.lines().count(), wrong.join("\n"));
}

/// The table is what swipl says, where it is installed.
#[test]
fn recorded_terms_are_those_of_swipl() {
    let mut program = String::from(":- use_module(library(chr)).\n:- initialization(main).\n");
    for (priority, fixity, names) in OPERATORS {
        let names = names.replace(' ', ", ");
        writeln!(program, ":- op({priority}, {}, [{names}]).", fixity.name()).unwrap();
    }
    program.push_str(PROBE);
    let folder = tempfile::tempdir().unwrap();
    let (probe, texts) = (folder.path().join("probe.pl"), folder.path().join("texts"));
    let lines: String =
        RECORDED.lines().map(|line| format!("{}\n", line.rsplit_once('\t').unwrap().0)).collect();
    std::fs::write(&probe, program).unwrap();
    std::fs::write(&texts, lines).unwrap();
    let Ok(output) = Command::new("swipl").arg("-q").arg(&probe).arg("--").arg(&texts).output() else {
        assert!(std::env::var_os("GCHR_REQUIRE_SWIPL").is_none(), "there is no swipl (.ci/fetch-swipl)");
        eprintln!("skipped: swipl is not installed");
        return;
    };
    let found = String::from_utf8(output.stdout).unwrap();
    for (found, recorded) in found.lines().zip(RECORDED.lines()) {
        assert_eq!(found, recorded.rsplit_once('\t').unwrap().1, "{recorded}");
    }
    assert_eq!(found.lines().count(), RECORDED.lines().count());
}

const PROBE: &str = r"
main :- current_prolog_flag(argv, Argv), last(Argv, F), open(F, read, S, [encoding(utf8)]), each(S), halt.
each(S) :- read_line_to_string(S, L), ( L == end_of_file -> true ; probe(L), each(S) ).
probe(L) :-
    atomic_list_concat(Parts, '⏎', L), atomic_list_concat(Parts, '\n', Text),
    catch(( open_string(Text, S), read_term(S, T, [module(user)]),
            with_output_to(string(O), ( numbervars(T, 0, _), write_term(T,
                [ignore_ops(true), quoted(true), numbervars(true), dotlists(false), brace_terms(false)]))) ),
          _, O = error),
    writeln(O).
";

/// Texts that other people wrote: the library of SWI-Prolog, where it is installed. What is not read there is listed.
#[test]
#[ignore = "a look at other people's texts: what they use that is not here"]
fn the_library_of_swipl_is_read() {
    let home = Command::new("swipl")
        .args(["-q", "-g", "current_prolog_flag(home, H), write(H)", "-t", "halt"])
        .output();
    let Ok(home) = home else { return eprintln!("skipped: swipl is not installed") };
    let mut pending = vec![std::path::PathBuf::from(String::from_utf8(home.stdout).unwrap())];
    let (mut files, mut clauses, mut failed) = (0, 0, 0);
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        if path.extension().is_none_or(|ending| ending != "pl") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut sources = SourceMap::new();
        let id = sources.add(path.display().to_string(), text);
        let parsed = parse(&sources, id);
        (files, clauses) = (files + 1, clauses + parsed.ast.clauses.len());
        let errors: Vec<_> =
            parsed.diagnostics.into_iter().filter(|d| d.is_error() && d.code != "C0113").collect();
        failed += usize::from(!errors.is_empty());
        eprint!("{}", gchr_base::diagnostic::render_all(&errors, &sources, false));
    }
    eprintln!("{files} files, {clauses} clauses, {failed} files with errors");
}
