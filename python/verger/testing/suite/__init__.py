"""The robots.txt test suite: questions about files, with the answers of each specification.

    for case in verger.testing.suite.cases("rfc9309"):
        if case.level == "normative":
            assert my_parser(case.robots, case.agent, case.url) == case.allowed, case.id

`run` asks a parser in any language, as does `python -m verger.testing.suite COMMAND`.
"""

from verger.testing.suite.cases import INSTALLED, Case, Level, cases, specifications
from verger.testing.suite.runner import Outcome, Verdict, question, run

__all__ = [
    "INSTALLED",
    "Case",
    "Level",
    "Outcome",
    "Verdict",
    "cases",
    "question",
    "run",
    "specifications",
]
