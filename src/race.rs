//! Two sides that look for the same result: the processor's here, a GPU's on a thread or in a process of its own. The
//! first result is the result.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;

/// What is said of a run that the GPU won, in this process or in one of its own.
pub const BY_GPU: &str = "gpu: it was done before the cpu";
/// Why a run stays on the processor from the start.
pub(crate) const WATCHED: &str = "cpu: the run is recorded or traced";

/// Runs that are shorter never touch the GPU: while it comes up, which takes some 200 ms, a run on the processor that
/// needs much memory takes up to twice as long. A fifth of that time is the price for runs that the GPU wins.
const HEAD_START: Duration = Duration::from_millis(40);
/// Between two looks at the limits while the GPU works alone.
const WATCH: Duration = Duration::from_millis(10);

/// GPUs that are being brought up, or still work, for runs that are over.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Whether a GPU is still being brought up for a run that is over. Then a process should end without waiting for it.
pub fn gpu_pending() -> bool {
    PENDING.load(Ordering::Acquire) > 0
}

/// The work of the GPU's side once it is ready; gives a result, or why there is none.
pub type Work<T> = Box<dyn FnOnce(&mut Control<'_>) -> Result<T, String>>;

/// How far the GPU is.
enum Phase<T> {
    /// It waits for the processor's head start, or comes up.
    Starting,
    Working,
    /// It has no result, and why.
    Failed(String),
    Done(Box<T>),
}

/// The end of waiting for the GPU's side.
pub(crate) enum RaceOutcome<T> {
    /// Its result.
    Ready(T),
    /// The caller gave up first.
    Abandoned,
    /// It has no result, and why.
    Unavailable(String),
}

/// A GPU that looks for the result that the caller looks for, too.
pub struct Race<T> {
    /// The GPU has a result.
    over: Arc<AtomicBool>,
    /// The processor has one, or nobody wants one any more.
    called_off: AtomicBool,
    phase: Mutex<Phase<T>>,
    changed: Condvar,
}

impl<T: Send + 'static> Race<T> {
    /// Starts the GPU's side when the processor's has had a head start: `make` brings a GPU up and gives what is to be
    /// done with it. The processor's side, which follows under `control`, stops when the GPU has a result.
    pub fn start(
        control: &mut Control<'_>,
        make: impl FnOnce() -> Result<Work<T>, String> + Send + 'static,
    ) -> Arc<Self> {
        let race = Arc::new(Self {
            over: Arc::default(),
            called_off: AtomicBool::new(false),
            phase: Mutex::new(Phase::Starting),
            changed: Condvar::new(),
        });
        control.also_stop(Arc::clone(&race.over));
        let (limits, start) = (control.limits(), control.start());
        let side = Arc::clone(&race);
        let work = move || {
            let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let work = if side.waits_in_vain() { return Phase::Starting } else { make() };
                let work = match work {
                    Ok(work) => work,
                    Err(why) => return Phase::Failed(why),
                };
                side.set(Phase::Working);
                match work(&mut Control::new(limits).since(start).interrupt(&side.called_off)) {
                    Ok(outcome) => Phase::Done(Box::new(outcome)),
                    Err(why) => Phase::Failed(why),
                }
            }));
            side.set(worked.unwrap_or_else(|_| Phase::Failed("the gpu's side failed".into())));
            PENDING.fetch_sub(1, Ordering::AcqRel);
        };
        PENDING.fetch_add(1, Ordering::AcqRel);
        if std::thread::Builder::new().name("gchr gpu".into()).spawn(work).is_err() {
            PENDING.fetch_sub(1, Ordering::AcqRel);
            race.set(Phase::Failed("the system gives no more threads".into()));
        }
        race
    }

    /// Gives the processor its head start; whether it was enough.
    fn waits_in_vain(&self) -> bool {
        let called_off = |_: &mut Phase<T>| !self.called_off.load(Ordering::Acquire);
        drop(self.changed.wait_timeout_while(self.phase(), HEAD_START, called_off));
        self.called_off.load(Ordering::Acquire)
    }

    fn phase(&self) -> MutexGuard<'_, Phase<T>> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, phase: Phase<T>) {
        let done = matches!(phase, Phase::Done(_));
        *self.phase() = phase;
        self.over.store(done, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits for the GPU's result until somebody else gives up.
    pub(crate) fn wait(&self, given_up: impl Fn() -> bool) -> RaceOutcome<T> {
        let mut phase = self.phase();
        loop {
            match std::mem::replace(&mut *phase, Phase::Starting) {
                Phase::Done(outcome) => return RaceOutcome::Ready(*outcome),
                Phase::Failed(why) => return RaceOutcome::Unavailable(why),
                waits => *phase = waits,
            }
            if given_up() {
                return RaceOutcome::Abandoned;
            }
            phase = self.changed.wait_timeout(phase, WATCH).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Stops the GPU; says how far it was.
    pub fn call_off(&self) -> String {
        self.called_off.store(true, Ordering::Release);
        self.changed.notify_all();
        match &*self.phase() {
            Phase::Starting => "cpu: it was done before the gpu was ready".into(),
            Phase::Working | Phase::Done(_) => "cpu: it was done before the gpu".into(),
            Phase::Failed(why) => format!("cpu: {why}"),
        }
    }

    /// The GPU's result when the processor stopped without one: because of it, or for want of memory, which the GPU may
    /// have.
    pub fn result(&self, reason: &StopReason, control: &mut Control<'_>) -> Option<T> {
        let waits = matches!(reason, StopReason::Memory { .. } | StopReason::Indices { .. });
        let mut phase = self.phase();
        while waits && matches!(*phase, Phase::Starting | Phase::Working) {
            phase = self.changed.wait_timeout(phase, WATCH).unwrap_or_else(PoisonError::into_inner).0;
            let now = Progress { steps: 0, bytes: 0, live: 0 };
            if !matches!(*phase, Phase::Done(_)) && control.poll(now).is_err() {
                break;
            }
        }
        let found = std::mem::replace(&mut *phase, Phase::Starting);
        drop(phase);
        self.called_off.store(true, Ordering::Release);
        self.changed.notify_all();
        if let Phase::Done(outcome) = found { Some(*outcome) } else { None }
    }
}

/// Why the GPU's side has no result, by the first of its findings.
pub(crate) fn no_result(found: &[Diagnostic]) -> String {
    let message = found.first().map_or("no reason is known", |d| d.message.as_str());
    format!("the gpu has no result ({message})")
}
