//! Tests of folders: what is read, what is removed, which folders are used at all.

use super::*;
use tempfile::TempDir;

fn is_ours(name: &str) -> bool {
    name.strip_suffix(".ours").is_some_and(|stem| stem.len() == 3)
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("temporary folder")
}

fn names(folder: &Path) -> Vec<String> {
    let name = |f: io::Result<fs::DirEntry>| f.expect("entry").file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = fs::read_dir(folder).expect("readable").map(name).collect();
    names.sort();
    names
}

fn set_age(path: &Path, age: Duration) {
    let file = File::options().append(true).open(path).expect("file");
    file.set_modified(SystemTime::now() - age).expect("time set");
}

#[test]
fn a_new_folder_is_marked_and_for_its_user_alone() {
    let scratch = scratch();
    let folder = Folder::at(scratch.path().join("a/b"), is_ours);
    assert!(folder.refusal().is_none());
    assert_eq!(folder.read("abc.ours").expect("nothing wrong"), None);
    folder.write("abc.ours", b"text").expect("written");
    assert_eq!(folder.read("abc.ours").expect("nothing wrong").as_deref(), Some(&b"text"[..]));
    assert_eq!(names(folder.path()), [TAG, "abc.ours"]);
    #[cfg(unix)]
    for path in ["a", "a/b"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(scratch.path().join(path)).expect("folder").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{path}");
    }
}

/// Names of files of other people, among them some that are much like ours.
const FOREIGN: [&str; 12] = [
    "my-thesis.tex",
    ".aside-old",
    ".aside-0123456789abc",
    ".aside-01234567890_",
    ".asides-0123456789ab",
    "aside-0123456789ab",
    "abcd.ours",
    "abc.ours.bak",
    "abc.OURS",
    ".ours",
    "cachedir.tag",
    "ö",
];

#[test]
fn a_folder_with_other_things_is_not_used() {
    for name in FOREIGN {
        for is_folder in [false, true] {
            let scratch = scratch();
            let path = scratch.path().join(name);
            if is_folder { fs::create_dir(path) } else { fs::write(path, "x") }.expect("made");
            fs::write(scratch.path().join("abc.ours"), "x").expect("made");
            let folder = Folder::at(scratch.path(), is_ours);
            assert!(matches!(folder.refusal(), Some(Refusal::Mixed(other)) if other == name), "{name}");
            assert!(folder.read("abc.ours").is_err() && folder.write("xyz.ours", b"x").is_err(), "{name}");
            assert_eq!(names(scratch.path()).len(), 2, "{name}");
        }
    }
}

#[test]
fn a_mark_of_somebody_else_is_none() {
    for text in [SIGNATURE, &TAG_TEXT[1..], &format!("{TAG_TEXT}x"), "x"] {
        let scratch = scratch();
        fs::write(scratch.path().join(TAG), text).expect("made");
        let folder = Folder::at(scratch.path(), is_ours);
        assert!(matches!(folder.refusal(), Some(Refusal::Mixed(_))), "{text}");
    }
}

#[test]
fn a_mark_that_was_not_written_to_its_end_is_written_again() {
    let scratch = scratch();
    let folder = Folder::at(scratch.path(), is_ours);
    for length in (0..TAG_TEXT.len()).filter(|&length| length != SIGNATURE.len()) {
        fs::write(scratch.path().join(TAG), &TAG_TEXT[..length]).expect("written");
        folder.write("abc.ours", b"text").expect("written");
        assert_eq!(fs::read_to_string(scratch.path().join(TAG)).expect("a mark"), TAG_TEXT);
    }
}

#[test]
fn what_was_not_made_here_stays() {
    let scratch = scratch();
    let folder = Folder::at(scratch.path(), is_ours);
    folder.write("abc.ours", b"x").expect("written");
    // Put there later, and older than everything.
    let mut wanted = names(scratch.path());
    for name in FOREIGN {
        let path = scratch.path().join(name);
        fs::write(&path, "x").expect("made");
        set_age(&path, 1000 * LEFT_BEHIND);
        wanted.push(name.to_string());
    }
    for name in ["xyz.ours", ".aside-0123456789ab"] {
        fs::create_dir(scratch.path().join(name)).expect("made");
        wanted.push(name.to_string());
    }
    wanted.sort();
    assert_eq!(folder.kept().expect("readable").len(), 1);
    assert_eq!(names(scratch.path()), wanted);
}

