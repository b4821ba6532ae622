//! Alarms and limits of a program: how they are set, and what they do.

use std::time::{Duration, Instant};

use super::Table;
use crate::alarms::{Action, Alarm, AlarmState};
use crate::cell::Cell;
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;
use crate::undo::Woken;

/// Longest time until an alarm, in seconds: beyond, it never comes.
const LONGEST: f64 = 1e9;

/// Steps of what counts the steps of a goal: an error that ends the goal is caught by it.
const OVERHEAD: u64 = 4;

impl Machine<'_, '_> {
    /// Whether an alarm or the limit of steps waits for the next call.
    #[cold]
    pub fn is_ringing(&self) -> bool {
        let now = Instant::now();
        self.steps >= self.alarms.most_steps
            || self.alarms.alarms.iter().any(|alarm| match alarm.state {
                AlarmState::Scheduled => alarm.at <= now,
                AlarmState::Due => matches!(alarm.action, Action::Call(_)),
                AlarmState::Idle | AlarmState::Done => false,
            })
    }

    /// Throws what a limit of the program throws, or has the goals of alarms run before the next call.
    #[cold]
    pub fn sound_alarms(&mut self) -> Done<()> {
        if self.steps >= self.alarms.most_steps {
            // Who catches it is not limited any more.
            self.alarms.most_steps = u64::MAX;
            let ball = self.db.names.cell("inference_limit_exceeded");
            return Err(self.throw(ball));
        }
        let now = Instant::now();
        if let Some(throw) = self.time_is_over(now) {
            return Err(throw);
        }
        while self.alarms.due(now, false).is_some() {}
        let is_due =
            |alarm: &Alarm| alarm.state == AlarmState::Due && matches!(alarm.action, Action::Call(_));
        if self.alarms.alarms.iter().any(is_due) && !self.heap.woken.contains(&Woken::Alarm) {
            self.heap.woken.push(Woken::Alarm);
        }
        Ok(())
    }

    /// What the time limit throws that was reached first.
    fn time_is_over(&mut self, now: Instant) -> Option<Throw> {
        let id = self.alarms.due(now, true)?;
        self.heap.meter.ring_at(self.alarms.next_limit());
        let Action::Throw(record) = &self.alarms.get(id)?.action else { return None };
        let record = record.clone();
        let ball = self.restored(&record);
        Some(self.throw(ball))
    }

    /// A built-in predicate or a function was ended for a time limit.
    #[cold]
    pub fn rung(&mut self) -> Throw {
        self.heap.meter.go_on();
        self.time_is_over(Instant::now()).unwrap_or_else(|| self.stopped())
    }

    /// The goals of alarms that are due, as terms.
    pub fn due_goals(&mut self) -> Vec<Cell> {
        let mut records = Vec::new();
        for alarm in &mut self.alarms.alarms {
            if let (AlarmState::Due, Action::Call(goal)) = (alarm.state, &alarm.action) {
                records.push(goal.clone());
                alarm.state = AlarmState::Done;
            }
        }
        self.alarms.alarms.retain(|alarm| alarm.state != AlarmState::Done || !alarm.once);
        records.iter().map(|record| self.heap.restore(record)).collect()
    }

    /// Schedules an alarm, from now on or from when it was made for.
    fn install(&mut self, id: usize, after: Option<f64>) {
        if let Some(alarm) = self.alarms.get(id) {
            alarm.after = after.unwrap_or(alarm.after);
            let after = alarm.after.clamp(0.0, LONGEST);
            (alarm.state, alarm.at) =
                (AlarmState::Scheduled, Instant::now() + Duration::from_secs_f64(after));
        }
        self.heap.meter.ring_at(self.alarms.next_limit());
        // So that short times are heard soon.
        self.rest_soon();
    }

