//! Programs of several texts.

use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_trs::Loaded;

const LISTS: &str = "sort Nat = struct Z | S(Nat); L = struct N | C(Nat, L);
map Len: L -> Nat; var X: Nat; Rest: L; Unused: L;
eqn Len(N) = Z; Len(C(X, Rest)) = S(Len(Rest));
input Len(C(Z, N));
";

/// Loads the first of some files in a folder.
fn in_folder(files: &[(&str, &str)]) -> (SourceMap, Loaded) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let mut sources = SourceMap::new();
    let name = folder.path().join(files[0].0).display().to_string();
    let id = sources.add(name, files[0].1);
    let loaded = gchr_trs::load_files(&mut sources, id, None, &Account::default());
    (sources, loaded)
}

/// The findings: code, file, what is marked, and how many places there are.
fn findings(files: &[(&str, &str)]) -> Vec<(&'static str, String, String, usize)> {
    let (sources, loaded) = in_folder(files);
    let found = loaded.diagnostics.iter().map(|found| {
        let span = found.labels.first().expect("a place").span;
        let name = std::path::Path::new(&sources.get(span.source).name).file_name().expect("a file");
        let name = name.to_string_lossy().into_owned();
        (found.code, name, sources.snippet(span).to_string(), found.labels.len())
    });
    found.collect()
}

fn found(
    code: &'static str,
    file: &str,
    snippet: &str,
    places: usize,
) -> (&'static str, String, String, usize) {
    (code, file.into(), snippet.into(), places)
}

#[test]
fn texts_are_one_program_and_each_is_read_once() {
    // Variables are those of their text; the input is that of the program; both ways to a file are one.
    let main = "import \"lib/lists.trs\"; import \"double\"; import \"lib/../lib/lists\";
map import: L -> Nat; cons X: Nat;
var Rest: Nat; A: L;
eqn import(A) = Plus(Len(A), X); Plus(X, Rest) = S(Rest);
input import(C(Z, N));
";
    let double = "import \"lib/lists.trs\";\nmap Plus: Nat # Nat -> Nat; var X, Y: Nat;\neqn Plus(Z, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));\n";
    let (sources, loaded) =
        in_folder(&[("main.trs", main), ("lib/lists.trs", LISTS), ("double.trs", double)]);
    assert_eq!(
        loaded.diagnostics,
        [],
        "{}",
        gchr_base::diagnostic::render_all(&loaded.diagnostics, &sources, false)
    );
    let program = loaded.program.expect("a program").to_string();
    assert_eq!(program.matches("\nrule ").count(), 6, "{program}");
    assert!(program.contains("start Z/0 N/0 C/2 import/1 : Nat"), "{program}");
    assert_eq!(sources.iter().count(), 3);
    // The text prints as it is: what it imports stays in its files.
    assert!(
        loaded.ast.to_string().starts_with("import \"lib/lists.trs\";\nimport \"double\";\n"),
        "{}",
        loaded.ast
    );
}

#[test]
fn findings_are_at_the_places_of_their_texts() {
    let lists = ("lists.trs", "sort L = struct N | C(Nat, L);\nmap F: L -> L;\n");
    let both =
        findings(&[("main.trs", "import \"lists.trs\";\nmap F: L;\nvar X: L;\neqn F(X) = Y;\n"), lists]);
    let expected = [
        found("T0105", "main.trs", "F", 2),
        found("T0102", "main.trs", "Y", 1),
        found("T0101", "lists.trs", "Nat", 1),
    ];
    assert_eq!(both, expected);
    let syntax = findings(&[("main.trs", "import \"a\";\ninput Z;\n"), ("a.trs", "sort = struct Z;\n")]);
    assert_eq!(syntax, [found("T0003", "a.trs", "=", 1)]);
    // What the program does not use of a library is no finding; a rule that never applies is one.
    let unused =
        "sort T = struct A | B; Never = struct No; map F, G: T -> T; var X, Y: T; eqn F(X) = X; F(A) = B;\n";
    let never = findings(&[("main.trs", "import \"a\";\ninput A;\n"), ("a.trs", unused)]);
    assert_eq!(never, [found("T0501", "a.trs", "F(A)", 2)]);
}

