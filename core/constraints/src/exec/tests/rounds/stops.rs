//! Runs that are to stop in the middle of a large round.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::super::builder::{Builder, G, R, Rounds, add, n, op, v};
use crate::exec::round::numbers::tests::MOST;
use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::op::Op;
use gchr_base::signature::ConstraintId;

/// More than are handled between two looks.
const MANY: usize = 40_000;

/// `a(X) <=> b(X)`, for so many that all go in one round.
fn moves(threads: usize) -> (Builder, Rounds) {
    let mut b = Builder::new();
    b.con("a", &["int"]).con("b", &["int"]);
    b.rule("move", R { removed: vec![("a", vec![v("X")])], body: vec![add("b", [v("X")])], ..R::default() });
    let columns = vec![FactColumn::Int((0..MANY as i64).collect())];
    let facts = vec![Facts { constraint: ConstraintId(0), columns, rows: MANY }];
    (b, Rounds { facts, ..Rounds::on(threads, false) })
}

#[test]
fn an_interrupted_round_leaves_a_whole_store() {
    for threads in [1, 3] {
        let (b, how) = moves(threads);
        let mut within = 0;
        for poll in 0.. {
            let stopped = b.under(&how, |run| {
                let (flag, polls) = (AtomicBool::new(false), AtomicU64::new(0));
                let mut control = Control::default().interrupt(&flag).progress(|now| {
                    // When the facts are read.
                    let read = now.live == MANY as u64;
                    let polled = polls.fetch_add(u64::from(read), Ordering::Relaxed);
                    flag.store(read && polled >= poll, Ordering::Relaxed);
                });
                run(&mut control).err()
            });
            let Some(stopped) = stopped else { break };
            assert_eq!(stopped.error.reason, StopReason::Interrupted);
            let counts = [0, 1].map(|c| stopped.store.count(ConstraintId(c)));
            assert!(counts == [MANY, 0] || counts == [0, MANY], "{counts:?}");
            within += u32::from(counts[0] == MANY);
        }
        assert!(within >= 3, "looked {within} times within a round on {threads} threads");
    }
}

/// The flag comes up when the first rule has fired, so that the store is between two rounds.
#[test]
fn a_run_whose_result_nobody_wants_stops_in_the_middle() {
    for threads in [1, 3] {
        let (b, how) = moves(threads);
        let stopped = b.under(&how, |run| {
            let flag = Arc::new(AtomicBool::new(false));
            let fired = |_: &str| flag.store(true, Ordering::Relaxed);
            let mut control = Control::default().trace(fired);
            control.also_stop(Arc::clone(&flag));
            run(&mut control).err()
        });
        let stopped = stopped.expect("it stops");
        assert_eq!(stopped.error.reason, StopReason::Interrupted);
        let counts = [0, 1].map(|c| stopped.store.count(ConstraintId(c)));
        assert!(counts[0] == 0 && counts[1] < MANY, "{counts:?}");
    }
}

/// Rules whose instances fire where they are found, are candidates, are kept for the next round, and are sorted.
fn finders() -> Vec<Builder> {
    let head = |name| ("p", vec![v(name)]);
    let rules = [
        R { kept: vec![head("X"), head("Y")], body: vec![add("q", [v("X"), v("Y")])], ..R::default() },
        R {
            kept: vec![head("X"), head("Y"), head("Z")],
            guard: vec![G::Test(op(Op::Lt, [v("X"), v("Z")]))],
            body: vec![add("q", [v("X"), v("Z")])],
            ..R::default()
        },
        R {
            kept: vec![head("X")],
            removed: vec![head("Y")],
            guard: vec![G::Test(op(Op::Lt, [v("X"), v("Y")]))],
            body: vec![add("q", [v("X"), v("Y")]), add("q", [v("Y"), v("X")])],
            ..R::default()
        },
    ];
    let builder = |rule| {
        let mut b = Builder::new();
        b.con("p", &["int"]).con("q", &["int", "int"]);
        b.con("r", &["int"]);
        b.rule("find", rule);
        // With candidates no round is a direct one, in which nothing is numbered.
        b.rule("take", R { kept: vec![head("X")], removed: vec![("r", vec![v("X")])], ..R::default() });
        b.query((0..8).map(|i| add("p", [n(i)])).collect::<Vec<_>>());
        b
    };
    rules.into_iter().map(builder).collect()
}

