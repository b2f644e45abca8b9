"""What the name of a file says of its format."""

import pytest

from verger.errors import InvalidOption
from verger.files.formats import (
    TABLES,
    expect_format,
    format_by_name,
    input_format,
    is_packed,
    output_format,
)


@pytest.mark.parametrize(
    ("name", "told", "packed"),
    [
        *((name, None, False) for name in ("csv", "dir.csv/x", "x.", "x.csv.bak", "")),
        ("x.gz", None, True),
        ("urls.txt", "text", False),
        ("a/b.c/x.ndjson", "jsonl", False),
        ("x.CSV.GZ", "csv", True),
        ("x.warc.gz", "warc", True),
    ],
)
def test_names(name: str, told: str | None, packed: bool) -> None:
    """The ending counts, in any case, in front of the one of gzip."""
    assert (told, packed) == (format_by_name(name), is_packed(name))


@pytest.mark.parametrize(
    ("name", "known", "format"),
    [
        ("o.sarif", ("text", "sarif"), "sarif"),
        ("o.md", ("text", "markdown"), "markdown"),
        ("o.XML", ("text", "junit"), "junit"),
        ("o.log", ("text", "json"), "text"),
        ("-", ("text", "json"), "text"),
    ],
)
def test_formats_that_are_only_written(name: str, known: tuple[str, ...], format: str) -> None:
    """A name implies them where they can be written."""
    assert format == output_format(name, None, known)


@pytest.mark.parametrize("format", [None, "text"])
@pytest.mark.parametrize(
    "name",
    [
        *("o.md", "o.sarif", "o.tsv", "o.xml", "o.toml", "o.YAML", "o.yml", "o.pdf", "o.docx"),
        *("o.xls", "o.xlsx", "o.ods", "o.arrow", "o.feather", "o.orc", "o.avro", "o.sqlite"),
        *("o.bz2", "o.xz", "o.zst", "o.lz4", "o.7z", "o.tar", "o.tgz", "o.csv.zip", "o.json.XZ"),
    ],
)
def test_a_name_promises_nothing_else(name: str, format: str | None) -> None:
    """Text in a file that is named as Markdown is refused, as a table would be."""
    with pytest.raises(InvalidOption):
        output_format(name, format, ("text", "json"))


@pytest.mark.parametrize("name", ["o", "o.txt", "o.robots", "o.7", "zip", "yaml/o", "-"])
def test_names_that_promise_nothing(name: str) -> None:
    """Any format may be in such a file, and text is by default."""
    assert "text" == output_format(name, None, ("text", "json"))


def test_a_name_in_another_packing() -> None:
    """The hint is a name: no other format would fit."""
    for refuse in (
        lambda: output_format("o.csv.bz2", None, ("text", "csv"), packs=True),
        lambda: output_format("o.csv.bz2", "csv", ("text", "csv")),
        lambda: expect_format("o.csv.bz2", "csv", "CSV"),
    ):
        with pytest.raises(InvalidOption, match="verger does not write bzip2") as raised:
            refuse()
        assert "leave `.bz2` out of the name" == raised.value.hint


@pytest.mark.parametrize(
    ("name", "format", "found"),
    [
        ("i.csv", None, "csv"),
        ("i.csv.gz", "csv", "csv"),
        ("i.log", "csv", "csv"),
        ("i.json", "csv", "csv"),
        ("i.json", None, None),
        ("-", None, None),
    ],
)
def test_formats_of_inputs(name: str, format: str | None, found: str | None) -> None:
    """A name says what is read, if that is read here."""
    assert found == input_format(name, format, TABLES)


@pytest.mark.parametrize("name", ["i.jsonl", "i.PARQUET", "i.ndjson.gz"])
def test_an_input_named_otherwise(name: str) -> None:
    """A format that contradicts the name is refused."""
    with pytest.raises(InvalidOption, match="but `--input-format` says csv"):
        input_format(name, "csv", TABLES, option="--input-format")


@pytest.mark.parametrize("name", ["o.csv.gz", "o.gz", "o.CSV.GZ"])
def test_outputs_that_are_not_packed(name: str) -> None:
    """A name may not promise what is not done."""
    assert output_format(name, None, ("text", "csv"), packs=True)
    for refuse in (
        lambda: output_format(name, None, ("text", "csv")),
        lambda: expect_format(name, "csv", "CSV"),
    ):
        with pytest.raises(InvalidOption, match="it is not compressed here"):
            refuse()
