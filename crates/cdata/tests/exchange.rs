//! Arrays and streams that go out through the C interface and come in again, sound and broken.
//!
//! The bindings' own tests ask the same of the whole extension; these run where Python cannot, under
//! Miri, which watches every pointer.

use std::ffi::c_int;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, Int8Type, LargeBinaryType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, Int32Array,
    Int64Array, LargeStringArray, NullArray, RecordBatch, RecordBatchIterator, RecordBatchReader,
    StringArray, StringViewArray, StructArray, TimestampMillisecondArray,
};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};

use verger_cdata::{export, FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema, Piece, Pieces};

const ROWS: [Option<&str>; 4] =
    [Some("/a"), None, Some("https://example.com/a/long/path"), Some("")];

/// Every form that text has.
fn texts() -> Vec<ArrayRef> {
    let dictionary: DictionaryArray<Int8Type> = ROWS.into_iter().collect();
    vec![
        Arc::new(StringArray::from(ROWS.to_vec())),
        Arc::new(LargeStringArray::from(ROWS.to_vec())),
        Arc::new(StringViewArray::from(ROWS.to_vec())),
        Arc::new(ROWS.into_iter().map(|row| row.map(str::as_bytes)).collect::<BinaryArray>()),
        Arc::new(dictionary),
    ]
}

fn table(columns: Vec<ArrayRef>) -> StructArray {
    let field = |(at, column): (usize, &ArrayRef)| {
        Field::new(format!("c{at}"), column.data_type().clone(), true)
    };
    let fields: Fields = columns.iter().enumerate().map(field).collect();
    StructArray::new(fields, columns, None)
}

/// The one piece of an array, changed on its way.
fn sent(array: &dyn Array, change: impl FnOnce(&mut FFI_ArrowArray)) -> Result<Piece, ArrowError> {
    let schema = FFI_ArrowSchema::try_from(array.data_type()).unwrap();
    let mut given = FFI_ArrowArray::new(&array.to_data());
    change(&mut given);
    // SAFETY: both were made by arrow; no change makes a buffer longer than it is.
    let mut pieces = unsafe { Pieces::of_array(given, &schema) }?;
    Ok(pieces.next()?.expect("there is one"))
}

/// The one column of an array, changed on its way.
fn column(array: &dyn Array, change: impl FnOnce(&mut FFI_ArrowArray)) -> Result<ArrayRef, String> {
    sent(array, change).and_then(|piece| piece.column(None)).map_err(|error| error.to_string())
}

/// The bytes of a column, whatever its form.
fn bytes(array: &dyn Array) -> Vec<Option<Vec<u8>>> {
    let own = |value: Option<&[u8]>| value.map(<[u8]>::to_vec);
    match array.data_type() {
        DataType::Binary => array.as_bytes::<BinaryType>().iter().map(own).collect(),
        DataType::LargeBinary => array.as_bytes::<LargeBinaryType>().iter().map(own).collect(),
        DataType::BinaryView => array.as_binary_view().iter().map(own).collect(),
        DataType::Dictionary(_, _) => {
            let values = array.as_any_dictionary().values();
            let values = bytes(values);
            let keys = array.as_dictionary::<Int8Type>().keys();
            keys.iter().map(|key| values[usize::try_from(key?).unwrap()].clone()).collect()
        }
        other => panic!("{other}"),
    }
}

fn expected(rows: std::ops::Range<usize>) -> Vec<Option<Vec<u8>>> {
    ROWS[rows].iter().map(|row| row.map(|row| row.as_bytes().to_vec())).collect()
}

#[test]
fn every_form_of_text_arrives_as_bytes() {
    for array in texts() {
        assert_eq!(bytes(&*column(&array, |_| ()).unwrap()), expected(0..4));
        assert_eq!(bytes(&*column(&array.slice(1, 2), |_| ()).unwrap()), expected(1..3));
        assert_eq!(column(&array.slice(4, 0), |_| ()).unwrap().len(), 0);
    }
}

#[test]
fn columns_of_a_table_arrive_with_its_offset_and_theirs() {
    let columns = texts().iter().map(|array| array.slice(1, 3)).collect();
    let piece = sent(&table(columns).slice(1, 2), |_| ()).unwrap();

    assert_eq!(piece.len(), 2);
    for at in 0..texts().len() {
        assert_eq!(bytes(&*piece.column(Some(at)).unwrap()), expected(2..4));
    }
    assert!(piece.column(Some(5)).is_err());
}

