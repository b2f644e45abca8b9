"""The access policy: use the rules, allow all, disallow all, or defer; with the reason.

In: an `AccessResult`, a dialect, and how long the file has been unreachable. Out: an
`AccessPolicy`. RFC 9309 sections 2.3.1.1 to 2.3.1.4; the knobs of each dialect set the values, and
name their sources. Knows no socket, no clock and no store.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from verger._core import Dialect
from verger.access.freshness import has_ladder, stale_when_unreachable
from verger.access.result import AccessResult, Failure

Effect: TypeAlias = Literal["rules", "allow_all", "disallow_all", "defer"]

AccessReason: TypeAlias = Literal[
    "SUCCESSFUL",
    "UNAVAILABLE",
    "FORBIDDEN",
    "TOO_MANY_REQUESTS",
    "TOO_MANY_REDIRECTS",
    "REDIRECT_DISALLOWED",
    "SERVER_ERROR",
    "UNDEFINED_STATUS",
    "NETWORK_ERROR",
    "BROKEN_BODY",
    "REDIRECT_REFUSED",
    "UNREACHABLE_FOR_LONG",
    "OPERATOR_OVERRIDE",
]

UNREACHABLE: frozenset[AccessReason] = frozenset(
    ("SERVER_ERROR", "UNDEFINED_STATUS", "NETWORK_ERROR", "BROKEN_BODY", "REDIRECT_REFUSED")
)
"""The reasons of an unreachable file (RFC 9309 section 2.3.1.4)."""

ANSWERED: frozenset[AccessReason] = frozenset(
    ("BROKEN_BODY", "REDIRECT_REFUSED", "UNDEFINED_STATUS")
)
"""Those of them in which a server answered: however long they last, they show no period of server
or network errors, after which a site may be open."""

RFC = "RFC 9309"
REP_00 = "draft-koster-rep-00"
KOSTER = "Koster, A Method for Robots Exclusion, draft 1, section 3.1"
TOO_MANY = "RFC 6585 section 4"
"""Why a server answers 429; RFC 9309 and its draft permit everything after any 4xx."""
GOOGLE = (
    "Google, How Google interprets the robots.txt specification, handling of errors and HTTP "
    "status codes"
)
YANDEX = "Yandex Webmaster help, Using robots.txt"

_SUBSECTIONS = {
    "SUCCESSFUL": "2.3.1.1",
    "TOO_MANY_REDIRECTS": "2.3.1.2",
    "REDIRECT_DISALLOWED": "2.3.1.2",
    "UNAVAILABLE": "2.3.1.3",
    "FORBIDDEN": "2.3.1.3",
    "TOO_MANY_REQUESTS": "2.3.1.3",
    "COPY": "2.4",
}
_DOCUMENTS = {
    "A Standard": KOSTER,
    "Koster": KOSTER,
    "Google": GOOGLE,
    "google": GOOGLE,
    "Yandex": YANDEX,
}

UNLIMITED = 4 * 512_000
"""Bytes of a file that are read without a parsing limit: four times the minimum of RFC 9309."""

HOURS = 3_600
CLOSED_AT_FIRST = 12 * HOURS
LONG = 30 * 24 * HOURS


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What a crawler has learned about a site elsewhere; only Google's dialects use it.

    works:               whether the rest of the site answers; None if unknown.
    errors_for_missing:  whether the site answers 5xx for pages that do not exist.
    """

    works: bool | None = None
    errors_for_missing: bool = False


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """What a crawler may do at one origin.

    effect:   `rules`: the rules of the file decide; `allow_all`, `disallow_all`: the same for every
              URL; `defer`: fetch nothing now and request the file again later; never a permission.
    reason:   what became of fetching the file; `OPERATOR_OVERRIDE` where the operator decided.
    section:  what explains this policy, such as `RFC 9309 section 2.3.1.3`.
    copy:     whether the rules are those of the last good copy, because the file is unreachable.
    """

    effect: Effect
    reason: AccessReason
    section: str
    copy: bool = False


Verdict: TypeAlias = tuple[Effect, AccessReason]

NOTHING_KNOWN = SiteFacts()
_EFFECTS: dict[str, Effect] = {"allow": "allow_all", "disallow": "disallow_all", "defer": "defer"}


def policy_after(
    result: AccessResult,
    dialect: Dialect,
    *,
    unreachable_for: float = 0.0,
    copy: AccessResult | None = None,
    site: SiteFacts = NOTHING_KNOWN,
) -> AccessPolicy:
    """Return what a crawler may do after one access result.

    unreachable_for:  the seconds of the current run of failures, as `Entry` counts them.
    copy:             the last successful result, if one is kept.
    Raises nothing.

    RFC 9309 sections 2.3.1.1 to 2.3.1.4 and 2.4.
    """
    reason = reason_of(result)
    effect, because = (
        _opened_by_any_error(reason, result, dialect)
        or _by_status(reason, dialect)
        or _on_google_ladder(reason, dialect, unreachable_for, copy, site)
        or _when_unreachable(reason, dialect, unreachable_for, copy)
    )
    is_copy = effect == "rules" and reason != "SUCCESSFUL"
    return _policy(effect, because, dialect.title, is_copy)


def redirects_followed(dialect: Dialect) -> int:
    """Return the maximum number of redirects that are followed in a row."""
    return dialect.max_redirects


def bytes_read(dialect: Dialect) -> int:
    """Return the most bytes of a file that are read: it does not matter what is missing behind."""
    return dialect.parse_limit or UNLIMITED


