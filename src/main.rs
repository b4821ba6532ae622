//! The command line of gchr.

mod cli;

/// Counts what the process has in use, and has a reserve for the time after the system has given its last memory.
#[global_allocator]
static ALLOCATOR: gchr::base::memory::Allocator = gchr::base::memory::Allocator::new();

fn main() -> std::process::ExitCode {
    cli::main()
}
