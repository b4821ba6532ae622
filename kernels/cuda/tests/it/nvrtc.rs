//! Compiles sample kernels with NVRTC when it is there. No GPU is needed.

use gchr_base::diagnostic::Diagnostic;
use gchr_cuda::{
    Arch, Cache, Capability, CompileError, Compiler, Image, NvrtcOptions, parse_resources, resource_table,
};
use gchr_testkit::compiler;

const SAMPLE: &str = include_str!("sample.cu");

#[test]
fn the_sample_compiles_without_a_word_for_all_generations() {
    let Some(nvrtc) = compiler::nvrtc("the_sample_compiles") else { return };
    for number in [80, 90, 100] {
        let arch = Arch::Real(number);
        let compiled = nvrtc.compile(SAMPLE, "sample.cu", arch, &NvrtcOptions::kernels()).expect("compiles");
        assert_eq!(compiled.log, "", "{arch}");
        assert_eq!(compiled.version, nvrtc.version());
        assert_eq!(compiled.image.arch(), arch);
        assert!(compiled.image.content().starts_with(b"\x7fELF"));
        assert_eq!(Image::from_content(arch, compiled.image.content().to_vec()), Ok(compiled.image));
    }
}

#[test]
fn cut_cubins_are_no_images() {
    let Some(nvrtc) = compiler::nvrtc("cut_cubins_are_no_images") else { return };
    let arch = Arch::Real(90);
    let compiled = nvrtc.compile(SAMPLE, "sample.cu", arch, &NvrtcOptions::kernels()).expect("compiles");
    let whole = compiled.image.content();
    for length in [0, 1, 63, 64, whole.len() / 2, whole.len() - 1] {
        assert!(Image::from_content(arch, whole[..length].to_vec()).is_err(), "{length} bytes");
    }
}

#[test]
fn virtual_architectures_give_ptx() {
    let Some(nvrtc) = compiler::nvrtc("virtual_architectures_give_ptx") else { return };
    let compiled =
        nvrtc.compile(SAMPLE, "sample.cu", Arch::Virtual(90), &NvrtcOptions::kernels()).expect("compiles");
    let text = String::from_utf8(compiled.image.content().to_vec()).expect("text");
    assert!(text.contains(".target sm_90") && text.contains(".entry vector_add"), "{text}");
}

#[test]
fn resources_are_those_of_the_kernels() {
    let Some(nvrtc) = compiler::nvrtc("resources_are_those_of_the_kernels") else { return };
    let options = NvrtcOptions::kernels().with_resource_usage();
    let compiled = nvrtc.compile(SAMPLE, "sample.cu", Arch::Real(90), &options).expect("compiles");
    let kernels = parse_resources(&compiled.log);
    let names: Vec<_> = kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["dot", "rotate", "vector_add", "wait_for_stop", "write_anywhere"]);
    for kernel in &kernels {
        assert!((4..=64).contains(&kernel.registers), "{kernel:?}");
        assert_eq!((kernel.stack, kernel.spill_stores, kernel.spill_loads), (0, 0, 0), "{kernel:?}");
        assert_eq!(kernel.shared, if kernel.name == "dot" { 256 * 8 } else { 0 }, "{kernel:?}");
    }
    assert_eq!(resource_table(&kernels).lines().count(), 2 + kernels.len());
}

#[test]
fn spills_are_warned_of() {
    let Some(nvrtc) = compiler::nvrtc("spills_are_warned_of") else { return };
    let source =
        "extern \"C\" __global__ void __launch_bounds__(1024, 2) spill(const double* p, double* q, int n) {
        double v[40];
        #pragma unroll
        for (int i = 0; i < 40; i++) v[i] = p[threadIdx.x + i * 1024];
        for (int k = 0; k < n; k++) {
            #pragma unroll
            for (int i = 0; i < 40; i++) v[i] = v[(i + 1) % 40] * v[i];
        }
        #pragma unroll
        for (int i = 0; i < 40; i++) q[threadIdx.x + i * 1024] = v[i];
    }";
    let options = NvrtcOptions::kernels().with_resource_usage();
    let compiled = nvrtc.compile(source, "spill.cu", Arch::Real(90), &options).expect("compiles");
    assert!(compiled.log.contains("Registers are spilled"), "{}", compiled.log);
    let kernels = parse_resources(&compiled.log);
    assert!(kernels.len() == 1 && kernels[0].spill_stores > 0 && kernels[0].stack > 0, "{kernels:?}");
}

