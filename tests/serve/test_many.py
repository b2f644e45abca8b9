"""Streams of questions: a line or a row for each answer, in order, as `filter` and tables give."""

import http.client
import io
import json
import random
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest

from cli.conftest import validator
from cli.web import Web
from verger.bulk import Snapshot, decide_table
from verger.cli.app import main

from .conftest import ROBOTS, Serving, serving

LINES = {"Content-Type": "application/x-ndjson"}
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}
HOSTS = ("a.example", "b.example", "c.example")
FILES = {
    "a.example": ROBOTS,
    "b.example": b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*.pdf$\n",
    "c.example": b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files, as a snapshot."""
    found = tmp_path_factory.mktemp("snapshot")
    for host, body in FILES.items():
        (found / host).write_bytes(body)
    return found


@pytest.fixture(scope="module")
def stored(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A service that answers from the snapshot."""
    log = tmp_path_factory.mktemp("log") / "log"
    with serving(log, "--snapshot", str(folder)) as service:
        yield service


def asked(service: Serving, lines: bytes, **query: Any) -> httpx.Response:
    return service.client.post("/v1/check", params=query, content=lines, headers=LINES)


def rows(said: httpx.Response) -> list[dict[str, Any]]:
    assert said.status_code == 200, said.text
    assert said.headers["content-type"] == LINES["Content-Type"]
    return list(map(json.loads, said.text.splitlines()))


WEIRD = (
    '{"url": "https://a.example/private"}',
    '{"url": "https://a.example/ü"}',
    r'{"url": "https://a.example/\u00fc", "agent": "GPTBot"}',
    r'{"url": "https://a.example/\udcff"}',
    '{"url": " https://b.example/x.pdf\t"}',
    r'{"url": "https://b.example/\tx.pdf"}',
    '{"url": null}',
    '{"url": "nix"}',
    '{"url": ""}',
    '{"agent": "GPTBot"}',
    "[]",
    "{",
    "",
    "   ",
    '{"url": "https://b.example/", "agent": "GPTBot", "more": [1, 1e400, {"x": null}]}',
    '{"url": "https://b.example/", "url": "https://a.example/"}',
    '{"url": "https://b.example/", "agent": null}',
    '{"url": "https://unknown.example/"}',
    '{"url": "https://a.example/", "allowed": true, "row": 7}',
    '{"url": "https://a.example/' + "x" * 3_000 + '"}',
)


def filtered(folder: Path, lines: bytes, tmp_path: Path, *words: str) -> list[dict[str, Any]]:
    """Return what `verger filter` says of the same lines."""
    urls = tmp_path / "urls.jsonl"
    urls.write_bytes(lines)
    words = ("--snapshot", str(folder), "--format", "jsonl", "--quiet", *words)
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        main(["filter", *words, str(urls)])
        out.flush()
        return list(map(json.loads, out.buffer.getvalue().decode().splitlines()))


def test_each_line_alone(stored: Serving) -> None:
    """Plain lines are read and written as columns, unless there is another among them: the answers
    are the same octets."""
    paths = ("", "private", "x.pdf?q=~", "a b/{}", "%7e")
    names = ("", ', "agent": "GPTBot"', ', "agent": "B b"', ',"agent":""')
    plain = [
        f'{{"url": "https://{site}.example/{path}"{name}}}'
        for site in "ab"
        for path in paths
        for name in names
    ]
    lines = [line.encode() for line in (*plain, *WEIRD)]
    among_others = asked(stored, b"\n".join(lines), agent="A").content.splitlines()
    by_themselves = asked(stored, b"\r\n".join(lines[: len(plain)]), agent="A").content

    assert by_themselves.splitlines() == among_others[: len(plain)]


@pytest.mark.parametrize("use", [(), ("--use", "ai-train")])
def test_as_filter(stored: Serving, folder: Path, tmp_path: Path, use: tuple[str, ...]) -> None:
    """Whatever a line holds, its answer is the row of `filter`, but for the name of the input."""
    lines = "\n".join(WEIRD).encode() + b"\n" + b'{"url": "https://a.example/\xff"}\n'
    query = {"use": use[1]} if use else {}
    said = rows(asked(stored, lines, agent="ExampleBot", **query))
    told = filtered(folder, lines, tmp_path, "--agent", "ExampleBot", *use)
    check = validator("filter")

    for mine, other in zip(said, told, strict=True):
        check.validate(mine)
        if mine.get("agent") is None:  # `filter` asks for one crawler
            assert mine == {**other, "input": "request"}


def test_crawlers_by_row(stored: Serving, folder: Path, tmp_path: Path) -> None:
    """Each row is answered for its own crawler; one without is for that of the query."""
    agents = ("GPTBot", "ExampleBot", None)
    draw = random.Random(1)
    questions = [
        {"url": f"https://{draw.choice(HOSTS)}/{draw.choice(('private', 'x.pdf', 'p'))}",
         **({"agent": agent} if (agent := draw.choice(agents)) else {})}
        for _ in range(10_000)
    ]  # fmt: skip
    lines = "".join(json.dumps(each) + "\n" for each in questions).encode()
    said = rows(asked(stored, lines, agent="CCBot"))

    assert [each["row"] for each in said] == [*range(1, 10_001)]
    for agent in ("GPTBot", "ExampleBot", "CCBot"):
        told = filtered(folder, lines, tmp_path, "--agent", agent)
        own = [row for row, each in enumerate(questions) if each.get("agent", "CCBot") == agent]
        assert [said[row] for row in own] == [{**told[row], "input": "request"} for row in own]


def test_bad_crawlers(stored: Serving) -> None:
    """A row whose crawler is none has no answer; the others have theirs."""
    lines = (
        b'{"url": "https://a.example/", "agent": "b ad"}\n'
        b'{"url": "https://a.example/", "agent": 7}\n'
        b'{"url": "https://a.example/"}\n{"url": "https://a.example/", "agent": "A"}\n'
    )
    said = rows(asked(stored, lines))

    assert [None, None, None, True] == [each["allowed"] for each in said]
    assert ["invalid-row"] * 3 + [None] == [each["error"] for each in said]


@pytest.mark.parametrize("lines", [b"", b"\n\n", b'{"url": "https://a.example/"}'])
def test_ends(stored: Serving, lines: bytes) -> None:
    """An empty body has no answers; the last line needs no end."""
    assert len(rows(asked(stored, lines, agent="A"))) == lines.count(b"{")


def test_wrong_table(stored: Serving) -> None:
    """Lines without a `url` are another table, which is told before any answer."""
    said = asked(stored, b'{"link": "https://a.example/"}\n', agent="A")

    assert (422, "body") == (said.status_code, said.json()["field"])
    assert "`url`" in said.json()["detail"]


def test_answers_while_asked(stored: Serving) -> None:
    """A line is answered before the next one comes: nobody waits for another."""
    port = stored.client.base_url.port
    caller = http.client.HTTPConnection("127.0.0.1", port)
    caller.putrequest("POST", "/v1/check?agent=A")
    caller.putheader("Content-Type", LINES["Content-Type"])
    caller.putheader("Transfer-Encoding", "chunked")
    caller.endheaders()
    answers: http.client.HTTPResponse | None = None
    for number in range(3):
        line = json.dumps({"url": f"https://a.example/{number}"}).encode() + b"\n"
        caller.send(b"%x\r\n%s\r\n" % (len(line), line))
        answers = answers or caller.getresponse()
        assert json.loads(answers.readline())["row"] == number + 1
    caller.send(b"0\r\n\r\n")
    assert answers is not None
    assert answers.read() == b""


def test_sites_are_fetched(service: Serving, sites: Web) -> None:
    """Files that are not known are fetched, each once."""
    before = len(sites.requests)
    urls = ["http://a.example/private", "http://gone.example/x", "http://down.example/y"] * 50
    lines = "".join(json.dumps({"url": url}) + "\n" for url in urls).encode()
    said = rows(asked(service, lines, agent="ExampleBot"))

    assert [False, True, False] * 50 == [each["allowed"] for each in said]
    assert [200, 404, 503] == [each["status"] for each in said[:3]]
    assert len(sites.requests) - before <= 3


PLAIN = b'{"url": "https://a.example/private"}\n'
CROOKED = (
    b'{"url": "https://a.example/1"}{"url": "https://a.example/private"}\n\n',
    b'{"url":\n"https://a.example/1"}\n{"url": "https://a.example/2"}{"url": "https://a.example/"}',
    b'{"url": "https://a.example/1"}\r{"url": "https://a.example/2"}\n\n',
    b'{"url": "https://a.example/private"},\n',
    b'{"url": "https://a.example/private"} {\n',
    b'{"url": "https://a.example/private", "url": "https://a.example/1"}\n',
    b'[{"url": "https://a.example/1"}]\n',
    b'\xef\xbb\xbf{"url": "https://a.example/1"}\n',
    b'{"url": "https://a.example/priv',
)


@pytest.mark.parametrize("crooked", CROOKED)
def test_lines_that_are_torn(stored: Serving, crooked: bytes) -> None:
    """A line is read by itself, however many come with it: what is no object has no answer, and
    the others keep theirs, and their numbers."""
    alone = rows(asked(stored, PLAIN + crooked, agent="A"))[1:]
    behind_many = rows(asked(stored, PLAIN * 200 + crooked, agent="A"))[200:]

    assert [{**row, "row": row["row"] + 199} for row in alone] == behind_many
    assert None in [row["allowed"] for row in alone]


def test_only_if_cached(service: Serving, sites: Web) -> None:
    """Nothing is fetched for it: a row whose file is not stored has no answer."""
    wish = {**LINES, "Cache-Control": "only-if-cached"}
    service.get("/v1/check", url="http://a.example:80/", agent="A")
    before = len(sites.requests)
    body = b'{"url": "http://a.example/private"}\n{"url": "http://never.example/"}\n'
    said = rows(service.client.post("/v1/check?agent=A", content=body, headers=wish))
    table = sent(pa.table({"url": ["http://a.example/private", "http://never.example/"]}))
    wish = {**ARROW, "Cache-Control": "only-if-cached"}
    found = received(service.client.post("/v1/check?agent=A", content=table, headers=wish))

    assert [False, None] == [row["allowed"] for row in said]
    assert [False, None] == found.column("allowed").to_pylist()
    assert before == len(sites.requests)


# Arrow


def sent(table: pa.Table, *, rows_at_once: int = 1_000) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=rows_at_once)
    return bytes(sink.getvalue())


