//! Tests of `field.rs`.

use verger_core::*;

#[test]
fn names_are_found_in_any_case() {
    for field in Field::ALL.iter().filter(|f| **f != Field::Acap) {
        assert_eq!(Field::named(field.name().to_ascii_uppercase().as_bytes()), Some(*field));
    }
    assert_eq!(Field::named(b"ACAP-crawler"), Some(Field::Acap));
    assert_eq!(Field::named(b"allowed"), None);
}

#[test]
fn sets_hold_what_was_put_in() {
    let set = Fields::EVERY.without(Field::ContentUsage);

    assert!(!set.contains(Field::ContentUsage));
    assert!(set.contains(Field::Compensation));
    assert_eq!(Fields::NONE.with(Field::Host).iter().collect::<Vec<_>>(), [Field::Host]);
}
