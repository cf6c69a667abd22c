//! Datatypes and addresses (MPI 5.0, chapter 5).

use std::ffi::c_void;
use std::sync::Arc;

use cairn_layout::Type;

mod constructors;

pub use constructors::*;

use crate::objects::external32;
use crate::objects::{attributes, packing};
use crate::prelude::*;

pub fn get_address(location: *const c_void, address: Out<Aint>) -> Result<()> {
    address.set(location.addr() as Aint);
    Ok(())
}

pub fn aint_add(base: Aint, disp: Aint) -> Aint {
    base.wrapping_add(disp)
}

pub fn aint_diff(addr1: Aint, addr2: Aint) -> Aint {
    addr1.wrapping_sub(addr2)
}

pub fn type_size(datatype: DatatypeRef, size: CountOut) -> Result<()> {
    size.set(datatype.size as Count);
    Ok(())
}

pub fn type_size_x(datatype: DatatypeRef, size: CountOut) -> Result<()> {
    type_size(datatype, size)
}

pub fn type_get_extent(datatype: DatatypeRef, lb: CountOut, extent: CountOut) -> Result<()> {
    lb.set(datatype.lb());
    extent.set(datatype.extent);
    Ok(())
}

pub fn type_get_extent_x(datatype: DatatypeRef, lb: CountOut, extent: CountOut) -> Result<()> {
    type_get_extent(datatype, lb, extent)
}

pub fn type_get_true_extent(
    datatype: DatatypeRef,
    true_lb: CountOut,
    true_extent: CountOut,
) -> Result<()> {
    true_lb.set(datatype.true_lb);
    true_extent.set(datatype.true_extent);
    Ok(())
}

pub fn type_get_true_extent_x(
    datatype: DatatypeRef,
    true_lb: CountOut,
    true_extent: CountOut,
) -> Result<()> {
    type_get_true_extent(datatype, true_lb, true_extent)
}

pub fn type_get_name(datatype: Datatype, type_name: TextOut, resultlen: Out<c_int>) -> Result<()> {
    let name = match datatype {
        MPI_DATATYPE_NULL => "MPI_DATATYPE_NULL".to_owned(),
        datatype => DatatypeRef::of(datatype)?.name(),
    };
    resultlen.set(type_name.set(&name));
    Ok(())
}

pub fn type_set_name(datatype: DatatypeRef, type_name: &CStr) -> Result<()> {
    let name = type_name.to_string_lossy().into_owned();
    *datatype.extras().name.lock() = Some(name);
    Ok(())
}

pub fn type_commit(datatype: InOut<Datatype>) -> Result<()> {
    DatatypeRef::of(datatype.get())?.commit();
    Ok(())
}

pub fn type_free(datatype: InOut<Datatype>) -> Result<()> {
    let found = DatatypeRef::of(datatype.get())?;
    if found.object().is_some_and(|object| !object.stays()) {
        attributes::delete_all(found.attributes(), found.handle())?;
    }
    if !found.free() {
        return Err(Error::new(MPI_ERR_TYPE, "predefined datatypes can't be freed"));
    }
    datatype.set(MPI_DATATYPE_NULL);
    Ok(())
}

pub fn type_match_size(typeclass: c_int, size: c_int, datatype: Out<Datatype>) -> Result<()> {
    let found = match (typeclass, size) {
        (MPI_TYPECLASS_INTEGER, 1) => MPI_INTEGER1,
        (MPI_TYPECLASS_INTEGER, 2) => MPI_INTEGER2,
        (MPI_TYPECLASS_INTEGER, 4) => MPI_INTEGER4,
        (MPI_TYPECLASS_INTEGER, 8) => MPI_INTEGER8,
        (MPI_TYPECLASS_INTEGER, 16) => MPI_INTEGER16,
        (MPI_TYPECLASS_REAL, 2) => MPI_REAL2,
        (MPI_TYPECLASS_REAL, 4) => MPI_REAL4,
        (MPI_TYPECLASS_REAL, 8) => MPI_REAL8,
        (MPI_TYPECLASS_REAL, 16) => MPI_REAL16,
        (MPI_TYPECLASS_COMPLEX, 4) => MPI_COMPLEX4,
        (MPI_TYPECLASS_COMPLEX, 8) => MPI_COMPLEX8,
        (MPI_TYPECLASS_COMPLEX, 16) => MPI_COMPLEX16,
        (MPI_TYPECLASS_COMPLEX, 32) => MPI_COMPLEX32,
        (MPIX_TYPECLASS_LOGICAL, 1) => MPI_LOGICAL1,
        (MPIX_TYPECLASS_LOGICAL, 2) => MPI_LOGICAL2,
        (MPIX_TYPECLASS_LOGICAL, 4) => MPI_LOGICAL4,
        (MPIX_TYPECLASS_LOGICAL, 8) => MPI_LOGICAL8,
        (MPIX_TYPECLASS_LOGICAL, 16) => MPI_LOGICAL16,
        (
            MPI_TYPECLASS_INTEGER
            | MPI_TYPECLASS_REAL
            | MPI_TYPECLASS_COMPLEX
            | MPIX_TYPECLASS_LOGICAL,
            _,
        ) => {
            let wanted = "no Fortran type of the class has this size";
            return Err(Error::argument(MPI_ERR_ARG, "size", size, wanted));
        }
        _ => {
            let wanted = "it must be one of the MPI_TYPECLASS constants";
            return Err(Error::argument(MPI_ERR_ARG, "typeclass", typeclass, wanted));
        }
    };
    datatype.set(found);
    Ok(())
}

