"""Blocks of rows, decided as a whole by the native part of `verger.bulk`.

In: blocks, and a snapshot or a site that a client has fetched. Out: the same blocks, each row with
its answer or a problem. Memory is bounded: if too much is kept, all of it is dropped, and read
again when needed.
"""

from collections.abc import Sequence

from verger._core import Dialect, _endings_by_agent, _RowJudge, origin
from verger.access.answer import Unanswered
from verger.access.entry import EXEMPT, no_rules
from verger.bulk.filter.answers import (
    NO_ANSWER,
    Columns,
    Written,
    columns_by,
    columns_of,
    written,
)
from verger.bulk.filter.reading import Block
from verger.bulk.filter.writing import RowFormat
from verger.crawlers.binding import Bindings, binding_of_all
from verger.errors import InvalidTarget
from verger.files.lru_cache import KEPT_BYTES, cost_of_site
from verger.snapshots.stored import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Ending
    from verger.client.site import Site

MOST_ENDINGS = 1 << 16

NO_RULES: "_Ending" = (0, None, None, None, None, None)


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
    ) -> None:
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
            KEPT_BYTES,
            MOST_ENDINGS,
            self._rows.tells_rules,
        )
        self._columns: list[Columns] = []
        self._written: list[Written] = []
        self._bytes = 0

    def decide(self, block: Block) -> None:
        """Give each row of a block its answer, or a problem."""
        urls = block.readable_urls()
        self._learn(urls)
        numbers, first, fresh = self._judge.decide(urls)
        del self._written[first:]
        self._written += [written(self._columns, each, self._rows.text_of) for each in fresh]
        answers = self._written
        block.answers = [answers[number] for number in numbers]
        if NO_ANSWER in block.answers:
            _tell_why(block, range(len(block.urls)))

    def _learn(self, urls: list[str]) -> None:
        """Load the answers of sites that are not in memory."""
        missing = self._judge.missing(urls)
        if missing and self._bytes > KEPT_BYTES:
            self._begin()
            missing = self._judge.missing(urls)
        for name, found in self._snapshot.find(missing, [self._dialect]):
            columns, body = columns_of(name, found, self._dialect)
            self._judge.add(name, body)
            self._columns.append(columns)
            self._bytes += cost_of_site(name, len(body or b""))


class BySite:
    """Decides rows of one site that a client has fetched."""

    def __init__(self, site: "Site", rows: RowFormat) -> None:
        self.site = site
        self._agent = site.agent
        self._sites = [columns_by(site.origin, site.access, site.entry)]
        self._rows = rows
        self._written: dict[_Ending, Written] = {}

    def decide(self, block: Block, rows: Sequence[int]) -> None:
        """Give some rows of a block their answers."""
        answers, urls = block.answers, block.urls
        agent = self._agent or no_rules(self.site.question.dialect)
        numbers, _, fresh = _endings_by_agent(agent, [urls[row] for row in rows])
        if self._agent is None:
            fresh = [each if each[2] == EXEMPT else NO_RULES for each in fresh]
        found = [self._written_of(decided) for decided in fresh]
        for row, number in zip(rows, numbers, strict=True):
            answers[row] = found[number]
        if NO_ANSWER in found:
            _tell_why(block, rows)

    def _written_of(self, decided: "_Ending") -> Written:
        known = self._written.get(decided)
        if known is None:
            known = self._written[decided] = written(self._sites, decided, self._rows.text_of)
        return known


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
