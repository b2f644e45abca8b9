"""Decisions about a column of URLs, by one file or by a snapshot of many.

In: a table or a column with the Arrow PyCapsule interface. Out: columns `allowed` (null without an
answer), `reason`, and `line`, one row for each row of the input, in order. RFC 9309 sections 2.2.1,
2.2.2 and 2.3. A row without an answer is null, and its reason says why:

NULL_URL         the URL is null
INVALID_UTF8     the text is not UTF-8
INVALID_TARGET   neither an absolute URL nor, with one file for all rows, a path
OUT_OF_SCOPE     the file is that of another origin
NOT_IN_SNAPSHOT  the snapshot has no entry for the origin
"""

from collections.abc import Sequence

from verger._core import (
    DecisionStream,
    RobotsTxt,
    Table,
    _decide_by_file,
    _decide_by_snapshot,
    _origins,
)
from verger.bulk.frames import Urls, as_columns, keep_columns
from verger.crawlers.binding import Bindings, agent_of, binding_of_all
from verger.crawlers.uses import asked_use
from verger.options import UseName, expect_whole
from verger.snapshots.snapshot import Snapshot


def decide_table(
    urls: Urls,
    robots: RobotsTxt | Snapshot,
    token: str | Sequence[str],
    *,
    column: str = "url",
    bindings: Bindings = "operators",
    keep: Sequence[str] = (),
    threads: int | None = None,
    use: UseName | None = None,
) -> Table:
    """Decide every URL of a table or column; return a table with as many rows.

    urls:     a table or column with the Arrow PyCapsule interface; a list, an array or a `Series`
              of URLs, or a mapping of columns (with pyarrow); or a lazy frame of polars, which is
              collected.
    robots:   one file for all rows, or a `Snapshot`, which has a file for each origin.
    token:    a product token, or several of one crawler; the knob `tokens` of the dialect says
              what these mean.
    column:   the column with the URLs, text or binary; a single column needs no name.
    bindings: whose groups the crawler follows: `operators`, what its operator says (see
              `verger.crawlers.agent_of`), or `file`, what the names in the file say.
    keep:     columns of the table to put before the answers, by name (with pyarrow).
    threads:  how many threads to use; by default as many as there are cores.
    use:      also answer whether the content may be used for this: `search`, `ai-input` or
              `ai-train` (see `verger.crawlers.may_use`).
    Raises InvalidTable, which names the column; InvalidProductToken, InvalidOption, UnknownName.

    The table has `allowed` (bool, null without an answer), `reason` (dictionary of text) and
    `line` (int32, the 1-based line of the rule that decided, else null); with `use` also a column
    such as `use_ai_train` (bool, null if no line mentions it, and without an answer).
    """
    stream = decide_stream(
        urls, robots, token, column=column, bindings=bindings, keep=keep, threads=threads, use=use
    )
    return stream.read_all()


def decide_stream(
    urls: Urls,
    robots: RobotsTxt | Snapshot,
    token: str | Sequence[str],
    *,
    column: str = "url",
    bindings: Bindings = "operators",
    keep: Sequence[str] = (),
    threads: int | None = None,
    use: UseName | None = None,
) -> DecisionStream:
    """Decide like `decide_table`, batch by batch, while the result is read; it can be read once.

    Only one batch is in memory, so the table may be larger than memory. Names and types of columns
    are checked now, rows when they are read.
    """
    expect_whole("threads", threads, optional=True)
    table = as_columns(urls)
    if keep:
        return keep_columns(
            table,
            keep,
            column,
            lambda some: decide_table(
                some, robots, token, column=column, bindings=bindings, threads=threads, use=use
            ),
        )
    used = asked_use(token, use)
    match robots:
        case Snapshot():
            binding = binding_of_all(token, bindings)
            return _decide_by_snapshot(
                table, robots.index, token, binding, column=column, threads=threads, used=used
            )
        case RobotsTxt():
            agent = agent_of(robots, token, bindings)
            return _decide_by_file(table, agent, column=column, threads=threads, used=used)
    said = f"`robots` must be a RobotsTxt or a Snapshot, not {type(robots).__name__}"
    raise TypeError(
        f"{said}: `verger.load(path)` reads one file, `verger.bulk.Snapshot.from_path(path)` a "
        "snapshot on disk, `Snapshot({origin: client.site(origin).result})` what a client fetched"
    )


def origins(urls: Urls, *, column: str = "url") -> Table:
    """Return the origin of every URL of a table or column, as the column `origin` (text).

    In canonical form, as from `verger.origin` (RFC 9309 section 2.3); null for URLs without one.
    Use it to join by origin, or to partition a large table.
    Raises InvalidTable, which names the column.
    """
    return _origins(as_columns(urls), column)
