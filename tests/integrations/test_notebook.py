"""What a notebook shows: a real one, run by a kernel, with the outputs that a person would see."""

import os
from pathlib import Path

import pytest

import verger
from patience import LONG
from showing.test_showing import BODY, HOSTILE, URL, Tags
from support import CHECKOUT

nbclient = pytest.importorskip("nbclient", reason="`make test-integrations` has Jupyter")
nbformat = pytest.importorskip("nbformat", reason="`make test-integrations` has Jupyter")

SETUP = f"""
import verger
from verger.testing import MemoryTransport

body, hostile, url = {BODY!r}, {HOSTILE!r}, {URL!r}
hostile += b"Disallow: /" + b"a" * 100_000
sites = {{
    "https://shop.example": body, "https://example.com": hostile, "https://down.example": 503
}}
client = verger.Client("ExampleBot/1.0", transport=MemoryTransport(sites))
robots, untrusted = verger.parse(body), verger.parse(hostile)
"""
SHOWN = {
    "file": "robots",
    "empty file": "verger.parse(b'')",
    "decision": "robots.decide('/private/press/1', 'ExampleBot')",
    "findings": "robots.findings",
    "finding": "robots.findings[0]",
    "no findings": "verger.parse(b'').findings",
    "lines": "robots.lines",
    "answer": "client.decide('https://shop.example/lamps?sort=price')",
    "unreachable": "client.decide('https://down.example/a')",
    "hostile file": "untrusted",
    "hostile decision": "untrusted.decide(url + 'a' * 5_000, 'ExampleBot')",
    "hostile findings": "untrusted.findings",
    "hostile lines": "untrusted.lines",
    "hostile answer": "client.decide(url + 'a' * 5_000)",
    "surrogates": r"verger.parse('Disallow: /\ud800'.encode('utf-8', 'surrogatepass'))",
}
"""The last line of each cell, whose value the notebook shows."""

TOLD = {
    "diff": "verger.analysis.diff(robots, untrusted)",
    "lint": "verger.lint.lint(hostile)",
}
"""Values without a picture."""

CELLS = SHOWN | TOLD

PATIENT = {"timeout": int(LONG), "startup_timeout": int(LONG), "iopub_timeout": int(LONG)}
"""Without the last one, what a busy kernel shows is left out after four seconds."""

Output = dict[str, str]
"""What a cell shows, by media type."""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Output]:
    """Run the notebook; VERGER_WRITE_NOTEBOOK names a file where it is kept, to be looked at."""
    folder = tmp_path_factory.mktemp("jupyter")
    cells = [nbformat.v4.new_code_cell(source) for source in (SETUP, *CELLS.values())]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder))
        patch.setenv("PYTHONPATH", str(CHECKOUT / "python"))
        nbclient.NotebookClient(notebook, **PATIENT).execute(cwd=str(folder))
    if "VERGER_WRITE_NOTEBOOK" in os.environ:
        nbformat.write(notebook, Path(os.environ["VERGER_WRITE_NOTEBOOK"]))
    return {name: cell.outputs[0].data for name, cell in zip(CELLS, cells[1:], strict=True)}


@pytest.mark.parametrize("name", SHOWN)
def test_a_cell_shows_a_picture(name: str, outputs: dict[str, Output]) -> None:
    """Text of files and URLs is text: no tag but `pre` and `span`, nothing invisible, no page."""
    assert {"text/plain", "text/html"} == set(outputs[name])
    html = outputs[name]["text/html"]
    found = Tags(html)

    assert {"pre", "span"} >= found.tags
    assert {"style"} == found.attributes
    assert found.text.replace("\n", "").isprintable()
    assert len(html) < 4_000
    assert max(map(len, found.text.splitlines())) < 200


@pytest.mark.parametrize("name", TOLD)
def test_a_cell_shows_the_repr_of_other_values(name: str, outputs: dict[str, Output]) -> None:
    """It is short, and holds nothing of files or URLs that is invisible."""
    assert {"text/plain"} == set(outputs[name])
    assert outputs[name]["text/plain"].isprintable()
    assert len(outputs[name]["text/plain"]) < 200


def test_cells_show_what_explain_returns(outputs: dict[str, Output]) -> None:
    """Under the URL and the crawler."""
    decision = verger.parse(BODY).decide("/private/press/1", "ExampleBot")
    expected = f"/private/press/1 for ExampleBot\n{decision.explain()}"

    assert expected == Tags(outputs["decision"]["text/html"]).text


def test_cells_show_lines_and_findings(outputs: dict[str, Output]) -> None:
    """A file has its lines by number, and under them what was found."""
    file = Tags(outputs["file"]["text/html"]).text.splitlines()

    assert "RobotsTxt(93 bytes, 1 group, 4 rules, dialect='rfc9309')" == file[0]
    assert "  2 | Disallow: /private" == file[2]
    assert "    = note `Dissallow` is read as `disallow` (misspelt-key)" == file[-1]
    assert "0 findings" == Tags(outputs["no findings"]["text/html"]).text.strip()
    assert "answered 503" in Tags(outputs["unreachable"]["text/html"]).text
    assert r"/\xed\xa0\x80" in Tags(outputs["surrogates"]["text/html"]).text
