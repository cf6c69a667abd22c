//! The constructors of datatypes, and what they say of a type later (MPI 5.0, sections 5.1.2 to 5.1.13).

use std::collections::HashMap;
use std::ffi::c_int;
use std::iter::repeat;
use std::sync::{Arc, LazyLock};

use cairn_framework::author::Mutex;
use cairn_layout::{Block, Type};

use crate::objects::attributes;
use crate::objects::datatype::{self, Made};
use crate::prelude::*;

type Kind = Arc<Type>;

/// The arguments of a constructor, as [`type_get_contents`] gives them back.
struct Arguments {
    form: Form,
    made: Made,
}

impl Arguments {
    fn new(combiner: c_int, form: Form, types: &[DatatypeRef]) -> Self {
        let types = types.iter().map(|datatype| datatype.part()).collect();
        let (integers, addresses, large) = Default::default();
        Self { form, made: Made { combiner, integers, addresses, large, types } }
    }

    /// The form of the function that has this array.
    fn form_of(array: Counts<'_>) -> Form {
        if matches!(array, Counts::Small(_)) { Form::Small } else { Form::Large }
    }

    /// Arguments that are an `int` in both forms.
    fn ints(mut self, values: &[c_int]) -> Self {
        self.made.integers.extend(values);
        self
    }

    /// Arguments that are an `int` in the plain form.
    fn counts(mut self, values: impl IntoIterator<Item = Count>) -> Self {
        let values = values.into_iter();
        match self.form {
            Form::Small => self.made.integers.extend(values.map(|value| value as c_int)),
            Form::Large => self.made.large.extend(values),
        }
        self
    }

    /// Arguments that are an `MPI_Aint` in the plain form.
    fn addresses(mut self, values: impl IntoIterator<Item = Count>) -> Self {
        match self.form {
            Form::Small => self.made.addresses.extend(values),
            Form::Large => self.made.large.extend(values),
        }
        self
    }

    fn end(self, kind: cairn_layout::Result<Kind>, newtype: Out<Datatype>) -> Result<()> {
        let kind = kind.map_err(|_| {
            let text = "the size, the extent or a displacement of the new type has no 64 bits";
            Error::new(MPI_ERR_ARG, text)
        })?;
        newtype.set(datatype::make(kind, Arc::new(self.made)).handle());
        Ok(())
    }
}

/// Bytes that many extents of a type are.
fn extents(number: Count, of: &Type) -> Result<i64> {
    number.checked_mul(of.extent()).ok_or_else(|| {
        let text = format!("{number} extents of {} bytes have no 64 bits", of.extent());
        Error::new(MPI_ERR_ARG, text)
    })
}

pub fn type_contiguous(
    count: Count,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
    form: Form,
) -> Result<()> {
    let kind = Type::vector(1, count as u64, 0, &oldtype.kind());
    Arguments::new(MPI_COMBINER_CONTIGUOUS, form, &[oldtype]).counts([count]).end(kind, newtype)
}

pub fn type_vector(
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
    form: Form,
) -> Result<()> {
    let old = oldtype.kind();
    let kind = Type::vector(count as u64, blocklength as u64, extents(stride, &old)?, &old);
    let arguments = Arguments::new(MPI_COMBINER_VECTOR, form, &[oldtype]);
    arguments.counts([count, blocklength, stride]).end(kind, newtype)
}

pub fn type_create_hvector(
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
    form: Form,
) -> Result<()> {
    let kind = Type::vector(count as u64, blocklength as u64, stride, &oldtype.kind());
    let arguments = Arguments::new(MPI_COMBINER_HVECTOR, form, &[oldtype]);
    arguments.counts([count, blocklength]).addresses([stride]).end(kind, newtype)
}

/// Blocks with displacements in bytes, or in extents of the type.
fn blocks(
    lengths: impl Iterator<Item = Count>,
    displacements: Counts<'_>,
    unit: Option<&Type>,
) -> Result<Vec<Block>> {
    lengths
        .zip(displacements.iter())
        .map(|(length, displacement)| {
            let displacement = match unit {
                Some(of) => extents(displacement, of)?,
                None => displacement,
            };
            Ok(Block { displacement, count: length as u64 })
        })
        .collect()
}

/// Makes a type of blocks whose displacements are the last arguments: in bytes, or in extents of the type.
fn at_displacements(
    arguments: Arguments,
    lengths: impl Iterator<Item = Count>,
    displacements: Counts<'_>,
    in_bytes: bool,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
) -> Result<()> {
    let old = oldtype.kind();
    let unit = (!in_bytes).then_some(&*old);
    let kind = Type::indexed(blocks(lengths, displacements, unit)?, &old);
    let arguments = match in_bytes {
        true => arguments.addresses(displacements.iter()),
        false => arguments.counts(displacements.iter()),
    };
    arguments.end(kind, newtype)
}

