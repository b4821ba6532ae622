//! Facts from tables of typed columns, and from packed texts.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int16Array, Int64Array, RecordBatch, StringArray};
use gchr_base::diagnostic::render_all;
use gchr_base::facts::FactColumn;
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_chr::{FactFile, FactFormat, Header, Loaded, Request, load_within, split_table};
use parquet::arrow::ArrowWriter;

/// A program with a constraint `c` of these columns.
fn declared(columns: &str) -> String {
    let wild = vec!["_"; columns.matches(',').count() + 1].join(", ");
    format!(":- chr_type color ---> red ; green.\n:- chr_constraint c({columns}).\nc({wild}) <=> true.")
}

fn load(program: &str, path: &Path, header: Header, account: &Account) -> (Loaded, SourceMap) {
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", program);
    let facts = vec![FactFile { constraint: "c".into(), path: path.into(), header, format: None }];
    let loaded = load_within(&mut sources, &Request { program, queries: Vec::new(), facts }, account);
    (loaded, sources)
}

/// The columns of a file without errors.
fn columns(program: &str, path: &Path) -> Vec<String> {
    let (loaded, sources) = load(program, path, Header::Auto, &Account::default());
    assert_eq!(loaded.diagnostics, [], "{}", render_all(&loaded.diagnostics, &sources, false));
    let texts = &loaded.program.as_ref().expect("a program").signature.texts;
    let names = |ids: &[_]| ids.iter().map(|&t| texts.get(t).to_string()).collect::<Vec<_>>();
    let shown = |column: &FactColumn| match column {
        FactColumn::Int(v) => format!("int {v:?}"),
        FactColumn::Float(v) => format!("float {v:?}"),
        FactColumn::Atom(v) => format!("atom {:?}", names(v)),
        FactColumn::Str(v) => format!("string {:?}", names(v)),
        FactColumn::Any(v) => format!("any {:?}", v.nodes()),
    };
    loaded.facts[0].columns.iter().map(shown).collect()
}

/// What is said of a file with errors, without its folder.
fn said(program: &str, path: &Path) -> String {
    let (loaded, sources) = load(program, path, Header::Auto, &Account::default());
    assert!(loaded.program.is_none() && loaded.facts.is_empty());
    let folder = path.parent().expect("a folder").display();
    render_all(&loaded.diagnostics, &sources, false).replace(&format!("{folder}/"), "")
}

/// The first code of a file with errors.
fn code(program: &str, path: &Path) -> &'static str {
    let (loaded, sources) = load(program, path, Header::Auto, &Account::default());
    render_all(&loaded.diagnostics, &sources, false);
    assert!(loaded.program.is_none());
    loaded.diagnostics[0].code
}

fn parquet(folder: &tempfile::TempDir, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
    let path = folder.path().join("c.parquet");
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns");
    let file = std::fs::File::create(&path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    // Two row groups, which are read side by side.
    for rows in [
        batch.slice(0, batch.num_rows() / 2),
        batch.slice(batch.num_rows() / 2, batch.num_rows().div_ceil(2)),
    ] {
        writer.write(&rows).expect("written");
        writer.flush().expect("a row group");
    }
    writer.close().expect("closed");
    path
}

fn ints(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn database(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("c.db");
    let _ = std::fs::remove_file(&path);
    rusqlite::Connection::open(&path).expect("a database").execute_batch(text).expect("tables");
    path
}

#[test]
fn columns_of_parquet_keep_their_types() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = parquet(
        &folder,
        vec![
            ("n", ints(&[1, -2, 3])),
            ("small", Arc::new(Int16Array::from(vec![4, 5, 6]))),
            ("x", Arc::new(Float64Array::from(vec![0.5, 1.0, 2.0]))),
            ("s", texts(&["7", "b", "7"])),
            ("t", texts(&["red", "green", "red"])),
            ("b", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ],
    );
    let all = ["int [1, -2, 3]", "float [4.0, 5.0, 6.0]", "float [0.5, 1.0, 2.0]"];
    let named = [
        "string [\"7\", \"b\", \"7\"]",
        "atom [\"red\", \"green\", \"red\"]",
        "atom [\"true\", \"false\", \"true\"]",
    ];
    assert_eq!(
        columns(&declared("?int, ?float, ?number, ?string, ?color, ?atom"), &path),
        [all, named].concat()
    );
    let inferred = ["int [1, -2, 3]", "int [4, 5, 6]", "float [0.5, 1.0, 2.0]", "atom [\"7\", \"b\", \"7\"]"];
    let inferred = [&inferred[..], &named[1..]].concat();
    assert_eq!(columns(&declared("?, ?natural, ?, ?, ?any, ?"), &path), inferred);
    let (loaded, _) = load(&declared("?, ?, ?, ?, ?, ?"), &path, Header::Yes, &Account::default());
    assert!(loaded.notices[0].starts_with("--header has no effect"), "{:?}", loaded.notices);
}

#[test]
fn values_that_do_not_fit_are_shown_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = String::new();
    let mut add = |columns: &str, path: &Path| all.push_str(&said(&declared(columns), path));
    let path =
        parquet(&folder, vec![("from", ints(&[1, 2, 3, -4])), ("to", texts(&["red", "red", "red", "blue"]))]);
    add("?natural, ?atom", &path);
    add("?int, ?color", &path);
    add("?int, ?int", &path);
    add("?atom, ?atom", &path);
    add("?int", &path);
    let path = parquet(&folder, vec![("n", Arc::new(Int64Array::from(vec![Some(1), Some(2), None])))]);
    add("?", &path);
    let path = database(&folder, "CREATE TABLE c (a, b); INSERT INTO c VALUES (1, 2), (2, 'x')");
    add("?int, ?int", &path);
    add("?, ?", &path);
    add("?int, ?string", &path);
    let path = database(&folder, "CREATE TABLE roads (a); CREATE TABLE rails (a)");
    add("?int", &path);
    let path = folder.path().join("cut.arrows");
    std::fs::write(&path, [0xff, 0xff, 0xff, 0xff, 9, 0, 0, 0]).expect("a file");
    add("?int", &path);
    insta::assert_snapshot!(all);
}

#[test]
fn values_of_databases_have_types_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = database(
        &folder,
        "CREATE TABLE c (a INTEGER, b, d TEXT); INSERT INTO c VALUES (1, 2, 'red'), (3, 2.5, 'green');
         CREATE TABLE other (x); INSERT INTO other VALUES (7);",
    );
    let wanted = ["int [1, 3]", "float [2.0, 2.5]", "atom [\"red\", \"green\"]"];
    assert_eq!(columns(&declared("?int, ?float, ?color"), &path), wanted);
    assert_eq!(columns(&declared("?, ?, ?"), &path), wanted);
    assert_eq!(columns(&declared("?natural, ?number, ?atom"), &path), wanted);
    let named = PathBuf::from(format!("{}:other", path.display()));
    assert_eq!(columns(&declared("?int"), &named), ["int [7]"]);
    assert_eq!(code(&declared("?int"), &PathBuf::from(format!("{}:none", path.display()))), "C0616");
    // A table without rows says nothing of its types.
    let path = database(&folder, "CREATE TABLE c (a, b)");
    assert_eq!(columns(&declared("?, ?string"), &path), ["int []", "string []"]);
}

