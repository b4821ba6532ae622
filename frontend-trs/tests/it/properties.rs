//! No text makes the frontend panic, and what it prints it reads back as the same syntax tree.

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::rule::{Program, verify};
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_trs::ast::{AxiomKind, Ident, Module, Section, SortBody, SortRef, Term};
use proptest::prelude::*;

/// Programs to mutate: every construct of the language occurs.
const PROGRAMS: [&str; 10] = [
    "sort Nat = struct Zero() | S(Nat) | Len(List);\n List = struct Nil | Cons(Nat, List); A, B;\n\
     cons C: A; map Plus: Nat # Nat -> Nat; F, G: A # B -> A;\n\
     var X, Y : Nat; L: List; a: A; b': B;\n\
     eqn Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y)); Len(Nil()) = Zero; Len(Cons(X, L)) = S(Len(L));\n\
     X == Y && !(X != Zero) -> Plus(X, Y) = S^2(Plus(S^3(Zero), Y)); F(a, b') = a; F(C, b') = C;\n\
     input Len(Cons(S^24(Zero()), Nil)) % the end",
    "map Fib: Int -> Int; Near: Float # Float -> Bool; var N: Int; X, Y: Float;\n\
     eqn N < 2 -> Fib(N) = N; N >= 2 -> Fib(N) = Fib(N - 1) + Fib(N - 2); Fib(-1) = 1 | 2 ^ 3 & 4 << 5 >> 6;\n\
     Near(X, Y) = X - Y < 1.5e-3 || -(X * 2.0 / Y) > 1e9 && true;\n\
     var N: Float; eqn Near(0.0, N) = 7 div 2 <= 7 mod -2;\n\
     input Fib(20) == 6765;",
    "sort N = M; M = struct z?is_z | s(p: N)?is_s | t(p: M, q: Int); map f: N -> N; var x, y: M;\n\
     eqn f(s(x)) = if(is_z(x), z, p(x)); x == x && s(s(y)) := f(x) && t(y, 2) := x -> f(x) = y whr q = f(y), r = 1 end [owise];\n\
     f(t(_, _)) = z; input f(s(z));",
    "sort Row = List(Int); Table = List(Row); T = struct n(List(T)); map f: Row # Table -> Int; g: T -> List(T);\n\
     var x, y: Int; r, s: Row; t: Table; ts: List(T);\n\
     eqn f([], _) = 0; f(x |> r, [[y], s]) = #r + (r <| x).0; x in [y] ++ [] -> f([x, y], t) = head(rhead(t)); g(n(ts)) = rtail(ts);\n\
     f(r, t) = f(tail(r), t) [owise]; input f(1 |> 2 |> [3], [[], [4, 5]]);",
    "sort T(A) = struct l | n(t: T(A), A, T(A))?is_n; P(A, B) = struct p(A, B); Q(B) = T(P(B, List(B))); U(A); var C: sort;\n\
     cons u: A -> U(A); map f: T(A) # C -> T(P(A, C)); g: Q(B) -> Int; var x: A; y: C; r, s: T(A); q: Q(B);\n\
     eqn f(l, _) = l; x == x -> f(n(r, x, s), y) = if(is_n(r), n(f(r, y), p(x, y), f(s, y)), l); g(q) = 1;\n\
     input p(g(f(n(l, 1, t(n(l, 2, l))), [1])), u(u(true)));",
    "sort N = struct z | s(N); B = struct e | o(Int); P(A) = struct q; cons l: P(A) # P(A) -> P(A) [assoc id: q]; i: A -> P(A);\n\
     map u, v: B # B -> B [assoc comm id: e]; k: N # N -> B [comm]; g: P(Int) -> Int; var x, y: Int; a, b: B; m, n: N; p, r: P(Int);\n\
     eqn u(o(x), o(x)) = o(x + 1); x > 1 && u(o(y), a) := b -> v(o(x), b) = u(a, a) whr n = z end; k(s(m), n) = k(m, n);\n\
     g(l(i(1), p)) = 1; g(l(p, l(i(x), r))) = if(x < 0, g(p), x + g(r)); v(a, _) = e [owise];\n\
     input u(u(o(g(l(i(2), i(1)))), k(z, s(z))), v(o(2), u(o(1), o(3))));",
    "sort N = struct z | s(N); E(A) = A -> A; H = N # (N -> N) -> N; var A, B: sort; map m: (A -> B) # List(A) -> List(B);\n\
     t: E(A) -> (A -> A); k: Int -> (N # Int -> Int); h: (H) # N -> N; var f: A -> B; e: E(A); x: A; r: List(A); n, o: N; i: Int; g: H;\n\
     eqn m(f, []) = []; m(f, x |> r) = f(x) |> m(f, r); t(e) = lambda y: A. e(e(y)); t(e) == e -> t(e) = lambda y: A. (lambda w, y: A. w)(y, e(y));\n\
     k(i) = lambda n: N, j: Int. if(s(n) == n, i + j, #m(s, [n, o])) whr o = h(lambda a: N, f: N -> N. f(a), z) end;\n\
     h(g, n) = g(n, lambda a: N. g(a, lambda b: N. s(a)));\n\
     input m(lambda q: Int. -q, m(lambda z: (N -> N). (k(3))(t(t(z))(s(z())), 4), [s, t(s)]));",
    "map F: Integer -> Integer; var n: Integer;\n\
     eqn n > 18446744073709551616 -> F(n) = -9223372036854775809 - F(-n); F(n) = -9223372036854775808 * n [owise];\n\
     input [F(-(-99999999999999999999)), 4611686018427387904, 007];",
    "sort T = struct w(String) | c(Char); L = List(String); map f: String -> Int; g: Char # L -> T; var x: Char; s: String; l: L;\n\
     eqn f(\"\") = 0; f(\"if\") = 1; x == 'a' || code(x) < 3 -> f(x |> s) = code('\\u{1f}') + f(s); f(s) = #\"%\\\"\" [owise];\n\
     g('\\'', [\"a\\n\", s]) = c(char(f(s ++ \"\\\\\"))); g(x, l) = w([x, 'b']); input [g('%', [\"e\\t'\", \"\"]), w(\"b\" <| 'c')];",
    "sort Bool = struct True() | False() | And(Bool, Bool); var B: Bool;\n\
     eqn And(True(), B) = B; B -> And(B, B) = B; input And(True, False)",
];