pub fn type_indexed(
    count: Count,
    array_of_blocklengths: Counts<'_>,
    array_of_displacements: Counts<'_>,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
) -> Result<()> {
    let lengths = array_of_blocklengths;
    let form = Arguments::form_of(lengths);
    let arguments = Arguments::new(MPI_COMBINER_INDEXED, form, &[oldtype]);
    let arguments = arguments.counts([count]).counts(lengths.iter());
    at_displacements(arguments, lengths.iter(), array_of_displacements, false, oldtype, newtype)
}

pub fn type_create_hindexed(
    count: Count,
    array_of_blocklengths: Counts<'_>,
    array_of_displacements: Counts<'_>,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
) -> Result<()> {
    let lengths = array_of_blocklengths;
    let form = Arguments::form_of(lengths);
    let arguments = Arguments::new(MPI_COMBINER_HINDEXED, form, &[oldtype]);
    let arguments = arguments.counts([count]).counts(lengths.iter());
    at_displacements(arguments, lengths.iter(), array_of_displacements, true, oldtype, newtype)
}

pub fn type_create_indexed_block(
    count: Count,
    blocklength: Count,
    array_of_displacements: Counts<'_>,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
) -> Result<()> {
    let (lengths, displacements) = (repeat(blocklength), array_of_displacements);
    let form = Arguments::form_of(displacements);
    let arguments = Arguments::new(MPI_COMBINER_INDEXED_BLOCK, form, &[oldtype]);
    let arguments = arguments.counts([count, blocklength]);
    at_displacements(arguments, lengths, displacements, false, oldtype, newtype)
}

pub fn type_create_hindexed_block(
    count: Count,
    blocklength: Count,
    array_of_displacements: Counts<'_>,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
    form: Form,
) -> Result<()> {
    let (lengths, displacements) = (repeat(blocklength), array_of_displacements);
    let arguments = Arguments::new(MPI_COMBINER_HINDEXED_BLOCK, form, &[oldtype]);
    let arguments = arguments.counts([count, blocklength]);
    at_displacements(arguments, lengths, displacements, true, oldtype, newtype)
}

pub fn type_create_struct(
    count: Count,
    array_of_blocklengths: Counts<'_>,
    array_of_displacements: Counts<'_>,
    array_of_types: &[Datatype],
    newtype: Out<Datatype>,
) -> Result<()> {
    let lengths = array_of_blocklengths;
    let types = array_of_types.iter().map(|handle| DatatypeRef::of(*handle));
    let types: Vec<DatatypeRef> = types.collect::<Result<_>>()?;
    let blocks = blocks(lengths.iter(), array_of_displacements, None)?;
    let parts = blocks.into_iter().zip(types.iter().map(|datatype| datatype.kind()));
    let kind = Type::structure(parts.collect());
    let form = Arguments::form_of(lengths);
    let arguments = Arguments::new(MPI_COMBINER_STRUCT, form, &types);
    let arguments = arguments.counts([count]).counts(lengths.iter());
    arguments.addresses(array_of_displacements.iter()).end(kind, newtype)
}

pub fn type_create_resized(
    oldtype: DatatypeRef,
    lb: Count,
    extent: Count,
    newtype: Out<Datatype>,
    form: Form,
) -> Result<()> {
    let kind = Type::resized(lb, extent, &oldtype.kind());
    let arguments = Arguments::new(MPI_COMBINER_RESIZED, form, &[oldtype]);
    arguments.addresses([lb, extent]).end(kind, newtype)
}

/// The dimensions of an array from the one whose elements are neighbours to the one whose elements are
/// farthest from each other.
fn fastest_first(ndims: c_int, order: c_int) -> Result<Vec<usize>> {
    let all = 0..ndims as usize;
    match order {
        MPI_ORDER_C => Ok(all.rev().collect()),
        MPI_ORDER_FORTRAN => Ok(all.collect()),
        _ => {
            let wanted = "it must be MPI_ORDER_C or MPI_ORDER_FORTRAN";
            Err(Error::argument(MPI_ERR_ARG, "order", order, wanted))
        }
    }
}

fn overflow(_: cairn_layout::Overflow) -> Error {
    Error::new(MPI_ERR_ARG, "the array has more bytes than addresses can count")
}

