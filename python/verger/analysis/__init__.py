"""Analysis: what robots.txt files mean for all URLs at once, proved and not sampled.

>>> import verger
>>> from verger.analysis import difference
>>> old = verger.parse("User-agent: *\\nDisallow: /private\\n").agent("ExampleBot")
>>> new = verger.parse("User-agent: *\\nDisallow: /private/\\n").agent("ExampleBot")
>>> [change.witness for change in difference(old, new).opened]
['/private']
"""

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
    "STEPS",
    "Change",
    "Difference",
    "Effect",
    "Redundant",
    "difference",
    "effects",
    "equivalent",
    "redundant",
    "shadowed",
]
