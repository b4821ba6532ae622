//! Programs that the logic machine runs, by the command line.

use gchr_testkit::growth::{LOGIC_PROGRAMS, faster_than_the_text};

use crate::support::Scratch;

const LEQ: &str = ":- use_module(library(chr)).
:- chr_constraint leq(?any, ?any).
reflexivity  @ leq(X, X) <=> true.
antisymmetry @ leq(X, Y), leq(Y, X) <=> X = Y.
idempotence  @ leq(X, Y) \\ leq(X, Y) <=> true.
transitivity @ leq(X, Y), leq(Y, Z) ==> leq(X, Z).

";

/// Tables of several answers say which one a row is of, however many there are; those of one answer do not.
#[test]
fn tables_number_the_answers() {
    let scratch = Scratch::new();
    scratch.file(
        "q.pl",
        ":- use_module(library(chr)).\n:- chr_constraint q(?any), none.\n\
         g(X) :- member(X, [1, 2]), q(X), ( X > 1 -> q(b), none ; true ).\n",
    );
    let run = |more: &[&str]| {
        let run = scratch.gchr(&[&["run", "q.pl", "--query", "g(_)"], more].concat());
        assert_eq!(run.code, 0, "{more:?}: {}", run.stderr);
        run.stdout
    };
    for (format, all, one) in [
        ("csv", "1,q,1\n2,q,b\n2,q,2\n2,none\n", "q,1\n"),
        ("tsv", "1\tq\t1\n2\tq\tb\n2\tq\t2\n2\tnone\n", "q\t1\n"),
    ] {
        assert_eq!(run(&["--all", "--format", format]), all);
        assert_eq!(run(&["--answers", "7", "--format", format]), all);
        assert_eq!(run(&["--format", format]), one);
    }
    assert_eq!(run(&["--all", "--sizes"]), "q/1 1\nnone/0 0\n;\nq/1 2\nnone/0 1\n");
    assert_eq!(run(&["--sizes"]), "q/1 1\nnone/0 0\n");
    assert_eq!(run(&["--all", "--sizes", "--format", "csv"]), "1,q,1,1\n1,none,0,0\n2,q,1,2\n2,none,0,1\n");
    let lines = run(&["--all", "--sizes", "--format", "jsonl"]);
    assert!(lines.starts_with("{\"answer\": 1, \"constraint\": \"q/1\", \"count\": 1}\n"), "{lines}");
    let json = run(&["--all", "--sizes", "--format", "json"]);
    assert!(
        json.starts_with("{\"sizes\": [{\"q/1\": 1, \"none/0\": 0}, {\"q/1\": 2, \"none/0\": 1}]"),
        "{json}"
    );
    run(&["--all", "--out-dir", "csv"]);
    assert_eq!(scratch.read("csv/q.csv"), "1,1\n2,b\n2,2\n");
    assert_eq!(scratch.read("csv/none.csv"), "2,true\n");
    run(&["--all", "--out-dir", "lines", "--format", "jsonl"]);
    assert_eq!(scratch.read("lines/q.jsonl"), "[1, 1]\n[2, \"b\"]\n[2, 2]\n");
    assert_eq!(scratch.read("lines/none.jsonl"), "[2]\n");
    run(&["--all", "--show", "q/1", "--format", "parquet", "--out", "q.parquet"]);
    let bytes = std::fs::read(scratch.path("q.parquet")).expect("the file");
    assert!(bytes.windows(6).any(|part| part == b"answer"), "no column of that name");
}