#[test]
fn parameters_are_those_of_their_text() {
    let trees = "sort Tree(A) = struct Leaf | Node(Tree(A), A, Tree(A)); map Size: Tree(A) -> Int; var X: A; L, R: Tree(A);
eqn Size(Leaf) = 0; Size(Node(L, X, R)) = Size(L) + 1 + Size(R);\n";
    let main =
        |text: &str| findings(&[("main.trs", &format!("import \"trees\";\n{text}")), ("trees.trs", trees)]);
    // A sort of the name of a parameter elsewhere is a sort.
    assert_eq!(main("sort A = struct a; Tree2 = Tree(A); input Size(Node(Leaf, a, Leaf));"), []);
    // A text that has a parameter of the same name may add to what the other one has.
    let first = "var A: sort; map First: Tree(A) # A -> A; var X, Y: A; L, R: Tree(A);
eqn First(Leaf, Y) = Y; First(Node(L, X, R), Y) = First(L, X); input First(Leaf, 1);";
    assert_eq!(main(first), []);
    let more = "var A: sort; T: Tree(A); eqn Size(T) = 1 [owise]; input Size(Node(Leaf, 1, Leaf));";
    assert_eq!(main(more), [found("T0501", "main.trs", "Size(T)", 1)]);
    assert_eq!(main("map F: Tree(A) -> Int;"), [found("T0101", "main.trs", "A", 1)]);
}

#[test]
fn files_that_are_not_read_are_named_with_those_that_name_them() {
    let missing =
        findings(&[("a.trs", "import \"b\";\n"), ("b.trs", "import \"c.trs\";\nsort S = struct A;\n")]);
    assert_eq!(missing, [found("T0110", "b.trs", "\"c.trs\"", 2)]);
    let circle = findings(&[
        ("a.trs", "import \"b\";\n"),
        ("b.trs", "import \"c\";\n"),
        ("c.trs", "import \"./a.trs\";\n"),
    ]);
    assert_eq!(circle, [found("T0110", "c.trs", "\"./a.trs\"", 3)]);
    let own = findings(&[("a.trs", "import \"a.trs\";\ninput 1;\n")]);
    assert_eq!(own, [found("T0110", "a.trs", "\"a.trs\"", 1)]);
    let folder = findings(&[("a.trs", "import \"deep\"; import \"\";\ninput 1;\n"), ("deep/b.trs", "")]);
    assert_eq!(folder, [found("T0110", "a.trs", "\"deep\"", 1), found("T0110", "a.trs", "\"\"", 1)]);
    let empty = findings(&[("a.trs", "import \"b\";\ninput 1;\n"), ("b.trs", "% nothing\n")]);
    assert_eq!(empty, [found("T0005", "b.trs", "", 1)]);
    for wrong in ["import lists;", "import \"lists;", "import;", "import \"a\" \"b\";", "map F: \"a\";"] {
        let found = findings(&[("a.trs", &format!("{wrong}\ninput 1;\n"))]);
        assert!(
            !found.is_empty() && found.iter().all(|f| f.0 == "T0003" || f.0 == "T0012"),
            "{wrong} {found:?}"
        );
    }
}

#[test]
fn what_is_read_counts_for_the_limit_of_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("b.trs"), "% ".repeat(1000)).expect("a file");
    let mut sources = SourceMap::new();
    let id = sources.add(folder.path().join("a.trs").display().to_string(), "import \"b\";");
    let loaded = gchr_trs::load_files(&mut sources, id, None, &Account::new(Some(1000)));
    assert!(loaded.program.is_none());
    assert_eq!(loaded.diagnostics[0].code, "T0110");
    assert!(loaded.diagnostics[0].message.contains("cannot be read"), "{:?}", loaded.diagnostics);
}

#[test]
fn a_text_alone_imports_nothing() {
    let mut sources = SourceMap::new();
    let id = sources.add("a.trs", "import \"b\";\ninput 1;");
    let codes: Vec<_> = gchr_trs::load(&sources, id).diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["T0110"]);
}

#[test]
fn there_may_be_a_thousand_files_in_a_row() {
    let name = |n: usize| format!("f{n}.trs");
    let texts: Vec<(String, String)> =
        (0..1001).map(|n| (name(n), format!("import \"f{}\";\nsort S{n} = struct A{n};\n", n + 1))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (_, loaded) = in_folder(&files);
    let codes: Vec<_> = loaded.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["T0110"]);
    assert!(loaded.diagnostics[0].message.contains("more than 1000 files"), "{:?}", loaded.diagnostics);
}
