//! The text form: what is printed parses back, and what is wrong is said with its line.

use proptest::prelude::*;

use super::{program, read};
use crate::*;

#[test]
fn every_instruction_prints_and_parses_back() {
    let text = ".threads 12
.warp 8
.segment 4
.memory 0: 1 2 _ -4 5 6 7 8
.memory 8: 0*97
begin:
    bz v, begin
    bnz 1, 3
    branch_mask j, last
middle:
    jump middle
    load v, [tid]
    load v, [-3]
    store [v], warp_size
    atomic_inc w, [v]
    add v, w, -9223372036854775808
    const w, 9223372036854775807
    copy w, lane
    shfl v, threads
    shfl v, w, 3
    sync
    everywhere
    end_everywhere
last:
    stop
";
    let first = program(text);
    assert_eq!(first.to_string(), text);
    assert_eq!(first.settings.memory.len(), 105);
    for (name, _) in BinaryOp::ALL {
        assert!(read(&format!("{name} v, 1, 2\n stop")).is_ok(), "{name}");
    }
}

#[test]
fn lines_may_have_labels_and_comments_or_nothing() {
    let free = program("\n% nothing\r\n a: b: const v,1 % one\r\n\n  c:\n stop% end");
    assert_eq!(free, Program { spans: free.spans.clone(), ..program("a:\nb: const v, 1\nc: stop") });
}

#[test]
fn all_mistakes_are_shown_with_their_lines() {
    let shown = read(
        ".warp 65
.speed 3
    bz v
    fly v, 1
    jump nowhere
    add v, 1, 2, 3
    load v, tid
a:  const tid, 1
    copy v, [w]
a:  const v, 99999999999999999999
    const v w
    jump 0
    store [v], & 1
    jump 99
",
    );
    insta::assert_snapshot!(shown.expect_err("is full of mistakes"));
}

#[test]
fn programs_end_with_a_stop() {
    for (text, code) in
        [("", "S0008"), ("sync", "S0008"), ("a: jump b\n b:", "S0005"), ("jump 3\n stop", "S0005")]
    {
        let shown = read(text).expect_err("does not end");
        assert!(shown.contains(code), "{text}: {shown}");
    }
}

#[test]
fn memory_files_are_checked() {
    let memory = |text: &str| {
        let mut sources = gchr_base::source::SourceMap::new();
        let id = sources.add("memory", text);
        parse_memory(&sources, id).map_err(|found| found[0].message.clone())
    };
    assert_eq!(
        memory("% two\n 1 2\n\n 4: 5*2 _\n"),
        Ok(vec![Some(1), Some(2), None, None, Some(5), Some(5), None])
    );
    assert_eq!(memory(""), Ok(vec![]));
    for wrong in ["x", "-1: 5", "1*0", "99999999999999999999", "0*99999999", "16777216: 0", "1 2,"] {
        assert!(memory(wrong).is_err(), "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_strange(words in prop::collection::vec(0..24usize, 0..60)) {
        const WORDS: [&str; 24] = [
            "bz", "jump", "load", "shfl", "stop", "add", ".memory", ".warp", "a", "b", "tid", "_", "1", "-7", "0",
            ",", ":", "[", "]", "*", "\n", "\n", "é", "%",
        ];
        let text: Vec<_> = words.into_iter().map(|word| WORDS[word]).collect();
        if let Ok(read) = read(&text.join(" ")) {
            prop_assert_eq!(program(&read.to_string()).code, read.code);
        }
    }
}
