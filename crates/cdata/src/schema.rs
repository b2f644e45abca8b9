//! Schemas: the types that a producer announces for its arrays.
//!
//! In: a C structure. Out: a [`Field`], a struct if it describes a table. The structure is copied
//! node by node before `arrow-schema` reads it, which trusts its pointers, counts and formats.
//! Metadata is not copied: nothing here reads it, and its lengths cannot be checked.

use std::ffi::{c_char, CStr};

use arrow_schema::ffi::{FFI_ArrowSchema, Flags};
use arrow_schema::Field;

use crate::{malformed, reference, Result};

/// The most levels of nested types: reading them recurses.
const MOST_LEVELS: usize = 64;
/// The most types of one schema: pointers may form a cycle.
const MOST_TYPES: usize = 1 << 20;

/// Read a schema.
///
/// # Safety
///
/// Its pointers are null or lead to what the interface says, children as many as it says.
pub unsafe fn field_of(schema: &FFI_ArrowSchema) -> Result<Field> {
    let mut left = MOST_TYPES;
    // SAFETY: as promised by the caller.
    Field::try_from(&unsafe { copied(schema, MOST_LEVELS, &mut left) }?)
}

/// # Safety
///
/// As for [`field_of`].
unsafe fn copied(
    schema: &FFI_ArrowSchema,
    levels: usize,
    left: &mut usize,
) -> Result<FFI_ArrowSchema> {
    if schema.release.is_none() {
        return Err(malformed("the schema was released before"));
    }
    let deeper = levels.checked_sub(1).ok_or_else(|| {
        malformed(format!("the schema has types within types beyond {MOST_LEVELS} levels"))
    })?;
    *left = left
        .checked_sub(1)
        .ok_or_else(|| malformed(format!("the schema has more than {MOST_TYPES} types")))?;
    // SAFETY: both are null or end with a NUL, as promised by the caller.
    let (format, name) = unsafe { (text(schema.format), text(schema.name)) };
    let format = format.ok_or_else(|| malformed("the schema has a type without a format"))?;
    let count = usize::try_from(schema.n_children).ok().filter(|count| *count <= *left);
    let count = count.ok_or_else(|| {
        malformed(format!("the schema says that a type has {} children", schema.n_children))
    })?;
    let fixed = children_of(&format);
    if fixed.is_some_and(|fixed| fixed != count) {
        return Err(malformed(format!("the type `{format}` has {count} children in the schema")));
    }
    if count > 0 && schema.children.is_null() {
        return Err(malformed("the schema has children at a null pointer"));
    }
    let child = |at: usize| {
        // SAFETY: there are `count` pointers, each null or to a schema.
        let child = unsafe { reference(schema.children.add(at).read_unaligned()) };
        let child = child.ok_or_else(|| malformed("the schema has a child at no valid pointer"))?;
        // SAFETY: as promised by the caller.
        unsafe { copied(child, deeper, left) }
    };
    let children = (0..count).map(child).collect::<Result<Vec<_>>>()?;
    // SAFETY: null or a schema, as promised by the caller.
    let dictionary = unsafe { reference(schema.dictionary) };
    // SAFETY: as promised by the caller.
    let dictionary = dictionary.map(|values| unsafe { copied(values, deeper, left) });
    FFI_ArrowSchema::try_new(&format, children, dictionary.transpose()?)?
        .with_name(&name.unwrap_or_default())?
        .with_flags(Flags::from_bits_truncate(schema.flags))
}

/// # Safety
///
/// `text` is null or ends with a NUL.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: as promised by the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// How many children a type has, if its format fixes that.
fn children_of(format: &str) -> Option<usize> {
    match format {
        "+r" => Some(2),
        "+l" | "+L" | "+vl" | "+vL" | "+m" => Some(1),
        _ if format.starts_with("+w:") => Some(1),
        _ if format.starts_with('+') => None,
        _ => Some(0),
    }
}
