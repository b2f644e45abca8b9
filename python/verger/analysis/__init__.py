"""Analysis: what robots.txt files mean for all URLs at once, proved and not sampled; and edits with
a proof of what they change.

>>> import verger
>>> from verger.analysis import difference
>>> old = verger.parse("User-agent: *\\nDisallow: /private\\n").agent("ExampleBot")
>>> new = verger.parse("User-agent: *\\nDisallow: /private/\\n").agent("ExampleBot")
>>> [change.witness for change in difference(old, new).opened]
['/private']
"""

from verger.analysis.blocking import Refused, allow, block
from verger.analysis.differing import (
    SEVERITIES,
    CrawlerDiffs,
    CrawlersDiff,
    DialectDiff,
    FileDiff,
    RecordChange,
    Severity,
    compare,
    diff,
)
from verger.analysis.draft import Edit
from verger.analysis.edit import Editor
from verger.analysis.explaining import Exemption, Explanation, Part, explain
from verger.analysis.minimising import minimise
from verger.analysis.proof import Changed, Outcome, Proof, prove
from verger.analysis.rules import (
    STEPS,
    Change,
    Difference,
    Effect,
    Redundant,
    difference,
    effects,
    equivalent,
    redundant,
    shadowed,
)

__all__ = [
    "SEVERITIES",
    "STEPS",
    "Change",
    "Changed",
    "CrawlerDiffs",
    "CrawlersDiff",
    "DialectDiff",
    "Difference",
    "Edit",
    "Editor",
    "Effect",
    "Exemption",
    "Explanation",
    "FileDiff",
    "Outcome",
    "Part",
    "Proof",
    "RecordChange",
    "Redundant",
    "Refused",
    "Severity",
    "allow",
    "block",
    "compare",
    "diff",
    "difference",
    "effects",
    "equivalent",
    "explain",
    "minimise",
    "prove",
    "redundant",
    "shadowed",
]
