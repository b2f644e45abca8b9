"""Arrow data that break their own rules end in InvalidTable, whoever reads them and however.

What cannot be checked is not here: buffers that are shorter than lengths and offsets say.
"""

import ctypes
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

import verger
from bulk.c_data import (
    RELEASE_ARRAY,
    CArray,
    Column,
    CStream,
    Gives,
    Stream,
    array,
    capsule,
    packed,
    release,
    schema,
    table,
    texts,
    view,
)
from bulk.conftest import FILE, SITE, TOKEN, column, rows_of
from programs import printed
from verger.bulk import Snapshot, decide_stream, decide_table, origins
from verger.bulk.scan import Scanner
from verger.errors import InvalidTable

ROBOTS = verger.parse(FILE)
SNAPSHOT = Snapshot({SITE: FILE})
SCANNER = Scanner(crawlers=[TOKEN], threads=2)
URL = f"{SITE}/private/some-long-page"
LONG = URL.encode()
SIZE = len(LONG)
BITS = bytes([0b11])

READERS: dict[str, Callable[[Any], Any]] = {
    "decide_table by a file": lambda given: decide_table(given, ROBOTS, TOKEN),
    "decide_table by a snapshot": lambda given: decide_table(given, SNAPSHOT, TOKEN, threads=3),
    "origins": origins,
    "snapshot, origins": lambda given: Snapshot.from_table(given, origin="url", body="whole"),
    "snapshot, bodies": lambda given: Snapshot.from_table(given, origin="whole", body="url"),
    "scan": lambda given: SCANNER.scan(given),
}

