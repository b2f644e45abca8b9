"""Completion: fields at the start of a line, crawlers and signals in values.

In: a `Document` and an offset in it. Out: the completions there in the form of the protocol, lower
ranks first.
"""

import re
from collections.abc import Iterator

from verger.crawlers import CRAWLERS, LISTED, PURPOSES, remark_on
from verger.files.json_text import Json
from verger.service.lsp.document import Document
from verger.service.lsp.fields import FIELDS, SIGNAL_HELP, FieldHelp
from verger.service.lsp.text import Span, Text

# CompletionItemKind: Keyword, Class, Property, EnumMember
FIELD, CRAWLER, SIGNAL, WORD = 14, 7, 10, 20


def completions(document: Document, offset: int) -> Json:
    """Return the completions at an offset."""
    return {"isIncomplete": False, "items": list(_items(document.text, offset))}


def _items(text: Text, offset: int) -> Iterator[Json]:
    start, stop = text.line_span(text.place(offset)[0])
    before = text.body[start:offset]
    if b"#" in before:
        return
    key, colon, value = before.partition(b":")
    field = FIELDS.get(name := _field(key))
    if not colon:
        yield from _fields(text, start, offset, stop)
    elif name == "user-agent":
        rest = re.split(rb"[ \t#]", text.body[offset:stop], maxsplit=1)[0]
        yield from _crawlers(text, (offset - len(value.lstrip()), offset + len(rest)))
    elif field and field.words:
        yield from _words(field, text, text.body[start:stop], value, offset)


def _item(
    text: Text,
    label: str,
    kind: int,
    span: Span,
    detail: str = "",
    documentation: str = "",
    *,
    rank: int = 0,
    new: str | None = None,
) -> Json:
    """Return a completion; it puts `new`, or else its label, in place of a span."""
    return {
        "label": label,
        "kind": kind,
        "detail": detail,
        "documentation": documentation,
        "sortText": f"{rank:03}{label.lower()}",
        "textEdit": {"range": text.range(span), "newText": new or label},
    }


def _field(key: bytes) -> str:
    name = key.strip(b" \t\xef\xbb\xbf").decode("utf-8", "replace").lower()
    return {"content-signals": "content-signal", "useragent": "user-agent"}.get(name, name)


def _fields(text: Text, start: int, offset: int, stop: int) -> Iterator[Json]:
    """Yield fields that replace the first word of a line."""
    word = _KEY.match(text.body, start, stop)
    begin, end = word.span(1) if word else (start, start)
    span = min(begin, offset), max(end, offset)
    has_colon = text.body[span[1] : stop].lstrip().startswith(b":")
    for rank, field in enumerate(each for each in FIELDS.values() if each.is_offered):
        new = field.name if has_colon else f"{field.name}: "
        yield _item(text, field.name, FIELD, span, field.source, field.what, rank=rank, new=new)


_KEY = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*([A-Za-z-]*)")


def _crawlers(text: Text, span: Span) -> Iterator[Json]:
    """Yield `*` and every known crawler; those that files name most often come first."""
    every = "every crawler that no other group names"
    yield _item(text, "*", CRAWLER, span, every, "RFC 9309 section 2.2.1")
    for crawler in CRAWLERS:
        token, rank = crawler.token, 1 if crawler.token in LISTED else 2
        detail = " · ".join(filter(None, (crawler.operator, *crawler.purposes)))
        what = remark_on(token) or "; ".join(PURPOSES[name] for name in crawler.purposes)
        yield _item(text, token, CRAWLER, span, detail, what, rank=rank)


def _words(field: FieldHelp, text: Text, line: bytes, value: bytes, offset: int) -> Iterator[Json]:
    """Yield signals that the line does not have yet, or the words after `=`."""
    piece = re.split(rb"[,\s]", value)[-1]
    name, equals, word = piece.partition(b"=")
    if equals:
        for each in field.words.get(name.decode("utf-8", "replace").lower(), ()):
            yield _item(text, each, WORD, (offset - len(word), offset))
        return
    there = {found[1].lower() for found in _SIGNAL.finditer(line)}
    span = offset - len(piece), offset
    for signal, words in field.words.items():
        if signal.encode() not in there:
            for rank, each in enumerate(words):
                label, what = f"{signal}={each}", SIGNAL_HELP[signal]
                yield _item(text, label, SIGNAL, span, what, field.source, rank=rank)


_SIGNAL = re.compile(rb"([A-Za-z-]+)[ \t]*=")