/// Words that make up programs, for texts that get far into the parser.
const WORDS: [&str; 74] = [
    "sort ",
    "struct ",
    "cons ",
    "map ",
    "var ",
    "eqn ",
    "input ",
    "div ",
    "mod ",
    "Nat ",
    "S",
    "Zero",
    ". ",
    "F",
    "Int ",
    "Bool ",
    "true ",
    "(",
    ")",
    "(",
    ")",
    ",",
    ";",
    ";",
    ":",
    "#",
    "->",
    "=",
    "=",
    "|",
    "||",
    "&&",
    "^",
    "^3(",
    "==",
    "<",
    ">>",
    "+",
    "-",
    "*",
    "!",
    "17 ",
    "2.5 ",
    "%\n",
    "_",
    "if(",
    "?",
    ":=",
    "whr ",
    "end ",
    "[owise]",
    "[",
    "]",
    "|>",
    "<|",
    "++",
    " . ",
    " in ",
    "import ",
    "\"a\"",
    "\"%\\n\"",
    "\"",
    "'c'",
    "'",
    "\\u{41}",
    "String ",
    "[assoc ",
    "comm ",
    "id: ",
    "e",
    "lambda X: ",
    ". ",
    "99999999999999999999 ",
    "Integer ",
];

fn load(text: &str) -> (SourceMap, SourceId, gchr_trs::Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    (sources, id, loaded)
}

