"""Write the reference of the Python API: a page of Markdown for each public module.

In: the package and its stub, which griffe reads without importing them, and the folder to write to.
Out: `verger.bulk.md` and so on. A name has its entry where it is first public, and is linked from
all others; docstrings keep their layout (see docstring_layout.py).
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import griffe
from docstring_layout import first_sentence, laid_out

ROOT = Path(__file__).resolve().parents[2]

MODULES = (
    "verger",
    "verger.analysis",
    "verger.bulk",
    "verger.bulk.audit",
    "verger.bulk.changes",
    "verger.bulk.filter",
    "verger.bulk.report",
    "verger.bulk.scan",
    "verger.bulk.spark",
    "verger.cache",
    "verger.cache.redis",
    "verger.cache.sqlite",
    "verger.cache.store",
    "verger.compat",
    "verger.compat.advertools",
    "verger.compat.linkchecker",
    "verger.compat.protego",
    "verger.compat.reppy",
    "verger.compat.robotparser",
    "verger.compat.robotspy",
    "verger.crawlers",
    "verger.expectations",
    "verger.fetching.requests_session",
    "verger.fetching.transport",
    "verger.integrations",
    "verger.integrations.aiohttp",
    "verger.integrations.crawl4ai",
    "verger.integrations.crawlee",
    "verger.integrations.datatrove",
    "verger.integrations.httpx",
    "verger.integrations.requests",
    "verger.integrations.scrapling",
    "verger.integrations.scrapy",
    "verger.integrations.trafilatura",
    "verger.integrations.urllib",
    "verger.lint",
    "verger.testing",
    "verger.testing.suite",
)

WIDTH = 90
"""The longest signature on one line."""

NAMED = re.compile(r"(?<!\[)`([A-Za-z][\w.]*)`")

Entry: TypeAlias = "griffe.Object | griffe.Alias"


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    package = griffe.load(
        "verger", search_paths=[ROOT / "python"], resolve_aliases=True, allow_inspection=False
    )
    modules = {name: module_of(package, name) for name in MODULES}
    homes = homes_of(modules)
    folder.mkdir(parents=True, exist_ok=True)
    for name, module in modules.items():
        (folder / f"{name}.md").write_text(page(name, module, homes), encoding="utf-8")
    (folder / "index.md").write_text(index(modules), encoding="utf-8")


def index(modules: dict[str, Entry]) -> str:
    """Return the list of all modules, each with the first sentence of its docstring."""
    items = [
        f"- [`{name}`]({name}.md): {first_sentence(each.docstring.value)}"
        for name, each in modules.items()
        if each.docstring
    ]
    return "\n".join(["# Python", "", "What `help` shows, on pages.", "", *items, ""])


def module_of(package: Entry, name: str) -> Entry:
    """Return a module of the package by its full name."""
    rest = name.partition(".")[2]
    return package[rest] if rest else package


def homes_of(modules: dict[str, Entry]) -> dict[str, tuple[str, str]]:
    """Return where each object has its entry: the module and the name there."""
    homes: dict[str, tuple[str, str]] = {}
    for name, module in modules.items():
        for entry in public(module):
            homes.setdefault(entry.canonical_path, (name, entry.name))
    return homes


def public(module: Entry) -> Iterator[Entry]:
    """Yield what a module offers, which `__all__` lists: of the package itself, only functions."""
    listed = None if module.path == "verger" else module.exports
    for name, entry in module.members.items():
        is_ours = not entry.is_alias or entry.target_path.startswith("verger.")
        is_offered = is_ours and name[0].isalpha() and (listed is None or name in listed)
        if is_offered and name != "TYPE_CHECKING" and not entry.is_module:
            yield entry


def page(name: str, module: Entry, homes: dict[str, tuple[str, str]]) -> str:
    """Return the page of a module."""
    entries = list(public(module))
    links = Links(name, homes)
    here = [each for each in entries if homes[each.canonical_path][0] == name]
    elsewhere = [each for each in entries if each not in here]
    parts = [f"# `{name}`", documented(module, links)]
    for title, kind in (("Functions", "function"), ("Classes", "class"), ("Values", "attribute")):
        of_kind = [each for each in here if each.kind.value == kind and not is_error(each)]
        parts += section(title, of_kind, links)
    parts += section("Exceptions", [each for each in here if is_error(each)], links)
    if elsewhere:
        parts.append("Also here: " + ", ".join(links.to(each) for each in elsewhere) + ".")
    return "\n\n".join(part for part in parts if part) + "\n"


def is_error(entry: Entry) -> bool:
    """Return whether an entry is an exception."""
    return bool(entry.is_class) and entry.canonical_path.startswith("verger.errors.")


def section(title: str, entries: Iterable[Entry], links: "Links") -> Iterator[str]:
    """Yield a heading and the entries below it, if there are any."""
    for number, entry in enumerate(sorted(entries, key=lambda each: each.name)):
        if number == 0:
            yield f"## {title}"
        yield from shown(entry, "###", entry.name, links)


def shown(entry: Entry, level: str, name: str, links: "Links") -> Iterator[str]:
    """Yield the entry of an object, with those of what it has."""
    yield f"{level} `{entry.name}` {{#{name}}}"
    yield signature(entry)
    yield documented(entry, links)
    # The methods of exceptions are for whoever raises them.
    if entry.is_class and level == "###" and not is_error(entry):
        for member in entry.members.values():
            if not member.name.startswith("_") and member.docstring and not member.is_module:
                yield from shown(member, "####", f"{name}.{member.name}", links)


def documented(entry: Entry, links: "Links") -> str:
    """Return the docstring of an object as Markdown, with links."""
    return links.added(laid_out(entry.docstring.value)) if entry.docstring else ""


# Signatures


def signature(entry: Entry) -> str:
    """Return how an object is declared, as a block of code."""
    target = entry.final_target if isinstance(entry, griffe.Alias) else entry
    if isinstance(target, griffe.Function):
        calls = target.overloads or [target]
        return fenced("\n".join(call(each, entry.name, "def ") for each in calls))
    if isinstance(target, griffe.Class):
        bases = ", ".join(str(base) for base in target.bases)
        made = target.members.get("__init__") or target.members.get("__new__")
        if isinstance(made, griffe.Function) and not bases.endswith("Protocol"):
            return fenced(call(made, entry.name, "class ", returns=False))
        return fenced(f"class {entry.name}({bases})" if bases else f"class {entry.name}")
    if isinstance(target, griffe.Attribute) and target.annotation is not None:
        return fenced(f"{entry.name}: {target.annotation}")
    return ""


def call(function: griffe.Function, name: str, word: str, *, returns: bool = True) -> str:
    """Return a signature, on one line if that is short enough."""
    given = list(parameters(function))
    ends = f" -> {function.returns}" if returns and function.returns is not None else ""
    line = f"{word}{name}({', '.join(given)}){ends}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{word}{name}(", *(f"    {each}," for each in given), f"){ends}"])


def parameters(function: griffe.Function) -> Iterator[str]:
    """Yield the parameters as they are written, but for `self`."""
    is_keyword = False
    for each in function.parameters:
        kind = each.kind.value if each.kind else ""
        if each.name in ("self", "cls") or str(each.annotation) == "Never":
            continue
        if kind == "keyword-only" and not is_keyword:
            is_keyword = True
            yield "*"
        is_keyword |= kind == "variadic positional"
        yield parameter(each, {"variadic positional": "*", "variadic keyword": "**"}.get(kind, ""))


def parameter(each: griffe.Parameter, stars: str) -> str:
    """Return one parameter with its type and default."""
    typed = f": {each.annotation}" if each.annotation is not None else ""
    if each.default is None or stars:
        return f"{stars}{each.name}{typed}"
    return f"{each.name}{typed}{' = ' if typed else '='}{each.default}"


def fenced(code: str) -> str:
    """Return code as a block."""
    return f"```python\n{code}\n```"


# Links


class Links:
    """Links of one page to the entries of names."""

    def __init__(self, page: str, homes: dict[str, tuple[str, str]]) -> None:
        """Know the names of a page's module, and those of the package itself."""
        self._page, self._homes = page, homes
        self._named: dict[str, tuple[str, str]] = {}
        for module, name in homes.values():
            self._named[f"{module}.{name}"] = (module, name)
            if module in (page, "verger"):
                self._named[name] = (module, name)

    def to(self, entry: Entry) -> str:
        """Return a link to the entry of an object."""
        return self._link(*self._homes[entry.canonical_path], entry.name)

    def added(self, text: str) -> str:
        """Return Markdown in which names between backticks are links, outside of code."""
        parts = text.split("```")
        parts[::2] = [NAMED.sub(self._linked, part) for part in parts[::2]]
        return "```".join(parts)

    def _linked(self, found: re.Match[str]) -> str:
        if found[1] in MODULES and found[1] != self._page:
            return f"[{found[0]}]({found[1]}.md)"
        home = self._named.get(found[1])
        return self._link(*home, found[1]) if home else found[0]

    def _link(self, module: str, name: str, text: str) -> str:
        page = "" if module == self._page else f"{module}.md"
        return f"[`{text}`]({page}#{name})"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
