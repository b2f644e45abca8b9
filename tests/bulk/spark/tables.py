"""Tables of URLs and of robots.txt files, and what one machine says of them.

In: how many. Out: Arrow tables, the same in every run, with every kind of row that there is.
"""

import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from verger.bulk import Snapshot, decide_table

TOKEN = "examplebot"
BUSY = "https://busy.example"
BODIES = (
    b"User-agent: *\nDisallow: /private\n",
    b"User-agent: examplebot\nAllow: /private/open\nDisallow: /private\n\n"
    b"User-agent: *\nDisallow: /\n",
    b"User-agent: *\nDisallow: /*.php$\nAllow: /a",
    b"",
    None,
)
STATUSES = (200, 200, 200, 404, 503, None, 429)
PATHS = ("/", "/private/{}", "/private/open/{}", "/a/{}.php", "/b/{}?q=%C3%BC#x")
DAY = datetime(2026, 1, 1, tzinfo=UTC)


def snapshot_table(origins: int = 300) -> pa.Table:
    """Return files of origins, a tenth of which was fetched three times."""
    chance = random.Random(1)
    rows = [_file(chance, n, 0) for n in range(origins)]
    rows += [_file(chance, n, day) for n in range(0, origins, 10) for day in (2, 1)]
    rows.append({"origin": BUSY, "body": BODIES[1], "status": 200, "time": DAY})
    schema = pa.schema(
        [
            ("origin", pa.string()),
            ("body", pa.binary()),
            ("status", pa.int32()),
            ("time", pa.timestamp("us", "UTC")),
        ]
    )
    return pa.Table.from_pylist(rows, schema)


def _file(chance: random.Random, number: int, day: int) -> dict[str, object]:
    spelling = "https://h{}.example" if day else "HTTPS://H{}.example:443/robots.txt"
    return {
        "origin": spelling.format(number),
        "body": chance.choice(BODIES),
        "status": chance.choice(STATUSES),
        "time": DAY + timedelta(days=day) if number % 3 or day else None,
    }


def url_table(rows: int = 5_000, origins: int = 400) -> pa.Table:
    """Return URLs, a third of them of one host, some unknown, odd or null."""
    chance = random.Random(2)
    urls = [_url(chance, n, origins) for n in range(rows)]
    columns = {
        "id": pa.array(range(rows), pa.int64()),
        "page url": pa.array(urls, pa.string()),
        "tags": pa.array([[("n", n % 7)] for n in range(rows)], pa.map_(pa.string(), pa.int32())),
        "seen": pa.array(
            [DAY + timedelta(hours=n) for n in range(rows)], pa.timestamp("us", "UTC")
        ),
        "size.kb": pa.array([n / 4 if n % 5 else None for n in range(rows)], pa.float64()),
    }
    return pa.table(columns)


ODD = (None, "", "nonsense", "ftp://h1.example/", "https://", "/private/1", "https://a b.example/")


def _url(chance: random.Random, number: int, origins: int) -> str | None:
    if number % 3 == 0:
        return BUSY + chance.choice(PATHS).format(number)
    if number % 20 == 1:
        return chance.choice(ODD)
    host = f"h{chance.randrange(origins)}.example"
    host = chance.choice((host, host, host, host.upper(), f"user@{host}:443"))
    return f"https://{host}" + chance.choice(PATHS).format(number)


def answers_of_one_machine(
    urls: pa.Table, snapshot: pa.Table, column: str = "page url"
) -> pa.Table:
    """Return the URLs with what `decide_table` says of them."""
    decided = pa.table(
        decide_table(urls, Snapshot.from_table(snapshot), TOKEN, column=column, threads=1)
    )
    answers = decided.set_column(1, "reason", decided.column("reason").cast(pa.string()))
    return pa.Table.from_arrays(
        [*urls.columns, *answers.columns], [*urls.column_names, *answers.column_names]
    )


def rows_of(table: pa.Table, by: str = "id") -> list[dict[str, object]]:
    """Return the rows in a settled order."""
    rows: list[dict[str, object]] = table.sort_by(by).to_pylist()
    return rows
