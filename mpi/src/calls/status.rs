//! What a status says (MPI 5.0, sections 3.2.5, 3.8.4 and 13.3).

use std::ffi::c_int;

use crate::abi::prelude::*;

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
}
