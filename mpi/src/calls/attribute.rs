//! Attributes of objects (MPI 5.0, section 7.7), also under the names of MPI-1.

use crate::objects::attributes::{self, Attributes, CopyFunction, DeleteFunction, Holder};
use crate::prelude::*;

use cairn_framework::author::Mutex;

/// The functions for a class of objects: of each key and of each attribute.
macro_rules! functions {
    ($handle:ident of $found:ident, $held:expr, $own:expr;
     $create:ident, $free:ident: $copy:ident, $delete:ident, $keyval:ident;
     $set:ident, $get:ident, $remove:ident: $object:ident, $key:ident) => {
        /// # Safety
        /// The functions may be called with the extra state and any attribute of the key.
        pub unsafe fn $create(
            $copy: Copying<CopyFunction<$handle>>,
            $delete: Option<DeleteFunction<$handle>>,
            $keyval: Out<c_int>,
            extra_state: *mut c_void,
        ) -> Result<()> {
            $keyval.set(attributes::create($copy, $delete, extra_state)?);
            Ok(())
        }

        pub fn $free($keyval: InOut<c_int>) -> Result<()> {
            free::<$handle>($keyval)
        }

        pub fn $set($object: $found, $key: c_int, attribute_val: *mut c_void) -> Result<()> {
            attributes::set($held($object), $object.handle(), $key, attribute_val)
        }

        pub fn $get(
            $object: $found,
            $key: c_int,
            attribute_val: Out<*mut c_void>,
            flag: Out<c_int>,
        ) -> Result<()> {
            get($held($object), $own($object, $key), $key, attribute_val, flag)
        }

        pub fn $remove($object: $found, $key: c_int) -> Result<()> {
            attributes::delete($held($object), $object.handle(), $key)
        }
    };
}

functions! {
    Comm of CommRef, of_comm, none_of_comm;
    comm_create_keyval, comm_free_keyval: comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval;
    comm_set_attr, comm_get_attr, comm_delete_attr: comm, comm_keyval
}

functions! {
    Comm of CommRef, of_comm, none_of_comm;
    keyval_create, keyval_free: copy_fn, delete_fn, keyval;
    attr_put, attr_get, attr_delete: comm, keyval
}

functions! {
    Datatype of DatatypeRef, of_type, none_of_type;
    type_create_keyval, type_free_keyval: type_copy_attr_fn, type_delete_attr_fn, type_keyval;
    type_set_attr, type_get_attr, type_delete_attr: datatype, type_keyval
}

functions! {
    Win of WinRef, of_win, own_of_win;
    win_create_keyval, win_free_keyval: win_copy_attr_fn, win_delete_attr_fn, win_keyval;
    win_set_attr, win_get_attr, win_delete_attr: win, win_keyval
}

fn of_win(win: WinRef) -> &'static Mutex<Attributes<Win>> {
    &win.attributes
}

/// Each window has predefined attributes of its own; other objects have none.
fn own_of_win(win: WinRef, key: c_int) -> Option<*mut c_void> {
    win.predefined(key)
}

fn none_of_comm(_: CommRef, _: c_int) -> Option<*mut c_void> {
    None
}

fn none_of_type(_: DatatypeRef, _: c_int) -> Option<*mut c_void> {
    None
}

fn of_comm(comm: CommRef) -> &'static Mutex<Attributes<Comm>> {
    &comm.attributes
}

fn of_type(datatype: DatatypeRef) -> &'static Mutex<Attributes<Datatype>> {
    datatype.attributes()
}

fn free<H: Holder>(keyval: InOut<c_int>) -> Result<()> {
    attributes::free::<H>(keyval.get())?;
    keyval.set(MPI_KEYVAL_INVALID);
    Ok(())
}

fn get<H: Holder>(
    held: &Mutex<Attributes<H>>,
    own: Option<*mut c_void>,
    key: c_int,
    value: Out<*mut c_void>,
    flag: Out<c_int>,
) -> Result<()> {
    let found = match own {
        Some(own) => Some(own),
        None => attributes::get(held, key)?,
    };
    flag.set(found.is_some().into());
    if let Some(found) = found {
        value.set(found);
    }
    Ok(())
}
