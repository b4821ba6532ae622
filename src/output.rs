//! Results: what a run returns, and how it is written as text, JSON or CSV.

mod answer;
#[cfg(feature = "tables")]
mod columns;
mod csv;
pub(crate) mod json;
pub(crate) mod logic;
mod losses;
mod selection;
mod table_format;
mod tables;
#[cfg(feature = "tables")]
mod term_columns;

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::limited::Limited;
use gchr_base::signature::Signature;
use gchr_base::stats::Stats;
use gchr_base::stop::StopReason;
use gchr_constraints::exec::Store;
use gchr_kernels_terms::{tasks, topology};
use gchr_terms::exec::NormalForm;

use crate::diagnostics::Diagnostics;
use crate::program::Program;

pub use answer::{Answer, Left, LogicAnswers};
use answer::{Counts, Sizes};
pub use selection::Selection;
pub use table_format::TableFormat;
pub(crate) use tables::{count_rows, write_logic_store, write_store};
#[cfg(feature = "tables")]
pub(crate) use tables::{store_term_columns, with_logic_table, with_store_table};
#[cfg(feature = "tables")]
pub use term_columns::TermColumns;

/// A finished run: its result and what it took.
pub struct Outcome<'p> {
    program: &'p Program,
    answer: Answer,
    stats: Stats,
    report: Option<SchedulerReport>,
}

/// A run that ended without a result.
#[derive(Debug)]
pub struct Failure {
    /// Why, where and how far it got; `None` when there was nothing to run, or when the device failed.
    pub error: Option<RunError>,
    /// The same as diagnostics.
    pub diagnostics: Diagnostics,
    /// What the run did until then.
    pub stats: Stats,
    /// What was in the store of a constraint program then, in rounds after the last whole round. It is no result.
    pub left: Option<Left>,
    /// Whether another process has the result (`true`), or knows why there is none; `None` when this one knows.
    pub elsewhere: Option<bool>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.diagnostics.fmt(f)
    }
}

impl std::error::Error for Failure {}

/// What the scheduler of a device counted beside the common statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchedulerReport {
    /// The tasks scheduler.
    Tasks(tasks::run::Report),
    /// The topology scheduler.
    Topology(topology::run::Report),
}

impl SchedulerReport {
    /// The counts with their names.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        match self {
            SchedulerReport::Topology(r) => {
                let counts = [("rewritten", r.rewritten), ("live_slots", r.live_slots)];
                counts.into_iter().chain(r.reachable_slots.map(|slots| ("reachable", slots))).collect()
            }
            SchedulerReport::Tasks(r) => {
                let counts = [
                    ("promotions", r.promotions),
                    ("tasks", r.tasks),
                    ("spills", r.spills),
                    ("restarts", r.restarts),
                ];
                counts.into_iter().chain(r.left_over.map(|cells| ("left_over", cells))).collect()
            }
        }
    }
}

/// How to write a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A normal form on one line in input syntax; a store one constraint a line, in order.
    Text,
    /// One JSON object: `{"normal_form": "...", "stats": {...}}` or `{"store": [{"constraint": "edge", "args": [0, 1,
    /// 5]}, ...], "stats": {...}}`. Atoms and strings are JSON strings, compound terms are `{"functor": "f", "args":
    /// [...]}`.
    Json,
    /// A store, one constraint a line, without header: the constraint's name, then the arguments. Compound terms are
    /// written as text.
    Csv,
    /// The same with tabs in the place of commas.
    Tsv,
    /// A JSON object on each line: the normal form, a constraint (`{"constraint": "edge", "args": [0, 1, 5]}`), or an
    /// answer of the logic machine.
    JsonLines,
}

/// Why a result was not written.
#[derive(Debug)]
pub enum FormatError {
    /// A normal form has no rows: it cannot be CSV.
    NotTabular,
    /// Nothing but sizes were asked for, so that there are no rows.
    OnlySizes,
    /// The store is on a device, and could not be brought here.
    Unfetched(Diagnostics),
    /// The writer failed.
    Io(io::Error),
}

