"""One version of a file in an editor, and what verger knows about it, computed once.

In: a text, and the settings that apply to its URI. Out: the parsed file, the crawlers that follow
each group, and the effect of each rule; the parts of a line. Everything is computed on first use
and kept with the version, so that no feature pays for another, and limits bound the cost of a
hostile file.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from verger._core import Agent, Group, Line, RobotsTxt, Rule, _leading_name, parse
from verger.analysis.rules import STEPS, Effect, effects, has_wildcards
from verger.analysis.shares import AnalysedCrawlers, analysed_crawlers
from verger.crawlers import CRAWLERS, agent_of, alike, find, is_bound
from verger.crawlers.survey import unlisted_names
from verger.grouping import by_key
from verger.lint import Diagnostic, Settings, lint, settings_for
from verger.options import DialectName
from verger.service.lsp.text import Span, Text

MOST_BYTES = 4 << 20
"""The maximum size of a file that is analysed; crawlers read 500 KiB (RFC 9309 section 2.5)."""

MOST_NAMES = 1_000
"""The maximum number of names in one file, not in the registry, that are analysed."""

MOST_LISTED = 10_000
"""The maximum number of groups, rules, blocks or hints that are listed."""

NEVER_DECIDES = ("shadowed", "matches-nothing")
"""What a rule does that could be omitted."""

Lines: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Following:
    """A set of groups, and the crawlers that follow them together."""

    agent: Agent
    groups: Lines
    """The first line of each group."""
    tokens: tuple[str, ...]
    """Known crawlers, and names in the file; `*` stands for all others."""
    named: tuple[str, ...]
    """Those of them that a group names, or whom it follows."""


class Audience:
    """The crawlers that a group applies to, alone or combined with other groups."""

    def __init__(self, followings: tuple[Following, ...] = ()) -> None:
        self.followings = followings
        self.tokens = [token for each in followings for token in each.tokens]
        self.named = [token for each in followings for token in each.named]

    @cached_property
    def groups(self) -> Sequence[int]:
        """The first lines of all groups that these crawlers follow."""
        return sorted(set[int]().union(*(each.groups for each in self.followings)))


NOBODY = Audience()


class Document:
    """One version of a file. Immutable, except for values computed later."""

    def __init__(self, uri: str, version: int | None, text: Text, settings: Settings) -> None:
        self.uri = uri
        self.version = version
        self.text = text
        self.settings = settings

    @property
    def is_too_long(self) -> bool:
        """Whether the file is larger than the limit."""
        return len(self.text.body) > MOST_BYTES

    @cached_property
    def robots(self) -> RobotsTxt:
        """The parsed file; an empty one if the file is too long."""
        return parse(b"" if self.is_too_long else self.text.body, dialect=self.settings.targets[0])

    @cached_property
    def has_wildcards(self) -> bool:
        """Whether `*` and a final `$` are special in patterns."""
        return has_wildcards(self.robots.dialect)

    @cached_property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The problems of the file."""
        if self.is_too_long:
            return (_too_long(self.text.body),)
        path = _path(self.uri)
        name = path.name if path else None
        return lint(self.text.body, settings=self.settings, name=name).diagnostics

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines that the dialect sees."""
        return tuple(self.robots.lines)

    @cached_property
    def extents(self) -> tuple[tuple[Group, int, int], ...]:
        """Each group with its first and last line, without the comments after it."""
        groups = [group for group in self.robots.groups if group.start_lines]
        starts = [group.start_lines[0] for group in groups] + [len(self.lines) + 1]
        return tuple(
            (group, start, max(filter(self._has_content, range(start, end))))
            for group, start, end in zip(groups, starts, starts[1:], strict=False)
        )

    def _has_content(self, number: int) -> bool:
        return self.lines[number - 1].kind not in ("blank", "comment")

    @cached_property
    def group_of(self) -> dict[int, Group]:
        """The group of each start-group line and each rule."""
        return {
            line: group
            for group in self.robots.groups
            for line in (*group.start_lines, *(rule.line for rule in group.rules))
        }

    @cached_property
    def rule_at(self) -> dict[int, Rule]:
        """The rules of all groups by their lines."""
        return {rule.line: rule for group in self.robots.groups for rule in group.rules}

    @cached_property
    def followings(self) -> tuple[Following, ...]:
        """The groups with their crawlers: known ones, those that the file names, and `*`."""
        found: dict[Lines, tuple[Agent, list[str], list[str]]] = {}
        for agent, tokens in self._alike():
            starts = tuple(group.start_lines[0] for group in agent.groups if group.start_lines)
            _, who, named = found.setdefault(starts, (agent, [], []))
            bound = [token for token in tokens if _is_bound(agent, token)]
            who += bound
            named += bound if agent.named else []
        return tuple(
            Following(agent, starts, tuple(who), tuple(named))
            for starts, (agent, who, named) in found.items()
            if starts
        )

    def _alike(self) -> Iterator[tuple[Agent, list[str]]]:
        """Yield crawlers that follow the same groups, `*` first."""
        yield self.robots.agent("*"), ["*"]
        tokens = [*(crawler.token for crawler in CRAWLERS), *self._unknown[:MOST_NAMES]]
        for those in alike([self.robots], tokens):
            yield agent_of(self.robots, those[0]), those

    @cached_property
    def _unknown(self) -> list[str]:
        """Return the names in the file that are not in the registry."""
        return unlisted_names(
            value for group in self.robots.groups for value in group.product_tokens
        )

    @cached_property
    def _audiences(self) -> dict[int, Audience]:
        """By the first line of a group: whom it applies to; one object for equal ones."""
        found = by_key((start, each) for each in self.followings for start in each.groups)
        made = cache(Audience)
        return {start: made(tuple(those)) for start, those in found.items()}

    def audience(self, group: Group) -> Audience:
        """Return the crawlers that a group applies to."""
        return self._audiences.get(group.start_lines[0], NOBODY) if group.start_lines else NOBODY

    @cached_property
    def roles(self) -> dict[int, dict[Following, Effect]]:
        """By the line of a rule: its effect for each set of crawlers that follow it.

        The total number of steps is limited to that of one analysis elsewhere: about a second.
        """
        found: dict[int, dict[Following, Effect]] = {}
        for each, crawler in zip(self.followings, self._analysed.analysed, strict=False):
            for effect in effects(crawler.agent, steps=crawler.steps):
                found.setdefault(effect.rule.line, {})[each] = effect
        return found

    @cached_property
    def _analysed(self) -> AnalysedCrawlers:
        agents = [each.agent for each in self.followings]
        return analysed_crawlers(agents, steps=STEPS, most=STEPS)

    def shadowed_by(self, rule: Rule) -> Sequence[int]:
        """Return the lines of the rules that a rule outranks everywhere, for some crawler."""
        return [
            line
            for line, roles in sorted(self.roles.items())
            if any(other.line == rule.line for effect in roles.values() for other in effect.by)
        ]

    def is_shadowed(self, rule: Rule) -> bool:
        """Whether a rule never decides because others outrank it."""
        roles = self.roles.get(rule.line, {})
        return self.never_decides(rule) and any(effect.by for effect in roles.values())

    def never_decides(self, rule: Rule) -> bool:
        """Whether a rule decides nothing for all crawlers that follow it."""
        roles = self.roles.get(rule.line, {})
        if len(self._unknown) > MOST_NAMES or rule.line in self._analysed.others:
            return False  # crawlers that are not analysed may need it
        return bool(roles) and all(effect.does in NEVER_DECIDES for effect in roles.values())


def _is_bound(agent: Agent, token: str) -> bool:
    """Whether the groups of an agent apply to a crawler, according to its operator."""
    return token == "*" or is_bound(find(token), named=agent.named)


def _too_long(body: bytes) -> Diagnostic:
    message = (
        f"the file has {len(body):,} bytes; in an editor, verger checks files of up to "
        f"{MOST_BYTES:,} bytes"
    )
    why = "Crawlers read only the first 500 KiB, or little more."
    return Diagnostic("too-long", "too-long", "warning", message, why, 1, (0, 0))


# Settings


def settings_of(uri: str, dialect: DialectName | None) -> Settings:
    """Return the settings of the nearest configuration file above a file; raise InvalidOption.

    dialect:  the dialect that comes first, unless it is None.
    """
    path = _path(uri)
    settings = settings_for(path) if path else Settings()
    if dialect is None:
        return settings
    others = tuple(name for name in settings.targets if name != dialect)
    return replace(settings, targets=(dialect, *others))


def _path(uri: str) -> Path | None:
    """Return the path of a file on this machine; None if it is elsewhere, or not saved yet."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return None
    return Path(path.removeprefix("/") if os.name == "nt" else path)


# Parts of lines


def names(line: Line) -> Iterator[tuple[str, Span]]:
    """Yield the crawler that a start-group line names; nothing for other lines."""
    if line.field != "user-agent" or line.value_span is None or not line.value:
        return
    start = line.value_span[0]
    name = "*" if line.value.startswith("*") else _leading_name(line.value)
    if name:
        yield name, (start, start + len(name.encode("utf-8", "surrogateescape")))
