"""Blocks of rows, and the answers of rows: everything except the number, the input and the URL.

One rule decides thousands of rows, so the text of an answer is written once. It has no times: a
second run with the same file gives the same rows.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from verger._core import origin
from verger.access.answer import Unanswered
from verger.crawlers.purposes import use_column
from verger.errors import InvalidTarget

Kind = tuple[bool | None, str]
"""How the summary counts a row: allowed, disallowed or neither, and why."""

RULES = "rules"
"""Why a row is allowed or not if the file was read: its rules, or that none matches."""


class Columns(NamedTuple):
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
    """The columns of a row, and their text in the format of the output."""

    columns: Columns
    kind: Kind
    text: str


TextOf: TypeAlias = Callable[[Columns], str]
"""Returns the text of the columns in a format."""


NO_ANSWER = Written(Columns(), (None, ""), "")
"""Rows without an answer, or without one yet."""


@dataclass(eq=False, slots=True)
class Block:
    """Consecutive rows of one input."""

    input: str
    numbers: Sequence[int]
    urls: list[str]
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
    answers: list[Written] = field(default_factory=list)
    """What is written after the URL of each row, once all rows are decided."""
    counts: Counter[Kind] = field(default_factory=Counter)

    def readable_urls(self) -> list[str]:
        """Return the URLs; an empty text for rows with a problem."""
        if not self.problems:
            return self.urls
        return ["" if row in self.problems else url for row, url in enumerate(self.urls)]


def digest_of(block: Block) -> str:
    """Return a digest, which is the same for blocks with the same rows at the same places."""
    refused = [(row, problem.kind) for row, problem in block.problems.items()]
    # Parquet is only read from files, which are known by their times
    others = [str(each) for each in block.others if isinstance(each, str) or type(each) is tuple]
    rows = [*block.urls, *others]
    text = "\n".join([block.input, repr(list(block.numbers)), repr(refused), *rows])
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


# Origins


def by_origin(block: Block) -> dict[str, list[int]]:
    """Return the rows of each origin; rows without one become problems of the block.

    An authority ends at the first `/` after those of the scheme, or before (RFC 3986 section 3.2):
    URLs with the same text up to there have the same origin, and are resolved once.
    """
    rows_of: dict[str, list[int]] = {}
    known: dict[str, list[int]] = {}
    for row, url in enumerate(block.urls):
        if row in block.problems:
            continue
        end = url.find("/", _BEHIND_SCHEME)
        prefix = url if end < 0 else url[:end]
        rows = known.get(prefix)
        if rows is None:
            try:
                rows = known[prefix] = rows_of.setdefault(origin(url), [])
            except InvalidTarget as error:
                block.problems[row] = Unanswered("invalid-url", error.message)
                continue
        rows.append(row)
    return rows_of


_BEHIND_SCHEME = len("https://")
