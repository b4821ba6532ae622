//! A share of the lines of a batch, for one of several processes.

use std::str::FromStr;

/// Each of so many processes evaluates the lines of one share: of `of` lines in a row, one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// All lines.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// The share of this number, from 1; nothing when there are not so many.
    pub fn new(number: u64, of: u64) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }

    /// The share of this process among those that a launcher started side by side: the rank that MPI (MPICH, Intel MPI,
    /// Open MPI) or Slurm gave it. `value` looks up a variable of the environment.
    pub fn of_rank(value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        const LAUNCHERS: [(&str, &str); 3] = [
            ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
            ("PMI_RANK", "PMI_SIZE"),
            ("SLURM_PROCID", "SLURM_NTASKS"),
        ];
        let number = |name: &str| value(name)?.parse::<u64>().ok();
        LAUNCHERS.iter().find_map(|(rank, size)| Self::new(number(rank)?.checked_add(1)?, number(size)?))
    }

    /// Whether a line, counted from 1, is one of the share.
    pub(super) fn has(self, line: u64) -> bool {
        (line - 1) % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    /// `3/8`: the third of eight.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let shard = numbers.and_then(|(number, of)| Self::new(number, of));
        shard.ok_or("expected K/N with K from 1 to N, e.g. 3/8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_in_one_share() {
        for of in 1..6 {
            for line in 1..40 {
                let shares = (1..=of).filter_map(|number| Shard::new(number, of));
                assert_eq!(shares.filter(|share| share.has(line)).count(), 1, "line {line} of {of}");
            }
        }
    }

    #[test]
    fn shares_are_read() {
        assert_eq!("3/8".parse(), Ok(Shard { number: 3, of: 8 }));
        for wrong in ["", "3", "0/8", "9/8", "1/0", "-1/8", "3/8/2", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn launchers_number_ranks_from_zero() {
        let rank = |variables: &[(&str, &str)]| {
            Shard::of_rank(|name| {
                variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string())
            })
        };
        assert_eq!(rank(&[]), None);
        assert_eq!(rank(&[("PMI_RANK", "2"), ("PMI_SIZE", "3")]), Shard::new(3, 3));
        assert_eq!(rank(&[("PMI_RANK", "3"), ("PMI_SIZE", "3")]), None);
        assert_eq!(rank(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), Shard::new(1, 4));
        assert_eq!(rank(&[("OMPI_COMM_WORLD_RANK", "1")]), None);
    }
}
