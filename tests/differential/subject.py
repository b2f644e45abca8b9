"""verger, asked the same questions in any dialect.

In: bytes, questions and a dialect. Out: an `Answer` for each, comparable with the oracle's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import verger

from .oracle import Answer
from .questions import Question


def answers(data: bytes, questions: Sequence[Question], dialect: verger.Dialect) -> list[Answer]:
    """Return what verger decides; a question that the dialect refuses gives the error's name."""
    robots = verger.parse(data, dialect=dialect)
    return [answer(robots, question) for question in questions]


def answer(robots: verger.RobotsTxt, question: Question) -> Answer:
    """Return what a parsed file answers to one question."""
    try:
        decision = robots.decide(question.url, question.tokens)
    except (verger.InvalidProductToken, verger.InvalidTarget) as error:
        return type(error).__name__
    return decision.allowed, decision.line


COMPILED_BEHIND = ("/",) * 16
"""Few rules are walked for the first questions, and compiled for those behind them."""


def fast_answers(data: bytes, questions: Sequence[Question], dialect: verger.Dialect) -> list[bool]:
    """Return what the calls without a line say: rules compiled once, many URLs in one call."""
    robots = verger.parse(data, dialect=dialect)
    verdicts: dict[Question, bool] = {}
    for tokens in dict.fromkeys(question.tokens for question in questions):
        asked = [question for question in questions if question.tokens == tokens]
        urls = [question.url for question in asked]
        answers = robots.agent(tokens).allowed_many([*COMPILED_BEHIND, *urls])
        verdicts.update(zip(asked, answers[len(COMPILED_BEHIND) :], strict=True))
    return [verdicts[question] for question in questions]


def turned(dialect: verger.Dialect, knobs: Mapping[str, Any]) -> verger.Dialect:
    """Return the dialect with some knobs replaced; `Any`, because `replace` types `name` apart."""
    return dialect.replace(**knobs)
