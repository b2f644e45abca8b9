"""One question, one answer: the same URL, crawler and file, asked of every surface of verger.

In: `conformance/surfaces/urls.toml`, and the crawlers whose operators say whose groups they follow.
Out: from each surface the answer of the table, or of `bindings`; none differs.
"""

import asyncio
import io
import json
import tomllib
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import verger
from serve import inside
from support import CHECKOUT
from verger import snapshots
from verger.bulk import Snapshot, decide_table
from verger.bulk.audit import Version, audit_logs
from verger.bulk.filter import filter_urls
from verger.cli.app import main
from verger.compat import protego, robotparser
from verger.crawlers.binding import Bindings
from verger.expectations import Subject
from verger.files.robots_file import LARGEST
from verger.integrations.guard import Disallowed, expect_allowed
from verger.snapshots.opening import open_stored
from verger.testing import MemoryTransport

CASES = tomllib.loads((CHECKOUT / "conformance/surfaces/urls.toml").read_text("utf-8"))
ROBOTS: bytes = CASES["robots"].lstrip("\n").encode()
HOME = "https://example.com"
TOKEN = "ExampleBot"

Answer = tuple[bool | None, int | None]
"""Whether it may be fetched; and the line, None where no rule decides."""


@dataclass(frozen=True)
class Question:
    """May this crawler fetch this URL, with this file at its origin?

    folder:  where a surface keeps what it reads.
    """

    body: bytes
    origin: str
    url: str
    token: str
    folder: Path

    def client(self) -> verger.Client:
        """Return a client of this crawler, for a web that has only this site."""
        return verger.Client(self.who, transport=MemoryTransport({self.origin: self.body}))

    @property
    def who(self) -> str:
        """The identification string of the crawler."""
        return f"{self.token}/1.0 (+https://example.com/bot)"


def by_file(q: Question) -> Answer:
    decision = verger.parse(q.body, url=f"{q.origin}/robots.txt").decide(q.url, q.token)
    return decision.allowed, decision.line


def by_many(q: Question) -> Answer:
    (allowed,) = verger.parse(q.body).allowed_many([q.url], q.token)
    return allowed, by_file(q)[1]


def by_client(q: Question) -> Answer:
    with q.client() as client:
        answer = client.decide(q.url)
        assert client.allowed(q.url) == answer.allowed
    return answer.allowed, answer.line


def by_async_client(q: Question) -> Answer:
    async def ask() -> verger.Answer:
        transport = MemoryTransport({q.origin: q.body})
        async with verger.AsyncClient(q.who, transport=transport) as client:
            return await client.decide(q.url)

    answer = asyncio.run(ask())
    return answer.allowed, answer.line


def by_guard(q: Question) -> Answer:
    with q.client() as client:
        site = client.site(q.url)
    try:
        expect_allowed(site, q.url, Disallowed)
    except Disallowed as error:
        return False, error.answer.line
    return True, site.decide(q.url).line


def by_table_of_one(q: Question) -> Answer:
    return first_of(decide_table(pa.table({"url": [q.url]}), verger.parse(q.body), q.token))


def by_snapshot(q: Question) -> Answer:
    return first_of(decide_table(pa.table({"url": [q.url]}), Snapshot({q.origin: q.body}), q.token))


def first_of(table: verger.bulk.Table) -> Answer:
    row = pa.table(table).to_pylist()[0]
    return row["allowed"], row["line"]


def by_filter(q: Question) -> Answer:
    snapshot, urls, output = (q.folder / name for name in ("s.jsonl", "urls.jsonl", "out.jsonl"))
    snapshot.write_text(json.dumps({"origin": q.origin, "body": q.body.decode()}) + "\n")
    urls.write_text(json.dumps({"url": q.url}) + "\n")
    filter_urls(urls, tokens=q.token, snapshot=snapshot, output=output)
    row = json.loads(output.read_text())
    return row["allowed"], row["line"]


def by_command(q: Question) -> Answer:
    file = q.folder / "robots.txt"
    file.write_bytes(q.body)
    words = ["check", "--robots", str(file), "--robots-url", f"{q.origin}/robots.txt"]
    return checked([*words, "--agent", q.token, "--format", "jsonl", q.url])


def by_command_on_a_snapshot(q: Question) -> Answer:
    snapshot = q.folder / "s.jsonl"
    snapshot.write_text(json.dumps({"origin": q.origin, "body": q.body.decode()}) + "\n")
    words = ["check", "--snapshot", str(snapshot), "--agent", q.token, "--format", "jsonl", q.url]
    return checked(words)


def checked(words: list[str]) -> Answer:
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        main(words)
        out.flush()
        row = json.loads(out.buffer.getvalue())
    return row["allowed"], row["line"]


