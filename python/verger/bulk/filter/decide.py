"""Blocks of rows, decided as a whole by the native part of `verger.bulk`.

In: blocks, and a snapshot or a site that a client has fetched. Out: the same blocks, each row with
its answer or a problem: an answer is the decision of the kernel with what all rows of an origin
have in common. Memory is bounded: if too much is kept, all of it is dropped, and read again when
needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from verger._core import Dialect, _endings_by_agent, _RowJudge, origin
from verger.access.answer import Unanswered
from verger.access.entry import EXEMPT, Entry, no_rules, policy_of
from verger.access.policy import AccessPolicy
from verger.bulk.filter.blocks import NO_ANSWER, RULES, Block, Columns, Kind, Written
from verger.bulk.filter.writing import AllowedUrls, RowFormat
from verger.crawlers.binding import Bindings, binding_of_all
from verger.errors import InvalidTarget
from verger.files.lru_cache import KEPT_BYTES, cost_of_site
from verger.plain import rule_text
from verger.snapshots.stored import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Ending
    from verger.client.site import Override, Site
    from verger.snapshots.stored import Found

MOST_ENDINGS = 1 << 16

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
        overrides: "Mapping[str, Override] | None" = None,
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
            KEPT_BYTES,
            MOST_ENDINGS,
            self._rows.tells_rules,
            self._rows.use and self._rows.use.kernel,
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
        self._written += [written(self._columns, each, self._rows) for each in fresh]
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
        for name in self._overrides.keys() & set(missing):
            self._add(name, *columns_overridden(name, self._overrides[name]))
        unknown = [name for name in missing if name not in self._overrides]
        for name, found in self._snapshot.find(unknown, [self._dialect]):
            self._add(name, *columns_of(name, found, self._dialect))

    def _add(self, name: str, columns: Columns, body: bytes | None) -> None:
        self._judge.add(name, body)
        self._columns.append(columns)
        self._bytes += cost_of_site(name, len(body or b""))


class BySite:
    """Decides rows of one site that a client has fetched."""

    def __init__(
        self, site: "Site", rows: RowFormat, crawlers: Sequence[tuple[str, ...]] = ()
    ) -> None:
        """Take a site.

        crawlers:  the product tokens of further crawlers.
        """
        self.site = site
        asked = (site.asked_by(tokens, site.question.bindings) for tokens in crawlers)
        self._others = [BySite(each, AllowedUrls()) for each in asked]
        self._agent = site.my_rules
        self._rows = rows
        columns = [columns_by(site.origin, site.access, site.entry)]
        self._written = cache(partial(written, columns, rows=rows))

    def decide(self, block: Block, rows: Sequence[int]) -> None:
        """Give some rows of a block their answers."""
        answers, urls = block.answers, block.urls
        for also, other in zip(block.also, self._others, strict=True):
            other.decide(replace(block, also=[]), rows)
            for row in rows:
                also[row] = answers[row].columns.allowed
        agent = self._agent or no_rules(self.site.question.dialect)
        used = self._rows.use and self._rows.use.kernel
        numbers, _, fresh = _endings_by_agent(agent, [urls[row] for row in rows], used)
        if self._agent is None:
            fresh = [each if each[2] == EXEMPT else NO_RULES for each in fresh]
        found = [self._written(decided) for decided in fresh]
        for row, number in zip(rows, numbers, strict=True):
            answers[row] = found[number]
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


def written(sites: Sequence[Columns], decided: "_Ending", rows: RowFormat) -> Written:
    """Return rows with this decision as they are written.

    sites:  what all rows of an origin have in common, by the number of its entry.
    """
    entry = decided[0]
    if entry is None:
        return NO_ANSWER
    site = sites[entry]
    has_rules = site.effect == RULES
    is_exempt = not has_rules and bool(decided[1]) and site.allowed is False
    columns = _decided(site, decided) if has_rules or is_exempt else site
    # a closed site closes every use, and an open one without a file says nothing
    used = decided[6] if has_rules else columns.allowed and None
    columns = columns._replace(used=used)
    kind = columns.allowed, EXEMPT if is_exempt else _why(site)
    return Written(columns, _kind_of_use(columns, kind, rows), rows.text_of(columns))


def _kind_of_use(columns: Columns, kind: Kind, rows: RowFormat) -> Kind:
    """Return how the summary counts a row, where a list of URLs is made by their use."""
    use = rows.use
    if use is None or use.silent is None or not columns.allowed or columns.used:
        return kind
    about = use.kernel[0]
    if columns.used is None:
        return use.silent, f"silent about {about}"
    return False, f"disallowed for {about}"


def _decided(site: Columns, decided: "_Ending") -> Columns:
    _entry, allowed, reason, section, line, rule, _used = decided
    text = None if rule is None else rule_text(*rule)
    return site._replace(allowed=allowed, reason=reason, section=section, line=line, rule=text)


def _why(site: Columns) -> str:
    """Return why the rows of a site are as they are, for the summary."""
    if site.effect == RULES:
        return RULES
    cause = site.failure or site.status
    return f"{site.reason} ({cause})" if cause else str(site.reason)


def columns_of(origin: str, found: "Found", dialect: Dialect) -> tuple[Columns, bytes | None]:
    """Return the columns that follow from what a snapshot has of an origin, whatever its age; and
    the file if its rules decide."""
    match found:
        case Unanswered():
            return Columns(origin, reason=MISSING[found.kind]), None
        case Entry(good=good):
            columns = columns_by(origin, policy_of(found, dialect), found)
            return columns, good.body if good and columns.effect == RULES else None
        case _, body:
            return Columns(origin, effect=RULES), body


def columns_overridden(origin: str, word: "Override") -> tuple[Columns, bytes | None]:
    """Return the columns that follow from an operator's decision, and the file if it is one."""
    from verger.client.site import OVERRIDES

    if isinstance(word, bytes):
        return Columns(origin, effect=RULES), word
    return columns_by(origin, OVERRIDES[word], None), None


def columns_by(origin: str, policy: AccessPolicy, entry: Entry | None) -> Columns:
    """Return the columns that follow from an access policy and the fetches behind it."""
    status, failure = (entry.last.status, entry.last.failure) if entry else (None, None)
    columns = Columns(origin, effect=policy.effect, status=status, failure=failure)
    if policy.effect == RULES:
        return columns
    is_open = policy.effect == "allow_all"
    return columns._replace(allowed=is_open, reason=policy.reason, section=policy.section)
