//! Values of options: sizes, durations, fact files.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use gchr::{Header, Shard};

use super::exit::Exit;
use super::report;

/// When the state of a run is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// After each so many rounds.
    Rounds(NonZeroU64),
    /// At the end of the first round after so much time.
    Time(Duration),
}

impl Default for Every {
    fn default() -> Self {
        Every::Time(Duration::from_secs(60))
    }
}

/// `512M`, `16G`, `1.5GiB`, `4096`: bytes, with binary units.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let unit = unit.trim_end_matches(['b', 'B']).trim_end_matches('i');
    let shift = match unit {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        "t" | "T" => 40,
        _ => return Err("expected a number of bytes with an optional unit K, M, G or T, e.g. 512M".into()),
    };
    let bytes = positive(number)? * (1u64 << shift) as f64;
    if bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err("too large".into()) }
}

/// `10s`, `5m`, `1.5h`, `200ms`; a bare number counts seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a number with a unit ms, s, m or h, e.g. 10s or 1.5h".into()),
    };
    let time = Duration::try_from_secs_f64(positive(number)? * seconds).map_err(|_| "too long")?;
    if time.is_zero() { Err("shorter than a nanosecond".into()) } else { Ok(time) }
}

/// `100`: rounds; `30s`, `5m`: a time.
pub fn every(text: &str) -> Result<Every, String> {
    if let Ok(rounds) = text.parse() {
        return Ok(Every::Rounds(rounds));
    }
    let time = if text.ends_with(|c: char| c.is_ascii_alphabetic()) { duration(text).ok() } else { None };
    let wrong = "expected a number of rounds, or a time with its unit, e.g. 100 or 30s";
    time.map(Every::Time).ok_or_else(|| wrong.into())
}

/// `path/2` or `path`.
pub fn symbol(text: &str) -> Result<(String, Option<usize>), String> {
    match text.rsplit_once('/') {
        Some((name, arity)) if !name.is_empty() => match arity.parse() {
            Ok(arity) => Ok((name.to_string(), Some(arity))),
            Err(_) => Err("expected a number of arguments behind the slash, e.g. path/2".into()),
        },
        _ if text.is_empty() => Err("expected a constraint, e.g. path/2".into()),
        _ => Ok((text.to_string(), None)),
    }
}

/// `edge=FILE`.
pub fn facts(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((constraint, file)) if !constraint.is_empty() && !file.is_empty() => {
            Ok((constraint.to_string(), PathBuf::from(file)))
        }
        _ => Err("expected CONSTRAINT=FILE, e.g. edge=roads.csv".into()),
    }
}

/// What was said of the first lines of the files of a constraint by options `--header`, last.
pub fn header_of(said: &[(Option<String>, Header)], constraint: &str) -> Header {
    let of = |name: Option<&str>| said.iter().rev().find(|(c, _)| c.as_deref() == name);
    of(Some(constraint)).or_else(|| of(None)).map_or(Header::Auto, |&(_, header)| header)
}

/// Refuses what is said of the first lines of files of a constraint that has none.
pub fn check_header(said: &[(Option<String>, Header)], facts: &[(String, PathBuf)]) -> Result<(), Exit> {
    let without_file = |constraint: &&String| facts.iter().all(|(of, _)| of != *constraint);
    let Some(constraint) = said.iter().filter_map(|(of, _)| of.as_ref()).find(without_file) else {
        return Ok(());
    };
    let help = "leave it out, or give the files: --facts C=FILE";
    report::problem("U0105", &format!("--header has no effect: there is no fact file of {constraint}"), help);
    Err(Exit::Usage)
}

/// `yes`, `no`, `auto`, or `edge=yes` for the files of a constraint.
pub fn header(text: &str) -> Result<(Option<String>, Header), String> {
    let (constraint, when) = match text.rsplit_once('=') {
        Some((constraint, when)) => (Some(constraint.to_string()), when),
        None => (None, text),
    };
    let header = match when {
        "yes" => Header::Yes,
        "no" => Header::No,
        "auto" => Header::Auto,
        _ => return Err("expected yes, no or auto, or CONSTRAINT=yes and so on".into()),
    };
    Ok((constraint, header))
}

/// `3/8`, or `rank`: that of this process among those that a launcher started.
pub fn shard(text: &str) -> Result<Shard, String> {
    if text != "rank" {
        return text.parse().map_err(|wrong| format!("{wrong}, or rank"));
    }
    let none = "no launcher gave this process a rank: start it with mpiexec or srun, or give K/N";
    Shard::of_rank(|name| std::env::var(name).ok()).ok_or_else(|| none.into())
}

/// `sm_90`: the number of a GPU architecture.
pub fn architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let number = number.and_then(|n| n.parse().ok());
    number.ok_or_else(|| "expected sm_ and a compute capability without its point, e.g. sm_90".into())
}

/// A number of workers.
pub fn workers(text: &str) -> Result<NonZeroUsize, String> {
    threads(text).and_then(|n| NonZeroUsize::new(n).ok_or_else(|| "expected a number from 1 to 4096".into()))
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=4096) => Ok(n),
        _ => Err("expected a number from 1 to 4096".into()),
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

fn positive(number: &str) -> Result<f64, String> {
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number greater than zero".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("16G"), Ok(16 << 30));
        for wrong in ["", "G", "-1", "0", "1X", "1e400", "99999999999T", "1.2.3"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("200ms"), Ok(Duration::from_millis(200)));
        for wrong in ["", "s", "0", "0s", "0.0000000001ms", "5d", "-3s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(duration(&format!("1{}", "0".repeat(40))).is_err());
    }

    #[test]
    fn architectures() {
        assert_eq!(architecture("sm_90"), Ok(90));
        for wrong in ["90", "sm_", "sm_9.0", "compute_90", "sm_+9", "sm_99999999999"] {
            assert!(architecture(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers() {
        assert_eq!(header("yes"), Ok((None, Header::Yes)));
        assert_eq!(header("e=no"), Ok((Some("e".into()), Header::No)));
        assert_eq!(header("=/2=auto"), Ok((Some("=/2".into()), Header::Auto)));
        assert!(header("maybe").is_err() && header("e=").is_err() && header("").is_err());
    }

    #[test]
    fn fact_files() {
        assert_eq!(facts("e=a=b.csv"), Ok(("e".into(), PathBuf::from("a=b.csv"))));
        assert!(facts("edge").is_err());
        assert!(facts("=x").is_err());
    }
}
