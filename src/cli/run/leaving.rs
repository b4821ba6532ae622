//! What a run held, while its result is written and the process ends.

use std::mem;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gchr::Executable;

/// Writing that takes longer than this is worth to give a GPU back meanwhile. A process that ends soon does better to
/// leave that to the system, which may go on with it while the next process starts.
const SOON: Duration = Duration::from_millis(10);

/// A thread that gives back what a run held on a GPU. Nothing else need be given back: the process ends.
pub struct Leaving(Option<(Sender<()>, JoinHandle<()>)>);

impl Leaving {
    /// The run is over, and its result is written from now on.
    pub fn begin(executable: Executable<'_>) -> Self {
        if executable.kernels().is_none() {
            mem::forget(executable);
            return Self(None);
        }
        let held = mem::ManuallyDrop::new(executable.into_held());
        let (sender, receiver) = mpsc::channel();
        let give_back = move || {
            if receiver.recv_timeout(SOON).is_err() {
                drop(mem::ManuallyDrop::into_inner(held));
            }
        };
        let thread = thread::Builder::new().name("leaving".into()).spawn(give_back);
        // Without a thread the system gives it back.
        Self(thread.ok().map(|thread| (sender, thread)))
    }

    /// The result is written.
    pub fn end(self) {
        if let Some((sender, thread)) = self.0 {
            // A thread that has begun to give back does not listen any more.
            let _ = sender.send(());
            let _ = thread.join();
        }
    }
}
