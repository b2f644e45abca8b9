"""What a site says to each crawler, as JSON and CSV.

In: a `Survey`, and what it is of. Out: one JSON object that follows
`schemas/agents-1.schema.json`, in ASCII; or a CSV record for each crawler, that of `*` first.
"""

from collections.abc import Mapping

from verger import RobotsTxt
from verger.cli.agents.survey import Standing, Survey, preferences
from verger.cli.csv_table import quoted
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

SCHEMA = "verger.agents/1"

COLUMNS = (
    "token",
    "operator",
    "purpose",
    "posture",
    "extent",
    "elsewhere",
    "line",
    "rule",
    "group_lines",
    "preferences",
    "respects",
    "url",
)

FORMULA = ("=", "+", "-", "@")
"""How a cell begins that a spreadsheet would run."""

Json = dict[str, object]


class JsonObject:
    """Writes a survey as one JSON object.

    about:  what else there is to say of the site: members of the object.
    """

    def __init__(self, stream: "TextIO", about: Mapping[str, object]) -> None:
        self._stream = stream
        self._about = about

    def write(self, survey: Survey, robots: RobotsTxt | None) -> None:
        """Write a survey."""
        from json import dumps

        said = {
            "schema": SCHEMA,
            **self._about,
            "truncated": robots is not None and robots.truncated,
            "default": _facts(survey.default),
            "crawlers": [_facts(one) for one in survey.standings],
            "unnamed": survey.unnamed,
            "untold": survey.untold,
        }
        self._stream.write(dumps(said) + "\n")


class CsvTable:
    """Writes a survey as CSV."""

    def __init__(self, stream: "TextIO") -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()

    def write(self, survey: Survey, _robots: RobotsTxt | None) -> None:
        """Write a survey."""
        for fields in (COLUMNS, *map(_fields, (survey.default, *survey.standings))):
            record = ",".join(map(quoted, fields))
            self._stream.write(f"{printable(record) if self._is_terminal else record}\n")


def _facts(standing: Standing) -> Json:
    crawler, rule, signals = standing.crawler, standing.rule, standing.signals
    return {
        "token": standing.token,
        "operator": crawler and crawler.operator,
        "purpose": crawler and crawler.purpose,
        "respects": crawler and crawler.respects,
        "url": crawler and crawler.url,
        "posture": standing.posture,
        "extent": standing.extent,
        "elsewhere": standing.elsewhere,
        "line": rule and rule.line,
        "rule": rule and {"line": rule.line, "allow": rule.allow, "pattern": rule.pattern},
        "group_lines": standing.group_lines,
        "content_signals": {
            "search": signals.search,
            "ai_input": signals.ai_input,
            "ai_train": signals.ai_train,
            "use": signals.use,
        },
        "content_usage": dict(standing.usage),
    }


def _fields(standing: Standing) -> tuple[str, ...]:
    crawler, rule = standing.crawler, standing.rule
    is_formula = standing.token.startswith(FORMULA)
    return (
        f"'{standing.token}" if is_formula else standing.token,
        (crawler and crawler.operator) or "",
        crawler.purpose if crawler else "",
        standing.posture,
        standing.extent,
        "true" if standing.elsewhere else "false",
        str(rule.line) if rule else "",
        f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" if rule else "",
        " ".join(map(str, standing.group_lines)),
        " ".join(f"{name}={value}" for name, value in preferences(standing).items()),
        crawler.respects if crawler else "",
        (crawler and crawler.url) or "",
    )
