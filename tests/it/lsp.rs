//! `gchr lsp`, by a client that speaks the protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{BINARY, Scratch};

/// Longest wait for a message.
const PATIENCE: Duration = Duration::from_secs(60);

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: mpsc::Receiver<Value>,
    /// Messages that came before one that was waited for.
    seen: Vec<Value>,
    number: i64,
}

impl Client {
    fn start() -> Self {
        let mut child = Command::new(BINARY)
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(message) = next(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, input, messages, seen: Vec::new(), number: 0 }
    }

    /// A client that has said hello.
    fn open(capabilities: Value) -> (Self, Value) {
        let mut client = Self::start();
        let hello = client.ask("initialize", json!({"capabilities": capabilities}));
        client.tell("initialized", json!({}));
        (client, hello["result"].clone())
    }

    fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The answer to a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(|message| message["id"] == id)
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&wanted) {
            return self.seen.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message comes");
            if wanted(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// The findings of a version of a text.
    fn findings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let found = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        found["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn open_text(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "gchr", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Asks about the first place of `mark` in the text, and `into` bytes behind.
    fn about(&mut self, method: &str, uri: &str, text: &str, mark: &str, more: Value) -> Value {
        let byte = text.find(mark).expect("the mark is there");
        let line = text[..byte].matches('\n').count();
        let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
        let column = text[start..byte].encode_utf16().count();
        let mut params =
            json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": column}});
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.ask(method, params)
    }

    /// Says goodbye; the exit code and what was said on standard error.
    fn end(mut self) -> (i32, String) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.gone()
    }

    fn gone(mut self) -> (i32, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
        let status = self.child.wait().expect("it ends");
        (status.code().unwrap_or(-1), said)
    }
}

fn next(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            header => {
                let (name, value) = header.split_once(':')?;
                if name == "Content-Length" {
                    length = value.trim().parse().ok()?;
                }
            }
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The parts of the text that ranges of an answer name, in their order.
fn texts(text: &str, ranges: &Value) -> Vec<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let list = match ranges {
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    let part = |found: &Value| {
        let range = if found["range"].is_null() { found } else { &found["range"] };
        let at = |place: &Value, key: &str| place[key].as_u64().expect("a number") as usize;
        let (line, from) = (at(&range["start"], "line"), at(&range["start"], "character"));
        let units: Vec<u16> = lines[line].encode_utf16().collect();
        let to = at(&range["end"], "character");
        format!("{}:{}", line + 1, String::from_utf16_lossy(&units[from..to]))
    };
    list.iter().map(part).collect()
}

const PATHS: &str = "% Roads from a town to a town.
:- chr_constraint road(+atom, +atom), 'Way'(+atom, +atom), leq(?, ?).
:- op(700, xfx, leq).

road(X, Y) ==> 'Way'(X, Y).
far @ road(X, 'ä𝄞'), 'Way'(Y, Z) ==> Y \\== Z, near(X) | 'Way'(X, Z).
X leq Y, Y leq X <=> X = Y.

% Whether a town is near.
near(a).
near(b) :- near(a).

?- road(a, b).
";

#[test]
fn findings_come_as_one_types() {
    let scratch = Scratch::new();
    let uri = format!("file://{}", scratch.path("my%20paths.chr").display());
    let (mut client, hello) = Client::open(json!({}));
    assert_eq!(hello["capabilities"]["positionEncoding"], "utf-16");
    client.open_text(&uri, ":- chr_constraint p(+int).\np(X) <=> q(X).\n");
    let found = client.findings(&uri, 1);
    assert_eq!(texts(":- chr_constraint p(+int).\np(X) <=> q(X).\n", &json!(found))[0], "2:q(X)");
    assert_eq!((found[0]["severity"].as_i64(), found[0]["source"].as_str()), (Some(1), Some("gchr")));
    assert!(found[0]["code"].as_str().is_some_and(|code| code.starts_with('C')), "{found:?}");
    let change = json!([{"range": {"start": {"line": 1, "character": 9}, "end": {"line": 1, "character": 10}}, "text": "p"}]);
    let document = json!({"uri": uri, "version": 2});
    client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": change}));
    let found = client.findings(&uri, 2);
    assert!(found.iter().all(|one| one["severity"] != 1), "{found:?}");
    // A text finds the files that it names, and their changes when they are saved.
    scratch.file("part.pl", "q(1).\n");
    let uri = format!("file://{}", scratch.path("whole.chr").display());
    client.open_text(&uri, ":- include(part).\n:- chr_constraint p(+int).\np(X) <=> q(X).\n");
    assert_eq!(client.findings(&uri, 1), Vec::<Value>::new());
    scratch.file("part.pl", "r(1).\n");
    client.tell("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.findings(&uri, 1)[0]["severity"], 1);
    scratch.file("trees.trs", "sort Tree(A) = struct Leaf | Node(Tree(A), A, Tree(A));\n");
    let uri = format!("file://{}", scratch.path("main.trs").display());
    client.open_text(&uri, "import \"trees\";\ninput Node(Leaf, 1, Leaf);\n");
    assert_eq!(client.findings(&uri, 1), Vec::<Value>::new());
    // What is imported is found in its text.
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 8}});
    let defined = client.ask("textDocument/definition", place.clone());
    let to = &defined["result"];
    assert!(to["uri"].as_str().is_some_and(|uri| uri.ends_with("/trees.trs")), "{defined}");
    assert_eq!(to["range"]["start"], json!({"line": 0, "character": 29}));
    let hover = client.ask("textDocument/hover", place.clone());
    let shown = hover["result"]["contents"]["value"].as_str().expect("a text");
    assert_eq!(shown, "```\nNode: Tree(A) # A # Tree(A) -> Tree(A)\n```");
    let known = client.ask("textDocument/completion", place);
    let labels = known["result"].as_array().expect("completions").iter().map(|one| one["label"].clone());
    let labels: Vec<Value> = labels.collect();
    assert!(labels.contains(&json!("Leaf")) && labels.contains(&json!("import")), "{known}");
    scratch.file("trees.trs", "sort Tree(A) = struct Leaf | Node(Tree(A), Tree(A));\n");
    client.tell("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    let found = client.findings(&uri, 1);
    assert!(found[0]["code"] == "T0103" && found[0]["range"]["start"]["line"] == 1, "{found:?}");
    assert_eq!(client.end(), (0, String::new()));
}

#[test]
fn many_changes_end_in_the_findings_of_the_last() {
    let (mut client, _) = Client::open(json!({"general": {"positionEncodings": ["utf-8", "utf-16"]}}));
    let uri = "file:///none/x.trs";
    client.open_text(uri, "map F: Int -> Int;\n");
    for version in 2..60 {
        let text = format!("map F: Int -> Int;\nvar n: Int;\neqn F(n) = G{version}(n);\n");
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"text": text}]);
        client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }
    let found = client.findings(uri, 59);
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("G59")), "{found:?}");
    client.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    let gone =
        client.wait(|message| message["params"]["uri"] == uri && message["params"]["version"].is_null());
    assert_eq!(gone["params"]["diagnostics"], json!([]));
    let closed = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
    assert!(closed["error"]["message"].as_str().is_some_and(|text| text.contains("not open")), "{closed}");
    assert_eq!(client.end().0, 0);
}

