"""The file under check: parsed once for each target, analysed once, shared by all checks.

In: the bytes of a robots.txt file, and the dialects that matter. Out: a `File`. What several checks
need is computed here, on first use.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property, lru_cache, partial
from typing import TypeVar, cast

from verger._core import (
    Agent,
    Dialect,
    Finding,
    Group,
    Line,
    RobotsTxt,
    Rule,
    _anchors,
    _dialect_of,
    _idle,
    _leading_name,
    _places,
    _redundant_alone,
    _rule_lines,
    parse,
)
from verger.analysis.edits import Edit, apply, end_of_line
from verger.analysis.proof import WORD, cuts_of, says_the_same
from verger.analysis.readings import DRAFT, readings_of, with_records
from verger.analysis.rules import has_wildcards
from verger.analysis.shares import MOST_AGENTS, Analysed, AnalysedCrawlers, analysed_crawlers
from verger.analysis.templates import template_lines
from verger.crawlers.binding import agent_of, agents_of, alike
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.grouping import by_key
from verger.lint.diagnostic import Applicability, Fix, Span, quoted
from verger.lint.invisible import marks_in
from verger.options import DialectName, is_token

TARGETS: tuple[DialectName, ...] = ("rfc9309", "google", "bing", "yandex")
"""The dialects that matter by default."""

MATCHING = (
    *("url_split", "query", "dot_segments", "normalisation", "equate_reserved_escapes"),
    *("wildcards", "require_slash", "empty_disallow", "report_empty", "index_is_directory"),
    *("trailing_star_counts", "precedence", "tie", "robots_txt_allowed"),
)
"""The knobs that decide what parsed rules do: if these are equal, so are the effects of rules."""

MOST_PROOFS = 2
"""The most fixes of one file that are proved while it is checked."""

STEPS = 1 << 22
"""The most steps of an analysis for one crawler; ordinary files take some thousands."""

STEPS_OF_ALL = 1 << 25
"""The most steps of an analysis for all crawlers of one file together."""

NO_CRAWLER = "mozilla"
"""What headers of browsers and of most crawlers begin with: no crawler has this name."""

T = TypeVar("T")


class Reading:
    """A file as one dialect reads it."""

    def __init__(self, robots: RobotsTxt, more: Iterable[str] = ()) -> None:
        """Take a file, and names of crawlers that it does not name as they are."""
        self.robots = robots
        self.more = more

    @cached_property
    def values(self) -> list[str]:
        """The values of its start-group lines."""
        return [value for group in self.robots.groups for value in group.product_tokens if value]

    @cached_property
    def names(self) -> dict[str, None]:
        """The crawlers that they name, in lower case."""
        return dict.fromkeys(name_of(value).lower() for value in self.values)

    @cached_property
    def agents(self) -> list[Agent]:
        """One crawler for each set of groups that some crawler follows, `*` first.

        Of very many, only the first ones; see `is_whole`.
        """
        tokens = list(dict.fromkeys(("*", *filter(is_token, (*self.names, *self.more)))))
        partition = alike([self.robots], tokens, "file")[: MOST_AGENTS + 1]
        return agents_of(self.robots, [same[0] for same in partition], "file")

    @property
    def is_whole(self) -> bool:
        """Whether `agents` are all crawlers of the file."""
        return len(self.agents) <= MOST_AGENTS

    def agents_of(self, group: Group) -> list[Agent]:
        """Return those of the crawlers that follow a group, perhaps with others."""
        return self._agents_of.get(group.start_lines, [])

    @cached_property
    def _agents_of(self) -> dict[tuple[int, ...], list[Agent]]:
        lines = [group.start_lines for group in self.robots.groups]
        return by_key((lines[place], agent) for agent in self.agents for place in _places(agent))

    @cached_property
    def followed(self) -> dict[Agent, frozenset[int]]:
        """The groups that each of the crawlers follows, by index."""
        return {agent: frozenset(_places(agent)) for agent in self.agents}

    @cached_property
    def analysed(self) -> AnalysedCrawlers:
        """The crawlers whose rules are analysed."""
        return analysed_crawlers(self.agents, steps=STEPS_OF_ALL, most=STEPS)

    @cached_property
    def head_of(self) -> dict[int, int]:
        """The place of the group that each start-group line heads, by its number."""
        return {
            line: at for at, group in enumerate(self.robots.groups) for line in group.start_lines
        }

    @cached_property
    def group_of(self) -> dict[int, int]:
        """The place of the group of each rule, by the rule's line."""
        return {
            rule.line: at for at, group in enumerate(self.robots.groups) for rule in group.rules
        }

    @cached_property
    def together(self) -> list[tuple[Rule, ...]]:
        """The rules that are read together: of each group, then of each crawler with several."""
        agents = [each.agent for each in self.analysed.analysed]
        real = (agent for agent in agents if agent.tokens != (NO_CRAWLER,))
        joined = (agent.rules for agent in real if len(_places(agent)) > 1)
        return [*(group.rules for group in self.robots.groups), *joined]

    @cached_property
    def repeated(self) -> dict[int, Rule]:
        """The duplicate rules, by line, each with the first one, which the same crawlers read."""
        found: dict[int, Rule] = {}
        spelt = equated(self.robots.dialect)
        joined: dict[tuple[int, int], bool] = {}
        for rules in self.together:
            first: dict[tuple[bool, bytes], Rule] = {}
            for rule in rules:
                above = first.setdefault((rule.allow, spelt(rule.pattern_bytes)), rule)
                if above.line == rule.line:
                    continue
                pair = self.group_of[rule.line], self.group_of[above.line]
                if pair not in joined:
                    joined[pair] = pair[0] == pair[1] or self._is_joined(*pair)
                if joined[pair]:
                    found.setdefault(rule.line, above)
        return found

    @cached_property
    def unrepeated(self) -> set[int]:
        """The lines of the other rules that some crawler reads."""
        is_whole, groups = self.is_whole, self.robots.groups
        read = (group for group in groups if not is_whole or self.agents_of(group))
        return {rule.line for group in read for rule in group.rules} - self.repeated.keys()

    def _is_joined(self, at: int, other: int) -> bool:
        """Whether every crawler that reads a group also reads another."""
        agents = self.agents_of(self.robots.groups[at]) if self.is_whole else []
        return bool(agents) and all(other in self.followed[agent] for agent in agents)


