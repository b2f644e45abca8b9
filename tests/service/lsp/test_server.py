"""`verger lsp`, asked over stdio by the client of pytest-lsp, which checks the form of answers."""

from pathlib import Path

import pytest

from verger.service.lsp.semantic_tokens import TYPES

from .conftest import URI, Editor, begun

lsprotocol = pytest.importorskip("lsprotocol", reason="pytest-lsp is not installed")

from lsprotocol import types  # noqa: E402
from pytest_lsp import LanguageClient  # noqa: E402

pytestmark = pytest.mark.asyncio

SHOP = """\
# robots.txt
# of a shop
User-agent: *
Disallow: /basket
Disallow: /x
Allow: /x
Allow: /basket/help

User-agent: GPTBot
User-agent: CCBot
Disallow: /
Sitemap: https://shop.example/sitemap.xml
"""


def where(line: int, character: int) -> types.Position:
    return types.Position(line, character)


WHOLE = types.Range(where(0, 0), where(10_000, 0))


async def test_problems_are_told_of_each_version(editor: Editor) -> None:
    """A keystroke brings the problems of the new text, with why they matter."""
    before = await editor.open("User-agent: *\nDisallow: /a\n")
    (after,) = await editor.change("Crawl-delay: x\n", (1, 0), (1, 0))

    assert [] == before
    assert ("malformed-value", "verger") == (after.data["name"], after.source)
    assert types.DiagnosticSeverity.Error == after.severity
    assert types.Range(where(1, 13), where(1, 14)) == after.range


async def test_problems_name_other_lines_and_fade_what_is_spare(editor: Editor) -> None:
    """A shadowed rule points to the rule that shadows it."""
    told = await editor.open("User-agent: *\nDisallow: /a*b\nAllow: /*a*b\n")

    (one,) = [each for each in told if each.data["name"] == "shadowed-rule"]
    assert [types.DiagnosticTag.Unnecessary] == list(one.tags)
    assert [2] == [each.location.range.start.line for each in one.related_information]


async def test_a_file_with_a_wrong_name(editor: Editor) -> None:
    """Crawlers do not ask for it."""
    (one,) = await editor.open("User-agent: *\nDisallow: /a\n", "file:///site/Robots.TXT")

    assert "wrong-name" == one.data["name"]


async def test_a_closed_file_has_no_problems(editor: Editor) -> None:
    """What was told is taken back, and the file is not known any more."""
    await editor.open("Disallow\n")
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(editor.document))
    told = await editor.client.wait_for_notification("textDocument/publishDiagnostics")

    assert [] == list(told.diagnostics)


async def test_an_editor_that_pulls_is_not_pushed(client: LanguageClient) -> None:
    """Problems would stand there twice."""
    text_document = types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities()
    )
    await client.initialize_session(begun(text_document=text_document))
    editor = Editor(client)
    editor.put("User-agent: *\nDisallow: a\n")
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(editor.document)
    )

    assert ["pattern-without-slash"] == [each.data["name"] for each in report.items]
    assert {} == client.diagnostics


async def test_hover_explains_a_rule(editor: Editor) -> None:
    """Whom it binds, what it closes, what outranks it, and the section."""
    await editor.open(SHOP)
    told = await editor.client.text_document_hover_async(
        types.HoverParams(editor.document, where(4, 3))
    )

    assert types.MarkupKind.PlainText == told.contents.kind  # it did not say that it reads more
    assert "Disallows paths that begin with /x" in told.contents.value
    assert "applies to every crawler that no other group names" in told.contents.value
    assert "never decides: outranked everywhere by line 6, Allow: /x" in told.contents.value
    assert told.contents.value.endswith("RFC 9309 section 2.2.2")


async def test_hover_in_markdown(client: LanguageClient) -> None:
    """An editor that reads Markdown gets it; who a crawler is, and who says so."""
    hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown])
    text_document = types.TextDocumentClientCapabilities(hover=hover)
    await client.initialize_session(begun(text_document=text_document))
    editor = Editor(client)
    editor.put(SHOP)
    told = await client.text_document_hover_async(types.HoverParams(editor.document, where(8, 13)))

    assert types.MarkupKind.Markdown == told.contents.kind
    assert told.contents.value.startswith("**GPTBot**, of OpenAI\n\n- training: ")
    assert types.Range(where(8, 12), where(8, 18)) == told.range


