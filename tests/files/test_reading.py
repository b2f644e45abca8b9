"""Columns: what is missing is named, with what to do."""

from verger.files.reading import no_column


def test_column_that_is_not_there() -> None:
    """The nearest name is proposed, else all are told; what a table needs may be said instead."""
    asked = [
        no_column("`t.csv`", "ulr", ["id", "url"], option="--column "),
        no_column("`t.csv`", "page", ["id", "x\x1b"]),
        no_column("`t.csv`", "page", []),
        no_column("`t.csv`", "page", ["pages"], needs="a page is needed"),
    ]

    assert {"no column `ulr` in `t.csv`", "no column `page` in `t.csv`"} == {
        error.message for error in asked
    }
    assert [
        "did you mean `--column url`?",
        "the columns are `id`, `x\\x1b`",
        "it has no columns",
        "a page is needed",
    ] == [error.hint for error in asked]
