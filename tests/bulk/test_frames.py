"""URLs in the forms in which people have them, and results as data frames."""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import verger
from verger.bulk import Snapshot, decide_stream, decide_table, origins

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")

ROBOTS = verger.parse("User-agent: *\nDisallow: /a\nDisallow: /%FF\n")
URLS = ["https://e.example/a", "https://e.example/b"]


@pytest.mark.parametrize(
    "urls",
    [
        *(URLS, tuple(URLS), pl.LazyFrame({"url": URLS}), pl.DataFrame({"url": URLS})),
        *(np.array(URLS), np.array(URLS, dtype=object), np.array(URLS, np.dtypes.StringDType())),
        *(
            pd.Series(URLS, index=[7, 3]),
            pd.Index(URLS),
            pd.array(URLS),
            pd.DataFrame({"url": URLS}),
        ),
        *({"url": URLS, "n": [1, 2]}, {"n": np.array([1, 2]), "url": np.array(URLS)}),
    ],
    ids=lambda urls: type(urls).__name__,
)
def test_forms_of_urls(urls: object) -> None:
    """A list, an array, a mapping and a lazy frame give what a table gives."""
    table = decide_table(urls, ROBOTS, "ExampleBot")  # type: ignore[arg-type]

    assert [False, True] == table.to_polars()["allowed"].to_list()
    assert [False, True] == list(table.to_pandas()["allowed"])
    assert 2 == len(decide_stream(urls, ROBOTS, "ExampleBot").read_all())  # type: ignore[arg-type]
    assert ["https://e.example"] * 2 == origins(urls).to_polars()["origin"].to_list()  # type: ignore[arg-type]


def test_list_with_missing_urls_and_bytes_that_are_not_utf_8() -> None:
    """None is null; lone surrogates are the bytes that `decide` takes them for."""
    table = decide_table([None, "/\udcff", "/\ud800", ""], ROBOTS, "ExampleBot")  # type: ignore[list-item]
    reasons = table.to_polars()["reason"].to_list()

    assert "NULL_URL" == reasons[0]
    assert ROBOTS.decide("/\udcff", "ExampleBot").reason == reasons[1]
    assert 0 == len(decide_table([], ROBOTS, "ExampleBot"))
    missing = np.array([float("nan"), None, URLS[0]], dtype=object)
    assert [2] == decide_table(missing, ROBOTS, "ExampleBot").to_polars()["line"].to_list()[2:]


@pytest.mark.parametrize(
    ("urls", "said"),
    [
        (np.array([1, "a"], dtype=object), "cannot be read as columns"),
        (np.array([["a"], ["b"]]), "cannot be read as columns"),
        ({"url": 5}, "cannot be read as columns"),
        ({"url": URLS, "n": [1]}, "cannot be read as columns"),
        (np.array([1, 2]), "holds Int64"),
        ({"page": URLS}, "no column `url`"),
    ],
    ids=str,
)
def test_what_is_no_column_of_urls(urls: object, said: str) -> None:
    """Is refused in verger's words, whichever library says why."""
    with pytest.raises(verger.InvalidTable, match=said):
        decide_table(urls, ROBOTS, "ExampleBot")  # type: ignore[arg-type]


def test_frames_have_dtypes_with_nulls() -> None:
    """Whether a row has no answer or not, `allowed` is `boolean`, and `line` is `Int32`."""
    for urls in ([*URLS, None], URLS, []):
        frame = decide_table(urls, ROBOTS, "ExampleBot", use="ai-train").to_pandas()

        types = ["boolean", "category", "Int32", "boolean"]
        assert types == [str(each) for each in frame.dtypes]
    frame = decide_table([*URLS, None], ROBOTS, "ExampleBot").to_pandas()
    assert [[1], [0], [1]] == [
        list(frame[chosen].index)
        for chosen in (frame.allowed, ~frame.allowed, frame.allowed != False)  # noqa: E712
    ]


# Other columns of the table

PAGES = {"id": [1, 2, 3], "url": [*URLS, None], "is_new": [True, None, False]}


@pytest.mark.parametrize(
    "pages",
    [PAGES, pd.DataFrame(PAGES), pl.DataFrame(PAGES), pl.LazyFrame(PAGES), pa.table(PAGES)],
    ids=lambda pages: type(pages).__module__.partition(".")[0],
)
def test_kept_columns(pages: object) -> None:
    """They come first, as asked for; the rest is left out."""
    table = decide_table(pages, ROBOTS, "ExampleBot", keep=["is_new", "id"])  # type: ignore[arg-type]

    assert ["is_new", "id", "allowed", "reason", "line"] == table.column_names
    assert "Table(3 rows, columns=is_new, id, allowed, reason, line)" == repr(table)
    assert [(True, 1, False), (None, 2, True), (False, 3, None)] == [
        row[:3] for row in table.to_polars().rows()
    ]
    assert "boolean" == str(table.to_pandas().dtypes["allowed"])
    assert pa.table(table).schema == pa.schema(table)


def test_kept_columns_of_any_type_batch_by_batch() -> None:
    """Nested ones too; only as many batches are in memory as are read."""
    made = 0

    def batches() -> object:
        nonlocal made
        for made in range(1, 4):
            yield pa.record_batch({"url": URLS * made, "links": [[{"a": made}], None] * made})

    source = pa.RecordBatchReader.from_batches(next(iter(batches())).schema, batches())
    stream = decide_stream(source, ROBOTS, "ExampleBot", keep=["links"], threads=1)
    reader = pa.RecordBatchReader.from_stream(stream)
    first = reader.read_next_batch()

    assert 1 == made
    assert [[{"a": 1}], None] == first.column("links").to_pylist()
    assert [2, 4, 6] == [first.num_rows, *(each.num_rows for each in reader)]
    with pytest.raises(verger.InvalidTable, match="were read before"):
        stream.read_all()