class File(Reading):
    """One robots.txt file: as the first of the targets reads it, with the records that any dialect
    reads; and as the others do."""

    def __init__(
        self,
        body: bytes,
        *,
        url: str | None = None,
        name: str | None = None,
        targets: Sequence[DialectName] = TARGETS,
    ) -> None:
        super().__init__(parse(body, dialect=with_records(_dialect_of(targets[0])), url=url))
        self.body = body
        self.url = url
        self.name = name
        self.targets = tuple(targets)
        self._proofs = 0
        self._found: dict[tuple[str, object], object] = {}

    # the file as dialects read it

    @cached_property
    def readings(self) -> dict[str, RobotsTxt]:
        """The file as each target reads it, in the order of the targets."""
        return {name: parse(self.body, dialect=name, url=self.url) for name in self.targets}

    @cached_property
    def others(self) -> list[Reading]:
        """The readings of the targets after the first, in their order."""
        return list(map(Reading, list(self.readings.values())[1:]))

    @cached_property
    def all_readings(self) -> list[Reading]:
        """Every reading in which a finding about a line that can go is true: those of the targets,
        also where they read `Content-Usage`, with crawlers that parts of values name, too."""
        has_usage = DRAFT.encode() in self.body.lower()
        drafts = (readings_of(_dialect_of(name)) for name in self.targets if has_usage)
        drafted = (dialect for each in drafts for dialect in list(each.values())[1:])
        robots = (parse(self.body, dialect=dialect, url=self.url) for dialect in drafted)
        readings = [self, *self.others, *map(Reading, robots)]
        values = {value for each in readings for value in each.values}
        parts = {*cuts_of(values)} - {name for each in readings for name in each.names}
        if any(finds_within(each.robots.dialect) for each in readings):
            words = {word for value in values for word in WORD.findall(value)}
            parts |= {kin for word in words for kin in (word, f"x-{word}", word[1:], word[:-1])}
        return [Reading(each.robots, sorted(parts)) for each in readings] if parts else readings

    @cached_property
    def is_cut(self) -> bool:
        """Whether a target reads only the beginning: with a line less, it would read on."""
        return any(robots.truncated for robots in self.readings.values())

    @cached_property
    def anchors(self) -> set[int]:
        """The lines of rules without which other lines are read otherwise, in any reading."""
        return {line for reading in self.all_readings for line in _anchors(reading.robots)}

    @cached_property
    def literal(self) -> list[str]:
        """The targets in which `*` and `$` in a pattern are letters."""
        return [name for name in self.targets if not has_wildcards(_dialect_of(name))]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Its lines."""
        return self.robots.lines[:]

    @cached_property
    def is_robots_txt(self) -> bool:
        """Whether it is text, and meant as a robots.txt file."""
        return NOT_ROBOTS_TXT.isdisjoint(self.by_code)

    @cached_property
    def by_code(self) -> dict[str, list[Finding]]:
        """The findings of the parser, by code."""
        return by_key((finding.code, finding) for finding in findings_of(self.robots))

    def numbers_of(self, code: str) -> list[int]:
        """Return the lines about which the parser has a finding of a code."""
        return sorted({finding.line for finding in self.by_code.get(code, ())})

    def line(self, number: int) -> Line:
        """Return a line by its number."""
        return self.lines[number - 1]

    def text(self, span: Span) -> bytes:
        """Return the bytes of a span."""
        return self.body[slice(*span)]

    def content(self, number: int) -> Span:
        """Return the span of a line without surrounding blanks and its line end."""
        start, stop = self.line(number).span
        raw = self.body[start:stop].rstrip()
        return (start + len(raw) - len(raw.lstrip()), start + len(raw))

    @cached_property
    def templates(self) -> frozenset[int]:
        """The lines of the file that are part of a template which was not rendered."""
        return template_lines(self.body, self.lines)

    @cached_property
    def marks(self) -> dict[int, list[tuple[str, str, Span]]]:
        """The lines with invisible characters or with typographic quotes, by number."""
        return marks_in(self.body, self.lines)

    # groups

    @cached_property
    def start_lines(self) -> list[Line]:
        """The lines that head groups."""
        return [line for line in self.lines if line.kind == "start-group"]

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """The lines that name each crawler, by its token in lower case, without its version."""
        return by_key(
            (name_of(line.value).lower(), line.number) for line in self.start_lines if line.value
        )

    @cached_property
    def rules(self) -> list[Rule]:
        """Its rules, in the order of the file."""
        return [rule for group in self.robots.groups for rule in group.rules]

    @cached_property
    def patterns(self) -> list[tuple[Rule, bytes]]:
        """Its rules, each with its pattern."""
        return [(rule, rule.pattern_bytes) for rule in self.rules]

    def rules_with(self, form: re.Pattern[bytes]) -> Iterator[tuple[Rule, re.Match[bytes], Span]]:
        """Yield the rules whose patterns have a form, each with the first match, and its span."""
        for rule, pattern in self.patterns:
            if match := form.search(pattern):
                start = rule.span[0]
                yield rule, match, (start + match.start(), start + match.end())

    def is_closed(self, token: str) -> bool:
        """Whether a group disallows everything for a crawler, except robots.txt itself."""
        agent = agent_of(self.robots, token)
        opening = [rule for rule in agent.rules if rule.allow and rule.pattern]
        is_opened = not all(rule.pattern.rstrip("*$") == "/robots.txt" for rule in opening)
        everything = ("/", "/*") if has_wildcards(self.robots.dialect) else ("/",)
        closes_all = any(not rule.allow and rule.pattern in everything for rule in agent.rules)
        return agent.posture == "none" or (closes_all and not is_opened)

    def posture_of(self, agent: Agent) -> str:
        """Return how much a crawler of the file may fetch, computed once for all its groups."""
        return self._once("posture", agent, lambda: agent.posture)

    # what rules do

    @cached_property
    def duplicates(self) -> dict[int, Rule]:
        """The duplicate rules in every reading, by line, as in `repeated`: each of these lines can
        be removed."""
        found = self.repeated
        readings = self.all_readings if found else ()
        needed = {line for reading in readings for line in reading.unrepeated}
        return {
            line: above
            for line, above in found.items()
            if line not in needed and line not in self.anchors
        }

    @cached_property
    def shadows(self) -> dict[int, tuple[Rule, ...]]:
        """The rules that decide nothing for any crawler in any target, by line.

        Each has the rules that outrank it; a rule that matches no URL at all has none.
        """
        found = dict(self._idle_in(self))
        for reading in self.all_readings if found else ():
            idle = dict(self._idle_in(reading, among=found.keys()))
            found = {
                line: by
                for line, by in found.items()
                if line in idle or line not in reading.group_of
            }
        return found

    def _idle_in(
        self, reading: Reading, among: Set[int] | None = None
    ) -> Iterator[tuple[int, tuple[Rule, ...]]]:
        """Yield the rules that decide nothing for any crawler, in one reading.

        among:  the lines that matter; crawlers without a rule in them are skipped.
        """
        idle: dict[int, tuple[Rule, ...]] = {}
        analysed, others = reading.analysed
        busy = set(others)
        for each in analysed:
            lines = _rule_lines(each.agent)
            if among is not None and among.isdisjoint(lines):
                continue
            found = dict(self._once("idle", _rules_of(each.agent), partial(_idle, *each)))
            busy |= {*lines} - found.keys()
            for line, by in found.items():
                idle.setdefault(line, by)
        yield from ((line, by) for line, by in idle.items() if line not in busy)

    def redundant_alone(self, crawler: Analysed) -> frozenset[int]:
        """Return the lines of the rules of which each can be removed alone: no answer for a crawler
        changes, unless it is one of `anchors`."""
        find = partial(_redundant_alone, *crawler)
        return self._once("redundant", _rules_of(crawler.agent), lambda: frozenset(find()))

    def _once(self, what: str, key: object, find: Callable[[], T]) -> T:
        """Return what a function finds, which is called once for each key."""
        found = self._found.get((what, key), self)
        if found is self:
            found = self._found[what, key] = find()
        return cast(T, found)

    # fixes

    def rewrite(self, span: Span, new: bytes, title: str, applicability: Applicability) -> Fix:
        """Return a fix that replaces a span."""
        return Fix(title, (Edit(span, new),), applicability)

    def write(self, span: Span, new: bytes) -> Fix:
        """Return an unsafe fix that writes what was probably meant in place of a span."""
        return self.rewrite(span, new, f"Write {quoted(new)}", "unsafe")

    def split_value(self, number: int, span: Span, values: Iterable[bytes]) -> Fix:
        """Return a fix that gives each of the values of a line a line of its own."""
        key = self.text((self.content(number)[0], span[0]))
        return self.rewrite(span, (self.line_end + key).join(values), "Split the line", "unsafe")

    def without_line(self, number: int, title: str, applicability: Applicability) -> Fix:
        """Return a fix that removes a line, but keeps a comment after its record.

        A comment that silences checks for the line is removed too: otherwise it would apply to the
        next line.
        """
        line = self.line(number)
        mark = self.body.find(b"#", *line.span)
        if mark >= 0 and not _is_silencer(line):
            return self.rewrite((self.content(number)[0], mark), b"", title, applicability)
        above = number - 1
        while above and self.line(above).kind == "comment" and _is_silencer(self.line(above)):
            above -= 1
        start = self.line(above + 1).span[0]
        return self.rewrite((start, line.span[1]), b"", title, applicability)

    def prove_fix(self, edits: Sequence[Edit], title: str) -> Fix:
        """Return a fix that is safe if it is proved to change no decision.

        A proof takes milliseconds: only `MOST_PROOFS` are tried for a file; other fixes are unsafe.
        """
        self._proofs += 1
        is_safe = self._proofs <= MOST_PROOFS and says_the_same(
            self.body, apply(self.body, edits), url=self.url
        )
        return Fix(title, tuple(edits), "safe" if is_safe else "unsafe")

    @cached_property
    def line_end(self) -> bytes:
        """How most of its lines end."""
        counts = Counter(filter(None, (end_of_line(self.text(line.span)) for line in self.lines)))
        return max(counts, key=lambda end: counts[end], default=b"\n")


@lru_cache(maxsize=64)
def equated(dialect: Dialect) -> Callable[[bytes], bytes]:
    """Return a function for patterns that gives one text for those that differ in the digits of
    escapes alone, if a dialect equates these; by an example."""
    robots = parse(b"User-agent: *\nDisallow: /%2b\n", dialect=dialect)
    upper = partial(re.compile(rb"%[0-9A-Fa-f]{2}").sub, lambda match: match[0].upper())
    return bytes if robots.allowed("/%2B", "a") else upper


@lru_cache(maxsize=64)
def finds_within(dialect: Dialect) -> bool:
    """Whether a dialect finds the value of a start-group line within names; by an example."""
    return parse(b"User-agent: b\nDisallow: /\n", dialect=dialect).agent("abc").named


def name_of(value: str) -> str:
    """Return the crawler that the value of a start-group line names; the value if it has none.

    Anything after the name, such as a version, does not count: of a malformed line, the parts that
    can be parsed are used (RFC 9309 section 2.3.1.5).
    """
    is_no_star = value[:1] == "*" and not (value[1:2] or " ").isspace()  # RT204
    return (not is_no_star and _leading_name(value)) or value


def tokens_of(group: Group) -> list[str]:
    """Return the product tokens of the crawlers that a group names."""
    return list(map(name_of, group.product_tokens))


def _rules_of(agent: Agent) -> object:
    """Return what the effects of a crawler's rules depend on."""
    return _rule_lines(agent), _matching(agent.robots.dialect)


@lru_cache(maxsize=64)
def _matching(dialect: Dialect) -> tuple[object, ...]:
    return tuple(getattr(dialect, knob) for knob in MATCHING)


def _is_silencer(line: Line) -> bool:
    """Whether a comment silences checks for one line (see `verger.lint.comments`)."""
    words = (line.comment or "").lstrip("# \t").lower()
    return words.startswith("verger:") and not words[7:].strip().startswith("ignore-file")
