"""Lines of access logs, as servers write them.

In: what a request was. Out: the bytes of its line. Generated logs are the same for the same seed.
"""

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO

from verger.bulk.audit import AuditResult, Version, audit_logs

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)

CLOSED = b"User-agent: *\nDisallow: /private\n"
ALWAYS = (Version("robots.txt", CLOSED),)


def combined(
    request: str = "GET /private HTTP/1.1",
    agent: str = BOT,
    *,
    status: str = "200",
    time: datetime = NOON,
    before: str = "192.0.2.1 - -",
) -> bytes:
    """Return a line in combined format."""
    stamp = time.strftime("%d/%b/%Y:%H:%M:%S %z")
    return f'{before} [{stamp}] "{request}" {status} 512 "-" "{agent}"\n'.encode()


def audited(
    log: bytes, versions: Sequence[Version] = ALWAYS, *, grace: timedelta = timedelta(0)
) -> AuditResult:
    """Return what an audit finds in a log."""
    return audit_logs([BytesIO(log)], versions, grace=grace)


AGENTS = (
    BOT,
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; "
    "+https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "examplebot/2.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    r"quoting \"bot\" \\ \xc3\xbc",
    "-",
    "",
)
TARGETS = (
    *("/", "/private", "/private/press/1", "/a%20b", "/tmp/x?y=1", "/shop/item.html", "//private"),
    *("/robots.txt", "/robots.txt?x", "/private/robots.txt", r"/\xe3\x83\x84", r"/q\"uote"),
    *("*", "http://example.com/private", "https://example.com", "example.com:443", "/a b c"),
)
METHODS = ("GET", "GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "get")
RUBBISH = (
    *(r"\x16\x03\x01\x02", "-", "", "GET", "GET "),
    *("GET /private", "GET /private HTTP/1.1 HTTP/1.1"),
)
BEFORE = (
    *("192.0.2.1 - -", "2001:db8::1 - frank", "host.example - Jane Doe", "::1 ident -"),
    *("example.com:80 192.0.2.1 - -", "other.example:443 192.0.2.1 - -"),
)
BROKEN = (
    *(b"\n", b" \t\r\n", b"\x16\x03\x01\0\n", b"#Fields: date time\n", b"{\n", b"\xff\xfe\n"),
    *(b'192.0.2.1 - - [-] "GET / HTTP/1.1" 200 5\n', b'h - - [05/Jan/2026:12:00:00 +0000] "GET\n'),
)


def generated(seed: int, lines: int, span: timedelta = timedelta(days=20)) -> bytes:
    """Return a log in mixed formats, some of it rubbish."""
    chance = random.Random(seed)
    return b"".join(_line(chance, NOON + span * chance.random()) for _ in range(lines))


def _line(chance: random.Random, time: datetime) -> bytes:
    if chance.random() < 0.05:
        return chance.choice(BROKEN)
    request = f"{chance.choice(METHODS)} {chance.choice(TARGETS)} HTTP/1.1"
    if chance.random() < 0.05:
        request = chance.choice(RUBBISH)
    agent, status = chance.choice(AGENTS), chance.choice(("200", "304", "403", "404", "500"))
    if chance.random() < 0.3:
        return _object(chance, time, request, agent, int(status))
    line = combined(
        request,
        agent,
        status="-" if chance.random() < 0.02 else status,
        time=time.replace(microsecond=0),
        before=chance.choice(BEFORE),
    )
    return line.replace(b"\n", b"\r\n") if chance.random() < 0.1 else line


def _object(chance: random.Random, time: datetime, request: str, agent: str, status: int) -> bytes:
    row = {
        "time": time.isoformat(),
        "request": request,
        "status": status,
        "http_user_agent": agent,
        "nested": {"a": [1, {"b": "]}"}], "c": None},
    }
    if chance.random() < 0.3:
        row["host"] = chance.choice(("example.com", "OTHER.example"))
    return json.dumps(row, ensure_ascii=chance.random() < 0.5).encode() + b"\n"