#[test]
fn answers_are_written_in_all_formats() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let run = |more: &[&str]| scratch.gchr(&[&["run", "leq.chr"], more].concat());
    let text = run(&["--query", "leq(A, B), leq(B, A), leq(A, C)"]);
    assert_eq!((text.code, text.stdout.as_str()), (0, "A = B\nleq(B, C)\n"), "{}", text.stderr);
    let all = run(&["--query", "member(X, [1, 2]), leq(X, _)", "--all"]);
    assert_eq!(
        (all.code, all.stdout.as_str()),
        (0, "X = 1\nleq(1, _1)\n;\nX = 2\nleq(2, _1)\n"),
        "{}",
        all.stderr
    );
    let json = run(&["--query", "X = f(_, \"s\", a), leq(X, Y)", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let f = serde_json::json!({"functor": "f", "args": [{"variable": "_1"}, {"string": "s"}, "a"]});
    assert_eq!(value["answers"][0]["bindings"]["X"], f, "{}", json.stderr);
    assert_eq!(value["answers"][0]["store"][0]["args"][1], serde_json::json!({"variable": "Y"}));
    assert_eq!(value["more"], false);
    let csv = run(&["--query", "leq(X, 'a b')", "--format", "csv"]);
    assert_eq!((csv.code, csv.stdout.as_str()), (0, "leq,X,a b\n"), "{}", csv.stderr);
}

#[test]
fn it_is_explained_what_keeps_each_rule_from_rounds() {
    let scratch = Scratch::new();
    let rules = "same @ c(X) \\ c(X) <=> true.\nc(X) ==> (X > 1 -> d(X) ; true).\n";
    scratch.file("p.chr", &format!(":- chr_constraint c(?int), d(?int).\n{rules}"));
    let text = scratch.gchr(&["check", "p.chr", "--explain"]).stderr;
    assert!(text.contains("runs in rounds and on a GPU, too"), "{text}");
    assert!(text.contains("same (line 2): could run in rounds and on a GPU"), "{text}");
    assert!(text.contains("rule (line 3): could run in rounds and on a GPU"), "{text}");
    let rules = format!(
        "{rules}d(X) <=> (c(X) ; true).\nd(X) ==> long(X, L), c(L).\nlong(X, X).\nlong(X, L) :- long(X, L).\n"
    );
    scratch.file("q.chr", &format!(":- chr_constraint c(?int), d(?int).\n{rules}"));
    let text = scratch.gchr(&["check", "q.chr", "--explain"]).stderr;
    assert!(!text.contains("runs in rounds"), "{text}");
    assert!(text.contains("rule (line 3): could run in rounds and on a GPU"), "{text}");
    assert!(text.contains("rule (line 4): cannot run in rounds or on a GPU: disjunction"), "{text}");
    assert!(
        text.contains("rule (line 5): cannot run in rounds or on a GPU: long/2 is defined by clauses"),
        "{text}"
    );
}

/// Programs with conditionals, negations, disjunctions of tests and clauses, each with a confluent query.
const BRANCHES: [&str; 5] = [
    ":- chr_constraint item(+int), class(+int, +any), step(+int, +int), done(+int).
item(N) <=> ( N < 0 -> S = neg ; N =:= 0 -> S = zero ; S = pos ),
    ( \\+ N mod 2 =:= 0 -> P = odd ; P = even ),
    ( S == pos, P == odd -> ( N > 100 -> T = big ; T = small ) ; T = other ), class(N, f(S, P, T)).
step(N, K) <=> ( K > 3 -> done(N) ; once(value(K, V)), M is N + V, L is K + 1, step(M, L) ).
value(0, 5).
value(1, 7).
value(K, V) :- K > 1, V is K * K.
?- item(0), item(-4), item(7), item(101), item(-3), item(102), step(1, 0).",
    ":- chr_constraint v(+any), k(+any, +any), edge(+int, +int), path(+int, +int, +int).
kind(X, int) :- integer(X), !.
kind(X, number) :- number(X), !.
kind(X, name) :- atom(X), !.
kind(f(_), functor) :- !.
kind(_, other).
v(X) <=> kind(X, K), k(X, K).
path(A, B, N) \\ path(A, B, M) <=> better(N, M) | true.
edge(A, B) ==> path(A, B, 1).
path(A, B, N), edge(B, C) ==> ( N < 4 -> M is N + 1, path(A, C, M) ; true ).
better(N, M) :- N < M.
better(N, M) :- N =:= M.
?- v(1), v(2.5), v(a), v(f(1)), v(\"s\"), v(g(1)), edge(1, 2), edge(2, 3), edge(3, 1), edge(3, 4).",
    ":- chr_constraint n(+int), fizz(+int, +any), upto(+int, +int), m(+int, +int), hit(+int).
word(N, fizzbuzz) :- 0 is N mod 15, !.
word(N, fizz) :- N mod 3 =:= 0, !.
word(N, buzz) :- N mod 5 =:= 0, !.
word(N, N).
upto(I, N) <=> ( I > N -> true ; n(I), J is I + 1, upto(J, N) ).
n(I) <=> word(I, W), fizz(I, W).
fizz(I, W), fizz(J, V) ==> ( I < J, W == V ; I =:= 1, V == buzz ) | m(I, J).
fizz(I, W) ==> \\+ ( integer(W) ; W == buzz ) | hit(I).
?- upto(1, 20).",
    ":- chr_constraint c(+int, +int), even(+int), r(+int, +int).
:- chr_option(semantics, rounds).
even_number(N) :- N mod 2 =:= 0.
maximum(X, Y, X) :- X >= Y.
maximum(X, Y, Y) :- X < Y.
c(N, S) <=> N > 1 | S1 is S + 1, ( even_number(N) -> M is N // 2 ; M is 3 * N + 1 ), c(M, S1).
c(1, S) <=> maximum(S, 20, M), ignore(even_number(M)), r(S, M).
?- c(27, 0), c(6, 0), c(97, 0).",
    ":- chr_constraint n(+int), pair(+int, +int), 'branch 1 of rule 2'(+int), t(+int, +any).
odd(1). odd(3). odd(5).
n(X) \\ n(X) <=> true.
n(X), n(Y) ==> \\+ ( X = 1 ; Y = 2 ), ( X = 3 -> Y > 3 ; X < Y ) | pair(X, Y).
n(X), n(Y) ==> X < Y, \\+ odd(X) | 'branch 1 of rule 2'(X).
n(X) ==> ( odd(X) -> K = odd ; X =:= 2 -> K = two ; X =:= 4 -> K = four ; K = other ), t(X, K).
?- n(1), n(2), n(3), n(4), n(5), n(6).",
];

/// What a run of `p.chr`, which has this text, writes: sorted lines without blanks behind commas.
fn sorted_lines(scratch: &Scratch, args: &[&str], text: &str) -> Vec<String> {
    let run = scratch.gchr(&[&["run", "p.chr"], args].concat());
    assert_eq!(run.code, 0, "{text}\n{}", run.stderr);
    let mut lines: Vec<String> = run.stdout.lines().map(|line| line.replace(", ", ",")).collect();
    lines.sort();
    lines
}

/// Constraints that stand for the rest of a body are in no result.
#[test]
fn constraints_of_branches_are_not_shown() {
    let scratch = Scratch::new();
    for text in BRANCHES {
        scratch.file("p.chr", text);
        let sizes = |semantics: &str| sorted_lines(&scratch, &["--sizes", "--semantics", semantics], text);
        assert_eq!(sizes("rounds"), sizes("refined"), "{text}");
        let files = |semantics: &str| {
            let run = scratch.gchr(&["run", "p.chr", "--semantics", semantics, "--out-dir", semantics]);
            assert_eq!(run.code, 0, "{text}\n{}", run.stderr);
            let found = std::fs::read_dir(scratch.path(semantics)).expect("a folder");
            let mut names: Vec<_> = found.map(|file| file.expect("a file").file_name()).collect();
            names.sort();
            std::fs::remove_dir_all(scratch.path(semantics)).expect("it is removed");
            names
        };
        assert_eq!(files("rounds"), files("refined"), "{text}");
    }
}

/// Facts and chains of conditionals by the thousand are read in time that is in proportion to them.
#[test]
fn many_clauses_and_conditionals_are_read() {
    let scratch = Scratch::new();
    let facts: String = (0..4000).map(|k| format!("e({}, {}).\n", k * 7 % 4000, k % 13)).collect();
    let chain: Vec<String> = (0..4000).map(|k| format!("X =:= {k} -> r({k})")).collect();
    let text = format!(
        ":- chr_constraint q(+int), p(+int), r(?any).\n{facts}q(X) ==> e(X, Y), r(Y).\np(X) ==> ( {} ).\n?- q(7), p(2).",
        chain.join(" ; ")
    );
    scratch.file("many.chr", &text);
    let run = scratch.gchr(&["run", "many.chr", "--timeout", "20s"]);
    assert_eq!((run.code, run.stdout.matches("r(").count()), (0, 2), "{}", run.stderr);
}

#[test]
fn branches_and_clauses_become_rules_in_rounds_and_on_devices() {
    let scratch = Scratch::new();
    for text in BRANCHES {
        scratch.file("p.chr", text);
        let lines = |args: &[&str]| sorted_lines(&scratch, args, text);
        let one_by_one = lines(&["--semantics", "refined"]);
        assert!(one_by_one.len() > 2, "{one_by_one:?}");
        assert_eq!(lines(&["--semantics", "rounds"]), one_by_one, "{text}");
        assert_eq!(lines(&["--semantics", "rounds", "--device", "sim"]), one_by_one, "{text}");
    }
}

#[test]
fn every_command_reads_branches_for_rounds() {
    let scratch = Scratch::new();
    let program = "\
:- chr_constraint p(+int), q(+int).
p(X) <=> (X > 3 -> q(X) ; q(0)).
?- p(5), p(1).
%> p(2)
%= q(0)
";
    scratch.file("p.chr", program);
    for args in [
        &["test", "p.chr", "--semantics", "rounds"][..],
        &["test", "p.chr", "--semantics", "rounds", "--device", "sim"],
        &[
            "compare",
            "p.chr",
            "--repeats",
            "1",
            "--with",
            "--semantics rounds",
            "--with",
            "--semantics rounds --device sim",
        ],
        &["emit", "p.chr", "--stage", "plan", "--semantics", "rounds"],
        &["repl", "p.chr", "--semantics", "rounds"],
    ] {
        let run = scratch.gchr_with_input(args, "p(7).\n");
        assert_eq!(run.code, 0, "{args:?} {}", run.stderr);
        assert!(!run.stdout.contains("DIFFERS"), "{args:?} {}", run.stdout);
    }
}

#[test]
fn random_conditions_hold_in_rounds_where_they_hold_one_by_one() {
    fn condition(random: &mut impl FnMut(u64) -> u64, depth: u32) -> String {
        let leaf = |random: &mut dyn FnMut(u64) -> u64| {
            let operand = |n| ["X", "Y", "3", "X + Y", "X * 2 - Y"][n as usize];
            let operator = ["<", ">", "=<", ">=", "=:=", "=\\="][random(6) as usize];
            match random(8) {
                0 => "integer(K)".to_string(),
                1 => "\\+ atom(K)".to_string(),
                2 => "K == a".to_string(),
                _ => format!("{} {operator} {}", operand(random(5)), operand(random(5))),
            }
        };
        if depth == 0 {
            return leaf(random);
        }
        let mut part = |depth| condition(random, depth);
        let (a, b) = (part(depth - 1), part(depth - 1));
        match random(5) {
            0 => format!("( {a}, {b} )"),
            1 => format!("( {a} ; {b} )"),
            2 => format!("\\+ ( {a}, {b} )"),
            3 => format!("( {a} -> {b} ; {} )", leaf(random)),
            _ => a,
        }
    }
    let scratch = Scratch::new();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for _ in 0..12 {
        let mut text = String::from(
            ":- chr_constraint v(+int, +int, +any), r(+int, +int, +int, +any), t(+int, +int).\n",
        );
        for rule in 0..4 {
            let guard = condition(&mut random, 2);
            text += &format!("v(X, Y, K) ==> {guard} | r({rule}, X, Y, K).\n");
            let (test, other) = (condition(&mut random, 2), condition(&mut random, 1));
            text += &format!(
                "v(X, Y, K) ==> ( {test} -> Z = 1 ; {other} -> Z = 2 ; Z = 3 ), W is Z + {rule}0, r(W, X, Y, K), t(X, W).\n"
            );
        }
        let values: Vec<String> = (-2..4)
            .flat_map(|x| [(0, "a"), (2, "7"), (5, "f(x)")].map(|(y, k)| format!("v({x}, {y}, {k})")))
            .collect();
        text += &format!("?- {}.\n", values.join(", "));
        scratch.file("p.chr", &text);
        let lines = |args: &[&str]| sorted_lines(&scratch, args, &text);
        assert_eq!(lines(&["--semantics", "rounds"]), lines(&[]), "{text}");
    }
}

#[test]
fn answers_are_written_when_they_are_found() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let late = "member(X, [1, 2]), write(x), (X < 2 -> true ; throw(late))";
    let run = |more: &[&str]| scratch.gchr(&[&["run", "leq.chr", "--all", "--query", late], more].concat());
    let text = run(&[]);
    assert_eq!((text.code, text.stdout.as_str()), (1, "x\nX = 1\nx"), "{}", text.stderr);
    assert!(text.stderr.contains("R0304"), "{}", text.stderr);
    let json = run(&["--format", "json"]);
    assert_eq!((json.code, json.stdout.as_str()), (1, ""), "{}", json.stderr);
}

#[test]
fn failures_errors_and_limits_have_codes() {
    let scratch = Scratch::new();
    scratch
        .file("leq.chr", &format!("{LEQ}loop(N) :- M is N + 1, loop(M).\nbad(X) :- Y is X + 1, print(Y).\n"));
    let run =
        |query: &str, more: &[&str]| scratch.gchr(&[&["run", "leq.chr", "--query", query], more].concat());
    let failed = run("leq(X, Y), X = 1, Y = 2, fail", &[]);
    assert!(failed.code == 1 && failed.stderr.contains("R0301"), "{}", failed.stderr);
    let error = run("bad(_)", &[]);
    assert!(error.code == 1 && error.stderr.contains("R0304"), "{}", error.stderr);
    assert!(error.stderr.contains("not sufficiently instantiated"), "{}", error.stderr);
    let steps = run("loop(0)", &["--max-steps", "1000"]);
    assert!(steps.code == 1 && steps.stderr.contains("R0201"), "{}", steps.stderr);
    let time = run("loop(0)", &["--timeout", "300ms"]);
    assert!(time.code == 1 && time.stderr.contains("R0204"), "{}", time.stderr);
}

/// An error is shown at the clause that raised it, whether a call, an instruction or the last goal did that, and so
/// are the clauses that are not over yet; clauses of the library are none of these.
#[test]
fn errors_are_shown_at_the_clause_that_raised_them() {
    let scratch = Scratch::new();
    let text = "% The first line is that of the query, too.\n\
                first(X) :- second(X), done.\n\
                second(X) :- third(X).\n\
                third(X) :- Y is X + foo, print(Y).\n\
                compared(X) :- X > a, true.\n\
                built_in(X) :- atom_length(X, Y), print(Y).\n\
                last(X) :- true, nothing_of_the_kind(X).\n\
                outer(G) :- maplist(G, [f(x)]), done.\n\
                done.\n";
    scratch.file("p.pl", text);
    let cases: [(&str, &[usize]); 5] = [
        ("first(3)", &[4, 2]),
        ("compared(3)", &[5]),
        ("built_in(f(x))", &[6]),
        ("last(1)", &[7]),
        ("outer(built_in)", &[6, 8]),
    ];
    for (query, wanted) in cases {
        let run = scratch.gchr(&["run", "p.pl", "--query", query]);
        let first = format!("╭─[ p.pl:{}:1 ]", wanted[0]);
        assert!(run.code == 1 && run.stderr.contains(&first), "{query}: {}", run.stderr);
        let line = |text: &str| text.split_once('│')?.0.trim().parse::<usize>().ok();
        let mut shown: Vec<usize> = run.stderr.lines().filter_map(line).filter(|&line| line > 1).collect();
        shown.sort_by_key(|line| wanted.iter().position(|of| of == line));
        assert_eq!(shown, wanted, "{query}: {}", run.stderr);
    }
}

/// Stores are ground until an integer needs more than 64 bits: nothing is shown before, and the answer is that of the
/// logic machine. Where it cannot begin anew, it is said how it does from the start.
#[test]
fn integers_beyond_64_bits_have_the_answers_of_the_logic_machine() {
    let scratch = Scratch::new();
    for (declared, at) in [("n/1, p/1", "any"), ("n(+int), p(+int)", "int")] {
        let text = format!(
            ":- chr_constraint {declared}.\nn(0) <=> true.\nn(N), p(X) <=> N > 0 | Y is X * X, M is N - 1, n(M), p(Y).\n"
        );
        scratch.file("square.chr", &text);
        let run =
            |more: &[&str]| scratch.gchr(&[&["run", "square.chr", "--query", "p(10), n(6)"], more].concat());
        let store = format!("p(1{})\n", "0".repeat(64));
        let anew = run(&[]);
        assert_eq!((anew.code, &anew.stdout), (0, &store), "{at}: {}", anew.stderr);
        assert!(anew.stderr.contains("more than 64 bits"), "{at}: {}", anew.stderr);
        let from_start = run(&["--logic"]);
        assert_eq!((from_start.code, &from_start.stdout), (0, &store), "{at}: {}", from_start.stderr);
        assert_eq!(from_start.stderr, "", "{at}");
        let in_file = run(&["--out", "store.txt", "--native", "on"]);
        assert_eq!((in_file.code, in_file.stdout.as_str()), (0, ""), "{at}: {}", in_file.stderr);
        assert_eq!(scratch.read("store.txt"), store, "{at}");
        for more in [&["--trace"][..], &["--semantics", "rounds"], &["--profile", "p.json"]] {
            let run = run(more);
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{at} {more:?}: {}", run.stderr);
            assert!(run.stderr.contains("R0101") && run.stderr.contains("--logic"), "{at}: {}", run.stderr);
        }
    }
    // What was written cannot be taken back, and what is no integer overflows there, too.
    for body in ["write(N), M is N * N", "M is N * 1.0e300"] {
        scratch.file("stops.chr", &format!(":- chr_constraint a/1.\na(N) <=> N > 0 | {body}, a(M).\n"));
        let run = scratch.gchr(&["run", "stops.chr", "--query", "a(1000)"]);
        assert!(run.code == 1 && run.stderr.contains("R0101"), "{body}: {}", run.stderr);
    }
    let refused = scratch.gchr(&["run", "square.chr", "--query", "n(1)", "--logic", "--semantics", "rounds"]);
    assert!(refused.code == 2 && refused.stderr.contains("U0110"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_read_is_left_out_of_a_run_and_of_nothing_else() {
    let scratch = Scratch::new();
    let text = ":- use_module(library(chr)).\n:- [missing].\n:- chr_constraint c(?int), d(?int).\n\
                c(X) <=> d(X) d(X).\nc(X), c(X) <=> d(X).\np(a b).\np(1).\n";
    scratch.file("p.pl", text);
    let run = |more: &[&str]| scratch.gchr(&[&["run", "p.pl"], more].concat());
    let ground = run(&["--query", "c(1), c(2), c(1)"]);
    assert_eq!((ground.code, ground.stdout.as_str()), (0, "c(2)\nd(1)\n"), "{}", ground.stderr);
    for part in ["C0114", "p.pl:4:15", "p.pl:6:5", "left out"] {
        assert!(ground.stderr.contains(part), "{part}: {}", ground.stderr);
    }
    let answer = run(&["--query", "p(X)"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "X = 1\n"), "{}", answer.stderr);
    let query = run(&["--query", "p(X X)"]);
    assert!(query.code == 2 && query.stdout.is_empty(), "{}", query.stderr);
    let rounds = run(&["--query", "c(1)", "--semantics", "rounds"]);
    assert!(rounds.code == 2 && rounds.stdout.is_empty(), "{}", rounds.stderr);
    assert_eq!(scratch.gchr(&["check", "p.pl"]).code, 2);
}

#[test]
fn answers_show_what_queries_bind_where_the_program_itself_needs_no_variables() {
    let scratch = Scratch::new();
    scratch.file(
        "gcd.pl",
        ":- chr_constraint gcd(+int).\ngcd(N) \\ gcd(M) <=> N =< M | L is M mod N, gcd(L).\n",
    );
    let run = |query: &str| scratch.gchr(&["run", "gcd.pl", "--query", query]);
    let large = run("X is 2 ** 70, Y = f(_), gcd(3)");
    assert_eq!(large.stdout, "X = 1180591620717411303424, Y = f(_1)\ngcd(3)\n");
    let named = run("X is 3 * 4, gcd(X)");
    assert_eq!(named.stdout, "X = 12\ngcd(12)\n");
    assert!(named.stderr.contains("names X, so the logic machine runs"), "{}", named.stderr);
    let unnamed = run("_X = 3, gcd(4)");
    assert_eq!((unnamed.stdout.as_str(), unnamed.stderr.as_str()), ("gcd(4)\n", ""));
}

#[test]
fn a_main_goal_runs_where_no_query_is_given_and_ends_the_run() {
    let scratch = Scratch::new();
    let text = ":- initialization(main, main).\n:- chr_constraint c/1.\nmain :- c(1), write(ran), nl.\n";
    scratch.file("p.pl", text);
    let run = |more: &[&str]| scratch.gchr(&[&["run", "p.pl"], more].concat());
    assert_eq!((run(&[]).code, run(&[]).stdout.as_str()), (0, "ran\n"));
    assert_eq!(run(&["--query", "c(2)"]).stdout, "c(2)\n");
}

#[test]
fn a_program_ends_the_run_with_a_code_of_its_own() {
    let scratch = Scratch::new();
    scratch.file("p.chr", "p(1).\np(2).\nstop :- p(X), X > 1, halt(3).\n");
    let run = |query: &str| scratch.gchr(&["run", "p.chr", "--query", query]);
    assert_eq!(run("stop").code, 3);
    assert_eq!(run("p(_), halt").code, 0);
    let written = run("p(_), write(user_error, hello), write(there)");
    assert!(written.code == 0 && written.stderr.contains("hello"), "{}", written.stderr);
    assert!(written.stdout.starts_with("there"), "{}", written.stdout);
}

#[test]
fn the_store_of_a_run_that_stopped_is_written_on_demand() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let run = |more: &[&str]| {
        scratch.gchr(&[&["run", "leq.chr", "--query", "leq(X, 1), throw(mine)", "--partial"], more].concat())
    };
    let text = run(&[]);
    assert_eq!((text.code, text.stdout.as_str()), (1, "leq(_1, 1)\n"), "{}", text.stderr);
    assert!(text.stderr.contains("one constraint was in the store"), "{}", text.stderr);
    let json = run(&["--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let constraint = serde_json::json!({"constraint": "leq", "args": [{"variable": "_1"}, 1]});
    assert_eq!(value["partial_store"][0], constraint);
}

#[test]
fn other_semantics_and_devices_are_refused_with_the_reason() {
    let scratch = Scratch::new();
    scratch.file("leq.chr", LEQ);
    let run =
        scratch.gchr(&["run", "leq.chr", "--query", "member(X, [1]), leq(X, 2)", "--semantics", "rounds"]);
    assert!(run.code != 0 && run.stderr.contains("U0110"), "{}", run.stderr);
    assert!(
        run.stderr.contains("--semantics rounds does not go with this program")
            && run.stderr.contains("╭─[ "),
        "{}",
        run.stderr
    );
}

#[test]
fn constraints_are_found_with_the_module_that_declares_them() {
    let scratch = Scratch::new();
    scratch.file(
        "mm.pl",
        ":- module(mm, [c/1]).\n:- use_module(library(chr)).\n:- use_module(chr(chr_runtime)).\n:- chr_constraint c/1.\n\
         all :- c(1), findall(M-X, current_chr_constraint(M:X), L), print(L), nl.\n?- mm:all.\n",
    );
    let run = scratch.gchr(&["run", "mm.pl"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "[mm-c(1)]\nc(1)\n"), "{}", run.stderr);
}

/// What clauses of a text make of its terms is the program, over ground stores too, in included files and modules.
#[test]
fn terms_are_expanded_while_they_are_read() {
    let scratch = Scratch::new();
    let ground = "\
term_expansion(counter(N), [(:- chr_constraint N), (up @ N <=> true)]) :- format(\"counts ~w~n\", [N]).
goal_expansion(double(X, Y), Y is 2 * X).
:- chr_constraint n(+int), r(+int).
n(X) <=> X > 0 | double(X, Y), r(Y).
counter(tick).
?- n(4), tick.
";
    scratch.file("ground.chr", ground);
    let run = scratch.gchr(&["run", "ground.chr", "--semantics", "rounds"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "r(8)\n"), "{}", run.stderr);
    assert!(run.stderr.contains("written while the program was read: counts tick"), "{}", run.stderr);
    let rules = scratch.gchr(&["emit", "ground.chr", "--stage", "rules"]).stdout;
    assert!(rules.contains("up") && rules.contains("tick"), "{rules}");

    scratch.file("own.pl", ":- module(own, [p/1]).\nterm_expansion(q(X), p(own(X))).\nq(1).\n");
    scratch.file("all.pl", ":- module(all, []).\nuser:term_expansion(every(X), p(X)).\nq(3).\n");
    scratch.file("part.pl", "every(4).\nq(5).\nend_of_file.\nevery(6).\n");
    let main = ":- use_module(own).\n:- use_module(all).\n:- include(part).\nq(2).\nevery(7).\n\
both(L, M) :- maplist(twice, L, K), maplist([X, Y]>>twice(X, Y), K, M).\ngoal_expansion(twice(X, Y), Y is 2 * X).\n\
more(L, M) :- maplist(twice, L, K), maplist([X, Y]>>twice(X, Y), K, M).\n";
    scratch.file("main.pl", main);
    let query = "findall(X, own:p(X), O), findall(X, p(X), L), findall(X, q(X), M), more([1, 2], N), \
                 catch(both([1], _), error(existence_error(_, W), _), true)";
    let run = scratch.gchr(&["run", "main.pl", "--query", query]);
    let wanted = "O = [own(1)], L = [4, 7], M = [5, 2], N = [4, 8], W = twice/2";
    assert_eq!(
        (run.code, run.stdout.replace('\n', ", ").trim_end_matches(", ")),
        (0, wanted),
        "{}",
        run.stderr
    );
}

/// Expansions and conditions that raise errors or do not end are said at the term, and what limits them.
#[test]
fn expansions_that_go_wrong_are_errors_of_the_term() {
    let scratch = Scratch::new();
    let wrong = "\
term_expansion(wrong(X), Y) :- Y is X + 1.
term_expansion(list, [a|b]).
p(1).
wrong(a).
list.
p(2).
";
    scratch.file("wrong.pl", wrong);
    let run = scratch.gchr(&["run", "wrong.pl", "--query", "findall(X, p(X), L)"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "L = [1, 2]\n"), "{}", run.stderr);
    for part in ["[C0318] Error", "wrong.pl:4:1", "raised here", "wrong.pl:5:1", "`list` expected"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert_eq!(scratch.gchr(&["check", "wrong.pl"]).code, 2);
    scratch.file("endless.pl", "term_expansion(X, Y) :- term_expansion(X, Y), p(Y).\np(1).\n?- p(X).\n");
    let run = scratch.gchr(&["run", "endless.pl", "--memory", "200M"]);
    assert!(run.code == 2 && run.stderr.contains("[C0320] Error"), "{}", run.stderr);
    scratch.file("if.pl", "size(3).\n:- if((size(N), N > 2)).\np(large).\n:- else.\np(small).\n:- endif.\n");
    let run = scratch.gchr(&["run", "if.pl", "--query", "p(X)"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "X = large\n"), "{}", run.stderr);
    scratch.file("ifs.pl", ":- if(frob(1)).\np(1).\n:- endif.\n?- true.\n");
    let run = scratch.gchr(&["run", "ifs.pl"]);
    assert!(run.code == 2 && run.stderr.contains("unknown procedure: frob/1"), "{}", run.stderr);
}

/// A table that would have to follow changes of clauses is said to stay as it is.
#[test]
fn options_of_tables_that_are_not_obeyed_are_said() {
    let scratch = Scratch::new();
    let program = "\
:- chr_constraint c/1.
:- table f/1 as (incremental, subsumptive).
f(1).
c(X) <=> f(X).
";
    scratch.file("tables.chr", program);
    let run = scratch.gchr(&["check", "tables.chr"]);
    let report = run.stdout + &run.stderr;
    assert!(
        run.code == 0 && report.contains("[C0321] Warning") && report.contains("tables.chr:2:18"),
        "{report}"
    );
}

/// Runs take time in proportion to the constraints.
#[test]
fn time_is_in_proportion_to_the_text() {
    let scratch = Scratch::new();
    let found = faster_than_the_text(LOGIC_PROGRAMS, |text| {
        scratch.file("grows.pl", text);
        let run = scratch.gchr(&["run", "grows.pl", "--sizes"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    });
    assert!(found.is_empty(), "{found:#?}");
}

/// Instructions number the variables of a clause: there are no more than they have numbers for.
#[test]
fn clauses_with_too_many_variables_are_refused() {
    let scratch = Scratch::new();
    let variables = |n: usize| (0..n).map(|i| format!("X{i}")).collect::<Vec<_>>().join(", ");
    let texts = [
        ("head.pl", format!("p(f({}), 1).\n?- p(X, Y).\n", variables(70_000)), 0),
        ("twice.pl", format!("q(1).\np(f({0}), g({0})).\n?- p(X, Y).\n", variables(70_000)), 2),
        ("arguments.pl", format!("p :- q({}).\n?- p.\n", variables(70_000)), 1),
        ("body.pl", format!("p(X) :- q(Y), r(f({0}, X, Y)), s({0}).\n?- p(1).\n", variables(70_000)), 1),
        (
            "rule.chr",
            format!(":- chr_constraint c(?any).\nc(f({0})) <=> c(g({0})).\n?- c(X).\n", variables(70_000)),
            2,
        ),
    ];
    for (name, text, line) in texts {
        scratch.file(name, &text);
        let run = scratch.gchr(&["run", name, "--memory", "500M", "--max-output", "2M"]);
        if line == 0 {
            assert_eq!(run.code, 0, "{name}: {}", run.stderr);
            continue;
        }
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        for part in ["[C0322] Error", "has too many variables or values", &format!("{name}:{line}:1")] {
            assert!(
                run.stderr.contains(part),
                "{name}: {part}: {}",
                &run.stderr[..run.stderr.len().min(500)]
            );
        }
    }
    scratch.file("added.pl", ":- dynamic p/2.\n");
    let goal = "findall(E, (functor(F, f, 70000), catch(assertz((p(F, F) :- q(F))), error(E, _), true)), L)";
    let run = scratch.gchr(&["run", "added.pl", "--memory", "500M", "--query", goal]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "L = [resource_error(max_frame_size)]\n"),
        "{}",
        run.stderr
    );
}
