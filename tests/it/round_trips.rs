//! Random stores, written in every format of tables and read back as facts: the same store, or a line that says what is
//! lost.

use std::io::Write as _;

use gchr::{CompileOptions, Control, FactFile, FactFormat, Header, Input, Selection, TableFormat};
use gchr_testkit::random::Random;

use crate::support::Scratch;

/// Types of columns; the last one is none.
const TYPES: [&str; 10] =
    ["+int", "+natural", "+float", "+atom", "+string", "+number", "?any", "?shape", "?size", "?"];

const DEFINED: &str = ":- chr_type shape ---> point ; 'odd one' ; circle(float) ; box(shape, shape).
:- chr_type size ---> 1 ; 2.5 ; large ; \"s\".\n";

/// Texts that formats, readers or programs have plans with.
const TEXTS: [&str; 26] = [
    "",
    "a",
    "abc",
    "a b",
    " a",
    "a ",
    "1",
    "-7",
    "2.5",
    "1e5",
    "99999999999999999999",
    "1e999",
    "true",
    "null",
    "[]",
    "a,b",
    "a\tb",
    "\"",
    "'q'",
    "\\",
    "l1\nl2",
    "\r",
    "\u{feff}b",
    "größe",
    "\u{202e}x",
    "nan",
];

const INTS: [i64; 8] = [0, 1, -1, 42, i64::MAX, i64::MIN, 1 << 53, -(1 << 60) - 1];
const FLOATS: [f64; 10] =
    [0.0, -0.0, 1.0, -2.5, 0.1, 1e300, -1e-300, f64::MAX, f64::MIN_POSITIVE, 9007199254740993.0];

fn quoted(text: &str, quote: char) -> String {
    let mut written = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if c == quote => written.extend(['\\', c]),
            c if c.is_alphanumeric() || c.is_ascii() => written.push(c),
            c => written.push_str(&format!("\\x{:x}\\", c as u32)),
        }
    }
    written.push(quote);
    written
}

/// A value of a type, as a goal has it.
fn value(random: &mut Random, ty: &str, depth: usize) -> String {
    let float = |random: &mut Random| match format!("{:?}", FLOATS[random.below(FLOATS.len())]) {
        text if text.contains('.') => text,
        // A point belongs to floats.
        text => text.replace('e', ".0e"),
    };
    match ty {
        "+int" => INTS[random.below(INTS.len())].to_string(),
        "+natural" => INTS[random.below(INTS.len())].saturating_abs().to_string(),
        "+float" => float(random),
        "+atom" => quoted(random.pick(&TEXTS), '\''),
        "+string" => quoted(random.pick(&TEXTS), '"'),
        "+number" if random.chance(50) => value(random, "+int", 0),
        "+number" => float(random),
        "?shape" => match random.below(if depth == 0 { 2 } else { 4 }) {
            0 => "point".into(),
            1 => "'odd one'".into(),
            2 => format!("circle({})", float(random)),
            _ => format!("box({}, {})", value(random, ty, depth - 1), value(random, ty, depth - 1)),
        },
        "?size" => random.pick(&["1", "2.5", "large", "\"s\""]).to_string(),
        _ => {
            let leaves = ["+int", "+float", "+atom", "+string"];
            if depth == 0 || random.chance(60) {
                let ty = random.pick(&leaves).to_string();
                return value(random, &ty, 0);
            }
            let count = random.below(3) + 1;
            let parts: Vec<String> = (0..count).map(|_| value(random, ty, depth - 1)).collect();
            let parts = parts.join(", ");
            match random.below(4) {
                0 => format!("[{parts}]"),
                1 => format!("[{parts}|{}]", value(random, "+atom", 0)),
                _ => format!("{}({parts})", quoted(random.pick(&["f", "odd name", "[]", "-", "é"]), '\'')),
            }
        }
    }
}

/// A program of constraints with columns of random types, and goals that fill them.
fn store(random: &mut Random) -> (String, Vec<(String, usize)>, String) {
    let (mut program, mut declared, mut goals) =
        (String::from(DEFINED), Vec::new(), vec!["true".to_string()]);
    for name in ["p", "q", "odd name"] {
        let types: Vec<&str> = (0..random.below(4)).map(|_| random.pick(&TYPES)).collect();
        let atom = quoted(name, '\'');
        let applied = |args: &[String]| match args {
            [] => atom.clone(),
            args => format!("{atom}({})", args.join(", ")),
        };
        let columns: Vec<String> = types.iter().map(|ty| ty.to_string()).collect();
        program.push_str(&format!(":- chr_constraint {}.\n", applied(&columns)));
        declared.push((name.to_string(), types.len()));
        // A column holds values of one type more often than not, so that formats without types keep some.
        let narrow: Vec<&str> = types
            .iter()
            .map(|&ty| match ty {
                "?any" | "?" if random.chance(70) => random.pick(&["+int", "+float", "+atom", "+string"]),
                ty => ty,
            })
            .collect();
        for _ in 0..random.below(5) {
            let args: Vec<String> = narrow.iter().map(|ty| value(random, ty, 3)).collect();
            goals.push(applied(&args));
        }
    }
    (program, declared, goals.join(", "))
}