/// What holds for every text.
fn check_any(text: &str) {
    let (mut sources, id, loaded) = load(text);
    assert_eq!(loaded.program.is_none(), has_errors(&loaded.diagnostics));
    for Diagnostic { labels, .. } in &loaded.diagnostics {
        for label in labels {
            assert!(text.get(label.span.range()).is_some(), "{:?} lies in {text:?}", label.span);
        }
    }
    if let Some(program) = &loaded.program {
        assert_eq!(verify(program), []);
        let reader = loaded.reader.as_ref().expect("a program has a reader");
        check_term(program, reader, &mut sources, text);
        check_term(program, reader, &mut sources, "Plus(Zero, S^5(Zero)) == Zero || 1 + 2 < 3");
    }
    if gchr_trs::parse(&sources, id).diagnostics.is_empty() {
        check_round_trip(loaded.ast);
    }
}

fn check_term(program: &Program, reader: &gchr_trs::InputReader, sources: &mut SourceMap, text: &str) {
    let id = sources.add("--input", text);
    if let Ok(term) = reader.read(sources, id) {
        let mut program = program.clone();
        program.start = gchr_base::rule::Start::Term(Some(term));
        assert_eq!(verify(&program), []);
    }
}

#[track_caller]
fn check_round_trip(mut ast: Module) {
    let printed = ast.to_string();
    let mut sources = SourceMap::new();
    let id = sources.add("printed.trs", printed.clone());
    let mut again = gchr_trs::parse(&sources, id);
    assert_eq!(again.diagnostics, [], "{printed}");
    erase(&mut ast);
    erase(&mut again.ast);
    assert!(ast == again.ast, "{printed}\n{}", again.ast);
}

/// Makes all places the same.
fn erase(module: &mut Module) {
    fn term(term: &mut Term) {
        term.nodes.iter_mut().for_each(|node| erase_span(&mut node.span));
        for parameter in term.lambdas.iter_mut().flatten() {
            ident(&mut parameter.name);
            sort(&mut parameter.sort);
        }
    }
    fn sort(of: &mut SortRef) {
        erase_span(&mut of.span);
        of.name.iter_mut().for_each(ident);
        of.args.iter_mut().for_each(sort);
    }
    fn ident(ident: &mut Ident) {
        erase_span(&mut ident.span);
    }
    for section in &mut module.sections {
        match section {
            Section::Sorts(clauses) => {
                for clause in clauses {
                    erase_span(&mut clause.span);
                    clause.names.iter_mut().for_each(ident);
                    clause.parameters.iter_mut().for_each(ident);
                    let symbols = match &mut clause.body {
                        SortBody::Own => continue,
                        SortBody::Alias(of) => {
                            sort(of);
                            continue;
                        }
                        SortBody::Struct(symbols) => symbols,
                    };
                    for symbol in symbols {
                        erase_span(&mut symbol.span);
                        ident(&mut symbol.name);
                        symbol.recogniser.iter_mut().for_each(ident);
                        for arg in &mut symbol.args {
                            sort(&mut arg.sort);
                            arg.projection.iter_mut().for_each(ident);
                        }
                    }
                }
            }
            Section::Constructors(clauses) | Section::Maps(clauses) => {
                for clause in clauses {
                    erase_span(&mut clause.span);
                    clause.names.iter_mut().for_each(ident);
                    clause.args.iter_mut().for_each(sort);
                    sort(&mut clause.result);
                    for axiom in &mut clause.axioms {
                        erase_span(&mut axiom.span);
                        if let AxiomKind::Identity(of) = &mut axiom.kind {
                            ident(of);
                        }
                    }
                }
            }
            Section::Variables(clauses) => {
                for clause in clauses {
                    erase_span(&mut clause.span);
                    clause.names.iter_mut().for_each(ident);
                    clause.sort.iter_mut().for_each(sort);
                }
            }
            Section::Equations(clauses) => {
                for clause in clauses {
                    erase_span(&mut clause.span);
                    clause.condition.iter_mut().for_each(term);
                    term(&mut clause.left);
                    term(&mut clause.right);
                    for binding in &mut clause.values {
                        ident(&mut binding.name);
                        term(&mut binding.value);
                    }
                }
            }
            Section::Input(input) => {
                erase_span(&mut input.keyword);
                term(&mut input.term);
            }
            Section::Import(import) => ident(&mut import.file),
            Section::Strategy(clauses) => {
                for clause in clauses {
                    erase_span(&mut clause.span);
                    if let gchr_trs::ast::StrategyKind::Arguments { symbol, args } = &mut clause.kind {
                        symbol.iter_mut().for_each(ident);
                        args.iter_mut().for_each(|arg| erase_span(&mut arg.span));
                    }
                }
            }
        }
    }
}

