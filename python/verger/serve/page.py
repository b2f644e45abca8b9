"""The tester page, as the package has it, or as it was built beside the sources."""

from importlib.resources import files
from pathlib import Path

from aiohttp import web

from verger.serve.problems import expect

NAME = "tester.html"
BUILT = Path(__file__).parents[3] / "web" / "dist" / "index.html"
"""Where `make page` puts it."""


async def tester(_: web.Request) -> web.StreamResponse:
    """Return the page; its policy is in it."""
    packed = Path(str(files("verger.serve"))) / NAME
    page = packed if packed.is_file() else BUILT
    hint = "`/openapi.json` describes what is answered"
    expect(page.is_file(), 404, "this installation has no tester page", None, hint)
    return web.FileResponse(page, headers={"Content-Type": "text/html; charset=utf-8"})
