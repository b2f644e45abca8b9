"""The work: blocks come from a reader, their rows get rulings, and finished blocks are written.

In: blocks, a format, an output. Out: the same blocks, decided, counted and written: what runs with
and without a network have in common. Blocks that an earlier run finished are recognised by their
content, and not decided again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from verger.bulk.filter.blocks import Block
from verger.bulk.filter.journal import Journal
from verger.bulk.filter.tally import Tally
from verger.errors import UnusableInput
from verger.options import AnyPath, expect_seconds, expect_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk.filter.formats import RowFormat
    from verger.bulk.filter.judges import Judge
    from verger.bulk.filter.window import Output


CONNECTIONS = 1_000
TIMEOUT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """How the files are fetched; `Network()` fetches as `verger filter --cache none` does.

    cache:        the path of the cache, or the URL of a Redis server; None for no cache. The
                  commands use `verger.cache.sqlite.default_path()`.
    connections:  how many origins are fetched from at once; fewer if the system allows fewer open
                  files.
    per_address:  how many connections may be open to one IP address; None for any number.
    connect_to:   `HOST1:PORT1:HOST2:PORT2` each: connect to HOST2:PORT2 if the request is for
                  HOST1:PORT1; an empty HOST1 or PORT1 means any.
    proxy:        the URL of a proxy for all requests.
    ca_bundle:    a file or folder of certificates: trust these authorities, not those of the
                  system.
    public_only:  whether to connect only to public addresses, for lists from strangers; redirects
                  never lead to others.
    timeout:      seconds for one file, with all its redirects.
    headers:      additional header fields for every request, as for `verger.Client`.
    origin_headers:  additional header fields by origin, which are sent to that origin only.

    Raises InvalidOption for numbers that make no sense.
    """

    cache: AnyPath | None = None
    connections: int = CONNECTIONS
    per_address: int | None = None
    connect_to: Sequence[str] = ()
    proxy: str | None = None
    ca_bundle: AnyPath | None = None
    public_only: bool = False
    timeout: float = TIMEOUT
    headers: Mapping[str, str] = field(default_factory=dict)
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        expect_whole("connections", self.connections)
        if self.per_address is not None:
            expect_whole("per_address", self.per_address)
        expect_seconds("timeout", self.timeout)


class Watcher:
    """Receives the progress of a run; this base class ignores it."""

    def take_over(self, block: Block) -> None:
        """Called when a block of an earlier run is taken over, in the thread that reads."""

    def finished(self, block: Block) -> None:
        """Called when a block is finished, in the thread that writes."""

    def interrupted(self, folder: Path, rows: int) -> None:
        """Called when an interrupted run has kept rows in a folder, for the next run."""

    def end(self) -> None:
        """Called when the run ends, in any way."""

    def store_failed(self, detail: str) -> None:
        """Called at the end if the cache failed during the run and was not used any more."""


@dataclass(eq=False)
class Work:
    """One run: its blocks, its output and its progress."""

    blocks: Iterator[Block]
    format: "RowFormat"
    output: "Output"
    watcher: Watcher
    tally: Tally = field(default_factory=Tally, init=False)
    _number_of_blocks: int = field(default=0, init=False)

    def unfinished_blocks(self) -> Iterator[Block]:
        """Yield the blocks that no earlier run has finished."""
        for block in self.blocks:
            self._number_of_blocks = block.number + 1
            if not isinstance(self.output, Journal) or not self._is_finished(block, self.output):
                yield block

    def _is_finished(self, block: Block, journal: Journal) -> bool:
        block.digest = digest_of(block)
        found = journal.finished.get(block.number)
        if found is None:
            return False
        if found.digest != block.digest:
            raise _other_input(f"from row {block.numbers[0]:,} of `{block.input}`")
        self.tally.take_over(found.counts)
        self.watcher.take_over(block)
        return True

    def finish(self, block: Block) -> None:
        """Write and count a decided block."""
        self.output.put(block, self.format.finish(block))
        self.tally.add(block)
        self.watcher.finished(block)

    def complete(self) -> None:
        """End the output."""
        if isinstance(self.output, Journal) and len(self.output.finished) > self._number_of_blocks:
            raise _other_input("and has fewer rows")
        self.output.complete(self._number_of_blocks)


def filter_offline(work: Work, judge: "Judge") -> None:
    """Decide every block with a snapshot."""
    for block in work.unfinished_blocks():
        judge.decide(block)
        work.finish(block)
    work.complete()


def digest_of(block: Block) -> str:
    """Return a digest, which is the same for blocks with the same rows at the same places."""
    numbers = block.numbers
    places = [numbers[0], numbers[-1]] if isinstance(numbers, range) else list(numbers)
    refused = [(row, problem.kind) for row, problem in block.problems.items()]
    text = "\n".join([block.input, repr(places), repr(refused), *block.urls])
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _other_input(where: str) -> UnusableInput:
    return UnusableInput(
        f"the input differs from that of the interrupted run, {where}",
        "pass the same rows again to resume, or `--restart` to begin again",
    )
