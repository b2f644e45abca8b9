//! Tests of `access.rs`.

use verger_bulk::access::*;

fn after(kinds: &[(u8, f64)]) -> (Ruling, Option<usize>) {
    let table = fixture::table();
    let mut fold = Fold::begin(&table, kinds[0].0, kinds[0].1, 0);
    for (place, (kind, time)) in kinds.iter().enumerate().skip(1) {
        fold.take(*kind, *time, place);
    }
    fold.end()
}

#[test]
fn a_number_that_has_no_place_is_not_a_status() {
    let table = fixture::table();

    assert_eq!(table.kind_of(Some(200), None, true), Ok(0));
    assert_eq!(table.kind_of(None, None, true), Ok(0));
    for status in [i64::MIN, -1, 1_000, i64::MAX] {
        assert_eq!(table.kind_of(Some(status), None, true), Ok(2), "{status}");
    }
}

#[test]
fn a_failure_outranks_a_status_and_a_body() {
    let table = fixture::table();

    assert_eq!(table.kind_of(Some(200), Some(b"timeout"), true), Ok(2));
    assert_eq!(table.kind_of(Some(302), Some(b"loop"), false), Ok(1));
    for word in ["", "Timeout", "timeouts", "200"] {
        assert_eq!(table.kind_of(Some(200), Some(word.as_bytes()), true), Err(NotAFailure));
    }
}

#[test]
fn a_copy_binds_until_its_last_second() {
    assert_eq!(after(&[(0, 0.0), (2, 5.0), (2, 105.0)]), (Ruling::Rules, Some(0)));
    let open = Ruling::Policy { allowed: true, reason: 3 };
    assert_eq!(after(&[(0, 0.0), (2, 5.0), (2, 105.5)]).0, open);
}

#[test]
fn a_file_that_is_gone_is_not_a_copy() {
    let closed = Ruling::Policy { allowed: false, reason: 2 };

    assert_eq!(after(&[(0, 0.0), (1, 1.0), (2, 2.0)]), (closed, None));
}

#[test]
fn tables_with_holes_are_refused() {
    let kinds = || vec![Kind::constant(Access::Successful, false, Ruling::Rules)];

    let new = |kinds, places, failure| {
        AccessTable::new(kinds, places, vec![("dns".to_string(), failure)])
    };
    assert!(new(kinds(), vec![0; 2 * PLACES], 0).is_some());
    assert!(new(kinds(), vec![0; PLACES], 0).is_none());
    assert!(new(kinds(), vec![1; 2 * PLACES], 0).is_none());
    assert!(new(kinds(), vec![0; 2 * PLACES], 1).is_none());
    let empty = Kind { steps: Vec::new(), ..kinds()[0].clone() };
    assert!(new(vec![empty], vec![0; 2 * PLACES], 0).is_none());
}
