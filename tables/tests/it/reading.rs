//! What is written by the libraries is read, and what is no constant is refused with its place.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, LargeStringArray, NullArray,
    StringArray, StringViewArray, UInt64Array,
};
use gchr_base::reading::Account;
use gchr_tables::{CellFault, Column, Error, Format, Kind, Source};
use proptest::prelude::*;
use rusqlite::Connection;

use crate::files::{FORMATS, batch, narrow, rows, simple, write};

fn read(name: &str, format: Format, batches: &[arrow_array::RecordBatch]) -> Result<Vec<Vec<String>>, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    write(&path, format, batches, 0);
    rows(&path, format, &Account::default())
}

/// Place and fault of the first value that cannot be taken.
fn fault(result: Result<Vec<Vec<String>>, Error>) -> (u64, usize, CellFault) {
    match result {
        Err(Error::Cell { row, column, fault }) => (row, column, fault),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn columns_are_read_as_they_were_written(
        parts in prop::collection::vec(prop::collection::vec((any::<i64>(), any::<i8>(), prop::num::f64::NORMAL, any::<bool>(), "\\PC{0,5}"), 0..40), 1..4),
        packing in 0usize..15,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut common, mut own) = (Vec::new(), Vec::new());
        let (mut wanted, mut wanted_own) = (Vec::new(), Vec::new());
        for part in &parts {
            let texts: Vec<String> = part.iter().map(|row| row.4.clone()).collect();
            let ints: Vec<i64> = part.iter().map(|row| row.0).collect();
            let small: Vec<i8> = part.iter().map(|row| row.1).collect();
            let floats: Vec<f64> = part.iter().map(|row| row.2).collect();
            let truths: Vec<bool> = part.iter().map(|row| row.3).collect();
            common.push(simple(&ints, &floats, &texts));
            own.push(narrow(&small, &truths, &texts));
            wanted.extend(part.iter().map(|row| vec![format!("{:?}", row.0), format!("{:?}", row.2), format!("{:?}", row.4)]));
            wanted_own.extend(part.iter().map(|row| vec![
                format!("{:?}", row.1), format!("{}", row.1.unsigned_abs()), format!("{:?}", f64::from(row.1) / 2.0),
                format!("{:?}", row.3), format!("{:?}", row.4),
            ]));
        }
        for (format, name) in FORMATS {
            let path = folder.path().join(name);
            write(&path, format, &common, packing);
            prop_assert_eq!(&rows(&path, format, &Account::default()).expect("rows"), &wanted);
            // A file has one dictionary for each column, and databases have fewer types.
            let own = match format {
                Format::Sqlite => continue,
                Format::Arrow => vec![own[0].clone()],
                _ => own.clone(),
            };
            let rows_of_own: usize = own.iter().map(arrow_array::RecordBatch::num_rows).sum();
            write(&path, format, &own, packing);
            prop_assert_eq!(&rows(&path, format, &Account::default()).expect("rows")[..], &wanted_own[..rows_of_own]);
        }
    }
}

#[test]
fn columns_have_names_and_kinds() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = ["a".to_string()];
    for (format, name) in FORMATS {
        let path = folder.path().join(name);
        write(&path, format, &[simple(&[1], &[1.0], &texts)], 0);
        let found = Source::open(&path, format, "t").expect("open").columns();
        let kinds =
            if format == Format::Sqlite { [Kind::Mixed; 3] } else { [Kind::Int, Kind::Float, Kind::Text] };
        let wanted = ["n", "x", "s"].iter().zip(kinds);
        assert_eq!(
            found,
            wanted.map(|(name, kind)| Column { name: (*name).into(), kind }).collect::<Vec<_>>()
        );
    }
}

/// More rows than a batch has, so that numbers of rows go on from batch to batch and from row group to row group.
#[test]
fn a_missing_value_far_below_is_found() {
    let count = 100_000;
    let ints = |missing: Option<usize>| -> ArrayRef {
        Arc::new(Int64Array::from_iter((0..count).map(|i| (Some(i) != missing).then_some(i as i64))))
    };
    let one = |missing| batch(&[("a", ints(None)), ("b", ints(missing))]);
    for (format, name) in FORMATS {
        let found = read(name, format, &[one(None), one(Some(77_777))]);
        assert_eq!(fault(found), (177_777, 1, CellFault::Null), "{format:?}");
        assert_eq!(read(name, format, &[one(None), one(None)]).expect("rows").len(), 2 * count, "{format:?}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let unsigned: ArrayRef = Arc::new(UInt64Array::from(vec![1, u64::MAX]));
    let not_finite: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, f64::INFINITY]));
    for (format, name) in FORMATS {
        let found = read(name, format, &[batch(&[("x", Arc::clone(&not_finite))])]);
        assert_eq!(fault(found), (2, 0, CellFault::Range("inf".into())), "{format:?}");
        if format != Format::Sqlite {
            let found = read(name, format, &[batch(&[("u", Arc::clone(&unsigned))])]);
            assert_eq!(fault(found), (1, 0, CellFault::Range(u64::MAX.to_string())), "{format:?}");
        }
    }
}

