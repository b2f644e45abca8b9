"""The journal of `verger filter --output`: what a second run takes over, and what it refuses."""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Protocol

import pytest

from bulk.filter.server import Server, serving
from cli.conftest import Run, folder, instead, run
from verger.bulk.filter.blocks import Block
from verger.bulk.filter.journal import Journal
from verger.bulk.filter.progress import Streamed, Work
from verger.client.network import Network

__all__ = ["folder", "run"]

ASK = ("filter", "--snapshot", "sites", "--user-agent", "A", "--output", "out.csv")
JOURNAL = Path("out.csv.verger-journal")
ROWS = b"".join(
    b"https://a.example/private/%d\nhttps://a.example/%d\n" % (n, n) for n in range(9000)
)

posix = pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")


class Killed(BaseException):
    """Stands for the end of the process: nothing tidies up behind it."""


@pytest.fixture(autouse=True)
def sites(folder: Path) -> Path:
    """Lay down a snapshot of one site, and URLs."""
    sites = folder / "sites"
    sites.mkdir()
    (sites / "a.example").write_bytes(b"User-agent: *\nDisallow: /private\n")
    (folder / "urls.txt").write_bytes(ROWS)
    return sites


@pytest.fixture
def server() -> Iterator[Server]:
    """Serve until the test ends."""
    with serving() as server:
        yield server


@pytest.fixture
def undisturbed(run: Run, folder: Path) -> bytes:
    """What an undisturbed run writes."""
    assert 0 == run(*ASK, "urls.txt").code
    return (folder / "out.csv").read_bytes()


class Interrupt(Protocol):
    """Runs until so many blocks are finished, and ends as a kill does: with nothing more done."""

    def __call__(
        self, *words: str, ask: Sequence[str] = ASK, blocks: int = 2, stdin: bytes = b""
    ) -> None: ...


