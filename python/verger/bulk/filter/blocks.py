"""Blocks of rows, and the answers of rows: everything except the number, the input and the URL.

One rule decides thousands of rows, so the text of an answer is written once, whatever the site. It
has no times: a second run with the same file gives the same rows.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from verger._core import origin
from verger.access.answer import Unanswered
from verger.crawlers.purposes import use_column
from verger.errors import InvalidTarget

T = TypeVar("T")

Kind = tuple[bool | None, str]
"""How the summary counts a row: allowed, disallowed or neither, and why."""

RULES = "rules"
"""Why a row is allowed or not if the file was read: its rules, or that none matches."""


class BlockColumns(NamedTuple):
    """The columns of a row, except its number, its input and its URL."""

    origin: str | None = None
    allowed: bool | None = None
    reason: str | None = None
    section: str | None = None
    line: int | None = None
    rule: str | None = None
    effect: str | None = None
    status: int | None = None
    failure: str | None = None
    error: str | None = None
    message: str | None = None
    used: bool | None = None
    """Whether the use that was asked about is allowed; only written if one was."""


class AskedUse(NamedTuple):
    """A use that is asked about.

    kernel:  as the kernels take it (`verger.crawlers.uses.asked_use`).
    silent:  whether a list of URLs holds those whose use is not mentioned; None for tables,
             which have null.
    """

    kernel: tuple[str, tuple[str, ...], bool]
    silent: bool | None

    @property
    def column(self) -> str:
        """The name of its column."""
        return use_column(self.kernel[0])


@dataclass(eq=False, slots=True)
class Written:
    """How a row is counted, and its columns behind the origin in the format of the output."""

    kind: Kind
    text: Any


NO_ANSWER = Written((None, ""), "")
"""Rows without an answer, or without one yet."""


class Numbered(Sequence[T]):
    """A value for each row, most of which are the same.

    values:   the values by their numbers.
    numbers:  the number of each row.
    """

    def __init__(self, values: Sequence[T], numbers: memoryview) -> None:
        self.values = values
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[T]:
        return map(self.values.__getitem__, self.numbers)

    def __getitem__(self, row: Any) -> Any:
        return self.values[self.numbers[row]]


class TextColumn(Sequence[str]):
    """A column of Arrow whose texts are whole URLs: few readers need each as an object."""

    def __init__(self, column: Any) -> None:
        self.column = column
        self.__arrow_c_array__ = column.__arrow_c_array__

    def __len__(self) -> int:
        return len(self.column)

    def __iter__(self) -> Iterator[str]:
        return iter(self.column.to_pylist())

    def __getitem__(self, row: Any) -> Any:
        return self.column[row].as_py()


@dataclass(eq=False, slots=True)
class Block:
    """Consecutive rows of one input."""

    input: str
    numbers: Sequence[int]
    urls: Sequence[str]
    problems: dict[int, Unanswered]
    size: int
    """Characters of the URLs: what the block takes in memory."""
    number: int = 0
    """Its number among all blocks of the run."""
    weight: int = 0
    """Bytes of the input that it was read from, for the progress of the run."""
    digest: str = ""
    others: Sequence[Any] = ()
    """The values of the other columns of each row, if any are written (`columns.Carried`)."""
    undecided: int = 0
    also: list[list[bool | None]] = field(default_factory=list)
    """For each further crawler that is asked about, which rows it may fetch."""
    sites: Any = ()
    """The origin of each row as it is written, once all rows are decided."""
    answers: Any = ()
    """What is written after the origin of each row."""
    counts: Counter[Kind] = field(default_factory=Counter)

    def readable_urls(self) -> Sequence[str]:
        """Return the URLs; an empty text for rows with a problem."""
        if not self.problems:
            return self.urls
        return ["" if row in self.problems else url for row, url in enumerate(self.urls)]


def digest_of(block: Block) -> str:
    """Return a digest, which is the same for blocks with the same rows at the same places."""
    refused = [(row, problem.kind) for row, problem in block.problems.items()]
    numbers, rows = repr(block.numbers), []
    if not isinstance(block.urls, TextColumn):
        # Parquet is only read from files, which are known by their times
        others = filter(lambda each: isinstance(each, str) or type(each) is tuple, block.others)
        numbers, rows = repr(list(block.numbers)), [*block.urls, *map(str, others)]
    text = "\n".join([block.input, numbers, repr(refused), *rows])
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


# Origins


def by_origin(block: Block, names: dict[str, str]) -> dict[str, list[int]]:
    """Return the rows of each origin; rows without one become problems of the block.

    names:  the origins of the prefixes of URLs that are known, to which others are added.

    An authority ends at the first `/` after those of the scheme, or before (RFC 3986 section 3.2):
    URLs with the same text up to there have the same origin, and are resolved once.
    """
    rows_of: dict[str, list[int]] = {}
    for row, url in enumerate(block.urls):
        if row in block.problems:
            continue
        end = url.find("/", _BEHIND_SCHEME)
        prefix = url if end < 0 else url[:end]
        if prefix not in names:
            try:
                names[prefix] = origin(url)
            except InvalidTarget as error:
                block.problems[row] = Unanswered("invalid-url", error.message)
                continue
        rows_of.setdefault(names[prefix], []).append(row)
    return rows_of


_BEHIND_SCHEME = len("https://")
