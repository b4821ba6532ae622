//! What changed since an earlier report.

use std::fmt;

use super::report::Report;
use crate::report::format::write_aligned;

/// How much the best times may differ without being called a change.
const TOLERANCE: f64 = 1.1;

/// An entry whose time changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Name of the entry.
    pub key: String,
    /// Best milliseconds then.
    pub before: f64,
    /// Best milliseconds now.
    pub now: f64,
}

impl Change {
    /// Whether it takes longer now.
    pub fn is_slower(&self) -> bool {
        self.now > self.before
    }
}

/// All changes, the worst first.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Changes {
    /// Entries that changed.
    pub list: Vec<Change>,
    /// Entries in both reports.
    pub compared: usize,
    /// Why the reports may not be comparable.
    pub warning: Option<String>,
}

impl Report {
    /// Changes since `old`: the best times differ by more than a tenth, and the slower one's best is not within the
    /// spread of the other.
    pub fn against(&self, old: &Report) -> Changes {
        let mut changes = Changes::default();
        if old.machine != self.machine {
            changes.warning =
                Some(format!("the earlier report is of another machine or build: {}", old.machine));
        }
        for entry in &self.entries {
            let known = old.entries.iter().find(|e| e.key() == entry.key());
            let (Some(now), Some(before)) = (entry.ours, known.and_then(|e| e.ours)) else { continue };
            changes.compared += 1;
            let slower = now.min > before.min * TOLERANCE && now.min > before.median;
            let faster = before.min > now.min * TOLERANCE && before.min > now.median;
            if slower || faster {
                changes.list.push(Change { key: entry.key(), before: before.min, now: now.min });
            }
        }
        changes.list.sort_by(|a, b| (b.now / b.before).total_cmp(&(a.now / a.before)));
        changes
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(warning) = &self.warning {
            writeln!(f, "{warning}")?;
        }
        let slower = self.list.iter().filter(|c| c.is_slower()).count();
        let faster = self.list.len() - slower;
        writeln!(f, "of {} entries, {slower} got slower and {faster} faster", self.compared)?;
        let line = |c: &Change| {
            let word = if c.is_slower() { "slower" } else { "faster" };
            let times = if c.is_slower() { c.now / c.before } else { c.before / c.now };
            vec![
                c.key.clone(),
                format!("{:.3}", c.before),
                format!("{:.3}", c.now),
                format!("{times:.2} times {word}"),
            ]
        };
        let heads = ["entry", "before ms", "now ms", ""].map(str::to_string).to_vec();
        let lines: Vec<_> = std::iter::once(heads).chain(self.list.iter().map(line)).collect();
        if self.list.is_empty() { Ok(()) } else { write_aligned(f, &lines) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::super::report::Entry;
    use super::super::settings::Settings;
    use super::*;
    use crate::report::spread::spread;

    fn report(times: &[(&str, &[f64])]) -> Report {
        let interrupt = AtomicBool::new(false);
        let settings = Settings {
            repeats: 3,
            only: vec![],
            smallest: false,
            device: crate::Device::Cpu,
            timeout: Duration::from_secs(1),
            interrupt: &interrupt,
            progress: &|_| {},
        };
        let mut report = Report::new("scale", &settings);
        for (name, times) in times {
            report.entries.push(Entry { ours: Some(spread(times)), ..Entry::new(*name, "cpu", Some(1)) });
        }
        report
    }

    #[test]
    fn only_changes_beyond_the_spread_are_told() {
        let old = report(&[
            ("a", &[1.0, 1.1, 1.2]),
            ("b", &[1.0, 1.5, 3.0]),
            ("c", &[2.0, 2.1, 2.2]),
            ("d", &[1.0]),
        ]);
        let new = report(&[("a", &[2.0, 2.1]), ("b", &[1.4, 1.5]), ("c", &[1.0, 1.1]), ("e", &[9.0])]);
        let changes = new.against(&old);
        assert_eq!(changes.compared, 3);
        let keys: Vec<_> = changes.list.iter().map(|c| (c.key.as_str(), c.is_slower())).collect();
        assert_eq!(keys, [("a 1 (cpu)", true), ("c 1 (cpu)", false)]);
        let text = changes.to_string();
        assert!(text.contains("1 got slower and 1 faster") && text.contains("2.00 times slower"), "{text}");
    }

    #[test]
    fn reports_are_read_back() {
        // Times with all their digits.
        let report = report(&[("a", &[1.0, 2.0]), ("b", &[12.001935999999999])]);
        let text = serde_json::to_string(&report).expect("JSON");
        assert_eq!(serde_json::from_str::<Report>(&text).expect("a report"), report);
    }
}
