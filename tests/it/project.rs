//! The project itself: links of its pages, files that they name, the width of comments, licences of what it is built
//! from, crates whose own tests are switched off.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::files::{files, files_below, read};
use crate::support::root;

/// The lines of a page outside fenced blocks, without code in the line.
fn prose(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line.split('`').step_by(2).collect::<Vec<_>>().join("``"));
        }
    }
    lines
}

/// JSON has all keys of statistics in every run, and the page lists them.
#[test]
fn all_statistics_are_listed() {
    let page = read(&root().join("docs/statistics.md"));
    let keys = serde_json::to_value(gchr::Stats::default()).expect("an object");
    let listed = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let listed: BTreeSet<&str> = listed.map(|(key, _)| key).collect();
    let keys = keys.as_object().expect("an object");
    assert!(keys.len() > 20, "{keys:?}");
    for (key, value) in keys {
        assert!(listed.contains(key.as_str()), "docs/statistics.md does not list {key}");
        assert!(value.is_null(), "{key}");
    }
}

/// What the links of a page lead to.
fn links(page: &str) -> Vec<String> {
    let target = |rest: &str| Some(rest.split_once(')')?.0.split_whitespace().next()?.to_string());
    prose(page)
        .iter()
        .flat_map(|line| line.split("](").skip(1).filter_map(target).collect::<Vec<_>>())
        .collect()
}

/// The anchors of the headings of a page: lower case, words joined by hyphens, punctuation left out.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut outside = |line: &&str| {
        fenced ^= line.starts_with("```");
        !fenced
    };
    let headings = page.lines().filter(|line| outside(line)).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Why a link of a page leads nowhere.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target =
        if path.is_empty() { page.to_path_buf() } else { page.parent().expect("a folder").join(path) };
    let says = |what: &str| Some(format!("{}: {link}: {what}", page.display()));
    if !target.exists() {
        return says("there is no such file");
    }
    let has_anchor = anchor.is_empty()
        || target.extension().is_none_or(|e| e != "md")
        || anchors(&read(&target)).contains(anchor);
    if has_anchor { None } else { says("there is no such heading") }
}

/// Files and folders that a page names in code, with their places from the root on; `NAME` stands for any name.
fn paths(page: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let is_path = |word: &&str| {
        word.contains('/') && word.starts_with(char::is_alphabetic) && word.chars().all(is_part)
    };
    let code = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    code.filter(is_path).filter(|word| !word.contains("NAME")).collect()
}

#[test]
fn files_that_the_recipes_name_are_there() {
    let page = read(&root().join("docs/extending.md"));
    let named = paths(&page);
    assert!(named.len() > 20, "{named:?}");
    let missing: Vec<&&str> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    let pages = files(".md");
    let mut found = Vec::new();
    let mut count = 0;
    for page in &pages {
        for link in links(&read(page)) {
            count += 1;
            found.extend(broken(page, &link));
        }
    }
    assert!(pages.len() > 10 && count > 50, "{count} links in {} pages", pages.len());
    assert!(found.is_empty(), "{}", found.join("\n"));
    let page = root().join("README.md");
    for wrong in ["docs/missing.md", "README.md#no-such-heading", "#no-such-heading"] {
        assert!(broken(&page, wrong).is_some(), "{wrong}");
    }
}

/// Columns of comments and of pages; tables and fenced blocks have what they need.
const COLUMNS: usize = 120;

#[test]
fn comments_and_pages_keep_to_their_columns() {
    let mut wide = Vec::new();
    let mut look = |path: &Path, lines: &mut dyn Iterator<Item = (usize, &str)>| {
        let too_wide = lines.filter(|(_, line)| line.chars().count() > COLUMNS);
        wide.extend(too_wide.map(|(at, _)| format!("{}:{}", path.display(), at + 1)));
    };
    for path in files(".md") {
        let page = read(&path);
        let mut fenced = false;
        let mut prose = page.lines().enumerate().filter(|(_, line)| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence && !line.trim_start().starts_with('|')
        });
        look(&path, &mut prose);
    }
    for (ending, mark) in [(".rs", "//"), (".cu", "//"), (".toml", "#"), (".py", "#")] {
        for path in files(ending) {
            let text = read(&path);
            look(
                &path,
                &mut text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with(mark)),
            );
        }
    }
    assert!(wide.is_empty(), "more than {COLUMNS} columns: {wide:#?}");
}

/// Licences that dependencies may have: permissive ones, which ask for no more than their notice.
const LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an expression of licences, of `AND`, `OR` and brackets, can be met with those that are allowed.
fn is_allowed(expression: &str) -> bool {
    // Older packages write `/` for `OR`.
    let text = expression.replace('/', " OR ");
    let choices = |text: &str| {
        let all = |part: &str| part.split(" AND ").all(|licence| LICENCES.contains(&licence.trim()));
        text.split(" OR ").any(all)
    };
    match (text.find('('), text.find(')')) {
        (Some(open), Some(close)) => {
            // What is in brackets counts as one licence.
            let inner = if choices(&text[open + 1..close]) { "MIT" } else { "?" };
            is_allowed(&format!("{}{inner}{}", &text[..open], &text[close + 1..]))
        }
        _ => choices(&text),
    }
}

