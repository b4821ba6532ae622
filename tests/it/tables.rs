//! Stores as tables: what is shown of a result, a file for each constraint, facts of texts.

use crate::support::{Run, Scratch};

const PATHS: &str = ":- chr_constraint edge(+int, +int), path(+int, +int), note(+atom), empty(+int).
path(X, Y) \\ path(X, Y) <=> true.
edge(X, Y) ==> path(X, Y).
edge(X, Y), path(Y, Z) ==> path(X, Z).
?- edge(1, 2), edge(2, 3), note('a\tb').
";

pub fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("paths.chr", PATHS);
    scratch
}

pub fn run(scratch: &Scratch, more: &[&str]) -> Run {
    scratch.gchr(&[&["run", "paths.chr"], more].concat())
}

/// The same with a standard input.
pub fn run_with_input(scratch: &Scratch, more: &[&str], input: &[u8]) -> Run {
    scratch.gchr_with_input(&[&["run", "paths.chr"], more].concat(), input)
}

#[test]
fn what_is_shown_is_selected() {
    let scratch = scratch();
    let shown = |more: &[&str]| {
        let run = run(&scratch, more);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    assert_eq!(shown(&["--show", "path/2"]), "path(1,2)\npath(1,3)\npath(2,3)\n");
    assert_eq!(
        shown(&["--show", "note", "--show", "edge/2", "--format", "csv"]),
        "edge,1,2\nedge,2,3\nnote,a\tb\n"
    );
    assert_eq!(shown(&["--show", "empty/1"]), "");
    assert_eq!(shown(&["--sizes"]), "edge/2 2\npath/2 3\nnote/1 1\nempty/1 0\n");
    assert_eq!(shown(&["--sizes", "--show", "path/2", "--format", "csv"]), "path,2,3\n");
    assert_eq!(shown(&["--show", "note/1", "--format", "tsv"]), "note\t\"a\tb\"\n");
    let lines = shown(&["--show", "edge/2", "--show", "note/1", "--format", "jsonl"]);
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], serde_json::json!({"constraint": "edge", "args": [1, 2]}));
    assert_eq!(lines[2]["args"][0], "a\tb");
    let json: serde_json::Value =
        serde_json::from_str(&shown(&["--sizes", "--format", "json"])).expect("JSON");
    assert_eq!((&json["sizes"]["path/2"], json["stats"].is_object()), (&serde_json::json!(3), true));
    let json: serde_json::Value =
        serde_json::from_str(&shown(&["--show", "edge/2", "--format", "json"])).expect("JSON");
    assert_eq!(json["store"].as_array().map(Vec::len), Some(2));
}

#[test]
fn each_constraint_has_a_file_that_reads_back() {
    let scratch = scratch();
    for (format, ending) in [("csv", "csv"), ("tsv", "tsv"), ("jsonl", "jsonl")] {
        let run = run(&scratch, &["--out-dir", format, "--format", format]);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
        let folder = scratch.path(format);
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["edge", "empty", "note", "path"].map(|name| format!("{name}.{ending}")));
        assert_eq!(scratch.read(&format!("{format}/empty.{ending}")), "");
        let facts = [("edge", "edge"), ("path", "path"), ("note", "note")]
            .map(|(c, file)| format!("{c}={format}/{file}.{ending}"));
        let mut args = vec!["run", "paths.chr", "--query", "true", "--header", "no"];
        facts.iter().for_each(|fact| args.extend(["--facts", fact]));
        let back = scratch.gchr(&args);
        assert_eq!(back.code, 0, "{}", back.stderr);
        assert_eq!(back.stdout, self::run(&scratch, &[]).stdout);
    }
    let shown = run(&scratch, &["--out-dir", "some", "--show", "path/2"]);
    assert_eq!(
        (shown.code, scratch.read("some/path.csv").as_str()),
        (0, "1,2\n1,3\n2,3\n"),
        "{}",
        shown.stderr
    );
    // A run that stops leaves the files of the one before.
    let stopped = run(&scratch, &["--out-dir", "some", "--max-steps", "1"]);
    assert_eq!((stopped.code, scratch.read("some/path.csv").as_str()), (1, "1,2\n1,3\n2,3\n"));
}

