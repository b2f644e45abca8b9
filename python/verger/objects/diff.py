"""What `diff` and `compare` find as objects, see `schemas/diff-1.schema.json` and
`schemas/compare-1.schema.json`.
"""

from collections.abc import Iterable, Mapping
from time import time

from verger._core import _record_text
from verger.access.answer_json import rule_facts
from verger.access.site import SiteAccess
from verger.analysis.file_diff import CrawlerDiffs, CrawlersDiff, FileDiff
from verger.analysis.proof import Changed
from verger.analysis.rules import Change
from verger.files.json_text import Json

DIFF_SCHEMA = "verger.diff/1"
COMPARE_SCHEMA = "verger.compare/1"

HEADINGS = {
    "site-closed": "{} may no longer fetch anything",
    "site-opened": "{} may now fetch everything",
    "opened": "{} may fetch more",
    "closed": "{} may fetch less",
    "both": "{} may fetch more in some places and less in others",
    "unproved": "{}: no change was found, but this is not proved",
    "other-records": "{}: the rules say the same, but other records do not",
}


def heading(of: CrawlersDiff, names: str) -> str:
    """Return a line on what changed for some crawlers; `names` are their names."""
    is_mixed = of.severity == "opened" and len({change.opened for change in of.changes}) > 1
    return HEADINGS["both" if is_mixed else of.severity].format(names)


def diff_object(found: FileDiff, about: Mapping[str, object]) -> Json:
    """Return what changed between two versions of a file; `about` has more members."""
    return {
        "schema": DIFF_SCHEMA,
        **about,
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


def compare_object(others: Iterable[tuple[str, CrawlerDiffs]], about: Mapping[str, object]) -> Json:
    """Return where dialects, each with its name, answer differently; `about` has more members."""
    found = [{"dialect": name, **facts(each)} for name, each in others]
    return {"schema": COMPARE_SCHEMA, **about, "others": found}


def facts(found: CrawlerDiffs) -> Json:
    """Return which answers differ for which crawlers."""
    return {
        "changes_answers": found.changes_answers,
        "exact": found.is_exact,
        "looked_at": len(found.crawlers),
        "unchanged": found.unchanged,
        "changed": [_crawlers_object(each) for each in found.changed],
    }


def about_file(name: str, site: SiteAccess | None) -> Json:
    """Return where a version comes from, and what is known of its site if it was fetched."""
    return {"file": name, **({"access": site.facts(time())} if site else {})}


def _crawlers_object(of: CrawlersDiff) -> Json:
    was, now = of.named
    return {
        "crawlers": of.crawlers,
        "severity": of.severity,
        "exact": of.is_exact,
        "named": {"old": was, "new": now},
        "changes": [change_object(change) for change in of.changes],
        "other_records": [
            {
                "field": name.replace("_", "-"),
                "old": _record_text(before),
                "new": _record_text(after),
            }
            for name, before, after in of.other_records
        ],
    }


def change_object(change: Change) -> Json:
    """Return a region whose answers change."""
    return {
        "opened": change.opened,
        "region": change.region,
        "witness": change.witness,
        "requested": change.is_requested,
        "old": change.old and rule_facts(change.old),
        "new": change.new and rule_facts(change.new),
    }


def changed_object(each: Changed) -> Json:
    """Return crawlers whose answers change, as a proof has them."""
    return {
        "crawlers": each.crawlers,
        "dialects": each.dialects,
        "exact": each.is_exact,
        "changes": [change_object(change) for change in each.changes],
    }


def use_object(each: Changed) -> Json:
    """Return crawlers to which other things are said about some uses, as a proof has them."""
    return {**changed_object(each), "uses": each.uses, "policy_token": each.policy}
