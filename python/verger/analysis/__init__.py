"""Analysis: what robots.txt files mean for all URLs at once, proved and not sampled; and edits with
a proof of what they change.

>>> import verger
>>> from verger.analysis import difference
>>> old = verger.parse("User-agent: *\\nDisallow: /private\\n").agent("ExampleBot")
>>> new = verger.parse("User-agent: *\\nDisallow: /private/\\n").agent("ExampleBot")
>>> [change.witness for change in difference(old, new).opened]
['/private']
"""

from verger.analysis.access_edits import allow, block
from verger.analysis.edit_plan import Refused
from verger.analysis.editor import Editor
from verger.analysis.edits import Edit
from verger.analysis.explanation import Exemption, Explanation, Part, explain
from verger.analysis.file_diff import (
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
from verger.analysis.minimal_file import minimise
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
