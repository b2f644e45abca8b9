"""What lays the website out, follows its links and publishes it."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
from docstring_layout import first_sentence, laid_out
from inspecting import Site
from navigation import navigation
from publishing import NEARNESS, finish, publish, rank
from staging import DOCS, LINK, ROOT, aim, page_of, place_of

PAGE = '<html><h1>{name}</h1><article><p id="here"></p>{body}</article></html>'


def site(folder: Path, **pages: str) -> list[str]:
    """Write pages, and return what is wrong with them."""
    for name, body in {"two": '<a href="index.html">one</a>', **pages}.items():
        (folder / f"{name}.html").write_text(PAGE.format(name=name, body=body), encoding="utf-8")
    return list(Site(folder).faults())


GOOD = '<a href="two.html#here">two</a> <a href="#here">here</a> <a href="https://example.com/">out</a>'

ELSEWHERE = "which is on another host"

FAULTS = {
    '<a href="three.html">three</a>': "`three.html` leads nowhere",
    '<a href="../index.html">up</a>': "`../index.html` leads nowhere",
    '<a href="two.html#no">no</a>': "`two.html#no` names an anchor that is not there",
    '<a href="#no">no</a>': "`#no` names an anchor that is not there",
    '<a href="https://example">out</a>': "`https://example` is malformed",
    '<a href="/two.html">root</a>': "`/two.html` is neither relative nor of the web",
    '<img src="one.png" alt="one">': "loads `one.png`, which leads nowhere",
    '<img src="two.html">': "has an image without a text: `two.html`",
    '<script src="https://a.example/a"></script>': f"loads `https://a.example/a`, {ELSEWHERE}",
    '<link rel="stylesheet" href="//a.example/a">': f"loads `//a.example/a`, {ELSEWHERE}",
    "<h1>again</h1>": "has 2 headings of level 1",
}


def test_a_sound_site_has_no_faults(tmp_path: Path) -> None:
    """Links inside of the site, to anchors and to other hosts are followed or taken as they are."""
    assert [] == site(tmp_path, index=GOOD)


@pytest.mark.parametrize("body", FAULTS, ids=FAULTS.get)
def test_each_fault_is_named(body: str, tmp_path: Path) -> None:
    """A link, image or script that is wrong is one line."""
    assert [f"index.html: {FAULTS[body]}"] == site(tmp_path, index=GOOD + body)


def test_a_page_that_no_text_links_to_is_a_fault(tmp_path: Path) -> None:
    """The navigation alone does not make a page part of what a reader finds."""
    nav = '<nav><a href="three.html">three</a></nav>'
    (tmp_path / "three.html").write_text(nav + PAGE.format(name="three", body=""))

    assert ["three.html: no text leads here from the first page"] == site(tmp_path, index=GOOD)


def test_a_style_that_loads_a_font_is_a_fault(tmp_path: Path) -> None:
    """Styles ask for things as scripts do."""
    (tmp_path / "a.css").write_text(
        "@import 'https://fonts.example/a.css'; b {background: url(b.svg)}"
    )

    assert ["a.css: loads `https://fonts.example/a.css`, which is on another host"] == site(
        tmp_path, index=GOOD
    )


def pages(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# `verger {path.stem}`: what it does\n")
    return folder


def test_navigation_names_pages_by_their_headings(tmp_path: Path) -> None:
    """A pattern stands for its pages in order, without the one that lists them."""
    folder = pages(tmp_path, "index.md", "a/index.md", "a/c.md", "a/b.md")

    nav = navigation([{"Start": "index.md"}, {"All": [{"List": "a/index.md"}, "a/*.md"]}], folder)

    assert [
        {"Start": "index.md"},
        {"All": [{"List": "a/index.md"}, {"b": "a/b.md"}, {"c": "a/c.md"}]},
    ] == nav


def test_checks_stand_in_the_order_of_their_codes(tmp_path: Path) -> None:
    """Their files have names, and their titles codes."""
    for name, code in (("a", "RT302"), ("b", "RT101"), ("c", "RT204")):
        (tmp_path / f"{name}.md").write_text(f"# {code} {name}\n")

    nav = navigation(["*.md"], tmp_path)

    assert ["RT101 b", "RT204 c", "RT302 a"] == [title for page in nav for title in page]


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ([{"Start": "index.md"}], "`a.md` is not in the navigation"),
        ([{"Start": "index.md"}, "a.md", "*.md"], "`a.md` is 2 times in the navigation"),
        ([{"Start": "index.md"}, "*.md", "b.md"], "`b.md` is in the navigation, and nowhere else"),
    ],
)
def test_each_page_is_in_the_navigation_once(written: list, fault: str, tmp_path: Path) -> None:
    """A page that is missing, listed twice or not there ends the build with its name."""
    with pytest.raises(SystemExit, match=fault):
        navigation(written, pages(tmp_path, "index.md", "a.md"))


def test_every_page_of_the_documentation_is_in_the_navigation() -> None:
    """Whoever adds a page learns it here, and not when the website is built."""
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"[\w./*-]+\.md", nav)
    pages = [str(place_of(path)) for path in DOCS.rglob("*.md")]

    assert [] == [page for page in pages if not any(fnmatch(page, each) for each in named)]


def test_pages_move_with_their_links() -> None:
    """Pages of other folders get a place, and links of all pages lead to it."""
    crawler, changelog = page_of(DOCS / "crawler.md"), page_of(ROOT / "CHANGELOG.md")

    assert "(index.md#install)" in crawler
    assert '```text title="urls.txt"' in crawler
    assert "](CHANGELOG.md)" in changelog
    assert "### Added" in changelog
    assert "project/benchmarks/index.md" == str(place_of(ROOT / "benchmarks" / "README.md"))
    assert "# `examples/polite_crawler_sync.py`\n\n```python\n" in page_of(
        ROOT / "examples" / "polite_crawler_sync.py"
    )


def test_a_link_to_a_file_that_is_not_there_is_named() -> None:
    """It ends the build before anything is built."""
    with pytest.raises(SystemExit, match=r"`docs/glossary.md` links to `missing.md`, which is not"):
        aim(DOCS / "glossary.md", next(LINK.finditer("[missing](missing.md#anchor)")))


def test_docstrings_keep_their_layout() -> None:
    """Examples are code, names with meanings lists, drawings as they stand; text is text."""
    shown = laid_out(
        """Say it.

        name:     what it is,
                  and more.
        Returns:  a `Thing`.
        Raises:   ValueError: no.

        >>> say("a")

        Thing
          + Other  a part of it

        Note: this is a sentence,
        which goes on.
        """
    )

    assert shown.split("\n\n") == [
        "Say it.",
        "- `name`: what it is, and more.\n- **Returns**: a `Thing`.\n- **Raises**: ValueError: no.",
        '```pycon\n>>> say("a")\n```',
        "```text\nThing\n  + Other  a part of it\n```",
        "Note: this is a sentence,\nwhich goes on.",
    ]


SEARCH = f"const before=1;if({NEARNESS})return f"


def searched(folder: Path, *locations: tuple[str, list[str]], code: str = SEARCH) -> list[str]:
    """Write what zensical's search reads, rank it, and return the order of the index."""
    index = {"items": [{"location": name, "path": path} for name, path in locations]}
    for name, text in (("search.json", "{}\n"), ("search.js", "var __index = {};")):
        (folder / name).write_text(text.replace("{}", json.dumps(index)))
    worker = folder / "assets" / "javascripts" / "workers" / "search.1234.min.js"
    worker.parent.mkdir(parents=True)
    worker.write_text(code)
    rank(folder)
    ranked = json.loads((folder / "search.json").read_text())
    assert f"var __index = {json.dumps(ranked)};" == (folder / "search.js").read_text()
    return [item["location"] for item in ranked["items"]]


