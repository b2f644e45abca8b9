"""Whatever is handed in that cannot be decided about ends in a typed error that says what now."""

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import verger
from bulk.conftest import FILE, SITE, TOKEN, column
from verger.bulk import Snapshot, decide_stream, decide_table, origins
from verger.errors import InvalidOption, InvalidTable, RobotsError
from verger.untrusted_text import printable

ROBOTS = verger.parse(FILE)
SNAPSHOT = Snapshot({SITE: FILE})
BOTH = pytest.mark.parametrize("robots", [ROBOTS, SNAPSHOT], ids=["file", "snapshot"])

TABLES: dict[str, tuple[Any, str]] = {
    "another name": (pa.table({"u": ["/"], "v": ["/"]}), "no column `url`\nhint: it has `u`, `v`;"),
    "whole numbers": (pa.table({"url": [1]}), "column `url` holds Int64, not text or binary"),
    "a lone column of numbers": (pa.array([0.5]), "column `url` holds Float64, not text or binary"),
    "lists": (pa.table({"url": [["/"]]}), "column `url` holds List"),
    "a dictionary of numbers": (
        pa.table({"url": pa.array([1, 1]).dictionary_encode()}),
        "column `url` holds Dictionary",
    ),
    "runs": (
        pa.array(pa.RunEndEncodedArray.from_arrays([2], ["/"])),
        "column `url` holds RunEndEncoded",
    ),
    "rows that are null as a whole": (
        pa.array([{"url": "/"}, None], pa.struct([("url", pa.string())])),
        "rows that are null as a whole",
    ),
}


@BOTH
@pytest.mark.parametrize("table", TABLES)
def test_table_that_will_not_do(table: str, robots: verger.RobotsTxt | Snapshot) -> None:
    """The error names the column and what it holds, and hints at what to do."""
    given, message = TABLES[table]
    with pytest.raises(InvalidTable, match=re.escape(message)) as caught:
        decide_table(given, robots, TOKEN)

    assert caught.value.hint


def test_table_without_columns() -> None:
    """A table that has no column at all is told so, not shown an empty list of names."""
    with pytest.raises(InvalidTable, match="no column") as caught:
        decide_table(pa.table({}), ROBOTS, TOKEN)

    assert "it has ;" not in str(caught.value)


@BOTH
def test_names_and_types_are_looked_at_before_rows(robots: verger.RobotsTxt | Snapshot) -> None:
    """A stream that cannot work is refused when it is made, not when it is read."""
    with pytest.raises(InvalidTable, match="no column `page`"):
        decide_stream(column(["/"]), robots, TOKEN, column="page")


@BOTH
@pytest.mark.parametrize("given", ["/", None, {"/"}, iter(["/"])], ids=type)
def test_what_is_not_arrow(given: Any, robots: verger.RobotsTxt | Snapshot) -> None:
    """What is neither a list of URLs nor has an Arrow PyCapsule interface is a mistake of type."""
    with pytest.raises(TypeError, match="`urls` must be a table"):
        decide_table(given, robots, TOKEN)


@pytest.mark.parametrize("robots", [FILE, "", None, {SITE: FILE}], ids=type)
def test_what_is_neither_file_nor_snapshot(robots: Any) -> None:
    """Bytes are to be parsed first."""
    with pytest.raises(TypeError, match="`robots` must be a RobotsTxt or a Snapshot, not"):
        decide_table(column(["/"]), robots, TOKEN)


@BOTH
@pytest.mark.parametrize("token", ["Example Bot", "", "Bot/1.0", [], ["a", "b c"], ()], ids=repr)
def test_bad_token(token: Any, robots: verger.RobotsTxt | Snapshot) -> None:
    """A bad token is refused as `RobotsTxt.agent` refuses it, also where there is no row."""
    with pytest.raises(verger.InvalidProductToken) as caught:
        ROBOTS.agent(token)
    with pytest.raises(verger.InvalidProductToken, match=re.escape(str(caught.value))):
        decide_table(column([]), robots, token)


@BOTH
@pytest.mark.parametrize("token", [None, 1, b"a", {"a"}, [b"a"]], ids=repr)
def test_token_of_another_type(token: Any, robots: verger.RobotsTxt | Snapshot) -> None:
    """A token is text."""
    with pytest.raises(TypeError, match="`token` must be"):
        decide_table(column([]), robots, token)


@BOTH
@pytest.mark.parametrize("threads", [0, -1, 2**64, 10**30, "2", 1.5, True], ids=repr)
def test_number_of_threads_that_cannot_be_meant(
    threads: Any, robots: verger.RobotsTxt | Snapshot
) -> None:
    """Somebody has to do the work, in whole numbers, and no machine has as many as that."""
    for decide in (decide_table, decide_stream):
        with pytest.raises(InvalidOption, match="`threads` is `") as caught:
            decide(column(["/"]), robots, TOKEN, threads=threads)

        assert caught.value.hint == "pass a whole number from 1 to 2,147,483,647"


@pytest.mark.parametrize("threads", [1, 2, 64, 1_000_000])
def test_any_number_of_threads(threads: int) -> None:
    """However many are allowed, no more work than there is work for."""
    assert 2 == len(decide_table(column(["/", "/a"]), ROBOTS, TOKEN, threads=threads))


NO_UNICODE = {"\ud800": r"`\xed\xa0\x80`", "u\udcff": r"`u\xff`"}


