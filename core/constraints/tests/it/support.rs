//! Runs programs that are given as text by every executor of the processor.

use gchr_base::control::{Control, Limits};
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load};
use gchr_constraints::exec::{self, Outcome, Stopped, Store};
use gchr_constraints::plan::{self, Joins, RoundsOptions};
use gchr_constraints::rounds;

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    Refined,
    Rounds(RoundsOptions),
}

/// Every executor.
pub const ALL: [How; 4] = [
    How::Refined,
    How::Rounds(RoundsOptions { classes: true, joins: Joins::Indexed }),
    How::Rounds(RoundsOptions { classes: false, joins: Joins::Indexed }),
    How::Rounds(RoundsOptions { classes: false, joins: Joins::Exhaustive }),
];

/// What came of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The final store, its constraints separated by spaces.
    Store(String),
    /// Codes of the errors that it was refused with.
    Refused(String),
    /// Code and message of the error that stopped it.
    Stopped(String),
}

impl Answer {
    /// As text: a store as it is, codes in brackets, an error after an exclamation mark.
    pub fn text(&self) -> String {
        match self {
            Answer::Store(text) => text.clone(),
            Answer::Refused(codes) => format!("[{codes}]"),
            Answer::Stopped(error) => format!("!{error}"),
        }
    }
}

/// A checked program, or the codes of its errors.
pub fn loaded(text: &str, query: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let program = sources.add("test.chr", text);
    let queries = if query.is_empty() { Vec::new() } else { vec![sources.add("query", query)] };
    let loaded = load(&mut sources, &Request { program, queries, facts: Vec::new() });
    let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
    let codes: Vec<&str> = errors.map(|d| d.code).collect();
    loaded.program.ok_or(codes.join(" "))
}

/// Runs a program.
pub fn execute(program: &Program, how: How, limits: Limits) -> Result<Outcome, Box<Stopped>> {
    let mut control = Control::new(limits);
    match how {
        How::Refined => {
            let plan = plan::compile(program).expect("the plan compiles");
            exec::run(program, &plan, &[], &mut control)
        }
        How::Rounds(options) => {
            let plan = plan::compile_rounds(program, options).expect("the plan compiles");
            rounds::run(program, &plan, &[], &mut control)
        }
    }
}

/// The constraints of a store, separated by spaces.
pub fn shown(store: &Store, program: &Program) -> String {
    let mut text = Vec::new();
    store.write_text(&program.signature, &mut text).expect("a vector takes any text");
    String::from_utf8(text).expect("UTF-8").trim().replace('\n', " ")
}

/// What comes of a program and a query.
pub fn answer(text: &str, query: &str, how: How) -> Answer {
    let program = match loaded(text, query) {
        Ok(program) => program,
        Err(codes) => return Answer::Refused(codes),
    };
    match execute(&program, how, Limits::default()) {
        Ok(outcome) => Answer::Store(shown(&outcome.store, &program)),
        Err(stopped) => {
            let diagnostic = stopped.error.to_diagnostic(&program);
            Answer::Stopped(format!("{} {}", diagnostic.code, diagnostic.message))
        }
    }
}

/// Checks that every executor gives the same answer to a program and a query.
#[track_caller]
pub fn check(text: &str, query: &str, wanted: &str) {
    for how in ALL {
        assert_eq!(answer(text, query, how).text(), wanted, "{text}\n?- {query}\n{how:?}");
    }
}
