//! From kernels to code for a GPU: units and their objects, compiled side by side while the kernels are checked.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use gchr_base::diagnostic::Diagnostic;
use gchr_cuda::{Arch, Compiler, DeviceInfo, Gpu, Image, LateKernels, NvrtcOptions};
use gchr_kernel::device::DeviceError;
use gchr_kernel::ir::Module;
use gchr_kernel::{Form, Unit};

use super::helper::{self, Helper};
use super::kernels::{HasKernels, NAME};
use super::verify::before_launch;
use crate::options::KernelTier;
use crate::stack::with_large_stack;

/// Registers of a multiprocessor, of all architectures that NVRTC 13 knows.
const REGISTERS: u32 = 1 << 16;

/// What kernels are compiled for.
#[derive(Clone)]
pub(super) struct Target {
    /// Of the program's text.
    name: String,
    arch: Arch,
    pub form: Form,
    pub kernels: KernelTier,
}

impl Target {
    /// Fast kernels for a GPU.
    pub fn new(gpu: &DeviceInfo, name: &str, form: Form) -> Result<Self, Vec<Diagnostic>> {
        let arch = compiler()?.arch_for(gpu.capability).map_err(|found| vec![found])?;
        Ok(Self { name: name.to_string(), arch, form, kernels: KernelTier::Fast })
    }

    /// Kernels that are compiled in little time instead.
    pub fn soon(self) -> Self {
        Self { kernels: KernelTier::Soon, ..self }
    }

    /// What the compiler gets of a unit.
    pub fn text(&self, unit: Unit, module: &Module) -> Result<UnitText, Vec<Diagnostic>> {
        // The counters of what kernels count belong to one image; and the driver gets PTX as a whole.
        let whole = self.form == Form::Counting || matches!(self.arch, Arch::Virtual(_));
        let unit = if whole { Unit { apart: Vec::new(), ..unit } } else { unit };
        let objects = with_large_stack(|| match self.form {
            Form::Plain => gchr_kernel::cuda_objects(&unit, module, &self.name),
            form => Ok(vec![gchr_kernel::cuda_text_as(&unit.of(module), &self.name, form)?]),
        })?;
        let options = match objects.len() {
            1 => self.options(),
            _ => self.options().object(Unit::registers(&unit.of(module), REGISTERS)),
        };
        Ok(UnitText { objects, options })
    }

    fn options(&self) -> NvrtcOptions {
        match (self.form, self.kernels) {
            (Form::Counting, _) => NvrtcOptions::kernels().with_lines(),
            (Form::Plain, KernelTier::Fast) => NvrtcOptions::kernels().from_env(),
            (Form::Plain, KernelTier::Soon) => NvrtcOptions::kernels_soon().from_env(),
        }
    }

    /// Links code where it comes in objects, and keeps what that gives; and loads it.
    pub fn load(&self, code: UnitCode, gpu: &mut Gpu) -> Result<(), DeviceError> {
        match code {
            UnitCode::Image(image) => gpu.load(&image),
            UnitCode::Objects(images, text) => {
                let linked = gpu.link(&images)?;
                if let Ok(compiler) = Compiler::from_env() {
                    compiler.keep_linked(&text.objects, NAME, &text.options, &linked);
                }
                gpu.load(&linked)
            }
        }
    }
}

fn compiler() -> Result<Compiler, Vec<Diagnostic>> {
    Compiler::from_env().map_err(|error| vec![error.into()])
}

/// What the compiler gets of a unit: the text of each object and the options of all; one where the unit is compiled as
/// a whole.
#[derive(Clone)]
pub(super) struct UnitText {
    objects: Vec<String>,
    options: NvrtcOptions,
}

impl UnitText {
    /// The image of the unit, if it is in the cache.
    fn find(&self, compiler: &Compiler, arch: Arch) -> Option<Image> {
        match self.objects.as_slice() {
            [text] => Some(compiler.find(text, NAME, arch, &self.options)?.compiled.image),
            objects => compiler.find_linked(objects, NAME, arch, &self.options),
        }
    }
}

/// What the compiler gets: the units that most runs need, and those that few need.
pub(super) struct Texts {
    pub usual: Vec<UnitText>,
    pub rare: Vec<Unit>,
}

impl Texts {
    pub fn of(made: &impl HasKernels, target: &Target) -> Result<Self, Vec<Diagnostic>> {
        let module = made.module();
        let units = match target.form {
            Form::Plain => made.units(),
            Form::Counting => vec![Unit::whole(module)],
        };
        let (rare, usual): (Vec<_>, Vec<_>) = units.into_iter().partition(|unit| unit.rare);
        let usual = usual.into_iter().map(|unit| target.text(unit, module)).collect::<Result<_, _>>()?;
        Ok(Self { usual, rare })
    }

    /// Whether all that most runs need is in the cache.
    pub fn are_compiled(&self, target: &Target) -> bool {
        let Ok(compiler) = compiler() else { return false };
        self.usual.iter().all(|unit| unit.find(&compiler, target.arch).is_some())
    }
}

/// Code of a unit.
pub(super) enum UnitCode {
    /// To be loaded.
    Image(Image),
    /// To be linked.
    Objects(Vec<Image>, UnitText),
}

/// Compiled kernels.
pub(super) struct BuiltKernels {
    pub usual: Vec<UnitCode>,
    /// Those that few runs need.
    pub rare: Vec<Late>,
    /// Milliseconds that the check took beyond the compilation.
    pub verify_ms: f64,
}

