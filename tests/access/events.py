"""The events of the published vectors, each in every way in which it can come about.

In: the `event` of a vector, a dialect. Out: the outcomes in the vectors' words. A fetch goes
through the plan, its result through the policy, and a file that may be used through the parser.
No test lives here.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import product

import verger
from access.results import COPY, FAILED, FILE
from access.scripts import CLOSED_URL, Fetch, fetch, found, redirects
from reference.access import DAY, HOUR, MONTH
from verger.access.policy import AccessPolicy, SiteFacts, policy_after
from verger.access.result import AccessResult
from verger.fetching.transport import HopFailed, Reply

HTML = b"<html><body>\nUser-agent: *\nDisallow: /private\n</body></html>\n"
REFRESH = (
    b'<html><meta http-equiv="refresh" content="0; url=/other.txt">'
    b'<script>location = "/other.txt"</script></html>'
)
OVERSIZED = FILE + b"# 4567890123456789\n" * 27_000
BROKEN = Reply(200, [("Content-Type", "text/plain")], FILE, ended="broken")
SERVER_ERRORS = (500, 502, 503, 504, 599)
UNAVAILABLE = (*range(400, 429), *range(430, 500))
UNDEFINED = (100, 199, 300, 304, 399, 600, 999)


def outcomes_after(event: str, dialect: verger.Dialect) -> Iterable[str]:
    """Return what verger makes of an event; every event of the vectors has its row here."""
    for pattern, outcomes in EVENTS:
        if match := re.fullmatch(pattern, event):
            return outcomes(dialect, *match.groups())
    raise AssertionError(f"no row for `{event}`")


# Fetches


def after_status(dialect: verger.Dialect, status: str) -> Iterator[str]:
    yield outcome(fetch(dialect, [found(status=int(status))]), dialect)


def after_any_other_status(dialect: verger.Dialect) -> Iterator[str]:
    for status in UNDEFINED:
        yield outcome(fetch(dialect, [found(status=status)]), dialect)


def after_4xx_with_a_copy(dialect: verger.Dialect) -> Iterator[str]:
    for status in UNAVAILABLE:
        result = fetch(dialect, [found(status=status)]).result
        yield permitted(result, policy_after(result, dialect, copy=COPY), dialect)


def after_failure(dialect: verger.Dialect, failure: str) -> Iterator[str]:
    failed = HopFailed(FAILED[failure.replace("_", "-")], failure)
    yield outcome(fetch(dialect, [failed]), dialect)
    yield outcome(fetch(dialect, [*redirects(1), failed]), dialect)


def after_broken_body(dialect: verger.Dialect) -> Iterator[str]:
    yield outcome(fetch(dialect, [BROKEN]), dialect)


def after_temporary_failure(dialect: verger.Dialect) -> Iterator[str]:
    yield outcome(fetch(dialect, [found(status=503, Retry_After="60")]), dialect)
    yield outcome(fetch(dialect, [HopFailed("timeout", "silent")]), dialect)


def after_redirects(dialect: verger.Dialect, hops: str) -> Iterator[str]:
    """A chain that is followed brings the file at its end; another ends one hop too far."""
    chain: list[Reply] = redirects(int(hops))
    is_followed = int(hops) <= 5
    fetched = fetch(dialect, [*chain, found()] if is_followed else chain)
    said = outcome(fetched, dialect)
    is_whole = len(fetched.result.redirects) == int(hops)
    yield "follow" if said == "parse" and is_whole else said


def after_disallowed_redirect(dialect: verger.Dialect) -> Iterator[str]:
    yield outcome(fetch(dialect, redirects(1, through=CLOSED_URL)), dialect)


def after_meta_refresh(dialect: verger.Dialect) -> Iterator[str]:
    fetched = fetch(dialect, [found(REFRESH, Content_Type="text/html")])
    yield "not_followed" if len(fetched.requests) == 1 else "follow"


def after_body(dialect: verger.Dialect, body: str) -> Iterator[str]:
    reply = found(b"") if body == "empty" else found(HTML, Content_Type="text/html")
    yield outcome(fetch(dialect, [reply]), dialect)


def after_oversized_file(dialect: verger.Dialect) -> Iterator[str]:
    yield outcome(fetch(dialect, [found(OVERSIZED)]), dialect)


# Time


def while_unreachable(dialect: verger.Dialect, known: str) -> Iterator[str]:
    return unreachable(dialect, (0, DAY, MONTH), [known == "cached"])


def past_30_days(dialect: verger.Dialect) -> Iterator[str]:
    return unreachable(dialect, (MONTH + 1, 400 * DAY), [False, True])


def server_errors_past_30_days(dialect: verger.Dialect, known: str) -> Iterator[str]:
    works = {"site_available": True, "site_unavailable": False}.get(known)
    copies = [False, True] if works is not None else [known == "cached"]
    return unreachable(dialect, (MONTH + 1, 400 * DAY), copies, SiteFacts(works=works))


def server_errors_to_12_hours(dialect: verger.Dialect) -> Iterator[str]:
    return unreachable(dialect, (0, 1, 12 * HOUR - 1, 12 * HOUR), [False, True])


def server_errors_to_30_days(dialect: verger.Dialect, known: str) -> Iterator[str]:
    return unreachable(dialect, (12 * HOUR + 1, MONTH - 1, MONTH), [known == "cached"])


def soft_404(dialect: verger.Dialect) -> Iterator[str]:
    site = SiteFacts(errors_for_missing=True)
    return unreachable(dialect, (0, DAY, 400 * DAY), [False, True], site)


def unreachable(
    dialect: verger.Dialect,
    times: Iterable[int],
    copies: Iterable[bool],
    site: SiteFacts | None = None,
) -> Iterator[str]:
    """Yield the outcomes of server errors at some times, with or without a copy."""
    for status, since, is_kept in product(SERVER_ERRORS, times, copies):
        result = fetch(dialect, [found(status=status)]).result
        policy = policy_after(
            result,
            dialect,
            unreachable_for=since,
            copy=COPY if is_kept else None,
            site=site or SiteFacts(),
        )
        yield permitted(result, policy, dialect)


EVENTS: tuple[tuple[str, Callable[..., Iterable[str]]], ...] = (
    (r"status:(\d+)", after_status),
    (r"status:other", after_any_other_status),
    (r"status:4xx\+cached", after_4xx_with_a_copy),
    (r"net:chunking", after_broken_body),
    (r"net:(\w+)", after_failure),
    (r"temporary_failure", after_temporary_failure),
    (r"redirect:(\d+)", after_redirects),
    (r"redirect:disallowed", after_disallowed_redirect),
    (r"meta_refresh", after_meta_refresh),
    (r"body:(empty|html)", after_body),
    (r"size>500KB", after_oversized_file),
    (r"unreachable\+(cached|no_cache)", while_unreachable),
    (r"unreachable>30d", past_30_days),
    (r"5xx>30d\+(\w+)", server_errors_past_30_days),
    (r"5xx<=12h", server_errors_to_12_hours),
    (r"5xx 12h-30d\+(cached|no_cache)", server_errors_to_30_days),
    (r"soft404:.*", soft_404),
)


# Outcomes


def outcome(fetched: Fetch, dialect: verger.Dialect) -> str:
    """Return what is permitted after a fetch of which nothing was known before."""
    return permitted(fetched.result, policy_after(fetched.result, dialect), dialect)


def permitted(result: AccessResult, policy: AccessPolicy, dialect: verger.Dialect) -> str:
    """Return a policy in the vectors' words; rules that close nothing are not rules."""
    if policy.copy:
        return "use_cached"
    if policy.effect != "rules":
        return policy.effect
    is_open = verger.parse(result.body, dialect=dialect).allowed("/private", "examplebot")
    return "allow_all" if is_open else "parse"
