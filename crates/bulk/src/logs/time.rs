//! Times as logs write them, in microseconds since the epoch, UTC.
//!
//! In: `10/Oct/2000:13:55:36 -0700` (Common Log Format), `2000-10-10T13:55:36.5-07:00` (ISO 8601,
//! RFC 3339), or seconds, milli-, micro- or nanoseconds since the epoch. Out: the time, and how many
//! bytes it took. A time without a zone counts as UTC. The calendar is the proleptic Gregorian one.

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// A time in any of the forms, which takes the whole text.
pub fn any(text: &[u8]) -> Option<i64> {
    let whole = |found: Option<(i64, usize)>| found.filter(|(_, len)| *len == text.len());
    let named = whole(iso(text)).or_else(|| whole(common(text)));
    named.map(|(time, _)| time).or_else(|| epoch(text))
}

/// `10/Oct/2000:13:55:36 -0700`, optionally with a fraction after the seconds, or without a zone;
/// a space may stand before the hour.
#[inline]
pub fn common(text: &[u8]) -> Option<(i64, usize)> {
    let [d1, d2, b'/', m1, m2, m3, b'/', y @ ..] = text.get(..11)? else { return None };
    let month = MONTHS.iter().position(|month| **month == [*m1, *m2, *m3])?;
    let (day, year) = (two(&[*d1, *d2])?, number(y)?);
    text.get(11).filter(|byte| matches!(**byte, b':' | b' '))?;
    let (clock, mut at) = clock(text, 12)?;
    let zone = match text.get(at..) {
        Some([b' ', zoned @ ..]) => match zone(zoned) {
            Some((zone, len)) => {
                at += 1 + len;
                zone
            }
            None => 0,
        },
        _ => 0,
    };
    Some((date(year, month as i64 + 1, day)?.checked_add(clock)? - zone, at))
}

/// `2000-10-10T13:55:36Z`, with or without a fraction and a zone, `T` or a space in between.
pub fn iso(text: &[u8]) -> Option<(i64, usize)> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T' | b't' | b' '] = text.get(..11)? else {
        return None;
    };
    let (year, month) = (number(&[*y1, *y2, *y3, *y4])?, two(&[*m1, *m2])?);
    let (clock, mut at) = clock(text, 11)?;
    let behind = &text[at..];
    let spaces = usize::from(behind.first() == Some(&b' '));
    let zone = match behind.get(spaces) {
        Some(b'Z' | b'z') if spaces == 0 => {
            at += 1;
            0
        }
        Some(b'+' | b'-') => {
            let (zone, len) = zone(&behind[spaces..])?;
            at += spaces + len;
            zone
        }
        _ => 0,
    };
    Some((date(year, month, two(&[*d1, *d2])?)?.checked_add(clock)? - zone, at))
}

/// A decimal number since the epoch, whose size tells its unit: each unit holds the years 1973 to
/// 5138 and overlaps no other.
pub fn epoch(text: &[u8]) -> Option<i64> {
    let (whole, fraction) = match memchr::memchr(b'.', text) {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &b""[..]),
    };
    if whole.is_empty() || whole.len() > 19 || !fraction.iter().all(u8::is_ascii_digit) {
        return epoch_with_exponent(text);
    }
    let value = match digits(whole) {
        Some(value) => value,
        None => return epoch_with_exponent(text),
    };
    Some(match value {
        0..=99_999_999_999 => value * SECOND + micros(fraction),
        100_000_000_000..=99_999_999_999_999 => value * 1_000 + micros(fraction) / 1_000,
        100_000_000_000_000..=99_999_999_999_999_999 => value,
        _ => value / 1_000,
    })
}

/// `1.7e9`, as some libraries write large numbers.
#[cold]
fn epoch_with_exponent(text: &[u8]) -> Option<i64> {
    let is_number = text.iter().all(|o| o.is_ascii_digit() || b".eE+-".contains(o));
    let value: f64 = std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()?;
    (0.0..1e19).contains(&value).then(|| since_epoch(value).round() as i64)
}

/// A number since the epoch in microseconds; its size tells its unit, as in [`epoch`].
pub fn since_epoch(value: f64) -> f64 {
    value
        * match value.abs() {
            v if v < 1e11 => 1e6,
            v if v < 1e14 => 1e3,
            v if v < 1e17 => 1.0,
            _ => 1e-3,
        }
}

/// `20001010135536`, a time whose digits stand in one number, as tables of archives have it.
pub fn digits_in_a_row(value: f64) -> Option<i64> {
    if value.fract() != 0.0 || !(1e13..1e14).contains(&value) {
        return None;
    }
    let mut rest = value as i64;
    let mut last_two = || {
        let two = rest % 100;
        rest /= 100;
        two
    };
    let [second, minute, hour, day, month] = std::array::from_fn(|_| last_two());
    let is_clock = hour < 24 && minute < 60 && second <= 60;
    let clock = ((hour * 60 + minute) * 60 + second) * SECOND;
    date(rest, month, day).filter(|_| is_clock)?.checked_add(clock)
}

/// `13:55:36`, optionally with a fraction, from an offset on: microseconds, and where it ends.
#[inline]
fn clock(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = text.get(at..at + 8)? else { return None };
    let (hour, minute, second) = (two(&[*h1, *h2])?, two(&[*m1, *m2])?, two(&[*s1, *s2])?);
    // A leap second is written as 60.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let whole = ((hour * 60 + minute) * 60 + second) * SECOND;
    let end = at + 8;
    match text.get(end) {
        Some(b'.' | b',') => {
            let fraction = &text[end + 1..];
            let len = fraction.iter().take_while(|o| o.is_ascii_digit()).count();
            (len > 0).then(|| (whole + micros(&fraction[..len]), end + 1 + len))
        }
        _ => Some((whole, end)),
    }
}

/// `-0700`, `-07:00` or `-07`: microseconds east of UTC, and how long it is.
fn zone(text: &[u8]) -> Option<(i64, usize)> {
    let sign = match text.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = two(text.get(1..3)?)?;
    let (minutes, len) = match text.get(3..) {
        Some([b':', m1, m2, ..]) => (two(&[*m1, *m2])?, 6),
        Some([m1 @ b'0'..=b'9', m2, ..]) => (two(&[*m1, *m2])?, 5),
        _ => (0, 3),
    };
    (hours < 24 && minutes < 60).then_some((sign * (hours * 60 + minutes) * 60 * SECOND, len))
}

/// The beginning of a day.
fn date(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    // Days since 1 March of the year 0, when leap days are the last of their year.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = y * 365 + y.div_euclid(4) - y.div_euclid(100)
        + y.div_euclid(400)
        + (153 * m + 2) / 5
        + (day - 1);
    Some((days - 719_468) * 86_400 * SECOND)
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The microseconds of a decimal fraction.
fn micros(fraction: &[u8]) -> i64 {
    let six = fraction.iter().copied().chain(std::iter::repeat(b'0')).take(6);
    six.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'))
}

#[inline]
fn two(text: &[u8]) -> Option<i64> {
    number(text).filter(|_| text.len() == 2)
}

#[inline]
fn number(text: &[u8]) -> Option<i64> {
    let mut value = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

/// Up to 19 digits that fit.
fn digits(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok().filter(|t| t.bytes().all(|o| o.is_ascii_digit()))?.parse().ok()
}
