"""RT503: some crawlers of one purpose are disallowed, and others forgotten."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File

TRAINING = (
    "GPTBot",
    "ClaudeBot",
    "Google-Extended",
    "Applebot-Extended",
    "Meta-ExternalAgent",
    "CCBot",
    "Bytespider",
    "Amazonbot",
)
"""The crawlers and policy tokens through which most operators collect training data."""

FETCHED_BY = {"Google-Extended": ("Googlebot",), "Applebot-Extended": ("Applebot",)}
"""Policy tokens, and the crawlers that fetch for them: what these may not fetch is unused."""

MANY = 3


@check("RT503", "note")
def purpose_in_part(file: File) -> Iterator[Found]:
    """A file that disallows everything for several AI training crawlers, but not for others.

    Reported if at least three of the well-known ones are disallowed by name, and at least one is
    not.

    Why: crawlers that are not disallowed, such as Common Crawl's, may still collect the pages for
    training.

    Use instead: `verger block --purpose training`, which names all known ones.
    """
    named = [token for token in TRAINING if token.lower() in file.named]
    if len(named) < MANY:
        return
    closed = [token for token in named if not file.lets_in(token)]
    open_ = [
        token for token in TRAINING if all(map(file.lets_in, (token, *FETCHED_BY.get(token, ()))))
    ]
    if len(closed) < MANY or not open_:
        return
    line = file.named[closed[0].lower()][0]
    out, in_ = ", ".join(closed), ", ".join(open_)
    what = f"{out} may fetch nothing, but {in_} may"
    yield Found(line, what, file.line(line).value_span)
