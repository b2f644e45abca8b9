"""Templates that were not rendered, and line ends: their marks in a file.

In: the bytes of a file, and its lines. Out: the numbers of lines with marks, of lines between an
opening mark and its closing one, of front matter, and of lines in which others end.
"""

import re
from collections.abc import Iterator, Sequence

from verger._core import Line

MARKS = {
    b"{{": b"}}",
    b"{%": b"%}",
    b"{#": b"#}",
    b"<%": b"%>",
    b"<?php": b"?>",
    b"<?=": b"?>",
    b"<? ": b"?>",
    b"<?\n": b"?>",
    b"<?\r": b"?>",
    b"<#": b">",
    b"</#": b">",
}
"""Opening and closing marks of Jinja, Twig, Liquid, Go, Handlebars, ERB, EJS, JSP, PHP and
FreeMarker."""

ALONE = (*MARKS, b"}}", b"%}", b"%>", b"${", b"{$")
"""Marks that show a template; the last two are of shells, JavaScript and FreeMarker, and of
Smarty."""

WITH_HASH = tuple(mark for mark in MARKS if b"#" in mark)
"""Marks that hold what begins a comment."""

LINE_END = re.compile(
    rb"(\\[rn]|\\(?:u00|x)0[AaDd]|%0[AaDd]|\^M|(?i:<br ?/?>)|&#(?:1[03]|[xX]0?[AaDd]);)[ \t\"',+]*"
    rb"(?i:user-?agent|disallow|allow|sitemap|crawl-delay)[ \t]*:"
    rb"|(?im:^[ \t\"']*user-?agent[ \t]*:[^#\r\n]*?)"
    rb"(\\[rn]|\^M|(?i:<br ?/?>))[ \t\"',]*(?:[\r\n]|\Z)"
)
"""What a program writes for a line end and does not render: before a field, or where the name of a
crawler ends."""

STATEMENT = re.compile(
    rb"\{%(?:(?!\{%).)*?%\}|<%(?:(?!<%).)*?%>|<\?php\b"
    rb"|\{\{-?\s*(?:[#/^]|(?:else|end)\b|(?:if|range|with|block|define|template)\s+[^\s}])"
    rb"|" + LINE_END.pattern
)
"""What is rendered in a comment, too, and decides what becomes of the lines after it."""

TAG = re.compile(
    rb"[ \t]*(?:\{\*|\{\$\w|\{/?[a-z]+[ }]|%[ \t]*(?:if|for|while|end\w*)\b"
    rb"|@(?!media|import|font|key|charset|supports|page)[\w*{(]"
    rb"|</?[@#]|\[/?[#@]|\[/\]|<!--#|<\?(?!xml\b)|</?(?:c:|cf)[a-z]"
    rb"|\$(?:if|for|else|endif|endfor|sep)\b|-[ \t]+(?:if|unless|else|each|for)\b)",
    re.IGNORECASE,
)
"""A line that begins so, and is no field, is one of Smarty, Razor, Blade, Mako, FreeMarker,
Thymeleaf, PHP, server-side includes, JSTL, ColdFusion, Pandoc or Haml."""

DIRECTIVE = re.compile(
    rb"[ \t]*#(?:\{?(?:set|if|elseif|foreach|parse|include|macro|define|evaluate)\}?[ \t]*\("
    rb"|[ \t]*\{/?(?:if|else|foreach|literal|block)\b[^}]*\})"
)
"""A comment that begins so is a directive of Velocity; or a tag of Smarty, as it is rendered there,
too."""

PATTERNS = ("allow", "disallow", "noindex", "nofollow", "noarchive", "clean-param")
"""Fields whose values may have marks: sites disallow URLs that a broken template made."""

FRONT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:(---|\+\+\+)[ \t]*(?:#[^\r\n]*|[a-z]+)?|\{)[ \t]*(?:\r\n?|\n)"
    rb"(?:[^\r\n]*+(?:\r\n?|\n))*?(?(1)(?:\1|\.\.\.)|\})[ \t]*(?=[\r\n]|\Z)"
)
"""Front matter, between lines of dashes or plus signs, or JSON, in Jekyll, Hugo and Eleventy:
settings for the program that renders the rest."""


def template_lines(body: bytes, lines: Sequence[Line]) -> frozenset[int]:
    """Return the lines of a file that are part of a template."""
    front = FRONT.match(body)
    end = front.end() if front and body[front.end() :].strip() else 0
    above = [line for line in lines if line.span[0] < end]
    if any(line.kind == "start-group" for line in above):  # those are lines between rules
        above = []
    marked = _template_lines(body, lines[len(above) :]) if _has_mark(body) else ()
    tags = (line.number for line in lines if _is_tag(line, body))
    return frozenset((*(line.number for line in above), *marked, *tags))


def _is_tag(line: Line, body: bytes) -> bool:
    """Whether a line that says nothing to crawlers does so to what renders the file."""
    known = {"unknown": TAG, "comment": DIRECTIVE}.get(line.kind)
    return known is not None and known.match(body, *line.span) is not None


def _template_lines(body: bytes, lines: Sequence[Line]) -> Iterator[int]:
    end = b""  # the closing mark that is awaited
    inside: list[int] = []
    for line in lines:
        text = body[slice(*line.span)]
        if end:
            inside.append(line.number)
            if end in text:
                yield from inside
                end = b""
        elif _shows_template(line, body):
            yield line.number
            end, inside = _awaited(text), []


def _shows_template(line: Line, body: bytes) -> bool:
    """Whether a line has a mark, outside of a comment and of a pattern."""
    text = body[slice(*line.span)]
    if line.kind == "comment":
        return STATEMENT.search(text) is not None
    if line.field in PATTERNS and line.value_span is not None and not LINE_END.search(text):
        return body[slice(*line.value_span)].startswith(ALONE)
    is_whole = any(mark in text for mark in WITH_HASH) or LINE_END.search(text) is not None
    return is_whole or _has_mark(text.partition(b"#")[0])


def _has_mark(text: bytes) -> bool:
    return any(mark in text for mark in ALONE) or LINE_END.search(text) is not None


def _awaited(text: bytes) -> bytes:
    """Return the closing mark that a line lacks for its opening one; empty if none is lacking."""
    text = text.replace(b"{{#", b"{{")  # a block of Handlebars is no comment of Twig
    lacking = (end for begin, end in MARKS.items() if text.rfind(begin) > text.rfind(end))
    return next(lacking, b"")
