//! Streams that go out: C functions that another library calls.
//!
//! In: a reader of batches. Out: a C structure. A panic must not cross into C, where it ends the
//! process: the consumer gets an error instead.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::Result;

/// Hand a stream of batches out.
pub fn export(reader: Box<dyn RecordBatchReader + Send>) -> FFI_ArrowArrayStream {
    let schema = reader.schema();
    FFI_ArrowArrayStream::new(Box::new(Guarded { schema, reader: Some(reader) }))
}

/// A reader that never unwinds, neither when it is read nor when it is dropped. After an error, it
/// returns only errors, which must not look like the end.
struct Guarded {
    schema: SchemaRef,
    /// None once it failed.
    reader: Option<Box<dyn RecordBatchReader + Send>>,
}

impl Guarded {
    fn advance(&mut self) -> Option<Result<RecordBatch>> {
        let Some(reader) = &mut self.reader else {
            return Some(Err(ArrowError::ComputeError("the stream failed before".into())));
        };
        let next = guarded(|| reader.next()).unwrap_or_else(|error| Some(Err(error)));
        match next {
            Some(Err(error)) => {
                self.stop();
                Some(Err(without_nul(error)))
            }
            other => other,
        }
    }

    fn stop(&mut self) {
        let reader = self.reader.take();
        // Nobody could receive an error of a drop.
        let _ = guarded(|| drop(reader));
    }
}

impl Iterator for Guarded {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance()
    }
}

impl RecordBatchReader for Guarded {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.stop();
    }
}

/// State that a panic left incomplete is dropped, and never read again.
fn guarded<T>(step: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|panic| {
        ArrowError::ComputeError(format!("a bug in verger: {}", message_of(&*panic)))
    })
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say what")
}

/// Arrow converts the message of an error to a C string, and panics at a NUL.
fn without_nul(error: ArrowError) -> ArrowError {
    let said = error.to_string();
    match said.contains('\0') {
        true => ArrowError::ComputeError(said.replace('\0', "\\0")),
        false => error,
    }
}
