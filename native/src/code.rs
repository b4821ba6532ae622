//! Machine code of a program: functions that are compiled when they are called first, their table, and the maps of
//! their frames.
//!
//! This module and `emit` are the only ones that name the code generator.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{ExternalName, UserFuncName};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetError};
use cranelift_codegen::{CompiledCode, Context, Final, FinalizedMachReloc, FinalizedRelocTarget, MachSrcLoc};
use cranelift_frontend::FunctionBuilderContext;
use gchr_base::hash::HashMap;
use gchr_base::stack::with_large_stack;

use crate::emit::{Emit, Functions, emit_adaptor, signature_of};
use crate::function::{Func, NO_NOTE, Signature, note_of_place};
use crate::pages::{NoPages, Pages};
use crate::stack::{self, STUB_BYTES, Stack};
use crate::vm::{NOT_COMPILED, Vm};

/// Where functions come from.
pub trait Source: Send + Sync {
    /// Emits the body of a function. It is called when the function is called first, on any thread.
    fn emit(&self, function: Func, emit: &mut Emit<'_>);
}

/// Why there is no native code, or none of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// No code is generated for this processor.
    Processor(String),
    /// The system gives no executable memory.
    Memory(String),
    /// The code is too large.
    Size,
    /// The code generator refuses a function: a bug.
    Internal(String),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Processor(why) => write!(f, "no native code for this processor: {why}"),
            Refused::Memory(why) => write!(f, "no executable memory: {why}"),
            Refused::Size => f.write_str("too much native code"),
            Refused::Internal(why) => write!(f, "internal error of native code: {why}"),
        }
    }
}

/// A root in a frame: an offset from the end of the frame, and what [`Emit::call`] was given with the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    offset: u32,
    tag: u32,
}

/// The frame of a function during a call.
#[derive(Debug)]
struct Map {
    /// Bytes between the frame pointer and the end of the frame.
    size: u32,
    /// What [`Emit::note`] said of the call.
    note: u32,
    roots: Box<[Slot]>,
}

/// Native code of a program. Any number of threads can run it.
pub struct Code<'a> {
    source: Box<dyn Source + 'a>,
    isa: OwnedTargetIsa,
    signatures: Vec<Signature>,
    /// By function: where calls of it go. At first to a stub that compiles it.
    table: Box<[AtomicU64]>,
    /// By function: its compiled code, or 0.
    compiled: Box<[AtomicU64]>,
    maps: RwLock<HashMap<u64, Map>>,
    state: Mutex<State>,
    /// Nanoseconds spent on compiling.
    time: AtomicU64,
    failure: Mutex<Option<Refused>>,
}

/// What compiling needs; one thread compiles at a time.
struct State {
    pages: Pages,
    context: Context,
    builder: FunctionBuilderContext,
    adaptors: HashMap<Signature, u64>,
}

impl<'a> Code<'a> {
    /// Functions with these signatures, none of which is compiled yet. `verify`: check what is emitted; a finding is an
    /// internal error.
    pub fn new(signatures: Vec<Signature>, source: impl Source + 'a, verify: bool) -> Result<Self, Refused> {
        let isa = isa(verify)?;
        let mut pages = Pages::new().map_err(refused)?;
        let functions = u32::try_from(signatures.len()).map_err(|_| Refused::Size)?;
        let stubs: Vec<u8> = (0..functions).flat_map(stack::stub).collect();
        let base = pages.place(&stubs, |_, _| Some(())).map_err(refused)?;
        let table = (0..u64::from(functions)).map(|f| AtomicU64::new(base + f * STUB_BYTES as u64)).collect();
        let compiled = (0..functions).map(|_| AtomicU64::new(0)).collect();
        let state = State {
            pages,
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
            adaptors: HashMap::default(),
        };
        Ok(Self {
            source: Box::new(source),
            isa,
            signatures,
            table,
            compiled,
            maps: RwLock::default(),
            state: Mutex::new(state),
            time: AtomicU64::new(0),
            failure: Mutex::new(None),
        })
    }

    /// Calls a function with words (floats by their bits), on a stack. An error is the status with which a helper
    /// [left](Vm::leave) the code, or [`NOT_COMPILED`], of which [`failure`](Self::failure) knows the reason.
    ///
    /// # Safety
    /// `vm` is the head of the machine that the code was emitted for, valid while it runs, and `arguments` are as the
    /// function expects them.
    pub unsafe fn enter(
        &self,
        vm: *mut Vm,
        function: Func,
        arguments: &[u64],
        stack: &Stack,
    ) -> Result<u64, u64> {
        // SAFETY: by the contract.
        unsafe { self.enter_at(vm, function, arguments, stack.top()) }
    }

