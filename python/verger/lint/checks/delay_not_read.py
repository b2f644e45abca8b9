"""RT406: a Crawl-delay for crawlers that do not read it."""

from collections.abc import Iterator

from verger._core import Group
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.names import tokens_of
from verger.lint.words import quoted

DEAF = {
    "googlebot": "Google",
    "googlebot-image": "Google",
    "googlebot-news": "Google",
    "googlebot-video": "Google",
    "mediapartners-google": "Google",
    "adsbot-google": "Google",
    "google-extended": "Google",
    "yandex": "Yandex",
    "yandexbot": "Yandex",
}
"""Crawlers that ignore it. Google Search Central, "How Google interprets the robots.txt
specification": other fields such as crawl-delay are not supported. Yandex Webmaster, "The
Crawl-delay directive": since 22 February 2018 the directive is not taken into account."""


@check("RT406", "warning")
def delay_not_read(file: File) -> Iterator[Found]:
    """A `Crawl-delay` in a group that names only crawlers of Google or Yandex, which ignore it.

    Why: the delay does not slow the crawler down.

    Use instead: Google slows down when a server answers 429 or 503; Yandex has the setting "Crawl
    rate" in Yandex Webmaster.
    """
    ignored_by: dict[int, str | None] = {}
    for record in file.records:
        if record.field == "crawl-delay" and record.group is not None:
            key = id(record.group)  # several records share a group
            if key not in ignored_by:
                ignored_by[key] = _who_ignores(record.group)
            what = ignored_by[key]
            if what is not None:
                yield Found(record.line, what)


def _who_ignores(group: Group) -> str | None:
    tokens = tokens_of(group)
    operators = {DEAF.get(token.lower()) for token in tokens}
    if not tokens or None in operators:
        return None
    who = " and ".join(sorted(filter(None, operators)))
    verb = "ignores" if len(operators) == 1 else "ignore"
    return f"{who} {verb} `Crawl-delay`, and the group of {quoted(tokens[0])} names nobody else"
