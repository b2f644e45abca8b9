"""`verger lsp`, asked over stdio by the client of pytest-lsp."""

import pytest

from .conftest import Editor

pytestmark = pytest.mark.asyncio


async def test_what_is_wrong_is_told_while_one_types(editor: Editor) -> None:
    """Each version of a file gets its own problems."""
    before = await editor.open("User-agent: *\nDisallow: /a\n")
    after = await editor.change("Crawl-delay: x\n", (1, 0), (1, 0))

    assert [] == before
    assert [("malformed-value", 1)] == [(each.code, each.range.start.line) for each in after]
