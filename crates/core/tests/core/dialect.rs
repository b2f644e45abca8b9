//! Tests of `dialect.rs`.

use verger_core::dialect::*;
use verger_core::{Field, Fields, Misspelt};

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

#[test]
fn a_name_says_which_knobs_differ() {
    let strict = Dialect { tie: Tie::Disallow, parse_limit: None, ..GOOGLE };
    let usage = Dialect { extensions: RFC9309.extensions.with(Field::ContentUsage), ..RFC9309 };
    let few = Dialect { extensions: Fields::NONE.with(Field::Sitemap), ..RFC9309 };
    for (dialect, name) in [
        (RFC9309, "rfc9309"),
        (strict, "google+parse_limit=None+tie=disallow"),
        (usage, "rfc9309+content-usage"),
        (few, "rfc9309+extensions=sitemap"),
    ] {
        assert_eq!(dialect.derived_name(), name);
        assert_eq!(Dialect::of_name(name), Ok(dialect));
    }
    assert_eq!(Dialect::of_name("google+tie=allow"), Ok(GOOGLE));
    assert_eq!(Dialect::of_name("rfc9309+parse_limit=NONE+ignore_star=true"), {
        Ok(Dialect { parse_limit: None, ignore_star: true, ..RFC9309 })
    });
}

#[test]
fn every_value_has_a_name() {
    for dialect in &DIALECTS {
        for knob in KNOBS {
            for other in &DIALECTS {
                let value = other.get(knob.name).unwrap();
                let changed = dialect.with(knob.name, &value).unwrap();

                assert_eq!(Dialect::of_name(&changed.derived_name()), Ok(changed));
            }
        }
    }
}

#[test]
fn what_means_nothing_is_told() {
    for (name, why) in [
        ("", Misspelt::Dialect("")),
        ("rfc", Misspelt::Dialect("rfc")),
        ("rfc9309+", Misspelt::Knob("")),
        ("rfc9309+allow", Misspelt::Knob("allow")),
        ("rfc9309+ties=allow", Misspelt::Knob("ties")),
        ("rfc9309+tie=first", Misspelt::Value("tie", "first")),
        ("rfc9309+ignore_star=1", Misspelt::Value("ignore_star", "1")),
        ("rfc9309+max_redirects=-1", Misspelt::Value("max_redirects", "-1")),
        ("rfc9309+extensions=sitemap,tie", Misspelt::Value("extensions", "sitemap,tie")),
    ] {
        assert_eq!(Dialect::of_name(name), Err(why));
    }
}

#[test]
fn another_dialect_takes_the_same_changes() {
    let asked = Dialect::of_name("rfc9309+content-usage+tie=disallow").unwrap();
    let fewer = Dialect::of_name("rfc9309+extensions=content-signal,host").unwrap();

    assert_eq!(YANDEX.changed_as(&asked).derived_name(), "yandex+content-usage+tie=disallow");
    assert_eq!(YANDEX.changed_as(&RFC9309), YANDEX);
    // What the other no longer reads, this does not read either.
    assert_eq!(YANDEX.changed_as(&fewer).derived_name(), "yandex+extensions=");
}
