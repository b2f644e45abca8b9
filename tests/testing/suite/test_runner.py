"""Parsers that work, and parsers that crash, hang, grow, flood, or print rubbish."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import verger
from patience import BRIEF, LONG, until
from verger.testing import suite
from verger.testing.suite.command import main

CASES = suite.cases("rfc9309")
PATIENT = ("--timeout", f"{LONG:g}")
FEW = [case for case in CASES if case.id.startswith("2.2.2/prefix")]
READ = "import base64, json, os, sys, time\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
SAY = "    print(json.dumps({'id': asked['id'], %s}), flush=True)\n"


def parser(body: str) -> list[str]:
    """Return the command of a parser in Python that does this with each question."""
    return [sys.executable, "-c", READ + "".join(f"    {line}\n" for line in body.split("\n"))]


def saying(fields: str) -> list[str]:
    return [sys.executable, "-c", READ + SAY % fields]


VERGER = parser(
    "import verger\n"
    "robots = verger.parse(base64.b64decode(asked['robots']), dialect=asked['dialect'])\n"
    "answer = {'id': asked['id']}\n"
    "try:\n"
    "    decision = robots.decide(asked['url'], asked['agent'])\n"
    "    answer |= {'allowed': decision.allowed, 'line': decision.line}\n"
    "except verger.InvalidProductToken as why:\n"
    "    answer['cannot'] = str(why)\n"
    "print(json.dumps(answer), flush=True)"
)


def test_verger_passes() -> None:
    """Every case of every specification, through the protocol; lines too."""
    verdicts = list(suite.run(VERGER, suite.cases(), timeout=LONG))

    assert [] == [one for one in verdicts if one.outcome != "passed"]
    assert [] == [one for one in verdicts if one.names_other_line]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (parser("raise RuntimeError('no such thing')"), "RuntimeError: no such thing"),
        (parser("os._exit(3)"), "ended with exit code 3"),
        (parser("os.kill(os.getpid(), 9)"), "ended with signal 9"),
        (parser("os.close(1); time.sleep(60)"), "closed its output"),
        (parser("time.sleep(60)"), "no answer within 0.5 s"),
        (parser("print('hello', flush=True)"), "not a line of JSON: 'hello'"),
        (parser("print('[' * 60_000, flush=True)"), "not a line of JSON"),
        (parser("while 1: os.write(1, b'x' * 99)"), "not a line of JSON"),
        (parser("while 1: os.write(1, b'{}\\n' * 99)"), "not an answer to the question"),
        (parser("os.write(1, b'\\xff\\n')"), "not a line of JSON"),
        (parser("print('[]', flush=True)"), "not an answer to the question"),
        (parser('print(\'{"id": "other"}\', flush=True)'), "not an answer to the question"),
        (saying("'allowed': 1"), "neither of `allowed` and `cannot`"),
        (saying("'allowed': None"), "neither of `allowed` and `cannot`"),
        (saying("'allowed': True, 'line': '2'"), "`line` is not a number"),
        (saying("'allowed': True, 'line': True"), "`line` is not a number"),
        (saying("'allowed': True, 'cannot': 'x'"), "both of `allowed` and `cannot`"),
        (saying("'cannot': True"), "neither of `allowed` and `cannot`"),
        ([sys.executable, "-c", "import time; time.sleep(60)"], "no answer within 0.5 s"),
    ],
)
def test_no_answer(command: list[str], why: str) -> None:
    """It is scored as failed, with the reason, and the next case is asked."""
    is_silent = "within" in why
    verdicts = list(suite.run(command, FEW, timeout=BRIEF if is_silent else LONG))

    assert ["failed"] * len(FEW) == [one.outcome for one in verdicts]
    assert all(why in one.why for one in verdicts), verdicts


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured on Linux")
@pytest.mark.parametrize("who", ["itself", "a child"])
def test_memory(who: str) -> None:
    grow = "held = bytearray(1 << 29); time.sleep(600)"
    body = grow if who == "itself" else f"import subprocess\n{CHILD % grow}"
    (verdict, *_) = suite.run(parser(body), FEW[:1], memory=256 << 20, timeout=LONG)

    assert ("failed", "more than 256 MiB of memory") == (verdict.outcome, verdict.why)


CHILD = "subprocess.run([sys.executable, '-c', 'import time; %s'])"


def test_a_parser_that_never_reads() -> None:
    """A question larger than the pipe does not block the runner."""
    large = [case for case in CASES if len(case.robots) > 1 << 17][:1]
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    (verdict,) = suite.run(command, large, timeout=BRIEF)

    assert "no answer within 0.5 s" == verdict.why


@pytest.mark.parametrize("leaves", [False, True])
def test_children_end(tmp_path: Path, *, leaves: bool) -> None:
    """What a parser has started ends with it, also in a session of its own."""
    note = tmp_path / "child"
    body = (
        "import subprocess\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        f"child = subprocess.Popen(sleep, start_new_session={leaves})\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "print('rubbish', flush=True)\n"
        "time.sleep(600)"
    )
    list(suite.run(parser(body), FEW[:1], timeout=LONG))
    expect_ended(int(note.read_text()))


def expect_ended(process: int) -> None:
    until(lambda: has_ended(process))  # the system takes a moment to end what was killed


def has_ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii").split()[2] == "Z"
    except OSError:
        return True


def test_a_child_that_keeps_the_pipes(tmp_path: Path) -> None:
    """A child that left the group is not waited for."""
    note = tmp_path / "child"
    body = (
        "import subprocess\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "child = subprocess.Popen(sleep, start_new_session=True)\n"
        f"open({str(note) + '~'!r}, 'w').write(str(child.pid))\n"
        f"os.rename({str(note) + '~'!r}, {str(note)!r})\n"
        "os._exit(1)"
    )
    for seconds in (1, 10, LONG):  # on a busy machine, it has to begin first
        (verdict,) = suite.run(parser(body), FEW[:1], timeout=seconds)
        if note.exists():
            os.kill(int(note.read_text()), 9)
            break

    assert f"no answer within {seconds:g} s" == verdict.why


def test_a_parser_that_recovers() -> None:
    """A crash costs one case."""
    body = (
        "if asked['id'].endswith('itself'): os._exit(1)\n"
        "print(json.dumps({'id': asked['id'], 'allowed': False}), flush=True)"
    )
    outcomes = {one.case.id: one.outcome for one in suite.run(parser(body), FEW, timeout=LONG)}

    assert {"2.2.2/prefix": "passed", "2.2.2/prefix-itself": "failed"} == outcomes


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ("'allowed': False, 'line': None, 'cannot': None", "passed"),
        ("'allowed': None, 'cannot': 'no lines'", "cannot"),
    ],
)
def test_empty_fields(fields: str, outcome: str) -> None:
    """Many languages write the fields that an answer does not have as `null`."""
    verdicts = suite.run(saying(fields), FEW[:1], timeout=LONG)

    assert [outcome] == [one.outcome for one in verdicts]


def test_stderr_fills_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a parser says on stderr is not kept, but for its end."""
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    body = "os.write(2, b'x' * (1 << 24) + b'\\nthe end\\n')\nos._exit(3)"
    (verdict,) = suite.run(parser(body), FEW[:1], timeout=LONG)

    assert "ended with exit code 3: the end" == verdict.why


