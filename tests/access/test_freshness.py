"""Freshness: what header fields say of a file's lifetime, and how far a dialect lets them.

In: header fields as servers send them and attackers might. Out: seconds, compared with tables that
follow RFC 9111 sections 1.2.2, 4.2.1, 4.2.3, 5.2 and 5.3, and with hishel, a cache of its own.
"""

from email.utils import formatdate

import pytest
from hishel import Headers, Response
from hishel._core._spec import get_freshness_lifetime
from hypothesis import given, strategies as st

import verger
from access.results import NOW, URL, answered
from programs import printed
from steps import steps_of
from support import NAMES, turned
from verger.access.freshness import honoured, lifetime, stale_when_unreachable
from verger.access.result import AccessResult

DEFAULT = 86_400
MOST = 2**31
# No bounds of its own: what the header fields say is what comes out.
FREE = turned(verger.RFC9309, max_lifetime=MOST, default_lifetime=DEFAULT)
BY_CACHE_CONTROL = turned(FREE, cache_headers="cache-control")
BY_MAX_AGE = turned(FREE, cache_headers="max-age")


def date(offset: float) -> str:
    """Return an HTTP date so many seconds after the fetch."""
    return formatdate(NOW + offset, usegmt=True)


def test_the_fetch_was_at_noon() -> None:
    """The dates written out below are read against this one."""
    assert date(0) == "Sun, 01 Mar 2026 12:00:00 GMT"


# Cache-Control


@pytest.mark.parametrize(
    ("field", "seconds"),
    [
        ("max-age=600", 600),
        ("max-age=0", 0),
        ("MAX-AGE=600", 600),
        ("Max-Age=600", 600),
        ('max-age="600"', 600),
        ('max-age="6\\00"', 600),
        ("max-age=000600", 600),
        ("public, max-age=600", 600),
        ("max-age=600, public", 600),
        ("max-age=600,must-revalidate", 600),
        ("max-age=600 , immutable", 600),
        ("\tmax-age=600\t", 600),
        (", ,max-age=600,,", 600),
        ("private, proxy-revalidate, no-transform, max-age=600", 600),
        # The first of several values, or none of them, may be used (section 4.2.1).
        ("max-age=600, max-age=60", 600),
        ("max-age=60, max-age=600", 60),
        # For caches that serve several.
        ("s-maxage=60, max-age=600", 600),
        ("max-age=600, s-maxage=60", 600),
        ("s-maxage=60", DEFAULT),
        # How long it may be used once it is stale is the dialect's affair.
        ("max-age=600, stale-if-error=86400", 600),
        ("max-age=600, stale-while-revalidate=86400", 600),
        ("stale-if-error=60", DEFAULT),
        # In quotes nothing is a directive.
        ('private="max-age=60", max-age=600', 600),
        ('x="a, max-age=60, b", max-age=600', 600),
        ('x="\\", max-age=60, \\"", max-age=600', 600),
        ('x="no-store", max-age=600', 600),
        ('x="max-age=60"', DEFAULT),
        # Names that only look like it.
        ("x-max-age=60", DEFAULT),
        ("max-age-x=60", DEFAULT),
        ("maxage=60", DEFAULT),
        ("no-storeroom", DEFAULT),
        ("xno-store", DEFAULT),
        # What states no number is stale (section 4.2.1).
        ("max-age", 0),
        ("max-age=", 0),
        ('max-age=""', 0),
        ("max-age=-1", 0),
        ("max-age=+600", 0),
        ("max-age=600.5", 0),
        ("max-age=6e2", 0),
        ("max-age=0x258", 0),
        ("max-age=600s", 0),
        ("max-age=6_0_0", 0),
        ("max-age=ten", 0),
        ("max-age=\u0666\u0660\u0660", 0),
        ("max-age=\uff16\uff10\uff10", 0),
        ("max-age=\u00b2", 0),
        # What is too large to hold is as good as 68 years (section 1.2.2).
        ("max-age=2147483647", 2_147_483_647),
        ("max-age=2147483648", MOST),
        ("max-age=99999999999999999999", MOST),
        ("max-age=" + "9" * 5_000, MOST),
        # Not to be kept, or not to be used without asking.
        ("no-store", 0),
        ("no-cache", 0),
        ("NO-STORE", 0),
        ("no-cache, max-age=600", 0),
        ("max-age=600, no-store", 0),
        # No directive at all.
        ("", DEFAULT),
        (",", DEFAULT),
        ("public", DEFAULT),
        ("=600", DEFAULT),
        ("; max-age", DEFAULT),
        ('"max-age=600"', DEFAULT),
        ("\x00", DEFAULT),
    ],
)
def test_cache_control(field: str, seconds: int) -> None:
    """Directives of `Cache-Control`."""
    assert seconds == lifetime(answered({"cache-control": field}), FREE)


