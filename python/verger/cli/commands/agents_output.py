"""What `verger agents` says of crawlers, as text and CSV.

In: a survey, or the registry. Out: lines: for each purpose a block of text, in which colour only
repeats what the words say; a CSV record for each crawler, that of `*` first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from verger import Line, RobotsTxt
from verger._core import _VERDICTS
from verger.analysis import explain
from verger.cli.output import (
    TextStream,
    csv_line,
)
from verger.crawlers import PURPOSES, agent_of, remark_on
from verger.crawlers.registry import UNVERIFIED_NOTE
from verger.crawlers.survey import (
    UNLISTED,
    Posture,
    Standing,
    Survey,
    preferences,
    read_by_operators,
)
from verger.files.csv_text import Value
from verger.objects.agents import UseCell
from verger.showing.palette import Palette
from verger.showing.printing import at_most, row_of, widths_of
from verger.untrusted_text import lines_of, printable, rule_text, shortened, visible

HEADER = ("crawler", "operator", "may fetch", "by", "named in")

WIDEST = 40
"""The most columns of a cell: untrusted text may be longer."""

MOST_NUMBERS = 4
"""The most entries in a list of line numbers, `3 more` included; `--lines` shows all."""

MOST_LINES = 200
"""The most lines of the explanation for one crawler."""

COLOURS: dict[Posture, str] = {
    "all": "green",
    "some": "yellow",
    "none": "red",
    "unknown": "magenta",
    "default": "cyan",
}

MEANINGS = {**PURPOSES, UNLISTED: "names of the file that the registry does not know"}


def survey_lines(
    survey: Survey,
    robots: RobotsTxt | None,
    palette: Palette,
    *,
    in_blocks: bool,
    with_lines: bool,
    with_words: bool,
    uses: Mapping[str, UseCell] | None = None,
) -> Iterator[str]:
    """Yield a survey of a file, or of a site without one.

    in_blocks:    whether to group crawlers by purpose.
    with_lines:   whether to show the lines of the file, not only their numbers.
    with_words:   whether to explain in words what is open and what is closed.
    uses:         what the site says about a use, by token: another column.
    """
    uses = uses or {}
    has_file = robots is not None

    def cells_of(standing: Standing) -> tuple[str, ...]:
        use = uses.get(standing.token)
        return *_cells(standing, has_file=has_file), *([_use_cell(use)] if use else [])

    header = (*HEADER, *(f"may be used for {one.purpose}" for one in list(uses.values())[:1]))
    widths = widths_of([header, *map(cells_of, (survey.default, *survey.standings))])
    lines = robots.lines if robots and with_lines else ()
    explained = robots if with_words else None

    def rows(standings: Sequence[Standing]) -> Iterator[str]:
        """Yield a row for each crawler, with its remarks below."""
        for standing in standings:
            cells = list(cells_of(standing))
            cells[2] = palette.paint(cells[2], COLOURS[standing.posture])
            yield row_of(cells, widths).rstrip()
            remarks = _remarks(standing, is_asked=not in_blocks)
            yield from (f"{palette.paint('  =', 'cyan')} {remark}" for remark in remarks)
            yield from _lines_of_file(standing, lines)
            yield from _in_words(explained, standing) if explained else ()

    yield palette.paint(row_of(header, widths).rstrip(), "bold")
    yield from rows([survey.default])
    yield from _blocks(survey, rows, palette) if in_blocks else rows(survey.standings)
    yield from _footnote(survey)


def registry_lines(survey: Survey, palette: Palette) -> Iterator[str]:
    """Yield the crawlers of a survey, with their operators, in a block for each purpose."""
    widths = widths_of([HEADER[:2], *map(_names, survey.standings)])

    def rows(standings: Sequence[Standing]) -> Iterator[str]:
        return (row_of(_names(one), widths).rstrip() for one in standings)

    yield palette.paint(row_of(HEADER[:2], widths).rstrip(), "bold")
    yield from _blocks(survey, rows, palette)
    yield from _footnote(survey)


def _names(standing: Standing) -> tuple[str, str]:
    return visible(standing.token, WIDEST), visible(_operator(standing), WIDEST)


def _cells(standing: Standing, *, has_file: bool) -> tuple[str, ...]:
    if standing.posture == "default":
        return *_names(standing), "default", "", ""
    numbers = standing.group_lines
    return (
        *_names(standing),
        _extent(standing),
        _by(standing) if has_file else "no file",
        lines_of(numbers, most=MOST_NUMBERS) if numbers else "",
    )


def _use_cell(use: UseCell) -> str:
    word = _VERDICTS[use.allowed]
    return word if use.line is None else f"{word}, line {use.line}"


def _remarks(standing: Standing, *, is_asked: bool) -> Iterator[str]:
    if standing.follows is not None:
        yield f"follows the groups of {standing.follows}"
    remark = remark_on(standing.token)
    if remark is not None and (is_asked or _is_remarkable(standing)):
        yield remark
    if standing.differs and (own := standing.own_reading) is not None:
        yield f"in its operator's own reading: {_extent(own)} ({own.dialect})"
    if standing.posture != "default" and (said := preferences(standing)):
        yield ", ".join(f"{name}={value}" for name, value in said.items())


def _lines_of_file(standing: Standing, lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines that say something to a crawler; nothing if `lines` is empty."""
    if lines and standing.posture != "default":
        for number in sorted(
            {*standing.group_lines, *([standing.rule.line] if standing.rule else [])}
        ):
            line = lines[number - 1]
            text = shortened(f"{line.key}: {line.value or ''}".rstrip(), 2 * WIDEST)
            yield f"  {number:>4} | {printable(text)}"