#[test]
fn dependencies_have_permissive_licences() {
    for wrong in
        ["GPL-3.0", "MIT AND GPL-3.0", "", "(MIT OR GPL-3.0) AND LGPL-2.1", "(GPL-3.0 OR LGPL-2.1) AND MIT"]
    {
        assert!(!is_allowed(wrong), "{wrong}");
    }
    assert!(is_allowed("(MIT OR GPL-3.0) AND Unicode-3.0") && is_allowed("MIT/GPL-3.0"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(["metadata", "--format-version", "1", "--locked", "--offline"]);
    let output =
        command.args(["--filter-platform", "x86_64-unknown-linux-gnu"]).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let licence = |package: &Value| package["license"].as_str().unwrap_or_default().to_string();
    let licences: BTreeMap<String, String> =
        packages.iter().map(|p| (p["name"].as_str().unwrap_or_default().to_string(), licence(p))).collect();
    assert!(licences.len() > 50, "{} packages", licences.len());
    let refused: Vec<_> = licences.iter().filter(|(_, licence)| !is_allowed(licence)).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

/// A crate that switches its unit tests or the tests of its documentation off has none.
#[test]
fn no_test_is_switched_off() {
    let mut switched = 0;
    for manifest in files("Cargo.toml") {
        let text = read(&manifest);
        let library =
            text.split("[lib]").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
        for (line, marks) in
            [("\ntest = false", ["#[test]", "#[cfg(test)]"]), ("\ndoctest = false", ["/// ```", "//! ```"])]
        {
            if !library.contains(line) {
                continue;
            }
            switched += 1;
            for source in files_below(&manifest.with_file_name("src"), ".rs") {
                let text = read(&source);
                let found =
                    marks.iter().find(|mark| text.lines().any(|l| l.trim_start().starts_with(**mark)));
                assert!(
                    found.is_none(),
                    "{}: {found:?} is not run: {}",
                    manifest.display(),
                    source.display()
                );
            }
        }
    }
    assert!(switched > 10, "{switched}");
}

/// The table of contents of the site has all pages; `.ci/site` adds the notebooks behind the results.
#[test]
fn the_site_has_all_pages() {
    let docs = root().join("docs");
    let contents = read(&docs.join("SUMMARY.md"));
    let pages = files_below(&docs, ".md");
    let pages = pages.iter().filter_map(|page| page.strip_prefix(&docs).ok()?.to_str());
    let pages: Vec<&str> = pages.filter(|page| !page.starts_with("results/notes/")).collect();
    let missing: Vec<&&str> = pages.iter().filter(|page| !contents.contains(&format!("({page})"))).collect();
    assert!(pages.len() > 30 && missing == [&"SUMMARY.md"], "{missing:?}");
}

/// What a release is made of says the same version, and names what is there.
#[test]
fn releases_have_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(read(&root().join("CITATION.cff")).contains(&format!("version: {version}\n")));
    let manifest = read(&root().join("Cargo.toml"));
    let inner = manifest.lines().filter(|line| line.starts_with("gchr") && line.contains("path = "));
    let inner = inner.filter(|line| !line.contains("features"));
    let (with, without): (Vec<&str>, Vec<&str>) =
        inner.partition(|line| line.contains(&format!("version = \"{version}\"")));
    assert!(with.len() > 20 && without.iter().all(|line| line.starts_with("gchr-testkit")), "{without:?}");
    let rust = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")).expect("a version");
    let rust = rust.trim_end_matches('"');
    for (file, wanted) in [
        (".github/workflows/release.yml", format!("rustup toolchain install {rust} ")),
        ("Containerfile", format!("rust:{rust}-")),
        ("README.md", format!("Rust {rust} or newer")),
    ] {
        assert!(read(&root().join(file)).contains(&wanted), "{file} has no `{wanted}`");
    }
}

/// A package holds what is in its folder: each that is published has the licences.
#[test]
fn published_crates_have_the_licences() {
    let mut published = 0;
    for manifest in files("Cargo.toml") {
        if read(&manifest).contains("publish = false") {
            continue;
        }
        published += 1;
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let own = manifest.with_file_name(licence);
            assert!(own.exists(), "{} is missing", own.display());
            assert!(read(&own) == read(&root().join(licence)), "{}", own.display());
        }
    }
    assert!(published > 20, "{published} crates");
}

/// The extension for Visual Studio Code names files that are there, and languages and words that gchr has.
#[test]
fn the_extension_of_the_editor_fits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("editor/vscode");
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&read(&folder.join(name))).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let package = json("package.json");
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    assert!(folder.join(package["main"].as_str().expect("a file")).exists());
    let contributed = &package["contributes"];
    for language in contributed["languages"].as_array().expect("languages") {
        for ending in language["extensions"].as_array().expect("endings") {
            let file = format!("x{}", ending.as_str().expect("a text"));
            assert!(gchr::Syntax::of_path(Path::new(&file)).is_some(), "{file}");
        }
        json(language["configuration"].as_str().expect("a file"));
    }
    for grammar in contributed["grammars"].as_array().expect("grammars") {
        let found = json(grammar["path"].as_str().expect("a file"));
        assert_eq!(found["scopeName"], grammar["scopeName"]);
        let patterns = found["patterns"].as_array().expect("patterns");
        let words: Vec<&str> = patterns.iter().filter_map(|pattern| pattern["match"].as_str()).collect();
        let known: &[&str] = match grammar["language"].as_str() {
            Some("gchr-trs") => &["sort", "struct", "cons", "map", "var", "eqn", "input"],
            _ => &["chr_constraint", "chr_type", "chr_option", "pragma", "passive"],
        };
        assert!(known.iter().all(|word| words.iter().any(|pattern| pattern.contains(word))));
    }
}