#[test]
fn symbols_of_constraint_programs_are_found() {
    let (mut client, _) = Client::open(json!({}));
    let uri = "file:///none/paths.chr";
    client.open_text(uri, PATHS);
    let found = client.findings(uri, 1);
    assert!(found.iter().all(|one| one["severity"] != 1), "{found:?}");
    let mut about = |method: &str, mark: &str, more: Value| client.about(method, uri, PATHS, mark, more);

    let defined = about("textDocument/definition", "'Way'(X, Y)", json!({}));
    assert_eq!(texts(PATHS, &defined["result"]), ["2:'Way'"]);
    let all = json!({"context": {"includeDeclaration": true}});
    let named = about("textDocument/references", "'Way'(+atom", all.clone());
    assert_eq!(texts(PATHS, &named["result"]), ["2:'Way'", "5:'Way'", "6:'Way'", "6:'Way'"]);
    let named = about("textDocument/references", "leq(?", json!({"context": {"includeDeclaration": false}}));
    assert_eq!(texts(PATHS, &named["result"]), ["7:leq", "7:leq"]);
    let named = about("textDocument/references", "near(X)", all.clone());
    assert_eq!(texts(PATHS, &named["result"]), ["6:near", "10:near", "11:near", "11:near"]);
    let variable = about("textDocument/documentHighlight", "Z) ==>", json!({}));
    assert_eq!(texts(PATHS, &variable["result"]), ["6:Z", "6:Z", "6:Z"]);

    let hover = about("textDocument/hover", "near(X)", json!({}));
    let shown = hover["result"]["contents"]["value"].as_str().expect("a text").to_string();
    assert!(shown.contains("near/1") && shown.contains("Whether a town is near."), "{shown}");
    let hover = about("textDocument/hover", "road(+atom", json!({}));
    let shown = hover["result"]["contents"]["value"].as_str().expect("a text").to_string();
    assert!(shown.contains("constraint road(+atom, +atom)") && shown.contains("Roads from"), "{shown}");
    let hover = about("textDocument/hover", "far @", json!({}));
    let shown = hover["result"]["contents"]["value"].as_str().expect("a text").to_string();
    assert!(shown.starts_with("far: ") && shown.contains("rounds"), "{shown}");
    assert!(about("textDocument/hover", "\n\n% Whether", json!({}))["result"].is_null());

    let outline = about("textDocument/documentSymbol", "road", json!({}));
    let names: Vec<&str> =
        outline["result"].as_array().expect("a list").iter().filter_map(|e| e["name"].as_str()).collect();
    assert_eq!(names, ["road", "Way", "leq", "rule 1", "far", "rule 3", "near", "?-"]);
    let words = about("textDocument/completion", "near(X) |", json!({}));
    let labels: Vec<&str> =
        words["result"].as_array().expect("a list").iter().filter_map(|e| e["label"].as_str()).collect();
    assert!(
        ["road", "Way", "near", "X", "Z", "pragma"].iter().all(|name| labels.contains(name)),
        "{labels:?}"
    );

    let renamed = about("textDocument/rename", "'Way'(+atom", json!({"newName": "way"}));
    let edits = renamed["result"]["changes"][uri].as_array().expect("edits");
    assert_eq!(edits.len(), 4);
    assert!(edits.iter().all(|edit| edit["newText"] == "way"));
    let quoted = about("textDocument/rename", "road(+atom", json!({"newName": "A road"}));
    assert_eq!(quoted["result"]["changes"][uri][0]["newText"], "'A road'");
    for (mark, name, said) in [
        ("road(+atom", "leq", "something else"),
        ("near(X)", "atom", "built in"),
        ("Z) ==>", "z", "no name"),
        ("leq(?", "below", "operator"),
        ("Z) ==>", "Y", "something else"),
        ("\n\n% Whether", "x", "no name here"),
    ] {
        let refused = about("textDocument/rename", mark, json!({"newName": name}));
        let message = refused["error"]["message"].as_str().unwrap_or("").to_string();
        assert!(message.contains(said), "{mark} {name}: {refused}");
    }
    assert_eq!(client.end().0, 0);
}

