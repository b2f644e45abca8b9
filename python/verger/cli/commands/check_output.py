"""The output of `verger check`: answers as text, as a matrix, as JSON Lines or CSV, and the totals.

In: rows of answers. Out: lines on a stream; problems go to stderr. Colour only repeats what the
words say. Objects follow `schemas/check-1.schema.json`, in ASCII; bytes that are not UTF-8 are lone
surrogates, as in Python: `\\udcff` is the byte 0xFF. CSV has the fields of the objects, flattened,
under the same names: URLs, rules and file names are written byte for byte, after an apostrophe if a
spreadsheet would run them (see `verger.files.csv_text`).
"""

from collections.abc import Iterable, Iterator, Sequence

from verger.access.answer import Answer, Question, Row, labels, rule_object
from verger.cli.excerpt import DecisionExcerpt, FileText
from verger.cli.exit import message_lines
from verger.cli.output import Palette, TextStream, csv_line, verdict
from verger.cli.printing import (
    GAP,
    Total,
    columns,
    pace,
    padded,
    row_of,
    share,
    totals,
)
from verger.cli.progress import Progress
from verger.files.csv_text import Value
from verger.findings import findings_about
from verger.plain import HEADLINES, printable, rule_text, shortened
from verger.snapshots.totals import CheckTotals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from verger.access.site import SiteAccess
    from verger.files.json_text import Json


class Explained:
    """Every answer in full, with the lines of the file that led to it."""

    def __init__(
        self,
        stream: TextStream,
        progress: Progress,
        questions: Sequence[Question],
        *,
        several_urls: bool,
        verbose: bool,
    ) -> None:
        self._stream = stream
        self._progress = progress
        self._palette = Palette.of(stream)
        self._names = labels(questions) if len(questions) > 1 else [""]
        self._headed = several_urls or len(questions) > 1
        self._verbose = verbose
        self._text: FileText | None = None
        """The lines of the last file, since the next is often the same."""
        self._is_first = True

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        for name, answer in zip(self._names, row, strict=True):
            self._write_heading(answer.url, name)
            self._write_answer(answer)

    def _write_heading(self, url: str, name: str) -> None:
        if not self._is_first:
            self._stream.write("\n")
        self._is_first = False
        if self._headed:
            heading = self._palette.paint(printable(url), "bold")
            self._stream.write(f"{heading} for {printable(name)}\n" if name else f"{heading}\n")

    def _write_answer(self, answer: Answer) -> None:
        if answer.problem is not None:
            if self._headed:
                self._stream.write(self._palette.paint("unanswered", "yellow") + "\n")
            self._progress.say(message_lines(answer.problem.message, answer.problem.hint))
            return
        self._stream.write_lines(self._explanation(answer))

    def _explanation(self, answer: Answer) -> Iterator[str]:
        if answer.agent is None or answer.decision is None:
            return self._without_rules(answer, answer.site) if answer.site else iter(())
        if self._text is None or self._text.robots is not answer.agent.robots:
            self._text = FileText(answer.agent.robots)
        excerpt = DecisionExcerpt(self._palette, self._text, answer.decision)
        return excerpt.lines(answer, verbose=self._verbose)

    def _without_rules(self, answer: Answer, site: "SiteAccess") -> Iterator[str]:
        """Yield the explanation of an answer without rules."""
        from verger.access.words import happened, measures
        from verger.snapshots.provenance import explanation

        word, colour = verdict(allowed=answer.allowed is True)
        painted = self._palette.paint(word, "bold", colour)
        why = f"{happened(site.last)} ({site.access.section})"
        more = [measures(site.last)] if self._verbose else []
        remarks = [*explanation(site, answer.now), *more]
        if answer.decision is not None:
            remarks.insert(0, why)
            why = f"{HEADLINES[answer.decision.reason]} ({answer.decision.section})"
        yield f"{painted}: {why}"
        for remark in remarks:
            yield f"{self._palette.paint('  =', 'cyan')} {remark}"


# The matrix


NAME_WIDTH = 60
"""The most columns of the name of a crawler or a site; longer names are shortened."""

LAST_LINE = 999_999
"""The line number that cells have room for if the files are not known in advance."""

PIPE_COLUMNS = 100
"""The width of a row without a terminal, so that pipes get the same everywhere."""

TERMINAL_COLUMNS = 80
"""The width of a row on a terminal that does not know its width."""


