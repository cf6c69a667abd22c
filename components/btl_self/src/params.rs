//! Parameters.

use cairn_framework::frameworks::btl::BTL_HEADER_ROOM;

/// Most bytes of header and payload in one message.
pub const MESSAGE_LIMIT: usize = 64 << 10;

cairn_framework::params! {
    /// The parameters of `btl_self`.
    pub struct Params {
        pub priority: priority(80);
        pub eager_limit: size("4k"),
            "Largest message that is copied into the queue; a larger one is copied once, from \
             buffer to buffer",
            range(0, (MESSAGE_LIMIT - BTL_HEADER_ROOM) as i64), level(4);
        pub instances: instances(1024, "");
    }
}
