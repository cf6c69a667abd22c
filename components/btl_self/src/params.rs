//! Parameters.

use cairn_framework::abi::job::{Job, THREAD_MULTIPLE};
use cairn_framework::abi::param::{IntegerParam, SizeParam};
use cairn_framework::author::{Failure, Registrar};

/// Most bytes of header and payload in one message.
pub const MESSAGE_LIMIT: usize = 64 << 10;

/// The parameters of `btl_self`.
pub struct Params {
    pub priority: IntegerParam,
    pub eager_limit: SizeParam,
    num_cris: IntegerParam,
}

impl Params {
    pub fn register(registrar: &Registrar<'_>) -> Result<Self, Failure> {
        // Room for the protocol layer's header is left in every message.
        let largest = MESSAGE_LIMIT as i64 - 1024;
        Ok(Self {
            priority: registrar.priority(80)?,
            eager_limit: registrar
                .size(
                    "eager_limit",
                    "4k",
                    "Largest message that is copied into the queue; a larger one is copied once, \
                     from buffer to buffer",
                )
                .range(0, largest)
                .level(4)
                .register()?,
            num_cris: registrar
                .integer(
                    "num_cris",
                    0,
                    "Communication resource instances; 0 is one, or with MPI_THREAD_MULTIPLE one \
                     for each processor this process may use",
                )
                .range(0, 1024)
                .level(5)
                .register()?,
        })
    }

    /// How many instances to make.
    pub fn instances(&self, job: &Job) -> usize {
        match self.num_cris.get() {
            0 if job.thread_level == THREAD_MULTIPLE => job.cores.max(1) as usize,
            0 => 1,
            wanted => wanted as usize,
        }
    }
}
