//! Limits of a run by name. What a host calls the option that moves one is the host's to say: the command line has
//! flags, an interactive session has commands, Python has arguments.

/// A limit that ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Limit {
    /// Rule applications or firings.
    Steps,
    /// Rounds of a constraint program.
    Rounds,
    /// Bytes in use.
    Memory,
    /// Time.
    Time,
    /// Bytes of a result, or of what the program itself writes.
    Output,
    /// Bits of an integer over ground stores, and the range of floats. What has no such limit is the logic machine.
    Integers,
}

/// How the users of a host move a limit: the help of a diagnostic that tells of one.
pub type Wording = fn(Limit) -> &'static str;

impl Limit {
    /// All of them.
    pub const ALL: [Limit; 6] =
        [Limit::Steps, Limit::Rounds, Limit::Memory, Limit::Time, Limit::Output, Limit::Integers];

    /// How a user of the library moves it, for whom [`Limits`](crate::control::Limits) has a field.
    pub fn in_library(self) -> &'static str {
        match self {
            Limit::Steps => "raise `Limits::max_steps`, or leave it out for no limit",
            Limit::Rounds => "raise `Limits::max_rounds`, or leave it out for no limit",
            Limit::Memory => {
                "raise `Limits::memory`, and what bounds the process and its input where that is set"
            }
            Limit::Time => "raise `Limits::timeout`, or leave it out for no limit",
            Limit::Output => "raise `Limits::max_output`, or leave it out for no limit",
            Limit::Integers => {
                "use smaller numbers, or load the program for the logic machine (`for_logic`, \
                 `open_for_logic`), where integers have any size"
            }
        }
    }
}
