"""The file under check: parsed once for each target, analysed once, shared by all checks.

In: the bytes of a robots.txt file, and the dialects that matter. Out: a `File`. What several checks
need is computed here, on first use.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TypeVar, cast

from verger._core import (
    Agent,
    Dialect,
    Finding,
    Group,
    Line,
    RobotsTxt,
    Rule,
    _dialect_of,
    _leading_name,
    _places,
    parse,
)
from verger.analysis.analysed import MOST_AGENTS, Analysed, AnalysedCrawlers, analysed_crawlers
from verger.analysis.draft import Edit, apply, end_of_line
from verger.analysis.proof import says_the_same
from verger.analysis.readings import with_records
from verger.analysis.rules import Effect, Redundant, effects, has_wildcards, redundant
from verger.analysis.templates import template_lines
from verger.crawlers.binding import agent_of, agents_of, alike
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.grouping import by_key
from verger.lint.diagnostic import Applicability, Fix, Span, quoted
from verger.options import DialectName, is_token

TARGETS: tuple[DialectName, ...] = ("rfc9309", "google", "bing", "yandex")
"""The dialects that matter by default."""

STEPS = 1 << 22
"""The most steps of an analysis for one crawler; ordinary files take some thousands."""

STEPS_OF_ALL = 1 << 25
"""The most steps of an analysis for all crawlers of one file together."""

MATCHING = (
    *("url_split", "query", "dot_segments", "normalisation", "equate_reserved_escapes"),
    *("wildcards", "require_slash", "empty_disallow", "report_empty", "index_is_directory"),
    *("trailing_star_counts", "precedence", "tie", "robots_txt_allowed"),
)
"""The knobs that decide what parsed rules do: if these are equal, so are the effects of rules."""

MOST_PROOFS = 2
"""The most fixes of one file that are proved while it is checked."""

T = TypeVar("T")


class File:
    """One robots.txt file, as each of the targets reads it."""

    def __init__(
        self,
        body: bytes,
        *,
        url: str | None = None,
        name: str | None = None,
        targets: Sequence[DialectName] = TARGETS,
    ) -> None:
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
    def robots(self) -> RobotsTxt:
        """The file as the first target reads it, with the records that any dialect reads."""
        return parse(self.body, dialect=with_records(_dialect_of(self.targets[0])), url=self.url)

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
        """The lines with marks of a template that was not rendered, and those between two marks."""
        return template_lines(self.body, self.lines)

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

    def rules_with(self, form: re.Pattern[bytes]) -> Iterator[tuple[Rule, re.Match[bytes], Span]]:
        """Yield the rules whose patterns have a form, each with the first match, and its span."""
        for rule in self.rules:
            if match := form.search(rule.pattern_bytes):
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

    def lets_in(self, token: str) -> bool:
        """Whether the groups that a crawler follows allow it to fetch something."""
        return agent_of(self.robots, token).posture != "none"

    def posture_of(self, agent: Agent) -> str:
        """Return how much a crawler of the file may fetch, computed once for all its groups."""
        return self._once("posture", agent, lambda: agent.posture)

    @cached_property
    def agents(self) -> list[Agent]:
        """One crawler for each set of groups that some crawler follows, `*` first."""
        return self.agents_in(self.robots)

    @property
    def is_whole(self) -> bool:
        """Whether `agents` are all crawlers of the file."""
        return len(self.agents) <= MOST_AGENTS

    def agents_of(self, group: Group) -> list[Agent]:
        """Return those of the crawlers that follow a group, perhaps with others."""
        return self._agents_of.get(group.start_lines, [])

    @cached_property
    def together(self) -> list[tuple[Rule, ...]]:
        """The rules that are read together: of each group, then of each crawler with several."""
        agents = [each.agent for each in self.analysed_in(self.robots).analysed]
        real = (agent for agent in agents if agent.tokens != (NO_CRAWLER,))
        joined = (agent.rules for agent in real if len(_places(agent)) > 1)
        return [*(group.rules for group in self.robots.groups), *joined]

    @cached_property
    def repeated(self) -> dict[int, Rule]:
        """The duplicate rules, by line, each with the first one, which the same crawlers read."""
        found: dict[int, Rule] = {}
        for rules in self.together:
            first: dict[tuple[bool, bytes], Rule] = {}
            for rule in rules:
                above = first.setdefault((rule.allow, rule.pattern_bytes), rule)
                if above.line != rule.line and self._reads_as_well(rule, above):
                    found.setdefault(rule.line, above)
        return found

    def _reads_as_well(self, rule: Rule, other: Rule) -> bool:
        """Whether every crawler that reads a rule also reads another."""
        pair = self.group_of[rule.line], self.group_of[other.line]
        return self._once("joined", pair, lambda: pair[0] == pair[1] or self._is_joined(*pair))

    def _is_joined(self, at: int, other: int) -> bool:
        agents = self.agents_of(self.robots.groups[at]) if self.is_whole else []
        return bool(agents) and all(other in self.followed[agent] for agent in agents)

    @cached_property
    def followed(self) -> dict[Agent, frozenset[int]]:
        """The groups that each of the crawlers follows, by index."""
        return {agent: frozenset(_places(agent)) for agent in self.agents}

    @cached_property
    def group_of(self) -> dict[int, int]:
        """The place of the group of each rule, by the rule's line."""
        return {
            rule.line: at for at, group in enumerate(self.robots.groups) for rule in group.rules
        }

    @cached_property
    def _agents_of(self) -> dict[tuple[int, ...], list[Agent]]:
        lines = [group.start_lines for group in self.robots.groups]
        return by_key((lines[place], agent) for agent in self.agents for place in _places(agent))

    def agents_in(self, robots: RobotsTxt) -> list[Agent]:
        """Return one crawler for each set of groups that some crawler follows, in one reading.

        Of very many, only the first ones; see `is_whole`.
        """
        partition = alike([robots], [*self._tokens], "file")[: MOST_AGENTS + 1]
        return agents_of(robots, [tokens[0] for tokens in partition], "file")

    @cached_property
    def _tokens(self) -> dict[str, None]:
        """`*`, and every valid product token of the file."""
        return dict.fromkeys(("*", *filter(is_token, self.named)))

    # what rules do

    @cached_property
    def shadows(self) -> dict[int, tuple[Rule, ...]]:
        """The rules that decide nothing for any crawler in any target, by line.

        Each has the rules that outrank it; a rule that matches no URL at all has none.
        """
        robots, *others = self.readings.values()
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

        among:  the lines that matter; crawlers without a rule in them are skipped.
        """
        idle: dict[int, tuple[Rule, ...]] = {}
        analysed, others = self.analysed_in(robots)
        busy = set(others)
        for each in analysed:
            if among is not None and not any(rule.line in among for rule in each.agent.rules):
                continue
            for effect in self._effects_of(each):
                if effect.does in ("shadowed", "matches-nothing"):
                    idle.setdefault(effect.rule.line, effect.by)
                else:
                    busy.add(effect.rule.line)
        yield from ((line, by) for line, by in idle.items() if line not in busy)

    def analysed_in(self, robots: RobotsTxt) -> AnalysedCrawlers:
        """Return the crawlers whose rules are analysed, in one of the readings."""
        return self._once(
            "analysed",
            id(robots),
            lambda: analysed_crawlers(self.agents_in(robots), steps=STEPS_OF_ALL, most=STEPS),
        )

    def _effects_of(self, crawler: Analysed) -> tuple[Effect, ...]:
        """Return what the rules of a crawler do, computed once for targets that match alike."""
        key = _rules_of(crawler.agent)
        return self._once("effects", key, lambda: effects(crawler.agent, steps=crawler.steps))

    def redundant(self, crawler: Analysed) -> Redundant:
        """Return the rules without which no answer for a crawler changes."""
        key = _rules_of(crawler.agent)
        return self._once("redundant", key, lambda: redundant(crawler.agent, steps=crawler.steps))

    def _once(self, what: str, key: object, find: Callable[[], T]) -> T:
        """Return what a function finds, which is called once for each key."""
        if (what, key) not in self._found:
            self._found[what, key] = find()
        return cast(T, self._found[what, key])

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
        return self.rewrite(span, (self.line_end() + key).join(values), "Split the line", "unsafe")

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

    def line_end(self) -> bytes:
        """Return how the lines of the file end."""
        for line in self.lines:
            if end := end_of_line(self.text(line.span)):
                return end
        return b"\n"


NO_CRAWLER = "mozilla"
"""What headers of browsers and of most crawlers begin with: no crawler has this name."""


def name_of(value: str) -> str:
    """Return the crawler that the value of a start-group line names; the value if it has none.

    Anything after the name, such as a version, does not count: of a malformed line, the parts that
    can be parsed are used (RFC 9309 section 2.3.1.5).
    """
    return _leading_name(value) or value


def tokens_of(group: Group) -> list[str]:
    """Return the product tokens of the crawlers that a group names."""
    return list(map(name_of, group.product_tokens))


def _rules_of(agent: Agent) -> object:
    """Return what the effects of a crawler's rules depend on."""
    return tuple([rule.line for rule in agent.rules]), _matching(agent.robots.dialect)


@lru_cache(maxsize=64)
def _matching(dialect: Dialect) -> tuple[object, ...]:
    return tuple(getattr(dialect, knob) for knob in MATCHING)


def _is_silencer(line: Line) -> bool:
    """Whether a comment silences checks for one line (see `verger.lint.comments`)."""
    words = (line.comment or "").lstrip("# \t").lower()
    return words.startswith("verger:") and not words[7:].strip().startswith("ignore-file")