# A column of two rows, and what is wrong with it.
HOSTILE: dict[str, tuple[Callable[[], tuple[Any, CArray]], str]] = {
    "a negative length": (lambda: (schema(b"u"), texts("a", "b", length=-1)), "length -1"),
    "the least length": (lambda: (schema(b"u"), texts("a", "b", length=-(2**63))), "length -9"),
    "a negative offset": (lambda: (schema(b"u"), texts("a", "b", offset=-2)), "offset -2"),
    "an offset that overflows": (
        lambda: (schema(b"u"), texts("a", "b", offset=2**63 - 1)),
        "offset 9223372036854775807 and length 2",
    ),
    "an offset beyond all memory": (
        lambda: (schema(b"u"), texts("a", "b", offset=2**62)),
        "offset 4611686018427387904",
    ),
    "a null count below minus one": (
        lambda: (schema(b"u"), texts("a", "b", null_count=-2)),
        "null count -2",
    ),
    "a null count without nulls": (
        lambda: (schema(b"u"), texts("a", "b", null_count=1)),
        "a null count of 1, and 0 nulls",
    ),
    "nulls without a null count": (
        lambda: (schema(b"u"), texts("a", None, null_count=0)),
        "a null count of 0, and 1 nulls",
    ),
    "a null count without a bitmap": (
        lambda: (schema(b"u"), array(2, [None, packed("i", 0, 1, 2), b"ab"], null_count=1)),
        "1 nulls, and no validity bitmap",
    ),
    "fewer rows than the table": (
        lambda: (schema(b"u"), texts("a")),
        "has 1 rows, the table needs 2",
    ),
    "a released column": (
        lambda: (schema(b"u"), texts("a", "b", release=RELEASE_ARRAY())),
        "released before",
    ),
    "offsets that go back": (
        lambda: (schema(b"u"), array(2, [None, packed("i", 0, 9, 2), b"a" * 9])),
        "offsets that are negative, or go back",
    ),
    "offsets below zero": (
        lambda: (schema(b"u"), array(2, [None, packed("i", -5, 1, 2), b"ab"])),
        "offsets that are negative, or go back",
    ),
    "all offsets below zero": (
        lambda: (schema(b"U"), array(2, [None, packed("q", -5, -4, -3), b"ab"])),
        "offsets that are negative, or go back",
    ),
    "large offsets that go back": (
        lambda: (schema(b"Z"), array(2, [None, packed("q", 0, 2**62, 2), b"ab"])),
        "offsets that are negative, or go back",
    ),
    "offsets at a null pointer": (
        lambda: (schema(b"u"), array(2, [None, None, b"ab"])),
        "null pointer for buffer 1",
    ),
    "bytes at a null pointer": (
        lambda: (schema(b"z"), array(2, [None, packed("i", 0, 1, 2), None])),
        "null pointer for buffer 2",
    ),
    "one buffer too few": (
        lambda: (schema(b"u"), array(2, [None, packed("i", 0, 1, 2)])),
        "2 buffers",
    ),
    "one buffer too many": (
        lambda: (schema(b"u"), array(2, [None, packed("i", 0, 1, 2), b"ab", b""])),
        "4 buffers",
    ),
    "no buffers": (lambda: (schema(b"u"), array(2)), "0 buffers"),
    "a negative number of buffers": (
        lambda: (schema(b"u"), texts("a", "b", n_buffers=-3)),
        "-3 buffers",
    ),
    "buffers at a null pointer": (
        lambda: (schema(b"u"), texts("a", "b", buffers=ctypes.POINTER(ctypes.c_void_p)())),
        "3 buffers, and none at",
    ),
    "numbers where text was announced": (
        lambda: (schema(b"u"), array(2, [None, packed("q", 1, 2)])),
        "2 buffers, where the announced type has 3",
    ),
    "a view beyond its buffer": (
        lambda: (
            schema(b"vu"),
            array(2, [None, view(SIZE, LONG) + view(SIZE, LONG, 0, 1), LONG, packed("q", SIZE)]),
        ),
        "Invalid buffer slice",
    ),
    "a view of a buffer that is not there": (
        lambda: (
            schema(b"vz"),
            array(2, [None, view(SIZE, LONG) + view(SIZE, LONG, 1), LONG, packed("q", SIZE)]),
        ),
        "Invalid buffer index",
    ),
    "a view of a negative length": (
        lambda: (
            schema(b"vu"),
            array(2, [None, packed("i", -1, 0, 0, 0) * 2, LONG, packed("q", SIZE)]),
        ),
        "Invalid buffer slice",
    ),
    "a view of a negative buffer": (
        lambda: (
            schema(b"vu"),
            array(2, [None, view(SIZE, LONG, -1) * 2, LONG, packed("q", SIZE)]),
        ),
        "Invalid buffer index",
    ),
    "a view with another beginning": (
        lambda: (schema(b"vu"), array(2, [None, view(SIZE, b"ftp:") * 2, LONG, packed("q", SIZE)])),
        "Mismatch",
    ),
    "views of a buffer of negative length": (
        lambda: (schema(b"vu"), array(2, [None, view(1, b"a") * 2, LONG, packed("q", -1)])),
        "a buffer of -1 bytes",
    ),
    "views without lengths": (
        lambda: (schema(b"vu"), array(2, [None, view(1, b"a") * 2])),
        "3 or more",
    ),
    "views whose lengths are at a null pointer": (
        lambda: (schema(b"vu"), array(2, [None, view(1, b"a") * 2, LONG, None])),
        "null pointer for buffer 3",
    ),
    "keys beyond the values": (
        lambda: dictionary(b"c", packed("b", 0, 2)),
        "Invalid dictionary key 2",
    ),
    "negative keys": (lambda: dictionary(b"i", packed("i", 0, -1)), "Invalid dictionary key -1"),
    "great keys": (lambda: dictionary(b"L", packed("q", 0, -1)), "Invalid dictionary key 1844"),
    "keys without values": (
        lambda: dictionary(b"c", packed("b", 0, 0), values=texts()),
        "Invalid dictionary key 0",
    ),
    "a dictionary at a null pointer": (
        lambda: (schema(b"c", dictionary=schema(b"u")), array(2, [None, packed("b", 0, 1)])),
        "a dictionary without values",
    ),
    "values that go back": (
        lambda: dictionary(
            b"c", packed("b", 0, 1), values=array(2, [None, packed("i", 0, 9, 2), b"a" * 9])
        ),
        "offsets that are negative, or go back",
    ),
    "a dictionary in a dictionary, with keys beyond its values": (
        lambda: (
            schema(b"c", dictionary=schema(b"c", dictionary=schema(b"u"))),
            array(2, [None, packed("b", 0, 1)], dictionary=dictionary(b"c", packed("b", 0, 7))[1]),
        ),
        "Invalid dictionary key 7",
    ),
}

