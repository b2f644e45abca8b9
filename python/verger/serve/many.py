"""Many questions in one request: lines of JSON or Arrow in, answers in the same order out.

In: a body that is read as it comes. Out: a response that is written while it is; whoever does not
read it is not read from. Rows are those of `verger filter`, by the same kernel, and columns those
of `verger.bulk.decide_table`; files that are not known are fetched, many at once. The work is done
in a thread of its own, which waits for the loop to fetch, to read and to write.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from aiohttp import web

from verger._core import _PlainLines
from verger.access.answer import Question, Unanswered
from verger.bulk.decide import decide_table, origins
from verger.bulk.filter.blocks import NO_ANSWER, AskedUse, Block, Numbered
from verger.bulk.filter.columns import OtherColumns
from verger.bulk.filter.decide import BySnapshot
from verger.bulk.filter.reading import UrlInput, blocks_of
from verger.bulk.filter.writing import JsonLines
from verger.client.site import LEAST_FRESH
from verger.crawlers.uses import asked_use
from verger.errors import MissingExtra, RobotsError
from verger.files.json_text import json_text, read_object
from verger.loop_thread import in_thread
from verger.serve.arrow_frames import ArrowFrames
from verger.serve.asking import ARROW, Asked, question, read_query, use_of
from verger.serve.limits import Gate
from verger.serve.problems import Problem, expect
from verger.serve.routes import terms_of
from verger.serve.sites import Fetched, Sites, Terms
from verger.snapshots.snapshot import Snapshot
from verger.snapshots.stored import Stored

OF_ALL = ("agent", "dialect", "use", "bindings")
"""The parameters of the query, which hold for all rows."""

MOST_CRAWLERS = 64
"""How many crawlers one stream may ask for; of more each would read all files again."""

MOST_AT_ONCE = 64 << 20
"""The most bytes of one message of Arrow, which is read as a whole."""

T = TypeVar("T")


class Many:
    """Answers streams of questions."""

    def __init__(self, sites: Sites, gate: Gate) -> None:
        self._sites, self._gate = sites, gate

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer the questions of a request; the query has what is the same for all of them."""
        asked = read_query(request, OF_ALL)
        work: Callable[[Duplex, Asker], None]
        kind = request.content_type
        if kind == ARROW:
            with MissingExtra.unless_installed("bulk", "Arrow"):
                import pyarrow.ipc  # noqa: F401
        response = web.StreamResponse(headers={"Cache-Status": "verger"})
        response.content_type = kind
        both_ways = Duplex(request, response, self._gate.limits.seconds)
        asker = Asker(self._sites, asked, asyncio.get_running_loop(), terms_of(request))
        work = _answer_arrow if kind == ARROW else partial(_answer_lines, self._gate.limits)
        try:
            await in_thread(partial(work, both_ways, asker), "verger-stream")
        except BaseException as error:
            if response.prepared and request.transport is not None:
                request.transport.abort()  # so that nobody takes the part for the whole
            if isinstance(error, RobotsError) and not response.prepared:
                raise Problem(422, error.message, field="body", hint=error.hint) from None
            raise
        await both_ways.send(b"")
        await response.write_eof()
        return response


class Duplex:
    """The body of a request and of its response, for a thread; each call waits for the loop."""

    def __init__(self, request: web.Request, response: web.StreamResponse, seconds: float) -> None:
        self._request, self._response, self._seconds = request, response, seconds
        self._loop = asyncio.get_running_loop()
        self._rest, self._written = bytearray(), list[Any]()
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        """Return what has come, or exactly so many bytes unless the body ends before; nothing at
        its end. Raises `Problem` 413."""
        if size < 0:
            return bytes(self._wait(self._request.content.readany()))
        most = f"a message of Arrow has up to {MOST_AT_ONCE:,} bytes: send smaller batches"
        while len(self._rest) < size and (more := self._wait(self._request.content.readany())):
            self._rest += more
            expect(len(self._rest) <= MOST_AT_ONCE, 413, most, "body")
        found = bytes(memoryview(self._rest)[:size])  # copied once
        del self._rest[:size]
        return found

    def write(self, data: Any) -> int:
        """Take a part of the response, which `flush` writes."""
        self._written.append(data)
        return len(data)

    def flush(self) -> None:
        """Write what was taken, as fast as it is read."""
        data, self._written = b"".join(self._written), []
        if data:
            self._wait(self.send(data))

    async def send(self, data: bytes) -> None:
        """Write a part of the response, in the loop; the first begins it."""
        if not self._response.prepared:
            await self._response.prepare(self._request)
        await self._response.write(data)

    def _wait(self, work: Any) -> Any:
        """Return what comes of work in the loop, within the time for one wait."""

        async def in_time() -> Any:
            async with asyncio.timeout(self._seconds):
                return await work

        return asyncio.run_coroutine_threadsafe(in_time(), self._loop).result()


