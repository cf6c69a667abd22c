//! Parameters.

use crate::pool::Sharing;

/// `pml_ob1_protocol`, by the index of its word.
pub const PROTOCOLS: [&str; 4] = ["auto", "get", "put", "fragments"];
/// Index of `auto`.
pub const AUTO: usize = 0;
/// Index of `get`.
pub const GET: usize = 1;
/// Index of `put`.
pub const PUT: usize = 2;

/// `pml_ob1_request_cache`, by the index of its word.
const REQUEST_CACHES: [&str; 3] = ["thread", "cri", "global"];

cairn_framework::params! {
    /// Handles to the parameters.
    pub struct Params {
        pub priority: priority(50);
        pub protocol: choice(&PROTOCOLS, "auto"),
            "How messages above a transport's eager limit travel: the receiver gets them, the \
             sender puts them, or they are sent as fragments. What a transport or a datatype \
             does not allow goes by fragments",
            level(4), writable();
        pub fragment_size: size("64k"),
            "Most bytes of one fragment of a large message; a transport's own limit may be \
             smaller",
            range(64, 1 << 30), level(5);
        pub push_kept: size("4m"),
            "Bytes of messages that a sender has pushed, in pieces and unasked, and for which no \
             receive is posted, above which it is told to announce them until half of them are \
             received",
            level(6);
        request_cache: choice(&REQUEST_CACHES, "thread"),
            "Where requests come from with MPI_THREAD_MULTIPLE: caches of threads, which need \
             no lock; caches of communication resource instances with a lock each, and one pool \
             behind them; or that pool alone, with one lock for all",
            level(6);
    }
}

impl Params {
    /// Which threads share free requests.
    pub fn request_sharing(&self) -> Sharing {
        [Sharing::Thread, Sharing::Cri, Sharing::Global][self.request_cache.get()]
    }
}
