//! Verdicts on kernels: those of a program, before they are launched, and texts in the kernel language.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::{Account, read_text};
use gchr_base::source::SourceMap;
use gchr_checker::check;
use gchr_cuda::cache::{Cache, CacheKey};
use gchr_kernel::ir::{Module, Scalar};
use gchr_kernel::text::{Aliases, parse_with};

use crate::diagnostics::Diagnostics;
use crate::stack::with_large_stack;
use crate::text_file::KERNEL_FILE;

pub use gchr_checker::{Assumed, Assumption, CheckStats, Location, Reason, Rule, Verdict};

/// Checks the kernels of a file in the kernel language. Types that a template leaves open are taken for `u64`.
pub fn verify_file(path: &Path) -> Result<Vec<Verdict>, Diagnostics> {
    let mut sources = SourceMap::new();
    let name = path.display().to_string();
    let text = match read_text(path, &mut sources, KERNEL_FILE, &Account::default()) {
        Ok(text) => text,
        Err(found) => return Err(Diagnostics::new(Arc::new(sources), vec![*found])),
    };
    let open = text.lines().filter_map(|line| line.trim().strip_prefix("using ")?.strip_suffix("= HOLE;"));
    let aliases: Aliases = open.map(|name| (name.trim().to_string(), Scalar::U64)).collect();
    let id = sources.add(name, text.as_str());
    let parsed = parse_with(&sources, id, &aliases).and_then(|module| match has_kernels(&module) {
        true => Ok(module),
        false => Err(vec![
            Diagnostic::error("U0112", "the file has no kernel, so there is nothing to check")
                .help("a kernel is a function with `extern \"C\" __global__`; docs/kernel-language.md has an example"),
        ]),
    });
    let module = parsed.map_err(|found| Diagnostics::new(Arc::new(sources), found))?;
    Ok(with_large_stack(|| check(&module)))
}

fn has_kernels(module: &Module) -> bool {
    module.functions.iter().any(|function| function.is_kernel())
}

/// Refuses kernels that must not be launched. Gives the milliseconds that it took: next to none for kernels that this
/// checker has accepted before, of which a note is kept beside the compiled kernels.
pub(crate) fn before_launch(module: &Module) -> Result<f64, Vec<Diagnostic>> {
    let start = Instant::now();
    let took = || start.elapsed().as_secs_f64() * 1e3;
    let cache = Cache::from_env();
    let key = with_large_stack(|| CacheKey::of_check(gchr_checker::IDENTITY, &module.to_string()));
    let known = cache.is_accepted(&key);
    if !known {
        let verdicts = with_large_stack(|| check(module));
        let found: Vec<Diagnostic> = verdicts.iter().flat_map(Verdict::diagnostics).collect();
        if !found.is_empty() {
            return Err(found);
        }
        cache.accept(&key);
    }
    let took = took();
    tracing::info!(took, known, "kernels checked");
    Ok(took)
}
