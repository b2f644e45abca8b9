//! Tests of `column.rs`.

use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, NullArray};
use arrow_array::{DictionaryArray, Int32Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;
use std::sync::Arc;
use verger_bulk::column::*;

const ROWS: [Option<&str>; 3] = [Some("a"), None, Some("https://example.com/a/long/path")];

fn read(array: ArrayRef) -> Vec<Option<String>> {
    let bytes = Bytes::of(&array).unwrap();
    let text = |row| bytes.get(row).map(|o| String::from_utf8_lossy(o).into_owned());
    (0..bytes.len()).map(text).collect()
}

#[test]
fn every_form_of_text_reads_the_same() {
    let dictionary: DictionaryArray<Int8Type> = ROWS.into_iter().collect();
    let arrays: [ArrayRef; 4] = [
        Arc::new(StringArray::from(ROWS.to_vec())),
        Arc::new(LargeStringArray::from(ROWS.to_vec())),
        Arc::new(StringViewArray::from(ROWS.to_vec())),
        Arc::new(dictionary),
    ];
    for array in arrays {
        let sliced = array.slice(1, 2);

        assert_eq!(read(array), ROWS.map(|row| row.map(str::to_string)));
        assert_eq!(read(sliced), [None, ROWS[2].map(str::to_string)]);
    }
}

#[test]
fn nulls_without_values_are_nulls() {
    let none: DictionaryArray<Int8Type> = [None::<&str>, None].into_iter().collect();

    assert_eq!(read(Arc::new(none)), [None, None]);
    assert_eq!(read(Arc::new(NullArray::new(2))), [None, None]);
}

#[test]
fn numbers_are_no_bytes() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));

    assert_eq!(Bytes::of(&numbers).unwrap_err(), NotBytes(DataType::Int32));
}
