"""RT409: unknown content signals and usage preferences."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

CODES = ("unknown-signal", "unknown-usage", "unknown-usage-label")


@check("RT409", "warning")
def unknown_signal(file: File) -> Iterator[Found]:
    """A `Content-Signal` or `Content-Usage` with a signal, a label or a form that is not defined.

    Why: crawlers read the signals that are defined, and skip others.

    Use instead: `search`, `ai-input` and `ai-train` with `yes` or `no` (Cloudflare documentation,
    Content Signals); `train-ai` and `search` with `y` or `n` (draft-ietf-aipref-vocab).
    """
    for code in CODES:
        for finding in file.by_code.get(code, []):
            line = file.line(finding.line)
            what = f"{quoted(line.value or '')}: {finding.message}"
            yield Found(line.number, what, line.value_span)