def by_expectation(q: Question) -> Answer:
    subject = Subject.of_bytes(q.body, url=f"{q.origin}/robots.txt")
    verdict = subject.verdict((q.token,), q.url, "rfc9309")
    return verdict.allowed, verdict.line


def by_drop_in(q: Question) -> Answer:
    """`verger.compat.robotparser`, in this dialect."""
    parser = robotparser.RobotFileParser(f"{q.origin}/robots.txt", dialect="rfc9309")
    parser.parse(q.body.decode().splitlines())
    return parser.can_fetch(q.token, q.url), by_file(q)[1]


class Rules(protego.Protego):
    dialect = "rfc9309"


def by_protego(q: Question) -> Answer:
    allowed = Rules.parse(q.body.decode()).can_fetch(q.url, q.token)
    return allowed, by_file(q)[1]


def by_audit(q: Question) -> Answer:
    """A log has the path of a request, with what its client has sent."""
    path = q.url.partition("://")[2].partition("/")[2]
    line = f'1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] "GET /{path} HTTP/1.1" 200 5 "-" "{q.who}"\n'
    log = io.BytesIO(line.encode())
    version = Version("robots.txt", q.body, since=datetime(2025, 1, 1, tzinfo=UTC))
    found = audit_logs([log], [version], crawler_of=lambda _: q.token)
    return not found.closed, by_file(q)[1]


def by_service(q: Question) -> Answer:
    said = inside.check(q)
    return said["allowed"], said["line"]


def by_service_explained(q: Question) -> Answer:
    said = inside.check_object(q, "explain")
    return said["allowed"], said["line"]


def by_service_of_a_file(q: Question) -> Answer:
    said = inside.check_file(q)
    return said["allowed"], said["line"]


def by_service_in_lines(q: Question) -> Answer:
    said = inside.check_line(q)
    return said["allowed"], said["line"]


def by_service_in_arrow(q: Question) -> Answer:
    said = inside.check_row(q)
    return said["allowed"], said["line"]


def by_service_of_turns(q: Question) -> Answer:
    """Only what is allowed gets a turn."""
    said = inside.check_object(q, "slots")
    assert said["taken"] == said["allowed"]
    return said["allowed"], inside.check(q)["line"]


def by_service_of_files(q: Question) -> Answer:
    """The file that is stored is the one that answers."""
    body = inside.stored(q)
    assert body == q.body
    return by_service(q)


Surface = Callable[[Question], Answer]
SURFACES: Mapping[str, Surface] = {
    each.__name__: each
    for each in (
        *(by_file, by_many, by_client, by_async_client, by_guard, by_table_of_one, by_snapshot),
        *(by_filter, by_command, by_command_on_a_snapshot, by_expectation),
        *(by_drop_in, by_protego, by_audit),
        *(by_service, by_service_explained, by_service_of_a_file, by_service_in_lines),
        *(by_service_in_arrow, by_service_of_turns, by_service_of_files),
    )
}
NOT_ASKED = {
    "by_audit": ("tab", "fragment"),
    "by_filter": ("tab",),
    "by_service_in_lines": ("tab",),
    "by_guard": ("in-the-fragment",),
}
"""No request line has a tab or a fragment, so that no log has it. A row with a control character is
refused, since a line of the output may end there. A guard reads a fragment also as a part of the
path, since some clients send it."""


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("case", CASES["case"], ids=lambda case: str(case["id"]))
def test_urls(case: dict[str, Any], name: str, tmp_path: Path) -> None:
    """However a URL is written, every surface reads it alike."""
    if any(word in case["id"] for word in NOT_ASKED.get(name, ())):
        return
    origin, expect = case.get("origin", HOME), case["expect"]

    said = SURFACES[name](Question(ROBOTS, origin, case["url"], TOKEN, tmp_path))

    assert said == (expect["allowed"], expect.get("line"))


BOUND = b"User-agent: Googlebot\nDisallow: /g\n\nUser-agent: *\nDisallow: /s\n"
NONE = verger.parse(b"")
BY_NAMES = ("by_file", "by_many", "by_drop_in", "by_protego")
"""Files answer for the token that they are given, and drop-ins as their originals."""


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize(
    ("token", "path", "operators", "file"),
    [
        ("Googlebot-Image", "/g", (False, 2), (True, None)),
        ("Googlebot-Image", "/s", (True, None), (False, 5)),
        ("AdsBot-Google", "/s", (True, None), (False, 5)),
        ("ExampleBot", "/s", (False, 5), (False, 5)),
    ],
)
def test_bindings(
    token: str, path: str, operators: Answer, file: Answer, name: str, tmp_path: Path
) -> None:
    """Whose groups a crawler follows, is what its operator says; in a file, what the file says."""
    if name == "by_audit" and token != TOKEN:
        return  # an audit is told the tokens that a crawler follows

    said = SURFACES[name](Question(BOUND, HOME, HOME + path, token, tmp_path))

    assert said == (file if name in BY_NAMES else operators)


