//! The columns about use of the table of captures, and their rows.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Fields as Columns};

use crate::scan::columns::{column, finished, list_of, signed, Lists};
use crate::scan::uses::{Heard, ScannedUse, DECIDING};
use crate::uses::column_of;

/// A member for each use.
pub fn use_columns(uses: &[ScannedUse]) -> Columns {
    uses.iter()
        .map(|used| column(&column_of(used.purpose), DataType::Struct(heard_columns())))
        .collect()
}

fn heard_columns() -> Columns {
    let said = DECIDING.map(|mechanism| {
        column(&mechanism.name().replace('-', "_"), DataType::Struct(said_columns()))
    });
    let conflicts = list_of(DataType::Struct(conflict_columns()));
    let first = column("allowed", DataType::Boolean);
    [first].into_iter().chain(said).chain([column("conflicts", conflicts)]).collect()
}

fn said_columns() -> Columns {
    ["allows", "disallows"].map(|name| column(name, DataType::Int32)).into_iter().collect()
}

fn conflict_columns() -> Columns {
    Columns::from(vec![
        column("allows", DataType::Utf8),
        column("disallows", DataType::Utf8),
        column("crawlers", DataType::Int32),
    ])
}

/// What files say of each use, under construction.
pub struct UseRows {
    columns: Columns,
    rows: Vec<HeardRows>,
}

impl UseRows {
    /// Begin rows for these uses.
    pub fn new(uses: &[ScannedUse]) -> UseRows {
        let rows = uses.iter().map(|_| HeardRows::default()).collect();
        UseRows { columns: use_columns(uses), rows }
    }

    /// Add what a file says; none where there is no file.
    pub fn add(&mut self, heard: Option<&[Heard]>) {
        for (number, rows) in self.rows.iter_mut().enumerate() {
            rows.add(heard.map(|heard| &heard[number]));
        }
    }

    /// The column; `nulls` tells where there is no file.
    pub fn finish(&mut self, number: usize, nulls: Option<NullBuffer>) -> ArrayRef {
        let rows = std::mem::take(&mut self.rows).into_iter();
        let members: Vec<ArrayRef> = rows.map(|rows| rows.finish(nulls.clone())).collect();
        Arc::new(match members.is_empty() {
            true => StructArray::new_empty_fields(number, nulls),
            false => StructArray::new(self.columns.clone(), members, nulls),
        })
    }
}

/// What files say of one use.
#[derive(Default)]
struct HeardRows {
    allowed: BooleanBuilder,
    said: [[Int32Builder; 2]; 4],
    conflicts: Lists,
    number: usize,
    allows: StringBuilder,
    disallows: StringBuilder,
    crawlers: Int32Builder,
}

impl HeardRows {
    fn add(&mut self, heard: Option<&Heard>) {
        self.allowed.append_option(heard.and_then(|heard| heard.allowed));
        for (mechanism, columns) in self.said.iter_mut().enumerate() {
            for (verdict, column) in columns.iter_mut().enumerate() {
                column.append_option(heard.map(|heard| signed(heard.said[mechanism][verdict])));
            }
        }
        for (allows, disallows, crawlers) in heard.iter().flat_map(|heard| &heard.conflicts) {
            self.number += 1;
            self.allows.append_value(allows.name());
            self.disallows.append_value(disallows.name());
            self.crawlers.append_value(signed(*crawlers));
        }
        self.conflicts.end(self.number, heard.is_some());
    }

    fn finish(mut self, nulls: Option<NullBuffer>) -> ArrayRef {
        let said = self.said.map(|mut columns| {
            let columns = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
            let columns = StructArray::new(said_columns(), columns.collect(), nulls.clone());
            Arc::new(columns) as ArrayRef
        });
        let conflicts = finished([&mut self.allows, &mut self.disallows, &mut self.crawlers]);
        let conflicts = StructArray::new(conflict_columns(), conflicts, None);
        let item = Arc::new(column("item", DataType::Struct(conflict_columns())));
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.allowed.finish())];
        columns.extend(said);
        columns.push(self.conflicts.finish(item, Arc::new(conflicts)));
        Arc::new(StructArray::new(heard_columns(), columns, nulls))
    }
}
