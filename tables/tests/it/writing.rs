//! What is written is read back.

use std::io;
use std::ops::Range;
use std::path::Path;

use gchr_base::reading::Account;
use gchr_tables::{
    Column, Format, Kind, NewDatabase, Table, Texts, Values, write_arrow, write_arrow_stream, write_parquet,
};
use proptest::prelude::*;
use rayon::prelude::*;

use crate::files::{FORMATS, rows};

/// Writes a table; of a database as the table `t`.
fn write(path: &Path, format: Format, table: &Table<'_>) -> io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    match format {
        Format::Parquet => write_parquet(table, &mut file),
        Format::Arrow => write_arrow(table, &mut file),
        Format::ArrowStream => write_arrow_stream(table, &mut file),
        Format::Sqlite => {
            let mut database = NewDatabase::create(path)?;
            database.add("t", table, &mut |_| Ok(()))?;
            database.finish()
        }
    }
}

fn columns(kinds: &[Kind]) -> Vec<Column> {
    let named = |(at, &kind): (usize, &Kind)| Column { name: format!("a \"{at}\""), kind };
    kinds.iter().enumerate().map(named).collect()
}

fn texts<'a>(names: impl IntoIterator<Item = &'a str>, keys: Vec<i32>) -> io::Result<Values> {
    Texts::of_dictionary(names, keys).map(Values::Text).map_err(io::Error::other)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn tables_are_read_as_they_were_written(
        all in prop::collection::vec((any::<i64>(), prop::num::f64::NORMAL, any::<bool>(), 0i32..3), 0..60),
        names in prop::collection::vec("\\PC{0,5}", 3),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let batch = |range: Range<usize>| {
            let part = &all[range];
            Ok(vec![
                Values::Int(part.iter().map(|row| row.0).collect()),
                Values::Float(part.iter().map(|row| row.1).collect()),
                Values::Bool(part.iter().map(|row| row.2).collect()),
                texts(names.iter().map(String::as_str), part.iter().map(|row| row.3).collect())?,
            ])
        };
        let kinds = [Kind::Int, Kind::Float, Kind::Bool, Kind::Text];
        let table = Table { columns: columns(&kinds), rows: all.len(), batch: &batch };
        for (format, name) in FORMATS {
            let path = folder.path().join(name);
            write(&path, format, &table).expect("written");
            let truth = |b: bool| if format == Format::Sqlite { i64::from(b).to_string() } else { b.to_string() };
            let wanted: Vec<Vec<String>> = all.iter().map(|row| vec![
                row.0.to_string(), format!("{:?}", row.1), truth(row.2), format!("{:?}", names[row.3 as usize]),
            ]).collect();
            prop_assert_eq!(rows(&path, format, &Account::default()).expect("rows"), wanted);
        }
    }
}

/// More than one row group for each of several threads.
#[test]
fn rows_keep_their_order() {
    let count = 1_700_001;
    let batch = |range: Range<usize>| {
        let keys = range.clone().map(|row| (row % 2) as i32).collect();
        Ok(vec![Values::Int(range.map(|row| row as i64 * 3).collect()), texts(["even", "odd"], keys)?])
    };
    let table = Table { columns: columns(&[Kind::Int, Kind::Text]), rows: count, batch: &batch };
    let folder = tempfile::tempdir().expect("a folder");
    for (format, name) in &FORMATS[..3] {
        let path = folder.path().join(name);
        write(&path, *format, &table).expect("written");
        let source = gchr_tables::Source::open(&path, *format, "t").expect("a table");
        assert_eq!(source.parts() > 1, *format == Format::Parquet);
        let mut at = 0;
        for part in 0..source.parts() {
            let read = source.read::<gchr_tables::Error>(part, &Account::default(), |batch| {
                let Values::Int(values) = &batch.columns[0] else { panic!("{:?}", batch.columns[0]) };
                assert!(values.iter().zip(at..).all(|(&n, row)| n == row * 3), "{format:?}");
                at += values.len() as i64;
                Ok(())
            });
            read.expect("rows");
        }
        assert_eq!(at, count as i64, "{format:?}");
    }
}

/// A writer that has no room.
struct Full;

impl io::Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::StorageFull, "no room"))
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_goes_wrong_is_said_as_it_is() {
    let good = |range: Range<usize>| Ok(vec![Values::Int(range.map(|row| row as i64).collect())]);
    let bad = |_: Range<usize>| Err(io::Error::new(io::ErrorKind::OutOfMemory, "no memory"));
    let other = |range: Range<usize>| Ok(vec![Values::Float(range.map(|row| row as f64).collect())]);
    let table = |batch| Table { columns: columns(&[Kind::Int]), rows: 10, batch };
    type Write = fn(&Table<'_>, &mut Full) -> io::Result<()>;
    let writers: [Write; 3] = [write_parquet, write_arrow, write_arrow_stream];
    for write in writers {
        let error = write(&table(&good), &mut Full).expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (format, name) in FORMATS {
        let path = folder.path().join(name);
        let error = write(&path, format, &table(&bad)).expect_err("no memory");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory, "{format:?}: {error}");
        if format != Format::Sqlite {
            assert!(write(&path, format, &table(&other)).is_err(), "{format:?}");
        }
    }
    let path = folder.path().join("limit.db");
    let mut database = NewDatabase::create(&path).expect("a database");
    let refused = database.add("t", &table(&good), &mut |bytes| {
        assert!(bytes >= 4096, "{bytes}");
        Err(io::ErrorKind::TimedOut.into())
    });
    assert_eq!(refused.expect_err("stopped").kind(), io::ErrorKind::TimedOut);
}

/// A measurement, not a check: `cargo test --release -p gchr-tables --test it -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn ten_million_rows() {
    let rows = 10_000_000;
    let batch = |range: Range<usize>| {
        let from = range.clone().map(|row| (row / 1000) as i64).collect();
        Ok(vec![Values::Int(from), Values::Int(range.map(|row| (row * 7919 % 100_003) as i64).collect())])
    };
    let table = Table { columns: columns(&[Kind::Int, Kind::Int]), rows, batch: &batch };
    let folder = tempfile::tempdir().expect("a folder");
    for (format, name) in &FORMATS[..3] {
        let path = folder.path().join(name);
        let start = std::time::Instant::now();
        write(&path, *format, &table).expect("written");
        let written = start.elapsed();
        let source = gchr_tables::Source::open(&path, *format, "t").expect("a table");
        let start = std::time::Instant::now();
        let account = Account::default();
        let read: usize = (0..source.parts())
            .into_par_iter()
            .map(|part| {
                let mut count = 0;
                let read = source.read::<gchr_tables::Error>(part, &account, |batch| {
                    count += batch.rows;
                    Ok(())
                });
                read.expect("rows");
                count
            })
            .sum();
        assert_eq!(read, rows);
        let threads = rayon::current_num_threads();
        println!("{format:?}, {threads} threads: written in {written:?}, read in {:?}", start.elapsed());
    }
}
