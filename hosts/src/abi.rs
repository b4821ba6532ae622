//! The functions of the standard binary interface of MPI (MPI: A Message-Passing Interface Standard, version 5.0,
//! chapter 20), bound when the library is loaded.

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

type Handle = *mut c_void;

/// Constants of the interface.
const COMM_WORLD: Handle = ptr::without_provenance_mut(0x101);
const ERRORS_RETURN: Handle = ptr::without_provenance_mut(0x143);
const UINT64: Handle = ptr::without_provenance_mut(0x259);
const THREAD_SERIALIZED: c_int = 2048;

type InitThread = unsafe extern "C" fn(*const c_int, *const c_void, c_int, *mut c_int) -> c_int;
type OfWorld = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type SetErrors = unsafe extern "C" fn(Handle, Handle) -> c_int;
type StartAllToAll =
    unsafe extern "C" fn(*const u64, c_int, Handle, *mut u64, c_int, Handle, Handle, *mut Handle) -> c_int;
type StartAllToAllV = unsafe extern "C" fn(
    *const u64,
    *const i64,
    *const isize,
    Handle,
    *mut u64,
    *const i64,
    *const isize,
    Handle,
    Handle,
    *mut Handle,
) -> c_int;
type Test = unsafe extern "C" fn(*mut Handle, *mut c_int, *mut c_void) -> c_int;
type Finalize = unsafe extern "C" fn() -> c_int;

/// A library of MPI that is at work. It is used by one thread at a time.
pub(crate) struct Abi {
    start_all_to_all: StartAllToAll,
    start_all_to_all_v: StartAllToAllV,
    test: Test,
    finalize: Finalize,
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    /// Keeps the functions where they are.
    _library: Library,
}

/// How many words go to, or come from, each process, and where the first of them is.
pub(crate) struct Blocks {
    counts: Vec<i64>,
    offsets: Vec<isize>,
    words: usize,
}

impl Blocks {
    /// Blocks one behind the other.
    pub(crate) fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let mut blocks = Self { counts: Vec::new(), offsets: Vec::new(), words: 0 };
        for length in lengths {
            blocks.counts.push(length as i64);
            blocks.offsets.push(blocks.words as isize);
            blocks.words += length;
        }
        blocks
    }

    pub(crate) fn words(&self) -> usize {
        self.words
    }
}

/// An error code of MPI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) c_int);

fn checked(code: c_int) -> Result<(), Code> {
    if code == 0 { Ok(()) } else { Err(Code(code)) }
}

impl Abi {
    /// Loads a library and joins the processes that were started together. A process does so once.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: the library is one of MPI, whose initialisers may be run in any process; `get` gives the functions
        // the types that the standard says.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        macro_rules! get {
            ($name:literal as $type:ty) => {
                // SAFETY: as above.
                *unsafe { library.get::<$type>($name.as_bytes()) }.map_err(|error| error.to_string())?
            };
        }
        let init = get!("MPI_Init_thread" as InitThread);
        let set_errors = get!("MPI_Comm_set_errhandler" as SetErrors);
        let (rank_of, size_of) = (get!("MPI_Comm_rank" as OfWorld), get!("MPI_Comm_size" as OfWorld));
        let start_all_to_all = get!("MPI_Ialltoall" as StartAllToAll);
        let start_all_to_all_v = get!("MPI_Ialltoallv_c" as StartAllToAllV);
        let (test, finalize) = (get!("MPI_Test" as Test), get!("MPI_Finalize" as Finalize));
        let (mut provided, mut rank, mut ranks) = (0, 0, 0);
        // SAFETY: MPI is started once, before any other call, with no arguments of the command line; the numbers are
        // written to variables that live as long as the calls.
        let joined = unsafe {
            checked(init(ptr::null(), ptr::null(), THREAD_SERIALIZED, &mut provided))
                .and_then(|()| checked(set_errors(COMM_WORLD, ERRORS_RETURN)))
                .and_then(|()| checked(rank_of(COMM_WORLD, &mut rank)))
                .and_then(|()| checked(size_of(COMM_WORLD, &mut ranks)))
        };
        joined.map_err(|Code(code)| format!("MPI does not start (error {code})"))?;
        let (rank, ranks) = (rank as usize, ranks as usize);
        Ok(Self { start_all_to_all, start_all_to_all_v, test, finalize, rank, ranks, _library: library })
    }

    /// Sends blocks of equal length; gives what has come. `wait` is called until it is there.
    pub(crate) fn all_to_all(&self, send: &[u64], wait: impl FnMut()) -> Result<Vec<u64>, Code> {
        let block = send.len() / self.ranks;
        let (send, mut received) = (send.to_vec(), vec![0; block * self.ranks]);
        let mut request = ptr::null_mut();
        let block = block as c_int;
        // SAFETY: both buffers have a block for each process. They live until `complete` says that MPI is done with
        // them, and for ever if it fails.
        let started = checked(unsafe {
            (self.start_all_to_all)(
                send.as_ptr(),
                block,
                UINT64,
                received.as_mut_ptr(),
                block,
                UINT64,
                COMM_WORLD,
                &mut request,
            )
        });
        match started.and_then(|()| self.complete(request, wait)) {
            Ok(()) => Ok(received),
            Err(code) => {
                std::mem::forget((send, received));
                Err(code)
            }
        }
    }

    /// The same with blocks of any lengths.
    pub(crate) fn all_to_all_v(
        &self,
        (send, to): (Vec<u64>, Blocks),
        from: Blocks,
        wait: impl FnMut(),
    ) -> Result<Vec<u64>, Code> {
        assert!(send.len() == to.words && to.counts.len() == self.ranks && from.counts.len() == self.ranks);
        let mut received = vec![0; from.words];
        let mut request = ptr::null_mut();
        // SAFETY: each buffer is as long as the blocks that lie in it, of which there is one for each process. Buffers
        // and blocks live until `complete` says that MPI is done with them, and for ever if it fails.
        let started = checked(unsafe {
            (self.start_all_to_all_v)(
                send.as_ptr(),
                to.counts.as_ptr(),
                to.offsets.as_ptr(),
                UINT64,
                received.as_mut_ptr(),
                from.counts.as_ptr(),
                from.offsets.as_ptr(),
                UINT64,
                COMM_WORLD,
                &mut request,
            )
        });
        match started.and_then(|()| self.complete(request, wait)) {
            Ok(()) => Ok(received),
            Err(code) => {
                std::mem::forget((send, received, to, from));
                Err(code)
            }
        }
    }

    fn complete(&self, mut request: Handle, mut wait: impl FnMut()) -> Result<(), Code> {
        loop {
            let mut is_done = 0;
            // SAFETY: the request is that of a call that has started and is not done; the status is not asked for.
            checked(unsafe { (self.test)(&mut request, &mut is_done, ptr::null_mut()) })?;
            if is_done != 0 {
                return Ok(());
            }
            wait();
        }
    }

    /// Leaves the processes that were started together: the last call.
    pub(crate) fn finalize(&mut self) {
        // SAFETY: no call is under way, and none follows: the owner is dropped.
        unsafe { (self.finalize)() };
    }
}

// SAFETY: MPI is started for calls from one thread at a time, whichever it is; all calls but the one that starts it go
// through a value that is not shared.
unsafe impl Send for Abi {}
