//! Tests of the plan and the executor on programs built by hand.

mod behaviour;
mod builder;
mod decisions;
mod derived;
mod naive;
mod random;
mod recorded;
mod rounds;
