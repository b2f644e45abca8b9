"""RT112: a misspelt field that some crawlers accept."""

from collections.abc import Iterator

from verger.analysis import Edit
from verger.analysis.layout import key_start
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.format import FIELDS
from verger.lint.words import quoted

PLURAL = "content-signal"
"""A field that is read in the plural as well."""


@check("RT112", "warning", fix="safe")
def misspelt_field(file: File) -> Iterator[Found]:
    """A misspelt field that some crawlers accept, and others do not, such as `Dissallow`.

    Google and Bing accept some misspellings of rules; some libraries accept `Content-Signals`.

    Why: some crawlers accept the misspelling, and others skip the line.

    Use instead: the spelling of RFC 9309 section 2.2.

    Fix: the spelling is corrected. The fix is unsafe if a decision of any crawler may change.
    """
    numbers = {each.line for each in file.by_code.get("misspelt-key", [])}
    for line in file.lines:
        is_plural = line.field == PLURAL and (line.key or "").lower() != PLURAL
        if not is_plural and line.number not in numbers:
            continue
        if line.key is None or line.field is None or line.field not in FIELDS:
            continue
        name = FIELDS[line.field]
        start = key_start(file.robots, line)
        span = (start, start + len(line.key.encode("utf-8", "surrogateescape")))
        fix = file.prove_fix([Edit(span, name)], f"Write `{name.decode()}`")
        what = f"{quoted(line.key)} is a misspelling of `{name.decode()}` that some crawlers reject"
        yield Found(line.number, what, span, fix=fix)
