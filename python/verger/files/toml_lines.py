"""Places: the lines of the keys in a TOML document.

In: a document that `tomllib` reads without an error, and the name of a table, or of an array of
them. Out: the line of each of its tables and of each key. `tomllib` gives line numbers only in
errors. TOML 1.0.0.
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


TOP, OTHER = -1, -2
"""The numbers of the document's own table, and of all that are not in the array."""

Token = tuple[str, str, int, int]
"""Kind, text, line, and how many brackets are open before it."""


def key_lines(document: str, array: str) -> dict[tuple[int, str | None], int]:
    """Return the line of each key by its table, and with the key None that of each table.

    Tables are those of the array, counted from 0, `TOP` and `OTHER`.
    """
    lines: dict[tuple[int, str | None], int] = {}
    table, count = TOP, 0
    for (kind, text, line, _), *rest in _statements(document):
        parts = [_unquoted(kind, text) for kind, text, _, _ in rest]
        if (kind, text) != ("mark", "["):
            name, begun = _unquoted(kind, text), []
            lines.setdefault((table, name), line)
            if (table, name) == (TOP, array):
                begun = [line for _, text, line, depth in rest if (text, depth) == ("{", 1)]
        else:
            lines.setdefault((TOP, next(part for part in parts if part != "[")), line)
            begun = [line] if parts == ["[", array, "]", "]"] else []
            table = count if begun else OTHER
        for each in begun:
            lines[count, None] = each
            count += 1
    return lines


def line_of_key(document: str, table: str, key: str) -> int | None:
    """Return the line of a key of a table, such as `tool.verger`, however it is written; None if
    the document lacks it.

    table:  empty for the document's own.
    """
    wanted = [*filter(None, table.split(".")), key]
    above: list[str] = []
    for statement in _statements(document):
        is_header = statement[0][:2] == ("mark", "[")
        names = statement if is_header else _before_value(statement)
        written = [_unquoted(kind, text) for kind, text, _, _ in names if kind != "mark"]
        path = written if is_header else above + written
        above = written if is_header else above
        if path[: len(wanted)] == wanted:
            return statement[0][2]
        if not is_header and wanted[: len(path)] == path:  # an inline table
            inside = (line for kind, text, line, _ in statement if _unquoted(kind, text) == key)
            return next(inside, statement[0][2])
    return None


def _before_value(statement: list[Token]) -> list[Token]:
    """Return the tokens of a key."""
    return statement[: next(at for at, (_, text, _, _) in enumerate(statement) if text == "=")]


def _statements(document: str) -> Iterator[list[Token]]:
    """Yield each header, and each key with its value, as their tokens without comments."""
    tokens: list[Token] = []
    line, depth = 1, 0
    for found in _TOKEN.finditer(f"{document}\n"):  # the last statement ends, too
        kind, text = found.lastgroup or "", found[0]
        if kind == "end" and not depth and tokens:
            yield tokens
            tokens = []
        if kind not in ("end", "comment"):
            tokens.append((kind, text, line, depth))
        if kind == "mark":
            depth += (text in "[{") - (text in "]}")
        line += text.count("\n")


def _unquoted(kind: str, text: str) -> str:
    """Return a key without its quotes; escapes in keys are not resolved."""
    return text[1:-1] if kind == "text" else text
