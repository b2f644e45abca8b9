"""Places: the lines of the keys in a TOML document.

In: a document that `tomllib` reads without an error, and the name of an array of tables. Out: the
line of each of its tables and of each key. `tomllib` gives line numbers only in errors. TOML 1.0.0.
"""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
      (?P<text> \"{3} (?:\\.|[^\\])*? \"{3} \"{0,2}
              | '{3} .*? '{3} '{0,2}
              | "(?:\\.|[^"\\\n])*"
              | '[^'\n]*' )
    | (?P<comment> \#[^\n]* )
    | (?P<end> \n )
    | (?P<mark> [\[\]{}=.,] )
    | (?P<word> [^\s"'\#\[\]{}=.,]+ )
    """,
    re.DOTALL | re.VERBOSE,
)


class TomlLines:
    """The lines of the tables of one array, and of the keys in them and at the top."""

    def __init__(self, document: str, array: str) -> None:
        self._array = array
        self._tables: list[int] = []
        self._keys: dict[tuple[int, str], int] = {}
        self._read(_tokens(document))

    def table(self, number: int) -> int | None:
        """Return the line of a table of the array, counted from 0."""
        return self._tables[number] if number < len(self._tables) else None

    def key(self, number: int, name: str) -> int | None:
        """Return the line of a key in a table, or of the table itself; -1 is the document."""
        line = self._keys.get((number, name))
        return self.table(number) if line is None and number >= 0 else line

    def _read(self, tokens: Iterator[tuple[str, str, int]]) -> None:
        """Read statements: each is a header or a key with its value, and ends with its line."""
        table: int | None = -1
        for kind, text, line in tokens:
            if kind in ("end", "comment"):
                continue
            if text == "[" and kind == "mark":
                table = self._header(tokens, line)
                continue
            name = _unquoted(kind, text)
            if table is not None:
                self._keys.setdefault((table, name), line)
            self._value(tokens, is_array=table == -1 and name == self._array)

    def _header(self, tokens: Iterator[tuple[str, str, int]], line: int) -> int | None:
        """Read a header to its end; return the number of the table that it begins, if any."""
        parts = ["["]
        for kind, text, _ in tokens:
            if kind == "end":
                break
            if kind != "comment":
                parts.append(text if kind == "mark" else _unquoted(kind, text))
        self._keys.setdefault((-1, next(part for part in parts if part != "[")), line)
        if parts == ["[", "[", self._array, "]", "]"]:
            self._tables.append(line)
            return len(self._tables) - 1
        return None

    def _value(self, tokens: Iterator[tuple[str, str, int]], *, is_array: bool) -> None:
        """Read a value to its end; note inline tables if it is the value of the array."""
        depth = 0
        for kind, text, line in tokens:
            if kind == "end" and not depth:
                return
            if kind != "mark":
                continue
            if text == "{" and depth == 1 and is_array:
                self._tables.append(line)
            depth += (text in "[{") - (text in "]}")


def _tokens(document: str) -> Iterator[tuple[str, str, int]]:
    """Yield kind, text and line of each token."""
    line = 1
    for found in _TOKEN.finditer(document):
        kind, text = found.lastgroup or "", found[0]
        yield kind, text, line
        line += text.count("\n")


def _unquoted(kind: str, text: str) -> str:
    """Return a key without its quotes; escapes in keys are not resolved."""
    return text[1:-1] if kind == "text" else text