SOUND: dict[str, Callable[[], tuple[Any, CArray]]] = {
    "text": lambda: (schema(b"u"), texts(URL, None)),
    "an offset": lambda: (schema(b"u"), texts("x", URL, None, offset=1, length=2)),
    "offsets that begin behind zero": lambda: (
        schema(b"z"),
        array(2, [BITS[:0] + b"\1", packed("i", 3, 3 + SIZE, 3 + SIZE), b"..." + LONG]),
    ),
    "an extension type": lambda: (
        schema(b"u", metadata=ctypes.addressof(EXTENSION)),
        texts(URL, None),
    ),
    "views": lambda: (
        schema(b"vu"),
        array(2, [b"\1", view(SIZE, LONG) + view(0, b""), LONG, packed("q", SIZE)]),
    ),
    "a view of a null, to nowhere": lambda: (
        schema(b"vu"),
        array(2, [b"\1", view(SIZE, LONG) + view(99, b"????", 7, 7), LONG, packed("q", SIZE)]),
    ),
    "a key of a null, to nowhere": lambda: dictionary(
        b"c", packed("b", 0, 99), validity=b"\1", values=texts(URL)
    ),
    "a value that is null": lambda: dictionary(b"c", packed("b", 0, 1), values=texts(URL, None)),
    "a dictionary in a dictionary": lambda: (
        schema(b"c", dictionary=schema(b"c", dictionary=schema(b"u"))),
        array(
            2,
            [None, packed("b", 0, 1)],
            dictionary=dictionary(b"c", packed("b", 1, 0), values=texts(None, URL))[1],
        ),
    ),
}

EXTENSION = ctypes.create_string_buffer(
    packed("i", 1, 20) + b"ARROW:extension:name" + packed("i", 4) + b"json"
)


def dictionary(
    keys: bytes, numbers: bytes, validity: bytes | None = None, values: CArray | None = None
) -> tuple[Any, CArray]:
    """Make a column with keys of that format."""
    column = array(2, [validity, numbers], dictionary=values or texts(URL, "b"))
    return schema(keys, dictionary=schema(b"u")), column


def given(made: tuple[Any, CArray]) -> Column:
    """Make a table of a column `url`, and one of other URLs."""
    whole = (schema(b"u"), texts("https://a.example", "https://b.example"))
    return table({"url": made, "whole": whole}, 2)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", HOSTILE)
def test_column_that_breaks_the_rules(case: str, reader: str) -> None:
    """The error names the column and what is wrong with it."""
    make, message = HOSTILE[case]
    with pytest.raises(InvalidTable) as caught:
        READERS[reader](given(make()))

    assert "column `url`: " in str(caught.value)
    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("case", HOSTILE)
def test_column_that_is_not_read(case: str) -> None:
    """A column that nobody asks for is not looked at: it may hold anything."""
    make, _ = HOSTILE[case]

    assert len(decide_table(given(make()), SNAPSHOT, TOKEN, column="whole")) == 2


@pytest.mark.parametrize("case", HOSTILE)
def test_lone_column_that_breaks_the_rules(case: str) -> None:
    """A column alone is checked as a column of a table is."""
    make, message = HOSTILE[case]
    if case == "fewer rows than the table":
        return
    with pytest.raises(InvalidTable) as caught:
        decide_table(Column(*make()), ROBOTS, TOKEN)

    assert message in str(caught.value)


@pytest.mark.parametrize("case", HOSTILE)
def test_stream_that_another_library_pulls(case: str) -> None:
    """Whoever reads the stream of decisions gets an error of its own, and the process lives."""
    make, message = HOSTILE[case]
    sound = given((schema(b"u"), texts(URL, None)))
    stream = Stream(sound.schema, [sound.array, given(make()).array])
    if make()[0].format != b"u" or make()[0].dictionary:
        stream = Stream(given(make()).schema, [given(make()).array])
    reader = pa.RecordBatchReader.from_stream(decide_stream(stream, ROBOTS, TOKEN))
    with pytest.raises((pa.ArrowInvalid, OSError)) as caught:
        reader.read_all()

    assert message in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", SOUND)
