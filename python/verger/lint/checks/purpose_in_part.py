"""RT503: some crawlers of one purpose are closed out, and others forgotten."""

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
"""The crawlers and policy tokens that stand for training with most operators' models."""

FETCHED_BY = {"Google-Extended": ("Googlebot",), "Applebot-Extended": ("Applebot",)}
"""Policy tokens, and the crawlers that fetch for them: what these may not fetch is not used."""

MANY = 3


@check("RT503", "note")
def purpose_in_part(file: File) -> Iterator[Found]:
    """A file that keeps several crawlers for AI training out by name, and lets others in.

    It is reported where at least three of the well-known ones are closed out by name, and at least
    one is not.

    Why: pages reach the models of the others, and through Common Crawl those of many more.

    Use instead: `verger block --purpose training`, which names all that are known.
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
    what = f"{out} are kept out of everything, and {in_} may come in"
    yield Found(line, what, file.line(line).value_span)