pub fn type_get_value_index(
    value_type: DatatypeRef,
    index_type: DatatypeRef,
    pair_type: Out<Datatype>,
) -> Result<()> {
    pair_type.set(match (value_type.handle(), index_type.handle()) {
        (MPI_FLOAT, MPI_INT) => MPI_FLOAT_INT,
        (MPI_DOUBLE, MPI_INT) => MPI_DOUBLE_INT,
        (MPI_LONG, MPI_INT) => MPI_LONG_INT,
        (MPI_INT, MPI_INT) => MPI_2INT,
        (MPI_SHORT, MPI_INT) => MPI_SHORT_INT,
        (MPI_LONG_DOUBLE, MPI_INT) => MPI_LONG_DOUBLE_INT,
        (MPI_REAL, MPI_REAL) => MPI_2REAL,
        (MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION) => MPI_2DOUBLE_PRECISION,
        (MPI_INTEGER, MPI_INTEGER) => MPI_2INTEGER,
        // The standard allows that there are no others.
        _ => MPI_DATATYPE_NULL,
    });
    Ok(())
}

pub fn pack_size(
    incount: Count,
    datatype: DatatypeRef,
    comm: CommRef,
    size: CountOut,
) -> Result<()> {
    let _ = comm;
    size.set(packing::bytes(incount, datatype.view())? as Count);
    Ok(())
}

/// # Safety
/// The buffers are as long as the arguments say.
pub unsafe fn pack(
    inbuf: *const c_void,
    incount: Count,
    datatype: DatatypeRef,
    outbuf: *mut c_void,
    outsize: Count,
    position: CountIo,
    _comm: CommRef,
) -> Result<()> {
    // SAFETY: by the contract of this function.
    unsafe { pack_at(inbuf, incount, datatype, outbuf, outsize, position) }
}

/// # Safety
/// As for `pack`.
unsafe fn pack_at(
    inbuf: *const c_void,
    incount: Count,
    datatype: DatatypeRef,
    outbuf: *mut c_void,
    outsize: Count,
    position: CountIo,
) -> Result<()> {
    let view = datatype.view();
    let bytes = packing::bytes(incount, view)?;
    let start = room(position.get(), bytes, "outsize", outsize)?;
    // SAFETY: by the contract of this function; `room` checked that the bytes fit.
    unsafe { packing::pack(inbuf, incount, view, outbuf.cast::<u8>().add(start), bytes)? };
    position.set((start + bytes) as Count);
    Ok(())
}

/// # Safety
/// As for `pack`.
pub unsafe fn unpack(
    inbuf: *const c_void,
    insize: Count,
    position: CountIo,
    outbuf: *mut c_void,
    outcount: Count,
    datatype: DatatypeRef,
    _comm: CommRef,
) -> Result<()> {
    // SAFETY: by the contract of this function.
    unsafe { unpack_at(inbuf, insize, position, outbuf, outcount, datatype) }
}

/// # Safety
/// As for `pack`.
unsafe fn unpack_at(
    inbuf: *const c_void,
    insize: Count,
    position: CountIo,
    outbuf: *mut c_void,
    outcount: Count,
    datatype: DatatypeRef,
) -> Result<()> {
    let view = datatype.view();
    let bytes = packing::bytes(outcount, view)?;
    let start = room(position.get(), bytes, "insize", insize)?;
    // SAFETY: as above.
    unsafe { packing::unpack(inbuf.cast::<u8>().add(start), bytes, outbuf, outcount, view)? };
    position.set((start + bytes) as Count);
    Ok(())
}

pub fn pack_external_size(
    datarep: &CStr,
    incount: Count,
    datatype: DatatypeRef,
    size: CountOut,
) -> Result<()> {
    let (_, bytes) = external(datarep, incount, datatype)?;
    size.set(bytes as Count);
    Ok(())
}

/// # Safety
/// As for `pack`.
pub unsafe fn pack_external(
    datarep: &CStr,
    inbuf: *const c_void,
    incount: Count,
    datatype: DatatypeRef,
    outbuf: *mut c_void,
    outsize: Aint,
    position: CountIo,
) -> Result<()> {
    let (kind, bytes) = external(datarep, incount, datatype)?;
    let start = room(position.get(), bytes, "outsize", outsize)?;
    let view = datatype.view();
    // SAFETY: by the contract of this function; `room` checked that the bytes fit.
    let (native, out) = unsafe {
        let out = args::slice_mut(outbuf.cast::<u8>().wrapping_add(start), bytes);
        (packing::packed(inbuf, incount, view)?, out)
    };
    external32::encode_all(&native, &kind, out)?;
    position.set((start + bytes) as Count);
    Ok(())
}