WORDS: tuple[tuple[Bindings, bool], ...] = (
    ("operators", True),
    ("file", False),
    ("operators", True),
)


def test_bindings_of_the_file() -> None:
    """Whoever asks for it gets the answer of the file alone."""
    urls, snapshot = pa.table({"url": [f"{HOME}/s"]}), Snapshot({HOME: BOUND})
    who, web = "AdsBot-Google/1.0 (+https://example.com/bot)", MemoryTransport({HOME: BOUND})

    with verger.Client(who, bindings="file", transport=web) as client:
        assert not client.allowed(f"{HOME}/s")
    for robots in verger.parse(BOUND), snapshot:
        for bindings, allowed in WORDS:
            table = decide_table(urls, robots, "AdsBot-Google", bindings=bindings)
            assert first_of(table)[0] == allowed


def test_bindings_of_commands(tmp_path: Path) -> None:
    """`--bindings` is the same parameter."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "example.com").write_bytes(BOUND)
    (tmp_path / "urls.txt").write_text(f"{HOME}/s\n")
    snapshot = ["--snapshot", str(tmp_path / "sites"), "--agent", "AdsBot-Google"]

    for bindings, allowed in WORDS:
        words = [*snapshot, "--bindings", bindings, "--format", "jsonl"]
        assert checked(["check", *words, f"{HOME}/s"])[0] == allowed
        assert checked(["filter", "--quiet", *words, str(tmp_path / "urls.txt")])[0] == allowed


UNKNOWN = tomllib.loads((CHECKOUT / "conformance/surfaces/unanswered.toml").read_text("utf-8"))
ENDLESS = "googlebot-cpp"
"""A dialect that reads all of a file, so that one of too many bytes cannot be read."""


@pytest.mark.parametrize("case", UNKNOWN["case"], ids=lambda case: str(case["id"]))
def test_what_nobody_knows(case: dict[str, Any], tmp_path: Path) -> None:
    """It is null beside the answers that there are, and each command ends with the same code."""
    sites, urls, url = tmp_path / "sites", tmp_path / "urls.txt", case["url"]
    sites.mkdir()
    (sites / "example.com").touch()
    with (sites / "huge.example").open("wb") as huge:
        huge.truncate(LARGEST + 1)
    urls.write_text(f"{url}\n{HOME}/\n")
    asked = ["--quiet", "--snapshot", str(sites), "--agent", TOKEN, "--dialect", ENDLESS]
    ends = {
        name: ended([name, *asked, "--format", "jsonl", *words])
        for name, words in (("check", [url, f"{HOME}/"]), ("filter", [str(urls)]))
    }
    table = decide_table(pa.table({"url": [url]}), snapshots.open(sites, dialect=ENDLESS), TOKEN)

    lines = [json.dumps({"url": each}).encode() for each in (url, f"{HOME}/")]
    stream = (f"/v1/check?agent={TOKEN}&dialect={ENDLESS}", b"\n".join(lines), inside.LINES)
    rows = (stream[0], inside.rows_of(url=[url]), inside.ARROW)
    served = [
        inside.answered(inside.service_of(TOKEN, {}, snapshot=open_stored(str(sites))), *asked)
        for asked in (stream, rows)
    ]

    assert {"check": (2, [None, True]), "filter": (2, [None, True])} == ends
    assert (None, None) == first_of(table)
    assert [None, True] == [json.loads(line)["allowed"] for line in served[0].splitlines()]
    assert inside.first_of(served[1])["allowed"] is None


def ended(words: list[str]) -> tuple[int, list[bool | None]]:
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        code = main(words)
        out.flush()
        lines = out.buffer.getvalue().splitlines()
    return code, [json.loads(line)["allowed"] for line in lines]


@pytest.mark.parametrize(
    "call",
    [
        lambda word: verger.Client("A/1 (+https://a.example)", bindings=word),
        lambda word: decide_table(pa.table({"url": [HOME]}), NONE, TOKEN, bindings=word),
        lambda word: filter_urls("urls", tokens=TOKEN, snapshot="s", bindings=word),
    ],
)
def test_unknown_bindings(call: Callable[[Any], object]) -> None:
    """Another word is refused, with those that exist."""
    with pytest.raises(verger.UnknownName, match="unknown bindings `all`\nhint: pass `operators`"):
        call("all")
