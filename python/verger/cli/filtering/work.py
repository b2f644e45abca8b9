"""The work: blocks come from a reader, their rows get rulings, and finished blocks go out.

In: blocks, a format, an output. Out: the same blocks, decided, counted and handed on. Here is
what a run with and one without a network have in common; blocks that an earlier run finished are
recognised by what they hold, and not decided again.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

from verger.cli.exit import Failure
from verger.cli.filtering.blocks import Block, by_origin
from verger.cli.filtering.journal import Journal
from verger.cli.filtering.meter import Meter
from verger.cli.filtering.rulings import Ruling
from verger.cli.filtering.tally import Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.filtering.formats import Format
    from verger.cli.filtering.snapshots import Source
    from verger.cli.filtering.window import Output


class Work:
    """One run: what it reads, how it writes, and how far it is."""

    def __init__(
        self,
        blocks: Iterator[Block],
        format_: "Format",
        output: "Output",
        meter: Meter,
        *,
        tells_problems: bool,
    ) -> None:
        self.blocks = blocks
        self.format = format_
        self.output = output
        self.meter = meter
        self.tally = Tally()
        self._tells_problems = tells_problems
        self._number_of_blocks = 0

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
        self.meter.take_over(block)
        return True

    def decide(self, block: Block, rows: Sequence[int], ruling: Ruling) -> None:
        """Decide rows of one origin."""
        self.format.take(block, rows, ruling)
        block.undecided -= len(rows)

    def finish(self, block: Block) -> None:
        """Hand a decided block on, and count it."""
        self.output.put(block, self.format.finish(block))
        self.tally.add(block)
        self.meter.finished(block)
        if self._tells_problems and block.problems:
            self.meter.tell_problems(block)

    def complete(self) -> None:
        """End the output."""
        if isinstance(self.output, Journal) and len(self.output.finished) > self._number_of_blocks:
            raise _other_input("and has fewer rows")
        self.output.complete(self._number_of_blocks)
        self.meter.tell_untold()


def filter_offline(work: Work, source: "Source") -> None:
    """Decide every block from a snapshot."""
    for block in work.unfinished_blocks():
        rows_of = by_origin(block)
        rulings = source.rulings(rows_of)
        for name, rows in rows_of.items():
            work.decide(block, rows, rulings[name])
        work.finish(block)
    work.complete()


def digest_of(block: Block) -> str:
    """Return what two blocks share that hold the same rows at the same places."""
    numbers = block.numbers
    places = [numbers[0], numbers[-1]] if isinstance(numbers, range) else list(numbers)
    refused = [(row, problem.kind) for row, problem in block.problems.items()]
    text = "\n".join([block.input, repr(places), repr(refused), *block.urls])
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _other_input(where: str) -> Failure:
    return Failure(
        f"the input is another one than that of the interrupted run, {where}",
        "feed the same rows again to go on there, or pass `--restart` to begin anew",
    )
