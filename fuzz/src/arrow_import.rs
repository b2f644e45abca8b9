//! Property: an array of another library is read as its buffers say, or refused; nothing beyond
//! them is read.
//!
//! Oracle: the rows, read from the buffers by hand. Arrays are made by arrow and then mutilated:
//! lengths, offsets, counts, pointers, and what the buffers hold. What the interface leaves to the
//! producer alone, it keeps to: each buffer is longer than any number put in can reach.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, LargeStringArray, StringArray, StringViewArray,
    StructArray,
};
use arrow_schema::Field;
use verger_bulk::column::Bytes;
use verger_cdata::{FFI_ArrowArray, FFI_ArrowSchema, Pieces};

use crate::input::{items, parts};

/// Bytes of each buffer: more than 128 rows with offsets up to 128 can reach.
const LONG: usize = 1 << 12;
/// Pointers to buffers.
const POINTERS: usize = 8;

type Rows = Vec<Option<Vec<u8>>>;

/// Check one input: form, changes, what a buffer holds, rows.
pub fn check(data: &[u8]) {
    let [form, changes, filling, rows] = parts(data);
    let form = Form(form.first().copied().unwrap_or_default());
    let rows: Vec<Option<&str>> = items(rows, 8)
        .into_iter()
        .map(|row| std::str::from_utf8(row).ok().filter(|row| !row.is_empty()))
        .collect();
    let lone = form.array(&rows);
    let mut broken = Broken::of(&*lone);
    changes.chunks(2).take(8).for_each(|change| broken.change(change, filling, form));
    let table = form.is_table().then(|| {
        let field = Field::new("c", lone.data_type().clone(), true);
        StructArray::new(vec![field].into(), vec![Arc::clone(&lone)], None)
    });
    let whole: &dyn Array = table.as_ref().map_or(&*lone, |table| table);
    let schema = FFI_ArrowSchema::try_from(whole.data_type()).expect("a type with a format");
    let mut given = FFI_ArrowArray::new(&whole.to_data());
    let mut pointers = broken.pointers();
    match table {
        None => broken.write_to(&mut given, &mut pointers),
        // SAFETY: arrow made an array with one child, which nothing else looks at.
        Some(_) => broken.write_to(unsafe { &mut **given.children }, &mut pointers),
    }
    // SAFETY: pointers are null or lead to buffers that are longer than the array can say.
    let pieces = unsafe { Pieces::of_array(given, &schema) };
    let Ok(Some(piece)) = pieces.and_then(|mut pieces| pieces.next()) else { return };
    let Ok(column) = piece.column(form.is_table().then_some(0)) else {
        assert!(!changes.is_empty(), "a sound array is refused");
        return;
    };
    let bytes = Bytes::of(&column).expect("bytes");
    let found: Rows = (0..bytes.len()).map(|row| bytes.get(row).map(<[u8]>::to_vec)).collect();
    assert_eq!(found.len(), if form.is_table() { rows.len() } else { piece.len() });
    assert_eq!(found, form.by_hand(&broken, found.len(), &rows));
}

/// Which form the rows have, and whether they are the column of a table.
#[derive(Clone, Copy)]
struct Form(u8);

impl Form {
    fn is_table(self) -> bool {
        self.0 & 8 != 0
    }

    fn kind(self) -> u8 {
        self.0 % 5
    }

    fn array(self, rows: &[Option<&str>]) -> ArrayRef {
        let rows = rows.iter().copied();
        match self.kind() {
            0 => Arc::new(rows.collect::<StringArray>()),
            1 => Arc::new(rows.collect::<LargeStringArray>()),
            2 => Arc::new(rows.collect::<StringViewArray>()),
            3 => Arc::new(rows.map(|row| row.map(str::as_bytes)).collect::<BinaryArray>()),
            _ => Arc::new(rows.collect::<DictionaryArray<Int8Type>>()),
        }
    }

    /// What a buffer of offsets, views or keys holds, made of any bytes: numbers so small that
    /// they stay within the buffers.
    fn shaped(self, filling: &[u8]) -> Vec<u8> {
        let small = |byte: &u8| *byte as i8;
        let mut bytes: Vec<u8> = match self.kind() {
            0 | 3 => filling.iter().flat_map(|o| i32::from(small(o)).to_ne_bytes()).collect(),
            1 => filling.iter().flat_map(|o| i64::from(small(o)).to_ne_bytes()).collect(),
            2 => filling.chunks_exact(4).flat_map(view_of).collect(),
            _ => filling.to_vec(),
        };
        bytes.truncate(LONG);
        bytes
    }

    /// The rows as the buffers say.
    fn by_hand(self, broken: &Broken, len: usize, rows: &[Option<&str>]) -> Rows {
        let first = usize::try_from(broken.offset).expect("it was taken");
        let number = |at: usize, width: usize| -> i64 {
            let bytes = &broken.held(1)[at * width..][..width];
            match width {
                1 => i64::from(bytes[0] as i8),
                4 => i64::from(i32::from_ne_bytes(bytes.try_into().expect("four"))),
                _ => i64::from_ne_bytes(bytes.try_into().expect("eight")),
            }
        };
        let between = |at: usize, width: usize| {
            let (start, end) = (number(at, width), number(at + 1, width));
            match start == end {
                true => Vec::new(),
                false => broken.held(2)[start as usize..end as usize].to_vec(),
            }
        };
        let row = |at: usize| {
            let is_valid =
                broken.buffers[0].is_none() || broken.held(0)[at / 8] >> (at % 8) & 1 == 1;
            is_valid.then(|| match self.kind() {
                0 | 3 => between(at, 4),
                1 => between(at, 8),
                2 => self.view(broken, &broken.held(1)[16 * at..][..16]),
                _ => value_of_key(number(at, 1), rows),
            })
        };
        (first..first + len).map(row).collect()
    }