/// The store of a program after its start, as text.
fn text(program: &gchr::Program) -> String {
    let executable = program.compile(&CompileOptions::default()).expect("a plan");
    executable.run(&mut Control::default()).expect("a result").to_string()
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Table(TableFormat),
    Database,
}

/// How it is packed then.
const PACKINGS: [&str; 3] = ["", ".gz", ".zst"];

fn pack(packing: &str, bytes: Vec<u8>) -> Vec<u8> {
    match packing {
        ".gz" => {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(&bytes).expect("memory");
            packed.finish().expect("memory")
        }
        ".zst" => zstd::encode_all(&bytes[..], 1).expect("memory"),
        _ => bytes,
    }
}

#[test]
fn what_is_written_reads_back_or_is_said_to_be_lost() {
    let formats = [
        Written::Table(TableFormat::Csv),
        Written::Table(TableFormat::Tsv),
        Written::Table(TableFormat::JsonLines),
        Written::Table(TableFormat::Parquet),
        Written::Table(TableFormat::Arrow),
        Written::Table(TableFormat::ArrowStream),
        Written::Database,
    ];
    let scratch = Scratch::new();
    let mut random = Random::new(23);
    let (mut kept, mut lost) = ([0; 7], [0; 7]);
    for round in 0..60 {
        let (program, declared, goals) = store(&mut random);
        let written = Input::constraints(&program).query(&goals).parse();
        let written = written.unwrap_or_else(|found| panic!("{found}\n{program}\n{goals}"));
        let executable = written.compile(&CompileOptions::default()).expect("a plan");
        let outcome = executable.run(&mut Control::default()).expect("a result");
        for (number, format) in formats.into_iter().enumerate() {
            for (name, arity) in &declared {
                let selection = Selection::of_symbols(vec![(name.clone(), Some(*arity))]);
                let table = match format {
                    Written::Table(table) => Some(table),
                    Written::Database => None,
                };
                let (ending, packing) = match table {
                    None => ("db", ""),
                    Some(table @ (TableFormat::Csv | TableFormat::Tsv | TableFormat::JsonLines)) => {
                        (table.ending(), PACKINGS[round % 3])
                    }
                    Some(table) => (table.ending(), ""),
                };
                let path = scratch.path(&format!("t{round}.{ending}{packing}"));
                match table {
                    Some(table) => {
                        let mut bytes = Vec::new();
                        outcome.write_table(name, *arity, table, &mut bytes).expect("a table");
                        std::fs::write(&path, pack(packing, bytes)).expect("a file");
                    }
                    None => {
                        let _ = std::fs::remove_file(&path);
                        outcome.write_database(&selection, &path, &mut |_| Ok(())).expect("a database");
                    }
                }
                let mut alone = Vec::new();
                outcome.write_selected(&selection, gchr::Format::Text, &mut alone).expect("text");
                let alone = String::from_utf8(alone).expect("text");
                let facts = FactFile {
                    constraint: format!("{name}/{arity}"),
                    path,
                    header: if table.is_some_and(|t| t.ending().ends_with("sv")) {
                        Header::No
                    } else {
                        Header::Auto
                    },
                    format: None::<FactFormat>,
                };
                let read = Input::constraints(&program).query("true").fact_file(facts).parse();
                let read = read.map(|program| text(&program)).unwrap_or_else(|found| found.to_string());
                let losses = outcome.losses(&selection, table);
                let context =
                    format!("{ending}: {losses:?}\n{program}\n{goals}\nwritten\n{alone}\nread\n{read}");
                // A loss is said exactly where there is one.
                assert_eq!(read == alone, losses.is_empty(), "{context}");
                *(if losses.is_empty() { &mut kept } else { &mut lost })
                    .get_mut(number)
                    .expect("a format") += 1;
            }
        }
    }
    assert!(kept.iter().all(|&n| n > 60), "{kept:?}");
    assert_eq!(lost[2], 0, "JSON lines keep every value");
    assert!(lost.iter().enumerate().all(|(at, &n)| at == 2 || n > 10), "{lost:?}");
}

/// Terms of any depth are read without a stack.
#[test]
fn deep_values_read_back() {
    let scratch = Scratch::new();
    let depth = 200_000;
    let line = format!("[{}0{}]\n", "{\"args\": [".repeat(depth), "], \"functor\": \"s\"}".repeat(depth));
    scratch.file("n.jsonl", &line);
    let lists = format!("[{}{}]\n", "[".repeat(depth), "]".repeat(depth));
    scratch.file("l.jsonl", &lists);
    let program = ":- chr_constraint n(?any), l(?any).\nn(s(X)) <=> n(X).\nl([X]) <=> l(X).\n";
    let input = Input::constraints(program).query("true").facts("n", scratch.path("n.jsonl"));
    let read = input.facts("l", scratch.path("l.jsonl")).parse().expect("facts");
    assert_eq!(text(&read), "n(0)\nl([])\n");
}
