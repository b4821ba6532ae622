//! NVRTC and a GPU, where they are: a test without them says that it is skipped. Compiled kernels are kept between runs
//! of the tests.

use std::io::Write;
use std::path::{Path, PathBuf};

use gchr_cuda::nvrtc::search::Places;
use gchr_cuda::{
    Arch, Cache, Compiler, Gpu, Nvrtc, NvrtcError, NvrtcOptions, parse_resources, resource_table,
};
use gchr_kernel::Form;
use gchr_kernel::emit::{cuda_text, cuda_text_as};
use gchr_kernel::ir::Module;

/// The NVRTC that `.ci/fetch-nvrtc` fetched, else the one that the environment gives.
pub fn find_nvrtc() -> Result<Nvrtc, NvrtcError> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/nvrtc/13.0.88");
    if std::env::var_os("GCHR_NVRTC_DIR").is_none() && fetched.is_dir() {
        return Nvrtc::open(&fetched);
    }
    Nvrtc::search(&Places::from_env())
}

/// NVRTC, or a note that the test is skipped. With `GCHR_REQUIRE_NVRTC` set, the test fails instead.
pub fn nvrtc(test: &str) -> Option<Nvrtc> {
    match find_nvrtc() {
        Ok(nvrtc) => Some(nvrtc),
        Err(e) => {
            assert!(std::env::var_os("GCHR_REQUIRE_NVRTC").is_none(), "{e:?}");
            note(&format!("{test}: no NVRTC: skipped (.ci/fetch-nvrtc fetches it)"));
            None
        }
    }
}

/// NVRTC behind a cache: what the compiler makes of a text, and says of it, is kept in `kernel-cache` in the target
/// folder, so that kernels that did not change are not compiled again. Without NVRTC as [`nvrtc`].
pub fn cached_nvrtc(test: &str) -> Option<Compiler> {
    nvrtc(test).map(|nvrtc| Compiler::new(nvrtc, Cache::at(cache_folder(), 1 << 30)))
}

/// The cache of the target folder in which the running test lies; of the system's temporary folder for a test that was
/// copied elsewhere.
fn cache_folder() -> PathBuf {
    let binary = std::env::current_exe().expect("the running test is a file");
    let built = binary.parent().is_some_and(|folder| folder.ends_with("deps"));
    let target = binary.ancestors().nth(3).filter(|_| built);
    target.map_or_else(std::env::temp_dir, Path::to_path_buf).join("kernel-cache")
}

/// The CUDA text of kernels.
pub fn text(module: &Module, name: &str) -> String {
    cuda_text(module, name).unwrap_or_else(|found| panic!("{name}: {found:#?}"))
}

/// The resources that kernels use on an H100 or H200, as a table under the name of the program. Registers suffice, and
/// the compiler says nothing else.
pub fn resources(compiler: &Compiler, source: &str, name: &str) -> String {
    let options = NvrtcOptions::kernels().with_resource_usage();
    let built = compiler.build(source, "kernels.cu", Arch::Real(90), &options);
    let compiled = built.unwrap_or_else(|error| panic!("{name}: {error}")).compiled;
    let other = compiled.log.lines().find(|line| !is_about_resources(line));
    assert!(other.is_none(), "{name}: {}", compiled.log);
    let used = parse_resources(&compiled.log);
    assert!(used.iter().all(|kernel| kernel.spill_stores == 0), "{name}: {}", compiled.log);
    format!("{name}\n{}\n", resource_table(&used))
}

/// Whether the compiler says with a line what a function needs of the machine.
fn is_about_resources(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("ptxas info ") || line.contains("bytes stack frame")
}

/// The bytes that a kernel may spill without a word of ours. The compiler does not give out the same registers each
/// time that it is asked: of one text, a register goes to local memory in some runs and none in others.
const FEW_SPILLS: u64 = 16;

/// The registers by which two compilations of one text may differ, for the same reason.
const FEW_REGISTERS: u32 = 4;