#[test]
fn rules_over_ground_stores_are_explained() {
    let (mut client, _) = Client::open(json!({}));
    let uri = "file:///none/closure.chr";
    let text = ":- chr_constraint edge(+int, +int), path(+int, +int).
path(X, Y) \\ path(X, Y) <=> true.
step @ edge(X, Y), path(Y, Z) ==>
    path(X, Z).
";
    client.open_text(uri, text);
    client.findings(uri, 1);
    for (mark, said) in
        [("step @", "growth of sets: only adds"), ("path(X, Y) \\", "set semantics of path/2")]
    {
        let hover = client.about("textDocument/hover", uri, text, mark, json!({}));
        let shown = hover["result"]["contents"]["value"].as_str().expect("a text");
        assert!(shown.contains(said), "{mark}: {shown}");
    }
    assert_eq!(client.end().0, 0);
}

#[test]
fn a_text_is_laid_out_by_one_edit() {
    let (mut client, hello) = Client::open(json!({}));
    assert_eq!(hello["capabilities"]["documentFormattingProvider"], true);
    let uri = "file:///none/x.chr";
    let text = ":- chr_constraint a(?int).\n\n% 𝄞\na(X)<=>\n true.\n?- a(1).\n";
    client.open_text(uri, text);
    let ask = json!({"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": true}});
    let answer = client.ask("textDocument/formatting", ask.clone());
    let lines = json!({"start": {"line": 3, "character": 0}, "end": {"line": 5, "character": 0}});
    assert_eq!(answer["result"], json!([{"range": lines, "newText": "a(X) <=>\n    true.\n"}]));
    let mut change = |version: i32, text: &str| {
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"text": text}]);
        client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        client.ask("textDocument/formatting", ask.clone())["result"].clone()
    };
    assert_eq!(change(2, "a :- b.\n"), json!([]));
    assert_eq!(change(3, "a :- b(.\n"), Value::Null);
    let whole = json!({"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 5}});
    assert_eq!(
        change(4, "a:-b."),
        json!([{"range": {"start": {"line": 0, "character": 0}, "end": whole["end"]}, "newText": "a :- b.\n"}])
    );
    assert_eq!(client.end().0, 0);
}

/// What a constraint program includes, directly or not, is found in its text; so is what is wrong there.
#[test]
fn included_texts_are_looked_into() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("parts")).expect("a folder");
    scratch.file(
        "parts/edges.pl",
        "% A way of one step.\n:- chr_constraint edge(+int, +int).\n:- include(more).\n",
    );
    scratch.file("parts/more.chr", "twice(X, Y) :- Y is 2 * X.\n");
    let uri = format!("file://{}", scratch.path("main.chr").display());
    let text = ":- include('parts/edges').\n:- chr_constraint path(+int, +int).\n\
        edge(X, Y) ==> twice(X, Z), path(Z, Y).\n";
    let (mut client, _) = Client::open(json!({}));
    client.open_text(&uri, text);
    assert_eq!(client.findings(&uri, 1), Vec::<Value>::new());
    for (mark, file, line) in
        [("edge(X", "parts/edges.pl", 1), ("twice(X", "parts/more.chr", 0), ("path(Z", "main.chr", 1)]
    {
        let defined = client.about("textDocument/definition", &uri, text, mark, json!({}));
        let found = defined["result"]["uri"].as_str().unwrap_or_default();
        assert!(
            found.ends_with(file) && defined["result"]["range"]["start"]["line"] == line,
            "{mark}: {defined}"
        );
    }
    let hover = client.about("textDocument/hover", &uri, text, "edge(X", json!({}));
    let shown = hover["result"]["contents"]["value"].as_str().unwrap_or_default();
    assert!(shown.contains("constraint edge(+int, +int)") && shown.contains("A way of one step."), "{hover}");
    let known = client.about("textDocument/completion", &uri, text, "path(Z", json!({}));
    let labels: Vec<_> =
        known["result"].as_array().expect("a list").iter().map(|item| &item["label"]).collect();
    assert!(labels.contains(&&json!("edge")) && labels.contains(&&json!("twice")), "{known}");
    // A mistake in a part is told with its place, and goes when the part is saved without it.
    scratch.file("parts/more.chr", "twice(X, Y) :- Y is .\n");
    client.tell("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    let wrong = loop {
        let found = client.findings(&uri, 1);
        if !found.is_empty() {
            break found;
        }
    };
    let is_there = |one: &Value| one["message"].as_str().is_some_and(|m| m.contains("parts/more.chr:1:"));
    assert!(wrong.iter().any(is_there), "{wrong:?}");
    assert_eq!(client.end().0, 0);
}

