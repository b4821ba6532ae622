//! Where NVRTC may lie.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// Names of the library, the wanted version first.
const LIBRARIES: &[&str] =
    if cfg!(windows) { &["nvrtc64_130_0.dll"] } else { &["libnvrtc.so.13", "libnvrtc.so"] };

/// Start of the names of its builtins; a version follows.
const BUILTINS: &str = if cfg!(windows) { "nvrtc-builtins64_13" } else { "libnvrtc-builtins.so.13" };

/// Folder inside a toolkit.
const TOOLKIT_LIB: &[&str] = if cfg!(windows) { &["bin/x64", "bin"] } else { &["lib64", "lib"] };

/// Folder inside the packages of a Python environment.
const PACKAGE_LIB: &str = if cfg!(windows) { "nvidia/cu13/bin/x86_64" } else { "nvidia/cu13/lib" };

/// The variable that names the folder outright.
pub const VARIABLE: &str = "GCHR_NVRTC_DIR";

/// A place to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Wherever the system's loader looks.
    Loader,
    /// A folder.
    Folder(PathBuf),
}

impl Place {
    /// Names to load the library by.
    pub(super) fn libraries(&self) -> Vec<OsString> {
        LIBRARIES.iter().map(|name| self.join(name)).collect()
    }

    /// The builtins in a folder. The loader finds them itself.
    pub(super) fn builtins(&self) -> Vec<OsString> {
        let Place::Folder(folder) = self else { return Vec::new() };
        let mut found: Vec<_> = entries(folder)
            .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(BUILTINS)))
            .map(PathBuf::into_os_string)
            .collect();
        found.sort();
        found
    }

    /// Whether the file is there; never known for the loader's path.
    pub(super) fn has(&self, name: &OsStr) -> bool {
        matches!(self, Place::Folder(_)) && Path::new(name).exists()
    }

    fn join(&self, name: &str) -> OsString {
        match self {
            Place::Loader => name.into(),
            Place::Folder(folder) => folder.join(name).into_os_string(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Loader => write!(f, "the loader's path"),
            Place::Folder(folder) => write!(f, "{}", folder.display()),
        }
    }
}

/// Places in the order in which they are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places(Vec<Place>);

impl Places {
    /// The places that the environment of this process suggests: the folder that `GCHR_NVRTC_DIR` names, the loader's
    /// path, the CUDA toolkit, and the packages of Python environments.
    pub fn from_env() -> Self {
        Self::from_variables(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    /// One folder.
    pub fn only(folder: &Path) -> Self {
        Places(vec![Place::Folder(folder.to_path_buf())])
    }

    /// As [`from_env`](Self::from_env), with the variables given.
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut places = Places(Vec::new());
        if let Some(folder) = variable(VARIABLE) {
            places.folder(folder.into());
        }
        places.0.push(Place::Loader);
        for toolkit in ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(&variable) {
            places.toolkit(Path::new(&toolkit));
        }
        if !cfg!(windows) {
            places.toolkit(Path::new("/usr/local/cuda"));
        }
        for prefix in python_prefixes(&variable) {
            places.python(&prefix);
        }
        places
    }

    /// The places in order.
    pub fn iter(&self) -> impl Iterator<Item = &Place> {
        self.0.iter()
    }

    fn folder(&mut self, folder: PathBuf) {
        let place = Place::Folder(folder);
        if !self.0.contains(&place) {
            self.0.push(place);
        }
    }

    fn toolkit(&mut self, toolkit: &Path) {
        for lib in TOOLKIT_LIB {
            self.folder(toolkit.join(lib));
        }
    }

    /// `PREFIX/lib/python3.X/site-packages`, newest Python first. Only folders that exist, for there are many prefixes.
    fn python(&mut self, prefix: &Path) {
        let mut packages = vec![prefix.join("Lib/site-packages")];
        for lib in ["lib", "lib64", "local/lib"] {
            let mut versions: Vec<_> = entries(&prefix.join(lib))
                .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python3")))
                .collect();
            versions.sort_by_key(|path| std::cmp::Reverse(python_minor(path)));
            packages.extend(
                versions
                    .iter()
                    .flat_map(|v| ["site-packages", "dist-packages"].map(|packages| v.join(packages))),
            );
        }
        for folder in packages.iter().map(|p| p.join(PACKAGE_LIB)).filter(|f| f.is_dir()) {
            self.folder(folder);
        }
    }
}

/// `X` of `.../python3.X`.
fn python_minor(path: &Path) -> u32 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix("python3.").and_then(|minor| minor.parse().ok()).unwrap_or(0)
}

