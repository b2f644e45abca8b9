"""Columns and files: what is missing is named, with what to do."""

from pathlib import Path

import pytest

from verger.files.input_errors import damaged, no_column


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


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("robots.txt", "relative paths start from the current folder"),
        ("shop.robot.toml", "did you mean `e.robots.toml`?"),
        ("uls.csv", "did you mean `urls.csv`?"),
        ("urls.cs", "did you mean `urls.csv`?"),
        ("log.txt", "did you mean `log.txt.gz`?"),
    ],
)
def test_file_that_is_not_there(
    name: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of another kind is not what was meant, however alike the names are."""
    for known in ("e.robots.toml", "urls.csv", "log.txt.gz"):
        (tmp_path / known).touch()
    monkeypatch.chdir(tmp_path)

    assert hint == damaged(name, FileNotFoundError(2, "no such file")).hint