#[test]
fn a_table_is_split_off_databases_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let odd = folder.path().join("odd.db:t");
    assert_eq!(split_table(&odd, None), (&*folder.path().join("odd.db"), Some("t")));
    std::fs::write(&odd, "").expect("a file");
    assert_eq!(split_table(&odd, None), (&*odd, None));
    let path = Path::new;
    assert_eq!(split_table(path("a.csv:t"), None), (path("a.csv:t"), None));
    assert_eq!(split_table(path("a.SQLite:t"), None), (path("a.SQLite"), Some("t")));
    assert_eq!(split_table(path("a:t"), Some(FactFormat::Sqlite)), (path("a"), Some("t")));
    assert_eq!(split_table(path("a.db:"), None), (path("a.db:"), None));
}

#[test]
fn files_that_cannot_be_read_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = declared("?int");
    for name in ["c.parquet", "c.arrow", "c.feather", "c.ipc", "c.arrows", "c.db", "c.sqlite", "c.sqlite3"] {
        let path = folder.path().join(name);
        assert_eq!(code(&program, &path), "C0601", "{name}");
        std::fs::write(&path, "").expect("a file");
        assert_eq!(code(&program, &path), "C0615", "{name}");
        std::fs::write(&path, "1\n2\n3\n".repeat(99)).expect("a file");
        assert_eq!(code(&program, &path), "C0615", "{name}");
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("a folder");
        assert_eq!(code(&program, &path), "C0601", "{name}");
        assert_eq!(code(&program, &folder.path().join(format!("{name}.zst"))), "C0602", "{name}");
    }
}

#[test]
fn texts_packed_by_zstd_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.csv.zst");
    // Two parts after each other are one text.
    let packed = ["1\n2\n", "3\n"].map(|text| zstd::encode_all(text.as_bytes(), 3).expect("packed")).concat();
    std::fs::write(&path, &packed).expect("a file");
    assert_eq!(columns(&declared("?int"), &path), ["int [1, 2, 3]"]);
    for broken in [&packed[..packed.len() - 1], b"1\n2\n"] {
        std::fs::write(&path, broken).expect("a file");
        assert_eq!(code(&declared("?int"), &path), "C0601", "{broken:?}");
    }
    let zeros = zstd::encode_all(std::io::repeat(b'0').take(1 << 24), 3).expect("packed");
    std::fs::write(&path, zeros).expect("a file");
    let (loaded, _) = load(&declared("?int"), &path, Header::Auto, &Account::new(Some(1 << 20)));
    assert_eq!(loaded.diagnostics[0].code, "R0202");
}

#[test]
fn tables_are_read_within_a_limit_of_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..50_000).map(|i| format!("name {i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let path = parquet(&folder, vec![("n", ints(&(0..50_000).collect::<Vec<_>>())), ("s", texts(&names))]);
    let read = |memory: u64| {
        let account = Account::new(Some(memory));
        let (loaded, _) = load(&declared("?int, ?atom"), &path, Header::Auto, &account);
        loaded.diagnostics.first().map(|found| found.code)
    };
    assert_eq!(read(1 << 26), None);
    assert_eq!(read(1 << 22), Some("R0202"));
    assert_eq!(read(1 << 10), Some("R0202"));
}
