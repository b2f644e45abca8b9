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


async def tester(_: web.Request, *, may_ask: bool) -> web.StreamResponse:
    """Return the page; its policy is in it.

    may_ask:  whether it may ask this service, which has no place for a token in it.
    """
    packed = Path(str(files("verger.serve"))) / NAME
    page = packed if packed.is_file() else BUILT
    hint = "`/openapi.json` describes what is answered"
    expect(page.is_file(), 404, "this installation has no tester page", None, hint)
    if not may_ask:
        return web.FileResponse(page, headers={"Content-Type": "text/html; charset=utf-8"})
    return web.Response(text=_marked(page), content_type="text/html")


@lru_cache(1)
def _marked(page: Path) -> str:
    text = page.read_text("utf-8")
    head, policy, rest = text.partition(POLICY)
    if not policy:
        return text  # a mark without the policy would offer what the browser refuses
    return f"{head}{policy} connect-src 'self';{rest}".replace("<title>", f"{MARK}<title>", 1)