/// A program of so many rules.
fn large(rules: usize) -> String {
    let declared: Vec<String> = (0..rules).map(|i| format!("c{i}(+int, +int)")).collect();
    let lines: String = (0..rules)
        .map(|i| format!("c{i}(X, Y) ==> X < {i}, Y > X | c{}(Y, X).\n", (i + 1) % rules))
        .collect();
    format!(":- chr_constraint {}.\n{lines}", declared.join(", "))
}

/// What was found in a text that has changed since is not shown, and versions that a newer one waits behind are not
/// checked.
#[test]
fn a_large_text_that_changes_is_checked_as_it_is_in_the_end() {
    let (mut client, _) = Client::open(json!({}));
    let (uri, text) = ("file:///none/changing.chr", large(3000));
    client.open_text(uri, &text);
    for version in 2..12 {
        let end = json!({"line": 3001, "character": 0});
        let change =
            json!({"range": {"start": end, "end": end}, "text": format!("c1(X, Y) <=> gone{version}(X).\n")});
        let document = json!({"uri": uri, "version": version});
        client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
        std::thread::sleep(Duration::from_millis(100));
    }
    let found = client.findings(uri, 11);
    let undeclared = |found: &&Value| found["message"].as_str().is_some_and(|text| text.contains("gone"));
    assert_eq!(found.iter().filter(undeclared).count(), 10, "{found:?}");
    let shown: Vec<i64> = client.seen.iter().filter_map(|seen| seen["params"]["version"].as_i64()).collect();
    assert!(shown.is_sorted(), "{shown:?}");
    assert_eq!(client.end().0, 0);
}

