"""Descriptions of groups and rules, in words.

In: a `Document`, and a group or rule in it. Out: parts of sentences. Text from the file is shown as
code, escaped so that it cannot end early or be interpreted.
"""

from verger._core import Rule
from verger.analysis.explanation import in_words
from verger.analysis.rules import UNREQUESTED, Effect
from verger.service.lsp.document import Audience, Document
from verger.untrusted_text import counted, lines_of, listed, quoted, rule_text, visible

LONGEST = 200
"""The maximum number of characters of a pattern, URL or name that are shown."""


def code(text: str) -> str:
    """Return a text from the file as code in Markdown, without backticks in it."""
    return quoted(text, LONGEST)


def shown(text: str) -> str:
    """Return a text from the file to show in places where backticks are harmless."""
    return visible(text, LONGEST)


def matches(document: Document, rule: Rule) -> str:
    """Return what a rule matches."""
    if not rule.pattern:
        return "nothing: an empty pattern matches no path"
    return in_words(shown(rule.pattern), wildcards=document.has_wildcards)


def whom(audience: Audience) -> str:
    """Return the crawlers that groups apply to, as in `applies to …`."""
    tokens = audience.tokens
    if tokens[:1] == ["*"]:
        others = len(tokens) - 1 - len(audience.named)
        who = f"every crawler that no other group names ({counted(others, 'known one')})"
        return f"{listed(audience.named, code)}, and {who}" if audience.named else who
    return listed(tokens, code) if tokens else "no crawler"


def count_of(audience: Audience) -> str:
    """Return how many crawlers groups apply to."""
    tokens = audience.tokens
    if tokens[:1] == ["*"]:
        named = f"{counted(len(audience.named), 'crawler')} and " if audience.named else ""
        others = len(tokens) - 1 - len(audience.named)
        return f"applies to {named}all other crawlers ({others:,} known)"
    return f"applies to {counted(len(tokens), 'crawler')}" if tokens else "applies to no crawler"


def combined(audience: Audience) -> str | None:
    """Return the groups that apply together to the crawlers of a group; None if it is alone."""
    if audience.groups[1:]:
        return f"the groups of {lines_of(audience.groups)} are combined"
    return None


def does(effect: Effect) -> str:
    """Return the effect of a rule among the other rules of a crawler."""
    if effect.does == "decides" and effect.witness is not None:
        mark = "" if effect.is_requested else UNREQUESTED
        return f"decides, for example, {code(effect.witness)}{mark}"
    if effect.does == "shadowed":
        return f"never decides: outranked everywhere by {listed(effect.by, _rule_and_line)}"
    if effect.does == "matches-nothing":
        return "never decides: it matches no URL"
    return "may decide: there are too many rules to find out"


def never(document: Document, rule: Rule) -> str:
    """Return why a rule never decides, in a few words."""
    effects = document.roles[rule.line].values()
    by = sorted({other.line for effect in effects for other in effect.by})
    return f"never decides: outranked by {lines_of(by)}" if by else "never decides: matches no URL"


def _rule_and_line(rule: Rule) -> str:
    return f"line {rule.line}, {code(rule_text(rule.allow, rule.pattern))}"
