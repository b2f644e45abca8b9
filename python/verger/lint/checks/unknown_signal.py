"""RT409: unknown content signals and usage preferences."""

from collections.abc import Iterator

from verger._core import ContentUsage
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

CODES = ("unknown-signal", "unknown-usage", "unknown-usage-label", "unknown-usage-value")


@check("RT409", "warning")
def unknown_signal(file: File) -> Iterator[Found]:
    """A `Content-Signal` or `Content-Usage` with a signal, a label or a form that is not defined.

    The label `ai-use` is only in the working copy of the vocabulary's draft (September 2026).

    Why: crawlers read the signals that are defined, and skip others.

    Use instead: `search`, `ai-input` and `ai-train` with `yes` or `no` (Cloudflare documentation,
    Content Signals); `train-ai` and `search` with `y` or `n` (draft-ietf-aipref-vocab).
    """
    for code in CODES:
        for finding in file.by_code.get(code, []):
            yield _found(file, finding.line, finding.message)
    for record in file.records:
        value = record.value
        if isinstance(value, ContentUsage) and value.ai_use is not None and value.train_ai is None:
            yield _found(file, record.line, "`ai-use` is in no published draft; `train-ai` is")


def _found(file: File, number: int, why: str) -> Found:
    line = file.line(number)
    return Found(number, f"{quoted(line.value or '')}: {why}", line.value_span)
