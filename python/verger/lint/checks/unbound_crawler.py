"""RT212: a group for a crawler that does not follow robots.txt, or may not."""

from collections.abc import Iterator

from verger.crawlers.registry import find
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT212", "note")
def unbound_crawler(file: File) -> Iterator[Found]:
    """A `User-agent` line for a crawler that does not follow robots.txt, or may not.

    Its operator says so. Most of these crawlers fetch pages at a person's request.

    Why: its operator does not promise that rules stop it; only the server can.

    Use instead: a rule in the server or firewall, if the crawler must be blocked.
    """
    for line in file.start_lines:
        crawler = find(line.value or "")
        if crawler is not None and crawler.bound_by == "nothing":
            operator = f" of {crawler.operator}" if crawler.operator else ""
            follows = "does not follow" if crawler.respects == "no" else "may not follow"
            what = f"{quoted(crawler.token)}{operator} {follows} robots.txt files"
            yield Found(line.number, what, line.value_span)
