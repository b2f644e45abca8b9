"""What each odd line counts as, through the Python interface."""

import json
from datetime import UTC, datetime
from io import BytesIO

import pytest

from verger.bulk.audit import LogLines, Version, audit_logs

from .lines import ALWAYS, BOT, NOON, audited, combined
from .reference import lines_in

UNREADABLE = {
    "TLS to a port without": (b"\x16\x03\x01\x02\x00\x01\n", "no-time"),
    "NUL": (b"\0\0\0\n", "no-time"),
    "a comment": (b"# a comment\n", "no-time"),
    "no time": (b'192.0.2.1 - - [-] "GET / HTTP/1.1" 200 5\n', "no-time"),
    "no request": (b"192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] 200\n", "no-request"),
    "a last line that is cut": (combined()[:-60], "cut"),
    "a status of letters": (combined(status="ok"), "no-status"),
    "cut JSON": (b'{"time":"2026-01-05T12:00:00Z","request":"GET /\n', "not-json"),
    "JSON of another kind": (b'{"level":"info","msg":"server started"}\n', "no-request"),
    "JSON with another time": (b'{"time":"noon","request":"GET / HTTP/1.1"}\n', "no-time"),
    "65,537 bytes": (b"x" * 65_537 + b"\n", "too-long"),
    "the status among the request": (
        b'192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] "GET /private HTTP/1.1 200 0" "-" "x"\n',
        "no-status",
    ),
    "two more fields before the request": (
        b'192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] a b "GET /private HTTP/1.1" 200 5\n',
        "no-request",
    ),
    "another line in Docker's": (b'{"log":"ready\\n","stream":"stderr"}\n', "no-request"),
    "a line in Docker's that is cut": (
        b'{"log":"192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] \\"GET /"}\n',
        "cut",
    ),
}

AT = '192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] "GET /private HTTP/1.1" 200 512'
MOZILLA = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"
SPACED = f"Mozilla/5.0 AppleWebKit/537.36 (KHTML) Safari/537.36 {BOT}"

AGENT_FIELDS = {
    "agent and referrer swapped": (f'"{MOZILLA}" "https://shop.example/"', "judged"),
    "swapped, without a referrer": (f'"{MOZILLA}" "-"', "judged"),
    "agent and cookies": (f'"{MOZILLA}" "sid=1; x=2"', "judged"),
    "referrer, cookies, agent": (f'"-" "sid=1; x=2" "{MOZILLA}"', "judged"),
    "referrer, no cookies, agent": (f'"-" "-" "{MOZILLA}"', "judged"),
    "referrer, media types, agent": (f'"-" "*/*" "{MOZILLA}"', "judged"),
    "a list of media types": (f'"-" "text/html,*/*;q=0.8" "{MOZILLA}"', "judged"),
    "two URLs, agent": (f'"http://a/" "http://b/" "{MOZILLA}"', "judged"),
    "an address, agent": (f'"-" "192.0.2.9, 2001:db8::1" "{MOZILLA}"', "judged"),
    "agent alone": (f'"{MOZILLA}"', "judged"),
    "agent, then an address": (f'"-" "{MOZILLA}" "192.0.2.9"', "judged"),
    "a short agent, then a protocol": ('"-" "ExampleBot" "HTTP/2.0"', "judged"),
    "referrer alone": ('"https://shop.example/"', "nameless"),
    "two URLs": ('"http://a/" "http://b/"', "nameless"),
    "cookies": ('"-" "sid=1; x=2" "HIT"', "nameless"),
    "media types": ('"-" "*/*" "192.0.2.9" "TLSv1.3"', "nameless"),
    "no agent, an address": ('"https://shop.example/a/1.0" "-" "192.0.2.9"', "nameless"),
    "no agent, and a field that is cut": ('"-" "-" "Exam', "nameless"),
    "a blank": ('"-" " "', "nameless"),
    "blanks as %20": (f'"-" "{SPACED.replace(" ", "%20")}"', "judged"),
    "blanks as +": (f'"-" "{SPACED.replace(" ", "+")}"', "judged"),
    "blanks as %20 in JSON": ({"user_agent": SPACED.replace(" ", "%20")}, "judged"),
    "a blank in JSON": ({"user_agent": " "}, "nameless"),
}
"""What follows the size of a request, or a member of JSON, and as what the line counts."""