def test_column_that_keeps_the_rules(case: str, reader: str) -> None:
    """What is unusual and allowed is read; the second row is null."""
    if reader == "snapshot, origins":
        return
    READERS[reader](given(SOUND[case]()))

    assert rows_of(decide_table(given(SOUND[case]()), ROBOTS, TOKEN)) == [
        (False, "MOST_SPECIFIC_RULE", 2),
        (None, "NULL_URL", None),
    ]


@pytest.mark.parametrize("form", [b"u", b"U", b"z", b"Z", b"vu", b"vz", b"n"])
@pytest.mark.parametrize("numbers", [{}, {"offset": 5}, {"n_buffers": 3}])
def test_no_rows_need_no_buffers(form: bytes, numbers: dict[str, int]) -> None:
    """A piece without rows may have null pointers for buffers."""
    empty = array(0, [None] * 3, **numbers)

    assert len(decide_table(Column(schema(form), empty), ROBOTS, TOKEN)) == 0


def test_text_that_is_not_utf8() -> None:
    """Bytes of text are bytes until someone looks: the row says what they are."""
    broken = array(2, [None, packed("i", 0, 2, 2 + SIZE), b"/\xff" + LONG])

    assert rows_of(decide_table(Column(schema(b"u"), broken), ROBOTS, TOKEN)) == [
        (None, "INVALID_UTF8", None),
        (False, "MOST_SPECIFIC_RULE", 2),
    ]


# Tables


def test_offset_of_the_table() -> None:
    """Rows of a table with an offset are those of its columns behind that offset and their own."""
    whole = texts("x", "y", "/private", None, "z", offset=1, length=4)
    made = table({"url": (schema(b"u"), whole)}, 2, offset=1)

    assert [row[1] for row in rows_of(decide_table(made, ROBOTS, TOKEN))] == [
        "MOST_SPECIFIC_RULE",
        "NULL_URL",
    ]


TABLES: dict[str, tuple[Callable[[], Any], str]] = {
    "a column too few": (
        lambda: Column(two_columns(), array(2, [None], [texts("a", "b")])),
        "announced 2 columns, the table has 1",
    ),
    "a column too many": (
        lambda: Column(two_columns(), array(2, [None], [texts("a", "b")] * 3)),
        "announced 2 columns, the table has 3",
    ),
    "a negative number of columns": (
        lambda: Column(two_columns(), array(2, [None], [texts("a", "b")] * 2, n_children=-2)),
        "announced 2 columns, the table has -2",
    ),
    "columns at a null pointer": (
        lambda: Column(two_columns(), without_children()),
        "columns at a null pointer",
    ),
    "a column at a null pointer": (
        lambda: Column(two_columns(), array(2, [None], [None, texts("a", "b")])),
        "no valid pointer",
    ),
    "a table that ends behind its columns": (
        lambda: table({"url": (schema(b"u"), texts("a", "b"))}, 2, offset=1),
        "has 2 rows, the table needs 3",
    ),
    "rows that are null as a whole": (
        lambda: Column(
            schema(b"+s", b"", [schema(b"u", b"url")]), array(2, [b"\1"], [texts("a", "b")])
        ),
        "rows that are null as a whole",
    ),
    "more nulls than there are": (
        lambda: table({"url": (schema(b"u"), texts("a", "b"))}, 2, null_count=7),
        "7 nulls, and no validity bitmap",
    ),
    "more rows than memory holds": (
        lambda: Column(schema(b"n"), array(2**62)),
        "rows in one piece",
    ),
    "a schema that was read before": (
        lambda: Column(schema(b"u", release=type(two_columns().release)()), texts("a")),
        "the schema was released before",
    ),
    "an array that was read before": (
        lambda: Column(schema(b"u"), texts("a", release=RELEASE_ARRAY())),
        "released before",
    ),
    "a schema without format": (
        lambda: Column(schema(None), texts("a")),
        "a type without a format",
    ),
    "a format that nobody knows": (lambda: Column(schema(b"??"), texts("a")), "not supported"),
    "a format that is not text": (lambda: Column(schema(b"\xff"), texts("a")), "not supported"),
    "a list of nothing": (lambda: Column(schema(b"+l"), texts("a")), "`+l` has 0 children"),
    "runs of one child": (
        lambda: Column(schema(b"+r", b"", [schema(b"i")]), texts("a")),
        "`+r` has 1 children",
    ),
    "children of text": (
        lambda: Column(schema(b"u", b"", [schema(b"i")]), texts("a")),
        "`u` has 1 children",
    ),
    "a negative number of fields": (
        lambda: Column(schema(b"+s", n_children=-1), texts("a")),
        "has -1 children",
    ),
    "fields at a null pointer": (
        lambda: Column(schema(b"+s", n_children=3), texts("a")),
        "a child at no valid pointer",
    ),
    "types within types without end": (lambda: Column(nested(200), texts("a")), "beyond 64 levels"),
    "a type within itself": (lambda: Column(circular(), texts("a")), "beyond 64 levels"),
    "union ids that do not fit": (
        lambda: Column(schema(b"+us:0,1", b"", [schema(b"u", b"url")]), texts("a")),
        "same number of fields and type ids",
    ),
}


