"""Access tables: the access rules of one dialect, precomputed for the native kernels.

In: a dialect. Out: a native table with the kind of each observation, and the policy after each
kind; and the numbers of the kinds. The kernels only look up. Every cell is computed by
`observation` and `policy`; there are few kinds, since the policy depends only on the reason, on
whether the status is 200, and on redirects.
"""

import math
from functools import lru_cache
from typing import TypeAlias, get_args

from verger._core import Dialect, _AccessTable
from verger.access.entry import has_answered, is_failure
from verger.access.observation import Observation, is_hop, result_observed
from verger.access.policy import AccessPolicy, AccessReason, policy_after, reason_of, turning_points
from verger.access.result import FAILURES, AccessResult

REASONS: tuple[AccessReason, ...] = get_args(AccessReason)
RULES = -1
URL = "https://verger.invalid/robots.txt"
NO_STATUS = 1_000
"""Stands for every number that is not a valid HTTP status."""
STATUSES = (*range(NO_STATUS + 1), None)
COPY = AccessResult(URL, 0.0, status=200)

Kind: TypeAlias = tuple[AccessReason, bool, bool]
"""The reason, whether the status is 200 (for Yandex, any other allows all), whether it is a hop."""
Step: TypeAlias = tuple[float, int, int]
"""The end in seconds, then the code without a copy, and the code with one; see `_AccessTable`."""


@lru_cache(maxsize=32)
def access_table(dialect: Dialect) -> tuple[_AccessTable, dict[Kind, int]]:
    """Return the meaning of every observation in one dialect, and the number of each kind."""
    seen = [
        result_observed(URL, Observation(status=status, body=body))
        for body in (None, b"")
        for status in STATUSES
    ]
    failed = {failure: result_observed(URL, Observation(failure=failure)) for failure in FAILURES}
    samples = {kind_of(result): result for result in (*seen, *failed.values())}
    kinds = {kind: number for number, kind in enumerate(samples)}
    rows = [
        (
            "redirect" if is_hop(result) else result.access,
            is_failure(result),
            has_answered(result),
            _steps(result, dialect),
        )
        for result in samples.values()
    ]
    failures = [(failure, kinds[kind_of(result)]) for failure, result in failed.items()]
    native = _AccessTable(REASONS, rows, [kinds[kind_of(result)] for result in seen], failures)
    return native, kinds


def kind_of(result: AccessResult) -> Kind:
    """Return the kind of a result."""
    is_200 = result.failure is None and result.status == 200
    return reason_of(result), is_200, is_hop(result)


def _steps(result: AccessResult, dialect: Dialect) -> list[Step]:
    def code_after(until: float, copy: AccessResult | None) -> int:
        return _code(policy_after(result, dialect, unreachable_for=until, copy=copy))

    moments = (*turning_points(dialect), math.inf)
    return [(until, code_after(until, None), code_after(until, COPY)) for until in moments]


def _code(policy: AccessPolicy) -> int:
    if policy.effect == "rules":
        return RULES
    return 2 * REASONS.index(policy.reason) + (policy.effect == "allow_all")