@pytest.mark.parametrize(
    ("field", "seconds"),
    [
        ("x max-age=60, max-age=600", 600),
        ('max-age=600, x="never closed', 600),
        ('"closed" too late, max-age=600', 600),
        ("@!, max-age=600", 600),
        ("=, max-age=600", 600),
        ("\udcff\udcfe, max-age=600", 600),
    ],
)
def test_a_broken_directive_spoils_no_other(field: str, seconds: int) -> None:
    """What is not a directive ends at the next comma."""
    assert seconds == lifetime(answered({"cache-control": field}), FREE)


# Expires and Date


@pytest.mark.parametrize(
    "expires",
    [
        # The three forms of RFC 9110 section 5.6.7.
        "Sun, 01 Mar 2026 13:00:00 GMT",
        "Sunday, 01-Mar-26 13:00:00 GMT",
        "Sun Mar  1 13:00:00 2026",
        # In any case (RFC 9111 section 4.2), and with the other name of its zone.
        "SUN, 01 MAR 2026 13:00:00 GMT",
        "sun, 01 mar 2026 13:00:00 gmt",
        "Sun, 01 Mar 2026 13:00:00 UTC",
    ],
)
@pytest.mark.parametrize("sent", ["Sun, 01 Mar 2026 12:00:00 GMT", "Sun Mar  1 12:00:00 2026", ""])
def test_expires(expires: str, sent: str) -> None:
    """An hour after the response was sent, or where it does not say when, received."""
    headers = {"expires": expires} | ({"date": sent} if sent else {})

    assert lifetime(answered(headers), FREE) == 3_600


@pytest.mark.parametrize(
    "expires",
    [
        *("0", "-1", "", " ", "now", "never", "600", "1772373600", "GMT"),
        "Sun, 01 Mar 2026 11:59:59 GMT",
        "Sun, 01 Mar 2026 12:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Sun, 32 Mar 2026 13:00:00 GMT",
        "Sun, 01 Foo 2026 13:00:00 GMT",
        "Sun, 01 Mar 2026 25:00:00 GMT",
        "Sun, 01 Mar 2026 13:61:00 GMT",
        "Sun, 01 Mar 99999 13:00:00 GMT",
        "Sun, 01 Mar 0000 13:00:00 GMT",
        "Sun, \u0660\u0661 Mar 2026 13:00:00 GMT",
        # A zone that is neither GMT nor UTC makes a date invalid (RFC 9111 section 4.2).
        "Sun, 01 Mar 2026 13:00:00 EST",
        "Sun, 01 Mar 2026 13:00:00 PDT",
    ],
)
def test_expired(expires: str) -> None:
    """A date in the past, and whatever is not a date, is in the past (RFC 9111 section 5.3)."""
    assert lifetime(answered({"expires": expires, "date": date(0)}), FREE) == 0


@pytest.mark.parametrize("offset", [-10 * DEFAULT, -60, 60, 10 * DEFAULT])
def test_a_clock_that_is_wrong(offset: int) -> None:
    """`Expires` is told from the `Date` of the same clock, however wrong that clock is."""
    headers = {"date": date(offset), "expires": date(offset + 600)}

    assert lifetime(answered(headers), FREE) == 600


@pytest.mark.parametrize("offset", [-10 * DEFAULT, 10 * DEFAULT])
def test_a_clock_that_is_wrong_ages_nothing(offset: int) -> None:
    """Age is what caches on the way say it is: a server's clock makes no file stale."""
    headers = {"date": date(offset), "cache-control": "max-age=600"}

    assert lifetime(answered(headers), FREE) == 600


@pytest.mark.parametrize("sent", ["", "0", "yesterday", "Sun, 32 Mar 2026 12:00:00 GMT"])
def test_an_invalid_date_is_the_time_of_arrival(sent: str) -> None:
    """RFC 9110 section 6.6.1."""
    assert lifetime(answered({"date": sent, "expires": date(600)}), FREE) == 600


