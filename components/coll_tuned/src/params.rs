//! Parameters.

use cairn_framework::author::{Failure, Registrar};

use crate::algorithms::{Knobs, OPERATIONS};

/// Any component made for a purpose comes before this one.
const PRIORITY: i64 = 10;

/// What stands for no algorithm in particular.
pub const AUTO: &str = "auto";

cairn_framework::params! {
    /// The parameters that are no algorithm's name. All processes must have the same values, or they take
    /// different algorithms.
    pub struct Plain {
        pub priority: priority(PRIORITY);
        pub table: string(""),
            "File with rows of the table by which algorithms are chosen; they come before those that hold \
             by themselves, which share/cairn/mca-params/tables/coll_tuned.toml shows",
            level(5), same();
        pub radix: integer(4),
            "Radix of k-nomial trees, where a row of the table says none: 2 makes them binomial",
            range(2, 1 << 16), level(5), same();
        pub segment: size("64k"),
            "Bytes of the segments in which data goes through chains and binary trees, where a row of the \
             table says none",
            range(1, i64::MAX), level(5), same();
        pub alltoall_window: integer(16), "How many blocks an alltoall sends and receives at a time",
            range(1, 1 << 16), unit("blocks"), level(5), same();
        pub kept: size("4m"), "Temporary memory that a communicator keeps for its next operation",
            level(5), same();
    }
}

/// All parameters, as they are when the component opens.
#[derive(Debug, Clone)]
pub struct Params {
    plain: Plain,
    /// By operation.
    algorithms: Vec<cairn_framework::abi::param::ChoiceParam>,
}

impl Params {
    /// Registers them.
    pub fn register(registrar: &Registrar<'_>) -> Result<Self, Failure> {
        let plain = Plain::register(registrar)?;
        let mut algorithms = Vec::new();
        for operation in &OPERATIONS {
            let choices: Vec<&str> = [AUTO].into_iter().chain(operation.names()).collect();
            let name = operation.name;
            let help = format!(
                "Algorithm of {name}, or what the table says. Calls that it can't serve get what the table \
                 says; the info key cairn_coll_tuned_{name}_algorithm says it for one communicator"
            );
            let param = registrar.choice(&format!("{name}_algorithm"), &choices, AUTO, &help);
            algorithms.push(param.level(4).same().register()?);
        }
        Ok(Self { plain, algorithms })
    }

    pub fn plain(&self) -> &Plain {
        &self.plain
    }

    /// The algorithm of each operation that is forced, if one is.
    pub fn forced(&self) -> [Option<usize>; OPERATIONS.len()] {
        core::array::from_fn(|operation| self.algorithms[operation].get().checked_sub(1))
    }

    /// What holds where the table says nothing.
    pub fn knobs(&self) -> Knobs {
        Knobs {
            radix: self.plain.radix.get() as u32,
            segment: self.plain.segment.get(),
            window: self.plain.alltoall_window.get() as u32,
        }
    }
}
