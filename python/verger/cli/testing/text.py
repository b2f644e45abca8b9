"""A report as text: what does not hold, and why.

In: a `SuiteReport`. Out: for each file a line, and below it the expectations that do not hold.
"""

from verger.cli.palette import Palette
from verger.expectations.judging import Judgement
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from verger.cli.writers import TextStream
    from verger.expectations.suite import JudgedFile, SuiteReport


def write_text(report: "SuiteReport", stream: "TextStream", /) -> None:
    """Write the report, with the expectations that do not hold."""
    _write(report, stream, verbose=False)


def write_all(report: "SuiteReport", stream: "TextStream", /) -> None:
    """Write the report with every expectation."""
    _write(report, stream, verbose=True)


def _write(report: "SuiteReport", stream: "TextStream", *, verbose: bool) -> None:
    palette = Palette.of(stream)
    for file in report.files:
        for line in _file(file, palette, verbose=verbose):
            stream.write(f"{line}\n")


def _file(file: "JudgedFile", palette: Palette, *, verbose: bool) -> "Iterator[str]":
    name = printable(file.name)
    if file.error is not None:
        message, hint = file.error
        yield f"{name}: {palette.paint('not tested', 'bold', 'yellow')}"
        yield f"  error: {printable(message)}"
        if hint:
            yield f"  hint: {printable(hint)}"
        return
    count = sum(judgement.holds for judgement in file.judgements)
    yield f"{name}: {count:,} of {len(file.judgements):,} hold"
    for judgement in file.judgements:
        if not judgement.holds:
            yield from _judgement(judgement, palette)
        elif verbose:
            yield f"  {palette.paint('holds', 'green')} {_where(judgement)}{judgement.about}"


def _judgement(judgement: Judgement, palette: Palette) -> "Iterator[str]":
    word = "fails" if judgement.error is None else "error"
    yield f"  {palette.paint(word, 'bold', 'red')} {_where(judgement)}{judgement.about}"
    yield from (f"    {line}" for line in judgement.lines)


def _where(judgement: Judgement) -> str:
    at = judgement.expectation.at
    return "" if at is None else f"line {at}: "
