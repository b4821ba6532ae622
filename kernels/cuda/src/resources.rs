//! What kernels need of a multiprocessor, read from the log of a compile with `--ptxas-options=-v`.

use std::fmt::Write;

/// Resources of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelResources {
    /// Name.
    pub name: String,
    /// Registers a thread.
    pub registers: u32,
    /// Bytes of stack per thread, called functions included.
    pub stack: u32,
    /// Bytes of shared memory a block.
    pub shared: u32,
    /// Bytes that a thread writes because registers are spilled.
    pub spill_stores: u32,
    /// Bytes that it reads back.
    pub spill_loads: u32,
}

/// Reads the resources of all kernels, in order of their names.
pub fn parse_resources(log: &str) -> Vec<KernelResources> {
    let mut kernels: Vec<KernelResources> = Vec::new();
    // Properties follow for kernels and, after a kernel, for the functions that it calls.
    let mut of_kernel = false;
    for line in log.lines() {
        if let Some(name) = quoted_after(line, "Compiling entry function ") {
            kernels.push(KernelResources { name: name.to_string(), ..Default::default() });
            of_kernel = true;
            continue;
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        if let Some((_, name)) = line.split_once("Function properties for ") {
            of_kernel = name.trim() == kernel.name;
        } else if line.contains("bytes stack frame") {
            if of_kernel {
                kernel.stack = number_before(line, "bytes stack frame").unwrap_or(0);
                kernel.spill_stores = number_before(line, "bytes spill stores").unwrap_or(0);
                kernel.spill_loads = number_before(line, "bytes spill loads").unwrap_or(0);
            }
        } else if let Some(registers) = number_before(line, "registers") {
            kernel.registers = registers;
            kernel.shared = number_before(line, "bytes smem").unwrap_or(0);
            kernel.stack = number_before(line, "bytes cumulative stack size").unwrap_or(kernel.stack);
        }
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    kernels
}

/// A table in Markdown, one row per kernel, to be checked in and compared.
pub fn resource_table(kernels: &[KernelResources]) -> String {
    let mut table = String::from(
        "| kernel | registers | stack | shared | spill stores | spill loads |\n|---|---|---|---|---|---|\n",
    );
    for k in kernels {
        let KernelResources { name, registers, stack, shared, spill_stores, spill_loads } = k;
        let _ =
            writeln!(table, "| {name} | {registers} | {stack} | {shared} | {spill_stores} | {spill_loads} |");
    }
    table
}

fn quoted_after<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(start)?;
    rest.strip_prefix('\'')?.split('\'').next()
}

/// `32` in "Used 32 registers, ..." for unit "registers".
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let (before, _) = line.split_once(unit)?;
    before.trim_end().rsplit([' ', ',']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVRTC 13.0 writes it: a kernel with spills, one that calls a function, one with shared memory.
    const LOG: &str = "\
ptxas warning : Registers are spilled to local memory in function 'spill', 1264 bytes spill stores, 1272 bytes spill loads
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'spill' for 'sm_90'
ptxas info    : Function properties for spill
ptxas         .     792 bytes stack frame, 1264 bytes spill stores, 1272 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 792 bytes cumulative stack size
ptxas info    : Compile time = 13.192 ms
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 256 bytes cumulative stack size
ptxas info    : Compile time = 11.966 ms
ptxas info    : Function properties for _Z1fPii
ptxas         .     240 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[3]
";

    #[test]
    fn kernels_and_the_functions_they_call_are_told_apart() {
        insta::assert_snapshot!(resource_table(&parse_resources(LOG)), @"
        | kernel | registers | stack | shared | spill stores | spill loads |
        |---|---|---|---|---|---|
        | a | 8 | 0 | 1024 | 0 | 0 |
        | b | 40 | 256 | 0 | 0 | 0 |
        | spill | 32 | 792 | 0 | 1264 | 1272 |
        ");
    }

    #[test]
    fn other_text_has_no_kernels() {
        assert_eq!(parse_resources(""), []);
        assert_eq!(
            parse_resources("warning: 3 registers, 4 bytes stack frame\nFunction properties for x\n"),
            []
        );
    }
}
