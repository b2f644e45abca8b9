"""RT320: a rule for the robots.txt file itself."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT320", "note")
def rule_for_robots_txt(file: File) -> Iterator[Found]:
    """A rule for `/robots.txt`, which may always be fetched (RFC 9309 section 2.2.2).

    Why: crawlers always fetch `/robots.txt`, and the rule decides nothing.

    Use instead: no rule. To keep the file out of search results, serve it with the header
    `X-Robots-Tag: noindex`.
    """
    for rule in file.rules:
        if rule.pattern in ("/robots.txt", "/robots.txt$"):
            what = "crawlers may always fetch `/robots.txt`: the rule decides nothing"
            yield Found(rule.line, what, rule.span)
