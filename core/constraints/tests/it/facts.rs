//! Facts give the store, the firings and the rounds of goals that add the same constraints in the same order, also
//! where they are added in another one.

use super::support::{loaded, shown};
use gchr_base::control::{Control, Limits};
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::rule::Program;
use gchr_base::signature::ConstraintId;
use gchr_constraints::plan::compile_rounds;
use gchr_constraints::rounds;
use gchr_testkit::random::Random;

const DECLARED: &str = ":- chr_constraint e(+int, +int), p(+int, +int), w(+int, +int, +int).\n";

/// Programs over the facts e/2, with whether the order of these can be told.
const PROGRAMS: [(&str, bool); 11] = [
    ("set @ p(X, Y) \\ p(X, Y) <=> true.\ne(X, Y) ==> p(X, Y).\ne(X, Y), p(Y, Z) ==> p(X, Z).\n", false),
    ("set @ p(X, Y) \\ p(X, Y) <=> true.\ne(X, Y) ==> p(X, Y).\np(X, Y), e(Y, Z) ==> p(X, Z).\n", false),
    ("set @ p(X, Y) \\ p(X, Y) <=> true.\ne(X, Y) ==> p(X, Y).\np(X, Y), p(Y, Z) ==> p(X, Z).\n", false),
    // Of what one key has, the best stays, whatever comes first, also where others start from it.
    ("least @ p(X, A) \\ p(X, B) <=> A =< B | true.\ne(X, Y) ==> p(X, Y).\n", false),
    (
        "least @ p(X, A) \\ p(X, B) <=> A =< B | true.\ne(X, Y) ==> p(Y, X).\np(X, A), e(X, Y) ==> p(Y, A).\n",
        false,
    ),
    (
        "most @ p(X, A) \\ p(X, B) <=> A >= B | true.\ne(X, Y), e(Y, Z), e(Z, X) ==> p(X, Z), w(X, Y, Z).\n",
        false,
    ),
    // Two rules start from each constraint of a set, and one of them keeps the best.
    (
        "set @ p(X, Y) \\ p(X, Y) <=> true.\nleast @ e(X, A) \\ e(X, B) <=> A =< B | true.\n\
         e(X, Y) ==> p(X, Y).\np(X, Y), p(Y, Z) ==> p(X, Z).\np(X, Y), p(Y, X) ==> e(Y, X).\n",
        false,
    ),
    // Of equal ones the first stays, with what else it has.
    ("least @ w(X, A, _) \\ w(X, B, _) <=> A =< B | true.\ne(X, Y), e(Z, Y) ==> w(X, Y, Z).\n", true),
    // Constraints stay that no other one is equal to, as often as they are there.
    ("e(X, Y) ==> X > Y | p(Y, X).\n", false),
    // The first of each second column stays.
    ("e(_, Y) \\ e(_, Y) <=> true.\ne(X, Y) ==> p(Y, X).\n", true),
    // Neighbours remove each other in the order of their ids.
    ("e(X, Y), e(Y, Z) <=> p(X, Z).\n", true),
];

/// The store as text, firings and rounds.
type Ran = (String, Option<u64>, Option<u64>);

fn run(program: &Program, facts: &[Facts], threads: usize) -> Ran {
    let plan = compile_rounds(program, Default::default()).expect("a plan");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let run = rounds::run(program, &plan, facts, &mut Control::new(Limits::default()));
        let run = run.unwrap_or_else(|stopped| panic!("{:?}", stopped.error.reason));
        (shown(&run.store, program), run.stats.firings, run.stats.rounds)
    })
}

#[test]
fn facts_give_what_goals_give() {
    let mut random = Random::new(17);
    for (rules, can_be_told) in PROGRAMS {
        let text = format!("{DECLARED}{rules}");
        let mut differs = false;
        for (case, scale) in [1, 7, 90, 40_000, 1 << 40].into_iter().enumerate() {
            let mut node = || (random.below(23) as i64 - if case % 2 == 1 { 3 } else { 0 }) * scale;
            let rows: Vec<(i64, i64)> = (0..60).map(|_| (node(), node())).collect();
            let goals: Vec<String> = rows.iter().map(|(x, y)| format!("e({x}, {y})")).collect();
            let by_goals = loaded(&text, &goals.join(", ")).expect("a program");
            let by_facts = loaded(&text, "").expect("a program");
            let facts = |rows: &[(i64, i64)]| {
                let (first, second) = rows.iter().copied().unzip();
                let columns = vec![FactColumn::Int(first), FactColumn::Int(second)];
                vec![Facts { constraint: ConstraintId(0), columns, rows: rows.len() }]
            };
            let expected = run(&by_goals, &[], 1);
            for threads in [1, 3] {
                assert_eq!(run(&by_facts, &facts(&rows), threads), expected, "{rules} times {scale}");
            }
            // The same rows backwards: another store only where the order can be told.
            let backwards: Vec<(i64, i64)> = rows.iter().rev().copied().collect();
            differs |= run(&by_facts, &facts(&backwards), 1).0 != expected.0;
        }
        assert_eq!(differs, can_be_told, "{rules}");
    }
}
