"""Snapshots: the robots.txt files, or what became of fetching them, of many origins at one time.

In: access results, octets, or a table. Out: a `Snapshot`, which `decide_table` asks. What a status
means is the access policy's word (RFC 9309 section 2.3.1), asked once for each status.
"""

from collections.abc import Iterable, Mapping
from typing import get_args

from verger._core import Dialect, _SnapshotBuilder, _SnapshotIndex, parse
from verger.access.policy import AccessReason, policy_after
from verger.access.result import AccessResult
from verger.bulk.columns import ArrowStream

REASONS: tuple[AccessReason, ...] = get_args(AccessReason)
RULES = -1


class Snapshot:
    """Many origins, each with the octets of its file or the policy that holds in its place.

    An origin may be given as any URL of it. Of two entries for one origin the later counts. A
    snapshot is immutable and may be asked from any thread.
    """

    __slots__ = ("dialect", "index")

    dialect: Dialect
    """How its files are read."""
    index: _SnapshotIndex
    """The native half."""

    def __init__(
        self, files: Mapping[str, bytes | AccessResult], *, dialect: str | Dialect = "rfc9309"
    ) -> None:
        """Make a snapshot of files by origin: octets as fetched, or an access result.

        Raises InvalidTarget for what is no origin, UnknownName for a dialect.
        """
        self.dialect = parse(b"", dialect=dialect).dialect
        builder = _SnapshotBuilder(self.dialect, REASONS)
        for url, file in files.items():
            match file:
                case AccessResult():
                    _add_result(builder, url, file, self.dialect)
                case _:
                    builder.add(url, 0, RULES, file)
        self.index = builder.finish()

    @classmethod
    def from_results(
        cls, results: Iterable[AccessResult], *, dialect: str | Dialect = "rfc9309"
    ) -> "Snapshot":
        """Make a snapshot of access results, each for the origin of its `url`.

        Raises InvalidTarget for a URL without origin, UnknownName for a dialect.
        """
        known = parse(b"", dialect=dialect).dialect
        builder = _SnapshotBuilder(known, REASONS)
        for result in results:
            _add_result(builder, result.url, result, known)
        return cls._of(builder, known)

    @classmethod
    def from_table(
        cls,
        table: ArrowStream,
        *,
        origin: str = "origin",
        body: str = "body",
        status: str | None = None,
        time: str | None = None,
        dialect: str | Dialect = "rfc9309",
    ) -> "Snapshot":
        """Make a snapshot of a table with the Arrow PyCapsule interface; bodies are not copied.

        origin:  the column of origins, or of URLs of them: text, no nulls.
        body:    the column of files: text or binary.
        status:  the column of HTTP statuses; by default `status` where the table has it. A null,
                 or a success whose body is null, counts as unreachable. Without such a column a
                 body means success and a null means unreachable.
        time:    the column of fetch times; by default `time` where the table has it. The latest
                 row of an origin counts, the last one where there are no times.
        Raises InvalidTable, which names the column and the row; UnknownName for a dialect.
        """
        known = parse(b"", dialect=dialect).dialect
        builder = _SnapshotBuilder(known, REASONS)
        rulings = rulings_by_status(known)
        builder.add_table(table, rulings, (origin, body, status, time))
        return cls._of(builder, known)

    @classmethod
    def _of(cls, builder: _SnapshotBuilder, dialect: Dialect) -> "Snapshot":
        snapshot = cls.__new__(cls)
        snapshot.dialect = dialect
        snapshot.index = builder.finish()
        return snapshot

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, origin: str) -> bool:
        """Whether there is an entry for an origin in canonical form, see `verger.origin`."""
        return origin in self.index

    def __repr__(self) -> str:
        return f"Snapshot({len(self)} origins, dialect={self.dialect.name!r})"


def rulings_by_status(dialect: Dialect) -> list[int]:
    """Return what each status below 1,000 means in this dialect, and last what none means."""
    statuses = [*range(1_000), None]
    return [_ruling(AccessResult("", 0.0, status=status), dialect) for status in statuses]


def _add_result(
    builder: _SnapshotBuilder, url: str, result: AccessResult, dialect: Dialect
) -> None:
    time = int(result.fetched_at * 1_000_000)
    builder.add(url, time, _ruling(result, dialect), result.body)


def _ruling(result: AccessResult, dialect: Dialect) -> int:
    """Return the policy as the native half reads it: RULES, or a reason and whether it opens."""
    policy = policy_after(result, dialect)
    if policy.effect == "rules":
        return RULES
    return 2 * REASONS.index(policy.reason) + (policy.effect == "allow_all")