/// Tables of numbers that are long enough are written by all threads: in the same order, and within the same limits.
#[test]
fn long_tables_of_numbers_are_written_in_order() {
    let scratch = Scratch::new();
    scratch.file("n.chr", ":- chr_constraint n(+int, +float).\n?- true.\n");
    let rows = |of: fn(i64) -> String| (0..50_000).map(|n| of(n - 20_000)).collect::<String>();
    let csv = rows(|n| format!("{n},{n}.5\n"));
    scratch.file("n.csv", &csv);
    let run = |more: &[&str]| {
        scratch.gchr(&[&["run", "n.chr", "--facts", "n=n.csv", "--threads", "3"], more].concat())
    };
    let written = run(&["--out-dir", "d"]);
    assert_eq!((written.code, scratch.read("d/n.csv") == csv), (0, true), "{}", written.stderr);
    let named = run(&["--format", "csv"]);
    assert_eq!(
        (named.code, named.stdout == rows(|n| format!("n,{n},{n}.5\n"))),
        (0, true),
        "{}",
        named.stderr
    );
    let lines = run(&["--format", "jsonl"]);
    let wanted = rows(|n| format!("{{\"constraint\": \"n\", \"args\": [{n}, {n}.5]}}\n"));
    assert_eq!((lines.code, lines.stdout == wanted), (0, true), "{}", lines.stderr);
    let limited = run(&["--format", "csv", "--max-output", "1000"]);
    assert_eq!(limited.code, 1, "{}", limited.stderr);
    assert!(wanted.len() > 1000 && limited.stderr.contains("--max-output"), "{}", limited.stderr);
}

#[test]
fn what_does_not_fit_is_refused() {
    let scratch = scratch();
    scratch.file("f.trs", "map F: Int -> Int;\nvar n: Int;\neqn F(n) = n;\ninput F(1);\n");
    scratch.file("file", "");
    let refused = |args: &[&str], said: &str| {
        let run = scratch.gchr(&[&["run"], args].concat());
        assert!(run.code == 2 && run.stderr.contains(said), "{args:?}: {} {}", run.code, run.stderr);
    };
    refused(&["paths.chr", "--show", "pth/2"], "did you mean path/2?");
    refused(&["paths.chr", "--show", "path/3"], "U0117");
    refused(&["paths.chr", "--show", "path/x"], "number of arguments");
    refused(&["paths.chr", "--out-dir", "d", "--format", "json"], "U0105");
    refused(&["paths.chr", "--out-dir", "d", "--out", "o"], "cannot be used with");
    refused(&["paths.chr", "--out-dir", "file"], "U0107");
    for option in [&["--show", "a"][..], &["--sizes"], &["--out-dir", "d"]] {
        refused(&[&["f.trs"], option].concat(), "does not apply to a term program");
    }
    refused(&["f.trs", "--format", "tsv"], "U0109");
    refused(&["paths.chr", "--facts", "edge=-", "--facts", "path=-"], "read once only");
    let line = scratch.gchr(&["run", "f.trs", "--format", "jsonl"]);
    assert_eq!((line.code, line.stdout.as_str()), (0, "{\"normal_form\": \"1\"}\n"), "{}", line.stderr);
}

