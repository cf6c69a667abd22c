//! Entries of `crate::calls::datatype`. Made from the tables in `mpi/abi` by `cargo xtask gen`; changes go there.

use crate::prelude::*;

#[unsafe(no_mangle)]
extern "C" fn PMPI_Aint_add(base: Aint, disp: Aint) -> Aint {
    crate::calls::datatype::aint_add(base, disp)
}

#[unsafe(no_mangle)]
extern "C" fn PMPI_Aint_diff(addr1: Aint, addr2: Aint) -> Aint {
    crate::calls::datatype::aint_diff(addr1, addr2)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Get_address(location: *const c_void, address: *mut Aint) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let address = args::out(address);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("address", address)?;
            }
            crate::calls::datatype::get_address(location, address)
        }
    };
    finish("MPI_Get_address", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack(
    inbuf: *const c_void,
    incount: c_int,
    datatype: Datatype,
    outbuf: *mut c_void,
    outsize: c_int,
    position: *mut c_int,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let outsize = args::count(outsize);
            let position = args::count_io(position);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer("inbuf", inbuf, incount, datatype)?;
                check::count("incount", incount)?;
                check::packed("outbuf", outbuf, outsize)?;
                check::size("outsize", outsize)?;
                check::pointer("position", position)?;
            }
            crate::calls::datatype::pack(inbuf, incount, datatype, outbuf, outsize, position, comm)
        }
    };
    finish("MPI_Pack", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_c(
    inbuf: *const c_void,
    incount: Count,
    datatype: Datatype,
    outbuf: *mut c_void,
    outsize: Count,
    position: *mut Count,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let outsize = args::count(outsize);
            let position = args::count_io(position);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::buffer("inbuf", inbuf, incount, datatype)?;
                check::count("incount", incount)?;
                check::packed("outbuf", outbuf, outsize)?;
                check::size("outsize", outsize)?;
                check::pointer("position", position)?;
            }
            crate::calls::datatype::pack(inbuf, incount, datatype, outbuf, outsize, position, comm)
        }
    };
    finish("MPI_Pack_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: c_int,
    datatype: Datatype,
    outbuf: *mut c_void,
    outsize: Aint,
    position: *mut Aint,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let position = args::count_io(position);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            if checks {
                check::pointer("datarep", datarep)?;
                check::buffer("inbuf", inbuf, incount, datatype)?;
                check::count("incount", incount)?;
                check::packed("outbuf", outbuf, outsize)?;
                check::size("outsize", outsize)?;
                check::pointer("position", position)?;
            }
            let datarep = args::text(datarep);
            crate::calls::datatype::pack_external(
                datarep, inbuf, incount, datatype, outbuf, outsize, position,
            )
        }
    };
    finish("MPI_Pack_external", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_external_c(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: Count,
    datatype: Datatype,
    outbuf: *mut c_void,
    outsize: Count,
    position: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let position = args::count_io(position);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            if checks {
                check::pointer("datarep", datarep)?;
                check::buffer("inbuf", inbuf, incount, datatype)?;
                check::count("incount", incount)?;
                check::packed("outbuf", outbuf, outsize)?;
                check::size("outsize", outsize)?;
                check::pointer("position", position)?;
            }
            let datarep = args::text(datarep);
            crate::calls::datatype::pack_external(
                datarep, inbuf, incount, datatype, outbuf, outsize, position,
            )
        }
    };
    finish("MPI_Pack_external_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_external_size(
    datarep: *const c_char,
    incount: c_int,
    datatype: Datatype,
    size: *mut Aint,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("datarep", datarep)?;
                check::count("incount", incount)?;
                check::pointer("size", size)?;
            }
            let datarep = args::text(datarep);
            crate::calls::datatype::pack_external_size(datarep, incount, datatype, size)
        }
    };
    finish("MPI_Pack_external_size", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_external_size_c(
    datarep: *const c_char,
    incount: Count,
    datatype: Datatype,
    size: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("datarep", datarep)?;
                check::count("incount", incount)?;
                check::pointer("size", size)?;
            }
            let datarep = args::text(datarep);
            crate::calls::datatype::pack_external_size(datarep, incount, datatype, size)
        }
    };
    finish("MPI_Pack_external_size_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_size(
    incount: c_int,
    datatype: Datatype,
    comm: Comm,
    size: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::count("incount", incount)?;
                check::pointer("size", size)?;
            }
            crate::calls::datatype::pack_size(incount, datatype, comm, size)
        }
    };
    finish("MPI_Pack_size", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Pack_size_c(
    incount: Count,
    datatype: Datatype,
    comm: Comm,
    size: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let incount = args::count(incount);
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::count("incount", incount)?;
                check::pointer("size", size)?;
            }
            crate::calls::datatype::pack_size(incount, datatype, comm, size)
        }
    };
    finish("MPI_Pack_size_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_commit(datatype: *mut Datatype) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let datatype = args::inout(datatype);
            if checks {
                check::running()?;
            }
            if checks {
                check::datatype_io("datatype", datatype)?;
            }
            crate::calls::datatype::type_commit(datatype)
        }
    };
    finish("MPI_Type_commit", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_contiguous(
    count: c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            let form = args::Form::Small;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_contiguous(count, oldtype, newtype, form)
        }
    };
    finish("MPI_Type_contiguous", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_contiguous_c(
    count: Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            let form = args::Form::Large;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_contiguous(count, oldtype, newtype, form)
        }
    };
    finish("MPI_Type_contiguous_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: *const c_int,
    array_of_distribs: *const c_int,
    array_of_dargs: *const c_int,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::ndims("ndims", ndims)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_gsizes = {
                let length = args::length(ndims);
                check::array("array_of_gsizes", array_of_gsizes, length)?;
                args::counts(array_of_gsizes, length)
            };
            let array_of_distribs = {
                let length = args::length(ndims);
                check::array("array_of_distribs", array_of_distribs, length)?;
                args::slice(array_of_distribs, length)
            };
            let array_of_dargs = {
                let length = args::length(ndims);
                check::array("array_of_dargs", array_of_dargs, length)?;
                args::slice(array_of_dargs, length)
            };
            let array_of_psizes = {
                let length = args::length(ndims);
                check::array("array_of_psizes", array_of_psizes, length)?;
                args::slice(array_of_psizes, length)
            };
            crate::calls::datatype::type_create_darray(
                size,
                rank,
                ndims,
                array_of_gsizes,
                array_of_distribs,
                array_of_dargs,
                array_of_psizes,
                order,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_darray", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_darray_c(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: *const Count,
    array_of_distribs: *const c_int,
    array_of_dargs: *const c_int,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::ndims("ndims", ndims)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_gsizes = {
                let length = args::length(ndims);
                check::array("array_of_gsizes", array_of_gsizes, length)?;
                args::counts(array_of_gsizes, length)
            };
            let array_of_distribs = {
                let length = args::length(ndims);
                check::array("array_of_distribs", array_of_distribs, length)?;
                args::slice(array_of_distribs, length)
            };
            let array_of_dargs = {
                let length = args::length(ndims);
                check::array("array_of_dargs", array_of_dargs, length)?;
                args::slice(array_of_dargs, length)
            };
            let array_of_psizes = {
                let length = args::length(ndims);
                check::array("array_of_psizes", array_of_psizes, length)?;
                args::slice(array_of_psizes, length)
            };
            crate::calls::datatype::type_create_darray(
                size,
                rank,
                ndims,
                array_of_gsizes,
                array_of_distribs,
                array_of_dargs,
                array_of_psizes,
                order,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_darray_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_f90_complex(
    p: c_int,
    r: c_int,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_f90_complex(p, r, newtype)
        }
    };
    finish("MPI_Type_create_f90_complex", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_f90_integer(r: c_int, newtype: *mut Datatype) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_f90_integer(r, newtype)
        }
    };
    finish("MPI_Type_create_f90_integer", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_f90_real(
    p: c_int,
    r: c_int,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_f90_real(p, r, newtype)
        }
    };
    finish("MPI_Type_create_f90_real", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_hindexed(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const Aint,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_blocklengths = {
                let length = args::length(count);
                check::array("array_of_blocklengths", array_of_blocklengths, length)?;
                args::counts(array_of_blocklengths, length)
            };
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            if checks {
                check::counts("array_of_blocklengths", array_of_blocklengths)?;
            }
            crate::calls::datatype::type_create_hindexed(
                count,
                array_of_blocklengths,
                array_of_displacements,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_hindexed", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_hindexed_c(
    count: Count,
    array_of_blocklengths: *const Count,
    array_of_displacements: *const Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_blocklengths = {
                let length = args::length(count);
                check::array("array_of_blocklengths", array_of_blocklengths, length)?;
                args::counts(array_of_blocklengths, length)
            };
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            if checks {
                check::counts("array_of_blocklengths", array_of_blocklengths)?;
            }
            crate::calls::datatype::type_create_hindexed(
                count,
                array_of_blocklengths,
                array_of_displacements,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_hindexed_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_hindexed_block(
    count: c_int,
    blocklength: c_int,
    array_of_displacements: *const Aint,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let newtype = args::out(newtype);
            let form = args::Form::Small;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            crate::calls::datatype::type_create_hindexed_block(
                count,
                blocklength,
                array_of_displacements,
                oldtype,
                newtype,
                form,
            )
        }
    };
    finish("MPI_Type_create_hindexed_block", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_hindexed_block_c(
    count: Count,
    blocklength: Count,
    array_of_displacements: *const Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let newtype = args::out(newtype);
            let form = args::Form::Large;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            crate::calls::datatype::type_create_hindexed_block(
                count,
                blocklength,
                array_of_displacements,
                oldtype,
                newtype,
                form,
            )
        }
    };
    finish("MPI_Type_create_hindexed_block_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_hvector(
    count: c_int,
    blocklength: c_int,
    stride: Aint,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let newtype = args::out(newtype);
            let form = args::Form::Small;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_hvector(
                count,
                blocklength,
                stride,
                oldtype,
                newtype,
                form,
            )
        }
    };
    finish("MPI_Type_create_hvector", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_hvector_c(
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let newtype = args::out(newtype);
            let form = args::Form::Large;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_hvector(
                count,
                blocklength,
                stride,
                oldtype,
                newtype,
                form,
            )
        }
    };
    finish("MPI_Type_create_hvector_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_indexed_block(
    count: c_int,
    blocklength: c_int,
    array_of_displacements: *const c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            crate::calls::datatype::type_create_indexed_block(
                count,
                blocklength,
                array_of_displacements,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_indexed_block", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_indexed_block_c(
    count: Count,
    blocklength: Count,
    array_of_displacements: *const Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            crate::calls::datatype::type_create_indexed_block(
                count,
                blocklength,
                array_of_displacements,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_indexed_block_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_resized(
    oldtype: Datatype,
    lb: Aint,
    extent: Aint,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            let form = args::Form::Small;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_resized(oldtype, lb, extent, newtype, form)
        }
    };
    finish("MPI_Type_create_resized", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_resized_c(
    oldtype: Datatype,
    lb: Count,
    extent: Count,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            let form = args::Form::Large;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_create_resized(oldtype, lb, extent, newtype, form)
        }
    };
    finish("MPI_Type_create_resized_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_struct(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const Aint,
    array_of_types: *const Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_blocklengths = {
                let length = args::length(count);
                check::array("array_of_blocklengths", array_of_blocklengths, length)?;
                args::counts(array_of_blocklengths, length)
            };
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            let array_of_types = {
                let length = args::length(count);
                check::array("array_of_types", array_of_types, length)?;
                args::slice(array_of_types, length)
            };
            if checks {
                check::counts("array_of_blocklengths", array_of_blocklengths)?;
                check::oldtypes("array_of_types", array_of_types)?;
            }
            crate::calls::datatype::type_create_struct(
                count,
                array_of_blocklengths,
                array_of_displacements,
                array_of_types,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_struct", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_struct_c(
    count: Count,
    array_of_blocklengths: *const Count,
    array_of_displacements: *const Count,
    array_of_types: *const Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_blocklengths = {
                let length = args::length(count);
                check::array("array_of_blocklengths", array_of_blocklengths, length)?;
                args::counts(array_of_blocklengths, length)
            };
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            let array_of_types = {
                let length = args::length(count);
                check::array("array_of_types", array_of_types, length)?;
                args::slice(array_of_types, length)
            };
            if checks {
                check::counts("array_of_blocklengths", array_of_blocklengths)?;
                check::oldtypes("array_of_types", array_of_types)?;
            }
            crate::calls::datatype::type_create_struct(
                count,
                array_of_blocklengths,
                array_of_displacements,
                array_of_types,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_struct_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_subarray(
    ndims: c_int,
    array_of_sizes: *const c_int,
    array_of_subsizes: *const c_int,
    array_of_starts: *const c_int,
    order: c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::ndims("ndims", ndims)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_sizes = {
                let length = args::length(ndims);
                check::array("array_of_sizes", array_of_sizes, length)?;
                args::counts(array_of_sizes, length)
            };
            let array_of_subsizes = {
                let length = args::length(ndims);
                check::array("array_of_subsizes", array_of_subsizes, length)?;
                args::counts(array_of_subsizes, length)
            };
            let array_of_starts = {
                let length = args::length(ndims);
                check::array("array_of_starts", array_of_starts, length)?;
                args::counts(array_of_starts, length)
            };
            crate::calls::datatype::type_create_subarray(
                ndims,
                array_of_sizes,
                array_of_subsizes,
                array_of_starts,
                order,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_subarray", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_create_subarray_c(
    ndims: c_int,
    array_of_sizes: *const Count,
    array_of_subsizes: *const Count,
    array_of_starts: *const Count,
    order: c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::ndims("ndims", ndims)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_sizes = {
                let length = args::length(ndims);
                check::array("array_of_sizes", array_of_sizes, length)?;
                args::counts(array_of_sizes, length)
            };
            let array_of_subsizes = {
                let length = args::length(ndims);
                check::array("array_of_subsizes", array_of_subsizes, length)?;
                args::counts(array_of_subsizes, length)
            };
            let array_of_starts = {
                let length = args::length(ndims);
                check::array("array_of_starts", array_of_starts, length)?;
                args::counts(array_of_starts, length)
            };
            crate::calls::datatype::type_create_subarray(
                ndims,
                array_of_sizes,
                array_of_subsizes,
                array_of_starts,
                order,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_create_subarray_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_dup(oldtype: Datatype, newtype: *mut Datatype) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_dup(oldtype, newtype)
        }
    };
    finish("MPI_Type_dup", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_free(datatype: *mut Datatype) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let datatype = args::inout(datatype);
            if checks {
                check::running()?;
            }
            if checks {
                check::datatype_io("datatype", datatype)?;
            }
            crate::calls::datatype::type_free(datatype)
        }
    };
    finish("MPI_Type_free", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_contents(
    datatype: Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut Aint,
    array_of_datatypes: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let max_integers = args::count(max_integers);
            let max_addresses = args::count(max_addresses);
            let max_large_counts: Count = 0;
            let max_large_counts = args::count(max_large_counts);
            let max_datatypes = args::count(max_datatypes);
            let array_of_large_counts: *mut Count = std::ptr::null_mut();
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::size("max_integers", max_integers)?;
                check::size("max_addresses", max_addresses)?;
                check::size("max_large_counts", max_large_counts)?;
                check::size("max_datatypes", max_datatypes)?;
            }
            let array_of_integers = {
                let length = args::length(max_integers);
                check::array("array_of_integers", array_of_integers, length)?;
                args::slice_mut(array_of_integers, length)
            };
            let array_of_addresses = {
                let length = args::length(max_addresses);
                check::array("array_of_addresses", array_of_addresses, length)?;
                args::slice_mut(array_of_addresses, length)
            };
            let array_of_large_counts = {
                let length = args::length(max_large_counts);
                check::array("array_of_large_counts", array_of_large_counts, length)?;
                args::slice_mut(array_of_large_counts, length)
            };
            let array_of_datatypes = {
                let length = args::length(max_datatypes);
                check::array("array_of_datatypes", array_of_datatypes, length)?;
                args::slice_mut(array_of_datatypes, length)
            };
            crate::calls::datatype::type_get_contents(
                datatype,
                max_integers,
                max_addresses,
                max_large_counts,
                max_datatypes,
                array_of_integers,
                array_of_addresses,
                array_of_large_counts,
                array_of_datatypes,
            )
        }
    };
    finish("MPI_Type_get_contents", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_contents_c(
    datatype: Datatype,
    max_integers: Count,
    max_addresses: Count,
    max_large_counts: Count,
    max_datatypes: Count,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut Aint,
    array_of_large_counts: *mut Count,
    array_of_datatypes: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let max_integers = args::count(max_integers);
            let max_addresses = args::count(max_addresses);
            let max_large_counts = args::count(max_large_counts);
            let max_datatypes = args::count(max_datatypes);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::size("max_integers", max_integers)?;
                check::size("max_addresses", max_addresses)?;
                check::size("max_large_counts", max_large_counts)?;
                check::size("max_datatypes", max_datatypes)?;
            }
            let array_of_integers = {
                let length = args::length(max_integers);
                check::array("array_of_integers", array_of_integers, length)?;
                args::slice_mut(array_of_integers, length)
            };
            let array_of_addresses = {
                let length = args::length(max_addresses);
                check::array("array_of_addresses", array_of_addresses, length)?;
                args::slice_mut(array_of_addresses, length)
            };
            let array_of_large_counts = {
                let length = args::length(max_large_counts);
                check::array("array_of_large_counts", array_of_large_counts, length)?;
                args::slice_mut(array_of_large_counts, length)
            };
            let array_of_datatypes = {
                let length = args::length(max_datatypes);
                check::array("array_of_datatypes", array_of_datatypes, length)?;
                args::slice_mut(array_of_datatypes, length)
            };
            crate::calls::datatype::type_get_contents(
                datatype,
                max_integers,
                max_addresses,
                max_large_counts,
                max_datatypes,
                array_of_integers,
                array_of_addresses,
                array_of_large_counts,
                array_of_datatypes,
            )
        }
    };
    finish("MPI_Type_get_contents_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_envelope(
    datatype: Datatype,
    num_integers: *mut c_int,
    num_addresses: *mut c_int,
    num_datatypes: *mut c_int,
    combiner: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_integers = args::count_out(num_integers);
            let num_addresses = args::count_out(num_addresses);
            let num_large_counts: *mut Count = std::ptr::null_mut();
            let num_large_counts = args::count_out(num_large_counts);
            let num_datatypes = args::count_out(num_datatypes);
            let combiner = args::out(combiner);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("num_integers", num_integers)?;
                check::pointer("num_addresses", num_addresses)?;
                check::pointer("num_datatypes", num_datatypes)?;
                check::pointer("combiner", combiner)?;
            }
            crate::calls::datatype::type_get_envelope(
                datatype,
                num_integers,
                num_addresses,
                num_large_counts,
                num_datatypes,
                combiner,
            )
        }
    };
    finish("MPI_Type_get_envelope", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_envelope_c(
    datatype: Datatype,
    num_integers: *mut Count,
    num_addresses: *mut Count,
    num_large_counts: *mut Count,
    num_datatypes: *mut Count,
    combiner: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let num_integers = args::count_out(num_integers);
            let num_addresses = args::count_out(num_addresses);
            let num_large_counts = args::count_out(num_large_counts);
            let num_datatypes = args::count_out(num_datatypes);
            let combiner = args::out(combiner);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("num_integers", num_integers)?;
                check::pointer("num_addresses", num_addresses)?;
                check::pointer("num_datatypes", num_datatypes)?;
                check::pointer("combiner", combiner)?;
            }
            crate::calls::datatype::type_get_envelope(
                datatype,
                num_integers,
                num_addresses,
                num_large_counts,
                num_datatypes,
                combiner,
            )
        }
    };
    finish("MPI_Type_get_envelope_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_extent(
    datatype: Datatype,
    lb: *mut Aint,
    extent: *mut Aint,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let lb = args::count_out(lb);
            let extent = args::count_out(extent);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("lb", lb)?;
                check::pointer("extent", extent)?;
            }
            crate::calls::datatype::type_get_extent(datatype, lb, extent)
        }
    };
    finish("MPI_Type_get_extent", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_extent_c(
    datatype: Datatype,
    lb: *mut Count,
    extent: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let lb = args::count_out(lb);
            let extent = args::count_out(extent);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("lb", lb)?;
                check::pointer("extent", extent)?;
            }
            crate::calls::datatype::type_get_extent(datatype, lb, extent)
        }
    };
    finish("MPI_Type_get_extent_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_extent_x(
    datatype: Datatype,
    lb: *mut Count,
    extent: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let lb = args::count_out(lb);
            let extent = args::count_out(extent);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("lb", lb)?;
                check::pointer("extent", extent)?;
            }
            crate::calls::datatype::type_get_extent_x(datatype, lb, extent)
        }
    };
    finish("MPI_Type_get_extent_x", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_name(
    datatype: Datatype,
    type_name: *mut c_char,
    resultlen: *mut c_int,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let resultlen = args::out(resultlen);
            if checks {
                check::running()?;
            }
            if checks {
                check::oldtype_or_null("datatype", datatype)?;
                check::pointer("type_name", type_name)?;
                check::pointer("resultlen", resultlen)?;
            }
            let type_name = {
                let length = args::length(MPI_MAX_OBJECT_NAME);
                args::text_out(type_name, length)
            };
            crate::calls::datatype::type_get_name(datatype, type_name, resultlen)
        }
    };
    finish("MPI_Type_get_name", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_true_extent(
    datatype: Datatype,
    true_lb: *mut Aint,
    true_extent: *mut Aint,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let true_lb = args::count_out(true_lb);
            let true_extent = args::count_out(true_extent);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("true_lb", true_lb)?;
                check::pointer("true_extent", true_extent)?;
            }
            crate::calls::datatype::type_get_true_extent(datatype, true_lb, true_extent)
        }
    };
    finish("MPI_Type_get_true_extent", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_true_extent_c(
    datatype: Datatype,
    true_lb: *mut Count,
    true_extent: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let true_lb = args::count_out(true_lb);
            let true_extent = args::count_out(true_extent);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("true_lb", true_lb)?;
                check::pointer("true_extent", true_extent)?;
            }
            crate::calls::datatype::type_get_true_extent(datatype, true_lb, true_extent)
        }
    };
    finish("MPI_Type_get_true_extent_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_true_extent_x(
    datatype: Datatype,
    true_lb: *mut Count,
    true_extent: *mut Count,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let true_lb = args::count_out(true_lb);
            let true_extent = args::count_out(true_extent);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("true_lb", true_lb)?;
                check::pointer("true_extent", true_extent)?;
            }
            crate::calls::datatype::type_get_true_extent_x(datatype, true_lb, true_extent)
        }
    };
    finish("MPI_Type_get_true_extent_x", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_get_value_index(
    value_type: Datatype,
    index_type: Datatype,
    pair_type: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let pair_type = args::out(pair_type);
            if checks {
                check::running()?;
            }
            let value_type = check::oldtype("value_type", value_type)?;
            let index_type = check::oldtype("index_type", index_type)?;
            if checks {
                check::pointer("pair_type", pair_type)?;
            }
            crate::calls::datatype::type_get_value_index(value_type, index_type, pair_type)
        }
    };
    finish("MPI_Type_get_value_index", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_indexed(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_blocklengths = {
                let length = args::length(count);
                check::array("array_of_blocklengths", array_of_blocklengths, length)?;
                args::counts(array_of_blocklengths, length)
            };
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            if checks {
                check::counts("array_of_blocklengths", array_of_blocklengths)?;
            }
            crate::calls::datatype::type_indexed(
                count,
                array_of_blocklengths,
                array_of_displacements,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_indexed", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_indexed_c(
    count: Count,
    array_of_blocklengths: *const Count,
    array_of_displacements: *const Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let newtype = args::out(newtype);
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::pointer("newtype", newtype)?;
            }
            let array_of_blocklengths = {
                let length = args::length(count);
                check::array("array_of_blocklengths", array_of_blocklengths, length)?;
                args::counts(array_of_blocklengths, length)
            };
            let array_of_displacements = {
                let length = args::length(count);
                check::array("array_of_displacements", array_of_displacements, length)?;
                args::counts(array_of_displacements, length)
            };
            if checks {
                check::counts("array_of_blocklengths", array_of_blocklengths)?;
            }
            crate::calls::datatype::type_indexed(
                count,
                array_of_blocklengths,
                array_of_displacements,
                oldtype,
                newtype,
            )
        }
    };
    finish("MPI_Type_indexed_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_match_size(
    typeclass: c_int,
    size: c_int,
    datatype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let datatype = args::out(datatype);
            if checks {
                check::running()?;
            }
            if checks {
                check::pointer("datatype", datatype)?;
            }
            crate::calls::datatype::type_match_size(typeclass, size, datatype)
        }
    };
    finish("MPI_Type_match_size", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_set_name(datatype: Datatype, type_name: *const c_char) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("type_name", type_name)?;
            }
            let type_name = args::text(type_name);
            crate::calls::datatype::type_set_name(datatype, type_name)
        }
    };
    finish("MPI_Type_set_name", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_size(datatype: Datatype, size: *mut c_int) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("size", size)?;
            }
            crate::calls::datatype::type_size(datatype, size)
        }
    };
    finish("MPI_Type_size", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_size_c(datatype: Datatype, size: *mut Count) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("size", size)?;
            }
            crate::calls::datatype::type_size(datatype, size)
        }
    };
    finish("MPI_Type_size_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_size_x(datatype: Datatype, size: *mut Count) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let size = args::count_out(size);
            if checks {
                check::running()?;
            }
            let datatype = check::oldtype("datatype", datatype)?;
            if checks {
                check::pointer("size", size)?;
            }
            crate::calls::datatype::type_size_x(datatype, size)
        }
    };
    finish("MPI_Type_size_x", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_vector(
    count: c_int,
    blocklength: c_int,
    stride: c_int,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let stride = args::count(stride);
            let newtype = args::out(newtype);
            let form = args::Form::Small;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_vector(count, blocklength, stride, oldtype, newtype, form)
        }
    };
    finish("MPI_Type_vector", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Type_vector_c(
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: Datatype,
    newtype: *mut Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let count = args::count(count);
            let blocklength = args::count(blocklength);
            let stride = args::count(stride);
            let newtype = args::out(newtype);
            let form = args::Form::Large;
            if checks {
                check::running()?;
            }
            let oldtype = check::oldtype("oldtype", oldtype)?;
            if checks {
                check::count("count", count)?;
                check::count("blocklength", blocklength)?;
                check::pointer("newtype", newtype)?;
            }
            crate::calls::datatype::type_vector(count, blocklength, stride, oldtype, newtype, form)
        }
    };
    finish("MPI_Type_vector_c", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Unpack(
    inbuf: *const c_void,
    insize: c_int,
    position: *mut c_int,
    outbuf: *mut c_void,
    outcount: c_int,
    datatype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let insize = args::count(insize);
            let position = args::count_io(position);
            let outcount = args::count(outcount);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::packed("inbuf", inbuf, insize)?;
                check::size("insize", insize)?;
                check::pointer("position", position)?;
                check::buffer("outbuf", outbuf, outcount, datatype)?;
                check::count("outcount", outcount)?;
            }
            crate::calls::datatype::unpack(
                inbuf, insize, position, outbuf, outcount, datatype, comm,
            )
        }
    };
    finish("MPI_Unpack", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Unpack_c(
    inbuf: *const c_void,
    insize: Count,
    position: *mut Count,
    outbuf: *mut c_void,
    outcount: Count,
    datatype: Datatype,
    comm: Comm,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let insize = args::count(insize);
            let position = args::count_io(position);
            let outcount = args::count(outcount);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            let comm = check::comm("comm", comm)?;
            if checks {
                check::packed("inbuf", inbuf, insize)?;
                check::size("insize", insize)?;
                check::pointer("position", position)?;
                check::buffer("outbuf", outbuf, outcount, datatype)?;
                check::count("outcount", outcount)?;
            }
            crate::calls::datatype::unpack(
                inbuf, insize, position, outbuf, outcount, datatype, comm,
            )
        }
    };
    finish("MPI_Unpack_c", Origin::Comm(comm), call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Unpack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: Aint,
    position: *mut Aint,
    outbuf: *mut c_void,
    outcount: c_int,
    datatype: Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let position = args::count_io(position);
            let outcount = args::count(outcount);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            if checks {
                check::pointer("datarep", datarep)?;
                check::packed("inbuf", inbuf, insize)?;
                check::size("insize", insize)?;
                check::pointer("position", position)?;
                check::buffer("outbuf", outbuf, outcount, datatype)?;
                check::count("outcount", outcount)?;
            }
            let datarep = args::text(datarep);
            crate::calls::datatype::unpack_external(
                datarep, inbuf, insize, position, outbuf, outcount, datatype,
            )
        }
    };
    finish("MPI_Unpack_external", Origin::None, call())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn PMPI_Unpack_external_c(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: Count,
    position: *mut Count,
    outbuf: *mut c_void,
    outcount: Count,
    datatype: Datatype,
) -> c_int {
    let call = || -> Result<()> {
        // SAFETY: the pointers are what the program that calls MPI promises; null is checked.
        unsafe {
            let checks = check::enabled();
            let position = args::count_io(position);
            let outcount = args::count(outcount);
            if checks {
                check::running()?;
            }
            let datatype = check::datatype_here("datatype", datatype)?;
            if checks {
                check::pointer("datarep", datarep)?;
                check::packed("inbuf", inbuf, insize)?;
                check::size("insize", insize)?;
                check::pointer("position", position)?;
                check::buffer("outbuf", outbuf, outcount, datatype)?;
                check::count("outcount", outcount)?;
            }
            let datarep = args::text(datarep);
            crate::calls::datatype::unpack_external(
                datarep, inbuf, insize, position, outbuf, outcount, datatype,
            )
        }
    };
    finish("MPI_Unpack_external_c", Origin::None, call())
}

