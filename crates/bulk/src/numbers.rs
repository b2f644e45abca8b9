//! Columns of statuses, times and failures, in any type that programs write them in.
//!
//! In: an Arrow column. Out: one whole number or time per row, the same for every reader of a table.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Int8Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt16Type, UInt32Type,
    UInt64Type, UInt8Type,
};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::{DataType, TimeUnit};

use crate::column::{Bytes, NotBytes};
use crate::logs::time::{digits_in_a_row, since_epoch};

/// Whether a column of this type holds statuses.
pub fn is_status(data_type: &DataType) -> bool {
    data_type.is_numeric() && !matches!(data_type, DataType::Float16) && !data_type.is_decimal()
        || matches!(data_type, DataType::Null)
}

/// Whether a column of this type holds times.
pub fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(_, _)) || is_status(data_type)
}

/// Times in seconds since the epoch, to the microsecond. Unknown where [`microseconds`] is.
pub fn seconds(array: &ArrayRef) -> Vec<Option<f64>> {
    microseconds(array).into_iter().map(|time| time.map(|time| time as f64 / 1e6)).collect()
}

/// Times in microseconds since the epoch; null, NaN and values beyond 64 bits are unknown. Finer
/// times are cut off, and floats are rounded, as Arrow does for tables on disk.
pub fn microseconds(array: &ArrayRef) -> Vec<Option<i64>> {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Microsecond, _) => whole_numbers(array),
        DataType::Timestamp(unit, _) => {
            let unit = per_second(*unit);
            let scaled = |n: i64| match unit > 1_000_000 {
                true => Some(n / (unit / 1_000_000)),
                false => n.checked_mul(1_000_000 / unit),
            };
            whole_numbers(array).into_iter().map(|n| n.and_then(scaled)).collect()
        }
        _ => numbers(array).into_iter().map(|n| n.and_then(moment)).collect(),
    }
}

/// A time as a number, in microseconds since the epoch: whole units since then, or its digits in a
/// row. Ten and fewer digits are seconds, fourteen are those of a date with its clock
/// (`20230615123456`), others milli-, micro- or nanoseconds.
pub fn moment(number: f64) -> Option<i64> {
    if (1e13..1e14).contains(&number) {
        return digits_in_a_row(number);
    }
    let time = since_epoch(number).round_ties_even();
    (time.abs() < i64::MAX as f64).then_some(time as i64)
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Names of failures. Among numbers NaN is null, as pandas writes a column without any text; others
/// become texts, which are no names.
pub fn failures(array: &ArrayRef) -> Result<Bytes, NotBytes> {
    if !array.data_type().is_floating() {
        return Bytes::of(array);
    }
    let known = numbers(array).into_iter().map(|n| n.filter(|n| !n.is_nan()));
    let texts: StringArray = known.map(|n| n.map(|n| n.to_string())).collect();
    let texts: ArrayRef = Arc::new(texts);
    Bytes::of(&texts)
}

/// Statuses as whole numbers: NaN is null; a fraction or an infinity is -1.
pub fn statuses(array: &ArrayRef) -> Vec<Option<i64>> {
    let whole = |n: f64| if n.fract() == 0.0 { n as i64 } else { -1 };
    match array.data_type() {
        DataType::Float32 | DataType::Float64 => {
            let numbers = numbers(array).into_iter();
            numbers.map(|n| n.filter(|n| !n.is_nan()).map(whole)).collect()
        }
        _ => whole_numbers(array),
    }
}

/// The values of an integer or timestamp column; null for other types.
fn whole_numbers(array: &ArrayRef) -> Vec<Option<i64>> {
    macro_rules! of {
        ($kind:ty, $convert:expr) => {
            array.as_primitive::<$kind>().iter().map(|n| n.map($convert)).collect()
        };
    }
    match array.data_type() {
        DataType::Int8 => of!(Int8Type, i64::from),
        DataType::Int16 => of!(Int16Type, i64::from),
        DataType::Int32 => of!(Int32Type, i64::from),
        DataType::Int64 => of!(Int64Type, |n| n),
        DataType::UInt8 => of!(UInt8Type, i64::from),
        DataType::UInt16 => of!(UInt16Type, i64::from),
        DataType::UInt32 => of!(UInt32Type, i64::from),
        DataType::UInt64 => of!(UInt64Type, |n| i64::try_from(n).unwrap_or(i64::MAX)),
        DataType::Timestamp(TimeUnit::Second, _) => of!(TimestampSecondType, |n| n),
        DataType::Timestamp(TimeUnit::Millisecond, _) => of!(TimestampMillisecondType, |n| n),
        DataType::Timestamp(TimeUnit::Microsecond, _) => of!(TimestampMicrosecondType, |n| n),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of!(TimestampNanosecondType, |n| n),
        _ => vec![None; array.len()],
    }
}

/// The values of a column of numbers, or of seconds of failures.
pub fn numbers(array: &ArrayRef) -> Vec<Option<f64>> {
    match array.data_type() {
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().iter().map(|n| n.map(f64::from)).collect()
        }
        DataType::Float64 => array.as_primitive::<Float64Type>().iter().collect(),
        _ => whole_numbers(array).into_iter().map(|n| n.map(|n| n as f64)).collect(),
    }
}
