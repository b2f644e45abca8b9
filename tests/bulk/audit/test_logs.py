"""Logs as files and streams: gzip of every kind, damage, and threads that end."""

import gzip
from collections.abc import Callable
from io import BytesIO, RawIOBase
from pathlib import Path

import pytest

from verger.bulk.audit import AuditResult, DamagedLog, Version, audit_logs
from verger.bulk.audit.logs import CHUNK, pieces_of
from verger.errors import InvalidOption, InvalidProductToken, UnusableInput

from .lines import ALWAYS, combined

LOG = b"".join(combined(f"GET /private/{number} HTTP/1.1") for number in range(20_000))
PACKED = gzip.compress(LOG)


def audited_file(path: Path, data: bytes) -> AuditResult:
    """Return the audit of a file."""
    path.write_bytes(data)
    return audit_logs([str(path)], ALWAYS)


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        lambda log: gzip.compress(log[:999]) + gzip.compress(b"") + gzip.compress(log[999:]),
        lambda log: gzip.compress(log) + bytes(1_000),
        lambda log: gzip.compress(log[:5]) + bytes(3) + gzip.compress(log[5:]),
        lambda log: log,
    ],
    ids=["one member", "three members", "zeros behind", "zeros between", "plain"],
)
def test_packed_logs(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """However a log is packed, and whatever its name is, the same is found."""
    found = audited_file(tmp_path / "log", pack(LOG))

    assert (20_000, ()) == (found.closed, found.problems)


@pytest.mark.parametrize(
    "before",
    [
        bytes(5_000),
        bytes(2 * CHUNK + 1),
        combined("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\x9b", status="400") * 30,
        bytes(range(128)) * 40 + b"\n",
    ],
    ids=["a hole", "a large hole", "handshakes", "rubbish"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_logs_that_begin_oddly(
    tmp_path: Path, before: bytes, pack: Callable[[bytes], bytes]
) -> None:
    """What was lost to copytruncate, or sent by scanners, is no reason to refuse the rest."""
    log = pack(before + LOG)
    for found in audited_file(tmp_path / "log", log), audit_logs([BytesIO(log)], ALWAYS):
        assert (20_000, ()) == (found.closed, found.problems)


@pytest.mark.parametrize(
    ("data", "what", "hint"),
    [
        (b"PAR1" + LOG, "is not text", "it is a Parquet file, and access logs are lines of text"),
        (b"SQLite format 3\0" + LOG, "is not text", "it is a database, "),
        (gzip.compress(PACKED, mtime=0), "is not text", "it is compressed twice: "),
        (LOG.decode().encode("utf-16"), "is encoded in UTF-16", "save it as UTF-8"),
        (LOG.decode().encode("utf-16-be"), "is encoded in UTF-16", "save it as UTF-8"),
        (bytes(5_000), "is not text", "is it the right file?"),
    ],
    ids=["Parquet", "SQLite", "packed twice", "UTF-16", "big-endian", "only NULs"],
)
def test_files_that_are_no_logs(tmp_path: Path, data: bytes, what: str, hint: str) -> None:
    """They are named, with a hint that an audit can follow."""
    (problem,) = audited_file(tmp_path / "log.parquet", data).problems

    assert f"`{tmp_path / 'log.parquet'}` {what}" == problem.message
    assert problem.hint is not None
    assert problem.hint.startswith(hint)


@pytest.mark.parametrize("kept", [10, 11, 2_000, len(PACKED) - 8, len(PACKED) - 1])
def test_log_that_is_cut_off(tmp_path: Path, kept: int) -> None:
    """What could be unpacked counts, and the message says where it ended."""
    found = audited_file(tmp_path / "log.gz", PACKED[:kept])

    assert [f"`{tmp_path / 'log.gz'}` is cut off at byte {kept:,}"] == [
        problem.message.partition(";")[0] for problem in found.problems
    ]
    assert found.closed <= 20_000
    assert (found.closed == 20_000) == (kept >= len(PACKED) - 8)


def test_log_that_is_damaged(tmp_path: Path) -> None:
    """Members before the damage count; other logs are read."""
    (tmp_path / "b").write_bytes(combined())
    (tmp_path / "a").write_bytes(PACKED + b"rubbish")
    found = audit_logs([tmp_path / "a", tmp_path / "b"], ALWAYS)

    assert (20_001, [DamagedLog]) == (found.closed, [type(problem) for problem in found.problems])
    assert "damaged" in found.problems[0].message


class Failing(BytesIO):
    """A log on a disk that fails behind its bytes."""

    def read1(self, size: int | None = -1, /) -> bytes:
        """Return bytes, or raise the error of the disk."""
        data = super().read1(size)
        if not data:
            raise OSError(5, "Input/output error")
        return data


@pytest.mark.parametrize(
    ("log", "requests"),
    [
        (LOG, 20_000),
        (PACKED, 20_000),
        (gzip.compress(LOG) + gzip.compress(combined()), 20_001),
        (gzip.compress(combined() * 50_000), 50_000),
    ],
    ids=["plain", "packed", "two members", "hundreds of times smaller"],
)
def test_log_that_cannot_be_read_to_its_end(log: bytes, requests: int) -> None:
    """All that was read before is judged."""
    found = audit_logs([Failing(log)], ALWAYS)
    messages = [problem.message for problem in found.problems]

    assert found.closed == requests
    assert messages == ["cannot read `a stream` to its end: input/output error"]


@pytest.mark.parametrize(
    ("magic", "program"),
    [(b"BZh91AY", "bzip2"), (b"\xfd7zXZ\x00\x00", "xz"), (b"\x28\xb5\x2f\xfd123", "zstd")],
)
def test_other_compressions(tmp_path: Path, magic: bytes, program: str) -> None:
    """They are recognised, and the hint says what unpacks them."""
    (problem,) = audited_file(tmp_path / "log", magic).problems

    assert f"`{tmp_path / 'log'}` is compressed with {program}" == problem.message
    assert f"unpack it first: `{program} -dc`" == problem.hint


def test_missing_log(tmp_path: Path) -> None:
    """It is a problem, not the end of the audit."""
    found = audit_logs([tmp_path / "none", BytesIO(combined())], ALWAYS)

    assert (1, 1) == (found.closed, len(found.problems))
    assert "no such file" in found.problems[0].message


def test_empty_log() -> None:
    """It has no lines and no problem."""
    found = audit_logs([BytesIO()], ALWAYS)

    assert (0, (), ()) == (found.log.lines, found.crawlers, found.problems)


def test_fields_without_json() -> None:
    """Names of members that no line can have are an error; a log without lines may have them."""
    fields = [("user_agent", "client.ua")]
    ones = BytesIO(combined() + b' \n {"client": {"ua": "a"}}\n')

    assert 0 == audit_logs([BytesIO()], ALWAYS, fields=fields).log.lines
    assert 2 == audit_logs([BytesIO(combined()), ones], ALWAYS, fields=fields).log.judged
    with pytest.raises(InvalidOption, match="no line is a JSON object"):
        audit_logs([BytesIO(combined())], ALWAYS, fields=fields)
    with pytest.raises(InvalidOption, match="`fields` is for JSON, and `log_format` says vhost"):
        audit_logs([BytesIO(combined())], ALWAYS, fields=fields, log_format="vhost")


def test_lines_are_numbered_in_their_own_log() -> None:
    """The last line of one log does not run into the next."""
    logs = [BytesIO(b"rubbish"), BytesIO(b"\xef\xbb\xbf" + combined() + b"rubbish")]
    found = audit_logs(logs, ALWAYS)

    assert [1, 2] == [line.line for line in found.log.unreadable_lines]
    assert 1 == found.closed


def test_pieces_are_bounded() -> None:
    """A small file that unpacks to much comes in pieces."""
    pieces = pieces_of(BytesIO(gzip.compress(b"x" * 20 * CHUNK)))
    sizes = [len(piece.data) for piece in pieces]

    assert (20 * CHUNK, CHUNK) == (sum(sizes), max(sizes))


def test_errors_of_the_caller_come_through() -> None:
    """What the function raises that names crawlers is raised, and ends the audit."""

    def fails(header: str) -> str | None:
        raise LookupError(header)

    with pytest.raises(LookupError, match="ExampleBot"):
        audit_logs([BytesIO(combined())], ALWAYS, crawler_of=fails)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Googlebot-Image/1.0", {"Googlebot-Image": 0}),
        ("Googlebot-Unheard-Of/1.0", {"Googlebot-Unheard-Of": 1}),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like "
            "Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; "
            "+http://www.apple.com/go/applebot)",
            {"Applebot": 0},
        ),
    ],
)
def test_crawlers_that_go_by_the_group_of_another(header: str, expected: dict[str, int]) -> None:
    """What operators say of their crawlers holds where no group names them."""
    rules = b"User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /\n"
    found = audit_logs([BytesIO(combined(agent=header))], [Version("robots.txt", rules)])

    assert expected == {str(crawler.token): crawler.closed.count for crawler in found.crawlers}