@pytest.fixture
def interrupt(run: Run, monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    """Run the command, and kill it."""
    finish = Work.finish

    def interrupt(
        *words: str, ask: Sequence[str] = ASK, blocks: int = 2, stdin: bytes = b""
    ) -> None:
        left = blocks

        def counted(work: Work, block: Block) -> None:
            nonlocal left
            finish(work, block)
            left -= 1
            if not left:
                work.output._lock.close()  # type: ignore[attr-defined]  # as the system does
                raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(Work, "finish", counted)
            patch.setattr(Journal, "close", lambda _: None)
            with pytest.raises(Killed):
                run(*instead(ask, words), stdin=stdin)

    return interrupt


def test_second_run_goes_on(
    undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """Finished blocks are not decided again; the output is the same, and the journal gone."""
    (folder / "out.csv").write_bytes(b"before")
    interrupt("urls.txt")
    assert b"before" == (folder / "out.csv").read_bytes()
    assert 2 == len(records())
    done = run(*ASK, "urls.txt")

    assert "taken over          8,192  rows of the previous run" in done.err.splitlines()
    assert "rows               18,000" in done.err.splitlines()
    assert "allowed             9,000    50.0%" in done.err.splitlines()
    assert undisturbed == (folder / "out.csv").read_bytes()
    assert not JOURNAL.exists()


def taken_over(run: Run) -> int:
    """Run to the end; return how many rows of the previous run are said to be kept."""
    lines = run(*ASK, "urls.txt").err.splitlines()
    (line,) = [line for line in lines if line.endswith("  rows of the previous run")]
    return int(line.removeprefix("taken over").split()[0].replace(",", ""))


def records() -> list[bytes]:
    """Return the heads of the blocks in the journal."""
    data = (JOURNAL / "blocks").read_bytes()
    return [line for line in data.splitlines() if line.startswith(b'{"block"')]


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.9999])
def test_torn_record(
    kept: float, undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """A record that a crash cut short, or left full of zeros, is decided again."""
    for is_zeroed in (False, True):
        interrupt("urls.txt")
        blocks = JOURNAL / "blocks"
        data = blocks.read_bytes()
        second = data.index(b'{"block": 1')
        end = second + int((len(data) - second) * kept)
        rest = bytes(len(data) - end) if is_zeroed else b""
        blocks.write_bytes(data[:end] + rest)

        assert 4_096 == taken_over(run)
        assert undisturbed == (folder / "out.csv").read_bytes()


def test_killed_again_behind_a_torn_record(
    undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """What the second run finished is found by the third: nothing torn lies in between."""
    interrupt("urls.txt")
    blocks = JOURNAL / "blocks"
    blocks.write_bytes(blocks.read_bytes()[:-100])
    interrupt("urls.txt")

    assert 12_288 == taken_over(run)
    assert undisturbed == (folder / "out.csv").read_bytes()


def test_broken_manifest(undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt) -> None:
    """A manifest that cannot be read is another's; `--restart` begins anew."""
    interrupt("urls.txt")
    (JOURNAL / "manifest.json").write_bytes(b"{")

    assert 2 == run(*ASK, "urls.txt").code
    assert 0 == run(*ASK, "--restart", "urls.txt").code
    assert undisturbed == (folder / "out.csv").read_bytes()


def test_journal_without_manifest(
    undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """Where a run was killed before its question was written, the next begins."""
    interrupt("urls.txt")
    (JOURNAL / "manifest.json").unlink()

    assert 0 == run(*ASK, "urls.txt").code
    assert undisturbed == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--user-agent", "B", "urls.txt"), "crawler"),
        (("--user-agent", "B", "--agent", "A", "urls.txt"), "user agent"),
        (("--agent", "B", "urls.txt"), "crawler"),
        (("--dialect", "google", "urls.txt"), "dialect"),
        (("--snapshot", "others", "urls.txt"), "snapshot"),
        (("--override", "http://a.example=allow", "urls.txt"), "override"),
        (("others.txt",), "input"),
        ((), "input"),
    ],
    ids=str,
)
def test_other_question(
    words: tuple[str, ...], what: str, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """A run that asks something else leaves journal and output alone."""
    (folder / "others").mkdir()
    (folder / "others.txt").write_bytes(ROWS)
    (folder / "out.csv").write_bytes(b"before")
    interrupt("urls.txt")
    kept = (JOURNAL / "blocks").read_bytes()
    done = run(*instead(ASK, words), stdin=ROWS)

    assert 2 == done.code
    assert f"was left by a run with another {what}" in done.err
    assert "`--restart`" in done.err
    assert kept == (JOURNAL / "blocks").read_bytes()
    assert b"before" == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_a_folder_that_has_changed(
    change: str, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """No output has rows of two versions of a folder of robots.txt files."""
    interrupt("urls.txt")
    [first, *_] = sorted((folder / "sites").iterdir())
    if change == "edit":
        first.write_bytes(b"User-agent: *\nDisallow: /\n")
    elif change == "add":
        (folder / "sites" / "new.example").write_bytes(b"")
    else:
        first.unlink()
    done = run(*ASK, "urls.txt")

    assert 2 == done.code
    assert "was left by a run with another snapshot" in done.err
    assert "if no file has changed since" in done.err
    assert run(*ASK, "--restart", "urls.txt").code == (2 if change == "remove" else 0)


@pytest.mark.parametrize(
    "words",
    [
        ("--public-only",),
        ("--connect-to", "other.example::127.0.0.1:1"),
        ("--header", "X-Plan: B"),
        ("--header", "origin=http://a.example X-Plan: A"),
        ("--private", "10.0.0.0/8"),
        ("--cache", "kept.sqlite3"),
        ("--timeout", "3599"),
    ],
    ids=" ".join,
)
def test_other_plan(
    words: tuple[str, ...], server: Server, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """What can change an answer over the network belongs to the run that is resumed; how many
    connections it may open does not."""
    (folder / "urls.txt").write_bytes(ROWS.replace(b"https:", b"http:"))
    ask = ("filter", *server.options, "--header", "X-Plan: A", "--output", "out.csv")
    interrupt("urls.txt", ask=ask)
    done = run(*instead(ask, words), "urls.txt")
    resumed = run(*ask, "--connections", "3", "--per-address", "2", "urls.txt")

    assert 2 == done.code
    assert f"was left by a run with another `{words[0]}`\n" in done.err
    assert "pass `--restart` to begin again" in done.err
    assert 0 == resumed.code
    assert any(line.split()[:3] == ["taken", "over", "8,192"] for line in resumed.err.splitlines())


@posix
def test_the_journal_is_for_its_owner_alone(interrupt: Interrupt, folder: Path) -> None:
    """As the output may be, which was so before: its rows and the words of the command."""
    (folder / "out.csv").touch(0o600)
    interrupt("urls.txt")
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in JOURNAL.iterdir()}

    assert len(modes) > 2
    assert {0o600} == set(modes.values()), modes


def test_every_option_of_the_network_is_in_the_plan(tmp_path: Path) -> None:
    """A new one is there as well, or it changes no answer; what may be secret is no part of it."""
    bundle = tmp_path / "trusted.pem"
    bundle.write_text("one")
    others: dict[str, object] = {
        "store": "redis://user:secret@127.0.0.1/0",
        "connect_to": ["a.example::127.0.0.1:1"],
        "proxy": "http://user:secret@127.0.0.1:1",
        "private": ["10.0.0.0/8"],
        "ca_bundle": bundle,
        "public_only": True,
        "timeout": 29,
        "headers": {"Authorization": "secret"},
        "origin_headers": {"http://a.example": {"Authorization": "secret"}},
    }
    plans = [Network(**{name: value}).plan() for name, value in others.items()]

    assert {*others, "connections", "connections_per_address"} == {
        each.name for each in fields(Network)
    }
    assert Network(connections=1, connections_per_address=1).plan() == Network().plan()
    assert len(plans) + 1 == len({json.dumps(plan) for plan in (*plans, Network().plan())})
    assert "secret" not in json.dumps(plans)
    bundle.write_text("another")
    assert Network(ca_bundle=bundle).plan() not in plans


def test_other_columns(run: Run, folder: Path, interrupt: Interrupt) -> None:
    """A resumed run has the other columns of an undisturbed one; others are another question."""
    table = b"url,id\n" + b"".join(b"%s,%d\n" % (url, n) for n, url in enumerate(ROWS.split()))
    assert 0 == run(*ASK, "-", stdin=table).code
    undisturbed = (folder / "out.csv").read_bytes()
    interrupt("-", stdin=table)

    assert "another choice of columns" in run(*ASK, "--columns", "none", "-", stdin=table).err
    assert "the input differs" in run(*ASK, "-", stdin=table.replace(b",7\n", b",8\n", 1)).err
    assert 0 == run(*ASK, "-", stdin=table).code
    assert undisturbed == (folder / "out.csv").read_bytes()
    assert b",17999\n" == undisturbed[-7:]


def test_other_format(run: Run, interrupt: Interrupt) -> None:
    """A run that writes another format, to a name that says none, is another run."""
    words = ("--output", "out", "urls.txt", "--format")
    interrupt(*words, "csv")
    done = run(*instead(ASK, (*words, "jsonl")))

    assert 2 == done.code
    assert "was left by a run with another format" in done.err


def test_changed_input(run: Run, folder: Path, interrupt: Interrupt) -> None:
    """A file that was written to meanwhile is another input."""
    interrupt("urls.txt")
    (folder / "urls.txt").write_bytes(ROWS + b"https://a.example/\n")

    assert "another input" in run(*ASK, "urls.txt").err
    assert 0 == run(*ASK, "urls.txt", "--restart").code


def test_same_stdin(undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt) -> None:
    """stdin has no name and no date: the rows themselves are compared."""
    interrupt(stdin=ROWS)
    done = run(*ASK, stdin=ROWS)

    assert "taken over          8,192  rows of the previous run" in done.err.splitlines()
    expected = undisturbed.replace(b",urls.txt,", b",stdin,")
    assert expected == (folder / "out.csv").read_bytes()


@pytest.mark.parametrize(
    "rows",
    [b"", ROWS[:50_000], b"\n" + ROWS, ROWS.replace(b"/77\n", b"/78\n")],
    ids=["empty", "shorter", "moved", "changed"],
)
def test_other_stdin(rows: bytes, run: Run, interrupt: Interrupt) -> None:
    """Other rows are refused, and what is kept stays."""
    interrupt(stdin=ROWS)
    done = run(*ASK, stdin=rows)

    assert 2 == done.code
    assert "the input differs from that of the interrupted run" in done.err
    assert 2 == len(records())
    assert 0 == run(*ASK, stdin=ROWS).code


def test_finished_but_not_removed(
    undisturbed: bytes, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """A kill between the last block and the end costs nothing either."""
    interrupt("urls.txt", blocks=5)
    (JOURNAL / ".verger-0123456789abcdef.part").write_bytes(b"half of it")
    done = run(*ASK, "urls.txt")

    assert "taken over         18,000  rows of the previous run" in done.err.splitlines()
    assert undisturbed == (folder / "out.csv").read_bytes()


@posix
def test_two_runs_at_once(run: Run) -> None:
    """The second run on one output is told to wait."""
    first = Journal("out.csv", {}, lambda file: file, restart=False)
    done = run(*ASK, "urls.txt")
    first.close()

    assert 2 == done.code
    assert "another run is writing `out.csv`" in done.err
    assert 0 == run(*ASK, "urls.txt").code


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder(run: Run, folder: Path) -> None:
    """Said before anything is read."""
    (folder / "shut").mkdir(mode=0o500)
    done = run(*ASK[:-1], "shut/out.csv", "urls.txt")

    assert (2, True) == (done.code, "permission denied" in done.err)


def test_ctrl_c_says_what_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted run says that the same command goes on."""
    finish = Work.finish

    def interrupting(work: Work, block: Block) -> None:
        finish(work, block)
        if block.number == 1:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Work, "finish", interrupting)
        done = run(*ASK, "urls.txt")

    assert 130 == done.code
    assert done.err.startswith("note: interrupted; 8,192 rows are kept in `")
    assert "taken over          8,192" in run(*ASK, "urls.txt").err


def test_manifest_can_be_read_by_people(interrupt: Interrupt) -> None:
    """It says what was asked."""
    interrupt("urls.txt")
    manifest = json.loads((JOURNAL / "manifest.json").read_bytes())

    assert ["A"] == manifest["crawler"]
    assert "urls.txt" == manifest["input"][0][0]


# The window: the same question without an `--output`


class Kept:
    """A sink that keeps what it gets."""

    def __init__(self) -> None:
        self.data: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.data.append(data)

    def close(self) -> None:
        self.data.append(b"end")


def block(number: int) -> Block:
    made = Block("x", range(1, 2), ["u"], {}, size=1)
    made.number = number
    return made


def test_window_keeps_the_order() -> None:
    """Blocks that come early wait for those before them; their bytes are known."""
    sink = Kept()
    window = Streamed(sink)
    for number in (3, 1, 2):
        window.put(block(number), b"%d" % number * 10)
    assert 30 == window.waiting
    for number in (0, 5, 4, 7, 8, 6):
        window.put(block(number), b"%d" % number * 10)
    window.complete(9)

    assert [b"%d" % number * 10 for number in range(9)] == sink.data[:-1]
    assert 0 == window.waiting


def test_unordered_window() -> None:
    """Blocks are written as they come."""
    sink = Kept()
    window = Streamed(sink, is_ordered=False)
    for number in (2, 0, 1):
        window.put(block(number), b"%d" % number)

    assert [b"2", b"0", b"1"] == sink.data


@pytest.mark.parametrize("length", [240, 241, 255])
def test_a_long_name_of_the_output(
    length: int, run: Run, folder: Path, interrupt: Interrupt
) -> None:
    """An interrupted run goes on, though the name of its journal would be too long."""
    output = f"{'o' * (length - 4)}.csv"
    more = ("--output", output, "urls.txt")
    assert 0 == run(*instead(ASK, more)).code
    whole = (folder / output).read_bytes()
    (folder / output).unlink()
    interrupt(*more)
    assert 1 == len(list(folder.glob("*.verger-journal")))

    assert 0 == run(*instead(ASK, more)).code
    assert whole == (folder / output).read_bytes()
    assert [] == list(folder.glob("*.verger-journal"))
