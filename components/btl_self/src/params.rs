//! Parameters.

use cairn_framework::abi::param::{IntegerParam, SizeParam};
use cairn_framework::author::{Failure, Instances, Registrar};
use cairn_framework::frameworks::btl::BTL_HEADER_ROOM;

/// Most bytes of header and payload in one message.
pub const MESSAGE_LIMIT: usize = 64 << 10;

/// The parameters of `btl_self`.
pub struct Params {
    pub priority: IntegerParam,
    pub eager_limit: SizeParam,
    pub instances: Instances,
}

impl Params {
    pub fn register(registrar: &Registrar<'_>) -> Result<Self, Failure> {
        let largest = (MESSAGE_LIMIT - BTL_HEADER_ROOM) as i64;
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
            instances: registrar.instances(1024, "")?,
        })
    }
}