def turning_points(dialect: Dialect) -> tuple[float, ...]:
    """Return the times in seconds after which the policy of an unreachable file may change.

    After one of them, up to and including the next, `policy_after` is constant.
    """
    limits = (stale_when_unreachable(dialect), _unreachable_limit(dialect))
    ladder = (CLOSED_AT_FIRST, LONG) if has_ladder(dialect) else ()
    return tuple(sorted({*ladder, *(limit for limit in limits if limit is not None)}))


@cache
def _policy(effect: Effect, reason: AccessReason, title: str, is_copy: bool) -> AccessPolicy:
    """Return the policy with these values, cached: there are few, and many sites share each."""
    topic = "COPY" if is_copy else reason
    section = section_of(topic, title, is_open=effect == "allow_all")
    return AccessPolicy(effect, reason, section, is_copy)


def section_of(reason: str, title: str, *, is_open: bool) -> str:
    """Return the section of a document that explains a reason, and whether it opens the site.

    `COPY` is the use of an old copy instead of an unreachable file. The page of 1994 does not
    mention failures, so Koster's draft of 1996 is used; RFC 9309 covers what Bing leaves out.
    """
    for beginning, document in _DOCUMENTS.items():
        if title.startswith(beginning):
            return document
    if reason == "TOO_MANY_REQUESTS" and not is_open:
        return TOO_MANY
    draft = REP_00 if title.startswith(REP_00) else RFC
    return f"{draft} section {_SUBSECTIONS.get(reason, '2.3.1.4')}"


def reason_of(result: AccessResult) -> AccessReason:
    """Return the name of what happened, the same in every dialect."""
    status = result.status
    if result.failure is not None:
        return _FAILURES.get(result.failure, "NETWORK_ERROR")
    if status is None:
        return "UNDEFINED_STATUS"
    return _STATUSES.get(status) or _CLASSES.get(status // 100, "UNDEFINED_STATUS")


_FAILURES: dict[Failure, AccessReason] = {
    "too-many-redirects": "TOO_MANY_REDIRECTS",
    "redirect-disallowed": "REDIRECT_DISALLOWED",
    "redirect-refused": "REDIRECT_REFUSED",
    "redirect-invalid": "REDIRECT_REFUSED",
    "broken-body": "BROKEN_BODY",
}
"""The reasons of failures; that of the others is `NETWORK_ERROR`."""

_STATUSES: dict[int, AccessReason] = {
    206: "BROKEN_BODY",
    401: "FORBIDDEN",
    403: "FORBIDDEN",
    429: "TOO_MANY_REQUESTS",
}
_CLASSES: dict[int, AccessReason] = {2: "SUCCESSFUL", 4: "UNAVAILABLE", 5: "SERVER_ERROR"}
"""The reasons of the other statuses, by their first digit."""


def _opened_by_any_error(
    reason: AccessReason, result: AccessResult, dialect: Dialect
) -> Verdict | None:
    is_200 = result.failure is None and result.status == 200
    return ("allow_all", reason) if dialect.yandex_errors == "open" and not is_200 else None


def _by_status(reason: AccessReason, dialect: Dialect) -> Verdict | None:
    """Return the verdict that does not change with time; None for an unreachable file."""
    match reason:
        case "SUCCESSFUL":
            return "rules", reason
        case "UNAVAILABLE" | "REDIRECT_DISALLOWED":
            # Only who made the request is told of the latter, see `AccessResult.for_others`.
            return "allow_all", reason
        case "FORBIDDEN":
            return _EFFECTS[dialect.forbidden], reason
        case "TOO_MANY_REDIRECTS":
            return _EFFECTS[dialect.too_many_redirects], reason
        case "TOO_MANY_REQUESTS":
            return _by_status_429(reason, dialect)
        case _:
            return None


def _by_status_429(reason: AccessReason, dialect: Dialect) -> Verdict | None:
    """Return the verdict for 429; None if it counts as a server error, as for Google."""
    effect = _EFFECTS[dialect.status_429]
    is_google = has_ladder(dialect) and effect == "disallow_all"
    return None if is_google else (effect, reason)


def _on_google_ladder(
    reason: AccessReason,
    dialect: Dialect,
    unreachable_for: float,
    copy: AccessResult | None,
    site: SiteFacts,
) -> Verdict | None:
    """Return the verdict of Google's own steps; None if the dialect has none."""
    if not has_ladder(dialect):
        return None
    if site.errors_for_missing and reason == "SERVER_ERROR":
        return "allow_all", "UNAVAILABLE"
    is_of_2023 = has_ladder(dialect, of="2023")
    if unreachable_for <= (LONG if is_of_2023 else CLOSED_AT_FIRST):
        return "disallow_all", reason
    may_open = reason not in ANSWERED
    if unreachable_for > LONG and not is_of_2023:
        return _opened(reason, may_open=may_open and site.works is True)
    return ("rules", reason) if copy else _opened(reason, may_open=may_open)


def _when_unreachable(
    reason: AccessReason,
    dialect: Dialect,
    unreachable_for: float,
    copy: AccessResult | None,
) -> Verdict:
    stale = stale_when_unreachable(dialect)
    if copy and stale is not None and unreachable_for <= stale:
        return "rules", reason
    limit = _unreachable_limit(dialect)
    if limit is not None and unreachable_for > limit and (copy or reason not in ANSWERED):
        return ("rules", reason) if copy else _opened(reason)
    return _EFFECTS[dialect.unreachable], reason


def _unreachable_limit(dialect: Dialect) -> int | None:
    return dialect.unreachable_limit


def _opened(reason: AccessReason, *, may_open: bool = True) -> Verdict:
    return ("allow_all", "UNREACHABLE_FOR_LONG") if may_open else ("disallow_all", reason)