def test_max_age_outweighs_expires() -> None:
    """The first match of RFC 9111 section 4.2.1, also where it is 0 or no number."""
    for directive, seconds in [("max-age=60", 60), ("max-age=0", 0), ("max-age=x", 0)]:
        headers = {"cache-control": directive, "expires": date(600)}

        assert seconds == lifetime(answered(headers), FREE)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "UTC"])
def test_the_local_zone_changes_nothing(zone: str) -> None:
    """A date without a zone is GMT on every machine: a cache MUST NOT let local time zones
    influence it (RFC 9111 section 4.2)."""
    program = (
        "from access.results import answered\n"
        "from verger import RFC9309\n"
        "from verger.access.freshness import lifetime\n"
        "headers = {'expires': 'Sun Mar  1 13:00:00 2026',"
        " 'date': 'Sun, 01 Mar 2026 12:00:00 GMT'}\n"
        "print(lifetime(answered(headers), RFC9309))\n"
    )

    assert float(printed(program, TZ=zone)) == 3_600


# Age


@pytest.mark.parametrize(
    ("age", "seconds"),
    [
        *(("0", 600), ("1", 599), ("600", 0), ("601", 0), ("99999999999999999999", 0)),
        # The first of several values (RFC 9111 section 5.1); what is none is ignored.
        *(("100, 200", 500), ("100,", 500), (" 100 ", 500)),
        *(("", 600), ("-1", 600), ("+1", 600), ("1.5", 600), ("x", 600), ("\u0661", 600)),
    ],
)
def test_age(age: str, seconds: int) -> None:
    """Time spent on the way is taken off, never below nothing."""
    assert seconds == lifetime(answered({"cache-control": "max-age=600", "age": age}), FREE)


def test_age_of_a_file_that_expires() -> None:
    """Age counts against `Expires` too, and against the dialect's own lifetime."""
    assert lifetime(answered({"expires": date(600), "date": date(0), "age": "100"}), FREE) == 500
    assert lifetime(answered({"age": "100"}), FREE) == DEFAULT - 100


# Dialects


@pytest.mark.parametrize(
    ("headers", "by_all", "by_cache_control", "by_max_age"),
    [
        ({}, DEFAULT, DEFAULT, DEFAULT),
        ({"cache-control": "max-age=60"}, 60, 60, 60),
        ({"expires": date(60)}, 60, DEFAULT, DEFAULT),
        ({"expires": "0"}, 0, DEFAULT, DEFAULT),
        ({"cache-control": "no-store"}, 0, 0, DEFAULT),
        ({"cache-control": "no-cache"}, 0, 0, DEFAULT),
        ({"cache-control": "no-cache, max-age=60"}, 0, 0, 60),
        ({"cache-control": "max-age=60", "expires": date(90), "age": "10"}, 50, 50, 50),
    ],
)
def test_cache_headers(
    headers: dict[str, str], by_all: int, by_cache_control: int, by_max_age: int
) -> None:
    """The knob `cache_headers` says which header fields count."""
    dialects = (FREE, BY_CACHE_CONTROL, BY_MAX_AGE)

    assert [by_all, by_cache_control, by_max_age] == [
        lifetime(answered(headers), dialect) for dialect in dialects
    ]


def test_honoured() -> None:
    """The header fields of each value have names to show."""
    assert honoured(FREE) == ("Cache-Control", "Expires")
    assert honoured(BY_CACHE_CONTROL) == ("Cache-Control",)
    assert honoured(BY_MAX_AGE) == ("Cache-Control: max-age",)


def test_default_lifetime() -> None:
    """The knob is the lifetime of a file that says nothing, and of no other."""
    dialect = turned(FREE, default_lifetime=77)

    assert lifetime(answered({}), dialect) == 77
    assert lifetime(answered({"cache-control": "max-age=60"}), dialect) == 60


def test_max_lifetime() -> None:
    """The knob bounds what a file says of itself, and the default."""
    dialect = turned(FREE, max_lifetime=77)

    assert lifetime(answered({"cache-control": "max-age=600"}), dialect) == 77
    assert lifetime(answered({"cache-control": "max-age=60"}), dialect) == 60
    assert lifetime(answered({"expires": date(600)}), dialect) == 77
    assert lifetime(answered({}), dialect) == 77


YEAR = 365 * DEFAULT
LONGEST = dict.fromkeys(("original-1994", "koster-1996", "google", "googlebot-cpp"), YEAR)