def test_kept_columns_of_a_snapshot() -> None:
    """As with one file."""
    snapshot = Snapshot({"https://e.example": b"User-agent: *\nDisallow: /a\n"})
    table = decide_table(PAGES, snapshot, "ExampleBot", keep=["url"], use="search")

    assert [*URLS, None] == table.to_polars()["url"].to_list()
    assert "use_search" == table.column_names[-1]


def test_a_source_of_kept_columns_that_fails() -> None:
    """Its message is in the error, and no half of a table is returned."""

    def batches() -> object:
        yield pa.record_batch(PAGES)
        raise RuntimeError("the disk is gone")

    source = pa.RecordBatchReader.from_batches(pa.table(PAGES).schema, batches())
    with pytest.raises(verger.InvalidTable, match="the disk is gone"):
        decide_table(source, ROBOTS, "ExampleBot", keep=["id"])


@pytest.mark.parametrize(
    ("pages", "keep", "error", "said"),
    [
        (URLS, ["id"], verger.InvalidTable, "is a column of"),
        (PAGES, ["title"], verger.InvalidTable, "no column `title`"),
        (PAGES, "id", TypeError, "`keep` must be a sequence of names"),
        ({**PAGES, "line": [1, 2, 3]}, ["line"], verger.InvalidTable, "is a column of the answer"),
        ({"page": URLS, "id": [1, 2]}, ["id"], verger.InvalidTable, "no column `url`"),
    ],
    ids=str,
)
def test_columns_that_cannot_be_kept(
    pages: object, keep: list[str], error: type[Exception], said: str
) -> None:
    """Are named before a row is read."""
    with pytest.raises(error, match=said):
        decide_stream(pages, ROBOTS, "ExampleBot", keep=keep)  # type: ignore[arg-type]


# Other processes


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Snapshot({}), "send its table or its path, and make a `Snapshot` in each process"),
        (lambda: verger.Client("A/1"), "send its options, and make one in each process"),
        (lambda: verger.AsyncClient("A/1"), "send its options, and make one in each process"),
        (lambda: decide_table(URLS, ROBOTS, "A"), r"send `pyarrow.table\(table\)` instead"),
        (lambda: decide_table(PAGES, ROBOTS, "A", keep=["id"]), r"send `pyarrow.table\(table\)`"),
        (lambda: decide_stream(URLS, ROBOTS, "A"), "decide in the other process"),
    ],
)
def test_what_cannot_be_pickled_says_what_to_do(make: Callable[[], object], said: str) -> None:
    """One sentence, where Dask and multiprocessing show it."""
    with pytest.raises(TypeError, match=f"cannot be pickled: .*{said}"):
        pickle.dumps(make())


def test_results_are_not_a_mapping() -> None:
    """Nor rows; the error says what takes these."""
    result = verger.AccessResult("https://e.example/robots.txt", fetched_at=1.0, status=404)

    assert 1 == len(Snapshot.from_results(iter([result])))
    for other in ({"https://e.example": result}, [{"url": "https://e.example"}]):
        with pytest.raises(TypeError, match=r"takes a mapping, `Snapshot\.from_table` r"):
            Snapshot.from_results(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("urls", ["urls.parquet", Path("urls.parquet"), b"urls.parquet"])
def test_path_is_not_a_table(urls: object) -> None:
    """The error says what reads it."""
    with pytest.raises(TypeError, match=r"a path is not opened; read it first.*bulk\.filter"):
        decide_table(urls, ROBOTS, "ExampleBot")  # type: ignore[arg-type]


def test_list_of_other_things_is_refused() -> None:
    """Such as rows."""
    with pytest.raises(TypeError, match="one item is dict"):
        decide_table([{"url": URLS[0]}], ROBOTS, "ExampleBot")  # type: ignore[list-item]
    with pytest.raises(TypeError, match="one item is int"):
        decide_table([0], ROBOTS, "ExampleBot")  # type: ignore[list-item]


def test_path_of_a_snapshot_names_what_reads_it() -> None:
    """And what reads one file."""
    with pytest.raises(TypeError, match=r"verger\.load.*Snapshot\.from_path"):
        decide_table(URLS, "snapshot", "ExampleBot")  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["polars", "pandas", "pyarrow"])
def test_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an ImportError of a library."""
    table = decide_table(URLS, ROBOTS, "ExampleBot")
    asked: dict[str, Callable[[], object]] = {
        "polars": table.to_polars,
        "pandas": table.to_pandas,
        "pyarrow": lambda: decide_table(URLS, ROBOTS, "ExampleBot"),
    }
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(verger.MissingExtra, match=f"pip install .*{package}"):
        asked[package]()


def test_a_failing_stream_in_a_callback_of_another_library() -> None:
    """The library may have let the interpreter's lock go that a call of ours further up holds."""

    def batches() -> object:
        yield pa.record_batch({"url": URLS})
        raise RuntimeError("the disk is gone")

    class Lazy:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            source = pa.RecordBatchReader.from_batches(pa.schema([("url", pa.string())]), batches())
            pa.RecordBatchReader.from_stream(decide_stream(source, ROBOTS, "A")).read_all()

    with pytest.raises(pa.ArrowInvalid, match="the disk is gone"):
        decide_table(Lazy(), ROBOTS, "ExampleBot")
