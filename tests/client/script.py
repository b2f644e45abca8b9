"""Programs that use a client, in processes of their own. No test lives here.

In: source text, words. Out: what was printed. Every warning is an error there, and so is anything
on stderr that a test does not expect.
"""

import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass

from patience import LONG

SLOW_STEP = re.compile(r"^Executing <.*> took [0-9.]+ seconds\n", re.MULTILINE)
"""What asyncio says in development mode of a step that took a tenth of a second: on a busy machine
each may."""

BEGINNING = """
import os, signal, sys, threading, time
import verger
PATIENT = verger.FetchLimits(total=600, idle=600)
BOT = "ExampleBot/1.0 (+https://example.com/bot)"
url = sys.argv[1] if len(sys.argv) > 1 else ""
"""


@dataclass(frozen=True, slots=True)
class Done:
    """What a program left behind."""

    code: int
    out: list[str]
    err: str


def started(source: str, *words: str) -> "subprocess.Popen[str]":
    """Start a program; it has `url`, the first word."""
    program = BEGINNING + textwrap.dedent(source)
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def ended(process: "subprocess.Popen[str]") -> Done:
    """Wait for the end of a program."""
    try:
        out, err = process.communicate(timeout=LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"the program hangs; it said {out!r} and {err!r}") from None
    return Done(process.returncode, out.splitlines(), SLOW_STEP.sub("", err))


def done(source: str, *words: str) -> Done:
    """Run a program to its end."""
    return ended(started(source, *words))
