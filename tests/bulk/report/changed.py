"""Small tables as `verger diff` writes them, made by hand.

In: what changed on which site, and for whom. Out: Parquet files of schema `verger.changes/1`. No
test lives here.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from verger.analysis.file_diff import Severity
from verger.bulk.changes import ChangeRow, batch_of


def change(
    origin: str, severity: Severity, agents: Iterable[str] = ("*",), purposes: Iterable[str] = ()
) -> ChangeRow:
    """Return a row, as far as a report looks at it."""
    closes = "closed" in severity
    return ChangeRow(
        origin=origin,
        severity=severity,
        agents=list(agents),
        purposes=list(purposes),
        named_before=False,
        named_after="*" not in agents,
        closed=int(closes),
        opened=int(not closes),
        region="/",
        witness="/",
        witness_opened=not closes,
        line_before=None,
        line_after=2,
        is_exact=True,
    )


def write(path: Path, rows: Iterable[ChangeRow]) -> Path:
    """Write a table."""
    pq.write_table(pa.Table.from_batches([batch_of(list(rows))]), path)
    return path
