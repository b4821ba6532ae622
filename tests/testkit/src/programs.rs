//! Programs for tests and benches: the examples, and texts made rule programs.

use std::path::{Path, PathBuf};

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::rule::{GroundTerm, Program, Start};
use gchr_base::source::SourceMap;
use gchr_chr::Request;

/// The files of a folder that have an ending, in order, and what they hold.
pub fn files(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == ending));
    paths.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read_to_string(path).expect("readable"));
    paths.into_iter().map(read).collect()
}

/// The files in and below a folder of the project that have one of these endings, in order, and what they hold.
pub fn files_below(folder: &str, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        found.extend(endings.iter().flat_map(|ending| files(&folder, ending)));
        let entries = std::fs::read_dir(&folder).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("readable").path());
        folders.extend(paths.filter(|path| path.is_dir()));
    }
    found.sort();
    found
}

/// Names and texts of the examples with an ending.
pub fn examples(ending: &str) -> Vec<(String, String)> {
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), ending)
        .into_iter()
        .map(|(path, text)| (name(&path), text))
        .collect()
}

/// What was made; the test fails with the diagnostics if nothing was.
pub fn made<T>(result: Result<T, Vec<Diagnostic>>, sources: &SourceMap) -> T {
    result.unwrap_or_else(|found| panic!("{}", render_all(&found, sources, false)))
}

/// A term program.
pub fn terms(name: &str, text: &str) -> (SourceMap, Program) {
    let mut sources = SourceMap::new();
    let id = sources.add(name, text);
    let loaded = gchr_trs::load(&sources, id);
    let program = made(loaded.program.ok_or(loaded.diagnostics), &sources);
    (sources, program)
}

/// The start term that a program gives.
pub fn input(program: &Program) -> GroundTerm {
    let Start::Term(Some(input)) = &program.start else { panic!("the program has no input") };
    input.clone()
}

/// A constraint program.
pub fn constraints(name: &str, text: &str) -> (SourceMap, Program) {
    let mut sources = SourceMap::new();
    let program = sources.add(name, text);
    let request = Request { program, queries: Vec::new(), facts: Vec::new() };
    let loaded = gchr_chr::load(&mut sources, &request);
    let program = made(loaded.program.ok_or(loaded.diagnostics), &sources);
    (sources, program)
}