#[test]
fn facts_come_from_standard_input_and_packed_files() {
    let scratch = scratch();
    let args = |more: &[&'static str]| [&["--show", "edge/2"][..], more].concat();
    let piped = run_with_input(&scratch, &args(&["--facts", "edge=-"]), b"from,to\n7,8\n");
    assert_eq!(
        (piped.code, piped.stdout.as_str()),
        (0, "edge(1,2)\nedge(2,3)\nedge(7,8)\n"),
        "{}",
        piped.stderr
    );
    assert!(piped.stderr.contains("took line 1 of - as the header"), "{}", piped.stderr);
    let tabs = run_with_input(&scratch, &args(&["--facts", "edge=-", "--facts-format", "tsv"]), b"7\t8\n");
    assert!(tabs.code == 0 && tabs.stdout.contains("edge(7,8)"), "{}", tabs.stderr);
    let json = b"[7, 8]\n\n{\"constraint\": \"edge\", \"args\": [8, 9]}\n";
    let lines = run_with_input(&scratch, &args(&["--facts", "edge=-", "--facts-format", "jsonl"]), json);
    assert!(lines.code == 0 && lines.stdout.contains("edge(7,8)\nedge(8,9)"), "{}", lines.stderr);
    let packed = packed(b"7,8\n8,9\n");
    scratch.bytes("e.csv.gz", &packed);
    let read = run(&scratch, &args(&["--facts", "edge=e.csv.gz"]));
    assert!(read.code == 0 && read.stdout.contains("edge(7,8)\nedge(8,9)"), "{}", read.stderr);
    for (name, bytes) in
        [("cut.csv.gz", &packed[..packed.len() - 6]), ("no.csv.gz", b"7,8\n"), ("x.gz", &packed)]
    {
        scratch.bytes(name, bytes);
        let wrong = scratch.gchr(&["run", "paths.chr", "--facts", &format!("edge={name}")]);
        assert!(wrong.code == 2 && wrong.stderr.contains("C060"), "{name}: {}", wrong.stderr);
    }
}

/// gzip, of which a stored block is the simplest form.
fn packed(text: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    let length = text.len() as u16;
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(text);
    let crc = text.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    });
    bytes.extend((!crc).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes
}

#[test]
fn wrong_lines_of_json_are_shown() {
    let scratch = Scratch::new();
    scratch.file("p.chr", ":- chr_constraint p(+int, +atom), q(?any).\n?- true.\n");
    let read = |constraint: &str, text: &str| {
        scratch.file("f.jsonl", text);
        scratch.gchr(&["run", "p.chr", "--facts", &format!("{constraint}=f.jsonl")])
    };
    let good = read("p", "[1, \"a b\"]\r\n[2, \"5\"]\n");
    assert_eq!((good.code, good.stdout.as_str()), (0, "p(1,'a b')\np(2,'5')\n"), "{}", good.stderr);
    let good = read("q", "[1]\n[2.5]\n");
    assert_eq!((good.code, good.stdout.as_str()), (0, "q(1)\nq(2.5)\n"), "{}", good.stderr);
    let good = read("q", "[1]\n[\"a\"]\n[{\"args\": [[], {\"string\": \"s\"}], \"functor\": \"f\"}]\n");
    assert_eq!((good.code, good.stdout.as_str()), (0, "q(1)\nq(a)\nq(f([],\"s\"))\n"), "{}", good.stderr);
    for (text, said) in [
        ("[1, \"a\"]\n[1, ", "C0613"),
        ("7\n", "C0613"),
        ("{\"args\": 1}\n", "C0613"),
        ("{\"constraint\": \"q\", \"args\": [1]}\n", "C0612"),
        ("[1]\n", "C0604"),
        ("[1.5, \"a\"]\n", "C0605"),
        ("[\"1\", \"a\"]\n", "C0605"),
        ("[1, 2]\n", "C0605"),
        ("[1, [2]]\n", "C0605"),
        ("[1, {\"string\": \"a\"}]\n", "C0605"),
        ("[1, {\"functor\": \"f\", \"args\": []}]\n", "neither a string nor a compound term"),
        ("[1, {\"variable\": \"X\"}]\n", "the variable X, and facts have none"),
        ("[1, {\"other\": 1}]\n", "an object with a member `other`"),
        ("[1, true]\n", "C0605"),
        ("[1, null]\n", "C0605"),
        ("[1, \"a\"] 2\n", "C0613"),
        ("[99999999999999999999, \"a\"]\n", "C060"),
    ] {
        let wrong = read("p", text);
        assert!(wrong.code == 2 && wrong.stderr.contains(said), "{text}: {}", wrong.stderr);
        assert!(wrong.stderr.contains("f.jsonl"), "{}", wrong.stderr);
    }
    let many = read("p", &"x\n".repeat(50));
    assert!(many.stderr.contains("30 more errors"), "{}", many.stderr);
}