    fn alarm_arg(&mut self, index: usize) -> Done<usize> {
        let cell = self.arg(index);
        let name = self.db.names.intern("<alarm>");
        match self.heap.functor(cell) {
            Some((found, 1)) if found == name => {
                let id = self.heap.arg(cell, 0);
                if id.is_int() && self.alarms.get(id.as_int() as usize).is_some() {
                    return Ok(id.as_int() as usize);
                }
                Err(self.existence_error("alarm", cell))
            }
            _ if cell.is_var() => Err(self.instantiation_error()),
            _ => Err(self.type_error("alarm", cell)),
        }
    }

    fn seconds_arg(&mut self, index: usize) -> Done<f64> {
        let cell = self.arg(index);
        match cell.is_var() {
            true => Err(self.instantiation_error()),
            false if self.heap.is_number(cell) => Ok(self.heap.number(cell).to_float()),
            false => Err(self.type_error("number", cell)),
        }
    }
}

/// Predicates about alarms and limits.
pub(super) const TABLE: Table = &[
    // `$alarm(Seconds, throw(Ball) or call(Goal), Id, Once)`: one that is not installed.
    ("$alarm", 4, |m| {
        let (after, action, once) = (m.seconds_arg(0)?, m.arg(1), m.arg(3) == Cell::atom(atom::true_));
        let (is_call, record) = (m.heap.functor(action) == Some((atom::call, 1)), {
            let inner = m.heap.arg(action, 0);
            m.heap.record(inner)
        });
        let action = if is_call { Action::Call(record) } else { Action::Throw(record) };
        m.alarms.last += 1;
        let id = m.alarms.last;
        let (at, state) = (Instant::now(), AlarmState::Idle);
        m.alarms.alarms.push(Alarm { id, after, at, state, action, once });
        let name = m.db.names.intern("<alarm>");
        let term = m.heap.compound(name, &[Cell::int(id)]);
        Ok(m.unify_arg(2, term))
    }),
    ("install_alarm", 1, |m| {
        let id = m.alarm_arg(0)?;
        m.install(id, None);
        Ok(true)
    }),
    ("install_alarm", 2, |m| {
        let (id, after) = (m.alarm_arg(0)?, m.seconds_arg(1)?);
        m.install(id, Some(after));
        Ok(true)
    }),
    ("uninstall_alarm", 1, |m| {
        let id = m.alarm_arg(0)?;
        if let Some(alarm) = m.alarms.get(id) {
            alarm.state = AlarmState::Idle;
        }
        m.heap.meter.ring_at(m.alarms.next_limit());
        Ok(true)
    }),
    ("remove_alarm", 1, |m| {
        let id = m.alarm_arg(0)?;
        m.alarms.alarms.retain(|alarm| alarm.id != id);
        m.heap.meter.ring_at(m.alarms.next_limit());
        Ok(true)
    }),
    // `$inference_limit(Steps, Before, Limit)`: the limit of steps before, and what it is now.
    ("$inference_limit", 3, |m| {
        let limit = m.int_arg(0)?;
        if limit < 0 {
            let culprit = m.arg(0);
            return Err(m.domain_error("not_less_than_zero", culprit));
        }
        let before = m.alarms.most_steps;
        let now = before.min(m.steps.saturating_add(limit as u64 + OVERHEAD));
        m.set_most_steps(now);
        let (before, now) = (m.steps_cell(before), m.steps_cell(now));
        Ok(m.unify_arg(1, before) && m.unify_arg(2, now))
    }),
    // `$set_inference_limit(Limit)`
    ("$set_inference_limit", 1, |m| {
        let limit = m.int_arg(0)?;
        m.set_most_steps(if limit < 0 { u64::MAX } else { limit as u64 });
        Ok(true)
    }),
    // `$steps(Steps)`: steps so far.
    ("$steps", 1, |m| {
        let steps = m.heap.integer(m.steps as i64);
        Ok(m.unify_arg(0, steps))
    }),
];

impl Machine<'_, '_> {
    /// A limit of steps as a term; `-1` for none.
    fn steps_cell(&mut self, limit: u64) -> Cell {
        self.heap.integer(i64::try_from(limit).unwrap_or(-1))
    }
    fn set_most_steps(&mut self, limit: u64) {
        self.alarms.most_steps = limit;
        self.rest_soon();
    }
}
