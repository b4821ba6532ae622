//! Tests of the kernel cache: damage, concurrency, limits, folders that cannot be written.

use std::fs::File;
use std::time::{Duration, SystemTime};

use super::*;
use crate::arch::Arch;
use crate::nvrtc::{NvrtcOptions, Version};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("temporary folder")
}

fn key(source: &str) -> CacheKey {
    CacheKey::new(source, "a.cu", Arch::Real(90), &NvrtcOptions::kernels(), Version { major: 13, minor: 0 })
}

fn entry(size: usize) -> Entry {
    Entry { log: "a warning".into(), code: (0..size).map(|i| (i * 7 + size) as u8).collect() }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("readable").map(|f| f.expect("entry").path()).collect();
    files.sort();
    files
}

#[test]
fn what_was_stored_is_found() {
    let folder = folder();
    let cache = Cache::at(folder.path().join("deep/er"), DEFAULT_LIMIT);
    assert_eq!(cache.get(&key("x")), None);
    for size in [0, 1, 5000] {
        let k = key(&size.to_string());
        cache.put(&k, &entry(size));
        assert_eq!(cache.get(&k), Some(entry(size)));
    }
    assert_eq!(cache.get(&key("x")), None);
}

#[test]
fn everything_that_decides_the_code_is_in_the_key() {
    let version = |minor| Version { major: 13, minor };
    let none = NvrtcOptions::none();
    let base = CacheKey::new("s", "n", Arch::Real(90), &none, version(0));
    let others = [
        CacheKey::new("t", "n", Arch::Real(90), &none, version(0)),
        CacheKey::new("s", "m", Arch::Real(90), &none, version(0)),
        CacheKey::new("sn", "", Arch::Real(90), &none, version(0)),
        CacheKey::new("s", "n", Arch::Real(80), &none, version(0)),
        CacheKey::new("s", "n", Arch::Virtual(90), &none, version(0)),
        CacheKey::new("s", "n", Arch::Real(90), &none.clone().with("-lineinfo"), version(0)),
        CacheKey::new("s", "n", Arch::Real(90), &none.clone().with("-line").with("info"), version(0)),
        CacheKey::new("s", "n", Arch::Real(90), &none.clone().with("info").with("-line"), version(0)),
        CacheKey::new("s", "n", Arch::Real(90), &none, version(1)),
    ];
    for (i, a) in others.iter().enumerate() {
        assert_ne!(*a, base, "{i}");
        assert!(others[..i].iter().all(|b| a != b), "{i}");
    }
    assert_eq!(base, CacheKey::new("s", "n", Arch::Real(90), &none, version(0)));
    assert_eq!(base.file_name(COMPILED).len(), 64 + ".kernels".len());
}

#[test]
fn every_damage_is_noticed_and_repaired() {
    let folder = folder();
    let cache = Cache::at(folder.path(), DEFAULT_LIMIT);
    let k = key("x");
    cache.put(&k, &entry(40));
    let path = folder.path().join(k.file_name(COMPILED));
    let whole = fs::read(&path).expect("entry");
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, &damaged).expect("written");
        assert_eq!(cache.get(&k), None, "byte {at}");
        fs::write(&path, &whole[..at]).expect("written");
        assert_eq!(cache.get(&k), None, "{at} bytes");
    }
    fs::write(&path, [&whole[..], b"more"].concat()).expect("written");
    assert_eq!(cache.get(&k), None);
    cache.put(&k, &entry(40));
    assert_eq!(cache.get(&k), Some(entry(40)));
}

