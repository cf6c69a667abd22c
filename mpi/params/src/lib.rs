//! The parameters of the MPI layer. Declared here once: the library obeys them, mpirun checks them
//! before it starts anything, and `cairn-info` shows them.

#![forbid(unsafe_code)]

use cairn_framework::host::params::{Kind, Registry, Spec, Value};
use cairn_framework::host::problem::Problem;
use cairn_framework::host::{Options, System};

/// Whether arguments are checked.
pub const PARAM_CHECK: &str = "mpi_param_check";

/// Whether accesses to windows that conflict are errors.
pub const PARAM_OSC_DEBUG: &str = "osc_debug";

/// Whether the ranks compare what collective operations they call.
pub const PARAM_COLL_CHECK: &str = "coll_check";

/// What decides which processes are on one node.
pub const PARAM_NODE_IDENTITY: &str = "mpi_node_identity";

/// Whether the processes of a node that has more of them than processors begin on different ones.
pub const PARAM_SPREAD: &str = "mpi_spread";

/// Their owner.
pub const OWNER: &str = "mpi";

/// Makes a component system that knows these parameters besides those of the components.
pub fn system(options: Options) -> &'static System {
    let system = System::new(options);
    // Those of components begin with the names of their framework and of the component.
    register(&system.params).expect("the names are not taken");
    system
}

/// Registers them. A value that is not allowed is told with the other problems of the registry.
///
/// # Errors
/// One of the names is registered already.
pub fn register(params: &Registry) -> Result<(), Problem> {
    let mut check = Spec::base(
        PARAM_CHECK,
        Kind::Bool,
        "true",
        "Check the arguments of MPI functions. Without the checks a wrong argument is undefined \
         behaviour, and a call is a few nanoseconds shorter.",
    );
    check.owner = OWNER.into();
    check.level = 4;
    params.register(check)?;
    let mut debug = Spec::base(
        PARAM_OSC_DEBUG,
        Kind::Bool,
        "false",
        "Look for one-sided operations whose accesses conflict: those of one process in any epoch, \
         those of several in an epoch of fences. They raise MPI_ERR_RMA_CONFLICT, with both \
         operations in its text. An operation takes longer then, and a process keeps up to a million \
         ranges of bytes for a window.",
    );
    debug.owner = OWNER.into();
    debug.level = 3;
    debug.same = true;
    params.register(debug)?;
    let mut check = Spec::base(
        PARAM_COLL_CHECK,
        Kind::Bool,
        "false",
        "Compare what the ranks of a communicator call before each blocking collective operation: the \
         operation, its order, root, bytes and reduction operation. Where they differ, all ranks get an error \
         that says which called what. Blocks that are received on each other are errors, too. An operation \
         takes a few times as long then, and all wait for each other.",
    );
    check.owner = OWNER.into();
    check.level = 3;
    check.same = true;
    params.register(check)?;
    let ways = ["memory", "launcher", "hostname", "process"];
    let mut node = Spec::base(
        PARAM_NODE_IDENTITY,
        Kind::Choice(ways.map(Into::into).into()),
        "memory",
        "Which processes are on one node, for MPI_COMM_TYPE_SHARED and for everything that goes through \
         shared memory. memory: those that can map each other's memory, as the system says of processes and \
         of /dev/shm; launcher: as the launcher says; hostname: those whose hosts have one name; process: \
         each is on a node of its own.",
    );
    node.owner = OWNER.into();
    node.level = 3;
    node.same = true;
    params.register(node)?;
    let mut spread = Spec::base(
        PARAM_SPREAD,
        Kind::Bool,
        "true",
        "Where a node has more processes than processors, begin each on the next processor of its binding, which \
         stays as it is. Without that some processors often begin with more processes than others, and the system \
         may leave it so.",
    );
    spread.owner = OWNER.into();
    spread.level = 5;
    params.register(spread)?;
    Ok(())
}

/// The word that a parameter has which is one of several; empty if there is no such parameter.
pub fn choice(system: &System, name: &str) -> String {
    system.params.find(name).map_or_else(String::new, |param| param.value().to_string())
}

/// The value of a parameter that says yes or no.
pub fn flag(system: &System, name: &str) -> bool {
    let value = system.params.find(name).map(|param| param.value());
    matches!(value, Some(Value::Bool(true)))
}