KINDS = {
    "a TLS handshake that was logged": (combined(r"\x16\x03\x01"), "no_url"),
    "a request that timed out": (combined("-", "-", status="408"), "no_url"),
    "an empty request": (combined(""), "no_url"),
    "all of a server": (combined("OPTIONS * HTTP/1.1"), "other_methods"),
    "a request with its status": (combined("GET /private HTTP/1.1 200 0"), "no_url"),
    "a word for a request": (combined("home"), "no_url"),
    "GET of an authority": (combined("GET example.com:443 HTTP/1.1"), "no_url"),
    "a tunnel": (combined("CONNECT example.com:443 HTTP/1.1"), "other_methods"),
    "a method in lower case": (combined("get /private HTTP/1.1"), "judged"),
    "HEAD in mixed case": (combined("Head /private HTTP/1.1"), "judged"),
    "a method that nobody knows": (combined("BREW /pot HTCPCP/1.0"), "other_methods"),
    "a browser": (combined(agent="Mozilla/5.0 (X11; Linux) Firefox/128.0"), "people"),
    "no agent": (combined(agent="-"), "nameless"),
    "an empty agent": (combined(agent=""), "nameless"),
    "HTTP/0.9": (combined("GET /private"), "judged"),
    "HEAD": (combined("HEAD /private HTTP/1.1"), "judged"),
    "a user of several words": (combined(before="192.0.2.1 - Jane Q [admin] Doe"), "judged"),
    "an IPv6 client": (combined(before="2001:db8::1 - -"), "judged"),
    "CRLF": (combined().replace(b"\n", b"\r\n"), "judged"),
    "CR": (combined().replace(b"\n", b"\r"), "judged"),
    "CR CR LF": (combined().replace(b"\n", b"\r\r\n"), "judged"),
    "a byte order mark": (b"\xef\xbb\xbf" + combined(), "judged"),
    "no line end": (combined().rstrip(b"\n"), "judged"),
    "an agent with escapes": (combined(agent=r"ExampleBot/1 (\"a\" \\ \xe3\x83\x84)"), "judged"),
    "64 KiB": (combined(f"GET /private{'x' * 65_000} HTTP/1.1"), "judged"),
}


def parts(log: LogLines) -> dict[str, int]:
    """Return how many lines there are of each kind that occurs."""
    return {kind: number for kind, number in lines_in(log).items() if number and kind != "lines"}


@pytest.mark.parametrize("trouble", UNREADABLE)
def test_line_that_is_no_entry(trouble: str) -> None:
    """It is counted, told of with its place and the reason, and the next line is read."""
    line, reason = UNREADABLE[trouble]
    last = b"" if line[-1:] != b"\n" else combined()
    log = audited(combined() + b"\n" + line + last).log

    assert [(3, reason)] == [(each.line, each.reason) for each in log.unreadable_lines]
    assert {"judged": 1 + bool(last), "unreadable": 1} == parts(log)


@pytest.mark.parametrize("kind", KINDS)
def test_line_is_counted_once(kind: str) -> None:
    """Each kind of request has a count of its own."""
    line, count = KINDS[kind]

    assert {count: 1} == parts(audited(line).log)


@pytest.mark.parametrize("fields", AGENT_FIELDS)
def test_agent_is_found_where_it_stands(fields: str) -> None:
    """A URL, cookies, media types or addresses are nobody's name, and no person's either."""
    written, count = AGENT_FIELDS[fields]
    row = written if isinstance(written, dict) else None
    line = json.dumps({"request": "GET /private", **row}) if row else f"{AT} {written}"
    found = audited(line.encode())

    assert {count: 1} == parts(found.log)
    assert (["ExampleBot"] if count == "judged" else []) == [each.token for each in found.crawlers]


ROW = json.dumps({"request": "GET /private HTTP/1.1", "user_agent": BOT})


@pytest.mark.parametrize("log_format", [None, "jsonl"])
@pytest.mark.parametrize(
    "log",
    [
        f"[\n{ROW},\n{ROW},\r\n{ROW}\n]\n",
        f"[{ROW},\n {ROW} ,\n{ROW}]",
        f"[ {ROW}\n,{ROW}\n, {ROW}\n ]\n",
        f"{ROW},\n{ROW},\n{ROW},\n",
    ],
)
def test_array_of_objects_on_lines_of_their_own(log: str, log_format: str | None) -> None:
    """What stands between the objects is passed over."""
    fields = [("user_agent", "user_agent")]
    result = audit_logs([BytesIO(log.encode())], ALWAYS, log_format=log_format, fields=fields)

    assert {"judged": 3} == parts(result.log)
    assert 3 == result.closed