/// A request that is taken back before its turn has an error in the place of an answer; one that has its answer stays.
#[test]
fn requests_are_taken_back() {
    let (mut client, _) = Client::open(json!({}));
    let (uri, text) = ("file:///none/large.chr", large(3000));
    client.open_text(uri, &text);
    let of = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}});
    let ids = [json!(100), json!("hundred and one"), json!(102)];
    let outline =
        json!({"jsonrpc": "2.0", "id": ids[0], "method": "textDocument/documentSymbol", "params": of});
    client.send(&outline);
    for id in &ids[1..] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": of}));
    }
    // The outline takes longer than the notice takes to come.
    client.tell("$/cancelRequest", json!({"id": ids[1]}));
    client.tell("$/cancelRequest", json!({"nothing": true}));
    let mut answer = |id: &Value| client.wait(|message| message["id"] == *id);
    assert!(answer(&ids[0])["result"].as_array().is_some_and(|symbols| symbols.len() >= 3000));
    assert_eq!(answer(&ids[1])["error"]["code"], -32800);
    assert!(answer(&ids[2])["result"]["contents"].is_object());
    // Too late; the same number may come again.
    client.tell("$/cancelRequest", json!({"id": ids[2]}));
    client.send(&json!({"jsonrpc": "2.0", "id": ids[2], "method": "textDocument/hover", "params": of}));
    assert!(client.wait(|message| message["id"] == ids[2])["result"]["contents"].is_object());
    assert_eq!(client.end().0, 0);
}

/// A text of thousands of rules is checked while somebody waits.
#[test]
fn large_texts_are_checked_soon() {
    let text = large(3000);
    let (mut client, _) = Client::open(json!({}));
    let uri = "file:///none/large.chr";
    client.open_text(uri, &text);
    let hover = client.about("textDocument/hover", uri, &text, "c7(X", json!({}));
    assert!(
        hover["result"]["contents"]["value"].as_str().is_some_and(|t| t.contains("constraint c7")),
        "{hover}"
    );
    assert_eq!(client.findings(uri, 1), Vec::<Value>::new());
    assert_eq!(client.end().0, 0);
}

/// Names are changed beside clauses that cannot be read.
#[test]
fn names_change_beside_mistakes() {
    let text = ":- chr_constraint edge(+int, +int), path(+int, +int).\nedge(X, Y) ==> path(X, Y.\n\
        edge(X, Y), path(Y, Z) ==> path(X, Z).\nfoo(] .\npath(X, X) <=> true.\n";
    let (mut client, _) = Client::open(json!({}));
    let uri = "file:///none/wrong.chr";
    client.open_text(uri, text);
    assert!(client.findings(uri, 1).len() >= 2);
    let renamed = client.about("textDocument/rename", uri, text, "path(+int", json!({"newName": "way"}));
    let edits = renamed["result"]["changes"][uri].as_array().expect("edits").clone();
    let lines: Vec<i64> = edits.iter().filter_map(|edit| edit["range"]["start"]["line"].as_i64()).collect();
    for line in [0, 2, 4] {
        assert!(lines.contains(&line), "{renamed}");
    }
    assert_eq!(client.end().0, 0);
}

