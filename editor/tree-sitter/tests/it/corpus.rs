//! The corpus: texts with their trees, in the format of tree-sitter.

use crate::{Kind, parse};

const CORPUS: [(Kind, &str); 2] = [
    (Kind::Trs, include_str!("../../trs/test/corpus/programs.txt")),
    (Kind::Chr, include_str!("../../chr/test/corpus/programs.txt")),
];

/// Name, text and tree of each case.
fn cases(corpus: &str) -> Vec<(&str, &str, &str)> {
    let is_line = |part: &str, c: char| part.len() > 2 && part.chars().all(|x| x == c);
    let mut lines = Vec::new();
    let mut at = 0;
    for line in corpus.split_inclusive('\n') {
        lines.push((at, line.trim_end()));
        at += line.len();
    }
    let heads: Vec<usize> = (0..lines.len())
        .filter(|&i| is_line(lines[i].1, '=') && lines.get(i + 2).is_some_and(|l| is_line(l.1, '=')))
        .collect();
    let mut cases = Vec::new();
    for (number, &head) in heads.iter().enumerate() {
        let end = heads.get(number + 1).map_or(lines.len(), |&next| next);
        let middle =
            (head + 3..end).find(|&i| is_line(lines[i].1, '-')).expect("a line between text and tree");
        let begin = |line: usize| lines.get(line).map_or(corpus.len(), |l| l.0);
        let text = &corpus[begin(head + 3)..begin(middle)];
        cases.push((lines[head + 1].1, text, &corpus[begin(middle + 1)..begin(end)]));
    }
    cases
}

/// A tree as the corpus writes it: without names of fields, with one blank between its parts.
fn plain(tree: &str) -> String {
    let words = tree.split_whitespace().filter(|word| !word.ends_with(':'));
    words.collect::<Vec<_>>().join(" ").replace(" )", ")")
}

#[test]
fn texts_of_the_corpus_have_their_trees() {
    for (kind, corpus) in CORPUS {
        let cases = cases(corpus);
        assert!(cases.len() >= 5, "{}", cases.len());
        for (name, text, tree) in cases {
            assert_eq!(plain(&parse(kind, text).root_node().to_sexp()), plain(tree), "{name}");
        }
    }
}