def two_columns() -> Any:
    return schema(b"+s", b"", [schema(b"u", b"url"), schema(b"u", b"whole")])


def without_children() -> CArray:
    made = array(2, [None], [texts("a", "b")] * 2)
    made.children = type(made.children)()
    return made


def nested(levels: int) -> Any:
    made = schema(b"u", b"url")
    for _ in range(levels):
        made = schema(b"+l", b"url", [made])
    return made


def circular() -> Any:
    made = schema(b"+l", b"url", [schema(b"u")])
    made.children[0] = ctypes.pointer(made)
    return made


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", TABLES)
def test_table_that_breaks_the_rules(case: str, reader: str) -> None:
    """Tables and schemas are compared before a row is read."""
    make, message = TABLES[case]
    with pytest.raises(InvalidTable) as caught:
        READERS[reader](make())

    if not reader.startswith(("snapshot", "scan")):  # which look at the columns before
        assert message in str(caught.value)


# Streams


def test_stream_of_another_schema_than_announced() -> None:
    """A batch of a library, whose columns are others than its stream announced."""
    names = pa.schema([("url", pa.string()), ("n", pa.int64())])
    other = pa.record_batch({"n": [1, 2]})
    given = Gives(lambda: stream_of(names, [other]))
    for read in (lambda: decide_table(given, ROBOTS, TOKEN), lambda: origins(given)):
        with pytest.raises(InvalidTable, match="announced 2 columns, the table has 1"):
            read()


def test_numbers_of_a_library_where_text_was_announced() -> None:
    """A batch of a library, whose column has another number of buffers than announced."""
    given = Gives(
        lambda: stream_of(pa.schema([("url", pa.string())]), [pa.record_batch({"url": [1]})])
    )
    with pytest.raises(InvalidTable, match=r"column `url`: 2 buffers, where .* has 3"):
        decide_table(given, ROBOTS, TOKEN)


def stream_of(announced: pa.Schema, batches: list[pa.RecordBatch]) -> Any:
    """Make a stream that announces one schema and gives batches of another."""
    kind = Column(*exported(pa.record_batch([pa.array([], f.type) for f in announced], announced)))
    pieces = [exported(batch)[1] for batch in batches]
    return Stream(kind.schema, pieces).__arrow_c_stream__()


def exported(batch: pa.RecordBatch) -> tuple[Any, CArray]:
    kind, made = schema(b""), array(0)
    batch._export_to_c(ctypes.addressof(made), ctypes.addressof(kind))
    return kind, made


def sound_stream(**options: Any) -> Stream:
    sound = given((schema(b"u"), texts(URL, None)))
    return Stream(sound.schema, [sound.array], **options)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fails": b"the disk is gone"}, "the disk is gone"),
        ({"fails": b"\xff\xfe"}, "\ufffd\ufffd"),
        ({"fails": b""}, "failed with code 5"),
        ({"fails": b"x", "has_last_error": False}, "failed with code 5"),
        ({"fails": b"no schema", "schema_code": 22}, "no schema"),
    ],
)
def test_stream_that_fails(options: dict[str, Any], message: str, reader: str) -> None:
    """What the producer says of its failure is told."""
    stream = sound_stream(**options)
    if reader == "snapshot, origins":
        stream.pieces = []
    with pytest.raises(InvalidTable) as caught:
        READERS[reader](stream)

    assert message in str(caught.value)