#[test]
fn errors_name_the_line_of_the_program() {
    let Some(nvrtc) = compiler::nvrtc("errors_name_the_line_of_the_program") else { return };
    let source = "#line 42 \"prog.chr\"\n__global__ void k() { undeclared = 1; }";
    let error = nvrtc.compile(source, "k.cu", Arch::Real(90), &NvrtcOptions::kernels()).expect_err("wrong");
    assert!(matches!(error, CompileError::Source { .. }));
    assert!(error.log().contains("prog.chr(42): error"), "{}", error.log());
    assert_eq!(Diagnostic::from(error).code, "D0211");
}

#[test]
fn bad_requests_are_told_apart() {
    let Some(nvrtc) = compiler::nvrtc("bad_requests_are_told_apart") else { return };
    let (arch, none) = (Arch::Real(90), NvrtcOptions::none());
    let code = |source: &str, name: &str, arch, options: &NvrtcOptions| {
        Diagnostic::from(nvrtc.compile(source, name, arch, options).expect_err("refused")).code
    };
    assert_eq!(code("", "k.cu", arch, &none.clone().with("--no-such-option")), "D0212");
    assert_eq!(code("", "k.cu", Arch::Real(61), &none), "D0213");
    assert_eq!(code("a\0b", "k.cu", arch, &none), "D0214");
    assert_eq!(code("", "k\0.cu", arch, &none), "D0214");
    assert_eq!(code("", "k.cu", arch, &none.clone().with("\0")), "D0214");
    // An empty module is a module.
    assert!(nvrtc.compile("", "", arch, &none).is_ok());
}

#[test]
fn the_same_source_gives_the_same_code() {
    let Some(nvrtc) = compiler::nvrtc("the_same_source_gives_the_same_code") else { return };
    let compile =
        || nvrtc.compile(SAMPLE, "sample.cu", Arch::Real(90), &NvrtcOptions::kernels()).expect("compiles");
    let first = compile();
    let threads: Vec<_> = std::thread::scope(|s| {
        let running: Vec<_> = (0..3).map(|_| s.spawn(compile)).collect();
        running.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert!(threads.iter().all(|c| *c == first));
}

#[test]
fn what_is_cached_is_what_was_compiled() {
    let Some(nvrtc) = compiler::nvrtc("what_is_cached_is_what_was_compiled") else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let compiler = Compiler::new(nvrtc, Cache::at(folder.path(), 1 << 20));
    let options = NvrtcOptions::kernels().with_resource_usage();
    let build = |arch| compiler.build(SAMPLE, "sample.cu", arch, &options).expect("compiles");
    for arch in [Arch::Real(90), Arch::Virtual(90)] {
        let (fresh, again) = (build(arch), build(arch));
        assert!(!fresh.cached && again.cached);
        assert_eq!(fresh.compiled, again.compiled);
    }
    for entry in std::fs::read_dir(folder.path()).expect("folder").map(|e| e.expect("entry").path()) {
        let bytes = std::fs::read(&entry).expect("entry");
        std::fs::write(&entry, &bytes[..bytes.len() - 1]).expect("written");
    }
    assert!(!build(Arch::Real(90)).cached);
    assert!(build(Arch::Real(90)).cached);
}

#[test]
fn unknown_devices_get_ptx_and_old_ones_a_diagnostic() {
    let Some(nvrtc) = compiler::nvrtc("unknown_devices_get_ptx") else { return };
    let compiler = Compiler::new(nvrtc, Cache::disabled());
    let build = |major, minor| {
        let capability = Capability { major, minor };
        compiler.build_for(capability, SAMPLE, "sample.cu", &NvrtcOptions::kernels())
    };
    assert_eq!(build(9, 0).expect("known").compiled.image.arch(), Arch::Real(90));
    assert!(matches!(build(99, 0).expect("newer").compiled.image.arch(), Arch::Virtual(n) if n >= 90));
    assert_eq!(build(3, 5).expect_err("older").code, "D0216");
}
