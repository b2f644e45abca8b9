"""Command lines that are refused, and what is said of each: `refusals.toml`, read."""

import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class Refusal(NamedTuple):
    """The words of a command line, and all that stderr holds then."""

    words: list[str]
    said: str


def refusals(table: str) -> dict[str, Refusal]:
    """Return those of one table, by command line."""
    return {
        line: Refusal(shlex.split(line), f"error: {error}\nhint: {hint}\n")
        for line, (error, hint) in TABLES[table].items()
    }
