//! `gchr run --profile PATH`: the file is opened before the run and written after it, also when the run stopped.

use std::io::BufWriter;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gchr::report::Machine;
use gchr::report::profile::{Profile, Why};
use gchr::{Device, Recorder};

use super::exit::Exit;
use super::out_file::File;
use super::report;

/// How a profile is written, by the ending of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Html,
    Svg,
    Json,
}

/// A path whose ending says how to write a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileFile {
    path: PathBuf,
    form: Form,
}

/// The argument of `--profile`.
pub fn target(text: &str) -> Result<ProfileFile, String> {
    let form = match Path::new(text).extension().and_then(|e| e.to_str()) {
        Some("html" | "htm") => Form::Html,
        Some("svg") => Form::Svg,
        Some("json") => Form::Json,
        _ => return Err("expected a file that ends in .html, .svg or .json".into()),
    };
    Ok(ProfileFile { path: text.into(), form })
}

/// An open profile.
pub struct Output {
    target: ProfileFile,
    file: File,
    recorder: Recorder,
    device: Device,
    why: Option<Why>,
}

impl ProfileFile {
    /// Whether a derivation can be written to it.
    pub fn takes_text(&self) -> bool {
        self.form != Form::Svg
    }
}

impl Output {
    /// Opens the file: a path that cannot be written is known before the run.
    pub fn open(target: &ProfileFile, device: Device) -> Result<Self, Exit> {
        Self::open_for("--profile", target, device)
    }

    /// The same for another option, or a command.
    pub fn open_for(option: &'static str, target: &ProfileFile, device: Device) -> Result<Self, Exit> {
        let file = File::create(option, &target.path)?;
        Ok(Self { target: target.clone(), file, recorder: Recorder::new(), device, why: None })
    }

    /// The recorder to be lent to the run, which begins now.
    pub fn begin(&mut self) -> &mut Recorder {
        self.recorder = Recorder::new();
        &mut self.recorder
    }

    /// Adds a derivation to what is written.
    pub fn explain(&mut self, why: Option<Why>) {
        self.why = why;
    }

    /// Writes the profile that is made of what was recorded, with what another run counted.
    pub fn write(
        self,
        profile: &dyn Fn(&Recorder) -> Option<Profile>,
        counted: Option<&Recorder>,
        stopped: Option<&str>,
    ) -> Result<(), Exit> {
        let Self { target, file, mut recorder, device, why } = self;
        if counted.is_some_and(|counted| !recorder.adopt(counted)) {
            report::say(
                "gchr: the profile has no counts by rule: a run that counts took another number of steps\n",
            );
        }
        let Some(profile) = profile(&recorder) else { return Ok(()) };
        let mut profile = profile
            .with_roofline(gchr::device::roofline(device))
            .made_by(super::words::command_line(), Machine::here())
            .explained(why);
        if let Some(why) = stopped {
            profile = profile.stopped(why);
        }
        let mut file = BufWriter::new(file);
        let written = match target.form {
            Form::Html => profile.write_html(&mut file),
            Form::Svg => profile.write_svg(&mut file),
            Form::Json => profile.write_json(&mut file),
        };
        let written = written.and_then(|()| file.flush());
        let written = written.and_then(|()| file.into_inner().map_err(|e| e.into_error())?.finish());
        written.map_err(|error| {
            let message = format!("cannot write the profile: {error}");
            report::problem("U0107", &message, "check the free space and where the profile goes");
            Exit::Failed
        })
    }
}
