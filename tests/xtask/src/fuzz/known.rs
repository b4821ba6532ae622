//! What is known to fail: a list of files of the folder of failures, and of ways to run in which programs may differ
//! for now.

use std::path::Path;

use super::findings::Difference;

/// Name of the list in the folder of failures.
const LIST: &str = "known-failures.txt";

/// Lines of the list: `FILE: WHY`, `way to run NAME: WHY`, or `difference TEXT: WHY`.
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// Files and the reasons.
    pub files: Vec<(String, String)>,
    /// Beginnings of the names of ways to run.
    ways: Vec<String>,
    /// What differences say.
    texts: Vec<String>,
}

impl Known {
    /// The list of a folder; empty where there is none.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(folder.join(LIST)).unwrap_or_default();
        let mut known = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            let (what, why) = line.split_once(": ").ok_or(format!("{LIST}: FILE: WHY, not {line}"))?;
            match (what.strip_prefix("way to run "), what.strip_prefix("difference ")) {
                (Some(way), _) => known.ways.push(way.into()),
                (None, Some(text)) => known.texts.push(text.into()),
                (None, None) => known.files.push((what.into(), why.into())),
            }
        }
        Ok(known)
    }

    /// Whether programs may differ so.
    pub fn has(&self, difference: &Difference) -> bool {
        let said = difference.to_string();
        self.ways.iter().any(|way| said.starts_with(way.as_str()))
            || self.texts.iter().any(|text| said.contains(text.as_str()))
    }

    /// Why a file fails.
    pub fn why(&self, file: &str) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == file).map(|(_, why)| why.as_str())
    }
}