def received(said: httpx.Response) -> pa.Table:
    assert said.status_code == 200, said.text
    with pa.ipc.open_stream(said.content) as stream:
        return stream.read_all()


def test_arrow(stored: Serving) -> None:
    """Columns are those of `decide_table`, for the crawler of the query or of each row."""
    paths = ("private", "x.pdf", "p")
    urls = [f"https://{HOSTS[n % 3]}/{paths[n % 5 % 3]}" for n in range(5_000)]
    urls[7:10] = ["nix", None, "https://unknown.example/"]  # type: ignore[list-item]
    agents = [("GPTBot", "ExampleBot", None)[n % 3] for n in range(5_000)]
    snapshot = Snapshot({f"https://{host}": body for host, body in FILES.items()})
    plain = pa.table({"url": urls})
    query = {"agent": "CCBot", "use": "ai-train"}
    post = stored.client.post
    alone = received(post("/v1/check", params=query, content=sent(plain), headers=ARROW))
    mixed = plain.append_column("agent", pa.array(agents, pa.string()))
    each = received(post("/v1/check", params=query, content=sent(mixed), headers=ARROW))

    told = pa.table(decide_table(plain, snapshot, "CCBot", use="ai-train"))
    assert told.to_pylist() == alone.to_pylist()
    for agent in set(agents):
        told = pa.table(decide_table(plain, snapshot, agent or "CCBot", use="ai-train"))
        own = [row for row, name in enumerate(agents) if name == agent]
        assert told.take(own).to_pylist() == each.take(own).to_pylist()


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_text_of_arrow(stored: Serving, kind: pa.DataType) -> None:
    """Text may come as polars, pandas and others write it: URLs and crawlers alike."""
    urls = pa.array([f"https://{HOSTS[0]}/{n}" for n in range(3)])
    agents = pa.array([None, "GPTBot", None])
    found = [
        received(stored.client.post("/v1/check?agent=A", content=sent(each), headers=ARROW))
        for each in (
            pa.table({"url": urls, "agent": agents}),
            pa.table({"url": urls.cast(kind), "agent": agents.cast(kind), "x": urls.cast(kind)}),
            pa.table({"url": urls}),
            pa.table({"url": urls, "agent": pa.nulls(3)}),
        )
    ]

    assert found[0].to_pylist() == found[1].to_pylist()
    assert found[2].to_pylist() == found[3].to_pylist()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"nothing of the kind", 400),
        (sent(pa.table({"link": ["https://a.example/"]})), 422),
        (sent(pa.table({"url": [1, 2]})), 422),
        (sent(pa.table({"url": ["https://a.example/"], "agent": ["b ad"]})), 422),
        (sent(pa.table({"url": ["https://a.example/"], "agent": [1]})), 422),
        (sent(pa.table([["https://a.example/"], ["A"], ["B"]], ["url", "agent", "agent"])), 422),
    ],
)
def test_bad_arrow(stored: Serving, body: bytes, status: int) -> None:
    """What is no stream, or has no column of URLs, is a problem."""
    said = stored.client.post("/v1/check", params={"agent": "A"}, content=body, headers=ARROW)

    assert (status, "detail" in said.json()) == (said.status_code, True)


