"""The scripts of the GitHub Action, run here: a git repository, a pull request, and a `gh` that
keeps the comments of one.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import CHECKOUT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells of POSIX")

ACTION = CHECKOUT / "tools" / "action"

GH = """\
#!/bin/sh
# what `gh api` is asked, one call a line; a comment is there once one was posted
printf '%s\\n' "$*" >> "$KEPT/calls"
case "$*" in
    *--jq*) [ ! -f "$KEPT/comment" ] || echo 7 ;;
    *) for word; do case $word in body=@*) cp "${word#body=@}" "$KEPT/comment" ;; esac; done ;;
esac
"""

OLD, NEW = b"User-agent: *\nDisallow: /a\n", b"User-agent: *\nDisallow: private\n"
HOSTILE = "$(touch pwned);`touch pwned`/-o 'x'\"y/robots.txt"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Make a repository whose file a pull request changes, and a `gh` of its own."""
    binary = tmp_path / "bin"
    binary.mkdir()
    (binary / "gh").write_text(GH)
    (binary / "gh").chmod(0o755)
    (binary / "verger").symlink_to(Path(sys.executable).with_name("verger"))
    site = tmp_path / "site"
    site.mkdir()
    run(site, "git", "init", "--quiet")
    for name in ("robots.txt", HOSTILE):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(OLD)
    run(site, "git", "add", "--all")
    run(site, "git", "commit", "--quiet", "--message", "old")
    for name in ("robots.txt", HOSTILE):
        (site / name).write_bytes(NEW)
    return site


def run(site: Path, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in the repository, as the action would."""
    who = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    somebody = dict.fromkeys(who, "x")
    path = f"{site.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | somebody | {"PATH": path, "KEPT": str(site.parent)} | more
    return subprocess.run(words, cwd=site, env=env, capture_output=True, text=True, check=False)


def report(
    site: Path, name: str, *, base: str = "HEAD", fail_on: str = "warning"
) -> "subprocess.CompletedProcess[str]":
    """Run the step that lints and compares."""
    words = {
        "ROBOTS": name,
        "BASE": base,
        "FAIL_ON": fail_on,
        "REPORT": str(site.parent / "r.md"),
    }
    return run(site, "sh", str(ACTION / "report.sh"), **words)


def comment(site: Path, number: str = "12") -> "subprocess.CompletedProcess[str]":
    """Run the step that comments."""
    words = {"REPORT": str(site.parent / "r.md"), "PULL_REQUEST": number, "REPOSITORY": "o/n"}
    return run(site, "sh", str(ACTION / "comment.sh"), **words, GH_TOKEN="none")


@pytest.mark.parametrize("name", ["robots.txt", HOSTILE])
def test_report(site: Path, name: str) -> None:
    """Annotations go to the log, findings and the diff to the report; no name is a command."""
    done = report(site, name)
    said = (site.parent / "r.md").read_text()

    assert (1, 1) == (done.returncode, done.stdout.count("::error file="))
    assert said.startswith("<!-- verger -->\n### verger lint\n")
    assert "RT301" in said
    assert "| opened | `/a` |" in said
    assert [] == list(site.parent.rglob("pwned"))


def test_new_file(site: Path) -> None:
    """A file that the base branch does not have is compared with nothing."""
    (site / "new.txt").write_bytes(OLD)

    assert 0 == report(site, "new.txt").returncode
    assert "has no such file" in (site.parent / "r.md").read_text()


def test_absolute_path(site: Path) -> None:
    """A file is compared with the base branch however it is named."""
    report(site, str(site / "robots.txt"))

    assert "| opened | `/a` |" in (site.parent / "r.md").read_text()


def test_revision_that_is_not_there(site: Path) -> None:
    """What was not fetched is not what the base branch does not have."""
    report(site, "robots.txt", base="deadbeef" * 5)

    assert "fetch-depth: 0" in (site.parent / "r.md").read_text()


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("note", 1)])
def test_removed_file(site: Path, fail_on: str, code: int) -> None:
    """A pull request that removes the file opens the site, and the report says so."""
    (site / "robots.txt").unlink()
    done = report(site, "robots.txt", fail_on=fail_on)

    assert code == done.returncode
    assert "::warning::robots.txt is removed" in done.stdout
    assert "" == done.stderr
    said = (site.parent / "r.md").read_text()
    assert "The file is removed" in said
    assert "| opened | `/a` |" in said


@pytest.mark.parametrize("base", ["HEAD", ""])
def test_name_of_no_file(site: Path, base: str) -> None:
    """A name that is mistyped is an error, not a file that is new."""
    done = report(site, "public/100%\nrobots.txt", base=base)

    assert 2 == done.returncode
    assert "::error::there is no file public/100%25 robots.txt: name" in done.stdout
    said = (site.parent / "r.md").read_text()
    assert "There is no such file" in said
    assert "`file:` of the workflow" in said


def test_name_of_the_base(site: Path) -> None:
    """Readers see a short name of the revision."""
    full = run(site, "git", "rev-parse", "HEAD").stdout.strip()
    report(site, "robots.txt", base=full)
    said = (site.parent / "r.md").read_text()

    assert full not in said
    assert f"### Changes from `{full[:7]}" in said


def test_comment_is_updated(site: Path) -> None:
    """The first comment is posted; the second takes its place."""
    report(site, "robots.txt")
    assert (0, 0) == (comment(site).returncode, comment(site).returncode)
    calls = (site.parent / "calls").read_text().splitlines()

    assert ["--paginate", "--method POST", "--paginate", "--method PATCH"] == [
        " ".join(
            word for word in call.split() if word in ("--paginate", "--method", "POST", "PATCH")
        )
        for call in calls
    ]
    assert "repos/o/n/issues/comments/7" in calls[-1]
    assert (site.parent / "comment").read_text() == (site.parent / "r.md").read_text()


def test_long_reports_are_cut(site: Path) -> None:
    """GitHub takes so much of a comment."""
    (site.parent / "r.md").write_text("<!-- verger -->\n" + "| ü |\n" * 30_000)

    assert 0 == comment(site).returncode
    assert (site.parent / "comment").stat().st_size < 65_536
    assert (site.parent / "comment").read_text().endswith("see the annotations.\n")


def test_without_a_pull_request(site: Path) -> None:
    """A push has nothing to comment on; what is not a number is refused."""
    assert 0 == comment(site, "").returncode
    assert 2 == comment(site, "12/../13").returncode
    assert not (site.parent / "calls").exists()


def test_no_expression_reaches_a_shell() -> None:
    """Scripts read the environment: an expression in a script is a command of a stranger."""
    lines = (CHECKOUT / "action.yml").read_text().splitlines()
    scripts = [line for line in lines if line.strip().startswith("run:")]

    assert 4 == len(scripts)
    assert [] == [line for line in scripts if "${{" in line]
