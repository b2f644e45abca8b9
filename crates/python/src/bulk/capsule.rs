//! The Arrow PyCapsule interface: tables and columns of any library in, and out again.
//!
//! In: a Python object with `__arrow_c_stream__` or `__arrow_c_array__`. Out: [`Pieces`] over the same
//! memory, and back. A capsule of the name that the interface demands fixes the type of its
//! pointer; the data are checked by [`verger_cdata`], as far as possible. It cannot protect from a
//! producer whose buffers are shorter than its lengths and offsets say, whose pointers are invalid,
//! or whose callbacks crash: the interface passes pointers without sizes.

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow_array::RecordBatchReader;
use arrow_schema::{ArrowError, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use verger_cdata::{export, FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema, Pieces};

use crate::errors::invalid_table;
use crate::text::{kind_of, wrong_type};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

const GIVES_STREAM: &str = "__arrow_c_stream__";
const GIVES_ARRAY: &str = "__arrow_c_array__";

/// Take an object's data; `name` is that of the argument, `wanted` what it should have been.
pub fn pieces_of(value: &Bound<'_, PyAny>, name: &str, wanted: &str) -> PyResult<Pieces> {
    if value.hasattr(GIVES_STREAM)? {
        return pieces_of_stream(&value.call_method0(GIVES_STREAM)?);
    }
    if value.hasattr(GIVES_ARRAY)? {
        return pieces_of_array(&value.call_method0(GIVES_ARRAY)?);
    }
    Err(wrong_type(name, wanted, value))
}

fn pieces_of_stream(given: &Bound<'_, PyAny>) -> PyResult<Pieces> {
    let pointer = pointer_of::<FFI_ArrowArrayStream>(given, GIVES_STREAM, STREAM)?;
    // SAFETY: a capsule of this name holds a stream; taking it out leaves a released one.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    // The producer may wait for another thread that runs Python.
    // SAFETY: the producer keeps to the interface, where we cannot check it.
    given.py().detach(|| unsafe { Pieces::of_stream(stream) }).map_err(not_understood)
}

fn pieces_of_array(given: &Bound<'_, PyAny>) -> PyResult<Pieces> {
    let pair = given.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
    let pair = pair.ok_or_else(|| no_capsule(given, GIVES_ARRAY, "a pair of capsules"))?;
    let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
    let schema = pointer_of::<FFI_ArrowSchema>(&schema, GIVES_ARRAY, SCHEMA)?;
    let array = pointer_of::<FFI_ArrowArray>(&array, GIVES_ARRAY, ARRAY)?;
    // SAFETY: capsules of these names hold a schema and an array; both live until we return, and
    // taking the array out leaves a released one behind.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    // SAFETY: the producer keeps to the interface, where we cannot check it.
    unsafe { Pieces::of_array(array, schema) }.map_err(not_understood)
}

fn pointer_of<T>(value: &Bound<'_, PyAny>, method: &str, name: &CStr) -> PyResult<NonNull<T>> {
    let wanted = format!("a capsule named `{}`", name.to_string_lossy());
    let capsule = value.cast::<PyCapsule>().map_err(|_| no_capsule(value, method, &wanted))?;
    match capsule.pointer_checked(Some(name)) {
        Ok(pointer) if pointer.cast::<T>().is_aligned() => Ok(pointer.cast()),
        _ => Err(no_capsule(value, method, &wanted)),
    }
}

/// The exception for an object whose method breaks the interface.
#[cold]
fn no_capsule(given: &Bound<'_, PyAny>, method: &str, wanted: &str) -> PyErr {
    let kind = kind_of(given);
    let message = format!("`{method}()` must return {wanted}, not `{kind}`");
    let hint = "the library that made the table has a bug, or is out of date".to_string();
    invalid_table(given.py(), message, Some(hint))
}

/// The exception for data that breaks the interface, or whose producer failed.
#[cold]
pub fn not_understood(error: ArrowError) -> PyErr {
    Python::attach(|py| {
        let hint = "check the library that made the table".to_string();
        invalid_table(py, format!("the Arrow data cannot be read: {error}"), Some(hint))
    })
}

/// Run Python code in a callback that another library calls; none once the interpreter has ended.
///
/// The library may have released the interpreter's lock although a call of ours, further up in this
/// thread, holds it as far as PyO3 knows: so the lock is taken without asking PyO3.
pub fn in_callback<T>(run: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    // SAFETY: it may always be asked.
    if unsafe { pyo3::ffi::Py_IsInitialized() } == 0 {
        return None;
    }
    // SAFETY: the interpreter runs; a thread may take the lock again that it holds.
    let state = unsafe { pyo3::ffi::PyGILState_Ensure() };
    let result = Python::try_attach(run);
    // SAFETY: the state is that of this thread, and nothing of Python is left here.
    unsafe { pyo3::ffi::PyGILState_Release(state) };
    result
}

/// What a method of the interface hands out.
pub type Given<'py> = PyResult<Bound<'py, PyCapsule>>;

/// The schema that a consumer asks for, which producers may ignore, as all of these do.
pub type Requested<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Hand a stream of batches out.
pub fn give_stream(py: Python<'_>, reader: Box<dyn RecordBatchReader + Send>) -> Given<'_> {
    give_raw_stream(py, export(reader))
}

/// Hand a stream out, whoever made it.
pub fn give_raw_stream(py: Python<'_>, stream: FFI_ArrowArrayStream) -> Given<'_> {
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// Hand out what another library's object gives.
pub fn given_by<'py>(other: &Bound<'py, PyAny>, method: &str) -> Given<'py> {
    Ok(other.call_method0(method)?.cast_into()?)
}

/// Hand a schema out.
pub fn give_schema<'py>(py: Python<'py>, schema: &Schema) -> Given<'py> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(not_understood)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}
