//! The command line of gchr.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
