//! What a status says (MPI 5.0, sections 3.2.5, 3.8.4 and 13.3).

use std::ffi::c_int;

use crate::objects::packing;
use crate::prelude::*;

pub fn get_count(status: StatusIn, datatype: DatatypeRef, count: CountOut) -> Result<()> {
    let (bytes, size) = (status.get().bytes(), datatype.size);
    let whole = match size {
        0 => (bytes == 0).then_some(0),
        size => (bytes % size == 0).then_some(bytes / size),
    };
    count.set(defined(whole));
    Ok(())
}

pub fn get_elements(status: StatusIn, datatype: DatatypeRef, count: CountOut) -> Result<()> {
    count.set(defined(packing::elements(status.get().bytes(), datatype.view())));
    Ok(())
}

pub fn get_elements_x(status: StatusIn, datatype: DatatypeRef, count: CountOut) -> Result<()> {
    get_elements(status, datatype, count)
}

fn defined(count: Option<u64>) -> Count {
    count.and_then(|count| count.try_into().ok()).unwrap_or(MPI_UNDEFINED.into())
}

pub fn status_set_elements(status: StatusOut, datatype: DatatypeRef, count: Count) -> Result<()> {
    let bytes = packing::bytes_of_elements(count as u64, datatype.view());
    change(status, |status| status.set_bytes(bytes))
}

pub fn status_set_elements_x(status: StatusOut, datatype: DatatypeRef, count: Count) -> Result<()> {
    status_set_elements(status, datatype, count)
}

pub fn status_get_source(status: StatusIn, source: Out<c_int>) -> Result<()> {
    source.set(status.get().source);
    Ok(())
}

pub fn status_get_tag(status: StatusIn, tag: Out<c_int>) -> Result<()> {
    tag.set(status.get().tag);
    Ok(())
}

pub fn status_get_error(status: StatusIn, error: Out<c_int>) -> Result<()> {
    error.set(status.get().error);
    Ok(())
}

pub fn status_set_source(status: StatusOut, source: c_int) -> Result<()> {
    change(status, |status| status.source = source)
}

pub fn status_set_tag(status: StatusOut, tag: c_int) -> Result<()> {
    change(status, |status| status.tag = tag)
}

pub fn status_set_error(status: StatusOut, error: c_int) -> Result<()> {
    change(status, |status| status.error = error)
}

pub fn status_set_cancelled(status: StatusOut, flag: c_int) -> Result<()> {
    change(status, |status| status.set_cancelled(flag != 0))
}

pub fn test_cancelled(status: StatusIn, flag: Out<c_int>) -> Result<()> {
    flag.set(status.get().cancelled().into());
    Ok(())
}

fn change(status: StatusOut, change: impl FnOnce(&mut Status)) -> Result<()> {
    let mut changed = status.get();
    change(&mut changed);
    status.set_with_error(changed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_set_one_by_one() -> Result<()> {
        let mut status = Status::received(1, 2, 3);
        let pointer = &raw mut status;
        let mut flag = 7;
        // SAFETY: the variables stay.
        let (read, write, flag_out) =
            unsafe { (args::status(pointer), args::status_out(pointer), args::out(&raw mut flag)) };
        status_set_source(write, 11)?;
        status_set_tag(write, 12)?;
        status_set_error(write, 13)?;
        for (get, expected) in [
            (status_get_source as fn(StatusIn, Out<c_int>) -> Result<()>, 11),
            (status_get_tag, 12),
            (status_get_error, 13),
            (test_cancelled, 0),
        ] {
            get(read, flag_out)?;
            assert_eq!(flag, expected);
        }
        status_set_cancelled(write, -1)?;
        test_cancelled(read, flag_out)?;
        assert_eq!(flag, 1);
        assert_eq!(read.get().bytes(), 3);
        Ok(())
    }

    #[test]
    fn counts_and_elements() -> Result<()> {
        let mut status = Status::EMPTY;
        let pointer = &raw mut status;
        let mut large: Count = 0;
        // SAFETY: the variables stay.
        let (read, write, out) = unsafe {
            (args::status(pointer), args::status_out(pointer), args::count_out(&raw mut large))
        };
        let undefined = Count::from(MPI_UNDEFINED);
        for (bytes, datatype, count, elements) in [
            (12, MPI_INT, 3, 3),
            (13, MPI_INT, undefined, undefined),
            (8, MPI_SHORT_INT, undefined, 3),
            (0x2_0000_0000, MPI_BYTE, 0x2_0000_0000, 0x2_0000_0000),
        ] {
            status.set_bytes(bytes);
            get_count(read, DatatypeRef::of(datatype)?, out)?;
            assert_eq!(large, count, "{bytes} bytes of {datatype:?}");
            get_elements(read, DatatypeRef::of(datatype)?, out)?;
            assert_eq!(large, elements, "{bytes} bytes of {datatype:?}");
        }
        status_set_elements(write, DatatypeRef::of(MPI_SHORT_INT)?, 3)?;
        assert_eq!(read.get().bytes(), 8);
        Ok(())
    }
}
