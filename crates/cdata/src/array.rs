//! Columns: arrays of the C interface as checked arrays of Rust, over the same memory.
//!
//! In: an array, its type, and which of its rows are wanted. Out: an [`ArrayRef`] of bytes, numbers
//! or times. Text becomes binary data. One pass over the offsets, the keys or the views; only
//! buffers that are not aligned are copied.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, ByteArrayType, Float32Type, Float64Type, Int16Type,
    Int32Type, Int64Type, Int8Type, LargeBinaryType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt16Type, UInt32Type,
    UInt64Type, UInt8Type,
};
use arrow_array::types::{ArrowTimestampType, BinaryType};
use arrow_array::{
    ArrayRef, BinaryViewArray, BooleanArray, DictionaryArray, GenericByteArray, NullArray,
    PrimitiveArray,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::{DataType, TimeUnit};

use crate::{malformed, reference, Result};

/// The most dictionaries whose values are dictionaries: each is a step of recursion.
const MOST_LEVELS: usize = 64;

/// Whether columns of this type can be imported.
pub fn is_importable(data_type: &DataType) -> bool {
    use DataType::{
        Binary, BinaryView, Boolean, Dictionary, Float32, Float64, Int16, Int32, Int64, Int8,
        LargeBinary, LargeUtf8, Null, Timestamp, UInt16, UInt32, UInt64, UInt8, Utf8, Utf8View,
    };
    match data_type {
        Null | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => true,
        Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => true,
        Float32 | Float64 | Timestamp(_, _) | Boolean => true,
        Dictionary(keys, values) => keys.is_dictionary_key_type() && is_importable(values),
        _ => false,
    }
}

/// An array whose numbers were checked, and the rows of it that are wanted.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    array: &'a FFI_ArrowArray,
    owner: &'a Arc<FFI_ArrowArray>,
    /// Rows of the buffers before the wanted ones.
    first: usize,
    len: usize,
    /// The null count that the array claims, if all of its rows are wanted.
    null_count: Option<usize>,
}

impl<'a> Node<'a> {
    /// Read an array; all its rows are wanted.
    ///
    /// # Safety
    ///
    /// Pointers of the array, of its children and of its dictionary are null or lead to what the
    /// interface says, as many and as long as these arrays say; `owner` keeps them in place.
    pub unsafe fn of(array: &'a FFI_ArrowArray, owner: &'a Arc<FFI_ArrowArray>) -> Result<Self> {
        if array.release.is_none() {
            return Err(malformed("the array was released before"));
        }
        let number = |name, number: i64| {
            usize::try_from(number).map_err(|_| malformed(format!("the array has {name} {number}")))
        };
        let (first, len) = (number("offset", array.offset)?, number("length", array.length)?);
        if first.checked_add(len).is_none_or(|rows| rows > isize::MAX as usize) {
            return Err(malformed(format!("the array has offset {first} and length {len}")));
        }
        let null_count = match array.null_count {
            -1 => None,
            count => Some(number("null count", count)?),
        };
        Ok(Node { array, owner, first, len, null_count })
    }

    /// How many rows are wanted.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the wanted rows begin, and end, in an array without offset.
    pub fn rows(&self) -> Range<usize> {
        self.first..self.first + self.len
    }

    /// The same array with fewer rows wanted.
    pub fn slice(self, rows: Range<usize>) -> Result<Self> {
        if rows.end > self.len {
            let (has, needs) = (self.len, rows.end);
            return Err(malformed(format!("the column has {has} rows, the table needs {needs}")));
        }
        let is_whole = rows == (0..self.len);
        let null_count = self.null_count.filter(|_| is_whole);
        Ok(Node { first: self.first + rows.start, len: rows.len(), null_count, ..self })
    }