/// What belongs to one process of a dimension.
struct Share {
    /// The first element.
    first: Count,
    /// The elements of a block.
    length: Count,
    /// How many blocks have that length.
    blocks: Count,
    /// From the beginning of one block to that of the next; of any value if there is none.
    stride: Count,
    /// Elements of a shorter block behind these.
    rest: Count,
}

/// Elements of a dimension as a type with the extent of the whole dimension: its units are what the
/// faster dimensions are.
fn dimension(inner: &Kind, share: &Share, size: Count) -> Result<Kind> {
    let block = |place: Count, count: Count| {
        Ok(Block { displacement: extents(place, inner)?, count: count.cast_unsigned() })
    };
    let Share { first, length, blocks, stride, rest } = *share;
    let stride = if blocks > 1 || rest > 0 { stride } else { 0 };
    let lengths = (blocks.cast_unsigned(), length.cast_unsigned());
    let all =
        Type::vector(lengths.0, lengths.1, extents(stride, inner)?, inner).map_err(overflow)?;
    let mut parts = Vec::new();
    if blocks > 0 {
        parts.push((Block { count: 1, ..block(first, 1)? }, all));
    }
    if rest > 0 {
        parts.push((block(first + blocks * stride, rest)?, inner.clone()));
    }
    let kind = Type::structure(parts).map_err(overflow)?;
    Type::resized(0, extents(size, inner)?, &kind).map_err(overflow)
}

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn type_create_subarray(
    ndims: c_int,
    array_of_sizes: Counts<'_>,
    array_of_subsizes: Counts<'_>,
    array_of_starts: Counts<'_>,
    order: c_int,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
) -> Result<()> {
    let (sizes, subsizes, starts) = (array_of_sizes, array_of_subsizes, array_of_starts);
    let mut kind = oldtype.kind();
    for place in fastest_first(ndims, order)? {
        let (size, subsize, start) = (sizes.at(place), subsizes.at(place), starts.at(place));
        let name = |array: &str| format!("{array}[{place}]");
        if size < 1 {
            return Err(Error::argument(MPI_ERR_ARG, &name("sizes"), size, "must be positive"));
        }
        if subsize < 1 || subsize > size {
            let wanted = format!("it must be from 1 to {size}");
            return Err(Error::argument(MPI_ERR_ARG, &name("subsizes"), subsize, wanted));
        }
        if start < 0 || start > size - subsize {
            let wanted = format!("it must be from 0 to {}", size - subsize);
            return Err(Error::argument(MPI_ERR_ARG, &name("starts"), start, wanted));
        }
        let share = Share { first: start, length: subsize, blocks: 1, stride: 0, rest: 0 };
        kind = dimension(&kind, &share, size)?;
    }
    let form = Arguments::form_of(sizes);
    let arguments = Arguments::new(MPI_COMBINER_SUBARRAY, form, &[oldtype]).ints(&[ndims]);
    let all = [sizes, subsizes, starts].into_iter().flat_map(Counts::iter);
    arguments.counts(all).ints(&[order]).end(Ok(kind), newtype)
}

