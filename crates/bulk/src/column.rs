//! Columns of bytes: texts and bodies in every form that Arrow has for them.
//!
//! In: an Arrow array of strings or binary data, plain, large, as views, or in a dictionary. Out:
//! [`Bytes`], which returns the bytes of each row. Nothing is copied, and nothing is assumed to be
//! UTF-8: the producer of the array is not trusted to have checked.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType};
use arrow_array::{Array, ArrayRef, BinaryViewArray, GenericByteArray, NullArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

/// A column of byte strings.
#[derive(Clone, Debug)]
pub struct Bytes {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Plain(GenericByteArray<BinaryType>),
    Large(GenericByteArray<LargeBinaryType>),
    Views(BinaryViewArray),
    Dictionary { keys: Arc<[usize]>, nulls: ArrayRef, values: Box<Form> },
    Empty(NullArray),
}

/// The column holds something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBytes(pub DataType);

impl fmt::Display for NotBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Whether a column of this type can be read as bytes.
pub fn is_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::Null => true,
        DataType::Dictionary(_, values) => is_bytes(values),
        _ => false,
    }
}

impl Bytes {
    /// Read an array as bytes.
    pub fn of(array: &ArrayRef) -> Result<Bytes, NotBytes> {
        Ok(Bytes { form: Form::of(array)? })
    }

    /// The bytes of one row; none if it is null.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        self.form.get(row)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Plain(array) => array.len(),
            Form::Large(array) => array.len(),
            Form::Views(array) => array.len(),
            Form::Dictionary { keys, .. } => keys.len(),
            Form::Empty(array) => array.len(),
        }
    }

    /// Whether every row is UTF-8 on one line, without a control character or a space around it.
    pub fn are_lines(&self) -> bool {
        (0..self.len()).all(|row| self.get(row).is_some_and(is_line))
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Form {
    fn of(array: &ArrayRef) -> Result<Form, NotBytes> {
        Ok(match array.data_type() {
            DataType::Utf8 => Form::Plain(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Form::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Form::Views(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Form::Plain(array.as_binary::<i32>().clone()),
            DataType::LargeBinary => Form::Large(array.as_binary::<i64>().clone()),
            DataType::BinaryView => Form::Views(array.as_binary_view().clone()),
            DataType::Null => Form::Empty(NullArray::new(array.len())),
            DataType::Dictionary(_, values) if is_bytes(values) => {
                let dictionary = array.as_any_dictionary();
                // An array with only nulls may come without values, so there are no keys to
                // normalise.
                let keys = match dictionary.values().is_empty() {
                    true => vec![0; array.len()],
                    false => dictionary.normalized_keys(),
                };
                Form::Dictionary {
                    keys: keys.into(),
                    nulls: Arc::clone(array),
                    values: Box::new(Form::of(dictionary.values())?),
                }
            }
            other => return Err(NotBytes(other.clone())),
        })
    }

    #[inline]
    fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Form::Plain(array) => value(array, row),
            Form::Large(array) => value(array, row),
            Form::Views(array) => array.is_valid(row).then(|| array.value(row)),
            Form::Dictionary { keys, nulls, values } => match nulls.is_null(row) {
                true => None,
                false => values.get(*keys.get(row)?),
            },
            Form::Empty(_) => None,
        }
    }
}

/// Whether text is UTF-8 on one line, without a control character or a space around it.
pub(crate) fn is_line(text: &[u8]) -> bool {
    let is_control = |end: char| end.is_control() || matches!(end, '\u{2028}' | '\u{2029}');
    let is_plain = match text.is_ascii() {
        true => text.iter().all(|byte| !byte.is_ascii_control()),
        false => std::str::from_utf8(text).is_ok_and(|text| !text.contains(is_control)),
    };
    is_plain && text.first() != Some(&b' ') && text.last() != Some(&b' ')
}

#[inline]
fn value<T: ByteArrayType>(array: &GenericByteArray<T>, row: usize) -> Option<&[u8]> {
    if array.is_null(row) {
        return None;
    }
    let (start, end) = (array.value_offsets()[row], array.value_offsets()[row + 1]);
    array.value_data().get(start.as_usize()..end.as_usize())
}
