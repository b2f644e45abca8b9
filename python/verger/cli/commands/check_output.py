"""The output of `verger check`: answers as text, as a matrix, as JSON Lines or CSV, and the totals.

In: rows of answers. Out: lines; problems go to stderr while the lines are taken. Colour only
repeats what the words say. Objects follow `schemas/check-1.schema.json`, in ASCII; bytes that are
not UTF-8 are lone surrogates, as in Python: `\\udcff` is the byte 0xFF. CSV has the fields of the
objects, flattened, under the same names: URLs, rules and file names are written byte for byte,
after an apostrophe if a spreadsheet would run them (see `verger.files.csv_text`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, cycle

from verger.access.answer import (
    Answer,
    Question,
    Row,
    Told,
    Unanswered,
    Use,
    answer_of,
    labels,
    own_remarks,
)
from verger.cli.output import TextStream, csv_line, message_lines
from verger.cli.progress import Progress
from verger.files.csv_text import Value
from verger.showing.palette import Palette, verdict
from verger.showing.printing import (
    GAP,
    Total,
    columns,
    pace,
    padded,
    row_of,
    share,
    totals,
)
from verger.untrusted_text import printable, rule_text, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def explained(
    rows: Iterable[Sequence[Told]],
    questions: Sequence[Question],
    progress: Progress,
    palette: Palette,
    *,
    several_urls: bool,
    verbose: bool,
) -> Iterator[str]:
    """Yield every answer in full, with the lines of the file that led to it."""
    names = labels(questions) if len(questions) > 1 else [""]
    is_headed = several_urls or len(questions) > 1
    every = zip(cycle(names), chain.from_iterable(rows), strict=False)
    for number, (name, told) in enumerate(every):
        if number:
            yield ""
        if is_headed:
            heading = palette.paint(printable(answer_of(told).url), "bold")
            yield f"{heading} for {printable(name)}" if name else heading
        if told.problem is not None:
            if is_headed:
                yield palette.paint("unanswered", "yellow")
            progress.say(message_lines(told.problem.message, told.problem.hint))
        else:
            yield from told.lines(palette, verbose=verbose)


# The matrix


NAME_WIDTH = 60
"""The most columns of the name of a crawler or a site; longer names are shortened."""

LAST_LINE = 999_999
"""The line number that cells have room for if the files are not known in advance."""

PIPE_COLUMNS = 100
"""The width of a row without a terminal, so that pipes get the same everywhere."""

TERMINAL_COLUMNS = 80
"""The width of a row on a terminal that does not know its width."""


def matrix(
    rows: Iterable[Sequence[Told]],
    questions: Sequence[Question],
    progress: Progress,
    stream: TextStream,
    *,
    last_line: int | None,
    urls: Sequence[str],
) -> Iterator[str]:
    """Yield answers as rows, or if these are too wide, as headings with lines below.

    last_line:  the number of the last line of the file; None if the files are not known yet.
    urls:       the URLs that are known in advance.
    """
    palette = Palette.of(stream)
    names = [visible(name, NAME_WIDTH) for name in labels(questions)]
    cell = len(f"disallowed line {last_line or LAST_LINE}")
    widths = [max(cell, columns(name)) for name in names]
    are_rows, noted = False, ""
    for number, row in enumerate(rows):
        if not number:  # now one URL is known
            are_rows = _fit(widths, [answer_of(row[0]).url, *urls], stream)
        if are_rows:
            if not number:
                heading = (palette.paint(name, "bold") for name in (*names, "URL"))
                yield row_of(heading, [*widths, 0])
            yield _line(row, widths, palette)
        else:
            if number:
                yield ""
            yield from _block(row, names, palette)
        yield from _own_readings(row)
        problems = {told.problem.message: told.problem for told in row if told.problem}
        for problem in problems.values():
            progress.say(message_lines(problem.message, problem.hint))
        noted = _note(answer_of(row[0]), progress, noted)


def _own_readings(row: Sequence[Told]) -> Iterator[str]:
    """Yield a line for each crawler whose operator's dialect answers otherwise, if no column is in
    this dialect."""
    read = {own.question: own for told in row if (own := told.own_reading) is not None}
    asked = {told.question for told in row}
    yield from (
        f"{GAP}{visible(question.crawler, NAME_WIDTH)}, {''.join(own_remarks(own))}"
        for question, own in read.items()
        if question not in asked
    )


def _note(answer: Answer, progress: Progress, noted: str) -> str:
    """Report the reason for `disallowed 503`, once for consecutive URLs of a site.

    noted:  the last site that was reported; the new one is returned.
    """
    site = answer.site
    if site is None or site.entry is None or site.origin == noted:
        return noted
    if site.last.access != "unreachable":
        return noted
    from verger.access.words import again, happened

    progress.say(f"note: {happened(site.last)}; {again(site, answer.now)}")
    return site.origin


def _fit(widths: Sequence[int], urls: Iterable[str], stream: TextStream) -> bool:
    """Whether rows with these URLs fit the width of the output."""
    url_width = max(columns(printable(url)) for url in urls)
    return sum(widths) + len(GAP) * len(widths) + url_width <= _room(stream)


def _line(row: Sequence[Told], widths: Sequence[int], palette: Palette) -> str:
    """Return the answers to one URL as one line; the URL comes last."""
    cells = [palette.paint(*_cell(told)) for told in row]
    return row_of([*cells, printable(answer_of(row[0]).url)], [*widths, 0])


def _block(row: Sequence[Told], names: Sequence[str], palette: Palette) -> Iterator[str]:
    """Yield the URL as a heading, and a line for each name below it."""
    yield palette.paint(printable(answer_of(row[0]).url), "bold")
    width = max(map(columns, names))
    for name, told in zip(names, row, strict=True):
        yield f"{GAP}{padded(name, width)}{GAP}{palette.paint(*_cell(told))}"


def _cell(told: Told) -> tuple[str, str]:
    """Return a cell's text and style."""
    if told.problem is not None:
        return "unanswered", "yellow"
    word, style = verdict(allowed=told.allowed)
    is_used = isinstance(told, Use) and not told.is_closed
    because = _decided_by(told) if is_used else _reason(answer_of(told))
    return f"{word} {because}".rstrip(), style