#[test]
fn files_left_behind_are_removed_and_fresh_ones_kept() {
    let scratch = scratch();
    let [old, fresh] = [".aside-0123456789ab", ".aside-abcdefABCDEF"].map(|name| scratch.path().join(name));
    for path in [&old, &fresh] {
        fs::write(path, "x").expect("written");
    }
    set_age(&old, 2 * LEFT_BEHIND);
    let folder = Folder::at(scratch.path(), is_ours);
    folder.write("abc.ours", b"x").expect("written");
    assert_eq!(folder.kept().expect("readable").len(), 1);
    assert_eq!(names(scratch.path()), [".aside-abcdefABCDEF", TAG, "abc.ours"]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::sync::mpsc;

    fn pipe(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).expect("no NUL");
        // SAFETY: the name ends with NUL.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    }

    /// Somebody else; only a superuser can give files away.
    fn give_away(path: &Path) -> bool {
        chown(path, Some(65534), None).is_ok()
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    }

    /// Something else in the place of a file, made from what was written there.
    type Disguise = (&'static str, fn(&Path));

    /// Everything that may be under the name of a file.
    fn disguises() -> Vec<Disguise> {
        vec![
            ("link", |path| {
                let other = path.with_extension("other");
                fs::rename(path, &other).expect("renamed");
                symlink(other, path).expect("linked");
            }),
            ("dangling link", |path| {
                fs::remove_file(path).expect("removed");
                symlink("nowhere", path).expect("linked");
            }),
            ("link to itself", |path| {
                fs::remove_file(path).expect("removed");
                symlink(path, path).expect("linked");
            }),
            ("device", |path| {
                fs::remove_file(path).expect("removed");
                symlink("/dev/zero", path).expect("linked");
            }),
            ("pipe", |path| {
                fs::remove_file(path).expect("removed");
                pipe(path);
            }),
            ("socket", |path| {
                fs::remove_file(path).expect("removed");
                drop(std::os::unix::net::UnixListener::bind(path).expect("bound"));
            }),
            ("folder", |path| {
                fs::remove_file(path).expect("removed");
                fs::create_dir(path).expect("made");
            }),
            ("file of 2 GB", |path| {
                File::options().write(true).open(path).expect("file").set_len(2 << 30).expect("sparse");
            }),
            ("file that the group may write", |path| set_mode(path, 0o620)),
            ("file that all may write", |path| set_mode(path, 0o602)),
            ("file of somebody else", |path| {
                if !give_away(path) {
                    set_mode(path, 0o666);
                }
            }),
        ]
    }

    /// Runs something that must not wait for anything.
    fn soon<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, result) = mpsc::channel();
        std::thread::spawn(move || done.send(work()));
        result.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("{what}: it waits"))
    }

    #[test]
    fn only_regular_files_of_this_user_are_read() {
        for (what, disguise) in disguises() {
            let scratch = scratch();
            let folder = Folder::at(scratch.path(), is_ours);
            folder.write("abc.ours", b"text").expect("written");
            disguise(&scratch.path().join("abc.ours"));
            let read = soon(what, move || (folder.read("abc.ours").map_err(|e| e.to_string()), folder));
            assert!(read.0.is_err(), "{what}: {:?}", read.0);
            // Writing puts a file in its place, but where a folder is.
            let folder = read.1;
            if folder.write("abc.ours", b"new").is_ok() {
                assert_eq!(folder.read("abc.ours").expect("fine").as_deref(), Some(&b"new"[..]), "{what}");
            } else {
                assert_eq!(what, "folder");
            }
        }
    }

    #[test]
    fn a_disguised_mark_is_none_and_holds_nothing_up() {
        for (what, disguise) in disguises() {
            let scratch = scratch();
            let folder = Folder::at(scratch.path(), is_ours);
            folder.write("abc.ours", b"text").expect("written");
            disguise(&scratch.path().join(TAG));
            let refusal = soon(what, move || folder.refusal().map(|refusal| refusal.to_string()));
            assert!(refusal.is_some_and(|text| text.contains(TAG)), "{what}");
        }
    }

    #[test]
    fn folders_of_others_and_open_ones_are_not_used() {
        let refused = |change: fn(&Path), wanted: fn(&Refusal) -> bool| {
            let scratch = scratch();
            let path = scratch.path().join("cache");
            let folder = Folder::at(&path, is_ours);
            folder.write("abc.ours", b"text").expect("written");
            change(&path);
            let refusal = folder.refusal().expect("a refusal");
            assert!(wanted(&refusal), "{refusal}");
            assert!(folder.read("abc.ours").is_err() && folder.write("abc.ours", b"x").is_err(), "{refusal}");
        };
        refused(|path| set_mode(path, 0o720), |why| matches!(why, Refusal::Open));
        refused(|path| set_mode(path, 0o702), |why| matches!(why, Refusal::Open));
        refused(|path| set_mode(path, 0o1777), |why| matches!(why, Refusal::Open));
        let replaced: [fn(&Path); 2] = [|path| fs::write(path, "x").expect("made"), pipe];
        for make in replaced {
            let scratch = scratch();
            let path = scratch.path().join("cache");
            make(&path);
            assert!(matches!(Folder::at(&path, is_ours).refusal(), Some(Refusal::NotAFolder)));
            assert!(Folder::at(path.join("deeper"), is_ours).write("abc.ours", b"x").is_err());
        }
        let probe = scratch();
        if give_away(&probe.path().join(".")) {
            refused(|path| assert!(give_away(path)), |why| matches!(why, Refusal::Foreign));
        }
    }

    #[test]
    fn a_link_to_a_folder_of_ones_own_is_followed() {
        let scratch = scratch();
        fs::create_dir(scratch.path().join("real")).expect("made");
        symlink("real", scratch.path().join("link")).expect("linked");
        let folder = Folder::at(scratch.path().join("link"), is_ours);
        folder.write("abc.ours", b"text").expect("written");
        assert!(scratch.path().join("real/abc.ours").exists());
    }
}
