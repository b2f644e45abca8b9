"""Differences as one JSON object.

In: a `Between`, and the origin of its files. Out: an object that follows
`schemas/diff-1.schema.json`, in ASCII, on one line.
"""

from collections.abc import Mapping, Sequence

from verger.analysis import Change, CrawlerDiffs, CrawlersDiff, FileDiff
from verger.analysis.differing import record_text
from verger.cli.diffing.between import Between
from verger.cli.diffing.versions import FoundFile
from verger.cli.json_lines import rule_facts
from verger.files.json_text import Json, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.writers import TextStream

SCHEMA = "verger.diff/1"
COMPARE_SCHEMA = "verger.compare/1"


class JsonObject:
    """Writes what changed as one JSON object.

    about:  more members of the object.
    """

    def __init__(self, stream: "TextStream", about: Mapping[str, object]) -> None:
        self._stream = stream
        self._about = about

    def write(self, _between: Between, found: FileDiff) -> None:
        """Write what changed between two versions of a file."""
        said = {
            "schema": SCHEMA,
            **self._about,
            "severity": found.severity,
            **facts(found),
            "records": [
                {
                    "field": record.field,
                    "value": record.value,
                    "added": record.added,
                    "line": record.line,
                }
                for record in found.records
            ],
        }
        self._stream.write(f"{json_text(said)}\n")


def about_versions(versions: Sequence[FoundFile]) -> Json:
    """Return where the two versions come from."""
    old, new = map(about, versions)
    return {"old": old, "new": new}


def facts(found: CrawlerDiffs) -> Json:
    """Return which answers differ for which crawlers."""
    return {
        "changes_answers": found.changes_answers,
        "exact": found.is_exact,
        "looked_at": len(found.crawlers),
        "unchanged": found.unchanged,
        "changed": [_crawlers(each) for each in found.changed],
    }


def about(version: FoundFile) -> Json:
    """Return where a version comes from."""
    if version.fetched is None:
        return {"file": version.name}
    from verger.answers.fetched import access_facts

    return {"file": version.name, "access": access_facts(version.fetched)}


def _crawlers(of: CrawlersDiff) -> Json:
    was, now = of.named
    return {
        "crawlers": of.crawlers,
        "severity": of.severity,
        "exact": of.is_exact,
        "named": {"old": was, "new": now},
        "changes": [change_object(change) for change in of.changes],
        "other_records": [
            {"field": name.replace("_", "-"), "old": record_text(before), "new": record_text(after)}
            for name, before, after in of.other_records
        ],
    }


def change_object(change: Change) -> Json:
    """Return a region whose answers change."""
    return {
        "opened": change.opened,
        "region": change.region,
        "witness": change.witness,
        "old": change.old and rule_facts(change.old),
        "new": change.new and rule_facts(change.new),
    }


class DialectsObject:
    """Writes where dialects differ as one object that follows `schemas/compare-1.schema.json`.

    about:  more members of the object.
    """

    def __init__(self, stream: "TextStream", about: Mapping[str, object]) -> None:
        self._stream = stream
        self._about = about

    def write_dialects(self, readings: Sequence[Between]) -> None:
        """Write where dialects answer differently."""
        others = [{"dialect": each.labels[1], **facts(each.found)} for each in readings]
        said = {"schema": COMPARE_SCHEMA, **self._about, "others": others}
        self._stream.write(f"{json_text(said)}\n")
