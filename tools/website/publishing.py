"""Put a built website among the published versions of it.

In: a folder of HTML, as zensical or mkdocs-material wrote it, and the folder that a web server
serves. Out: a folder named after the version in it, a list of versions, which the site's switch
reads, and a first page that leads to the newest. Other versions stay as they are, so a release
copies the published folder from its host, runs this, and copies it back. A fault that
inspecting.py finds ends it before anything is published.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from inspecting import Site

import verger

FRAME_WORKER = "https://unpkg.com/iframe-worker/shim"
"""What the builders load from another host, for the search in pages that no server serves."""

NEARNESS = "(f=a(o.matches[d],u.matches[d]),f!==0)"
"""Where zensical's search compares how near two results come to what is asked."""

FIRST = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>verger</title>
<link rel="icon" href="{folder}/theme/logo.svg">
<meta http-equiv="refresh" content="0; url={folder}/index.html">
<p><a href="{folder}/index.html">The documentation of verger {folder}</a>
"""


def main(html: Path, root: Path) -> int:
    """Publish a site, or say what is wrong with it."""
    finish(html)
    faults = list(Site(html).faults())
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if not faults:
        publish(html, root, ".".join(verger.__version__.split(".")[:2]))
    return bool(faults)


def finish(html: Path) -> None:
    """Let no page load anything from another host, and drop the one that needs an address."""
    for page in html.rglob("*.html"):
        up = "../" * (len(page.relative_to(html).parts) - 1)
        text = page.read_text("utf-8")
        page.write_text(text.replace(FRAME_WORKER, f"{up}theme/frame-worker.js"), encoding="utf-8")
    rank(html)
    if "<loc>" not in (html / "sitemap.xml").read_text("utf-8"):  # no address is known
        (html / "404.html").unlink()


def rank(html: Path) -> None:
    """Let zensical's search rank guides before names of the API with the words in such a place.

    It compares where the words are (a title, a path, a text), then how many and how near: between
    these, in which part of the index a page stands. mkdocs-material has another search.
    """
    index = html / "search.json"
    if not index.exists():
        return
    written = index.read_text("utf-8")
    held = json.loads(written)
    held["items"].sort(key=part_of)
    ranked = json.dumps(held, ensure_ascii=False)
    for path in (index, index.with_suffix(".js")):
        text = path.read_text("utf-8").replace(written.strip(), ranked)
        path.write_text(text, encoding="utf-8")
    parts = [part_of(item) for item in held["items"]]
    starts = [parts.index(part) if part in parts else len(parts) for part in (1, 2)]
    (worker,) = html.glob("assets/javascripts/workers/search.*.js")
    ours, theirs = ("+".join(f"({item}.id>={start})" for start in starts) for item in "ou")
    code = worker.read_text("utf-8")
    if code.count(NEARNESS) != 1:
        raise SystemExit(f"error: the search of zensical has changed: see `{worker}`")
    compared = f"(f={ours}-({theirs}),f!==0)||{NEARNESS}"
    worker.write_text(code.replace(NEARNESS, compared), encoding="utf-8")


def part_of(item: dict[str, Any]) -> int:
    """Return where a page stands in the index: guides, then others, then names of the API."""
    if item["path"][:1] in (["Start"], ["Guides"]):
        return 0
    return 2 if item["path"][:2] == ["Reference", "Python"] and "#" in item["location"] else 1


def publish(html: Path, root: Path, version: str) -> None:
    """Write a version beside the others, in place of what it was before."""
    shutil.rmtree(root / version, ignore_errors=True)
    shutil.copytree(html, root / version)
    listed = root / "versions.json"
    known = json.loads(listed.read_text("utf-8")) if listed.exists() else []
    names = {version, *(each["version"] for each in known)}
    newest = sorted(names, key=number, reverse=True)
    listed.write_text(json.dumps([row(name, newest[0]) for name in newest], indent=1) + "\n")
    (root / "index.html").write_text(FIRST.format(folder=newest[0]), encoding="utf-8")


def number(version: str) -> tuple[int, ...]:
    """Return a version as what versions are ordered by."""
    return tuple(map(int, version.split(".")))


def row(version: str, newest: str) -> dict[str, Any]:
    """Return a version as the switch reads it."""
    is_newest = version == newest
    return {"version": version, "title": version, "aliases": ["latest"] if is_newest else []}


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2])))
