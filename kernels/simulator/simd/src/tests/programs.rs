//! Whole programs: those of the paper, nested blocks, undefined results, and runs that stop early.

use super::{program, run};
use crate::*;

fn example(name: &str) -> Program {
    let path = format!("{}/../../../examples/simd/{name}.simd", env!("CARGO_MANIFEST_DIR"));
    program(&std::fs::read_to_string(path).expect("an example"))
}

fn finished<'p>(program: &'p Program, options: Options) -> Machine<'p> {
    let mut machine = Machine::new(program, options).expect("a correct program");
    machine.run(&mut Default::default()).unwrap_or_else(|stop| panic!("{:?}", stop.diagnostic(program)));
    assert!(machine.reports().is_empty(), "{:?}", machine.reports());
    machine
}

#[test]
fn the_program_of_figure_9() {
    let program = example("bench08");
    let machine = finished(&program, Options::default());
    // Thread 3 asked, and all threads added: rule EE puts the lanes to sleep again, but what they computed stays.
    let v0: Vec<_> = (0..4).map(|thread| machine.variable("v0", thread)).collect();
    assert_eq!(v0, [0, 2, 4, 6].map(Some));
    // Nobody asks when all cells hold less than 3.
    let memory = Some(vec![Some(2); 4]);
    let machine = finished(&program, Options { memory, ..Options::default() });
    let v0: Vec<_> = (0..4).map(|thread| machine.variable("v0", thread)).collect();
    assert_eq!(v0, [Some(2); 4]);
}

const WORDS: usize = 1024;

fn copied(name: &str) -> Counters {
    let program = example(name);
    let words: Vec<Value> = (0..WORDS as i64).map(|i| Some(i * i % 997)).collect();
    let memory = [words.clone(), vec![None; WORDS]].concat();
    let machine = finished(&program, Options { memory: Some(memory), ..Options::default() });
    assert!(machine.memory() == [words.clone(), words].concat(), "{name}");
    machine.counters()
}

#[test]
fn copies_with_everywhere_are_as_coalesced_as_side_by_side() {
    let [a, c, d, everywhere] = ["memcpy_a", "memcpy_c", "memcpy_d", "memcpy_everywhere"].map(copied);
    let transactions = |c: Counters| (c.load_transactions, c.store_transactions);
    // 1024 words in segments of 32; alone, each of 16 threads touches a segment of its own 64 times.
    assert_eq!(transactions(a), (32, 32));
    assert_eq!(transactions(c), (16 * 64, 16 * 64));
    assert_eq!(transactions(d), (32, 32));
    assert_eq!(transactions(everywhere), (32, 32));
    assert_eq!([a, c, d, everywhere].map(|c| c.steps), [229, 525, 616, 559]);
    assert_eq!(everywhere.divergent_branches, 1);
}

#[test]
fn any_numbers_of_threads_and_lanes_copy_right() {
    let program = example("memcpy_a");
    for (threads, warp) in [(1, 1), (7, 2), (33, 32), (64, 64), (100, 8)] {
        let options = Options { threads: Some(threads), warp: Some(warp), ..Options::default() };
        let machine = finished(&program, options);
        assert_eq!(machine.memory()[..WORDS], machine.memory()[WORDS..], "{threads} {warp}");
    }
}

#[test]
fn a_warp_with_sleeping_lanes_needs_everywhere() {
    // Figure 1 (b) with memcpy_words_d: even threads sleep, and shuffles read from them.
    insta::assert_snapshot!(run(".threads 4\n.warp 4
    mod odd, tid, 2
    bz odd, end
    mul src, tid, 8
    shfl mine, src, 2
end:
    sync
    stop"));
}

#[test]
fn blocks_nest() {
    // Threads 1 and 3 ask; for each of them those lanes ask again whose number is larger. In all, every lane counts for
    // every one.
    let text = ".threads 4\n.warp 4\n.memory 0*16
    mod odd, tid, 2
    bz odd, end
    everywhere
    const j, 0
outer:
    lt more, j, warp_size
    bz more, outer_end
    branch_mask j, outer_body
    jump outer_next
outer_body:
    gt larger, lane, j
    bz larger, asleep
    everywhere
    const k, 0
inner:
    lt more, k, warp_size
    bz more, inner_end
    branch_mask k, inner_body
    jump inner_next
inner_body:
    mul at, j, 4
    add at, at, k
    atomic_inc count, [at]
inner_next:
    add k, k, 1
    jump inner
inner_end:
    sync
    end_everywhere
asleep:
    sync
outer_next:
    add j, j, 1
    jump outer
outer_end:
    sync
    end_everywhere
end:
    sync
    stop";
    let program = program(text);
    let machine = finished(&program, Options::default());
    let counts: Vec<_> = machine.memory().iter().map(|cell| cell.expect("a number")).collect();
    // Row j, column k: 4 lanes counted for k > j, j in {1, 3}.
    assert_eq!(counts, [0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn what_is_undefined_is_reported_and_not_chosen() {
    let shown = [
        ".threads 4\n.memory 0*2\n store [0], tid\n store [1], 5\n stop",
        // A store of one warp against one of the other.
        ".threads 4\n.warp 2\n.memory 0*2\n store [1], tid\n stop",
        // One warp writes what the other one reads, and nothing orders them; increments contradict nobody.
        ".threads 4\n.warp 2\n.memory 5 6\n load v, [0]\n store [0], 7\n atomic_inc w, [1]\n stop",
    ];
    insta::assert_snapshot!(shown.map(run).join("\n"));
}

#[test]
fn a_run_that_stops_says_where_and_why() {
    for (text, code, line) in [
        ("copy v, w\n stop", "S0101", ":1:"),
        (".memory _\n load v, [0]\n stop", "S0102", ":2:"),
        (".memory 0*4\n\n load v, [tid]\n stop", "S0103", ":3:"),
        ("const v, 0\n div v, 1, v\n stop", "S0104", ":2:"),
        ("sync\n stop", "S0105", ":1:"),
        ("bz tid, 3\n sync\n stop", "S0106", ":3:"),
        ("everywhere\n bz lane, 3\n end_everywhere\n stop", "S0106", ":3:"),
        ("bz lane, a\n everywhere\n stop\n a: sync\n stop", "S0107", ":3:"),
        ("end_everywhere\n stop", "S0108", ":1:"),
        ("branch_mask 0, 2\n stop", "S0108", ":1:"),
        ("everywhere\n branch_mask tid, 3\n end_everywhere\n stop", "S0109", ":2:"),
        ("const v, 0\na: add v, v, 1\n jump a", "S0201", ".simd:"),
    ] {
        let shown = run(text);
        assert!(shown.contains(code) && shown.contains(line), "{text}\n{shown}");
    }
    insta::assert_snapshot!(run("const v, 1\n bz tid, end\n const v, 2\nend:\n stop"));
}