def test_patience_ends() -> None:
    """A parser that answers nothing is not waited for a hundred times."""
    verdicts = list(suite.run(parser("os._exit(1)"), CASES, timeout=LONG))

    assert 5 == sum("exit code 1" in one.why for one in verdicts)
    assert len(CASES) - 5 == sum("not asked" in one.why for one in verdicts)


def test_cannot_say() -> None:
    """It is neither passed nor failed; but where there is no answer, it is right."""
    verdicts = list(suite.run(saying("'cannot': 'no lines'"), CASES, timeout=LONG))

    assert {True: "cannot", False: "passed"} == {
        one.case.allowed is not None: one.outcome for one in verdicts
    }


@pytest.mark.parametrize("command", [[], "", "node adapter.js"])
def test_no_list(command: list[str]) -> None:
    with pytest.raises(verger.InvalidOption, match="a command is a list"):
        list(suite.run(command, FEW))


def test_no_program() -> None:
    with pytest.raises(verger.InvalidOption, match="cannot run `/nowhere`"):
        list(suite.run(["/nowhere"], FEW))


# --- the command ------------------------------------------------------------------------------


def test_command_says_what_failed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results.jsonl"
    only = ["--only", "2.2.2/prefix*"]
    code = main([*PATIENT, *only, "--json", str(results), *saying("'allowed': True")])
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    said = capfd.readouterr().out

    assert 1 == code
    assert "failed: 2.2.2/prefix: expected disallowed, got allowed" in said
    assert "   2 | 'Disallow: /fish'" in said
    assert [
        ("2.2.2/prefix", "failed", True, False),
        ("2.2.2/prefix-itself", "failed", True, False),
    ] == [(row["id"], row["outcome"], row["allowed"], row["expected"]) for row in rows]


