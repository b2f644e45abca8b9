"""Snapshots made of files and access results say what each origin alone says."""

from typing import Any, get_args

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import verger
from bulk.conftest import FILE, SITE, TOKEN, URLS, column, rows_of, site_answer
from property_settings import examples
from strategies import NAMED, Pair, encoded, files, free_urls, pairs
from support import NAMES
from verger.access.result import AccessResult, Failure
from verger.bulk import Snapshot, decide_table

ORIGINS = (
    *(
        "http://e.com",
        "https://e.com:8080",
        "http://a",
        "ftp://e.com",
        "https://b\u00fccher.example",
    ),
    *("http://[::1]", "http://e.com.", "http://1.2.3.4:8080"),
)
dialects = st.one_of(st.sampled_from(NAMED), pairs())
results = st.builds(
    AccessResult,
    url=st.just(""),
    fetched_at=st.floats(0, 4e9),
    status=st.one_of(st.none(), st.sampled_from([200, 204, 206, 301, 403, 404, 429, 500, 999])),
    failure=st.one_of(st.none(), st.none(), st.sampled_from(get_args(Failure))),
    body=files,
)
urls_of_origins = st.tuples(
    st.sampled_from(
        [*ORIGINS, "HTTP://E.com:80", "http://u:p@e.com", "https://xn--bcher-kva.example"]
    ),
    st.sampled_from(["", "/", "/a", "?a", "#a", "/b/a"]),
).map("".join)


@pytest.mark.slow
@examples(100)
@given(
    st.dictionaries(st.sampled_from(ORIGINS), st.one_of(files, results)),
    dialects,
    st.lists(st.one_of(urls_of_origins, free_urls), max_size=12),
)
def test_any_snapshot(known: dict[str, bytes | AccessResult], pair: Pair, urls: list[str]) -> None:
    """Whatever became of each origin: a row is what is known of its origin, in any spelling."""
    snapshot = Snapshot(known, dialect=pair.dialect)
    canonical = {verger.origin(url): file for url, file in known.items()}

    found = rows_of(decide_table(column(map(encoded, urls), pa.binary()), snapshot, "a"))

    assert [site_answer(canonical, pair.dialect, "a", url) for url in urls] == found


