//! What an observation of an origin means, in one dialect: a table that `verger.access` fills.
//!
//! In: what is known about one attempt to fetch a robots.txt file: its status, its failure, and
//! whether there is a body. Out: its [`Kind`]. In: the kinds of several attempts, in order. Out: the [`Ruling`] that
//! follows, and the attempt whose body applies. The table says which kind a row has, and what
//! follows from a kind. RFC 9309 section 2.3.1.

/// The result of a request for the file (RFC 9309 section 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The file is there.
    Successful,
    /// A redirect: one hop, which says nothing about the site.
    Redirect,
    /// The server says that there is no file.
    Unavailable,
    /// The server or the network failed.
    Unreachable,
}

impl Access {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Successful => "successful",
            Access::Redirect => "redirect",
            Access::Unavailable => "unavailable",
            Access::Unreachable => "unreachable",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Access> {
        [Access::Successful, Access::Redirect, Access::Unavailable, Access::Unreachable]
            .into_iter()
            .find(|access| access.name() == name)
    }
}

/// What applies at an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The rules of its file.
    Rules,
    /// An access policy, with the number of its reason.
    Policy {
        /// Whether everything may be fetched, or nothing.
        allowed: bool,
        /// The number of the reason.
        reason: u8,
    },
}

/// What applies for a time while a file is unreachable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The last second of it; steps are in the order of time.
    pub until: f64,
    /// What applies without a copy.
    pub alone: Ruling,
    /// What applies with a copy.
    pub beside_copy: Ruling,
}

/// One way in which an attempt can end.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// The result of the request.
    pub access: Access,
    /// Whether it says nothing lasting about the file, so earlier knowledge remains.
    pub is_failure: bool,
    /// Whether it is an answer that is of no use: no period without answers goes on behind it.
    pub has_answered: bool,
    /// What applies then, in the order of time; the last step also applies after its end.
    pub steps: Vec<Step>,
}

impl Kind {
    /// A kind after which the same applies at any time.
    pub fn constant(access: Access, is_failure: bool, ruling: Ruling) -> Kind {
        let step = Step { until: f64::INFINITY, alone: ruling, beside_copy: ruling };
        Kind { access, is_failure, has_answered: false, steps: vec![step] }
    }

    /// What applies after a period of failures in seconds, with a copy of the file or without.
    pub fn ruling(&self, seconds: f64, has_copy: bool) -> Ruling {
        let step = self.steps.iter().find(|step| seconds <= step.until).or(self.steps.last());
        match step {
            Some(step) if has_copy => step.beside_copy,
            Some(step) => step.alone,
            None => Ruling::Policy { allowed: false, reason: 0 },
        }
    }
}

/// Statuses below this have a place of their own.
pub const STATUSES: usize = 1_000;
/// The place of all other numbers, followed by that of no status.
const OTHER: usize = STATUSES;
const NONE: usize = STATUSES + 1;
/// How many places there are for observations without a body, and again for those with one.
pub const PLACES: usize = STATUSES + 2;

/// The failure is not one of the known names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAFailure;

/// What every observation means in one dialect.
#[derive(Clone, Debug)]
pub struct AccessTable {
    kinds: Vec<Kind>,
    places: Vec<u8>,
    failures: Vec<(String, u8)>,
}

impl AccessTable {
    /// Take the kinds, and the number of a kind for each status, for any other number, and for no
    /// status: first of observations without a body, then of those with one; and for each failure,
    /// whatever came before it. None if a kind has no step, a number no kind, or the number of
    /// places is wrong.
    pub fn new(
        kinds: Vec<Kind>,
        places: Vec<u8>,
        failures: Vec<(String, u8)>,
    ) -> Option<AccessTable> {
        let is_known = |kind: u8| usize::from(kind) < kinds.len();
        let is_whole = places.len() == 2 * PLACES
            && kinds.iter().all(|kind| !kind.steps.is_empty())
            && places.iter().all(|kind| is_known(*kind))
            && failures.iter().all(|(_, kind)| is_known(*kind));
        is_whole.then_some(AccessTable { kinds, places, failures })
    }

    /// The number of the kind of an observation.
    #[inline]
    pub fn kind_of(
        &self,
        status: Option<i64>,
        failure: Option<&[u8]>,
        has_body: bool,
    ) -> Result<u8, NotAFailure> {
        if let Some(word) = failure {
            let mut named = self.failures.iter().filter(|(name, _)| name.as_bytes() == word);
            return named.next().map(|(_, kind)| *kind).ok_or(NotAFailure);
        }
        let place = match status {
            None => NONE,
            Some(status) => usize::try_from(status).map_or(OTHER, |status| status.min(OTHER)),
        };
        Ok(self.places[usize::from(has_body) * PLACES + place])
    }

    /// The names of the failures.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.failures.iter().map(|(name, _)| name.as_str())
    }

    /// How many kinds there are.
    pub fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// The kind of a number.
    pub fn kind(&self, number: u8) -> &Kind {
        &self.kinds[usize::from(number)]
    }
}

/// How many seconds a clock may be ahead of another.
pub const CLOCKS_APART: f64 = 300.0;
/// The beginning of 2000, before which nobody asked: a clock that says less was not set.
const YEAR_2000: f64 = 946_684_800.0;
/// The most seconds that count between two failures: a file that was asked for seldom was seen to
/// be unreachable seldom.
const LONGEST_GAP: f64 = 7.0 * 86_400.0;