def _decided_by(told: Told) -> str:
    return "" if told.line is None else f"line {told.line}"


def _reason(answer: Answer) -> str:
    """Return what decided, in at most the width of a cell: a line, a status or a failure."""
    if answer.decision is not None or answer.site is None:
        return _decided_by(answer)
    if answer.site.entry is None:
        return "override"
    from verger.access.words import in_a_word

    return in_a_word(answer.site.last)


def _room(stream: TextStream) -> int:
    """Return how many columns a row may take."""
    if not stream.isatty():
        return PIPE_COLUMNS
    from shutil import get_terminal_size

    return get_terminal_size((TERMINAL_COLUMNS, 0)).columns


# JSON Lines


def json_lines(rows: Iterable[Sequence[Told]], *, verbose: bool) -> Iterator[str]:
    """Yield an object for each answer."""
    from verger.files.json_text import json_text  # with the encoder, which others do not need
    from verger.objects.check import check_object

    for told in chain.from_iterable(rows):
        yield json_text(check_object(told, verbose=verbose))


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
    "own_dialect",
    "own_allowed",
)

HEADER_OF_FETCHES = ("effect", "status", "failure", "fetched_at", "age", "fresh_until", "source")
"""More columns if files are fetched, or a snapshot records fetches."""


HEADER_OF_USE = ("use", "use_allowed", "use_reason", "use_line")
"""More columns if a use is asked about; the last."""


def csv_lines(
    rows: Iterable[Sequence[Told]], *, of_fetches: bool, of_use: bool, is_terminal: bool
) -> Iterator[str]:
    """Yield a header, and a record for each answer; `of_fetches` adds the results of fetching."""
    header = (*HEADER, *HEADER_OF_FETCHES) if of_fetches else HEADER
    yield csv_line((*header, *(HEADER_OF_USE if of_use else ())), is_terminal=is_terminal)
    for told in chain.from_iterable(rows):
        answer = answer_of(told)
        fetch = _fetch_fields(answer) if of_fetches else ()
        use = (told.purpose, told.allowed, told.reason, told.line) if isinstance(told, Use) else ()
        yield csv_line((*_csv_fields(answer), *fetch, *use), is_terminal=is_terminal)


def _csv_fields(answer: Answer) -> Iterable[Value]:
    decision, rule, problem = answer.decision, answer.rule, answer.problem
    own = answer.own_reading
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
        None if own is None else own.question.dialect.name,
        None if own is None else own.allowed,
    )


def _fetch_fields(answer: Answer) -> Iterable[Value]:
    access: dict[str, Any] = {} if answer.site is None else answer.site.facts(answer.now)
    if access.get("age") is not None:
        access["age"] = round(access["age"])
    return map(access.get, HEADER_OF_FETCHES)


