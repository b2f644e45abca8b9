"""News as lines of a file: what is there stays whole, and no line is there twice."""

from pathlib import Path

import pytest

from verger.errors import UnusableOutput
from verger.watch.news_file import append

LINES = ['{"id": 1}', '{"id": 2}', '{"id": 3}']
ALL = "".join(f"{line}\n" for line in LINES)


@pytest.mark.parametrize("size", range(len(ALL) + 1))
@pytest.mark.parametrize("before", ["", "of others\n", '{"id": 0}\n'])
def test_what_was_cut_off_anywhere_is_completed(tmp_path: Path, size: int, before: str) -> None:
    """A process that was killed while it wrote leaves no half of a line, and none twice."""
    path = tmp_path / "news.jsonl"
    path.write_text(before + ALL[:size])

    append(str(path), LINES)

    assert before + ALL == path.read_text()


def test_an_unfinished_line_of_others_stays(tmp_path: Path) -> None:
    """It is ended first."""
    path = tmp_path / "news.jsonl"
    path.write_text("unfinished")

    append(str(path), LINES)

    assert f"unfinished\n{ALL}" == path.read_text()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """An output that cannot be written is an error that names it."""
    with pytest.raises(UnusableOutput, match="cannot write"):
        append(str(tmp_path), LINES)
