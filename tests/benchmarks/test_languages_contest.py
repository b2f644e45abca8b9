"""The contest of `make bench-peers`: harnesses as processes, rounds, and what is stopped.

In: the harness of the parsers that are asked from Python, which needs no other toolchain.
"""

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.inputs import Case, Inputs, Question, hostile_files
from benchmarks.languages import contest, results, run, toolchains
from benchmarks.languages.contest import Contest, Effort, Turn, figures_of, turn_of
from benchmarks.languages.contestants import CONTESTANTS, Contestant
from benchmarks.languages.protocol import (
    HarnessFailed,
    Reply,
    hello_from,
    packed,
    reply_from,
    started,
    unpacked,
)
from benchmarks.languages.table import MANY_AGENTS

from patience import LONG

EFFORT = Effort(rounds=2, warm_up=0, budget=0.001, timeout=0.2)
STAR = b"User-agent: *\nDisallow: /*.php$\nDisallow: /private\n"
BY_KEY = {one.key: one for one in CONTESTANTS}
URLS = ("https://a.example/x.php", "https://a.example/private/a", "https://a.example/")


@pytest.fixture
def inputs() -> Inputs:
    questions = [Question(f"site {n}", STAR, "ExampleBot", url) for n, url in enumerate(URLS)]
    [many] = [question for question in hostile_files() if question.name == MANY_AGENTS]
    return Inputs([STAR] * 3, questions, [Case("2 rules", STAR, URLS)], [many])


@pytest.fixture
def launch(inputs: Inputs, tmp_path: Path) -> contest.Launch:
    contest.write_packs(inputs, tmp_path / "inputs")

    def launched(one: Contestant) -> tuple[list[str], Path]:
        command = toolchains.command_for(one, tmp_path, tmp_path / "inputs")
        return command, tmp_path / "log"

    return launched


# what is said


@pytest.mark.parametrize("entries", [[], [b""], [b"a\n1\nb", b"", b"\xff" * 300]])
def test_pack_gives_back_its_entries(entries: list[bytes]) -> None:
    """Bytes of any kind survive, in order."""
    assert entries == list(unpacked(packed(entries)))


def test_reply_is_read() -> None:
    """A harness says how long it took, and what it answered."""
    line = '{"ns": 12, "allowed": 2, "answers": "101e"}\n'

    assert Reply(12, 2, "101e") == reply_from(line)


def test_reply_with_an_error_is_a_failure() -> None:
    """A harness that ran out of memory says so."""
    with pytest.raises(HarnessFailed, match="MemoryError"):
        reply_from('{"error": "MemoryError"}')


def test_hello_may_lack_a_runtime() -> None:
    """A program that was compiled beforehand has none."""
    assert hello_from('{"peer": "a", "version": "1"}').runtime == ""


def test_passes_that_differ_are_refused() -> None:
    """Two passes of one allowed answer are two allowed answers."""
    assert turn_of(Reply(100, 2, "10"), 2) == Turn(50.0, "10")
    with pytest.raises(HarnessFailed, match="answers change"):
        turn_of(Reply(100, 1, "10"), 2)


def test_figures_count_answers_unlike_vergers() -> None:
    """Another answer and no answer are unlike; a slow parser is compared as far as it came."""
    done = {
        "verger": [Turn(40.0, "1011")],
        "Protego": [Turn(80.0, "1e01")],
        "urllib": [Turn(9, "0")],
    }
    figures = figures_of(done, {})

    assert (figures["Protego"].unlike, figures["Protego"].silent) == (2, 1)
    assert (figures["urllib"].unlike, figures["urllib"].asked) == (1, 1)
    assert figures["verger"].runs == (10.0,)


def test_answers_that_change_from_turn_to_turn_are_no_figure() -> None:
    """Who answers the same question differently did not do the same work."""
    notes: dict[str, str] = {}
    figures = figures_of({"verger": [Turn(1, "10"), Turn(1, "11")]}, notes)

    assert (figures, notes) == ({}, {"verger": "answers change"})


# what is done


def test_contest_measures_all_rows(inputs: Inputs, launch: contest.Launch) -> None:
    """Two parsers do three rows in two rounds; the one without wildcards answers otherwise."""
    pair = [BY_KEY["verger"], BY_KEY["urllib"]]
    with closing(Contest(pair, launch, EFFORT)) as held:
        parse, contact, answer = held.rows(inputs.cases)

    assert set(parse.figures) == set(contact.figures) == {"verger", "urllib"}
    assert (contact.figures["verger"].asked, contact.figures["verger"].unlike) == (3, 0)
    assert (contact.figures["urllib"].unlike, answer.figures["urllib"].unlike) == (1, 1)
    assert len(answer.figures["verger"].runs) == 2
    assert min(answer.figures["verger"].runs) > 0


