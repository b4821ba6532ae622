//! A process that was started as one of several: before each step that all take together they agree that they are ready
//! for the same, and one of them says what is to be said.

use gchr::{Agreement, Team, Worker, Workers};

use super::args::Args;
use crate::cli::exit::Exit;
use crate::cli::report;

/// This process among those that were started together, or alone.
pub struct Member {
    worker: Option<Worker>,
    /// Once it has joined the others.
    team: Option<Team>,
}

impl Member {
    /// By the environment of the process. The lines of a batch are shared without a word to each other.
    pub fn of(args: &Args) -> Self {
        let worker = Team::launched().filter(|_| args.inputs.is_none() && args.workers.is_none());
        if worker.is_some_and(|worker| worker.rank > 0) {
            report::hold();
        }
        Self { worker, team: None }
    }

    /// Which workers share the run, where the options say so much.
    pub fn workers(&self, given: Workers) -> Workers {
        if self.worker.is_some() { Workers::Team } else { given }
    }

    /// Whether the result comes to this process.
    pub fn shows_results(&self) -> bool {
        self.worker.is_none_or(|worker| worker.rank == 0)
    }

    /// Goes on when all have done the same step, and ends all when one has not. The first one that has not says why.
    pub fn agree<T>(&mut self, done: Result<T, Exit>, what: impl Fn(&T) -> u64) -> Result<T, Exit> {
        let Some(Worker { rank, ranks }) = self.worker else { return done };
        if self.team.is_none() {
            let joined = Team::join(Worker { rank, ranks });
            self.team = Some(joined.map_err(|error| {
                report::let_go(false);
                // All find the same.
                if rank == 0 {
                    report::finding(&error);
                }
                Exit::Usage
            })?);
        }
        let Some(team) = &self.team else { return done };
        let what = done.as_ref().map_or(0, what);
        let agreement = team.agree(done.is_ok(), what).map_err(|error| {
            report::let_go(true);
            report::finding(&error);
            Exit::Failed
        })?;
        match agreement {
            Agreement::Ready => done,
            Agreement::NotReady(first) => {
                if first == rank && rank > 0 {
                    report::let_go(true);
                    self.sign();
                }
                done.and(Err(Exit::Usage))
            }
            Agreement::Different(other) => {
                if rank == 0 {
                    let message =
                        format!("process {} of {ranks} has another program, version or options", other + 1);
                    report::problem(
                        "U0112",
                        &message,
                        "start the same command on all hosts, with the same files",
                    );
                }
                Err(Exit::Usage)
            }
        }
    }

    /// Says which of several processes has said what was said last.
    pub fn sign(&self) {
        if let Some(Worker { rank, ranks }) = self.worker {
            report::say(&format!("gchr: this was process {} of {ranks}\n", rank + 1));
        }
    }

    /// From now on each process speaks for itself.
    pub fn speak(&self) {
        report::let_go(false);
    }
}
