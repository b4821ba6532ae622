//! Tests of the logic machine: programs from text to answers.

mod answers;
mod integers;
mod programs;
mod random;
mod support;