/// Prefixes of Python environments: the active one, those of the `python3` in `PATH`, the user's packages, pyenv's
/// versions, the system's. Found without starting Python.
fn python_prefixes(variable: &impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable).map(PathBuf::from).collect();
    for folder in variable("PATH").iter().flat_map(std::env::split_paths) {
        if folder.join("python3").exists() {
            prefixes.extend(folder.parent().map(Path::to_path_buf));
        }
    }
    let home = variable("HOME").map(PathBuf::from);
    prefixes.extend(home.as_ref().map(|home| home.join(".local")));
    let pyenv = variable("PYENV_ROOT").map(PathBuf::from).or_else(|| home.map(|home| home.join(".pyenv")));
    if let Some(pyenv) = pyenv {
        let mut versions: Vec<_> = entries(&pyenv.join("versions")).collect();
        versions.sort();
        prefixes.extend(versions.into_iter().rev());
    }
    if !cfg!(windows) {
        prefixes.extend(["/usr/local", "/usr"].map(PathBuf::from));
    }
    prefixes
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(variables: &[(&str, &Path)]) -> Vec<Place> {
        let lookup = |name: &str| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_os_str().to_os_string())
        };
        Places::from_variables(lookup).0
    }

    #[test]
    fn the_named_folder_comes_first_then_the_loader_then_the_toolkit() {
        let found = places(&[("CUDA_PATH", Path::new("/opt/cuda")), (VARIABLE, Path::new("/my/nvrtc"))]);
        assert_eq!(found[0], Place::Folder("/my/nvrtc".into()));
        assert_eq!(found[1], Place::Loader);
        assert_eq!(found[2], Place::Folder(Path::new("/opt/cuda").join(TOOLKIT_LIB[0])));
    }

    #[test]
    fn without_variables_only_the_system_is_searched() {
        assert_eq!(places(&[])[0], Place::Loader);
    }

    #[test]
    #[cfg(unix)]
    fn python_environments_are_searched_newest_python_first() {
        let root = tempfile::tempdir().expect("temporary folder");
        let lib = |python: &str| root.path().join("lib").join(python).join("site-packages").join(PACKAGE_LIB);
        for python in ["python3.9", "python3.12"] {
            std::fs::create_dir_all(lib(python)).expect("folder");
        }
        let found = places(&[("VIRTUAL_ENV", root.path())]);
        let index = |python| found.iter().position(|p| *p == Place::Folder(lib(python))).expect("found");
        assert!(index("python3.12") < index("python3.9"));
    }

    #[test]
    fn a_place_named_twice_is_tried_once() {
        let cuda = Path::new("/opt/cuda");
        let found = places(&[("CUDA_HOME", cuda), ("CUDA_PATH", cuda)]);
        let folder = Place::Folder(cuda.join(TOOLKIT_LIB[0]));
        assert_eq!(found.iter().filter(|p| **p == folder).count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn builtins_are_found_whatever_their_minor_version() {
        let root = tempfile::tempdir().expect("temporary folder");
        for name in ["libnvrtc-builtins.so.13.2", "libnvrtc-builtins.so.12.9", "libnvrtc.so.13"] {
            std::fs::write(root.path().join(name), "").expect("file");
        }
        let place = Place::Folder(root.path().into());
        assert_eq!(place.builtins(), [root.path().join("libnvrtc-builtins.so.13.2").into_os_string()]);
    }
}