#[test]
fn notes_of_accepted_kernels_are_for_these_kernels() {
    let folder = folder();
    let cache = Cache::at(folder.path(), DEFAULT_LIMIT);
    let [a, b] = ["kernel a", "kernel b"].map(|kernels| CacheKey::of_check(["checker", "1"], kernels));
    assert!(a != b && a != CacheKey::of(&["check", "another checker", "kernel a"]) && a != key("kernel a"));
    assert!(!cache.is_accepted(&a));
    cache.accept(&a);
    assert!(cache.is_accepted(&a) && !cache.is_accepted(&b));
    assert!(!Cache::disabled().is_accepted(&a));

    let [path, other] = [&a, &b].map(|k| folder.path().join(k.file_name(ACCEPTED)));
    let whole = fs::read(&path).expect("note");
    // A note under another name, and an entry with code, are no notes.
    for forged in [whole.clone(), entry(10).encode(), Vec::new()] {
        fs::write(&other, forged).expect("written");
        assert!(!cache.is_accepted(&b));
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, &damaged).expect("written");
        assert!(!cache.is_accepted(&a), "byte {at}");
        fs::write(&path, &whole[..at]).expect("written");
        assert!(!cache.is_accepted(&a), "{at} bytes");
    }
    cache.accept(&a);
    assert!(cache.is_accepted(&a));
}

#[test]
fn the_entries_not_used_for_longest_go_first() {
    let folder = folder();
    let size = sealed::seal(COMPILED_MAGIC, &key("a"), &entry(1000).encode()).len() as u64;
    let cache = Cache::at(folder.path(), 3 * size);
    let age = |k: &CacheKey, seconds| {
        let file =
            File::options().append(true).open(folder.path().join(k.file_name(COMPILED))).expect("entry");
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).expect("time set");
    };
    let keys = ["a", "b", "c", "d"].map(key);
    for (i, k) in keys[..3].iter().enumerate() {
        cache.put(k, &entry(1000));
        age(k, 300 - i as u64);
    }
    // "a" is the oldest, but it has just been used.
    assert!(cache.get(&keys[0]).is_some());
    cache.put(&keys[3], &entry(1000));
    assert_eq!(keys.map(|k| cache.get(&k).is_some()), [true, false, true, true]);
}

#[test]
fn an_entry_beyond_the_limit_is_not_kept() {
    let folder = folder();
    let cache = Cache::at(folder.path(), 500);
    cache.put(&key("small"), &entry(10));
    cache.put(&key("large"), &entry(1000));
    assert!(cache.get(&key("small")).is_some());
    assert!(cache.get(&key("large")).is_none());
}

#[test]
fn an_entry_under_another_name_is_none() {
    let folder = folder();
    let cache = Cache::at(folder.path(), DEFAULT_LIMIT);
    let keys = ["a", "b"].map(key);
    for k in &keys {
        cache.put(k, &entry(40));
        cache.accept(k);
    }
    let all: Vec<PathBuf> = keys
        .iter()
        .flat_map(|k| [COMPILED, ACCEPTED].map(|ending| folder.path().join(k.file_name(ending))))
        .collect();
    let whole: Vec<_> = all.iter().map(|path| fs::read(path).expect("entry")).collect();
    let found =
        || keys.iter().flat_map(|k| [cache.get(k).is_some(), cache.is_accepted(k)]).collect::<Vec<_>>();
    assert_eq!(found(), [true; 4]);
    for (to, path) in all.iter().enumerate() {
        for (from, bytes) in whole.iter().enumerate() {
            fs::write(path, bytes).expect("written");
            assert_eq!(found()[to], from == to, "{from} as {to}");
        }
        fs::write(path, &whole[to]).expect("written");
    }
}

#[test]
fn what_was_made_for_another_key_or_kind_is_none() {
    let k = key("x");
    let content = entry(40).encode();
    let whole = sealed::seal(COMPILED_MAGIC, &k, &content);
    assert_eq!(sealed::open(COMPILED_MAGIC, &k, &whole), Some(&content[..]));
    assert_eq!(sealed::open(COMPILED_MAGIC, &key("y"), &whole), None);
    assert_eq!(sealed::open(ACCEPTED_MAGIC, &k, &whole), None);
    let other = sealed::seal(COMPILED_MAGIC, &key("y"), &content);
    assert_eq!(sealed::open(COMPILED_MAGIC, &k, &other), None);
}