fn erase_span(span: &mut Span) {
    (span.start, span.end) = (0, 0);
}

/// A text between quotes, with the escapes that it needs.
struct Quoted<'t>(&'t str, char);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(text, quote) = *self;
        write!(f, "{quote}")?;
        for c in text.chars() {
            match gchr_base::escape::in_quotes(c, quote) {
                Some(written) => f.write_str(&written)?,
                None => write!(f, "{c}")?,
            }
        }
        write!(f, "{quote}")
    }
}

/// A term with all its brackets: its tree does not depend on precedences.
fn bracketed_term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-zA-Z][a-z']?",
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u32>().prop_map(|n| n.to_string()),
        (-1e30..1e30).prop_map(|x: f64| format!("{x:?}")),
        Just("F()".to_string()),
        any::<String>().prop_map(|text| format!("{}", Quoted(&text, '"'))),
        any::<char>().prop_map(|c| format!("{}", Quoted(&c.to_string(), '\''))),
    ];
    leaf.prop_recursive(6, 60, 4, |term| {
        let op = prop::sample::select(vec![
            "||", "&&", "==", "!=", "<", "<=", ">", ">=", "|", "^", "&", "<<", ">>", "+", "-", "*", "/",
            "div", "mod", ":=", "|>", "<|", "++", ".", "in",
        ]);
        prop_oneof![
            4 => (term.clone(), op, term.clone()).prop_map(|(a, op, b)| format!("(({a}) {op} ({b}))")),
            1 => term.clone().prop_map(|a| format!("(-({a}))")),
            1 => term.clone().prop_map(|a| format!("(!({a}))")),
            1 => term.clone().prop_map(|a| format!("(#({a}))")),
            2 => prop::collection::vec(term.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            1 => (0..9u32, term.clone()).prop_map(|(n, a)| format!("S^{n}({a})")),
            2 => prop::collection::vec(term, 1..4).prop_map(|args| format!("G({})", args.join(", "))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        check_any(&text);
    }

    #[test]
    fn any_words_are_survived(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60)) {
        check_any(&words.concat());
    }

    #[test]
    fn mutated_programs_are_survived(
        program in prop::sample::select(&PROGRAMS[..]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6usize, prop::sample::select(&WORDS[..])), 1..4),
    ) {
        let mut text = program.to_string();
        for (at, removed, inserted) in edits {
            let start = at.index(text.len());
            let end = (start + removed).min(text.len());
            text.replace_range(start..end, inserted);
        }
        check_any(&text);
    }

    #[test]
    fn printed_terms_keep_their_tree(term in bracketed_term()) {
        let text = format!("input {term};");
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let parsed = gchr_trs::parse(&sources, id);
        prop_assert_eq!(parsed.diagnostics, []);
        check_round_trip(parsed.ast);
    }
}

#[test]
fn the_programs_are_right() {
    for program in PROGRAMS {
        let (sources, _, loaded) = load(program);
        let shown = gchr_base::diagnostic::render_all(&loaded.diagnostics, &sources, false);
        assert!(loaded.program.is_some(), "{shown}");
        check_any(program);
    }
}
