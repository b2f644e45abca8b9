"""Suites: files with expectations together, and the robots.txt files that they share."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from verger.errors import UnusableInput
from verger.expectations import Subject, Suite

BODY = b"User-agent: *\nDisallow: /*.gif$\n"
ONE = '[[expect]]\nagent = "A"\nurl = "/x.gif"\nallowed = false\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots.txt").write_bytes(BODY)
    return tmp_path


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.robots.toml"
    path.write_text(text)
    return path


def test_results(folder: Path) -> None:
    """Each file has its outcomes, or why it has none."""
    paths = [
        written(folder, "holds", f'robots = "robots.txt"\n{ONE}'),
        written(folder, "fails", f'robots = "robots.txt"\ndialect = "original-1994"\n{ONE}'),
        written(folder, "nameless", ONE),
        written(folder, "elsewhere", f'robots = "gone.txt"\n{ONE}'),
        written(folder, "broken", "["),
        folder / "gone.robots.toml",
    ]
    report = Suite(paths).judge()

    assert (1, 1, 4) == (report.passed, report.failed, report.errors)
    assert list(map(str, paths)) == [file.name for file in report.files]
    assert [None, None] == [file.error for file in report.files[:2]]
    assert (
        f"`{paths[2]}` names no robots.txt file",
        'pass `robots`, or write `robots = "robots.txt"` at its top',
    ) == report.files[2].error


def test_one_path(folder: Path) -> None:
    """As text or as a path; what is no path is refused."""
    path = written(folder, "a", f'robots = "robots.txt"\n{ONE}')

    assert 1 == Suite(path).judge().passed
    assert Suite(str(path)).judge() == Suite([path]).judge()
    with pytest.raises(TypeError, match="`paths` must be a path"):
        Suite([1])  # type: ignore[list-item]


def test_a_robots_file_is_read_once(folder: Path) -> None:
    """In all dialects that need it, and once even if that fails."""
    asked: list[tuple[str, list[str]]] = []

    def find(robots: str, dialects: Sequence[str]) -> Subject:
        asked.append((robots, list(dialects)))
        if robots.startswith("https:"):
            raise UnusableInput("down")
        return Subject.of_bytes(BODY)

    google = f'robots = "robots.txt"\n{ONE}dialect = "google"\n'
    paths = [
        written(folder, "a", f'robots = "robots.txt"\n{ONE}'),
        written(folder, "b", google),
        written(folder, "c", f'robots = "https://a.example"\n{ONE}'),
        written(folder, "d", f'robots = "https://a.example"\n{ONE}'),
    ]
    suite = Suite(paths, dialect="bing")
    report = suite.judge(find)

    here = str(folder / "robots.txt")
    assert [here, "https://a.example"] == suite.robots
    assert [(here, ["bing", "google"]), ("https://a.example", ["bing"])] == asked
    assert [None, None, ("down", None), ("down", None)] == [each.error for each in report.files]


def test_one_robots_file_for_all(folder: Path) -> None:
    """It counts whatever the files name, and without it there is no report."""
    paths = [written(folder, "a", f'robots = "gone.txt"\n{ONE}'), written(folder, "b", ONE)]

    assert 2 == Suite(paths, robots=str(folder / "robots.txt")).judge().passed
    with pytest.raises(UnusableInput):
        Suite(paths, robots=str(folder / "gone.txt")).judge()
