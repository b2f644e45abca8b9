//! Columns of a table by name, and the errors for wrong names.

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::prelude::*;

use verger_bulk::column::{is_bytes, Bytes, NotBytes};
use verger_cdata::Piece;

use crate::errors::{invalid_table, quote_all};
use crate::text::shorten;

/// One column of the pieces of a table, or the pieces themselves.
pub struct ColumnOf {
    at: Option<usize>,
    pub data_type: DataType,
}

impl ColumnOf {
    /// Find a column of bytes by its name; a lone column needs none.
    pub fn find(py: Python<'_>, table: &Field, name: &[u8]) -> PyResult<ColumnOf> {
        let column = ColumnOf::any(py, table, name)?;
        match is_bytes(&column.data_type) {
            true => Ok(column),
            false => Err(wrong_column(py, name, "text or binary", &column.data_type)),
        }
    }

    /// Find a column of any type by its name.
    pub fn any(py: Python<'_>, table: &Field, name: &[u8]) -> PyResult<ColumnOf> {
        let DataType::Struct(fields) = table.data_type() else {
            return Ok(ColumnOf { at: None, data_type: table.data_type().clone() });
        };
        let mut named = (0..fields.len()).filter(|at| fields[*at].name().as_bytes() == name);
        match (named.next(), named.next()) {
            (Some(at), None) => {
                Ok(ColumnOf { at: Some(at), data_type: fields[at].data_type().clone() })
            }
            (Some(_), Some(_)) => {
                let message = format!("the table has several columns `{}`", shorten(py, name));
                Err(invalid_table(py, message, Some("leave all but one out".into())))
            }
            (None, _) => {
                let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                let message = format!("the table has no column `{}`", shorten(py, name));
                let hint = match names.is_empty() {
                    true => "it has no columns at all".to_string(),
                    false => format!("it has {}; name the one to read", quote_all(&names)),
                };
                Err(invalid_table(py, message, Some(hint)))
            }
        }
    }

    /// The column in one piece; text as binary data.
    pub fn of(&self, piece: &Piece) -> Result<ArrayRef, ArrowError> {
        piece.column(self.at)
    }

    /// The column in one piece, if it is one of bytes.
    pub fn bytes(&self, piece: &Piece) -> Result<Bytes, ArrowError> {
        Bytes::of(&self.of(piece)?).map_err(not_text)
    }
}

/// Whether a column of this type holds text, not bytes.
pub fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        _ => false,
    }
}

/// The error for a column that holds neither text nor bytes.
#[cold]
pub fn not_text(found: NotBytes) -> ArrowError {
    ArrowError::SchemaError(format!("not text or binary: {found}"))
}

/// The exception for a column of another type.
#[cold]
pub fn wrong_column(py: Python<'_>, name: &[u8], wanted: &str, found: &DataType) -> PyErr {
    let message = format!("the column `{}` holds {found}, not {wanted}", shorten(py, name));
    invalid_table(py, message, Some("cast the column, or name another".into()))
}
