"""The output of `verger agents`: what a site says to each crawler, as text, JSON or CSV.

In: a `Survey`, its file, and facts about the site. Out: lines on a stream, a block for each
purpose; one JSON object that follows `schemas/agents-1.schema.json`, in ASCII; or a CSV record for
each crawler, that of `*` first. Colour only repeats what the words say.
"""

from collections.abc import Iterator, Mapping, Sequence

from verger import RobotsTxt
from verger.access.answer import rule_facts
from verger.analysis import explain
from verger.cli.output import Palette, csv_line
from verger.cli.printing import at_most, row_of, widths_of
from verger.crawlers import PURPOSES, agent_of, remark_on
from verger.crawlers.registry import UNVERIFIED_NOTE
from verger.crawlers.survey import UNLISTED, Posture, Standing, Survey, preferences
from verger.files.csv_text import Value
from verger.files.json_text import Json, json_text
from verger.plain import lines_of, printable, rule_text, shortened

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


class _Rows:
    """Standings as the rows of one table."""

    def __init__(
        self,
        survey: Survey,
        robots: RobotsTxt | None,
        palette: Palette,
        *,
        is_asked: bool,
        with_lines: bool,
        with_words: bool,
    ) -> None:
        self._default = survey.default
        self._is_asked = is_asked
        self._explained = robots if with_words else None
        self._has_file = robots is not None
        self._palette = palette
        self._lines = robots.lines if robots and with_lines else ()
        standings = (survey.default, *survey.standings)
        self._widths = widths_of([HEADER, *map(self._cells, standings)])

    def head(self) -> Iterator[str]:
        """Yield the header, and the row for crawlers that no group names."""
        yield self._palette.paint(row_of(HEADER, self._widths).rstrip(), "bold")
        yield from self.of([self._default])

    def of(self, standings: Sequence[Standing]) -> Iterator[str]:
        """Yield a row for each crawler, with its remarks below."""
        for standing in standings:
            cells = list(self._cells(standing))
            cells[2] = self._palette.paint(cells[2], COLOURS[standing.posture])
            yield row_of(cells, self._widths).rstrip()
            yield from self._remarks(standing)

    def _cells(self, standing: Standing) -> tuple[str, ...]:
        operator = _operator(standing)
        if standing.posture == "default":
            return _cell(standing.token), _cell(operator), "default", "", ""
        numbers = standing.group_lines
        return (
            _cell(standing.token),
            _cell(operator),
            _extent(standing),
            _by(standing) if self._has_file else "no file",
            lines_of(numbers, most=MOST_NUMBERS) if numbers else "",
        )

    def _remarks(self, standing: Standing) -> Iterator[str]:
        mark = self._palette.paint("  =", "cyan")
        if standing.follows is not None:
            yield f"{mark} follows the groups of {standing.follows}"
        remark = remark_on(standing.token)
        if remark is not None and (self._is_asked or _is_remarkable(standing)):
            yield f"{mark} {remark}"
        if standing.posture != "default" and (said := preferences(standing)):
            yield f"{mark} {', '.join(f'{name}={value}' for name, value in said.items())}"
        if self._lines and standing.posture != "default":
            numbers = {*standing.group_lines, *([standing.rule.line] if standing.rule else [])}
            for number in sorted(numbers):
                line = self._lines[number - 1]
                text = shortened(f"{line.key}: {line.value or ''}".rstrip(), 2 * WIDEST)
                yield f"  {number:>4} | {printable(text)}"
        if self._explained is not None and standing.posture != "default":
            yield from _in_words(self._explained, standing.token)
        elif self._explained is not None:
            yield "    as for `*`"


def survey_lines(
    survey: Survey,
    robots: RobotsTxt | None,
    palette: Palette,
    *,
    in_blocks: bool,
    with_lines: bool,
    with_words: bool,
) -> Iterator[str]:
    """Yield a survey of a file, or of a site without one.

    in_blocks:    whether to group crawlers by purpose.
    with_lines:   whether to show the lines of the file, not only their numbers.
    with_words:   whether to explain in words what is open and what is closed.
    """
    rows = _Rows(
        survey,
        robots,
        palette,
        is_asked=not in_blocks,
        with_lines=with_lines,
        with_words=with_words,
    )
    yield from rows.head()
    yield from _blocks(survey, rows, palette) if in_blocks else rows.of(survey.standings)
    yield from _footnote(survey)


