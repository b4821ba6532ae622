//! Fact files: what is read, how types are found, and what is reported about bad lines.

use gchr_base::diagnostic::render_all;
use gchr_base::facts::FactColumn;
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_chr::{FactFile, Header, Loaded, Request, load};
use proptest::prelude::*;

/// Loads `program` with one file of facts for `constraint`.
fn load_file(program: &str, constraint: &str, name: &str, bytes: &[u8]) -> (Loaded, SourceMap) {
    load_with(program, constraint, name, bytes, Header::Auto)
}

fn load_with(
    program: &str,
    constraint: &str,
    name: &str,
    bytes: &[u8],
    header: Header,
) -> (Loaded, SourceMap) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", program);
    let facts = vec![FactFile { constraint: constraint.into(), path, header, format: None }];
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts });
    (loaded, sources)
}

const EDGE: &str = ":- chr_constraint edge(+dense_int, +dense_int, ?int).\nedge(X, Y, A) \\ edge(X, Y, B) <=> A =< B | true.";
/// Any declaration of `c`, with a rule so that it is used.
fn declared(columns: &str) -> String {
    let wild = vec!["_"; columns.matches(',').count() + 1].join(", ");
    format!(
        ":- chr_type color ---> red ; green.\n:- chr_type w == float.\n:- chr_constraint c({columns}).\nc({wild}) <=> true."
    )
}

/// The columns of a file without errors, with texts in place of their ids.
fn columns(program: &str, name: &str, text: &str) -> Vec<String> {
    let constraint = if program == EDGE { "edge" } else { "c" };
    let (loaded, sources) = load_file(program, constraint, name, text.as_bytes());
    assert_eq!(loaded.diagnostics, [], "{}", render_all(&loaded.diagnostics, &sources, false));
    let texts = &loaded.program.as_ref().unwrap().signature.texts;
    let facts = &loaded.facts[0];
    facts
        .columns
        .iter()
        .map(|column| match column {
            FactColumn::Int(v) => format!("int {v:?}"),
            FactColumn::Float(v) => format!("float {v:?}"),
            FactColumn::Atom(v) => format!("atom {:?}", v.iter().map(|&t| texts.get(t)).collect::<Vec<_>>()),
            FactColumn::Str(v) => format!("string {:?}", v.iter().map(|&t| texts.get(t)).collect::<Vec<_>>()),
            FactColumn::Any(v) => format!("any {:?}", v.nodes()),
        })
        .collect()
}

/// Codes and messages of a file with errors; the folder of the file is left out.
fn errors(program: &str, name: &str, bytes: &[u8]) -> Vec<(String, String)> {
    let constraint = if program == EDGE { "edge" } else { "c" };
    let (loaded, sources) = load_file(program, constraint, name, bytes);
    render_all(&loaded.diagnostics, &sources, false);
    assert!(loaded.program.is_none());
    let short = |m: &str| m.rsplit_once(name).map_or(m.to_string(), |(_, rest)| format!("{name}{rest}"));
    loaded.diagnostics.iter().map(|d| (d.code.to_string(), short(&d.message))).collect()
}

#[test]
fn declared_columns() {
    assert_eq!(columns(EDGE, "e.csv", "0,1,5\n1,2,-7\n"), ["int [0, 1]", "int [1, 2]", "int [5, -7]"]);
    assert_eq!(columns(EDGE, "e.csv", "from,to,cost\r\n0,1,5\r\n"), ["int [0]", "int [1]", "int [5]"]);
    assert_eq!(
        columns(EDGE, "e.TSV", "\u{feff}0\t1\t 5 \n\n2\t3\t+4"),
        ["int [0, 2]", "int [1, 3]", "int [5, 4]"]
    );
    assert_eq!(columns(EDGE, "e.txt", "a\tb\tc\n"), ["int []", "int []", "int []"]);
    assert_eq!(columns(EDGE, "e.csv", ""), ["int []", "int []", "int []"]);
    assert_eq!(columns(EDGE, "e.csv", "\n\n"), ["int []", "int []", "int []"]);
    let all = declared("?float, ?atom, ?string, ?w, ?number, ?color");
    let text = "1,x,y,2,3,red\n-2.5e3,\"a, \"\"b\"\"\nc\",7,0.5,4,green\n";
    assert_eq!(
        columns(&all, "c.csv", text),
        [
            "float [1.0, -2500.0]",
            "atom [\"x\", \"a, \\\"b\\\"\\nc\"]",
            "string [\"y\", \"7\"]",
            "float [2.0, 0.5]",
            "int [3, 4]",
            "atom [\"red\", \"green\"]"
        ]
    );
}

