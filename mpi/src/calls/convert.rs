//! Handles as integers and back (MPI 5.0, section 20.3.4).
//!
//! A predefined handle is its value. The address of an object does not fit, so it gets the next free
//! number the first time it is asked for, and keeps it: an object that is made later at the same
//! address has the same number, and no two addresses ever share one. Only programs that mix
//! languages ask, so one lock for all is enough.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::LazyLock;

use cairn_framework::author::{Mutex, MutexGuard};

use crate::abi::handle::FIRST_ADDRESS;
use crate::prelude::*;

#[derive(Default)]
struct Numbers {
    by_address: HashMap<usize, c_int>,
    /// The address of each number from `FIRST_ADDRESS` on.
    addresses: Vec<usize>,
}

fn numbers() -> MutexGuard<'static, Numbers> {
    static NUMBERS: LazyLock<Mutex<Numbers>> = LazyLock::new(Mutex::default);
    NUMBERS.lock()
}

fn to_int(value: usize) -> c_int {
    if value < FIRST_ADDRESS {
        return value as c_int;
    }
    let mut numbers = numbers();
    let next = (FIRST_ADDRESS + numbers.addresses.len()) as c_int;
    let number = *numbers.by_address.entry(value).or_insert(next);
    if number == next {
        numbers.addresses.push(value);
    }
    number
}

/// The value of a handle, unless no handle has this number.
fn from_int(number: c_int) -> Option<usize> {
    let number = usize::try_from(number).ok()?;
    match number.checked_sub(FIRST_ADDRESS) {
        None => Some(number),
        Some(index) => numbers().addresses.get(index).copied(),
    }
}

macro_rules! conversions {
    ($($toint:ident, $fromint:ident: $handle:ident or $null:ident;)*) => {$(
        pub fn $toint(handle: $handle) -> c_int {
            to_int(handle.value())
        }

        /// A number that no handle has gives the null handle: there is no way to report an error.
        pub fn $fromint(number: c_int) -> $handle {
            match from_int(number) {
                Some(value) => $handle::of(std::ptr::with_exposed_provenance_mut::<c_void>(value)),
                None => $null,
            }
        }
    )*};
}

conversions! {
    comm_toint, comm_fromint: Comm or MPI_COMM_NULL;
    errhandler_toint, errhandler_fromint: Errhandler or MPI_ERRHANDLER_NULL;
    file_toint, file_fromint: File or MPI_FILE_NULL;
    group_toint, group_fromint: Group or MPI_GROUP_NULL;
    info_toint, info_fromint: Info or MPI_INFO_NULL;
    message_toint, message_fromint: Message or MPI_MESSAGE_NULL;
    op_toint, op_fromint: Op or MPI_OP_NULL;
    request_toint, request_fromint: Request or MPI_REQUEST_NULL;
    session_toint, session_fromint: Session or MPI_SESSION_NULL;
    type_toint, type_fromint: Datatype or MPI_DATATYPE_NULL;
    win_toint, win_fromint: Win or MPI_WIN_NULL;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_survive_the_way_through_integers() {
        assert_eq!(comm_toint(MPI_COMM_WORLD), 0x101);
        assert_eq!(type_toint(MPI_INT), 0x209);
        assert_eq!(request_fromint(0x180), MPI_REQUEST_NULL);
        let objects = [Box::new(1_u64), Box::new(2)];
        let [first, second] =
            objects.each_ref().map(|object| Comm::of((&raw const **object).cast_mut()));
        let numbers = [comm_toint(first), comm_toint(second)];
        assert_ne!(numbers[0], numbers[1]);
        assert_eq!(comm_toint(first), numbers[0]);
        assert_eq!(numbers.map(comm_fromint), [first, second]);
    }

    #[test]
    fn unknown_numbers_are_null() {
        assert_eq!(comm_fromint(-1), MPI_COMM_NULL);
        assert_eq!(win_fromint(c_int::MAX), MPI_WIN_NULL);
    }
}
