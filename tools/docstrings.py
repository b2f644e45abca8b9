"""Copy the docstrings of the stub `python/verger/_core.pyi` into the Rust code.

In: the stub. Out: the doc comments of `crates/python/src`, which the compiler turns into what
`help()` shows. With `--check`, the built extension is compared with the stub, and differences are
printed: to resolve them, run this tool and `make build`.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from verger import _core

ROOT = Path(__file__).parent.parent
STUB = ROOT / "python" / "verger" / "_core.pyi"
SOURCES = ROOT / "crates" / "python" / "src"

OWNER = re.compile(r"^(?:impl|(?:pub(?:\(crate\))? )?struct|   ) ([A-Z]\w*)(?:<.*>)?(?: \{|\()")
"""What begins a class, or what it can do: an item of Rust, or of `value_class!`."""

FUNCTION = re.compile(r"^(?P<indent> *)(?:pub |pub\(crate\) )?fn (?:r#)?(?P<name>\w+)")
FIELD = re.compile(r"^ {4,8}(?:pub )?(?:r#)?(?P<name>\w+): [^=]*,$")


def main() -> int:
    """Write the doc comments, or check them."""
    if "--check" in sys.argv:
        return _check()
    texts = dict(written())
    for source in sorted(SOURCES.rglob("*.rs")):
        text = source.read_text("utf-8")
        renewed = with_comments(text, texts)
        if renewed != text:
            source.write_text(renewed, encoding="utf-8")
    return 0


def _check() -> int:
    different = [name for name, text in written() if text != shown(name)]
    for name in different:
        print(f"error: `{name}` is documented otherwise in the extension", file=sys.stderr)
    if different:
        print("hint: run `tools/docstrings.py`, then `make build`", file=sys.stderr)
    return 1 if different else 0


# The stub


def written() -> Iterator[tuple[str, str]]:
    """Yield each name of the stub that the extension documents, with its docstring."""
    names: set[str] = set()
    for name, text in _documented(ast.parse(STUB.read_text("utf-8")).body):
        if name not in names and is_native(name):
            names.add(name)
            yield name, text


def _documented(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, str]]:
    for node, behind in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.ClassDef() | ast.FunctionDef() if not node.name.startswith("__"):
                text = ast.get_docstring(node)
                if text:
                    yield f"{owner}{node.name}", text
                if isinstance(node, ast.ClassDef):
                    yield from _documented(node.body, f"{owner}{node.name}.")
            case ast.AnnAssign(target=ast.Name(id=name)):
                match behind:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield f"{owner}{name}", inspect.cleandoc(text)


# The extension


def is_native(name: str) -> bool:
    """Whether people can ask the extension for help on a name; constants have no docstring."""
    found = _found(name)
    is_documented = inspect.isclass(found) or callable(found) or inspect.isdatadescriptor(found)
    return is_documented and not name.startswith("_")


def shown(name: str) -> str | None:
    """Return what `help` shows."""
    text: str | None = _found(name).__doc__
    return text


def _found(name: str) -> object:
    found: object = _core
    for part in name.split("."):
        found = inspect.getattr_static(found, part, None)
    return found


# The sources


def with_comments(text: str, texts: dict[str, str]) -> str:
    """Return a source whose doc comments are those texts."""
    lines: list[str] = []
    owner, has_fields = "", False
    for line in text.splitlines():
        if line == "}":
            owner = ""
        name = _declared(line, owner, has_fields=has_fields)
        if name in texts:
            lines = _put(lines, texts[name], line)
        lines.append(line)
        begun = OWNER.match(line)
        if begun:
            owner, has_fields = f"{begun[1]}.", not line.startswith("impl")
    return "".join(f"{line}\n" for line in lines)


def _declared(line: str, owner: str, *, has_fields: bool) -> str:
    """Return what a line declares, as the stub names it; nothing for other lines."""
    function, field = FUNCTION.match(line), FIELD.match(line)
    if function is not None:
        return f"{owner if function['indent'] else ''}{function['name']}"
    if field is not None and owner and has_fields:
        return f"{owner}{field['name']}"
    declared = OWNER.match(line)
    return declared[1] if declared and not line.startswith("impl") else ""


def _put(lines: list[str], text: str, line: str) -> list[str]:
    """Return the lines with the text as the comment of what comes next, above its attributes."""
    indent = line[: len(line) - len(line.lstrip())]
    at = len(lines)
    while at and lines[at - 1].startswith((f"{indent}#[", f"{indent}///")):
        at -= 1
    attributes = [each for each in lines[at:] if not each.startswith(f"{indent}///")]
    comment = [f"{indent}/// {each}".rstrip() for each in text.split("\n")]
    return [*lines[:at], *comment, *attributes]


if __name__ == "__main__":
    raise SystemExit(main())
