"""Every command that writes: what it refuses to write over, and how it writes all else.

In: a table of commands with their inputs, stores and outputs; a command that writes and is not in
it fails the tests. Out: the refusal and the file as it was, or the output.
"""

import gzip
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from bulk.report import scans
from bulk.scan.archives import archive
from cache.samples import filled
from patience import LONG
from verger.cli.app import COMMANDS, main
from verger.cli.commands import cache

from .conftest import Run
from .console import environment
from .test_cache import entries
from .test_terminal import grammar_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices of POSIX"),
]


@dataclass(frozen=True, slots=True)
class Use:
    """One way to use a command; `OUT` stands for what it writes."""

    words: Sequence[str]
    reads: Sequence[str] = ()
    """Files that are inputs or stores, lie in a folder of inputs, or belong to a store."""
    beside: Sequence[str] = ()
    """What the command rightly leaves beside its output."""


def use(words: str, reads: str = "", beside: str = "") -> Use:
    """Return a use whose words, and the names of whose files, have no blank in them."""
    return Use(words.split(), reads.split(), beside.split())


STORE = "c.sqlite c.sqlite-wal c.sqlite-shm c.sqlite-journal to-cache to-wal"

USES = {
    "filter": use(
        "filter --snapshot sites --agent A --output OUT u.txt v.txt.gz",
        "u.txt v.txt.gz link hard sites/a.example sites/new sites/deep/new sites/away",
    ),
    "filter by a cache": use(
        "filter --snapshot c.sqlite --agent A --output OUT u.txt", f"u.txt {STORE}"
    ),
    "filter over the network": use(
        "filter --user-agent A/1 --cache c.sqlite --ca-bundle ca.pem --output OUT none.txt",
        f"none.txt ca.pem {STORE}",
    ),
    "filter with a new cache": use(
        "filter --user-agent A/1 --cache new.sqlite --output OUT none.txt",
        "none.txt new.sqlite new.sqlite-wal NEW.sqlite new.sqlite-shm",
    ),
    "audit": use("audit --robots robots.txt --output OUT access.log", "robots.txt access.log"),
    "audit by a history": use(
        "audit --history history --output OUT access.log --format csv",
        "access.log history/2026-01-01.txt history/2026-02-02.txt away.txt",
    ),
    "block": use("block --robots robots.txt --agent A --output OUT", "robots.txt"),
    "allow": use("allow --robots robots.txt --agent A --output OUT", "robots.txt"),
    "minimise": use("minimise --robots robots.txt --output OUT", "robots.txt"),
    "scan": use("scan a.warc.gz --output OUT", "a.warc.gz"),
    "scan of records": use(
        "scan a.warc.gz --output o.parquet --records OUT",
        "a.warc.gz o.parquet ./o.parquet",
        "o.parquet",
    ),
    "report": use("report scan.parquet --output OUT", "scan.parquet"),
    "report of a folder": use("report scans --output OUT", "scans/s.parquet scans/new.parquet"),
    "report of a pattern": use(
        "report scans/s*.parquet --output OUT", "scans/s.parquet scans/s2.parquet"
    ),
    "watch": use(
        "watch list.txt --archive h.archive --once --user-agent A/1 --ca-bundle ca.pem"
        " --expect ok.robots.toml --output OUT",
        "list.txt h.archive h.archive-wal ca.pem ok.robots.toml",
    ),
    "history": use("history http://a.example --archive h.archive --output OUT", "h.archive"),
    "cache export": use("cache export --cache c.sqlite --output OUT", f"{STORE}"),
    "check": use("check --robots robots.txt --agent A / --output OUT", "robots.txt"),
    "check by a folder": use(
        "check --snapshot sites --agent A --output OUT http://a.example/",
        "sites/a.example sites/new sites/deep/new sites/away",
    ),
    "check with a cache": use(
        "check --user-agent A/1 --cache c.sqlite --ca-bundle ca.pem --output OUT nothing",
        "c.sqlite ca.pem",
    ),
    "agents": use("agents robots.txt --output OUT", "robots.txt"),
    "diff": use("diff robots.txt away.txt --output OUT", "robots.txt away.txt"),
    "diff of a site in a folder": use(
        "diff sites::a.example robots.txt --output OUT",
        "robots.txt sites/a.example sites/new sites/away",
    ),
    "diff of snapshots": use(
        "diff sites a.warc.gz --output OUT --format csv",
        "a.warc.gz sites/a.example sites/new sites/away",
    ),
    "compare": use("compare robots.txt --with=google --output OUT", "robots.txt"),
    "compare of a site in a folder": use(
        "compare sites::a.example --with=google --output OUT",
        "sites/a.example sites/new sites/away",
    ),
    "test": use("test ok.robots.toml --output OUT", "ok.robots.toml robots.txt"),
    "test --record": use("test --record --robots robots.txt --output OUT", "robots.txt"),
    "lint": use("lint robots.txt --format json --output OUT", "robots.txt"),
    "fmt": use("fmt robots.txt", "robots.txt"),
    "completion": use("completion bash"),
    "mcp": use("mcp"),
    "serve": use("serve"),
    "lsp": use("lsp"),
    "cache list": use("cache list --cache c.sqlite", "c.sqlite"),
    "cache show": use("cache show --cache c.sqlite http://a.example", "c.sqlite"),
    "cache refresh": use(
        "cache refresh --cache c.sqlite --ca-bundle ca.pem --user-agent A/1 http://a.example",
        "c.sqlite ca.pem",
    ),
    "cache purge": use("cache purge --cache c.sqlite --all", "c.sqlite"),
}
WRITING = [name for name, use in USES.items() if "OUT" in use.words]
RUN = [
    *("filter", "audit", "audit by a history", "block", "allow", "minimise", "lint"),
    *("scan", "scan of records", "report", "cache export"),
    *("check", "check by a folder", "agents", "diff", "compare"),
    "test",  # what --record writes names the file from where it stands
]