class Asker:
    """What is asked about each row, and what answers for each crawler."""

    def __init__(
        self,
        sites: Sites,
        asked: Asked,
        loop: asyncio.AbstractEventLoop,
        terms: Terms,
    ) -> None:
        self._sites, self._loop, self._terms = sites, loop, terms
        expect(len(asked["agent"]) < 2, 400, "rows name further crawlers", "agent")
        expect(len(asked["dialect"]) < 2, 400, "`dialect` is given several times", "dialect")
        [self._agent] = asked["agent"] or [""]
        [self._dialect] = asked["dialect"] or ["rfc9309"]
        self._bindings, self.use = asked["bindings"], use_of(asked)
        self._questions: dict[str, Question] = {}
        self._judges: dict[str, BySnapshot] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._kept_from = float("-inf")
        self.rows = JsonLines(OtherColumns("jsonl", is_open=True), self._use_of(("*",)))

    def question(self, agent: str | None) -> Question:
        """Return the question of a crawler, or of that of the query. Raises `Problem`."""
        word = agent or self._agent
        if word not in self._questions:
            expect(word, 422, "`agent` is neither in the row nor in the query", "agent")
            is_few = len(self._questions) < MOST_CRAWLERS
            expect(is_few, 422, f"more than {MOST_CRAWLERS} crawlers", "agent")
            self._questions[word] = question(word, self._dialect, self._bindings)
        return self._questions[word]

    def stored(self, about: Question) -> Stored:
        """Return what has the files for a question."""
        site = (self._sites, about.dialect, self._loop, self._terms)
        return self._sites.snapshot or Fetched(*site)

    def judge(self, about: Question) -> BySnapshot:
        """Return what decides blocks for a crawler."""
        self._forget()
        name = about.crawler
        if name not in self._judges:
            rows = JsonLines(self.rows.others, self._use_of(about.tokens))
            self._judges[name] = BySnapshot(
                self.stored(about), about.tokens, about.dialect, rows, bindings=about.bindings
            )
        return self._judges[name]

    def snapshot(self, about: Question, names: Sequence[str]) -> Snapshot:
        """Return the files of origins; what is kept, if it has them all."""
        self._forget()
        name = about.dialect.name
        kept = self._snapshots.get(name)
        if kept is None or not all(map(kept.__contains__, names)):
            kept = Snapshot.from_stored(self.stored(about), names, dialect=about.dialect)
            self._snapshots[name] = kept
        return kept

    def _forget(self) -> None:
        """Forget files after a minute, so that a long stream gets those that are fresh."""
        if monotonic() - self._kept_from > LEAST_FRESH:
            self._judges.clear()
            self._snapshots.clear()
            self._kept_from = monotonic()

    def _use_of(self, tokens: tuple[str, ...]) -> AskedUse | None:
        asked = asked_use(tokens, self.use)
        return None if asked is None else AskedUse(asked, None)


# Lines


class _Lines(UrlInput):
    """Some whole lines of a body."""

    def __init__(self, data: bytes, begins_after: int) -> None:
        self.path = self.name = "request"
        self.wanted = ()
        self.is_plain, self.position = True, 0
        self.begins_after = begins_after
        self._said, self._data = "jsonl", data

    def chunks(self) -> Iterator[bytes]:
        """Yield the lines."""
        return iter([self._data])


def _answer_lines(limits: Any, body: Duplex, asker: Asker) -> None:
    """Answer each line."""
    number, rest, is_end = 0, b"", False
    while not is_end:
        data = body.read()
        is_end = not data
        whole, newline, rest = (rest + data).rpartition(b"\n")
        lines, rest = (rest, b"") if is_end else (whole + newline, rest)
        most = f"a line has up to {limits.line_bytes:,} bytes, and a body {limits.rows:,} lines"
        expect(len(rest) <= limits.line_bytes and number < limits.rows, 413, most, "body")
        if lines.strip():
            body.write(_answers(lines, number, asker))
            body.flush()
        number += lines.count(b"\n")


def _answers(lines: bytes, number: int, asker: Asker) -> bytes:
    """Return the answers to some lines, of which so many came before."""
    if (plain := _PlainLines.read(lines)) is not None:
        with suppress(_Incomplete):
            return _answers_to_plain(plain, number, asker)
    blocks = blocks_of([_Lines(lines, number)], "url", asker.rows.others, prompt=True)
    return b"".join(_answered(block, asker) for block in blocks if block is not None)


NOBODY = "\0"
"""What no crawler is called."""