ACTS = b"\x1b[31m\r\n\x07" + b"x" * 5_000_000
"""Nobody reads so much, and a terminal would obey it."""

TELLS: dict[str, Callable[[], Any]] = {
    "why it fails": lambda: sound_stream(fails=ACTS),
    "a format": lambda: Column(schema(ACTS), texts("a")),
    "a name of a column": lambda: Column(
        schema(b"+s", b"", [schema(b"u", ACTS)] * 3), array(1, [None], [texts("a")] * 3)
    ),
    "a name within a type": lambda: Column(
        schema(b"+s", b"", [schema(b"+s", b"url", [schema(b"u", ACTS)])]),
        array(1, [None], [array(1, [None], [texts("a")])]),
    ),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", TELLS)
def test_words_of_a_producer(case: str, reader: str) -> None:
    """What a library tells of its table is shown as text, and not without end."""
    with pytest.raises(InvalidTable) as caught:
        READERS[reader](TELLS[case]())

    shown = [caught.value.message, caught.value.hint or ""]
    assert all(text.isprintable() and len(text) < 5_000 for text in shown)


def test_words_of_a_producer_for_another_library() -> None:
    """The same where another library reads the decisions, and raises the error."""
    stream = sound_stream(fails=ACTS)
    reader = pa.RecordBatchReader.from_stream(decide_stream(stream, ROBOTS, TOKEN))
    with pytest.raises((pa.ArrowInvalid, OSError), match=r"\\x1b\[31m\\r\\n\\x07xxx") as caught:
        reader.read_all()

    assert len(str(caught.value)) < 5_000


def test_stream_that_fails_while_another_library_pulls() -> None:
    """What came before the failure is given, then the failure, then nothing but failures."""
    stream = sound_stream(fails=b"gone")
    reader = pa.RecordBatchReader.from_stream(decide_stream(stream, ROBOTS, TOKEN))

    assert reader.read_next_batch().num_rows == 2
    for message in ("gone", "failed before"):
        with pytest.raises((pa.ArrowInvalid, OSError), match=message):
            reader.read_next_batch()


def test_error_of_a_library_in_mid_stream() -> None:
    """A generator behind a reader of pyarrow that raises."""

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"url": [URL]})
        raise ZeroDivisionError("in mid-stream")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("url", pa.string())]), batches())
    with pytest.raises(InvalidTable, match="in mid-stream"):
        decide_table(reader, ROBOTS, TOKEN)


STREAMS: dict[str, tuple[Callable[[], Any], str]] = {
    "no capsule": (lambda: "text", "must return a capsule named `arrow_array_stream`"),
    "none": (lambda: None, "must return a capsule named `arrow_array_stream`"),
    "a capsule of another name": (
        lambda: capsule(CStream(), b"arrow_array"),
        "must return a capsule named `arrow_array_stream`",
    ),
    "a stream that was released": (
        lambda: capsule(CStream(), b"arrow_array_stream"),
        "read before",
    ),
    "a stream that was read": (lambda: read_stream(), "read before"),
    "a released stream with callbacks left": (lambda: half_released(), "read before"),
}


def read_stream() -> Any:
    made = sound_stream().__arrow_c_stream__()
    decide_table(Gives(lambda: made), ROBOTS, TOKEN)
    return made


def half_released() -> Any:
    made = CStream(get_schema=crash_schema, get_next=crash_next)
    return capsule(made, b"arrow_array_stream")


@CStream._fields_[0][1]
def crash_schema(_stream: Any, _out: Any) -> int:
    raise AssertionError("a released stream was asked")


@CStream._fields_[1][1]
def crash_next(_stream: Any, _out: Any) -> int:
    raise AssertionError("a released stream was asked")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("case", STREAMS)
