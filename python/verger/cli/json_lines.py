"""Answers as JSON Lines: one object for each answer, as soon as it is ready.

In: rows of answers. Out: objects that follow `schemas/check-1.schema.json`, in ASCII. Bytes
that are not UTF-8 are lone surrogates, as in Python: `\\udcff` is the byte 0xFF.
"""

from verger import Decision, Group, Rule
from verger.analysis.whole import findings_about
from verger.answers.answer import CheckAnswer, Row, Unanswered
from verger.files.json_text import Json, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.writers import TextStream

SCHEMA = "verger.check/1"


class JsonLines:
    """Writes answers as JSON Lines."""

    def __init__(self, stream: "TextStream", *, verbose: bool) -> None:
        self._stream = stream
        self._verbose = verbose

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        for answer in row:
            self._stream.write(f"{json_text(_answer(answer, verbose=self._verbose))}\n")


def _answer(answer: CheckAnswer, *, verbose: bool) -> Json:
    return {
        "schema": SCHEMA,
        "url": answer.url,
        "tokens": answer.question.tokens,
        "dialect": answer.question.dialect,
        "file": answer.file_name,
        "truncated": answer.truncated,
        **_decided(answer, verbose=verbose),
        **(_findings(answer) if verbose else {}),
        "bound": answer.bound,
        **_access(answer),
        "error": answer.problem and _error(answer.problem),
    }


def _findings(answer: CheckAnswer) -> Json:
    if answer.decision is None or answer.agent is None:
        return {}
    found = findings_about(answer.decision, answer.agent.groups)
    return {
        "findings": [
            {"line": each.line, "code": each.code, "message": each.message} for each in found
        ]
    }


def _access(answer: CheckAnswer) -> Json:
    if answer.fetched is None:
        return {}
    from verger.answers.fetched import access_facts  # which imports what fetches

    return {"access": access_facts(answer.fetched)}


def _decided(answer: CheckAnswer, *, verbose: bool) -> Json:
    if answer.decision is None and answer.fetched is not None:
        policy = answer.fetched.policy
        by_policy = {"reason": policy.reason, "section": policy.section}
        return {**_NO_DECISION, "allowed": answer.fetched.allowed, **by_policy}
    return _decision(answer.decision, verbose=verbose)


def _decision(decision: Decision | None, *, verbose: bool) -> Json:
    if decision is None:
        return dict(_NO_DECISION)
    fields: Json = {
        "allowed": decision.allowed,
        "reason": decision.reason,
        "section": decision.section,
        "line": decision.line,
        "rule": decision.rule and _rule(decision.rule),
        "group": decision.group and _group(decision.group),
        "target": decision.target,
        "matched": [{"pattern": pattern, "target": target} for pattern, target in decision.matched],
    }
    if verbose:
        fields["beaten"] = [_rule(rule) for rule in decision.beaten]
    return fields


_NO_DECISION: Json = {
    "allowed": None,
    "reason": None,
    "section": None,
    "line": None,
    "rule": None,
    "group": None,
    "target": None,
    "matched": [],
}


def rule_facts(rule: Rule) -> Json:
    """Return a rule as an object, as all schemas have it."""
    return {"line": rule.line, "allow": rule.allow, "pattern": rule.pattern}


def _rule(rule: Rule) -> Json:
    return {**rule_facts(rule), "span": rule.span}


def _group(group: Group) -> Json:
    return {"product_tokens": group.product_tokens, "start_lines": group.start_lines}


def _error(problem: Unanswered) -> Json:
    return {"type": problem.kind, "message": problem.message, "hint": problem.hint}
