"""The tester page, as the package has it, or as it was built beside the sources.

A page that is opened as a file may fetch nothing, by the policy that stands in it. The one that is
served here may ask this service, and is marked, so that it offers to load the file of a site.
"""

from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from aiohttp import web

from verger.serve.problems import expect

NAME = "tester.html"
BUILT = Path(__file__).parents[3] / "web" / "dist" / "index.html"
"""Where `make page` puts it."""

POLICY = "content=\"default-src 'none';"
"""How the policy of the page begins."""

MARK = '<meta name="verger-service" content="v1/robots" />'
"""What the script of the page looks for."""


async def tester(_: web.Request) -> web.StreamResponse:
    """Return the page; its policy is in it."""
    packed = Path(str(files("verger.serve"))) / NAME
    page = packed if packed.is_file() else BUILT
    hint = "`/openapi.json` describes what is answered"
    expect(page.is_file(), 404, "this installation has no tester page", None, hint)
    return web.Response(text=_marked(page), content_type="text/html")


@lru_cache(1)
def _marked(page: Path) -> str:
    head, policy, rest = page.read_text("utf-8").partition(POLICY)
    return f"{head}{policy} connect-src 'self';{rest}".replace("<title>", f"{MARK}<title>", 1)
