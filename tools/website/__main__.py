"""Write what `make site` builds: every page, the theme's files and the configuration.

In: the repository, and a folder in which tools/website/api_pages.py has written the Python
reference. Out: `build/website/mkdocs.yml`, which zensical and mkdocs-material read, and all that
it names.
"""

import json
import os
import shutil
from pathlib import Path

import yaml
from command_pages import command_pages
from navigation import navigation
from schema_pages import SCHEMAS, schema_pages
from staging import ROOT, lay_out

import verger

BUILD = ROOT / "build" / "website"
PAGES = BUILD / "docs"
HERE = Path(__file__).parent
TESTER = ROOT / "web" / "dist" / "index.html"
NOTICES = TESTER.with_name("THIRD-PARTY-NOTICES.txt")

MINUTES = "This page takes three minutes."
TRY = "Nothing to install? [Try it](try/index.md) in your browser."

MORE = {
    "index.md": "On this site, there is also a [reference](../reference/index.md): every command, "
    "every name in Python and every schema.",
    "python.md": "On this site, there is also a [reference](../reference/python/verger.md).",
}
"""What guides say here, and not where there are no pages to link to."""


def main() -> None:
    """Write all."""
    lay_out(PAGES)
    commands = command_pages()
    put_pages("reference", {"index.md": (HERE / "reference.md").read_text("utf-8")})
    put_pages("reference/commands", commands)
    put_pages("reference/schemas", schema_pages())
    for schema in SCHEMAS:
        shutil.copyfile(schema, PAGES / "reference" / "schemas" / schema.name)
    for name, text in (MORE | options_of(commands)).items():
        with (PAGES / "guides" / name).open("a", encoding="utf-8") as guide:
            guide.write(f"\n{text}\n")
    shutil.copytree(HERE / "theme", PAGES / "theme", dirs_exist_ok=True)
    put_tester()
    (BUILD / "mkdocs.yml").write_text(configuration(), encoding="utf-8")


def put_pages(folder: str, pages: dict[str, str]) -> None:
    """Write pages by the names of their files."""
    (PAGES / folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (PAGES / folder / name).write_text(text, encoding="utf-8")


def options_of(commands: dict[str, str]) -> dict[str, str]:
    """Return for the guide of each command where its options are."""
    return {
        name: f"All options of the command: [reference](../reference/commands/{name})."
        for name in commands
        if name != "index.md" and (PAGES / "guides" / name).exists()
    }


def put_tester() -> None:
    """Write the page that shows the tester, if that is built, and a link on the first page."""
    if not TESTER.exists():
        print("left out: the page `Try it`; it embeds what `make page` builds")
        return
    put_pages("try", {"index.md": (HERE / "try.md").read_text("utf-8")})
    shutil.copyfile(TESTER, PAGES / "try" / "tester.html")
    shutil.copyfile(NOTICES, PAGES / "try" / NOTICES.name)
    first = PAGES / "index.md"
    first.write_text(
        first.read_text("utf-8").replace(MINUTES, f"{MINUTES}\n{TRY}"), encoding="utf-8"
    )


def configuration() -> str:
    """Return the settings of `mkdocs.yml`, with the whole navigation."""
    settings, _, nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")
    if url := os.environ.get("SITE_URL"):
        settings += f"\nsite_url: {json.dumps(url)}\n"
    written = yaml.safe_load(nav)
    if not TESTER.exists():
        written = [each for each in written if "Try it" not in each]
    whole = navigation(written, PAGES)
    settings += f"\ncopyright: verger {verger.__version__}, Apache-2.0\n"
    return f"{settings}\nnav: {json.dumps(whole, ensure_ascii=False, indent=1)}\n"


if __name__ == "__main__":
    main()
