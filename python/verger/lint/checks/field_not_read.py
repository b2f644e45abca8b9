"""RT415: a field that nobody reads."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

NEVER_READ = {
    "noarchive": "use a `robots` meta tag or the header `X-Robots-Tag: noarchive`",
    "unavailable-after": "use the header `X-Robots-Tag: unavailable_after`",
    "acap": "use `Allow` and `Disallow`",
    "disallowaitraining": "disallow the crawlers that fetch for training, or use `Content-Signal`",
    "allowaitraining": "use `Content-Signal: ai-train=yes`",
    "llm-policy": "use `Content-Signal`",
    "permits": "use `License` or `Content-Signal`",
    "prohibits": "use `License` or `Content-Signal`",
    "compensation": "use `License`",
    "cache-delay": "use `Crawl-delay`",
    "revisit-after": "search engines choose when they come back",
    "domain": "a file applies to the host that it is on",
}
"""Fields that appear in files though no crawler's documentation has them, and what to use. The
Automated Content Access Protocol (1.0, November 2007) was read by no large search engine;
`DisallowAITraining` is of draft-canel-robots-ai-control (2024, expired)."""

DRAFTS = ("content-usage",)
"""Fields of drafts, which crawlers may read before a dialect does."""


@check("RT415", "warning")
def field_not_read(file: File) -> Iterator[Found]:
    """A field that no crawler is known to read, or that none of the targets reads.

    With `--target original-1994`, for example, `Allow` is not read.

    Why: the line has no effect, whatever it says.

    Use instead: what the message says; `Content-Signal` for uses by AI.
    """
    unread = _unread_in_targets(file)
    targets = " and ".join(f"`{name}`" for name in file.targets)
    for line in file.lines:
        key = quoted(line.key or "")
        hint = NEVER_READ.get(line.field or "")
        if hint is not None:
            yield Found(line.number, f"no crawler is known to read {key}: {hint}")
        elif line.number in unread and line.field not in DRAFTS:
            yield Found(line.number, f"{key} is not read in {targets}")


def _unread_in_targets(file: File) -> frozenset[int]:
    """Return the lines of known fields that none of the targets reads."""
    lines = (
        frozenset(each.line for each in robots.findings if each.code == "field-not-read")
        for robots in file.readings.values()
    )
    return frozenset.intersection(*lines)
