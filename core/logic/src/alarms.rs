//! Limits that a program sets for goals of its own, and goals that it wants to be called at a time.
//!
//! An alarm is a goal and the time at which it is due. The machine looks for alarms that are due where it looks at its
//! own limits, and runs their goals before its next call ([`Woken`](crate::undo::Woken)). A time limit is an alarm that
//! throws a term: it also ends a built-in predicate that changes nothing but its own results, through the meter.

use std::time::Instant;

use crate::record::Record;

/// What an alarm does.
#[derive(Debug)]
pub(crate) enum Action {
    /// It throws this term.
    Throw(Record),
    /// It calls this goal.
    Call(Record),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum AlarmState {
    /// Not installed yet, or taken back.
    Idle,
    Scheduled,
    /// It came; its goal is to be called, or was.
    Due,
    Done,
}

#[derive(Debug)]
pub(crate) struct Alarm {
    pub id: usize,
    /// How long after its installation, and when, it is due.
    pub after: f64,
    pub at: Instant,
    pub state: AlarmState,
    pub action: Action,
    /// Whether it is forgotten once it came.
    pub once: bool,
}

/// Alarms, and the limit of steps.
#[derive(Debug)]
pub(crate) struct Alarms {
    pub alarms: Vec<Alarm>,
    pub last: usize,
    /// The step beyond which `inference_limit_exceeded` is thrown.
    pub most_steps: u64,
}

impl Default for Alarms {
    fn default() -> Self {
        Self { alarms: Vec::new(), last: 0, most_steps: u64::MAX }
    }
}

impl Alarms {
    /// Whether nothing is to be looked at.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.alarms.is_empty() && self.most_steps == u64::MAX
    }

    /// The alarm of a number.
    pub fn get(&mut self, id: usize) -> Option<&mut Alarm> {
        self.alarms.iter_mut().find(|alarm| alarm.id == id)
    }

    /// When the first scheduled alarm comes that throws a term.
    pub fn next_limit(&self) -> Option<Instant> {
        let limits = self.alarms.iter().filter(|alarm| matches!(alarm.action, Action::Throw(_)));
        limits.filter(|alarm| alarm.state == AlarmState::Scheduled).map(|alarm| alarm.at).min()
    }

    /// The scheduled alarm that came first, if one came.
    pub fn due(&mut self, now: Instant, throws: bool) -> Option<usize> {
        let wanted = |alarm: &&mut Alarm| {
            alarm.state == AlarmState::Scheduled
                && alarm.at <= now
                && matches!(alarm.action, Action::Throw(_)) == throws
        };
        let first = self.alarms.iter_mut().filter(wanted).min_by_key(|alarm| alarm.at)?;
        first.state = AlarmState::Due;
        Some(first.id)
    }
}