#[test]
fn symbols_of_term_programs_are_found() {
    let text = "% Natural numbers.
sort Nat = struct Zero() | S(Nat);
map Plus: Nat # Nat -> Nat; % adds
var x, y: Nat;
eqn Plus(Zero(), y) = y;
    Plus(S(x), y) = S(Plus(x, y));
input Plus(S^3(Zero()), Zero());
";
    let (mut client, _) = Client::open(json!({}));
    let uri = "file:///none/nat.trs";
    client.open_text(uri, text);
    assert_eq!(client.findings(uri, 1), Vec::<Value>::new());
    let mut about = |method: &str, mark: &str, more: Value| client.about(method, uri, text, mark, more);
    let all = json!({"context": {"includeDeclaration": true}});
    let named = about("textDocument/references", "S(Nat)", all.clone());
    assert_eq!(texts(text, &named["result"]), ["2:S", "6:S", "6:S", "7:S"]);
    let named = about("textDocument/references", "Nat = struct", all);
    assert_eq!(texts(text, &named["result"]), ["2:Nat", "2:Nat", "3:Nat", "3:Nat", "3:Nat", "4:Nat"]);
    let defined = about("textDocument/definition", "Plus(x, y)", json!({}));
    assert_eq!(texts(text, &defined["result"]), ["3:Plus"]);
    let hover = about("textDocument/hover", "Plus(x, y)", json!({}));
    assert!(
        hover["result"]["contents"]["value"].as_str().is_some_and(|t| t.contains("Plus: Nat # Nat -> Nat"))
    );
    let outline = about("textDocument/documentSymbol", "Nat", json!({}));
    let names: Vec<&str> =
        outline["result"].as_array().expect("a list").iter().filter_map(|e| e["name"].as_str()).collect();
    assert_eq!(names, ["Nat", "Zero", "S", "Plus"]);
    let renamed = about("textDocument/rename", "Plus:", json!({"newName": "Add'"}));
    assert_eq!(renamed["result"]["changes"][uri].as_array().map(Vec::len), Some(5), "{renamed}");
    let taken = about("textDocument/rename", "Plus:", json!({"newName": "Zero"}));
    assert!(
        taken["error"]["message"].as_str().is_some_and(|text| text.contains("something else")),
        "{taken}"
    );
    assert_eq!(client.end().0, 0);
}

#[test]
fn wrong_messages_are_answered_and_the_server_goes_on() {
    let mut client = Client::start();
    let early = client.ask("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002);
    client.ask("initialize", json!({"capabilities": 7}));
    client.raw(b"Content-Length: 7\r\n\r\nno JSON");
    let answer = client.wait(|message| message["id"].is_null() && message["error"].is_object());
    assert_eq!(answer["error"]["code"], -32700);
    client.send(&json!({"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}));
    client.wait(|message| message["id"].is_null() && message["error"].is_object());
    client.raw(b"Content-Length: 2\r\n\r\n{}");
    client.wait(|message| message["id"].is_null() && message["error"].is_object());
    for (method, code) in
        [("textDocument/codeLens", -32601), ("textDocument/hover", -32602), ("initialize", -32600)]
    {
        let answer = client.ask(method, json!({"textDocument": 1}));
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }
    client.tell("textDocument/didOpen", json!({"textDocument": {"uri": 3}}));
    client.tell("textDocument/didChange", json!([]));
    client.open_text("file:///none/text.txt", "no program");
    client.tell("$/unknown", json!({}));
    let uri = "file:///none/x.chr";
    client.open_text(uri, "p( <=> ");
    assert!(!client.findings(uri, 1).is_empty());
    let range = json!({"start": {"line": 900, "character": 7}, "end": {"line": 3, "character": 0}});
    let document = json!({"uri": uri, "version": 2});
    let changes = json!([{"range": range, "text": "\n"}, {"range": range, "text": ""}]);
    client.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    assert!(!client.findings(uri, 2).is_empty());
    client.ask("shutdown", Value::Null);
    let late = client.ask("textDocument/hover", json!({}));
    assert_eq!(late["error"]["code"], -32600);
    client.tell("exit", Value::Null);
    let (code, said) = client.gone();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("is left out") && said.contains("text.txt is no program"), "{said}");
}

#[test]
fn an_input_that_ends_is_an_end() {
    let (client, _) = Client::open(json!({}));
    let (code, said) = client.gone();
    assert_eq!(code, 1);
    assert!(said.contains("without shutdown"), "{said}");
    let mut client = Client::start();
    client.raw(b"Content-Length: 500\r\n\r\n{\"jsonrpc\"");
    assert_eq!(client.gone().0, 1);
}