#[test]
fn numbers_flags_and_times_arrive_as_they_are() {
    let arrays: [ArrayRef; 4] = [
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)])),
        Arc::new(TimestampMillisecondArray::from(vec![1, 2, 3]).with_timezone("UTC")),
        Arc::new(NullArray::new(3)),
    ];
    for array in arrays {
        assert_eq!(&column(&array, |_| ()).unwrap(), &array);
        assert_eq!(&column(&array.slice(1, 2), |_| ()).unwrap(), &array.slice(1, 2));
    }
}

#[test]
fn a_column_outlives_the_stream_and_the_table_it_came_in() {
    let schema = Arc::new(Schema::new(vec![Field::new("c0", DataType::Utf8, true)]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), texts()[..1].to_vec()).unwrap();
    let reader = RecordBatchIterator::new([Ok(batch.clone()), Ok(batch)], schema);
    // SAFETY: the stream was made by `export`.
    let mut pieces = unsafe { Pieces::of_stream(export(Box::new(reader))) }.unwrap();
    let piece = pieces.next().unwrap().unwrap();
    let column = piece.column(Some(0)).unwrap();
    drop((piece, pieces));

    assert_eq!(bytes(&*column), expected(0..4));
}

#[test]
fn what_is_not_aligned_is_copied() {
    let array = Int64Array::from(vec![7, 8]);
    let mut shifted = [0_u8; 32];
    let start = shifted.as_ptr().align_offset(8) + 1;
    let bytes: Vec<u8> = array.values().iter().flat_map(|n| n.to_ne_bytes()).collect();
    shifted[start..start + 16].copy_from_slice(&bytes);
    let pointer = shifted[start..].as_ptr();
    let found = column(&array, |given| set_buffer(given, 1, pointer)).unwrap();

    assert_eq!(&found, &(Arc::new(array) as ArrayRef));
}

fn set_buffer(array: &mut FFI_ArrowArray, at: usize, pointer: *const u8) {
    // SAFETY: arrow made as many pointers as the array has buffers.
    unsafe { array.buffers.add(at).write(pointer.cast()) };
}

/// An error for each number of an array that cannot be, in every form; all of them come without a
/// panic, and what there is to release is released.
#[test]
fn numbers_that_cannot_be_are_refused() {
    type Change = fn(&mut FFI_ArrowArray);
    let changes: [(&str, Change); 9] = [
        ("length", |array| array.length = -1),
        ("length", |array| array.length = i64::MIN),
        ("offset", |array| array.offset = -1),
        ("offset", |array| array.offset = i64::MAX),
        ("null count", |array| array.null_count = -2),
        ("null count", |array| array.null_count = 3),
        ("buffers", |array| array.n_buffers = 0),
        ("buffers", |array| array.n_buffers = -1),
        ("buffer", |array| array.buffers = std::ptr::null_mut()),
    ];
    for array in texts() {
        for (message, change) in changes {
            let found = column(&array, change).unwrap_err();
            assert!(found.contains(message), "{found}");
        }
    }
}

#[test]
fn null_pointers_are_refused_where_something_should_be() {
    for array in texts() {
        for at in 1..3 {
            let found = column(&array, |given| match at < given.n_buffers {
                true => set_buffer(given, at as usize, std::ptr::null()),
                false => given.dictionary = std::ptr::null_mut(),
            });
            assert!(found.is_err(), "{} {at}", array.data_type());
        }
    }
}

#[test]
fn offsets_must_not_go_back() {
    let array = StringArray::from(vec!["ab", "cd"]);
    for offsets in [[0, 4, 2], [-1, 2, 4], [i32::MAX, 0, 4], [0, i32::MIN, 4], [-3, -2, -1]] {
        let found = column(&array, |given| set_buffer(given, 1, offsets.as_ptr().cast()));
        assert!(found.unwrap_err().contains("go back"));
    }
}

