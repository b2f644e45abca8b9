//! Parts that tables of a scan have in common: kinds of columns, and lists under construction.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, StringBuilder, TimestampMicrosecondBuilder};
use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field as Column, FieldRef, TimeUnit};

/// Microseconds since the epoch, UTC.
pub fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// A column that may be null.
pub fn column(name: &str, data_type: DataType) -> Column {
    Column::new(name, data_type, true)
}

/// A list of values of one type.
pub fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(column("item", item)))
}

/// What builders were given, as columns.
pub fn finished<const N: usize>(builders: [&mut dyn ArrayBuilder; N]) -> Vec<ArrayRef> {
    builders.map(|builder| builder.finish()).into()
}

/// Times that wait to be a column.
pub fn times() -> TimestampMicrosecondBuilder {
    TimestampMicrosecondBuilder::new().with_timezone("UTC")
}

/// A count or a line as readers of Arrow take numbers.
pub fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Where the lists of a column end, and which of them are null.
pub struct Lists {
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Default for Lists {
    fn default() -> Lists {
        Lists { ends: vec![0], nulls: NullBufferBuilder::new(0) }
    }
}

impl Lists {
    /// End a list where `len` values are there in all.
    pub fn end(&mut self, len: usize, is_there: bool) {
        // Batches are cut long before; an end that decreases would be refused at the end.
        self.ends.push(i32::try_from(len).unwrap_or(i32::MAX));
        self.nulls.append(is_there);
    }

    /// The column, given the values of all lists.
    pub fn finish(mut self, item: FieldRef, values: ArrayRef) -> ArrayRef {
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        Arc::new(ListArray::new(item, ends, values, self.nulls.finish()))
    }
}

/// A column of lists of texts.
#[derive(Default)]
pub struct TextLists {
    lists: Lists,
    number: usize,
    texts: StringBuilder,
}

impl TextLists {
    /// Add a list, or null.
    pub fn add<T: AsRef<str>>(&mut self, texts: Option<&[T]>) {
        for text in texts.unwrap_or_default() {
            self.number += 1;
            self.texts.append_value(text);
        }
        self.lists.end(self.number, texts.is_some());
    }

    /// The column.
    pub fn finish(mut self) -> ArrayRef {
        let item = Arc::new(column("item", DataType::Utf8));
        self.lists.finish(item, Arc::new(self.texts.finish()))
    }
}
