//! Tests of `logs/time.rs`.

use verger_bulk::logs::time::*;

#[test]
fn times_are_read_in_every_form() {
    let expected = 971_211_336 * SECOND;
    for text in [
        "10/Oct/2000:13:55:36 -0700",
        "10/Oct/2000:20:55:36 +0000",
        "10/Oct/2000:20:55:36",
        "10/Oct/2000:20:55:36.000",
        "2000-10-10T20:55:36Z",
        "2000-10-10 20:55:36",
        "2000-10-10T13:55:36-07:00",
        "2000-10-10T13:55:36.000-0700",
        "2000-10-10 22:55:36 +02",
        "971211336",
        "971211336.0",
        "971211336000",
        "971211336000000",
        "971211336000000000",
        "9.71211336e8",
    ] {
        assert_eq!(any(text.as_bytes()), Some(expected), "{text}");
    }
    assert_eq!(any(b"2000-10-10T20:55:36,25Z"), Some(expected + 250_000));
    assert_eq!(any(b"971211336.123456789"), Some(expected + 123_456));
    assert_eq!(any(b"0"), Some(0));
    assert_eq!(any(b"2016-12-31T23:59:60Z"), Some(1_483_228_800 * SECOND));
}

#[test]
fn the_size_of_a_number_tells_its_unit() {
    assert_eq!(any(b"99999999999"), Some(99_999_999_999 * SECOND));
    assert_eq!(any(b"100000000000"), Some(100_000_000 * SECOND));
    assert_eq!(any(b"99999999999999.9"), Some(99_999_999_999_999_900));
    assert_eq!(any(b"100000000000000"), Some(100_000_000 * SECOND));
    assert_eq!(any(b"100000000000000000"), Some(100_000_000 * SECOND));
}

#[test]
fn malformed_times_are_refused() {
    for text in [
        "",
        "-",
        "10/Oct/2000:13:55:36 x",
        "10/Okt/2000:13:55:36 -0700",
        "32/Oct/2000:13:55:36 +0000",
        "29/Feb/2001:00:00:00 +0000",
        "2000-13-10T20:55:36Z",
        "2000-10-10T24:00:00Z",
        "2000-10-10T20:55:36.Z",
        "2000-10-10T20:55:61Z",
        "2000-10-10T20:55:36Zx",
        "-5",
        "1e400",
        "nan",
        "inf",
        ".",
        "1.x",
        "99999999999999999999",
    ] {
        assert_eq!(any(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn days_follow_each_other() {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut expected = any(b"0001-01-01T00:00:00").unwrap();
    for year in 1..3_000 {
        let february = 28 + i64::from(is_leap(year));
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in (1..).zip(lengths) {
            for day in 1..=length {
                let text = format!("{year:04}-{month:02}-{day:02}T00:00:00");
                assert_eq!(any(text.as_bytes()), Some(expected), "{text}");
                expected += 86_400 * SECOND;
            }
        }
    }
    assert_eq!(any(b"1970-01-01T00:00:00"), Some(0));
}
