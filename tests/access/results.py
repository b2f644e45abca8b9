"""Access results to ask about, and verger's policies in the words of the reference.

In: events of `reference.access`, header fields. Out: `AccessResult`s as a fetch leaves them behind,
and `Outcome`s. No test lives here.
"""

from collections.abc import Mapping
from typing import get_args

import verger
from reference.access import Event, Outcome
from verger.access.policy import AccessPolicy, SiteFacts, policy_after
from verger.access.result import AccessResult, Failure

URL = "https://example.com/robots.txt"
FILE = b"User-agent: *\nDisallow: /private\n"
NOW = 1_772_366_400.0
"""Sunday, 1 March 2026, 12:00 UTC."""
FAILED: dict[str, Failure] = {failure: failure for failure in get_args(Failure)}


def result_of(event: Event) -> AccessResult:
    """Return the result that an event is about; a file goes with every status of success."""
    succeeded = event.status is not None and 200 <= event.status <= 299
    return AccessResult(
        url=URL,
        fetched_at=NOW,
        status=event.status,
        failure=FAILED[event.failure] if event.failure else None,
        body=FILE if succeeded and not event.empty else b"",
    )


def answered(headers: Mapping[str, str], *, status: int = 200) -> AccessResult:
    """Return the result of a fetch at `NOW` with these header fields, in lower case."""
    return AccessResult(URL, NOW, status=status, body=FILE, headers=dict(headers))


COPY = AccessResult(URL, NOW - 86_400, status=200, body=FILE)


def policy_of(event: Event, dialect: verger.Dialect) -> AccessPolicy:
    """Return verger's policy after an event."""
    return policy_after(
        result_of(event),
        dialect,
        unreachable_for=event.unreachable_for,
        copy=COPY if event.copy else None,
        site=SiteFacts(works=event.site_works, errors_for_missing=event.errors_for_missing),
    )


def outcome_of(event: Event, dialect: verger.Dialect) -> Outcome:
    """Return verger's policy in the reference's words.

    The rules of a file without bytes permit everything; verger may call that either.
    """
    policy = policy_of(event, dialect)
    if policy.copy:
        return "use_cached"
    if policy.effect == "rules":
        return "parse" if result_of(event).body else "allow_all"
    return policy.effect
