//! Tasks of developers: `cargo xtask`.

mod compare;
mod fuzz;
#[cfg(unix)]
mod growth;
mod replay;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of developers.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Show what changes did to the generated code of all examples, with every scheduler and collector
    Replay(ReplayArgs),
    /// Run random programs in all ways, compare with the reference interpreters, and keep what fails
    Fuzz(fuzz::FuzzArgs),
    /// Run gchr on texts that are large in one respect each, of two sizes, and say where it grows faster than they do
    #[cfg(unix)]
    Growth(growth::GrowthArgs),
}

#[derive(clap::Args)]
struct ReplayArgs {
    /// Revision of git to compare with; it is built in a worktree below `target`
    #[arg(required_unless_present = "old")]
    revision: Option<String>,
    /// Compare with this gchr instead of a revision
    #[arg(long, value_name = "BINARY", conflicts_with = "revision")]
    old: Option<PathBuf>,
    /// Compare this gchr instead of the one built from the working tree
    #[arg(long, value_name = "BINARY")]
    new: Option<PathBuf>,
    /// Show differences in names and comments as well
    #[arg(long)]
    names: bool,
    /// Only examples whose file name contains one of these
    #[arg(long = "example", value_name = "NAME")]
    examples: Vec<String>,
}

fn main() -> ExitCode {
    let found = match Cli::parse().task {
        Task::Replay(args) => replay::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        #[cfg(unix)]
        Task::Growth(args) => growth::run(&args),
    };
    match found {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