def test_what_is_no_stream(case: str, reader: str) -> None:
    """The error says what the method must return."""
    make, message = STREAMS[case]
    with pytest.raises(InvalidTable, match=message):
        READERS[reader](Gives(make))


@pytest.mark.parametrize("pair", [None, (), (1,), (1, 2), [1, 2], "ab"])
def test_what_is_no_array(pair: Any) -> None:
    """The same for a lone array."""

    class Given:
        def __arrow_c_array__(self) -> Any:
            return pair

    with pytest.raises(InvalidTable, match="__arrow_c_array__"):
        decide_table(Given(), ROBOTS, TOKEN)


def test_what_raises_when_it_is_asked() -> None:
    """An exception of the caller's own method is the caller's."""

    class Given:
        def __arrow_c_stream__(self) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        decide_table(Given(), ROBOTS, TOKEN)


# Memory and threads


def releasing_into(released: list[int]) -> Any:
    """Return a callback that releases an array, and counts that in a list."""

    @RELEASE_ARRAY
    def count(made: Any) -> None:
        released.append(1)
        release(made)

    return count


def test_arrays_are_released_once() -> None:
    """Each array goes back to its producer: read, refused, or never asked for."""
    released: list[int] = []
    count = releasing_into(released)
    sound = given((schema(b"u"), texts(URL, None)))
    broken = given((schema(b"u"), texts(URL, None, length=-1)))
    pieces = [each.array for each in (sound, broken, given((schema(b"u"), texts("a", "b"))))]
    for piece in pieces:
        piece.release = count
    with pytest.raises(InvalidTable):
        decide_table(Stream(sound.schema, pieces), ROBOTS, TOKEN)
    gc.collect()

    assert len(released) == 2  # the third was never taken
    decide_table(Column(sound.schema, pieces[2]), ROBOTS, TOKEN)
    gc.collect()

    assert len(released) == 3


def test_bodies_live_as_long_as_their_snapshot() -> None:
    """A snapshot keeps the columns that it did not copy, and gives them back when it goes."""
    released: list[int] = []
    count = releasing_into(released)
    made = table(
        {"origin": (schema(b"u"), texts(SITE)), "body": (schema(b"z"), texts(FILE.decode()))}, 1
    )
    made.array.release = count
    snapshot = Snapshot.from_table(made)
    gc.collect()

    assert released == []
    assert rows_of(decide_table(column([URL]), snapshot, TOKEN)) == [
        (False, "MOST_SPECIFIC_RULE", 2)
    ]
    del snapshot
    gc.collect()

    assert released == [1]


def test_snapshots_take_rows_from_two_threads_at_once() -> None:
    """A producer that runs Python does not keep others from adding; none waits for the other."""
    code = """
import threading
import pyarrow as pa
import verger
from verger._core import _SnapshotBuilder
from verger.access.table import access_table
from verger.fetching.decode import kept_file

known = verger.parse(b"").dialect
builder = _SnapshotBuilder(known, access_table(known)[0], 0.0)
inside, added = threading.Event(), threading.Event()
schema = pa.schema([("origin", pa.string()), ("body", pa.binary())])

def batches():
    for n in range(3):
        inside.set()
        assert added.wait(300)
        builder.add(f"https://c{n}.example", 0.0, 0, b"")  # from within, too
        yield pa.record_batch([[f"https://a{n}.example"], [b""]], schema=schema)

def add():
    assert inside.wait(300)
    builder.add("https://b.example", 0.0, 0, b"")
    added.set()

thread = threading.Thread(target=add)
thread.start()
reader = pa.RecordBatchReader.from_batches(schema, batches())
names = ("origin", "body", None, None, None, None, (None, None, None))
builder.add_table(reader, names, kept_file, 512_000)
thread.join()
print(len(builder.finish()))
"""

    assert printed(code) == "7\n"


def test_threads_read_hostile_tables_at_once() -> None:
    """Errors in many threads at once are errors in each."""
    errors: list[BaseException] = []

    def work() -> None:
        for make, _ in HOSTILE.values():
            try:
                decide_table(given(make()), SNAPSHOT, TOKEN)
            except InvalidTable as error:
                errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(errors) == 4 * len(HOSTILE)
