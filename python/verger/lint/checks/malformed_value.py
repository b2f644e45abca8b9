"""RT405: a value that does not have the form of its field."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT405", "error")
def malformed_value(file: File) -> Iterator[Found]:
    """A `Crawl-delay`, `Sitemap`, `Host`, `License` or other record whose value cannot be read.

    Why: crawlers skip a value that they cannot read.

    Use instead: the form that the message gives.
    """
    for finding in file.by_code.get("malformed-value", []):
        line = file.line(finding.line)
        if line.field in ("noindex", "host") or line.value is None:
            continue  # RT408
        key = quoted(line.key or "")
        what = f"{quoted(line.value)} is not a value of {key}" if line.value else f"{key} is empty"
        yield Found(line.number, f"{what}: {finding.message}", line.value_span)
