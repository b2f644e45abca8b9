"""`python -m verger.testing.suite`: what it is asked, and what it prints.

Exit code 0 if every normative case passed, or could not be asked; 1 if one failed; 2 if there is
nothing to run.
"""

import argparse
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NoReturn

from verger._core import _VERDICTS
from verger.errors import InvalidOption, RobotsError
from verger.files.paths import STANDARD
from verger.files.writing import expect_writable, writing
from verger.testing.suite.cases import Case, cases
from verger.testing.suite.runner import MEMORY, NOT_ASKED, TIMEOUT, Verdict, question, run
from verger.untrusted_text import printable, shortened

_NAME = "python -m verger.testing.suite"
_OUTCOMES = ("passed", "failed", "cannot")
_SHOWN = 40
"""Lines of a file that are shown, each up to `_WIDTH` columns."""
_WIDTH = 100
_HEAD = ("section", "passed", "failed", "cannot", "left open: same", "other")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite, and print what came of it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _run(_parser().parse_args(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader has seen enough; what is left must not fail at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except RobotsError as error:
        print(f"error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Refuse bad usage as every other fault is told."""
        raise InvalidOption(message, f"`{_NAME} --help` shows the options")


def _parser() -> argparse.ArgumentParser:
    parser = _Arguments(
        prog=_NAME,
        description="Ask a parser of robots.txt files every question of the suite.",
        epilog="COMMAND reads a question from each line of stdin and answers with a line of JSON: "
        "see docs/guides/suite.md.",
    )
    parser.add_argument(
        "--specification",
        action="append",
        metavar="NAME",
        help="ask about this specification, such as google; several allowed (default: rfc9309)",
    )
    parser.add_argument(
        "--only", action="append", metavar="ID", help="ask these cases alone; * stands for any text"
    )
    parser.add_argument("--suite", metavar="FOLDER", help="the folder of an unpacked suite")
    parser.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT,
        metavar="SECONDS",
        help="how long one answer may take (default: %(default)g)",
    )
    parser.add_argument(
        "--memory",
        type=int,
        default=MEMORY >> 20,
        metavar="MIB",
        help="how much memory the parser may hold; on Linux (default: %(default)s)",
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write every verdict, a line for each; - for stdout, in place of the table",
    )
    parser.add_argument(
        "--questions", action="store_true", help="run nothing: print the questions, a line for each"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    return parser


def _run(options: argparse.Namespace) -> int:
    if not 0 < options.timeout < 1e6 or options.memory <= 0:
        raise InvalidOption(
            "a limit is not above zero, or too high", "leave `--timeout` and `--memory` out"
        )
    chosen = _chosen(options)
    if options.questions:
        return _print_questions(chosen)
    command = options.command[options.command[:1] == ["--"] :]
    if not command:
        raise InvalidOption("no COMMAND to run", f"`{_NAME} python my_adapter.py`")
    if options.json:
        expect_writable(options.json)
    verdicts = list(run(command, chosen, timeout=options.timeout, memory=options.memory << 20))
    return _reported(verdicts, options)


def _print_questions(chosen: Iterable[Case]) -> int:
    for case in chosen:
        print(json.dumps(question(case)))
    return 0


def _reported(verdicts: Sequence[Verdict], options: argparse.Namespace) -> int:
    """Write and print what was asked for, and return the exit code."""
    if options.json:
        _write(verdicts, options.json)
    if options.json != STANDARD:
        _print(verdicts, is_single=bool(options.only) and len(verdicts) <= 3)
    is_failed = any(one.outcome == "failed" and one.case.level == "normative" for one in verdicts)
    return 1 if is_failed else 0


def _chosen(options: argparse.Namespace) -> list[Case]:
    wanted = options.specification or ([None] if options.only else ["rfc9309"])
    found = [case for name in wanted for case in cases(name, folder=options.suite)]
    if not options.only:
        return found
    chosen = [case for case in found if any(fnmatchcase(case.id, it) for it in options.only)]
    if not chosen:
        raise InvalidOption(
            f"no case is called {', '.join(f'`{it}`' for it in options.only)}",
            "`--questions` lists the cases",
        )
    return chosen


def _write(verdicts: Iterable[Verdict], path: str) -> None:
    with writing(path) as output:
        for one in verdicts:
            row = {
                "id": one.case.id,
                "specification": one.case.specification,
                "level": one.case.level,
                "outcome": one.outcome,
                "expected": one.case.allowed,
                "allowed": one.allowed,
                "line": one.line,
                "why": one.why,
            }
            output.write(json.dumps(row).encode() + b"\n")


# --- what is printed ----------------------------------------------------------------------


def _print(verdicts: Sequence[Verdict], *, is_single: bool) -> None:
    for name in dict.fromkeys(one.case.specification for one in verdicts):
        print(f"{name}\n")
        _print_table([one for one in verdicts if one.case.specification == name])
        print()
    failed = [one for one in verdicts if one.outcome == "failed" and one.case.level == "normative"]
    asked = [one for one in failed if one.why != NOT_ASKED]
    for one in verdicts if is_single else asked:
        _print_verdict(one)
    if len(asked) < len(failed):
        print(f"{len(failed) - len(asked)} more failed: {NOT_ASKED}")
    if is_single:
        for one in verdicts:
            _print_question(one.case)
    else:
        _print_hint(verdicts)
    others = sum(one.names_other_line for one in verdicts)
    if others:
        print(f"\n{others} answers are right, and name another line than the one that decides")


def _print_hint(verdicts: Sequence[Verdict]) -> None:
    if all(one.allowed is None and one.outcome == "failed" for one in verdicts):
        print("\nhint: nothing was answered: give COMMAND a line that `--questions` prints")
    elif any(one.outcome == "failed" for one in verdicts):
        print("\nhint: `--only ID` shows the question")


def _print_table(verdicts: Sequence[Verdict]) -> None:
    counts: dict[str, Counter[str]] = {}
    for one in verdicts:
        counted = counts.setdefault(one.case.section, Counter())
        counted[f"{one.case.level} {one.outcome}"] += 1
    rows = [_row(section, counted) for section, counted in sorted(counts.items())]
    table = [list(_HEAD), *rows, _row("all", sum(counts.values(), Counter()))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for first, *numbers in table:
        cells = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))
        print("  ".join([first.ljust(widths[0]), *cells]))


def _row(section: str, counted: Counter[str]) -> list[str]:
    stated = [counted[f"normative {outcome}"] for outcome in _OUTCOMES]
    left_open = counted["decision passed"], counted["decision failed"] + counted["decision cannot"]
    return [section, *map(str, stated), *map(str, left_open)]


def _print_verdict(one: Verdict) -> None:
    mark = f" ({one.case.strength})" if one.case.strength else ""
    got = printable(one.why) if one.allowed is None else f"got {_said(one.allowed)}"
    print(f"{one.outcome}: {one.case.id}{mark}: expected {_said(one.case.allowed)}, {got}")
    print(f"  {one.case.about}")


def _said(allowed: bool | None) -> str:
    return "no answer" if allowed is None else _VERDICTS[allowed]


def _print_question(case: Case) -> None:
    where = f"section {case.section}" if case.section[0].isdigit() else case.section
    print(f"\n{case.id} ({case.source}, {where}; {case.level})")
    print(f"may `{case.agent}` fetch `{case.url}`?")
    lines = case.robots.decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines[:_SHOWN], 1):
        print(f"{number:>4} | {shortened(repr(line), _WIDTH)}")
    if len(lines) > _SHOWN:
        print(f"{len(lines) - _SHOWN:,} more lines")
