//! Why a symbol is in a normal form: the rule application that made it, and those in whose right-hand sides that was.

use std::io::{self, Write};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::escape;
use gchr_base::rule::{GroundTerm, HeadAtom, Program, Rule};
use gchr_base::source::{SourceMap, Span};
use gchr_terms::derivation::{Application, Node, TermDerivation, derive};
use serde_json::{Value, json};

use super::{Place, WhyOptions};

/// Characters of a term that are shown.
const WIDTH: usize = 200;

/// The applications that led to a symbol.
#[derive(Clone, Debug)]
pub(super) struct TermExplanation {
    path: String,
    term: String,
    /// How many rules were applied in all.
    applications: u64,
    /// The application that made the symbol, then those around it.
    chain: Vec<Applied>,
    /// How many more there are around the last one.
    more: u64,
}

#[derive(Clone, Debug)]
struct Applied {
    rule: String,
    place: Place,
    is_built_in: bool,
    redex: String,
    bindings: Vec<(String, String)>,
}

/// Why there is no explanation.
pub(crate) enum TermUnexplained {
    /// What was asked for is not there, or cannot be read.
    Refused(Box<Diagnostic>),
    /// The evaluation stopped.
    Stopped(Box<RunError>),
}

/// A path: the number of an argument, from 1, on each level.
pub(crate) struct Path {
    text: String,
    steps: Vec<usize>,
    span: Span,
}

impl Path {
    /// Reads `1.2`, or `.` for the whole term; `name` is what the text is called in findings.
    pub(crate) fn read(text: &str, name: &str, sources: &mut SourceMap) -> Result<Self, Box<Diagnostic>> {
        let span = Span::new(sources.add(name, text), 0, text.len());
        let text = text.trim();
        if text == "." {
            return Ok(Self { text: text.into(), steps: Vec::new(), span });
        }
        let number = |part: &str| part.parse().ok().filter(|&n: &usize| n > 0);
        let steps: Option<Vec<usize>> = text.split('.').map(number).collect();
        steps.map(|steps| Self { text: text.into(), steps, span }).ok_or_else(|| {
            Box::new(
                Diagnostic::error("U0140", "this is no path into a term")
                    .label(span, "expected numbers from 1 on with full stops between them")
                    .help("give 1.2 for the second argument of the first one, or . for the whole result"),
            )
        })
    }

    /// The subterm of the normal form.
    fn follow(&self, found: &TermDerivation<'_>) -> Result<Node, Box<Diagnostic>> {
        let mut node = found.root();
        for (level, &step) in self.steps.iter().enumerate() {
            let args = found.args(node);
            let Some(&next) = args.get(step - 1) else {
                let so_far: Vec<String> = self.steps[..=level].iter().map(usize::to_string).collect();
                let message = format!("the result has nothing at {}", so_far.join("."));
                let of = match args.len() {
                    0 => "no arguments".into(),
                    1 => "one argument".into(),
                    n => format!("{n} arguments"),
                };
                let note = format!("{} has {of}", found.text(node, WIDTH));
                let found = Diagnostic::error("U0141", message).label(self.span, "asked for here").note(note);
                return Err(Box::new(found));
            };
            node = next;
        }
        Ok(node)
    }
}

/// Evaluates a term and explains the symbol at a path of its normal form.
pub(super) fn explain(
    program: &Program,
    sources: &SourceMap,
    term: &GroundTerm,
    path: &Path,
    options: WhyOptions,
    control: &mut Control<'_>,
) -> Result<TermExplanation, TermUnexplained> {
    if program.signature.big_integers {
        let message = "rule applications are not recorded with integers of any size";
        let help = "`gchr run --trace` shows every rule application";
        return Err(TermUnexplained::Refused(Box::new(Diagnostic::error("U0142", message).help(help))));
    }
    let found = derive(program, term, control).map_err(TermUnexplained::Stopped)?;
    let node = path.follow(&found).map_err(TermUnexplained::Refused)?;
    let mut chain = Vec::new();
    let mut next = found.maker(node);
    let mut more = 0;
    while let Some(application) = next {
        if chain.len() < options.depth.max(1) {
            chain.push(applied(program, sources, &found, application));
        } else {
            more += 1;
        }
        next = found.caller(application);
    }
    let (path, term) = (path.text.clone(), found.text(node, WIDTH));
    Ok(TermExplanation { path, term, applications: found.applications(), chain, more })
}

fn applied(
    program: &Program,
    sources: &SourceMap,
    found: &TermDerivation<'_>,
    application: Application,
) -> Applied {
    let id = found.rule(application);
    let rule = &program.rules[id];
    let named = |&(var, node): &(_, Node)| {
        let name: &String = &rule.vars[var].name;
        (!name.starts_with('_')).then(|| (name.clone(), found.text(node, WIDTH)))
    };
    Applied {
        rule: program.rule_name(id),
        place: Place::of(sources, rule.span),
        is_built_in: is_built_in(program, rule),
        redex: found.redex_text(application, WIDTH),
        bindings: found.bindings(application).iter().filter_map(named).collect(),
    }
}

/// Whether a rule is one of an operation that no text declares; its place is where it is used.
fn is_built_in(program: &Program, rule: &Rule) -> bool {
    rule.heads.first().is_some_and(|head| match &head.atom {
        HeadAtom::Term { symbol, .. } => program.signature.symbols[*symbol].span.is_none(),
        HeadAtom::Constraint { .. } => false,
    })
}

impl TermExplanation {
    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let place = if self.path == "." { "the result".into() } else { format!("at {}", self.path) };
        writeln!(out, "{} ({place})", self.term)?;
        for (i, Applied { rule, place, is_built_in, redex, bindings }) in self.chain.iter().enumerate() {
            let before = if i == 0 { "made by" } else { "within" };
            let built_in = if *is_built_in { "built in, for " } else { "" };
            write!(out, "{:i$}{before} {rule} ({built_in}{}:{}) on {redex}", "", place.file, place.line)?;
            for (k, (name, value)) in bindings.iter().enumerate() {
                write!(out, "{} {name} = {value}", if k == 0 { " with" } else { "," })?;
            }
            writeln!(out)?;
        }
        let end = self.chain.len();
        match (self.more, end) {
            (0, 0) => writeln!(out, "made by no rule: it is of the term that was given"),
            (0, _) => writeln!(out, "{:end$}within the term that was given", ""),
            (more, _) => writeln!(out, "{:end$}within {more} more (--depth)", ""),
        }
    }

    pub(super) fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let step = |applied: &Applied| {
            let variables = applied.bindings.iter().map(|(name, value)| (name.clone(), value.clone().into()));
            json!({
                "rule": applied.rule,
                "place": { "file": applied.place.file, "line": applied.place.line },
                "built_in": applied.is_built_in,
                "redex": applied.redex,
                "variables": variables.collect::<serde_json::Map<String, Value>>(),
            })
        };
        let whole = json!({
            "of": self.path,
            "term": self.term,
            "rule_applications": self.applications,
            "made_by": self.chain.iter().map(step).collect::<Vec<_>>(),
            "further": self.more,
        });
        let out = &mut escape::json(out);
        serde_json::to_writer_pretty(&mut *out, &whole)?;
        out.write_all(b"\n")
    }
}
