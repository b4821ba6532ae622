//! Damaged files: whatever is wrong with their bytes, there is an answer.

use std::panic;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use gchr_base::reading::Account;
use gchr_tables::{Error, Format};

use crate::files::{FORMATS, narrow, rows, simple, write};

/// What is read of a file with these bytes.
fn outcome(path: &Path, format: Format, bytes: &[u8]) -> Result<Vec<Vec<String>>, Error> {
    std::fs::write(path, bytes).expect("a file");
    rows(path, format, &Account::new(Some(1 << 28)))
}

fn files(folder: &Path, format: Format, name: &str, packing: usize) -> Vec<Vec<u8>> {
    let texts: Vec<String> = (0..60).map(|i| format!("text {}", i % 7)).collect();
    let ints: Vec<i64> = (0..60).map(|i| i * i).collect();
    let floats: Vec<f64> = (0..60).map(f64::from).collect();
    let truths: Vec<bool> = (0..60).map(|i| i % 3 == 0).collect();
    let small: Vec<i8> = (0..60).collect();
    let path = folder.join(name);
    let mut all = vec![simple(&ints, &floats, &texts)];
    if format != Format::Sqlite {
        all.push(narrow(&small, &truths, &texts));
    }
    let bytes = |batch: &arrow_array::RecordBatch| {
        write(&path, format, &[batch.slice(0, 30), batch.slice(30, 30)], packing);
        std::fs::read(&path).expect("the file")
    };
    all.iter().map(bytes).collect()
}

#[test]
fn no_cut_file_is_half_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for (format, name) in FORMATS {
        for packing in 0..2 {
            for whole in files(folder.path(), format, name, packing) {
                let path = folder.path().join(name);
                let wanted = outcome(&path, format, &whole).expect("rows");
                assert_eq!(wanted.len(), 60);
                for length in (0..whole.len()).filter(|l| l % 13 == 0 || whole.len() - l < 40) {
                    let found = outcome(&path, format, &whole[..length]);
                    assert!(found.is_err(), "{format:?}: {length} of {} bytes: {found:?}", whole.len());
                }
            }
        }
    }
}

#[test]
fn no_changed_byte_makes_a_panic() {
    // Panics that leave the reader.
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let folder = tempfile::tempdir().expect("a folder");
    let mut refused = [0usize; 4];
    for (which, (format, name)) in FORMATS.into_iter().enumerate() {
        for packing in 0..3 {
            for whole in files(folder.path(), format, name, packing) {
                let path = folder.path().join(name);
                let step = if format == Format::Sqlite { 11 } else { 3 };
                for (turn, at) in (packing..whole.len()).step_by(step).enumerate() {
                    let mut bytes = whole.clone();
                    bytes[at] ^= [0xff, 0x80, 0x01][turn % 3];
                    match panic::catch_unwind(|| outcome(&path, format, &bytes)) {
                        Ok(found) => refused[which] += usize::from(found.is_err()),
                        Err(_) => drop(SEEN.fetch_add(1, Ordering::Relaxed)),
                    }
                }
            }
        }
    }
    assert_eq!(SEEN.load(Ordering::Relaxed), 0);
    assert!(refused.iter().all(|&count| count > 20), "{refused:?}");
}
