"""The kernel and an audit in plain Python count the same."""

from datetime import timedelta
from io import BytesIO

import pytest
from hypothesis import given, strategies as st

from verger.bulk.audit import AuditResult, Version, audit_logs

from .lines import ALWAYS, NOON, audited, generated
from .reference import counts_in, counts_of

DAY = timedelta(days=1)
FIRST = b"User-agent: *\nDisallow: /private\nAllow: /private/press\n"
SECOND = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*.html$\nDisallow: /tmp\n"
THIRD = b"User-agent: ExampleBot\nUser-agent: CCBot\nDisallow: /private\nDisallow: /q\n"
HISTORY = (
    Version("first", FIRST, NOON + 2 * DAY),
    Version("second", SECOND, NOON + 7 * DAY),
    Version("third", THIRD, NOON + 7.5 * DAY),
    Version("fourth", b"", NOON + 12 * DAY),
    Version("fifth", FIRST, NOON + 15 * DAY),
)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hosts", [(), ("example.com",)])
def test_one_file(seed: int, hosts: tuple[str, ...]) -> None:
    """A file for all times, with and without a choice of hosts."""
    log, versions = generated(seed, 2_000), [Version("only", SECOND)]
    found = audit_logs([BytesIO(log)], versions, hosts=hosts)

    assert counts_of(log, versions, hosts=hosts) == counts_in(found)
    assert found.closed > 50


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("grace", [timedelta(0), timedelta(hours=6), DAY, 6 * DAY])
def test_history(seed: int, grace: timedelta) -> None:
    """Versions, and how long a crawler may go by a copy."""
    log = generated(seed, 2_000)
    found = audited(log, HISTORY, grace=grace)

    assert counts_of(log, HISTORY, grace=grace) == counts_in(found)
    assert any(crawler.unknown for crawler in found.crawlers)
    assert bool(grace) == any(crawler.excused for crawler in found.crawlers)


def test_order_of_versions_is_that_of_time() -> None:
    """Whoever passes versions need not sort them."""
    log = generated(1, 500)

    assert audited(log, HISTORY) == audited(log, HISTORY[::-1])


class InPieces(BytesIO):
    """A stream that has so many bytes at hand at a time."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = sizes
        self._reads = 0

    def read1(self, size: int | None = -1, /) -> bytes:
        """Return the next few bytes."""
        self._reads += 1
        most = self._sizes[self._reads % len(self._sizes)]
        return super().read(min(most, size) if size and size > 0 else most)


WHOLE = generated(9, 60)


@given(st.lists(st.integers(1, 700), min_size=1, max_size=6))
def test_chunks_change_nothing(sizes: list[int]) -> None:
    """Wherever a log is cut into pieces, the result is the same."""
    found = audit_logs([InPieces(WHOLE, sizes)], ALWAYS)

    assert without_names(audited(WHOLE)) == without_names(found)


@given(st.binary(max_size=400))
def test_any_bytes_give_an_answer(data: bytes) -> None:
    """Every line that is not blank is counted once, and nothing is raised."""
    log = audited(data).log
    parts = (log.judged, log.people, log.nameless, log.no_url, log.unreadable)

    assert log.lines == sum(parts) + sum(log.other_methods.values())


@given(st.integers(0, 3_000), st.binary(max_size=6), st.integers(0, 10))
def test_damaged_entries_give_an_answer(at: int, data: bytes, removed: int) -> None:
    """So do logs in which something has been overwritten."""
    log = audited(WHOLE[:at] + data + WHOLE[at + removed :]).log
    parts = (log.judged, log.people, log.nameless, log.no_url, log.unreadable)

    assert log.lines == sum(parts) + sum(log.other_methods.values())


def without_names(result: AuditResult) -> object:
    """Return what was found, without what the input is called."""
    return (result.crawlers, result.rules, result.log.lines, result.log.hosts, result.log.no_url)