    /// The same, on the stack with this [top](Stack::top).
    ///
    /// # Safety
    /// As for [`enter`](Self::enter); the stack is not given up meanwhile.
    pub unsafe fn enter_at(
        &self,
        vm: *mut Vm,
        function: Func,
        arguments: &[u64],
        top: u64,
    ) -> Result<u64, u64> {
        let Some(adaptor) = self.adaptor(function) else { return Err(NOT_COMPILED) };
        let target = self.table[function.0 as usize].load(Ordering::Acquire);
        // SAFETY: by the contract; the adaptor was made for this signature. The code outlives the call.
        unsafe {
            (*vm).status = 0;
            (*vm).code = std::ptr::from_ref(self).cast();
            (*vm).compile = Some(compile_missing);
            let value = stack::enter(adaptor as *const u8, vm, arguments.as_ptr(), target, top);
            match (*vm).status {
                0 => Ok(value),
                status => Err(status),
            }
        }
    }

    /// Calls `visit` with each root of the native frames while a helper runs: with its tag and its value.
    ///
    /// # Safety
    /// `vm` runs this code, and is in a helper that was called from it.
    pub unsafe fn for_each_root(&self, vm: &Vm, visit: &mut dyn FnMut(u32, u64)) {
        // SAFETY: by the contract.
        unsafe { self.for_each_root_from(vm.site, vm.frame, visit) }
    }

    /// The same from a call of a helper that has not returned: its return address, and the frame of its caller.
    ///
    /// # Safety
    /// The frames from there on, up to where native code was entered, are live.
    pub(crate) unsafe fn for_each_root_from(
        &self,
        mut site: u64,
        mut frame: u64,
        visit: &mut dyn FnMut(u32, u64),
    ) {
        let maps = self.maps.read().unwrap_or_else(PoisonError::into_inner);
        // Recursion comes from few places.
        let mut last: Option<(u64, &Map)> = None;
        // SAFETY: the chain of frames of native code, which ends at the adaptor's: it has saved a frame pointer of
        // zero.
        unsafe {
            while *(frame as *const u64) != 0 {
                let found =
                    last.filter(|known| known.0 == site).map(|known| known.1).or_else(|| maps.get(&site));
                let Some(map) = found else { unreachable!("every call of native code has a map") };
                last = Some((site, map));
                let end = frame - u64::from(map.size);
                for root in &map.roots {
                    visit(root.tag, *((end + u64::from(root.offset)) as *const u64));
                }
                site = *((frame + 8) as *const u64);
                frame = *(frame as *const u64);
            }
        }
    }

    /// What [`Emit::note`] said where the helper that runs was called; and where the function that called it was
    /// called.
    ///
    /// # Safety
    /// As for [`for_each_root`](Self::for_each_root).
    pub unsafe fn notes(&self, vm: &Vm) -> (u32, u32) {
        let maps = self.maps.read().unwrap_or_else(PoisonError::into_inner);
        let note = |site: u64| maps.get(&site).map_or(NO_NOTE, |map| map.note);
        // SAFETY: the frame of native code has its return address above the frame pointer.
        (note(vm.site), note(unsafe { *((vm.frame + 8) as *const u64) }))
    }

    /// The lowest address of the native frames while a helper runs.
    ///
    /// # Safety
    /// As for [`for_each_root`](Self::for_each_root).
    pub unsafe fn end_of_frames(&self, vm: &Vm) -> u64 {
        let maps = self.maps.read().unwrap_or_else(PoisonError::into_inner);
        vm.frame - maps.get(&vm.site).map_or(0, |map| u64::from(map.size))
    }

    /// Compiles all functions that nobody has compiled.
    pub fn compile_all(&self) -> Result<(), Refused> {
        (0..self.signatures.len()).try_for_each(|function| self.compile(Func(function as u32)).map(|_| ()))
    }