PARTS = {
    "Docker": (
        json.dumps({"log": f'{AT} "-" ', "stream": "stdout", "time": "2026-01-05T12:00:00Z"}),
        json.dumps({"log": f'"{BOT}"\n', "stream": "stdout", "time": "2026-01-05T12:00:00Z"}),
    ),
    "Docker, JSON within": (
        json.dumps({"log": ROW[:30], "stream": "stdout"}),
        json.dumps({"log": f"{ROW[30:]}\n", "stream": "stdout"}),
    ),
    "CRI": (
        f'2026-01-05T12:00:00.655Z stdout P {AT} "-" ',
        f'2026-01-05T12:00:00.656Z stdout F "{BOT}"',
    ),
    "CRI, cut in a name": (
        f'2026-01-05T12:00:00.655Z stdout P {AT} "-" "Examp',
        '2026-01-05T12:00:00.656Z stdout F leBot/1.0"',
    ),
}


@pytest.mark.parametrize("kind", PARTS)
def test_lines_that_a_collector_has_cut(kind: str) -> None:
    """No part counts as a request of people, and each is counted."""
    log = audited("\n".join(PARTS[kind]).encode()).log

    assert 2 == log.lines == log.unreadable + log.nameless
    assert log.unreadable


FIELDS = "#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent)"


@pytest.mark.parametrize(
    ("columns", "count"), [("200 ExampleBot/1.0", "judged"), ("- 200 curl/8.0", "unreadable")]
)
@pytest.mark.parametrize("log_format", [None, "w3c"])
def test_columns_are_as_many_as_are_named(columns: str, count: str, log_format: str | None) -> None:
    """Where a line has more, no value is known to stand in its place."""
    log = f"{FIELDS}\n2026-01-05 12:00:00 GET /private {columns}\n"
    found = audit_logs([BytesIO(log.encode())], ALWAYS, log_format=log_format).log

    assert {count: 1} == parts(found)


@pytest.mark.parametrize(
    ("row", "target"),
    [
        ({"request_uri": "/private", "user_agent": BOT}, "/private"),
        ({"msg": "handled", "path": "/private", "user_agent": BOT}, "/private"),
        ({"message": "GET /open", "path": "/private", "user_agent": BOT}, "/private"),
        ({"uri": "/private", "args": "a=b", "http_user_agent": BOT}, "/private?a=b"),
        ({"cs-uri-stem": "/private", "cs(User-Agent)": "ExampleBot%2F1.0%20x"}, "/private"),
        ({"req": {"url": "/private", "headers": {"user-agent": BOT}}}, "/private"),
        (
            {"request": {"uri": "/private", "method": "GET", "headers": {"User-Agent": [BOT]}}},
            "/private",
        ),
        (
            {"httpRequest": {"requestUrl": "https://example.com/private", "userAgent": BOT}},
            "https://example.com/private",
        ),
    ],
)
def test_names_of_json_members(row: dict[str, object], target: str) -> None:
    """What common servers and collectors write is found; no time is needed by one file."""
    crawler = audited(json.dumps(row).encode()).crawlers[0]

    assert ("ExampleBot", (target,)) == (crawler.token, crawler.examples)


def test_names_that_the_caller_adds() -> None:
    """Other members are named by their path."""
    line = json.dumps({"who": {"UA": BOT}, "what": "/private", "user_agent": "curl/8"}).encode()
    result = audit_logs(
        [BytesIO(line)], ALWAYS, fields=[("user_agent", "who.ua"), ("target", "what")]
    )

    assert ["ExampleBot"] == [crawler.token for crawler in result.crawlers]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-01-05T13:00:00.25+01:00", datetime(2026, 1, 5, 12, 0, 0, 250_000, UTC)),
        ("2026-01-05 12:00:00", NOON),
        ("05/Jan/2026:12:00:00 +0000", NOON),
        (1767614400, NOON),
        (1767614400.5, datetime(2026, 1, 5, 12, 0, 0, 500_000, UTC)),
        ("1767614400000", NOON),
        (1767614400000000000, NOON),
    ],
)
def test_times(written: object, expected: datetime) -> None:
    """Every form of a time is the same moment."""
    line = json.dumps({"time": written, "path": "/private", "user_agent": BOT}).encode()

    assert expected == audited(line).crawlers[0].closed.first


