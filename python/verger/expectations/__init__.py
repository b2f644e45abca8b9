"""Expectations: what robots.txt files should answer, as tests.

>>> import verger
>>> from verger.expectations import Subject, expectations_in, judge
>>> file = expectations_in('''
... [[expect]]
... agent = "ExampleBot"
... url = ["/private", "/public"]
... allowed = false
... ''')
>>> subject = Subject.of_bytes(b"User-agent: *\\nDisallow: /private\\n")
>>> [outcome.holds for outcome in judge(file, subject)]
[True, False]
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verger.expectations.expectation import EVERYONE, Expectation, ExpectationFile
    from verger.expectations.fixing import READERS as READERS, fix
    from verger.expectations.judging import (
        JudgedFile,
        Judgement,
        Suite,
        SuiteReport,
        judge,
        judge_one,
        nameless as nameless,
    )
    from verger.expectations.proving import Counterexample, Evidence
    from verger.expectations.reading import (
        ENDING,
        InvalidExpectations,
        expectations_in,
        expected_rule as expected_rule,
        files_below,
        load,
    )
    from verger.expectations.recording import Recorded, record, toml_of
    from verger.expectations.stances import STANCES, Stance, stance
    from verger.expectations.subject import (
        DEFAULT_DIALECT as DEFAULT_DIALECT,
        Subject,
        fetch_subject,
        subject_of,
    )
    from verger.options import DialectName as DialectName
else:  # type checkers know the names above, and report any other

    def __getattr__(name: str) -> object:
        if name not in _PLACES:  # pytest asks each name of a plugin whether it is a fixture
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from verger.lazy import load_attribute

        return load_attribute(globals(), _PLACES, name)


__all__ = [
    "ENDING",
    "EVERYONE",
    "STANCES",
    "Counterexample",
    "Evidence",
    "Expectation",
    "ExpectationFile",
    "InvalidExpectations",
    "JudgedFile",
    "Judgement",
    "Recorded",
    "Stance",
    "Subject",
    "Suite",
    "SuiteReport",
    "expectations_in",
    "fetch_subject",
    "files_below",
    "fix",
    "judge",
    "judge_one",
    "load",
    "record",
    "stance",
    "subject_of",
    "toml_of",
]

_MODULES = {
    "fixing": "READERS fix",
    "judging": "JudgedFile Judgement Suite SuiteReport judge judge_one nameless",
    "expectation": "EVERYONE Expectation ExpectationFile",
    "proving": "Counterexample Evidence",
    "reading": "ENDING InvalidExpectations expectations_in expected_rule files_below load",
    "recording": "Recorded record toml_of",
    "stances": "STANCES Stance stance",
    "subject": "DEFAULT_DIALECT Subject fetch_subject subject_of",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The modules of names that are imported on first use: the pytest plugin is loaded in every run of
pytest, and must cost nothing if no test uses it."""