SENT = sent(
    pa.table(
        {
            "url": [f"https://{HOSTS[n % 3]}/{n}" for n in range(300)],
            "agent": [("A", "GPTBot", None)[n % 3] for n in range(300)],
        }
    ),
    rows_at_once=100,
)


def answer(service: Serving, body: bytes) -> int | None:
    """Return the status of the answer to a stream of Arrow; None if it was cut off."""
    try:
        return service.client.post("/v1/check?agent=A", content=body, headers=ARROW).status_code
    except httpx.RemoteProtocolError:
        return None


def test_torn_arrow(stored: Serving) -> None:
    """A stream that ends in the middle is a problem, or is cut off: nobody takes it for whole."""
    ends = [*range(0, 800, 13), *range(800, len(SENT) - 8, 397)]
    found = {end: answer(stored, SENT[:end]) for end in ends}

    assert {400, None} == set(found.values())
    assert found[ends[-1]] is None


def test_damaged_arrow(stored: Serving) -> None:
    """Whatever a stream holds, the service lives on, and knows whose fault it is."""
    draw = random.Random(47)
    statuses = set()
    for number in range(300):
        body = bytearray(SENT)
        for _ in range(draw.choice((1, 2, 8))):
            body[draw.randrange(len(body) if number % 2 else 1_500)] = draw.randrange(256)
        statuses.add(answer(stored, bytes(body)))

    assert statuses <= {200, 400, 413, 415, 422, None}
    assert stored.process.poll() is None