/// Tables of resources as a snapshot is to hold them: where a kernel has as many registers as in the recorded snapshot,
/// but for a few, its recorded line. Without a record, the tables as they are.
pub fn with_recorded_registers(tables: &str, recorded: &Path) -> String {
    let recorded = std::fs::read_to_string(recorded).unwrap_or_default();
    let recorded = Vec::from_iter(lines_of_programs(&recorded));
    let mut steady = String::new();
    for (program, line) in lines_of_programs(tables) {
        let near =
            recorded.iter().find(|(other, old)| *other == program && differ_by_few_registers(old, line));
        steady.push_str(near.map_or(line, |&(_, old)| old));
        steady.push('\n');
    }
    steady
}

/// Each line of tables with the program to which it belongs: the last line before it that is no row.
fn lines_of_programs(tables: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut program = "";
    tables.lines().map(move |line| {
        if !line.starts_with('|') && !line.is_empty() {
            program = line;
        }
        (program, line)
    })
}

/// Whether two rows of a table speak of one kernel and differ in few registers alone.
fn differ_by_few_registers(a: &str, b: &str) -> bool {
    let cells = |row: &str| row.split(" | ").map(str::to_string).collect::<Vec<_>>();
    let (mut a, mut b) = (cells(a), cells(b));
    if a.len() < 2 || b.len() < 2 {
        return false;
    }
    match (a.remove(1).parse::<u32>(), b.remove(1).parse::<u32>()) {
        (Ok(x), Ok(y)) => a == b && x.abs_diff(y) <= FEW_REGISTERS,
        _ => false,
    }
}

/// Whether a compiler's line speaks of few spilled bytes, and of nothing else.
fn is_about_few_spills(line: &str) -> bool {
    let Some((_, spills)) = line.split_once("Registers are spilled to local memory in function") else {
        return line.trim().is_empty();
    };
    let bytes = spills.split(", ").filter_map(|part| part.split_once(" bytes spill"));
    bytes.filter_map(|(bytes, _)| bytes.parse::<u64>().ok()).all(|bytes| bytes <= FEW_SPILLS)
}

/// Kernels compile for architectures without a word from the compiler, which would also speak of spills.
pub fn compiles_silently(compiler: &Compiler, source: &str, label: &str, archs: &[u32]) {
    for &arch in archs {
        match compiler.build(source, "kernels.cu", Arch::Real(arch), &NvrtcOptions::kernels()) {
            Ok(built) if built.compiled.log.lines().all(is_about_few_spills) => {}
            Ok(built) => {
                let text = std::env::temp_dir().join("gchr-kernels.cu");
                let _ = std::fs::write(&text, source);
                panic!("{label} for sm_{arch}: {}\nthe text is in {}", built.compiled.log, text.display());
            }
            Err(error) => panic!("{label} for sm_{arch}: {error}\n{source}"),
        }
    }
}

/// The first GPU, or a note that the test is skipped. With `GCHR_REQUIRE_GPU` set, the test fails instead.
pub fn open_gpu(test: &str) -> Option<Gpu> {
    match Gpu::open(0) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var_os("GCHR_REQUIRE_GPU").is_none(), "{error:?}");
            note(&format!("{test}: no GPU: skipped ({error})"));
            None
        }
    }
}

/// A compiler on a machine with a GPU.
pub fn compiler() -> Compiler {
    Compiler::new(find_nvrtc().expect("a machine with a GPU has NVRTC"), Cache::disabled())
}

/// Brings kernels to a GPU.
pub fn load(gpu: &mut Gpu, compiler: &Compiler, module: &Module, name: &str) {
    load_as(Form::Plain, gpu, compiler, module, name);
}

/// Brings kernels to a GPU in a form.
pub fn load_as(form: Form, gpu: &mut Gpu, compiler: &Compiler, module: &Module, name: &str) {
    let source = cuda_text_as(module, name, form).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
    let built =
        compiler.build_for(gpu.info().capability, &source, "kernels.cu", &NvrtcOptions::kernels().from_env());
    gpu.load(&built.expect("kernels compile").compiled.image).expect("kernels load");
}

/// Writes a line past the output capture of the test harness.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