std::arch::global_asm!(
    ".weak MPI_Aint_add",
    ".set MPI_Aint_add, PMPI_Aint_add",
    ".weak MPI_Aint_diff",
    ".set MPI_Aint_diff, PMPI_Aint_diff",
    ".weak MPI_Get_address",
    ".set MPI_Get_address, PMPI_Get_address",
    ".weak MPI_Pack",
    ".set MPI_Pack, PMPI_Pack",
    ".weak MPI_Pack_c",
    ".set MPI_Pack_c, PMPI_Pack_c",
    ".weak MPI_Pack_external",
    ".set MPI_Pack_external, PMPI_Pack_external",
    ".weak MPI_Pack_external_c",
    ".set MPI_Pack_external_c, PMPI_Pack_external_c",
    ".weak MPI_Pack_external_size",
    ".set MPI_Pack_external_size, PMPI_Pack_external_size",
    ".weak MPI_Pack_external_size_c",
    ".set MPI_Pack_external_size_c, PMPI_Pack_external_size_c",
    ".weak MPI_Pack_size",
    ".set MPI_Pack_size, PMPI_Pack_size",
    ".weak MPI_Pack_size_c",
    ".set MPI_Pack_size_c, PMPI_Pack_size_c",
    ".weak MPI_Type_commit",
    ".set MPI_Type_commit, PMPI_Type_commit",
    ".weak MPI_Type_contiguous",
    ".set MPI_Type_contiguous, PMPI_Type_contiguous",
    ".weak MPI_Type_contiguous_c",
    ".set MPI_Type_contiguous_c, PMPI_Type_contiguous_c",
    ".weak MPI_Type_create_darray",
    ".set MPI_Type_create_darray, PMPI_Type_create_darray",
    ".weak MPI_Type_create_darray_c",
    ".set MPI_Type_create_darray_c, PMPI_Type_create_darray_c",
    ".weak MPI_Type_create_f90_complex",
    ".set MPI_Type_create_f90_complex, PMPI_Type_create_f90_complex",
    ".weak MPI_Type_create_f90_integer",
    ".set MPI_Type_create_f90_integer, PMPI_Type_create_f90_integer",
    ".weak MPI_Type_create_f90_real",
    ".set MPI_Type_create_f90_real, PMPI_Type_create_f90_real",
    ".weak MPI_Type_create_hindexed",
    ".set MPI_Type_create_hindexed, PMPI_Type_create_hindexed",
    ".weak MPI_Type_create_hindexed_c",
    ".set MPI_Type_create_hindexed_c, PMPI_Type_create_hindexed_c",
    ".weak MPI_Type_create_hindexed_block",
    ".set MPI_Type_create_hindexed_block, PMPI_Type_create_hindexed_block",
    ".weak MPI_Type_create_hindexed_block_c",
    ".set MPI_Type_create_hindexed_block_c, PMPI_Type_create_hindexed_block_c",
    ".weak MPI_Type_create_hvector",
    ".set MPI_Type_create_hvector, PMPI_Type_create_hvector",
    ".weak MPI_Type_create_hvector_c",
    ".set MPI_Type_create_hvector_c, PMPI_Type_create_hvector_c",
    ".weak MPI_Type_create_indexed_block",
    ".set MPI_Type_create_indexed_block, PMPI_Type_create_indexed_block",
    ".weak MPI_Type_create_indexed_block_c",
    ".set MPI_Type_create_indexed_block_c, PMPI_Type_create_indexed_block_c",
    ".weak MPI_Type_create_resized",
    ".set MPI_Type_create_resized, PMPI_Type_create_resized",
    ".weak MPI_Type_create_resized_c",
    ".set MPI_Type_create_resized_c, PMPI_Type_create_resized_c",
    ".weak MPI_Type_create_struct",
    ".set MPI_Type_create_struct, PMPI_Type_create_struct",
    ".weak MPI_Type_create_struct_c",
    ".set MPI_Type_create_struct_c, PMPI_Type_create_struct_c",
    ".weak MPI_Type_create_subarray",
    ".set MPI_Type_create_subarray, PMPI_Type_create_subarray",
    ".weak MPI_Type_create_subarray_c",
    ".set MPI_Type_create_subarray_c, PMPI_Type_create_subarray_c",
    ".weak MPI_Type_dup",
    ".set MPI_Type_dup, PMPI_Type_dup",
    ".weak MPI_Type_free",
    ".set MPI_Type_free, PMPI_Type_free",
    ".weak MPI_Type_get_contents",
    ".set MPI_Type_get_contents, PMPI_Type_get_contents",
    ".weak MPI_Type_get_contents_c",
    ".set MPI_Type_get_contents_c, PMPI_Type_get_contents_c",
    ".weak MPI_Type_get_envelope",
    ".set MPI_Type_get_envelope, PMPI_Type_get_envelope",
    ".weak MPI_Type_get_envelope_c",
    ".set MPI_Type_get_envelope_c, PMPI_Type_get_envelope_c",
    ".weak MPI_Type_get_extent",
    ".set MPI_Type_get_extent, PMPI_Type_get_extent",
    ".weak MPI_Type_get_extent_c",
    ".set MPI_Type_get_extent_c, PMPI_Type_get_extent_c",
    ".weak MPI_Type_get_extent_x",
    ".set MPI_Type_get_extent_x, PMPI_Type_get_extent_x",
    ".weak MPI_Type_get_name",
    ".set MPI_Type_get_name, PMPI_Type_get_name",
    ".weak MPI_Type_get_true_extent",
    ".set MPI_Type_get_true_extent, PMPI_Type_get_true_extent",
    ".weak MPI_Type_get_true_extent_c",
    ".set MPI_Type_get_true_extent_c, PMPI_Type_get_true_extent_c",
    ".weak MPI_Type_get_true_extent_x",
    ".set MPI_Type_get_true_extent_x, PMPI_Type_get_true_extent_x",
    ".weak MPI_Type_get_value_index",
    ".set MPI_Type_get_value_index, PMPI_Type_get_value_index",
    ".weak MPI_Type_indexed",
    ".set MPI_Type_indexed, PMPI_Type_indexed",
    ".weak MPI_Type_indexed_c",
    ".set MPI_Type_indexed_c, PMPI_Type_indexed_c",
    ".weak MPI_Type_match_size",
    ".set MPI_Type_match_size, PMPI_Type_match_size",
    ".weak MPI_Type_set_name",
    ".set MPI_Type_set_name, PMPI_Type_set_name",
    ".weak MPI_Type_size",
    ".set MPI_Type_size, PMPI_Type_size",
    ".weak MPI_Type_size_c",
    ".set MPI_Type_size_c, PMPI_Type_size_c",
    ".weak MPI_Type_size_x",
    ".set MPI_Type_size_x, PMPI_Type_size_x",
    ".weak MPI_Type_vector",
    ".set MPI_Type_vector, PMPI_Type_vector",
    ".weak MPI_Type_vector_c",
    ".set MPI_Type_vector_c, PMPI_Type_vector_c",
    ".weak MPI_Unpack",
    ".set MPI_Unpack, PMPI_Unpack",
    ".weak MPI_Unpack_c",
    ".set MPI_Unpack_c, PMPI_Unpack_c",
    ".weak MPI_Unpack_external",
    ".set MPI_Unpack_external, PMPI_Unpack_external",
    ".weak MPI_Unpack_external_c",
    ".set MPI_Unpack_external_c, PMPI_Unpack_external_c",
);
