//! Parameters: from which size on an operation takes another algorithm.

/// Any component made for a purpose comes before this one.
const PRIORITY: i64 = 10;

cairn_framework::params! {
    /// The parameters. All processes must have the same values, or they take different algorithms.
    pub struct Params {
        pub priority: priority(PRIORITY);
        pub gather_tree: size("4k"),
            "Largest contribution of a process that gather and scatter pass along a tree; \
             larger ones go straight",
            level(5), same();
        pub bcast_flat: size("64k"),
            "Largest broadcast that the root sends to each process itself, if there are at most \
             eight on one node; larger ones go down a tree",
            level(5), same();
        pub bcast_split: size("128k"),
            "Smallest broadcast that is scattered and then gathered by all, if there are more \
             than two processes; smaller ones go down a tree",
            level(5), same();
        pub allgather_tree: size("32k"),
            "Largest result of an allgather that is collected in a logarithmic number of steps; \
             larger ones go around a ring",
            level(5), same();
        pub alltoall_tree: size("128"),
            "Largest block of an alltoall among eight or more processes that is passed on in a \
             logarithmic number of steps; larger ones go straight",
            level(5), same();
        pub alltoall_window: integer(16), "How many blocks an alltoall sends and receives at a time",
            range(1, 1 << 16), unit("blocks"), level(5), same();
        pub allreduce_split: size("16k"),
            "Smallest vector that allreduce scatters and gathers again, if the operation is \
             commutative; smaller ones are exchanged as a whole",
            level(5), same();
        pub reduce_scatter_split: size("8k"),
            "Smallest vector of which reduce_scatter sends each process only its part, if the \
             operation is commutative; smaller ones are exchanged as a whole",
            level(5), same();
        pub kept: size("4m"), "Temporary memory that a communicator keeps for its next operation",
            level(5), same();
    }
}