#[test]
fn keys_must_have_values() {
    let array: DictionaryArray<Int8Type> = [Some("a"), Some("b")].into_iter().collect();
    for keys in [[0, 2], [-1, 0], [i8::MIN, i8::MAX]] {
        let found = column(&array, |given| set_buffer(given, 1, keys.as_ptr().cast()));
        assert!(found.unwrap_err().contains("dictionary key"));
    }
}

#[test]
fn views_must_stay_within_their_buffers() {
    let array = StringViewArray::from(vec![ROWS[2], None]);
    let sound = array.views()[0];
    for view in [sound + (1 << 96), sound + (1 << 64), sound + (1 << 32), sound + 1, u128::MAX] {
        let views = [view, 0];
        let found = column(&array, |given| set_buffer(given, 1, views.as_ptr().cast()));
        assert!(found.is_err(), "{view:x}");
    }
    let views = [sound, u128::MAX];
    let found = column(&array, |given| set_buffer(given, 1, views.as_ptr().cast()));
    assert_eq!(bytes(&*found.unwrap()), [expected(2..3), vec![None]].concat());
}

#[test]
fn tables_must_have_the_columns_that_were_announced() {
    let two = table(texts()[..2].to_vec());
    for n_children in [-1, 0, 1, 3, i64::MAX] {
        let found = sent(&two, |given| given.n_children = n_children).unwrap_err().to_string();
        assert!(found.contains("announced 2 columns"), "{found}");
    }
    let found = sent(&two, |given| given.children = std::ptr::null_mut()).unwrap_err();
    assert!(found.to_string().contains("null pointer"));
}

#[test]
fn a_table_with_null_rows_is_refused() {
    let columns = texts()[..1].to_vec();
    let fields: Fields = vec![Field::new("c0", DataType::Utf8, true)].into();
    let whole = StructArray::new(fields, columns, Some(vec![true, false, true, true].into()));

    assert!(sent(&whole, |_| ()).unwrap_err().to_string().contains("null as a whole"));
    assert!(sent(&whole.slice(2, 2), |_| ()).is_ok());
}

#[test]
fn other_types_are_refused_when_asked_for_and_not_before() {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Decimal128Array::from(vec![1])),
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(table(vec![Arc::new(Int32Array::from(vec![1]))])),
    ];
    let piece = sent(&table(columns), |_| ()).unwrap();

    assert!(piece.column(Some(0)).unwrap_err().to_string().contains("column `c0`"));
    assert!(piece.column(Some(1)).is_ok());
    assert!(piece.column(Some(2)).is_err());
}

#[test]
fn rows_beyond_counting_are_refused() {
    let found = sent(&NullArray::new(1), |given| given.length = 1 << 40).unwrap_err();

    assert!(found.to_string().contains("in one piece"));
}

// Schemas

fn schema_error(schema: FFI_ArrowSchema) -> String {
    let array = FFI_ArrowArray::new(&StringArray::from(vec!["a"]).to_data());
    // SAFETY: both were made by arrow; no change leads a pointer astray.
    let found = unsafe { Pieces::of_array(array, &schema) };
    found.expect_err("it is refused").to_string()
}

fn schema_of(format: &str, children: usize) -> FFI_ArrowSchema {
    let child = |_| FFI_ArrowSchema::try_new("u", vec![], None).unwrap();
    FFI_ArrowSchema::try_new(format, (0..children).map(child).collect(), None).unwrap()
}

#[test]
fn schemas_with_numbers_that_cannot_be_are_refused() {
    for (n_children, message) in [(-1, "-1 children"), (0, "0 children"), (i64::MAX, "children")] {
        let mut schema = schema_of("+l", 1);
        schema.n_children = n_children;
        assert!(schema_error(schema).contains(message));
    }
    let mut schema = schema_of("+s", 2);
    schema.children = std::ptr::null_mut();
    assert!(schema_error(schema).contains("null pointer"));
}

#[test]
fn formats_that_nobody_knows_are_refused() {
    for format in ["", "?", "+", "+l", "+r", "+w", "+w:x", "w:", "d:", "d:1", "tss", "+us", "+ud:a"]
    {
        assert!(!schema_error(schema_of(format, 0)).is_empty());
        assert!(!schema_error(schema_of(format, 3)).is_empty());
    }
}

