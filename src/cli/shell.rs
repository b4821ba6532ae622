//! `gchr completions` and `gchr man`: what shells and manuals know of the command line.

use std::io;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use super::exit::Exit;
use super::{report, sink};

/// Arguments of `gchr completions`.
#[derive(clap::Args)]
#[command(after_help = "bash: gchr completions bash > ~/.local/share/bash-completion/completions/gchr\n\
    zsh:  gchr completions zsh > a folder of $fpath, as _gchr\n\
    fish: gchr completions fish > ~/.config/fish/completions/gchr.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Arguments of `gchr man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write a page for each subcommand to a folder, which is made if there is none: gchr.1, gchr-run.1 and so on
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

/// Writes a script for a shell to standard output.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "gchr", &mut script);
    sink::print(&String::from_utf8_lossy(&script))
}

/// Writes the manual page to standard output, or all pages to a folder.
pub fn man(args: &ManArgs, command: Command) -> Exit {
    let written = match &args.out_dir {
        None => page(command).map(|page| sink::print(&page)),
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map(|()| Exit::Done),
    };
    written.unwrap_or_else(|error| {
        let place = args.out_dir.as_ref().map_or("standard output".into(), |dir| dir.display().to_string());
        let message = format!("cannot write to {place}: {error}");
        report::problem("U0107", &message, "give --out-dir a folder that you may write to");
        Exit::Usage
    })
}

fn page(command: Command) -> io::Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
