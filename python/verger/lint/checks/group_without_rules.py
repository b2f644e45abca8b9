"""RT208: a group for a crawler that has no rules, beside a group for all that has some."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT208", "warning")
def group_without_rules(file: File) -> Iterator[Found]:
    """A group for some crawlers with no rule in it, while `*` is told to keep out of something.

    Such a group often sets a `Crawl-delay` alone; the crawler may fetch everything then, since one
    group binds a crawler, and not two (RFC 9309 section 2.2.1).

    Why: a crawler that a group names does not read the rules for `*`.

    Use instead: the rules for `*` in this group, too, or an empty `Disallow:` to show that
    everything is meant to be open.
    """
    star = file.robots.agent("*")
    closing = next((rule for rule in star.rules if not rule.allow and rule.pattern), None)
    if closing is None:
        return
    for group in file.groups:
        if group.rules or any(token.startswith("*") for token in group.product_tokens):
            continue
        agents = [each for each in file.agents if group in each.groups]
        if any(agent.rules for agent in agents):
            continue  # another group for the same crawler has rules
        name = quoted(group.product_tokens[0]) if group.product_tokens else "nobody"
        what = f"the group for {name} has no rules: everything is open to it"
        related = (Related(closing.line, f"this rule does not bind {name}"),)
        yield Found(
            group.start_lines[0], what, witness=_closed(file, closing.pattern), related=related
        )


def _closed(file: File, pattern: str) -> str | None:
    """Return a path that is closed to `*`, by the pattern that closes it."""
    path = pattern.replace("*", "").removesuffix("$") or "/"
    is_path = path.startswith("/") and path.isascii() and path.isprintable()
    return path if is_path and not file.robots.agent("*").allowed(path) else None
