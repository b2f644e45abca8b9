"""Completion: fields at the start of a line, crawlers and signals in values.

In: a `Document` and an offset in it. Out: the completions there, and the spans they replace.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from verger.crawlers import CRAWLERS, LISTED, PURPOSES, Crawler, remark_on
from verger.service.lsp.document import Document
from verger.service.lsp.fields import FIELDS, SIGNAL_HELP, FieldHelp
from verger.service.lsp.text import Span


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion at a position."""

    label: str
    kind: Literal["field", "crawler", "signal", "word"]
    text: str
    """The text that replaces `span`."""
    span: Span
    detail: str = ""
    documentation: str = ""
    rank: int = 0
    """Lower ranks come first."""


def completions(document: Document, offset: int) -> list[Completion]:
    """Return the completions at an offset."""
    number, _ = document.text.place(offset)
    start, stop = document.text.line_span(number)
    before = document.text.body[start:offset]
    if b"#" in before:
        return []
    key, colon, value = before.partition(b":")
    if not colon:
        return list(_fields(document.text.body, start, offset, stop))
    field = _field(key)
    begin = start + len(key) + 1 + len(value) - len(value.lstrip())
    if field == "user-agent":
        return list(_crawlers((begin, _end_of_value(document.text.body, offset, stop))))
    if field in FIELDS and FIELDS[field].words:
        return list(_words(FIELDS[field], document.text.body[start:stop], value, offset))
    return []


def _field(key: bytes) -> str:
    name = key.strip(b" \t\xef\xbb\xbf").decode("utf-8", "replace").lower()
    return {"content-signals": "content-signal", "useragent": "user-agent"}.get(name, name)


def _fields(body: bytes, start: int, offset: int, stop: int) -> Iterator[Completion]:
    """Yield fields that replace the first word of a line."""
    indent = _INDENT.match(body, start, offset)
    begin = indent.end() if indent else start
    word = _KEY.match(body, begin, stop)
    end = max(word.end() if word else begin, offset)
    has_colon = body[end:stop].lstrip().startswith(b":")
    for rank, field in enumerate(each for each in FIELDS.values() if each.is_offered):
        text = field.name if has_colon else f"{field.name}: "
        yield Completion(field.name, "field", text, (begin, end), field.source, field.what, rank)


_INDENT = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*")
_KEY = re.compile(rb"[A-Za-z-]*")


def _end_of_value(body: bytes, offset: int, stop: int) -> int:
    """Return the end of the word at an offset."""
    while offset < stop and body[offset] not in b" \t#":
        offset += 1
    return offset


def _crawlers(span: Span) -> Iterator[Completion]:
    """Yield `*` and every known crawler; those that files name most often come first."""
    every = "every crawler that no other group names"
    yield Completion("*", "crawler", "*", span, every, "RFC 9309 section 2.2.1")
    for crawler in CRAWLERS:
        rank = 1 if crawler.token in LISTED else 2
        yield Completion(
            crawler.token, "crawler", crawler.token, span, _detail(crawler), _what(crawler), rank
        )


def _detail(crawler: Crawler) -> str:
    return " · ".join(filter(None, (crawler.operator, *crawler.purposes)))


def _what(crawler: Crawler) -> str:
    return remark_on(crawler.token) or "; ".join(PURPOSES[name] for name in crawler.purposes)


def _words(field: FieldHelp, line: bytes, value: bytes, offset: int) -> Iterator[Completion]:
    """Yield signals that the line does not have yet, or the words after `=`."""
    piece = re.split(rb"[,\s]", value)[-1]
    name, equals, word = piece.partition(b"=")
    if equals:
        known = field.words.get(name.decode("utf-8", "replace").lower(), ())
        for each in known:
            yield Completion(each, "word", each, (offset - len(word), offset))
        return
    there = {found[1].lower() for found in _SIGNAL.finditer(line)}
    for signal, words in field.words.items():
        if signal.encode() not in there:
            for rank, each in enumerate(words):
                text = f"{signal}={each}"
                span = offset - len(piece), offset
                yield Completion(
                    text, "signal", text, span, SIGNAL_HELP[signal], field.source, rank
                )


_SIGNAL = re.compile(rb"([A-Za-z-]+)[ \t]*=")