# Totals


RESTRICTIVE_SITES = 10
"""How many of the most restrictive sites are named."""


class CheckTotals:
    """Counts over rows; counts per site only if a summary will show them."""

    def __init__(
        self,
        questions: Sequence[Question],
        *,
        by_site: bool,
        of_folder: bool = True,
        overridden: Iterable[str] = (),
    ) -> None:
        self.questions = questions
        self.urls = 0
        self.allowed = [0] * len(questions)
        self.disallowed = [0] * len(questions)
        self.silent = [0] * len(questions)
        """Only of a use."""
        self.problems: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        """The message of the first problem of each kind."""
        self.answered_of: Counter[str] = Counter()
        self.allowed_of: Counter[str] = Counter()
        """The answers by site."""
        self.sites_without_file: set[str] = set()
        self.without_rules = 0
        self.truncated: list[str] = []
        self.of_folder = of_folder
        self.unasked = dict.fromkeys(overridden)
        """The origins with an override about which nobody asked."""
        self._by_site = by_site

    def add(self, row: Sequence[Told]) -> Sequence[Told]:
        """Count what is told of one URL, and return it."""
        first = answer_of(row[0])
        self.urls += 1
        self.unasked.pop(first.site_name or "", None)
        for index, told in enumerate(row):
            if told.problem is not None:
                self._add_problem(told.problem)
                continue
            counts = {True: self.allowed, False: self.disallowed, None: self.silent}
            counts[told.allowed][index] += 1
        if self._by_site and (first.file or first.site_name) is not None:
            allowed = sum(told.allowed is True for told in row)
            self._add_site([*map(answer_of, row)], allowed)
        return row

    def _add_problem(self, problem: Unanswered) -> None:
        self.problems[problem.kind] += 1
        self.first.setdefault(problem.kind, problem.message)
        if self._by_site and problem.site:
            self.sites_without_file.add(problem.site)

    def _add_site(self, row: Row, allowed: int) -> None:
        """Count the row for its site; the first row of a site also inspects its file."""
        name = row[0].site_name or ""
        if name not in self.answered_of:
            if any(answer.truncated for answer in row):
                self.truncated.append(name)
            self.without_rules += all(answer.file_name is None for answer in row)
        self.answered_of[name] += sum(answer.problem is None for answer in row)
        self.allowed_of[name] += allowed

    @property
    def decisions(self) -> int:
        """How many questions have an answer."""
        return sum(self.allowed) + sum(self.disallowed) + sum(self.silent)

    @property
    def unanswered(self) -> int:
        """How many questions have no answer."""
        return self.problems.total()


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
        ("silent", sum(tally.silent) or None, ""),
        ("unanswered", tally.unanswered or None, ""),
        pace(seconds, tally.decisions, "decisions"),
    ]
    return totals(rows, width=22)


def _shares(title: str, counts: Sequence[tuple[str, int, int]]) -> Iterator[str]:
    """Yield a line for each name, with how many of its answers are *allowed*."""
    if not counts:
        return
    names = [visible(name, NAME_WIDTH) for name, _, _ in counts]
    width = max(map(columns, names))
    yield ""
    yield title
    for name, (_, allowed, answered) in zip(names, counts, strict=True):
        of = f"{allowed:,} of {answered:,}"
        yield f"  {share(allowed, answered)}  {padded(name, width)}  {of}"


def _by_question(tally: CheckTotals) -> list[tuple[str, int, int]]:
    counts = zip(tally.allowed, tally.disallowed, tally.silent, strict=True)
    named = zip(labels(tally.questions), counts, strict=True)
    return [(name, each[0], sum(each)) for name, each in named]


def _most_restrictive(tally: CheckTotals) -> list[tuple[str, int, int]]:
    counts = [(name, tally.allowed_of[name], each) for name, each in tally.answered_of.items()]
    restrictive = [each for each in counts if each[1] < each[2]]
    return sorted(restrictive, key=lambda each: (each[1] / each[2], each[0]))[:RESTRICTIVE_SITES]


def _problems(tally: CheckTotals) -> Iterator[str]:
    if tally.problems:
        yield ""
        yield "unanswered"
    for kind, number in sorted(tally.problems.items()):
        first = visible(tally.first[kind], 2 * NAME_WIDTH)
        yield f"  {number:>7,}  {kind}; the first: {first}"