#[test]
fn inferred_columns() {
    let c = |n: usize| declared(&vec!["?"; n].join(", "));
    assert_eq!(
        columns(&c(3), "c.csv", "1,2.5,x\n2,3,007\n"),
        ["int [1, 2]", "float [2.5, 3.0]", "atom [\"x\", \"007\"]"]
    );
    // A first line without numbers over numbers is a header; without any numbers it is data.
    assert_eq!(columns(&c(2), "c.csv", "a,b\n1,x\n"), ["int [1]", "atom [\"x\"]"]);
    assert_eq!(columns(&c(2), "c.csv", "a,b\nc,d\n"), ["atom [\"a\", \"c\"]", "atom [\"b\", \"d\"]"]);
    assert_eq!(columns(&c(2), "c.csv", "a,b\n"), ["atom [\"a\"]", "atom [\"b\"]"]);
    // The first line has a number, so it is data, and widens the other columns.
    assert_eq!(columns(&c(2), "c.csv", "a,1.5\n1,2\n"), ["atom [\"a\", \"1\"]", "float [1.5, 2.0]"]);
    assert_eq!(columns(&c(1), "c.csv", "nan\n1\n"), ["int [1]"]);
    assert_eq!(columns(&c(1), "c.csv", "1\ninf\n"), ["atom [\"1\", \"inf\"]"]);
}

/// Rows of a file, and the notices on it without its folder.
fn taken(columns: &str, bytes: &str, header: Header) -> (usize, Vec<String>) {
    let (loaded, sources) = load_with(&declared(columns), "c", "c.csv", bytes.as_bytes(), header);
    assert_eq!(loaded.diagnostics, [], "{}", render_all(&loaded.diagnostics, &sources, false));
    let short = |notice: &String| {
        let (before, rest) = notice.split_once(" of ").unwrap();
        let (path, after) = rest.split_once(' ').unwrap();
        assert!(path.ends_with("c.csv"), "{notice}");
        format!("{before} {}", after.split(';').next().unwrap())
    };
    (loaded.facts[0].rows, loaded.notices.iter().map(short).collect())
}

#[test]
fn what_is_guessed_of_a_first_line_is_said() {
    let firsts = ["a,b", "a,1", "1,a", "1,2", "-.5,2e3", "x,nan", "\"a b\",\"\""];
    for columns in ["?, ?", "?atom, ?", "?atom, ?string", "?any, ?any"] {
        for first in firsts {
            for rest in ["", "3,4\n", "x,4\n", "x,y\n5,6\n"] {
                for before in ["", "\n", "\r\n\n", "\u{feff}", "\u{feff}\n"] {
                    let text = format!("{before}{first}\n{rest}");
                    let (rows, line) = (rest.lines().count(), before.matches('\n').count() + 1);
                    let case = format!("{columns}: {text:?}");
                    assert_eq!(taken(columns, &text, Header::Yes), (rows, vec![]), "{case}");
                    assert_eq!(taken(columns, &text, Header::No), (rows + 1, vec![]), "{case}");
                    let (found, notices) = taken(columns, &text, Header::Auto);
                    let wanted = match found == rows {
                        true => vec![format!("took line {line} as the header")],
                        false if ["1,2", "-.5,2e3"].contains(&first) => vec![],
                        false => vec![format!("took line {line} as facts")],
                    };
                    assert_eq!(notices, wanted, "{case}");
                }
            }
        }
    }
    assert_eq!(taken("?", "", Header::Auto), (0, vec![]));
    // A mistake in the data of a declared column is no header where it is said that there is none.
    let (loaded, _) = load_with(&declared("?natural"), "c", "c.csv", b"five\n10\n", Header::No);
    assert_eq!(loaded.diagnostics[0].code, "C0605");
}

