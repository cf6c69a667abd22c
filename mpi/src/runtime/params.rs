//! The parameters of the MPI layer.

use cairn_framework::host::System;
use cairn_framework::host::params::{Kind, Registry, Spec, Value};
use cairn_framework::host::problem::Problem;

/// Whether arguments are checked.
pub const PARAM_CHECK: &str = "mpi_param_check";

/// Registers them; tools that list parameters call it, too.
///
/// # Errors
/// A value that is not allowed.
pub fn register(params: &Registry) -> Result<(), Problem> {
    let mut check = Spec::base(
        PARAM_CHECK,
        Kind::Bool,
        "true",
        "Check the arguments of MPI functions. Without the checks a wrong argument is undefined \
         behaviour, and a call is a few nanoseconds shorter.",
    );
    check.owner = "mpi".into();
    check.level = 4;
    params.register(check)?;
    Ok(())
}

/// The value of a parameter that says yes or no.
pub fn flag(system: &System, name: &str) -> bool {
    let value = system.params.find(name).map(|param| param.value());
    matches!(value, Some(Value::Bool(true)))
}