    /// Time spent on compiling so far.
    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.time.load(Ordering::Relaxed))
    }

    /// Bytes of memory that the code takes.
    pub fn bytes(&self) -> usize {
        self.lock().pages.bytes()
    }

    /// Functions that have been compiled.
    pub fn functions(&self) -> usize {
        self.compiled.iter().filter(|f| f.load(Ordering::Relaxed) != 0).count()
    }

    /// Why a function could not be compiled, if that has happened.
    pub fn failure(&self) -> Option<Refused> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why a run ended with [`NOT_COMPILED`].
    pub fn refusal(&self) -> Refused {
        self.failure().unwrap_or_else(|| Refused::Internal("a function was not compiled".into()))
    }

    /// The emitted form of a function, for tests and for people.
    pub fn show(&self, function: Func) -> String {
        let mut context = Context::new();
        let mut builder = FunctionBuilderContext::new();
        self.emit(function, &mut context, &mut builder);
        context.func.display().to_string()
    }

    pub(crate) fn signature(&self, function: Func) -> &Signature {
        &self.signatures[function.0 as usize]
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, why: Refused) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// Emits a function; gives the tags of the slots of its frame.
    fn emit(&self, function: Func, context: &mut Context, builder: &mut FunctionBuilderContext) -> Vec<u32> {
        context.func.signature = signature_of(self.signature(function), CallConv::Tail);
        context.func.name = UserFuncName::user(0, function.0);
        let mut emit = Emit::new(self, function, &mut context.func, builder);
        self.source.emit(function, &mut emit);
        emit.finish()
    }

    /// The compiled code of a function; compiles it if nobody has.
    fn compile(&self, function: Func) -> Result<u64, Refused> {
        let compiled = &self.compiled[function.0 as usize];
        let mut state = self.lock();
        let known = compiled.load(Ordering::Acquire);
        if known != 0 {
            return Ok(known);
        }
        let start = Instant::now();
        let done =
            with_large_stack(|| catch_unwind(AssertUnwindSafe(|| self.compile_here(function, &mut state))));
        let address = done.unwrap_or_else(|panic| Err(Refused::Internal(message(&*panic))))?;
        compiled.store(address, Ordering::Release);
        self.table[function.0 as usize].store(address, Ordering::Release);
        self.time.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(address)
    }

    fn compile_here(&self, function: Func, state: &mut State) -> Result<u64, Refused> {
        let State { pages, context, builder, .. } = state;
        context.clear();
        let tags = self.emit(function, context, builder);
        let names: Vec<u32> =
            context.func.params.user_named_funcs().values().map(|name| name.index).collect();
        let code = self.generate(context)?;
        let target = |name: usize, own: u64| {
            let callee = names[name];
            if callee == function.0 { own } else { self.compiled[callee as usize].load(Ordering::Acquire) }
        };
        let address = pages
            .place(code.code_buffer(), |bytes, at| {
                code.buffer.relocs().iter().try_for_each(|reloc| relocate(reloc, bytes, at, &target))
            })
            .map_err(refused)?;
        let places = code.buffer.get_srclocs_sorted();
        let mut maps = self.maps.write().unwrap_or_else(PoisonError::into_inner);
        for (offset, size, map) in code.buffer.user_stack_maps() {
            // The first entry marks where the slots begin.
            let offsets: Vec<u32> = map.entries().map(|entry| entry.1).collect();
            let base = offsets.iter().copied().min().unwrap_or(0);
            let slot = |&offset: &u32| Slot { offset, tag: tags[((offset - base) / 8) as usize] };
            let roots = offsets.iter().filter(|&&offset| offset != base).map(slot).collect();
            // The last one that begins before the return address of the call.
            let before = places.partition_point(|range| range.start < *offset);
            let of_call = |range: &&MachSrcLoc<Final>| *offset <= range.end;
            let place = places[..before].last().filter(of_call);
            let note = place.map_or(NO_NOTE, |range| note_of_place(range.loc.bits()));
            maps.insert(address + u64::from(*offset), Map { size: *size, note, roots });
        }
        Ok(address)
    }

    /// Machine code of what a context has.
    fn generate<'c>(&self, context: &'c mut Context) -> Result<&'c CompiledCode, Refused> {
        let internal = |what: String| Refused::Internal(what);
        let done = context.compile(&*self.isa, &mut ControlPlane::default());
        done.map_err(|error| match error.inner {
            cranelift_codegen::CodegenError::CodeTooLarge => Refused::Size,
            error => internal(error.to_string()),
        })
    }

    /// Code that the host can call, for a function's signature: it takes the arguments from memory.
    fn adaptor(&self, function: Func) -> Option<u64> {
        let signature = self.signature(function);
        let mut state = self.lock();
        if let Some(&known) = state.adaptors.get(signature) {
            return Some(known);
        }
        let State { pages, context, builder, adaptors } = &mut *state;
        context.clear();
        emit_adaptor(&self.isa, signature, &mut context.func, builder);
        let placed = self.generate(context).and_then(|code| {
            pages
                .place(code.code_buffer(), |_, _| code.buffer.relocs().is_empty().then_some(()))
                .map_err(refused)
        });
        match placed {
            Ok(address) => {
                adaptors.insert(signature.clone(), address);
                Some(address)
            }
            Err(why) => {
                self.fail(why);
                None
            }
        }
    }
}

