"""Templates: they get findings, and nothing edits them."""

import pytest

from verger import parse
from verger.analysis import Refused, allow, block, minimise
from verger.analysis.access_edits import signal
from verger.errors import InvalidOption
from verger.expectations import expectations_in
from verger.expectations.fixing import fix
from verger.lint import Settings, fixed, formatted, lint
from verger.service.lsp.code_action import actions, all_safe, reformatted
from verger.service.lsp.document import Document
from verger.service.lsp.text import Text

RULES = b"user-agent:*\nDisallow: /a\nDisallow: /a\n"

TEMPLATES = {
    "Jekyll": b"---\nlayout: null\n---\n" + RULES,
    "Hugo": b"+++\nlayout = 'x'\n+++\n" + RULES,
    "Liquid": RULES + b"Sitemap: {{ site.url }}/sitemap.xml\n",
    "Twig": b"{# not for crawlers #}\n" + RULES,
    "Jinja": b"{% if production %}\n" + RULES + b"{% endif %}\n",
    "Django in comments": b"# {% if production %}\n" + RULES + b"# {% endif %}\n",
    "Handlebars": b"{{#if production}}\n" + RULES + b"{{/if}}\n",
    "Go": b"{{- /* for\ncrawlers */ -}}\n" + RULES,
    "ERB": RULES + b"Sitemap: <%= root_url %>sitemap.xml\n",
    "JSP": b'<%@ page contentType="text/plain" %>\n' + RULES,
    "PHP": b"<?php header('Content-Type: text/plain'); ?>\n" + RULES,
    "FreeMarker": b"<#if production>\n" + RULES + b"</#if>\n",
    "Smarty": b"{* not for crawlers *}\n" + RULES,
    "a block of Smarty": b"{if $production}\n" + RULES + b"{/if}\n",
    "a value of Smarty": RULES + b"{$more}\n",
    "Razor": b"@{ Layout = null; }\n" + RULES,
    "a comment of Razor": b"@* not for crawlers *@\n" + RULES,
    "a block of Razor": b"@if (Model.IsProduction)\n" + RULES,
    "Mako": b"% if production:\n" + RULES + b"% endif\n",
    "Velocity": b'#if($env == "prod")\n' + RULES + b"#end\n",
    "a value of Velocity": b'#set($base = "https://x.example")\n' + RULES,
    "data of Jekyll": b"---\nlayout: null\ndisallow:\n  - /x\n---\n" + RULES,
    "a comment of Jekyll": b"--- # settings\nlayout: null\n---\n" + RULES,
    "Eleventy": b'---json\n{"permalink": "/robots.txt"}\n---\n' + RULES,
    "Jekyll of old systems": b"---\rlayout: null\r---\r" + RULES.replace(b"\n", b"\r"),
    "JSON of Hugo": b'{\n"permalink": "/robots.txt"\n}\n' + RULES,
    "a service of Razor": b"@inject IConfig c\n" + RULES,
    "an expression of Razor": b"@(Model.Header)\n" + RULES,
    "Blade": b"@unless($prod)\n" + RULES + b"@endunless\n",
    "PHP with a short tag": b"<?\nheader('x');\n?>\n" + RULES,
    "PHP in capitals": b"<?PHP echo 1 ?>\n" + RULES,
    "server-side includes": b'<!--#if expr="$x" -->\n' + RULES + b"<!--#endif -->\n",
    "FreeMarker in brackets": b"[#if x]\n" + RULES + b"[/#if]\n",
    "a macro of FreeMarker": b"<@macro x/>\n" + RULES,
    "Thymeleaf": b'[# th:if="x"]\n' + RULES + b"[/]\n",
    "JSTL": b"<c:choose>\n" + RULES + b"</c:choose>\n",
    "ColdFusion": b"<cfif x>\n" + RULES + b"</cfif>\n",
    "Pandoc": b"$if(x)$\n" + RULES + b"$endif$\n",
    "Haml": b"- if production\n" + RULES,
    "Smarty in comments": b"# {if $production}\n" + RULES + b"# {/if}\n",
    "an address of Smarty": RULES + b"Sitemap: {$base}/s.xml\n",
    "a crawler of Smarty": b"User-agent: {$bot}\nDisallow: /\n\n" + RULES,
    "shell": RULES + b"Sitemap: ${BASE_URL}/sitemap.xml\n",
}

CLOSED = expectations_in('[[expect]]\nagent = "GPTBot"\npaths = "/"\nallowed = false\n')

ENDS = {
    "\\n": rb"User-agent: *\nDisallow: /a\n",
    "JSON": rb'"User-agent: *\r\nDisallow: /a"',
    "HTML": b"User-agent: *<br>Disallow: /a\n",
    "a comment": rb"# robots\nUser-agent: *\nDisallow: /a",
}

HINT = "run it on the rendered file"


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_edits_a_template(name: str) -> None:
    """Neither fixes nor the formatter change it, and it is told that it is one."""
    body = TEMPLATES[name]
    report = lint(body)

    assert {"RT119", "RT303"} == {each.code for each in report.diagnostics}
    assert [None] == list({each.fix for each in report.diagnostics})
    for unsafe in (False, True):
        assert body == fixed(body, unsafe=unsafe).body
    assert body == formatted(body)
    assert ["RT303"] == [each.code for each in lint(RULES).diagnostics if each.fix]


@pytest.mark.parametrize("name", TEMPLATES)
def test_edits_of_a_template_are_refused(name: str) -> None:
    """The reason names a line of the template, and the hint the rendered file."""
    robots = parse(TEMPLATES[name])
    edits = {
        "block": lambda: block(robots, "GPTBot"),
        "allow": lambda: allow(robots, "GPTBot"),
        "minimise": lambda: minimise(robots),
        "signal": lambda: signal(robots, ["GPTBot"], "ai-train", allowed=False),
        "fix": lambda: fix(CLOSED, robots.body),
    }
    for edit in edits.values():
        with pytest.raises(
            (InvalidOption, Refused), match=r"line \d is part of a text that was not"
        ) as caught:
            edit()
        assert HINT == caught.value.hint


def test_editors_offer_no_edit_of_a_template() -> None:
    """No quick fix, nothing to fix all, and no formatting."""
    for body in TEMPLATES.values():
        text = Text.of(body.decode(), "utf-16")
        document = Document("file:///robots.txt", None, text, Settings())

        assert [] == actions(document, (0, len(body)), ())
        assert [] == all_safe(document)
        assert [] == reformatted(document)


@pytest.mark.parametrize("name", ENDS)
def test_nothing_edits_a_file_whose_line_ends_were_not_rendered(name: str) -> None:
    """It is told, no fix makes the file look fine, and edits of it are refused."""
    body = ENDS[name]
    report = lint(body)

    assert "RT119" in {each.code for each in report.diagnostics}
    assert {None} == {each.fix for each in report.diagnostics}
    assert body == fixed(body, unsafe=True).body == formatted(body)
    with pytest.raises((InvalidOption, Refused), match="line 1 is part of a text") as caught:
        block(parse(body), "GPTBot")
    assert HINT in str(caught.value)


@pytest.mark.parametrize("tag", ["{{ if .x }}a{{ end }}", "<%= x %>", "{% x %}", "${x}", "{$x}"])
def test_tags_in_patterns_are_not_escaped(tag: str) -> None:
    """Sites disallow URLs that a broken template made; or this is one that was not rendered."""
    body = f"User-agent: *\nDisallow: /a/{tag}/b\n".encode()

    assert fixed(body, unsafe=True).body == body