def test_who_cannot_parse_alone_has_no_figure_for_it(
    inputs: Inputs, launch: contest.Launch
) -> None:
    """jwm.robotstxt parses with every answer and not without."""
    pair = [BY_KEY["verger"], BY_KEY["jwm.robotstxt"]]
    with closing(Contest(pair, launch, EFFORT)) as held:
        parse, contact, _ = held.rows(inputs.cases)

    assert set(parse.figures) == {"verger"}
    assert contact.figures["jwm.robotstxt"].unlike == 0


def test_who_hangs_is_stopped(launch: contest.Launch) -> None:
    """Protego makes 25 million rules of 5,000 lines: its time ends before it does."""
    done = contest.endured_by(BY_KEY["Protego"], "hostile-0", launch, EFFORT)

    assert (done.contact, done.why) == (None, "> 0.2 s")


def test_who_endures_has_figures(launch: contest.Launch) -> None:
    """verger reads the same file while Protego would still be counting."""
    effort = Effort(rounds=1, warm_up=0, budget=0.001, timeout=LONG)
    done = contest.endured_by(BY_KEY["verger"], "hostile-0", launch, effort)

    assert (done.why, done.allowed) == ("", True)
    assert done.contact is not None
    assert done.answer is not None


def test_process_ends_with_its_harness(launch: contest.Launch) -> None:
    """Nothing goes on after a contestant was stopped."""
    with started(*launch(BY_KEY["urllib"])) as harness:
        process = harness.process

    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_harness_that_does_not_start_is_named(tmp_path: Path) -> None:
    """A program that ends at once leaves its rows out, and nobody else's."""
    with closing(
        Contest([BY_KEY["temoto/robotstxt"]], lambda _: (["false"], tmp_path / "log"), EFFORT)
    ) as held:
        assert held.contestants == []
        assert held.failed == {"temoto/robotstxt": "its harness does not start: failed"}


# what a machine lacks


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with the commands of one folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.usefixtures("commands")
def test_missing_toolchains_leave_python(tmp_path: Path) -> None:
    """Without cargo, go, java and node the parsers of Python still run."""
    ready, missing = toolchains.all_built(tmp_path)

    assert {one.harness for one in ready} == {"python"}
    assert missing["grobotstxt"] == "`go` is not there"
    assert missing["crawler-commons"] == "`java` is not there"
    assert len(ready) + len(missing) == len(CONTESTANTS)


def test_build_that_fails_is_a_missing_toolchain(tmp_path: Path, commands: Path) -> None:
    """A client that cannot reach its registry fails; its log is named."""
    failing = commands / "go"
    failing.write_text("#!/bin/sh\necho no network >&2\nexit 1\n", encoding="ascii")
    failing.chmod(0o755)

    with pytest.raises(toolchains.Missing, match=r"^`go` failed, see `.*build\.log`$"):
        toolchains.built(toolchains.TOOLCHAINS["go"], tmp_path / "go")
    assert (tmp_path / "go" / "build.log").read_text(encoding="utf-8") == "no network\n"


@pytest.mark.slow
@pytest.mark.usefixtures("commands")
def test_whole_run_without_toolchains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parsers of Python are measured, the others named, and `--require-all` fails."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(3):
        (corpus / f"{number}.example").write_bytes(STAR)
    monkeypatch.setattr(run, "WORK", tmp_path / "work")
    monkeypatch.setattr(contest, "QUICK", replace(EFFORT, rounds=1))
    path = tmp_path / "peers.json"
    options = ["--quick", "--require-all", "--corpus", str(corpus), "--json", str(path)]
    code = run.main(options)
    found = results.read(path)

    assert code == 1
    assert "not measured: texting_robots: `cargo` is not there" in capsys.readouterr().out
    assert set(found.versions) == {one.key for one in CONTESTANTS if one.side == "python"}
    assert [row.key for row in found.rows] == ["parse", "contact", "answer, 16,700 rules"]
    assert len(found.hostile) == 2


SOURCES = {
    "python": "../peers.py",
    "rust": "rust/src/main.rs",
    "go": "go/main.go",
    "java": "java/src/main/java/Harness.java",
    "node": "node/harness.js",
}


@pytest.mark.parametrize("one", CONTESTANTS, ids=lambda one: one.key)
def test_every_contestant_is_known_to_its_harness(one: Contestant) -> None:
    """The names here are those that the harness takes."""
    source = (toolchains.HERE / SOURCES[one.harness]).read_text(encoding="utf-8")

    assert f'"{one.key}"' in source