@pytest.mark.parametrize(
    "headers",
    [
        {"cache-control": "max-age=31536001"},
        {"cache-control": "max-age=99999999999"},
        {"cache-control": "max-age=" + "9" * 5_000},
        {"expires": date(YEAR + 1), "date": date(0)},
        {"expires": "Thu, 31 Dec 2099 23:59:59 GMT"},
        {"cache-control": "max-age=99999999999", "age": "600"},
    ],
)
def test_no_lifetime_is_without_end(headers: dict[str, str]) -> None:
    """Where a dialect has no maximum a year is one; a longer one of its own holds."""
    assert lifetime(answered(headers), turned(FREE, max_lifetime=None)) == YEAR
    assert lifetime(answered(headers), FREE) > YEAR


@pytest.mark.parametrize("name", NAMES)
def test_named_dialects(name: str) -> None:
    """A week or a day without a word; a file may ask for less, and for more where it may."""
    dialect = verger.DIALECTS[name]
    asked = ["", "max-age=60", "max-age=99999999999"]
    week = name in ("original-1994", "koster-1996")

    assert [7 * DEFAULT if week else DEFAULT, 60, LONGEST.get(name, DEFAULT)] == [
        lifetime(answered({"cache-control": field}), dialect) for field in asked
    ]


@pytest.mark.parametrize(
    ("dialect", "seconds"),
    [
        (verger.RFC9309, 30 * DEFAULT),
        (verger.KOSTER_REP_00, 30 * DEFAULT),
        (verger.KOSTER_1996, None),
        (verger.BING, None),
        (verger.YANDEX, None),
        (verger.GOOGLE, 30 * DEFAULT),
        # For 30 days closed, whatever is kept.
        (verger.GOOGLE.replace(google_unreachable="2023"), None),
        (verger.RFC9309.replace(stale_when_unreachable=60), 60),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_stale_when_unreachable(dialect: verger.Dialect, seconds: int | None) -> None:
    """For so long the last good copy stands in for an unreachable file."""
    assert seconds == stale_when_unreachable(dialect)


@pytest.mark.parametrize("status", [200, 204, 301, 403, 404, 410, 503])
def test_any_status_is_kept(status: int) -> None:
    """What a response says of its lifetime holds for every status."""
    result = answered({"cache-control": "max-age=60"}, status=status)

    assert lifetime(result, verger.RFC9309) == 60


def test_a_failure_says_nothing_of_itself() -> None:
    """A fetch without a response has the default lifetime, as far as this part knows."""
    result = AccessResult(URL, NOW, failure="dns")

    assert lifetime(result, verger.RFC9309) == DEFAULT


# Any text

fields = st.text(max_size=60) | st.text(st.sampled_from(' ,="\\;-01max-agenostr'), max_size=40)
near_fields = st.lists(
    st.sampled_from(['"', ",", "=", " ", "max-age", "no-cache", "60", "\\", "x", "9" * 30]),
    max_size=12,
).map("".join)
near_dates = st.lists(
    st.sampled_from(
        [
            *("Sun", ",", " ", "01", "-", "Mar", "2026", "26", "12:00:00", ":", "GMT", "EST"),
            *("+0100", "-0000", "+9999", "99999", "0", "Feb", "30", "(", ")", "\x00", "\udcff"),
            *("1e9", "inf"),
        ]
    ),
    max_size=14,
).map(lambda words: "".join(words) if len(words) % 2 else " ".join(words))
texts = (
    fields
    | near_fields
    | near_dates
    | st.binary(max_size=30).map(lambda data: data.decode("ascii", "surrogateescape"))
)
header_names = st.sampled_from(["cache-control", "expires", "date", "age", "last-modified"])
any_headers = st.dictionaries(header_names, texts)


@given(any_headers, st.sampled_from([*verger.DIALECTS.values(), FREE]))
def test_any_text_has_a_lifetime(headers: dict[str, str], dialect: verger.Dialect) -> None:
    """Nothing raises, nothing is negative, and nothing lasts beyond the dialect's bounds."""
    most = dialect.max_lifetime
    seconds = lifetime(answered(headers), dialect)

    assert 0 <= seconds <= (10**12 if most is None else most)


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.none() | st.integers(0, 10**9))
def test_max_age_less_age(age_limit: int, age: int, most: int | None) -> None:
    """A lifetime is what `max-age` says, less the age, within the bounds."""
    dialect = turned(FREE, max_lifetime=most)
    headers = {"cache-control": f"max-age={age_limit}", "age": str(age)}
    left = max(0, min(age_limit, MOST) - min(age, MOST))

    assert min(left, YEAR if most is None else most) == lifetime(answered(headers), dialect)


@given(near_fields, st.sampled_from(["no-store", "no-cache"]))
def test_what_is_not_to_be_kept_is_not_kept(rest: str, word: str) -> None:
    """Nothing that follows makes a response fresh that forbids to keep it."""
    assert lifetime(answered({"cache-control": f"{word},{rest}"}), FREE) == 0


@pytest.mark.parametrize(
    "piece",
    ['"', "\\", "=", ",", " ", "a", 'a="', 'a="\\', "a=,", ' "', "a ", "a= ", "max-age=1,"],
)
def test_steps_grow_linearly(piece: str) -> None:
    """Ten times as long a field takes about ten times the steps, never a hundred times."""
    short, long = (answered({"cache-control": piece * count}) for count in (2_000, 20_000))

    assert steps_of(lambda: lifetime(long, FREE)) < 12 * steps_of(lambda: lifetime(short, FREE))


# hishel

plain_ages = st.integers(0, 2**31 - 1)
understood = st.builds(
    lambda before, age, after: ", ".join([*before, f"max-age={age}", *after]),
    st.lists(st.sampled_from(["public", "private", "must-revalidate", "s-maxage=7"]), max_size=3),
    plain_ages.map(str) | plain_ages.map(lambda age: f'"{age}"'),
    st.lists(st.sampled_from(["immutable", "stale-if-error=9", 'x="a, b"']), max_size=3),
)


def by_hishel(headers: dict[str, str]) -> int | None:
    """Return what a private cache of hishel's says of a response."""
    return get_freshness_lifetime(Response(200, Headers(headers)), is_cache_shared=False)


@given(understood)
def test_hishel_agrees_on_max_age(field: str) -> None:
    """The same lifetime, where `max-age` is a number."""
    headers = {"cache-control": field}

    assert by_hishel(headers) == lifetime(answered(headers), FREE)


@given(st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6), st.booleans())
def test_hishel_agrees_on_expires(after: int, skew: int, private: bool) -> None:
    """The same lifetime, where both dates are there; what is past is negative there, here 0."""
    headers = {"date": date(skew), "expires": date(skew + after)}
    headers |= {"cache-control": "private"} if private else {}

    assert after == by_hishel(headers)
    assert max(0, after) == lifetime(answered(headers), FREE)