class Matrix:
    """Writes answers as rows, or if these are too wide, as headings with lines below."""

    def __init__(
        self,
        stream: TextStream,
        progress: Progress,
        questions: Sequence[Question],
        *,
        last_line: int | None,
        urls: Sequence[str],
    ) -> None:
        self._stream = stream
        self._progress = progress
        self._palette = Palette.of(stream)
        self._names = [shortened(printable(name), NAME_WIDTH) for name in labels(questions)]
        self._cell = len(f"disallowed line {last_line or LAST_LINE}")
        self._urls = urls
        self._noted = ""
        self._widths: Sequence[int] | None = None

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        is_first = self._widths is None
        if self._widths is None:
            self._widths = self._layout(row[0].url)
        lines = (
            self._row(row, self._widths, is_first) if self._widths else self._block(row, is_first)
        )
        self._stream.write_lines(lines)
        problems = {answer.problem.message: answer.problem for answer in row if answer.problem}
        for problem in problems.values():
            self._progress.say(message_lines(problem.message, problem.hint))
        if row[0].site is not None:
            self._note(row[0].site, row[0].now)

    def _note(self, site: "SiteAccess", now: float) -> None:
        """Report the reason for `disallowed 503`, once for consecutive URLs of a site."""
        if site.last.access == "unreachable" and site.origin != self._noted:
            from verger.access.words import happened
            from verger.snapshots.provenance import again

            self._progress.say(f"note: {happened(site.last)}; {again(site, now)}\n")
            self._noted = site.origin

    def _layout(self, first: str) -> Sequence[int]:
        """Return the widths of rows; none if a URL known in advance is too long for them."""
        widths = [max(self._cell, columns(name)) for name in self._names]
        url_width = max(columns(printable(url)) for url in (first, *self._urls))
        fits = sum(widths) + len(GAP) * len(widths) + url_width <= _room(self._stream)
        return [*widths, 0] if fits else []

    def _row(self, row: Row, widths: Sequence[int], is_first: bool) -> Iterator[str]:
        """Yield one line, below a header for the first; the URL comes last."""
        if is_first:
            names = (self._palette.paint(name, "bold") for name in (*self._names, "URL"))
            yield row_of(names, widths)
        cells = [self._palette.paint(*_cell(answer)) for answer in row]
        yield row_of([*cells, printable(row[0].url)], widths)

    def _block(self, row: Row, is_first: bool) -> Iterator[str]:
        """Yield the URL as a heading, and a line for each name below it."""
        if not is_first:
            yield ""
        yield self._palette.paint(printable(row[0].url), "bold")
        width = max(map(columns, self._names))
        for name, answer in zip(self._names, row, strict=True):
            yield f"{GAP}{padded(name, width)}{GAP}{self._palette.paint(*_cell(answer))}"


def _cell(answer: Answer) -> tuple[str, str]:
    """Return a cell's text and style."""
    if answer.allowed is None:
        return "unanswered", "yellow"
    word, style = verdict(allowed=answer.allowed)
    because = _reason(answer)
    return (f"{word} {because}" if because else word), style


def _reason(answer: Answer) -> str:
    """Return what decided, in at most the width of a cell: a line, a status or a failure."""
    if answer.decision is not None or answer.site is None:
        return "" if answer.line is None else f"line {answer.line}"
    from verger.access.words import in_a_word

    return in_a_word(answer.site.last)


def _room(stream: TextStream) -> int:
    """Return how many columns a row may take."""
    if not stream.isatty():
        return PIPE_COLUMNS
    from shutil import get_terminal_size

    return get_terminal_size((TERMINAL_COLUMNS, 0)).columns


# JSON Lines


CHECK_SCHEMA = "verger.check/1"


def write_json(stream: TextStream, row: Row, *, verbose: bool) -> None:
    """Write the answers to one URL as objects."""
    from verger.files.json_text import json_text  # with the encoder, which others do not need

    for answer in row:
        more = _explanation(answer) if verbose else {}
        stream.write(f"{json_text({'schema': CHECK_SCHEMA, **answer.as_dict(), **more})}\n")


def _explanation(answer: Answer) -> "Json":
    """Return what `--verbose` adds to a decision."""
    decision = answer.decision
    if decision is None:
        return {}
    found = findings_about(decision, answer.agent.groups if answer.agent else ())
    return {
        "beaten": list(map(rule_object, decision.beaten)),
        "findings": [
            {"line": each.line, "code": each.code, "message": each.message} for each in found
        ],
    }


# CSV


