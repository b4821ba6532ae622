//! Clauses and constraint rules over logical variables: compiled to instructions, and run by one machine with a trail
//! and choice points.

mod alarms;
mod arithmetic;
mod big;
mod build;
mod builtins;
mod cell;
mod code;
mod collect;
mod compile;
mod constraints;
mod copy;
mod database;
mod evaluator;
mod heap;
mod library;
mod load;
mod machine;
mod meter;
mod names;
mod number;
mod print;
mod record;
mod run;
mod store;
mod streams;
mod tables;
mod text;
mod undo;
mod unify;
mod waiting;
mod walk;
mod write;

pub use evaluator::MachineEvaluator;
pub use load::{Loaded, load};
pub use print::plan;
pub use run::{Answer, AnswerText, Answers, OnAnswer, Options, Reason, Resident, Run, Stopped, Streams, run};
