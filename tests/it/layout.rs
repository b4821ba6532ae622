//! The layout of the sources: sizes of files and crates, and imports without circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::files::{files, read};
use crate::support::root;

/// Most lines of a source file.
const MOST_LINES: usize = 700;
/// Most percent of the lines of all sources that one crate may have.
const MOST_PERCENT: usize = 20;

/// The sources of a crate that are no tests: by the path of the module, the text without comments and unit tests.
type Sources = BTreeMap<Vec<String>, String>;

/// Folder of each crate with its sources.
fn crates() -> BTreeMap<String, Sources> {
    let name = |path: &Path| path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let mut found: BTreeMap<String, Sources> = BTreeMap::new();
    for path in files(".rs") {
        let name = name(&path);
        let Some(at) = name.find("src/").filter(|&at| at == 0 || name[..at].ends_with('/')) else { continue };
        let mut module: Vec<String> = name[at + 4..name.len() - 3].split('/').map(String::from).collect();
        if module.iter().any(|part| part == "tests") {
            continue;
        }
        module.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
        let text = read(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        let code = lines.collect::<Vec<_>>().join("\n");
        found.entry(name[..at].to_string()).or_default().entry(module).or_default().push_str(&code);
    }
    // What finds nothing finds no circle.
    for folder in ["", "core/base/", "frontend-trs/", "kernels/terms/"] {
        assert!(
            found.get(folder).is_some_and(|sources| sources.len() > 10),
            "the sources of {folder:?} were not found"
        );
    }
    found
}

/// Words and signs of a text; `::` is one.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        if !first.is_whitespace() {
            found.push(token);
        }
        rest = behind;
    }
    found
}

/// The paths that begin at a token, through all braces; moves behind them.
fn paths<'t>(tokens: &[&'t str], at: &mut usize, before: &[&'t str], found: &mut Vec<Vec<&'t str>>) {
    let mut path = before.to_vec();
    loop {
        match tokens.get(*at) {
            Some(&"{") => {
                *at += 1;
                while *at < tokens.len() && tokens[*at] != "}" {
                    paths(tokens, at, &path, found);
                    if tokens.get(*at) == Some(&",") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            Some(word) => path.push(word),
            None => break,
        }
        *at += 1;
        if tokens.get(*at) != Some(&"::") {
            break;
        }
        *at += 1;
    }
    // `Name as Other`
    if tokens.get(*at) == Some(&"as") {
        *at += 2;
    }
    found.push(path);
}

/// The modules of the crate that a module names, but for those that contain it or that it contains: these are one
/// thing. What is exported again is not used here.
fn imports(sources: &Sources, module: &[String], text: &str) -> BTreeSet<Vec<String>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let begins = ["crate", "super", "self"].contains(&tokens[at]) && tokens.get(at + 1) == Some(&"::");
        let is_inside = at > 0 && tokens[at - 1] == "::";
        let is_exported = at > 1 && tokens[at - 1] == "use" && ["pub", ")"].contains(&tokens[at - 2]);
        match begins && !is_inside && !is_exported {
            true => paths(&tokens, &mut at, &[], &mut found),
            false => at += 1,
        }
    }
    let resolve = |path: &Vec<&str>| {
        let mut base = if path[0] == "crate" { Vec::new() } else { module.to_vec() };
        for part in path.iter().skip(usize::from(path[0] == "crate")) {
            match *part {
                "self" => {}
                "super" => drop(base.pop()),
                name => base.push(name.to_string()),
            }
        }
        while !base.is_empty() && !sources.contains_key(&base) {
            base.pop();
        }
        base
    };
    let mut modules: BTreeSet<Vec<String>> = found.iter().map(resolve).collect();
    modules.retain(|other| !other.starts_with(module) && !module.starts_with(other));
    modules
}

/// What imports what, of modules side by side: an import of another folder is one of what contains it.
fn between(sources: &Sources) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let mut edges: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (module, text) in sources {
        for other in imports(sources, module, text) {
            let common = module.iter().zip(&other).take_while(|(a, b)| a == b).count() + 1;
            edges.entry(module[..common].to_vec()).or_default().insert(other[..common].to_vec());
        }
    }
    edges
}

/// Takes away what imports nothing that is left, then what nothing left imports: circles, and what is between them,
/// remain.
fn circles(mut edges: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Vec<String> {
    loop {
        let modules: BTreeSet<_> = edges.keys().cloned().collect();
        let named: BTreeSet<_> = edges.values().flatten().cloned().collect();
        for others in edges.values_mut() {
            others.retain(|other| modules.contains(other));
        }
        edges.retain(|module, others| !others.is_empty() && named.contains(module));
        if edges.len() == modules.len() {
            break;
        }
    }
    let line = |(module, others): (&Vec<String>, &BTreeSet<Vec<String>>)| {
        let others: Vec<String> = others.iter().map(|other| other.join("/")).collect();
        format!("{} imports {}", module.join("/"), others.join(", "))
    };
    edges.iter().map(line).collect()
}

#[test]
fn modules_import_each_other_in_one_direction() {
    let mut found = Vec::new();
    for (folder, sources) in crates() {
        found.extend(circles(between(&sources)).into_iter().map(|line| format!("{folder}src: {line}")));
    }
    assert!(found.is_empty(), "circles of imports:\n{}", found.join("\n"));
}

#[test]
fn circles_are_found() {
    let texts = [
        ("a", "use crate::b::{self, c::D as E};"),
        ("b", "fn f() { super::d::x() }"),
        ("b/c", ""),
        ("d", "pub use crate::a::X; use std::fmt; use self::e::Y;"),
        ("d/e", "use super::super::a::{F, G};"),
        ("g", "use super::a::F;"),
    ];
    let parts = |name: &str| name.split('/').map(String::from).collect::<Vec<_>>();
    let sources: Sources = texts.iter().map(|(name, text)| (parts(name), (*text).to_string())).collect();
    let of = |name: &str, text: &str| imports(&sources, &parts(name), text);
    let named =
        |name: &str| of(name, &sources[&parts(name)]).iter().map(|other| other.join("/")).collect::<Vec<_>>();
    assert_eq!(named("a"), ["b", "b/c"]);
    assert_eq!(named("b"), ["d"]);
    assert_eq!((named("d"), named("d/e")), (vec![], vec!["a".to_string()]));
    assert_eq!(circles(between(&sources)), ["a imports b", "b imports d", "d imports a"]);
    let mut without = sources.clone();
    without.insert(parts("d/e"), String::new());
    assert!(circles(between(&without)).is_empty());
}

#[test]
fn no_source_is_too_long() {
    let endings = [".rs", ".cu", ".py"];
    let long: Vec<String> = (endings.iter().flat_map(|ending| files(ending)))
        .map(|path| (read(&path).lines().count(), path))
        .filter(|(lines, _)| *lines > MOST_LINES)
        .map(|(lines, path)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "files of more than {MOST_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn no_crate_is_most_of_the_sources() {
    let lines = |sources: &Sources| sources.values().map(|text| text.lines().count()).sum::<usize>();
    let crates: Vec<(String, usize)> =
        crates().iter().map(|(name, sources)| (name.clone(), lines(sources))).collect();
    let all: usize = crates.iter().map(|(_, lines)| lines).sum();
    let large: Vec<_> = crates.iter().filter(|(_, lines)| 100 * lines > MOST_PERCENT * all).collect();
    assert!(large.is_empty(), "crates with more than {MOST_PERCENT} % of {all} lines: {large:?}");
}