HEADER: tuple[str, ...] = (
    "url",
    "tokens",
    "dialect",
    "allowed",
    "reason",
    "section",
    "line",
    "rule",
    "target",
    "file",
    "truncated",
    "error",
    "bound",
)

HEADER_OF_FETCHES = ("effect", "status", "failure", "fetched_at", "age", "fresh_until", "source")
"""More columns if files are fetched, or a snapshot records fetches."""


def csv_header(*, of_fetches: bool) -> Sequence[str]:
    """Return the names of the columns; `of_fetches` adds the results of fetching each file."""
    return (*HEADER, *HEADER_OF_FETCHES) if of_fetches else HEADER


def write_csv(stream: TextStream, row: Row, *, of_fetches: bool, is_terminal: bool) -> None:
    """Write the answers to one URL as records."""
    for answer in row:
        fields = (*_csv_fields(answer), *(_fetch_fields(answer) if of_fetches else ()))
        stream.write(f"{csv_line(fields, is_terminal=is_terminal)}\n")


def _csv_fields(answer: Answer) -> Iterable[Value]:
    decision, rule, problem = answer.decision, answer.rule, answer.problem
    return (
        answer.url,
        answer.question.crawler,
        answer.question.dialect.name,
        answer.allowed,
        answer.reason,
        answer.section,
        answer.line,
        None if rule is None else rule_text(rule.allow, rule.pattern),
        None if decision is None else decision.target,
        answer.file_name,
        answer.truncated,
        None if problem is None else problem.message,
        answer.bound,
    )


def _fetch_fields(answer: Answer) -> Iterable[Value]:
    access: dict[str, Any] = {} if answer.site is None else answer.site.facts(answer.now)
    if access.get("age") is not None:
        access["age"] = round(access["age"])
    return map(access.get, HEADER_OF_FETCHES)


# Totals


RESTRICTIVE_SITES = 10
"""How many of the most restrictive sites are named."""


def summary_lines(tally: CheckTotals, seconds: float) -> Iterator[str]:
    """Yield the summary, a line at a time."""
    yield from _totals(tally, seconds)
    yield from _shares("share allowed", _by_question(tally))
    if tally.of_folder:
        sites = _most_restrictive(tally)
        yield from _shares("most restrictive sites, by share allowed", sites)
    yield from _problems(tally)


def _totals(tally: CheckTotals, seconds: float) -> Iterator[str]:
    files = len(tally.answered_of)
    sites = files + len(tally.sites_without_file) if tally.of_folder else None
    cut = f"{len(tally.truncated):,} cut at the parsing limit" if tally.truncated else ""
    rows: list[Total] = [
        ("sites", sites, ""),
        ("files", files - tally.without_rules, cut),
        ("URLs", tally.urls, ""),
        ("decisions", tally.decisions, ""),
        ("unanswered", tally.unanswered or None, ""),
        pace(seconds, tally.decisions, "decisions"),
    ]
    return totals(rows, width=22)


def _shares(title: str, counts: Sequence[tuple[str, int, int]]) -> Iterator[str]:
    """Yield a line for each name, with how many of its answers are *allowed*."""
    if not counts:
        return
    names = [shortened(printable(name), NAME_WIDTH) for name, _, _ in counts]
    width = max(map(columns, names))
    yield ""
    yield title
    for name, (_, allowed, answered) in zip(names, counts, strict=True):
        of = f"{allowed:,} of {answered:,}"
        yield f"  {share(allowed, answered)}  {padded(name, width)}  {of}"


def _by_question(tally: CheckTotals) -> list[tuple[str, int, int]]:
    counts = zip(labels(tally.questions), tally.allowed, tally.disallowed, strict=True)
    return [(name, allowed, allowed + disallowed) for name, allowed, disallowed in counts]


def _most_restrictive(tally: CheckTotals) -> list[tuple[str, int, int]]:
    counts = [(name, tally.allowed_of[name], each) for name, each in tally.answered_of.items()]
    restrictive = [each for each in counts if each[1] < each[2]]
    return sorted(restrictive, key=lambda each: (each[1] / each[2], each[0]))[:RESTRICTIVE_SITES]


def _problems(tally: CheckTotals) -> Iterator[str]:
    if tally.problems:
        yield ""
        yield "unanswered"
    for kind, number in sorted(tally.problems.items()):
        first = shortened(printable(tally.first[kind]), 2 * NAME_WIDTH)
        yield f"  {number:>7,}  {kind}; the first: {first}"
