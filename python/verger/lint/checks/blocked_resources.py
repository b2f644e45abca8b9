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
    """A rule that closes style sheets or scripts to Googlebot or bingbot, such as `/*.js$`, or the
    folders of WordPress that hold them.

    Google Search Central, "Fix Search-related JavaScript problems": pages are rendered with what
    Googlebot may fetch.

    Why: search engines render pages, and judge them without what they may not fetch.

    Use instead: an `Allow` for what pages need.
    """
    rules = {rule.line for rule in file.rules if not rule.allow and _is_needed(rule.pattern)}
    told: set[int] = set()
    for token in ENGINES if rules else ():
        agent = file.robots.agent(token)
        if not rules & {rule.line for rule in agent.rules} or agent.posture == "none":
            continue
        for effect in effects(agent, steps=STEPS):
            rule = effect.rule
            if rule.line in rules - told and effect.does == "decides":
                told.add(rule.line)
                what = f"{quoted(rule.pattern)} closes scripts or style sheets to {token}"
                yield Found(rule.line, what, rule.span, witness=effect.witness)


def _is_needed(pattern: str) -> bool:
    return bool(RESOURCE.search(pattern) or FOLDER.match(pattern))