#[test]
fn entries_go_for_their_number_and_other_files_never() {
    let folder = folder();
    let cache = Cache::at(folder.path(), 1000);
    cache.put(&key("first"), &entry(10));
    for name in ["thesis.kernels", "b.accepted", &format!("{}.kernels", "A".repeat(64)), "notes.txt"] {
        let path = folder.path().join(name);
        fs::write(&path, [0; 5000]).expect("written");
        let file = File::options().append(true).open(&path).expect("file");
        file.set_modified(SystemTime::UNIX_EPOCH).expect("time set");
    }
    for i in 0..20 {
        cache.put(&key(&i.to_string()), &entry(100));
    }
    let names: Vec<_> = files(folder.path()).iter().map(|p| p.file_name().map(ToOwned::to_owned)).collect();
    let foreign = names.iter().flatten().filter(|name| !key::is_file_name(&name.to_string_lossy())).count();
    assert_eq!(foreign, 5, "four files and the mark of the folder: {names:?}");
    let kept: u64 = files(folder.path())
        .iter()
        .filter(|p| key::is_file_name(&p.file_name().unwrap_or_default().to_string_lossy()))
        .map(|p| fs::metadata(p).expect("entry").len())
        .sum();
    assert!(kept > 0 && kept <= 1000, "{kept}");
}

#[test]
fn threads_see_whole_entries_or_none() {
    let folder = folder();
    let k = key("shared");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (folder, k) = (folder.path(), &k);
            scope.spawn(move || {
                let cache = Cache::at(folder, DEFAULT_LIMIT);
                for round in 0..50 {
                    cache.put(k, &entry(1000 + thread * 100 + round));
                    // Other threads replace the entry all the time; a torn one would count as absent.
                    let found = cache.get(k).expect("a whole entry");
                    assert_eq!(found, entry(found.code.len()));
                }
            });
        }
    });
    assert_eq!(files(folder.path()).len(), 2, "nothing is left aside: the entry and the mark");
}

#[test]
fn a_folder_that_cannot_be_used_is_no_error() {
    let folder = folder();
    // Also for a superuser, to whom permissions mean nothing: a file where the folder should be.
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("written");
    let cache = Cache::at(file.join("kernels"), DEFAULT_LIMIT);
    cache.put(&key("x"), &entry(10));
    assert_eq!(cache.get(&key("x")), None);
    assert!(cache.warned.load(Ordering::Relaxed));
    Cache::disabled().put(&key("x"), &entry(10));
    assert_eq!(Cache::disabled().get(&key("x")), None);
}

#[test]
#[cfg(unix)]
fn entries_of_a_read_only_folder_are_used() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let cache = Cache::at(folder.path(), DEFAULT_LIMIT);
    cache.put(&key("x"), &entry(10));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).expect("permissions");
    assert_eq!(cache.get(&key("x")), Some(entry(10)));
    // Written by a superuser all the same, else dropped.
    cache.put(&key("y"), &entry(20));
    assert!(cache.get(&key("y")).is_none_or(|found| found == entry(20)));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn the_folder_follows_the_environment() {
    let folder = |variables: &[(&str, &str)]| {
        let lookup =
            |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| PathBuf::from(value));
        Cache::from_variables(lookup).folder().map(|f| f.display().to_string())
    };
    let home = ("HOME", "/home/a");
    assert_eq!(folder(&[home]).as_deref(), Some("/home/a/.cache/gchr/kernels"));
    assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "/x")]).as_deref(), Some("/x/gchr/kernels"));
    assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "x")]).as_deref(), Some("/home/a/.cache/gchr/kernels"));
    assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "/x"), (VARIABLE, "/g")]).as_deref(), Some("/g/kernels"));
    assert_eq!(folder(&[home, (VARIABLE, "")]).as_deref(), Some("/home/a/.cache/gchr/kernels"));
    assert_eq!(folder(&[]), None);
}