    /// Whether there are as many children as the schema announced.
    pub fn has_children(&self, announced: usize) -> Result<()> {
        let FFI_ArrowArray { n_children, children, .. } = *self.array;
        if usize::try_from(n_children) != Ok(announced) {
            return Err(malformed(format!(
                "the schema announced {announced} columns, the table has {n_children}"
            )));
        }
        if announced > 0 && children.is_null() {
            return Err(malformed("the table has its columns at a null pointer"));
        }
        Ok(())
    }

    /// One of as many children as the schema announced.
    pub fn child(&self, at: usize, announced: usize) -> Result<Node<'a>> {
        self.has_children(announced)?;
        if at >= announced {
            return Err(malformed(format!("there is no column {at}")));
        }
        // SAFETY: there are `n_children` pointers, each null or to an array that lives as long as
        // its parent, as promised to `Node::of`.
        let child = unsafe { reference(self.array.children.add(at).read_unaligned()) };
        let child = child.ok_or_else(|| malformed("the column is at no valid pointer"))?;
        // SAFETY: as promised to `Node::of` for its parent.
        unsafe { Node::of(child, self.owner) }
    }

    /// Which rows are null; none if no row is.
    pub fn nulls(&self) -> Result<Option<NullBuffer>> {
        if self.len == 0 {
            return Ok(None);
        }
        let stated = self.null_count;
        if self.pointer(0)?.is_none() {
            return match stated {
                None | Some(0) => Ok(None),
                Some(count) => Err(malformed(format!("{count} nulls, and no validity bitmap"))),
            };
        }
        let bits = self.buffer(0, (self.first + self.len).div_ceil(8))?;
        let nulls = NullBuffer::new(BooleanBuffer::new(bits, self.first, self.len));
        match stated.filter(|count| *count != nulls.null_count()) {
            Some(count) => Err(malformed(format!(
                "a null count of {count}, and {} nulls in the validity bitmap",
                nulls.null_count()
            ))),
            None => Ok((nulls.null_count() > 0).then_some(nulls)),
        }
    }

    /// The wanted rows, as a type that the schema announced.
    pub fn import(&self, data_type: &DataType) -> Result<ArrayRef> {
        self.import_within(data_type, MOST_LEVELS)
    }

    fn import_within(&self, data_type: &DataType, levels: usize) -> Result<ArrayRef> {
        Ok(match data_type {
            DataType::Null => Arc::new(NullArray::new(self.len)),
            DataType::Utf8 | DataType::Binary => Arc::new(self.bytes::<BinaryType>()?),
            DataType::LargeUtf8 | DataType::LargeBinary => {
                Arc::new(self.bytes::<LargeBinaryType>()?)
            }
            DataType::Utf8View | DataType::BinaryView => Arc::new(self.views()?),
            DataType::Boolean => Arc::new(self.flags()?),
            DataType::Int8 => Arc::new(self.numbers::<Int8Type>()?),
            DataType::Int16 => Arc::new(self.numbers::<Int16Type>()?),
            DataType::Int32 => Arc::new(self.numbers::<Int32Type>()?),
            DataType::Int64 => Arc::new(self.numbers::<Int64Type>()?),
            DataType::UInt8 => Arc::new(self.numbers::<UInt8Type>()?),
            DataType::UInt16 => Arc::new(self.numbers::<UInt16Type>()?),
            DataType::UInt32 => Arc::new(self.numbers::<UInt32Type>()?),
            DataType::UInt64 => Arc::new(self.numbers::<UInt64Type>()?),
            DataType::Float32 => Arc::new(self.numbers::<Float32Type>()?),
            DataType::Float64 => Arc::new(self.numbers::<Float64Type>()?),
            DataType::Timestamp(unit, zone) => match unit {
                TimeUnit::Second => self.times::<TimestampSecondType>(zone)?,
                TimeUnit::Millisecond => self.times::<TimestampMillisecondType>(zone)?,
                TimeUnit::Microsecond => self.times::<TimestampMicrosecondType>(zone)?,
                TimeUnit::Nanosecond => self.times::<TimestampNanosecondType>(zone)?,
            },
            DataType::Dictionary(keys, values) => {
                let levels = levels.checked_sub(1);
                let levels = levels.ok_or_else(|| malformed("dictionaries within dictionaries"))?;
                match **keys {
                    DataType::Int8 => self.dictionary::<Int8Type>(values, levels)?,
                    DataType::Int16 => self.dictionary::<Int16Type>(values, levels)?,
                    DataType::Int32 => self.dictionary::<Int32Type>(values, levels)?,
                    DataType::Int64 => self.dictionary::<Int64Type>(values, levels)?,
                    DataType::UInt8 => self.dictionary::<UInt8Type>(values, levels)?,
                    DataType::UInt16 => self.dictionary::<UInt16Type>(values, levels)?,
                    DataType::UInt32 => self.dictionary::<UInt32Type>(values, levels)?,
                    DataType::UInt64 => self.dictionary::<UInt64Type>(values, levels)?,
                    _ => return Err(malformed(format!("a dictionary with keys of {keys}"))),
                }
            }
            other => return Err(malformed(format!("columns of {other} are not read"))),
        })
    }

    fn bytes<T: ByteArrayType>(&self) -> Result<GenericByteArray<T>> {
        if self.len == 0 {
            return Ok(GenericByteArray::new_null(0));
        }
        self.has_buffers(3)?;
        let offsets = self.scalars::<T::Offset>(1, self.first, self.len + 1)?;
        let (first, last) = (offsets[0], offsets[self.len]);
        let is_sorted = offsets.windows(2).fold(true, |sorted, pair| sorted & (pair[0] <= pair[1]));
        if !is_sorted || first < T::Offset::default() {
            return Err(malformed("offsets that are negative, or go back"));
        }
        // SAFETY: they are sorted, none is negative, and there is at least one.
        let offsets = unsafe { OffsetBuffer::new_unchecked(offsets) };
        GenericByteArray::try_new(offsets, self.buffer(2, last.as_usize())?, self.nulls()?)
    }

    /// Views, whose last buffer holds the lengths of those before it.
    fn views(&self) -> Result<BinaryViewArray> {
        if self.len == 0 {
            return Ok(BinaryViewArray::new_null(0));
        }
        let several = usize::try_from(self.array.n_buffers).ok();
        let several = several.and_then(|buffers| buffers.checked_sub(3));
        let several = several.ok_or_else(|| self.has_other_buffers("3 or more"))?;
        let lens = self.scalars::<i64>(several + 2, 0, several)?;
        let data = lens.iter().enumerate().map(|(at, len)| match usize::try_from(*len) {
            Ok(len) => self.buffer(at + 2, len),
            Err(_) => Err(malformed(format!("a buffer of {len} bytes"))),
        });
        let data: Arc<[Buffer]> = data.collect::<Result<_>>()?;
        let views = self.scalars::<u128>(1, self.first, self.len)?;
        let nulls = self.nulls()?;
        BinaryViewArray::try_new(without_null_views(views, nulls.as_ref()), data, nulls)
    }

    fn dictionary<K: ArrowDictionaryKeyType>(
        &self,
        values: &DataType,
        levels: usize,
    ) -> Result<ArrayRef> {
        let keys = self.numbers::<K>()?;
        // SAFETY: null or an array that lives as long as this one, as promised to `Node::of`.
        let dictionary = unsafe { reference(self.array.dictionary) };
        let dictionary = dictionary.ok_or_else(|| malformed("a dictionary without values"))?;
        // SAFETY: as promised to `Node::of`.
        let dictionary = unsafe { Node::of(dictionary, self.owner) }?;
        let values = dictionary.import_within(values, levels)?;
        Ok(Arc::new(DictionaryArray::<K>::try_new(keys, values)?))
    }

    fn times<T: ArrowTimestampType>(&self, zone: &Option<Arc<str>>) -> Result<ArrayRef> {
        Ok(Arc::new(self.numbers::<T>()?.with_timezone_opt(zone.clone())))
    }

    fn numbers<T: ArrowPrimitiveType>(&self) -> Result<PrimitiveArray<T>> {
        if self.len == 0 {
            return Ok(PrimitiveArray::new_null(0));
        }
        self.has_buffers(2)?;
        PrimitiveArray::try_new(self.scalars(1, self.first, self.len)?, self.nulls()?)
    }

    fn flags(&self) -> Result<BooleanArray> {
        if self.len == 0 {
            return Ok(BooleanArray::new_null(0));
        }
        self.has_buffers(2)?;
        let bits = self.buffer(1, (self.first + self.len).div_ceil(8))?;
        Ok(BooleanArray::new(BooleanBuffer::new(bits, self.first, self.len), self.nulls()?))
    }

    fn has_buffers(&self, wanted: i64) -> Result<()> {
        match self.array.n_buffers == wanted {
            true => Ok(()),
            false => Err(self.has_other_buffers(wanted)),
        }
    }

    #[cold]
    fn has_other_buffers(&self, wanted: impl std::fmt::Display) -> arrow_schema::ArrowError {
        let found = self.array.n_buffers;
        malformed(format!("{found} buffers, where the announced type has {wanted}"))
    }

    /// Numbers of a buffer, aligned.
    fn scalars<T: ArrowNativeType>(
        &self,
        at: usize,
        first: usize,
        len: usize,
    ) -> Result<ScalarBuffer<T>> {
        let bytes = |number: usize| {
            let bytes = number.checked_mul(size_of::<T>());
            bytes.filter(|bytes| *bytes <= isize::MAX as usize)
        };
        let all = first.checked_add(len).and_then(bytes);
        let all = all.ok_or_else(|| malformed(format!("offset {first} and length {len}")))?;
        let buffer = self.buffer(at, all)?.slice(all - len * size_of::<T>());
        let is_aligned = buffer.as_ptr().align_offset(align_of::<T>()) == 0;
        let aligned = if is_aligned { buffer } else { Buffer::from(buffer.as_slice()) };
        Ok(ScalarBuffer::new(aligned, 0, len))
    }

    /// A buffer, of as many bytes as something else said.
    fn buffer(&self, at: usize, bytes: usize) -> Result<Buffer> {
        if bytes == 0 {
            return Ok(Buffer::default());
        }
        let pointer = self.pointer(at)?;
        let pointer =
            pointer.ok_or_else(|| malformed(format!("a null pointer for buffer {at}")))?;
        if bytes > isize::MAX as usize {
            return Err(malformed(format!("a buffer of {bytes} bytes")));
        }
        // SAFETY: the buffer is as long as the array says, and stays for as long as the owner does,
        // as promised to `Node::of`.
        Ok(unsafe { Buffer::from_custom_allocation(pointer, bytes, Arc::clone(self.owner) as _) })
    }

    fn pointer(&self, at: usize) -> Result<Option<NonNull<u8>>> {
        let FFI_ArrowArray { n_buffers, buffers, .. } = *self.array;
        if usize::try_from(n_buffers).is_ok_and(|count| at < count) && !buffers.is_null() {
            // SAFETY: there are `n_buffers` pointers, as promised to `Node::of`.
            return Ok(NonNull::new(unsafe { buffers.add(at).read_unaligned() } as *mut u8));
        }
        Err(malformed(format!("{n_buffers} buffers, and none at {at}")))
    }
}

/// Views of null rows may contain anything, so they are emptied.
fn without_null_views(views: ScalarBuffer<u128>, nulls: Option<&NullBuffer>) -> ScalarBuffer<u128> {
    let Some(nulls) = nulls else { return views };
    let is_empty = |row: usize| nulls.is_valid(row) || views[row] == 0;
    if (0..views.len()).all(is_empty) {
        return views;
    }
    let view = |(row, view): (usize, &u128)| if nulls.is_valid(row) { *view } else { 0 };
    views.iter().enumerate().map(view).collect()
}
