//! Launchers that no component can talk to, known by what they leave in the environment.

use cairn_framework::launch;

/// How a variable tells that other processes were started with this one.
enum Tells {
    /// It is there.
    Present,
    /// It is a number above so many.
    Above(u64),
}

use Tells::{Above, Present};

/// All of a row's variables must tell; the first row that fits wins. Counts are looked at where
/// there are any, because one process alone is rightly rank 0 of 1.
const LAUNCHERS: [(&str, &[(&str, Tells)]); 13] = [
    // Asked only if its socket is not there.
    (
        "mpirun of Cairn MPI (but the descriptor PMI_FD was closed on the way)",
        &[(launch::JOB_ID, Present), ("PMI_SIZE", Above(1))],
    ),
    ("mpirun of Open MPI", &[("OMPI_COMM_WORLD_SIZE", Above(1))]),
    ("srun of Slurm with PMIx", &[("PMIX_RANK", Present), ("SLURM_STEP_NUM_TASKS", Above(1))]),
    // Not a step of several: a batch script has SLURM_PROCID and SLURM_NTASKS, too.
    ("srun of Slurm", &[("SLURM_PROCID", Present), ("SLURM_STEP_NUM_TASKS", Above(1))]),
    ("srun of Slurm", &[("SLURM_PROCID", Above(0)), ("SLURM_NTASKS", Above(1))]),
    ("mpiexec of MVAPICH", &[("MV2_COMM_WORLD_SIZE", Above(1))]),
    ("jsrun", &[("JSM_NAMESPACE_SIZE", Above(1))]),
    ("Flux", &[("FLUX_JOB_SIZE", Above(1))]),
    ("Hydra (mpiexec of MPICH or Intel MPI)", &[("MPI_LOCALNRANKS", Above(1))]),
    ("a launcher that speaks PMI", &[("PMI_RANK", Present), ("PMI_SIZE", Above(1))]),
    ("aprun or PALS", &[("PALS_RANKID", Above(0))]),
    ("aprun or PALS", &[("ALPS_APP_PE", Above(0))]),
    // The size stands in none of its variables, so rank 0 can't know.
    ("a launcher that speaks PMIx", &[("PMIX_RANK", Above(0))]),
];

/// The launcher that started this process among others, in words. `variable` reads the environment.
pub fn launcher(variable: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let tells = |(name, tells): &(&str, Tells)| {
        let value = variable(name)?;
        let told = match tells {
            Present => true,
            Above(limit) => value.trim().parse::<u64>().is_ok_and(|number| number > *limit),
        };
        told.then_some(())
    };
    let fits = |row: &&(&str, &[(&str, Tells)])| row.1.iter().all(|one| tells(one).is_some());
    LAUNCHERS.iter().find(fits).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<&'static str> {
        launcher(|name| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(of(&[]), None);
        for (variables, words) in [
            (&[("OMPI_COMM_WORLD_SIZE", "2"), ("PMIX_RANK", "0")][..], "Open MPI"),
            (&[("PMIX_RANK", "1")], "PMIx"),
            (&[("PMI_RANK", "0"), ("PMI_SIZE", "4")], "PMI"),
            (&[("MPI_LOCALNRANKS", "2"), ("PMI_RANK", "0")], "Hydra"),
            (&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "2")], "Slurm"),
            (&[("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")], "Slurm"),
            (
                &[("PMIX_RANK", "0"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_PROCID", "0")],
                "Slurm with PMIx",
            ),
        ] {
            let found = of(variables).unwrap_or_default();
            assert!(found.contains(words), "{variables:?}: {found}");
        }
    }

    #[test]
    fn one_process_alone_is_rightly_alone() {
        for variables in [
            &[("OMPI_COMM_WORLD_SIZE", "1"), ("PMIX_RANK", "0")][..],
            &[("PMI_RANK", "0"), ("PMI_SIZE", "1"), ("MPI_LOCALNRANKS", "1")],
            &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")],
            &[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")],
            &[("OMPI_COMM_WORLD_SIZE", "many")],
        ] {
            assert_eq!(of(variables), None, "{variables:?}");
        }
    }
}