def _blocks(
    survey: Survey, rows: Callable[[Sequence[Standing]], Iterator[str]], palette: Palette
) -> Iterator[str]:
    was_long = True
    for purpose in filter(survey.purposes.__contains__, MEANINGS):
        standings = [one for one in survey.standings if purpose in one.purposes]
        hidden = survey.unlisted_hidden if purpose == UNLISTED else 0
        more = survey.unnamed.get(purpose, hidden)
        unbound, differing = survey.unbound.get(purpose, 0), survey.differing.get(purpose, 0)
        but = f", which does not bind {unbound:,}" if unbound else ""
        if differing:
            but += f"; otherwise for {differing:,} in their operators' own reading"
        if not standings and not more:
            continue
        if standings or was_long:
            yield ""
        was_long = bool(standings)
        name = palette.paint(purpose, "bold")
        if not standings:
            yield f"{name}: {more:,}, none named: default{but}"
            continue
        yield f"{name}: {MEANINGS[purpose]}"
        yield from rows(standings)
        if more:
            which = "" if purpose == UNLISTED else f", not named: default{but}"
            yield f"{more:,} more{which}"


def _in_words(robots: RobotsTxt, standing: Standing) -> Iterator[str]:
    """Yield what is open and what is closed to a crawler."""
    if standing.posture == "default":
        yield "    as for `*`"
        return
    [(read, _)] = read_by_operators(robots, [standing.token])
    is_own = standing.dialect == read.dialect.name
    found = explain(agent_of(read if is_own else robots, standing.token))
    most = 1 + MOST_LINES  # with a heading
    yield from at_most(
        found.lines, most, lambda line: f"    {printable(line)}", lambda n: f"    and {n:,} more"
    )
    if not found.is_exact:
        yield "    there are too many rules to find out which could be left out"


def _operator(standing: Standing) -> str:
    """Return whose a crawler is, with a `?` if that was not looked up."""
    if standing.token == "*":
        return "(default)"
    crawler = standing.crawler
    if crawler is None:
        return ""
    return f"{crawler.operator or ''}{'?' if crawler.is_unverified else ''}"


def _footnote(survey: Survey) -> Iterator[str]:
    """Yield what `?` means, if it is shown."""
    if any(one.crawler is not None and one.crawler.is_unverified for one in survey.standings):
        yield ""
        yield UNVERIFIED_NOTE


def _extent(standing: Standing) -> str:
    """Return how much a crawler may fetch: of a part, whether pages without a rule are in it."""
    if standing.extent != "some":
        return standing.extent
    return "part of the site" if standing.elsewhere else "only some pages"


def _is_remarkable(standing: Standing) -> bool:
    """Whether the row of a crawler would mislead without a remark."""
    is_policy_token = standing.crawler is not None and standing.crawler.kind == "policy-token"
    return is_policy_token or not standing.bound


def _by(standing: Standing) -> str:
    rule = standing.rule
    if rule is None:
        is_told_nothing = standing.token != "*" and not standing.named
        return "no group" if is_told_nothing else "no rule"
    return visible(f"line {rule.line}, {rule_text(rule.allow, rule.pattern)}", WIDEST)


# JSON and CSV


CRAWLERS_SCHEMA = "verger.crawlers/1"

COLUMNS = (
    "token",
    "operator",
    "purposes",
    "posture",
    "extent",
    "elsewhere",
    "line",
    "rule",
    "group_lines",
    "preferences",
    "respects",
    "url",
    "kind",
    "follows",
    "bound",
    "sources",
)


def csv_lines(rows: Iterable[Sequence[Value]], stream: TextStream) -> Iterator[str]:
    return (csv_line(fields, is_terminal=stream.isatty()) for fields in rows)


def joined(value: str | tuple[str, ...] | None) -> str | None:
    return " ".join(value) if isinstance(value, tuple) else value


def fields_of(standing: Standing) -> tuple[Value, ...]:
    crawler, rule = standing.crawler, standing.rule
    return (
        standing.token,
        crawler.operator if crawler else None,
        " ".join(crawler.purposes) if crawler else None,
        standing.posture,
        standing.extent,
        standing.elsewhere,
        rule.line if rule else None,
        rule_text(rule.allow, rule.pattern) if rule else None,
        " ".join(map(str, standing.group_lines)),
        " ".join(f"{name}={value}" for name, value in preferences(standing).items()),
        crawler.respects if crawler else None,
        crawler.url if crawler else None,
        crawler.kind if crawler else None,
        standing.follows,
        standing.bound,
        " ".join(crawler.sources) if crawler else None,
    )
