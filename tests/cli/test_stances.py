"""Stances as the command writes them: a file beside the one of the site is not taken for it."""

from pathlib import Path

from .conftest import Run

SHOP = b"User-agent: *\nDisallow: /basket\n"


def test_expectations_name_the_file_that_they_are_of(run: Run, folder: Path) -> None:
    """`--fix` then closes the staging host, and not the shop."""
    (folder / "robots.txt").write_bytes(SHOP)
    (folder / "staging.txt").write_bytes(SHOP)
    recorded = ("--record", "--robots", "staging.txt", "--output", "staging.robots.toml")
    assert run("test", "--stance", "staging", *recorded).code == 0

    assert 'robots = "staging.txt"' in (folder / "staging.robots.toml").read_text()
    assert run("test", "--fix", "staging.robots.toml").code == 0
    assert (folder / "robots.txt").read_bytes() == SHOP
    assert b"Disallow: /\n" in (folder / "staging.txt").read_bytes()


def test_a_stance_is_not_written_over_a_file_that_is_named_to_be_tested(run: Run) -> None:
    done = run("test", "--stance", "staging", "--robots", "robots.txt")

    assert (2, "") == (done.code, done.out)
    assert "pass `--output` for where to write it" in done.err
