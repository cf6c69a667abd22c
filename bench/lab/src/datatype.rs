//! Derived datatypes, as far as benchmarks need them.

use std::ffi::{c_int, c_void};

use mpi::ffi;

use crate::comm::{Comm, any_tag, count, ok, source};
use crate::messages;

/// The type of one value.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// `MPI_UINT8_T`
    Byte,
    /// `MPI_INT16_T`
    Short,
    /// `MPI_INT32_T`
    Int,
    /// `MPI_DOUBLE`
    Double,
}

impl Value {
    fn raw(self) -> ffi::MPI_Datatype {
        // SAFETY: constants of the library.
        unsafe {
            match self {
                Value::Byte => ffi::RSMPI_UINT8_T,
                Value::Short => ffi::RSMPI_INT16_T,
                Value::Int => ffi::RSMPI_INT32_T,
                Value::Double => ffi::RSMPI_DOUBLE,
            }
        }
    }
}

/// A committed datatype. Its data lie in a slice of bytes from offset 0 on, which the functions check.
pub struct Datatype {
    handle: ffi::MPI_Datatype,
    /// Bytes of data, and bytes of memory that they are spread over.
    size: usize,
    span: usize,
}

impl Datatype {
    /// `MPI_Type_contiguous` of bytes.
    pub fn contiguous(bytes: usize) -> Datatype {
        make(|new| {
            // SAFETY: the result outlives the call.
            let code = unsafe { ffi::MPI_Type_contiguous(count(bytes), Value::Byte.raw(), new) };
            ok(code, "MPI_Type_contiguous");
        })
    }

    /// `MPI_Type_vector`: so many blocks of so many doubles, and so many from one block to the next.
    pub fn vector(blocks: usize, length: usize, stride: usize) -> Datatype {
        make(|new| {
            let (blocks, length, stride) = (count(blocks), count(length), count(stride));
            // SAFETY: the result outlives the call.
            ok(
                unsafe { ffi::MPI_Type_vector(blocks, length, stride, Value::Double.raw(), new) },
                "MPI_Type_vector",
            );
        })
    }

    /// `MPI_Type_create_subarray`: a part of an array of doubles in C order.
    pub fn subarray(sizes: &[usize], part: &[usize], starts: &[usize]) -> Datatype {
        assert!(sizes.len() == part.len() && part.len() == starts.len(), "one for each dimension");
        let [sizes, part, starts] =
            [sizes, part, starts].map(|all| all.iter().map(|one| count(*one)).collect::<Vec<_>>());
        make(|new| {
            // SAFETY: the arrays are as long as is said, and the result outlives the call.
            let code = unsafe {
                ffi::MPI_Type_create_subarray(
                    count(sizes.len()),
                    sizes.as_ptr(),
                    part.as_ptr(),
                    starts.as_ptr(),
                    ffi::MPI_ORDER_C as c_int,
                    Value::Double.raw(),
                    new,
                )
            };
            ok(code, "MPI_Type_create_subarray");
        })
    }

    /// `MPI_Type_create_indexed_block` of single doubles.
    pub fn indexed(places: &[usize]) -> Datatype {
        let places: Vec<c_int> = places.iter().map(|place| count(*place)).collect();
        make(|new| {
            // SAFETY: the array is as long as is said, and the result outlives the call.
            let code = unsafe {
                ffi::MPI_Type_create_indexed_block(
                    count(places.len()),
                    1,
                    places.as_ptr(),
                    Value::Double.raw(),
                    new,
                )
            };
            ok(code, "MPI_Type_create_indexed_block");
        })
    }

    /// So many structures of so many bytes with these fields: where, how many, of what.
    pub fn structures(number: usize, bytes: usize, fields: &[(usize, usize, Value)]) -> Datatype {
        let lengths: Vec<c_int> = fields.iter().map(|(_, length, _)| count(*length)).collect();
        let places: Vec<ffi::MPI_Aint> =
            fields.iter().map(|(place, ..)| *place as ffi::MPI_Aint).collect();
        let types: Vec<_> = fields.iter().map(|(.., value)| value.raw()).collect();
        make(|new| {
            let (mut fields, mut whole) = (*new, *new);
            // SAFETY: the arrays are as long as is said, and results outlive the calls.
            unsafe {
                ok(
                    ffi::MPI_Type_create_struct(
                        count(types.len()),
                        lengths.as_ptr(),
                        places.as_ptr(),
                        types.as_ptr(),
                        &mut fields,
                    ),
                    "MPI_Type_create_struct",
                );
                ok(
                    ffi::MPI_Type_create_resized(fields, 0, bytes as ffi::MPI_Aint, &mut whole),
                    "MPI_Type_create_resized",
                );
                ok(ffi::MPI_Type_contiguous(count(number), whole, new), "MPI_Type_contiguous");
                ok(ffi::MPI_Type_free(&mut fields), "MPI_Type_free");
                ok(ffi::MPI_Type_free(&mut whole), "MPI_Type_free");
            }
        })
    }

