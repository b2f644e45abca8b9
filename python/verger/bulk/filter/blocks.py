"""Blocks: some thousands of rows that are read, decided, written and journalled together.

In: rows from a reader. Out: a `Block`, the same for the same input however it arrives,
so that a second run recognises the blocks that the first one finished. Decides nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from verger import InvalidTarget, origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk.filter.rulings import Ending, Kind

ROWS = 4_096
"""Rows of a full block."""

CHARACTERS = 1 << 20
"""A block with longer URLs ends earlier."""


class Problem:
    """Why a row has no decision."""

    __slots__ = ("kind", "message")

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message


class Block:
    """Consecutive rows of one input."""

    __slots__ = (
        "counts",
        "digest",
        "endings",
        "input",
        "number",
        "numbers",
        "problems",
        "size",
        "undecided",
        "urls",
        "weight",
    )

    def __init__(
        self,
        source: str,
        numbers: Sequence[int],
        urls: list[str],
        problems: dict[int, Problem],
        *,
        size: int,
    ) -> None:
        self.number = 0  # among all blocks of the run; set by whoever counts them
        self.input = source
        self.numbers = numbers
        self.urls = urls
        self.problems = problems
        self.size = size
        """Characters of the URLs: what the block takes in memory."""
        self.weight = 0
        """Bytes of the input that it was read from, for the progress of the run."""
        self.digest = ""
        self.undecided = len(urls)
        self.endings: list[Ending] = []
        """What is written after the URL of each row, once all rows are decided."""
        self.counts: Counter[Kind] = Counter()

    def readable_urls(self) -> list[str]:
        """Return the URLs; an empty text for rows with a problem."""
        if not self.problems:
            return self.urls
        problems = self.problems
        return ["" if row in problems else url for row, url in enumerate(self.urls)]


def by_origin(block: Block) -> dict[str, list[int]]:
    """Return the rows of each origin; rows without one become problems of the block.

    URLs with the same text up to the end of the authority are resolved once.
    """
    rows_of: dict[str, list[int]] = {}
    for prefix, rows in _by_prefix(block).items():
        try:
            name = origin(prefix)
        except InvalidTarget:
            rows, name = _without_invalid(block, rows), ""
        if name:
            rows_of.setdefault(name, []).extend(rows)
            continue
        for row in rows:  # a prefix may be invalid although the whole is a URL
            rows_of.setdefault(origin(block.urls[row]), []).append(row)
    return rows_of


def _by_prefix(block: Block) -> dict[str, list[int]]:
    """Return the rows by what comes before the first `/` after those of the scheme.

    An authority ends there or before (RFC 3986 section 3.2), so that the prefix holds all of it.
    """
    found: dict[str, list[int]] = {}
    for row, url in _readable(block):
        end = url.find("/", _BEHIND_SCHEME)
        prefix = url if end < 0 else url[:end]
        rows = found.get(prefix)
        if rows is None:
            found[prefix] = rows = []
        rows.append(row)
    return found


_BEHIND_SCHEME = len("https://")


def _readable(block: Block) -> Iterable[tuple[int, str]]:
    rows = enumerate(block.urls)
    if not block.problems:
        return rows
    return [(row, url) for row, url in rows if row not in block.problems]


def _without_invalid(block: Block, rows: list[int]) -> list[int]:
    return [row for row in rows if not _is_invalid(block, row)]


def _is_invalid(block: Block, row: int) -> bool:
    try:
        origin(block.urls[row])
    except InvalidTarget as error:
        block.problems[row] = Problem("invalid-url", error.message)
        return True
    return False
