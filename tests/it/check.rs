//! `gchr check` for programs that read its findings, warnings that are allowed or denied, and what shells read.

use serde_json::Value;

use crate::support::Scratch;

const WARNED: &str = ":- chr_constraint a(+int), unused(+int).\na(X), a(_) <=> X > 0 | a(X).\n?- a(1).\n";
const WRONG: &str = ":- chr_constraint a(+int).\na(X) <=> b(X).\n?- a(ö).\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("warned.chr", WARNED);
    scratch.file("wrong.chr", WRONG);
    scratch
}

#[test]
fn findings_are_json() {
    let scratch = scratch();
    let run = scratch.gchr(&["check", "--format", "json", "warned.chr", "wrong.chr", "missing.chr"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, ""));
    let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let files = found["files"].as_array().expect("files");
    assert_eq!(files.len(), 3);
    assert_eq!((&files[0]["errors"], &files[1]["file"]), (&0.into(), &"wrong.chr".into()));
    let codes = |file: &Value| -> Vec<String> {
        let all = file["findings"].as_array().expect("findings").iter();
        all.map(|found| found["code"].as_str().expect("a code").to_string()).collect()
    };
    assert!(codes(&files[0]).contains(&"C0504".to_string()), "{}", run.stdout);
    let unknown = files[1]["findings"].as_array().expect("findings").iter().find(|f| f["code"] == "C0302");
    let place = &unknown.expect("b is not declared")["places"][0];
    assert_eq!((&place["line"], &place["column"], &place["end_column"]), (&2.into(), &10.into(), &14.into()));
    assert_eq!(codes(&files[2]), ["U0101"]);
}

#[test]
fn findings_are_sarif() {
    let scratch = scratch();
    let run = scratch.gchr(&["check", "--format", "sarif", "warned.chr", "wrong.chr", "missing.chr"]);
    let log: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((run.code, &log["version"]), (2, &"2.1.0".into()));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = log["runs"][0]["results"].as_array().expect("results");
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
        assert!(["error", "warning"].contains(&result["level"].as_str().expect("a level")));
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].is_string());
        assert!(place["region"].is_null() || place["region"]["startLine"].as_u64() >= Some(1), "{result}");
    }
    assert!(results.len() >= 3);
    scratch.file("a b.chr", ":- chr_constraint c(+int).\nc(X) <=> d(X).\n");
    let path = scratch.path("a b.chr").display().to_string();
    for (name, uri) in
        [("a b.chr", "a%20b.chr".to_string()), (&path, format!("file://{}", path.replace(' ', "%20")))]
    {
        let run = scratch.gchr(&["check", "--format", "sarif", name]);
        let log: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], uri);
    }
}

#[test]
fn warnings_are_allowed_or_denied() {
    let scratch = scratch();
    let check = |more: &[&str]| scratch.gchr(&[&["check", "warned.chr"], more].concat());
    let plain = check(&[]);
    assert!(plain.code == 0 && plain.stderr.contains("C0504"), "{}", plain.stderr);
    let allowed = check(&["--allow", "C0504"]);
    assert!(allowed.code == 0 && !allowed.stderr.contains("C0504"), "{}", allowed.stderr);
    let denied = check(&["-D", "warnings"]);
    assert!(
        denied.code == 2 && denied.stderr.contains("a warning that -D makes an error"),
        "{}",
        denied.stderr
    );
    assert_eq!(check(&["-D", "C0504"]).code, 2);
    assert_eq!(check(&["-D", "C0501"]).code, 0);
    assert_eq!(check(&["-D", "warnings", "--allow", "C0504", "--allow", "C0611"]).code, 0);
    for wrong in [
        &["--allow", "warnings"][..],
        &["-D", "C1"],
        &["--format", "xml"],
        &["--format", "json", "--explain"],
    ] {
        assert_eq!(check(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn shells_and_manuals_know_the_commands() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = scratch.gchr(&["completions", shell]);
        assert!(run.code == 0 && run.stdout.contains("repl") && run.stdout.contains("out-dir"), "{shell}");
    }
    assert_eq!(scratch.gchr(&["completions", "cmd"]).code, 2);
    let page = scratch.gchr(&["man"]);
    assert!(page.code == 0 && page.stdout.contains(".TH gchr 1"), "{}", page.stdout);
    assert_eq!(scratch.gchr(&["man", "--out-dir", "pages"]).code, 0);
    assert!(scratch.read("pages/gchr-run.1").contains("max\\-steps"));
    scratch.file("file", "");
    let refused = scratch.gchr(&["man", "--out-dir", "file"]);
    assert!(refused.code == 2 && refused.stderr.contains("U0107"), "{}", refused.stderr);
}

/// Comments of other languages cost one finding for each, and the lines behind them are read.
#[test]
fn comments_of_other_languages_are_told() {
    let scratch = Scratch::new();
    for mark in ["#", "//", "##", "#!"] {
        let text = format!(
            ":- use_module(library(chr)).\n{mark} it's a comment, (\n:- chr_constraint a(+int).\n{mark}another\na(X) <=> X > 1 | true.\n?- a(1).\n"
        );
        scratch.file("c.chr", &text);
        let run = scratch.gchr(&["check", "c.chr"]);
        assert!(run.code == 2 && run.stderr.contains("begin comments with %"), "{mark}: {}", run.stderr);
        assert!(run.stderr.contains("c.chr: 2 errors"), "{mark}: {}", run.stderr);
    }
}

#[test]
fn of_many_warnings_the_first_are_shown() {
    let scratch = Scratch::new();
    let rules = |n: usize| -> String { (0..n).map(|i| format!("c({i}) ==> Y is {i}.\n")).collect() };
    scratch.file("many.chr", &format!(":- chr_constraint c(+int).\n{}d <=> e.\n", rules(250)));
    let run = scratch.gchr(&["check", "many.chr"]);
    let shown = |code: &str| run.stderr.matches(&format!("[{code}] ")).count();
    assert_eq!((run.code, shown("C0501"), shown("C0301")), (2, 100, 1), "{}", run.stderr);
    assert!(run.stderr.contains("many.chr: 150 more of C0501 are not shown"), "{}", run.stderr);
    assert!(run.stderr.ends_with(" 250 warnings\n"), "{}", run.stderr);
    let denied = scratch.gchr(&["check", "many.chr", "-D", "C0501"]);
    assert_eq!((denied.code, denied.stderr.matches("[C0501] ").count()), (2, 100));
    let json = scratch.gchr(&["check", "many.chr", "--format", "json"]);
    assert_eq!(json.stdout.matches("\"C0501\"").count(), 250);
}
