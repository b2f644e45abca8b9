"""Blocks of rows, decided as a whole by the native part of `verger.bulk`.

In: blocks, and a snapshot or a site that a client has fetched. Out: the same blocks, each row with
its answer or a problem: an answer is the decision of the kernel with what is known about the
origin. Memory is bounded: the kernel keeps some parsed files, and has the others in a temporary
file; what is known about sites is dropped if there are too many, and found again when needed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TypeAlias

from verger._core import Dialect, _endings_by_agent, _RowJudge, origin
from verger.access.answer import Unanswered
from verger.access.entry import EXEMPT, Entry, no_rules, policy_of
from verger.access.policy import AccessPolicy
from verger.bulk.filter.blocks import (
    NO_ANSWER,
    RULES,
    Block,
    BlockColumns,
    Kind,
    Numbered,
    Written,
)
from verger.bulk.filter.writing import AllowedUrls, RowFormat
from verger.client.site import OVERRIDES, Override, Site
from verger.crawlers.binding import Bindings, binding_of_all
from verger.errors import InvalidTarget
from verger.files.writing import temporary_files
from verger.snapshots.stored import Stored
from verger.untrusted_text import rule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Ending
    from verger.snapshots.stored import Found

RowsOfABlock: TypeAlias = tuple[Block, Sequence[int]]

MOST_ENDINGS = 1 << 16

PARSED_BYTES = 8 << 20
"""How much is kept of parsed files from stride to stride: to read one again costs little, and in a
stride each is read once."""

STRIDE_ROWS = 1 << 18
"""The most rows that are decided at once."""

MOST_SITES = 1 << 18
"""How many sites are known at a time."""

AT_ONCE = 256
"""How many files are read from the snapshot at a time."""

NO_RULES: "_Ending" = (0, None, None, None, None, None, None)

MISSING = {"no-file": "NOT_IN_SNAPSHOT", "unreadable-file": "UNREADABLE_FILE"}
"""The reasons of rows whose file the snapshot does not give."""


class BySnapshot:
    """Decides blocks with the files of a snapshot."""

    def __init__(
        self,
        snapshot: Stored,
        tokens: tuple[str, ...],
        dialect: Dialect,
        rows: RowFormat,
        *,
        bindings: Bindings = "operators",
        overrides: Mapping[str, Override] | None = None,
    ) -> None:
        self._overrides = overrides or {}
        self._snapshot = snapshot
        self._tokens = tokens
        self._binding = binding_of_all(tokens, bindings)
        self._dialect = dialect
        self._rows = rows
        self._begin()

    def _begin(self) -> None:
        """Begin with nothing in memory."""
        self._judge = _RowJudge(
            self._dialect,
            self._tokens,
            self._binding,
            PARSED_BYTES,
            MOST_ENDINGS,
            self._rows.tells_rules,
            self._rows.use and self._rows.use.kernel,
        )
        self._facts: dict[BlockColumns, int] = {}
        self._columns: list[BlockColumns] = []
        self._sites = [self._rows.site_text(None)]
        self._written: list[Written] = []

    def decide(self, *blocks: Block) -> None:
        """Give each row of some blocks its answer, or a problem."""
        if len(self._sites) > MOST_SITES:
            self._begin()
        urls = [block.readable_urls() for block in blocks]
        with temporary_files():
            *each, first, fresh = self._judge.decide(urls, self._learn)
        del self._written[first:]
        self._written += [written(self._columns, each, self._rows) for each in fresh]
        sites, answers = (memoryview(numbers).cast("I") for numbers in each)
        end = 0
        for block in blocks:
            begin, end = end, end + len(block.urls)
            block.sites = Numbered(self._sites, sites[begin:end])
            block.answers = Numbered(self._written, answers[begin:end])
            if 0 in block.sites.numbers:
                _tell_why(block, range(len(block.urls)))

    def _learn(self, names: list[str]) -> Iterator[tuple[int, bytes | None]]:
        """Yield the number of what is known about each site, and the file if its rules decide."""
        for begin in range(0, len(names), AT_ONCE):
            some = names[begin : begin + AT_ONCE]
            unknown = [name for name in some if name not in self._overrides]
            found = self._snapshot.find(unknown, [self._dialect])
            for name in some:
                columns, body = (
                    columns_overridden(self._overrides[name])
                    if name in self._overrides
                    else columns_of(next(found)[1], self._dialect)
                )
                number = self._facts.setdefault(columns, len(self._columns))
                if number == len(self._columns):
                    self._columns.append(columns)
                self._sites.append(self._rows.site_text(name))
                yield number, body


class BySite:
    """Decides rows of one site that a client has fetched."""

    def __init__(
        self, site: Site, rows: RowFormat, crawlers: Sequence[tuple[str, ...]] = ()
    ) -> None:
        """Take a site.

        crawlers:  the product tokens of further crawlers.
        """
        self.site = site
        asked = (site.asked_by(tokens, site.question.bindings) for tokens in crawlers)
        self._others = [BySite(each, AllowedUrls()) for each in asked]
        self._agent = site.my_rules
        self._rows = rows
        self._site = rows.site_text(site.origin)
        columns = [columns_by(site.access, site.entry)]
        self._written = cache(partial(written, columns, rows=rows))

    def decide(self, rows_of: Sequence[RowsOfABlock]) -> None:
        """Give some rows of some blocks their answers."""
        for number, other in enumerate(self._others):
            other.decide([(replace(block, also=[]), rows) for block, rows in rows_of])
            for block, rows in rows_of:
                for row in rows:
                    block.also[number][row], _ = block.answers[row].kind
        agent = self._agent or no_rules(self.site.question.dialect)
        used = self._rows.use and self._rows.use.kernel
        urls = [block.urls[row] for block, rows in rows_of for row in rows]
        _, numbers, _, fresh = _endings_by_agent(agent, urls, used)
        if self._agent is None:
            fresh = [each if each[2] == EXEMPT else NO_RULES for each in fresh]
        found = [self._written(decided) for decided in fresh]
        each = iter(memoryview(numbers).cast("I"))
        for block, rows in rows_of:
            for row, number in zip(rows, each, strict=False):
                block.sites[row], block.answers[row] = self._site, found[number]
            if NO_ANSWER in found:
                _tell_why(block, rows)


def _tell_why(block: Block, rows: Sequence[int]) -> None:
    """Note the problem of each row without an answer."""
    for row in rows:
        if block.answers[row] is NO_ANSWER and row not in block.problems:
            block.problems[row] = Unanswered("invalid-url", _why_not(block.urls[row]))


def _why_not(url: str) -> str:
    try:
        origin(url)
    except InvalidTarget as error:
        return error.message
    return f"`{url}` has nothing to ask about"


# Answers


def written(sites: Sequence[BlockColumns], decided: "_Ending", rows: RowFormat) -> Written:
    """Return rows with this decision as they are written.

    sites:  what is known about origins, by its number.
    """
    facts = decided[0]
    if facts is None:
        return NO_ANSWER
    site = sites[facts]
    has_rules = site.effect == RULES
    is_exempt = not has_rules and bool(decided[1]) and site.allowed is False
    columns = _decided(site, decided) if has_rules or is_exempt else site
    if site.allowed is False and not is_exempt:  # a closed site closes every use
        columns = columns._replace(used=False)
    kind = columns.allowed, EXEMPT if is_exempt else _why(site)
    return Written(_kind_of_use(columns, kind, rows), rows.text_of(columns))


def _kind_of_use(columns: BlockColumns, kind: Kind, rows: RowFormat) -> Kind:
    """Return how the summary counts a row, where a list of URLs is made by their use."""
    use = rows.use
    if use is None or use.silent is None or not columns.allowed or columns.used:
        return kind
    about = use.kernel[0]
    if columns.used is None:
        return use.silent, f"silent about {about}"
    return False, f"disallowed for {about}"


def _decided(site: BlockColumns, decided: "_Ending") -> BlockColumns:
    _facts, *columns, rule, used = decided
    text = None if rule is None else rule_text(*rule)
    use = used if site.effect == RULES else None
    return BlockColumns._make((None, *columns, text, *site[6:-1], use))


def _why(site: BlockColumns) -> str:
    """Return why the rows of a site are as they are, for the summary."""
    if site.effect == RULES:
        return RULES
    cause = site.failure or site.status
    return f"{site.reason} ({cause})" if cause else str(site.reason)


def columns_of(found: "Found", dialect: Dialect) -> tuple[BlockColumns, bytes | None]:
    """Return the columns that follow from what a snapshot has of an origin, whatever its age; and
    the file if its rules decide."""
    match found:
        case Unanswered():
            return BlockColumns(reason=MISSING[found.kind]), None
        case Entry(good=good):
            columns = columns_by(policy_of(found, dialect), found)
            return columns, good.body if good and columns.effect == RULES else None
        case _, body:
            return BlockColumns(effect=RULES), body


def columns_overridden(word: Override) -> tuple[BlockColumns, bytes | None]:
    """Return the columns that follow from an operator's decision, and the file if it is one."""
    if isinstance(word, bytes):
        return BlockColumns(effect=RULES), word
    return columns_by(OVERRIDES[word], None), None


def columns_by(policy: AccessPolicy, entry: Entry | None) -> BlockColumns:
    """Return the columns that follow from an access policy and the fetches behind it."""
    status, failure = (entry.last.status, entry.last.failure) if entry else (None, None)
    columns = BlockColumns(effect=policy.effect, status=status, failure=failure)
    if policy.effect == RULES:
        return columns
    is_open = policy.effect == "allow_all"
    return columns._replace(allowed=is_open, reason=policy.reason, section=policy.section)
