"""What a site says to each crawler, as JSON and CSV.

In: a `Survey`, and facts about the site. Out: one JSON object that follows
`schemas/agents-1.schema.json`, in ASCII; or a CSV record for each crawler, that of `*` first.
"""

from collections.abc import Mapping

from verger import RobotsTxt
from verger.cli.csv_table import Records
from verger.cli.json_lines import rule_facts
from verger.crawlers.survey import Standing, Survey, preferences
from verger.plain import rule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.writers import TextStream
    from verger.files.csv_text import Value
    from verger.files.json_text import Json

SCHEMA = "verger.agents/1"

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


class JsonObject:
    """Writes a survey as one JSON object.

    about:  more members of the object, about the site.
    """

    def __init__(self, stream: "TextStream", about: Mapping[str, object]) -> None:
        self._stream = stream
        self._about = about

    def write(self, survey: Survey, robots: RobotsTxt | None) -> None:
        """Write a survey."""
        from verger.files.json_text import json_text

        said = {
            "schema": SCHEMA,
            **self._about,
            "truncated": robots is not None and robots.truncated,
            "default": _facts(survey.default),
            "crawlers": [_facts(one) for one in survey.standings],
            "unnamed": survey.unnamed,
            "unbound": survey.unbound,
            "unlisted_hidden": survey.unlisted_hidden,
        }
        self._stream.write(f"{json_text(said)}\n")


class CsvTable:
    """Writes a survey as CSV."""

    def __init__(self, stream: "TextStream") -> None:
        self._records = Records(stream)

    def write(self, survey: Survey, _robots: RobotsTxt | None) -> None:
        """Write a survey."""
        for fields in (COLUMNS, *map(_fields, (survey.default, *survey.standings))):
            self._records.write(fields)


def _facts(standing: Standing) -> "Json":
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


def _fields(standing: Standing) -> "tuple[Value, ...]":
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
