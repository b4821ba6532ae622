//! The options of `gchr run` that keep the state of a run in checkpoints, and go on from one.

use std::path::PathBuf;

use gchr::{CompileOptions, Device, Firing, Program};

use crate::cli::checkpoints::{Files, Refusal, Run};
use crate::cli::effects::Case;
use crate::cli::exit::Exit;
use crate::cli::values::Every;
use crate::cli::{report, values};

/// Options about checkpoints.
#[derive(clap::Args)]
pub struct KeptArgs {
    /// Keep the state of the run in a folder, from which --resume goes on: the last complete checkpoint stays there
    /// (.chr with --semantics rounds, on the processor)
    #[arg(long, value_name = "DIR", conflicts_with_all = ["inputs", "trace", "profile"])]
    checkpoint: Option<PathBuf>,
    /// How often: after each N rounds, or at the end of a round after a time, e.g. 5m [default: 60s]
    #[arg(long, value_name = "N|T", value_parser = values::every, requires = "checkpoint")]
    every: Option<Every>,
    /// Go on from the last checkpoint in a folder, of the same program and facts, with any number of workers; limits
    /// count from the first start on
    #[arg(long, value_name = "DIR", conflicts_with_all = ["inputs", "trace", "profile"])]
    resume: Option<PathBuf>,
}

impl KeptArgs {
    /// The option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let options = [("--resume", self.resume.is_some()), ("--checkpoint", self.checkpoint.is_some())];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// What processes that share the run must agree on.
    pub fn shared(&self) -> (bool, bool) {
        (self.checkpoint.is_some(), self.resume.is_some())
    }

    /// Refuses programs and runs whose state is not kept.
    pub fn check(&self, device: Device, program: &Program, options: &CompileOptions) -> Result<(), Exit> {
        let Some(option) = self.given() else { return Ok(()) };
        program.check_ground(option).map_err(|found| report::refuse(&found))?;
        if !Case::of(program, options).in_rounds {
            let message = format!("{option}: only constraint programs in rounds have checkpoints");
            report::problem(
                "U0110",
                &message,
                "give --semantics rounds with a .chr program, or leave it out",
            );
            return Err(Exit::Usage);
        }
        if program.writes() {
            let message =
                format!("{option}: the program writes, and a run that goes on would not write it all");
            report::problem("U0110", &message, "leave out the option, or what the rules write");
            return Err(Exit::Usage);
        }
        let others = [
            ("--device", device != Device::Cpu),
            ("--firing exhaustive", options.firing == Firing::Exhaustive),
        ];
        if let Some((other, _)) = others.iter().find(|(_, given)| *given) {
            let message = format!("{other} does not go with {option}: such a run has no checkpoints");
            report::problem("U0105", &message, "leave out one of the two");
            return Err(Exit::Usage);
        }
        Ok(())
    }

    /// Opens the folders; `is_first` says whether this process looks after new checkpoints.
    pub fn open(
        &self,
        program: &Program,
        options: &CompileOptions,
        is_first: bool,
    ) -> Result<Option<Files>, Exit> {
        if self.given().is_none() {
            return Ok(None);
        }
        let run = Run::new(program.fingerprint(), format!("{:?}", options.firing));
        let (target, resume) = (self.checkpoint.as_deref(), self.resume.as_deref());
        let opened = Files::open(run, self.every.unwrap_or_default(), target, resume, is_first);
        opened.map(Some).map_err(|refusal| {
            let (code, message, help) = match &refusal {
                Refusal::Resume(message) => (
                    "U0146",
                    message,
                    "give --resume the folder that --checkpoint of the same run has written, or leave it out to start anew",
                ),
                Refusal::Target(message) => (
                    "U0147",
                    message,
                    "give --checkpoint a folder of its own; with --resume of the same folder a run goes on from what is there",
                ),
                Refusal::Io(message) => ("U0107", message, "give a folder that you may write to"),
            };
            report::problem(code, message, help);
            Exit::Usage
        })
    }
}
