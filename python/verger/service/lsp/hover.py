"""Hover: what a line means, or who a crawler is.

In: a `Document` and an offset in it. Out: Markdown, or plain text, and the range it
describes, in the form of the protocol.
"""

import re
from collections.abc import Iterator

from verger._core import Line, Rule
from verger.analysis.explanation import explain
from verger.crawlers import PURPOSES, SOURCES, find, remark_on
from verger.files.json_text import Json
from verger.service.lsp.document import NOBODY, Audience, Document, names
from verger.service.lsp.fields import FIELDS
from verger.service.lsp.words import (
    code,
    combined,
    does,
    matches,
    shown,
    whom,
)
from verger.untrusted_text import MOST_NAMED, lines_of

RESPECTS = {
    "yes": "obeys robots.txt, according to its operator or a list",
    "no": "does not obey robots.txt, according to its operator or a list",
    "partial": "obeys robots.txt in part, according to its operator or a list",
    "unknown": "it is unknown whether it obeys robots.txt",
}

MOST_LINES = 20
"""The maximum number of lines that explain a group."""


PLAIN, MARKDOWN = "plaintext", "markdown"


def hover(document: Document, offset: int, *, markdown: bool = True) -> Json | None:
    """Return the information about the position at an offset."""
    number, _ = document.text.place(offset)
    if number >= len(document.lines):
        return None  # after the last line end
    line = document.lines[number]
    span, parts = document.text.line_span(line.number - 1), None
    for name, where in names(line):
        if where[0] <= offset <= where[1]:
            span, parts = where, _crawler(name)
    text = "\n\n".join(parts or _line(document, line))
    if not text:
        return None
    kind, text = (MARKDOWN, text) if markdown else (PLAIN, _plain(text))
    return {"contents": {"kind": kind, "value": text}, "range": document.text.range(span)}


def _plain(markdown: str) -> str:
    """Return a text without the Markdown that hovers use."""
    return _MARKS.sub(lambda found: next(filter(None, found.groups()), ""), markdown)


_MARKS = re.compile(r"^```\w*$|`([^`]*)`|\*\*(.+?)\*\*|^_(.*)_$|^<(.*)>$", re.MULTILINE)
"""Fences, code, strong, emphasis of a whole line, and links."""


def _line(document: Document, line: Line) -> Iterator[str]:
    if line.kind == "rule":
        yield from _rule(document, line)
    elif line.field in FIELDS:
        yield from _field(line)
        if line.kind == "start-group":
            yield from _group(document, line)


def _group(document: Document, line: Line) -> Iterator[str]:
    """Yield the crawlers that a group applies to, and what they may and may not fetch."""
    group = document.group_of.get(line.number)
    audience = document.audience(group) if group else NOBODY
    if audience.followings:
        groups = combined(audience)
        yield f"This group applies to {whom(audience)}" + (f"; {groups}" if groups else "")
        lines = [shown(said) for said in explain(audience.followings[0].agent).lines]
        more = len(lines) - MOST_LINES
        lines[MOST_LINES:] = [f"and {more:,} more lines"] if more > 0 else []
        yield "\n".join(("```text", *lines, "```"))


def _rule(document: Document, line: Line) -> Iterator[str]:
    if (rule := document.rule_at.get(line.number)) is None:
        yield "This rule has no effect: it is outside any group, or the dialect ignores it."
        return
    verb = "Allows" if rule.allow else "Disallows"
    yield f"**{verb}** {matches(document, rule)}"
    yield "\n".join(f"- {fact}" for fact in _facts(document, rule))
    yield f"_{_section(document, rule)}_"


def _facts(document: Document, rule: Rule) -> Iterator[str]:
    """Yield the crawlers that a rule applies to, and its effect among other rules."""
    audience = document.audience(document.group_of[rule.line])
    yield f"applies to {whom(audience)}"
    if groups := combined(audience):
        yield groups
    roles = document.roles.get(rule.line, {})
    said = {does(effect): following for following, effect in roles.items()}
    for words, following in list(said.items())[:MOST_NAMED]:
        yield words if len(said) == 1 else f"for {whom(Audience((following,)))}: {words}"
    if shadows := document.shadowed_by(rule):
        those = "it" if len(shadows) == 1 else "none of them"
        yield f"outranks {lines_of(shadows)} everywhere, so {those} never decides"


def _section(document: Document, rule: Rule) -> str:
    """Return the section by which a rule decides, as the core names it."""
    for following, effect in document.roles.get(rule.line, {}).items():
        if effect.witness is not None:
            return following.agent.decide(effect.witness).section
    return FIELDS["allow" if rule.allow else "disallow"].source


def _field(line: Line) -> Iterator[str]:
    help_of = FIELDS[line.field or ""]
    yield f"**{help_of.name}**: {help_of.what}"
    yield f"_{help_of.source}_"


def _crawler(name: str) -> Iterator[str]:
    """Yield who a crawler is, and the sources."""
    if name == "*":
        yield "`*`: every crawler that no other group names"
        yield f"_{FIELDS['user-agent'].source}_"
        return
    if (crawler := find(name)) is None:
        yield f"{code(name)}: not in verger's registry of crawlers"
        return
    yield f"**{crawler.token}**" + (f", of {crawler.operator}" if crawler.operator else "")
    purposes = "".join(f"- {name}: {PURPOSES[name]}\n" for name in crawler.purposes)
    yield f"{purposes}- {remark_on(crawler.token) or RESPECTS[crawler.respects]}"
    if crawler.url:
        yield f"<{crawler.url}>"
    yield "_" + "; ".join(SOURCES[source].title for source in crawler.sources) + "_"
