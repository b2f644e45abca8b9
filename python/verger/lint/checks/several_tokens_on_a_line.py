"""RT205: several product tokens on one start-group line."""

import re
from collections.abc import Iterator

from verger._core import Line
from verger.analysis import Edit
from verger.crawlers import LISTED
from verger.crawlers.registry import find
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File
from verger.lint.words import quoted

APART = re.compile(r"\s*[,;|]\s*|\s+")
TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*\Z")
FEWEST = 2
CRAWLER = re.compile(r".(?<!\Aro)(?:bot|spider|crawler)\Z", re.IGNORECASE)


@check("RT205", "error", fix="unsafe")
def several_tokens_on_a_line(file: File) -> Iterator[Found]:
    """A `User-agent` line that names several crawlers, such as `Googlebot, Bingbot`.

    Why: crawlers read at most the first name, and the rules do not apply to the others.

    Use instead: a `User-agent` line for each, one below the other (RFC 9309 section 2.2.1).

    Fix: the line is split. The rules then apply to more crawlers, so the fix is unsafe.
    """
    for line in file.start_lines:
        tokens = tokens_in(line)
        if not tokens or line.value_span is None:
            continue
        start = file.content(line.number)[0]
        key = file.text((start, line.value_span[0]))
        new = (file.line_end() + key).join(token.encode() for token in tokens)
        fix = Fix("Split the line", (Edit(line.value_span, new),), "unsafe")
        what = f"one line names {len(tokens)} crawlers: {quoted(', '.join(tokens))}"
        yield Found(line.number, what, line.value_span, fix=fix)


def tokens_in(line: Line) -> list[str]:
    """Return the product tokens of a line that names several crawlers; none for other lines.

    Parts between commas are names if at least one is clearly a crawler: `I, Robot` is one name.
    Parts between blanks may also be one name, so each must be a well-known crawler.
    """
    value = (line.value or "").strip().strip(",;|")
    parts = [part for part in APART.split(value) if part]
    if "*" in parts:
        return []  # RT204: on a line of its own, it would apply to every crawler
    if len(parts) < FEWEST or not all(TOKEN.match(part) for part in parts):
        return []
    is_row = len(re.split(r"[,;|]", value)) == len(parts) and any(map(_is_crawler, parts))
    known = set(map(str.lower, LISTED))
    return parts if is_row or all(part.lower() in known for part in parts) else []


def _is_crawler(token: str) -> bool:
    return bool(CRAWLER.search(token)) or find(token) is not None
