"""RT208: a group without rules for a crawler, while the group for `*` has some."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.checks.incomplete_copy import plain_path
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT208", "warning")
def group_without_rules(file: File) -> Iterator[Found]:
    """A group without rules for some crawlers, while the group for `*` disallows something.

    Such a group often only sets a `Crawl-delay`. The crawler may then fetch everything, because it
    follows its own group and not that of `*` as well (RFC 9309 section 2.2.1).

    Readers of 1994 and 1996 read no group there (RT218).

    Why: a crawler that a group names does not follow the rules for `*`.

    Use instead: a copy of the rules for `*` in this group, or an empty `Disallow:` to show that the
    crawler may fetch everything.
    """
    star = file.robots.agent("*")
    closing = next((rule for rule in star.rules if not rule.allow and rule.pattern), None)
    if closing is None or not file.is_whole:
        return
    with_rules = {group.start_lines for group in file.groups if group.rules}
    for group in file.groups:
        if group.rules or any(token.startswith("*") for token in group.product_tokens):
            continue
        followed = (other for agent in file.agents_of(group) for other in agent.groups)
        if any(other.start_lines in with_rules for other in followed):
            continue  # another group for the same crawler has rules
        name = quoted(group.product_tokens[0]) if group.product_tokens else "no crawler"
        what = f"the group for {name} has no rules: it may fetch everything"
        related = (Related(closing.line, f"this rule does not apply to {name}"),)
        yield Found(
            group.start_lines[0], what, witness=_closed(file, closing.pattern), related=related
        )


def _closed(file: File, pattern: str) -> str | None:
    """Return a path that is disallowed for `*`, from the pattern that disallows it."""
    path = plain_path(pattern)
    return path if path and not file.robots.agent("*").allowed(path) else None
