"""What the server says of groups and rules, in words.

In: a `Document`, and a group or rule of it. Out: parts of sentences. Text of the file is shown as
code that neither ends early nor acts.
"""

from collections.abc import Callable, Sequence
from typing import Any

from verger._core import Group, Rule
from verger.analysis.explaining import in_words
from verger.plain import counted, printable, rule_text, shortened
from verger.service.lsp.document import Document, Following, Role

LONGEST = 200
"""Characters of a pattern, URL or name that are shown."""

MOST_NAMED = 6
"""Crawlers and lines that one sentence names."""


def code(text: str) -> str:
    """Return a text of the file as code in Markdown; it holds no backtick."""
    return f"`{plain(text)}`"


def plain(text: str) -> str:
    """Return a text of the file to show; a backtick as the escape that URLs have for it."""
    return shown(text).replace("`", "%60")


def shown(text: str) -> str:
    """Return a text of the file to show where backticks mean nothing."""
    return shortened(printable(text), LONGEST)


def matches(document: Document, rule: Rule) -> str:
    """Return what a rule matches."""
    if not rule.pattern:
        return "nothing: an empty pattern matches no path"
    return in_words(plain(rule.pattern), wildcards=document.has_wildcards)


def whom(those: Sequence[Following]) -> str:
    """Return whom groups bind, as in `binds …`."""
    tokens = [token for each in those for token in each.tokens]
    if "*" in tokens:
        return f"every crawler that no other group names ({counted(len(tokens) - 1, 'known one')})"
    if not tokens:
        return "no crawler"
    return listed(tokens, code)


def count_of(those: Sequence[Following]) -> str:
    """Return how many crawlers groups bind."""
    tokens = [token for each in those for token in each.tokens]
    if "*" in tokens:
        return f"binds all other crawlers ({len(tokens) - 1:,} known)"
    return f"binds {counted(len(tokens), 'crawler')}" if tokens else "binds no crawler"


def together(document: Document, group: Group) -> str | None:
    """Return the groups that bind the same crawlers as one."""
    own = group.start_lines[0]
    others = sorted({line for each in document.followers(group) for line in each.groups} - {own})
    return f"together with the group of {lines(others)}" if others else None


def does(role: Role) -> str:
    """Return what a rule does among the others of a crawler."""
    effect = role.effect
    if effect.does == "decides" and effect.witness is not None:
        return f"decides, for example, {code(effect.witness)}"
    if effect.does == "shadowed":
        by = listed(effect.by, lambda rule: f"line {rule.line}, {rule_code(rule)}")
        return f"never decides: outranked everywhere by {by}"
    if effect.does == "matches-nothing":
        return "never decides: it matches no URL"
    return "may decide: too many rules to find out"


def never(document: Document, rule: Rule) -> str:
    """Return why a rule never decides, in a few words."""
    effects = [role.effect for role in document.roles[rule.line]]
    by = sorted({other.line for effect in effects for other in effect.by})
    return f"never decides: outranked by {lines(by)}" if by else "never decides: matches no URL"


def rule_code(rule: Rule) -> str:
    """Return a rule as code."""
    return code(rule_text(rule.allow, rule.pattern))


def lines(numbers: Sequence[int]) -> str:
    """Return `line 4`, `lines 4 and 7`."""
    noun = "line" if len(numbers) == 1 else "lines"
    return f"{noun} {listed(numbers)}"


def listed(words: Sequence[object], shown: Callable[[Any], str] = str) -> str:
    """Return `a`, `a and b`, `a, b and 3 more`; only what is named is made a text."""
    more = len(words) - MOST_NAMED
    named = [shown(word) for word in (words if more <= 0 else words[: MOST_NAMED - 1])]
    if more > 0:
        named.append(f"{more + 1:,} more")
    return " and ".join([*[", ".join(named[:-1])][: len(named) - 1], *named[-1:]])