impl From<Diagnostics> for FormatError {
    fn from(found: Diagnostics) -> Self {
        FormatError::Unfetched(found)
    }
}

impl From<io::Error> for FormatError {
    fn from(error: io::Error) -> Self {
        FormatError::Io(error)
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::NotTabular => f.write_str("a normal form has no rows and columns"),
            FormatError::OnlySizes => f.write_str("only sizes were asked for, and no constraints"),
            FormatError::Unfetched(found) => found.fmt(f),
            FormatError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FormatError {}

impl<'p> Outcome<'p> {
    pub(crate) fn new(
        program: &'p Program,
        answer: Answer,
        stats: Stats,
        report: Option<SchedulerReport>,
    ) -> Self {
        Self { program, answer, stats, report }
    }
    /// The result.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }
    /// The normal form of a term program.
    pub fn normal_form(&self) -> Option<&NormalForm> {
        match &self.answer {
            Answer::NormalForm(term) => Some(term),
            Answer::Store(_) | Answer::Sizes(_) | Answer::Logic(_) => None,
        }
    }
    /// The final store of a constraint program; its rows are read with the signature of [`Program::rules`].
    pub fn store(&self) -> Option<&Store> {
        match &self.answer {
            Answer::NormalForm(_) | Answer::Sizes(_) | Answer::Logic(_) => None,
            Answer::Store(store) => Some(store),
        }
    }
    /// What the run did and cost.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
    /// The exit code that the program asked for by `halt/1`.
    pub fn halted(&self) -> Option<u8> {
        self.answer.halted()
    }
    /// What the scheduler of a device counted beside that; `None` for runs on the CPU.
    pub fn report(&self) -> Option<&SchedulerReport> {
        self.report.as_ref()
    }
    /// The statistics, to be completed by a caller who knows more (the time of the whole process).
    pub fn stats_mut(&mut self) -> &mut Stats {
        &mut self.stats
    }
    /// The program that was run.
    pub fn program(&self) -> &'p Program {
        self.program
    }
    /// Writes the result. Statistics are a part of it in JSON only.
    pub fn write(&self, format: Format, out: &mut impl Write) -> Result<(), FormatError> {
        self.write_selected(&Selection::all(), format, out)
    }
    /// The same of the selected constraints only.
    pub fn write_selected(
        &self,
        selection: &Selection,
        format: Format,
        out: &mut impl Write,
    ) -> Result<(), FormatError> {
        let signature = self.signature();
        match (format, &self.answer) {
            (Format::Text, answer) => write_text(answer, signature, selection, out)?,
            (Format::Json, answer) => json::write(answer, signature, selection, &self.stats, out)?,
            (Format::JsonLines, answer) => json::write_lines(answer, signature, selection, out)?,
            (Format::Csv | Format::Tsv, Answer::NormalForm(_)) => return Err(FormatError::NotTabular),
            (Format::Csv | Format::Tsv, Answer::Sizes(_)) => return Err(FormatError::OnlySizes),
            (Format::Csv | Format::Tsv, Answer::Store(store)) => {
                csv::write(store, signature, selection, csv_style(format), out)?;
            }
            (Format::Csv | Format::Tsv, Answer::Logic(found)) => {
                csv::write_logic(found.numbered(), selection, csv_style(format), out)?;
            }
        }
        Ok(())
    }
    /// The text form under the limits of a run: its clock, its flag, its bytes of output, and those of memory, as the
    /// text is kept. Shared parts of a result are written each time they occur, so that it may be without end.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn text_under(&self, control: &Control<'_>) -> Result<String, Diagnostic> {
        let Limits { memory, max_output, .. } = control.limits();
        let mut out = Limited::new(Vec::new(), control.watch().clone()).max_output(max_output);
        if let Some(limit) = memory.filter(|&limit| max_output.is_none_or(|most| limit < most)) {
            out = out.up_to(limit, StopReason::Memory { limit, what: "the text of the result".into() });
        }
        match write_text(&self.answer, self.signature(), &Selection::all(), &mut out) {
            Ok(()) => Ok(String::from_utf8_lossy(&out.into_inner()).into_owned()),
            Err(error) => {
                Err(StopReason::from(error).to_diagnostic().note("while the result was written as text"))
            }
        }
    }
    /// Writes how many there are of each selected constraint, in the order of the declarations; of the logic machine in
    /// each answer, where several were asked for.
    pub fn write_sizes(
        &self,
        selection: &Selection,
        format: Format,
        out: &mut impl Write,
    ) -> Result<(), FormatError> {
        let sizes = match &self.answer {
            Answer::Logic(found) if found.several => {
                let of_one =
                    |answer: &gchr_logic::Answer| self.counts(selection, |n, a| count_rows(answer, n, a));
                Sizes::ByAnswer(found.answers.iter().map(of_one).collect())
            }
            _ => Sizes::Total(self.sizes(selection).ok_or(FormatError::NotTabular)?),
        };
        tables::write_sizes(&sizes, &self.stats, format, out)?;
        Ok(())
    }
    /// Name, number of arguments and number of each selected constraint; `None` for a normal form. Of the logic machine
    /// those of all answers together.
    pub fn sizes(&self, selection: &Selection) -> Option<Vec<(String, usize, usize)>> {
        match &self.answer {
            Answer::NormalForm(_) => None,
            Answer::Store(store) => Some(
                self.counts(selection, |name, arity| tables::count(store, self.signature(), name, arity)),
            ),
            Answer::Sizes(sizes) => Some(self.counts(selection, |name, arity| {
                let id = tables::symbol(self.signature(), name, arity);
                id.and_then(|id| sizes.get(id)).map_or(0, |&size| size as usize)
            })),
            Answer::Logic(found) => Some(self.counts(selection, |name, arity| {
                found.answers.iter().map(|answer| count_rows(answer, name, arity)).sum()
            })),
        }
    }
    /// The selected constraints, each with a count.
    fn counts(&self, selection: &Selection, count: impl Fn(&str, usize) -> usize) -> Counts {
        let selected =
            self.program.constraints().into_iter().filter(|(name, arity)| selection.has(name, *arity));
        selected.map(|(name, arity)| (name.clone(), arity, count(&name, arity))).collect()
    }
    /// Writes the constraints of one symbol without their name.
    pub fn write_table(
        &self,
        name: &str,
        arity: usize,
        format: TableFormat,
        out: &mut (impl Write + Send),
    ) -> Result<(), FormatError> {
        match &self.answer {
            Answer::NormalForm(_) => Err(FormatError::NotTabular),
            Answer::Sizes(_) => Err(FormatError::OnlySizes),
            Answer::Store(store) => {
                Ok(tables::write_table(store, self.signature(), (name, arity), format, out)?)
            }
            Answer::Logic(found) => Ok(tables::write_logic_table(found, (name, arity), format, out)?),
        }
    }
    /// Writes the selected constraints to an SQLite database in the place of an empty file, each symbol to a table with
    /// its name, or to `path.2` where there are others of the name. `check` hears now and then how many bytes the file
    /// has, and may end the writing.
    #[cfg(feature = "tables")]
    pub fn write_database(
        &self,
        selection: &Selection,
        file: &Path,
        check: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<(), FormatError> {
        let mut database = gchr_tables::NewDatabase::create(file)?;
        let declared = self.program.constraints();
        for ((name, arity), table) in declared.iter().zip(tables::table_names(&declared)) {
            if selection.has(name, *arity) {
                let answer = (&self.answer, self.signature());
                tables::add_table(&mut database, &table, answer, (name, *arity), check)?;
            }
        }
        Ok(database.finish()?)
    }
    /// What reading a table or a database (`None`) of the selected constraints does not give back as it is in the
    /// store, one line for each argument.
    pub fn losses(&self, selection: &Selection, format: Option<TableFormat>) -> Vec<String> {
        let signature = self.signature();
        match &self.answer {
            Answer::NormalForm(_) | Answer::Sizes(_) => Vec::new(),
            Answer::Store(store) => {
                let selected = selection.of(signature);
                selected.flat_map(|id| losses::of_store(store, signature, id, format)).collect()
            }
            Answer::Logic(found) => {
                let Some(logic) = &self.program.logic else { return Vec::new() };
                let declared = self.program.constraints().into_iter();
                let selected = declared.filter(|(name, arity)| selection.has(name, *arity));
                selected
                    .flat_map(|(name, arity)| {
                        losses::of_logic(&found.answers, &logic.program, (&name, arity), format)
                    })
                    .collect()
            }
        }
    }
    /// Of a build without SQLite.
    #[cfg(not(feature = "tables"))]
    pub fn write_database(
        &self,
        _: &Selection,
        _: &Path,
        _: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<(), FormatError> {
        Err(tables::absent().into())
    }
    fn signature(&self) -> &'p Signature {
        &self.program.rules.signature
    }
}

impl Failure {
    /// Writes what was [left](Failure::left) in the store of `program`, or of several terms. JSON has it under a key of
    /// its own, so that it cannot be read as a result:
    /// `{"stopped": "step limit of 1000 reached", "partial_store": [...], "stats": {...}}`.
    pub fn write_left(
        &self,
        program: &Program,
        selection: &Selection,
        format: Format,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(left) = &self.left else { return Ok(()) };
        let signature = &program.rules.signature;
        match (format, left) {
            (Format::Text, Left::Store(store)) => {
                selection.of(signature).try_for_each(|id| store.write_rows(signature, id, out))
            }
            (Format::Text, Left::Logic(answer)) => logic::write_goals(answer, selection, out),
            (Format::Text | Format::Csv | Format::Tsv | Format::JsonLines, Left::Terms(results)) => {
                results.write_lines(out)
            }
            (Format::Text | Format::Csv | Format::Tsv | Format::JsonLines, Left::Untold(_)) => Ok(()),
            (Format::Csv | Format::Tsv, Left::Store(store)) => {
                csv::write(store, signature, selection, csv_style(format), out)
            }
            (Format::Csv | Format::Tsv, Left::Logic(answer)) => {
                csv::write_logic([(None, &**answer)], selection, csv_style(format), out)
            }
            (Format::JsonLines, Left::Store(store)) => {
                selection.of(signature).try_for_each(|id| json::write_table(store, signature, id, true, out))
            }
            (Format::JsonLines, Left::Logic(answer)) => logic::write_rows(answer, selection, out),
            (Format::Json, left) => {
                let why = self.diagnostics.list().first().map_or("", |d| d.message.as_str());
                json::write_left(why, left, signature, selection, &self.stats, out)
            }
        }
    }
}

fn csv_style(format: Format) -> csv::Style {
    if format == Format::Tsv { csv::TSV } else { csv::CSV }
}

/// The text of a result.
pub(crate) fn write_text(
    answer: &Answer,
    signature: &Signature,
    selection: &Selection,
    out: &mut impl Write,
) -> io::Result<()> {
    match answer {
        Answer::NormalForm(term) => {
            term.write_text(out)?;
            writeln!(out)
        }
        Answer::Store(store) => {
            selection.of(signature).try_for_each(|id| store.write_rows(signature, id, out))
        }
        Answer::Sizes(sizes) => selection.of(signature).try_for_each(|id| {
            let constraint = &signature.constraints[id];
            writeln!(out, "{}/{} {}", constraint.name, constraint.columns.len(), sizes[id])
        }),
        Answer::Logic(found) => logic::write_text(found, selection, out),
    }
}

/// The text form.
impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        let all = Selection::all();
        write_text(&self.answer, self.signature(), &all, &mut text).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&text))
    }
}