def _blocks(survey: Survey, rows: _Rows, palette: Palette) -> Iterator[str]:
    was_long = True
    for purpose in filter(survey.purposes.__contains__, MEANINGS):
        standings = [one for one in survey.standings if purpose in one.purposes]
        hidden = survey.unlisted_hidden if purpose == UNLISTED else 0
        more = survey.unnamed.get(purpose, hidden)
        unbound = survey.unbound.get(purpose, 0)
        but = f", which does not bind {unbound:,}" if unbound else ""
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
        yield from rows.of(standings)
        if more:
            which = "" if purpose == UNLISTED else f", not named: default{but}"
            yield f"{more:,} more{which}"


def _in_words(robots: RobotsTxt, token: str) -> Iterator[str]:
    """Yield what is open and what is closed to a crawler."""
    found = explain(agent_of(robots, token))
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
    """Return how much a crawler may fetch; if only a part, also what holds for the rest."""
    if standing.extent not in ("some", "unknown"):
        return standing.extent
    return f"{standing.extent}, else {'all' if standing.elsewhere else 'none'}"


def _is_remarkable(standing: Standing) -> bool:
    """Whether the row of a crawler would mislead without a remark."""
    is_policy_token = standing.crawler is not None and standing.crawler.kind == "policy-token"
    return is_policy_token or not standing.bound


def _by(standing: Standing) -> str:
    rule = standing.rule
    if rule is None:
        is_told_nothing = standing.token != "*" and not standing.named
        return "no group" if is_told_nothing else "no rule"
    return _cell(f"line {rule.line}, {rule_text(rule.allow, rule.pattern)}")


def _cell(text: str) -> str:
    return printable(shortened(text, WIDEST))


# JSON and CSV


AGENTS_SCHEMA = "verger.agents/1"

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


def survey_object(
    survey: Survey, robots: RobotsTxt | None, about: Mapping[str, object]
) -> Iterator[str]:
    """Yield a survey as one object; `about` has more members, about the site."""
    said = {
        "schema": AGENTS_SCHEMA,
        **about,
        "truncated": robots is not None and robots.truncated,
        "default": _standing_object(survey.default),
        "crawlers": [_standing_object(one) for one in survey.standings],
        "unnamed": survey.unnamed,
        "unbound": survey.unbound,
        "unlisted_hidden": survey.unlisted_hidden,
    }
    yield json_text(said)


def survey_records(survey: Survey, *, is_terminal: bool) -> Iterator[str]:
    """Yield a survey as records of CSV."""
    for fields in (COLUMNS, *map(_fields, (survey.default, *survey.standings))):
        yield csv_line(fields, is_terminal=is_terminal)


def _standing_object(standing: Standing) -> Json:
    crawler, rule, signals = standing.crawler, standing.rule, standing.signals
    return {
        "token": standing.token,
        "operator": crawler and crawler.operator,
        "purposes": crawler.purposes if crawler else (),
        "respects": crawler and crawler.respects,
        "url": crawler and crawler.url,
        "kind": crawler and crawler.kind,
        "sources": crawler.sources if crawler else (),
        "follows": standing.follows,
        "bound": standing.bound,
        "posture": standing.posture,
        "extent": standing.extent,
        "elsewhere": standing.elsewhere,
        "line": rule and rule.line,
        "rule": rule and rule_facts(rule),
        "group_lines": standing.group_lines,
        "content_signals": {
            "search": signals.search,
            "ai_input": signals.ai_input,
            "ai_train": signals.ai_train,
            "use": signals.use,
        },
        "content_usage": None if standing.usage is None else dict(standing.usage),
    }


def _fields(standing: Standing) -> tuple[Value, ...]:
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
