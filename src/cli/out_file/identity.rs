//! Which file a path means, whatever it is called: two names of one file are the same.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::Path;

/// What is the same for all names of a file, and of no other one: device and number of the file.
#[cfg(unix)]
type Number = (u64, u64);
#[cfg(not(unix))]
type Number = std::path::PathBuf;

/// Which file a path means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Identity {
    /// A file that exists.
    Known(Number),
    /// One that does not exist yet, by its folder and its name there.
    New(Number, OsString),
}

impl Identity {
    /// That of a path, which is no link itself. `None` of what is no file: two results may go to one device; and of a
    /// path to nowhere.
    pub fn of(target: &Path) -> Option<Identity> {
        match fs::metadata(target) {
            Ok(found) => found.is_file().then(|| number(target, &found)).flatten().map(Identity::Known),
            Err(_) => {
                let folder = super::folder(target);
                let found = fs::metadata(folder).ok()?;
                Some(Identity::New(number(folder, &found)?, target.file_name()?.to_owned()))
            }
        }
    }
}

#[cfg(unix)]
fn number(_: &Path, found: &Metadata) -> Option<Number> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn number(path: &Path, _: &Metadata) -> Option<Number> {
    fs::canonicalize(path).ok()
}

/// Whether a file is what standard output or standard error goes to.
#[cfg(unix)]
pub fn stream(identity: &Identity) -> Option<&'static str> {
    use std::os::fd::AsFd;
    let is = |fd: std::os::fd::BorrowedFd<'_>| {
        let file = fd.try_clone_to_owned().map(fs::File::from).ok()?;
        let found = file.metadata().ok()?;
        number(Path::new(""), &found).map(|number| *identity == Identity::Known(number))
    };
    if is(std::io::stdout().as_fd()) == Some(true) {
        return Some("what standard output goes to");
    }
    (is(std::io::stderr().as_fd()) == Some(true)).then_some("what standard error goes to")
}

#[cfg(not(unix))]
pub fn stream(_: &Identity) -> Option<&'static str> {
    None
}