/// A run that cannot number what it finds stops with an error that says so; any other gives what it always gives.
#[test]
fn numbers_end_before_they_wrap() {
    for b in finders() {
        let run = |most: u32| {
            b.under(&Rounds::on(1, false), |run| {
                MOST.set(most);
                let result = run(&mut Control::default());
                MOST.set(u32::MAX);
                let mut text = Vec::new();
                match result {
                    Ok(outcome) => {
                        outcome.store.write_text(&b.program.signature, &mut text).unwrap();
                        Ok(text)
                    }
                    Err(stopped) => Err(stopped.error.reason),
                }
            })
        };
        let whole = run(u32::MAX);
        assert!(whole.is_ok());
        let mut stopped = 0;
        for most in 0..1000 {
            match run(most) {
                Err(StopReason::Indices { limit, .. }) => {
                    assert_eq!(limit, u64::from(most));
                    stopped += 1;
                }
                result => assert_eq!(result, whole),
            }
        }
        assert!((10..900).contains(&stopped), "{stopped}");
    }
}

/// `e(I,K,A), e(K,J,B) \ e(I,J,C) <=> C > A + B | D is A + B, e(I,J,D)` on so many places.
fn shortest(places: i64) -> (Builder, Rounds) {
    let mut b = Builder::new();
    b.con("e", &["dense", "dense", "int"]);
    let sum = || op(Op::Add, [v("A"), v("B")]);
    b.rule(
        "shorter",
        R {
            kept: vec![("e", vec![v("I"), v("K"), v("A")]), ("e", vec![v("K"), v("J"), v("B")])],
            removed: vec![("e", vec![v("I"), v("J"), v("C")])],
            guard: vec![G::Test(op(Op::Gt, [v("C"), sum()]))],
            body: vec![G::Is("D", sum()), add("e", [v("I"), v("J"), v("D")])],
            ..R::default()
        },
    );
    let pairs = || (0..places).flat_map(move |i| (0..places).map(move |j| (i, j)));
    let columns = vec![
        FactColumn::Int(pairs().map(|(i, _)| i).collect()),
        FactColumn::Int(pairs().map(|(_, j)| j).collect()),
        FactColumn::Int(pairs().map(|(i, j)| (i * 7 + j * 13) % 1000 + 1).collect()),
    ];
    let rows = (places * places) as usize;
    let facts = vec![Facts { constraint: ConstraintId(0), columns, rows }];
    (b, Rounds { facts, ..Rounds::on(1, true) })
}

/// The flag comes up while a product of matrices is computed, which takes long.
#[test]
fn a_product_of_matrices_hears_an_interrupt() {
    let (b, how) = shortest(700);
    let (after, stopped) = b.under(&how, |run| {
        let flag = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let flag = &flag;
            scope.spawn(move || {
                let read = receiver.recv();
                std::thread::sleep(std::time::Duration::from_millis(100));
                flag.store(read.is_ok(), Ordering::Relaxed);
            });
            let mut read = None;
            let mut control = Control::default().interrupt(flag).progress(|now| {
                if now.live == 700 * 700 && read.is_none() {
                    read = Some(std::time::Instant::now());
                    sender.send(()).expect("the other thread waits");
                }
            });
            let stopped = run(&mut control).err();
            drop(control);
            (read.map(|start| start.elapsed()), stopped)
        })
    });
    let stopped = stopped.expect("a product of this size takes longer");
    assert_eq!(stopped.error.reason, StopReason::Interrupted);
    assert!(after.is_some_and(|after| after.as_secs() < 5), "{after:?}");
}
