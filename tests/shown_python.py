"""Python that a page shows, without prompts, so that a reader can copy it: it is run here.

In: blocks of code, one session. What a statement prints follows it, after `# >`; an exception is
printed as its type and message. Out: the blocks with what they print now.
"""

import ast
import contextlib
import io
from collections.abc import Iterator, Sequence
from typing import Any

SHOWN = "# >"


def run_again(blocks: Sequence[str]) -> list[str]:
    """Return the blocks with what their statements print now."""
    session: dict[str, Any] = {"__name__": "__main__"}
    return ["".join(_printing(block, session)) for block in blocks]


def _printing(block: str, session: dict[str, Any]) -> Iterator[str]:
    lines = block.splitlines(keepends=True)
    done = 0
    for statement in ast.parse(block).body:
        end = statement.end_lineno or statement.lineno
        yield from (line for line in lines[done:end] if not line.startswith(SHOWN))
        done = end
        printed = _printed(statement, session).splitlines()
        yield from (f"{SHOWN} {line}".rstrip() + "\n" for line in printed)
    yield from (line for line in lines[done:] if not line.startswith(SHOWN))


def _printed(statement: ast.stmt, session: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(ast.Module([statement], []), "<page>", "exec"), session)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return out.getvalue()


def not_imported(blocks: Sequence[str]) -> list[str]:
    """Return the names that a block uses and only an earlier block imports."""
    imported: set[str] = set()
    missing = []
    for block in blocks:
        tree = ast.parse(block)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        own = {
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        missing += sorted(names & imported - own)
        imported |= own
    return missing