def test_times_beyond_the_calendar() -> None:
    """They are counted, and told of as unknown."""
    log = combined(time=NOON).replace(b"05/Jan/2026", b"01/Jan/0000")
    crawler = audited(log).crawlers[0]

    assert (1, None) == (crawler.closed.count, crawler.closed.first)


@pytest.mark.parametrize("host", ["a.example", "A.Example:443", "https://a.example/x"])
def test_hosts_in_any_spelling(host: str) -> None:
    """They mean what servers log."""
    log = combined(before="a.example - - -") + combined(before="b.example - - -")
    found = audit_logs([BytesIO(log)], ALWAYS, log_format="vhost", hosts=[host]).log

    assert (1, 1) == (found.judged, found.other_hosts)


def test_bytes_come_back() -> None:
    """What is not UTF-8 is kept as surrogates, as everywhere."""
    crawler = audited(combined(r"GET /private/\xff HTTP/1.1")).crawlers[0]

    assert ("/private/\udcff",) == crawler.examples


def test_answers_are_told_apart() -> None:
    """A URL that was closed and refused is not a leak."""
    log = b"".join(combined(status=status) for status in ("200", "304", "403", "500", "-", "101"))
    closed = audited(log).crawlers[0].closed

    assert (6, 2, 2) == (closed.count, closed.answered, closed.refused)


def test_robots_txt_counts() -> None:
    """Whether a crawler ever asked for the file, and when last."""
    later = NOON.replace(hour=15)
    log = combined("GET /robots.txt HTTP/1.1") + combined("GET /robots.txt?x HTTP/1.1", time=later)
    asked = audited(log + combined()).crawlers[0].robots_txt

    assert (2, NOON, later) == (asked.count, asked.first, asked.last)


def test_crawlers_that_are_made_up() -> None:
    """A client that invents names costs no memory, and is judged by each."""
    names = b"".join(combined(agent=f"bot{n}") for n in range(5_000))
    rules = [Version("robots.txt", CLOSED_TO_ONE)]
    result = audit_logs([BytesIO(names)], rules)

    assert (4_097, 5_000) == (len(result.crawlers), result.log.judged)
    assert 4_999 == result.closed == sum(rule.requests.count for rule in result.rules)
    assert [None] == [each.token for each in result.crawlers if each.requests.count > 1]


CLOSED_TO_ONE = b"User-agent: bot4999\nAllow: /\n\nUser-agent: *\nDisallow: /private\n"


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

PRODUCTS = {
    "FigTree/0.1 Robot/1.0 libwww-perl/5.04": {
        "": "FigTree",
        "User-agent: robot\n": "Robot",
        "User-agent: libwww-perl\n": "libwww-perl",
    },
    "FigTree/0.1 Robot/1.0": {"User-agent: Robot\nUser-agent: figtree\n": "FigTree"},
    "Python/3.11 aiohttp/3.9.1": {"": "aiohttp"},
    "ExampleBot/1.0 GPTBot/1.2": {"": "GPTBot"},
    "GPTBot/1.2 ExampleBot/1.0": {"User-agent: ExampleBot\n": "GPTBot"},
    f"{FIREFOX} ExampleBot/1.0": {"User-agent: ExampleBot\n": "ExampleBot"},
}
"""The header of a request, and who it is held to be where a file names these crawlers."""


@pytest.mark.parametrize(
    ("header", "file", "token"),
    [(header, *held) for header, all_ in PRODUCTS.items() for held in all_.items()],
)
def test_several_products(header: str, file: str, token: str) -> None:
    """The one that the file names counts, else the one that is known, else the first."""
    versions = [Version("robots.txt", f"{file}Disallow: /\n".encode())]
    found = audited(combined(agent=header), versions)

    assert [token] == [crawler.token for crawler in found.crawlers]


def test_a_file_that_names_browsers_makes_no_crawlers() -> None:
    """People are people."""
    versions = [Version("r", b"User-agent: Mozilla\nUser-agent: Firefox\nDisallow: /\n")]

    assert {"people": 1} == parts(audited(combined(agent=FIREFOX), versions).log)
