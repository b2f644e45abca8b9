"""RT204: a `*` within a product token."""

from collections.abc import Iterator

from verger._core import _leading_name
from verger.lint.check import check
from verger.lint.checks.token_with_rest import is_idle
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT204", "error")
def wildcard_in_token(file: File) -> Iterator[Found]:
    """A `User-agent` line with `*` next to other characters, such as `*bot` or `Google*`.

    Names are not patterns (RFC 9309 section 2.2.1): the first names nobody, the second `Google`.

    Why: `*` means every crawler only on its own.

    Use instead: a line for each crawler.
    """
    for line in file.start_lines:
        value = line.value
        if not value or "*" not in value or value == "*" or line.value_span is None:
            continue
        name = _leading_name(value)
        if is_idle(name, value[len(name) :]):
            continue  # RT206
        if value.startswith("*") and not value.startswith(("* ", "*\t")):
            name = ""
        reads = f"crawlers read only {quoted(name)}" if name else "no crawler has such a name"
        yield Found(line.number, f"{quoted(value)} is not a pattern: {reads}", line.value_span)
