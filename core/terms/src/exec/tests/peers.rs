//! The classical programs: known normal forms and rule applications; speed, on request.

use super::*;
use std::time::Duration;

pub(super) const TREEXP: &str =
    "sort Nat = struct Zero | S(Nat); Tree = struct Leaf(Nat) | Node(Tree, Tree) | Multl(Nat, Tree) | Visit(Tree);
var X : Nat; O, P : Tree;
eqn Multl(Zero, O) = O; Multl(S(X), O) = Node(Multl(X, O), Multl(X, O));
 Visit(Node(O, P)) = Node(Visit(O), Visit(P)); Visit(Leaf(X)) = Leaf(X);
input Visit(Multl($N, Leaf(Zero)));";

fn sized(text: &str, n: u32) -> String {
    text.replace("$N", &format!("S^{n}(Zero)"))
}

#[test]
fn tree_exploration_counts() {
    let (text, stats) = run_text(&sized(TREEXP, 2), TermOptions::default(), false);
    assert_eq!(text, "Node(Node(Leaf(Zero), Leaf(Zero)), Node(Leaf(Zero), Leaf(Zero)))");
    let (_, stats10) = run_text(&sized(TREEXP, 10), TermOptions::default(), false);
    assert_eq!(stats10.rewrites, Some(2 * 1024 + 10));
    assert_eq!(stats.rewrites, Some(2 * 4 + 2));
}

/// Speed of the peers' programs: `cargo test --release -p gchr-terms peers::speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let folder = std::env::var("PEERS").expect("PEERS names the folder of the .mtrs files");
    let sizes = std::env::var("SIZES").unwrap_or_default();
    for part in sizes.split_whitespace() {
        let (name, n) = part.split_once(':').expect("name:size");
        let n: u32 = n.parse().expect("a size");
        let source = std::fs::read_to_string(format!("{folder}/{name}.mtrs")).expect("source");
        let source = sized(&source, n).replace("$LIST5", "L").replace("$LIST", "L");
        let program = program(&source);
        let plan = compile(&program, &TermOptions::default()).expect("plan");
        if std::env::var("SHOW").is_ok() {
            println!("{plan}");
        }
        let Start::Term(Some(input)) = &program.start else { panic!("no input") };
        let mut best = Duration::MAX;
        let mut stats = Stats::default();
        for _ in 0..5 {
            let mut control = Control::default();
            let out = run(&program, &plan, input, &mut control).expect("run");
            best = best.min(Duration::from_secs_f64(out.stats.run_ms.unwrap_or(0.0) / 1e3));
            stats = out.stats;
        }
        let rewrites = stats.rewrites.unwrap_or(0);
        println!(
            "{name} {n}: {:.1} ms, {rewrites} rewrites, {:.1} M/s, {} collections, peak {} MB, live {}",
            best.as_secs_f64() * 1e3,
            rewrites as f64 / best.as_secs_f64() / 1e6,
            stats.collections.unwrap_or(0),
            stats.peak_bytes.unwrap_or(0) >> 20,
            stats.live_cells.unwrap_or(0),
        );
    }
}