def test_command_says_once_that_nothing_was_answered(capfd: pytest.CaptureFixture[str]) -> None:
    """An adapter that cannot start is told with the reason, and not once for each case."""
    code = main([*PATIENT, *parser("sys.exit('no module')")])
    said = capfd.readouterr().out

    assert 1 == code
    assert 4 == said.count("\nfailed: ") == said.count("exit code 1: no module")
    assert "141 more failed: not asked: 5 questions in a row had no answer" in said
    assert "hint: nothing was answered: give" in said


def test_command_shows_that_a_file_is_longer(capfd: pytest.CaptureFixture[str]) -> None:
    """A question that is too long to be shown says so."""
    main([*PATIENT, "--only", "examples/lim-rfc-min", *VERGER])
    *_, before, last = capfd.readouterr().out.splitlines()

    assert before.startswith("  40 | ")
    assert last.endswith(" more lines")


def test_command_writes_to_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    """Then nothing else is printed; `--` may part the options from the command."""
    main([*PATIENT, "--only", "2.2.2/prefix", "--json", "-", "--", *VERGER])
    (line,) = capfd.readouterr().out.splitlines()

    assert "passed" == json.loads(line)["outcome"]


def test_command_passes(capfd: pytest.CaptureFixture[str]) -> None:
    code = main([*PATIENT, "--specification", "rfc9309", "--specification", "yandex", *VERGER])
    said = capfd.readouterr().out

    assert 0 == code
    assert "failed:" not in said
    assert "yandex\n\nsection" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no COMMAND to run"),
        (["--only", "nothing", "cat"], "no case is called `nothing`"),
        (["--specification", "altavista", "cat"], "has no specification `altavista`"),
        (["--suite", "/nowhere", "cat"], "cannot read `/nowhere`"),
        (["--timeout", "0", "cat"], "a limit is not above zero"),
        (["--timeout", "nan", "cat"], "a limit is not above zero"),
        (["--memory", "-1", "cat"], "a limit is not above zero"),
        (["--timeout", "1e7", "cat"], "or too high"),
        (["--memory", "much", "cat"], "argument --memory: invalid int value: 'much'"),
        (["--nothing", "cat"], "unrecognized arguments: --nothing"),
        (["--json", "/nowhere/x", "cat"], "cannot write `/nowhere/x`"),
        (["/nowhere"], "cannot run `/nowhere`"),
    ],
)
def test_command_refuses(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line says what is wrong, one what to do; nothing is printed besides."""
    code = main(arguments)
    shown = capfd.readouterr()

    assert (2, "") == (code, shown.out)
    assert shown.err.startswith("error: ")
    assert said in shown.err
    assert 2 == len(shown.err.splitlines())


def test_what_a_parser_says_is_shown_escaped(capfd: pytest.CaptureFixture[str]) -> None:
    """No parser writes into the terminal."""
    main([*PATIENT, "--only", "2.2.2/prefix", *parser("sys.exit('\\x1b[31mred')")])

    assert "\x1b" not in capfd.readouterr().out


def test_closed_stdout() -> None:
    """Who reads only the first line ends the command, without a traceback."""
    command = [sys.executable, "-m", "verger.testing.suite", "--questions"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()

    assert (141, b"") == (process.returncode, said)


def test_questions(capfd: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["--questions"])
    lines = capfd.readouterr().out.splitlines()

    assert [suite.question(case) for case in CASES] == [json.loads(line) for line in lines]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are read on Linux")
def test_a_parser_ends_with_the_command(tmp_path: Path) -> None:
    """Also where SIGTERM ends the command, as at the end of a job's time."""
    note = tmp_path / "parser"
    hangs = parser(f"open({str(note)!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(600)")
    command = [sys.executable, "-m", "verger.testing.suite", "--timeout", "500", *hangs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not (note.exists() and note.read_text().endswith("\n")):
            time.sleep(0.02)
        process.terminate()
        said = process.stderr.read() if process.stderr else b""

    assert (143, b"") == (process.returncode, said)
    expect_ended(int(note.read_text()))


def test_as_a_module() -> None:
    """`python -m verger.testing.suite` is the command."""
    words = ["--only", "2.2.2/prefix", *VERGER]
    command = [sys.executable, "-m", "verger.testing.suite", *PATIENT, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)

    assert (0, "") == (done.returncode, done.stderr)