#[test]
fn a_byte_order_mark_is_one_at_the_start_of_the_file_only() {
    let lines = |n: usize| "\u{feff}\n".repeat(n);
    assert_eq!(taken("?atom", &lines(1), Header::No).0, 0);
    for n in [2, 3, 100_000] {
        assert_eq!(taken("?atom", &lines(n), Header::No).0, n - 1, "{n}");
        assert_eq!(taken("?atom", &format!("a\r\n{}", lines(n)), Header::No).0, n + 1, "{n}");
    }
}

#[test]
fn lines_are_counted_with_blank_ones() {
    for end in ["\n", "\r\n"] {
        for blank in 0..4 {
            let text = format!("0,1,2{end}{}0,1,x{end}0,1,2{end}{end}0,1", end.repeat(blank));
            let found = errors(EDGE, "e.csv", text.as_bytes());
            let lines: Vec<_> =
                found.iter().map(|(_, text)| text.split([',', ' ']).nth(3).unwrap()).collect();
            assert_eq!(lines, [(2 + blank).to_string(), (5 + blank).to_string()], "{text:?}: {found:?}");
        }
    }
}

#[test]
fn sorts_follow_the_facts() {
    let (loaded, _) =
        load_file(":- chr_constraint c/2, d/1.\nc(X, _) ==> d(X).", "c/2", "c.csv", b"1,x\n2,y\n");
    let text = loaded.program.unwrap().to_string();
    assert!(text.contains("constraint c(int inferred, atom inferred)\nconstraint d(int inferred)"), "{text}");
}

#[test]
fn a_bad_line_far_below() {
    let good = "1,2,3\n".repeat(70_000);
    let number = errors(EDGE, "e.csv", format!("{good}1,2,three\n").as_bytes());
    assert_eq!(
        number,
        [("C0605".into(), "e.csv, line 70001, column 3: `three` is not an integer".to_string())]
    );
    let width = errors(EDGE, "e.csv", format!("{good}1,2\n").as_bytes());
    assert_eq!(width, [("C0604".into(), "e.csv, line 70001 has 2 columns, edge/3 needs 3".to_string())]);
    let quoted = errors(EDGE, "e.csv", format!("{good}\"1\",2,3,4\n").as_bytes());
    assert_eq!(quoted, [("C0604".into(), "e.csv, line 70001 has 4 columns, edge/3 needs 3".to_string())]);
}

#[test]
fn bad_fields() {
    let one = |text: &[u8]| errors(EDGE, "e.csv", text);
    assert_eq!(one(b"0,1,9223372036854775808\n")[0].0, "C0606");
    assert_eq!(one(b"0,1,-9223372036854775809\n")[0].0, "C0606");
    assert_eq!(one(b"0,-1,2\n")[0].0, "C0610");
    assert_eq!(one(b"0,,2\n")[0].0, "C0605");
    assert_eq!(
        one(b"x,1,2\n0,1,2\n"),
        [("C0605".into(), "e.csv, line 1, column 1: `x` is not an integer from 0".into())]
    );
    assert_eq!(one(b"0,\xff,2\n")[0].0, "C0605");
    assert_eq!(one("0,1,2\n0,é,x\n".as_bytes()).len(), 2);
    let text = declared("?atom, ?color");
    assert_eq!(errors(&text, "c.csv", b"a,red\n\xffb,green\n")[0].0, "C0607");
    assert_eq!(errors(&text, "c.csv", b"a,red\nb,blue\n")[0].0, "C0605");
    assert_eq!(errors(&declared("?"), "c.csv", b"1\n99999999999999999999\n")[0].0, "C0606");
}

#[test]
fn a_quote_that_nothing_closes() {
    let program = declared("+string, +int");
    let told = |text: &str| errors(&program, "c.csv", text.as_bytes());
    let open = |line: u32, column: u32| {
        let place = format!("c.csv, line {line}, column {column}");
        vec![("C0617".to_string(), format!("{place}: a quote is opened, and not closed until the file ends"))]
    };
    assert_eq!(told("\"abc,1\ndef,2\n"), open(1, 1));
    assert_eq!(told("a,1\r\n\r\n\"b\"\"\",2\r\nc,\"3\r\nd,4\r\n"), open(4, 2));
    assert_eq!(told("\u{feff}\"a\n\"\"\",1\n\"b"), open(3, 1));
    // A quote within a field is a part of it.
    assert_eq!(columns(&program, "c.csv", "a\"b,1\n\"c\nd\",2\n").len(), 2);
}

