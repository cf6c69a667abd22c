//! The parameters.

use std::time::Duration;

use cairn_framework::author::Failure;
use cairn_framework::frameworks::btl::BTL_HEADER_ROOM;
use cairn_transport::Filter;

cairn_framework::params! {
    /// Handles to the parameters.
    pub struct Params {
        pub priority: priority(30);
        transports: list(""),
            "Transports of UCX to use, by its names (posix, sysv, cma, tcp, rc_verbs), or all but these with a \
             leading ^. Empty: one through shared memory with one that copies between processes beside \
             it, and networks",
            level(2);
        devices: list(""),
            "Devices of UCX to use, by its names (memory, eth0, mlx5_0:1), or all but these with a leading ^. \
             Empty: all",
            level(2);
        pub instances: instances(256, "");
        eager_limit: size("8k"),
            "Largest message that is sent without asking the receiver first, if the transport takes as much \
             in one piece with a header of 256 bytes",
            range(0, 1 << 30), level(4);
        pub rma_from: size("8k"),
            "Bytes from which memory of peers that can't be mapped is put and got by the transport where a \
             message and its answer would do",
            level(6);
        pub kept_registrations: integer(1024),
            "Registrations of the program's memory that are kept for the next transfer from there, until the \
             memory is unmapped, with transports that want memory to be registered. 0: none",
            range(0, 1 << 20), level(5);
        close_timeout: integer(60_000),
            "How long the transport waits when it closes for what is still on its way",
            range(0, 3_600_000), unit("ms"), level(6);
        peer_timeout: integer(300_000),
            "With tcp: how long a network may be gone, as while a switch restarts. If a peer's node answers \
             nothing for longer, although its kernel is asked, the peer has failed; one that computes or sleeps \
             has not. To be sure takes up to two and a half times as long",
            range(1000, 900_000), unit("ms"), level(4);
        watch_interval: integer(50),
            "Time at least between two looks of a process whether the others of the node live",
            range(1, 3_600_000), unit("ms"), level(7);
    }
}

impl Params {
    /// Which transports are wanted.
    pub fn transports(&self) -> Filter {
        Filter::new(self.transports.get())
    }

    /// Which devices are wanted.
    pub fn devices(&self) -> Filter {
        Filter::new(self.devices.get())
    }

    pub fn close_timeout(&self) -> Duration {
        self.close_timeout.milliseconds()
    }

    pub fn peer_timeout(&self) -> Duration {
        self.peer_timeout.milliseconds()
    }

    pub fn watch_interval(&self) -> Duration {
        self.watch_interval.milliseconds()
    }

    /// Bytes that go eagerly where a message has so many at most.
    pub fn eager_limit(&self, message: usize) -> Result<u64, Failure> {
        let room = message.checked_sub(BTL_HEADER_ROOM).ok_or_else(|| {
            Failure::unavailable(format!("its messages have only {message} bytes"))
        })?;
        Ok(self.eager_limit.get().min(room as u64))
    }
}
