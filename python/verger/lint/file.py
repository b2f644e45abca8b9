"""The file that checks look at: parsed once for each target, analysed once, and asked by all.

In: the bytes of a robots.txt file, and the dialects that matter. Out: a `File`. What several checks
need is worked out here, when the first asks for it.
"""

from collections.abc import Container, Iterator, Sequence
from functools import cached_property

from verger._core import (
    DIALECTS,
    Agent,
    Finding,
    Group,
    Line,
    Record,
    RobotsTxt,
    Rule,
    _naming,
    parse,
)
from verger.analysis.draft import Edit
from verger.analysis.places import EVERY_FIELD
from verger.analysis.rules import Effect, Redundant, effects, has_wildcards, redundant
from verger.analysis.whole import NOT_ROBOTS_TXT
from verger.crawlers.binding import agent_of
from verger.crawlers.registry import Crawler, find
from verger.lint.diagnostic import Applicability, Fix, Span
from verger.lint.names import name_of, tokens_of
from verger.options import is_token

TARGETS = ("rfc9309", "google", "bing", "yandex")
"""The dialects that matter where nobody says which."""

STEPS = 1 << 22
"""Steps that the analysis takes for one crawler at most; honest files take some thousands."""

MATCHING = (
    *("url_split", "query", "normalisation", "equate_reserved_escapes", "wildcards", "slash"),
    *("empty_disallow", "report_empty", "index_is_directory", "trailing_star_counts"),
    *("precedence", "tie", "robots_txt_allowed"),
)
"""The knobs that say what rules do once they are read: where these are the same, so are effects."""

MOST_PROOFS = 2
"""Fixes of one file that are proved while it is looked at."""

MOST_AGENTS = 2_000
"""Crawlers of one file whose rules are analysed."""


