"""The kernel as Python sees it: misuse, and threads."""

from datetime import UTC, datetime

import pytest

from meanwhile import others_run_within
from verger._core import _LogAudit
from verger.bulk.audit import Version
from verger.errors import InvalidOption

from .lines import CLOSED, NOON, audited, combined

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def kernel(**more: object) -> _LogAudit:
    """Return a kernel with one file."""
    return _LogAudit([(None, CLOSED)], lambda _: "a", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ({"log_format": "combind"}, InvalidOption, "`combind` is no format of a log"),
        ({"fields": [("agent", "ua")]}, ValueError, "unknown field `agent`"),
        ({"dialect": "rfc9308"}, LookupError, "unknown dialect `rfc9308`"),
        ({"hosts": [b"a"]}, TypeError, "must be str"),
    ],
)
def test_misuse(more: dict[str, object], kind: type[Exception], message: str) -> None:
    """What cannot be meant is refused at once."""
    with pytest.raises(kind, match=message):
        kernel(**more)


def test_bytes_alone_are_fed() -> None:
    """A text is not a log."""
    with pytest.raises(TypeError):
        kernel().feed("text")  # type: ignore[arg-type]


def test_audit_that_an_exception_ended() -> None:
    """A line that was half counted makes no tally."""
    audit = _LogAudit([(None, CLOSED)], lambda _: 7)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError):
        audit.feed(combined())

    for use in (lambda: audit.feed(b""), audit.finish_input, lambda: audit.log):
        with pytest.raises(RuntimeError, match="ended by an exception"):
            use()


def test_audit_within_an_audit() -> None:
    """Whoever is asked for a crawler cannot feed the audit meanwhile, and no thread waits."""

    def feeds(_: str) -> str:
        with pytest.raises(RuntimeError, match="being fed"):
            audit.feed(combined())
        return "a"

    audit = _LogAudit([(None, CLOSED)], feeds)
    audit.feed(combined())

    assert [0, 1] == [crawler.requests[0] for crawler in audit.crawlers]


def test_interpreter_goes_on_while_logs_are_judged() -> None:
    """Another thread runs within one call."""
    log = combined() * 200_000

    assert others_run_within(lambda: kernel().feed(log))


def test_version_of_the_first_second() -> None:
    """The epoch is a time like any other."""
    versions = [Version("epoch", b"", EPOCH), Version("before", CLOSED, EPOCH.replace(year=1969))]
    log = combined(time=EPOCH) + combined(time=EPOCH.replace(year=1969, month=6))

    assert ["before"] == [rule.version.name for rule in audited(log, versions).rules]
    assert 1 == audited(combined(time=NOON), [versions[1]]).closed
