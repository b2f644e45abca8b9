//! Tests of `dialect.rs`.

use verger_core::dialect::*;

#[test]
fn every_knob_reads_back_what_was_set() {
    for knob in KNOBS {
        for dialect in &DIALECTS {
            let value = dialect.get(knob.name).unwrap();

            assert_eq!(dialect.with(knob.name, &value).as_ref(), Some(dialect));
        }
        for choice in knob.choices {
            let value = KnobValue::Choice(choice);
            let changed = RFC9309.with(knob.name, &value).unwrap();

            assert_eq!(changed.get(knob.name), Some(value));
        }
        assert!(!knob.source.is_empty() && !knob.doc.is_empty());
    }
}

#[test]
fn a_knob_refuses_what_it_cannot_hold() {
    assert_eq!(RFC9309.with("tie", &KnobValue::Choice("first")), None);
    assert_eq!(RFC9309.with("equate_reserved_escapes", &KnobValue::Limit(None)), None);
    assert_eq!(RFC9309.with("colour", &KnobValue::Bool(true)), None);
}
