//! The Arrow PyCapsule interface: tables and columns of any library in, and out again.
//!
//! In: a Python object with `__arrow_c_stream__` or `__arrow_c_array__`. Out: Rust arrays over the
//! same memory, and back. The only place of the bindings where pointers are followed; each pointer
//! comes from a capsule of the name that the interface demands, which fixes its type.

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow_array::ffi::{from_ffi, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{make_array, ArrayRef, RecordBatchReader};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::invalid_table;
use crate::text::wrong_type;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A table, or one column, that arrives piece by piece.
pub enum Incoming {
    /// A stream of batches, or of plain arrays.
    Stream(FFI_ArrowArrayStream),
    /// One array; a table where it is a struct.
    Array(ArrayRef, Field),
}

impl Incoming {
    /// Take an object's data; `name` is that of the argument, `wanted` what it should have been.
    pub fn of(value: &Bound<'_, PyAny>, name: &str, wanted: &str) -> PyResult<Incoming> {
        if value.hasattr("__arrow_c_stream__")? {
            let capsule = value.call_method0("__arrow_c_stream__")?;
            return Ok(Incoming::Stream(take_stream(&capsule)?));
        }
        if value.hasattr("__arrow_c_array__")? {
            let (schema, array) = value.call_method0("__arrow_c_array__")?.extract()?;
            let (array, field) = take_array(&schema, &array)?;
            return Ok(Incoming::Array(array, field));
        }
        Err(wrong_type(name, wanted, value))
    }

    /// Its pieces, each with its type, which all share.
    pub fn into_pieces(self) -> PyResult<Pieces> {
        match self {
            Incoming::Array(array, field) => Ok(Pieces { field, rest: Rest::One(Some(array)) }),
            Incoming::Stream(mut stream) => {
                let mut schema = FFI_ArrowSchema::empty();
                call(&mut stream, |stream| stream.get_schema, &mut schema)
                    .map_err(not_understood)?;
                let field = Field::try_from(&schema).map_err(not_understood)?;
                Ok(Pieces { field, rest: Rest::Stream(stream) })
            }
        }
    }
}

/// The arrays of a table or column, one after the other.
pub struct Pieces {
    /// Their type; a struct where it is a table.
    pub field: Field,
    rest: Rest,
}

enum Rest {
    One(Option<ArrayRef>),
    Stream(FFI_ArrowArrayStream),
}

impl Pieces {
    /// The next piece; none at the end.
    pub fn next(&mut self) -> Result<Option<ArrayRef>, ArrowError> {
        let stream = match &mut self.rest {
            Rest::One(array) => return Ok(array.take()),
            Rest::Stream(stream) => stream,
        };
        let mut array = FFI_ArrowArray::empty();
        call(stream, |stream| stream.get_next, &mut array)?;
        if array.is_released() {
            return Ok(None);
        }
        let schema = FFI_ArrowSchema::try_from(&self.field)?;
        // SAFETY: the stream made the array for the schema that it announced.
        let mut data = unsafe { from_ffi(array, &schema) }?;
        data.align_buffers();
        Ok(Some(make_array(data)))
    }
}

fn take_stream(capsule: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = pointer_of::<FFI_ArrowArrayStream>(capsule, STREAM)?;
    // SAFETY: a capsule of this name holds a stream; taking it out leaves a released one behind.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) })
}

fn take_array(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<(ArrayRef, Field)> {
    let schema = pointer_of::<FFI_ArrowSchema>(schema, SCHEMA)?;
    let array = pointer_of::<FFI_ArrowArray>(array, ARRAY)?;
    // SAFETY: capsules of these names hold a schema and an array; both live until we return, and
    // taking the array out leaves a released one behind.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    let field = Field::try_from(schema).map_err(not_understood)?;
    // SAFETY: the producer made the array for this schema.
    let mut data = unsafe { from_ffi(array, schema) }.map_err(not_understood)?;
    data.align_buffers();
    Ok((make_array(data), field))
}

fn pointer_of<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast())
}

/// A function of a stream that writes what it is asked for.
type Ask<T> = Option<unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut T) -> std::ffi::c_int>;

fn call<T>(
    stream: &mut FFI_ArrowArrayStream,
    function: impl Fn(&FFI_ArrowArrayStream) -> Ask<T>,
    out: &mut T,
) -> Result<(), ArrowError> {
    let Some(function) = function(stream) else {
        return Err(ArrowError::CDataInterface("the stream was read before".into()));
    };
    // SAFETY: the stream is not released, and `out` is an empty value of the type it writes.
    match unsafe { function(stream, out) } {
        0 => Ok(()),
        code => Err(ArrowError::CDataInterface(last_error(stream, code))),
    }
}

fn last_error(stream: &mut FFI_ArrowArrayStream, code: i32) -> String {
    // SAFETY: the text, where there is one, lives until the stream is called again.
    let told = stream.get_last_error.and_then(|last_error| unsafe {
        let text = last_error(stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    told.unwrap_or_else(|| format!("the stream failed with code {code}"))
}

/// The exception for data that Arrow itself does not understand, or whose producer failed.
#[cold]
pub fn not_understood(error: ArrowError) -> PyErr {
    Python::attach(|py| {
        let hint = "the library that made the table says more".to_string();
        invalid_table(py, format!("the Arrow data cannot be read: {error}"), Some(hint))
    })
}

/// Hand a stream of batches out.
pub fn give_stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// Hand a schema out.
pub fn give_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(not_understood)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}
