"""RT203: a value that cannot be the name of a crawler."""

from collections.abc import Iterator

from verger._core import Line, _leading_name, product_token
from verger.lint.check import check
from verger.lint.checks.several_tokens_on_a_line import tokens_in
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

QUOTES = "'\"`<>[]()"


@check("RT203", "error", fix="unsafe")
def not_a_product_token(file: File) -> Iterator[Found]:
    """A `User-agent` line with a whole identification string, quotes, or invalid characters.

    Why: crawlers compare their product token with it, and the intended one finds no match.

    Use instead: only the product token, as the crawler's operator publishes it, such as
    `Googlebot` (RFC 9309 section 2.2.1).

    Fix: the product token from the string is written. The rules then apply to a different crawler,
    so the fix is unsafe.
    """
    for line in file.start_lines:
        if not line.value or line.value_span is None or not _is_misread(line.value):
            continue
        if tokens_in(line):
            continue
        yield _report(file, line, line.value)


def _is_misread(value: str) -> bool:
    if value.startswith("*"):
        return False  # RT204
    return not _leading_name(value) or value[0] in QUOTES or value.lower().startswith("mozilla/")


def _report(file: File, line: Line, value: str) -> Found:
    assert line.value_span is not None, "the line is read"
    bare = value.strip(QUOTES)
    meant = bare if bare == "*" else product_token(bare)
    if meant is None:
        return Found(line.number, f"no crawler is called {quoted(value)}", line.value_span)
    fix = file.rewrite(line.value_span, meant.encode(), f"Write `{meant}`", "unsafe")
    what = f"{quoted(value)} is not a product token, such as {quoted(meant)}"
    return Found(line.number, what, line.value_span, fix=fix)