/// Kernels of a unit that few runs need.
pub(super) struct Late {
    target: Target,
    unit: Unit,
    needed: Module,
    /// Generated when it is asked for.
    text: OnceLock<Result<UnitText, Vec<Diagnostic>>>,
}

impl Late {
    fn text(&self) -> Result<&UnitText, Vec<Diagnostic>> {
        let text = self.text.get_or_init(|| self.target.text(self.unit.clone(), &self.needed));
        text.as_ref().map_err(Clone::clone)
    }
}

impl LateKernels for Late {
    fn names(&self) -> &[String] {
        &self.unit.kernels
    }
    fn find(&self) -> Option<Image> {
        self.text().ok()?.find(&compiler().ok()?, self.target.arch)
    }
    fn compile(&self) -> Result<Vec<Image>, Vec<Diagnostic>> {
        Ok(match compile(&self.target, vec![self.text()?.clone()])?.pop() {
            Some(UnitCode::Image(image)) => vec![image],
            Some(UnitCode::Objects(images, _)) => images,
            None => Vec::new(),
        })
    }
}

/// Compiles kernels, all objects side by side, and checks them meanwhile.
pub(super) fn compile_and_check(
    target: &Target,
    made: &impl HasKernels,
    Texts { usual, rare }: Texts,
) -> Result<BuiltKernels, Vec<Diagnostic>> {
    let module = made.module();
    let (checked, code, compiled) = thread::scope(|scope| {
        let checking = scope.spawn(|| before_launch(module));
        let code = compile(target, usual);
        let compiled = Instant::now();
        (checking.join(), code, compiled)
    });
    // What is refused must not be launched, whatever the compiler says of it.
    checked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let usual = code?;
    let late = |unit: Unit| {
        let needed = unit.of(module);
        Late { target: target.clone(), unit, needed, text: OnceLock::new() }
    };
    let rare = rare.into_iter().map(late);
    Ok(BuiltKernels { usual, rare: rare.collect(), verify_ms: compiled.elapsed().as_secs_f64() * 1e3 })
}

/// Compiles units, each object by a process of its own where there are helpers; what was compiled before is in the
/// cache.
fn compile(target: &Target, units: Vec<UnitText>) -> Result<Vec<UnitCode>, Vec<Diagnostic>> {
    let compiler = compiler()?;
    let mut code: Vec<_> =
        units.iter().map(|unit| unit.find(&compiler, target.arch).map(UnitCode::Image)).collect();
    let missing = |at: &usize| code[*at].is_none();
    let mut objects: Vec<Object<'_>> = (0..units.len())
        .filter(missing)
        .flat_map(|unit| units[unit].objects.iter().map(move |text| (unit, text)))
        .enumerate()
        .map(|(place, (unit, text))| Object { place, unit, text })
        .collect();
    // The longest one first: none is left for the end that takes long.
    objects.sort_by_key(|object| std::cmp::Reverse(object.text.len()));
    let compile = |object: &Object<'_>, helper: &mut Option<Helper>| {
        let begun = Instant::now();
        let (text, options) = (object.text, &units[object.unit].options);
        let by_helper = helper.as_mut().is_some_and(|helper| helper.compile(text, target.arch, options));
        let built = compiler.build(text, NAME, target.arch, options);
        let built = built.map_err(|found| vec![Diagnostic::from(found)])?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        tracing::info!(cached = built.cached, by_helper, ms, text = text.len(), "kernels compiled");
        if !built.compiled.log.is_empty() {
            tracing::warn!(log = built.compiled.log, "the compiler has remarks on the kernels");
        }
        Ok::<_, Vec<Diagnostic>>(built.compiled.image)
    };
    let mut built: Vec<_> = objects.iter().zip(side_by_side(&objects, compile)).collect();
    built.sort_by_key(|(object, _)| object.place);
    let mut images: Vec<Vec<Image>> = units.iter().map(|_| Vec::new()).collect();
    for (object, image) in built {
        images[object.unit].push(image?);
    }
    for ((code, mut images), text) in code.iter_mut().zip(images).zip(units) {
        match images.len() {
            0 => {}
            1 => *code = images.pop().map(UnitCode::Image),
            _ => *code = Some(UnitCode::Objects(images, text)),
        }
    }
    Ok(code.into_iter().flatten().collect())
}

/// An object that is to be compiled.
struct Object<'t> {
    /// Among all of them.
    place: usize,
    unit: usize,
    text: &'t str,
}

/// Does something for each, by as many threads as there are processors; all but one of them have helpers, where these
/// can be started. The results are in order.
fn side_by_side<T: Sync, R: Send>(all: &[T], work: impl Fn(&T, &mut Option<Helper>) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(all.iter().enumerate());
    let share = |mut helper: Option<Helper>| {
        let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::iter::from_fn(|| take().map(|(at, one)| (at, work(one, &mut helper)))).collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get()).min(all.len());
    let helpers = if threads > 1 { helper::most() } else { 0 };
    let others = if helpers > 0 { helpers.min(threads - 1) } else { threads.saturating_sub(1) };
    let mut results = thread::scope(|scope| {
        let with_helper = || match Helper::start() {
            Some(helper) => share(Some(helper)),
            None => Vec::new(),
        };
        let start = |_| if helpers > 0 { scope.spawn(with_helper) } else { scope.spawn(|| share(None)) };
        let others: Vec<_> = (0..others).map(start).collect();
        let mut results = share(None);
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|&(at, _)| at);
    results.into_iter().map(|(_, result)| result).collect()
}
