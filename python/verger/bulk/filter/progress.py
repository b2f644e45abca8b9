"""The work: blocks come from a reader, their rows are decided, and finished blocks are written.

In: blocks, a format, an output. Out: the same blocks, decided, written and counted: what runs with
and without a network have in common. Blocks that an earlier run finished are recognised by their
content, and not decided again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from verger.access.policy import UNREACHABLE
from verger.bulk.filter.blocks import Block, Kind, digest_of
from verger.bulk.filter.journal import Journal
from verger.bulk.filter.writing import RowFormat, Sink
from verger.errors import InvalidTable, UnusableInput
from verger.untrusted_text import counted, quoted

Heading: TypeAlias = Literal["allowed", "disallowed", "unreachable", "unanswered"]
HEADINGS: tuple[Heading, ...] = ("allowed", "disallowed", "unreachable", "unanswered")


def heading_of(kind: Kind) -> Heading:
    """Return the heading of a kind of rows in the summary."""
    allowed, why = kind
    if allowed is None:
        return "unanswered"
    if allowed:
        return "allowed"
    return "unreachable" if why.partition(" ")[0] in UNREACHABLE else "disallowed"


STRIDE_CHARACTERS = 32 << 20
"""The most characters that are decided at once."""

NO_URLS = frozenset({"invalid-url", "invalid-row", "url-too-long"})
"""Why a row has no URL."""


class Tally:
    """Counts of rows. Blocks of an earlier run are counted separately: by another thread."""

    def __init__(self) -> None:
        self._decided: Counter[Kind] = Counter()
        self._taken_over: Counter[Kind] = Counter()

    def __repr__(self) -> str:
        rows = self._headings()
        told = ", ".join(f"{rows[heading]:,} {heading}" for heading in HEADINGS)
        return f"Tally({counted(rows.total(), 'row')}, {told})"

    def add(self, block: Block) -> None:
        """Count a block that this run finished."""
        self._decided.update(block.counts)

    def take_over(self, counts: Counter[Kind]) -> None:
        """Count a block that an earlier run finished."""
        self._taken_over.update(counts)

    @property
    def decided(self) -> int:
        """How many rows this run has finished."""
        return self._decided.total()

    @property
    def taken_over(self) -> int:
        """How many rows an earlier run has finished."""
        return self._taken_over.total()

    @property
    def counts(self) -> Counter[Kind]:
        """The rows of all runs, by decision and reason."""
        return self._decided + self._taken_over

    @property
    def unreachable(self) -> int:
        """How many rows are not allowed because a site was not reached."""
        return self._headings()["unreachable"]

    @property
    def unanswered(self) -> int:
        """How many rows have no answer: no URL, or a site that the snapshot does not tell of."""
        return self._headings()["unanswered"]

    @property
    def is_without_urls(self) -> bool:
        """Whether there are rows, and none has a URL."""
        counts = self.counts
        return bool(counts) and all(why in NO_URLS for _, why in counts)

    def _headings(self) -> Counter[Heading]:
        rows = Counter[Heading]()
        for kind, count in self.counts.items():
            rows[heading_of(kind)] += count
        return rows


class Watcher:
    """Receives the progress of a run; this base class ignores it."""

    def take_over(self, block: Block) -> None:
        """Called when a block of an earlier run is taken over, in the thread that reads."""

    def finished(self, block: Block) -> None:
        """Called when a block is finished, in the thread that writes."""

    def interrupted(self, folder: Path, rows: int) -> None:
        """Called when an interrupted run has kept rows in a folder, for the next run."""

    def waiting(self, origin: str, detail: str) -> None:
        """Called when an origin waits for another process that is fetching its file."""

    def end(self) -> None:
        """Called when the run ends, in any way."""

    def store_failed(self, detail: str) -> None:
        """Called at the end if the cache failed during the run and was not used any more."""


class Streamed:
    """Writes blocks in the order of their numbers, or as they are finished."""

    patience = 0.2
    """Seconds that an interrupted run waits for a block: perhaps nobody reads from the other end.
    """

    def __init__(self, sink: Sink, *, is_ordered: bool = True) -> None:
        self._sink = sink
        self._is_ordered = is_ordered
        self._next = 0
        self._early: dict[int, bytes] = {}
        self.waiting = 0
        """The bytes of blocks that wait for those before them."""

    def put(self, block: Block, data: bytes) -> None:
        """Write a finished block, or keep it until those before it are written."""
        if not self._is_ordered:
            self._sink.write(data)
            return
        self._early[block.number] = data
        self.waiting += len(data)
        while self._next in self._early:
            ready = self._early.pop(self._next)
            self._sink.write(ready)
            self.waiting -= len(ready)
            self._next += 1

    def complete(self, _number_of_blocks: int) -> None:
        """End the output."""
        self._sink.close()


@dataclass(eq=False)
class Work:
    """One run: its blocks, its output and its progress."""

    blocks: Iterator[Block | None]
    """None where the next row may have to be waited for."""
    format: RowFormat
    output: Journal | Streamed
    watcher: Watcher
    is_prompt: bool = False
    """Whether no row waits for another one: those of a pipe, on a stream."""
    crawlers: Sequence[tuple[str, ...]] = ()
    """The product tokens of further crawlers that are asked about."""
    tally: Tally = field(default_factory=Tally, init=False)
    _number_of_blocks: int = field(default=0, init=False)
    _first: Block | None = field(default=None, init=False)

    def _unfinished(self) -> Iterator[Block | None]:
        """Yield the blocks that no earlier run has finished."""
        for block in self.blocks:
            if block is not None:
                self._number_of_blocks = block.number + 1
                if isinstance(self.output, Journal) and self._is_finished(block, self.output):
                    continue
            yield block

    def strides(self, most_rows: int) -> Iterator[list[Block]]:
        """Yield the blocks that no earlier run has finished, some at a time: a site whose rows are
        anywhere in a stride is asked about all of them at once."""
        stride: list[Block] = []
        rows = characters = 0
        for block in chain(self._unfinished(), [None]):
            if block is not None:
                stride.append(block)
                rows += len(block.urls)
                characters += block.size
            is_full = self.is_prompt or rows >= most_rows or characters >= STRIDE_CHARACTERS
            if stride and (is_full or block is None):
                yield stride
                stride, rows, characters = [], 0, 0

    def _is_finished(self, block: Block, journal: Journal) -> bool:
        block.digest = digest_of(block)
        if (found := journal.finished.get(block.number)) is None:
            return False
        if found.digest != block.digest:
            raise _other_input(f"from row {block.numbers[0]:,} of `{block.input}`")
        self.tally.take_over(found.counts)
        self.watcher.take_over(block)
        return True

    def finish(self, block: Block) -> None:
        """Write and count a decided block."""
        self.output.put(block, self.format.finish(block))
        self._first = self._first or block
        self.tally.add(block)
        self.watcher.finished(block)

    def complete(self) -> None:
        """End the output; without a row that has a URL, only a stream, which has the reasons.

        Raises InvalidTable if no row has one: it is a list of something else.
        """
        if isinstance(self.output, Journal) and len(self.output.finished) > self._number_of_blocks:
            raise _other_input("and has fewer rows")
        is_useless = self.tally.is_without_urls
        if is_useless and isinstance(self.output, Journal):
            self.output.discard()
        else:
            self.output.complete(self._number_of_blocks)
        if is_useless:
            raise _no_urls(self._first)


def _no_urls(block: Block | None) -> InvalidTable:
    """Return the error for rows without any URL.

    block:  one of them; None if an earlier run has decided all.
    """
    hint = "URLs begin with `https://` or `http://`; `--input-format` says how a table is written"
    if block is None:
        return InvalidTable("no row has a URL", hint)
    row = min(block.problems)
    url = block.urls[row]
    host, _, _ = url.partition("/")
    if url.startswith(("{", "[")):
        hint = "it looks like JSON, of which each line must be an object: `jq -c '.[]'`"
    elif "." in host.strip(".") and not set(host) & set(":,; @"):
        hint = f"`https://` is missing: begin each row as in {quoted(f'https://{host}/')}"
    place = f"no row of {quoted(block.input)} has a URL"
    return InvalidTable(f"{place}: {block.problems[row].message}", hint)


def _other_input(where: str) -> UnusableInput:
    return UnusableInput(
        f"the input differs from that of the interrupted run, {where}",
        "pass the same rows again to resume, or `--restart` to begin again",
    )
