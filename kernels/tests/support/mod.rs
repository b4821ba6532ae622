//! What the tests of the device runtime share: finding NVRTC, and saying so when a test is skipped.

use std::io::Write;
use std::path::Path;

use gchr_kernels::cuda::nvrtc::search::Places;
use gchr_kernels::cuda::{Nvrtc, NvrtcError};

/// The NVRTC that `.ci/fetch-nvrtc` fetched, else the one that the environment gives.
pub fn find_nvrtc() -> Result<Nvrtc, NvrtcError> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvrtc/13.0.88");
    if std::env::var_os("GCHR_NVRTC_DIR").is_none() && fetched.is_dir() {
        return Nvrtc::open(&fetched);
    }
    Nvrtc::search(&Places::from_env())
}

/// NVRTC, or a note that the test is skipped. With `GCHR_REQUIRE_NVRTC` set, the test fails instead.
#[allow(dead_code)]
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

/// Writes a line past the output capture of the test harness.
#[allow(dead_code)]
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
