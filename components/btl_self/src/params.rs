//! Parameters.

/// Most bytes of header and payload in one message.
pub const MESSAGE_LIMIT: usize = 64 << 10;
/// Room for the protocol layer's header in every message.
const HEADER_ROOM: i64 = 1024;

cairn_framework::params! {
    /// The parameters of `btl_self`.
    pub struct Params {
        pub priority: priority(80);
        pub eager_limit: size("4k"),
            "Largest message that is copied into the queue; a larger one is copied once, from \
             buffer to buffer",
            range(0, MESSAGE_LIMIT as i64 - HEADER_ROOM), level(4);
        pub instances: instances(1024, "");
    }
}
