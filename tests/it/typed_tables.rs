//! Tables of typed columns at the command line: Parquet, Arrow and SQLite as results and as facts.

use crate::support::Scratch;
use crate::tables::{run, run_with_input, scratch};

/// Columns of all types, and names that are alike.
const TYPED: &str = ":- chr_constraint all(+int, +float, +atom, +string, ?any), none, 'All'(+int), two(+int), two(+int, +int).
none \\ none <=> true.
?- all(-3, 0.5, 'a b', \"text\", f(x, [1])), all(4, 1.0e10, [], \"\", 7), none, 'All'(1), two(2), two(3, 4).
";

#[test]
fn tables_of_typed_columns_read_back() {
    let scratch = scratch();
    let all = run(&scratch, &[]).stdout;
    for format in ["parquet", "arrow", "arrows"] {
        let written = run(&scratch, &["--out-dir", format, "--format", format]);
        assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{}", written.stderr);
        let facts = ["edge", "path", "note", "empty"].map(|c| format!("{c}={format}/{c}.{format}"));
        let mut args = vec!["run", "paths.chr", "--query", "true"];
        facts.iter().for_each(|fact| args.extend(["--facts", fact]));
        let back = scratch.gchr(&args);
        assert_eq!((back.code, back.stdout.as_str()), (0, all.as_str()), "{format}: {}", back.stderr);
        let one = run(&scratch, &["--show", "path/2", "--out", "one", "--format", format]);
        assert_eq!(one.code, 0, "{}", one.stderr);
        let same = std::fs::read(scratch.path("one")).expect("a file");
        assert_eq!(same, std::fs::read(scratch.path(&format!("{format}/path.{format}"))).expect("a file"));
        // A run that stops leaves the file of the one before.
        let stopped =
            run(&scratch, &["--show", "path/2", "--out", "one", "--format", format, "--max-steps", "1"]);
        assert_eq!((stopped.code, std::fs::read(scratch.path("one")).expect("a file")), (1, same));
    }
    let written = run(&scratch, &["--out", "all.db", "--format", "sqlite"]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{}", written.stderr);
    let facts = ["edge", "path", "note", "empty"].map(|c| format!("{c}=all.db"));
    let mut args = vec!["run", "paths.chr", "--query", "true"];
    facts.iter().for_each(|fact| args.extend(["--facts", fact]));
    let back = scratch.gchr(&args);
    assert_eq!((back.code, back.stdout.as_str()), (0, all.as_str()), "{}", back.stderr);
    // In the place of the database before.
    let again = run(&scratch, &["--out", "all.db", "--format", "sqlite", "--show", "edge/2"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(tables_of(&scratch, "all.db"), ["edge(arg1 INTEGER, arg2 INTEGER)"]);
}

/// A file that is not what its name says is told by what it is, not by its bytes.
#[test]
fn files_of_another_format_are_named() {
    let scratch = scratch();
    for (format, what) in
        [("parquet", "a Parquet file"), ("arrow", "an Arrow IPC file"), ("arrows", "an Arrow IPC stream")]
    {
        let written = run(&scratch, &["--show", "edge/2", "--out", "one", "--format", format]);
        assert_eq!(written.code, 0, "{}", written.stderr);
        for name in ["one.csv", "one.tsv", "one.jsonl"] {
            std::fs::copy(scratch.path("one"), scratch.path(name)).expect("a copy");
            let read =
                scratch.gchr(&["run", "paths.chr", "--query", "true", "--facts", &format!("edge={name}")]);
            let expected =
                format!("[C0602] Error: {name} is {what}, and no text\n  Help: give --facts-format {format}");
            assert!(read.code == 2 && read.stderr.starts_with(&expected), "{}", read.stderr);
        }
    }
    let database = run(&scratch, &["--out", "all.csv", "--format", "sqlite"]);
    assert_eq!(database.code, 0, "{}", database.stderr);
    for (name, bytes, what) in [
        ("all.csv", None, "an SQLite database"),
        ("gz.csv", Some(&b"\x1f\x8b\x08\x00"[..]), "packed by gzip"),
        ("zst.jsonl", Some(b"\x28\xb5\x2f\xfd\x00"), "packed by zstd"),
    ] {
        bytes.into_iter().for_each(|bytes| std::fs::write(scratch.path(name), bytes).expect("a file"));
        let read = scratch.gchr(&["run", "paths.chr", "--query", "true", "--facts", &format!("edge={name}")]);
        assert!(read.stderr.contains(&format!("{name} is {what}, and no text")), "{}", read.stderr);
    }
}

/// The tables of a database with their columns.
fn tables_of(scratch: &Scratch, file: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(scratch.path(file)).expect("a database");
    let columns =
        "SELECT t.name || '(' || group_concat(c.name || ' ' || c.type, ', ') || ')' FROM sqlite_schema t,
        pragma_table_info(t.name) c GROUP BY t.name ORDER BY t.rowid";
    let mut statement = database.prepare(columns).expect("a query");
    let tables = statement.query_map([], |row| row.get(0)).expect("tables");
    tables.map(|table| table.expect("a table")).collect()
}

#[test]
fn types_of_columns_follow_from_the_program() {
    let scratch = scratch();
    scratch.file("typed.chr", TYPED);
    let written = scratch.gchr(&["run", "typed.chr", "--out", "typed.db", "--format", "sqlite"]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    let tables = [
        "all(arg1 INTEGER, arg2 REAL, arg3 TEXT, arg4 TEXT, arg5 TEXT)",
        "none(present INTEGER)",
        "All_(arg1 INTEGER)",
        "two.1(arg1 INTEGER)",
        "two.2(arg1 INTEGER, arg2 INTEGER)",
    ];
    assert_eq!(tables_of(&scratch, "typed.db"), tables);
    let texts = ":- chr_constraint all(+int, +float, +atom, +string, +atom).\nall(A, B, C, D, E) \\ all(A, B, C, D, E) <=> true.";
    scratch.file("texts.chr", texts);
    let back = scratch.gchr(&["run", "texts.chr", "--facts", "all=typed.db"]);
    let rows = "all(-3,0.5,'a b',\"text\",'f(x,[1])')\nall(4,10000000000.0,[],\"\",'7')\n";
    assert_eq!((back.code, back.stdout.as_str()), (0, rows), "{}", back.stderr);
}

#[test]
fn answers_of_the_logic_machine_are_numbered_tables_of_texts() {
    let scratch = scratch();
    scratch.file("l.chr", ":- chr_constraint c/2, d/0.\n?- c(X, 1), c(f(Y), a), d ; c(2, b).\n");
    for (format, file) in [("sqlite", "l.db"), ("parquet", "l.parquet")] {
        let args = ["run", "l.chr", "--all", "--show", "c/2", "--out", file, "--format", format];
        let written = scratch.gchr(&args);
        assert_eq!(written.code, 0, "{}", written.stderr);
        scratch
            .file("back.chr", ":- chr_constraint c(+int, ?atom, ?atom).\nc(N, X, Y) \\ c(N, X, Y) <=> true.");
        let back = scratch.gchr(&["run", "back.chr", "--facts", &format!("c={file}")]);
        assert_eq!((back.code, back.stdout.lines().count()), (0, 3), "{}", back.stderr);
        assert!(back.stdout.contains("c(2,'2',b)"), "{}", back.stdout);
    }
}

/// A folder has a database for each constraint.
#[test]
fn databases_of_one_constraint_read_back() {
    let scratch = scratch();
    let all = run(&scratch, &[]).stdout;
    let written = run(&scratch, &["--out-dir", "d", "--format", "sqlite"]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{}", written.stderr);
    let facts = ["edge", "path", "note", "empty"].map(|c| format!("{c}=d/{c}.db"));
    let mut args = vec!["run", "paths.chr", "--query", "true"];
    facts.iter().for_each(|fact| args.extend(["--facts", fact]));
    let back = scratch.gchr(&args);
    assert_eq!((back.code, back.stdout.as_str()), (0, all.as_str()), "{}", back.stderr);
    let database = rusqlite::Connection::open(scratch.path("d/path.db")).expect("a database");
    let tables = database.query_row("SELECT group_concat(name) FROM sqlite_master", [], |row| row.get(0));
    assert_eq!(tables, Ok("path".to_string()));
    // A run that stops leaves the files of the one before.
    let before = std::fs::read(scratch.path("d/path.db")).expect("a file");
    let stopped = run(&scratch, &["--out-dir", "d", "--format", "sqlite", "--max-output", "5000"]);
    assert_eq!((stopped.code, std::fs::read(scratch.path("d/path.db")).expect("a file")), (1, before));
}

/// Whatever constraints are called, a database has a table for each.
#[test]
fn tables_of_databases_have_names_that_sqlite_takes() {
    let scratch = scratch();
    let names = [
        "sqlite_x",
        "SQLite_Y",
        "_sqlite_x",
        "sqlite",
        "select",
        "a\"b",
        "a b",
        "größe",
        "n\\0\\l",
        "q",
        "Q",
        "",
    ];
    let tables = [
        "_sqlite_x",
        "_SQLite_Y",
        "_sqlite_x_",
        "sqlite",
        "select",
        "a\"b",
        "a b",
        "größe",
        "n_l",
        "q",
        "Q_",
        "",
    ];
    let declared: Vec<String> = names.iter().map(|name| format!("'{name}'(+int)")).collect();
    let goals: Vec<String> = (1..).zip(names).map(|(i, name)| format!("'{name}'({i})")).collect();
    let (declared, goals) = (declared.join(", "), goals.join(", "));
    scratch.file("names.chr", &format!(":- chr_constraint {declared}.\n?- {goals}.\n"));
    let row = |file: &str, table: &str| -> rusqlite::Result<i64> {
        let database = rusqlite::Connection::open(scratch.path(file))?;
        let quoted = table.replace('"', "\"\"");
        database.query_row(&format!("SELECT arg1 FROM \"{quoted}\""), [], |row| row.get(0))
    };
    let written = scratch.gchr(&["run", "names.chr", "--out", "names.db", "--format", "sqlite"]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    for (i, table) in (1..).zip(tables) {
        assert_eq!(row("names.db", table), Ok(i), "{table}");
    }
    let apart = scratch.gchr(&["run", "names.chr", "--out-dir", "d", "--format", "sqlite"]);
    assert_eq!(apart.code, 0, "{}", apart.stderr);
    assert_eq!(std::fs::read_dir(scratch.path("d")).expect("a folder").count(), names.len());
    assert_eq!(row("d/sqlite_x.db", "_sqlite_x"), Ok(1));
}

#[test]
fn tables_of_typed_columns_are_refused_where_they_do_not_fit() {
    let scratch = scratch();
    scratch.file("f.trs", "map F: Int -> Int;\nvar n: Int;\neqn F(n) = n;\ninput F(1);\n");
    let refused = |args: &[&str], said: &str| {
        let run = scratch.gchr(&[&["run"], args].concat());
        assert!(run.code == 2 && run.stderr.contains(said), "{args:?}: {} {}", run.code, run.stderr);
    };
    refused(&["paths.chr", "--format", "parquet"], "give --out FILE");
    refused(&["paths.chr", "--format", "arrow", "--out", "a.arrow"], "holds one constraint");
    refused(&["paths.chr", "--format", "json", "--out-dir", "d"], "or sqlite");
    refused(&["paths.chr", "--format", "sqlite", "--out", "/dev/null"], "U0107");
    refused(&["paths.chr", "--format", "sqlite", "--out", "a.db", "--sizes"], "--sizes");
    refused(&["paths.chr", "--format", "sqlite", "--out", "a.db", "--partial"], "--partial");
    refused(&["f.trs", "--format", "parquet", "--out", "a.parquet"], "U0109");
    assert!(!scratch.path("a.db").exists() && !scratch.path("a.arrow").exists());
    // Limits of the result hold for databases as well.
    let long = run(&scratch, &["--format", "sqlite", "--out", "a.db", "--max-output", "5000"]);
    assert!(long.code == 1 && !scratch.path("a.db").exists(), "{} {}", long.code, long.stderr);
    let left = std::fs::read_dir(scratch.folder()).expect("a folder");
    let names = left.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    assert!(names.into_iter().all(|name| !name.ends_with(".part")));
}

#[test]
fn facts_come_from_a_table_of_a_database() {
    let scratch = scratch();
    let path = scratch.path("roads.db");
    let database = rusqlite::Connection::open(&path).expect("a database");
    let tables = "CREATE TABLE edge (a, b); INSERT INTO edge VALUES (7, 8); CREATE TABLE t (a, b);
        INSERT INTO t VALUES (8, 9), (9, 'ten')";
    database.execute_batch(tables).expect("tables");
    let read = run(&scratch, &["--show", "edge/2", "--facts", "edge=roads.db"]);
    assert_eq!(
        (read.code, read.stdout.as_str()),
        (0, "edge(1,2)\nedge(2,3)\nedge(7,8)\n"),
        "{}",
        read.stderr
    );
    let wrong = run(&scratch, &["--facts", "edge=roads.db:t"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
    assert!(
        wrong.stderr.contains("[C0605]") && wrong.stderr.contains("row 2, column 2 (b)"),
        "{}",
        wrong.stderr
    );
    // No result takes the place of what is read, whatever table of it that is.
    database.execute_batch("DELETE FROM t WHERE a = 9").expect("a row less");
    let over = run(&scratch, &["--facts", "edge=roads.db:t", "--out", "roads.db"]);
    assert!(over.code == 2 && over.stderr.contains("[U0114]"), "{}", over.stderr);
    let missing = run(&scratch, &["--facts", "path=roads.db"]);
    assert!(missing.code == 2 && missing.stderr.contains("[C0616]"), "{}", missing.stderr);
    let piped = run_with_input(&scratch, &["--facts", "edge=-", "--facts-format", "parquet"], b"PAR1");
    assert!(piped.code == 2 && piped.stderr.contains("[C0602]"), "{}", piped.stderr);
}