@pytest.mark.parametrize("coding", ["zstd", "lz4"])
@pytest.mark.parametrize("of", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_compressed_arrow(stored: Serving, coding: str, of: pa.DataType) -> None:
    """Some kilobytes would become gigabytes: rows and dictionaries are told to come plain."""
    table = pa.table({"url": pa.array([f"https://{HOSTS[0]}/" + "a" * 999] * 99).cast(of)})
    options = pa.ipc.IpcWriteOptions(compression=coding)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    said = stored.client.post(
        "/v1/check", params={"agent": "A"}, content=bytes(sink.getvalue()), headers=ARROW
    )

    assert (415, "body") == (said.status_code, said.json()["field"])
    assert "without compression" in said.json()["detail"]
    assert answer(stored, sent(table)) == 200


def test_large_messages_of_arrow(stored: Serving) -> None:
    """A message is read as a whole, so that it has a limit."""
    chunk = b"x" * (1 << 20)
    body = (b"\xff\xff\xff\xff\xff\xff\xff\x7f", *(chunk for _ in range(80)))
    said = stored.client.post("/v1/check?agent=A", content=iter(body), headers=ARROW)

    assert (413, "body") == (said.status_code, said.json()["field"])


def test_arrow_without_rows(stored: Serving) -> None:
    """No rows have no answers, and the stream is one."""
    body = sent(pa.table({"url": pa.array([], pa.string())}))
    said = stored.client.post("/v1/check", params={"agent": "A"}, content=body, headers=ARROW)

    assert (200, 0) == (said.status_code, len(received(said)))