async def test_nothing_to_say_of_a_comment(editor: Editor) -> None:
    """Comments, and what is behind the file, have no hover."""
    await editor.open(SHOP)
    for place in (where(0, 3), where(12, 0), where(9_999, 9_999)):
        asked = types.HoverParams(editor.document, place)
        assert None is await editor.client.text_document_hover_async(asked)


@pytest.mark.parametrize(
    ("text", "label", "detail", "result"),
    [
        ("Dis", "Disallow", "RFC 9309 section 2.2.2", "Disallow: "),
        ("User-agent: gpt", "GPTBot", "OpenAI · training", "User-agent: GPTBot"),
        ("Content-Signal: ai-t", "ai-train=no", None, "Content-Signal: ai-train=no"),
        ("Content-Signal: search=", "yes", None, "Content-Signal: search=yes"),
    ],
)
async def test_completion(
    editor: Editor, text: str, label: str, detail: str | None, result: str
) -> None:
    """Fields, crawlers with operator and purpose, and signals."""
    await editor.open(text)
    told = await editor.client.text_document_completion_async(
        types.CompletionParams(editor.document, where(0, len(text)))
    )
    (item,) = [each for each in told.items if each.label == label]
    edit = item.text_edit

    assert detail in (item.detail, None)
    assert result == text[: edit.range.start.character] + edit.new_text


async def the_action(
    editor: Editor, place: types.Range, only: list[types.CodeActionKind | str] | None = None
) -> types.CodeAction:
    """Return the one action that is offered at a place."""
    asked = types.CodeActionParams(editor.document, place, types.CodeActionContext([], only=only))
    (action,) = await editor.client.text_document_code_action_async(asked)
    return action


async def test_quick_fix(editor: Editor) -> None:
    """A fix is offered where its problem is; one that is safe is preferred."""
    text = "User-agent: *\nDisallow: /a\nDisallow: /a\n"
    await editor.open(text)
    action = await the_action(editor, types.Range(where(2, 0), where(2, 12)))

    assert (types.CodeActionKind.QuickFix, True) == (action.kind, action.is_preferred)
    assert "User-agent: *\nDisallow: /a\n" == changed(text, action.edit.changes[URI])


async def test_fix_all(editor: Editor) -> None:
    """On saving, an editor may make all safe fixes; it has to ask for that kind."""
    text = "user-agent: *\nDisallow: /a\nDisallow: /a\nDisallow: /b\nDisallow: /b\n"
    await editor.open(text)
    action = await the_action(editor, WHOLE, only=[types.CodeActionKind.SourceFixAll])

    assert "source.fixAll.verger" == action.kind
    assert "user-agent: *\nDisallow: /a\nDisallow: /b\n" == changed(text, action.edit.changes[URI])


async def test_formatting(editor: Editor) -> None:
    """The format of `verger fmt`; nothing where the file is in it."""
    text = "user-agent:*\nDISALLOW :/a   # old\n\n\n"
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    await editor.open(text)
    asked = types.DocumentFormattingParams(editor.document, options)
    edits = await editor.client.text_document_formatting_async(asked)
    await editor.replace(changed(text, edits))
    again = await editor.client.text_document_formatting_async(asked)

    assert "User-agent: *\nDisallow: /a  # old\n" == changed(text, edits)
    assert [] == list(again)


async def test_symbols(editor: Editor) -> None:
    """Groups with their rules, and sitemaps."""
    await editor.open(SHOP)
    told = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(editor.document)
    )

    assert [
        ("*", 2, 6, ["Disallow: /basket", "Disallow: /x", "Allow: /x", "Allow: /basket/help"]),
        ("GPTBot, CCBot", 8, 11, ["Disallow: /"]),
        ("https://shop.example/sitemap.xml", 11, 11, []),
    ] == [
        (
            each.name,
            each.range.start.line,
            each.range.end.line,
            [child.name for child in each.children],
        )
        for each in told
    ]


async def test_folding(editor: Editor) -> None:
    """Groups, and blocks of comments."""
    await editor.open(SHOP)
    told = await editor.client.text_document_folding_range_async(
        types.FoldingRangeParams(editor.document)
    )

    assert [(0, 1, "comment"), (2, 6, "region"), (8, 11, "region")] == [
        (each.start_line, each.end_line, each.kind) for each in told
    ]