#[test]
fn what_a_table_does_not_keep_is_said_in_one_line() {
    let scratch = Scratch::new();
    let goals = "?- p(\"s\", 1), p(f(x), 2), q(-0.0).\n";
    scratch.file("p.chr", &format!(":- chr_constraint p(?any, +int), q(+float).\n{goals}"));
    scratch.file("l.chr", ":- chr_constraint p(?, ?).\n?- p(X, \"s\"), p(Y, X).\n");
    let said = |file: &str, args: &[&str]| {
        let run = scratch.gchr(&[&["run", file], args].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        run.stderr
    };
    let strings = "gchr: not all values read back as they are: argument 1 of p/2: strings are read back as atoms \
                   (--format jsonl keeps the types of values)\n";
    assert_eq!(said("p.chr", &["--out-dir", "d"]), strings);
    for silent in [
        &["--out-dir", "d", "--format", "jsonl"][..],
        &["--format", "csv"],
        &["--out-dir", "d", "--show", "q/1"],
    ] {
        assert_eq!(said("p.chr", silent), "", "{silent:?}");
    }
    let variables = said("l.chr", &["--out-dir", "d", "--format", "jsonl"]);
    assert!(variables.contains("argument 1 of p/2: variables are not read back"), "{variables}");
    assert!(!variables.contains("--format jsonl") && variables.lines().count() == 1, "{variables}");
    if cfg!(feature = "tables") {
        let zero = said("p.chr", &["--out", "p.db", "--format", "sqlite"]);
        assert!(
            zero.contains("argument 1 of q/1: -0.0 is 0.0 in a database") && zero.lines().count() == 1,
            "{zero}"
        );
    }
}

/// A store as CSV has names, and facts have none: the way is said.
#[test]
fn a_store_as_csv_is_no_table_of_facts() {
    let scratch = Scratch::new();
    scratch.file("p.chr", ":- chr_constraint p(+int, +int).\n?- p(1, 2).\n");
    assert_eq!(scratch.gchr(&["run", "p.chr", "--format", "csv", "--out", "p.csv"]).code, 0);
    let run = scratch.gchr(&["run", "p.chr", "--facts", "p=p.csv"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("C0604") && run.stderr.contains("--out-dir"), "{}", run.stderr);
    assert_eq!(scratch.gchr(&["run", "p.chr", "--out-dir", "d"]).code, 0);
    let again = scratch.gchr(&["run", "p.chr", "--facts", "p=d/p.csv", "--header", "no"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "p(1,2)\np(1,2)\n"), "{}", again.stderr);
    scratch.file("wide.csv", "p,1,2,3\n");
    let wide = scratch.gchr(&["run", "p.chr", "--facts", "p=wide.csv"]);
    assert!(wide.stderr.contains("C0604") && !wide.stderr.contains("--out-dir"), "{}", wide.stderr);
}

/// What a file holds that is no text, or not packed, is told by what it is.
#[test]
fn other_encodings_of_facts_are_named() {
    let scratch = Scratch::new();
    scratch.file("p.chr", ":- chr_constraint p(+int, ?any).\n?- true.\n");
    let utf16: Vec<u8> = "\u{feff}1,a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let swapped: Vec<u8> = "\u{feff}[1, 2]\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (name, bytes, said) in [
        ("f.csv", &utf16[..], "f.csv is a text in UTF-16"),
        ("f.jsonl", &swapped, "f.jsonl is a text in UTF-16"),
        ("f.csv.gz", b"1,2\n", "it is no gzip file"),
        ("f.tsv.gz", b"", "it is no gzip file"),
    ] {
        scratch.bytes(name, bytes);
        let run = scratch.gchr(&["run", "p.chr", "--facts", &format!("p={name}")]);
        assert!(run.code == 2 && run.stderr.contains(said), "{name}: {}", run.stderr);
        assert_eq!(run.stderr.matches("Error").count(), 1, "{name}: {}", run.stderr);
    }
}
