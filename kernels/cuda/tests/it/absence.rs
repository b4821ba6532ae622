//! Machines without NVRTC, without a driver, or with something else under their names: diagnostics, never a panic.
//!
//! What is loaded depends on the environment in which a process starts, so every case runs [`report`] in a process of
//! its own.

use gchr_testkit::compiler;
use std::path::{Path, PathBuf};
use std::process::Command;

use gchr_base::diagnostic::Diagnostic;
use gchr_cuda::{Arch, Compiler, Gpu, Nvrtc, NvrtcOptions, devices};

/// Tries everything and prints what comes of it.
#[test]
fn report() {
    let told = |what: &str, diagnostic: Diagnostic| {
        assert!(diagnostic.help.is_some());
        println!("{what}: {}: {} [{}]", diagnostic.code, diagnostic.message, diagnostic.notes.join("; "));
    };
    match devices() {
        Ok(devices) => println!("devices: {} found", devices.len()),
        Err(e) => told("devices", e.into()),
    }
    match Gpu::open(0) {
        Ok(gpu) => println!("open: {}", gpu.info().name),
        Err(e) => told("open", e.into()),
    }
    match Nvrtc::find() {
        Ok(nvrtc) => println!("nvrtc: {} from {}", nvrtc.version(), nvrtc.place()),
        Err(e) => told("nvrtc", e.into()),
    }
    let source = "extern \"C\" __global__ void k() {}";
    match Compiler::from_env() {
        Ok(compiler) => match compiler.build(source, "k.cu", Arch::Real(90), &NvrtcOptions::kernels()) {
            Ok(built) => println!("compile: {} bytes", built.compiled.image.content().len()),
            Err(e) => told("compile", e.into()),
        },
        Err(e) => told("compile", e.into()),
    }
}

/// Runs [`report`] with these variables and no others.
fn report_with(variables: &[(&str, &Path)]) -> String {
    let test = std::env::current_exe().expect("own path");
    let mut command = Command::new(test);
    command.args(["--exact", "absence::report", "--nocapture", "--test-threads=1"]).env_clear();
    let output = command.envs(variables.iter().copied()).output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("panicked"), "{text}\n{errors}");
    text
}

fn line<'a>(report: &'a str, what: &str) -> &'a str {
    let start = format!("{what}: ");
    report.lines().find_map(|l| l.split_once(&start).map(|(_, rest)| rest)).expect("the report has the line")
}

/// A shared library that has nothing to do with CUDA.
#[cfg(target_os = "linux")]
fn unrelated_library() -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
    let mut paths = maps.lines().filter_map(|l| l.find('/').map(|at| PathBuf::from(&l[at..])));
    paths.find(|p| p.to_string_lossy().contains("libgcc_s.so")).expect("the unwinder is loaded")
}

#[test]
fn an_empty_environment_is_no_reason_to_panic() {
    let text = report_with(&[]);
    for what in ["devices", "open", "nvrtc", "compile"] {
        line(&text, what);
    }
}

#[test]
fn a_machine_without_a_driver_is_told() {
    if let Ok(devices) = devices() {
        compiler::note(&format!("a_machine_without_a_driver_is_told: {} GPUs: skipped", devices.len()));
        return;
    }
    let text = report_with(&[]);
    for what in ["devices", "open"] {
        let (code, _) = line(&text, what).split_once(": ").expect("a diagnostic");
        assert!(["D0101", "D0102", "D0103", "D0104"].contains(&code), "{text}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn another_library_under_the_drivers_name_is_told() {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::copy(unrelated_library(), folder.path().join("libcuda.so")).expect("copied");
    let text = report_with(&[("LD_LIBRARY_PATH", folder.path())]);
    for what in ["devices", "open"] {
        assert_eq!(
            line(&text, what),
            "D0103: the NVIDIA driver does not start [it has no function cuDriverGetVersion]"
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn another_library_under_the_compilers_name_is_passed_over() {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::copy(unrelated_library(), folder.path().join("libnvrtc.so.13")).expect("copied");
    let place = folder.path().display();
    let error = Nvrtc::open(folder.path()).expect_err("no NVRTC");
    assert_eq!(Diagnostic::from(error).notes, [format!("in {place}: it has no function nvrtcVersion")]);
    // The search goes on; on a machine with an NVRTC it is found after all.
    let text = report_with(&[("GCHR_NVRTC_DIR", folder.path())]);
    let found = line(&text, "nvrtc");
    assert!(found.starts_with("13.") || found.starts_with("D0203"), "{text}");
}

#[test]
fn the_folder_that_is_named_is_used() {
    let Some(nvrtc) = compiler::nvrtc("the_folder_that_is_named_is_used") else { return };
    let gchr_cuda::nvrtc::search::Place::Folder(folder) = nvrtc.place() else {
        compiler::note("the_folder_that_is_named_is_used: NVRTC lies in the loader's path: skipped");
        return;
    };
    let cache = tempfile::tempdir().expect("temporary folder");
    for cached in [false, true] {
        let text = report_with(&[("GCHR_NVRTC_DIR", folder), ("GCHR_CACHE_DIR", cache.path())]);
        assert!(line(&text, "nvrtc").ends_with(&format!("from {}", folder.display())), "{text}");
        assert!(line(&text, "compile").ends_with(" bytes"), "cached: {cached}\n{text}");
    }
    let names = std::fs::read_dir(cache.path().join("kernels")).expect("folder");
    let entries =
        names.filter(|f| f.as_ref().is_ok_and(|f| f.path().extension().is_some_and(|e| e == "kernels")));
    assert_eq!(entries.count(), 1);
}