class _Incomplete(Exception):
    """A row has no answer: what it gets instead is told row by row."""


def _answers_to_plain(plain: _PlainLines, number: int, asker: Asker) -> bytes:
    """Return the same for lines that are read and written as columns. Raises _Incomplete."""
    answers = []
    for place, agent in enumerate(plain.agents):
        part = Block("request", (), plain.of_agent(place), {}, size=0)
        try:
            asker.judge(asker.question(agent)).decide(part)
        except Problem:
            raise _Incomplete from None
        if part.problems:
            raise _Incomplete
        other = "" if agent is None else f', "agent": {json_text(agent)}'
        answers.append((*_of(part.sites), *_of(part.answers), other))
    return plain.answered(number + 1, asker.rows.around("request"), answers)


def _of(column: Numbered[T]) -> tuple[Sequence[T], bytes]:
    return column.values, bytes(column.numbers)


def _answered(block: Block, asker: Asker) -> bytes:
    """Return the answers to a block, whose rows may be of several crawlers."""
    rows_of: dict[Any, list[int]] = {}
    for row, other in enumerate(block.others):
        if row not in block.problems:
            agent = read_object(f"{{{other[2:]}}}").get("agent")
            rows_of.setdefault(agent if isinstance(agent, str | None) else NOBODY, []).append(row)
    block.sites, block.answers = [""] * len(block.urls), [NO_ANSWER] * len(block.urls)
    for agent, rows in rows_of.items():
        try:
            expect(agent is not NOBODY, 422, "the value of `agent` is not a string")
            judge = asker.judge(asker.question(agent))
        except Problem as problem:
            why = Unanswered("invalid-row", problem.detail)
            block.problems.update(dict.fromkeys(rows, why))
            continue
        part = Block(block.input, [], [block.urls[row] for row in rows], {}, size=0)
        judge.decide(part)
        for row, site, answer in zip(rows, part.sites, part.answers, strict=True):
            block.sites[row], block.answers[row] = site, answer
        block.problems.update((rows[row], why) for row, why in part.problems.items())
    return asker.rows.finish(block)


# Arrow


def _answer_arrow(body: Duplex, asker: Asker) -> None:
    """Answer each row of a stream of Arrow: `url`, and perhaps `agent`, as text."""
    import pyarrow as pa

    try:
        reader = pa.ipc.open_stream(pa.PythonFile(ArrowFrames(body), mode="r"))
        work = partial(_decided, asker)
        none = _by_agent(reader.schema.empty_table(), work)
        with pa.ipc.new_stream(pa.PythonFile(body, mode="w"), none.schema) as writer:
            for batch in reader:
                batch.validate(full=True)  # whose offsets may lead anywhere
                writer.write_table(_by_agent(pa.Table.from_batches([batch]), work))
                body.flush()
    except (TimeoutError, ConnectionError):
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Problem(400, f"the body is not a stream of Arrow: {error}", field="body") from None
    body.flush()


def _by_agent(rows: Any, work: Callable[[Any, str | None], Any]) -> Any:
    """Return what work makes of the rows of each crawler that they name, in their order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from verger.files.parquet import has_kind

    if "agent" not in rows.column_names or not len(rows):
        return work(rows, None)
    is_one = rows.column_names.count("agent") == 1
    expect(is_one, 422, "the table has several columns `agent`", "agent")
    agents, parts, places = rows.column("agent"), [], []
    expect(has_kind(agents.type, "text"), 422, "the column `agent` is not text", "agent")
    agents = agents.cast(pa.large_string())
    named = agents.unique().to_pylist()
    if len(named) == 1 or rows.column_names.count("url") != 1:
        return work(rows, named[0])
    rows = rows.select(["url"])
    # views, and some columns that nobody asked about, cannot be taken apart
    kind = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    rows = rows.cast(pa.schema({"url": kind.get(rows.schema[0].type, rows.schema[0].type)}))
    for agent in named:
        is_own = agents.is_null() if agent is None else pc.equal(agents, agent)
        places.append(pc.indices_nonzero(is_own.combine_chunks()))
        parts.append(work(rows.take(places[-1]), agent))
    order = pc.sort_indices(pa.chunked_array(places))
    return pa.concat_tables(parts).unify_dictionaries().take(order)


def _decided(asker: Asker, rows: Any, agent: str | None) -> Any:
    """Return the answers to rows of one crawler."""
    import pyarrow as pa

    about = asker.question(agent if len(rows) else "*")
    names = pa.table(origins(rows)).column(0).unique().drop_null().to_pylist()
    files = asker.snapshot(about, names)
    return pa.table(decide_table(rows, files, about.tokens, bindings=about.bindings, use=asker.use))