class File:
    """One robots.txt file, as each of the targets reads it."""

    def __init__(
        self, body: bytes, *, url: str | None = None, targets: Sequence[str] = TARGETS
    ) -> None:
        self.body = body
        self.url = url
        self.targets = tuple(targets)
        self._proofs = 0
        self._effects: dict[object, tuple[Effect, ...]] = {}
        self._redundant: dict[object, Redundant] = {}

    # as it is read

    @cached_property
    def readings(self) -> dict[str, RobotsTxt]:
        """The file as each target reads it, the first first."""
        return {name: parse(self.body, dialect=name, url=self.url) for name in self.targets}

    @cached_property
    def robots(self) -> RobotsTxt:
        """The file as the first target reads it, with the records that any dialect reads."""
        dialect = DIALECTS[self.targets[0]].replace(extensions=EVERY_FIELD)
        return parse(self.body, dialect=dialect, url=self.url)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Its lines."""
        return self.robots.lines[:]

    @cached_property
    def is_robots_txt(self) -> bool:
        """Whether it is text that is meant as a robots.txt file."""
        return NOT_ROBOTS_TXT.isdisjoint(self.by_code)

    @cached_property
    def by_code(self) -> dict[str, list[Finding]]:
        """What the parser tolerated, by its code."""
        return _by_code(self.robots)

    def in_any(self, code: str) -> list[Finding]:
        """Return what the parser tolerated of one kind in any of the targets, by line."""
        found = {
            finding: None
            for robots in (self.robots, *self.readings.values())
            for finding in robots.findings
            if finding.code == code
        }
        return sorted(found, key=lambda finding: finding.line)

    def line(self, number: int) -> Line:
        """Return a line by its number."""
        return self.lines[number - 1]

    def text(self, span: Span) -> bytes:
        """Return what stands in a span."""
        return self.body[slice(*span)]

    def content(self, number: int) -> Span:
        """Return the span of a line without what is blank around it and without its end."""
        start, stop = self.line(number).span
        raw = self.body[start:stop].rstrip()
        return (start + len(raw) - len(raw.lstrip()), start + len(raw))

    # groups

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Its groups."""
        return self.robots.groups

    @cached_property
    def start_lines(self) -> list[Line]:
        """The lines that head groups."""
        return [line for line in self.lines if line.kind == "start-group"]

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """Its extension records, whoever reads them."""
        return self.robots.records

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """The lines that name each crawler, by its token in lower case, without its version."""
        named: dict[str, list[int]] = {}
        for line in self.start_lines:
            if line.value:
                named.setdefault(name_of(line.value).lower(), []).append(line.number)
        return named

    @cached_property
    def rules(self) -> list[Rule]:
        """Its rules, in the order of the file."""
        return [rule for group in self.groups for rule in group.rules]

    def is_closed(self, token: str) -> bool:
        """Whether a group closes everything to a crawler, but for robots.txt itself."""
        agent = self.robots.agent(token)
        opening = [rule for rule in agent.rules if rule.allow and rule.pattern]
        is_opened = not all(rule.pattern.rstrip("*$") == "/robots.txt" for rule in opening)
        everything = ("/", "/*") if has_wildcards(self.robots.dialect) else ("/",)
        closes_all = any(not rule.allow and rule.pattern in everything for rule in agent.rules)
        return agent.posture == "none" or (closes_all and not is_opened)

    def lets_in(self, token: str) -> bool:
        """Whether a crawler may fetch something, by the groups that it follows."""
        return agent_of(self.robots, token).posture != "none"

    def crawlers(self, group: Group) -> list[Crawler]:
        """Return what the registry knows of the crawlers that a group names."""
        return [crawler for token in tokens_of(group) if (crawler := find(token))]

    @cached_property
    def agents(self) -> list[Agent]:
        """A crawler for each way in which the groups of the file bind some, `*` first."""
        return self.agents_in(self.robots)

    def agents_in(self, robots: RobotsTxt) -> list[Agent]:
        """Return a crawler for each way in which groups bind some, in one reading."""
        tokens = list(self._tokens)
        first: dict[int | None, str] = {None: "*"}
        for token, number in zip(tokens, _naming(robots, tokens), strict=True):
            first.setdefault(number, token)
        return [robots.agent(token) for token in list(first.values())[:MOST_AGENTS]]

    @cached_property
    def _tokens(self) -> dict[str, None]:
        """`*`, and every product token of the file that can be asked about."""
        values = {value: None for value in self.named if is_token(value)}
        return {"*": None, **values}

    # what rules do

    @cached_property
    def shadows(self) -> dict[int, tuple[Rule, ...]]:
        """The rules that decide nothing for anybody in any target, by line, and who outranks each.

        A rule that matches no URL at all has nobody that outranks it.
        """
        robots, *others = [self.robots, *list(self.readings.values())[1:]]
        found = dict(self._idle_in(robots))
        for reading in others:
            if not found:
                break
            idle = dict(self._idle_in(reading, among=found.keys()))
            read = {rule.line for group in reading.groups for rule in group.rules}
            found = {line: by for line, by in found.items() if line in idle or line not in read}
        return found

    def _idle_in(
        self, robots: RobotsTxt, among: Container[int] | None = None
    ) -> Iterator[tuple[int, tuple[Rule, ...]]]:
        """Yield the rules that decide nothing for any crawler, in one reading.

        among:  the lines that matter; crawlers without a rule in them are left out.
        """
        idle: dict[int, tuple[Rule, ...]] = {}
        busy: set[int] = set()
        for agent in self.agents_in(robots):
            if among is not None and not any(rule.line in among for rule in agent.rules):
                continue
            for effect in self._effects_of(agent):
                if effect.does in ("shadowed", "matches-nothing"):
                    idle.setdefault(effect.rule.line, effect.by)
                else:
                    busy.add(effect.rule.line)
        yield from ((line, by) for line, by in idle.items() if line not in busy)

    def _effects_of(self, agent: Agent) -> tuple[Effect, ...]:
        """Return what the rules of a crawler do, once for targets that match alike."""
        key = _rules_of(agent)
        if key not in self._effects:
            self._effects[key] = tuple(effects(agent, steps=STEPS))
        return self._effects[key]

    def redundant(self, agent: Agent) -> Redundant:
        """Return the rules without which a crawler is told the same."""
        key = _rules_of(agent)
        if key not in self._redundant:
            self._redundant[key] = redundant(agent, steps=STEPS)
        return self._redundant[key]

    # fixes

    def rewrite(self, span: Span, new: bytes, title: str, applicability: Applicability) -> Fix:
        """Return a fix that writes something else in a span."""
        return Fix(title, (Edit(span, new),), applicability)

    def without_line(self, number: int, title: str, applicability: Applicability) -> Fix:
        """Return a fix that removes a line; a comment behind it stays.

        A comment that silences checks for the line goes with it: else it would be for the next.
        """
        line = self.line(number)
        if line.comment is not None and not _is_silencer(line):
            mark = self.body.index(b"#", line.span[0])
            return self.rewrite((self.content(number)[0], mark), b"", title, applicability)
        above = number - 1
        while above and self.line(above).kind == "comment" and _is_silencer(self.line(above)):
            above -= 1
        start = self.line(above + 1).span[0]
        return self.rewrite((start, line.span[1]), b"", title, applicability)

    def mended(self, edits: Sequence[Edit], title: str) -> Fix:
        """Return a fix that is safe where it is proved that it changes no decision.

        The proof takes milliseconds: only so many are made for a file, and other fixes are unsafe.
        """
        from verger.analysis.draft import apply
        from verger.lint.sameness import says_the_same

        self._proofs += 1
        is_safe = self._proofs <= MOST_PROOFS and says_the_same(
            self.body, apply(self.body, edits), url=self.url
        )
        return Fix(title, tuple(edits), "safe" if is_safe else "unsafe")

    def line_end(self) -> bytes:
        """Return how the lines of the file end."""
        for line in self.lines:
            end = self.body[max(line.span[0], line.span[1] - 2) : line.span[1]]
            if end.endswith((b"\n", b"\r")):
                return b"\r\n" if end == b"\r\n" else end[-1:]
        return b"\n"


def _rules_of(agent: Agent) -> object:
    """Return what the effects of a crawler's rules depend on."""
    dialect = agent.robots.dialect
    return (
        tuple([rule.line for rule in agent.rules]),
        tuple([getattr(dialect, knob) for knob in MATCHING]),
    )


def _is_silencer(line: Line) -> bool:
    """Whether a comment silences checks for one line (see `verger.lint.comments`)."""
    words = (line.comment or "").lstrip("# \t").lower()
    return words.startswith("verger:") and not words[7:].strip().startswith("ignore-file")


def _by_code(robots: RobotsTxt) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in robots.findings:
        found.setdefault(finding.code, []).append(finding)
    return found
