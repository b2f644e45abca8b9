"""An answer of `check` as an object, see `schemas/check-1.schema.json`."""

from verger.access.answer import Answer, Told, Use, answer_of
from verger.access.answer_json import rule_object

CHECK_SCHEMA = "verger.check/1"


def check_object(told: Told, *, verbose: bool = False) -> dict[str, object]:
    """Return an answer, with what it says about a use if it is about one.

    verbose:  also which rules were beaten, and what was found in the lines that decided.
    """
    answer = answer_of(told)
    more = _explanation(answer) if verbose else {}
    more |= {"use": told.as_dict()} if isinstance(told, Use) else {}
    mark = answer.agent and answer.agent.robots.fingerprint()
    return {"schema": CHECK_SCHEMA, **answer.as_dict(), "fingerprint": mark, **more}


def _explanation(answer: Answer) -> dict[str, object]:
    """Return what `--verbose` adds to a decision."""
    decision = answer.decision
    if decision is None:
        return {}
    return {
        "beaten": list(map(rule_object, decision.beaten)),
        "findings": [
            {"line": each.line, "code": each.code, "message": each.message}
            for each in decision._findings()
        ],
    }