    /// A matrix of so many rows and columns of doubles, column by column.
    pub fn columns(rows: usize, columns: usize) -> Datatype {
        make(|new| {
            let (mut one, mut next) = (*new, *new);
            // SAFETY: results outlive the calls.
            unsafe {
                ok(
                    ffi::MPI_Type_vector(
                        count(rows),
                        1,
                        count(columns),
                        Value::Double.raw(),
                        &mut one,
                    ),
                    "MPI_Type_vector",
                );
                ok(ffi::MPI_Type_create_resized(one, 0, 8, &mut next), "MPI_Type_create_resized");
                ok(ffi::MPI_Type_contiguous(count(columns), next, new), "MPI_Type_contiguous");
                ok(ffi::MPI_Type_free(&mut one), "MPI_Type_free");
                ok(ffi::MPI_Type_free(&mut next), "MPI_Type_free");
            }
        })
    }

    /// Bytes of data.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bytes of memory that the data are spread over.
    pub fn span(&self) -> usize {
        self.span
    }

    /// `MPI_Pack`. There is room for all.
    #[inline]
    pub fn pack(&self, memory: &[u8], packed: &mut [u8], comm: Comm) {
        assert!(memory.len() >= self.span && packed.len() >= self.size, "too little memory");
        let mut place = 0;
        // SAFETY: the data lie inside the memory, and there is room for them.
        let code = unsafe {
            ffi::MPI_Pack(
                memory.as_ptr().cast(),
                1,
                self.handle,
                packed.as_mut_ptr().cast(),
                count(packed.len()),
                &mut place,
                comm.0,
            )
        };
        ok(code, "MPI_Pack");
    }

    /// `MPI_Unpack` of all.
    #[inline]
    pub fn unpack(&self, packed: &[u8], memory: &mut [u8], comm: Comm) {
        assert!(memory.len() >= self.span && packed.len() >= self.size, "too little memory");
        let mut place = 0;
        // SAFETY: as above.
        let code = unsafe {
            ffi::MPI_Unpack(
                packed.as_ptr().cast(),
                count(packed.len()),
                &mut place,
                memory.as_mut_ptr().cast(),
                1,
                self.handle,
                comm.0,
            )
        };
        ok(code, "MPI_Unpack");
    }

    /// Sends what lies in the memory.
    #[inline]
    pub fn send(&self, memory: &[u8], comm: Comm, to: usize) {
        assert!(memory.len() >= self.span, "too little memory");
        messages::one();
        let buffer = memory.as_ptr().cast::<c_void>();
        // SAFETY: the data lie inside the memory.
        let code = unsafe { ffi::MPI_Send(buffer, 1, self.handle, to as c_int, 0, comm.0) };
        ok(code, "MPI_Send");
    }

    /// Receives into the memory.
    #[inline]
    pub fn receive(&self, memory: &mut [u8], comm: Comm, from: usize) {
        assert!(memory.len() >= self.span, "too little memory");
        let buffer = memory.as_mut_ptr().cast::<c_void>();
        // SAFETY: the data lie inside the memory.
        let code = unsafe {
            ffi::MPI_Recv(
                buffer,
                1,
                self.handle,
                source(Some(from)),
                any_tag(Some(0)),
                comm.0,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        ok(code, "MPI_Recv");
    }
}

impl Drop for Datatype {
    fn drop(&mut self) {
        // SAFETY: the handle is valid and not used afterwards.
        ok(unsafe { ffi::MPI_Type_free(&mut self.handle) }, "MPI_Type_free");
    }
}

/// What a constructor makes, committed.
fn make(constructor: impl FnOnce(&mut ffi::MPI_Datatype)) -> Datatype {
    let mut handle = Value::Byte.raw();
    constructor(&mut handle);
    let (mut size, mut first, mut span) = (0, 0, 0);
    // SAFETY: the type is valid, and results outlive the calls.
    unsafe {
        ok(ffi::MPI_Type_commit(&mut handle), "MPI_Type_commit");
        ok(ffi::MPI_Type_size(handle, &mut size), "MPI_Type_size");
        ok(
            ffi::MPI_Type_get_true_extent(handle, &mut first, &mut span),
            "MPI_Type_get_true_extent",
        );
    }
    assert!(first >= 0, "data lie from offset 0 on");
    Datatype { handle, size: size as usize, span: (first + span) as usize }
}