def test_several_tokens() -> None:
    """`a,b` is a crawler that prefers the group of a to that of b."""
    found = audit_logs([BytesIO(combined())], ALWAYS, crawler_of=lambda _: "x-news,x")

    assert ["x-news"] == [crawler.token for crawler in found.crawlers]
    assert 1 == found.closed


@pytest.mark.parametrize("token", ["", ",", "a,", "GPTBot/1.2", "GPTBot|CCBot", "a b", "GPTBot:"])
def test_a_name_that_no_file_can_hold_is_told(token: str) -> None:
    """Whoever says which crawler it is has to name one that a file can name."""
    with pytest.raises(InvalidProductToken):
        audit_logs([BytesIO(combined())], ALWAYS, crawler_of=lambda _: token)
    with pytest.raises(InvalidProductToken):
        audit_logs([BytesIO(combined())], ALWAYS, crawlers=["a", token])


def test_a_hole_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of NULs alone, which no device gives, is read up to a limit."""
    monkeypatch.setattr("verger.bulk.audit.logs.LONGEST_HOLE", 1 << 20)

    class Zeros(RawIOBase):
        def read1(self, _size: int = -1, /) -> bytes:
            return bytes(1 << 16)

    pieces = pieces_of(Zeros())
    with pytest.raises(UnusableInput, match="not text"):
        assert not any(piece.data for piece in pieces)
