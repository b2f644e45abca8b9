"""A second, simple implementation of the decision, to compare the core with.

In: bytes of a file, a dialect, product tokens, a URL. Out: allowed or not, and the line.
It follows the specification step by step and prefers the obvious to the fast; it shares no
code, no table and no import with verger.
"""

from .matcher import Answer, UrlError, decide, subject_of
from .normal import PATTERN_FORMS, SUBJECT_FORMS
from .reader import records
from .selection import TokenError
from .switches import SWITCHES, Switches
from .uses import Use, may_use

__all__ = [
    "PATTERN_FORMS",
    "SUBJECT_FORMS",
    "SWITCHES",
    "Answer",
    "Switches",
    "TokenError",
    "UrlError",
    "Use",
    "decide",
    "may_use",
    "records",
    "subject_of",
]