#[test]
fn all_forms_of_texts_are_read() {
    let mut dictionary = StringDictionaryBuilder::<Int8Type>::new();
    ["b", "a", "b"].iter().for_each(|text| dictionary.append_value(text));
    let texts = ["b", "a", "b"];
    let forms: [ArrayRef; 4] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(dictionary.finish()),
    ];
    for form in forms {
        for (format, name) in &FORMATS[..3] {
            let found = read(name, *format, &[batch(&[("s", Arc::clone(&form))])]).expect("rows");
            assert_eq!(found, [["\"b\""], ["\"a\""], ["\"b\""]], "{format:?} {}", form.data_type());
        }
    }
    // A null may stand among the names, or in the place of a name.
    let names = StringArray::from(vec![Some("a"), None]);
    let array = DictionaryArray::<Int32Type>::new(Int32Array::from(vec![0, 1]), Arc::new(names));
    let found = read("t.arrow", Format::Arrow, &[batch(&[("s", Arc::new(array))])]);
    assert_eq!(fault(found), (1, 0, CellFault::Null));
}

#[test]
fn types_without_constants_are_refused() {
    let mut lists = ListBuilder::new(arrow_array::builder::Int32Builder::new());
    lists.append_value([Some(1)]);
    let arrays: [ArrayRef; 2] = [Arc::new(lists.finish()), Arc::new(NullArray::new(1))];
    for array in arrays {
        let known: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        for (format, name) in &FORMATS[..3] {
            let found =
                read(name, *format, &[batch(&[("known", Arc::clone(&known)), ("odd", Arc::clone(&array))])]);
            let Err(Error::Type { column, name, .. }) = found else { panic!("{format:?}: {found:?}") };
            assert_eq!((column, name.as_str()), (1, "odd"));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.db");
    let database = Connection::open(&path).expect("a database");
    database.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1), (x'00')").expect("rows");
    assert!(matches!(fault(rows(&path, Format::Sqlite, &Account::default())), (1, 0, CellFault::Type(_))));
    database.execute_batch("DELETE FROM t; INSERT INTO t VALUES (CAST(x'ff' AS TEXT))").expect("rows");
    assert_eq!(fault(rows(&path, Format::Sqlite, &Account::default())), (0, 0, CellFault::Encoding));
}

#[test]
fn a_database_may_lack_the_table_or_be_locked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.db");
    let database = Connection::open(&path).expect("a database");
    database
        .execute_batch("CREATE TABLE \"odd \"\"name\" (a); INSERT INTO \"odd \"\"name\" VALUES (7); CREATE VIEW v AS SELECT 1 AS one")
        .expect("a table");
    let open = |table: &str| Source::open(&path, Format::Sqlite, table);
    let Err(Error::NoTable { wanted, known }) = open("t") else { panic!("there is no t") };
    assert_eq!((wanted.as_str(), known), ("t", vec!["odd \"name".to_string(), "v".into()]));
    assert_eq!(open("odd \"name").map(|source| source.columns().len()).ok(), Some(1));
    assert_eq!(open("v").map(|source| source.columns()[0].name.clone()).ok().as_deref(), Some("one"));
    database.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let Err(Error::Io(error)) = open("v") else { panic!("it is locked") };
    assert!(error.to_string().contains("locked"), "{error}");
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
}

#[test]
fn what_is_no_table_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (format, name) in FORMATS {
        let path = folder.path().join(name);
        let open = || Source::open(&path, format, "t").expect_err("no table");
        assert!(matches!(open(), Error::Io(error) if error.kind() == std::io::ErrorKind::NotFound));
        std::fs::write(&path, "").expect("a file");
        assert!(matches!(open(), Error::Damaged(_)), "{format:?}");
        std::fs::write(&path, "n,x,s\n1,2,a\n".repeat(500)).expect("a file");
        assert!(matches!(open(), Error::Damaged(_)), "{format:?}");
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("a folder");
        assert!(matches!(open(), Error::Io(error) if error.to_string().contains("folder")), "{format:?}");
    }
}

#[test]
fn batches_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts: Vec<String> = (0..5000).map(|i| format!("text {i}")).collect();
    let (ints, floats): (Vec<i64>, Vec<f64>) = (0..5000).map(|i| (i, i as f64)).unzip();
    for (format, name) in FORMATS {
        let path = folder.path().join(name);
        write(&path, format, &[simple(&ints, &floats, &texts)], 0);
        let small = Account::new(Some(1 << 10));
        assert!(matches!(rows(&path, format, &small), Err(Error::Memory(_))), "{format:?}");
        // What was counted is given back.
        assert_eq!(small.left(), 1 << 10, "{format:?}");
        let large = Account::new(Some(1 << 24));
        assert_eq!(rows(&path, format, &large).expect("rows").len(), 5000, "{format:?}");
        assert_eq!(large.left(), 1 << 24, "{format:?}");
    }
}
