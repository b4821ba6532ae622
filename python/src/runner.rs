//! A thread for each session. Sessions stay where they were made; what they are asked for comes as jobs.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use gchr::base::watch::Watch;
use gchr::{Control, Diagnostics, Limits, Progress, Session};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::Refusal;

/// How often a waiting interpreter looks for signals.
const LOOK: Duration = Duration::from_millis(20);

type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// The thread of a session; it ends with this.
pub struct Runner {
    jobs: mpsc::Sender<Job>,
}

/// What a run shows while it goes on.
#[derive(Default)]
pub struct Shown {
    stop: Arc<AtomicBool>,
    steps: AtomicU64,
    bytes: AtomicU64,
    live: AtomicU64,
    output: Mutex<Vec<u8>>,
}

/// What looks at a run from the interpreter.
#[derive(Default)]
pub struct Watcher<'a, 'py> {
    /// Called with steps, bytes and constraints.
    pub progress: Option<&'a Bound<'py, PyAny>>,
    /// Called with what the program writes.
    pub output: Option<&'a Bound<'py, PyAny>>,
}

impl Runner {
    /// Opens a session on a thread of its own.
    pub fn open(
        py: Python<'_>,
        open: impl FnOnce(Watch<'static>) -> Result<Session, Diagnostics> + Send + 'static,
    ) -> PyResult<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (answer, opened) = mpsc::channel();
        let shown = Shown::default();
        let watch = shown.watch();
        let work = move || match open(watch) {
            Err(found) => drop(answer.send(Some(Refusal::from(found)))),
            Ok(mut session) => {
                if answer.send(None).is_ok() {
                    queue.into_iter().for_each(|job| job(&mut session));
                }
            }
        };
        let thread = thread::Builder::new().name("gchr".into()).spawn(work);
        thread.map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
        match wait(py, opened, &shown, &Watcher::default())? {
            None => Ok(Self { jobs }),
            Some(refusal) => Err(refusal.raise(py)),
        }
    }

    /// Does something with the session. A signal that Python turns into an exception stops a run first.
    pub fn call<T: Send + 'static>(
        &self,
        py: Python<'_>,
        watcher: &Watcher<'_, '_>,
        work: impl FnOnce(&mut Session, &Arc<Shown>) -> Result<T, Refusal> + Send + 'static,
    ) -> PyResult<T> {
        let shown = Arc::new(Shown::default());
        let (answer, done) = mpsc::channel();
        let inside = Arc::clone(&shown);
        let job = Box::new(move |session: &mut Session| {
            session.set_watch(inside.watch());
            drop(answer.send(work(session, &inside)));
        });
        self.jobs.send(job).map_err(|_| gone())?;
        wait(py, done, &shown, watcher)?.map_err(|refusal| refusal.raise(py))
    }
}

fn gone() -> PyErr {
    PyRuntimeError::new_err(
        "the session ended by an internal error of gchr; please report it with the program",
    )
}

/// Waits for an answer with the interpreter free, and shows meanwhile what there is.
fn wait<T: Send>(
    py: Python<'_>,
    mut answer: mpsc::Receiver<T>,
    shown: &Shown,
    watcher: &Watcher<'_, '_>,
) -> PyResult<T> {
    let mut interrupted = None;
    loop {
        let answer = &mut answer;
        let next = py.detach(move || answer.recv_timeout(LOOK));
        let seen = shown.show(watcher).and_then(|()| py.check_signals());
        if let Err(error) = seen {
            shown.stop.store(true, Ordering::Relaxed);
            interrupted.get_or_insert(error);
        }
        match next {
            Ok(found) => return interrupted.map_or(Ok(found), Err),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(interrupted.unwrap_or_else(gone)),
        }
    }
}

impl Shown {
    /// What stops the reading of programs and facts.
    fn watch(&self) -> Watch<'static> {
        let mut watch = Watch::new();
        watch.also_stop(Arc::clone(&self.stop));
        watch
    }

    /// A control of a run that reports here.
    pub fn control(self: &Arc<Self>, limits: Limits) -> Control<'_> {
        let here = Arc::clone(self);
        let progress = move |now: Progress| {
            here.steps.store(now.steps, Ordering::Relaxed);
            here.bytes.store(now.bytes, Ordering::Relaxed);
            here.live.store(now.live, Ordering::Relaxed);
        };
        Control::new(limits)
            .interrupt(&self.stop)
            .progress(progress)
            .output(Box::new(Output(Arc::clone(self))))
    }

    fn written(&self) -> MutexGuard<'_, Vec<u8>> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out what has come since the last time.
    fn show(&self, watcher: &Watcher<'_, '_>) -> PyResult<()> {
        let text = {
            let mut written = self.written();
            // A character may have come in part.
            let whole = match std::str::from_utf8(&written) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to() + error.error_len().unwrap_or(0),
            };
            let bytes: Vec<u8> = written.drain(..whole).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        if let Some(output) = watcher.output
            && !text.is_empty()
        {
            output.call1((text,))?;
        }
        let steps = self.steps.load(Ordering::Relaxed);
        if let Some(progress) = watcher.progress
            && steps > 0
        {
            let (bytes, live) = (self.bytes.load(Ordering::Relaxed), self.live.load(Ordering::Relaxed));
            progress.call1((steps, bytes, live))?;
        }
        Ok(())
    }
}

/// What the program writes.
struct Output(Arc<Shown>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.written().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