OPTIONS = {"--output", "--records"}
"""The options that name what is written."""


def test_every_command_is_in_the_table() -> None:
    """A new command is looked at here, and each of its outputs."""
    names = [(name,) for name in COMMANDS if name != "cache"]
    names += [("cache", name) for name in cache.COMMANDS]
    for words in names:
        uses = [use.words for use in USES.values() if tuple(use.words[: len(words)]) == words]
        options = OPTIONS & set(grammar_of(*words)._option_string_actions)
        written = {
            use[place - 1] for use in uses for place, word in enumerate(use) if word == "OUT"
        }

        assert uses, words
        assert options <= written, words


@pytest.fixture(autouse=True)
def stage(folder: Path) -> Path:
    """Lay down every input."""
    for name in ("sites", "sites/deep", "history", "scans", "out"):
        Path(name).mkdir()
    rules = b"User-agent: *\nDisallow: /private\n"
    for name in ("robots.txt", "sites/a.example", "history/2026-01-01.txt"):
        Path(name).write_bytes(rules)
    urls = b"http://a.example/\nhttp://a.example/private\n"
    Path("u.txt").write_bytes(urls)
    Path("v.txt.gz").write_bytes(gzip.compress(urls))
    Path("ok.robots.toml").write_text(
        'robots = "robots.txt"\n[[expect]]\nagent = "A"\nurl = "/private"\nallowed = false\n'
    )
    Path("none.txt").write_bytes(b"\n")
    Path("ca.pem").write_bytes(b"none\n")
    Path("access.log").write_bytes(
        b'1.2.3.4 - - [05/Jan/2026:10:00:00 +0000] "GET /private HTTP/1.1" 200 5 "-" "GPTBot/1"\n'
    )
    Path("a.warc.gz").write_bytes(archive(3).data)
    scans.write(Path("scan.parquet"), [scans.Capture()])
    scans.write(Path("scans/s.parquet"), [scans.Capture()])
    filled("c.sqlite", entries())
    Path("list.txt").write_bytes(b"# nothing\n")
    archive_of = ["history", "http://a.example", "--archive", "h.archive", "--import", "history"]
    assert main([*archive_of, "--quiet"]) == 0
    Path("link").symlink_to("u.txt")
    Path("hard").hardlink_to("u.txt")
    for name in ("away.example", "away.txt"):
        Path(name).write_bytes(rules)
    Path("sites/away").symlink_to("../away.example")
    Path("history/2026-03-03.txt").symlink_to("../away.txt")
    Path("to-cache").symlink_to("c.sqlite")
    Path("to-wal").symlink_to("c.sqlite-wal")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files and what is in them; links as where they lead."""
    return {
        str(path.relative_to(folder)): str(path.readlink()).encode()
        if path.is_symlink()
        else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def words_of(use: Use, output: str) -> list[str]:
    return [output if word == "OUT" else word for word in use.words]


@pytest.mark.parametrize(
    ("name", "output"), [(name, read) for name in WRITING for read in USES[name].reads]
)
def test_nothing_that_is_read_is_written_over(
    name: str, output: str, run: Run, stage: Path
) -> None:
    """An output that is an input, a store or a part of one is refused, and all is as it was."""
    if name == "scan of records" and output != "a.warc.gz":
        Path("o.parquet").write_bytes(b"old")
    before = contents(stage)
    done = run(*words_of(USES[name], output))
    lines = done.err.splitlines()

    assert (2, "") == (done.code, done.out)
    assert ["error:", "hint:"] == [line.split(" ")[0] for line in lines]
    assert before == contents(stage)


SPELT = ("{}/.", "{}/", "nowhere/../{}", "u.txt/../{}", "./nowhere/.././{}")
"""How a name can be written that leads to no file, and is one when it is tidied up."""


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize(
    ("name", "output"), [(name, USES[name].reads[0]) for name in WRITING if name in RUN]
)
def test_names_that_the_system_refuses(
    name: str, output: str, spelt: str, run: Run, stage: Path
) -> None:
    """What the system opens under no such name is not written under it either."""
    before = contents(stage)
    done = run(*words_of(USES[name], spelt.format(output)))
    lines = done.err.splitlines()

    assert (2, "") == (done.code, done.out)
    assert ["error:", "hint:"] == [line.split(" ")[0] for line in lines]
    assert before == contents(stage)


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize("name", ["filter", "audit", "scan", "report"])
def test_inputs_under_such_names(name: str, spelt: str, run: Run, stage: Path) -> None:
    """An input is not read under a name that keeps an output from being seen as it."""
    read = USES[name].reads[-1 if name == "audit" else 0]
    words = [spelt.format(read) if word == read else word for word in words_of(USES[name], read)]
    words[words.index("--output") + 1] = read
    before = contents(stage)
    done = run(*words)

    assert (2, "") == (done.code, done.out)
    assert before == contents(stage)


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize("name", ["filter with a new cache", "check with a cache"])
def test_caches_under_such_names(name: str, spelt: str, run: Run, stage: Path) -> None:
    """No cache is made under them, and no folder for it."""
    words = words_of(USES[name], "out/o.csv")
    words[words.index("--cache") + 1] = spelt.format("empty")
    Path("empty").touch()
    before = contents(stage)
    done = run(*words)

    assert (2, "") == (done.code, done.out)
    assert ["error:", "hint:"] == [line.split(" ")[0] for line in done.err.splitlines()]
    assert before == contents(stage)
    assert not Path("nowhere").exists()


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("filter with a new cache", "new.sqlite"),
        ("filter with a new cache", "to-new"),
        ("filter over the network", "new.sqlite"),
        ("check with a cache", "new.sqlite"),
        ("cache refresh", "c.sqlite"),
    ],
)
def test_inputs_that_a_cache_would_take(
    name: str, spelt: str, ending: str, run: Run, stage: Path
) -> None:
    """SQLite deletes what lies beside a new database under the name of its log."""
    Path("to-new").symlink_to("new.sqlite")
    read = "none.txt" if name == "filter with a new cache" else "ca.pem"
    input_ = f"{'c' if spelt == 'c.sqlite' else 'new'}.sqlite{ending}"
    Path(input_).write_bytes(b"http://a.example/\n")
    words = [input_ if word == read else word for word in words_of(USES[name], "out/o.csv")]
    words[words.index("--cache") + 1] = spelt
    before = contents(stage)
    done = run(*words)

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith(f"error: `{input_}` is read, and ")
    assert before == contents(stage)


@pytest.mark.parametrize(
    ("name", "read", "mode"),
    [
        (name, read, "ab")
        for name, use in USES.items()
        for read in use.reads
        if not any(word in read for word in ("NEW", ".parquet", "deep", "away"))
    ]
    + [(name, "sites/a.example", "r+b") for name in ("filter", "check by a folder")]
    + [("audit by a history", "history/2026-01-01.txt", "r+b")],
)
def test_nothing_that_is_read_is_stdout(name: str, read: str, mode: str, stage: Path) -> None:
    """Where stdout leads to what is read, at its end or its beginning, that is said."""
    Path(read).touch()
    before = contents(stage)
    with Path(read).open(mode) as file:
        done = printing(name, stdout=file)

    assert (2, b"error: stdout ") == (done.returncode, done.stderr[:14])
    assert 2 == len(done.stderr.splitlines())
    assert before == contents(stage)


def printing(name: str, stdout: IO[bytes]) -> "subprocess.CompletedProcess[bytes]":
    """Run a command that has no terminal, and prints into a file."""
    return subprocess.run(
        [sys.executable, "-m", "verger", *words_of(USES[name], "-")],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["filter", "audit", "check", "agents"])
def test_stdin_is_no_output(name: str, stage: Path) -> None:
    """A file that stdin comes from is an input like any other."""
    words = {
        "filter": ["filter", "--snapshot", "sites", "--agent", "A", "--output", "u.txt", "-"],
        "audit": ["audit", "--robots", "robots.txt", "--output", "u.txt", "-"],
        "check": ["check", "--robots", "robots.txt", "--agent", "A", "-"],
        "agents": ["agents", "-"],
    }[name]
    before = contents(stage)
    with Path("u.txt").open("rb") as stdin, Path("u.txt").open("ab") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "verger", *words],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )

    assert 2 == done.returncode
    assert b"is both input and output" in done.stderr
    assert before == contents(stage)


# How all else is written


@pytest.mark.parametrize("name", RUN)
def test_permissions_and_links(name: str, run: Run) -> None:
    """A file keeps its permissions, a link stays a link, and nothing else is left behind."""
    use = USES[name]
    target = Path("out/target")
    target.write_bytes(b"old")
    target.chmod(0o600)
    Path("out/link").symlink_to("target")
    code = run(*words_of(use, "out/link")).code

    assert code in (0, 1)
    assert Path("out/link").is_symlink()
    assert 0o600 == stat.S_IMODE(target.stat().st_mode)
    assert b"old" != target.read_bytes()
    assert {"link", "target"} == {path.name for path in Path("out").iterdir()}


@pytest.mark.parametrize("name", RUN)
def test_umask(name: str, run: Run) -> None:
    """A new file has the permissions that the user wishes."""
    before = os.umask(0o027)
    try:
        run(*words_of(USES[name], "out/new"))
    finally:
        os.umask(before)

    assert 0o640 == stat.S_IMODE(Path("out/new").stat().st_mode)


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize("form", ["-", "/dev/stdout", "/dev/fd/1", "pipe", "file"])
def test_streams_get_what_a_file_gets(name: str, form: str, run: Run) -> None:
    """Stdout under each of its names, a named pipe, and stdout that is a file: the same bytes."""
    run(*words_of(USES[name], "out/file"))
    expected = Path("out/file").read_bytes()
    got: list[bytes] = []
    if form == "pipe":
        os.mkfifo("out/pipe")
        reader = threading.Thread(target=lambda: got.append(Path("out/pipe").read_bytes()))
        reader.start()
        run(*words_of(USES[name], "out/pipe"))
        reader.join(timeout=LONG)
        assert stat.S_ISFIFO(Path("out/pipe").stat().st_mode)
    else:
        command = [
            sys.executable,
            "-m",
            "verger",
            *words_of(USES[name], "-" if form == "file" else form),
        ]
        with Path("out/stdout").open("wb") as file:
            file.write(b"")
            done = subprocess.run(
                command,
                stdout=file if form == "file" else subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(),
                check=False,
            )
        got.append(Path("out/stdout").read_bytes() if form == "file" else done.stdout)

    assert [expected] == got


@pytest.mark.parametrize("name", RUN)
def test_devices_stay(name: str, run: Run) -> None:
    """`/dev/null` takes everything, `/dev/full` nothing, and both stay what they are."""
    nothing = run(*words_of(USES[name], "/dev/null"))

    assert nothing.code in (0, 1)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    if Path("/dev/full").exists():
        full = run(*words_of(USES[name], "/dev/full"))
        lines = full.err.splitlines()

        assert 2 == full.code
        assert "error: cannot write `/dev/full`: no space left on device" == lines[-2]
        assert lines[-1].startswith("hint: ")
        assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("out", "cannot write `out`: it is a folder"),
        ("out/", "cannot write `out/`: it is a folder"),
        ("no/out", "cannot write `no/out`: there is no folder `no`"),
        ("u.txt/out", "cannot write `u.txt/out`: `u.txt` is not a folder"),
    ],
)
def test_places_that_cannot_be(name: str, output: str, said: str, run: Run, stage: Path) -> None:
    """Said in a line with a hint before the work, and nothing is changed."""
    before = contents(stage)
    done = run(*words_of(USES[name], output))
    lines = done.err.splitlines()

    assert (2, "") == (done.code, done.out)
    assert (f"error: {said}", True) == (lines[0], lines[1].startswith("hint: "))
    assert 2 == len(lines)
    assert before == contents(stage)


@pytest.mark.parametrize("name", RUN)
def test_interrupt_leaves_nothing(
    name: str, run: Run, stage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at the worst moment: the old file stays, and of the new one nothing."""
    Path("out/file").write_bytes(b"old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    done = run(*words_of(USES[name], "out/file"))
    journal = {"file.verger-journal"} if name == "filter" else set()

    assert 130 == done.code
    assert b"old" == Path("out/file").read_bytes()
    assert {"file"} == {path.name for path in Path("out").iterdir()} - journal
    assert not list(stage.rglob("*.part"))


FOLLOWED = {
    "check": ("txt", "jsonl", "csv", "ndjson"),
    "agents": ("txt", "json", "csv"),
    "diff": ("txt", "md", "json"),
    "compare": ("txt", "json"),
    "test": ("txt", "json", "xml"),
    "lint": ("txt", "json", "sarif", "md"),
}
"""The endings that these commands write."""

FORMATS = {"txt": "text", "md": "markdown", "xml": "junit", "ndjson": "jsonl"}


def without_format(use: Use) -> Use:
    return Use([word for word in use.words if word not in ("--format", "json")])


@pytest.mark.parametrize(
    ("name", "ending"), [(name, ending) for name, endings in FOLLOWED.items() for ending in endings]
)
def test_names_imply_formats(name: str, ending: str, run: Run) -> None:
    """What `--format` prints goes to a file whose name says it, and nothing goes to stdout."""
    use = without_format(USES[name])
    printed = run(*words_of(use, "-"), "--format", FORMATS.get(ending, ending))
    written = run(*words_of(use, f"out/o.{ending}"))

    assert (printed.code, printed.err, "") == (written.code, written.err, written.out)
    assert printed.data == Path(f"out/o.{ending}").read_bytes()


@pytest.mark.parametrize("name", ["check", "agents", "diff", "compare", "test", "lint", "audit"])
def test_files_have_no_colours(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR is for what is printed."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    Path("away.txt").write_bytes(b"User-agent: *\nDisallow: /pub\n")
    Path("robots.txt").write_bytes(b"User-agent: *\nDisallow: /p\nDisallow: /p\n")
    Path("ok.robots.toml").write_text(Path("ok.robots.toml").read_text().replace("false", "true"))
    use = without_format(USES[name])
    run(*words_of(use, "out/o"))

    assert b"\x1b" not in Path("out/o").read_bytes()
    assert "\x1b" in run(*words_of(use, "-")).out


def test_urls_without_an_answer_are_results(run: Run) -> None:
    """They end the command with 2, and the file has the other answers."""
    words = ("check", "--robots", "robots.txt", "--agent", "A", "--output", "out/o.csv")
    done = run(*words, "/", "no url")

    assert (2, "") == (done.code, done.out)
    assert 3 == len(Path("out/o.csv").read_text().splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--robots", "gone.txt", "--agent", "A", "/"),
        ("check", "--snapshot", "robots.txt", "--agent", "A", "http://a.example/"),
        ("agents", "gone.txt"),
        ("diff", "robots.txt", "gone.txt"),
        ("compare", "gone.txt"),
    ],
)
def test_old_files_stay_without_an_input(words: Sequence[str], run: Run) -> None:
    """A command that fails writes nothing."""
    Path("out/o").write_bytes(b"old")

    assert 2 == run(*words, "--output", "out/o").code
    assert b"old" == Path("out/o").read_bytes()
    assert ["o"] == [path.name for path in Path("out").iterdir()]


# Journals


@pytest.mark.parametrize("name", ["notes.txt", "blocks", "sub", ""])
def test_folder_of_the_journals_name(name: str, run: Run, stage: Path) -> None:
    """What is called as a journal would be, and is none, is left alone: a folder, or a file."""
    folder = Path("out/file.verger-journal")
    if name:
        folder.mkdir()
    if not name:
        folder.write_text("mine")
    elif name == "sub":
        (folder / name).mkdir()
    elif name == "blocks":
        (folder / name).symlink_to(stage / "u.txt")
    else:
        (folder / name).write_text("mine")
    before = contents(stage)
    done = run(*words_of(USES["filter"], "out/file"))

    assert (2, True) == (done.code, "is not a journal of verger's" in done.err)
    assert before == contents(stage)