/// For how many seconds a file has been unreachable (RFC 9309 section 2.3.1.4), after one more
/// failure at `time`.
///
/// `period` is what the failures before it come to, of which the last was at `before`. A time that is
/// too far ahead of `now` says nothing, and adds nothing. After one that is before 2000, or far ahead
/// of the next, a clock was wrong, nobody knows since when, and counting begins anew. One that is a
/// little ahead of the next was told by another clock, and that is taken off.
pub fn period_after(period: f64, before: f64, time: f64, now: f64) -> f64 {
    if time > now + CLOCKS_APART {
        return period;
    }
    let are_in_order = time >= YEAR_2000 && (YEAR_2000..=time + CLOCKS_APART).contains(&before);
    match are_in_order {
        true => (period + (time - before).min(LONGEST_GAP)).max(0.0),
        false => 0.0,
    }
}

/// One observation: its time in seconds, its kind, where its body is, and for how many seconds the
/// file has been unreachable, if a store has counted that.
#[derive(Clone, Copy, Debug)]
pub struct Seen<P> {
    /// The time in seconds since the epoch, or [`NO_TIME`].
    pub time: f64,
    /// Where the body is.
    pub place: P,
    /// The number of its kind.
    pub kind: u8,
    /// Whether the file was kept, but not enough of it for the dialect: its rules are unknown, and
    /// no period of failures behind it opens the site.
    pub is_short: bool,
    /// The seconds that a store has counted, or [`NOT_COUNTED`].
    pub unreachable_for: f64,
}

/// No store has counted how long the file has been unreachable: no number, since there is one of
/// these for each row of a table.
pub const NOT_COUNTED: f64 = f64::NAN;

impl<P> Seen<P> {
    /// The same, with its body in another place.
    pub fn at<Q>(self, place: Q) -> Seen<Q> {
        let Seen { time, kind, is_short, unreachable_for, .. } = self;
        Seen { time, place, kind, is_short, unreachable_for }
    }
}

/// Earlier than any time: the time of an observation whose time is unknown.
pub const NO_TIME: f64 = f64::NEG_INFINITY;

/// Failures that follow one another.
#[derive(Clone, Copy, Debug)]
struct Run {
    period: f64,
    last: f64,
    has_answered: bool,
}

/// Observations of one origin, taken one after another.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'t, P> {
    table: &'t AccessTable,
    now: f64,
    copy: Option<P>,
    is_short: bool,
    run: Option<Run>,
    ruling: Ruling,
}

impl<'t, P: Copy> Fold<'t, P> {
    /// Begin with the first observation; `now` is the time of judging, in seconds.
    pub fn begin(table: &'t AccessTable, now: f64, seen: Seen<P>) -> Fold<'t, P> {
        let ruling = Ruling::Policy { allowed: false, reason: 0 };
        let mut fold = Fold { table, now, copy: None, is_short: false, run: None, ruling };
        fold.take(seen);
        fold
    }

    /// Take the next one.
    pub fn take(&mut self, seen: Seen<P>) {
        let kind = self.table.kind(seen.kind);
        if kind.is_failure && !seen.is_short {
            // with a copy, that binds when the period is over
            let is_alone = self.copy.is_none() && !self.is_short;
            let after = |run: Run| match is_alone && run.has_answered && !kind.has_answered {
                true => 0.0,
                false => period_after(run.period, run.last, seen.time, self.now),
            };
            let period = match seen.unreachable_for.is_nan() {
                true => self.run.map_or(0.0, after),
                false => seen.unreachable_for,
            };
            self.run = Some(Run { period, last: seen.time, has_answered: kind.has_answered });
            let counted = if self.is_short { 0.0 } else { period };
            self.ruling = kind.ruling(counted, self.copy.is_some());
        } else {
            (self.run, self.is_short) = (None, seen.is_short);
            self.ruling = kind.ruling(0.0, false);
            self.copy = (kind.access == Access::Successful).then_some(seen.place);
        }
    }

    /// What applies then, and where the body that applies is.
    pub fn end(self) -> (Ruling, Option<P>) {
        (self.ruling, self.copy)
    }
}

/// A table for tests and fuzzing, which are not about access.
#[cfg(feature = "fixture")]
pub mod fixture {
    use super::*;

    /// An observation of a kind at a time, with its body in a place.
    pub fn seen<P>(kind: u8, time: f64, place: P) -> Seen<P> {
        Seen { time, place, kind, is_short: false, unreachable_for: NOT_COUNTED }
    }

    /// A table without any dialect: files that are there, redirects that disallow everything,
    /// missing files, and unreachable files, for which a copy is used for 100 seconds, after which
    /// everything is allowed. The kinds have the numbers 0, 3, 1 and 2.
    pub fn table() -> AccessTable {
        let policy = |allowed, reason| Ruling::Policy { allowed, reason };
        let out_of_reach = vec![
            Step { until: 100.0, alone: policy(false, 2), beside_copy: Ruling::Rules },
            Step { until: f64::INFINITY, alone: policy(true, 3), beside_copy: policy(true, 3) },
        ];
        let kinds = vec![
            Kind::constant(Access::Successful, false, Ruling::Rules),
            Kind::constant(Access::Unavailable, false, policy(true, 1)),
            Kind {
                access: Access::Unreachable,
                is_failure: true,
                has_answered: false,
                steps: out_of_reach,
            },
            Kind::constant(Access::Redirect, false, policy(false, 0)),
        ];
        let kind_of = |place: usize, has_body: bool| match place {
            200..300 | NONE if has_body => 0,
            300..400 => 3,
            400..500 => 1,
            _ => 2,
        };
        let of = |has_body| (0..PLACES).map(move |place| kind_of(place, has_body));
        let failures = vec![("loop".to_string(), 1), ("timeout".to_string(), 2)];
        AccessTable::new(kinds, of(false).chain(of(true)).collect(), failures).expect("no hole")
    }
}