#[test]
fn many_errors_are_counted() {
    let found = errors(EDGE, "e.csv", "0;1;2\n".repeat(1000).as_bytes());
    assert_eq!(found.len(), 21);
    assert_eq!(found.iter().filter(|(code, _)| code == "C0604").count(), 20);
    assert_eq!(
        found.iter().find(|(code, _)| code == "C0608").unwrap().1,
        "e.csv: 980 more errors like these"
    );
}

/// Documents are told from JSON lines, which are read line by line.
#[test]
fn documents_of_json_are_refused_once() {
    let program = &declared("?, ?");
    for text in [
        "[\n  [1, 2],\n  [3, 4]\n]\n",
        "[{\"a\": 1, \"b\": 2}, {\"a\": 3, \"b\": 4}]",
        "[{\"a\": 1, \"b\": 2},\n{\"a\": 3, \"b\": 4}]\n",
        "{\n  \"store\": [\n    {\"constraint\": \"c\", \"args\": [1, 2]}\n  ]\n}\n",
    ] {
        let wanted = ("C0613".to_string(), "this is a JSON document, and no JSON lines".to_string());
        assert_eq!(errors(program, "c.jsonl", text.as_bytes()), [wanted], "{text}");
    }
    for text in ["[1, 2]\n[3]\n", "[3]\n[1, 2]\n", "[{\"a\": 1}, 2]\n[1, 2]\n", "{\"a\": 1}\n", "[\n[1, 2]\n"]
    {
        let found = errors(program, "c.jsonl", text.as_bytes());
        assert!(found.iter().all(|(_, message)| !message.contains("document")), "{text}: {found:?}");
    }
    assert_eq!(columns(program, "c.jsonl", "[[1, 2], [3]]").len(), 2);
}

/// A row says that the constraint is there: the header and what is no `true` are not taken for that.
#[test]
fn constraints_without_arguments() {
    let program = ":- chr_constraint c.\n";
    assert!(columns(program, "c.csv", "true\n\ntrue\n").is_empty());
    for (name, text, rows) in [
        ("c.csv", "true\r\ntrue", 2),
        ("c.tsv", "\u{feff}\"true\"\n", 1),
        ("c.csv", "", 0),
        ("c.jsonl", "[]\n{\"constraint\": \"c\", \"args\": []}\n[]\n", 3),
    ] {
        let (loaded, _) = load_file(program, "c", name, text.as_bytes());
        assert_eq!((loaded.facts[0].rows, loaded.notices), (rows, Vec::new()), "{name} {text}");
    }
    for (name, text, code) in [
        ("c.csv", "false\n", "C0605"),
        ("c.csv", "present\ntrue\n", "C0605"),
        ("c.csv", "1\n", "C0605"),
        ("c.csv", "true,true\n", "C0604"),
        ("c.jsonl", "[true]\n", "C0605"),
        ("c.jsonl", "true\n", "C0613"),
        ("c.jsonl", "[1]\n", "C0604"),
    ] {
        let (loaded, sources) = load_file(program, "c", name, text.as_bytes());
        let found = render_all(&loaded.diagnostics, &sources, false);
        assert_eq!(loaded.diagnostics.first().map(|d| d.code), Some(code), "{name} {text}: {found}");
        assert_eq!(found.contains("whose only value is `true`"), name == "c.csv", "{found}");
    }
}

#[test]
fn bad_requests() {
    let code = |constraint: &str, name: &str| {
        let program = ":- chr_constraint c/1, c/2, edge/3, none.\nnone, edge(_,_,_), c(_), c(_,_) <=> true.";
        load_file(program, constraint, name, b"1,2,3\n").0.diagnostics[0].code
    };
    assert_eq!(code("edge", "e.parquet.gz"), "C0602");
    assert_eq!(code("edge", "e.xls"), "C0602");
    assert_eq!(code("edge", "e.json"), "C0602");
    assert_eq!(code("edg", "e.csv"), "C0603");
    assert_eq!(code("edge/2", "e.csv"), "C0603");
    assert_eq!(code("c", "e.csv"), "C0603");
    assert_eq!(code("none", "e.csv"), "C0604");
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", EDGE);
    let path = "/does/not/exist.csv".into();
    let facts = vec![FactFile { constraint: "edge/3".into(), path, header: Header::Auto, format: None }];
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts });
    assert_eq!(loaded.diagnostics[0].code, "C0601");
}

