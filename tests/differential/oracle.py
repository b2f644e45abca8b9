"""Google's own parser, as the wheel `jwm.robotstxt` carries it.

In: bytes and questions. Out: a `Verdict` for each. Everything is handed over as `bytes`, which
the wheel passes on as they are, NUL and all: a `str` would be encoded first.
"""

import importlib
from collections.abc import Sequence
from typing import Protocol

from .questions import Question
from .urls import bytes_of

Verdict = tuple[bool, int | None]
"""Whether the URL is allowed, and the line that says so."""
Answer = Verdict | str
"""A verdict, or the name of the error that a dialect raised instead."""


class Matcher(Protocol):
    """The part of the wheel's `RobotsMatcher` used here, typed as it behaves with bytes."""

    def AllowedByRobots(  # noqa: N802 (Google's name)
        self, robots_body: bytes, user_agents: list[bytes], url: bytes, /
    ) -> bool: ...

    def matching_line(self) -> int: ...


class Oracle:
    """Google's matcher, ready to be asked."""

    def __init__(self) -> None:
        """Load the wheel. Raises ImportError where it is not installed."""
        module = importlib.import_module("jwm.robotstxt.googlebot")
        self._matcher: Matcher = module.RobotsMatcher()

    def answers(self, data: bytes, questions: Sequence[Question]) -> list[Verdict]:
        """Return Google's answers; its line 0, for none, is given as None."""
        return [self._answer(data, question) for question in questions]

    def _answer(self, data: bytes, question: Question) -> Verdict:
        tokens = (question.tokens,) if isinstance(question.tokens, str) else question.tokens
        names = [bytes_of(token) for token in tokens]
        allowed = self._matcher.AllowedByRobots(data, names, bytes_of(question.url))
        return allowed, self._matcher.matching_line() or None
