"""`verger lint`: what is said of files, in every format, and how they are mended."""

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from support import CHECKOUT
from verger.cli import progress
from verger.cli.app import main
from verger.cli.commands import lint_output
from verger.files import workers
from verger.lint import all_checks
from verger.objects.lint import LINT_SCHEMA as SCHEMA

from .conftest import Run, laid_down, validator
from .console import console, environment
from .test_csv_table import Terminal

pytestmark = pytest.mark.usefixtures("folder")

SARIF = CHECKOUT / ".cache" / "sarif" / "schema.json"

BODY = b"User-agent: *\nDisallow: private\nDisallow: /a\nDisallow: /a\n"


@pytest.fixture
def robots(folder: Path) -> Path:
    """Lay down a file with an error that only a person can mend, and a note that is mended."""
    return laid_down(folder, BODY)


@pytest.mark.parametrize("format_", ["text", "github", "markdown"])
def test_old_output_stays(run: Run, folder: Path, format_: str) -> None:
    """If no file can be read, there are no findings to put in place of the old ones."""
    (folder / "old").write_text("old")
    done = run("lint", "--format", format_, "--output", "old", "gone", "lost")

    assert (2, "", "old") == (done.code, done.out, (folder / "old").read_text())
    assert 2 == done.err.count("error: no such file: ")