#[test]
fn rendered() {
    let (loaded, sources) = load_file(EDGE, "edge", "e.csv", b"0,1,5\n1,2,\"1,5\"\n1,2\n");
    let text = render_all(&loaded.diagnostics, &sources, false);
    // The folder is another one in every run.
    let folder = sources.iter().find_map(|(_, s)| s.name.strip_suffix("e.csv").map(str::to_string)).unwrap();
    insta::assert_snapshot!(text.replace(&folder, ""));
}

/// Reading in parts gives what reading line by line gives.
fn reference(text: &str) -> Vec<Vec<i64>> {
    let mut columns = vec![Vec::new(); 3];
    for line in text.lines().filter(|l| !l.is_empty()) {
        line.split(',').zip(&mut columns).for_each(|(field, column)| column.push(field.parse().unwrap()));
    }
    columns
}

#[test]
fn parts_keep_the_order() {
    let text: String = (0..60_000).map(|i| format!("{},{},{}\n", i % 977, i % 13, i - 30_000)).collect();
    let (loaded, _) = load_file(EDGE, "edge", "e.csv", text.as_bytes());
    let found = loaded.facts[0].columns.iter().map(|c| match c {
        FactColumn::Int(v) => v.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(found.collect::<Vec<_>>(), reference(&text));
    assert_eq!(loaded.facts[0].rows, 60_000);
}

#[test]
fn lines_of_json_keep_the_type_of_each_value() {
    let of = |types: &str, text: &str| columns(&declared(types), "c.jsonl", text);
    assert_eq!(of("?any, ?", "[1, 1.0]\n[2, -0.0]\n"), ["int [1, 2]", "float [1.0, -0.0]"]);
    assert_eq!(of("?number", "[1]\n[1.5]\n"), ["any [Int(1), Float(1.5)]"]);
    assert_eq!(of("?float", "[1]\n[1.5]\n"), ["float [1.0, 1.5]"]);
    assert_eq!(of("?", "[{\"string\": \"a\"}]\n[{\"string\": \"b\"}]\n"), ["string [\"a\", \"b\"]"]);
    assert_eq!(
        of("?string, ?atom", "[\"a\", \"a\"]\n[{\"string\": \"b\"}, []]\n"),
        ["string [\"a\", \"b\"]", "atom [\"a\", \"[]\"]"]
    );
    assert_eq!(of("?any", "{\"x\": [{}], \"args\": [1], \"constraint\": \"c\"}\n"), ["int [1]"]);
}

/// A type of the program holds for values of files as well.
#[test]
fn values_of_files_are_of_the_types_of_their_columns() {
    let program = ":- chr_type t ---> a ; 1 ; f(int, t).\n:- chr_constraint c(?t).\n";
    let load = |name: &str, text: &str| errors(program, name, text.as_bytes());
    let f = |args: &str| format!("[{{\"functor\": \"f\", \"args\": [{args}]}}]\n");
    for (name, good) in
        [("c.jsonl", "[\"a\"]\n[1]\n"), ("c.jsonl", &f("7, \"a\"")), ("c.csv", "a\na\n"), ("c.csv", "1\n")]
    {
        let (loaded, _) = load_file(program, "c", name, good.as_bytes());
        assert_eq!(loaded.diagnostics, [], "{good}");
    }
    for (name, wrong) in [
        ("c.jsonl", "[\"a\"]\n[\"b\"]\n"),
        ("c.jsonl", &*f("1.5, \"a\"")),
        ("c.jsonl", "[2]\n"),
        ("c.csv", "a\nb\n"),
        ("c.csv", "2\n"),
    ] {
        let found = load(name, wrong);
        assert!(
            found.len() == 1 && found[0].0 == "C0605" && found[0].1.contains("is not of type t"),
            "{found:?}"
        );
    }
    // The name of a functor is no constant, though it is known by then.
    let program = ":- chr_type t ---> a ; f(int, t).\n:- chr_constraint c(?t).\n";
    let text = format!("[\"a\"]\n{}[\"f\"]\n", f("1, \"a\""));
    let found = errors(program, "c.jsonl", text.as_bytes());
    assert!(found.len() == 1 && found[0].1.contains("row 3, argument 1 of c/1: f is not"), "{found:?}");
    // More values than are held at a time.
    let rows = 100_000;
    let mut text: String = (0..rows).map(|n| f(&format!("{n}, \"a\""))).collect();
    let (loaded, _) = load_file(program, "c", "c.jsonl", text.as_bytes());
    assert_eq!(loaded.diagnostics, []);
    text += &f("1, 2");
    let found = errors(program, "c.jsonl", text.as_bytes());
    assert!(
        found.len() == 1 && found[0].1.contains("row 100001, argument 1 of c/1: f(1,2) is not"),
        "{found:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(prop::sample::select(b"01-.,\t\"\n\rxe\xff\xc3 []{}:".to_vec()), 0..80), which in 0..5usize) {
        let (program, name) = [(EDGE.to_string(), "e.csv"), (declared("?, ?"), "c.tsv"), (declared("?atom"), "c.csv"), (declared("?number, ?"), "c.csv"), (declared("?any"), "c.jsonl")][which].clone();
        let constraint = if which == 0 { "edge" } else { "c" };
        let (loaded, sources) = load_file(&program, constraint, name, &bytes);
        render_all(&loaded.diagnostics, &sources, false);
        prop_assert_eq!(loaded.program.is_some(), loaded.diagnostics.is_empty());
        if let Some(facts) = loaded.facts.first() {
            for column in &facts.columns {
                let rows = match column {
                    FactColumn::Int(v) => v.len(),
                    FactColumn::Float(v) => v.len(),
                    FactColumn::Atom(v) | FactColumn::Str(v) => v.len(),
                    FactColumn::Any(v) => v.len(),
                };
                prop_assert_eq!(rows, facts.rows);
            }
        }
    }
}