def test_the_search_ranks_guides_before_names_of_the_api(tmp_path: Path) -> None:
    """They come first in the index, and its places are compared before the words' nearness."""
    names = searched(
        tmp_path,
        ("reference/python/a.html#B.c", ["Reference", "Python", "a"]),
        ("reference/python/a.html", ["Reference", "Python", "a"]),
        ("guides/a.html#b", ["Guides", "Answers", "a"]),
        ("checks/a.html", ["Reference", "Checks", "a"]),
        ("index.html", ["Start", "Start here"]),
    )

    assert names[:2] == ["guides/a.html#b", "index.html"]
    assert names[-1] == "reference/python/a.html#B.c"
    (worker,) = tmp_path.rglob("*.min.js")
    first = "(f=(o.id>=2)+(o.id>=4)-((u.id>=2)+(u.id>=4)),f!==0)"
    assert SEARCH.replace(NEARNESS, f"{first}||{NEARNESS}") == worker.read_text()


def test_another_search_than_the_one_that_is_known_ends_the_build(tmp_path: Path) -> None:
    """A newer zensical may compare otherwise: then this is looked at again."""
    with pytest.raises(SystemExit, match="the search of zensical has changed"):
        searched(tmp_path, ("index.html", ["Start"]), code="other")


def test_a_module_is_listed_with_its_first_sentence() -> None:
    """Sentences go on behind the end of a line, and have stops within them."""
    docstring = "Rules of RFC 9309, e.g. `a.b`:\nall of them. The others\nare elsewhere.\n\nMore."

    assert "Rules of RFC 9309, e.g. `a.b`: all of them." == first_sentence(docstring)
    assert "No stop" == first_sentence("No\nstop\n\nMore.")


def built(folder: Path, text: str = "") -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(f"<h1>{text}</h1>")
    (folder / "sitemap.xml").write_text("<urlset></urlset>")
    (folder / "404.html").write_text("")
    return folder


def test_a_release_keeps_the_versions_before_it(tmp_path: Path) -> None:
    """The newest is the first page, wherever it stands in the order of publishing."""
    root = tmp_path / "root"
    for version in ("0.9", "0.10", "0.2", "0.10"):
        publish(built(tmp_path / f"html-{len(list(tmp_path.iterdir()))}", version), root, version)

    listed = json.loads((root / "versions.json").read_text())
    assert [("0.10", ["latest"]), ("0.9", []), ("0.2", [])] == [
        (each["version"], each["aliases"]) for each in listed
    ]
    assert "url=0.10/index.html" in (root / "index.html").read_text()
    assert "<h1>0.2</h1>" == (root / "0.2" / "index.html").read_text()


def test_a_site_without_an_address_has_no_page_for_errors(tmp_path: Path) -> None:
    """A server shows it at any address, so its links would have to begin with that of the site."""
    html = built(tmp_path / "html")
    (html / "a").mkdir()
    (html / "a" / "b.html").write_text('<script src="https://unpkg.com/iframe-worker/shim">')

    finish(html)

    assert {"index.html", "sitemap.xml", "a"} == {path.name for path in html.iterdir()}
    assert '<script src="../theme/frame-worker.js">' == (html / "a" / "b.html").read_text()