/// What a process has of a dimension (section 5.1.4).
fn share(
    (size, distribution, argument): (Count, c_int, c_int),
    (processes, own): (Count, Count),
) -> Result<Share> {
    let least = size / processes + Count::from(size % processes > 0);
    let length = match (distribution, argument) {
        (MPI_DISTRIBUTE_NONE, _) if processes != 1 => {
            let wanted = "a dimension that is not distributed has one process";
            return Err(Error::argument(MPI_ERR_ARG, "psizes", processes, wanted));
        }
        (MPI_DISTRIBUTE_NONE, _) => size,
        (MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG) => least,
        (MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG) => 1,
        (MPI_DISTRIBUTE_BLOCK, length) if Count::from(length) < least => {
            let wanted = format!("blocks of a dimension of {size} need at least {least}");
            return Err(Error::argument(MPI_ERR_ARG, "dargs", length, wanted));
        }
        (MPI_DISTRIBUTE_CYCLIC, length) if length < 1 => {
            return Err(Error::argument(MPI_ERR_ARG, "dargs", length, "must be positive"));
        }
        (MPI_DISTRIBUTE_BLOCK | MPI_DISTRIBUTE_CYCLIC, length) => length.into(),
        (other, _) => {
            let wanted = "it must be one of the MPI_DISTRIBUTE constants";
            return Err(Error::argument(MPI_ERR_ARG, "distribs", other, wanted));
        }
    };
    let first = own.saturating_mul(length);
    let stride = length.saturating_mul(processes);
    let behind = size.saturating_sub(first).max(0);
    // Whole rounds of all processes, of each of which this one has a block, and what is left.
    let (rounds, left) = (behind / stride, behind % stride);
    let blocks = rounds + Count::from(left >= length);
    let rest = if left < length { left } else { 0 };
    Ok(Share { first, length, blocks, stride, rest })
}

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn type_create_darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: Counts<'_>,
    array_of_distribs: &[c_int],
    array_of_dargs: &[c_int],
    array_of_psizes: &[c_int],
    order: c_int,
    oldtype: DatatypeRef,
    newtype: Out<Datatype>,
) -> Result<()> {
    if rank < 0 || rank >= size {
        let wanted = format!("the processes are 0 to {}", size.saturating_sub(1));
        return Err(Error::argument(MPI_ERR_RANK, "rank", rank, wanted));
    }
    let positive = |psize: &&c_int| **psize < 1;
    if let Some(psize) = array_of_psizes.iter().find(positive) {
        return Err(Error::argument(MPI_ERR_ARG, "psizes", psize, "must be positive"));
    }
    let grid = array_of_psizes.iter().map(|psize| i64::from(*psize));
    let grid = grid.fold(1_i64, i64::saturating_mul);
    if grid != i64::from(size) {
        let wanted = format!("the product of psizes is {grid}");
        return Err(Error::argument(MPI_ERR_ARG, "size", size, wanted));
    }
    // The grid of processes is in C's order, whatever the array's is.
    let mut rest = Count::from(rank);
    let mut coordinates = vec![0; ndims as usize];
    for place in (0..ndims as usize).rev() {
        let psize = Count::from(array_of_psizes[place]);
        coordinates[place] = rest % psize;
        rest /= psize;
    }
    let mut kind = oldtype.kind();
    for place in fastest_first(ndims, order)? {
        let gsize = array_of_gsizes.at(place);
        if gsize < 1 {
            let name = format!("gsizes[{place}]");
            return Err(Error::argument(MPI_ERR_ARG, &name, gsize, "must be positive"));
        }
        let wanted = (gsize, array_of_distribs[place], array_of_dargs[place]);
        let owner = (array_of_psizes[place].into(), coordinates[place]);
        kind = dimension(&kind, &share(wanted, owner)?, gsize)?;
    }
    let form = Arguments::form_of(array_of_gsizes);
    let arguments = Arguments::new(MPI_COMBINER_DARRAY, form, &[oldtype]);
    let arguments = arguments.ints(&[size, rank, ndims]).counts(array_of_gsizes.iter());
    let arguments = arguments.ints(array_of_distribs).ints(array_of_dargs);
    arguments.ints(array_of_psizes).ints(&[order]).end(Ok(kind), newtype)
}

pub fn type_dup(oldtype: DatatypeRef, newtype: Out<Datatype>) -> Result<()> {
    let made = Arguments::new(MPI_COMBINER_DUP, Form::Small, &[oldtype]).made;
    let new = datatype::make(oldtype.kind(), Arc::new(made));
    // It is as committed as the old one.
    if oldtype.is_committed() {
        new.commit();
    }
    let (from, to) = (oldtype.attributes(), new.attributes());
    attributes::copy_all(from, oldtype.handle(), to, new.handle()).inspect_err(|_| {
        new.free();
    })?;
    newtype.set(new.handle());
    Ok(())
}

/// Types with a precision, by combiner and arguments: the same arguments give the same handle
/// (section 18.2.5).
static WITH_PRECISION: LazyLock<Mutex<WithPrecision>> = LazyLock::new(Mutex::default);

type WithPrecision = HashMap<(c_int, c_int, c_int), Datatype>;

/// What a Fortran type offers: decimal digits, the largest power of ten, and itself.
type Offer = (c_int, c_int, Datatype);

/// The smallest type that offers enough.
fn with_precision(
    combiner: c_int,
    (digits, range): (c_int, c_int),
    arguments: &[c_int],
    offers: &[Offer],
    newtype: Out<Datatype>,
) -> Result<()> {
    let mut known = WITH_PRECISION.lock();
    if let Some(handle) = known.get(&(combiner, digits, range)) {
        newtype.set(*handle);
        return Ok(());
    }
    if digits == MPI_UNDEFINED && range == MPI_UNDEFINED {
        return Err(Error::new(MPI_ERR_ARG, "p and r may not both be MPI_UNDEFINED"));
    }
    let enough = |wanted: c_int, offered: c_int| wanted == MPI_UNDEFINED || wanted <= offered;
    let found =
        offers.iter().find(|(has, reaches, _)| enough(digits, *has) && enough(range, *reaches));
    let (.., handle) = found.ok_or_else(|| {
        let text = format!("no Fortran type has precision {digits} and range {range}");
        Error::new(MPI_ERR_ARG, text)
    })?;
    let made = Arguments::new(combiner, Form::Small, &[]).ints(arguments).made;
    let new = datatype::make_lasting(DatatypeRef::of(*handle)?, Arc::new(made)).handle();
    known.insert((combiner, digits, range), new);
    newtype.set(new);
    Ok(())
}

