"""The navigation of the website: that of `mkdocs.yml`, with the pages that its patterns stand for.

In: the navigation as it is written, and the folder of all pages. Out: the same, in which each page
stands once; anything else is an error. A page without a title is called as its heading begins. The
pages of a pattern stand in the order of their codes, or else of their names.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HEADING = re.compile(r"^# (?P<text>.+)$", re.MULTILINE)

CODE = re.compile(r"RT\d+\b")
"""What the titles of checks begin with."""

OURS = re.compile(r"^verger[ .](?=\w)")
"""What the names of all commands and modules begin with."""


def navigation(written: list[Any], pages: Path) -> list[Any]:
    """Return the whole navigation, or exit if a page does not stand in it once."""
    nav = list(_expanded(written, pages))
    count = Counter(_pages(nav))
    there = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}
    wrong = [f"`{name}` is not in the navigation" for name in sorted(there - count.keys())]
    wrong += [f"`{name}` is in the navigation, and nowhere else" for name in count.keys() - there]
    wrong += [f"`{name}` is {n} times in the navigation" for name, n in count.items() if n > 1]
    if wrong:
        raise SystemExit("\n".join([*(f"error: {each}" for each in wrong), "hint: see mkdocs.yml"]))
    return nav


def _expanded(written: list[Any], pages: Path) -> Iterator[Any]:
    for entry in written:
        if isinstance(entry, dict):
            for title, inner in entry.items():
                is_page = isinstance(inner, str)
                yield {title: inner if is_page else list(_expanded(inner, pages))}
        elif "*" in entry:
            found = (path for path in pages.glob(entry) if path.name != "index.md")
            titled = [(path.stem, _titled(path, pages)) for path in found]
            yield from (page for _, page in sorted(titled, key=_order))
        else:
            yield _titled(pages / entry, pages)


def _order(titled: tuple[str, dict[str, str]]) -> str:
    """Return what a page is ordered by: the code that its title begins with, or its name."""
    name, page = titled
    code = CODE.match(next(iter(page)))
    return code[0] if code else name


def _titled(path: Path, pages: Path) -> dict[str, str]:
    """Return a page by the first words of its heading, up to a colon."""
    name = path.relative_to(pages).as_posix()
    found = HEADING.search(path.read_text("utf-8")) if path.exists() else None
    title = found["text"].replace("`", "").partition(": ")[0] if found else name
    return {OURS.sub("", title): name}


def _pages(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        for inner in entry.values():
            yield from (inner,) if isinstance(inner, str) else _pages(inner)
