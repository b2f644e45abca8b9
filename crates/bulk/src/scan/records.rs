//! The table of records, `verger.records/1`: one row per line that has a key.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, Int32Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use verger_core::{File, LineInfo, LineKind};

use crate::scan::columns::{column, finished, list_of, signed, time_type, times, TextLists};
use crate::scan::facts::text;
use crate::scan::kept::Digest;
use crate::scan::rows::MOST_BYTES;

/// The most product tokens of one record. A hostile group has as many tokens as records, and the
/// table would grow with the square of the file.
pub const MOST_TOKENS: usize = 100;

/// The most bytes of these tokens together.
pub const MOST_TOKEN_BYTES: usize = 2_048;

/// The columns.
pub fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        column("origin", DataType::Utf8),
        column("time", time_type()),
        column("digest", DataType::Binary),
        column("line", DataType::Int32),
        column("field", DataType::Utf8),
        column("key", DataType::Utf8),
        column("value", DataType::Utf8),
        column("group", DataType::Int32),
        column("tokens", list_of(DataType::Utf8)),
    ]))
}

/// Rows of records under construction.
pub struct Records {
    schema: SchemaRef,
    done: Vec<RecordBatch>,
    columns: Columns,
}

impl Records {
    /// Begin without rows.
    pub fn new(schema: &SchemaRef) -> Records {
        Records { schema: Arc::clone(schema), done: Vec::new(), columns: Columns::new() }
    }

    /// Add the records of a file.
    pub fn add(&mut self, file: &File, origin: &str, time: Option<i64>, digest: Option<&Digest>) {
        let mut group = None;
        let mut tokens = Vec::new();
        for line in file.lines().iter().filter(|line| is_record(line)) {
            if line.group != group {
                group = line.group;
                tokens = group.map(|group| tokens_of(file, group)).unwrap_or_default();
            }
            let columns = &mut self.columns;
            columns.origin.append_value(origin);
            columns.time.append_option(time);
            columns.digest.append_option(digest);
            columns.add_line(file, line);
            columns.add_tokens(group.map(|_| &*tokens));
            columns.bytes += origin.len();
            if columns.bytes > MOST_BYTES {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        let columns = std::mem::replace(&mut self.columns, Columns::new());
        if columns.number > 0 {
            self.done.push(columns.finish(&self.schema));
        }
    }

    /// The rows as batches.
    pub fn finish(mut self) -> Vec<RecordBatch> {
        self.flush();
        self.done
    }
}

/// Whether a line is a field, or looks like one.
fn is_record(line: &LineInfo) -> bool {
    match line.reading.kind {
        LineKind::Field(_) => true,
        LineKind::Unknown | LineKind::Dropped(_) => !line.reading.key.is_empty(),
        LineKind::Blank | LineKind::Comment => false,
    }
}

fn tokens_of(file: &File, group: u32) -> Vec<String> {
    let lines = file.groups().start_lines(group as usize).iter().take(MOST_TOKENS);
    let mut room = MOST_TOKEN_BYTES;
    let fits = |token: &String| {
        let fits = token.len() <= room;
        room -= token.len().min(room);
        fits
    };
    let tokens = lines.filter_map(|line| Some(text(line.value.of(file.bytes()))?.into_owned()));
    tokens.take_while(fits).collect()
}

#[derive(Default)]
struct Columns {
    number: usize,
    bytes: usize,
    origin: StringBuilder,
    time: TimestampMicrosecondBuilder,
    digest: BinaryBuilder,
    line: Int32Builder,
    field: StringBuilder,
    key: StringBuilder,
    value: StringBuilder,
    group: Int32Builder,
    tokens: TextLists,
}

impl Columns {
    fn new() -> Columns {
        Columns { time: times(), ..Columns::default() }
    }

    fn add_line(&mut self, file: &File, line: &LineInfo) {
        let field = match line.reading.kind {
            LineKind::Field(field) | LineKind::Dropped(Some(field)) => Some(field.name()),
            _ => None,
        };
        let key = text(line.reading.key.of(file.bytes()));
        let value = text(line.reading.value.of(file.bytes()));
        self.number += 1;
        self.bytes +=
            64 + [&key, &value].iter().map(|t| t.as_ref().map_or(0, |t| t.len())).sum::<usize>();
        self.line.append_value(signed(line.raw.number));
        self.field.append_option(field);
        self.key.append_option(key);
        self.value.append_option(value);
        self.group.append_option(line.group.map(signed));
    }

    fn add_tokens(&mut self, tokens: Option<&[String]>) {
        self.bytes += tokens.unwrap_or_default().iter().map(|token| token.len() + 4).sum::<usize>();
        self.tokens.add(tokens);
    }

    fn finish(mut self, schema: &SchemaRef) -> RecordBatch {
        let Columns { origin, time, digest, line, field, key, value, group, .. } = &mut self;
        let mut columns = finished([origin, time, digest, line, field, key, value, group]);
        columns.push(self.tokens.finish());
        RecordBatch::try_new(Arc::clone(schema), columns).expect("the columns are of the schema")
    }
}