/// A measurement, not a check: `cargo test --release -p gchr-chr --test it facts -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_million_lines() {
    let text: String = (0..1_000_000u64)
        .map(|i| format!("{},{},{}\n", i * 7919 % 100_003, i * 104_729 % 100_003, i))
        .collect();
    let start = std::time::Instant::now();
    let (loaded, _) = load_file(EDGE, "edge", "e.csv", text.as_bytes());
    println!("{} facts in {:?}, the write of the file included", loaded.facts[0].rows, start.elapsed());
}

/// Whatever the columns are, and wherever the memory goes: the text, names, rows, one long line.
#[test]
fn facts_are_read_within_a_limit_of_memory() {
    let numbers: String = (0..100_000).map(|i| format!("{i},{i}\n")).collect();
    let names: String = (0..100_000).map(|i| format!("n{i},{i}\n")).collect();
    let line = format!("{},1\n", "x".repeat(2_000_000));
    let late = format!("{numbers}word,1\n");
    for (text, columns) in
        [(&numbers, "+int,+int"), (&names, "+any,+int"), (&line, "?any,+int"), (&late, "?any,+int")]
    {
        let program = declared(columns);
        let read = |memory: u64| {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("f.csv");
            std::fs::write(&path, text).unwrap();
            let mut sources = SourceMap::new();
            let program = sources.add("p.chr", &program);
            let facts = vec![FactFile { constraint: "c".into(), path, header: Header::Auto, format: None }];
            let request = Request { program, queries: Vec::new(), facts };
            gchr_chr::load_within(&mut sources, &request, &Account::new(Some(memory)))
        };
        for memory in [0, 1000, text.len() as u64 / 2, text.len() as u64 + 100] {
            let loaded = read(memory);
            let codes: Vec<_> = loaded.diagnostics.iter().map(|d| d.code).collect();
            assert_eq!(codes, ["R0202"], "{columns} within {memory} bytes");
            assert!(loaded.program.is_none() && loaded.facts.is_empty());
        }
        let loaded = read(64 << 20);
        assert_eq!(loaded.diagnostics, [], "{columns}");
        assert_eq!(loaded.facts[0].rows, text.lines().count());
    }
}
