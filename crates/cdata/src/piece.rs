//! Pieces: the parts in which a table or a column arrives.
//!
//! In: an array, or a stream of them, with the schema that it announced. Out: [`Piece`]s of that
//! schema, whose columns are imported on request.

use std::ffi::{c_int, CStr};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType, Field};

use crate::array::Node;
use crate::schema::field_of;
use crate::{malformed, Result};

/// The most rows of one piece. Arrow recommends no more for data that is exchanged, and a column of
/// nulls, which has no buffers, can claim any number.
const MOST_ROWS: usize = i32::MAX as usize;

/// A table, or one column, that arrives piece by piece.
#[derive(Debug)]
pub struct Pieces {
    field: Field,
    rest: Rest,
}

#[derive(Debug)]
enum Rest {
    One(Option<FFI_ArrowArray>),
    Stream(FFI_ArrowArrayStream),
    Failed,
}

impl Pieces {
    /// Take one array; a struct is a table.
    ///
    /// # Safety
    ///
    /// Pointers of both structures are null or lead to what the interface says, and buffers are as
    /// long as the array says.
    pub unsafe fn of_array(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<Pieces> {
        // SAFETY: as promised by the caller.
        let field = unsafe { field_of(schema) }?;
        Ok(Pieces { field, rest: Rest::One(Some(array)) })
    }

    /// Take a stream, and ask it for its schema.
    ///
    /// # Safety
    ///
    /// The stream is a released one, or its callbacks keep to the interface; for what they give
    /// holds what [`Pieces::of_array`] asks.
    pub unsafe fn of_stream(mut stream: FFI_ArrowArrayStream) -> Result<Pieces> {
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: as promised by the caller.
        unsafe { call(&mut stream, |stream| stream.get_schema, &mut schema) }?;
        // SAFETY: as promised by the caller.
        let field = unsafe { field_of(&schema) }?;
        Ok(Pieces { field, rest: Rest::Stream(stream) })
    }

    /// The type of all pieces; a struct for a table.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The stream, with the pieces that it still has; none where there never was one, or it failed.
    pub fn into_stream(self) -> Option<FFI_ArrowArrayStream> {
        match self.rest {
            Rest::Stream(stream) => Some(stream),
            Rest::One(_) | Rest::Failed => None,
        }
    }

    /// The next piece; none at the end. After an error, only errors follow: the failure of a stream
    /// must not look like its end.
    #[allow(clippy::should_implement_trait)] // an iterator would continue after an error
    pub fn next(&mut self) -> Result<Option<Piece>> {
        let piece = self.advance();
        if piece.is_err() {
            self.rest = Rest::Failed;
        }
        piece
    }

    fn advance(&mut self) -> Result<Option<Piece>> {
        let array = match &mut self.rest {
            Rest::Failed => return Err(malformed("the stream failed before")),
            Rest::One(array) => array.take(),
            Rest::Stream(stream) => {
                let mut array = FFI_ArrowArray::empty();
                // SAFETY: as promised to `Pieces::of_stream`.
                unsafe { call(stream, |stream| stream.get_next, &mut array) }?;
                (!array.is_released()).then_some(array)
            }
        };
        // SAFETY: as promised when the array or its stream was taken.
        array.map(|array| unsafe { Piece::of(array, self.field.data_type()) }).transpose()
    }
}

/// Some rows of a table or column.
#[derive(Debug)]
pub struct Piece {
    array: Arc<FFI_ArrowArray>,
    data_type: DataType,
    len: usize,
}

impl Piece {
    /// # Safety
    ///
    /// As for [`Pieces::of_array`].
    unsafe fn of(array: FFI_ArrowArray, data_type: &DataType) -> Result<Piece> {
        let array = Arc::new(array);
        // SAFETY: as promised by the caller; the array is kept as long as the piece.
        let node = unsafe { Node::of(&array, &array) }?;
        let len = node.len();
        if len > MOST_ROWS {
            return Err(malformed(format!(
                "{len} rows in one piece; at most {MOST_ROWS} are read"
            )));
        }
        if let DataType::Struct(fields) = data_type {
            node.has_children(fields.len())?;
            if node.nulls()?.is_some() {
                let message = "a table with rows that are null as a whole";
                return Err(ArrowError::InvalidArgumentError(message.into()));
            }
        }
        Ok(Piece { array, data_type: data_type.clone(), len })
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One column of a table by its index, or the lone column without an index. Text becomes binary
    /// data; [`is_importable`](crate::is_importable) says which other types are supported.
    pub fn column(&self, at: Option<usize>) -> Result<ArrayRef> {
        // SAFETY: as promised when the piece was made.
        let node = unsafe { Node::of(&self.array, &self.array) }?;
        let (at, fields) = match (at, &self.data_type) {
            (None, data_type) => return node.import(data_type),
            (Some(at), DataType::Struct(fields)) if at < fields.len() => (at, fields),
            (Some(at), _) => return Err(malformed(format!("there is no column {at}"))),
        };
        let column = node.child(at, fields.len()).and_then(|child| child.slice(node.rows()));
        let column = column.and_then(|column| column.import(fields[at].data_type()));
        column
            .map_err(|error| malformed(format!("column `{}`: {}", fields[at].name(), told(error))))
    }
}

/// The message of an error, without its kind if that is ours.
fn told(error: ArrowError) -> String {
    match error {
        ArrowError::CDataInterface(what) => what,
        other => other.to_string(),
    }
}

/// A function of a stream that writes its result to a pointer.
type Ask<T> = Option<unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut T) -> c_int>;

/// # Safety
///
/// The stream is a released one, or its callbacks keep to the interface.
unsafe fn call<T>(
    stream: &mut FFI_ArrowArrayStream,
    function: impl Fn(&FFI_ArrowArrayStream) -> Ask<T>,
    out: &mut T,
) -> Result<()> {
    let function = stream.release.and(function(stream));
    let function = function.ok_or_else(|| malformed("the stream was read before"))?;
    // SAFETY: the stream is not released, and `out` is an empty value of the type it writes.
    match unsafe { function(stream, out) } {
        0 => Ok(()),
        // SAFETY: as promised by the caller.
        code => Err(malformed(unsafe { last_error(stream, code) })),
    }
}

/// # Safety
///
/// As for [`call`].
unsafe fn last_error(stream: &mut FFI_ArrowArrayStream, code: c_int) -> String {
    // SAFETY: the text, where there is one, lives until the stream is called again.
    let told = stream.get_last_error.and_then(|last_error| unsafe {
        let text = last_error(stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    told.unwrap_or_else(|| format!("the stream failed with code {code}"))
}
