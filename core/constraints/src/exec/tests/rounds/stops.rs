//! Runs that are to stop in the middle of a large round.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::super::builder::{Builder, R, Rounds, add, v};
use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::facts::{FactColumn, Facts};
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