@pytest.mark.parametrize("name", NAMES)
def test_named_dialects(name: str) -> None:
    """In all eight dialects a row is the answer of its origin's file."""
    dialect = verger.DIALECTS[name]
    known = {SITE: FILE, "https://other.example": b"User-agent: *\nDisallow: /\n"}
    snapshot = Snapshot(known, dialect=name)

    assert [site_answer(known, dialect, TOKEN, url) for url in URLS] == rows_of(
        decide_table(column(URLS), snapshot, TOKEN)
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_failure(name: str) -> None:
    """What a failed fetch means is the access policy's word, in each dialect."""
    dialect = verger.DIALECTS[name]
    known: dict[str, bytes | AccessResult] = {
        f"https://{failure}.example": AccessResult("", 0.0, failure=failure)
        for failure in get_args(Failure)
    }
    urls = [f"{origin}/x" for origin in known]

    assert [site_answer(known, dialect, TOKEN, url) for url in urls] == rows_of(
        decide_table(column(urls), Snapshot(known, dialect=name), TOKEN)
    )


SPELLINGS = {
    "upper case": ("HTTPS://EXAMPLE.com", "https://example.com/x"),
    "default port": ("https://example.com:443", "https://example.com/x"),
    "empty port": ("https://example.com:", "https://example.com/x"),
    "another port": ("https://example.com:8443", "https://example.com:8443/x"),
    "user": ("https://user:secret@example.com", "https://example.com/x"),
    "user of a row": ("https://example.com", "https://user@example.com/x"),
    "file": ("https://example.com/robots.txt", "https://example.com/x"),
    "query": ("https://example.com", "https://example.com?x"),
    "fragment": ("https://example.com", "https://example.com#x"),
    "letters": ("https://B\u00dcCHER.example", "https://xn--bcher-kva.example/x"),
    "A-labels": ("https://xn--bcher-kva.example", "https://b\u00fccher.example/x"),
    "A-labels in upper case": ("https://XN--BCHER-KVA.example", "https://b\u00fccher.example/x"),
    "IPv6": ("http://[2001:db8::1]", "http://[2001:DB8:0:0:0:0:0:1]:80/x"),
    "IPv4": ("http://127.0.0.1", "http://0x7f.1/x"),
    "escapes": ("https://example.com", "https://ex%61mple.com/x"),
    "FTP": ("ftp://example.com:21", "FTP://example.com/x"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_one_origin(spelling: str) -> None:
    """An origin is found however the snapshot or the row spells it."""
    entry, url = SPELLINGS[spelling]
    snapshot = Snapshot({entry: b"User-agent: *\nDisallow: /\n"})
    reasons = [row[1] for row in rows_of(decide_table(column([url, "/x"]), snapshot, TOKEN))]

    assert "NOT_IN_SNAPSHOT" != reasons[0]
    assert "INVALID_TARGET" == reasons[1]
    assert verger.origin(url) in snapshot


def test_origins_that_differ() -> None:
    """Scheme, port and a trailing dot make another origin, also for neighbouring rows."""
    snapshot = Snapshot({SITE: b"User-agent: *\nDisallow: /\n"})
    urls = [
        *(f"{SITE}/", "http://example.com/", f"{SITE}:8443/", "https://example.com./", f"{SITE}/"),
        *("https://example.com.evil/", "https://example.com@evil.example/", f"{SITE}?/", SITE),
    ]

    assert [False, None, None, None, False, None, None, False, False] == [
        row[0] for row in rows_of(decide_table(column(urls), snapshot, TOKEN))
    ]


def test_results_by_their_url() -> None:
    """Results come with the URL that was fetched; the latest of an origin counts."""
    allow, deny = b"User-agent: *\nAllow: /\n", b"User-agent: *\nDisallow: /\n"
    url = f"{SITE}/robots.txt"
    for times, expected in {(1.0, 2.0): False, (2.0, 1.0): True, (1.0, 1.0): False}.items():
        pair = [
            AccessResult(url, time, status=200, body=body)
            for time, body in zip(times, (allow, deny), strict=True)
        ]
        snapshot = Snapshot.from_results(iter(pair))

        assert 1 == len(snapshot)
        assert [expected] == [
            row[0] for row in rows_of(decide_table(column([f"{SITE}/x"]), snapshot, TOKEN))
        ]


@pytest.mark.parametrize("time", [float("inf"), float("-inf"), float("nan")])
def test_a_result_without_a_finite_time_comes_first(time: float) -> None:
    """Its time is unknown, as in tables."""
    url = f"{SITE}/robots.txt"
    known = AccessResult(url, 1.0, status=200, body=b"User-agent: *\nDisallow: /\n")
    snapshot = Snapshot.from_results([known, AccessResult(url, time, status=200, body=b"")])

    assert [False] == [
        row[0] for row in rows_of(decide_table(column([f"{SITE}/x"]), snapshot, TOKEN))
    ]


def test_the_key_of_a_mapping_is_the_origin() -> None:
    """A result that was fetched elsewhere speaks for the origin that it is filed under."""
    result = AccessResult("https://cdn.example/robots.txt", 0.0, status=404)
    snapshot = Snapshot({SITE: result})

    assert [(True, "UNAVAILABLE", None), (None, "NOT_IN_SNAPSHOT", None)] == rows_of(
        decide_table(column([f"{SITE}/x", "https://cdn.example/"]), snapshot, TOKEN)
    )


def test_of_two_spellings_the_second_counts() -> None:
    """A mapping has no times but its order, whether bytes or results are filed."""
    deny = b"User-agent: *\nDisallow: /\n"
    known: dict[str, bytes | AccessResult] = {SITE: AccessResult("", 9e8, status=404)}
    snapshot = Snapshot({**known, f"{SITE}:443": deny})

    assert [False] == [
        row[0] for row in rows_of(decide_table(column([f"{SITE}/x"]), snapshot, TOKEN))
    ]


def test_empty_snapshot() -> None:
    """A snapshot of nothing answers about nothing."""
    for snapshot in (Snapshot({}), Snapshot.from_results([])):
        assert 0 == len(snapshot)
        assert [(None, "NOT_IN_SNAPSHOT", None)] == rows_of(
            decide_table(column([SITE]), snapshot, TOKEN)
        )


def test_what_a_snapshot_says_of_itself() -> None:
    """Size, dialect, and whether an origin is in it."""
    snapshot = Snapshot({SITE: FILE, "http://a.example": FILE}, dialect="google")

    assert 2 == len(snapshot)
    assert verger.DIALECTS["google"] == snapshot.dialect
    assert SITE in snapshot
    assert "https://a.example" not in snapshot
    assert "\ud800" not in snapshot
    assert "Snapshot(2 origins, dialect='google')" == repr(snapshot)


def test_dialect_of_the_callers_own() -> None:
    """Files are read in the dialect that is given, whatever its name."""
    dialect = verger.DIALECTS["rfc9309"].replace(tie="disallow")
    body = b"User-agent: *\nAllow: /a\nDisallow: /a\n"
    urls = column([f"{SITE}/a"])

    assert [True] == [row[0] for row in rows_of(decide_table(urls, Snapshot({SITE: body}), TOKEN))]
    assert [False] == [
        row[0]
        for row in rows_of(decide_table(urls, Snapshot({SITE: body}, dialect=dialect), TOKEN))
    ]


def test_one_crawler_after_the_other() -> None:
    """What was parsed for one crawler is not taken for another."""
    snapshot = Snapshot({SITE: b"User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n"})
    urls = column([f"{SITE}/a", f"{SITE}/b"])
    found = [
        [row[0] for row in rows_of(decide_table(urls, snapshot, token))]
        for token in ("a", "b", "a", ("b", "a"), "c")
    ]

    assert [[False, True], [True, False], [False, True]] == found[:3]
    assert [True, True] == found[4]


@pytest.mark.parametrize("body", [bytearray(FILE), memoryview(FILE), FILE.decode()], ids=type)
def test_bodies_of_other_types(body: Any) -> None:
    """A file may be whatever `parse` takes."""
    snapshot = Snapshot({SITE: body})

    assert rows_of(decide_table(column(URLS), Snapshot({SITE: FILE}), TOKEN)) == rows_of(
        decide_table(column(URLS), snapshot, TOKEN)
    )


@pytest.mark.parametrize("body", [None, 1, ["a"], AccessResult], ids=repr)
def test_what_is_no_file(body: Any) -> None:
    """Anything else is a mistake of type."""
    with pytest.raises(TypeError):
        Snapshot({SITE: body})


@pytest.mark.parametrize("host", ["example.com\uff0fx", "example.com%2fx", "\u200b", "1.2.3.4.5"])
def test_row_of_what_is_not_a_host(host: str) -> None:
    """A row whose host is none in its final form has no origin and no decision."""
    snapshot = Snapshot({"https://example.com": b"", "https://1.2.3.4": b""})
    urls = column([f"https://{host}/page"])

    assert ["INVALID_TARGET"] == [row[1] for row in rows_of(decide_table(urls, snapshot, TOKEN))]


@pytest.mark.parametrize(
    "url",
    [
        *("/robots.txt", "", "wss://a.example", "https://"),
        *("https://a\uff0fb", "https://\u200b", "https://a%2fb", "https://1.2.3.4.5"),
    ],
)
def test_what_is_no_origin(url: str) -> None:
    """An entry without origin is refused, in a mapping and among results."""
    with pytest.raises(verger.InvalidTarget):
        Snapshot({url: b""})
    with pytest.raises(verger.InvalidTarget):
        Snapshot.from_results([AccessResult(url, 0.0, status=404)])


def test_unknown_dialect() -> None:
    """A dialect that is not known is told with those that are."""
    for make in (
        lambda: Snapshot({}, dialect="gogle"),
        lambda: Snapshot.from_results([], dialect="gogle"),
        lambda: Snapshot.from_table(pa.table({"origin": ["x"], "body": ["y"]}), dialect="gogle"),
    ):
        with pytest.raises(verger.UnknownName, match="gogle"):
            make()
