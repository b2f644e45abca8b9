//! Tests of `access.rs`.

use verger_bulk::access::*;

/// Noon of 1 March 2026, in seconds.
const NOW: f64 = 1_772_366_400.0;
const DAY: f64 = 86_400.0;

fn after(kinds: &[(u8, f64)]) -> (Ruling, Option<usize>) {
    let table = fixture::table();
    let seen = |place: usize| fixture::seen(kinds[place].0, NOW + kinds[place].1, place);
    let mut fold = Fold::begin(&table, NOW + 1_000.0, seen(0));
    for place in 1..kinds.len() {
        fold.take(seen(place));
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
fn between_two_failures_a_week_counts_at_most() {
    assert_eq!(period_after(0.0, NOW, NOW + 60.0, NOW + DAY), 60.0);
    assert_eq!(period_after(60.0, NOW, NOW + 7.0 * DAY, NOW + 35.0 * DAY), 60.0 + 7.0 * DAY);
    assert_eq!(period_after(60.0, NOW, NOW + 35.0 * DAY, NOW + 35.0 * DAY), 60.0 + 7.0 * DAY);
}

#[test]
fn a_time_that_nobody_can_have_seen_adds_nothing() {
    for time in [NOW + 301.0, 2.5e9, f64::INFINITY] {
        assert_eq!(period_after(60.0, NOW - DAY, time, NOW), 60.0, "{time}");
    }
    for time in [NO_TIME, 0.0, 946_684_799.0, f64::NAN] {
        assert_eq!(period_after(60.0, NOW - DAY, time, NOW), 0.0, "{time}");
        assert_eq!(period_after(60.0, time, NOW, NOW), 0.0, "{time}");
    }
    assert_eq!(period_after(60.0, NOW, NOW + 300.0, NOW), 360.0);
}

#[test]
fn a_clock_that_was_set_back_begins_the_period_anew() {
    assert_eq!(period_after(DAY, NOW + 300.0, NOW, NOW), DAY - 300.0);
    assert_eq!(period_after(DAY, NOW + 301.0, NOW, NOW), 0.0);
    assert_eq!(period_after(DAY, 2.5e9, NOW, NOW), 0.0);
    assert_eq!(period_after(60.0, NOW + 300.0, NOW, NOW), 0.0);
}

#[test]
fn two_clocks_that_are_apart_count_no_time_twice() {
    let (mut period, mut before) = (0.0, NOW + 290.0);
    for minute in 1..=60 {
        let time = NOW + 60.0 * f64::from(minute) + if minute % 2 == 0 { 290.0 } else { 0.0 };
        period = period_after(period, before, time, time);
        before = time;
    }

    assert!((3_600.0..=3_600.0 + CLOCKS_APART).contains(&period), "{period}");
}

#[test]
fn what_a_store_has_counted_is_taken_over() {
    let table = fixture::table();
    let counted = Seen { unreachable_for: 101.0, ..fixture::seen(2, NOW, 1) };
    let mut fold = Fold::begin(&table, NOW, fixture::seen(0, NOW - DAY, 0));
    fold.take(counted);

    assert_eq!(fold.end().0, Ruling::Policy { allowed: true, reason: 3 });
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