@pytest.mark.parametrize("name", ["pyproject.toml", "verger.toml"])
def test_configuration_is_no_output(name: str, run: Run, folder: Path) -> None:
    """A configuration file that was found is an input, as one that is named; links lead to it."""
    settings = "[tool.verger.lint]\nignore = ['RT3']\n"
    (folder / name).write_text(settings if name == "pyproject.toml" else "ignore = ['RT3']\n")
    before = (folder / name).read_text()
    (folder / "sub").mkdir()
    (folder / "sub" / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /\n")
    (folder / "link").symlink_to(name)
    done = run("lint", "--output", "link", "sub/robots.txt")

    assert (2, before) == (done.code, (folder / name).read_text())
    assert "both input and output" in done.err


@pytest.mark.parametrize("words", [(), ("--output", "old")])
def test_documents_without_a_file(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    """JSON and SARIF have a place for what could not be read."""
    (folder / "old").write_text("old")

    def said(format_: str) -> dict[str, Any]:
        done = run("lint", "--format", format_, *words, "gone")
        assert done.code == 2
        text = (folder / "old").read_text() if words else done.out
        found: dict[str, Any] = json.loads(text)
        return found

    report, log = said("json"), said("sarif")

    assert ([], ["no such file: `gone`"]) == (report["files"], report["unread"])
    assert [] == list(validator("lint").iter_errors(report))
    assert not log["runs"][0]["invocations"][0]["executionSuccessful"]


def test_stdin_has_one_name(run: Run) -> None:
    """In JSON as in messages."""
    said = json.loads(run("lint", "-", "--format", "json", stdin=BODY).out)

    assert ["stdin"] == [each["file"] for each in said["files"]]


def test_fix(run: Run, robots: Path, folder: Path) -> None:
    """Safe fixes are written in place: through links, and with the mode of the file."""
    robots.chmod(0o640)
    (folder / "link").symlink_to(robots)
    done = run("lint", "--fix", "link")

    assert robots.read_bytes() == BODY.removesuffix(b"Disallow: /a\n")
    assert (folder / "link").is_symlink()
    assert stat.S_IMODE(robots.stat().st_mode) == 0o640
    assert (1, "1 fixed, 0 URLs and 0 uses changed; 1 error in 1 file\n") == (done.code, done.err)


@pytest.mark.parametrize("format_", ["json", "sarif"])
def test_what_programs_apply_is_proved(run: Run, format_: str) -> None:
    """Without its star, the rule is too short to win: that fix is not safe by itself."""
    body = b"User-agent: *\nDisallow: /a/\nAllow: /a*\n"

    said = run("lint", "-", "--select", "RT309", "--format", format_, stdin=body).out

    assert '"applicability": "unsafe"' in said
    assert '"applicability": "safe"' not in said


def test_diff(run: Run, robots: Path, folder: Path) -> None:
    """`--diff` writes nothing but what `patch` makes of the file what `--fix` does."""
    done = run("lint", "--diff", robots.name)
    assert (1, BODY) == (done.code, robots.read_bytes())

    (folder / "patch").write_bytes(done.data)
    subprocess.run(["git", "apply", "-p0", "patch"], cwd=folder, check=True)

    assert robots.read_bytes() == BODY.removesuffix(b"Disallow: /a\n")
    again = run("lint", "--diff", robots.name)
    assert (0, "") == (again.code, again.out)


def test_diff_tells_what_changes(run: Run, folder: Path) -> None:
    """A fix that gives a use away says so before it is made, too."""
    body = b"User-agent: GPTBot, CCBot\nContent-Signal: ai-train=yes\nDisallow: /x\n"
    (folder / "r.txt").write_bytes(body)
    shown, made = (run("lint", how, "--unsafe-fixes", "r.txt") for how in ("--diff", "--fix"))

    told = [line for line in made.err.splitlines() if line.startswith("r.txt: ")]
    assert "r.txt: more is allowed for ai-train to CCBot (not in original-1994)" in told
    assert told == shown.err.splitlines()[:-1]


def test_diff_of_bytes_anywhere(robots: Path, folder: Path) -> None:
    """A diff has the bytes of the file, whatever the encoding of the system: else none applies."""
    robots.write_bytes("User-agent: *\nDisallow: /é\nDisallow: /é\n".encode() + b"# \xff\n")
    done = subprocess.run(
        [sys.executable, "-m", "verger", "lint", "--diff", robots.name],
        cwd=folder,
        env=environment(PYTHONIOENCODING="latin-1"),
        capture_output=True,
        check=False,
    )

    assert b"\n Disallow: /\xc3\xa9\n-Disallow: /\xc3\xa9\n # \xff\n" in done.stdout


def test_json(run: Run, robots: Path) -> None:
    """The object follows its schema, with and without findings."""
    for words in ((robots.name,), (robots.name, "--fix"), ("-",)):
        said = json.loads(run("lint", "--format", "json", *words).out)

        assert SCHEMA == said["schema"]
        assert [] == list(validator("lint").iter_errors(said))


def test_json_lines(run: Run, folder: Path) -> None:
    """One line for each file that was read, as it stands in the one object."""
    for name in ("a", "b"):
        (folder / name).write_bytes(BODY)
    whole = json.loads(run("lint", "--format", "json", "a", "b").out)
    done = run("lint", "--format", "jsonl", "a", "gone", "b")

    assert whole["files"] == [json.loads(line) for line in done.out.splitlines()]
    assert (2, 1) == (done.code, done.err.count("error: no such file: `gone`"))


def test_folder_of_other_names(run: Run, folder: Path) -> None:
    """Its files are read if each has a line of robots.txt files, or says nothing; hidden ones are
    left out."""
    (folder / "sites").mkdir()
    for name in (b"a.txt", b"b", b"\xff.txt"):
        (folder / "sites" / os.fsdecode(name)).write_bytes(BODY)
    (folder / "sites" / ".DS_Store").write_bytes(b"\0")
    done = run("lint", "sites", "--statistics")

    assert (1, "in 3 files" in done.err) == (done.code, True)
    assert json.loads(run("lint", "sites", "--format", "json").out)["summary"]["files"] == 3
    for words in (["lint", "--fix"], ["fmt"]):  # which write into files that may be anything
        assert (2, "") == ((done := run(*words, "sites")).code, done.out)
        assert (folder / "sites" / "b").read_bytes() == BODY

    (folder / "sites" / "notes").write_bytes(b"about these files\n")
    done = run("lint", "sites")

    assert (2, "") == (done.code, done.out)
    assert done.err == (
        "error: no robots.txt file in the folder `sites`, and `sites/notes` is not one by its "
        "content\nhint: name the files, such as `sites/*.txt`\n"
    )


def test_folder_named_after_hosts(run: Run, folder: Path) -> None:
    """Of a site whose file says nothing, it is one; the hint names those that say something."""
    (folder / "sites" / "sub").mkdir(parents=True)
    (folder / "sites" / "a.example").write_bytes(b"")
    silent = run("lint", "sites")
    (folder / "sites" / "b.example").write_bytes(b"\n# nothing yet\n")
    (folder / "sites" / "sub" / "c.example").write_bytes(BODY)
    done = run("lint", "sites", "--format", "json")
    (folder / "sites" / "d.html").write_bytes(b"<html></html>")
    mixed = run("lint", "sites")

    assert (2, "") == (silent.code, silent.out)
    assert 3 == json.loads(done.out)["summary"]["files"]
    assert "`sites/d.html` is not one by its content" in mixed.err
    assert mixed.err.endswith("hint: name the files, such as `sites/sub/*.example`\n")


def test_broken_file_in_a_folder_of_other_names(run: Run, folder: Path) -> None:
    """What cannot be read is told, and does not decide what the others are."""
    (folder / "sites").mkdir()
    (folder / "sites" / "a").write_bytes(BODY)
    (folder / "sites" / "b").write_bytes(b"\x1f\x8b")
    done = run("lint", "sites", "--format", "github")

    assert (2, 2) == (done.code, len(done.out.splitlines()))
    assert "error: `sites/b` is compressed with gzip" in done.err


@pytest.mark.parametrize("output", ["-", "out"])
def test_progress(monkeypatch: pytest.MonkeyPatch, robots: Path, output: str) -> None:
    """It is shown where the findings go elsewhere, and is gone at the end."""
    err = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setattr(sys, "stderr", Terminal(err, encoding="utf-8"))
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setattr(lint_output, "SOON", 0.0)
    main(["lint", robots.name, "--output", output])
    sys.stderr.flush()

    assert (output == "out") == (b"] 100%  1 files" in err.getvalue())
    assert err.getvalue().count(b"\r\x1b[K") == (output == "out")


def results(run: Run, *words: str, stdin: bytes = b"") -> list[dict[str, object]]:
    log = json.loads(run("lint", "--format", "sarif", *words, stdin=stdin).out)
    found: list[dict[str, object]] = log["runs"][0]["results"]
    return found


def test_sarif_follows_the_schema(run: Run, robots: Path) -> None:
    """The log is valid for the schema of the standard."""
    if not SARIF.exists():
        pytest.skip("`sh tools/sarif.sh` fetches the schema")
    validator = Draft7Validator(json.loads(SARIF.read_text("utf-8")))
    robots.write_bytes(BODY + b"Disallow: /\xff\xf0\x9f\x8d\x8b x\nUser-agent: *\nAllow: /b\n")
    for words in ((robots.name,), ("/dev/null",), (robots.name, "gone")):
        log = json.loads(run("lint", "--format", "sarif", *words).out)

        assert [] == [error.message for error in validator.iter_errors(log)]
    assert "2.1.0" == log["version"]


def test_sarif_has_no_links_of_strangers(run: Run) -> None:
    """A viewer makes a link of `[text](target)`; a file has it in no message, fix or relation."""
    link = "[a](http://evil.example)"
    body = f"User-agent: *\nDisallow: /b {link}\nDisallow: /*{link}\nDisallow: /*{link}/c\n"
    found = results(run, "-", stdin=body.encode())

    assert {"RT305", "RT310"} <= {result["ruleId"] for result in found}
    assert "](" not in json.dumps([{**result, "fixes": titles(result)} for result in found])


def titles(result: dict[str, Any]) -> list[object]:
    """Return what is said of the fixes of a result, without their bytes."""
    return [fix["description"] for fix in result.get("fixes", [])]


def test_sarif_columns(run: Run) -> None:
    """Columns count code units of UTF-16, and offsets count bytes."""
    body = "User-agent: *\nDisallow: /🍋 # 🍋\nSitemap : \U0001f34bx\n".encode()
    (result,) = results(run, "--select", "RT401", "-", stdin=body)
    region = result["locations"][0]["physicalLocation"]["region"]  # type: ignore[index]

    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (3, 11, 14)
    assert body[region["byteOffset"] :][: region["byteLength"]] == "\U0001f34bx".encode()


def test_fingerprints_survive_moved_lines(run: Run) -> None:
    """A line that moves is the same finding; the same finding twice is two."""

    def prints(body: bytes) -> list[object]:
        return [each["partialFingerprints"] for each in results(run, "-", stdin=body)]

    twice = BODY + b"Disallow: private\n"

    assert prints(BODY) == prints(BODY.replace(b"\n", b"\n# new\n", 1))
    assert len(set(map(str, prints(twice)))) == len(prints(twice))


def test_github(run: Run, folder: Path) -> None:
    """An annotation is one line, whatever the file is called."""
    name = "a,b:c%\n::error::x/robots.txt"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(BODY)
    (line,) = run("lint", "--format=github", "--select=RT301", "--", name).out.splitlines()

    assert line.startswith("::error file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax/robots.txt,line=2,")
    assert line.count("::") == 2


def test_many_files_in_order(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes say the same as one, in the order of the files."""
    for number in range(30):
        (folder / f"{number:02}").mkdir()
        (folder / f"{number:02}" / "robots.txt").write_bytes(BODY * (1 + number % 3))
    alone = run("lint")
    monkeypatch.setattr(workers, "MANY", 10)
    monkeypatch.setattr(workers, "CHUNK", 4)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    assert alone == run("lint")


def test_list_and_about(run: Run) -> None:
    """Every check is listed, and explained by its code and by its name."""
    listed = run("lint", "--list").out

    for check in all_checks().values():
        assert f"{check.code}  {check.name}" in listed or f"{check.code} {check.name}" in listed
        assert run("lint", "--about", check.code) == run("lint", "--about", check.name)


def test_format_in_another_encoding(folder: Path) -> None:
    """A diff of `fmt` is the bytes of the file, also for a stdout that lacks its characters."""
    laid_down(folder, "user-agent: *\ndisallow: /\u2013\n".encode())

    shown = console("$ verger fmt --diff", folder, PYTHONIOENCODING="latin-1")

    assert "\n-disallow: /\u2013\n+User-agent: *\n+Disallow: /\u2013\n" in shown
