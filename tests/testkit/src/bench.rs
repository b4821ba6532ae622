//! What the benches of the term schedulers share: the GPU with a program's kernels, the program, the best of some
//! repeats.

use gchr_base::rule::{GroundTerm, Program};
use gchr_base::source::SourceMap;
use gchr_cuda::{Cache, Compiler, Gpu, Nvrtc, NvrtcOptions};
use gchr_kernel::device::Device;
use gchr_kernel::ir::Module;

/// A machine with a GPU and a compiler.
pub struct GpuMachine {
    compiler: Compiler,
}

impl GpuMachine {
    /// This machine; without a GPU or NVRTC it says so.
    pub fn find() -> Option<Self> {
        if let Err(error) = Gpu::open(0) {
            println!("no GPU: skipped ({error})");
            return None;
        }
        match Nvrtc::find() {
            Ok(nvrtc) => Some(Self { compiler: Compiler::new(nvrtc.clone(), Cache::from_env()) }),
            Err(error) => {
                println!("no NVRTC: skipped ({error})");
                None
            }
        }
    }

    /// The GPU with kernels, and the memory that a run may take.
    pub fn gpu(&self, module: &Module, label: &str) -> (Gpu, u64) {
        self.gpu_with(&cuda(module, label))
    }

    /// The same for kernels as CUDA C++.
    pub fn gpu_with(&self, source: &str) -> (Gpu, u64) {
        let mut gpu = Gpu::open(0).expect("a GPU was there before");
        let built = self.compiler.build_for(gpu.info().capability, source, "kernels.cu", &options());
        gpu.load(&built.expect("kernels compile").compiled.image).expect("kernels load");
        let memory = gpu.free_bytes().expect("memory is known") / 10 * 9;
        (gpu, memory)
    }
}

/// How kernels are compiled: what they need of a multiprocessor is in the log.
pub fn options() -> NvrtcOptions {
    NvrtcOptions::kernels().with_resource_usage()
}

/// Kernels as CUDA C++.
pub fn cuda(module: &Module, label: &str) -> String {
    gchr_kernel::emit::cuda_text(module, label).expect("kernels are printed")
}

/// How often to measure: the first number of the command line, else 3.
pub fn repeats() -> u32 {
    std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(3)
}

/// A program and its start term.
pub fn load(label: &str, text: &str, input: &str) -> (SourceMap, Program, GroundTerm) {
    let mut sources = SourceMap::new();
    let file = sources.add(label, text);
    let loaded = gchr_trs::load(&sources, file);
    let (program, reader) = loaded.program.zip(loaded.reader).expect("the example is right");
    let term = sources.add("--input", input);
    let input = reader.read(&sources, term).expect("the input is right");
    (sources, program, input)
}
