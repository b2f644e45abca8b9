//! Bodies that a table has kept, and what it says about them: Python judges those that may not be
//! whole files.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, LargeBinaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use verger_bulk::column::{is_bytes, Bytes};
use verger_bulk::numbers::{failures, is_status, statuses};
use verger_cdata::Piece;

use crate::bulk::capsule::{not_understood, pieces_of};
use crate::bulk::column::{is_text, not_text, wrong_column, ColumnOf};
use crate::text::Text;

/// Bytes that gzip begins with (RFC 1952 section 2.3.1).
const GZIP: &[u8] = b"\x1f\x8b";
/// A longer text is no word for null.
const LONGEST_WORD: usize = 9;

/// How files begin that hold another in some form: Zstandard, xz, bzip2, a pointer of Git LFS, a
/// message of HTTP, and a file that was never written.
const MARKS: [&[u8]; 6] =
    [b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh", b"version https://git-lfs", b"HTTP/", b"\0"];

/// Whether text may be a word for nothing, or what programs write for octets: a literal, numbers, or
/// all in one line.
fn may_be_no_text(body: &[u8]) -> bool {
    (1..=LONGEST_WORD).contains(&body.len())
        || matches!(body.trim_ascii(), [b'b', b'\'' | b'"', ..] | [b'[' | b'"', ..])
        || !body.trim_ascii().iter().any(|octet| matches!(octet, b'\n' | b'\r'))
}

/// Whether a body may hold its file in another form.
fn may_be_packed(body: &[u8]) -> bool {
    body.starts_with(GZIP) || MARKS.iter().any(|mark| body.starts_with(mark))
}

/// The names of columns that say something about bodies: their length, their coding, whether they
/// are cut off.
pub type Beside = (Option<Text>, Option<Text>, Option<Text>);

/// The columns of bodies, and of what is said about them.
pub struct KeptColumns {
    body: ColumnOf,
    is_text: bool,
    beside: Vec<Option<ColumnOf>>,
}

/// Some rows of these columns.
pub struct Kept {
    bodies: Bytes,
    is_text: bool,
    beside: Vec<Option<Said>>,
}

/// What is said about bodies, in any type that programs write it in.
enum Said {
    Numbers(Vec<Option<i64>>),
    Flags(BooleanArray),
    Words(Bytes),
}

/// The bodies that are not as they stand in the table, or are only the beginning of a file, by
/// their rows: the file, and whether it goes on; none where a body is not a whole file.
pub type Changes = HashMap<usize, Option<(Vec<u8>, bool)>>;

impl KeptColumns {
    /// Find the columns.
    pub fn find(
        py: Python<'_>,
        table: &Field,
        body: &[u8],
        beside: &Beside,
    ) -> PyResult<KeptColumns> {
        let one = |name: &Option<Text>| {
            let Some(Text(name)) = name else { return Ok(None) };
            let column = ColumnOf::any(py, table, name)?;
            let found = &column.data_type;
            match is_status(found) || is_bytes(found) || *found == DataType::Boolean {
                true => Ok(Some(column)),
                false => Err(wrong_column(py, name, "numbers, text or flags", found)),
            }
        };
        let body = ColumnOf::find(py, table, body)?;
        let is_text = is_text(&body.data_type);
        let beside = [&beside.0, &beside.1, &beside.2].map(one);
        Ok(KeptColumns { body, is_text, beside: beside.into_iter().collect::<PyResult<_>>()? })
    }

    /// Find the columns by the names of their roles; none if there is no column of bodies.
    pub fn by_roles(py: Python<'_>, table: &Field) -> PyResult<Option<KeptColumns>> {
        let DataType::Struct(fields) = table.data_type() else { return Ok(None) };
        let named = |name: &str| fields.find(name).map(|_| Text(name.into()));
        let beside = (named("length"), named("coding"), named("truncated"));
        match fields.find("body") {
            Some((_, body)) if is_bytes(body.data_type()) => {
                KeptColumns::find(py, table, b"body", &beside).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The rows of a piece.
    pub fn of(&self, piece: &Piece) -> Result<Kept, ArrowError> {
        let said = |column: &Option<ColumnOf>| {
            let Some(column) = column else { return Ok(None) };
            let array = column.of(piece)?;
            Ok(Some(match &column.data_type {
                DataType::Boolean => Said::Flags(array.as_boolean().clone()),
                found if is_bytes(found) => Said::Words(column.bytes(piece)?),
                // as texts, so that a fraction is no number
                found if found.is_floating() => Said::Words(failures(&array).map_err(not_text)?),
                _ => Said::Numbers(statuses(&array)),
            }))
        };
        Ok(Kept {
            bodies: self.body.bytes(piece)?,
            is_text: self.is_text,
            beside: self.beside.iter().map(said).collect::<Result<_, ArrowError>>()?,
        })
    }
}

impl Kept {
    /// The bodies, as they stand in the table.
    pub fn bodies(&self) -> &Bytes {
        &self.bodies
    }

    /// What Python makes of the bodies that may not be whole files. `judge` takes a body, whether it
    /// is text, and what is said about it, and returns the file and whether it goes on, or None.
    pub fn changes(&self, judge: &Bound<'_, PyAny>) -> PyResult<Changes> {
        let mut changes = Changes::new();
        for row in 0..self.bodies.len() {
            let Some(body) = self.bodies.get(row) else { continue };
            let said: Vec<Option<String>> =
                self.beside.iter().map(|said| told(said, row)).collect();
            if !self.is_doubtful(body, &said) {
                continue;
            }
            let given = PyBytes::new(judge.py(), body);
            let found = judge.call1((&given, self.is_text, &said[0], &said[1], &said[2]))?;
            let file: Option<(Vec<u8>, bool)> = found.extract()?;
            if file.as_ref().is_none_or(|(file, is_cut)| *is_cut || file != body) {
                changes.insert(row, file);
            }
        }
        Ok(changes)
    }

    /// Whether a body may be other than a whole file. That it is as long as it says, as most are, is
    /// seen here: it would take longer to ask.
    fn is_doubtful(&self, body: &[u8], said: &[Option<String>]) -> bool {
        let is_long_enough =
            |length: &String| length.parse::<usize>().is_ok_and(|length| length <= body.len());
        may_be_packed(body)
            || (self.is_text && may_be_no_text(body))
            || said[0].as_ref().is_some_and(|length| !is_long_enough(length))
            || said[1..].iter().any(Option::is_some)
    }
}

fn told(said: &Option<Said>, row: usize) -> Option<String> {
    match said.as_ref()? {
        Said::Numbers(numbers) => numbers[row].map(|number| number.to_string()),
        Said::Flags(flags) => (flags.is_valid(row) && flags.value(row)).then(|| "true".into()),
        Said::Words(words) => Some(String::from_utf8_lossy(words.get(row)?).into_owned()),
    }
}

/// A batch with columns `body` and `status`, after changes in its bodies: one that is not whole is null
/// next to a status.
pub fn changed(batch: &RecordBatch, changes: &Changes) -> Result<RecordBatch, ArrowError> {
    let (mut fields, mut columns) = (batch.schema().fields().to_vec(), batch.columns().to_vec());
    let mut put = |name: &str, array: ArrayRef| {
        let field = Arc::new(Field::new(name, array.data_type().clone(), true));
        match fields.iter().position(|field| field.name() == name) {
            Some(at) => (fields[at], columns[at]) = (field, array),
            None => {
                fields.push(field);
                columns.push(array);
            }
        }
    };
    let array = |name| batch.column_by_name(name);
    let bodies = array("body").map(Bytes::of).transpose().map_err(not_text)?;
    let status = array("status").map_or(vec![None; batch.num_rows()], statuses);
    let body_of = |row| match changes.get(&row) {
        Some(file) => file.as_ref().map(|(file, _)| file.as_slice()),
        None => bodies.as_ref().and_then(|bodies| bodies.get(row)),
    };
    let known = |(row, status): (usize, Option<i64>)| {
        status.or_else(|| changes.contains_key(&row).then_some(200))
    };
    put("body", Arc::new((0..batch.num_rows()).map(body_of).collect::<LargeBinaryArray>()));
    if array("status").is_none_or(|status| is_status(status.data_type())) {
        put("status", Arc::new(status.into_iter().enumerate().map(known).collect::<Int64Array>()));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// The changes in the bodies of a table whose columns have the names of their roles.
#[pyfunction]
pub fn _changed_bodies(table: &Bound<'_, PyAny>, judge: &Bound<'_, PyAny>) -> PyResult<Changes> {
    let mut pieces = pieces_of(table, "table", "a table with the Arrow PyCapsule interface")?;
    let columns = KeptColumns::by_roles(table.py(), pieces.field())?;
    let (mut changes, mut before) = (Changes::new(), 0);
    while let Some(piece) = pieces.next().map_err(not_understood)? {
        let Some(columns) = &columns else { break };
        let kept = columns.of(&piece).map_err(not_understood)?;
        let found = kept.changes(judge)?;
        changes.extend(found.into_iter().map(|(row, file)| (before + row, file)));
        before += piece.len();
    }
    Ok(changes)
}