async def test_semantic_tokens(editor: Editor) -> None:
    """Keys that are read, crawlers that are known, wildcards, and rules that never decide."""
    text = "User-agent: GPTBot\nUser-agent: Nobody\nDisallow: /a*b$ # 😀\nAllow: /*a*b$\nnope: 1\n"
    await editor.open(text)
    told = await editor.client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(editor.document)
    )

    assert [
        ("User-agent", "keyword", 0),
        ("GPTBot", "class", 2),
        ("User-agent", "keyword", 0),
        ("Nobody", "class", 0),
        ("Disallow", "keyword", 0),
        ("/a", "string", 1),
        ("*", "operator", 1),
        ("b", "string", 1),
        ("$", "operator", 1),
        ("# 😀", "comment", 0),
        ("Allow", "keyword", 0),
        ("/", "string", 0),
        ("*", "operator", 0),
        ("a", "string", 0),
        ("*", "operator", 0),
        ("b", "string", 0),
        ("$", "operator", 0),
    ] == parts(text, told.data)


async def test_inlay_hints(editor: Editor) -> None:
    """A rule that never decides says so, in the lines that are asked about."""
    await editor.open(SHOP)
    told = [
        await editor.client.text_document_inlay_hint_async(
            types.InlayHintParams(editor.document, types.Range(where(first, 0), where(last, 0)))
        )
        for first, last in ((0, 12), (6, 12))
    ]

    assert [[("never decides: outranked by line 6", 4, 12)], []] == [
        [(each.label, each.position.line, each.position.character) for each in those]
        for those in told
    ]


async def test_code_lens(editor: Editor) -> None:
    """Whom a group binds, how many rules it has, and how many of them never decide."""
    await editor.open(SHOP)
    told = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document))
    others, named = [(each.range.start.line, each.command.title) for each in told]

    assert (8, "applies to 2 crawlers · 1 rule") == named
    assert 2 == others[0]
    assert others[1].startswith("applies to all other crawlers (")
    assert others[1].endswith(" known) · 4 rules · 1 shadowed")


async def test_settings_change_the_dialect(editor: Editor) -> None:
    """A dialect that the editor names reads the lines first; a wrong one changes nothing."""
    await editor.open("User-agent: *\nAllow: /a\n")
    asked = types.DocumentSymbolParams(editor.document)
    seen = []
    for settings in ({"dialect": "rfc9309"}, {"dialect": "original-1994"}, {"dialect": "?"}):
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"verger": settings})
        )
        told = await editor.client.text_document_document_symbol_async(asked)
        seen.append(sum(len(group.children) for group in told))

    assert [1, 0, 0] == seen
    assert "`dialect` is not one of" in editor.client.log_messages[-1].message


async def test_the_configuration_of_the_linter_holds(editor: Editor, tmp_path: Path) -> None:
    """`verger.toml` above a file says which checks run; a wrong one is told, and left out."""
    (tmp_path / "verger.toml").write_text('[lint]\nignore = ["malformed-value"]\n')
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "verger.toml").write_text('[lint]\nignore = ["nope"]\n')
    text = "User-agent: *\nCrawl-delay: x\nDisallow: /\n"
    told = [
        {each.data["name"] for each in await editor.open(text, path.as_uri())}
        for path in (tmp_path / "a b.txt", tmp_path / "wrong" / "robots.txt")
    ]

    assert [False, True] == ["malformed-value" in names for names in told]
    assert "nope" in editor.client.messages[-1].message


def changed(text: str, edits: list[types.TextEdit]) -> str:
    """Return a text in ASCII with edits made."""
    lines = text.splitlines(keepends=True)

    def offset(place: types.Position) -> int:
        return sum(map(len, lines[: place.line])) + place.character

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        start, stop = offset(edit.range.start), offset(edit.range.end)
        text = text[:start] + edit.new_text + text[stop:]
    return text


def parts(text: str, data: list[int]) -> list[tuple[str, str, int]]:
    """Return what tokens stand for: their text, type and modifiers; places are UTF-16."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    found, line, character = [], 0, 0
    for index in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[index : index + 5]
        line, character = line + down, right if down else character + right
        piece = lines[line][2 * character : 2 * (character + length)].decode("utf-16-le")
        found.append((piece, TYPES[kind], modifiers))
    return found