@pytest.mark.parametrize("expires", ["0", "-1", "never", "", "Sun, 01 Mar 99999 13:00:00 GMT"])
def test_hishel_agrees_on_invalid_dates(expires: str) -> None:
    """No date is a time in the past."""
    headers = {"date": date(0), "expires": expires}

    assert by_hishel(headers) == -1
    assert lifetime(answered(headers), FREE) == 0
    assert lifetime(answered(headers), FREE) == 0


@pytest.mark.parametrize(
    ("headers", "theirs", "ours"),
    [
        # It reads no directive into it and goes on to `Expires`, or to a guess.
        ({"cache-control": "max-age=x"}, None, 0),
        ({"cache-control": "max-age=x", "expires": date(600), "date": date(0)}, 600, 0),
        # The last of several values, not the first; Section 4.2.1 leaves the choice.
        ({"cache-control": "max-age=60, max-age=600"}, 600, 60),
        # Its integers end one earlier than section 1.2.2 says.
        ({"cache-control": "max-age=99999999999"}, MOST - 1, MOST),
        # `int` takes a sign and underscores.
        ({"cache-control": "max-age=+6_0"}, 60, 0),
        # Whether a response may be kept is another question there.
        ({"cache-control": "no-store, max-age=60"}, 60, 0),
        ({"cache-control": "no-cache, max-age=60"}, 60, 0),
        # Age is another question there.
        ({"cache-control": "max-age=60", "age": "30"}, 60, 30),
        # No zone is looked at there.
        ({"expires": "Sun, 01 Mar 2026 12:10:00 PDT", "date": date(0)}, 600, 0),
        # A tenth of the time since the last change, a week at most: here the dialect's default.
        ({"last-modified": "Sat, 01 Mar 2025 12:00:00 GMT"}, 7 * DEFAULT, DEFAULT),
    ],
)
def test_hishel_differs(headers: dict[str, str], theirs: int | None, ours: int) -> None:
    """Where the two part, and why."""
    assert theirs == by_hishel(headers)
    assert ours == lifetime(answered(headers), FREE)
