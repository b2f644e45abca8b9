"""An answer of `check` as an object, see `schemas/check-1.schema.json`."""

from verger.access.answer import Answer
from verger.access.answer_json import rule_object
from verger.options import UseName

CHECK_SCHEMA = "verger.check/1"


def check_object(
    answer: Answer, *, verbose: bool = False, purpose: UseName | None = None
) -> dict[str, object]:
    """Return an answer.

    verbose:  also which rules were beaten, and what was found in the lines that decided.
    purpose:  the use that was asked about.
    """
    more = _explanation(answer) if verbose else {}
    more |= {} if purpose is None else {"use": answer.may_use(purpose).as_dict()}
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
