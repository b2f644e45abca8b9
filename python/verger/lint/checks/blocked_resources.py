"""RT318: style sheets and scripts that search engines may not fetch."""

import re
from collections.abc import Iterator

from verger.analysis import effects
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import STEPS, File
from verger.lint.words import quoted

RESOURCE = re.compile(r"\.(?:css|js|mjs)(?:[$*?]|\Z)", re.IGNORECASE)
FOLDER = re.compile(r"\A/wp-(?:includes|content/(?:themes|plugins))(?:/?\*?)\Z")
"""Folders of WordPress that hold what every page needs."""

ENGINES = ("Googlebot", "bingbot")


@check("RT318", "warning")
def blocked_resources(file: File) -> Iterator[Found]:
    """A rule that disallows style sheets or scripts for Googlebot or bingbot, such as `/*.js$`, or
    the folders of WordPress that hold them.

    Google Search Central, "Fix Search-related JavaScript problems": pages are rendered with the
    resources that Googlebot may fetch.

    Why: search engines render pages, and judge them without the blocked resources.

    Use instead: an `Allow` for the resources that pages need.
    """
    rules = {rule.line for rule in file.rules if not rule.allow and _is_needed(rule.pattern)}
    reported: set[int] = set()
    for token in ENGINES if rules else ():
        agent = file.robots.agent(token)
        if not rules & {rule.line for rule in agent.rules} or agent.posture == "none":
            continue
        for effect in effects(agent, steps=STEPS):
            rule = effect.rule
            if rule.line in rules and rule.line not in reported and effect.does == "decides":
                reported.add(rule.line)
                what = f"{quoted(rule.pattern)} disallows scripts or style sheets for {token}"
                yield Found(rule.line, what, rule.span, witness=effect.witness)


def _is_needed(pattern: str) -> bool:
    return bool(RESOURCE.search(pattern) or FOLDER.match(pattern))