/// # Safety
/// As for `unpack`.
pub unsafe fn unpack_external(
    datarep: &CStr,
    inbuf: *const c_void,
    insize: Aint,
    position: CountIo,
    outbuf: *mut c_void,
    outcount: Count,
    datatype: DatatypeRef,
) -> Result<()> {
    let (kind, bytes) = external(datarep, outcount, datatype)?;
    let start = room(position.get(), bytes, "insize", insize)?;
    let view = datatype.view();
    let native_bytes = packing::bytes(outcount, view)?;
    let mut native = packing::room(native_bytes)?;
    native.resize(native_bytes, 0);
    // SAFETY: as above.
    unsafe {
        let packed = args::slice(inbuf.cast::<u8>().wrapping_add(start), bytes);
        external32::decode_all(packed, &kind, &mut native);
        packing::unpack(native.as_ptr(), native.len(), outbuf, outcount, view)?;
    }
    position.set((start + bytes) as Count);
    Ok(())
}

/// A datatype without MPI, and the bytes of this many elements in the data representation.
fn external(datarep: &CStr, count: Count, datatype: DatatypeRef) -> Result<(Arc<Type>, usize)> {
    if datarep != c"external32" {
        let wanted = "there is only external32";
        let name = datarep.to_string_lossy();
        return Err(Error::argument(MPI_ERR_UNSUPPORTED_DATAREP, "datarep", name, wanted));
    }
    // Native data is never smaller, so that nothing overflows here.
    packing::bytes(count, datatype.view())?;
    let kind = datatype.kind();
    let bytes = count as usize * external32::bytes_of(&kind) as usize;
    Ok((kind, bytes))
}

/// Where the next bytes of packed data go in a buffer, or come from.
fn room(position: Count, bytes: usize, name: &str, size: Count) -> Result<usize> {
    let start = usize::try_from(position)
        .map_err(|_| Error::argument(MPI_ERR_ARG, "position", position, "may not be negative"))?;
    if start.checked_add(bytes).is_some_and(|end| end <= args::length(size)) {
        return Ok(start);
    }
    let needed = format!("from position {start} on there are {bytes} bytes of data");
    Err(Error::argument(MPI_ERR_ARG, name, size, needed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_packed_and_unpacked_in_pieces() {
        let (numbers, letters) = ([1_i32, -2, 3], *b"abcde");
        let (mut packed, mut place) = ([0_u8; 18], 0_i32);
        let (mut numbers_back, mut letters_back) = ([0_i32; 3], [0_u8; 5]);
        // SAFETY: the buffers stay, and are as long as is said.
        unsafe {
            let position = args::count_io(&raw mut place);
            let buffer = packed.as_mut_ptr().cast::<c_void>();
            let [int, char] = [MPI_INT, MPI_CHAR].map(|it| DatatypeRef::of(it).unwrap());
            pack_at(numbers.as_ptr().cast(), 3, int, buffer, 18, position).unwrap();
            pack_at(letters.as_ptr().cast(), 5, char, buffer, 18, position).unwrap();
            assert_eq!(place, 17);
            let position = args::count_io(&raw mut place);
            let full = pack_at(letters.as_ptr().cast(), 2, char, buffer, 18, position);
            assert_eq!(full.unwrap_err().code(), MPI_ERR_ARG);
            assert_eq!(place, 17);

            place = 0;
            let position = args::count_io(&raw mut place);
            let back = numbers_back.as_mut_ptr().cast();
            unpack_at(buffer, 18, position, back, 3, int).unwrap();
            let back = letters_back.as_mut_ptr().cast();
            unpack_at(buffer, 18, position, back, 5, char).unwrap();
            assert_eq!((place, numbers_back, letters_back), (17, numbers, letters));
            place = -1;
            let position = args::count_io(&raw mut place);
            let wrong = unpack_at(buffer, 18, position, back, 1, char);
            assert_eq!(wrong.unwrap_err().code(), MPI_ERR_ARG);
        }
    }

    #[test]
    fn fortran_types_are_found_by_size() {
        let mut found = MPI_DATATYPE_NULL;
        // SAFETY: the variable stays.
        let out = unsafe { args::out(&raw mut found) };
        type_match_size(MPI_TYPECLASS_REAL, 8, out).unwrap();
        assert_eq!(found, MPI_REAL8);
        for (class, size) in [(MPI_TYPECLASS_REAL, 3), (MPI_TYPECLASS_COMPLEX, 2), (7, 4)] {
            assert_eq!(type_match_size(class, size, out).unwrap_err().code(), MPI_ERR_ARG);
        }
    }
}
