//! Workers in one process: a thread each.

use std::num::NonZeroUsize;
use std::time::Instant;

use super::member::Ended;
use super::processor::Processor;
use super::wire::Post;
use super::{Engines, Job, Unshared, Whole, gather, lost, outcome, stopped, work};
use crate::exec::{Outcome, Stopped};
use gchr_base::control::Control;
use gchr_base::error::StopReason;

/// Bytes of the stack of a worker's thread.
const STACK: usize = 64 << 20;

/// Runs a job by so many workers of this process. The result is that of one worker.
pub fn run_local(
    job: Job<'_>,
    workers: NonZeroUsize,
    control: &mut Control<'_>,
) -> Result<Outcome, Box<Stopped>> {
    match run_local_by(job, &Processor { job }, workers, control) {
        Ok(Whole { outcome, .. }) => Ok(outcome),
        Err(Unshared::Stopped(stopped)) => Err(stopped),
        Err(Unshared::Alone) => job.alone(control),
    }
}

/// The same by engines of another kind.
pub fn run_local_by(
    job: Job<'_>,
    engines: &dyn Engines,
    workers: NonZeroUsize,
    control: &mut Control<'_>,
) -> Result<Whole, Unshared> {
    let start = Instant::now();
    let post = Post::new(workers.get());
    let ended = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers.get())
            .map(|rank| {
                let (post, beside) = (&post, control.beside());
                let builder =
                    std::thread::Builder::new().name(format!("gchr worker {rank}")).stack_size(STACK);
                builder.spawn_scoped(scope, move || {
                    work(job, engines, &mut post.end(rank), &mut beside.control())
                })
            })
            .collect();
        let own = match others.iter().find_map(|other| other.as_ref().err()) {
            None => work(job, engines, &mut post.end(0), control),
            Some(error) => {
                drop(post.end(0));
                lost(job, format!("the system starts no thread for one: {error}"))
            }
        };
        let others = others.into_iter().flatten().map(|other| other.join());
        std::iter::once(Ok(own)).chain(others).collect::<Vec<_>>()
    });
    let mut parts = Vec::new();
    let mut result = Ok(());
    for (rank, ended) in ended.into_iter().enumerate() {
        let (part, ended) = ended.unwrap_or_else(|_| lost(job, format!("worker {rank} has panicked")));
        parts.push(part);
        result = worse(result, ended);
    }
    let gathered = result.and_then(|()| gather::here(job, parts));
    match gathered {
        Ok((store, totals)) => outcome(job, store, totals, start).map_err(Unshared::Stopped),
        Err(Ended::Stopped(stop)) => Err(Unshared::Stopped(stopped(&stop, start))),
        Err(Ended::Again | Ended::Elsewhere) => Err(Unshared::Alone),
    }
}

/// What says more about why workers have ended: that one had to stop, and the first to say so.
fn worse(a: Result<(), Ended>, b: Result<(), Ended>) -> Result<(), Ended> {
    let rank = |ended: &Result<(), Ended>| match ended {
        Ok(()) => 0,
        Err(Ended::Elsewhere) => 1,
        Err(Ended::Again) => 2,
        Err(Ended::Stopped(stop)) if matches!(stop.reason, StopReason::Lost { .. }) => 3,
        Err(Ended::Stopped(_)) => 4,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