    fn view(self, broken: &Broken, view: &[u8]) -> Vec<u8> {
        let word = |at: usize| i32::from_ne_bytes(view[at..at + 4].try_into().expect("four"));
        let len = word(0) as usize;
        match len <= 12 {
            true => view[4..4 + len].to_vec(),
            false => broken.held(2 + word(8) as usize)[word(12) as usize..][..len].to_vec(),
        }
    }
}

/// A view of a length, a place, and bytes that stand there or do not.
fn view_of(four: &[u8]) -> Vec<u8> {
    let [len, buffer, offset, byte] = *four else { return Vec::new() };
    let (len, offset) = (i32::from(len as i8), i32::from(offset as i8));
    let rest = match len > 12 {
        true => {
            [&[byte; 4][..], &i32::from(buffer % 2).to_ne_bytes(), &offset.to_ne_bytes()].concat()
        }
        false => {
            let held = usize::try_from(len).unwrap_or_default();
            [vec![byte; held], vec![0; 12 - held]].concat()
        }
    };
    [&len.to_ne_bytes()[..], &rest].concat()
}

/// Keys count the different rows in the order in which they first came.
fn value_of_key(key: i64, rows: &[Option<&str>]) -> Vec<u8> {
    let mut values: Vec<&str> = Vec::new();
    for row in rows.iter().flatten() {
        if !values.contains(row) {
            values.push(row);
        }
    }
    values[key as usize].as_bytes().to_vec()
}

/// The numbers and buffers of an array, to be changed.
struct Broken {
    length: i64,
    offset: i64,
    null_count: i64,
    n_buffers: i64,
    has_pointers: bool,
    has_dictionary: bool,
    buffers: [Option<Box<[u64]>>; POINTERS],
}

impl Broken {
    fn of(array: &dyn Array) -> Broken {
        let data = array.to_data();
        let views = matches!(array.data_type(), arrow_schema::DataType::Utf8View);
        let mut buffers: Vec<Option<Box<[u64]>>> = vec![data.nulls().map(|n| long(n.validity()))];
        buffers.extend(data.buffers().iter().map(|buffer| Some(long(buffer))));
        if views {
            let lens = data.buffers()[1..].iter().flat_map(|b| (b.len() as i64).to_ne_bytes());
            buffers.push(Some(long(&lens.collect::<Vec<u8>>())));
        }
        let n_buffers = buffers.len() as i64;
        let mut buffers = buffers.into_iter();
        Broken {
            length: data.len() as i64,
            offset: data.offset() as i64,
            null_count: data.null_count() as i64,
            n_buffers,
            has_pointers: true,
            has_dictionary: true,
            buffers: [(); POINTERS].map(|()| buffers.next().flatten()),
        }
    }

    fn change(&mut self, change: &[u8], filling: &[u8], form: Form) {
        let [what, number] = *change else { return };
        let small = i64::from(number as i8);
        match what % 10 {
            0 => self.length = small.max(-1),
            1 => self.length = i64::MIN,
            2 => self.offset = small.max(-1),
            3 => self.offset = i64::MAX,
            4 => self.null_count = small,
            // As many as there are pointers, or fewer; views take the last of many for lengths.
            5 => self.n_buffers = i64::from(number % 3) - 1,
            6 => self.buffers[usize::from(number) % POINTERS] = None,
            7 => self.has_pointers = false,
            8 if number % 2 == 0 => self.buffers[0] = Some(long(filling)),
            8 => self.buffers[1] = Some(long(&form.shaped(filling))),
            _ => self.has_dictionary = false,
        }
    }

    fn pointers(&self) -> [*const c_void; POINTERS] {
        self.buffers
            .each_ref()
            .map(|buffer| buffer.as_ref().map_or(null(), |words| words.as_ptr().cast()))
    }

    fn write_to(&self, array: &mut FFI_ArrowArray, pointers: &mut [*const c_void; POINTERS]) {
        array.length = self.length;
        array.offset = self.offset;
        array.null_count = self.null_count;
        array.n_buffers = self.n_buffers;
        array.buffers = if self.has_pointers { pointers.as_mut_ptr() } else { null_mut() };
        if !self.has_dictionary {
            array.dictionary = null_mut();
        }
    }

    /// The bytes of a buffer that was read.
    fn held(&self, at: usize) -> Vec<u8> {
        let words = self.buffers[at].as_ref().expect("a buffer that was read");
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

/// A buffer that begins with these bytes.
fn long(bytes: &[u8]) -> Box<[u64]> {
    let bytes = &bytes[..bytes.len().min(LONG)];
    let mut words = vec![0_u64; LONG / 8];
    for (word, eight) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut full = [0; 8];
        full[..eight.len()].copy_from_slice(eight);
        *word = u64::from_ne_bytes(full);
    }
    words.into()
}
