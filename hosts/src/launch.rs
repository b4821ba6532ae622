//! What the environment says of the processes that were started together.

use gchr_constraints::rounds::workers::Worker;

/// The variables in which launchers say the rank and the number of processes: Open MPI; MPICH, Intel MPI and Slurm's
/// plug-in for these.
const LAUNCHERS: [(&str, &str); 2] =
    [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

/// Which of several processes this one is, if MPI's launcher started several. `value` looks up a variable of the
/// environment.
pub fn launched(value: impl Fn(&str) -> Option<String>) -> Option<Worker> {
    let number = |name: &str| value(name)?.parse::<usize>().ok();
    let of = |(rank, ranks): &(&str, &str)| Some(Worker { rank: number(rank)?, ranks: number(ranks)? });
    LAUNCHERS.iter().find_map(of).filter(|worker| worker.ranks > 1 && worker.rank < worker.ranks)
}

/// Which of the processes of a host this one is, by the launcher that started it; 0 where none says so.
pub fn place_on_host(value: impl Fn(&str) -> Option<String>) -> usize {
    let names = ["MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"];
    names.iter().find_map(|name| value(name)?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_were_started_together_know_their_rank() {
        let launched = |variables: &[(&str, &str)]| {
            launched(|name| Some(variables.iter().find(|(known, _)| *known == name)?.1.to_string()))
        };
        let two_of_four = Some(Worker { rank: 2, ranks: 4 });
        assert_eq!(launched(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")]), two_of_four);
        assert_eq!(launched(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]), two_of_four);
        assert_eq!(launched(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        assert_eq!(launched(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), None);
        assert_eq!(launched(&[("PMI_RANK", "0")]), None);
    }
}
