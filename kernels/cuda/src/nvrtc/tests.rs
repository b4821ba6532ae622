//! Tests that need no NVRTC: what is said when it is missing or of no use. Those that compile are in `tests/nvrtc.rs`.

use gchr_base::diagnostic::Diagnostic;

use super::*;

fn shown(error: impl Into<Diagnostic>) -> String {
    let d = error.into();
    let notes: String = d.notes.iter().map(|note| format!("  {note}\n")).collect();
    format!("{}: {}\n{notes}  = {}", d.code, d.message, d.help.expect("help"))
}

#[test]
fn an_empty_folder_has_no_library() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let error = Nvrtc::open(folder.path()).expect_err("nothing there");
    assert_eq!(error, NvrtcError::NotFound { places: vec![folder.path().display().to_string()] });
    assert_eq!(Diagnostic::from(error).code, "D0201");
}

#[test]
#[cfg(unix)]
fn a_damaged_library_is_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for name in ["libnvrtc-builtins.so.13.0", "libnvrtc.so.13"] {
        std::fs::write(folder.path().join(name), b"\x7fELF, but no more").expect("written");
    }
    let error = Nvrtc::open(folder.path()).expect_err("damaged");
    assert!(matches!(&error, NvrtcError::Unusable { found } if found.len() == 1), "{error:?}");
    assert_eq!(Diagnostic::from(error).code, "D0203");
}

#[test]
fn each_kind_of_failure_has_its_message() {
    let places = Places::only(Path::new("/a"));
    let at = |folder: &str, failure| (Place::Folder(folder.into()), failure);
    let version = |folder| at(folder, LoadError::Version(Version { major: 12, minor: 8 }));
    let errors = [
        NvrtcError::from_failures(vec![], &places),
        NvrtcError::from_failures(vec![version("/a"), (Place::Loader, LoadError::Absent)], &places),
        NvrtcError::from_failures(vec![version("/a"), at("/b", LoadError::Symbol("nvrtcGetCUBIN"))], &places),
    ];
    insta::assert_snapshot!(errors.map(shown).join("\n"), @"
    D0201: NVRTC, the compiler for GPU kernels, is not installed
      looked in /a
      = install the CUDA toolkit 13 or the Python package nvidia-cuda-nvrtc==13.0.88, or set GCHR_NVRTC_DIR to the folder that holds libnvrtc.so.13; --device cpu and --device sim need neither
    D0202: NVRTC, the compiler for GPU kernels, has the wrong version: 13 is needed
      12.8 in /a
      = install the CUDA toolkit 13 or the Python package nvidia-cuda-nvrtc==13.0.88, or set GCHR_NVRTC_DIR to the folder that holds libnvrtc.so.13; --device cpu and --device sim need neither
    D0203: NVRTC, the compiler for GPU kernels, cannot be loaded
      in /b: it has no function nvrtcGetCUBIN
      in /a: it has version 12.8
      = install the CUDA toolkit 13 or the Python package nvidia-cuda-nvrtc==13.0.88, or set GCHR_NVRTC_DIR to the folder that holds libnvrtc.so.13; --device cpu and --device sim need neither
    ");
}

#[test]
fn each_compile_error_has_its_message() {
    let errors = [
        CompileError::Source { log: "a.chr(42): error: expected a \";\"".into() },
        CompileError::Option { options: vec!["--a".into(), "--b".into()], log: String::new() },
        CompileError::Architecture { arch: Arch::Real(70), known: vec![75, 80] },
        CompileError::Input { what: "the name contains a NUL character".into() },
        CompileError::Library { what: "out of memory".into(), log: String::new() },
    ];
    insta::assert_snapshot!(errors.map(shown).join("\n"), @r#"
    D0211: the generated kernels do not compile
      a.chr(42): error: expected a ";"
      = this is a bug of gchr; `gchr emit FILE --stage cuda` shows the kernels, --device cpu gives the result
    D0212: NVRTC does not accept the compiler options
      options: --a --b
      = this is a bug of gchr; `gchr emit FILE --stage cuda` shows the kernels, --device cpu gives the result
    D0213: NVRTC does not compile for sm_70
      it knows 75, 80
      = use another GPU (`gchr devices` lists them) or --device cpu
    D0214: the kernels cannot be compiled: the name contains a NUL character
      = this is a bug of gchr; `gchr emit FILE --stage cuda` shows the kernels, --device cpu gives the result
    D0215: NVRTC failed: out of memory
      = free some memory and try again, or use --device cpu
    "#);
}
