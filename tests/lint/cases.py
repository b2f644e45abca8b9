"""The cases of the checks, from `conformance/checks`: no test lives here."""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from support import CHECKOUT, bytes_of
from verger.lint import Settings

FOLDER = CHECKOUT / "conformance" / "checks"


@dataclass(frozen=True)
class Case:
    """One file, and what one check says of it."""

    check: str
    is_quiet: bool
    row: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.check}/{self.row['id']}"

    @cached_property
    def body(self) -> bytes:
        """The file."""
        if "encoding" in self.row:
            return str(self.row["robots"]).encode(self.row["encoding"])
        return bytes_of(self.row)

    @property
    def lines(self) -> list[int]:
        """The lines that the check reports."""
        return list(self.row.get("lines", []))

    @property
    def fixed(self) -> bytes:
        """The file with the fixes of the check made."""
        return str(self.row["fixed"]).encode() if "fixed" in self.row else self.body

    @property
    def url(self) -> str | None:
        """Where the file is from."""
        return self.row.get("url")

    @property
    def name(self) -> str | None:
        """What the file is called."""
        return self.row.get("name")

    @property
    def settings(self) -> Settings:
        """The check alone, in the dialects that matter."""
        alone = Settings(select=(self.check,))
        targets = tuple(self.row.get("target", alone.targets))
        return Settings(select=(self.check,), targets=targets)


def all_cases() -> list[Case]:
    """Return the cases of all checks."""
    return [
        Case(path.stem, kind == "quiet", row)
        for path in sorted(FOLDER.glob("*.toml"))
        for kind, rows in tomllib.loads(path.read_text("utf-8")).items()
        for row in rows
    ]