#[test]
fn types_within_types_have_an_end() {
    let deeper = |inner, _| FFI_ArrowSchema::try_new("+l", vec![inner], None).unwrap();

    assert!(schema_error((0..200).fold(schema_of("u", 0), deeper)).contains("64 levels"));
}

// Streams

/// A stream whose callbacks are these.
fn stream(
    get_schema: unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowSchema) -> c_int,
    get_next: unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowArray) -> c_int,
) -> FFI_ArrowArrayStream {
    unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
        // SAFETY: as the interface says.
        unsafe { (*stream).release = None };
    }
    FFI_ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: None,
        release: Some(release),
        private_data: std::ptr::null_mut(),
    }
}

unsafe extern "C" fn says_text(_: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: as the interface says.
    unsafe { out.write(FFI_ArrowSchema::try_from(&DataType::Utf8).unwrap()) };
    0
}

unsafe extern "C" fn says_nothing(_: *mut FFI_ArrowArrayStream, _: *mut FFI_ArrowSchema) -> c_int {
    0
}

unsafe extern "C" fn fails(_: *mut FFI_ArrowArrayStream, _: *mut FFI_ArrowArray) -> c_int {
    5
}

unsafe extern "C" fn gives_numbers(
    _: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: as the interface says.
    unsafe { out.write(FFI_ArrowArray::new(&Int32Array::from(vec![1]).to_data())) };
    0
}

#[test]
fn a_stream_that_fails_goes_on_failing() {
    // SAFETY: the callbacks keep to the interface.
    let mut pieces = unsafe { Pieces::of_stream(stream(says_text, fails)) }.unwrap();

    assert!(pieces.next().unwrap_err().to_string().contains("code 5"));
    assert!(pieces.next().unwrap_err().to_string().contains("failed before"));
}

#[test]
fn a_stream_of_another_type_is_refused() {
    // SAFETY: the callbacks keep to the interface.
    let mut pieces = unsafe { Pieces::of_stream(stream(says_text, gives_numbers)) }.unwrap();
    let piece = pieces.next().unwrap().unwrap();

    assert!(piece.column(None).unwrap_err().to_string().contains("2 buffers"));
}

#[test]
fn a_stream_without_schema_or_read_before_is_refused() {
    // SAFETY: the callbacks keep to the interface.
    let found = unsafe { Pieces::of_stream(stream(says_nothing, fails)) };
    assert!(found.unwrap_err().to_string().contains("released before"));

    let mut released = stream(says_text, fails);
    released.release = None;
    // SAFETY: a released stream is never called.
    let found = unsafe { Pieces::of_stream(released) };
    assert!(found.unwrap_err().to_string().contains("read before"));
}

/// A reader that does what a test tells it to.
struct Odd<F>(F);

impl<F: FnMut() -> Option<Result<RecordBatch, ArrowError>>> Iterator for Odd<F> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0()
    }
}

impl<F: FnMut() -> Option<Result<RecordBatch, ArrowError>>> RecordBatchReader for Odd<F> {
    fn schema(&self) -> SchemaRef {
        Arc::new(Schema::empty())
    }
}

/// What a reader of the stream that goes out is told, twice.
fn told(
    next: impl FnMut() -> Option<Result<RecordBatch, ArrowError>> + Send + 'static,
) -> [String; 2] {
    // SAFETY: the stream was made by `export`.
    let mut pieces = unsafe { Pieces::of_stream(export(Box::new(Odd(next)))) }.unwrap();
    [(); 2].map(|()| pieces.next().unwrap_err().to_string())
}

#[test]
fn a_panic_becomes_an_error() {
    let [first, then] = told(|| panic!("in mid-stream"));

    assert!(first.contains("a bug in verger: in mid-stream"), "{first}");
    assert!(then.contains("failed before"));
}

#[test]
fn a_panic_on_the_way_out_is_kept_within() {
    struct Trap;
    impl Drop for Trap {
        fn drop(&mut self) {
            panic!("while dropped");
        }
    }
    let trap = Trap;
    let reader = Odd(move || {
        let _held = &trap;
        None
    });
    drop(export(Box::new(reader)));
}

#[test]
fn an_error_with_a_nul_is_told() {
    let [first, _] = told(|| Some(Err(ArrowError::ComputeError("a\0b".into()))));

    assert!(first.contains("a\\0b"), "{first}");
}
