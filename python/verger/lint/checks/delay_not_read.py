"""RT406: a Crawl-delay for crawlers that do not read it."""

from collections.abc import Iterator

from verger._core import Group
from verger.crawlers.registry import find, ignores_delay
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.names import tokens_of
from verger.lint.words import quoted
from verger.plain import listed


@check("RT406", "warning")
def delay_not_read(file: File) -> Iterator[Found]:
    """A `Crawl-delay` in a group that names only crawlers whose operators say that they ignore it:
    those of Google, Yandex, Amazon and Baidu.

    Why: the delay does not slow the crawler down.

    Use instead: Google slows down when a server answers 429 or 503; Yandex has the setting "Crawl
    rate" in Yandex Webmaster, and Baidu one in Baidu Webmaster Tools.
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
    crawlers = [crawler for crawler in map(find, tokens) if crawler and ignores_delay(crawler)]
    if not tokens or len(crawlers) < len(tokens):
        return None
    operators = sorted({str(crawler.operator) for crawler in crawlers})
    verb = "ignores" if len(operators) == 1 else "ignore"
    who = listed(operators)
    return f"{who} {verb} `Crawl-delay`, and the group of {quoted(tokens[0])} names nobody else"