pub fn type_create_f90_real(p: c_int, r: c_int, newtype: Out<Datatype>) -> Result<()> {
    let offers = [(6, 37, MPI_REAL4), (15, 307, MPI_REAL8), (33, 4931, MPI_REAL16)];
    with_precision(MPI_COMBINER_F90_REAL, (p, r), &[p, r], &offers, newtype)
}

pub fn type_create_f90_complex(p: c_int, r: c_int, newtype: Out<Datatype>) -> Result<()> {
    let offers = [(6, 37, MPI_COMPLEX8), (15, 307, MPI_COMPLEX16), (33, 4931, MPI_COMPLEX32)];
    with_precision(MPI_COMBINER_F90_COMPLEX, (p, r), &[p, r], &offers, newtype)
}

pub fn type_create_f90_integer(r: c_int, newtype: Out<Datatype>) -> Result<()> {
    let offers = [
        (0, 2, MPI_INTEGER1),
        (0, 4, MPI_INTEGER2),
        (0, 9, MPI_INTEGER4),
        (0, 18, MPI_INTEGER8),
        (0, 38, MPI_INTEGER16),
    ];
    with_precision(MPI_COMBINER_F90_INTEGER, (MPI_UNDEFINED, r), &[r], &offers, newtype)
}

pub fn type_get_envelope(
    datatype: DatatypeRef,
    num_integers: CountOut,
    num_addresses: CountOut,
    num_large_counts: CountOut,
    num_datatypes: CountOut,
    combiner: Out<c_int>,
) -> Result<()> {
    let Some(object) = datatype.object() else {
        let all = [num_integers, num_addresses, num_large_counts, num_datatypes];
        all.into_iter().for_each(|number| number.set(0));
        combiner.set(MPI_COMBINER_NAMED);
        return Ok(());
    };
    let made = &object.made;
    if num_large_counts.is_absent() {
        needs_no_large(made, "MPI_Type_get_envelope_c")?;
    }
    num_integers.set(made.integers.len() as Count);
    num_addresses.set(made.addresses.len() as Count);
    num_large_counts.set(made.large.len() as Count);
    num_datatypes.set(made.types.len() as Count);
    combiner.set(made.combiner);
    Ok(())
}

/// The plain forms can't say what a type was made of by a large-count form.
fn needs_no_large(made: &Made, function: &str) -> Result<()> {
    if made.large.is_empty() {
        return Ok(());
    }
    let text = format!("the type was made with large counts, which only {function} gives");
    Err(Error::new(MPI_ERR_TYPE, text))
}

#[allow(clippy::too_many_arguments, reason = "MPI's function has them")]
pub fn type_get_contents(
    datatype: DatatypeRef,
    _max_integers: Count,
    _max_addresses: Count,
    max_large_counts: Count,
    _max_datatypes: Count,
    array_of_integers: &mut [c_int],
    array_of_addresses: &mut [Aint],
    array_of_large_counts: &mut [Count],
    array_of_datatypes: &mut [Datatype],
) -> Result<()> {
    let Some(object) = datatype.object() else {
        return Err(Error::new(MPI_ERR_TYPE, "a predefined type was made of nothing"));
    };
    let made = &object.made;
    if max_large_counts == 0 {
        needs_no_large(made, "MPI_Type_get_contents_c")?;
    }
    /// The places for all that the type was made with.
    fn places<'a, T>(name: &str, array: &'a mut [T], all: usize) -> Result<&'a mut [T]> {
        let room = array.len();
        array.get_mut(..all).ok_or_else(|| {
            let wanted = format!("the type was made with {all}");
            Error::argument(MPI_ERR_ARG, name, room, wanted)
        })
    }
    fn fill<T: Copy>(name: &str, to: &mut [T], from: &[T]) -> Result<()> {
        places(name, to, from.len())?.copy_from_slice(from);
        Ok(())
    }
    let datatypes = places("max_datatypes", array_of_datatypes, made.types.len())?;
    fill("max_integers", array_of_integers, &made.integers)?;
    fill("max_addresses", array_of_addresses, &made.addresses)?;
    fill("max_large_counts", array_of_large_counts, &made.large)?;
    for (place, part) in datatypes.iter_mut().zip(&made.types) {
        *place = part.handle();
    }
    Ok(())
}