/// Compiles a function that native code has called. It gives the address, or leaves native code.
///
/// # Safety
/// Called by the shim of [`stack`] only: `vm` runs code that has this function.
unsafe extern "C" fn compile_missing(vm: *mut Vm, function: u64) -> u64 {
    // SAFETY: set by `Code::enter`, whose borrow of the code lasts as long as native code runs.
    let code = unsafe { &*(*vm).code.cast::<Code<'_>>() };
    match code.compile(Func(function as u32)) {
        Ok(address) => address,
        Err(why) => {
            code.fail(why);
            // SAFETY: as above.
            unsafe { (*vm).leave(NOT_COMPILED) };
            0
        }
    }
}

/// Whether this processor and this system run native code.
pub fn probe() -> Result<(), Refused> {
    let nothing = [0; 16];
    isa(false)?;
    Pages::new().and_then(|mut pages| pages.place(&nothing, |_, _| Some(()))).map_err(refused)?;
    Ok(())
}

/// Puts the address of a function of the same code into a call.
fn relocate(
    reloc: &FinalizedMachReloc,
    bytes: &mut [u8],
    at: u64,
    target: &impl Fn(usize, u64) -> u64,
) -> Option<()> {
    let FinalizedRelocTarget::ExternalName(ExternalName::User(name)) = reloc.target else { return None };
    let to = target(name.as_u32() as usize, at).checked_add_signed(reloc.addend)?;
    let distance = to.wrapping_sub(at + u64::from(reloc.offset)).cast_signed();
    let place = bytes.get_mut(reloc.offset as usize..)?.first_chunk_mut::<4>()?;
    match reloc.kind {
        Reloc::X86CallPCRel4 | Reloc::X86PCRel4 => {
            *place = i32::try_from(distance).ok()?.to_le_bytes();
        }
        Reloc::Arm64Call => {
            let words = u32::from_le_bytes((distance >> 2).to_le_bytes()[..4].try_into().ok()?);
            let instruction = u32::from_le_bytes(*place) & !0x03ff_ffff | words & 0x03ff_ffff;
            *place = instruction.to_le_bytes();
        }
        _ => return None,
    }
    Some(())
}

impl Functions for Code<'_> {
    fn isa(&self) -> &dyn TargetIsa {
        &*self.isa
    }
    fn signature(&self, function: Func) -> &Signature {
        Code::signature(self, function)
    }
    fn is_compiled(&self, function: Func) -> bool {
        self.compiled[function.0 as usize].load(Ordering::Acquire) != 0
    }
    fn entry(&self, function: Func) -> u64 {
        std::ptr::from_ref(&self.table[function.0 as usize]) as u64
    }
}

fn isa(verify: bool) -> Result<OwnedTargetIsa, Refused> {
    let flags = || -> Result<settings::Flags, SetError> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed")?;
        flags.set("enable_pinned_reg", "true")?;
        flags.set("preserve_frame_pointers", "true")?;
        flags.set("enable_verifier", if verify { "true" } else { "false" })?;
        flags.set("is_pic", "false")?;
        flags.set("unwind_info", "false")?;
        flags.set("enable_probestack", "false")?;
        Ok(settings::Flags::new(flags))
    };
    let flags = flags().map_err(|error| Refused::Internal(error.to_string()))?;
    let builder = cranelift_native::builder().map_err(|why| Refused::Processor(why.into()))?;
    builder.finish(flags).map_err(|error| Refused::Internal(error.to_string()))
}

fn refused(why: NoPages) -> Refused {
    match why {
        NoPages::System(why) => Refused::Memory(why),
        NoPages::Full => Refused::Size,
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    text.unwrap_or("a panic").to_string()
}