@BOTH
@pytest.mark.parametrize("name", NO_UNICODE, ids=ascii)
def test_column_name_that_is_no_unicode(name: str, robots: verger.RobotsTxt | Snapshot) -> None:
    """No table has such a column, which is told as any other that is missing."""
    for decide in (decide_table, decide_stream):
        with pytest.raises(
            InvalidTable, match=re.escape(f"no column {NO_UNICODE[name]}")
        ) as caught:
            decide(pa.table({"url": ["/"], "\ufffd": ["/"]}), robots, TOKEN, column=name)

        assert caught.value.hint == "it has `url`, `\ufffd`; name the one to read"


@pytest.mark.parametrize("name", NO_UNICODE, ids=ascii)
def test_other_column_names_that_are_no_unicode(name: str) -> None:
    """Whatever takes the name of a column."""
    table = pa.table({"origin": ["https://a.example"], "body": ["x"]})
    with pytest.raises(InvalidTable, match=re.escape(f"no column {NO_UNICODE[name]}")):
        origins(table, column=name)
    for named in ("origin", "body", "status", "time"):
        with pytest.raises(InvalidTable, match=re.escape(f"no column `{printable(name)}`")):
            Snapshot.from_table(table, **{named: name})


@pytest.mark.parametrize("given", [None, 1, b"url"], ids=repr)
def test_column_name_of_another_type(given: Any) -> None:
    """The name of a column is text."""
    with pytest.raises(TypeError, match="`column` must be str, not"):
        decide_table(column(["/"]), ROBOTS, TOKEN, column=given)


# Sources that fail


def failing(batches: int) -> pa.RecordBatchReader:
    """Make a reader whose source breaks after some batches."""
    table = column(["/private", "/x"])

    def source() -> Iterator[pa.RecordBatch]:
        for _ in range(batches):
            yield from table.to_batches()
        raise OSError("the disk is on fire")

    return pa.RecordBatchReader.from_batches(table.schema, source())


@BOTH
@pytest.mark.parametrize("batches", [0, 1, 5])
def test_source_that_breaks(batches: int, robots: verger.RobotsTxt | Snapshot) -> None:
    """An error of the source is told in its own words; half a table is never returned."""
    with pytest.raises(InvalidTable, match="the disk is on fire"):
        decide_table(failing(batches), robots, TOKEN)


def test_source_that_breaks_within_a_stream() -> None:
    """Who reads a stream gets the batches before the error, and then the error."""
    reader = pa.RecordBatchReader.from_stream(decide_stream(failing(2), ROBOTS, TOKEN))
    before = [reader.read_next_batch().num_rows for _ in range(2)]

    assert [2, 2] == before
    with pytest.raises(pa.ArrowInvalid, match="the disk is on fire"):
        reader.read_next_batch()


def test_second_reading_of_a_stream() -> None:
    """A stream is read once; whoever comes again is told."""
    stream = decide_stream(column(["/"]), ROBOTS, TOKEN)
    stream.read_all()
    for again in (stream.read_all, stream.__arrow_c_stream__, lambda: pa.table(stream)):
        with pytest.raises(InvalidTable, match="read before\nhint: a stream is read once"):
            again()


class Offers:
    """An object with the interface, whose capsules are whatever they are."""

    def __init__(self, *, stream: Any = None, array: Any = None) -> None:
        if stream is not None:
            self.__arrow_c_stream__ = lambda _schema=None: stream
        if array is not None:
            self.__arrow_c_array__ = lambda _schema=None: array


def test_stream_that_somebody_else_has_read() -> None:
    """A capsule whose stream was taken out is refused."""
    offer = Offers(stream=column(["/"]).__arrow_c_stream__())
    decide_table(offer, ROBOTS, TOKEN)
    with pytest.raises(InvalidTable, match="the stream was read before"):
        decide_table(offer, ROBOTS, TOKEN)


@pytest.mark.parametrize("array", [pa.array(["/"]), column(["/"]).to_batches()[0]], ids=type)
def test_array_that_somebody_else_has_read(array: Any) -> None:
    """A capsule whose array was taken out is refused, not a reason to panic."""
    offer = Offers(array=array.__arrow_c_array__())
    decide_table(offer, ROBOTS, TOKEN)
    with pytest.raises(RobotsError):
        decide_table(offer, ROBOTS, TOKEN)


def test_schema_that_somebody_else_has_read() -> None:
    """A capsule whose schema was taken out is refused, not a reason to panic."""
    schema, array = pa.array(["/"]).__arrow_c_array__()
    pa.DataType._import_from_c_capsule(schema)
    with pytest.raises(RobotsError):
        decide_table(Offers(array=(schema, array)), ROBOTS, TOKEN)


@pytest.mark.parametrize(
    "offer",
    [Offers(stream=1), Offers(array=1), Offers(array=(1, 2)), Offers(array=(1, 2, 3))],
    ids=["stream", "array", "pair", "three"],
)
def test_no_capsules(offer: Any) -> None:
    """An interface that hands out something else is a mistake of type."""
    with pytest.raises((TypeError, ValueError)):
        decide_table(offer, ROBOTS, TOKEN)


def test_capsule_of_another_kind() -> None:
    """A capsule is known by its name; that of a schema is never taken for a stream."""
    with pytest.raises(InvalidTable, match="must return a capsule named `arrow_array_stream`"):
        decide_table(Offers(stream=pa.schema([]).__arrow_c_schema__()), ROBOTS, TOKEN)


def test_producer_that_raises() -> None:
    """What a library raises before there is a stream comes through as it is."""

    class Broken:
        def __arrow_c_stream__(self, _schema: object = None) -> object:
            raise RuntimeError("no stream today")

    with pytest.raises(RuntimeError, match="no stream today"):
        decide_table(Broken(), ROBOTS, TOKEN)
