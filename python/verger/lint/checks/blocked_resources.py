"""RT318: style sheets and scripts that search engines may not fetch."""

import re
from collections.abc import Iterator
from functools import cache
from json import loads
from pkgutil import get_data
from typing import NotRequired, TypedDict

from verger._core import Agent, Rule
from verger.analysis import effects
from verger.crawlers.binding import agent_of
from verger.lint.check import check
from verger.lint.checks.patterns import patterns_in
from verger.lint.diagnostic import Found, quoted
from verger.lint.file import STEPS, File

RESOURCE = re.compile(
    r"(?!.*(?:"
    r"analytics|beacon|browser-update|counter|hits|manifest|metrics|metrika|matomo|offer|optimizely|pixel"
    r"|piwik|sponsor|stats|s_code|taboola|tagmanager|telemetry|track|worker|/wpm/"
    r"|/(?:(?:show)?ads?|adsense|at|embed|_*flashdetect|ga|gtag|gtm|mbox|sw|_*utm|widget)"
    r"(?:\.min)?\.js|/(?:gruntfile|gulpfile|[a-z]+\.conf(?:ig)?)\.m?js|/print\.css"
    r")).*[^/]\.(?:css|js|mjs)(?:[$*?]|\Z)",
    re.IGNORECASE,
)
"""Scripts and style sheets; not scripts that measure visits, show advertisements, work in the
background, build the site or are for other sites, nor styles of printed pages."""

NAMES_RESOURCES = re.compile(
    r"asset|build|cdn|content|css|dist|font|include|js|lib|media|module|plugin|pub|resource"
    r"|script|skin|static|style|template|theme",
    re.IGNORECASE,
)
"""Words in an `Allow` that may open scripts or style sheets."""

NO_PAGE = re.compile(
    r"\.(?:gif|ico|jpe?g|json|pdf|png|svg|txt|webp|xml)\$?\Z|sitemap", re.IGNORECASE
)
"""Files that are not rendered."""

ENGINES = ("Googlebot", "bingbot")

STYLE_SHEET = "/style.css"
"""A path that shows that style sheets are disallowed."""


class ResourceFolder(TypedDict):
    """A folder, or a program, that gives what every page of a site needs.

    folder:      its path, without a slash at its end.
    paths:       scripts and style sheets that it gives.
    of:          what has them there.
    shared:      whether others may have something else there.
    not_beside:  a pattern that shows that it is another one, without them.
    beside:      a pattern without which it may be one of other programs.
    source:      who says so.
    """

    folder: str
    paths: list[str]
    of: str
    shared: NotRequired[bool]
    not_beside: NotRequired[str]
    beside: NotRequired[str]
    source: str


@check("RT318", "warning")
def blocked_resources(file: File) -> Iterator[Found]:
    """A rule that disallows style sheets or scripts for Googlebot or bingbot, such as `/*.js$`, or
    a folder in which WordPress, Next.js, Drupal or another program has them; and a site of which
    only some pages are allowed, but neither scripts nor style sheets. Scripts that show nothing,
    such as `/js/analytics.js`, are not reported.

    Google Search Central, "Fix Search-related JavaScript problems": pages are rendered with the
    resources that Googlebot may fetch.

    Why: search engines render pages, and judge them without the blocked resources.

    Use instead: an `Allow` for the resources that pages need.
    """
    reported: set[int] = set()
    for token in ENGINES:
        agent = agent_of(file.robots, token)
        found = [*_by_extension(agent, token), *_by_folder(agent, token), *_forgotten(agent, token)]
        for blocked in found if found and agent.posture != "none" else ():
            if blocked.line not in reported:
                reported.add(blocked.line)
                yield blocked


def _by_extension(agent: Agent, token: str) -> Iterator[Found]:
    closing = (rule for rule in _closing(agent) if not patterns_in(rule.pattern_bytes))  # RT317
    lines = {rule.line for rule in closing if RESOURCE.match(rule.pattern)}
    for effect in effects(agent, steps=STEPS) if lines else ():
        if effect.rule.line in lines and effect.does == "decides" and effect.is_requested:
            what = f"{quoted(effect.rule.pattern)} disallows scripts or style sheets for {token}"
            yield Found(effect.rule.line, what, effect.rule.span, witness=effect.witness)


def _by_folder(agent: Agent, token: str) -> Iterator[Found]:
    folders = {rule.pattern: _folder_of(rule.pattern) for rule in _closing(agent)}
    beside = {None, *(name for _, name in folders.values())}
    for rule in _closing(agent) if not beside.isdisjoint(_folders()) else ():
        above, name = folders[rule.pattern]
        folder = _folders().get(name)
        if not folder or folder.get("not_beside") in folders or folder.get("beside") not in beside:
            continue
        does = "may disallow" if folder.get("shared") else "disallows"
        what = f"{quoted(rule.pattern)} {does} scripts or style sheets for {token}"
        if folder.get("shared"):
            what += f": programs such as {folder['of']} have them there"
        decisions = (agent.decide(above + name + path) for path in folder["paths"])
        blocked = (each for each in decisions if not each.allowed and each.line == rule.line)
        if (decision := next(blocked, None)) is not None:
            yield Found(rule.line, what, rule.span, witness=decision.url)


def _forgotten(agent: Agent, token: str) -> Iterator[Found]:
    """Yield the rule that disallows everything, if others allow pages and no resources."""
    shut = next((rule for rule in _closing(agent) if not rule.pattern.strip("/*")), None)
    allowed = [rule.pattern for rule in agent.rules if rule.allow and rule.pattern]
    pages = [pattern for pattern in allowed if not NO_PAGE.search(pattern)]
    is_forgotten = shut and pages and not any(map(NAMES_RESOURCES.search, allowed))
    if shut and is_forgotten and not agent.allowed(STYLE_SHEET):
        what = f"{token} may fetch only what rules allow, and none of them names style sheets"
        yield Found(shut.line, f"{what} or scripts", shut.span, witness=STYLE_SHEET)


def _closing(agent: Agent) -> Iterator[Rule]:
    return (rule for rule in agent.rules if not rule.allow and rule.pattern)


def _folder_of(pattern: str) -> tuple[str, str]:
    """Return the folder that a pattern names, after what stands for a star before it."""
    bare = pattern.rstrip("*").rstrip("/")
    return ("/x", bare[2:]) if bare.startswith("/*/") else ("", bare.removeprefix("*"))


@cache
def _folders() -> dict[str, ResourceFolder]:
    data = get_data("verger.lint", "resources.json")
    assert data is not None, "the package is read from a place that gives no data"
    return {folder["folder"]: folder for folder in loads(data)}
